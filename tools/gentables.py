#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Turns data/<family>/*.txt into const C tables (tables.c) and the numbering of
# the model's signals (signals.h). data/FORMAT.md gives the syntax. A mistake in
# the data stops the build with file, line and reason: data is checked like code.
# Each topic of the data has its file in tables/.

import os
import sys

sys.dont_write_bytecode = True
from rows import DataError, families
from tables.emit import Emitter
from tables.family import Family
from tables.shared import Clocks, Roles


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
