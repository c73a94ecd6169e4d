#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Turns data/<family>/*.txt into const C tables (tables.c) and the numbering of
# the model's signals (signals.h). data/FORMAT.md gives the syntax. A mistake in
# the data stops the build with file, line and reason: data is checked like code.

import os
import re
import sys

sys.dont_write_bytecode = True
from rows import DataError, ROLES, families, family_rows, foreign_rows

SELECTS = "ev_sel fixed".split()
MAX_ROLES, MAX_SELECTS, MAX_LOOKS, MAX_CLOCKS = 32, 8, 8, 4
ROLE_KINDS = "none own config switch match mask".split()
# Of live families, whose rows are made at run time: src/perf.
OWN_ROLES = ("terms1", "terms2")
SPACES = {"msr": 0, "pci": 1, "mem": 2}
SCOPES = "socket box".split()
FOREIGN = ("kernel kernel_option kernel_with kernel_ports kernel_name kernel_code "
           "likwid_counter likwid core").split()
KINDS = {"rw": 0, "ro": 1, "wo": 2, "w1c": 3, "rsv": 4, "ig": 5}
SIGNAL_KINDS = {"pulse": 0, "level": 1, "packet": 2, "span": 3,
                "clock": 4}
CORE_ROLES = ("stored tsc mperf aperf counter control fixed_counter "
              "fixed_control global_status global_control "
              "global_overflow therm_status perf_status "
              "c6_residency prefetch offcore load_latency "
              "package_therm package_energy cores_energy "
              "memory_energy").split()
CORE_SCOPES = "thread core package".split()
CORE_COUNTS = ("nothing instructions core_cycles reference_cycles "
               "llc_references llc_misses loads stores slow_loads "
               "l2_load_hits l2_load_misses l2_rfo_hits l2_rfo_misses "
               "l2_code_hits l2_code_misses l2_prefetch_hits "
               "l2_prefetch_misses l1d_fills l1d_dirty_fills "
               "l1d_dirty_victims l1d_dirty_snoops l1i_hits l1i_misses "
               "offcore_0 offcore_1 loads_l1d loads_l2 loads_llc loads_other_core "
               "loads_llc_miss loads_late loads_dtlb_miss l2_fills_shared "
               "l2_fills_exclusive l2_out_clean l2_out_dirty "
               "l2_out_prefetch_clean l2_out_prefetch_dirty").split()
CORE_VALUES = "constant param bsp".split()
HEADERS = ("none class opcode address state vn dest_node requester_node "
           "home_node flits each_flit dram_cmd sched_mode core_opcode "
           "thread message level").split()
FUNCTION = re.compile(r"([0-9a-f]+)\.([0-7])")
WORD_KINDS = "class opcode address choice number".split()
WORD_SENSES = "compare ignore onehot value".split()


def bit_range(row, text):
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if not match:
        row.fail("'%s' is no bit range" % text)
    high = int(match.group(1))
    low = int(match.group(2) or high)
    if low > high or high > 63:
        row.fail("bit range %s is upside down or too wide" % text)
    return high, low


def function_number(match):
    return int(match.group(1), 16) << 3 | int(match.group(2))


def pci_id(row, text):
    match = re.fullmatch(r"([0-9a-f]{4}):([0-9a-f]{4})", text)
    if not match:
        row.fail("id= has no VENDOR:DEVICE where one is needed")
    return [int(number, 16) for number in match.groups()]


def bits(high, low):
    return ((1 << (high - low + 1)) - 1) << low


def arithmetic(row, text, names):
    """An expression of numbers, names, + - * and brackets."""
    if not re.fullmatch(r"[\w+\-*/() %]+", text):
        row.fail("'%s' is no address expression" % text)
    try:
        return int(eval(text, {"__builtins__": {}}, dict(names)))
    except Exception:
        row.fail("'%s' cannot be computed" % text)


class Signals:
    """The signals of one box type, over all families."""

    def __init__(self):
        self.order, self.by_name, self.elements = [], {}, 0

    def add(self, row, name, kind, dim):
        entry = self.by_name.get(name)
        if entry is None:
            entry = {"name": name, "kind": kind or "pulse", "dim": dim or 1,
                     "first": self.elements, "row": row}
            self.by_name[name] = entry
            self.order.append(entry)
            self.elements += entry["dim"]
            return entry
        if kind and kind != entry["kind"]:
            row.fail("signal %s was a %s before" % (name, entry["kind"]))
        if dim and dim > entry["dim"]:
            row.fail("signal %s had dimension %d before" %
                     (name, entry["dim"]))
        return entry


class Roles:
    """What registers are for, over all families: numbers and kinds."""

    def __init__(self):
        self.names = list(ROLES) + list(OWN_ROLES)
        self.kinds = ["none"] * len(ROLES) + ["own"] * len(OWN_ROLES)

    def add(self, row, kind, names):
        if kind not in ROLE_KINDS[2:]:
            row.fail("roles %s: there are %s" % (
                kind, ", ".join(ROLE_KINDS[2:])))
        for name in names:
            if name not in self.names:
                self.names.append(name)
                self.kinds.append(kind)
            elif self.kinds[self.names.index(name)] != kind:
                row.fail("%s was of another kind before" % name)
        if len(self.names) > MAX_ROLES:
            row.fail("more than %d roles" % MAX_ROLES)

    def settle(self):
        """What is set up first has the lower number, whatever the order in
        which the families were read."""
        order = sorted(range(len(self.names)),
                       key=lambda n: ROLE_KINDS.index(self.kinds[n]))
        self.names = [self.names[n] for n in order]
        self.kinds = [self.kinds[n] for n in order]

    def number(self, name):
        return self.names.index(name)


class Clocks:
    """The clocks that boxes have, over all families."""

    def __init__(self):
        self.names = ["uncore"]

    def add(self, row):
        name = row.keys.get("clock", "uncore")
        if not re.fullmatch(r"[a-z]+", name):
            row.fail("'%s' is no name of a clock: small letters" % name)
        if name not in self.names:
            self.names.append(name)
        if len(self.names) > MAX_CLOCKS:
            row.fail("more than %d clocks" % MAX_CLOCKS)
        return self.names.index(name)


class Family:
    def __init__(self, folder, signals, roles, clocks=None):
        self.folder, self.signals, self.roles = folder, signals, roles
        self.clocks = clocks or Clocks()
        self.boxes, self.layouts, self.registers = [], {}, []
        self.events = {}
        self.classes, self.opcodes, self.ports = [], [], []
        self.routes, self.onehots, self.filter_words = [], [], []
        self.core_registers, self.core_events = [], []
        self.units, self.domains, self.foreign = [], [], []
        self.functions = []
        self.overflow_rows, self.overflows = [], []
        self.selects = [self.select(name) for name in SELECTS]
        self.looks, self.look_rows, self.select_rows = {}, [], []
        self.occupancy_rows, self.occupancies = [], []
        self.look_fields = []
        own, topics = family_rows(folder)
        self.row(own)
        for rows in topics.values():
            for row in rows:
                self.row(row)
        for row in foreign_rows(folder):
            self.foreign_row(row)
        self.check()

    def row(self, row):
        handler = getattr(self, "row_" + row.words[0], None)
        if not handler:
            row.fail("unknown row '%s'" % row.words[0])
        handler(row)

    def row_family(self, row):
        self.name, self.title = row.words[1], row.texts[0]
        self.guide = row.keys["guide"]
        self.has_signals = row.keys.get("signals") != "none"
        self.cpuid = [int(x) for x in row.keys["cpuid"].split("/")]

    def row_box(self, row):
        row.known("instances", "counters", "width", "global_span", "fixed",
                  "ports", "early_carry", "clock", "source")
        if not re.fullmatch(r"[a-z][a-z0-9]*[a-z]", row.words[1]):
            row.fail("'%s' is no name of a box: small letters and digits, "
                     "the last one a letter" % row.words[1])
        self.signals.setdefault(row.words[1], Signals())
        self.boxes.append({
            "name": row.words[1], "guide": row.words[2],
            "instances": row.number("instances"),
            "counters": row.number("counters"), "width": row.number("width"),
            "global_span": row.number("global_span", 0),
            "fixed": row.number("fixed", 0), "ports": row.number("ports", 1),
            "early_carry": row.number("early_carry", 0),
            "clock": self.clocks.add(row),
            "source": row.keys.get("source", "")})
        self.events[row.words[1]] = []

    def box_index(self, row, name):
        for index, box in enumerate(self.boxes):
            if box["name"] == name:
                return index
        row.fail("no box '%s' in boxes.txt" % name)

    def row_layout(self, row):
        name = row.words[1]
        if name in self.layouts:
            row.fail("layout %s stands twice" % name)
        fields, seen = [], 0
        for child in row.children:
            high, low = bit_range(child, child.words[1])
            kind = child.words[2] if len(child.words) > 2 else "rw"
            label = child.words[0]
            if label in ("ig", "rsv"):
                kind = label
            if kind not in KINDS:
                child.fail("unknown kind '%s'" % kind)
            if seen & bits(high, low):
                child.fail("bits %d:%d belong to two fields" % (high, low))
            seen |= bits(high, low)
            fields.append({
                "name": label, "high": high, "low": low, "kind": kind,
                "canonical": child.keys.get("as", label),
                "reset": child.number("reset", 0),
                "brief": child.texts[0] if child.texts else ""})
        self.layouts[name] = {"name": name, "fields": fields,
                              "source": row.keys.get("source", "")}

    def bases(self, row, box):
        """Where the registers of each instance begin: in what is no MSR, at
        the start of its PCI function or its window."""
        space = row.keys.get("space", "msr")
        texts = row.keys.get("base", "0").split(",")
        if space not in SPACES:
            row.fail("space=%s: there are %s" % (space, ", ".join(SPACES)))
        if space == "msr":
            return [row.int(text) for text in texts]
        result = []
        ids = row.keys.get("id", "").split(",")
        for i, place in enumerate(texts):
            match = FUNCTION.fullmatch(place)
            if space == "mem":
                unit, vendor, device = row.int(place), 0, 0
            elif not match:
                row.fail("base=%s is no PCI function (10.4)" % place)
            else:
                unit = function_number(match)
                vendor, device = pci_id(row, ids[i] if i < len(ids) else "")
            unit_row = {"space": SPACES[space], "unit": unit, "box": box,
                        "instance": i, "vendor": vendor, "device": device}
            if unit_row not in self.units:
                self.units.append(unit_row)
            result.append(SPACES[space] << 60 | unit << 32)
        return result

    def row_functions(self, row):
        """All PCI functions of a socket, in their order."""
        row.known("revision", "source")
        for child in row.children:
            child.known("id", "class", "source")
            match = FUNCTION.fullmatch(child.words[0])
            if not match:
                child.fail("'%s' is no PCI function (10.4)" % child.words[0])
            unit = function_number(match)
            if self.functions and self.functions[-1]["unit"] >= unit:
                child.fail("functions are given in their order")
            vendor, device = pci_id(child, child.keys.get("id", ""))
            self.functions.append({
                "unit": unit, "vendor": vendor, "device": device,
                "class": int(child.keys["class"], 16),
                "revision": row.number("revision"), "where": child.where,
                "brief": child.texts[0],
                "source": child.keys.get("source", row.keys["source"])})

    def finish_functions(self):
        """Each register is in one of them, and has its id."""
        ids = {f["unit"]: (f["vendor"], f["device"]) for f in self.functions}
        for unit in self.units:
            if (self.functions and unit["space"] == SPACES["pci"] and
                    ids.get(unit["unit"]) != (unit["vendor"], unit["device"])):
                raise DataError("%s: function %x.%x, %04x:%04x, is not among "
                                "the functions" % (
                                    self.name, unit["unit"] >> 3,
                                    unit["unit"] & 7, unit["vendor"],
                                    unit["device"]))
        for function in self.functions:
            # The numbers of the buses are there, too (model/pci.c).
            function["extended"] = function["unit"] >> 3 < 8 or any(
                reg["address"] >> 32 == SPACES["pci"] << 28 | function["unit"]
                and reg["address"] & 0xFFFFFFFF >= 0x100
                for reg in self.registers)

    def row_registers(self, row):
        row.known("base", "space", "id", "source")
        box = self.box_index(row, row.words[1])
        bases = self.bases(row, box)
        instances = self.boxes[box]["instances"]
        for child in row.children:
            child.known("at", "n", "size", "parts", "access", "role",
                        "layout", "index", "source", "name", "while_off",
                        "signal")
            span = child.keys.get("n", "0..0")
            match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", span)
            first = int(match.group(1))
            last = int(match.group(2) or first)
            for i in range(instances):
                for n in range(first, last + 1):
                    self.register(row, child, box, bases, i, n, first)

    def register(self, row, child, box, bases, i, n, first):
        names = {"i": i, "n": n}
        if "at" in child.keys:
            places = [child.int(x) for x in child.keys["at"].split(",")]
            where = n - first if self.boxes[box]["instances"] == 1 else i
            if where >= len(places):
                child.fail("at= has only %d addresses" % len(places))
            address = places[where]
        else:
            text = child.words[1]
            address = arithmetic(child, text.lstrip("+"), names)
            if text.startswith("+"):
                address += bases[i] if i < len(bases) else child.fail(
                    "no base for instance %d" % i)
        name = re.sub(r"\{([^}]*)\}",
                      lambda m: str(arithmetic(child, m.group(1), names)),
                      child.words[0])
        role = child.keys.get("role", "none")
        if role not in self.roles.names:
            child.fail("unknown role '%s'" % role)
        layout = child.keys.get("layout")
        if layout not in self.layouts:
            child.fail("no layout '%s'" % layout)
        index = n
        if "index" in child.keys:
            index = arithmetic(child, child.keys["index"], names)
        switch = {"role": "none", "high": 0, "low": 0}
        if "while_off" in child.keys:
            switch = self.register_field(child, box, child.keys["while_off"])
        sums = self.signal_refs(child, box)
        if len(sums) > 1 or (sums and role != "none"):
            child.fail("a register without a role sums one signal")
        access = child.keys["access"]
        software = access.split("_")[0].upper()
        if software not in ("RW", "RO", "WO", "RW1C"):
            child.fail("unknown access '%s'" % access)
        self.registers.append({
            "name": name, "address": address, "box": box, "instance": i,
            "role": role, "index": index, "width": child.number("size"),
            "parts": child.number("parts", child.number("size")),
            "access": access, "software": software.replace("RW1C", "W1C"),
            "switch": switch,
            "sums": sums[0]["signal"] + 1 if sums else 0,
            "layout": layout, "where": child.where,
            "brief": child.texts[0] if child.texts else "",
            "source": child.keys.get("source", row.keys.get("source", ""))})

    def sub_layout(self, row, box, role):
        for reg in self.registers:
            if reg["box"] == box and reg["role"] == role:
                return self.layouts[reg["layout"]]
        row.fail("%s has no register with the role %s" %
                 (self.boxes[box]["name"], role))

    def field(self, row, box, role, name):
        layout = self.sub_layout(row, box, role)
        for field in layout["fields"]:
            if name in (field["name"], field["canonical"],
                        self.slot_name(role, field["name"])):
                return field
        row.fail("no field %s in %s" % (name, layout["name"]))

    def slot_name(self, role, name):
        """ev_type for ev0_type, the field of slot 0 in a shared register."""
        for select in self.selects:
            prefix = select["prefix"]
            if (prefix and role in select["registers"] and
                    name.startswith(prefix + "0_")):
                return prefix + name[len(prefix) + 1:]
        return name

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

    def signal_refs(self, row, box):
        text = row.keys.get("signal")
        filter_code = self.look_bits(row, box, row.keys.get("filter", ""))
        if not text:
            # Without a model the filter is all there is to know.
            return [] if not filter_code or self.has_signals else [{
                "signal": 0, "filter": filter_code, "role": "none",
                "high": 0, "low": 0}]
        table = self.signals[self.boxes[box]["name"]]
        dim = row.number("dim", 0)
        refs = []
        for part in text.split(","):
            match = re.fullmatch(
                r"([a-z][a-z0-9_]*)(?:\[([^\]]+)\])?(?::([a-z]+))?", part)
            if not match:
                row.fail("'%s' is no signal" % part)
            name, index, kind = match.groups()
            if kind and kind not in SIGNAL_KINDS:
                row.fail("unknown kind of signal '%s'" % kind)
            entry = table.add(row, name, kind, dim)
            ref = {"signal": entry["first"], "filter": filter_code,
                   "role": "none", "high": 0, "low": 0}
            if index and index.isdigit():
                if int(index) >= entry["dim"]:
                    row.fail("%s has %d elements" % (name, entry["dim"]))
                ref["signal"] += int(index)
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
                  "category", "excluded", "of_counter", "state", "slow")
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
            "max": row.number("max", 1), "counters": counters, "ge": ge,
            "accumulate": row.number("accumulate", 0),
            "tally": row.number("tally", 0), "select": select,
            "of_counter": row.number("of_counter", -1) + 1,
            "state": row.number("state", 0),
            "slow": row.number("slow", 0),
            "source": row.keys.get("source", ""),
            "category": row.keys.get("category", ""),
            "excluded": row.keys.get("excluded"), "where": row.where,
            "brief": "", "note": "", "aliases": [], "umasks": [],
            "sets": self.sets(row, box), "params": self.params(row, box)}
        dim = row.keys.get("dim")
        for child in row.children:
            self.event_child(event, child, box)
        event["signals"] = self.signal_refs(row, box)
        if not event["brief"]:
            row.fail("event %s has no brief text" % event["name"])
        if (self.has_signals and not event["signals"] and
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

    def row_class(self, row):
        self.classes.append({
            "name": row.words[1], "code": row.int(row.words[2]),
            "brief": row.texts[0] if row.texts else "",
            "source": row.keys.get("source", "")})

    def class_code(self, row, name):
        for entry in self.classes:
            if entry["name"] == name:
                return entry["code"]
        row.fail("no message class %s" % name)

    def row_opcode(self, row):
        self.opcodes.append({
            "name": row.words[1], "code": row.number("code"),
            "class": self.class_code(row, row.keys["class"]),
            "gen": row.keys.get("gen", ""),
            "brief": row.texts[0] if row.texts else "",
            "source": row.keys.get("source", "")})

    def row_port(self, row):
        self.ports.append({
            "name": row.words[1], "port": row.int(row.words[2]),
            "side": row.keys["side"], "guide": row.keys["name"],
            "source": row.keys.get("source", "")})

    def row_route(self, row):
        """The code of the control that points at a slot of a port."""
        box = next(b for b, entry in enumerate(self.boxes)
                   if entry["ports"] > 1)
        self.routes.append({
            "port": row.number("port"), "slot": row.number("slot"),
            "select": self.select_number(row, box, row.keys["kind"]),
            "code": row.number("code")})

    def row_onehot(self, row):
        mc = self.class_code(row, row.words[1])
        for entry in self.opcodes:
            if entry["class"] == mc and entry["name"] == row.words[2]:
                self.onehots.append({"class": mc, "opcode": entry["code"],
                                     "bit": row.int(row.words[3])})
                return
        row.fail("no opcode %s in class %s" % (row.words[2], row.words[1]))

    @staticmethod
    def codes(row, text):
        """0x0-0x2+5: bit n is set for code n."""
        result = 0
        for part in text.split("+"):
            first, _, last = part.partition("-")
            for code in range(row.int(first), row.int(last or first) + 1):
                result |= 1 << code
        return result

    def choices(self, row, field):
        result = []
        for part in filter(None, row.keys.get("choices", "").split(",")):
            name, _, text = part.partition(":")
            width = field["high"] - field["low"] + 1
            sense = row.keys["sense"]
            codes = (row.int(text) if sense == "value"
                     else self.codes(row, text))
            if codes >> (1 << width if sense in ("compare", "ignore")
                         else width):
                row.fail("choice %s does not fit into %d bits" %
                         (name, width))
            result.append({"name": name, "codes": codes})
        return result

    def row_filter(self, row):
        """A word of the options that filter packets, for each filter."""
        row.known("kind", "for", "match", "mask", "sense", "from",
                  "match_from", "choices", "alias", "needs", "initial",
                  "group", "is", "source")
        box = self.box_index(row, row.words[1])
        fields = {}
        for key in ("match", "mask"):
            fields[key] = {"role": "none", "high": 0, "low": 0}
            if key in row.keys:
                role, _, name = row.keys[key].partition(".")
                field = self.field(row, box, role.lower(), name)
                fields[key] = dict(field, role=role.lower())
        sense = self.one_of(row, "sense", WORD_SENSES)
        if (fields["mask"]["role"] == "none") != (sense in ("onehot", "value")):
            row.fail("sense=%s and mask= do not fit" % sense)
        wide = fields["match"]["high"] - fields["match"]["low"] >= 8
        if wide and sense != "value" and row.keys["kind"] in (
                "choice", "number") and \
                fields["mask"]["high"] > fields["mask"]["low"]:
            row.fail("a set of values of more than 8 bits")
        if "initial" in row.keys and "mask" in row.keys:
            row.fail("initial= is of words without a mask")
        needs = row.keys.get("needs")
        word = {
            "name": row.words[2], "alias": row.keys.get("alias"), "box": box,
            "kind": self.one_of(row, "kind", WORD_KINDS), "sense": sense,
            "fields": fields, "choices": self.choices(row, fields["match"]),
            "sets": self.sets(row, box), "initial": row.number("initial", 0),
            "group": row.keys.get("group"),
            "is": self.one_of(row, "is", HEADERS),
            "class": -1, "opcodes": 0, "from": row.number("from", 0),
            "match_from": row.number("match_from", row.number("from", 0)),
            "brief": row.texts[0] if row.texts else "",
            "source": row.keys.get("source", "")}
        if word["kind"] in HEADERS:
            word["is"] = word["kind"]
        if needs:
            name, _, text = needs.partition(":")
            word["class"] = self.class_code(row, name)
            word["opcodes"] = self.codes(row, text)
        word["filter"] = 0
        for part in row.keys["for"].split(","):
            word["filter"] |= self.look_bits(row, box, part)
        self.filter_words.append(word)

    @staticmethod
    def one_of(row, key, names):
        word = row.keys.get(key, names[0])
        if word not in names:
            row.fail("%s=%s is none of %s" % (key, word, ", ".join(names)))
        return word

    def core_field(self, child, access):
        child.known("reset", "value", "param", "per")
        label, words = child.words[0], child.words[2:]
        high, low = bit_range(child, child.words[1])
        kind = "ro" if access == "RO" else "rw"
        for word in words:
            if word in KINDS:
                kind = word
            elif word != "unmodelled":
                child.fail("unknown word '%s'" % word)
        if label in ("ig", "rsv"):
            kind = label
        value = self.one_of(child, "value", CORE_VALUES)
        if (value == "param") != ("param" in child.keys):
            child.fail("value=param and param= belong together")
        reset = child.number("reset", 0)
        if reset >> (high - low + 1):
            child.fail("reset= does not fit into %d bits" % (high - low + 1))
        return {"name": label, "canonical": label, "high": high, "low": low,
                "kind": kind, "reset": reset, "value": value,
                "param": child.keys.get("param"),
                "per": float(child.keys.get("per", "1")),
                "unmodelled": "unmodelled" in words,
                "brief": child.texts[0] if child.texts else ""}

    def core_fields(self, row, access):
        """The fields from the highest bit down; gaps are reserved."""
        fields = [self.core_field(child, access) for child in row.children]
        if not fields:
            kind = "ro" if access == "RO" else "rw"
            fields = [{"name": "value", "high": 63, "low": 0, "kind": kind}]
        fields.sort(key=lambda field: -field["high"])
        result, above = [], 64
        for field in fields + [{"high": -1, "low": -1}]:
            if field["high"] >= above:
                row.fail("bit %d belongs to two fields" % field["high"])
            if field["high"] + 1 < above:
                result.append({"name": "rsv", "high": above - 1,
                               "low": field["high"] + 1, "kind": "rsv"})
            if field["high"] >= 0:
                result.append(field)
            above = field["low"]
        defaults = {"reset": 0, "value": "constant", "param": None, "per": 1.0,
                    "unmodelled": False, "brief": ""}
        return [dict(defaults, canonical=f["name"], **f)
                if "brief" not in f else f for f in result]

    def row_core_register(self, row):
        row.known("at", "n", "access", "role", "scope", "counts", "check",
                  "index", "guest", "source")
        access = row.keys["access"]
        if access not in ("RW", "RO", "WO"):
            row.fail("unknown access '%s'" % access)
        if row.keys.get("check", "canonical") != "canonical":
            row.fail("check=canonical is the only check")
        if row.keys.get("guest", "model") != "model":
            row.fail("guest=model is all that can be said of a guest")
        if not row.texts:
            row.fail("%s has no text" % row.words[1])
        match = re.fullmatch(r"(\d+)\.\.(\d+)", row.keys.get("n", "0..0"))
        if not match:
            row.fail("n=%s is no range" % row.keys["n"])
        fields = self.core_fields(row, access)
        for n in range(int(match.group(1)), int(match.group(2)) + 1):
            index = arithmetic(row, row.keys.get("index", "n"), {"n": n})
            self.core_registers.append({
                "name": row.words[1].replace("{n}", str(n)), "index": index,
                "address": arithmetic(row, row.keys["at"], {"n": n}),
                "access": access, "fields": fields, "where": row.where,
                "template": row.words[1].replace("{n}", "n"),
                "role": self.one_of(row, "role", CORE_ROLES),
                "scope": self.one_of(row, "scope", CORE_SCOPES),
                "counts": self.one_of(row, "counts", CORE_COUNTS),
                "canonical": "check" in row.keys,
                "guest": "guest" in row.keys,
                "brief": row.texts[0],
                "source": row.keys.get("source", "")})

    def row_core_event(self, row):
        row.known("code", "umask", "counts", "counters", "source")
        counts = row.keys.get("counts")
        for name in (counts or "nothing").split("+"):
            if name not in CORE_COUNTS:
                row.fail("counts=%s is unknown" % name)
        high, low = bit_range(row, row.keys.get("counters", "7:0"))
        self.core_events.append({
            "name": row.words[1], "code": row.number("code"),
            "umask": row.number("umask"),
            "counters": bits(high, low),
            "counts": sum(1 << CORE_COUNTS.index(name)
                          for name in counts.split("+")) if counts else 0,
            "brief": row.texts[0], "source": row.keys.get("source", "")})

    def field_values(self, row, layout, text):
        """The value of a register in which fields are set: run,mode:2"""
        value = 0
        for part in filter(None, text.split(",")):
            name, _, number = part.partition(":")
            field = next((f for f in layout["fields"]
                          if name in (f["name"], f["canonical"])), None)
            if not field:
                row.fail("no field %s in %s" % (name, layout["name"]))
            high, low = field["high"], field["low"]
            value |= ((row.int(number) << low) & bits(high, low)
                      if number else bits(high, low))
        return value

    def foreign_row(self, row):
        kind, words = row.words[0], row.words[1:] + row.texts
        if kind not in FOREIGN:
            row.fail("unknown row '%s'" % kind)
        box = 0
        if kind != "core":
            box = self.box_index(row, words.pop(0) if words else "")
        if kind == "kernel_ports":
            words = ["", ""]
        elif kind in ("kernel_name", "likwid_counter"):
            words += [""]
        if len(words) != 2:
            row.fail("'%s' has a name and what it is here" % kind)
        self.foreign.append({
            "kind": FOREIGN.index(kind), "box": box, "name": words[0],
            "ours": words[1],
            "ports": row.number("ports") if kind == "kernel_ports" else 0,
            "events": row.number("events") if kind == "kernel_ports" else 0})

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

    def row_roles(self, row):
        self.roles.add(row, row.words[1], row.words[2:])

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

    def row_look(self, row):
        box = self.box_index(row, row.words[1])
        self.looks[box] = row.words[2].split(",")
        self.look_rows.append(row)
        if len(self.looks[box]) > MAX_LOOKS:
            row.fail("more than %d filters" % MAX_LOOKS)

    def register_field(self, row, box, text):
        """REG.FIELD, or REG: all of it."""
        role, _, name = text.partition(".")
        role = role.lower()
        if not name:
            self.sub_layout(row, box, role)
            return {"role": role, "high": 63, "low": 0}
        return dict(self.field(row, box, role, name), role=role)

    def finish_look(self, row):
        box = self.box_index(row, row.words[1])
        for child in row.children:
            child.known("for", "if", "is", "zero", "must", "mask")
            if child.keys.get("zero", "any") != "any":
                child.fail("zero=any is all that can be said of 0")
            names = child.keys.get("for", row.words[2]).split(",")
            nothing = {"role": "none", "high": 0, "low": 0}
            self.look_fields.append({
                "box": box, "of": sum(self.look_bits(child, box, name)
                                      for name in names),
                "field": self.register_field(child, box, child.words[0]),
                "if": self.register_field(child, box, child.keys["if"])
                      if "if" in child.keys else nothing,
                "mask": self.register_field(child, box, child.keys["mask"])
                        if "mask" in child.keys else nothing,
                "is": self.one_of(child, "is", HEADERS),
                "any": "zero" in child.keys,
                "must": child.number("must", -1)})

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

    def row_overflow(self, row):
        row.known("source")
        self.overflow_rows.append(row)

    def register_of(self, row, box, instance, role, index=0):
        wanted = {"box": box, "instance": instance, "role": role,
                  "index": index}
        for number, reg in enumerate(self.registers):
            if wanted.items() <= reg.items():
                return number
        row.fail("%s%d has no register with role=%s" % (
            self.boxes[box]["name"], instance, role))

    def bit_of(self, row, register, key):
        layout = self.layouts[self.registers[register]["layout"]]
        if key not in row.keys:
            row.fail("%s= is missing" % key)
        return self.field_values(row, layout, row.keys[key])

    def finish_overflow(self, row):
        """Which bits tell that a status register has an overflow: one of a
        summary, and one that latches it beside what governs the socket."""
        master = next((self.registers[d["register"]] for d in self.domains
                       if d["scope"] == SCOPES.index("socket")), None)
        if not master:
            row.fail("no domain of a socket could latch it")
        master = self.register_of(row, master["box"], 0, "global_status")
        box = self.box_index(row, row.words[1])
        for child in row.children:
            child.known("index", "summary", "bit", "latch")
            high, low = bit_range(child, ":".join(
                reversed(child.words[0].split("-"))))
            summary, bit = 0, 0
            if "summary" in child.keys:
                name, number = re.fullmatch(
                    r"(\w*?[a-z])(\d+)", child.keys["summary"]).groups()
                summary = self.register_of(
                    child, self.box_index(child, name), int(number), "summary")
                bit = self.bit_of(child, summary, "bit")
            for instance in range(low, high + 1):
                self.overflows.append({
                    "status": self.register_of(
                        child, box, instance, "global_status",
                        child.number("index", 0)),
                    "summary": summary, "bit": bit,
                    "latch": self.bit_of(child, master, "latch")})

    def check(self):
        taken = {}
        for reg in self.registers + self.core_registers:
            other = taken.get(reg["address"])
            if other:
                raise DataError("%s: address 0x%X of %s is that of %s" % (
                    reg["where"], reg["address"], reg["name"], other["name"]))
            taken[reg["address"]] = reg
        self.registers.sort(key=lambda reg: reg["address"])
        self.core_registers.sort(key=lambda reg: reg["address"])
        self.finish_functions()
        for domain in self.domains:
            self.finish_domain(domain)
        for row in self.overflow_rows:
            self.finish_overflow(row)
        for row in self.occupancy_rows:
            self.finish_occupancy(row)
        for row, select in self.select_rows:
            self.finish_select(row, select)
        for select in self.selects:
            self.finish_more(select)
        for row in self.look_rows:
            self.finish_look(row)
        if self.has_signals:
            self.check_filters()

    def check_filters(self):
        """What a filter always compares with a header needs one; what is only
        compared if something is set, and levels, may do without."""
        for index, box in enumerate(self.boxes):
            always = 0
            for word in self.filter_words:
                if (word["box"] == index and not word["sets"] and
                        word["is"] not in ("none", "level")):
                    always |= word["filter"]
            kinds = [s["kind"] for s in self.signals[box["name"]].order
                     for _ in range(s["dim"])]
            for event in self.events[box["name"]]:
                for part in [event] + event["umasks"]:
                    for ref in part["signals"]:
                        if (ref["filter"] & always and kinds[ref["signal"]]
                                not in ("packet", "span")):
                            raise DataError(
                                "%s: %s has a filter, and a signal that is "
                                "neither packet nor span" % (
                                    event["where"], event["name"]))


def text(value):
    if value is None:
        return "NULL"
    return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')


def ident(*parts):
    return re.sub(r"\W+", "_", "_".join(parts)).lower()


class Emitter:
    def __init__(self, families, signals, roles, clocks):
        self.families, self.signals, self.roles = families, signals, roles
        self.clocks, self.out = clocks, []

    def line(self, string):
        self.out.append(string)

    def refs(self, name, refs):
        if not refs:
            return "NULL"
        self.line("static const struct uc_signal_ref %s[] = {" % name)
        for r in refs:
            self.line("\t{ %d, %d, %d, %d, %d }," % (
                r["signal"], r["filter"], self.roles.number(r["role"]), r["high"],
                r["low"]))
        self.line("};")
        return name

    def sets(self, name, sets):
        if not sets:
            return "NULL"
        self.line("static const struct uc_set %s[] = {" % name)
        for s in sets:
            self.line("\t{ %s, UINT64_C(0x%X), %d, %d, %d, %s }," % (
                text(s["field"]), s["value"], self.roles.number(s["role"]),
                s["high"], s["low"], "true" if s["contains"] else "false"))
        self.line("};")
        return name

    def params(self, name, params):
        if not params:
            return "NULL"
        self.line("static const struct uc_param %s[] = {" % name)
        for p in params:
            self.line("\t{ %s, %d, %d, %d }," % (
                text(p["name"]), self.roles.number(p["role"]), p["high"], p["low"]))
        self.line("};")
        return name

    def signal_tables(self):
        for box, table in self.signals.items():
            self.line("static const struct uc_signal signals_%s[] = {" % box)
            for s in table.order:
                self.line("\t{ %s, %d, %d, %d }," % (
                    text(s["name"]), s["first"], s["dim"],
                    SIGNAL_KINDS[s["kind"]]))
            if not table.order:
                self.line("\t{ NULL, 0, 0, 0 },")
            self.line("};")

    def layout(self, prefix, layout):
        name = ident(prefix, "layout", layout["name"])
        writable = reserved = reset = 0
        self.line("static const struct uc_field %s_fields[] = {" % name)
        for f in layout["fields"]:
            mask = bits(f["high"], f["low"])
            if f["kind"] == "rsv":
                reserved |= mask
            elif f["kind"] not in ("ig", "ro"):
                writable |= mask
            reset |= f["reset"] << f["low"]
            self.line("\t{ %s, %s, %s, UINT64_C(0x%X), %d, %d, %d }," % (
                text(f["name"]), text(f["canonical"]), text(f["brief"]),
                f["reset"], f["high"], f["low"], KINDS[f["kind"]]))
        self.line("};")
        self.line("static const struct uc_layout %s = { %s, %s, %s_fields, "
                  "%d, UINT64_C(0x%X), UINT64_C(0x%X), UINT64_C(0x%X) };" % (
                      name, text(layout["name"]), text(layout["source"]),
                      name, len(layout["fields"]), writable, reserved, reset))
        return name

    def umasks(self, name, event):
        if not event["umasks"]:
            return "NULL"
        rows = []
        for n, u in enumerate(event["umasks"]):
            base = "%s_u%d" % (name, n)
            rows.append("\t{ %s, %s, %s, %s, %s, %s, %s, UINT64_C(0x%X), %d, "
                        "%d, %d, %d }," % (
                            text(u["name"]), text(u["brief"]),
                            text(u["note"]), text(u["excluded"]),
                            self.sets(base + "_set", u["sets"]),
                            self.refs(base + "_sig", u["signals"]),
                            self.params(base + "_par", u["params"]),
                            u["value"], len(u["sets"]), len(u["signals"]),
                            len(u["params"]), u["state"]))
        self.line("static const struct uc_unit_mask %s_u[] = {" % name)
        self.out += rows
        self.line("};")
        return name + "_u"

    def events(self, prefix, box, index, events):
        if not events:
            return "NULL"
        rows = []
        for n, e in enumerate(events):
            name = ident(prefix, box["name"], "e%d" % n)
            aliases = "NULL"
            if e["aliases"]:
                aliases = name + "_alias"
                self.line("static const char *const %s[] = { %s };" % (
                    aliases, ", ".join(text(a) for a in e["aliases"])))
            rows.append(
                "\t{ %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 0x%X, 0x%X, "
                "%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, "
                "NULL, 0 }," % (
                    text(e["name"]), text(e["brief"]), text(e["note"]),
                    text(e["category"]), text(e["source"]),
                    text(e["excluded"]), aliases,
                    self.sets(name + "_set", e["sets"]),
                    self.refs(name + "_sig", e["signals"]),
                    self.umasks(name, e),
                    self.params(name + "_par", e["params"]),
                    e["code"], e["counters"], e["max"], e["ge"],
                    e["accumulate"], len(e["umasks"]), index,
                    e["select"], e["tally"],
                    len(e["aliases"]), len(e["sets"]), len(e["signals"]),
                    len(e["params"]), e["of_counter"], e["state"],
                    e["slow"]))
        name = ident(prefix, box["name"], "events")
        self.line("static const struct uc_event %s[] = {" % name)
        self.out += rows
        self.line("};")
        return name

    def rows(self, kind, name, rows):
        if not rows:
            return "NULL"
        self.line("static const struct %s %s[] = {" % (kind, name))
        for row in rows:
            self.line("\t{ %s }," % row)
        self.line("};")
        return name

    def core_registers(self, prefix, registers):
        """Their layouts and the values of their fields, one per row; then
        the registers."""
        tables = {}
        for r in registers:
            if r["template"] in tables:
                continue
            layout = self.layout(prefix, {
                "name": "core_" + r["template"], "source": r["source"],
                "fields": r["fields"]})
            tables[r["template"]] = layout, self.rows(
                "uc_core_value", layout + "_values", [
                    "%s, %r, UC_CORE_VALUE_%s, %s" % (
                        text(f["param"]), f["per"], f["value"].upper(),
                        "true" if f["unmodelled"] else "false")
                    for f in r["fields"]])
        return self.rows("uc_core_register", prefix + "_core_registers", [
            "{ %s, %s, %s, %s, &%s, 0x%X, UC_BOX_NONE, 0, UC_ROLE_NONE, %d, "
            "64, UC_ACCESS_%s, 64, UC_ROLE_NONE, 0, 0 }, %s, %d, %d, %d, %s, "
            "%s" % (
                text(r["name"]), text(r["brief"]), text(r["source"]),
                text(r["access"]), tables[r["template"]][0], r["address"],
                r["index"], r["access"], tables[r["template"]][1],
                CORE_ROLES.index(r["role"]), CORE_SCOPES.index(r["scope"]),
                CORE_COUNTS.index(r["counts"]),
                "true" if r["canonical"] else "false",
                "true" if r["guest"] else "false") for r in registers])

    def core_events(self, prefix, events):
        return self.rows("uc_core_event", prefix + "_core_events", [
            "%s, %s, %s, 0x%X, 0x%X, 0x%X, UINT64_C(0x%X)" % (
                text(e["name"]), text(e["brief"]), text(e["source"]),
                e["code"], e["umask"], e["counters"], e["counts"])
            for e in events])

    def filter_words(self, prefix, words):
        rows = []
        for n, w in enumerate(words):
            name = "%s_word%d" % (prefix, n)
            match, mask = w["fields"]["match"], w["fields"]["mask"]
            choices = self.rows("uc_choice", name + "_choices", [
                "%s, 0x%X" % (text(c["name"]), c["codes"])
                for c in w["choices"]])
            rows.append(
                "%s, %s, %s, %s, %s, %s, %s, UINT64_C(0x%X), 0x%X, %d, %d, "
                "%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d" % (
                    text(w["name"]), text(w["alias"]), text(w["brief"]),
                    text(w["source"]), text(w["group"]), choices,
                    self.sets(name + "_set", w["sets"]), w["initial"],
                    w["opcodes"], w["class"], w["box"], w["filter"],
                    WORD_KINDS.index(w["kind"]),
                    WORD_SENSES.index(w["sense"]), HEADERS.index(w["is"]),
                    self.roles.number(match["role"]), match["high"], match["low"],
                    self.roles.number(mask["role"]), mask["high"], mask["low"],
                    w["match_from"], w["from"], len(w["choices"]),
                    len(w["sets"])))
        return self.rows("uc_filter_word", prefix + "_filter_words", rows)

    def selects(self, prefix, selects):
        rows = []
        for n, s in enumerate(selects):
            name = "%s_select%d" % (prefix, n)
            rows.append("%s, %s, %s, %s, %s, %s, 0x%X, %s, %d, %d, %d, %d, "
                        "%s" % (
                text(s["name"]), text(s["more"]), text(s["title"]),
                text(s["prefix"]),
                self.sets(name + "_when", s["when"]),
                self.sets(name + "_gate", s["gate"]),
                sum(1 << self.roles.number(r) for r in s["registers"]),
                "UC_BOX_NONE" if s["box"] is None else s["box"], s["slots"],
                s["shift"], len(s["when"]), len(s["gate"]),
                "true" if s["filter"] else "false"))
        return self.rows("uc_select", prefix + "_selects", rows)

    def looks(self, prefix, looks):
        return self.rows("uc_look", prefix + "_looks", [
            "%d, 0x%X, %s, %s, %s, %d, %d, %s" % (
                look["box"], look["of"], self.place(look["field"]),
                self.place(look["if"]), self.place(look["mask"]),
                HEADERS.index(look["is"]), look["must"],
                "true" if look["any"] else "false") for look in looks])

    def place(self, field):
        return "{ %d, %d, %d }" % (self.roles.number(field["role"]),
                               field["high"], field["low"])

    def family(self, family):
        prefix = ident(family.name)
        layouts = {k: self.layout(prefix, v)
                   for k, v in family.layouts.items()}
        self.line("static const struct uc_layout *const %s_layouts[] = { %s };"
                  % (prefix, ", ".join("&" + x for x in layouts.values())))
        self.line("static const struct uc_register %s_registers[] = {" %
                  prefix)
        for r in family.registers:
            self.line("\t{ %s, %s, %s, %s, &%s, UINT64_C(0x%X), %d, %d, %d, "
                      "%d, %d, UC_ACCESS_%s, %d, %d, %d, %d }," % (
                          text(r["name"]), text(r["brief"]),
                          text(r["source"]), text(r["access"]),
                          layouts[r["layout"]], r["address"], r["box"],
                          r["instance"], self.roles.number(r["role"]), r["index"],
                          r["width"], r["software"], r["parts"],
                          self.roles.number(r["switch"]["role"]),
                          r["switch"]["low"], r["sums"]))
        self.line("};")
        box_rows = []
        for index, b in enumerate(family.boxes):
            events = family.events[b["name"]]
            table = self.events(prefix, b, index, events)
            signals = self.signals[b["name"]]
            box_rows.append(
                "%s, %s, %s, %s, signals_%s, %d, %d, %d, %d, %d, %d, %d, "
                "%d, %d, %d, %d" % (
                    text(b["name"]), text(b["guide"]), text(b["source"]),
                    table, b["name"], len(events), len(signals.order),
                    signals.elements, b["instances"], b["counters"], b["width"],
                    b["global_span"], b["fixed"], b["ports"],
                    b["early_carry"], b["clock"]))
        boxes = self.rows("uc_box", prefix + "_boxes", box_rows)
        classes = self.rows("uc_class", prefix + "_classes", [
            "%s, %s, %s, %d" % (text(c["name"]), text(c["brief"]),
                                text(c["source"]), c["code"])
            for c in family.classes])
        opcodes = self.rows("uc_opcode", prefix + "_opcodes", [
            "%s, %s, %s, %s, %d, %d" % (
                text(o["name"]), text(o["brief"]), text(o["gen"]),
                text(o["source"]), o["class"], o["code"])
            for o in family.opcodes])
        ports = self.rows("uc_port", prefix + "_ports", [
            "%s, %s, %s, %d, '%s'" % (
                text(p["name"]), text(p["guide"]), text(p["source"]),
                p["port"], p["side"]) for p in family.ports])
        routes = self.rows("uc_route", prefix + "_routes", [
            "%d, %d, %d, %d" % (r["port"], r["select"], r["slot"], r["code"])
            for r in family.routes])
        onehots = self.rows("uc_onehot", prefix + "_onehots", [
            "%d, %d, %d" % (o["class"], o["opcode"], o["bit"])
            for o in family.onehots])
        units = self.rows("uc_unit", prefix + "_units", [
            "0x%X, 0x%X, 0x%X, %d, %d, %d" % (
                u["unit"], u["vendor"], u["device"], u["space"], u["box"],
                u["instance"]) for u in family.units])
        functions = self.rows("uc_function", prefix + "_functions", [
            "%s, %s, 0x%X, 0x%X, 0x%X, 0x%X, %d, %s" % (
                text(f["brief"]), text(f["source"]), f["unit"], f["vendor"],
                f["device"], f["class"], f["revision"],
                "true" if f["extended"] else "false")
            for f in family.functions])
        domains = self.rows("uc_domain", prefix + "_domains", [
            "%s, %s, %s, UINT64_C(0x%X), UINT64_C(0x%X), UINT64_C(0x%X), "
            "0x%X, %d, %d" % (
                text(d["name"]), text(d["source"]), text(d["no_interrupt"]),
                d["run"], d["stop"], d["reset"], d["boxes"], d["register"],
                d["scope"]) for d in family.domains])
        foreign = self.rows("uc_foreign", prefix + "_foreign", [
            "%s, %s, %d, %d, %d, %d" % (
                text(f["name"]), text(f["ours"]), f["kind"], f["box"],
                f["ports"], f["events"]) for f in family.foreign])
        overflows = self.rows("uc_overflow", prefix + "_overflows", [
            "UINT64_C(0x%X), UINT64_C(0x%X), 0x%X, 0x%X" % (
                o["bit"], o["latch"], o["status"], o["summary"])
            for o in family.overflows])
        occupancies = self.rows("uc_occupancy", prefix + "_occupancies", [
            "%s, %s, %d, 0x%X, %d" % (
                text(o["invert"]), text(o["edge"]), o["event"], o["bits"],
                o["box"]) for o in family.occupancies])
        core_registers = self.core_registers(prefix, family.core_registers)
        core_events = self.core_events(prefix, family.core_events)
        words = self.filter_words(prefix, family.filter_words)
        selects = self.selects(prefix, family.selects)
        looks = self.looks(prefix, family.look_fields)
        self.line("static const struct uc_family %s = {" % prefix)
        self.line("\t%s, %s, %s, %s, %s_registers, %s_layouts," % (
            text(family.name), text(family.title), text(family.guide), boxes,
            prefix, prefix))
        self.line("\t%s, %s, %s, %s, %s," % (classes, opcodes, ports, routes,
                                            onehots))
        self.line("\t%d, %d, %d, %d, %d, %d, %d, %d, %d, %d," % (
            len(family.boxes), len(family.registers), len(layouts),
            len(family.classes), len(family.opcodes), len(family.ports),
            len(family.routes), len(family.onehots), family.cpuid[0],
            family.cpuid[1]))
        self.line("\t%s, %s, %d, %d, %s, %d, %s, %s, %d, %d, %s, "
                  "%d, %s, %d, %s, %s, %d, %d, %s, %d, %s, %d, %s\n};" % (
            core_registers, core_events, len(family.core_registers),
            len(family.core_events), words, len(family.filter_words), units,
            domains, len(family.units), len(family.domains), foreign,
            len(family.foreign), overflows, len(family.overflows),
            selects, looks, len(family.selects), len(family.look_fields),
            functions, len(family.functions),
            occupancies, len(family.occupancies),
            "true" if family.has_signals else "false"))

    def tables(self):
        self.line("/* Made by tools/gentables.py from data/; do not edit. */")
        self.line('#include "table/table.h"\n')
        self.signal_tables()
        for family in self.families:
            self.family(family)
        self.line("const char *const uc_role_names[UC_NUM_ROLES] = { %s };" %
                  ", ".join(text(role) for role in self.roles.names))
        self.line("const uint8_t uc_role_kinds[UC_NUM_ROLES] = { %s };" %
                  ", ".join(str(ROLE_KINDS.index(kind))
                            for kind in self.roles.kinds))
        self.line("const char *const uc_clock_names[UC_MAX_CLOCKS] = { %s };" %
                  ", ".join(text(clock) for clock in self.clocks.names))
        self.line("const struct uc_family *const uc_families[] = {")
        for family in self.families:
            self.line("\t&%s," % ident(family.name))
        self.line("\tNULL\n};")
        return "\n".join(self.out) + "\n"

    def numbers(self):
        """Of what the families call roles and clocks, and those with a model
        ways to select and filters."""
        out = ["#define ROLE_%s ((enum uc_role)%d)" % (name.upper(), number)
               for number, name in enumerate(self.roles.names)
               if number >= len(ROLES)] + ["enum {"]
        lines = ["\tCLOCK_%s = %d," % (name.upper(), number)
                 for number, name in enumerate(self.clocks.names)]
        for family in self.families:
            if family.has_signals:
                lines += self.ways(family)
        return out + list(dict.fromkeys(lines)) + ["};\n"]

    @staticmethod
    def ways(family):
        lines = ["\tSELECT_%s = %d," % (select["name"].upper(), number)
                 for number, select in enumerate(family.selects)]
        for box, names in family.looks.items():
            lines += ["\tLOOK_%s = 0x%X," % (
                ident(family.boxes[box]["name"], name).upper(), 1 << number)
                for number, name in enumerate(names)]
        return lines

    def header(self):
        out = ["/* Made by tools/gentables.py from data/; do not edit.",
               " * Numbers of the signals a box publishes; element e of an",
               " * R-Box port p is e * ports + p. */",
               "#ifndef UNCORE_SIGNALS_H", "#define UNCORE_SIGNALS_H", ""]
        for box in self.signals:
            out.append("enum {")
            for s in self.signals[box].order:
                out.append("\tSIG_%s_%s = %d," % (
                    box.upper(), s["name"].upper(), s["first"]))
            out.append("\tNUM_SIG_%s = %d,\n};\n" % (
                box.upper(), self.signals[box].elements))
        out += self.numbers()
        out.append("#endif")
        return "\n".join(out) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: gentables.py DATA-FOLDER... OUTPUT-FOLDER")
    out = sys.argv.pop()
    signals, roles, clocks = {}, Roles(), Clocks()
    try:
        known = [Family(folder, signals, roles, clocks) for data in sys.argv[1:]
                 for folder in families(data)]
    except DataError as error:
        sys.exit("gentables: " + str(error))
    roles.settle()
    emitter = Emitter(known, signals, roles, clocks)
    os.makedirs(out, exist_ok=True)
    for name, content in (("tables.c", emitter.tables()),
                          ("signals.h", emitter.header())):
        with open(os.path.join(out, name), "w", encoding="utf-8") as handle:
            handle.write(content)


if __name__ == "__main__":
    main()
