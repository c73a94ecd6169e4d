#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Sampling of registers elsewhere: samples come late there, and what the
counters miss while they stand still is measured: the clock that is read along
and the time that is reported as lost make the whole run."""
import os
import shutil
import subprocess
import time
import unittest

import rig
import served

WORKLOAD = "random:threads=4,place=scatter,size=8M,count=4000,write=30,seed=2"
ENDLESS = "random:threads=4,place=scatter,size=64M,count=100000000"
EVENTS = ("cbox/LLC_MISSES.ALL,period=50/", "wbox/FIXED_CTR/")


class Elsewhere(rig.TestCase):
    def test_stepped_clock(self):
        server = served.Server(self, WORKLOAD, clock="step", sockets=1)
        recording = self.record(EVENTS, "--on", server.where)
        truth = rig.stat(("cbox/LLC_MISSES.ALL/",), "-w", WORKLOAD, "-N", "1")
        misses = sum(truth.values())
        sums = recording.sums()
        clock = sums.pop((1, "S0-wbox0"))
        meta = recording.meta()
        frozen = float(meta["frozen_seconds"]) * float(meta["clock_hz"])
        self.assertEqual(clock + round(frozen), int(meta["cycles"]))
        self.assertGreater(frozen, 0)
        counted = sum(sums.values())
        self.assertLess(counted, misses)
        self.assertGreater(counted, misses // 2)
        shown = rig.run("report", self.path()).stdout
        self.assertRegex(shown, r"stood still for [\d.]+ % of the time")
        # and of what was counted no period is missing
        for (_, box), count in sums.items():
            taken, lost = recording.samples().get(box, (0, 0))
            self.assertEqual(taken + lost, count // 50)

    def test_without_freeze(self):
        """The clock is not stopped."""
        server = served.Server(self, WORKLOAD, clock="step", sockets=1)
        recording = self.record(EVENTS, "--no-freeze", "--on", server.where)
        meta = recording.meta()
        self.assertEqual(recording.sums()[1, "S0-wbox0"], int(meta["cycles"]))
        self.assertEqual(float(meta["frozen_seconds"]), 0)
        self.assertGreater(recording.one(
            "SELECT count(*) FROM sample WHERE kind = 'period'"), 10)

    def test_the_cycle_of_an_interrupt(self):
        """The first sample is the same as here: nothing was late before."""
        first = ("SELECT cycle, event, instance, overrun, core FROM sample"
                 " ORDER BY id LIMIT 1")
        server = served.Server(self, WORKLOAD, clock="step")
        there = self.record(EVENTS, "--on", server.where, name="there")
        here = self.record(EVENTS, "-w", WORKLOAD, name="here")
        self.assertEqual(there.all(first), here.all(first))

    def test_a_clock_that_runs(self):
        server = served.Server(self, ENDLESS)
        for words in (("--duration", "0.4"), ("--", "sleep", "0.4")):
            with self.subTest(words=words):
                recording = self.record(EVENTS, "--on", server.where, *words)
                self.assertGreater(recording.one(
                    "SELECT count(*) FROM sample WHERE kind = 'period'"), 2)
                for box, (taken, lost) in recording.samples().items():
                    counted = recording.sums()[0, box]
                    self.assertEqual(taken + lost, counted // 50)

    def test_register_files(self):
        if not os.path.exists("/dev/fuse") or not shutil.which("fusermount3"):
            self.skipTest("no /dev/fuse")
        folder = self.path("msr")
        os.mkdir(folder)
        server = subprocess.Popen(
            [rig.UNCORE, "model", "serve", "--msr", folder, "--clock", "free",
             "-w", ENDLESS], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        try:
            if not server.stdout.readline().startswith("ready"):
                self.skipTest("cannot mount")
            recording = self.record(EVENTS, "--on", "msr:" + folder,
                                    "--duration", "0.5")
            self.assertGreater(recording.one(
                "SELECT count(*) FROM sample WHERE kind = 'period'"), 2)
            for box, (taken, lost) in recording.samples().items():
                counted = recording.sums()[0, box]
                self.assertEqual(taken + lost, counted // 50)
        finally:
            server.terminate()
            server.wait(rig.TIMEOUT)
            server.stdout.close()

    def test_a_server_that_dies(self):
        server = served.Server(self, ENDLESS)
        process = subprocess.Popen(
            [rig.UNCORE, "record", "-o", self.path(), *rig.with_events(EVENTS),
             "--write-every", "5ms", "--on", server.where],
            stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        server.process.kill()
        _, said = process.communicate(timeout=rig.TIMEOUT)
        self.assertEqual(process.returncode, 1, said)
        recording = rig.Recording(self.path())
        self.addCleanup(recording.base.close)
        self.assertEqual(recording.one("PRAGMA integrity_check"), "ok")
        self.assertNotIn("complete", recording.meta())


if __name__ == "__main__":
    unittest.main()
