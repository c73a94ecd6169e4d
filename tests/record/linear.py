#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The questions of a report to recordings of some samples and of twice as many,
in steps of SQLite's own machine, which no other work on this computer changes:
twice the samples may take little more than twice the steps. Where what is found
for a sample is looked for without an index, it is four times."""
import os
import random
import sqlite3
import sys
import unittest

SOURCE = os.environ.get("UNCORE_SOURCE", ".")
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import gensql  # noqa: E402

FEW, MOST_TIMES, EACH = 3000, 2.3, 20
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
                    at(few), at(few), at(64), at(20), at(8), "LLC", 1e-7)
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


if __name__ == "__main__":
    unittest.main()
