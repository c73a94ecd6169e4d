#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Random bytes that a program gets: the kernel's, other ones in each run, or
with --repeatable always the same; by each way that Linux has. That there are no
two alike among 16 bytes of the kernel's is certain enough for any test. What a
result says of them, and what `compare` makes of that."""
import json
import os
import subprocess
import tempfile
import unittest

import counting
from sandbox import UNCORE

WAYS = ["call", "short", "entropy", "random", "urandom", "path", "folder",
        "openat2", "dup", "parts", "place", "input", "splice", "start",
        "thread", "child", "exec", "request", "ring", "uuid"]
with open("/proc/cpuinfo", encoding="ascii") as cpuinfo:
    FLAGS = set(cpuinfo.read().split())
WAYS += [way for way in ("rdrand", "rdseed") if way in FLAGS]
SAME = ["written", "half"]  # what "start" gives, got in other ways
PROGRAM = counting.program("traffic_random")
SOURCE = os.path.splitext(__file__)[0].replace("random_bytes",
                                               "traffic_random.c")


def stat(*words, output="--json"):
    """What a run prints, and its report."""
    with tempfile.TemporaryDirectory(prefix="uncore-random-") as folder:
        path = os.path.join(folder, "report")
        with open("/dev/urandom", "rb") as source:
            ran = subprocess.run(
                [UNCORE, "stat", *([output] if output else []), "-o", path,
                 "-e", "cbox/LLC_MISSES.ALL/", *words],
                stdin=source, capture_output=True, text=True, check=False)
        assert not ran.returncode, ran.stderr
        with open(path, encoding="utf-8") as file:
            return ran.stdout, file.read(), ran.stderr


def lines(*options):
    printed = stat(*options, "--", *PROGRAM, *WAYS)[0]
    return dict(line.split() for line in printed.splitlines())


def compare(a, b, *words):
    with tempfile.TemporaryDirectory(prefix="uncore-random-") as folder:
        paths = [os.path.join(folder, name) for name in "ab"]
        for path, text in zip(paths, (a, b)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return subprocess.run([UNCORE, "compare", *words, *paths],
                              capture_output=True, text=True, check=False)


class Bytes(unittest.TestCase):
    def test_are_other_ones_in_each_run(self):
        first, second = lines(), lines()
        self.assertEqual(set(first), set(WAYS))
        drawn = list(first.values()) + list(second.values())
        self.assertEqual(len(set(drawn)), 2 * len(WAYS))

    def test_are_the_same_where_that_is_asked_for(self):
        first, second = lines("--repeatable"), lines("--repeatable")
        self.assertEqual(first, second)
        self.assertEqual(len(set(first.values())), len(WAYS))


class Reports(unittest.TestCase):
    def flags(self, *words):
        report = json.loads(stat(*words)[1])
        return report["random_asked"], report["random_repeatable"]

    def test_say_whether_any_were_asked_for(self):
        for way in WAYS + SAME:
            self.assertEqual(self.flags("--", *PROGRAM, way), (True, False),
                             way)

    def test_do_not_take_the_c_library_for_the_program(self):
        for command in ([*PROGRAM, "none"], ["true"], ["ls", "/"]):
            self.assertEqual(self.flags("--", *command), (False, False),
                             command)

    def test_know_static_programs_whatever_their_arguments(self):
        """They move where the bytes lie, functions of strings beside them."""
        with tempfile.TemporaryDirectory(prefix="uncore-random-") as folder:
            program = os.path.join(folder, "program")
            if subprocess.run(["cc", "-O2", "-static", "-o", program, SOURCE],
                              stderr=subprocess.DEVNULL,
                              check=False).returncode:
                self.skipTest("no static C library")
            runs = "; ".join("A=%s %s none" % ("x" * length, program)
                             for length in range(16))
            self.assertEqual(self.flags("--", "sh", "-c", runs),
                             (False, False))
            for way in ["start"] + SAME:
                self.assertEqual(self.flags("--", program, way),
                                 (True, False), way)

    def test_know_interpreters_that_ask(self):
        """Python draws a seed for its dictionaries."""
        self.assertEqual(self.flags("--", "/usr/bin/python3", "-S", "-c", ""),
                         (True, False))

    def test_say_that_they_are_no_secrets(self):
        said = "the same as in every run"
        for way, words, count in (("call", ["--repeatable"], 1),
                                  ("none", ["--repeatable"], 1),
                                  ("call", [], 0), ("none", [], 0)):
            _, text, _ = stat(*words, "--", *PROGRAM, way, output=None)
            self.assertEqual(text.count(said), count, (way, words))
            self.assertEqual("asked for random bytes" in text,
                             way == "call" and not words)
        _, _, errors = stat("--repeatable", "--", *PROGRAM, "call")
        self.assertEqual(errors.count(said), 1)

    def test_of_workloads_know_that_there_are_none(self):
        self.assertEqual(self.flags("-w", "stream:size=64K"), (False, False))
        ran = subprocess.run([UNCORE, "stat", "--repeatable", "-w", "idle"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--repeatable is for a PROGRAM", ran.stderr)

    def test_of_several_runs_and_sweeps_say_it_too(self):
        for words in (["-r", "2"], ["--sweep", "llc.slice=48,96"]):
            for options in ([], ["--repeatable"]):
                self.assertEqual(
                    self.flags(*words, *options, "--", *PROGRAM, "call"),
                    (True, bool(options)), (words, options))
                _, text, _ = stat(*words, *options, "--", *PROGRAM, "call",
                                  output=None)
                self.assertEqual(text.count("the same as in every run"),
                                 len(options), (words, options))

    def test_of_recordings_say_it_too(self):
        with tempfile.TemporaryDirectory(prefix="uncore-random-") as folder:
            path = os.path.join(folder, "recording")
            for way, options in (("call", []), ("call", ["--repeatable"]),
                                 ("none", [])):
                ran = subprocess.run(
                    [UNCORE, "record", "--replace", "-o", path, "-e",
                     "cbox/LLC_MISSES.ALL,period=200/", *options, "--",
                     *PROGRAM, way], capture_output=True, text=True,
                    check=True)
                self.assertEqual(ran.stderr.count("in every run"),
                                 len(options))
                shown = json.loads(subprocess.run(
                    [UNCORE, "report", "--json", "--by=event", path],
                    capture_output=True, text=True, check=True).stdout)
                self.assertEqual(
                    (shown["random_asked"], shown["random_repeatable"]),
                    (way == "call", bool(options)))


class Comparison(unittest.TestCase):
    """Results in which a count differs, with what they know of themselves."""

    def result(self, value, **more):
        return json.dumps({
            "schema": "uncore-stat-1", "command": "./app",
            "counts": [{"event": "x", "value": value}], **more})

    def verdict(self, a, b):
        ran = compare(a, b, "--json")
        shown = json.loads(ran.stdout)
        return shown["rows"][0]["verdict"], "--repeatable" in shown.get(
            "note", "")

    def test_is_exact_only_where_runs_repeat(self):
        none = {"random_asked": False, "random_repeatable": False}
        kernel = {"random_asked": True, "random_repeatable": False}
        same = {"random_asked": True, "random_repeatable": True}
        for a, b, due in (
                (none, none, ("exact", False)), (same, same, ("exact", False)),
                (kernel, kernel, ("one run", True)),
                (kernel, same, ("one run", True)),
                (none, kernel, ("one run", True)),
                # older results, and those of processors
                ({}, {}, ("one run", False)), ({}, none, ("one run", False))):
            self.assertEqual(self.verdict(self.result(1, **a),
                                          self.result(2, **b)), due, (a, b))
        text = compare(self.result(1, **kernel), self.result(2, **kernel))
        self.assertIn("asked for random bytes", text.stdout)
        self.assertIn("--repeatable", text.stdout)

    def test_of_workloads_is_exact(self):
        a, b = (stat("-w", "random:size=64K,count=%d" % count)[1]
                for count in (500, 900))
        ran = compare(a, b, "--fail-above", "5%")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("exact", ran.stdout)
        self.assertIn("changed by more than 5 %", ran.stdout)
        self.assertNotIn("chance", ran.stdout)
        self.assertEqual(compare(a, a, "--fail-above=5%").returncode, 0)
        self.assertEqual(compare(a, b, "--fail-above=5%%").returncode, 2)

    def test_of_a_program_that_repeats_is_exact(self):
        results = [stat("--repeatable", "--", *PROGRAM, "call", *more)[1]
                   for more in ([], [], ["dup"])]
        rows = [json.loads(compare(results[0], other, "--json").stdout)["rows"]
                for other in results[1:]]
        self.assertEqual([row[0]["verdict"] for row in rows],
                         ["same", "exact"])


if __name__ == "__main__":
    unittest.main()
