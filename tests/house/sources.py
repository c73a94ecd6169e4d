#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Rules that every source file of the project keeps: the licence header, also of
# scripts without a suffix, tabs and 80 columns in C, no marks of unfinished
# work, and neither a number in C that could be the address of a register nor, in
# the library, the name of a box, because both come from data/ alone.

import os
import re
import sys

from tree import ROOT, files

COLUMNS = 80
# The MSRs of the uncore's PMU lie here (U-Box to the last R-Box register).
FIRST_ADDRESS, LAST_ADDRESS = 0xC00, 0xFDB
HEXADECIMAL = re.compile(r"\b0[xX]([0-9a-fA-F]+)[uUlL]*\b")
BOX = re.compile(r"\b[ubcsrmw]-?box|UC_BOX_[UCBSRMW]\b|\"signals\.h\"|"
                 r"\b(IPERF|QLX|ZDP|FVC|PLD)\b", re.I)
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
CODE = (".c", ".h")
LICENSED = CODE + (".S", ".py", ".sh", "meson.build", "meson_options.txt")


def is_source(path):
    if path.endswith(LICENSED):
        return True
    with open(os.path.join(ROOT, path), "rb") as handle:
        return handle.read(2) == b"#!"


def licence(path, lines):
    head = "".join(lines[:4])
    if ("SPDX-License-Identifier: BSD-3-Clause" not in head or
            "The uncore authors" not in head):
        yield 1, "the two lines of the licence header are missing"


def marks(path, lines):
    for number, line in enumerate(lines, 1):
        if MARKS.search(line):
            yield number, "a mark of unfinished work: finish it or say so in docs"


def form(path, lines):
    if not path.endswith(CODE):
        return
    for number, line in enumerate(lines, 1):
        if len(line.rstrip("\n").expandtabs(8)) > COLUMNS:
            yield number, "longer than %d columns" % COLUMNS
        if line.rstrip("\n") != line.rstrip("\n").rstrip():
            yield number, "blanks at the end"
        if line.startswith("        "):
            yield number, "indented with blanks instead of tabs"


def addresses(path, lines):
    if not path.endswith(CODE) or path.startswith("tests"):
        return
    for number, line in enumerate(lines, 1):
        for match in HEXADECIMAL.finditer(line):
            if FIRST_ADDRESS <= int(match.group(1), 16) <= LAST_ADDRESS:
                yield number, "%s looks like a register address: data/ has " \
                    "them" % match.group(0)


def boxes(path, lines):
    """The library and the model's PMU know boxes, and what is special about
    them, by their rows; comments of the latter may have examples."""
    text = "".join(lines)
    if path.startswith("model/pmu/"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*",
                      lambda comment: "\n" * comment.group().count("\n"),
                      text, flags=re.S)
    elif not path.startswith("src/"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if BOX.search(line):
            yield number, "the name of a box: data/ has them"


def main():
    wrong = checked = 0
    for path in filter(is_source, files()):
        with open(os.path.join(ROOT, path), encoding="utf-8") as handle:
            lines = handle.readlines()
        checked += 1
        for rule in (licence, marks, form, addresses, boxes):
            for number, what in rule(path, lines):
                wrong += 1
                print("%s:%d: %s" % (path, number, what))
    print("%d files checked, %d rules broken" % (checked, wrong))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
