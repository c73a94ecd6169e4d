#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore report` against the recording itself: every view is worked out again
# from the tables, with SQL, and the outputs must say the same.

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))


def uncore(*words, status=0):
    done = subprocess.run([UNCORE] + list(words), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False)
    if done.returncode != status:
        raise AssertionError("%s: %d\n%s" % (words, done.returncode,
                                             done.stderr))
    return done


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.holder.name, "a.rec")
        uncore("record", "-o", cls.path, "-w", "stream:size=1M,threads=12",
               "-e", "cbox/LLC_MISSES.ALL,period=200/",
               "-e", "cbox/LLC_HITS.ALL/", "-e", "wbox/FIXED_CTR/")
        cls.turns = os.path.join(cls.holder.name, "turns.rec")
        uncore("record", "-o", cls.turns, "-w", "stream:size=2M", "-I", "40us",
               "--turns",
               "-e", "mbox/FVC_EV0.BBOX_CMDS.READS/",
               "-e", "mbox/FVC_EV0.BBOX_CMDS.WRITES/",
               "-e", "cbox/LLC_MISSES.ALL/")
        cls.frozen = os.path.join(cls.holder.name, "frozen.rec")
        uncore("record", "-o", cls.frozen, "-w", "stream:size=1M",
               "-e", "cbox/LLC_MISSES.ALL/", "--freeze-after", "300")

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def rows(self, query, path=None):
        base = sqlite3.connect(path or self.path)
        try:
            return base.execute(query).fetchall()
        finally:
            base.close()

    def report(self, *words, path=None):
        return json.loads(uncore("report", "--json", *words,
                                 path or self.path).stdout)

    def test_events(self):
        totals = dict(self.rows(
            "SELECT event, sum(value) FROM growth GROUP BY event"))
        shown = self.report("--by", "event")["events"]
        self.assertEqual({e["event"]: e["total"] for e in shown}, totals)
        sampled = self.rows("SELECT count(*) FROM sample "
                            "WHERE kind = 'period'")[0][0]
        self.assertEqual(shown[0]["samples"], sampled)
        self.assertEqual(shown[0]["period"], 200)
        self.assertIsNone(shown[1]["samples"])

    def test_boxes(self):
        want = {(s, i, e): v for s, i, e, v in self.rows(
            "SELECT socket, instance, event, sum(value) FROM growth "
            "GROUP BY socket, instance, event")}
        boxes = {"cbox/LLC_MISSES.ALL,period=200/": "cbox",
                 "cbox/LLC_HITS.ALL/": "cbox", "wbox/FIXED_CTR/": "wbox"}
        shown = self.report("--by", "box")["boxes"]
        self.assertEqual(len(shown), len(want))
        by_name = {(r["box"], r["event"]): r for r in shown}
        for (socket, instance, event), value in want.items():
            name = "S%d %s%d" % (socket, boxes.get(event, "cbox"), instance)
            self.assertEqual(by_name[name, event]["total"], value)
        for event in {r["event"] for r in shown if r["total"]}:
            self.assertAlmostEqual(sum(r["share"] for r in shown
                                       if r["event"] == event
                                       and r["share"] is not None), 1)

    def spread(self, steps, event, path=None):
        end = self.rows("SELECT max(seconds) FROM sample", path)[0][0]
        bins = [0.0] * steps
        for seconds, length, value, counted in self.rows(
                "SELECT seconds, length, value, counted FROM growth "
                "WHERE event = '%s'" % event, path):
            if 0 < counted < 0.999 * length:
                value *= length / counted
            start = max(0, seconds - length)
            for i in range(steps):
                a, b = end * i / steps, end * (i + 1) / steps
                if seconds > start:
                    part = (min(b, seconds) - max(a, start)) / (
                        seconds - start)
                    bins[i] += value * max(0, part)
        return bins

    def test_time(self):
        for path, steps in ((self.path, 17), (self.turns, 5)):
            shown = self.report("--by", "time", "--steps", str(steps),
                                path=path)
            self.assertEqual(shown["estimate"], path == self.turns)
            rows = shown["time"]
            self.assertEqual(len(rows), steps)
            for event in list(rows[0])[2:]:
                want = self.spread(steps, event, path)
                self.assertAlmostEqual(sum(r[event] for r in rows),
                                       sum(want), delta=1)
                for row, value in zip(rows, want):
                    self.assertAlmostEqual(row[event], value, delta=1.01)

    def test_sockets(self):
        rows = self.report("--by", "time", "--steps", "3",
                           "--per-socket")["time"]
        both = self.report("--by", "time", "--steps", "3")["time"]
        for row, all_of_them in zip(rows, both):
            for event in list(all_of_them)[2:]:
                self.assertAlmostEqual(row["S0 " + event] + row["S1 " + event],
                                       all_of_them[event], delta=2)
        one = self.report("--by", "event", "--socket", "1")["events"]
        want = dict(self.rows("SELECT event, sum(value) FROM growth WHERE "
                              "socket = 1 GROUP BY event"))
        self.assertEqual({e["event"]: e["total"] for e in one}, want)

    def test_socket_that_is_not_there(self):
        done = uncore("report", "--socket", "2", self.path, status=2)
        self.assertIn("2 sockets", done.stderr)

    def test_outputs_agree(self):
        rows = self.report("--by", "box")["boxes"]
        text = uncore("report", "--by", "box", "-x,", self.path).stdout
        self.assertEqual(text, text.rstrip("\n") + "\n")
        table = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([int(r["total"]) for r in table],
                         [r["total"] for r in rows])
        people = uncore("report", "--by", "box", self.path).stdout
        for row in rows:
            self.assertIn("%s" % format(row["total"], ","), people)

    def test_symbols(self):
        if not shutil.which(os.environ.get("UNCORE_VALGRIND", "valgrind")):
            self.skipTest("no valgrind")
        path = os.path.join(self.holder.name, "program.rec")
        text = os.path.join(self.holder.name, "text")
        with open(text, "w") as file:
            for i in range(20000):
                file.write("%d\n" % (i * 7919 % 20000))
        uncore("record", "-o", path, "-e", "cbox/LLC_MISSES.ALL,period=100/",
               "--", "sort", "-o", "/dev/null", text)
        shown = self.report("--by", "symbol,thread", path=path)
        want = self.rows(
            "SELECT count(*), coalesce(position.symbol, "
            "printf('0x%x', CASE WHEN object IS NULL THEN address ELSE "
            "offset END)), coalesce(object, '') FROM sample LEFT JOIN "
            "position ON sample.position = position.id "
            "WHERE kind = 'period' GROUP BY 2, 3", path)
        self.assertEqual(
            sorted((r["samples"], r["symbol"], r["object"])
                   for r in shown["symbols"]), sorted(want))
        self.assertAlmostEqual(sum(r["share"] for r in shown["symbols"]), 1)
        self.assertTrue(any(r["object"].endswith("sort") or
                            "libc" in r["object"]
                            for r in shown["symbols"]))
        self.assertEqual(sum(r["samples"] for r in shown["threads"]),
                         sum(r["samples"] for r in shown["symbols"]))
        biggest = shown["symbols"][0]["samples"]
        self.assertEqual(biggest, max(r["samples"] for r in shown["symbols"]))

    def test_state(self):
        rows = self.report("--by", "state", path=self.frozen)["state"]
        want = self.rows("SELECT 'S' || socket || ' ' || box || instance, "
                         "value, name FROM state ORDER BY id", self.frozen)
        self.assertEqual([(r["box"], r["value"], r["name"]) for r in rows],
                         want)
        self.assertTrue(any(v == 300 for _, v, _ in want) or
                        any(300 <= v < 340 for _, v, _ in want))

    def test_default_views(self):
        self.assertIn("What boxes held", uncore("report", self.frozen).stdout)
        self.assertIn("numbers are estimates",
                      uncore("report", self.turns).stdout)

    def test_cut_off(self):
        path = os.path.join(self.holder.name, "cut.rec")
        shutil.copy(self.path, path)
        base = sqlite3.connect(path)
        base.execute("DELETE FROM meta WHERE key = 'complete'")
        base.commit()
        base.close()
        self.assertIn("cut off", uncore("report", path).stdout)
        self.assertFalse(self.report(path=path)["complete"])

    def test_names_that_are_no_text(self):
        """Of files and functions: bytes, some of which mean something."""
        path = os.path.join(self.holder.name, "names.rec")
        shutil.copyfile(self.path, path)
        base = sqlite3.connect(path)
        base.execute("UPDATE event SET text = CAST(x'3c26ff22c3a90a41c3' AS"
                     " TEXT) WHERE id = 0")
        base.commit()
        base.close()
        name = '<&\ufffd"\u00e9\nA\ufffd'
        for view in "event", "time":
            self.assertIn(json.dumps(name, ensure_ascii=False), json.dumps(
                json.loads(uncore("report", "--json", "--by", view,
                                  path).stdout), ensure_ascii=False))

    def test_as_many_steps_as_there_may_be(self):
        rows = uncore("report", "--by", "time", "--steps", "100000",
                      self.path).stdout.splitlines()
        self.assertGreater(len(rows), 100000)

    def test_more_events_than_anybody_looks_at(self):
        path = os.path.join(self.holder.name, "all.rec")
        uncore("record", "-o", path, "-I", "5us", "-M", "all", "-w",
               "stream:size=64K,threads=2")
        events = len(self.report(path=path)["events"])
        self.assertGreater(events, 500)
        for words in ([], ["--per-socket"]):
            rows = uncore("report", "-x,", "--by", "time", *words,
                          path).stdout.splitlines()
            self.assertEqual(len(next(csv.reader(rows))),
                             2 + events * (2 if words else 1))

    def test_intervals_shorter_than_a_round_of_turns(self):
        """What was not seen is as what was; what never was, is not 0."""
        path = os.path.join(self.holder.name, "short.rec")
        words = ["-w", "stream:threads=4,size=64M", "--cycles", "400000"]
        events = ["mbox/FVC_EV0.BBOX_CMDS.%s/" % name for name in
                  ("READS", "WRITES", "MERGE", "V2F", "V2V", "F2V")]
        uncore("record", "-o", path, "-I", "1us", "--turns", *words,
               *(word for event in events for word in ("-e", event)))
        shown = {row["event"]: row["total"]
                 for row in self.report(path=path)["events"]}
        alone = uncore("stat", "-x,", "-e", events[0], *words).stdout
        truth = int(alone.split(",")[0])
        self.assertGreater(truth, 10000)
        self.assertLess(abs(shown[events[0]] / truth - 1), 0.1)
        self.assertEqual([shown[event] for event in events[1:]], [0] * 5)
        path = os.path.join(self.holder.name, "shorter.rec")
        uncore("record", "-o", path, "-I", "1us", "--turns", *words[:2],
               "--cycles", "4096",
               *(word for event in events for word in ("-e", event)))
        shown = self.report("--by", "event,time", path=path)
        self.assertIn(None, [row["total"] for row in shown["events"]])

    def test_bad_input(self):
        for words, said in (
                (["--by", "nothing", self.path], "views event, time"),
                (["--json", "-x,", self.path], "not both"),
                (["-x,", "--by", "time,box", self.path], "one view"),
                (["--svg", self.path], "--html=FILE writes"),
                (["--steps", "0", self.path], "at least"),
                (["--steps", "4294967297", self.path], "100000 at most"),
                (["--steps", "x", self.path], "number"),
                (["-x", "", self.path], "separator")):
            self.assertIn(said, uncore("report", *words, status=2).stderr)
        bad = os.path.join(self.holder.name, "bad.rec")
        with open(bad, "w") as file:
            file.write("this is no recording, only text\n" * 100)
        for path in (bad, os.path.join(self.holder.name, "none.rec"), "/"):
            done = subprocess.run([UNCORE, "report", path], text=True,
                                  capture_output=True, timeout=20, check=False)
            self.assertIn(done.returncode, (1, 2))
            self.assertTrue(done.stderr.startswith("uncore: "))
            self.assertEqual(done.stdout, "")
        with open(self.path, "rb") as whole, open(bad, "wb") as file:
            file.write(whole.read()[:-5000])
        self.assertIn("the file is damaged",
                      uncore("report", bad, status=2).stderr)
        none = os.path.join(self.holder.name, "none.rec")
        self.assertIn("there is no recording '%s'" % none,
                      uncore("report", none, status=2).stderr)
        self.assertFalse(os.path.exists(none))

    def test_numbers_that_no_recorder_writes(self):
        path = os.path.join(self.holder.name, "changed.rec")
        for change in ("UPDATE sample SET socket = 4294967295",
                       "UPDATE sample SET position = -5",
                       "UPDATE sample SET seconds = 9e999",
                       "UPDATE count SET instance = instance - 100"):
            shutil.copy(self.path, path)
            with sqlite3.connect(path) as base:
                base.execute(change)
            base.close()
            done = uncore("report", "--per-socket", "--by", "time", path,
                          status=2)
            self.assertIn("somebody has changed it", done.stderr)

    def test_numbers_that_made_reports_endless(self):
        path = os.path.join(self.holder.name, "endless.rec")
        for change, status in (
                ("UPDATE count SET seconds = 1e-320", 0),
                ("UPDATE sample SET length = 1e-320", 0),
                ("UPDATE sample SET socket = 65535", 2)):
            shutil.copy(self.turns, path)
            with sqlite3.connect(path) as base:
                base.execute(change)
            base.close()
            for words in ["--by", "time", "-j"], ["--by", "trend", "-j"]:
                uncore("report", *words, path, status=status)


if __name__ == "__main__":
    sys.exit(unittest.main())
