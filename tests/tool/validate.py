#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The model's latencies and bandwidths are those of real machines; those of all
at once, which are the same, in the suite `long`."""
import json
import os
import subprocess
import sys

import sandbox

UNCORE = os.environ["UNCORE"]
MACHINES = {"xeon-e7": 10, "xeon-7500": 7, "xeon-e5-2600": 5}  # and their figures
if sandbox.LONG:
    MACHINES[None] = 22


def check(machine, metrics):
    """Whether the figures of a machine (None: of all) are as they should."""
    options = ["--machine", machine] if machine else []
    run = subprocess.run([UNCORE, "model", "validate", "--json", *options],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=300, check=False)
    rows = json.loads(run.stdout)["rows"]
    wrong = [row for row in rows
             if not row["accept_low"] <= row["model"] <= row["accept_high"]]
    for row in wrong:
        print("%(metric)s: %(model)s is not in %(accept_low)s to "
              "%(accept_high)s" % row)
    if len(rows) != metrics:
        print("%d figures instead of %d" % (len(rows), metrics))
    if any(row["passed"] != (row not in wrong) for row in rows):
        print("'passed' contradicts the figures")
        return False
    if run.returncode != (1 if wrong else 0):
        print("exit code %d" % run.returncode)
        return False
    return not wrong and len(rows) == metrics


def main():
    return 0 if all([check(*item) for item in MACHINES.items()]) else 1


sys.exit(main())
