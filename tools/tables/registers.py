# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Boxes, layouts, PCI functions, and the registers of each instance of a box.

import re

from rows import DataError
from tables.shared import Signals
from tables.words import KINDS, arithmetic, bit_range, bits

SPACES = {"msr": 0, "pci": 1, "mem": 2}
FUNCTION = re.compile(r"(?:([0-9a-f]+):)?([0-9a-f]+)\.([0-7])")


def function_number(match):
    """Of BUS:DEVICE.FUNCTION; without a bus, the one that has the node map."""
    return (int(match.group(1) or "0", 16) << 8 |
            int(match.group(2), 16) << 3 | int(match.group(3)))


def pci_id(row, text):
    match = re.fullmatch(r"([0-9a-f]{4}):([0-9a-f]{4})", text)
    if not match:
        row.fail("id= has no VENDOR:DEVICE where one is needed")
    return [int(number, 16) for number in match.groups()]


class Registers:
    def row_box(self, row):
        row.known("instances", "counters", "width", "global_span", "fixed",
                  "ports", "early_carry", "clock", "listed", "bank", "source")
        if not re.fullmatch(r"[a-z][a-z0-9]*[a-z]", row.words[1]):
            row.fail("'%s' is no name of a box: small letters and digits, "
                     "the last one a letter" % row.words[1])
        bank = row.keys.get("bank", row.words[1])
        if self.signals.setdefault(row.words[1], Signals(bank)).bank != bank:
            row.fail("%s had another bank before" % row.words[1])
        self.boxes.append({
            "name": row.words[1], "guide": row.words[2],
            "instances": row.number("instances"),
            "counters": row.number("counters"), "width": row.number("width"),
            "global_span": row.number("global_span", 0),
            "fixed": row.number("fixed", 0), "ports": row.number("ports", 1),
            "early_carry": row.number("early_carry", 0),
            "clock": self.clocks.add(row), "listed": [
                prefix for prefix in row.keys.get("listed", "").split(",") if prefix],
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
        """All PCI functions of a socket."""
        row.known("revision", "ids", "source")
        for child in row.children:
            child.known("id", "class", "source")
            match = FUNCTION.fullmatch(child.words[0])
            if not match:
                child.fail("'%s' is no PCI function (10.4)" % child.words[0])
            unit = function_number(match)
            if any(function["unit"] == unit for function in self.functions):
                child.fail("function %s stands twice" % child.words[0])
            vendor, device = pci_id(child, child.keys.get("id", ""))
            if "ids" in row.keys:
                device = row.number("ids") | device & 0xFF
            self.functions.append({
                "unit": unit, "vendor": vendor, "device": device,
                "class": int(child.keys["class"], 16),
                "revision": row.number("revision"), "where": child.where,
                "brief": child.texts[0],
                "source": child.keys.get("source", row.keys["source"])})

    def finish_functions(self):
        """In their order; each register is in one of them, and has its id."""
        self.functions.sort(key=lambda function: function["unit"])
        ids = {f["unit"]: (f["vendor"], f["device"]) for f in self.functions}
        for unit in self.units:
            if (self.functions and unit["space"] == SPACES["pci"] and
                    ids.get(unit["unit"]) != (unit["vendor"], unit["device"])):
                raise DataError("%s: function %x:%x.%x, %04x:%04x, is not "
                                "among the functions" % (
                                    self.name, unit["unit"] >> 8,
                                    unit["unit"] >> 3 & 31, unit["unit"] & 7,
                                    unit["vendor"], unit["device"]))
        for function in self.functions:
            # The numbers of the buses are there, too (model/pci.c).
            function["extended"] = function["unit"] < 64 or any(
                reg["address"] >> 32 == SPACES["pci"] << 28 | function["unit"]
                and reg["address"] & 0xFFFFFFFF >= 0x100
                for reg in self.registers)

    def row_registers(self, row):
        row.known("base", "space", "id", "source")
        box = self.box_index(row, row.words[1])
        bases = self.bases(row, box)
        instances = self.boxes[box]["instances"]
        if row.keys.get("space") == "pci":  # the last ones may lack some
            instances = min(instances, len(bases))
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
            "sums": sums,
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

    def register_field(self, row, box, text):
        """REG.FIELD, or REG: all of it."""
        role, _, name = text.partition(".")
        role = role.lower()
        if not name:
            self.sub_layout(row, box, role)
            return {"role": role, "high": 63, "low": 0}
        return dict(self.field(row, box, role, name), role=role)

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

    def row_roles(self, row):
        self.roles.add(row, row.words[1], row.words[2:])
