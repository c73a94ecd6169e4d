#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Reports by line of source, of a program that asks for a known number of lines
of memory at each of two places, which comments in its source name."""
import json
import subprocess
import unittest

import rig

FIRST, SECOND, PERIOD = 6000, 3000, 20
EVENT = "cbox/LLC_MISSES.ALL,period=%d/" % PERIOD

PROGRAM = r"""
#include <stdlib.h>
#include <sys/mman.h>
__attribute__((noinline)) static void write_first(volatile char *at, long num)
{
    for (long i = 0; i < num; i++)
        at[i * 64] = 1; /* first */
}
__attribute__((noinline)) static void write_second(volatile char *at, long num)
{
    for (long i = 0; i < num; i++)
        at[i * 64] = 2; /* second */
}
int main(int argc, char **argv)
{
    long first = atol(argv[1]), second = atol(argv[2]);
    char *at = mmap(NULL, (first + second) * 64, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    write_first(at, first);
    write_second(at + first * 64, second);
    return argc > 9;
}
"""


class Source(rig.TestCase):
    def setUp(self):
        super().setUp()
        self.source = self.path("known.c")
        with open(self.source, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O1", "-g", "-o", self.path("known"),
                        self.source], check=True)

    def record_known(self):
        return self.record([EVENT], "--", self.path("known"), str(FIRST),
                           str(SECOND))

    def place(self, word):
        for number, line in enumerate(PROGRAM.split("\n"), 1):
            if "/* %s */" % word in line:
                return "known.c:%d" % number
        raise AssertionError(word)

    def report(self, *words):
        done = rig.run("report", "--json", *words, self.path())
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_lines_of_source(self):
        recording = self.record_known()
        rows = self.report("--by=source")["sources"]
        self.assertEqual(sum(row["samples"] for row in rows), recording.one(
            "SELECT count(*) FROM sample WHERE kind = 'period'"))
        self.assertAlmostEqual(sum(row["share"] for row in rows), 1)
        for word, num, symbol in (("first", FIRST, "write_first"),
                                  ("second", SECOND, "write_second")):
            events = sum(row["events"] for row in rows
                         if row["source"] == self.place(word) and
                         row["symbol"] == symbol)
            # what else misses is blamed elsewhere; that counts on toward the
            # next period, so one more or less for each box is no error
            self.assertAlmostEqual(events, num, delta=0.03 * num)


if __name__ == "__main__":
    unittest.main()
