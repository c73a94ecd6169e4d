#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""-I TIME: samples by time, whose sum is what `uncore stat` counts; with events
that take turns, each with the part of the time in which it counted."""
import unittest

import rig
import served

WORKLOAD = ("-w", "stream:size=512K,threads=4,place=scatter,passes=3")
EVENTS = ("cbox/LLC_MISSES.ALL/", "bbox/IMT_VALID_OCCUPANCY/",
          "rbox/FLITS_SENT,port=qpi0/", "wbox/FIXED_CTR/")
# They want different commands in the same sub-register.
TURNS = tuple("mbox/FVC_EV0.BBOX_CMDS.%s/" % name
              for name in ("READS", "WRITES", "MERGE"))


class Intervals(rig.TestCase):
    def test_sums_are_those_of_stat(self):
        for more in (), ("-N", "4"):
            with self.subTest(more=more):
                recording = self.record(EVENTS, "-I", "10us", *WORKLOAD, *more)
                self.assertEqual(recording.sums(),
                                 rig.stat(EVENTS, *WORKLOAD, *more))
                self.assertGreater(recording.one(
                    "SELECT count(*) FROM sample WHERE kind = 'interval'"), 5)

    def test_time(self):
        recording = self.record(EVENTS[:1], "-I", "50us", *WORKLOAD)
        rows = recording.all("SELECT seconds, length, kind FROM sample"
                             " WHERE socket = 1 ORDER BY id")
        self.assertEqual([row[2] for row in rows],
                         ["interval"] * (len(rows) - 1) + ["end"])
        for n, (seconds, _, _) in enumerate(rows[:-1]):
            # the model looks every 1024 cycles whether it is time
            self.assertGreaterEqual(seconds, (n + 1) * 50e-6)
            self.assertLess(seconds, (n + 1) * 50e-6 + 1e-6)
        self.assertAlmostEqual(sum(row[1] for row in rows), rows[-1][0], 12)
        # and what the clock counted is what passed
        recording = self.record(EVENTS[3:], "-I", "50us", *WORKLOAD)
        clock = float(recording.meta()["clock_hz"])
        for value, length in recording.all(
                "SELECT value, length FROM count JOIN sample ON"
                " sample.id = count.sample"):
            self.assertEqual(value, round(length * clock))

    def test_events_that_take_turns(self):
        recording = self.record(TURNS, "-I", "100us", "--turns", *WORKLOAD)
        for length, counted in recording.all(
                "SELECT length, sum(count.seconds) FROM sample JOIN count ON"
                " sample.id = count.sample"
                " GROUP BY sample.id, count.instance"):
            # each in turn, and nobody while registers change
            self.assertLessEqual(counted, 3 * length * (1 + 1e-9))
        parts = recording.all("SELECT event, sum(seconds), max(seconds) FROM"
                              " count WHERE instance = 0 GROUP BY event")
        total = recording.one("SELECT sum(length) FROM sample")
        for _, counted, _ in parts:
            self.assertTrue(0 < counted < total)
        result = rig.run("record", "-o", self.path("no"), "-I", "1ms",
                         "--no-multiplex", *rig.with_events(TURNS), *WORKLOAD)
        self.assertEqual(result.returncode, 2)

    def test_without_turns_they_count_all_the_time(self):
        recording = self.record(TURNS, "-I", "100us", *WORKLOAD)
        for length, counted in recording.all(
                "SELECT length, count.seconds FROM sample JOIN count ON"
                " sample.id = count.sample"):
            self.assertEqual(counted, length)
        self.assertEqual(recording.sums(), rig.stat(TURNS, *WORKLOAD))

    def test_two_runs_are_the_same(self):
        dumps = [self.record(EVENTS + TURNS, "-I", "30us", "--turns", *WORKLOAD,
                             name=name).dump() for name in "ab"]
        self.assertEqual(*dumps)

    def test_served(self):
        """With a stepped clock, the same samples as here."""
        server = served.Server(self, WORKLOAD[1], clock="step")
        there = self.record(EVENTS, "-I", "20us", "--on", server.where,
                            name="there")
        here = self.record(EVENTS, "-I", "20us", *WORKLOAD, name="here")
        query = "SELECT * FROM %s ORDER BY 1, 2, 3"
        for table in "sample", "count":
            self.assertEqual(here.all(query % table), there.all(query % table))
        server = served.Server(self, WORKLOAD[1], clock="free")
        there = self.record(EVENTS, "-I", "50us", "--on", server.where, "--",
                            "sleep", "0.1", name="program")
        # how far its model gets in that time is the machine's affair
        self.assertGreaterEqual(
            there.one("SELECT count(*) FROM sample"), 2)


if __name__ == "__main__":
    unittest.main()
