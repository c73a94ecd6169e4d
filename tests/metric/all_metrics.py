#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Every built-in metric of each family, on traffic of all kinds: none is
marked as impossible, and each is what the second implementation makes of the
counts, for the machine, each socket and each box. All are counted in one run,
exactly: on the model events that do not fit together do not take turns."""
import json
import math
import os
import subprocess
import sys

from evaluator import Counts, NoValue, Scope, Set

UNCORE = os.environ["UNCORE"]
FAMILIES = {"xeon-e7": 80, "xeon-7500": 80, "xeon-e5-2600": 50}  # at least
MACHINE = ("-N", "2", "--set", "llc.slice=24", "--set", "llc.ways=4")
WORKLOAD = ("-w", "evict:size=1M,threads=16,count=150")


def run(*words):
    return subprocess.run([UNCORE, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=100)


def stat(family, names):
    ran = run("stat", "--json", "--per-box", "-m", family, *MACHINE, *WORKLOAD,
              "-M", ",".join(names))
    if ran.returncode:
        sys.exit(ran.stderr.decode())
    return json.loads(ran.stdout)


def parameters(family):
    """Of the machine of the test, by name."""
    shown = json.loads(run("model", "show", "--json", "-m", family,
                           *MACHINE).stdout)
    return {row["name"]: row["value"] for row in shown["parameters"]}


def expect(metrics, counts, row):
    """The value that a row of the output should have; None where there can be
    none, and None or a text for what is wrong with it."""
    metric = metrics.rows[row["name"]]
    scope = Scope(metrics, counts, row["socket"])
    if "box" in row:
        scope.box = row["box"].rstrip("0123456789")
        scope.instance = int(row["box"][len(scope.box):])
    try:
        value = scope.value(metric.formula)
    except NoValue:
        return None, None
    most = scope.value(metric.max) if metric.max else math.inf
    if not scope.value(metric.min) * (1 - 1e-9) <= value <= most * (1 + 1e-9):
        return value, "%s is %s, limit %s" % (row["name"], value, most)
    return value, None


def compare(metrics, out, boxes):
    wrong = []
    counts = Counts(out, boxes)
    for row in out["metrics"]:
        value, complaint = expect(metrics, counts, row)
        if complaint:
            wrong.append(complaint)
        elif value is None:
            if row["value"] is not None:
                wrong.append("%s should have no value" % row)
        elif row["value"] is None or not math.isclose(row["value"], value,
                                                      rel_tol=1e-9,
                                                      abs_tol=1e-12):
            wrong.append("%s: the counts make %s" % (row, value))
    return wrong


def check(family):
    listed = json.loads(run("list", "--metrics", "--json", "-m",
                            family).stdout)["metrics"]
    metrics = Set(family)
    known = parameters(family)
    for fact, param in metrics.params.items():
        if param:
            metrics.facts[fact] = float(known[param])
    names = [metric["name"] for metric in listed]
    wrong = []
    if set(names) != set(metrics.rows):
        wrong.append("metrics of one side only: %s"
                     % (set(names) ^ set(metrics.rows)))
    boxes = {box["name"]: box["instances"]
             for box in json.loads(run("list", "--json", "-m",
                                       family).stdout)["boxes"]}
    out = stat(family, names)
    wrong += compare(metrics, out, boxes)
    rows = len(out["metrics"])
    valued = sum(row["value"] is not None for row in out["metrics"])
    print("%s: %d metrics, %d values, %d of them numbers"
          % (family, len(names), rows, valued))
    for text in wrong[:20]:
        print(text)
    return not wrong and len(names) >= FAMILIES[family]


def main():
    return 0 if all([check(family)
                     for family in sys.argv[1:] or FAMILIES]) else 1


if __name__ == "__main__":
    sys.exit(main())
