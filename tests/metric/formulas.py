#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Files of metrics: random formulas are what Python makes of them, values that
cannot be right are marked, and mistakes are told with their place."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]
SOURCE = os.environ["UNCORE_SOURCE"]
WORKLOAD = ("-N", "2", "-w", "random:size=1M,threads=4,count=4000,shared=1")
EVENTS = ("cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/",
          "bbox/IMT_INSERTS_RD/", "mbox/PAGE_HIT/")
ROW = 'metric %s mine "Text" unit=x kind=%s\n  formula %s\n  min -1e300\n'


def run(*words):
    return subprocess.run([UNCORE, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=100,
                          universal_newlines=True)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = os.path.join(self.folder.name, "file")
        with open(path, "w", encoding="ascii") as out:
            out.write(text)
        return path

    def stat(self, text, *more):
        ran = run("stat", "--json", "--metric-file", self.file(text), "-M",
                  "mine", *(more or WORKLOAD))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def values(self, text, *more):
        return {row["name"]: row for row in self.stat(text, *more)["metrics"]
                if row["socket"] is None}


class Random(Files):
    """Formulas over counts, of which Python knows the value."""

    def atom(self, depth):
        kind = self.random.randrange(7)
        if depth <= 0 or kind < 2:
            return self.random.choice(
                ["%d" % self.random.randrange(1000),
                 "%.3f" % self.random.uniform(0, 10), "2.5e-3", ".5",
                 "seconds", "cycles", "e0", "e1", "e2", "e3", "twice"])
        if kind < 4:
            return "(" + self.sum(depth - 1) + ")"
        if kind == 4:
            return "-" + self.atom(depth - 1)
        if kind == 5:
            return "max(%s, %s)" % (self.sum(depth - 2), self.sum(depth - 2))
        return "min(%s,%s)" % (self.sum(depth - 2), self.sum(depth - 2))

    def sum(self, depth):
        text = self.atom(depth)
        for _ in range(self.random.randrange(4)):
            blank = self.random.choice(["", " "])
            text += blank + self.random.choice("+-*/") + blank
            text += self.atom(depth - 1)
        return text

    def test_formulas_are_what_python_makes_of_them(self):
        self.random = random.Random(5)
        formulas = [self.sum(5) for _ in range(300)]
        head = "".join("event e%d %s\n" % pair for pair in enumerate(EVENTS))
        head += "let twice e0 + e0\n"
        out = self.stat(head + "".join(
            ROW % ("f%d" % i, "ratio", formula)
            for i, formula in enumerate(formulas)))
        names = {"seconds": out["simulated_seconds"],
                 "cycles": out["uncore_cycles"], "max": max, "min": min}
        counts = {row["event"]: row["value"] for row in out["counts"]}
        for i, event in enumerate(EVENTS):
            names["e%d" % i] = counts.get(event, 0)
        names["twice"] = 2 * names["e0"]
        rows = {row["name"]: row for row in out["metrics"]}
        known = 0
        for i, formula in enumerate(formulas):
            row = rows["f%d" % i]
            try:
                wanted = float(eval(formula, names))
            except ZeroDivisionError:
                self.assertIsNone(row["value"], formula)
                continue
            if not math.isfinite(wanted) or abs(wanted) > 1e300:
                self.assertIsNone(row["value"], formula)
            else:
                known += 1
                self.assertIsNotNone(row["value"], (formula, row))
                self.assertTrue(math.isclose(row["value"], wanted,
                                             rel_tol=1e-6, abs_tol=1e-9),
                                (formula, row["value"], wanted))
        self.assertGreater(known, 150)


class Marked(Files):
    """No value where there is none, and where it cannot be right."""

    def one(self, formula, extra="", unit="x", kind="ratio"):
        row = self.values('event hit cbox/LLC_HITS.ALL/\n'
                          'metric m mine "T" unit=%s kind=%s\n'
                          '  formula %s\n%s' % (unit, kind, formula, extra))
        return row["m"]

    def refused(self, word, *words, **keys):
        row = self.one(*words, **keys)
        self.assertIsNone(row["value"])
        self.assertIn(word, row["note"])

    def test_a_value_is_a_value(self):
        row = self.one("hit")
        self.assertGreater(row["value"], 0)
        self.assertNotIn("note", row)

    def test_nothing_to_divide_by(self):
        self.refused("divide", "hit / 0")

    def test_not_a_number(self):
        self.refused("number", "1e308 * 10 * hit")

    def test_more_than_the_machine_can(self):
        self.refused("most is 3", "hit", "  max 3\n")

    def test_less_than_can_be(self):
        self.refused("least is 0", "-hit")
        self.refused("least", "hit", "  min 1e9\n")

    def test_a_share_above_all(self):
        self.refused("most is 100", "hit * 1e6", unit="%")

    def test_an_event_that_the_model_lacks(self):
        self.refused("not counted", "{mbox/FVID_RACE/}")

    def test_doubt_leaves_the_value(self):
        row = self.one("hit", '  doubt hit > 1 "there were hits"\n')
        self.assertGreater(row["value"], 0)
        self.assertIn("there were hits", row["note"])
        self.assertNotIn("note",
                         self.one("hit", '  doubt 1 > hit "none"\n'))

    def test_text_and_separated_output_say_so(self):
        path = self.file(ROW.replace("mine", "m") % ("m", "ratio", "1 / 0"))
        words = ("--metric-file", path, "-M", "m", "-w", "idle", "--cycles",
                 "1000")
        ran = run("stat", *words)
        self.assertRegex(ran.stdout, r"m +n/a +# there was nothing to divide")
        ran = run("stat", "-x,", *words)
        self.assertIn("n/a,x", ran.stdout)


class Mistakes(Files):
    ROWS = (
        ("metrik a b \"c\"\n", "1:1", "metric, event, let, fact"),
        ("metric a b c unit=x kind=ratio\n  formula 1\n", "1:8", "TITLE"),
        ("metric a b \"c\" unit=x\n  formula 1\n", "1:8", "kind=total"),
        ("metric a b \"c\" unit=x kind=none\n  formula 1\n", "1:28",
         "total, rate or ratio"),
        ("metric a b \"c\" unit=x kind=rate color=1\n  formula 1\n", "1:39",
         "source="),
        ("metric a b \"c\" unit=x kind=rate\n", "1:1", "formula"),
        ("metric a b \"c unit=x kind=rate\n", "1:12", "ends the text"),
        ("metric A-b b \"c\" unit=x kind=rate\n  formula 1\n", "1:8", "name"),
        ("  formula 1\n", "1:3", "no metric above"),
        ("#\n\nmetric a b \"c\" unit=x kind=rate\n  formula 1 +\n", "4:14",
         "a number, a name"),
        ("metric a b \"c\" unit=x kind=rate\n  formula (1\n", "2:13", ")"),
        ("metric a b \"c\" unit=x kind=rate\n  formula 1 2\n", "2:13",
         "operator"),
        ("metric a b \"c\" unit=x kind=rate\n  formula hitz + 1\n", "2:11",
         "did you mean hits"),
        ("metric a b \"c\" unit=x kind=rate\n  formula {cbox/NONE/}\n",
         "2:12", "no event 'NONE'"),
        ("metric a b \"c\" unit=x kind=rate\n  formula 1 + {cbox/NONE/\n",
         "2:15", "}"),
        ("metric a b \"c\" unit=x kind=rate\n  formula mean(1)\n", "2:11",
         "several"),
        ("metric a b \"c\" unit=x kind=rate\n"
         "  formula max({cbox/TRANS_IRQ/} + {bbox/TF_ALL/})\n", "2:11",
         "one kind of box"),
        ("metric a b \"c\" unit=x kind=rate\n  formula mean(hits, 1)\n",
         "2:20", "one formula"),
        ("metric a b \"c\" unit=x kind=rate split=box\n  formula clock\n",
         "2:11", "split"),
        ("metric a b \"c\" unit=x kind=rate\n  formula 1\n  formula 2\n",
         "3:11", "one such line"),
        ("metric a b \"c\" unit=x kind=rate\n  formula 1\n  note x\n",
         "3:8", "quotes"),
        ("metric a b \"c\" unit=x kind=rate\n  formula 1\n  doubt 1 \"x\"\n",
         "3:9", "doubt FORMULA > FORMULA"),
        ("metric a b \"c\" unit=x kind=rate\n  formula 1\n  max 1 +* 2\n",
         "3:10", "a number"),
        ("metric a_$x b \"c\" unit=x kind=rate each=\"x y: 1 2, 3\"\n"
         "  formula 1\n", "1:41", "as many values"),
        ("metric a_$xy b \"c\" unit=x kind=rate each=\"xy: hits, nothing\"\n"
         "  formula 2 * $xy\n", "2:15", "nothing"),
        ("let loop loop + 1\nmetric a b \"c\" unit=x kind=rate\n"
         "  formula loop\n", "1:10", "back to itself"),
        ("let half 1 / \nmetric a b \"c\" unit=x kind=rate\n"
         "  formula half\n", "1:14", "a number"),
        ("event 1x cbox/TRANS_IRQ/\n", "1:7", "letters, digits"),
        ("fact f x y \"z\"\n", "1:8", "NUMBER"),
        ("drop nothing_*\n", "1:6", "no such metric"),
        ("base none\n", "1:6", "base FAMILY"),
    )

    def test_mistakes_have_a_place_and_say_what_is_expected(self):
        for text, place, word in self.ROWS:
            path = self.file(text)
            ran = run("stat", "--metric-file", path, "-M", "all", "-w",
                      "idle", "--cycles", "1")
            self.assertEqual(ran.returncode, 2, text)
            self.assertTrue(ran.stderr.startswith(
                "uncore: %s:%s: " % (path, place)), (text, ran.stderr))
            self.assertIn(word, ran.stderr, text)

    def test_a_file_that_is_not_there(self):
        ran = run("stat", "--metric-file", "/none", "-M", "all", "-w", "idle")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("cannot open /none", ran.stderr)

    def test_a_name_that_is_not_there(self):
        ran = run("stat", "-M", "llc_hit_ratios", "-w", "idle")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("did you mean llc_hit_ratio", ran.stderr)
        for none in "", ",", ",page_hit":
            ran = run("stat", "-M", none, "-w", "idle")
            self.assertEqual(ran.returncode, 2)
            self.assertIn("no metric and no category ''", ran.stderr)

    def test_events_that_never_fit_together(self):
        path = self.file('metric m mine "T" unit=x kind=ratio\n  formula '
                         '{bbox/TF_ALL/} / {bbox/TF_WR/}\n')
        ran = run("stat", "--metric-file", path, "-M", "m", "-w", "idle",
                  "--cycles", "1000")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("TF_ALL", ran.stderr)
        self.assertIn("TF_WR", ran.stderr)


class Example(Files):
    """The file that docs/metrics.md is about."""

    def test_it_gives_what_it_says(self):
        path = os.path.join(SOURCE, "examples/metrics.txt")
        ran = run("stat", "--json", "--metric-file", path, "-M", "mine", "-N",
                  "2", "-w", "upgrade:size=256K,threads=4,place=scatter")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        out = json.loads(ran.stdout)
        counts = {row["event"]: row["value"] for row in out["counts"]}
        rows = {row["name"]: row.get("value") for row in out["metrics"]}
        upgrades = counts["cbox/LLC_MISSES.S.F/"]
        misses = upgrades + counts["cbox/LLC_MISSES.I/"]
        self.assertGreater(upgrades, 0)
        self.assertAlmostEqual(rows["upgrade_share"], 100 * upgrades / misses)
        self.assertAlmostEqual(
            rows["miss_rate"] / (1e-6 * misses / out["simulated_seconds"]), 1)
        self.assertTrue(1 <= rows["read_spread"] <= 4)
        self.assertGreater(rows["snoops_in.qpi0"], 0)

    def test_its_metrics_can_take_the_place_of_others(self):
        rows = self.values('metric llc_hits mine "Mine" unit=x kind=ratio\n'
                           '  formula 42\n')
        self.assertEqual(rows["llc_hits"]["value"], 42)


if __name__ == "__main__":
    sys.exit(unittest.main())
