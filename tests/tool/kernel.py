#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""--kernel-copies: the lines of a buffer that the kernel copies miss once, be
it one buffer or several, of a call that waits or not; without the option none
does."""
import unittest

from counting import LINE, MISSES, above, program

SIZE = 256 << 10
PIPE = 60 << 10  # less than a pipe holds
PAGE = 4096
SLACK = 48  # of calls, threads, processes


def misses(what, *options, size=SIZE, base="none"):
    return above(program("traffic_kernel", what, size),
                 program("traffic_kernel", base, size), (MISSES,),
                 *options)[MISSES]


class Copies(unittest.TestCase):
    def check(self, what, lines):
        self.assertAlmostEqual(misses(what, "--kernel-copies"), lines,
                               delta=SLACK)

    def test_of_a_read(self):
        self.check("read", SIZE / LINE)

    def test_of_a_write(self):
        self.check("write", SIZE / LINE)

    def test_at_a_place_of_a_file(self):
        self.check("pread", SIZE / LINE)
        self.check("pwrite", SIZE / LINE)

    def test_of_several_buffers(self):
        self.check("readv", SIZE / LINE)
        self.check("writev", SIZE / LINE)

    def test_of_a_call_that_waits(self):
        """Both sides: what is written, and where it is read to. Pages that a
        new thread begins with come on top; one side is more than they are."""
        copied = (misses("pipe", "--kernel-copies", size=PIPE) -
                  misses("pipe", size=PIPE))
        self.assertAlmostEqual(copied, 2 * PIPE / LINE,
                               delta=6 * PAGE / LINE)

    def test_of_none_that_is_refused(self):
        self.check("refused", 0)

    def test_of_none_without_the_option(self):
        for what in ("read", "write", "readv"):
            self.assertAlmostEqual(misses(what), 0, delta=SLACK)


class Pages(unittest.TestCase):
    """The kernel fills a page before a program writes to it."""

    def test_are_cleared(self):
        self.assertAlmostEqual(misses("clear"), SIZE / PAGE, delta=24)
        self.assertAlmostEqual(misses("clear", "--kernel-copies"), SIZE / LINE,
                               delta=SLACK)

    def test_are_copied_after_a_fork(self):
        filled = misses("copy", "--kernel-copies") - misses("copy")
        self.assertGreaterEqual(filled, (SIZE - SIZE / LINE) / LINE)
        self.assertLessEqual(filled, (SIZE + 16 * PAGE) / LINE)


if __name__ == "__main__":
    unittest.main()
