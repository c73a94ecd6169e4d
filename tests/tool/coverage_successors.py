#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The events of the Xeon E5 v2, v3 and v4, on machines of the shape for which
the laws were written, the E5-2600's: what the model has counts and obeys its
law. Which it does not have is in docs/, see tests/house/model_doc.py."""
import json
import os
import subprocess
import sys

import sandbox

UNCORE = os.environ["UNCORE"]
MACHINES = {"xeon-e5-v2": 1072, "xeon-e5-v3": 1278, "xeon-e5-v4": 1287}


def output(*words):
    return json.loads(subprocess.run(
        [UNCORE, *words], stdout=subprocess.PIPE, check=False,
        timeout=1500).stdout)


def not_modelled(machine):
    """{(box, event, mask)}"""
    return {(event["box"], event["name"], mask)
            for event in output("list", "-m", machine, "--json")["events"]
            for mask, is_modelled in
            [(mask["name"], mask["modelled"]) for mask in event["unit_masks"]]
            or [(None, event["modelled"])]
            if not is_modelled}


def main():
    wrong = 0
    machines = list(MACHINES) if sandbox.LONG else ["xeon-e5-v3"]
    for machine in machines:
        rows = output("model", "coverage", "-m", machine, "--like",
                      "xeon-e5-2600", "--json")["rows"]
        allowed = not_modelled(machine)
        counted = [row for row in rows if row["count"]]
        for row in rows:
            name = row["box"], row["event"], row["unit_mask"]
            if row["excluded"] or (not row["count"] and name in allowed):
                continue
            if not row["count"] or not row["check"]:
                wrong += 1
                print(machine, *name, "counted", row["count"], row["check"])
        print(machine, len(rows), "rows,", len(counted), "counted")
        wrong += len(rows) != MACHINES[machine]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
