#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore compare`: what it calls a change is one, and what chance does it calls
# a change as often as it promises. Student's distribution is compared with the
# printed tables and with an integral of its density.

import html
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sandbox import LONG  # noqa: E402
from shown import shown_and_printed  # noqa: E402

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD",
                                       os.path.dirname(UNCORE)))
HAS_VALGRIND = shutil.which(os.environ.get("UNCORE_VALGRIND", "valgrind"))
os.environ["UNCORE_LIBEXEC"] = BUILD
SEEDS = 20
DEALS = 15  # of the seeds to both sides
DAMAGED = 150 if LONG else 40
SMALL = ("--set", "llc.slice=48")
HALF = ("--set", "llc.slice=24")
RANDOM = "random:threads=4,size=512K,shared=1,count=4000,write=30"


def run(*words, ok=True, folder=None):
    ran = subprocess.run((UNCORE,) + words, text=True, cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and ran.returncode:
        raise AssertionError("uncore %s: status %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran


def stat(*words):
    where = () if "-w" in words else ("-w", RANDOM)
    return run("stat", *where, *words).stdout


def result(metrics, counts=(), **rest):
    """A result as --json has it: {name: value}, rows of counts."""
    return json.dumps(dict({
        "schema": "uncore-stat-1",
        "counts": [dict({"socket": None, "box": "cbox", "note": ""}, **row)
                   for row in counts],
        "metrics": [{"name": name, "socket": None, "value": value,
                     "unit": "%"} for name, value in metrics.items()],
    }, **rest))


def repeats(name, values):
    return "\n".join(result({name: value}) for value in values)


class Folder(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)

    def path(self, name):
        return os.path.join(self.holder.name, name)

    def file(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def compare(self, a, b, *words):
        """Both as texts; the JSON of it."""
        return json.loads(run("compare", "--json", self.file("a", a),
                              self.file("b", b), *words).stdout)

    def row(self, a, b, *words):
        rows = self.compare(a, b, *words)["rows"]
        self.assertEqual(len(rows), 1)
        return rows[0]


def outside(t, freedom):
    """P(|T| > t): Simpson's rule over the angle whose tangent is
    t/sqrt(freedom), in which the density is a power of the cosine."""
    front = math.exp(math.lgamma((freedom + 1) / 2) -
                     math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    steps, last = 2000, math.atan(t / math.sqrt(freedom))
    total = 0
    for i in range(steps + 1):
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        total += weight * math.cos(last * i / steps) ** (freedom - 1)
    return 1 - 2 * front * total * last / steps / 3


class Chance(Folder):
    # t with 99 % between -t and t, as tables print it
    TABLE = {1: 63.657, 2: 9.925, 3: 5.841, 9: 3.250, 30: 2.750}

    def test_widens_few_repeats_as_the_tables_do(self):
        for freedom, t in self.TABLE.items():
            # one run against repeats: their spread is that of both
            row = self.row(repeats("x", range(freedom + 1)), result({"x": 7}))
            self.assertAlmostEqual(row["error"] / row["standard_error"], t, 3)

    def test_is_that_of_welch(self):
        rng = random.Random(3)
        for _ in range(20):
            a = [rng.gauss(10, 1) for _ in range(rng.randint(2, 9))]
            b = [rng.gauss(11, 3) for _ in range(rng.randint(2, 30))]
            row = self.row(repeats("x", a), repeats("x", b))
            va, vb = (statistics.variance(v) / len(v) for v in (a, b))
            freedom = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) +
                                        vb ** 2 / (len(b) - 1))
            difference = statistics.mean(b) - statistics.mean(a)
            t = abs(difference) / math.sqrt(va + vb)
            self.assertAlmostEqual(row["difference"], difference, 9)
            self.assertAlmostEqual(row["standard_error"],
                                   math.sqrt(va + vb), 9)
            self.assertAlmostEqual(row["p"], outside(t, freedom), 6)
            self.assertEqual(row["verdict"],
                             "changed" if row["p"] < 0.01 else "chance")

    def test_takes_the_error_that_a_result_tells(self):
        # 3.250 standard errors: nine degrees of freedom
        def estimate(value):
            return result({}, [{"event": "x", "value": value,
                                "is_estimate": True, "standard_error": 10,
                                "error": 32.4984}])
        row = self.row(estimate(1000), result({}, [{"event": "x",
                                                    "value": 1030}]))
        self.assertEqual(row["standard_error"], 10)
        self.assertAlmostEqual(row["p"], outside(3, 9), 4)
        self.assertEqual(row["verdict"], "chance")
        row = self.row(estimate(1000), estimate(1050))
        self.assertAlmostEqual(row["standard_error"], math.sqrt(200), 9)
        self.assertAlmostEqual(row["p"], outside(50 / math.sqrt(200), 18), 4)
        self.assertAlmostEqual(row["ratio_error"] * 1000,
                               row["error"] / math.sqrt(2) *
                               math.sqrt(1 + 1.05 ** 2), 6)

    def test_is_not_made_up_where_nothing_is_known(self):
        unknown = {"event": "x", "value": 1000, "is_estimate": True,
                   "standard_error": None, "error": None}
        row = self.row(result({}, [unknown]),
                       result({}, [dict(unknown, value=2000)]))
        self.assertEqual((row["verdict"], row["p"], row["error"]),
                         ("unknown", None, None))
        row = self.row(result({"x": 1}), result({"x": 2}))
        self.assertEqual((row["verdict"], row["p"], row["error"]),
                         ("one run", None, None))

    def test_lets_two_counts_agree_without_being_certain(self):
        def counts(*values):
            return "".join(result({}, [{"event": "x", "value": value}])
                           for value in values)
        self.assertEqual(self.row(counts(0, 0), counts(1, 1))["verdict"],
                         "chance")
        self.assertEqual(self.row(counts(100, 100),
                                  counts(120, 120))["verdict"], "changed")


class Seeds(Folder):
    @classmethod
    def setUpClass(cls):
        cls.results = [stat("--json", *SMALL, "--seed", str(seed))
                       for seed in range(1, SEEDS + 1)]

    def split(self, rng, first, second, *words):
        order = rng.sample(self.results, first + second)
        return self.compare("".join(order[:first]), "".join(order[first:]),
                            *words)

    def test_are_told_apart_as_often_as_promised(self):
        """One half of the seeds against the other, and one against ten: all
        of it is chance. Of some 20 rows each many say the same."""
        for percent, low, high in ((90, 0.03, 0.17), (99, 0, 0.02)):
            changed = tested = 0
            for first, second in ((10, 10), (5, 5), (1, 10)):
                rng = random.Random(first * percent)
                for _ in range(DEALS):
                    found = self.split(rng, first, second, "--confidence",
                                       str(percent))
                    changed += found["changed"]
                    tested += found["tested"]
            self.assertGreater(tested, 15 * 3 * DEALS)
            self.assertTrue(low <= changed / tested <= high,
                            (percent, changed, tested))

    def test_do_not_hide_half_a_cache(self):
        half = "".join(stat("--json", *HALF, "--seed", str(seed))
                       for seed in (101, 102, 103))
        rows = {row["name"]: row
                for row in self.compare("".join(self.results[:3]),
                                        half)["rows"]}
        for name in ("llc_misses", "cbox/LLC_MISSES.ALL/", "llc_hit_ratio",
                     "memory_read"):
            self.assertEqual(rows[name]["verdict"], "changed", name)
        self.assertGreater(rows["llc_misses"]["ratio"], 1.1)
        self.assertLess(rows["llc_hit_ratio"]["ratio"], 0.9)

    def test_are_what_repeats_are(self):
        """-r N counts with N seeds, and says their mean and its error."""
        together = stat("--json", "-r", "4", "--seed", "1", *SMALL)
        rows = [row for row in self.compare("".join(self.results[:4]),
                                            together)["rows"]
                if row["verdict"] != "n/a"]
        self.assertGreater(len(rows), 20)
        for row in rows:
            self.assertIn(row["verdict"], ("same", "chance"))
            self.assertEqual((row["runs_a"], row["runs_b"]), (4, 4))
            # means of counts are whole numbers there
            self.assertAlmostEqual(row["a"], row["b"], delta=0.5 + 1e-9 *
                                   row["a"])
        half = stat("--json", "-r", "4", *HALF)
        apart = self.compare("".join(self.results[:4]), half)["rows"]
        of_means = {row["name"]: row
                    for row in self.compare(together, half)["rows"]}
        for row in apart:
            if row["p"] not in (None, 1) and row["a"] > 1000:
                self.assertAlmostEqual(
                    row["standard_error"],
                    of_means[row["name"]]["standard_error"],
                    delta=0.01 * row["standard_error"])


class Turns(Folder):
    EVENTS = ("mbox/FVC_EV0.BBOX_CMDS.READS/",
              "mbox/FVC_EV1.BBOX_CMDS.WRITES/")

    def test_are_no_change(self):
        """The same run, counted in turns and exactly: what is different is
        the error of turns."""
        words = [word for event in self.EVENTS for word in ("-e", event)]
        changed = tested = 0
        for seed in range(1, 16):
            how = ("--json", *HALF, "--seed", str(seed), *words)
            found = self.compare(stat(*how), stat("--turns", *how))
            changed += found["changed"]
            tested += found["tested"]
        self.assertGreater(tested, 20)
        self.assertLessEqual(changed, 2)

    def test_are_no_change_of_metrics(self):
        changed = tested = 0
        for seed in range(1, 13):
            how = ("--json", *HALF, "--seed", str(seed), "-M", "memory,qpi")
            found = self.compare(stat(*how), stat("--turns", *how),
                                 "--by=metric")
            changed += found["changed"]
            tested += found["tested"]
        self.assertGreater(tested, 30)
        self.assertLessEqual(changed, 0.03 * tested)

    def test_do_not_hide_a_change(self):
        """Three times the accesses, in a cache that is too small from early
        on: what goes on all the time has an error of some per cent."""
        words = [word for event in self.EVENTS for word in ("-e", event)]
        found = self.compare(
            stat("--json", *words, *HALF),
            stat("--turns", "--json", *words, "-w",
                 RANDOM.replace("4000", "12000"), *HALF))
        self.assertEqual([row["verdict"] for row in found["rows"]],
                         ["changed", "changed"])


@unittest.skipUnless(HAS_VALGRIND, "Valgrind is not installed")
class Sampled(Folder):
    """Results of which a part was looked at in detail (docs/sampled.md)."""
    WORK = ("-w", "random:threads=2,size=4M,count=40000,write=30")
    HOW = ("--json", "--set", "llc.slice=512", "--set", "detail.start=2000",
           "--set", "detail.window=300", "-M",
           "llc_misses,memory_bandwidth,llc_miss_latency,simulated_time", "-e",
           "wbox/FIXED_CTR/")

    @staticmethod
    def windows(value, **row):
        return result({}, [dict({"event": "x", "value": value}, **row)],
                      detail={"accesses": 9000, "share": 0.05,
                              "time_error": 0.5},
                      simulated_seconds=10, random_asked=False,
                      random_repeatable=False)

    def test_tell_an_interval_of_95(self):
        # 2.262 standard errors: nine degrees of freedom
        a = self.windows(1000, is_estimate=True, standard_error=10,
                         error=22.62)
        b = result({}, [{"event": "x", "value": 1030}])
        row = self.row(a, b)
        self.assertAlmostEqual(row["p"], outside(3, 9), 3)
        self.assertEqual(row["verdict"], "chance")

    def test_may_be_off_by_what_was_not_seen(self):
        # no window has any of it, so there is no standard error
        row = self.row(self.windows(0, is_estimate=True, standard_error=0,
                                    error=40),
                       result({}, [{"event": "x", "value": 20}]))
        self.assertEqual(row["verdict"], "chance")

    def test_repeats_are_no_better_than_each_is(self):
        runs = [self.windows(1000 + i, is_estimate=True, standard_error=30,
                             error=60) for i in range(4)]
        row = self.row("\n".join(runs), "\n".join(
            self.windows(1040 + i, is_estimate=True, standard_error=30,
                         error=60) for i in range(4)))
        self.assertAlmostEqual(row["standard_error"], 30 / math.sqrt(2))
        self.assertEqual(row["verdict"], "chance")

    def test_are_named(self):
        exact = result({}, [{"event": "x", "value": 8}], random_asked=False,
                       random_repeatable=False)
        b = self.windows(9)
        report = self.compare(exact, b)
        self.assertNotIn("detail", report["a"])
        self.assertEqual(report["b"]["detail"],
                         {"runs": 1, "accesses": 9000, "share": 0.05,
                          "time_error": 0.05})
        # how it was counted may be all that is different
        self.assertEqual(report["rows"][0]["verdict"], "one run")
        self.assertIn("One side was sampled", report["detail_note"])
        text = run("compare", self.file("a", exact), self.file("b", b)).stdout
        self.assertIn("5 % of 9,000 accesses in detail, time +- 5 %", text)
        self.assertIn("One side was sampled", text)
        both = self.compare(self.windows(8), b)
        self.assertEqual(both["rows"][0]["verdict"], "exact")
        self.assertNotIn("detail_note", both)

    def test_are_no_change(self):
        """Other windows of the same run, and the run itself."""
        full = stat("--detail=full", *self.HOW, *self.WORK)
        told = changed = 0
        for seed in range(SEEDS):
            part = stat("--detail=8%%,seed=%d" % seed, *self.HOW, *self.WORK)
            for row in self.compare(full, part)["rows"]:
                told += row["verdict"] in ("chance", "changed")
                changed += row["verdict"] == "changed"
                if row["name"] == "llc_misses":
                    self.assertEqual(row["verdict"], "same")
        self.assertGreater(told, 4 * SEEDS)
        self.assertLessEqual(changed, 0.05 * told)

    def test_do_not_hide_a_quarter_of_the_cache(self):
        # The time differs by 8 per cent, so some seventy windows are needed.
        small = [word.replace("512", "128") for word in self.HOW]
        rows = {row["name"]: row["verdict"] for row in self.compare(
            stat("--detail=30%", *self.HOW, *self.WORK),
            stat("--detail=30%", *small, *self.WORK))["rows"]}
        self.assertEqual(rows["llc_misses"], "exact")
        self.assertEqual(rows["simulated_time"], "changed")

    def test_recordings_do_not_know_their_time_as_well(self):
        for name, size in ("a", "512"), ("b", "256"):
            run("record", "-q", "-o", self.path(name), "-e",
                "cbox/LLC_MISSES.ALL,period=300/", "-e", "cbox/LLC_HITS.ALL/",
                "--set", "llc.slice=" + size, "--set", "detail.start=2000",
                *self.WORK)
        report = json.loads(run("compare", "--json", "--by=metric",
                                self.path("a"), self.path("b")).stdout)
        rows = {row["name"]: row["verdict"] for row in report["rows"]}
        self.assertLess(report["a"]["detail"]["share"], 0.5)
        self.assertEqual(rows["llc_misses"], "exact")
        self.assertEqual(rows["llc_lookup_rate"], "unknown")


class Recordings(Folder):
    PROGRAM = os.path.join(BUILD, "tests-tool-traffic_walks")
    MISSES = {"north": 20000, "east": 10000, "south": 5000, "west": 2500}

    def record(self, name, period, **misses):
        lines = dict(self.MISSES, **misses)
        run("record", "-q", "-o", self.path(name), "-e",
            "cbox/LLC_MISSES.ALL,period=%d/" % period, "--", self.PROGRAM,
            *map(str, lines.values()))
        return self.path(name)

    def rows(self, a, b, *words):
        rows = json.loads(run("compare", "--json", a, b, *words).stdout)["rows"]
        return {(row["kind"], row["name"]): row for row in rows}

    def test_are_the_same_as_themselves(self):
        a = self.record("a", 97)
        rows = self.rows(a, a)
        self.assertEqual({kind for kind, _ in rows},
                         {"event", "metric", "symbol"})
        for row in rows.values():
            self.assertTrue(row["verdict"] == "same" or row["note"], row)

    def test_do_not_differ_by_how_often_was_sampled(self):
        """The same run each time: what differs are the samples. What each
        function misses is known, too."""
        names = [self.record("p%d" % period, period)
                 for period in (41, 61, 97, 151, 211, 307)]
        tested = changed = 0
        for i, a in enumerate(names):
            for b in names[i + 1:]:
                rows = self.rows(a, b, "--by=symbol")
                tested += len(rows)
                changed += sum(row["verdict"] == "changed"
                               for row in rows.values())
                for name, misses in self.MISSES.items():
                    row = rows["symbol", name]
                    self.assertLess(abs((row["a"] + row["b"]) / 2 - misses),
                                    row["error"], (a, b, name))
        # One in a hundred is wrong, and each recording is in five pairs: what
        # is odd about one comes again. Where the stack begins, and so what is
        # sampled, depends on the environment's length.
        self.assertGreater(tested, 200)
        self.assertLessEqual(changed, 0.04 * tested)

    def test_find_the_function_that_misses_more(self):
        rows = self.rows(self.record("a", 41),
                         self.record("b", 43, east=30000), "--by=symbol")
        east = rows["symbol", "east"]
        self.assertEqual(east["verdict"], "changed")
        self.assertLess(abs(east["ratio"] - 3), east["ratio_error"])
        self.assertEqual(next(iter(rows)), ("symbol", "east"))
        # Two of the three by chance: once in 3,000 environments.
        self.assertGreaterEqual(
            sum(rows["symbol", name]["verdict"] == "chance"
                for name in ("north", "south", "west")), 2)


class Words(Folder):
    def code(self, a, b, *words):
        return run("compare", self.file("a", a), self.file("b", b), *words,
                   ok=False).returncode

    def test_say_which_rows_only_one_has(self):
        found = self.compare(result({"x": 1, "y": 1}), result({"x": 1,
                                                               "z": 1}))
        self.assertEqual({row["name"]: row["verdict"]
                          for row in found["rows"]},
                         {"x": "same", "y": "only A", "z": "only B"})

    def test_say_why_there_is_no_value(self):
        a = json.loads(result({"x": None, "y": 1}))
        a["metrics"][0]["note"] = "its events were not counted"
        rows = self.compare(json.dumps(a), result({"x": 1, "y": 1}))["rows"]
        self.assertEqual([(row["name"], row["verdict"], row["note"])
                          for row in rows],
                         [("y", "same", ""),
                          ("x", "n/a", "its events were not counted")])

    def test_compare_places_with_their_like(self):
        def of(socket, value):
            return {"event": "e", "socket": socket, "box": "cbox3",
                    "value": value}
        found = self.compare(
            result({}, [of(0, 1), of(1, 2)]),
            result({}, [of(1, 2), of(0, 1)]))
        self.assertEqual({row["place"]: row["verdict"]
                          for row in found["rows"]},
                         {"S0 cbox3": "same", "S1 cbox3": "same"})

    def test_end_with_3_above_the_limit_alone(self):
        a, up, down = (repeats("x", values) for values in (
            (100, 101, 99), (110, 111, 109), (90, 91, 89)))
        for b, words, code in (
                (up, (), 0), (up, ("--fail-above=5",), 3),
                (up, ("--fail-above=+5",), 3), (up, ("--fail-above=-5",), 0),
                (up, ("--fail-above=11",), 0), (down, ("--fail-above=5",), 3),
                (down, ("--fail-above=-5",), 3),
                (down, ("--fail-above=+5",), 0),
                # by chance: no
                (repeats("x", (90, 140, 120)), ("--fail-above=5",), 0),
                # one run each: it is not known whether by chance
                (up, ("--fail-above=5", "--only=y"), 2)):
            self.assertEqual(self.code(a, b, *words), code, words)
        self.assertEqual(self.code(result({"x": 100}), result({"x": 110}),
                                   "--fail-above=5"), 3)
        self.assertEqual(self.code(result({"x": 0}), result({"x": 1}),
                                   "--fail-above=5"), 3)

    def test_a_page_for_a_pull_request(self):
        """Its cells are what the text has; names are no marks."""
        odd = "a|b`<i>*_@x\\"
        a, b = (result({odd: value, "y": 7, "even": 3}) for value in (100, 110))
        text = run("compare", self.file("a", a), self.file("b", b),
                   "--fail-above=5", "--markdown=" + self.path("m"), ok=False)
        self.assertEqual(text.returncode, 3, text.stderr)
        with open(self.path("m"), encoding="utf-8") as page:
            lines = page.read().splitlines()
        self.assertIn("1 row changed by more than 5 %: <code>", lines[0])
        rows = [[html.unescape(re.sub("`|</?code>", "", cell)).strip()
                 for cell in line.split("|")[1:-1]]
                for line in lines if line.startswith("|")]
        self.assertEqual(rows[1][:2] + rows[1][6:8],
                         ["--:", "--:", "---", "---"])
        del rows[1]
        self.assertEqual({len(row) for row in rows}, {9})
        self.assertEqual([row[7] for row in rows], ["name", odd, "even", "y"])
        shown = [re.split("  +", line.strip())
                 for line in text.stdout.splitlines()]
        for row in rows:
            self.assertIn(row, shown)

    def test_sort_and_choose(self):
        a = result({"b": 1, "a": 100, "c": 5, "d": 3})
        b = result({"b": 3, "a": 150, "c": 5, "d": 1.5})

        def names(*words):
            return [row["name"] for row in self.compare(a, b, *words)["rows"]]
        self.assertEqual(names("--sort=size"), ["b", "d", "a", "c"])
        self.assertEqual(names("--sort=name"), ["a", "b", "c", "d"])
        self.assertEqual(names("--sort=size", "--top=2"), ["b", "d"])
        self.assertEqual(names("--changed", "--sort=name"), ["a", "b", "d"])
        self.assertEqual(names("--only=[ab]", "--sort=name"), ["a", "b"])

    def test_refuse_what_has_no_end(self):
        """However much of it there is, and however deep."""
        for text, said in (("[" * 10 ** 6, "nesting too deep"),
                           (" " * (65 << 20), "larger than 64 MB")):
            with open(self.path("a"), "w", encoding="ascii") as file:
                file.write('{"schema": "uncore-stat-1", "counts": ' + text)
            ran = run("compare", self.path("a"), self.path("a"), ok=False)
            self.assertIn(ran.returncode, (1, 2))
            self.assertIn(said, ran.stderr)

    def test_refuse_what_is_no_result(self):
        good = result({"x": 1})
        for bad in ("", "{", "{}", "[]", good[:-1], good + "x", "no result",
                    '{"schema": "uncore-stat-2"}', good + good[:40],
                    '{"a":' * 100 + "1" + "}" * 100, stat("-x,", *SMALL),
                    '{"schema": "uncore-stat-1", "counts": [1,,2]}',
                    result({"x": 1}, time=0.5), result({"x": None}),
                    result({"y": 1})):
            ran = run("compare", self.file("a", good), self.file("b", bad),
                      ok=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), bad)
            self.assertTrue(ran.stderr.startswith("uncore: "), bad)
            self.assertEqual("what -x prints" in ran.stderr,
                             not bad.startswith("{"), bad)
        for words in (("--by=box",), ("--sort=up",), ("--confidence=100",),
                      ("--confidence=x",), ("--fail-above=x",),
                      ("--fail-above=",), ("--fail-above=%",),
                      ("--fail-above=+%",), ("--confidence=%",), ("-x", ""), ("-j", "-x,"),
                      ("--top=x",), ("--socket=x",), ("third",)):
            self.assertEqual(self.code(good, good, *words), 2, words)
        self.assertEqual(run("compare", self.path("a"), "/nowhere",
                             ok=False).returncode, 2)

    def test_survive_damage(self):
        """Bytes changed, cut out and doubled: a sentence or a table."""
        rng = random.Random(5)
        good = stat("--json", "--per-box", "-e", "cbox/LLC_MISSES.ALL/")
        for number in range(DAMAGED):
            text = list(good[:2000])
            for _ in range(rng.randint(1, 8)):
                at = rng.randrange(len(text))
                text[at:at + rng.randint(0, 3)] = rng.choice(
                    ('"', "\\", "\\ud800", "{", "]", ",,", "\0", "1e999",
                     "nan", "-", "n/a", "\u00e9", ""))
            ran = run("compare", self.file("a", good),
                      self.file("b", "".join(text)), ok=False)
            self.assertIn(ran.returncode, (0, 2), (number, ran.stderr))


class Document(unittest.TestCase):
    def test_shows_what_the_command_prints(self):
        self.assertEqual(*shown_and_printed("docs/compare.md",
                                            "## Comparing"))


if __name__ == "__main__":
    # what it does with files is looked at for slips, what it finds is not
    unittest.main()
