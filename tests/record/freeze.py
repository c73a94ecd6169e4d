#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""--freeze-after N: everything stands still with the Nth event, and what is
shown is what was then: the same as a run that ends in that cycle counts."""
import unittest

import rig
import served

WORKLOAD = "stream:size=256K,threads=4,place=scatter"
MISSES = "cbox/LLC_MISSES.ALL/"
SHORT = ("--set", "pmu.delay_cycles=1")  # the least there is


class Freeze(rig.TestCase):
    def freeze(self, number, events, *more):
        result = rig.run("record", "--replace", "-o", self.path(),
                         "--freeze-after", str(number),
                         *rig.with_events(events), "-w", WORKLOAD, *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        recording = rig.Recording(self.path())
        self.addCleanup(recording.base.close)
        return recording, result.stdout

    def test_exactly_n(self):
        """One cycle of delay: an event that did not happen in it is at N."""
        for event, number in ((MISSES, 7), (MISSES, 100),
                              ("mbox/BBOX_CMDS_ALL/", 50),
                              ("bbox/IMT_INSERTS_ALL/", 33),
                              ("wbox/FIXED_CTR/", 5000)):
            with self.subTest(event=event, number=number):
                recording, _ = self.freeze(number, (event,), *SHORT)
                socket, instance, overrun = recording.all(
                    "SELECT socket, instance, overrun FROM sample"
                    " WHERE kind = 'freeze'")[0]
                self.assertEqual(overrun, event.startswith("wbox"))
                box = event.split("/")[0]
                self.assertEqual(recording.one(
                    "SELECT value FROM state WHERE kind = 'count' AND"
                    " socket = ? AND box = ? AND instance = ?", socket, box,
                    instance), number + overrun)

    def test_no_more_than_the_delay_allows(self):
        recording, _ = self.freeze(5000, ("wbox/FIXED_CTR/",), "-N", "1")
        overrun = recording.one("SELECT overrun FROM sample"
                                " WHERE kind = 'freeze'")
        self.assertEqual(recording.all("SELECT value FROM count"),
                         [(5000 + overrun,)])
        self.assertTrue(0 < overrun < 100)
        self.assertEqual(recording.one("SELECT cycle FROM sample"
                                       " WHERE kind = 'freeze'"),
                         5000 + overrun)

    def test_all_counters_of_that_cycle(self):
        """A run that ends in the cycle of the freeze counts the same."""
        events = (MISSES, "bbox/IMT_VALID_OCCUPANCY/", "mbox/BBOX_CMDS_ALL/",
                  "wbox/FIXED_CTR/")
        recording, _ = self.freeze(60, events)
        socket, cycle = recording.all("SELECT socket, cycle FROM sample"
                                      " WHERE kind = 'freeze'")[0]
        truth = rig.stat(events, "-w", WORKLOAD, "--cycles", str(cycle))
        frozen = "S%d-" % socket
        sums = recording.sums()
        self.assertEqual({k: v for k, v in sums.items()
                          if k[1].startswith(frozen)},
                         {k: v for k, v in truth.items()
                          if k[1].startswith(frozen)})
        self.assertEqual(recording.one("SELECT count(*) FROM state"
                                       " WHERE kind = 'count'"), len(truth))

    def test_what_is_shown(self):
        # the other socket has no traffic, and so no overflow of its own
        recording, shown = self.freeze(120, (MISSES, "wbox/FIXED_CTR/"), "-w",
                                       "stream:threads=4,size=1M")
        socket, instance = recording.all(
            "SELECT socket, instance FROM sample WHERE kind = 'freeze'")[0]
        self.assertRegex(shown, r"S%d froze at [\d.]+ us, cycle [\d,]+: cbox%d"
                         % (socket, instance))
        self.assertRegex(shown, r"S%d was stopped [\d,]+ cycles later"
                         % (1 - socket))
        # the overflow, from the U-Box down to the box
        boxes = [row[0] for row in recording.all(
            "SELECT box || instance FROM state WHERE kind = 'status' AND"
            " socket = ?", socket)]
        self.assertIn("ubox0", boxes)
        self.assertIn("cbox%d" % instance, boxes)
        self.assertTrue([box for box in boxes if box.startswith("sbox")])
        # what is on its way in one box is somewhere else, too
        levels = dict(recording.all(
            "SELECT box || '.' || name, sum(value) FROM state WHERE"
            " kind = 'level' AND socket = ? GROUP BY 1", socket))
        self.assertGreater(levels["cbox.occupancy_maf"], 0)
        for name, value in levels.items():
            self.assertIn(name.split(".")[1], shown)

    def test_an_event_that_never_comes(self):
        result = rig.run("record", "-o", self.path(), "--freeze-after",
                         "100000000", "-e", MISSES, "-w", WORKLOAD)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("nothing froze", result.stderr)

    def test_elsewhere(self):
        server = served.Server(self, WORKLOAD, clock="step")
        path = self.path("there")
        result = rig.run("record", "-o", path, "--freeze-after", "60",
                         "-e", MISSES, "-e", "wbox/FIXED_CTR/", "--on",
                         server.where)
        self.assertEqual(result.returncode, 0, result.stderr)
        here, _ = self.freeze(60, (MISSES, "wbox/FIXED_CTR/"))
        there = rig.Recording(path)
        self.addCleanup(there.base.close)
        query = ("SELECT cycle, count.event, count.instance, value FROM sample"
                 " JOIN count ON sample.id = count.sample"
                 " WHERE kind = 'freeze'")
        self.assertEqual(here.all(query), there.all(query))
        self.assertTrue(here.all(query))


if __name__ == "__main__":
    unittest.main()
