#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Turns the rows of docs/errata.md into a const C table, so that `uncore explain`
# can say which of them concern an event or a register, in the words of the
# document itself. A row that is not complete stops the build.

import os
import re
import sys

COLUMNS = 5  # number, where, printed, reading, why
DEFAULT_FAMILY = "xeon-e7"
# A section about another family's guide names it in its heading.
FAMILIES = ((re.compile(r"7500|Nehalem-EX", re.I), "xeon-7500"),)


def cells(line):
    """The cells of a table row; a bar in them is written with a backslash."""
    parts = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [p.strip().replace("\\|", "|") for p in parts]


def rows(path):
    section, family = "", DEFAULT_FAMILY
    with open(path, encoding="utf-8") as document:
        for number, line in enumerate(document, 1):
            heading = re.match(r"#+ (.*)", line)
            if heading:
                section = heading.group(1).strip()
                family = next((name for pattern, name in FAMILIES
                               if pattern.search(section)), DEFAULT_FAMILY)
            if not re.match(r"\| *E\d+ *\|", line):
                continue
            row = cells(line)
            if len(row) != COLUMNS or not all(row):
                sys.exit("%s:%d: a row has %d cells that say something: "
                         "number, where, what is printed, reading, why" %
                         (os.path.basename(path), number, COLUMNS))
            yield family, section, row


def quote(text):
    text = text.replace("`", "").replace("\\", "\\\\").replace('"', '\\"')
    return '"%s"' % text.replace("?", "\\?")


def main():
    source, out = sys.argv[1:]
    lines = ["/* Made by tools/generrata.py from docs/errata.md; do not edit. */",
             '#include "table/errata.h"', "",
             "const struct uc_erratum uc_errata[] = {"]
    seen = set()
    for family, section, row in rows(source):
        if row[0] in seen:
            sys.exit("errata.md: %s stands twice" % row[0])
        seen.add(row[0])
        lines.append("\t{ %s }," % ", ".join(
            quote(text) for text in [family, section] + row))
    if not seen:
        sys.exit("errata.md: there are no rows")
    lines += ["\t{ 0 },", "};", ""]
    with open(out, "w", encoding="utf-8") as handle:
        handle.write("\n".join(lines))


if __name__ == "__main__":
    main()
