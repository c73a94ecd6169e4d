#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The list of what the model leaves out is honest: every event and unit mask that
# `uncore list` calls not modelled is named in the document of its machine, in
# the table of its box, and nothing is named there that can be counted or does not exist.

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
UNCORE = os.environ.get("UNCORE", os.path.join(ROOT, "build", "uncore"))
HEADING = "## What this version leaves out, event by event"
MACHINES = {"xeon-e7": "docs/xeon-e7.md", "xeon-7500": "docs/xeon-e7.md",
            "xeon-e5-2600": "docs/xeon-e5-2600.md",
            "xeon-e5-v2": "docs/xeon-e5-v2.md",
            "xeon-e5-v3": "docs/xeon-e5-v3.md",
            "xeon-e5-v4": "docs/xeon-e5-v3.md"}
SKIPPED = 77


def expand(name):
    """A{0,1}.B -> A0.B, A1.B"""
    match = re.search(r"\{([^{}]*)\}", name)
    if not match:
        return [name]
    return [full for part in match.group(1).split(",")
            for full in expand(name[:match.start()] + part +
                               name[match.end():])]


def named(document):
    """Yields (line number, box, name) of all first cells."""
    box = None
    inside = False
    with open(os.path.join(ROOT, document), encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("## "):
                inside = line.strip() == HEADING
            elif line.startswith("### "):
                box = line[4:].strip()
            elif inside and line.startswith("| `"):
                for text in re.findall(r"`([^`]+)`", line.split("|")[1]):
                    for name in expand(text):
                        yield number, box, name


def listed(machine):
    """{(box, EVENT or EVENT.MASK): can it be counted}, {those of an event}"""
    ran = subprocess.run((UNCORE, "list", "--machine", machine, "--json"),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         text=True, check=True)
    counts, parts = {}, {}
    for event in json.loads(ran.stdout)["events"]:
        whole = event["box"], event["name"]
        counts[whole] = event["modelled"]
        parts[whole] = []
        for mask in event["unit_masks"]:
            part = event["box"], event["name"] + "." + mask["name"]
            counts[part] = mask["modelled"]
            parts[whole].append(part)
    return counts, parts


def check(document, counts, parts):
    covered = set()
    for number, box, name in named(document):
        where = "%s:%d: %s/%s" % (document, number, box, name)
        key = box, name
        if key not in counts:
            yield where + " does not exist"
        elif key in covered:
            yield where + " is named twice"
        elif counts[key] or any(counts[p] for p in parts.get(key, ())):
            yield where + " is called left out, but can be counted"
        covered.add(key)
        covered.update(parts.get(key, ()))
    for key, can_count in sorted(counts.items()):
        masks = parts.get(key, ())
        if not can_count and key not in covered and not (
                masks and all(mask in covered for mask in masks)):
            yield "%s: %s/%s is not modelled, and not named" % (
                (document,) + key)


def main():
    if not os.path.exists(UNCORE):
        print("the command is not built")
        return SKIPPED
    problems = []
    for machine, document in MACHINES.items():
        counts, parts = listed(machine)
        problems += check(document, counts, parts)
        if not any(True for _ in named(document)):
            problems.append("%s names nothing" % document)
        print("%s: %d events and unit masks, %d of them not modelled" % (
            machine, len(counts), sum(not can_count
                                      for can_count in counts.values())))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
