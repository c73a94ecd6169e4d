# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A family as its folder describes it.

from rows import DataError, family_rows, alias_rows
from tables.core import Core
from tables.counting import SELECTS, Counting
from tables.events import Events
from tables.facts import Facts
from tables.packets import Packets
from tables.registers import Registers
from tables.shared import Clocks

FOREIGN = ("kernel kernel_option kernel_with kernel_ports kernel_name kernel_code "
           "kernel_word likwid_counter likwid libpfm_arch libpfm_pmu libpfm "
           "perf core").split()


class Family(Registers, Facts, Events, Packets, Core, Counting):
    """All rows of a folder: row_WORD() of a topic takes those that begin with
    WORD, and what looks at several of them comes when all are read."""

    def __init__(self, folder, signals, roles, clocks=None):
        self.folder, self.signals, self.roles = folder, signals, roles
        self.clocks = clocks or Clocks()
        self.boxes, self.layouts, self.registers = [], {}, []
        self.events, self.attributes = {}, {}
        self.classes, self.opcodes, self.ports = [], [], []
        self.routes, self.onehots, self.filter_words = [], [], []
        self.core_registers, self.core_events = [], []
        self.units, self.domains, self.aliases = [], [], []
        self.functions = []
        self.overflow_rows, self.overflows, self.freeze = [], [], None
        self.selects = [self.select(name) for name in SELECTS]
        self.looks, self.look_rows, self.select_rows = {}, [], []
        self.occupancy_rows, self.occupancies = [], []
        self.look_fields = []
        own, topics = family_rows(folder)
        self.row(own)
        for rows in topics.values():
            for row in rows:
                self.row(row)
        for row in alias_rows(folder):
            self.alias_row(row)
        self.check()

    def row(self, row):
        handler = getattr(self, "row_" + row.words[0], None)
        if not handler:
            row.fail("unknown row '%s'" % row.words[0])
        handler(row)

    def row_family(self, row):
        self.name, self.title = row.words[1], row.texts[0]
        self.guide = row.keys["guide"]
        signals = row.keys.get("signals", "all")
        if signals not in ("all", "some", "none"):
            row.fail("signals=%s: some or none" % signals)
        self.has_signals, self.tells_all = signals != "none", signals == "all"
        self.most = row.number("max", 1)
        family, model, *steppings = row.keys["cpuid"].split("/")
        first, _, last = (steppings or ["0-15"])[0].partition("-")
        self.cpuid = [int(x) for x in (family, model, first, last or first)]

    def alias_row(self, row):
        kind, words = row.words[0], row.words[1:] + row.texts
        if kind not in FOREIGN:
            row.fail("unknown row '%s'" % kind)
        box = 0
        if kind not in ("core", "libpfm_arch"):
            box = self.box_index(row, words.pop(0) if words else "")
        if kind == "kernel_ports":
            words = ["", ""]
        elif kind in ("kernel_name", "likwid_counter", "libpfm_arch",
                      "libpfm_pmu"):
            words += [""]
        if len(words) != 2:
            row.fail("'%s' has a name and what it is here" % kind)
        self.aliases.append({
            "kind": FOREIGN.index(kind), "box": box, "name": words[0],
            "ours": words[1],
            "ports": row.number("ports") if kind == "kernel_ports" else 0,
            "events": row.number("events") if kind == "kernel_ports" else 0})

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
        self.finish_freeze()
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
