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
from tables.shared import MAX_ROLES, ROLE_KINDS
from tables.options import options
from tables.twins import Twins
from tables.words import KINDS, bits, ident, text


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

    def events(self, prefix, box, index, events, twins):
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
                "%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, 0x%X, %d, "
                "%d, %d, NULL, 0 }," % (
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
                    len(e["params"]), e["of_counter"], twins.roles_of(e),
                    e["state"], e["slow"], e["rows"]))
        name = ident(prefix, box["name"], "events")
        self.line("static const struct uc_event %s[] = {" % name)
        self.out += rows
        self.line("};")
        return name

    def twins(self, prefix, box, table, twins):
        found = twins.find()
        if not found:
            return "NULL"
        name = ident(prefix, box["name"], "twins")
        fields = [field for _, field in found]
        self.line("static const struct uc_twins %s = { { %s }, { %s }, { %s }, "
                  "%d, %d, %s };" % (
                      name,
                      ", ".join("&%s[%d]" % (table, n) for n, _ in found),
                      ", ".join(str(field["high"]) for field in fields),
                      ", ".join(str(field["low"]) for field in fields),
                      self.roles.number(fields[0]["role"]), len(found),
                      "false" if twins.events[found[0][0]]["umasks"] else
                      "true"))
        return "&" + name

    def firsts(self, registers, box):
        """By role, 1 + the number of the first register of the box."""
        result = [0] * MAX_ROLES
        for number, register in reversed(list(enumerate(registers))):
            if register["box"] == box:
                result[self.roles.number(register["role"])] = number + 1
        return "{ %s }" % ", ".join(str(number) for number in result)

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
            twins = Twins(family, index, self.roles)
            table = self.events(prefix, b, index, events, twins)
            alike = self.twins(prefix, b, table, twins)
            names = options(family, index)
            choices = self.rows(
                "uc_option", ident(prefix, b["name"], "options"),
                ["%s, %s" % (text(name), "true" if takes_value else "false")
                 for name, takes_value in names])
            signals = self.signals[b["name"]]
            box_rows.append(
                "%s, %s, %s, %s, signals_%s, %d, %d, %d, %d, %d, %d, %d, "
                "%d, %d, %d, %d, %s, %s, %d, %s" % (
                    text(b["name"]), text(b["guide"]), text(b["source"]),
                    table, b["name"], len(events), len(signals.order),
                    signals.elements, b["instances"], b["counters"], b["width"],
                    b["global_span"], b["fixed"], b["ports"],
                    b["early_carry"], b["clock"],
                    alike, choices, len(names),
                    self.firsts(family.registers, index)))
        boxes = self.rows("uc_box", prefix + "_boxes", box_rows)
        classes = self.rows("uc_class", prefix + "_classes", [
            "%s, %s, %s, %d, %d" % (
                text(c["name"]), text(c["brief"]), text(c["source"]),
                c["code"], family.class_bit(c["code"]))
            for c in family.classes])
        opcodes = self.rows("uc_opcode", prefix + "_opcodes", [
            "%s, %s, %s, %s, %s, %d, %d, %d" % (
                text(o["name"]), text(re.sub(r"_\(.*?\)", "", o["name"], 1)),
                text(o["brief"]), text(o["gen"]), text(o["source"]),
                o["class"], o["code"], family.opcode_bit(o))
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
        alias = self.rows("uc_alias", prefix + "_aliases", [
            "%s, %s, %d, %d, %d, %d" % (
                text(f["name"]), text(f["ours"]), f["kind"], f["box"],
                f["ports"], f["events"]) for f in family.aliases])
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
            domains, len(family.units), len(family.domains), alias,
            len(family.aliases), overflows, len(family.overflows),
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
                    box.upper(), s["name"].upper(), s["first"]))
            out.append("\tNUM_SIG_%s = %d,\n};\n" % (
                box.upper(), self.signals[box].elements))
            out += self.facts(box)
        out += self.numbers()
        out.append("#endif")
        return "\n".join(out) + "\n"
