# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What starts and stops counting, the ways to choose an event, and where
# overflows are told.

import re

from tables.words import bit_range

SELECTS = "ev_sel fixed".split()
SCOPES = "socket box".split()
MAX_SELECTS = 8


class Counting:
    def row_domain(self, row):
        row.known("scope", "register", "boxes", "run", "stop", "reset",
                  "no_interrupt", "source")
        self.domains.append({"row": row, "name": row.words[1]})

    def finish_domain(self, domain):
        row = domain["row"]
        names = row.keys.get("boxes")
        scope = row.keys.get("scope", "socket")
        if scope not in SCOPES:
            row.fail("scope=%s: there are %s" % (scope, ", ".join(SCOPES)))
        mask = 0
        for name in names.split(",") if names else [
                b["name"] for b in self.boxes]:
            mask |= 1 << self.box_index(row, name)
        if scope == "socket":
            name = row.keys.get("register")
            found = [r for r in self.registers if r["name"] == name]
            if not found:
                row.fail("no register %s" % name)
        else:
            found = [r for r in self.registers
                     if r["role"] == "global_ctl" and mask >> r["box"] & 1]
            if {r["box"] for r in found} != {
                    b for b in range(len(self.boxes)) if mask >> b & 1}:
                row.fail("a box of the domain has no register with "
                         "role=global_ctl")
        domain.update({
            "scope": SCOPES.index(scope), "boxes": mask,
            "source": row.keys.get("source", ""),
            "no_interrupt": row.keys.get("no_interrupt"),
            "register": self.registers.index(found[0])})
        for key in ("run", "stop", "reset"):
            values = {self.field_values(row, self.layouts[r["layout"]],
                                        row.keys.get(key, ""))
                      for r in found}
            if len(values) != 1:
                row.fail("%s= means something else in each layout" % key)
            domain[key] = values.pop()
        if domain["run"] == domain["stop"]:
            row.fail("run= and stop= are the same")

    @staticmethod
    def select(name, **keys):
        return dict({"name": name, "title": name, "box": None, "slots": 0,
                     "more": None,
                     "registers": [], "prefix": None, "shift": 0,
                     "filter": False, "when": [], "gate": []}, **keys)

    def select_number(self, row, box, name):
        for number, select in enumerate(self.selects):
            if select["name"] == name and select["box"] in (None, box):
                return number
        row.fail("select=%s: %s has no such row" % (
            name, self.boxes[box]["name"]))

    def row_select(self, row):
        row.known("slots", "registers", "fields", "filter", "title", "source")
        prefix = row.keys.get("fields")
        if prefix and not prefix.endswith("{slot}_"):
            row.fail("fields= are called NAME{slot}_...")
        names = row.keys.get("registers", "").lower().split(",")
        select = self.select(
            row.words[2], box=self.box_index(row, row.words[1]),
            title=row.keys.get("title", row.words[2]),
            slots=row.number("slots", 0), filter="filter" in row.keys,
            prefix=prefix and prefix[:-len("{slot}_")],
            registers=list(filter(None, names)))
        for name in select["registers"]:
            if name not in self.roles.names:
                row.fail("unknown register %s" % name)
        if bool(select["slots"]) != bool(select["registers"]):
            row.fail("slots= and registers= belong together")
        if select["slots"] not in (0, 2):
            row.fail("a port has two slots")
        self.selects.append(select)
        self.select_rows.append((row, select))
        if len(self.selects) > MAX_SELECTS:
            row.fail("more than %d ways to select" % MAX_SELECTS)

    def finish_more(self, select):
        """Fields that hold the higher bits of codes, where there are any."""
        name = select["name"] + "_ext"
        if any(f["canonical"] == name for layout in self.layouts.values()
               for f in layout["fields"]):
            select["more"] = name

    def finish_select(self, row, select):
        """What needs the layouts."""
        for child in row.children:
            if child.words[0] not in ("when", "gate") or not child.sets:
                child.fail("when or gate, and a field of the control")
            select[child.words[0]] += self.sets(child, select["box"])
        if select["prefix"]:
            layout = self.sub_layout(row, select["box"],
                                     select["registers"][0])
            first, second = (
                next(f["low"] for f in reversed(layout["fields"])
                     if f["name"].startswith(select["prefix"] + slot + "_"))
                for slot in "01")
            select["shift"] = second - first

    def row_occupancy(self, row):
        row.known("event", "invert", "edge", "source")
        self.occupancy_rows.append(row)

    def finish_occupancy(self, row):
        box = self.box_index(row, row.words[1])
        events = self.events[row.words[1]]
        found = [n for n, event in enumerate(events)
                 if event["name"] == row.keys.get("event")]
        if not found:
            row.fail("no event %s" % row.keys.get("event"))
        for key in ("invert", "edge"):
            self.field(row, box, "control", row.keys.get(key, ""))
        self.occupancies.append({
            "box": box, "event": found[0], "bits": events[found[0]]["code"],
            "invert": row.keys["invert"], "edge": row.keys["edge"]})

    def row_freeze(self, row):
        row.known("register", "hold", "go", "status", "source")
        if self.freeze:
            row.fail("a family has one")
        self.freeze = {"row": row}

    def finish_freeze(self):
        """Commands that stop all boxes of a socket and let them go on."""
        if not self.freeze:
            return
        row = self.freeze["row"]
        for key in ("register", "status"):
            found = [n for n, r in enumerate(self.registers)
                     if r["name"] == row.keys.get(key)]
            if not found:
                row.fail("%s=%s: no such register" % (
                    key, row.keys.get(key)))
            self.freeze[key] = found[0]
        for key in ("hold", "go"):
            self.freeze[key] = self.bit_of(row, self.freeze["register"], key)

    def row_overflow(self, row):
        row.known("source")
        self.overflow_rows.append(row)

    def finish_overflow(self, row):
        """Which bits tell that a box has an overflow: one of a summary, and
        one of the status beside what governs the socket, or freezes it."""
        master = next((self.registers[d["register"]] for d in self.domains
                       if d["scope"] == SCOPES.index("socket")), None)
        if self.freeze:
            master = self.freeze["status"]
        elif master:
            master = self.register_of(row, master["box"], 0, "global_status")
        else:
            row.fail("nothing of the socket could latch it")
        box = self.box_index(row, row.words[1])
        for child in row.children:
            child.known("index", "summary", "bit",
                        *(("told", "fixed") if self.freeze else ("latch",)))
            high, low = bit_range(child, ":".join(
                reversed(child.words[0].split("-"))))
            found = {"box": box, "index": child.number("index", 0),
                     "summary": 0, "bit": 0, "latch": 0}
            if "summary" in child.keys:
                name, number = re.fullmatch(
                    r"(\w*?[a-z])(\d+)", child.keys["summary"]).groups()
                found["summary"] = self.register_of(
                    child, self.box_index(child, name), int(number), "summary")
                found["bit"] = self.bit_of(child, found["summary"], "bit")
            if not self.freeze:
                found["latch"] = self.bit_of(child, master, "latch")
            for instance in range(low, high + 1):
                told = self.told(child, master, instance - low,
                                 high - low + 1)
                self.overflows.append(dict(found, instance=instance, **told))

    def told(self, child, master, number, count):
        """One bit of a field that has as many as the line has instances."""
        if not self.freeze:
            return {"told": 0, "fixed": 0}
        told = self.bit_of(child, master, "told")
        if count > 1 and bin(told).count("1") == count:
            told = (told & -told) << number
        fixed = told
        if "fixed" in child.keys:
            fixed = self.bit_of(child, master, "fixed")
        return {"told": told, "fixed": fixed}
