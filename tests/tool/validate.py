#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The model's latencies, bandwidths and pairs of loops are those of real
machines, or it is known why not: a figure that is noted as not met is neither
met nor worse than its note. The Xeon 7500, all machines at once, where figures
are the same, and all pairs of loops are in the suite `long`."""
import json
import os
import re
import subprocess
import sys

import sandbox

UNCORE = os.environ["UNCORE"]
SOURCE = os.environ["UNCORE_SOURCE"]
MACHINES = ("xeon-e7", "xeon-7500", "xeon-e5-2600", "xeon-e5-v2",
            "xeon-e5-2690-v2", "xeon-e5-v3", "xeon-e5-2699-v3", "xeon-e5-v4")
# One of each kind, of those that take little time.
PAIRS = "@(store|list|set|update|chain|divide|counters-2)"


def rows_of(name):
    """Names of rows."""
    with open(os.path.join(SOURCE, "proof", name), encoding="utf-8") as file:
        return [row.split()[1] for row in
                re.findall(r"^(?:figure|pair) .*", file.read(), re.M)]


def is_right(row):
    """Whether nothing is to be said of a figure, worked out once more."""
    low, high = row["accept_low"], row["accept_high"]
    low, high = low or 0, float("inf") if high is None else high
    is_met = low <= row["model"] <= high
    if row["unmet"] is None:
        return is_met
    limit = row["unmet_limit"]
    return not is_met and min(limit, low) <= row["model"] <= max(limit, high)


def check(*options):
    """The rows, or None if there is something wrong about them."""
    if sandbox.LONG:
        options += ("--long",)
    run = subprocess.run([UNCORE, "model", "validate", "--json", *options],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=3000 if sandbox.LONG else 300, check=False)
    rows = json.loads(run.stdout)["rows"]
    wrong = [row for row in rows if not is_right(row)]
    for row in wrong:
        print("%(machine)s: %(metric)s: %(model)s, accepted %(accept_low)s to "
              "%(accept_high)s, noted %(unmet_limit)s: %(complaint)s" % row)
    if [row for row in rows if row["complaint"]] != wrong:
        print("the complaints are not those of the figures")
        return None
    if run.returncode != (1 if wrong else 0):
        print("exit code %d: %s" % (run.returncode, run.stderr.decode()))
        return None
    return None if wrong else rows


def refused():
    return subprocess.run([UNCORE, "model", "validate", "--pairs", "nix"],
                          stderr=subprocess.DEVNULL, check=False).returncode


def main():
    if refused() != 2:
        print("a pair that is not there is no mistake in the command")
        return 1
    machines = MACHINES if sandbox.LONG else MACHINES[::2]
    single = [check("--machine", machine) for machine in machines]
    if None in single:
        return 1
    if sandbox.LONG:
        if sum(map(len, single)) != len(rows_of("figures.txt")):
            print("not all figures of proof/figures.txt are measured")
            return 1
        every = check("--pairs", "*")
        if every is None or len(every) != 3 * len(rows_of("pairs.txt")):
            return 1
        return 0 if check() else 1
    return 0 if check("--machine", MACHINES[0], "--pairs", PAIRS) else 1


sys.exit(main())
