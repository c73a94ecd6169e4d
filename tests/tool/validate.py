#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The model's latencies and bandwidths are those of real machines."""
import json
import os
import subprocess
import sys

UNCORE = os.environ["UNCORE"]
METRICS = 10


def main():
    run = subprocess.run([UNCORE, "model", "validate", "--json"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=300, check=False)
    rows = json.loads(run.stdout)["rows"]
    wrong = [row for row in rows
             if not row["accept_low"] <= row["model"] <= row["accept_high"]]
    for row in wrong:
        print("%(metric)s: %(model)s is not in %(accept_low)s to "
              "%(accept_high)s" % row)
    if len(rows) != METRICS:
        print("%d figures instead of %d" % (len(rows), METRICS))
    if any(row["passed"] != (row not in wrong) for row in rows):
        print("'passed' contradicts the figures")
        return 1
    if run.returncode != (1 if wrong else 0):
        print("exit code %d" % run.returncode)
        return 1
    return 1 if wrong or len(rows) != METRICS else 0


sys.exit(main())
