#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Every event and unit mask counts and obeys its law, but for those that the
guide rules out and those that are listed here with the reason. A law that is
no equality and leaves more than a factor of two says why. All of them in the
suite `long`, else those that few runs count."""
import json
import os
import re
import subprocess
import sys

import sandbox

UNCORE = os.environ["UNCORE"]
KEYS = ["box", "event", "unit_mask", "signals", "workload", "count", "check",
        "why", "excluded"]
MACHINES = {"xeon-e7": 863, "xeon-7500": 775, "xeon-e5-2600": 520}  # and their rows

# What the guide itself calls illegal, undefined or not observable; the Xeon
# 7500 has only some of these events.
EXCLUDED = {
    ("mbox", "DRAM_CMD", "ILLEGAL"),
    ("mbox", "DRAM_MISC", "ILLEGAL"),
    ("mbox", "FVID_RACE", None),
    ("sbox", "TO_R_DRS_MSGQ_CYCLES_FULL", "ALL"),
    ("sbox", "TO_R_NCB_MSGQ_CYCLES_FULL", "ALL"),
    ("sbox", "TO_R_NCS_MSGQ_CYCLES_FULL", "ALL"),
    ("sbox", "TO_R_LOC_NCS_MSGQ_CYCLES_FULL", "ALL"),
}

# Of the Xeon E5-2600: registers that are not published, cores of two threads,
# messages of which no source says what they are, isochronous traffic, a third
# socket, messages between devices of two.
EXCLUDED |= {("ubox", "FILTER_MATCH", mask)
             for mask in ("ENABLE", "DISABLE", "U2C_ENABLE", "U2C_DISABLE")}
EXCLUDED |= {("ubox", "U2C_EVENTS", mask)
             for mask in ("MONITOR_T1", "LIVELOCK", "LTERROR", "TRAP")}
EXCLUDED |= {("ha", "IMC_WRITES", "FULL_ISOCH"),
             ("ha", "IMC_WRITES", "PARTIAL_ISOCH"),
             ("imc", "MAJOR_MODES", "ISOCH"),
             ("qpi", "TxL_FLITS_G2", "NDR_AK"),
             ("qpi", "RxL_FLITS_G2", "NDR_AK")}
EXCLUDED |= {("r3qpi", "IIO_CREDITS_" + event, "DRS")
             for event in ("ACQUIRED", "REJECT", "USED")}

# Of a bound that needs no reason.
FACTOR = 2

# But in the suite `long`, by box and event: what few runs count of each box.
SOME = (("wbox", "*"), ("ubox", "*"), ("bbox", "*"), ("cbox", "*"), ("sbox", "PKTS_*"), ("sbox", "REQ_*"),
              ("rbox", "FLITS_*"), ("rbox", "QUE_*"), ("mbox", "DRAM_*"),
              ("mbox", "CYCLES_*"), ("mbox", "PAGE*"))
ALL = (("*", "*"),)


def name_of(row):
    return row["box"], row["event"], row["unit_mask"]


def conditions(row):
    """[(relation, number)] of a law; its largest increment is none."""
    found = [re.match(r"(\S+) .*: (\d+)(?: to (-?\d+))?$", part)
             for part in row["check"].split("; ")]
    return [(part[1], int(part[3] or part[2])) for part in found if part]


def is_exact(row):
    return any(relation[0] in "=~" for relation, _ in conditions(row))


def is_close(row):
    """Whether bounds from both sides are within the factor."""
    most = min((number for relation, number in conditions(row)
                if relation == "<="), default=FACTOR * row["count"] + 1)
    least = max((number for relation, number in conditions(row)
                 if relation == ">="), default=0)
    return most <= FACTOR * row["count"] and row["count"] <= FACTOR * least


def check(row):
    """A sentence on what is wrong with a row, or None."""
    name = name_of(row)
    if list(row) != KEYS:
        return "has the keys %s" % list(row)
    if not row["signals"] and row["excluded"] is None:
        return "has no signals"
    if (row["excluded"] is not None) != (name in EXCLUDED):
        return "excluded: %s" % row["excluded"]
    if name in EXCLUDED:
        return None
    if not row["count"]:
        return "counted nothing"
    if not row["check"] or not row["workload"]:
        return "counted %s, and its law is broken" % row["count"]
    if not (row["why"] or is_exact(row) or is_close(row)):
        return "is loose without a reason: %s" % row["check"]
    return None


def rows_of(*options):
    """The rows that the command shows with these options."""
    run = subprocess.run([UNCORE, "model", "coverage", "--json", *options],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         timeout=1500, check=False)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr.decode())
    data = json.loads(run.stdout)
    if list(data) != ["schema", "rows"]:
        sys.exit("the keys are %s" % list(data))
    rows = data["rows"]
    is_complete = all(row["check"] or row["excluded"] for row in rows)
    if run.returncode != (0 if is_complete else 1):
        sys.exit("exit code %d" % run.returncode)
    return rows


def main(machine, some=SOME):
    options = ["--machine", machine]
    parts = ALL if sandbox.LONG else some
    rows = [row for box, event in parts
            for row in rows_of(*(["--box", box] if box != "*" else []),
                               "--event", event, *options)]
    print("%d rows" % len(rows))
    wrong = [(name_of(row), check(row)) for row in rows if check(row)]
    for name, sentence in wrong:
        print("/".join(str(part) for part in name if part), sentence)
    if (len(rows) != MACHINES[machine]) != (len(parts) > 1):
        print("not %d rows" % MACHINES[machine])
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("xeon-e7"))
