#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Whose memory it is. Programs tell what they have allocated, where in their
source and when; each sample is to be of the block that lived at its address
then."""
import csv
import io
import json
import os
import re
import subprocess

import unittest

import rig

# Each site says where it is, what it got, and how much.
SAYS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LINE 64
#define SAY(at, bytes) \
    printf("%d %#lx %#lx\n", __LINE__, (unsigned long)(at), (long)(bytes))
static inline __attribute__((always_inline)) void use(void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) ((volatile char *)at)[i]++;
}
"""


def said(output):
    """[(line of source, first address, address behind the last)]"""
    rows = [tuple(int(word, 0) for word in line.split())
            for line in output.splitlines() if re.match(r"\d+ 0x", line)]
    return [(line, at, at + size) for line, at, size in rows]


class TestCase(rig.TestCase):
    def program(self, text, *flags, name="program.c"):
        """Compiled; without line numbers of ours before the text."""
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run(["c++" if name.endswith("cc") else "cc", "-O1", "-g",
                        "-pthread", "-o", self.path("program"),
                        self.path(name), *flags], check=True)
        return self.path("program")

    def follow(self, *command, more=(), event="cbox/LLC_MISSES.ALL,period=1/"):
        """The recording of a program, and what it said."""
        done = rig.run("record", "--replace", "-o", self.path("file"), "-e",
                       event, *more, "--", *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        recording = rig.Recording(self.path("file"))
        self.addCleanup(recording.base.close)
        return recording, done.stdout

    def samples(self, recording):
        """[(address, offset, kind, function, line of source, objects, size)]"""
        return recording.all(
            "SELECT access.address, access.offset, kind, datum.symbol,"
            " CAST(substr(source, instr(source, ':') + 1) AS INTEGER),"
            " objects, size FROM access JOIN datum ON datum.id = access.datum"
            " LEFT JOIN stack ON stack.id = datum.stack"
            " LEFT JOIN position ON position.id = stack.position")

    def data(self, *more):
        done = rig.run("report", "--json", "--by=data", *more,
                       self.path("file"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["data"]

    def holds(self, recording, blocks, function):
        """Samples in a block are of its site and nobody else's, with where they
        are in it, and each block has some: all lines of it are used once at
        least."""
        samples = self.samples(recording)
        for line, start, end in blocks:
            inside = [s for s in samples if start <= s[0] < end]
            self.assertGreater(len(inside), (end - start) / 64 / 2)
            self.assertEqual({s[2:5] for s in inside},
                             {("allocated", function, line)})
            self.assertEqual({s[0] - s[1] for s in inside}, {start})
        lines = {line for line, _, _ in blocks}
        for address, _, kind, _, line, _, _ in samples:
            if kind == "allocated" and line in lines:
                self.assertTrue(any(start <= address < end
                                    for _, start, end in blocks))
        return samples


class Sites(TestCase):
    def test_malloc(self):
        """Two sites, one of them by a function; and many small blocks."""
        program = self.program(SAYS + r"""
static __attribute__((noinline)) void *make(size_t bytes)
{
    void *at = malloc(bytes); SAY(at, bytes);
    return at;
}
int main(void)
{
    char *a = make(1 << 20), *b = make(1 << 18);
    char *c = malloc(1 << 19); SAY(c, 1 << 19);
    use(a, 1 << 20), use(b, 1 << 18), use(c, 1 << 19);
    free(a), free(b), free(c);
    return 0;
}
""")
        recording, output = self.follow(program)
        blocks = said(output)
        samples = self.holds(recording, blocks, "malloc")
        lines = [line for line, _, _ in blocks]
        self.assertEqual({s[4:] for s in samples if s[4] in lines},
                         {(lines[0], 1, 1 << 20), (lines[1], 1, 1 << 18),
                          (lines[2], 1, 1 << 19)})
        row, other = self.data("--top=2")
        self.assertRegex(row["data"], r"^malloc at program\.c:\d+ < make "
                         "< main < ")
        self.assertRegex(other["data"], r"^malloc at program\.c:\d+ < main ")
        self.assertEqual((row["objects"], row["bytes"]),
                         (2, (1 << 20) + (1 << 18)))
        self.assertEqual((row["threads"], row["sockets"], row["remote"],
                          row["shared"], row["false"]), (1, 1, 0, 0, 0))
        self.assertRegex(row["touched"], r"^(\d+)/\1 on socket 0$")


if __name__ == "__main__":
    unittest.main()
