#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A served model with --detail, whose workload runs to its end by steps: counts
# of what happened are those of full detail, a clock counts the cycles that were
# asked for, what depends on time is near (docs/sampled.md has how near: a
# twentieth in windows tells occupancies of these workloads within one per cent,
# and TOLERANCE is several times that), the same run repeats to the digit, and
# the log says which events grew by estimate.

import json
import os
import shutil
import subprocess
import tempfile
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
TOLERANCE = 0.05
CYCLES = 16000000  # beyond the end of the workload
# The last level holds 512 KB a slice here, so that lines are driven out soon.
SMALL = ("--set", "llc.slice=512", "--set", "detail.start=5000",
         "--set", "detail.window=400")
WORKLOAD = "random:threads=1,size=24M,count=100000,write=30,seed=5"
# What happened; clocks, and their cycles for each of the uncore; what depends
# on time.
MACHINES = {
    "xeon-e7": (
        ("cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/", "cbox/LLC_VICTIMS.M/",
         "bbox/IMT_INSERTS_ALL/"),
        {"wbox/FIXED_CTR/": 2},  # of two sockets
        ("cbox/OCCUPANCY_MAF/", "mbox/DRAM_CMD.RAS/")),
    "xeon-e5-2600": (
        ("cbo/LLC_LOOKUP.ANY/", "ha/REQUESTS.WRITES/",
         "ha/REQUESTS.READS/", "imc/RPQ_INSERTS/"),
        {"cbo/CLOCKTICKS/": 16},  # of two sockets with eight boxes
        ("cbo/TOR_OCCUPANCY.ALL/", "imc/ACT_COUNT/")),
}
SENTENCE = "--detail: %s is an event of time: between windows"


class Served:
    def __init__(self, test, machine, detail):
        self.folder = tempfile.mkdtemp(prefix="uncore-serve-")
        test.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        path = os.path.join(self.folder, "s")
        self.log = os.path.join(self.folder, "log")
        with subprocess.Popen(
                [UNCORE, "model", "serve", "--clock=step", "--socket", path,
                 "--log", self.log, "-m", machine, "--detail", detail,
                 "-w", WORKLOAD, *SMALL],
                stdout=subprocess.PIPE, text=True) as process:
            test.assertIn("ready", process.stdout.readline())
            state, clocks, times = MACHINES[machine]
            words = [word for event in (*state, *clocks, *times)
                     for word in ("-e", event)]
            ran = subprocess.run(
                [UNCORE, "stat", "--json", "--log-fd=1", "--on=socket:" + path,
                 "--cycles", str(CYCLES), *words],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                check=True)
            process.terminate()
        report = json.loads(ran.stdout)
        self.cycles = report["uncore_cycles"]
        self.counts = {}
        for count in report["counts"]:
            self.counts[count["event"]] = (
                self.counts.get(count["event"], 0) + count["value"])

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()


class ServedModel(unittest.TestCase):
    def check(self, machine):
        state, clocks, times = MACHINES[machine]
        full = Served(self, machine, "full")
        part = Served(self, machine, "5%,seed=3")
        for event in state:
            self.assertGreater(full.counts[event], 500, event)
            self.assertEqual(full.counts[event], part.counts[event], event)
        for event, boxes in clocks.items():
            # A stretch may end an access later than it was to.
            self.assertAlmostEqual(part.counts[event] / boxes, part.cycles,
                                   delta=2)
            self.assertAlmostEqual(part.cycles, CYCLES, delta=1000)
        for event in times:
            self.assertAlmostEqual(part.counts[event] / full.counts[event], 1,
                                   delta=TOLERANCE, msg=event)
            self.assertIn(SENTENCE % event.rstrip("/"), part.said())
        for event in (*state, *clocks):
            self.assertNotIn(SENTENCE % event.rstrip("/"), part.said())
        self.assertEqual(full.said(), "")
        self.assertEqual(Served(self, machine, "5%,seed=3").counts,
                         part.counts)

    def test_xeon_e7(self):
        self.check("xeon-e7")

    def test_xeon_e5_2600(self):
        self.check("xeon-e5-2600")


if __name__ == "__main__":
    unittest.main()
