#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Sampling on the Xeon E5 v2 to v4 and the Xeon Scalable, where every overflow
freezes: its own box until the message has come to the U-Box, a delay later. Of K
events that a recording has, period N gives floor(K/N) samples in every box; and of what `uncore
stat` counts it lacks what came in the delays, which for a clock is known."""
import unittest

import rig
import served

STREAM = ("-w", "stream:size=256K,threads=4,place=scatter,passes=2",
          "--detail=full")
CYCLES = 50000
# One of each type of box, with and without a status register of its own.
COMMON = (("imc/CAS_COUNT.RD/", 50), ("pcu/CLOCKTICKS/", 700),
          ("imc/FIXED_CTR/", 1300))
E5 = (*COMMON, ("cbo/RxR_INSERTS.IRQ/", 20), ("ha/REQUESTS.READS/", 50),
      ("qpi/CLOCKTICKS/", 900), ("r3qpi/CLOCKTICKS/", 1100))
SCALABLE = (*COMMON, ("cha/TOR_INSERTS.IA_MISS/", 20), ("m2m/IMC_READS.ALL/", 50),
            ("upi/CLOCKTICKS/", 900), ("m3upi/CLOCKTICKS/", 1100),
            ("iio/CLOCKTICKS/", 800), ("ubox/FIXED_CTR/", 1000))
CASES = (("xeon-e5-v2", E5), ("xeon-e5-v3", E5), ("xeon-scalable-1", SCALABLE))


class Sampling(rig.TestCase):
    def test_samples_are_what_counts_promise(self):
        for machine, cases in CASES:
            for event, period in cases:
                with self.subTest(machine=machine, event=event):
                    recording = self.record(
                        ("%s,period=%d/" % (event.rstrip("/"), period),),
                        "-m", machine, *STREAM)
                    samples, sums = recording.samples(), recording.sums()
                    truth = rig.stat((event,), "-m", machine, *STREAM)
                    self.assertEqual(sums.keys(), truth.keys())
                    self.assertTrue(samples)
                    for (number, box), count in sums.items():
                        taken, lost = samples.get(box, (0, 0))
                        self.assertEqual(taken + lost, count // period, box)
                        self.assertLessEqual(count, truth[number, box])

    def test_none_is_lost_while_time_stands(self):
        """Most of 2^18 lines are read the quick way, where the message takes no
        time: what windows lack is what came in its delays."""
        for machine, event in (
                ("xeon-e5-v4", "cbo/LLC_LOOKUP.DATA_READ,state=I"),
                ("xeon-scalable-1", "cha/TOR_INSERTS.IA_MISS_DRD")):
            with self.subTest(machine=machine):
                recording = self.record(
                    (event + ",period=16/",), "-m", machine, "-N", "1", "-w",
                    "stream:op=read,size=16M,threads=4", "--set", "core.prefetch=0")
                self.assertEqual(recording.one("SELECT sum(lost) FROM sample"), 0)
                samples = recording.one(
                    "SELECT count(*) FROM sample WHERE kind = 'period'")
                self.assertGreater(samples, 0.98 * (1 << 18) / 16)
                known = recording.one(
                    "SELECT count(*) FROM sample WHERE kind = 'period'"
                    " AND core >= 0")
                self.assertGreater(known, 0.99 * samples)

    def test_a_clock_stands_still_for_each_delay(self):
        """Of T cycles a recording with n samples has T - n * delay; the last
        message may be on its way when the run ends."""
        for machine, delay in (("xeon-e5-v2", 24), ("xeon-e5-v3", 1),
                               ("xeon-e5-v4", 100), ("xeon-scalable-2", 10)):
            with self.subTest(machine=machine, delay=delay):
                recording = self.record(
                    ("ubox/FIXED_CTR,period=1000/",), "-m", machine, "-N", "1",
                    "--cycles", str(CYCLES), "-w", "idle", "--set",
                    "pmu.delay_cycles=%d" % delay)
                samples = recording.samples()["S0-ubox0"][0]
                self.assertEqual(samples, (CYCLES + delay) // (1000 + delay)
                                 - (CYCLES % (1000 + delay) == 0))
                self.assertEqual(recording.sums()[0, "S0-ubox0"],
                                 CYCLES - samples * delay)
                self.assertEqual(recording.all(
                    "SELECT DISTINCT overrun FROM sample WHERE kind = "
                    "'period'"), [(0,)])

    def test_the_freeze_comes_with_the_event(self):
        path = self.path()
        result = rig.run("record", "-o", path, "-m", "xeon-e5-v2",
                         "--freeze-after", "100", "-e", "ha/REQUESTS.READS/",
                         "-N", "1", *STREAM)
        self.assertEqual(result.returncode, 0, result.stderr)
        recording = rig.Recording(path)
        self.addCleanup(recording.base.close)
        self.assertEqual(recording.all(
            "SELECT box, name, value FROM state WHERE kind = 'status'"
            " ORDER BY box DESC"),
            [("ubox", "U_MSR_PMON_GLOBAL_STATUS", 1 << 18),
             ("ha", "HA0_PCI_PMON_BOX_STATUS", 1)])
        self.assertEqual(recording.one(
            "SELECT value FROM state WHERE kind = 'count' AND box = 'ha'"),
            100)

    def test_a_socket_that_was_left_frozen(self):
        """It goes on when somebody counts, and nothing but that is left of
        him: 0xC00 chooses core 2 as before, 0xC01 and the control of the fixed
        counter (0xC08) are 0."""
        server = served.Server(self, "idle", "step", machine="xeon-e5-v2")
        server.batch([(each, 0xC00, 1 << 31 | 4) for each in (0, 1)])
        left = [(each, address, None) for each in (0, 1)
                for address in (0xC00, 0xC01, 0xC08)]
        count = rig.run("stat", "-x,", "--on", server.where, "-e",
                        "ubox/FIXED_CTR/", "--cycles", "5000")
        self.assertTrue(count.stdout.startswith("10000,"), count)
        self.assertEqual(server.batch(left), [4, 0, 0] * 2)
        self.record(("ubox/FIXED_CTR,period=700/",), "--on", server.where,
                    "--cycles", "9000")
        self.assertEqual(server.batch(left), [4, 0, 0] * 2)
        server.batch([(1, 0xC00, 1 << 31 | 4)])
        self.assertEqual(rig.run("reset", "--all", "--on",
                                 server.where).returncode, 0)
        self.assertEqual(server.batch(left), [0] * 6)

    def test_what_cannot_be(self):
        event = ("-e", "ha/REQUESTS.READS,period=100/", *STREAM)
        self.assertIn("leave --no-freeze out", self.refused(
            "-m", "xeon-e5-v3", "--no-freeze", *event))
        self.assertIn("no interrupt on overflow", self.refused(
            "-m", "xeon-e5-2600", *event))


if __name__ == "__main__":
    unittest.main()
