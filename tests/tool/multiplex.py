#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Events that do not fit together take turns: what `uncore stat` prints of them
# in its three forms, split by socket and box, here and on a served model; and
# that it refuses instead when told to.

import csv
import io
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
WORKLOAD = ("-w", "stream:threads=8,place=scatter,size=16M,passes=100",
            "--seed", "3", "--cycles", "100000")
# The first four are in both slices, being first; the M-Box ones want different
# settings of the same register; the W-Box has nothing to do with it.
ALWAYS = ("cbox/LLC_MISSES.ALL/", "wbox/FIXED_CTR/")
CBOX = ("cbox/LLC_MISSES.ALL/", "cbox/LLC_MISSES.I/", "cbox/LLC_HITS.ALL/",
        "cbox/LLC_HITS.M/", "cbox/LLC_VICTIMS.I/", "cbox/LLC_VICTIMS.M/",
        "cbox/ARB_WINS.AD_SB/", "cbox/SINKS_C2P.AK/")
MBOX = ("mbox/FVC_EV0.BBOX_CMDS.READS/", "mbox/FVC_EV0.BBOX_CMDS.WRITES/")
EVENTS = CBOX + MBOX + ("wbox/FIXED_CTR/",)
# An occupancy that began anew in each turn would be too low.
OCCUPANCY = "sbox/REQ_TBL_OCCUPANCY/"
SBOX = ("sbox/TO_R_NDR_MSGQ_CYCLES_NE/", "sbox/TO_RING_NDR_MSGQ_CYCLES_NE/",
        "sbox/TO_RING_R2S_MSGQ_CYCLES_NE/", "sbox/TO_RING_B2S_MSGQ_CYCLES_NE/",
        "sbox/TO_R_SNP_MSGQ_CYCLES_NE/")


def words(events):
    return [word for event in events for word in ("-e", event)]


def stat(*line):
    return subprocess.run([UNCORE, "stat", "--turns", *line], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


def report(*line):
    ran = stat("--json", *line)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return json.loads(ran.stdout)


def alone(*line):
    """The true counts: what each event counts when it has all the time."""
    found = {}
    for events in (CBOX[:4] + MBOX[:1], CBOX[4:] + MBOX[1:],
                   ("wbox/FIXED_CTR/",)):
        for c in report(*line, *words(events))["counts"]:
            found[c["event"], c["socket"], c["box"]] = c["value"]
    return found


class Turns(unittest.TestCase):
    def test_the_truth_lies_within_the_error(self):
        for split in ((), ("--per-socket",), ("--per-box",)):
            truth = alone(*WORKLOAD, *split)
            told = report(*WORKLOAD, *split, *words(EVENTS))
            estimates = hits = 0
            for c in told["counts"]:
                true = truth[c["event"], c["socket"], c["box"]]
                if "is_estimate" not in c:
                    self.assertEqual(c["value"], true, c)
                    continue
                self.assertTrue(0.3 < c["share"] < 0.7, c)
                self.assertTrue(c["seen"] <= c["value"] + 1, c)
                self.assertGreater(c["error"], 2.5 * c["standard_error"])
                self.assertAlmostEqual(
                    c["seconds"], c["share"] * told["simulated_seconds"],
                    delta=1e-9)
                estimates += 1
                hits += abs(c["value"] - true) <= c["error"]
            self.assertGreaterEqual(estimates, 6)
            self.assertGreaterEqual(hits, 0.95 * estimates)
            self.assertTrue(told["take_turns_because"])

    def test_occupancies_of_the_sbox_run_all_the_time(self):
        events = SBOX[:3] + (OCCUPANCY,) + SBOX[3:]
        for place in ((), ("--per-box",)):
            true = report(*WORKLOAD, *place, "-e", OCCUPANCY)["counts"]
            told = report(*WORKLOAD, *place, *words(events))["counts"]
            self.assertTrue(any("is_estimate" in c for c in told))
            self.assertEqual([c["value"] for c in told
                              if c["event"] == OCCUPANCY],
                             [c["value"] for c in true])
            self.assertGreater(true[0]["value"], 10000)

    def test_a_sum_has_the_error_of_the_sum(self):
        whole = {c["event"]: c for c in
                 report(*WORKLOAD, *words(EVENTS))["counts"]}
        parts = report(*WORKLOAD, "--per-box", *words(EVENTS))["counts"]
        for event, c in whole.items():
            if "is_estimate" not in c:
                continue
            mine = [p for p in parts if p["event"] == event]
            self.assertLessEqual(abs(sum(p["value"] for p in mine) -
                                     c["value"]), len(mine))
            self.assertEqual(sum(p["seen"] for p in mine), c["seen"])
            # Never more than if all went wrong in the same direction.
            self.assertLessEqual(c["standard_error"],
                                 1.001 * sum(p["standard_error"]
                                             for p in mine))

    def test_text(self):
        out = stat(*WORKLOAD, *words(EVENTS)).stdout
        for event in EVENTS:
            line = next(l for l in out.splitlines() if event in l)
            self.assertEqual(
                bool(re.search(r"# \d+\.\d\d % of the time; \+- [\d,]+ "
                               r"(\(\d+\.\d\d %\), )?.*standard error [\d,]+",
                               line)),
                event in CBOX[4:] + MBOX, line)
        self.assertIn("Not all of it fits into the counters", out)
        self.assertIn("bcmd", out)

    def test_separated_values(self):
        out = stat(*WORKLOAD, "-x;", *words(EVENTS)).stdout
        rows = list(csv.reader(io.StringIO(out), delimiter=";"))
        self.assertEqual([len(r) for r in rows], [11] * len(EVENTS))
        for row in rows:
            share, deviation, error = (float(row[i]) for i in (4, 7, 8))
            self.assertEqual(row[9], "99")
            if share == 100:
                self.assertEqual((deviation, error), (0, 0))
                self.assertEqual(row[10], "exact")
            else:
                self.assertEqual(row[10], "estimate")
                self.assertTrue(30 < share < 70)
                self.assertGreater(error, deviation)
        # Without turns the fields are those of perf.
        out = stat(*WORKLOAD, "-x;", *words(CBOX[:3])).stdout
        self.assertEqual({l.count(";") for l in out.splitlines()}, {6})

    def test_refused_instead(self):
        ran = stat(*WORKLOAD, "--no-multiplex", *words(MBOX))
        self.assertEqual(ran.returncode, 2)
        self.assertEqual(ran.stdout, "")
        for word in MBOX + ("bcmd", "2 slices"):
            self.assertIn(word, ran.stderr)
        self.assertEqual(len(ran.stderr.strip().splitlines()), 1)
        fits = stat(*WORKLOAD, "--no-multiplex", *words(CBOX[:6]))
        self.assertEqual(fits.returncode, 0)
        self.assertNotIn("of the time", fits.stdout)

    def test_too_short_for_all_turns(self):
        for cycles in ("100", "5000"):
            told = report("-w", "stream", "--cycles", cycles, *words(EVENTS))
            unknown = [c for c in told["counts"] if "is_estimate" in c]
            self.assertTrue(unknown)
            for c in unknown:
                self.assertIsNone(c["value"])
                self.assertRegex(c["note"], "too short|too few turns")

    def test_work_that_is_done_at_once(self):
        """A machine that has work in a short part of the run: what fell into
        the turns of others nobody knows, and nobody is told a number."""
        reasons = set()
        for size, seed in itertools.product(("1K", "4K", "1M"), "123"):
            work = ("-w", "ntstore:size=" + size, "--cycles", "1000000",
                    "--seed", seed)
            true = {event: n for (event, *_), n in alone(*work).items()}
            self.assertGreater(true[MBOX[0]] * true[MBOX[1]], 0)
            for c in report(*work, *words(MBOX + ALWAYS))["counts"]:
                if c["value"] is None:
                    reasons.add(c["note"].split(",")[0])
                else:
                    self.assertLessEqual(abs(c["value"] - true[c["event"]]),
                                         c.get("error", 0), (size, seed, c))
        self.assertEqual(reasons, {
            "nearly all of it was seen in a short part of the run",
            "few or none were seen in its turns"})

    def test_the_same_seed_gives_the_same_turns(self):
        first = report(*WORKLOAD, *words(EVENTS))
        self.assertEqual(first, report(*WORKLOAD, *words(EVENTS)))
        other = [w if w != "3" else "4" for w in WORKLOAD]
        self.assertNotEqual([c["value"] for c in first["counts"]],
                            [c["value"] for c in
                             report(*other, *words(EVENTS))["counts"]])

    def test_turns_change_nothing_but_what_is_seen(self):
        """The traffic ends in the cycle in which it would end anyway."""
        work = ("-w", "random:threads=4,size=4M,count=3000", "--seed", "1")
        self.assertEqual(
            report(*work, *words(CBOX[:1]))["uncore_cycles"],
            report(*work, *words(EVENTS))["uncore_cycles"])

    def test_served_as_in_this_process(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            server = subprocess.Popen(
                [UNCORE, "model", "serve", "--socket", path, "--clock=step",
                 "-w", WORKLOAD[1] + ",seed=3"],
                stdout=subprocess.PIPE, text=True)
            try:
                self.assertIn("ready", server.stdout.readline())
                there = report("--on", "socket:" + path, *WORKLOAD[4:],
                               *words(EVENTS))
            finally:
                server.terminate()
                server.wait()
                server.stdout.close()
        here = report("-w", WORKLOAD[1] + ",seed=3", *WORKLOAD[4:],
                      *words(EVENTS))
        self.assertEqual(here["counts"], there["counts"])
        self.assertEqual(here["uncore_cycles"], there["uncore_cycles"])

    def test_long_runs_have_longer_turns(self):
        """No run has so many turns that it does nothing else."""
        errors = []
        for cycles in ("50000", "1500000"):
            told = report("-w", "stream:threads=2,size=16M,passes=1000", "-N",
                          "1", "--cycles", cycles, *words(MBOX))
            c = told["counts"][0]
            errors.append(c["error"] / c["value"])
            self.assertTrue(math.isfinite(errors[-1]))
        self.assertLess(errors[1], errors[0])


if __name__ == "__main__":
    if not os.path.exists(UNCORE):
        print("the command is not built")
        sys.exit(77)
    unittest.main()
