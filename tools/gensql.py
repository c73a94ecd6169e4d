#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Statements of SQL as constants in C: gensql.py FILE.sql OUT.c. What follows a
# line "-- NAME: what it is" is the text of NAME.

import re
import sys


def main(source, out):
    lines = ["/* Made by tools/gensql.py; do not edit. */",
             '#include "record/sql.h"']
    with open(source, encoding="ascii") as file:
        for line in map(str.strip, file):
            name = re.fullmatch(r"-- ([a-z_]+): .*", line)
            if name:
                lines[-1] += ";" if len(lines) > 2 else ""
                lines.append("const char %s[] =" % name.group(1))
            elif line and not line.startswith("--"):
                lines.append('\t"%s "' % line.replace('"', '\\"'))
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + ";\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
