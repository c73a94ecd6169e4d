#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Metrics of a recording are those of `uncore stat` for the same traffic, as a
whole; over time, volumes add up and rates have their mean."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]
WORKLOAD = ("-N", "2", "-w", "random:size=2M,threads=4,count=3000,shared=1")
NAMES = ("llc_hit_ratio", "llc_lookups", "llc_miss_latency", "cbox_spread",
         "cbox_maf_occupancy", "memory_bandwidth", "memory_socket_spread",
         "llc_lookup_rate")


def run(*words):
    ran = subprocess.run([UNCORE, *words], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False, timeout=100,
                         universal_newlines=True)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return ran.stdout


def events(*names):
    listed = json.loads(run("list", "--metrics", "--json", ",".join(names)))
    return sorted({event for metric in listed["metrics"]
                   for event in metric["events"]})


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "a.rec")
        words = [word for event in events(*NAMES) for word in ("-e", event)]
        run("record", "-o", cls.path, "-I", "10us", *WORKLOAD, *words)
        out = json.loads(run("stat", "--json", *WORKLOAD, "-M",
                             ",".join(NAMES)))
        cls.wanted = {row["name"]: row["value"] for row in out["metrics"]}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def report(self, *words):
        return json.loads(run("report", "--json", *words, self.path))

    def test_shows_what_was_asked_for(self):
        path = self.path + ".asked"
        run("record", "-q", "-o", path, "-I", "10us", *WORKLOAD, "-M",
            "memory_read,llc_hit_ratio")
        rows = json.loads(run("report", "--json", "--by", "metric",
                              path))["metrics"]
        self.assertEqual([row["metric"] for row in rows],
                         ["memory_read", "llc_hit_ratio"])
        self.assertNotIn("e+", run("report", "--by", "trend", path))

    def test_as_a_whole_they_are_those_of_stat(self):
        rows = self.report("-M", ",".join(NAMES))["metrics"]
        self.assertEqual({row["metric"] for row in rows}, set(NAMES))
        for row in rows:
            self.assertTrue(math.isclose(row["value"],
                                         self.wanted[row["metric"]],
                                         rel_tol=1e-6), row)

    def test_without_names_all_that_can_be_had(self):
        rows = self.report("--by", "metric")["metrics"]
        names = {row["metric"] for row in rows}
        self.assertLessEqual(set(NAMES) | {"llc_hits", "llc_misses"}, names)
        self.assertNotIn("page_hit", names)

    def test_over_time_volumes_add_up(self):
        steps = self.report("--by", "trend", "--steps", "7", "-M",
                            "llc_lookups,llc_lookup_rate")["trend"]
        self.assertEqual(len(steps), 7)
        total = sum(step["llc_lookups"] for step in steps)
        self.assertTrue(math.isclose(total, self.wanted["llc_lookups"],
                                     rel_tol=1e-6), total)
        mean = sum(step["llc_lookup_rate"] for step in steps) / 7
        self.assertTrue(math.isclose(mean, self.wanted["llc_lookup_rate"],
                                     rel_tol=1e-6), mean)

    def test_what_was_not_recorded_is_said(self):
        row, = self.report("-M", "page_hit")["metrics"]
        self.assertIsNone(row["value"])
        self.assertIn("not counted", row["what"])

    def test_events_that_took_turns_make_a_ratio_with_its_error(self):
        rows = []
        for how in (), ("--turns",):
            path = os.path.join(self.folder.name, "turns%d.rec" % len(rows))
            run("record", "-o", path, "-I", "10us", *how, *WORKLOAD,
                "-e", "bbox/TF_ALL/", "-e", "bbox/TF_WR/",
                "-e", "bbox/IMT_INSERTS_ALL/", "-e", "bbox/CONFLICTS/")
            out = json.loads(run("report", "--json", "-M",
                                 "home_agent_latency", path))
            self.assertEqual(out["estimate"], bool(how))
            rows.append(out["metrics"][0])
        exact, turns = rows
        self.assertGreater(turns["error"], 0)
        self.assertLess(abs(turns["value"] - exact["value"]), turns["error"])

    def test_record_takes_the_events_of_metrics(self):
        path = os.path.join(self.folder.name, "named.rec")
        run("record", "-o", path, "-I", "10us", *WORKLOAD, "-M",
            "llc_hit_ratio,memory_bandwidth")
        rows = json.loads(run("report", "--json", "-M",
                              "llc_hit_ratio,memory_bandwidth",
                              path))["metrics"]
        for row in rows:
            self.assertTrue(math.isclose(row["value"],
                                         self.wanted[row["metric"]],
                                         rel_tol=1e-6), row)


if __name__ == "__main__":
    sys.exit(unittest.main())
