#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Eight times as many events are about eight times as much work, not 64 times as
# much: of events that are alike one is planned. Counted in instructions by
# Cachegrind, so that neither the clock nor other programs matter.

import os
import re
import shutil
import subprocess
import sys

UNCORE = os.environ.get("UNCORE", "build/uncore")
FEW, MANY = 250, 2000
MOST = 2 * MANY / FEW
EVENTS = ("cbox/LLC_MISSES.ALL/", "rbox/PACKETS,port=qpi0,mc=DRS/",
          "bbox/TF_ALL/", "mbox/DRAM_CMD.CAS_RD_OPN/")


def skip(text):
    print(text)
    sys.exit(77)


def instructions(command, num):
    ran = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no",
         "--cachegrind-out-file=/dev/null", UNCORE, command] +
        [EVENTS[i % len(EVENTS)] for i in range(num)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"I *refs: +([\d,]+)$", ran.stderr, re.M)
    if ran.returncode or not found:
        sys.exit("%s: status %d: %s" % (command, ran.returncode, ran.stderr))
    return int(found.group(1).replace(",", ""))


def main():
    if not shutil.which("valgrind"):
        skip("valgrind is missing")
    with open(UNCORE, "rb") as program:
        if b"__asan_init" in program.read():
            skip("the sanitizers' instructions are no measure")
    failed = False
    for command in ("schedule", "encode"):
        none = instructions(command, len(EVENTS))
        few, many = (instructions(command, num) - none for num in (FEW, MANY))
        print("%s: %d events %d instructions, %d events %.1f times as many" %
              (command, FEW, few, MANY, many / few))
        failed |= many > few * MOST
    sys.exit(failed)


if __name__ == "__main__":
    main()
