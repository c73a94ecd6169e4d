#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What an access costs the model, in instructions of the host, counted by
# Cachegrind: twice as many accesses less once as many, so that start and end do
# not matter. It must not exceed by more than a fifth what docs/performance.md
# has; nor, what one costs that goes the quick way, with the workload that makes
# it, what it was noted to.
#
# In the suite `long` also what events cost that take turns: not more than half as
# much again as the default summary in the same run. What an access costs while
# all metrics are counted: not more than twice as much.

import os
import re
import shutil
import subprocess
import sys

UNCORE = os.environ.get("UNCORE", "build/uncore")
LIMIT = 1.2

# (what, workload, its two sizes, accesses more in the second, instructions of
# each as they were noted)
CASES = (
    ("a line of local memory", "stream:threads=2,size=%s", ("1m", "2m"),
     16384, 10100),
    ("a hit in the last-level cache", "chase:threads=2,size=1m,passes=%s",
     ("4", "8"), 65536, 2050),
    ("a line shared by two sockets",
     "random:threads=4,size=2m,shared=1,write=30,place=scatter,count=%s",
     ("3000", "6000"), 12000, 11270),
)

# Of the quick way: the same, and the words of the command.
QUICK = ("--set", "detail.share=0.1", "--set", "detail.start=1000")
EP = QUICK + ("-m", "xeon-e5-2600", "-e", "pcu/CLOCKTICKS/")
SMALL = ("--set", "llc.slice=256")
QUICK_CASES = (
    ("quick: a hit", "chase:threads=1,size=1m,passes=%s", ("2", "4"), 32768,
     1140, EP),
    ("quick: a line of memory, the other socket snooped",
     "chase:threads=1,size=%s,passes=1", ("1m", "2m"), 16384, 2280, EP),
    ("quick: sixteen cores, with victims and write-backs",
     "stream:threads=16,op=copy,size=%s", ("3m", "4m"), 32768,
     1380, EP + SMALL),
)


def skip(text):
    print(text)
    sys.exit(77)


TURNS_LIMIT = 1.5
TURNS_WORKLOAD = "random:size=16M,threads=4,count=10000"
ALL_LIMIT = 2
ALL_SIZES = (10, 3000)
TURNS = (("--turns", "-M", "memory,qpi"), ("--turns", "-M", "numa"))


def listening(*words):
    once, twice = (instructions("random:size=16M,threads=4,count=%d" % size,
                                *words) for size in ALL_SIZES)
    return twice - once


def instructions(workload, *words):
    ran = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no",
         "--cachegrind-out-file=/dev/null", UNCORE, "stat",
         *(() if QUICK[1] in words else ("--detail=full",)), *(words or ("-e", "wbox/FIXED_CTR/")), "--workload", workload],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"I *refs: +([\d,]+)$", ran.stderr, re.M)
    if ran.returncode or not found:
        sys.exit("%s: status %d: %s" % (workload, ran.returncode, ran.stderr))
    return int(found.group(1).replace(",", ""))


def is_instrumented():
    with open(UNCORE, "rb") as program:
        return b"__asan_init" in program.read()


def is_dear_to_many():
    """Whether turns, or all metrics, cost more than they may."""
    summary = instructions(TURNS_WORKLOAD, "-M", "summary")
    failed = False
    for words in TURNS:
        turns = instructions(TURNS_WORKLOAD, *words)
        print("%s: %d million instructions, summary %d, ratio %.3f" %
              (" ".join(words), turns // 10**6, summary // 10**6,
               turns / summary))
        failed |= turns > summary * TURNS_LIMIT
    ratio = listening("-M", "all") / listening("-M", "summary")
    print("-M all, for each access: ratio %.3f" % ratio)
    return failed or ratio > ALL_LIMIT


def main():
    if not shutil.which("valgrind"):
        skip("valgrind is missing")
    if is_instrumented():
        skip("the sanitizers' instructions are no measure")
    failed = False
    for what, workload, sizes, accesses, first, *words in CASES + QUICK_CASES:
        once, twice = (instructions(workload % size, *sum(words, ()))
                       for size in sizes)
        cost = (twice - once) / accesses
        print("%s: %.0f instructions, noted %d, ratio %.3f" %
              (what, cost, first, cost / first))
        failed |= cost > first * LIMIT
    if "UNCORE_LONG" in os.environ:
        failed |= is_dear_to_many()
    sys.exit(failed)


if __name__ == "__main__":
    main()
