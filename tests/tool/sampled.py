#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""A run of which a part is looked at in detail: one more event changes no digit
of the others, metrics of what is exact are exact, those of time have its error,
and no digit is shown that is not known (docs/sampled.md)."""
import json
import math
import re
import subprocess
import unittest

from sandbox import UNCORE

RUN = ["stat", "-m", "xeon-e5-2600", "-w", "stream:threads=4,size=4M,passes=6",
       "--metrics", "memory_read,memory_bandwidth"]
STATE = ["cbo/LLC_LOOKUP.ANY/", "imc/CAS_COUNT.RD/"]
TIME = ["cbo/TOR_OCCUPANCY.ALL/", "imc/RPQ_OCCUPANCY/", "imc/ACT_COUNT/",
        "imc/PRE_COUNT.PAGE_MISS/", "imc/WPQ_OCCUPANCY/",
        "cbo/RxR_INT_STARVED.IRQ/"]
DETAIL = ["--detail=5%,seed=3"]


def run(*words):
    return subprocess.run([UNCORE, *RUN, *words], text=True, check=True,
                          timeout=100, stdout=subprocess.PIPE).stdout


def rows(events, *words):
    report = json.loads(run("--json", "-e", ",".join(events), *words))
    return ({row["event"]: row for row in report["counts"]},
            {row["name"]: row for row in report["metrics"]})


class Sampled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.counts, cls.metrics = rows(STATE + TIME, *DETAIL)

    def test_a_metric_of_state_is_that_of_a_run_in_detail(self):
        metrics = rows(STATE)[1]
        self.assertEqual(self.metrics["memory_read"]["value"],
                         metrics["memory_read"]["value"])
        self.assertNotIn("error", self.metrics["memory_read"])

    def test_a_rate_of_what_is_exact_has_the_error_of_the_time(self):
        rate = self.metrics["memory_bandwidth"]
        self.assertGreater(rate["error"], 0)
        self.assertLess(rate["error"], 0.2 * rate["value"])

    def test_one_more_event_changes_nothing(self):
        for event in TIME[:2]:
            self.assertEqual(rows([event], *DETAIL)[0][event],
                             self.counts[event])

    def test_error_says_how_it_is_told(self):
        for event in TIME:
            row = self.counts[event]
            if row["value"] is None:
                self.assertTrue(row["note"])
            elif row["error"] >= row["value"]:
                self.assertEqual(row["told"], "fewer")
            elif row["error"] > 0.2 * row["value"]:
                self.assertEqual(row["told"], "about")
            else:
                self.assertNotIn("told", row)
        self.assertNotIn("told", self.counts["cbo/TOR_OCCUPANCY.ALL/"])
        self.assertEqual(self.counts["imc/WPQ_OCCUPANCY/"]["told"], "fewer")

    def test_no_digit_is_shown_that_is_not_known(self):
        text = run("-e", ",".join(STATE + TIME), *DETAIL)
        for event in TIME:
            row = self.counts[event]
            shown = re.search(r"^ *(\S.*?)  " + re.escape(event), text,
                              re.MULTILINE).group(1).replace(",", "")
            if row["value"] is None:
                wanted = "n/a"
            elif row.get("told") == "about":
                wanted = "about %.0f" % float("%.1e" % row["value"])
            elif row.get("told") == "fewer":
                wanted = "fewer than %d" % math.ceil(row["value"] +
                                                     row["error"])
            else:
                wanted = "%d" % row["value"]
            self.assertEqual(shown, wanted)

    def test_a_metric_of_what_no_window_saw_has_a_limit(self):
        # Nothing throttles; how long a rank is powered down windows are too
        # short to see. The later --metrics takes the first one's place.
        names = ["dram_critical_throttle", "interrupts",
                 "dram_self_refresh"]
        metrics = rows(STATE, "--metrics", ",".join(names), *DETAIL)[1]
        for name, most in ((names[0], 0.1), (names[1], 1000)):
            row = metrics[name]
            self.assertEqual((row["value"], row["told"]), (0, "fewer"))
            self.assertLess(0, row["error"])
            self.assertLess(row["error"], most)
        self.assertIsNone(metrics[names[2]]["value"])
        self.assertIn("(less than ", run("--metrics", names[0], *DETAIL))


if __name__ == "__main__":
    unittest.main()
