# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Families as C: const tables, and the numbers of signals, roles, clocks, ways
# to choose and filters.

import re

from rows import ROLES
from tables.core import CORE_COUNTS, CORE_ROLES, CORE_SCOPES
from tables.events import SIGNAL_KINDS
from tables.facts import name_of, place
from tables.packets import HEADERS, WORD_KINDS, WORD_SENSES
from tables.pool import Pool, Texts
from tables.shared import MAX_ROLES, ROLE_KINDS
from tables.options import options
from tables.twins import Twins
from tables.words import KINDS, bits, ident, text


def truth(value):
    return "true" if value else "false"


class Emitter:
    def __init__(self, families, signals, roles, clocks):
        self.families, self.signals, self.roles = families, signals, roles
        self.first, self.elements = {}, {}
        for box, table in signals.items():
            self.first[box] = self.elements.setdefault(table.bank, 0)
            self.elements[table.bank] += table.elements
        self.clocks, self.out, self.texts = clocks, [], Texts()
        self.pool = None

    def line(self, string):
        self.out.append(string)

    def text(self, value):
        return self.texts.add(value)

    def put(self, kind, rows):
        return self.pool.add(kind, rows)

    def number(self, ref):
        """Of a signal, in its bank."""
        return self.first[ref["table"]] + ref["signal"]

    def on_bank(self, box):
        """Boxes that number their signals with this one, itself among them."""
        return [other for other, table in self.signals.items()
                if table.bank == self.signals[box].bank]

    def refs(self, refs):
        return self.put("uc_signal_ref", ["%d, %d, %d, %d, %d" % (
            self.number(r), r["filter"], self.roles.number(r["role"]), r["high"],
            r["low"]) for r in refs])

    def sets(self, sets):
        return self.put("uc_set", ["%s, UINT64_C(0x%X), %d, %d, %d, %s" % (
            self.text(s["field"]), s["value"], self.roles.number(s["role"]),
            s["high"], s["low"], truth(s["contains"])) for s in sets])

    def params(self, params):
        return self.put("uc_param", ["%s, %d, %d, %d" % (
            self.text(p["name"]), self.roles.number(p["role"]), p["high"],
            p["low"]) for p in params])

    def box_signals(self, box):
        return self.put("uc_signal", ["%s, %d, %d, %d" % (
            self.text(s["name"]), self.first[of] + s["first"], s["dim"],
            SIGNAL_KINDS[s["kind"]]) for of in self.on_bank(box)
            for s in self.signals[of].order])

    def layout(self, layout):
        rows = []
        writable = reserved = reset = 0
        for f in layout["fields"]:
            mask = bits(f["high"], f["low"])
            if f["kind"] == "rsv":
                reserved |= mask
            elif f["kind"] not in ("ig", "ro"):
                writable |= mask
            reset |= f["reset"] << f["low"]
            rows.append("%s, %s, %s, UINT64_C(0x%X), %d, %d, %d" % (
                self.text(f["name"]), self.text(f["canonical"]),
                self.text(f["brief"]), f["reset"], f["high"], f["low"],
                KINDS[f["kind"]]))
        return self.put("uc_layout", [
            "%s, %s, %s, %d, UINT64_C(0x%X), UINT64_C(0x%X), "
            "UINT64_C(0x%X)" % (
                self.text(layout["name"]), self.text(layout["source"]),
                self.put("uc_field", rows), len(rows), writable, reserved,
                reset)])

    def umasks(self, event):
        return self.put("uc_unit_mask", [
            "%s, %s, %s, %s, %s, %s, %s, UINT64_C(0x%X), %d, %d, %d, %d" % (
                self.text(u["name"]), self.text(u["brief"]),
                self.text(u["note"]), self.text(u["excluded"]),
                self.sets(u["sets"]), self.refs(u["signals"]),
                self.params(u["params"]), u["value"], len(u["sets"]),
                len(u["signals"]), len(u["params"]), u["state"])
            for u in event["umasks"]])

    def events(self, index, events, twins):
        return self.put("uc_event", [
            "%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 0x%X, 0x%X, "
            "%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, 0x%X, %d, "
            "%d, %d, NULL, 0" % (
                self.text(e["name"]), self.text(e["brief"]),
                self.text(e["note"]), self.text(e["category"]),
                self.text(e["source"]), self.text(e["excluded"]),
                self.put("uc_text", [self.text(a) for a in e["aliases"]]),
                self.sets(e["sets"]), self.refs(e["signals"]),
                self.umasks(e), self.params(e["params"]),
                e["code"], e["counters"], e["max"], e["ge"],
                e["accumulate"], len(e["umasks"]), index,
                e["select"], e["tally"],
                len(e["aliases"]), len(e["sets"]), len(e["signals"]),
                len(e["params"]), e["of_counter"], twins.roles_of(e),
                e["state"], e["slow"], e["rows"]) for e in events])

    def twins(self, table, twins):
        found = twins.find()
        fields = [field for _, field in found]
        return self.put("uc_twins", found and [
            "{ %s }, { %s }, { %s }, %d, %d, %s" % (
                ", ".join(self.pool.at(table, n) for n, _ in found),
                ", ".join(str(field["high"]) for field in fields),
                ", ".join(str(field["low"]) for field in fields),
                self.roles.number(fields[0]["role"]), len(found),
                truth(not twins.events[found[0][0]]["umasks"]))])

    def firsts(self, registers, box):
        """By role, 1 + the number of the first register of the box."""
        result = [0] * MAX_ROLES
        for number, register in reversed(list(enumerate(registers))):
            if register["box"] == box:
                result[self.roles.number(register["role"])] = number + 1
        return "{ %s }" % ", ".join(str(number) for number in result)

    def core_register(self, r):
        values = self.put("uc_core_value", [
            "%s, %r, UC_CORE_VALUE_%s, %s" % (
                self.text(f["param"]), f["per"], f["value"].upper(),
                truth(f["unmodelled"])) for f in r["fields"]])
        layout = self.layout({"name": "core_" + r["template"],
                              "source": r["source"], "fields": r["fields"]})
        return (
            "%s, { %s, %s, %s, %s, %s, 0x%X, UC_BOX_NONE, 0, UC_ROLE_NONE, "
            "%d, 64, UC_ACCESS_%s, 64, UC_ROLE_NONE, 0, 0 }, %d, %d, %d, %s, "
            "%s" % (
                values, self.text(r["name"]), self.text(r["brief"]),
                self.text(r["source"]), self.text(r["access"]), layout,
                r["address"], r["index"], r["access"],
                CORE_ROLES.index(r["role"]), CORE_SCOPES.index(r["scope"]),
                CORE_COUNTS.index(r["counts"]), truth(r["canonical"]),
                truth(r["guest"])))

    def core_events(self, events):
        return self.put("uc_core_event", [
            "%s, %s, %s, 0x%X, 0x%X, 0x%X, UINT64_C(0x%X)" % (
                self.text(e["name"]), self.text(e["brief"]),
                self.text(e["source"]), e["code"], e["umask"], e["counters"],
                e["counts"]) for e in events])

    def filter_word(self, w):
        match, mask = w["fields"]["match"], w["fields"]["mask"]
        choices = self.put("uc_choice", ["%s, 0x%X, %d" % (
            self.text(c["name"]), c["codes"], c["lacks"])
            for c in w["choices"]])
        return (
            "%s, %s, %s, %s, %s, %s, %s, %s, UINT64_C(0x%X), 0x%X, %d, %d, "
            "%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d" % (
                self.text(w["name"]), self.text(w["alias"]),
                self.text(w["brief"]), self.text(w["source"]),
                self.text(w["group"]), self.text(w["note"]), choices,
                self.sets(w["sets"]),
                w["initial"], w["opcodes"], w["class"], w["box"], w["filter"],
                WORD_KINDS.index(w["kind"]),
                WORD_SENSES.index(w["sense"]), HEADERS.index(w["is"]),
                self.roles.number(match["role"]), match["high"], match["low"],
                self.roles.number(mask["role"]), mask["high"], mask["low"],
                w["match_from"], w["from"], len(w["choices"]),
                len(w["sets"])))

    def selects(self, selects):
        return self.put("uc_select", [
            "%s, %s, %s, %s, %s, %s, 0x%X, %s, %d, %d, %d, %d, %s" % (
                self.text(s["name"]), self.text(s["more"]),
                self.text(s["title"]), self.text(s["prefix"]),
                self.sets(s["when"]), self.sets(s["gate"]),
                sum(1 << self.roles.number(r) for r in s["registers"]),
                "UC_BOX_NONE" if s["box"] is None else s["box"], s["slots"],
                s["shift"], len(s["when"]), len(s["gate"]),
                truth(s["filter"])) for s in selects])

    def looks(self, looks):
        return self.put("uc_look", [
            "%d, 0x%X, %s, %s, %s, %d, %d, %s" % (
                look["box"], look["of"], self.place(look["field"]),
                self.place(look["if"]), self.place(look["mask"]),
                HEADERS.index(look["is"]), look["must"], truth(look["any"]))
            for look in looks])

    def place(self, field):
        return "{ %d, %d, %d }" % (self.roles.number(field["role"]),
                                   field["high"], field["low"])

    def registers(self, family):
        layouts = {k: self.layout(v) for k, v in family.layouts.items()}
        return self.put("uc_register", [
            "%s, %s, %s, %s, %s, UINT64_C(0x%X), %d, %d, %d, "
            "%d, %d, UC_ACCESS_%s, %d, %d, %d, %d" % (
                self.text(r["name"]), self.text(r["brief"]),
                self.text(r["source"]), self.text(r["access"]),
                layouts[r["layout"]], r["address"], r["box"],
                r["instance"], self.roles.number(r["role"]), r["index"],
                r["width"], r["software"], r["parts"],
                self.roles.number(r["switch"]["role"]),
                r["switch"]["low"],
                self.number(r["sums"][0]) + 1 if r["sums"] else 0)
            for r in family.registers])

    def box(self, family, index, b):
        events = family.events[b["name"]]
        twins = Twins(family, index, self.roles)
        table = self.events(index, events, twins)
        names = options(family, index)
        told = sum(len(self.signals[of].order)
                   for of in self.on_bank(b["name"]))
        return ("%s, %s, %s, %s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, "
                "%d, %d, %d, %d, %d, %s" % (
                    self.text(b["name"]), self.text(b["guide"]),
                    self.text(b["source"]), table,
                    self.box_signals(b["name"]), self.twins(table, twins),
                    self.put("uc_option", ["%s, %s" % (
                        self.text(name), truth(takes_value))
                        for name, takes_value in names]),
                    len(events), told,
                    self.elements[self.signals[b["name"]].bank],
                    b["instances"], b["counters"],
                    b["width"], b["global_span"], b["fixed"], b["ports"],
                    b["early_carry"], b["clock"], len(names),
                    self.firsts(family.registers, index)))

    def parts(self, family):
        """Each table of the family, and how many rows it has."""
        add, t = self.put, self.text
        yield "boxes", add("uc_box", [self.box(family, *row) for row in
                                      enumerate(family.boxes)]), family.boxes
        yield "registers", self.registers(family), family.registers
        yield "classes", add("uc_class", [
            "%s, %s, %s, %d, %d" % (
                t(c["name"]), t(c["brief"]), t(c["source"]), c["code"],
                family.class_bit(c["code"]))
            for c in family.classes]), family.classes
        yield "opcodes", add("uc_opcode", [
            "%s, %s, %s, %s, %s, %d, %d, %d" % (
                t(o["name"]), t(re.sub(r"_\(.*?\)", "", o["name"], 1)),
                t(o["brief"]), t(o["gen"]), t(o["source"]),
                o["class"], o["code"], family.opcode_bit(o))
            for o in family.opcodes]), family.opcodes
        yield "ports", add("uc_port", [
            "%s, %s, %s, %d, '%s'" % (
                t(p["name"]), t(p["guide"]), t(p["source"]),
                p["port"], p["side"]) for p in family.ports]), family.ports
        yield "routes", add("uc_route", [
            "%d, %d, %d, %d" % (r["port"], r["select"], r["slot"], r["code"])
            for r in family.routes]), family.routes
        yield "onehots", add("uc_onehot", [
            "%d, %d, %d" % (o["class"], o["opcode"], o["bit"])
            for o in family.onehots]), family.onehots
        yield "units", add("uc_unit", [
            "0x%X, 0x%X, 0x%X, %d, %d, %d" % (
                u["unit"], u["vendor"], u["device"], u["space"], u["box"],
                u["instance"]) for u in family.units]), family.units
        yield "functions", add("uc_function", [
            "%s, %s, 0x%X, 0x%X, 0x%X, 0x%X, %d, %s" % (
                t(f["brief"]), t(f["source"]), f["unit"], f["vendor"],
                f["device"], f["class"], f["revision"], truth(f["extended"]))
            for f in family.functions]), family.functions
        yield "domains", add("uc_domain", [
            "%s, %s, %s, UINT64_C(0x%X), UINT64_C(0x%X), UINT64_C(0x%X), "
            "0x%X, %d, %d" % (
                t(d["name"]), t(d["source"]), t(d["no_interrupt"]),
                d["run"], d["stop"], d["reset"], d["boxes"], d["register"],
                d["scope"]) for d in family.domains]), family.domains
        yield "aliases", add("uc_alias", [
            "%s, %s, %d, %d, %d, %d" % (
                t(f["name"]), t(f["ours"]), f["kind"], f["box"],
                f["ports"], f["events"])
            for f in family.aliases]), family.aliases
        yield "overflows", add("uc_overflow", [
            "0x%X, 0x%X, 0x%X, 0x%X, 0x%X, %d, %d, %d" % (
                o["bit"], o["latch"], o["told"], o["fixed"], o["summary"],
                o["box"], o["instance"], o["index"])
            for o in family.overflows]), family.overflows
        freezes = [f for f in [family.freeze] if f]
        yield "freeze", add("uc_freeze", [
            "0x%X, 0x%X, %d, %d" % (f["hold"], f["go"], f["register"],
                                    f["status"]) for f in freezes]), freezes
        yield "occupancies", add("uc_occupancy", [
            "%s, %s, %d, 0x%X, %d" % (
                t(o["invert"]), t(o["edge"]), o["event"], o["bits"],
                o["box"]) for o in family.occupancies]), family.occupancies
        yield "core_registers", add("uc_core_register", [
            self.core_register(r) for r in family.core_registers]), \
            family.core_registers
        yield "core_events", self.core_events(family.core_events), \
            family.core_events
        yield "filter_words", add("uc_filter_word", [
            self.filter_word(w) for w in family.filter_words]), \
            family.filter_words
        yield "selects", self.selects(family.selects), family.selects
        yield "looks", self.looks(family.look_fields), family.look_fields

    def family(self, family):
        prefix = ident(family.name)
        self.pool = Pool(prefix)
        words = [".name = %s, .title = %s, .guide = %s" % tuple(
            self.text(value) for value in
            (family.name, family.title, family.guide))]
        for name, table, rows in self.parts(family):
            words.append(".%s = %s, .num_%s = %d" % (
                name, table, name, len(rows)))
        words.append(".cpuid_family = %d, .cpuid_model = %d, "
                     ".has_model = %s" % (*family.cpuid[:2],
                                          truth(family.has_signals)))
        self.out += self.pool.lines(",\n\t".join(words))
        return "\t{ %s, &%s, %s_blocks, %d, %d, %d, %d, %d, 0 }," % (
            text(family.name), prefix, prefix, len(self.pool.rows) + 1,
            *family.cpuid)

    def tables(self):
        self.line("/* Made by tools/gentables.py from data/; do not edit. */")
        self.line('#include "table/table.h"\n')
        self.line("#define T(N) (const char *)((size_t)UC_TEXTS + N)")
        self.line("#define P(F, ROW) (const void *)offsetof(struct F, ROW)")
        self.line("#define B(F, KIND, NUM, POINTERS) { offsetof(struct F, KIND), "
                  "NUM, \\\n\t\tsizeof(struct KIND), (POINTERS) / "
                  "sizeof(void *) }\n")
        images = [self.family(family) for family in self.families]
        self.line("struct uc_image uc_images[] = {")
        self.out += images + ["\t{ .name = NULL },\n};"]
        self.out += self.texts.lines()
        self.line("const char *const uc_role_names[UC_NUM_ROLES] = { %s };" %
                  ", ".join(text(role) for role in self.roles.names))
        self.line("const uint8_t uc_role_kinds[UC_NUM_ROLES] = { %s };" %
                  ", ".join(str(ROLE_KINDS.index(kind))
                            for kind in self.roles.kinds))
        self.line("const char *const uc_clock_names[UC_MAX_CLOCKS] = { %s };" %
                  ", ".join(text(clock) for clock in self.clocks.names))
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
                lines += self.ways(family) + self.attributes(family)
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

    def facts(self, box):
        """QPI_RXL_INSERTS(class): a signal by its attributes' values."""
        out = []
        for fact in self.signals[box].facts:
            name = "%s_%s" % (box.upper(), name_of(fact).upper())
            out.append("#define %s(%s) (SIG_%s_%s + %s)" % (
                name, ", ".join(fact["attributes"]), box.upper(),
                fact["elements"][0].upper(), place(fact)))
            out.append("#define NUM_%s %d\n" % (name, len(fact["elements"])))
        return out

    @staticmethod
    def attributes(family):
        return ["\tBY_%s_%s = %d," % (name.upper(), value.upper(), number)
                for name, values in family.attributes.items()
                for number, value in enumerate(values)]

    def header(self):
        out = ["/* Made by tools/gentables.py from data/; do not edit.",
               " * Numbers of the signals a box publishes; element e of an",
               " * R-Box port p is e * ports + p. */",
               "#ifndef UNCORE_SIGNALS_H", "#define UNCORE_SIGNALS_H", ""]
        for box in self.signals:
            out.append("enum {")
            for s in self.signals[box].order:
                out.append("\tSIG_%s_%s = %d," % (
                    box.upper(), s["name"].upper(),
                    self.first[box] + s["first"]))
            out.append("\tFIRST_SIG_%s = %d," % (box.upper(), self.first[box]))
            out.append("\tNUM_SIG_%s = %d,\n};\n" % (
                box.upper(), self.signals[box].elements))
            out += self.facts(box)
        out += self.numbers()
        out.append("#endif")
        return "\n".join(out) + "\n"
