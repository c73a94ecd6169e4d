#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""A threaded program gives the same counts every time, to the last digit: the
order of its threads is decided beside it, not by the host. Each program of
traffic_repeat.c runs several times, every other time while all of the host's
CPUs are busy with something else, and has to count the same; in the suite
`long` all of them, and once more.

    repeats.py [--runs N] [--programs NAME,...] [-- PROGRAM ARGUMENT...]
"""
import argparse
import contextlib
import os
import subprocess
import sys
import time

import counting
import sandbox

FEW = ("handover",)
PROGRAMS = FEW + (("mutex", "queue", "barrier", "malloc", "split", "rwlock",
                   "semaphore", "merge", "atomic") if sandbox.LONG else ())
# All of them count at the same time.
EVENTS = (counting.ASKED, counting.GIVEN, counting.FILLS, counting.MISSES,
          counting.READS, counting.WRITES, "cbox/LLC_HITS.ALL/",
          "cbox/OCCUPANCY_MAF/", "sbox/TO_R_B_REQUESTS.REMOTE/",
          "rbox/FLITS_SENT,port=qpi0/", "wbox/FIXED_CTR/")
BUSY = "while True: pass"
SHOWN = 3  # differences of a program


@contextlib.contextmanager
def busy_host():
    """Something else runs on each CPU."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY])
              for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
        for other in others:
            other.wait()


def run_once(command, is_busy):
    with busy_host() if is_busy else contextlib.nullcontext():
        report, ran = counting.stat(command, EVENTS, "--repeatable")
    if ran.returncode or not report:
        raise SystemExit("%s ended with %d: %s" % (
            " ".join(command), ran.returncode, ran.stderr.strip()))
    sums = {"cycles": report["uncore_cycles"]}
    for count in report["counts"]:
        key = "%s of socket %s" % (count["event"], count["socket"])
        sums[key] = sums.get(key, 0) + count["value"]
    return sums


def differences(runs):
    """A line for each count that is not always the same."""
    return ["  %s: %s" % (key, ", ".join(str(run.get(key)) for run in runs))
            for key in runs[0] if len({run.get(key) for run in runs}) > 1]


def repeat(name, command, num_runs):
    """Whether all runs count the same."""
    start = time.monotonic()
    runs = [run_once(command, is_busy=i % 2 == 1) for i in range(num_runs)]
    lines = differences(runs)
    print("%-10s %d runs, %.1f s: %s" % (
        name, num_runs, time.monotonic() - start,
        "%d counts differ" % len(lines) if lines else "the same"))
    for line in lines[:SHOWN]:
        print(line)
    sys.stdout.flush()
    return not lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int,
                        default=3 if sandbox.LONG else 2)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("command", nargs="*")
    asked = parser.parse_args()
    if asked.command:
        commands = [(os.path.basename(asked.command[0]), asked.command)]
    else:
        commands = [(name, counting.program("traffic_repeat", name))
                    for name in asked.programs.split(",")]
    same = [repeat(name, command, asked.runs) for name, command in commands]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
