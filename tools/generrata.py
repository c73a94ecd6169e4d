#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The rows of data/<family>/errata.txt (data/FORMAT.md has the syntax), as a
# const C table for the library, or as the tables of docs/errata.md:
#
#   generrata.py table DATA-FOLDER errata.c
#   generrata.py page DATA-FOLDER docs/errata.md
#
# What a row is about is looked up in the rest of the family's data, and written
# out name by name. A row that is not complete, or about something that does not
# exist, stops the build with file and line.

import fnmatch
import os
import re
import sys

sys.dont_write_bytecode = True
from rows import DataError, families
from tables.family import Family
from tables.shared import Roles
from tables.words import text

TEXTS = ("where", "printed", "reading", "why")
HEAD = "| no. | where | what is printed | reading taken | why |"
RULE = "|---|---|---|---|---|"
KEYS = ("event", "unit_mask", "reg", "layout", "field")
ABOUT_EVENT, ABOUT_REGISTER = {"event", "umask"}, {"register", "layout", "field"}


class Erratum:
    def __init__(self, where, number, section):
        self.place, self.number, self.section = where, number, section
        self.texts, self.about = {}, []

    def check(self):
        for key in TEXTS:
            if not self.texts.get(key):
                raise DataError("%s: %s has no text '%s'" % (
                    self.place, self.number, key))


def read(path):
    """The rows of a file in their order."""
    rows, section, last = [], None, None
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            place = "%s:%d" % (os.path.join(
                os.path.basename(os.path.dirname(path)),
                os.path.basename(path)), number)
            head, _, rest = line.strip().partition(" ")
            rest = rest.strip()
            if not head or head.startswith("#"):
                continue
            if line.startswith("    ") and last:
                rows[-1].texts[last] += " " + line.strip()
                continue
            last = None
            if line.startswith("  ") and rows and head in TEXTS:
                if head in rows[-1].texts:
                    raise DataError("%s: '%s' stands twice" % (place, head))
                rows[-1].texts[head], last = rest, head
            elif line.startswith("  ") and rows and head == "about":
                rows[-1].about.append((place, keys(place, rest)))
            elif not line.startswith(" ") and head == "section" and rest:
                section = rest
            elif section and head == "erratum" and \
                    re.fullmatch(r"E\d+", rest):
                rows.append(Erratum(place, rest, section))
            else:
                raise DataError("%s: '%s' is no line of the errata here" % (
                    place, line.strip()))
    for row in rows:
        row.check()
    return rows


def keys(place, words):
    result = {}
    for word in words.split():
        key, _, value = word.partition("=")
        if key not in ABOUT_EVENT | ABOUT_REGISTER or not value or \
                key in result:
            raise DataError("%s: '%s' says nothing of what a row is about" % (
                place, word))
        result[key] = value.split(",")
    named = set(result)
    if not (named <= ABOUT_EVENT and "event" in named or
            named <= ABOUT_REGISTER and ("register" in named) !=
            ("layout" in named)):
        raise DataError("%s: a row is about event=, if wanted with umask=, or "
                        "about register= or layout=, if wanted with field=" %
                        place)
    return result


def choose(place, patterns, names, what):
    """The names that the patterns stand for; each must stand for one."""
    chosen = []
    for pattern in patterns:
        found = fnmatch.filter(names, pattern)
        if not found:
            raise DataError("%s: there is no %s %s" % (place, what, pattern))
        chosen += [name for name in found if name not in chosen]
    return chosen


class Names:
    """What the rows of a family can be about."""

    def __init__(self, family):
        self.events = {
            "%s/%s" % (box, event["name"]): [
                mask["name"] for mask in event["umasks"]]
            for box, events in family.events.items() for event in events}
        self.layouts = family.layouts
        self.registers = {reg["name"]: reg["layout"]
                          for reg in family.registers}

    def fields(self, place, layout, wanted):
        names = {}
        for field in self.layouts[layout]["fields"]:
            names.setdefault(field["name"], field["name"])
            names.setdefault(field["canonical"], field["name"])
        return [names[name] for name in choose(
            place, wanted, names, layout + " with a field")]

    def about(self, place, chosen):
        """(event, unit mask, register, layout, field) for each single thing."""
        if "event" in chosen:
            events = choose(place, chosen["event"], self.events, "event")
            if "umask" not in chosen:
                return [(event, None, None, None, None) for event in events]
            return [(event, mask, None, None, None) for event in events
                    for mask in choose(place, chosen["umask"],
                                       self.events[event],
                                       event + " with a unit mask")]
        what = "register" if "register" in chosen else "layout"
        known = self.registers if what == "register" else self.layouts
        result = []
        for name in choose(place, chosen[what], known, what):
            layout = self.registers.get(name, name)
            thing = (name, None) if what == "register" else (None, name)
            fields = [None]
            if "field" in chosen:
                fields = self.fields(place, layout, chosen["field"])
            result += [(None, None) + thing + (field,) for field in fields]
        return result


def all_rows(data):
    """(name of the family, its rows) for each; numbers are used once."""
    seen, result = {}, []
    for folder in families(data):
        path = os.path.join(folder, "errata.txt")
        rows = read(path) if os.path.exists(path) else []
        for row in rows:
            if row.number in seen:
                raise DataError("%s: %s stands in %s too" % (
                    row.place, row.number, seen[row.number]))
            seen[row.number] = row.place
        result.append((folder, rows))
    if not seen:
        raise DataError("%s: there are no errata" % data)
    return result


def table(data):
    out = ["/* Made by tools/generrata.py from data/; do not edit. */",
           '#include "table/errata.h"', ""]
    rows_out = []
    signals, roles = {}, Roles()
    for folder, rows in all_rows(data):
        family = Family(folder, signals, roles)
        names = Names(family)
        for row in rows:
            about = [one for place, chosen in row.about
                     for one in names.about(place, chosen)]
            label = "about_%s" % row.number
            out += ["static const struct uc_about %s[] = {" % label]
            out += ["\t{ %s }," % ", ".join(
                ".%s = %s" % (key, text(name))
                for key, name in zip(KEYS, one) if name) for one in about]
            out += ["\t{ 0 },", "};", ""]
            rows_out.append("\t{ %s, %s }," % (", ".join(
                text(cell.replace("`", "")) for cell in
                [family.name, row.section, row.number] +
                [row.texts[key] for key in TEXTS]), label))
    out += ["const struct uc_erratum uc_errata[] = {"] + rows_out
    return "\n".join(out + ["\t{ 0 },", "};", ""])


def page(data, document):
    """The document with the tables as the rows give them, each below the
    heading of its section."""
    tables = {}
    for _, rows in all_rows(data):
        for row in rows:
            cells = [row.number] + [row.texts[key] for key in TEXTS]
            tables.setdefault(row.section, []).append("| %s |" % " | ".join(
                cell.replace("|", "\\|") for cell in cells))
    out, section = [], None
    for line in document.split("\n"):
        heading = re.match(r"#+ (.*)", line)
        if heading:
            section = heading.group(1).strip()
        if line == HEAD:
            if section not in tables:
                raise DataError("no row has the section '%s'" % section)
            out += [HEAD, RULE] + tables.pop(section)
        elif not line.startswith("|"):
            out.append(line)
    if tables:
        raise DataError("the page has no table for %s" % ", ".join(tables))
    return "\n".join(out)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("table", "page"):
        sys.exit("usage: generrata.py table|page DATA-FOLDER FILE")
    what, data, path = sys.argv[1:]
    try:
        if what == "table":
            content = table(data)
        else:
            with open(path, encoding="utf-8") as document:
                content = page(data, document.read())
    except DataError as error:
        sys.exit("generrata: " + str(error))
    with open(path, "w", encoding="utf-8") as out:
        out.write(content)


if __name__ == "__main__":
    main()
