#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The clock that a program reads under `uncore stat` is the model's: a triad
that times itself prints what the report says of the same region, an addition
takes a cycle, a sleep what it says, time goes back for no thread, and all
digits repeat. With
--clock=host it is the host's."""
import subprocess
import time
import unittest

from counting import MISSES, TIMEOUT, UNCORE, program, stat

# Core clocks in Hz: Xeon E7-4870 (Intel ARK), E5-2690 (the same).
CLOCKS = {"xeon-e7": 2.4e9, "xeon-e5-2600": 2.9e9}
EVENTS = {"xeon-e7": MISSES, "xeon-e5-2600": "cbo/LLC_LOOKUP.DATA_READ/"}
DATE = 1577836800  # of --repeatable: 2020-01-01, 0:00 UTC
NUM = 1 << 18  # what stands between a time and a mark is below 1 % of these


def numbers(words, *options, machine="xeon-e7"):
    """What the program prints, and the report."""
    report, ran = stat(program("traffic_clock", *words), (EVENTS[machine],),
                       *options, machine=machine)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return list(map(int, ran.stdout.split())), report


class Clock(unittest.TestCase):
    def check_triad(self, machine):
        (ns, ticks), report = numbers(("triad", NUM), machine=machine)
        part, = [part for part in report["regions"] if part["name"] == "triad"]
        self.assertAlmostEqual(ns * 1e-9 / part["simulated_seconds"], 1, delta=0.01)
        self.assertAlmostEqual(ticks / CLOCKS[machine] / (ns * 1e-9), 1,
                               delta=0.01)
        again, _ = numbers(("triad", NUM), machine=machine)
        self.assertEqual(again, [ns, ticks])

    def test_a_triad_times_itself_as_the_report_does(self):
        for machine in CLOCKS:
            with self.subTest(machine):
                self.check_triad(machine)

    def test_an_addition_takes_a_cycle(self):
        # 5,000 more of them, beside two fetches of code by chance
        (few, many), _ = numbers(("adds",))
        self.assertAlmostEqual((many - few) / 5000, 1, delta=0.03)
        self.assertAlmostEqual(few / 1000, 1, delta=0.1)

    def test_what_is_between_two_readings_has_passed(self):
        # 20 cycles for a reading itself (cost.c), 20 for each division
        for machine in CLOCKS:
            with self.subTest(machine):
                (nothing, between, behind), _ = numbers(("short",),
                                                        machine=machine)
                self.assertAlmostEqual(nothing, 20, delta=3)
                self.assertAlmostEqual(behind, 20, delta=3)
                self.assertAlmostEqual(between - nothing, 10 * 20, delta=5)

    def test_time_goes_back_for_no_thread(self):
        first, _ = numbers(("threads", 3))
        self.assertEqual(first[0], 0)
        again, _ = numbers(("threads", 3))
        self.assertEqual(first, again)

    def test_the_processors_time_is_that_of_what_ran(self):
        # a thread alone: it runs all the time; no system call takes any
        (passed, process, thread, usage), _ = numbers(("cpu",))
        self.assertGreater(passed, 300000 / CLOCKS["xeon-e7"] * 1e9)
        for ran in (process, thread, usage):
            self.assertAlmostEqual(ran / passed, 1, delta=0.02)

    def test_the_processors_time_of_a_child_is_its_own(self):
        (ran, waited, all_of_them, ticks), _ = numbers(("children",))
        self.assertGreater(ran, 12e6 / CLOCKS["xeon-e7"] * 1e9)
        for told in (waited, all_of_them):
            self.assertAlmostEqual(told / ran, 1, delta=0.02)
        self.assertEqual(ticks, all_of_them // 10**7)

    def test_a_sleep_takes_as_long_as_it_says(self):
        slept, report = numbers(("sleep",))
        for ns in slept:
            self.assertGreaterEqual(ns, 500e6)
            self.assertLess(ns, 500.1e6)
        self.assertAlmostEqual(report["simulated_seconds"], 2.5, delta=0.005)
        again, _ = numbers(("sleep",))
        self.assertEqual(slept, again)

    def test_who_waits_is_woken_or_its_time_is_over(self):
        (waited, slept), _ = numbers(("signalled",))
        self.assertGreaterEqual(waited, 300e6)
        self.assertLess(waited, 301e6)
        self.assertGreaterEqual(slept, 100e3)
        self.assertLess(slept, 110e3)

    def test_a_sleeper_takes_signals(self):
        for status, words in (
                (128 + 15, ("sh", "-c", "sleep 9999 & kill $!; wait $!")),
                (124, ("timeout", "1", "sleep", "5"))):
            _, ran = stat(words, (MISSES,))
            self.assertEqual(ran.returncode, status, ran.stderr)

    def test_the_date_is_the_hosts_of_the_start(self):
        before = int(time.time())
        (_, *dates, _), _ = numbers(("clocks",))
        for date in dates:
            self.assertGreaterEqual(date, before)
            self.assertLessEqual(date, int(time.time()))

    def test_the_date_repeats_where_random_bytes_do(self):
        (*_, first), _ = numbers(("clocks",))
        (mono, *dates, last), _ = numbers(("clocks",), "--repeatable")
        self.assertEqual(dates, [DATE] * 3)
        self.assertEqual((mono, first), (last // 10**9, last))

    def test_the_hosts_clock(self):
        for word in ("host", "real"):
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            (*_, last), _ = numbers(("clocks",), "--clock", word)
            self.assertGreater(last, before)
            self.assertLess(last, time.clock_gettime_ns(time.CLOCK_MONOTONIC))

    def test_one_list_of_words(self):
        for command, wrong, possible in (
                (("stat",), "step", "model, host"),
                (("model", "serve"), "instructions", "model, host, step"),
                (("guest",), "step", "model, host, instructions")):
            ran = subprocess.run([UNCORE, *command, "--clock=" + wrong],
                                 capture_output=True, text=True,
                                 timeout=TIMEOUT, check=False)
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertIn("what is: %s\n" % possible, ran.stderr)
        ran = subprocess.run([UNCORE, "stat", "--clock=host", "-w", "idle"],
                             capture_output=True, text=True, timeout=TIMEOUT,
                             check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--clock is for a PROGRAM", ran.stderr)


if __name__ == "__main__":
    unittest.main()
