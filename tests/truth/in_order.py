#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Who only sums up an event and who is to be told of its overflow, and so wants
to hear of all in order, count the same: what a box tells when it is past would
reach the former alone. Every event of the Xeon E7, at one port: alone, summed
up; and among all others, in order. But in the suite `long`, each fifth of them
alone."""
import json
import os
import subprocess
import sys

UNCORE = os.environ.get("UNCORE", "build/uncore")
TRAFFIC = ["-N", "1", "-w", "random:threads=6,size=64M,count=600"]
AT_ONCE = 256
STEP = 1 if "UNCORE_LONG" in os.environ else 5


def run(*words):
    return subprocess.run([UNCORE, *words], check=True, encoding="utf-8",
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def events(machine):
    """BOX/EVENT.MASK and options of all events that the model counts."""
    for event in json.loads(run("list", "-m", machine, "--json"))["events"]:
        for mask in event["unit_masks"] or [None]:
            if (mask or event).get("modelled"):
                yield (event["box"], event["name"] +
                       ("." + mask["name"] if mask else ""),
                       ",port=qpi0" if event["box"] == "rbox" else "")


def counted(machine, texts):
    values = []
    for first in range(0, len(texts), AT_ONCE):
        words = [word for text in texts[first:first + AT_ONCE]
                 for word in ("-e", text)]
        found = json.loads(run("stat", "-m", machine, "--json",
                               *words, *TRAFFIC))
        values += [count["value"] for count in found["counts"]]
    return values


def main():
    names = list(events("xeon-e7"))
    ordered = counted("xeon-e7", ["%s/%s%s,pmi_en/" % name for name in names])
    failed = len(names) != len(ordered)
    names, ordered = names[::STEP], ordered[::STEP]
    alone = [counted("xeon-e7", ["%s/%s%s/" % name])[0] for name in names]
    for name, one, other in zip(names, alone, ordered):
        if one != other:
            failed += 1
            print("%s/%s%s: %s alone, %s in order" % (*name, one, other))
    counting = sum(map(bool, alone))
    print("%d of %d count, %d differ" % (counting, len(names), failed))
    return failed or counting < 150 // STEP


if __name__ == "__main__":
    sys.exit(bool(main()))
