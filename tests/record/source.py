#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Reports by line of source and of latencies, of a program that asks for a known
number of lines of memory at each of two places, which comments in its source
name; and that follows pointers through memory of a socket: each load waits for
the one before, so what it takes longer in the other socket's memory, its loads
wait longer."""
import json
import subprocess
import unittest

import rig

FIRST, SECOND, PERIOD = 6001, 3000, 20
EVENT = "cbox/LLC_MISSES.ALL,period=%d/" % PERIOD

PROGRAM = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static char *take(long num, unsigned long nodes)
{
    char *at = mmap(NULL, num * 64, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_mbind, at, num * 64, 2 /* MPOL_BIND */, &nodes, 64, 0);
    return at;
}
static inline __attribute__((always_inline)) void put(volatile char *at)
{
    *at = 1; /* second */
}
static inline __attribute__((always_inline)) void put_all(char *at, long num)
{
    for (long i = 0; i < num; i++)
        put(&at[i * 64]);
}
__attribute__((noinline)) static void write_first(volatile char *at, long num)
{
    for (long i = 0; i < num; i++)
        at[i * 64] = 1; /* first */
}
__attribute__((noinline)) static void write_second(char *at, long num)
{
    put_all(at, num);
}
__attribute__((noinline)) static void *chase(void *at, long num)
{
    for (long i = 0; i < num; i++)
        at = *(void **)at; /* chase */
    return at;
}
int main(int argc, char **argv)
{
    long first = atol(argv[1]), second = atol(argv[2]);
    char *at = take(first + second, 1 << atoi(argv[3]));
    write_first(at, first);
    write_second(at + first * 64, second);
    /* 17 lines on: no prefetcher follows, and 17 and `first` share nothing */
    for (long i = 0; i < first; i++)
        *(char **)(at + i * 64) = at + (i + 1017) % first * 64;
    for (long i = 0; i < first; i++)
        __builtin_ia32_clflush(at + i * 64);
    return argc > 4 ? chase(at, first) != at : 0;
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

    def record_known(self, *words):
        return self.record([EVENT], "--set", "core.prefetch=0", "--",
                           self.path("known"), str(FIRST), str(SECOND),
                           *(words or ["0"]))

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
                                  ("second", SECOND, "put < put_all < write_second")):
            events = sum(row["events"] for row in rows
                         if row["source"] == self.place(word) and
                         row["symbol"] == symbol)
            # what else misses is blamed elsewhere; that counts on toward the
            # next period, so one more or less for each box is no error
            self.assertAlmostEqual(events, num, delta=0.03 * num)

    def test_stacks_have_what_was_inlined(self):
        self.record_known()
        rows = self.report("--by=stack")["stacks"]
        events = sum(row["events"] for row in rows if row["stack"].startswith(
            "put < put_all < write_second < main < "))
        self.assertAlmostEqual(events, SECOND, delta=0.03 * SECOND)

    def chased(self, node):
        """Seconds that a chase through a node's memory adds to all, and that
        its loads wait."""
        self.record_known(node)
        without = self.report()["seconds"]
        self.record_known(node, "chase")
        report = self.report("--by=source,answer")
        row, = (row for row in report["sources"]
                if row["source"] == self.place("chase"))
        self.assertAlmostEqual(row["events"], FIRST, delta=0.03 * FIRST)
        self.assertAlmostEqual(row["wait_ms"],
                               row["latency_ns"] * row["events"] * 1e-6,
                               delta=0.01 * row["wait_ms"])
        first = max(report["answers"], key=lambda row: row["samples"])
        self.assertEqual(first["answered"],
                         "remote memory" if node == "1" else "local memory")
        # so many loads there are, of which some more or fewer were sampled
        return report["seconds"] - without, row["latency_ns"] * FIRST * 1e-9

    def test_who_waits(self):
        near, far = self.chased("0"), self.chased("1")
        # what a load takes besides is the same, wherever memory is; the means
        # of some hundred samples are within a hundredth, and a remote load
        # takes 1.6 times a local one
        self.assertAlmostEqual(far[0] - near[0], far[1] - near[1],
                               delta=0.01 * (far[1] + near[1]))


if __name__ == "__main__":
    unittest.main()
