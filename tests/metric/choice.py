#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Which metrics -M shows, in which order, and what is left out: against the rows
# of the data file, read here a second time.

import json
import os
import re
import subprocess
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
SOURCE = os.environ.get("UNCORE_SOURCE", ".")
READS = "random:size=64M,count=1000,threads=2,gap=%d"
# Each with the family whose rows say what its categories show.
FAMILIES = {"xeon-e7": "xeon-e7", "xeon-7500": "xeon-e7",
            "xeon-e5-2600": "xeon-e5-2600"}
MOST = 10  # that a category shows; the summary is asked for by nobody


def stat(*words):
    return subprocess.run([UNCORE, "stat", *words], text=True, timeout=100,
                          check=True, stdout=subprocess.PIPE).stdout


def names(words, *more):
    out = json.loads(stat("--json", "-M", words, *more, "-w", "idle",
                          "--cycles", "100"))
    return [metric["name"] for metric in out["metrics"]]


def listed(family):
    """{metric: its categories}."""
    ran = subprocess.run([UNCORE, "list", "--metrics", "--json", "-m", family],
                         stdout=subprocess.PIPE, check=True, timeout=100)
    return {metric["name"]: metric["categories"].split(",")
            for metric in json.loads(ran.stdout)["metrics"]}


def shown(family="xeon-e7"):
    """{category: the metrics that its row names}."""
    path = os.path.join(SOURCE, "data", family, "metrics.txt")
    with open(path, encoding="utf-8") as file:
        return {found.group(1): re.split(r",\s*", found.group(2))
                for found in re.finditer(
                    r'^category (\w+) "[^"]*" shows="([^"]*)"', file.read(),
                    re.M)}


class Choice(unittest.TestCase):
    def test_every_category_shows_what_its_row_says(self):
        for family, base in FAMILIES.items():
            metrics = listed(family)
            for category, wanted in shown(base).items():
                if family == base:
                    self.assertLessEqual(set(wanted), set(metrics), category)
                there = [name for name in wanted if name in metrics]
                self.assertEqual(names(category, "-m", family), there)

    def test_the_case_of_letters_does_not_matter(self):
        self.assertEqual(names("NUMA"), names("numa"))
        self.assertTrue(names("Sbox:all"))

    def test_groups_of_likwid_and_perf(self):
        for family in FAMILIES:
            for group, ours in (("L3", "llc"), ("L3CACHE", "llc"),
                                ("CACHE", "llc"), ("MEM", "memory"),
                                ("MEM_DP", "memory"), ("Memory_BW", "memory"),
                                ("QPI", "qpi"), ("UPI", "qpi")):
                self.assertEqual(names(group, "-m", family),
                                 names(ours, "-m", family))
            for group in "llc_hit", "L3_", "MEM_":
                self.assertTrue(subprocess.run(
                    [UNCORE, "stat", "-m", family, "-M", group, "-w", "idle"],
                    check=False, stderr=subprocess.DEVNULL).returncode)
            for group in "ENERGY", "FLOPS_DP", "TopdownL1", "BRANCH":
                ran = subprocess.run([UNCORE, "stat", "-M", group, "-w",
                                      "idle"], text=True, check=False,
                                     stderr=subprocess.PIPE)
                self.assertEqual(ran.returncode, 2)
                self.assertIn("cores count", ran.stderr)
        self.assertEqual(names("NUMA", "-m", "xeon-e5-2600"),
                         names("qpi", "-m", "xeon-e5-2600"))
        self.assertEqual(names("CLOCK", "-m", "xeon-e5-2600"),
                         names("frequency", "-m", "xeon-e5-2600"))

    def test_no_category_shows_more_than_one_can_read(self):
        for family in sorted(set(FAMILIES.values())):
            rows = shown(family)
            for tag in {tag for tags in listed(family).values()
                        for tag in tags} - set(rows):
                self.assertLessEqual(len(names(tag, "-m", family)), MOST + 1,
                                     tag)
            for category, wanted in rows.items():
                if category != "summary":
                    self.assertLessEqual(len(wanted), MOST, category)

    def test_all_of_a_category(self):
        """What is shown comes first."""
        metrics = listed("xeon-e7")
        for category in "memory", "qpi":
            first = shown()[category]
            self.assertEqual(names(category + ":all"), first + [
                name for name, tags in metrics.items()
                if category in tags and name not in first])

    def test_the_summary_counts_at_once_on_a_processor(self):
        for family in FAMILIES:
            names("summary", "-m", family, "--turns", "--no-multiplex")

    def test_the_order_is_that_of_the_words(self):
        self.assertEqual(names("simulated_time,page_hit,llc_lookups,page_hit"),
                         ["simulated_time", "page_hit", "llc_lookups"])
        self.assertEqual(names("page_miss,memory")[:2],
                         ["page_miss", "memory_bandwidth"])


class LeftOut(unittest.TestCase):
    def test_what_is_0_is_said_in_one_line(self):
        text = stat("-M", "memory", "-w", READS % 1)
        self.assertRegex(text, r"\n 0, or nothing to make it from: "
                               r"(.*, )?memory_write_bandwidth(,|\n)")
        self.assertNotRegex(text, r"\n memory_write ")
        self.assertRegex(text, r"\n memory_read +[\d.]+ +KiB ")

    def test_what_was_asked_for_by_name_is_there(self):
        for words in "memory_write", "memory_write,memory", "memory:all":
            self.assertRegex(stat("-M", words, "-w", READS % 1),
                             r"\n memory_write +0 +bytes ")

    def test_points_stand_below_each_other(self):
        text = stat("-M", "all", "-w", READS % 1)
        points = {found.start(1) - text.rindex("\n", 0, found.start())
                  for found in re.finditer(r"^ \S{1,28} +[\d,]+(\.)\d+ +\S",
                                           text, re.M)}
        self.assertEqual(len(points), 1)


class Instructions(unittest.TestCase):
    def test_are_those_of_the_workload(self):
        """One access in `gap` instructions."""
        for gap in 1, 9, 99:
            out = json.loads(stat("--json", "-M",
                                  "instructions,llc_mpki,llc_misses", "-w",
                                  READS % gap))
            value = {m["name"]: m["value"] for m in out["metrics"]}
            self.assertEqual(value["instructions"], 2 * 1000 * gap)
            self.assertEqual(out["instructions"], 2 * 1000 * gap)
            self.assertAlmostEqual(
                value["llc_mpki"],
                1000 * value["llc_misses"] / value["instructions"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
