#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What waits for something and for time under `uncore stat`: what is left of an
interrupted sleep is what it has not slept of the model's time; waits for
signals and semaphores end with what comes, or when their time is over;
all of it in sampled runs, too, whose own time is that of a full run."""
import errno
import unittest

from counting import MISSES, program, stat

AT_ONCE = 20e3  # ns that a program needs to ask for the time, a few times
NUM = 40000  # misses of a loop: four of them are more than 100,000


def run(*words, options=()):
    """What the program prints, and the report."""
    report, ran = stat(program("traffic_sleeps", *words), (MISSES,), *options)
    if ran.returncode:
        raise AssertionError((words, ran.returncode, ran.stderr))
    return list(map(int, ran.stdout.split())), report


class Sleeps(unittest.TestCase):
    def check_at(self, ns, due):
        self.assertGreaterEqual(ns, due)
        self.assertLess(ns, due + AT_ONCE)

    def test_what_is_left_of_a_sleep(self):
        *each, slept, came = run("rest")[0]
        for left, ns in zip(each[::2], each[1::2]):
            self.check_at(ns, 1e9)
            # since it began, a little behind the first reading of the clock
            self.assertGreaterEqual(left, 2e9 - AT_ONCE)
            self.assertLess(left, 2e9 + AT_ONCE)
        self.check_at(slept, 1e9)
        self.assertEqual(came, 3)

    def test_sleeps_of_a_sampled_run(self):
        full, report = run("misses", NUM, options=("--detail=full",))
        for seed in (1, 2, 3):
            options = ("--detail=10%%,seed=%d" % seed,)
            with self.subTest(seed):
                (*slept, ran, passed), sampled = run("misses", NUM,
                                                     options=options)
                self.assertLess(sampled["detail"]["share"], 0.5)
                for ns in slept:
                    self.check_at(ns, 0.7e9)
                # a few per cent off (docs/sampled.md), and the same of both
                self.assertAlmostEqual(passed / full[-1], 1, delta=0.1)
                self.assertAlmostEqual(ran / passed, 1, delta=0.02)
                # what is not slept of 2.8 s are five rounds of them
                self.assertAlmostEqual(sampled["simulated_seconds"],
                                       report["simulated_seconds"],
                                       delta=5 * 0.1e-9 * full[-1])
                self.assertEqual(run("misses", NUM, options=options)[0],
                                 [*slept, ran, passed])

    def test_computing_of_a_sampled_run(self):
        """What takes time while nothing is asked for is in no window, and yet
        certain."""
        def took(machine, *options):
            report, ran = stat(program("traffic_sleeps", "compute", NUM), (),
                               "-M", "memory_bandwidth", *options,
                               machine=machine)
            return int(ran.stdout) / 1e9, report
        for machine in ("xeon-e7", "xeon-e5-2600"):
            told, full = took(machine, "--detail=full")
            self.assertGreater(told, 0.5 * full["simulated_seconds"])
            for how in ("auto", "auto,seed=2"):
                with self.subTest((machine, how)):
                    own, report = took(machine, "--detail=" + how)
                    detail = report["detail"]
                    self.assertLess(detail["share"], 0.7)
                    self.assertLess(detail["time_error"],
                                    0.15 * full["simulated_seconds"])
                    self.assertAlmostEqual(
                        report["simulated_seconds"] /
                        full["simulated_seconds"], 1, delta=0.03)
                    self.assertAlmostEqual(own / told, 1, delta=0.05)

    def test_waits_end_with_what_comes(self):
        for how in ("signal", "semaphore"):
            with self.subTest(how):
                each, _ = run("await", how)
                self.assertEqual(each[::2], [errno.EAGAIN, 0, errno.EINTR])
                for ns, due in zip(each[1::2], (2e9, 1e9, 1e9)):
                    self.check_at(ns, due)


if __name__ == "__main__":
    unittest.main()
