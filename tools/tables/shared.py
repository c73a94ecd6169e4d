# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What all families number together: signals of boxes, roles of registers, and
# clocks.

import fnmatch
import re

from rows import ROLES

MAX_ROLES, MAX_CLOCKS = 32, 8
ROLE_KINDS = "none own config switch match mask".split()
# Of live families, whose rows are made at run time: src/perf.
OWN_ROLES = ("terms1", "terms2")


class Signals:
    """The signals of one box type, over all families; boxes whose banks are of
    one sort have numbers behind each other."""

    def __init__(self, bank):
        self.bank = bank
        self.order, self.by_name, self.elements = [], {}, 0
        self.facts = []  # those of one differ by attributes

    def matches(self, pattern):
        """The signals of facts that a name with * stands for."""
        return [name for fact in self.facts for name in fact["elements"]
                if fnmatch.fnmatchcase(name, pattern)]

    def kind(self, number):
        """Of the signal that has an element of this number."""
        return [entry["kind"] for entry in self.order
                if entry["first"] <= number][-1]

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
