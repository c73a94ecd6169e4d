#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Regions of a sampled run (`uncore stat --detail=5%`): facts of state are those of
# full detail but for what is under way at the marks, what depends on time lies
# within the error that is told of the region, the regions together are the run, and
# where too few windows came in one nothing is told.

import json
import math
import os
import subprocess
import tempfile
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
PROGRAM = os.path.join(os.environ.get("UNCORE_BUILD", "build"),
                       "tests-tool-traffic_phases")
SEEDS = 4
ROUNDS = 60
PHASES = ("walk", "fill", "near")
# A core has so many requests under way at most, at the mark that begins a region
# and at the one that ends it.
UNDER_WAY = 2 * 16
# What happened; what depends on time. Which rows are open on the Xeon E7 behind a
# stretch is known of the run, and not of a phase of some thousand accesses.
MACHINES = {
    "xeon-e5-2600": (("cbo/LLC_LOOKUP.DATA_READ/", "ha/REQUESTS.READS/"),
                     ("cbo/CLOCKTICKS/", "cbo/TOR_OCCUPANCY.ALL/",
                      "imc/RPQ_OCCUPANCY/", "imc/ACT_COUNT/")),
    "xeon-e7": (("cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/",
                 "bbox/IMT_INSERTS_ALL/"),
                ("wbox/FIXED_CTR/", "cbox/OCCUPANCY_MAF/",
                 "bbox/IMT_VALID_OCCUPANCY/")),
}
SHORT = ("--set", "llc.slice=512", "--set", "detail.start=5000", "--set",
         "detail.window=400")


def stat(machine, detail, *words, rounds=ROUNDS):
    with tempfile.TemporaryDirectory(prefix="uncore-parts-") as folder:
        path = os.path.join(folder, "report")
        ran = subprocess.run(
            (UNCORE, "stat", "-m", machine, "--detail=" + detail, "-o", path) +
            SHORT + words + ("--", PROGRAM, str(rounds), "2000"), text=True,
            capture_output=True)
        if ran.returncode:
            raise AssertionError("%s: status %d: %s" % (
                words, ran.returncode, ran.stderr))
        with open(path, encoding="utf-8") as file:
            return file.read()


def rows(part):
    return {row["event"]: row for row in part["counts"]}


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.full, cls.sampled = {}, {}
        for machine, (states, times) in MACHINES.items():
            words = ("--json", "-e", ",".join(states + times), "-M",
                     "memory_bandwidth")
            cls.full[machine] = json.loads(stat(machine, "full", *words))
            cls.sampled[machine] = [
                json.loads(stat(machine, "5%%,seed=%d" % seed, *words))
                for seed in range(1, SEEDS + 1)]

    def regions(self, machine):
        """Each with the same of full detail."""
        full = {part["name"]: part for part in self.full[machine]["regions"]}
        for report in self.sampled[machine]:
            for part in report["regions"]:
                yield part, full[part["name"]]

    def test_what_happened_is_known_but_for_what_is_under_way(self):
        for machine, (states, _) in MACHINES.items():
            for part, full in self.regions(machine):
                self.assertEqual(part["entered"], full["entered"])
                for name in states:
                    row, other = rows(part)[name], rows(full)[name]
                    self.assertNotIn("is_estimate", row)
                    self.assertLessEqual(abs(row["value"] - other["value"]),
                                         UNDER_WAY * part["entered"],
                                         (machine, part["name"], name))
            # a line may be asked for while its write-back is under way
            for report in self.sampled[machine]:
                for name in states:
                    self.assertAlmostEqual(
                        rows(report)[name]["value"],
                        rows(self.full[machine])[name]["value"], delta=5)

    def test_time_is_within_the_error_of_the_region(self):
        for machine, (_, times) in MACHINES.items():
            held = told = 0
            for part, full in self.regions(machine):
                if part["name"] not in PHASES:
                    continue
                self.assertLess(part["detail"]["share"], 0.12)
                for name in times:
                    row, other = rows(part)[name], rows(full)[name]
                    if row["value"] is None:
                        continue
                    self.assertTrue(row["is_estimate"])
                    told += 1
                    held += (abs(row["value"] - other["value"]) <=
                             row["error"])
            self.assertGreater(told, 0.7 * SEEDS * len(times) * len(PHASES))
            self.assertGreaterEqual(held / told, 0.85, machine)

    def test_its_seconds_are_those_of_its_clock(self):
        for machine, (_, times) in MACHINES.items():
            clock = rows(self.full[machine])[times[0]]["value"]
            ratio = clock / self.full[machine]["uncore_cycles"]
            for part, _ in self.regions(machine):
                row = rows(part)[times[0]]
                if row["value"] is None:
                    continue
                self.assertAlmostEqual(row["value"] / part["uncore_cycles"],
                                       ratio, delta=0.02 * ratio)

    def test_regions_together_are_the_run(self):
        """But for what is in none of them, which is little, and full detail
        knows how much, as of what cannot be told."""
        for machine, (_, times) in MACHINES.items():
            whole = self.full[machine]
            for name in times:
                rest = (rows(whole)[name]["value"] -
                        sum(rows(part)[name]["value"]
                            for part in whole["regions"]))
                for report in self.sampled[machine]:
                    parts = [rows(part)[name] for part in report["regions"]]
                    sums = [row if row["value"] is not None else
                            rows(part)[name] for row, part in
                            zip(parts, whole["regions"])]
                    # the last one is little, and where windows lie badly
                    # another cannot be told
                    self.assertLessEqual(sum(row["value"] is None
                                             for row in parts), 2)
                    row = rows(report)[name]
                    error = math.sqrt(sum(part.get("error", 0)**2 for part in
                                          sums + [row]))
                    self.assertLess(
                        abs(row["value"] - rest -
                            sum(part["value"] for part in sums)),
                        1.5 * error + 0.02 * row["value"], (machine, name))

    def test_too_few_windows_tell_nothing(self):
        for machine, (_, times) in MACHINES.items():
            for part, full in self.regions(machine):
                if part["name"] != "once":
                    continue
                share = part["detail"]["share"]
                for name in times:
                    row = rows(part)[name]
                    if share < 1:
                        self.assertIsNone(row["value"])
                        self.assertIn("too few windows", row["note"])
                    else:
                        self.assertNotIn("is_estimate", row)
                # what its length is taken to be, roughly
                self.assertAlmostEqual(
                    part["uncore_cycles"] / full["uncore_cycles"], 1,
                    delta=0.5)

    def test_a_region_alone(self):
        states, times = MACHINES["xeon-e5-2600"]
        words = ("-e", ",".join(states + times), "-M", "memory_bandwidth",
                 "--region", "walk")
        whole = self.sampled["xeon-e5-2600"][0]
        part = next(part for part in whole["regions"]
                    if part["name"] == "walk")
        alone = json.loads(stat("xeon-e5-2600", "5%,seed=1", "--json", *words))
        for key in "counts", "metrics", "detail", "simulated_seconds":
            self.assertEqual(alone[key], part[key], key)
        fields = [line.split(";") for line in stat(
            "xeon-e5-2600", "5%,seed=1", "-x;", *words).splitlines()]
        self.assertEqual([int(line[0]) for line in fields[:len(part["counts"])]],
                         [row["value"] for row in part["counts"]])
        self.assertEqual({line[9] for line in fields}, {"95"})
        text = stat("xeon-e5-2600", "5%,seed=1", *words)
        self.assertIn("%.3g %% of " % (100 * part["detail"]["share"]), text)

    def test_a_region_of_several_runs(self):
        words = ("-e", "cbo/CLOCKTICKS/", "-M", "memory_bandwidth", "-r", "2",
                 "--region", "walk", "--json")
        for how, share in (("full", 1), ("5%,seed=1", 0.2)):
            report = json.loads(stat("xeon-e5-2600", how, *words, rounds=20))
            self.assertEqual(report["runs"], 2)
            self.assertGreater(report["metrics"][0]["value"], 1)
            if how != "full":
                self.assertEqual(len(report["detail"]["runs"]), 2)
                for run in report["detail"]["runs"]:
                    self.assertLess(run["share"], share)
                    self.assertLess(run["accesses"], 100000)

    def test_another_event_changes_no_digit(self):
        states, times = MACHINES["xeon-e7"]
        fewer = json.loads(stat("xeon-e7", "5%,seed=1", "--json", "-e",
                                times[1]))
        for part, more in zip(fewer["regions"],
                              self.sampled["xeon-e7"][0]["regions"]):
            self.assertEqual(rows(part)[times[1]], rows(more)[times[1]])
            self.assertEqual(part["detail"], more["detail"])

    def test_text_tells_each(self):
        text = stat("xeon-e7", "5%", "-e", "wbox/FIXED_CTR/")
        self.assertEqual(text.count("accesses in detail, in"),
                         1 + len(PHASES) + 2)
        self.assertRegex(text, r"Its time is \+- [0-9.]+ %")


if __name__ == "__main__":
    unittest.main()
