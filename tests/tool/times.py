#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# uncore stat over time: intervals add up to the whole, a delay leaves out what
# came before it, a timeout what comes behind it.

import json
import os
import re
import shutil
import statistics
import subprocess
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
WORKLOAD = ("-w", "stream:op=read,size=1M,threads=4")
EVENT = "cbox/LLC_MISSES.ALL/"
LINES = (1 << 20) // 64


def stat(*words, code=0):
    ran = subprocess.run([UNCORE, "stat", *words], text=True, timeout=100,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         check=False)
    if ran.returncode != code:
        raise AssertionError("%s: %d: %s" % (words, ran.returncode,
                                             ran.stderr))
    return ran


def count(*words):
    return json.loads(stat("--json", "-e", EVENT, *words,
                           *WORKLOAD).stdout)["counts"][0]["value"]


def laps(*words):
    """The intervals, a JSON object each."""
    return [json.loads(line)
            for line in stat("--json", *words).stdout.splitlines()]


class Intervals(unittest.TestCase):
    def test_add_up(self):
        whole = json.loads(stat("--json", "-e", EVENT, "-M", "instructions",
                                *WORKLOAD).stdout)
        parts = laps("-I", "10us", "-e", EVENT, "-M", "instructions", *WORKLOAD)
        self.assertGreater(len(parts), 4)
        for name in "uncore_cycles", "instructions":
            self.assertEqual(sum(part[name] for part in parts), whole[name])
        self.assertEqual(sum(part["counts"][0]["value"] for part in parts),
                         whole["counts"][0]["value"])
        self.assertEqual(sum(part["metrics"][0]["value"] for part in parts),
                         whole["metrics"][0]["value"])
        times = [part["time"] for part in parts]
        self.assertEqual(times, sorted(times))
        for number, time in enumerate(times[:-1], 1):
            self.assertAlmostEqual(time, number * 10e-6, delta=1e-6)

    def test_fields_are_those_of_perf(self):
        lines = stat("-I", "10us", "-x,", "-e", EVENT,
                     *WORKLOAD).stdout.splitlines()
        self.assertGreater(len(lines), 4)
        for line in lines:
            self.assertRegex(line, r"^0\.\d{9},\d+,events,cbox/LLC_MISSES.ALL/,")

    def test_rows_come_as_they_are_made(self):
        with subprocess.Popen(
                [UNCORE, "stat", "-I", "1ms", "-x,", "-e", EVENT, "-w",
                 "stream:size=1M,passes=100000"], text=True,
                stdout=subprocess.PIPE) as process:
            self.assertIn("LLC_MISSES", process.stdout.readline())
            self.assertIsNone(process.poll())
            process.kill()

    def test_what_takes_turns_has_none(self):
        ran = stat("-I", "1", "--turns", "-M", "all", *WORKLOAD, code=2)
        self.assertIn("turns", ran.stderr)


class Repeats(unittest.TestCase):
    RANDOM = "random:size=4M,count=500,threads=4"

    def test_are_means_of_what_each_run_counts(self):
        """Seeds 3, 4 and 5, run by run and together."""
        each = [json.loads(stat("--json", "-e", EVENT, "--seed", str(seed),
                                "-w", self.RANDOM).stdout)["counts"][0]["value"]
                for seed in (3, 4, 5)]
        self.assertGreater(len(set(each)), 1)
        out = json.loads(stat("--json", "-r", "3", "--seed", "3", "-e", EVENT,
                              "-M", "llc_misses", "-w", self.RANDOM).stdout)
        self.assertEqual(out["runs"], 3)
        for row in out["counts"][0], out["metrics"][0]:
            self.assertAlmostEqual(row["value"], statistics.mean(each),
                                   delta=0.5)
            self.assertAlmostEqual(row["spread"],
                                   statistics.stdev(each) / 3 ** 0.5, places=6)

    def test_the_same_seed_is_the_same_run(self):
        line = stat("-x,", "-r", "3", "-e", EVENT, "-w",
                    self.RANDOM + ",seed=9").stdout
        self.assertRegex(line, r"^\d+,events,cbox/LLC_MISSES.ALL/,0.00%,\d+,100.00")

    def test_numbers_that_are_none(self):
        for bad in "0", "-1", "x", "1001":
            stat("-r", bad, "-e", EVENT, "-w", self.RANDOM, code=2)

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind here")
    def test_programs_run_so_often(self):
        ran = stat("-r", "3", "-e", EVENT, "--", "sh", "-c", "echo x; exit 7",
                   code=7)
        self.assertEqual(ran.stdout, "x\n" * 3)
        self.assertIn("Means of 3 runs", ran.stderr)


class WordsOfPerf(unittest.TestCase):
    """What cannot be is refused with what works, what can be does."""

    def test_refused(self):
        for words, hint in ((("-p", "1"), "(-- PROGRAM)"),
                            (("-t", "1"), "(-- PROGRAM)"),
                            (("-C", "0"), "--per-socket"), (("-d",), "-M")):
            self.assertIn(hint, stat(*words, *WORKLOAD, code=2).stderr)

    def test_understood(self):
        boxes = stat("-x,", "-e", EVENT, "--per-box", *WORKLOAD).stdout
        for word in "-A", "--no-aggr", "--no-merge":
            self.assertEqual(stat("-x,", "-a", "-e", EVENT, word,
                                  *WORKLOAD).stdout, boxes)
        self.assertIn("CB0_CR_C_MSR_PMON_EVT_SEL_0",
                      stat("-v", "-e", EVENT, *WORKLOAD).stdout)
        self.assertIn("Usage: uncore stat", stat("-h").stdout)
        help_of = subprocess.run([UNCORE, "help", "stat"], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(help_of, stat("--help").stdout)


class Spans(unittest.TestCase):
    def test_a_delay_and_a_timeout_make_the_whole(self):
        """In the model the same cycle is reached both times."""
        whole = count()
        early = count("--timeout", "30us")
        late = count("--delay", "30us")
        self.assertEqual(whole, LINES)
        self.assertGreater(min(early, late), 100)
        self.assertEqual(early + late, whole)

    def test_a_delay_that_is_too_long(self):
        ran = stat("--delay", "1s", "-e", EVENT, *WORKLOAD, code=1)
        self.assertIn("--delay", ran.stderr)

    def test_times_that_are_none(self):
        for bad in "-1", "0", "x", "1h", "nan", "":
            for option in "-I", "-D", "--timeout":
                ran = stat(option, bad, "-e", EVENT, *WORKLOAD, code=2)
                self.assertIn(option.replace("-D", "--delay"), ran.stderr)

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind here")
    def test_a_program_ends_with_its_time(self):
        """Modelled time: sleeping costs none, so it computes."""
        ran = stat("--timeout", "200us", "-e", EVENT, "--", "sh", "-c",
                   "while :; do :; done", code=128 + 15)
        seconds = float(re.search(r"([\d.]+)  seconds simulated",
                                  ran.stderr).group(1))
        self.assertAlmostEqual(seconds, 200e-6, delta=5e-6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
