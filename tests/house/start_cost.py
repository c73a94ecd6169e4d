#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What any command costs before its own work, the loader's part among it: 1.9 million
# instructions of the host at most, counted by Callgrind. The loader has 0.3 of them,
# however many families there are, since their tables have offsets in place of
# pointers (struct uc_image); the one that is asked for takes 0.1 to 0.3 for its own.
# Libraries that few commands need are not loaded by the others. Metrics are there,
# and not made: to show one is little more than the start. A list costs what its lines
# cost, each once: a walk of all rows for each row of metrics took 26 million, and 18
# for an event's page. Slices of all metrics are planned, and on the model each slice
# once more for a PMU of its own, in a hundred million.

import os
import re
import shutil
import subprocess
import sys

UNCORE = os.environ.get("UNCORE", "build/uncore")
MOST = 2e6
MOST_PLANS = 1e8
PLAN = "uncore_schedule_new"
EVENT = "cbox/LLC_MISSES.ALL/"
COMMANDS = (["--version"], ["schedule", EVENT], ["encode", EVENT],
            *(["list", "-m", family, "--metrics", "simulated_time"]
              for family in ("xeon-e7", "xeon-7500", "xeon-e5-2600", "xeon-e5-v4")),
            *(["list", "-m", family, "--metrics", "memory_read"]
              for family in ("xeon-scalable-1", "xeon-scalable-2")))
LONG = ((["list"], 12e6), (["list", "--metrics"], 5e6), (["registers"], 16e6),
        (["explain", "memory_read"], 5e6), (["explain", EVENT], 9e6))
LATE = ("libmicrohttpd", "libncurses", "libdw", "libelf", "libfuse", "libsqlite")


def instructions(words, *options):
    ran = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         *options, UNCORE, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        encoding="utf-8", check=False)
    found = re.search(r"I *refs: +([\d,]+)$", ran.stderr, re.M)
    return not ran.returncode and found and int(found.group(1).replace(",", ""))


def helps():
    """--help of every command there is."""
    text = subprocess.run([UNCORE, "--help"], stdout=subprocess.PIPE,
                          encoding="utf-8", check=False).stdout
    names = re.findall(r"^  (\w+) +\S", text, re.M)
    assert "stat" in names and len(names) > 15, names
    return [[name, "--help"] for name in names]


def main():
    failed = 0
    if not shutil.which("valgrind"):
        print("there is no valgrind")
        return 77
    for words, most in [(words, MOST) for words in (*COMMANDS, *helps())] + [*LONG]:
        cost = instructions(words)
        print("%s: %s instructions" % (" ".join(words), cost))
        failed += not cost or cost > most
    cost = instructions(["stat", "-M", "all", "-w", "idle", "--cycles", "10"],
                        "--toggle-collect=" + PLAN)
    print("plans of all metrics: %s instructions" % cost)
    failed += not cost or cost > MOST_PLANS
    loaded = subprocess.run(
        [UNCORE, "--version"], env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1"),
        stdout=subprocess.PIPE, encoding="utf-8", check=False).stdout
    wrong = [name for name in LATE if name in loaded]
    print("loaded at start: %s" % (wrong or "none of these libraries"))
    return failed + len(wrong)


if __name__ == "__main__":
    sys.exit(main())
