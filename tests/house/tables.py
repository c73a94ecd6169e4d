#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Nothing of the guides is missing: tests/encode/expected-*.txt has, per table,
# the number of rows counted in the text of the Xeon E7's guide, and
# expected-FAMILY.txt the numbers that another family has instead; `uncore
# registers` and `uncore list` must print that many. The layouts' names come from
# data/, because the registers themselves are printed without them, and so do the
# rows about packets, which no command prints.

import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
UNCORE = os.environ.get("UNCORE", os.path.join(ROOT, "build", "uncore"))
COUNTED = "xeon-e7"
MACHINES = (COUNTED, "xeon-7500")
SKIPPED = 77

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from rows import family_rows


def counted(path):
    """{(what, box or layout, event): rows}; `added` rows, which the data has
    from the register tables, are summed with the event's own."""
    rows = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if not words:
                continue
            what = words[0].replace("added", "unit_masks")
            key = (what,) + tuple(words[1:-1])
            rows[key] = rows.get(key, 0) + int(words[-1])
    return rows


def expected(machine):
    rows = {}
    folder = os.path.join(ROOT, "tests", "encode")
    for path in sorted(glob.glob(os.path.join(folder, "expected-*.txt"))):
        if "-xeon-" not in os.path.basename(path):
            rows.update(counted(path))
    if machine != COUNTED:
        rows.update(counted(os.path.join(folder,
                                         "expected-%s.txt" % machine)))
    return rows


def layouts(topics):
    """{layout: patterns of the names of its registers}."""
    found = {}
    for row in topics["registers"]:
        for register in row.children:
            pattern = re.sub(r"\\\{\w+\\\}", r"\\d+",
                             re.escape(register.words[0]))
            found.setdefault(register.keys["layout"], []).append(pattern)
    return found


def packets(topics):
    """{(plural of the row's first word,): rows} of packets.txt."""
    rows = {}
    for row in topics["packets"]:
        key = row.words[0] + ("es" if row.words[0].endswith("s") else "s")
        rows[key,] = rows.get((key,), 0) + 1
    return rows


def run(*words):
    ran = subprocess.run((UNCORE,) + words, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout)


def box_type(name):
    return re.sub(r"\d+$", "", name)


def count(topics, registers, listing):
    rows = packets(topics)
    for register in registers:
        key = ("registers", box_type(register["box"]))
        rows[key] = rows.get(key, 0) + 1
    for layout, patterns in layouts(topics).items():
        numbers = {len(r["fields"]) for r in registers
                   if any(re.fullmatch(p, r["name"]) for p in patterns)}
        if len(numbers) == 1:
            rows["fields", layout] = numbers.pop()
    for what in ("ports", "classes", "opcodes"):
        rows[what,] = len(listing[what])
    for event in listing["events"]:
        box = box_type(event["box"])
        rows["events", box] = rows.get(("events", box), 0) + 1
        rows["unit_masks", box, event["name"]] = len(event["unit_masks"])
    return rows


def compare(machine):
    """How many numbers differ."""
    topics = family_rows(os.path.join(ROOT, "data", machine))[1]
    want = expected(machine)
    have = count(topics, run("registers", "--machine", machine, "--json"),
                 run("list", "--machine", machine, "--json"))
    wrong = 0
    for key, rows in sorted(want.items()):
        if have.get(key, 0) != rows:
            wrong += 1
            print("%s: %s: the guide has %d, the tables have %s" %
                  (machine, " ".join(key), rows, have.get(key, "none")))
    print("%s: %d numbers compared, %d differ" % (machine, len(want), wrong))
    return wrong if want else 1


def main():
    if not os.path.exists(UNCORE):
        print("the command is not built")
        return SKIPPED
    return 1 if sum(compare(machine) for machine in MACHINES) else 0


if __name__ == "__main__":
    sys.exit(main())
