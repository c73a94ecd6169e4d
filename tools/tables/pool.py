# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The tables of a family as one struct of C, with offsets in place of pointers: the
# loader has nothing to do for them when a program starts, and what makes pointers
# of them is in src/table/lookup.c (struct uc_image). What is the same stands once.

from tables.words import text

# The first member of each kind of row that is no pointer.
FIRST_NUMBER = {
    "uc_family": "num_boxes", "uc_box": "num_events", "uc_event": "code",
    "uc_unit_mask": "value", "uc_set": "value", "uc_param": "role",
    "uc_signal": "first", "uc_signal_ref": "signal", "uc_layout": "num_fields",
    "uc_field": "reset", "uc_register": "address", "uc_option": "takes_value",
    "uc_twins": "high", "uc_class": "code", "uc_opcode": "message_class",
    "uc_port": "port", "uc_route": "port", "uc_onehot": "message_class",
    "uc_unit": "unit", "uc_function": "unit", "uc_domain": "run",
    "uc_alias": "kind", "uc_overflow": "summary_bit", "uc_freeze": "hold",
    "uc_occupancy": "event",
    "uc_core_register": "reg.address", "uc_core_value": "per",
    "uc_core_event": "code", "uc_filter_word": "initial",
    "uc_choice": "codes", "uc_select": "registers", "uc_look": "box",
    "uc_text": None}


class Texts:
    """Those of all families, one behind the other."""

    def __init__(self):
        self.places, self.length = {}, 0

    def add(self, value):
        if value is None:
            return "NULL"
        if value not in self.places:
            self.places[value] = self.length
            self.length += len(value.encode()) + 1
        return "T(%d)" % self.places[value]

    def lines(self):
        return ["const char uc_texts[] =",
                *('\t%s "\\0"' % text(value) for value in self.places), "\t;"]


class Pool:
    """The rows of a family by their kind, and where each table begins."""

    def __init__(self, name):
        self.name, self.rows, self.known = name, {}, {}

    def add(self, kind, rows):
        if not rows:
            return "NULL"
        key = kind, tuple(rows)
        if key not in self.known:
            there = self.rows.setdefault(kind, [])
            self.known[key] = "P(%s, %s[%d])" % (self.name, kind, len(there))
            there += rows
        return self.known[key]

    @staticmethod
    def at(table, number):
        """A row of a table that was added."""
        head, _, first = table[:-2].rpartition("[")
        return "%s[%d])" % (head, int(first) + number)

    def lines(self, family):
        members = ["\tstruct %s %s[%d];" % (kind, kind, len(rows))
                   for kind, rows in self.rows.items()]
        blocks = ["\tB(%s, %s, %d, %s)," % (
            self.name, kind, num, "offsetof(struct %s, %s)" % (
                kind, FIRST_NUMBER[kind]) if FIRST_NUMBER[kind] else
            "sizeof(struct %s)" % kind)
            for kind, num in [("uc_family", 1)] + [
                (kind, len(rows)) for kind, rows in self.rows.items()]]
        return [
            "static struct %s {\n\tstruct uc_family uc_family[1];" % self.name,
            *members, "} %s = {\n\t{ { %s } }," % (self.name, family),
            *("\t{\n%s\n\t}," % "\n".join("\t{ %s }," % row for row in rows)
              for rows in self.rows.values()),
            "};", "static const struct uc_block %s_blocks[] = {" % self.name,
            *blocks, "};"]
