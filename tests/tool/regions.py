#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Marked parts of a program, counted by `uncore stat --region NAME`: a part
that loads from lines of its own, which are in no cache, is one miss for each.
The sizes are powers of two, so a count tells which parts are in it."""
import unittest

from counting import LINE, MISSES, program, stat

A, B, C = 64 << 10, 128 << 10, 256 << 10
NOISE = 64  # lines of code that the parts use for the first time
NO_NAMES = 77


class Regions(unittest.TestCase):
    def check(self, what, region, wanted):
        command = program("traffic_regions", what, A, B, C)
        report, ran = stat(command, (MISSES,), "--region", region)
        if ran.returncode == NO_NAMES:
            self.skipTest("uncore/mark.h has no named regions")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        seen = sum(count["value"] for count in report["counts"])
        self.assertGreaterEqual(seen, wanted / LINE * 0.99)
        self.assertLessEqual(seen, wanted / LINE * 1.01 + NOISE)

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
