#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Nothing of the guide is missing: tests/encode/expected-*.txt has, per table,
# the number of rows counted in the guide's text; `uncore registers` and `uncore
# list` must print that many. The layouts' names come from data/, because the
# registers themselves are printed without them, and so do the rows about packets,
# which no command prints.

import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
UNCORE = os.environ.get("UNCORE", os.path.join(ROOT, "build", "uncore"))
MACHINE = "xeon-e7"
SKIPPED = 77


def expected():
    """{(what, box or layout, event): rows}; `added` rows, which the data has
    from the register tables, are summed with the event's own."""
    rows = {}
    for path in sorted(glob.glob(
            os.path.join(ROOT, "tests", "encode", "expected-*.txt"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                words = line.split("#")[0].split()
                if not words:
                    continue
                what = words[0].replace("added", "unit_masks")
                key = (what,) + tuple(words[1:-1])
                rows[key] = rows.get(key, 0) + int(words[-1])
    return rows


def layouts():
    """{layout: pattern of the names of its registers}."""
    found = {}
    for path in sorted(glob.glob(
            os.path.join(ROOT, "data", MACHINE, "registers*.txt"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                match = re.match(r"\s+(\S+)\s.*\blayout=(\S+)", line)
                if match:
                    pattern = re.sub(r"\\\{\w+\\\}", r"\\d+",
                                     re.escape(match.group(1)))
                    found.setdefault(match.group(2), []).append(pattern)
    return found


def packets():
    """{(plural of the row's first word,): rows} of packets.txt."""
    rows = {}
    with open(os.path.join(ROOT, "data", MACHINE, "packets.txt"),
              encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words and words[0] != "#":
                key = words[0] + ("es" if words[0].endswith("s") else "s")
                rows[key,] = rows.get((key,), 0) + 1
    return rows


def run(*words):
    ran = subprocess.run((UNCORE,) + words, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout)


def internal(what):
    """Rows of packets.txt that no command prints."""
    path = os.path.join(ROOT, "data", MACHINE, "packets.txt")
    with open(path, encoding="utf-8") as lines:
        return sum(line.startswith(what + " ") for line in lines)


def box_type(name):
    return re.sub(r"\d+$", "", name)


def count(registers, listing):
    rows = packets()
    for register in registers:
        key = ("registers", box_type(register["box"]))
        rows[key] = rows.get(key, 0) + 1
    for layout, patterns in layouts().items():
        numbers = {len(r["fields"]) for r in registers
                   if any(re.fullmatch(p, r["name"]) for p in patterns)}
        if len(numbers) == 1:
            rows["fields", layout] = numbers.pop()
    for what in ("ports", "classes", "opcodes"):
        rows[what,] = len(listing[what])
    for what in ("route", "onehot"):
        rows[what + "s",] = internal(what)
    for event in listing["events"]:
        box = box_type(event["box"])
        rows["events", box] = rows.get(("events", box), 0) + 1
        rows["unit_masks", box, event["name"]] = len(event["unit_masks"])
    return rows


def main():
    if not os.path.exists(UNCORE):
        print("the command is not built")
        return SKIPPED
    want = expected()
    have = count(run("registers", "--machine", MACHINE, "--json"),
                 run("list", "--machine", MACHINE, "--json"))
    wrong = 0
    for key, rows in sorted(want.items()):
        if have.get(key, 0) != rows:
            wrong += 1
            print("%s: the guide has %d, the tables have %s" %
                  (" ".join(key), rows, have.get(key, "none")))
    print("%d numbers compared, %d differ" % (len(want), wrong))
    return 1 if wrong or not want else 0


if __name__ == "__main__":
    sys.exit(main())
