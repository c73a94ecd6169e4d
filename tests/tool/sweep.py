#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore stat --sweep`: each row is what `uncore stat` says with the same
# settings, to the digit; what fails is a row that says why.

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shown import shown_and_printed  # noqa: E402

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD",
                                       os.path.dirname(UNCORE)))
HAS_VALGRIND = shutil.which(os.environ.get("UNCORE_VALGRIND", "valgrind"))
os.environ["UNCORE_LIBEXEC"] = BUILD
WALKS = os.path.join(BUILD, "tests-tool-traffic_walks")
METRICS = ("llc_misses", "llc_hit_ratio", "memory_read_bandwidth")
SPEC = "random:size=512K,shared=1,count=2500"


def run(*words, ok=True, **how):
    ran = subprocess.run((UNCORE, "stat") + words, text=True, **how,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and ran.returncode:
        raise AssertionError("uncore stat %s: status %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran


def sweep(*words, ok=True):
    return json.loads(run("--json", *words, ok=ok).stdout)


def result(*words):
    """What one run without --sweep says."""
    with tempfile.NamedTemporaryFile("r") as file:
        run("--json", "-o", "/dev/fd/%d" % file.fileno(), *words,
            pass_fds=(file.fileno(),))
        return json.load(file)


def once(*words):
    """{name: value} of it."""
    report = result(*words)
    return {row.get("event", row.get("name")): row["value"]
            for row in report["counts"] + report["metrics"]}


def values(text):
    """The values that an axis takes, as the table has them."""
    ran = run("--sweep", "n=" + text, "--cycles", "1024", "-e",
              "cbox/LLC_MISSES.ALL/", "-x,", "-w", "stream:offset={n}",
              "-o", "/dev/stdout")
    return [row[0] for row in csv.reader(io.StringIO(ran.stdout))][1:]


class Values(unittest.TestCase):
    def test_are_lists_and_ranges(self):
        for text, wanted in (
                ("3", ["3"]), ("3,1,2", ["3", "1", "2"]),
                ("4..24:4", ["4", "8", "12", "16", "20", "24"]),
                ("4..23:8", ["4", "12", "20"]), ("2..4", ["2", "3", "4"]),
                ("4..2", ["4", "3", "2"]), ("24..4:10", ["24", "14", "4"]),
                ("1..8:*2", ["1", "2", "4", "8"]),
                ("8..1:*2", ["8", "4", "2", "1"]),
                ("1..100:*10,7", ["1", "10", "100", "7"]),
                ("1K..3K", ["1K", "2K", "3K"]),
                ("512K..2M:*2", ["512K", "1024K", "2048K"])):
            self.assertEqual(values(text), wanted, text)

    def test_that_lead_nowhere_are_refused(self):
        for text in ("1..4:0", "1..4:-1", "1..4:*1", "0..4:*2", "1,,2", "1,",
                     "", "1..1000000", "1..2000"):
            ran = run("--sweep", "n=" + text, "-w", SPEC + ",write={n}",
                      ok=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), text)
            self.assertIn("--sweep", ran.stderr)
        for words in (("--sweep", "n"), ("--sweep", "=1"),
                      ("--sweep", "no.such=1"),
                      ("--sweep", "llc.ways=1..20", "--sweep",
                       "core.window=1..100"),
                      ("--sweep", "llc.ways=1", "--sweep", "llc.ways=2"),
                      ("--sweep", "llc.ways=1", "--per-box"),
                      ("--sweep", "llc.ways=1", "-I", "20us"),
                      ("--sweep", "llc.ways=1", "--svg")):
            ran = run(*words, "-w", SPEC, ok=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), words)


class Points(unittest.TestCase):
    def same(self, point, *words):
        found = once(*words)
        for name in point:
            if name in found:
                self.assertEqual(point[name], found[name], (name, words))
        self.assertEqual((point["why"], point["status"]), ("", 0))

    def test_are_what_stat_says(self):
        what = ("-M", ",".join(METRICS))
        found = sweep(*what, "--sweep", "llc.slice=24,48", "--sweep",
                      "place=compact,scatter", "--sweep", "threads=2..4:2",
                      "-w", SPEC)
        self.assertEqual(found["parameters"], ["llc.slice", "place",
                                               "threads"])
        self.assertEqual(set(found["units"]), set(METRICS))
        self.assertEqual(
            [(p["llc.slice"], p["place"], p["threads"])
             for p in found["points"]],
            [(slice, place, threads) for slice in (24, 48)
             for place in ("compact", "scatter") for threads in (2, 4)])
        for point in found["points"]:
            self.assertLessEqual(set(METRICS), set(point))
            self.same(point, *what, "-w", "%s,place=%s,threads=%d" % (
                SPEC, point["place"], point["threads"]),
                "--set", "llc.slice=%d" % point["llc.slice"])
        self.assertGreater(len({p["llc_misses"] for p in found["points"]}), 4)

    def test_take_events_and_options(self):
        events = ("-e", "cbox/LLC_MISSES.ALL/", "-e", "cbox/LLC_HITS.ALL/")
        found = sweep(*events, "--sweep", "seed=1,5", "--sweep",
                      "sockets=1,2", "--sweep", "cores=4,10", "-w", SPEC)
        self.assertEqual(len(found["points"]), 8)
        for point in found["points"]:
            self.assertIsInstance(point["cbox/LLC_MISSES.ALL/"], int)
            self.same(point, *events, "-w", SPEC, "--seed",
                      str(point["seed"]), "--sockets", str(point["sockets"]),
                      "--set", "cores=%d" % point["cores"])

    def test_tell_the_errors_of_turns(self):
        events = ("-e", "mbox/FVC_EV0.BBOX_CMDS.READS/",
                  "-e", "mbox/FVC_EV1.BBOX_CMDS.WRITES/")
        point = sweep(*events, "--turns", "--sweep", "llc.slice=24", "-w",
                      SPEC.replace("2500", "9000"))["points"][0]
        rows = result(*events, "--turns", "--set", "llc.slice=24", "-w",
                      SPEC.replace("2500", "9000"))["counts"]
        told = [row for row in rows if row.get("error")]
        self.assertTrue(told)
        for row in told:
            self.assertEqual(point[row["event"]], row["value"])
            self.assertAlmostEqual(point[row["event"] + ".error"],
                                   row["error"], delta=0.02 * row["error"])

    def test_have_the_errors_of_repeats(self):
        what = ("-r", "4", "-M", "llc_misses", "-w", SPEC)
        point = sweep("--sweep", "llc.slice=24", *what)["points"][0]
        row = next(row for row in result("--set", "llc.slice=24",
                                         *what)["metrics"])
        self.assertEqual(point["llc_misses"], row["value"])
        # 5.841: three degrees of freedom, 99 in 100
        self.assertAlmostEqual(point["llc_misses.error"],
                               5.841 * row["spread"],
                               delta=1e-3 * row["spread"])

    def test_that_fail_say_why_and_the_others_go_on(self):
        ran = run("-x,", "--sweep", "llc.slice=24,0,48", "--sweep",
                  "threads=2,1000", "-M", "llc_misses", "-w", SPEC, ok=False)
        self.assertEqual((ran.returncode, ran.stderr), (1, ""))
        rows = list(csv.DictReader(io.StringIO(ran.stdout)))
        self.assertEqual(len(rows), 6)
        for row in rows:
            fails = row["llc.slice"] == "0" or row["threads"] == "1000"
            self.assertEqual(bool(row["why"]), fails)
            self.assertEqual(row["llc_misses"] == "", fails)
            self.assertEqual(row["status"], "2" if fails else "0")
        self.assertIn("llc.slice is at least 1", rows[2]["why"])
        self.assertIn("20 cores", rows[1]["why"])

    def test_say_which_metric_has_no_value(self):
        words = ("-M", "llc_misses,request_latency_remote", "-w", SPEC)
        point = sweep("--sweep", "llc.slice=24", *words)["points"][0]
        self.assertIsNone(point["request_latency_remote"])
        self.assertIn("request_latency_remote: there was", point["note"])
        self.assertEqual((point["why"], point["status"]), ("", 0))
        text = run("--sweep", "llc.slice=24", *words).stdout
        self.assertIn("request_latency_remote: n/a   # there was", text)
        text = run("--sweep", "place=compact,scatter", "--sweep", "threads=4",
                   *words).stdout.splitlines()
        self.assertIn("there was nothing to divide by",
                      next(line for line in text if "compact" in line))

    def test_of_which_none_can_be_had_are_one_sentence(self):
        ran = run("--sweep", "llc.slice=24,48", "-M", "nonsense", "-w", SPEC,
                  ok=False)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertEqual(ran.stderr.count("\n"), 1)
        self.assertIn("nonsense", ran.stderr)

    def test_end_with_those_that_were_had(self):
        with tempfile.TemporaryFile() as out, \
                tempfile.TemporaryFile() as err:
            ran = subprocess.Popen(
                (UNCORE, "stat", "--json", "--sweep", "count=100,1000000000,5",
                 "-M", "llc_misses", "-w", "random:size=64M"),
                stdout=out, stderr=err)
            # The second point takes hours. The first one is over when the
            # process below is not the first one any more.
            seen = set()
            while len(seen) < 2:
                seen |= set(children(ran.pid))
                time.sleep(0.005)
            time.sleep(0.3)
            ran.send_signal(signal.SIGTERM)
            self.assertEqual(ran.wait(60), 1)
            out.seek(0)
            err.seek(0)
            points = json.load(out)["points"]
            self.assertIn(b"1 of 3 points are missing", err.read())
        self.assertEqual([p["count"] for p in points], [100, 1000000000])
        self.assertTrue(all(p["llc_misses"] or p["why"] for p in points))


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return file.read().split()


@unittest.skipUnless(HAS_VALGRIND, "Valgrind is not installed")
class Programs(unittest.TestCase):
    def test_are_counted_as_stat_does(self):
        what = ("-M", "llc_misses,llc_hit_ratio")
        ran = run("--json", "--sweep", "n=500,1000", "--sweep",
                  "llc.slice=48,96", "--sweep", "place=compact,scatter", *what,
                  "--", WALKS, "{n}", "0", "{n}", "0")
        points = json.loads(ran.stderr)["points"]
        self.assertEqual(len(points), 8)
        for point in points:
            found = once(*what, "--set", "llc.slice=%d" % point["llc.slice"],
                         "--place", point["place"], "--", WALKS,
                         str(point["n"]), "0", str(point["n"]), "0")
            for name in ("llc_misses", "llc_hit_ratio"):
                self.assertEqual(point[name], found[name], point)
        # twice 500 lines more, which no cache holds
        self.assertLess(abs(points[4]["llc_misses"] - points[0]["llc_misses"] -
                            1000), 20)

    def test_keep_their_output_and_their_status(self):
        ran = run("-x,", "--sweep", "n=0,3,9", "-M", "llc_misses", "--", "sh",
                  "-c", "echo out {n}; [ {n} = 9 ] && kill -9 $$; exit {n}",
                  ok=False)
        self.assertEqual(ran.returncode, 3)
        self.assertEqual(ran.stdout, "out 0\nout 3\nout 9\n")
        table = ran.stderr[ran.stderr.index("n,llc_misses"):]
        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertEqual([row["status"] for row in rows], ["0", "3", "137"])
        self.assertEqual([row["why"] for row in rows],
                         ["", "it ended with status 3",
                          "it ended with status 137"])
        self.assertTrue(all(int(row["llc_misses"]) > 0 for row in rows))

    def test_that_are_not_there_are_rows(self):
        ran = run("-x,", "--sweep", "program=/nowhere," + WALKS, "-M",
                  "llc_misses", "--", "{program}", "1", "1", "1", "1",
                  ok=False)
        self.assertEqual(ran.returncode, 1)
        rows = list(csv.DictReader(io.StringIO(ran.stderr)))
        self.assertIn("/nowhere", rows[0]["why"])
        self.assertEqual(rows[1]["why"], "")


class Output(unittest.TestCase):
    WORDS = ("--sweep", "llc.slice=24..96:24", "--sweep",
             "place=compact,scatter", "-M", ",".join(METRICS), "-w",
             SPEC + ",threads=2")

    def test_is_the_same_in_all_forms(self):
        points = sweep(*self.WORDS)["points"]
        rows = list(csv.DictReader(io.StringIO(run("-x,", *self.WORDS)
                                               .stdout)))
        text = run(*self.WORDS).stdout.splitlines()
        head = next(i for i, line in enumerate(text) if "llc.slice" in line)
        self.assertEqual(len([line for line in text[head + 1:] if line]),
                         len(points))
        for point, row in zip(points, rows):
            for name in METRICS:
                self.assertAlmostEqual(point[name], float(row[name]), 9)
            self.assertEqual(row["place"], point["place"])


class Shards(unittest.TestCase):
    """However the points are shared out, the table is the same to the byte."""
    WORDS = ("--json", *Output.WORDS)
    OF = 3

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.whole = run(*self.WORDS).stdout

    def shards(self, *more):
        for index in range(self.OF):
            name = os.path.join(self.folder.name, str(index))
            run(*self.WORDS, *more, "--shard=%d/%d" % (index + 1, self.OF),
                "--replace", "-o", name)
            yield name

    def merge(self, *words):
        return subprocess.run([UNCORE, "compare", "--merge", *words],
                              text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def test_run_several_at_a_time(self):
        self.assertEqual(run(*self.WORDS, "--jobs", "4").stdout, self.whole)

    def test_are_put_together(self):
        names = list(self.shards())
        ran = self.merge("--json", *names[::-1])
        self.assertEqual((ran.returncode, ran.stdout), (0, self.whole))
        self.assertEqual(self.merge("-x,", *names).stdout,
                         run("-x,", *Output.WORDS).stdout)
        self.assertEqual(self.merge(*names).stdout, run(*Output.WORDS).stdout)

    def test_are_put_together_where_figures_are_missing(self):
        """In one socket no point has the figure; in two those that use both."""
        for sockets, said in (("2", "  why\n"),
                              ("1", "request_latency_remote: n/a   # there ")):
            more = ("-M", "llc_misses,request_latency_remote", "--set",
                    "sockets=" + sockets)
            text = self.merge(*self.shards(*more)).stdout
            self.assertEqual(text, run(*Output.WORDS, *more).stdout)
            self.assertIn(said, text)

    def test_that_do_not_fit_are_refused(self):
        names = list(self.shards())
        ran = self.merge(*names[:2])
        self.assertEqual(ran.returncode, 1)
        self.assertIn("2 of 8 points are in no file", ran.stderr)
        other = os.path.join(self.folder.name, "other")
        run("--json", "--sweep", "llc.slice=24,48", "-M", METRICS[0], "-w",
            SPEC, "--shard=2/2", "-o", other)
        whole = os.path.join(self.folder.name, "whole")
        with open(whole, "w", encoding="utf-8") as file:
            file.write(self.whole)
        for words, said in (((names[0], names[0]), "in a file before"),
                            ((names[0], other), "of another sweep"),
                            ((whole,), "no shard of a sweep"),
                            (("/dev/null",), "cannot read"),
                            (("--top=2", names[0]), "compares nothing")):
            ran = self.merge(*words)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), words)
            self.assertIn(said, ran.stderr)
        for words in (("--shard=0/3",), ("--shard=4/3",), ("--shard=1",),
                      ("--shard=9/9",), ("--jobs=0",), ("--jobs=x",)):
            ran = run(*self.WORDS, *words, ok=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), words)


class Document(unittest.TestCase):
    def test_shows_what_the_command_prints(self):
        self.assertEqual(*shown_and_printed("docs/compare.md",
                                            "## Sweeps"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
