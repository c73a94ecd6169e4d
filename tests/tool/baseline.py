#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""`uncore stat --baseline --fail-above`, the gate of a CI. A run never fails
against its own result; one that reads twice the memory does, in the region where
it does and in no other; what cannot be compared is an error and no success."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from counting import PLAIN, TIMEOUT, UNCORE, program
from sandbox import NEEDS

A, B, C = 65536, 131072, 262144
WORK = ("-w", "random:threads=2,size=512K,shared=1,count=3000,write=30")
WORSE, OTHER, WRONG = 3, 1, 2


class Baseline(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="uncore-baseline-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def stat(self, *words, status=0):
        ran = subprocess.run([UNCORE, "stat", *words], text=True, check=False,
                             capture_output=True, timeout=TIMEOUT)
        self.assertEqual(ran.returncode, status, (words, ran.stderr))
        return ran.stdout + ran.stderr

    def result(self, *words):
        """Of a run, for one to be compared with; changed() is another one."""
        self.stat("--json", "--replace", "-o", self.path("base"), *words)
        with open(self.path("base"), encoding="utf-8") as file:
            return json.load(file)

    def gate(self, *words, limit="2%", status=0):
        return self.stat("--baseline=" + self.path("base"),
                         "--fail-above=" + limit, *words, status=status)

    def changed(self, result, **values):
        """The result with other values of metrics, a factor each."""
        result = json.loads(json.dumps(result))
        for row in result["metrics"]:
            if row["name"] in values:
                row["value"] *= values[row["name"]]
        with open(self.path("base"), "w", encoding="utf-8") as file:
            json.dump(result, file)

    def test_a_run_never_fails_against_itself(self):
        for words in ((), ("--detail=full",), ("--detail=10%",), ("-r", "2"),
                      ("-M", "llc"), ("-e", "cbox/LLC_HITS.ALL/", "--per-box")):
            self.result(*WORK, *words)
            text = self.gate(*WORK, *words, limit="0")
            self.assertIn("No row got worse by more than 0 %", text, words)
            self.assertNotIn("  exact  ", text, words)

    def test_what_is_worse(self):
        """Amounts and times that grow; of rates nobody knows."""
        good = self.result(*WORK, "-M", "llc_misses,llc_lookup_rate")
        words = (*WORK, "-M", "llc_misses,llc_lookup_rate")
        for factors, limit, status in (
                ({"llc_misses": 0.9}, "5", WORSE),
                ({"llc_misses": 0.9}, "5%", WORSE),
                ({"llc_misses": 0.9}, "12%", 0),
                ({"llc_misses": 1.1}, "5%", 0),
                ({"llc_misses": 1.1}, "-5%", WORSE),
                ({"llc_misses": 1.1}, "+5%", 0),
                ({"llc_lookup_rate": 0.5}, "5%", 0),
                ({"llc_lookup_rate": 2}, "5%", 0),
                ({"llc_lookup_rate": 0.5}, "+5%", WORSE),
                ({"llc_lookup_rate": 2}, "-5%", WORSE)):
            self.changed(good, **factors)
            text = self.gate(*words, limit=limit, status=status)
            name, = factors
            self.assertEqual("%s." % name in text, status == WORSE, text)
        # without a limit it is told, and no more
        self.changed(good, llc_misses=0.5)
        self.assertIn("llc_misses", self.stat(
            "--baseline=" + self.path("base"), *words))

    def test_a_difference_within_the_errors(self):
        words = ("-w", "stream:threads=2,size=16M", "--detail=5%", "-M",
                 "llc_misses,request_latency_local")
        good = self.result(*words)
        row = [row for row in good["metrics"]
               if row["name"] == "request_latency_local"][0]
        part = row["standard_error"] / row["value"]
        self.assertGreater(part, 0)
        for errors, status in ((1, 0), (20, WORSE)):
            self.changed(good, request_latency_local=1 - errors * part)
            self.gate(*words, limit="0", status=status)
        # an error that nobody knows is no reason to pass
        row["standard_error"] = row["error"] = None
        self.changed(good, request_latency_local=0.5)
        self.assertIn("cannot be compared: request_latency_local",
                      self.gate(*words, status=OTHER))

    def test_a_machine_by_its_name(self):
        words = ("-m", "xeon-e5-2680-v4", *WORK, "-M", "memory_read")
        self.result(*words)
        self.gate(*words)
        self.gate("-m", "xeon-e5-2697-v4", *words[2:], status=WRONG)

    def test_what_cannot_be_compared(self):
        words = (*WORK, "-M", "llc_misses,memory_read", "--detail=full")
        good = self.result(*words)
        mark = self.path("ran")
        for part, value in (("machine", "xeon-e5-2600"), ("sockets", 1),
                            ("origin", "msr"), ("cores", 3)):
            with open(self.path("base"), "w", encoding="utf-8") as file:
                json.dump({**good, part: value}, file)
            text = self.gate(*words, "--markdown=" + mark, status=WRONG)
            self.assertIn("of another machine: %s %s there" % (part, value),
                          text)
            self.assertFalse(os.path.exists(mark))
        for bad in ("", "{}", "[]", "{", json.dumps({**good, "time": 1})):
            with open(self.path("base"), "w", encoding="utf-8") as file:
                file.write(bad)
            self.gate(*words, status=WRONG)
        self.stat("--baseline=/nowhere", *words, status=WRONG)
        # rows that one side lacks
        self.changed(good)
        for names in ("memory_read", "memory_read,llc_misses,memory_write"):
            self.assertIn("cannot be compared: ", self.gate(
                *WORK, "-M", names, "--detail=full", status=OTHER))
        self.assertIn("nothing in common", self.gate(
            *WORK, "-M", "memory_write", "--detail=full", status=OTHER))
        good["metrics"][0]["value"] = None
        self.changed(good)
        self.assertIn("cannot be compared: llc_misses",
                      self.gate(*words, status=OTHER))

    def test_what_does_not_go_together(self):
        self.result(*WORK)
        base = "--baseline=" + self.path("base")
        for words in (("--fail-above=2",), ("--markdown=x",), (base, "-I", "1us"),
                      (base, "--sweep", "threads=1,2"), (base, "--json"),
                      (base, "-x,"), (base, "--fail-above=much"),
                      (base, "--fail-above="), (base, "--markdown="),
                      (base, "--markdown=" + self.path("base")),
                      (base, "--markdown=/no/such/folder/m"),
                      (base, "-o", self.path("m"),
                       "--markdown=" + self.path("m"))):
            self.stat(*WORK, *words, status=WRONG)
        self.assertEqual(os.listdir(self.folder), ["base"])

    def test_where_it_is_printed(self):
        self.result(*WORK)
        path = self.path("new")
        for form in ("--json", "-x,"):
            text = self.gate(*WORK, form, "-o", path,
                             "--markdown=" + self.path("m"))
            self.assertIn("No row got worse", text)
            with open(path, encoding="utf-8") as file:
                self.assertNotIn("No row got worse", file.read())
            with open(self.path("m"), encoding="utf-8") as page:
                self.assertIn("| `llc_misses` |", page.read())
            os.remove(path)
        text = self.gate(*WORK, "--html=" + path)
        self.assertIn("No row got worse", text)
        self.assertNotIn("only B", text)
        with open(path, encoding="utf-8") as file:
            self.assertIn('"schema": "uncore-stat-1"', file.read())
        os.remove(path)
        self.gate(*WORK, "-o", path)
        with open(path, encoding="utf-8") as file:
            self.assertIn("No row got worse", file.read())

    @unittest.skipUnless(NEEDS["valgrind"](), "no Valgrind")
    def test_an_array_of_twice_the_size(self):
        """C/64 lines more, in its region; none elsewhere."""
        words = ("-M", "llc_misses", *PLAIN, "--detail=full", "--")
        self.result(*words, *program("traffic_regions", "named", A, B, C))
        again = self.gate(*words, *program("traffic_regions", "named", A, B, C),
                          limit="0")
        self.assertRegex(again, "0 of 3 rows changed\\.\n No row got worse")
        page = self.path("page")
        text = self.gate("--markdown=" + page, *words,
                         *program("traffic_regions", "named", A, B, 2 * C),
                         status=WORSE)
        with open(page, encoding="utf-8") as file:
            first = file.readline()
        rows = [line.split() for line in text.splitlines()
                if "llc_misses" in line and "  exact  " in line]
        grown = {tuple(row[8:-1]): int(row[2].replace(",", "")) for row in rows}
        self.assertEqual(grown.get(("region", "'second'")), C // 64)
        # each line is written first, so that it has a page, and driven out
        self.assertEqual(grown.get(()), 2 * C // 64)
        self.assertNotIn(("region", "'first'"), grown)
        self.assertIn("2 rows got worse by more than 2 %", first)
        self.assertNotIn("first", first)
        self.assertIn("note: %s is of '" % self.path("base"), text)
        # a region that is entered no more
        self.assertIn("cannot be compared: llc_misses region 'first'",
                      self.gate(*words, *program("traffic_regions", "again", A,
                                                 B, C), limit="200%",
                                status=OTHER))

    @unittest.skipUnless(NEEDS["valgrind"](), "no Valgrind")
    def test_a_program_that_fails_has_its_status(self):
        words = ("-M", "llc_misses", "--", "sh", "-c")
        good = self.result(*words, "exit 0")
        self.changed(good, llc_misses=0.5)
        self.gate(*words, "exit 0", status=WORSE)
        self.gate(*words, "exit 7", status=7)


if __name__ == "__main__":
    unittest.main(verbosity=2)
