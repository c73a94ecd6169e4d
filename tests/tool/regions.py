#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Marked parts of a program, counted by `uncore stat --region NAME`: a part
that loads from lines of its own, which are in no cache, is one miss for each.
The sizes are powers of two, so a count tells which parts are in it."""
import subprocess
import unittest

from counting import LINE, MISSES, TIMEOUT, UNCORE, program, stat

A, B, C = 64 << 10, 128 << 10, 256 << 10
NOISE = 64  # lines of code that the parts use for the first time
NO_NAMES = 77


def counted(what, *options):
    """{region: (misses, its report)}; "" is the whole run."""
    report, ran = stat(program("traffic_regions", what, A, B, C), (MISSES,),
                       *options)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    parts = [("", report)] + [(part["name"], part)
                              for part in report.get("regions", [])]
    return {name: (sum(count["value"] for count in part["counts"]), part)
            for name, part in parts}


class Regions(unittest.TestCase):
    def check(self, what, region, wanted, noise=NOISE):
        command = program("traffic_regions", what, A, B, C)
        report, ran = stat(command, (MISSES,), "--region", region)
        if ran.returncode == NO_NAMES:
            self.skipTest("uncore/mark.h has no named regions")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        seen = sum(count["value"] for count in report["counts"])
        self.assertGreaterEqual(seen, wanted / LINE * 0.99)
        self.assertLessEqual(seen, wanted / LINE * 1.01 + noise)

    def test_what_is_between_marks(self):
        self.check("marks", "1", B)

    def test_each_pair_of_marks_has_a_number(self):
        self.check("twice", "1", A)
        self.check("twice", "2", C)

    def test_each_name_has_its_part(self):
        self.check("named", "first", A)
        self.check("named", "second", C)

    def test_a_region_in_another_belongs_to_both(self):
        self.check("nested", "outer", A + B + C)
        self.check("nested", "inner", B)

    def test_a_region_that_is_entered_again_goes_on(self):
        self.check("again", "part", A + C)
        self.check("again", "other", B)

    def test_a_region_that_never_ends_ends_with_the_program(self):
        # what exit() executes is a part of it
        self.check("open", "open", B, 2 * NOISE)

    def test_a_region_in_itself_counts_once(self):
        self.check("deep", "deep", A + B + C)

    def test_children_have_regions(self):
        self.check("children", "child", B)

    def test_threads_in_a_region_count_once(self):
        seen, part = counted("threads")["work"]
        self.assertEqual(part["entered"], 2)
        self.assertGreaterEqual(seen, (A + B) / LINE)
        self.assertLessEqual(seen, (A + B + C) / LINE)

    def test_all_are_reported_behind_the_whole_run(self):
        parts = counted("again")
        self.assertEqual(list(parts), ["", "part", "other"])
        self.assertEqual(parts["part"][1]["entered"], 2)
        self.assertEqual(parts["other"][1]["entered"], 1)
        for seen, part in parts.values():
            self.assertLessEqual(seen, parts[""][0])
            self.assertLess(0, part["uncore_cycles"])
            self.assertLessEqual(part["uncore_cycles"],
                                 parts[""][1]["uncore_cycles"])

    def test_the_same_every_time(self):
        for options in (), ("--start-off",):
            self.assertEqual(counted("threads", *options),
                             counted("threads", *options))

    def test_looking_at_one_changes_nothing(self):
        seen, part = counted("nested")["inner"]
        alone, report = counted("nested", "--region", "inner")[""]
        self.assertEqual(alone, seen)
        self.assertEqual(report["uncore_cycles"], part["uncore_cycles"])
        self.assertEqual((report["region"], report["entered"]), ("inner", 1))

    def test_an_unknown_one_is_an_error_that_names_the_others(self):
        _, ran = stat(program("traffic_regions", "again", A, B, C), (MISSES,),
                      "--region", "nix")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("'part' and 'other'", ran.stderr)

    def test_need_events_that_count_at_the_same_time(self):
        command = [UNCORE, "stat", "--turns", "-M", "*", "--region", "part", "--",
                   *program("traffic_regions", "again", A, B, C)]
        ran = subprocess.run(command, capture_output=True, text=True,
                             timeout=TIMEOUT, check=False)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("same time", ran.stderr)


class StartOff(unittest.TestCase):
    """Nothing but regions reaches the model."""

    def check(self, what, wanted, noise=NOISE):
        parts = counted(what, "--start-off")
        seen = parts[""][0]
        self.assertGreaterEqual(seen, wanted / LINE * 0.99)
        self.assertLessEqual(seen, wanted / LINE * 1.01 + noise)
        return parts

    def test_marks(self):
        self.check("marks", B)

    def test_several(self):
        parts = self.check("named", A + C)
        self.assertEqual(sum(seen for name, (seen, _) in parts.items()
                             if name), parts[""][0])

    def test_nested(self):
        self.check("nested", A + B + C)

    def test_in_itself_and_with_an_end_too_many(self):
        self.check("deep", A + B + C)

    def test_of_threads(self):
        self.check("threads", A + B, 4 * NOISE)

    def test_of_children(self):
        # the parent goes to its wait() while the child is in the region
        self.check("children", B, 4 * NOISE)

    def test_takes_no_time_outside(self):
        wide = counted("marks")["1"][1]["uncore_cycles"]
        alone = counted("marks", "--start-off")["1"][1]["uncore_cycles"]
        self.assertLess(abs(wide - alone), wide / 10)

    def test_without_a_region_nothing_is_counted(self):
        report, ran = stat(["true"], (MISSES,), "--start-off")
        self.assertEqual(ran.returncode, 0)
        self.assertEqual(sum(row["value"] for row in report["counts"]), 0)
        self.assertIn("no region", ran.stderr)


def setUpModule():
    _, ran = stat(program("traffic_regions", "marks", 0, 0, 0), (MISSES,),
                  "--region", "1")
    if ran.returncode == 2:
        raise unittest.SkipTest(ran.stderr.strip())


if __name__ == "__main__":
    # a suite that is skipped as a whole says so
    main = unittest.main(exit=False)
    if not main.result.wasSuccessful():
        raise SystemExit(1)
    if main.result.skipped and main.result.testsRun == 0:
        print(main.result.skipped[0][1])
        raise SystemExit(77)
