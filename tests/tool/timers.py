#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Timers of a program under `uncore stat` follow the model's time: what is due
in seconds is told when it is due; what
is due while threads run is told within a turn (`core.skew`, 500,000 core
cycles), and time of a processor is told after as much of it. All digits
repeat."""
import os
import shutil
import subprocess
import time
import unittest

from counting import MISSES, TIMEOUT, UNCORE, program, stat

TICK = 2e9
AT_ONCE = 10e3  # ns that a program needs to ask for the time
SKEW = 500000 / 2.4  # ns, of a Xeon E7-4870


def run(*words):
    """What the program prints, and the simulated seconds."""
    report, ran = stat(program("traffic_timers", *words), (MISSES,))
    if ran.returncode:
        raise AssertionError((words, ran.returncode, ran.stderr))
    return list(map(int, ran.stdout.split())), report["simulated_seconds"]


class Timers(unittest.TestCase):
    def check_at(self, ns, due):
        self.assertGreaterEqual(ns, due)
        self.assertLess(ns, due + AT_ONCE)

    def test_a_file_ticks_in_time(self):
        for how in ("read", "poll", "limit", "epoll"):
            with self.subTest(how):
                read, seconds = run("file", how)
                self.assertEqual(read[::2], [1] * 10)
                for i, ns in enumerate(read[1::2]):
                    self.check_at(ns, (i + 1) * TICK)
                self.assertAlmostEqual(seconds, 20, delta=0.01)
                self.assertEqual(run("file", how)[0], read)

    def test_a_file_that_is_stopped_is_never_due(self):
        # and one that is closed writes to nothing
        self.assertEqual(run("stopped")[0], [1, 0, 0])

    def test_an_alarm_ends_a_pause(self):
        (ns, left), _ = run("pause")
        self.check_at(ns, 4e9)
        self.assertEqual(left, 2)

    def test_an_alarm_ends_a_loop(self):
        first, _ = run("busy")
        self.assertGreaterEqual(first[0], 1e6)
        self.assertLess(first[0], 1e6 + SKEW + AT_ONCE)
        self.assertEqual(run("busy")[0], first)

    def test_a_child_has_its_alarm_before_its_parent(self):
        first, seconds = run("child")
        self.assertLess(first[0], 1e6 + SKEW + AT_ONCE)
        self.assertLess(first[-1], 0.1e9)
        self.assertLess(seconds, 0.1)
        self.assertEqual(run("child")[0], first)

    def test_signals_come_as_often_as_time_passes(self):
        for how in (("every", "real"), ("every", "virtual"),
                    ("every", "profile"), ("thread",)):
            with self.subTest(how):
                (came, ns), _ = run(*how)
                self.assertGreater(ns, 5e6)
                self.assertAlmostEqual(came, ns / 1e6, delta=1)
                self.assertEqual(run(*how)[0], [came, ns])

    def test_a_timer_is_set_to_a_date(self):
        (ns, value), _ = run("date")
        self.check_at(ns, TICK)
        self.assertEqual(value, 4711)

    def test_what_is_blocked_comes_once(self):
        # due ten times: at 1 s, and nine times more
        self.assertEqual(run("missed")[0], [9])

    def test_a_timer_calls_a_function(self):
        (ns, value), _ = run("called")
        self.assertGreaterEqual(ns, TICK)
        self.assertLess(ns, TICK + 1e6)
        self.assertEqual(value, 42)

    def test_an_alarm_outlives_what_is_executed(self):
        report, ran = stat(program("traffic_timers", "execute"), (MISSES,))
        self.assertEqual(ran.returncode, 128 + 14, ran.stderr)
        self.assertAlmostEqual(report["simulated_seconds"], 5, delta=0.01)

    def test_a_time_limit(self):
        for status, limit, needs in ((124, 5, 50), (0, 50, 5)):
            report, ran = stat(("timeout", str(limit), "sleep", str(needs)),
                               (MISSES,))
            self.assertEqual(ran.returncode, status, ran.stderr)
            self.assertAlmostEqual(report["simulated_seconds"], 5,
                                   delta=0.01)

    def test_an_answer_from_inside_takes_the_models_time(self):
        for how in ("pipe", "pair", "port"):
            with self.subTest(how):
                read, seconds = run("answer", how)
                self.assertEqual(read[::2], [0, 1])
                self.check_at(read[1], 1e9)
                self.check_at(read[3], 3e9)
                self.assertAlmostEqual(seconds, 3, delta=0.01)
                self.assertEqual(run("answer", how)[0], read)

    def wait_for_input(self, limit_ms, text):
        """What poll() gives, nanoseconds of the model's, seconds of the
        host's at least."""
        with subprocess.Popen(
                [UNCORE, "stat", "-m", "xeon-e7", "-e", MISSES, "--",
                 *program("traffic_timers", "input", limit_ms)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True) as ran:
            self.assertEqual(ran.stdout.readline(), "waits\n")
            start = time.monotonic()
            ran.stdin.write(text)
            ran.stdin.flush()
            found, ns = map(int, ran.stdout.readline().split())
            seconds = time.monotonic() - start
            ran.communicate(timeout=TIMEOUT)
        return found, ns, seconds

    def test_an_answer_from_outside_takes_the_hosts_time(self):
        found, ns, _ = self.wait_for_input(20000, "x")
        self.assertEqual(found, 1)
        self.check_at(ns, 0)
        found, ns, seconds = self.wait_for_input(700, "")
        self.assertEqual(found, 0)
        self.check_at(ns, 700e6)
        # less what the line takes to get here
        self.assertGreater(seconds, 0.3)

    @unittest.skipUnless(os.environ.get("UNCORE_LONG"), "takes minutes")
    def test_programs_that_measure_print_the_same_twice(self):
        for words in (("openssl", "speed", "-seconds", "1", "-bytes", "1024",
                       "sha256"),
                      ("sysbench", "cpu", "run", "--time=1")):
            if not shutil.which(words[0]):
                continue
            with self.subTest(words[0]):
                printed = []
                for _ in range(2):
                    ran = subprocess.run(
                        [UNCORE, "stat", "--repeatable", "-m", "xeon-e7", "-e",
                         MISSES, "--", *words], capture_output=True, text=True,
                        timeout=10 * TIMEOUT, check=False)
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    printed.append(ran.stdout)
                self.assertEqual(*printed)


if __name__ == "__main__":
    unittest.main()
