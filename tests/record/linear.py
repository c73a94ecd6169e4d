#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The questions of a report to recordings of some samples and of twice as many,
in steps of SQLite's own machine, which no other work on this computer changes:
twice the samples may take little more than twice the steps. Where what is found
for a sample is looked for without an index, it is four times. And the recorder
of samples of some allocation sites and of twice as many, in instructions."""
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("UNCORE_SOURCE", ".")
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import gensql  # noqa: E402

BUILD = os.environ.get("UNCORE_BUILD", "build")
FEW, MOST_TIMES, EACH = 3000, 2.3, 20
FEW_SITES, MOST_TIMES_SITES = 4000, 2.1
USES = ("load", "load", "store", "lock", "fetch", "prefetch", None)


def recording(num):
    """So many samples in so many places, and all else in proportion."""
    at = random.Random(7).randrange
    schema, _ = gensql.statements(os.path.join(SOURCE, "src/record/recording.sql"))
    base = sqlite3.connect(":memory:")
    base.executescript(schema["sql_schema"])

    def add(table, rows):
        rows = list(rows)
        base.executemany("INSERT INTO %s VALUES (%s)" % (
            table, ", ".join("?" * len(rows[0]))), rows)

    few = num // 10
    add("meta", [("cores", "10"), ("sockets", "2")])
    add("event", [(n, "cbox/EVENT%d/" % n, "", "cbox", 1, 10) for n in range(2)])
    add("thread", [(n, 1, n, "") for n in range(8)])
    add("position", [(n, n, "x", "f%d" % (n // 2), 0, "x.c:%d" % n, None, None)
                     for n in range(few)])
    add("stack", [(n, at(few), at(n) if n else None) for n in range(few)])
    add("datum", [(n, "allocated", None, "malloc", n, 0, 64, 1)
                  for n in range(few)])
    add("sample", [(n, "period", at(2), n, n * 1e-6, 1e-6, at(2), 0, 0, 0,
                    None, at(few), at(8)) for n in range(num)])
    add("access", [(n, use, 4 * at(4 * num), at(num // 4), at(20), at(2),
                    at(few), at(few), at(64), at(20), at(8), "LLC", 1e-7,
                    ".hits")
                   for n in range(num) for use in [USES[at(len(USES))]] if use])
    return base


def steps(base, text):
    """How many are taken; what is asked has no limits."""
    taken = [0]

    def count():
        taken[0] += EACH

    for number, value in enumerate((-1, 1 << 30, 1 << 30), 1):
        text = text.replace("?%d" % number, str(value))
    base.set_progress_handler(count, EACH)
    for statement in filter(str.strip, text.split(";")):
        rows = base.execute(statement).fetchall()
    base.set_progress_handler(None, 0)
    return taken[0], len(rows)


class Steps(unittest.TestCase):
    def test_twice_as_many(self):
        _, views = gensql.statements(os.path.join(SOURCE, "tool/views.sql"))
        bases = recording(FEW), recording(2 * FEW)
        for _, name, _, _, text, below, _, text_below in views:
            for word, asked in ((name, text), (below, text_below)):
                if not asked:
                    continue
                with self.subTest(view=name, rows=word):
                    (few, rows), (many, _) = (steps(base, asked) for base in bases)
                    self.assertGreaterEqual(rows, name != "state")
                    self.assertLessEqual(many, MOST_TIMES * few + 1000)


class Sites(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.path = lambda name: os.path.join(holder.name, name)

    def instructions(self, num):
        """Of the recorder, with as many sites."""
        ran = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no",
             "--cachegrind-out-file=/dev/null", self.path("rig"),
             self.path("%d.rec" % num), str(num)], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (0, "%d\n" % num), ran.stderr)
        base = sqlite3.connect(self.path("%d.rec" % num))
        self.addCleanup(base.close)
        self.assertEqual(base.execute(
            "SELECT count(*), sum(objects), sum(size) FROM datum").fetchone(),
            (num, num, 64 * num))
        return int(re.search(r"I *refs: +([\d,]+)$", ran.stderr, re.M).group(1)
                   .replace(",", ""))

    def test_twice_as_many(self):
        for name in ("cc", "valgrind"):
            if not shutil.which(name):
                self.skipTest("no " + name)
        libraries = [os.path.join(BUILD, name) for name in
                     ("libuncore.so.0", "libuncore-model.so.0")]
        subprocess.run(
            ["cc", "-O2", "-D_GNU_SOURCE", "-I", SOURCE, "-I",
             os.path.join(SOURCE, "include"), "-I", os.path.join(SOURCE, "tool"),
             "-o", self.path("rig"), os.path.join(SOURCE, "tests/record/many_sites.c"),
             os.path.join(SOURCE, "tool/record/record_place.c"), *libraries,
             "-Wl,-rpath," + os.path.abspath(BUILD)], check=True)
        few = self.instructions(FEW_SITES)
        many = self.instructions(2 * FEW_SITES)
        self.assertLessEqual(many, MOST_TIMES_SITES * few)


if __name__ == "__main__":
    unittest.main()
