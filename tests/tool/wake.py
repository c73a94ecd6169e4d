#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A program takes the same time wherever uncore is installed, though the length of
# that path changes how many lines are touched before its first instruction. Of
# histogram's four threads three sleep while the first makes the records; then all
# count. Where the front end's estimate of a thread that slept was not what it
# had been, the three began late, by as long as they had slept: a quarter of the
# run, in every third folder.

import json
import os
import shutil
import subprocess
import sys
import tempfile

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD",
                                       os.path.dirname(UNCORE)))
LENGTHS = ((1, 2, 4, 8, 12, 16, 24, 32, 40, 64) if "UNCORE_LONG" in os.environ
           else (1, 4, 12, 24, 64))
MOST = 1.12  # slowest by fastest; the runs themselves differ by 3 per cent


def install(folder):
    os.mkdir(folder)
    for name in os.listdir(BUILD):
        if name in ("uncore", "uncore-amd64-linux"):
            shutil.copy(os.path.join(BUILD, name), folder)
    return os.path.join(folder, "uncore")


def cycles(command):
    ended = subprocess.run(
        [command, "stat", "-j", "--log-fd=1", "--place", "compact", "--set",
         "llc.slice=64", "-e", "wbox0/FIXED_CTR/", "--",
         os.path.join(BUILD, "histogram")],
        stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ended.stdout[ended.stdout.index("{\n"):])["uncore_cycles"]


def main():
    found = []
    for length in LENGTHS:
        with tempfile.TemporaryDirectory(prefix="uncore-wake-") as folder:
            found.append(cycles(install(os.path.join(folder, "x" * length))))
    print("cycles:", *found)
    return 1 if max(found) > MOST * min(found) else 0


if __name__ == "__main__":
    sys.exit(main())
