#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The events of the Xeon Scalable: what the model has counts in a run and obeys its law
(proof/). What counts in none is named here with the reason; `long` tries all boxes."""
import fnmatch
import json
import os
import subprocess
import sys

import sandbox

UNCORE = os.environ["UNCORE"]
# Links are in the row of the north, with no stop above; M2Ms send lines alone.
STOPS = "messages from this stop, or to it, do not go this way"
WITHOUT = {
    "iio/*.VTD?": "VT-d has no requests of its own",
    "imc/PRE_COUNT.WR": "writes wait for each other, and open what is closed",
    "*/????_RING_??_IN_USE.*": STOPS,
    "*/TxR_????_*": STOPS,
    "*/AG?_*.TGR?": STOPS,
    "*/STALL_NO_TxR_HORZ_CRD_*": STOPS,
}
BOXES = {"upi": 26, "iio": 107, "irp": 7, "ubox": 9, "pcu": 13}
LONG = {"imc": 389, "cha": 291, "m2m": 102, "m3upi": 81}


def main():
    wrong = 0
    for box, least in {**BOXES, **(LONG if sandbox.LONG else {})}.items():
        ended = subprocess.run(
            [UNCORE, "model", "coverage", "-m", "xeon-scalable-1", "-b", box, "--json"],
            stdout=subprocess.PIPE, check=False, timeout=1500)
        modelled = {(e["name"], m["name"]): m["modelled"] for e in json.loads(
            subprocess.run([UNCORE, "list", "-m", "xeon-scalable-1", "--json", box],
                           stdout=subprocess.PIPE, check=True).stdout)["events"]
            for m in e["unit_masks"] or [{"name": None, "modelled": e["modelled"]}]}
        rows = json.loads(ended.stdout)["rows"]
        for row in rows:
            name = "%s/%s%s" % (box, row["event"],
                                "." + row["unit_mask"] if row["unit_mask"] else "")
            if not row["count"] and (
                    row["excluded"] or not modelled[row["event"], row["unit_mask"]] or
                    any(fnmatch.fnmatch(name, pattern) for pattern in WITHOUT)):
                continue
            if not row["count"] or not row["check"]:
                wrong += 1
                print(name, "counted", row["count"], row["check"])
        counted = sum(bool(row["count"]) for row in rows)
        print(box, len(rows), "rows,", counted, "counted")
        wrong += counted < least
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
