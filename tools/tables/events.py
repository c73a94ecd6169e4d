# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Events and their unit masks: what they set, and which signals of the model
# they count.

import re

from rows import UNKNOWN
from tables.words import arithmetic

EXPLAINED_NOWHERE = (UNKNOWN[0].upper() + UNKNOWN[1:] +
                     ": Intel's list has its name and its code.")
UNTOLD = "untold:packet"  # that no box ever tells
SIGNAL_KINDS = {"pulse": 0, "level": 1, "packet": 2, "span": 3,
                "clock": 4}


class Events:
    def sets(self, row, box):
        result = []
        for key, operator, value in row.sets:
            role, _, name = key.partition(".")
            if not name and role.lower() not in self.roles.names:
                role, name = "CTL", key
            role = {"ctl": "control"}.get(role.lower(), role.lower())
            if role not in self.roles.names:
                row.fail("unknown register %s" % role)
            number = row.int(value)
            if name:
                field = self.field(row, box, role, name)
                high, low = field["high"], field["low"]
                label = self.slot_name(role, field["name"])
            else:
                self.sub_layout(row, box, role)
                high, low, label = 63, 0, ""
            if number >> (high - low + 1):
                row.fail("%s=%s does not fit into %d bits" %
                         (key, value, high - low + 1))
            result.append({"role": role, "field": label, "value": number,
                           "high": high, "low": low,
                           "contains": operator == "|="})
        return result

    def look_bits(self, row, box, text):
        """mm, or in:msg+opc: bits of the box's looks."""
        group, _, parts = text.rpartition(":")
        result = 0
        for part in filter(None, parts.split("+")):
            name = group + ":" + part if group else part
            names = self.looks.get(box, [])
            if name not in names:
                row.fail("unknown filter '%s'" % name)
            result |= 1 << names.index(name)
        return result

    def named_signals(self, row, box, text):
        """Each by its owner and name: rxl_inserts_* stands for all of a fact's,
        cbo.NAME for one of a box with the same sort of bank."""
        name = self.boxes[box]["name"]
        for part in text.split(","):
            owner, dot, rest = part.partition(".")
            owner, part = (owner, rest) if dot and "[" not in owner else \
                (name, part)
            table = self.signals.get(owner)
            if not table or table.bank != self.signals[name].bank:
                row.fail("'%s' has no signals that a %s could tell" % (
                    owner, name))
            if "*" not in part or "[" in part:
                yield owner, part
                continue
            pattern, _, kind = part.partition(":")
            names = table.matches(pattern)
            if not names:
                row.fail("no signal of a fact is called %s" % pattern)
            for found in names:
                yield owner, found + (":" + kind if kind else "")

    def signal_refs(self, row, box):
        text = row.keys.get("signal")
        filter_code = self.look_bits(row, box, row.keys.get("filter", ""))
        if text == "none":
            return []
        if not text and filter_code and self.has_signals and not self.tells_all:
            text = UNTOLD  # its filters are known
        if not text:
            # Without a model the filter is all there is to know.
            return [] if not filter_code or self.has_signals else [{
                "table": self.boxes[box]["name"], "signal": 0,
                "filter": filter_code, "role": "none", "high": 0, "low": 0}]
        dim = row.number("dim", 0)
        refs = []
        for owner, part in self.named_signals(row, box, text):
            match = re.fullmatch(
                r"([a-z][a-z0-9_]*)(?:\[([^\]]+)\])?(?::([a-z]+))?", part)
            if not match:
                row.fail("'%s' is no signal" % part)
            name, index, kind = match.groups()
            if kind and kind not in SIGNAL_KINDS:
                row.fail("unknown kind of signal '%s'" % kind)
            entry = self.signals[owner].add(row, name, kind, dim)
            ref = {"table": owner, "signal": entry["first"], "filter": filter_code,
                   "role": "none", "high": 0, "low": 0}
            if index and re.fullmatch(r"[\d+*]+", index):
                element = arithmetic(row, index, {})
                if element >= entry["dim"]:
                    row.fail("%s has %d elements" % (name, entry["dim"]))
                ref["signal"] += element
            elif index:
                role, _, field_name = index.partition(".")
                field = self.field(row, box, role.lower(), field_name)
                ref.update(role=role.lower(), high=field["high"],
                           low=field["low"])
            refs.append(ref)
        return refs

    def params(self, row, box):
        result = []
        for part in filter(None, row.keys.get("param", "").split(",")):
            name, _, place = part.partition(":")
            role, _, field_name = place.partition(".")
            field = self.field(row, box, role.lower(), field_name)
            result.append({"name": name, "role": role.lower(),
                           "high": field["high"], "low": field["low"]})
        return result

    def row_event(self, row):
        row.known("code", "max", "counters", "combine", "accumulate", "tally",
                  "select", "signal", "dim", "filter", "param", "source",
                  "category", "excluded", "of_counter", "state", "slow",
                  "rows")
        box = self.box_index(row, row.words[1])
        counters = 0
        for part in row.keys.get("counters", "").split(","):
            match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
            if not match:
                row.fail("counters=%s is no list of counters" % part)
            for n in range(int(match.group(1)),
                           int(match.group(2) or match.group(1)) + 1):
                counters |= 1 << n
        if counters >> (self.boxes[box]["counters"] + self.boxes[box]["fixed"]):
            row.fail("a counter that %s does not have" % row.words[1])
        combine = row.keys.get("combine", "sum")
        ge = 0
        if combine != "sum":
            match = re.fullmatch(r"ge:(\d+)", combine)
            if not match:
                row.fail("combine=%s" % combine)
            ge = int(match.group(1))
        select = self.select_number(row, box, row.keys.get("select", "ev_sel"))
        event = {
            "name": row.words[2], "code": row.number("code", 0),
            "max": row.number("max", self.most), "counters": counters, "ge": ge,
            "accumulate": row.number("accumulate", 0),
            "tally": row.number("tally", 0), "select": select,
            "of_counter": row.number("of_counter", -1) + 1,
            "state": row.number("state", 0),
            "slow": row.number("slow", 0),
            "rows": row.number("rows", 0),
            "source": row.keys.get("source", ""),
            "category": row.keys.get("category", ""),
            "excluded": row.keys.get("excluded"), "where": row.where,
            "brief": EXPLAINED_NOWHERE if "unknown" in row.words[3:] else "",
            "note": "", "aliases": [], "umasks": [],
            "sets": self.sets(row, box), "params": self.params(row, box)}
        dim = row.keys.get("dim")
        for child in row.children:
            self.event_child(event, child, box)
        event["aliases"] = event["aliases"] or [
            prefix + event["name"] for prefix in self.boxes[box]["listed"]]
        event["signals"] = self.signal_refs(row, box)
        if not event["brief"]:
            row.fail("event %s has no brief text" % event["name"])
        if (self.tells_all and not row.keys.get("signal") and
                not event["umasks"] and not event["of_counter"]):
            row.fail("event %s has neither signal nor unit masks" %
                     event["name"])
        for other in self.events[row.words[1]]:
            if other["name"].lower() == event["name"].lower():
                row.fail("event %s stands twice" % event["name"])
        self.events[row.words[1]].append(event)
        del dim

    def event_child(self, event, child, box):
        word = child.words[0]
        if word == "brief":
            event["brief"] = child.texts[0]
        elif word == "note":
            event["note"] = " ".join(
                ([event["note"]] if event["note"] else []) + child.texts)
        elif word == "alias":
            event["aliases"] += child.words[1:]
        elif word == "umask":
            child.known("signal", "dim", "filter", "param", "excluded",
                        "note", "source", "state")
            sets = self.sets(child, box)
            if not sets:
                child.fail("unit mask %s sets nothing" % child.words[1])
            for other in event["umasks"]:
                if other["name"].lower() == child.words[1].lower():
                    child.fail("unit mask %s stands twice" % child.words[1])
            event["umasks"].append({
                "name": child.words[1], "sets": sets,
                "brief": child.texts[0] if child.texts else "",
                "note": child.keys.get("note", ""),
                "excluded": child.keys.get("excluded"),
                "params": self.params(child, box),
                "signals": self.signal_refs(child, box),
                "state": child.number("state", event["state"]),
                "value": self.umask_value(sets)})
            if not child.texts:
                child.fail("unit mask %s has no text" % child.words[1])
        else:
            child.fail("unknown word '%s' in an event" % word)

    @staticmethod
    def umask_value(sets):
        if len(sets) == 1 or all(s["role"] == "control" for s in sets):
            value = 0
            for s in sets:
                value |= s["value"] << (0 if len(sets) == 1 else s["low"])
            return value
        first = sets[0]["role"]
        return sum(s["value"] << s["low"] for s in sets
                   if s["role"] == first)
