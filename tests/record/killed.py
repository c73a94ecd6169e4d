#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""`uncore record` is killed at random moments: every sample that it had
reported as written is in the file, and the registers can be put back as they
were found; ended by a signal that it hears, it puts them back itself."""
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import rig
import served

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tool"))
import sandbox  # noqa: E402

EVENTS = ("-e", "cbox/LLC_MISSES.ALL,period=20/", "-e", "mbox/BBOX_CMDS_ALL/")
LONG = "random:threads=4,place=scatter,size=64M,count=100000000,write=30"
HERE = THERE = 25 if sandbox.LONG else 8


class Recorder:
    """A recording under way; what it reports is read as it comes."""

    def __init__(self, path, *more):
        self.path = path
        self.ours, theirs = os.pipe()
        self.process = subprocess.Popen(
            [rig.UNCORE, "record", "-o", path, "--replace", "--write-every",
             "3ms", "--progress-fd", str(theirs), *EVENTS, *more],
            pass_fds=[theirs], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        os.close(theirs)
        self.reported = b""

    def wait_for_first(self):
        while b"\n" not in self.reported:
            part = os.read(self.ours, 4096)
            assert part, self.process.communicate()[1]
            self.reported += part

    def end(self, number):
        """Kills it. The number of samples that were reported as written."""
        self.process.send_signal(number)
        self.process.communicate(timeout=rig.TIMEOUT)
        while part := os.read(self.ours, 65536):
            self.reported += part
        os.close(self.ours)
        lines = self.reported.decode().split("\n")[:-1]
        return int(lines[-1].split()[1]) if lines else 0


class Killed(rig.TestCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(int(os.environ.get("SEED", "1")))
        os.environ["UNCORE_STATE"] = self.path("state")

    def pause(self):
        time.sleep(self.random.random() * 0.08)

    def check(self, path, written):
        recording = rig.Recording(path)
        try:
            self.assertEqual(recording.one("PRAGMA integrity_check"), "ok")
            number = recording.one("SELECT count(*) FROM sample")
            self.assertGreaterEqual(number, written)
            self.assertEqual(recording.one("SELECT count(*) FROM sample"
                                           " WHERE id >= ?", number), 0)
            self.assertNotIn("complete", recording.meta())
            # with counts, all of them
            self.assertEqual(recording.one(
                "SELECT count(*) FROM sample WHERE length > 0 AND NOT EXISTS"
                " (SELECT * FROM count WHERE sample = sample.id)"), 0)
        finally:
            recording.base.close()
        return number

    def test_no_written_sample_is_lost(self):
        total = 0
        for n in range(HERE):
            recorder = Recorder(self.path(), "-w", LONG)
            if n:
                recorder.wait_for_first()
            self.pause()
            written = recorder.end(signal.SIGKILL)
            total += written
            if os.path.exists(self.path()) and (n or written):
                self.check(self.path(), written)
        self.assertGreater(total, HERE * 10)
        # the journal of a half commit, if one is left, is no hindrance
        self.assertEqual(rig.run("report", self.path()).returncode, 0)

    def test_registers_are_put_back(self):
        server = served.Server(self, LONG)
        # what is found: somebody has counted in C-Box 3 and stands still now
        address = served.addresses()
        server.batch([(1, address["CB3_CR_C_MSR_PMON_CTR_0"], 123456),
                      (1, address["CB3_CR_C_MSR_PMON_EVT_SEL_0"], 0x414),
                      (1, address["U_MSR_PMON_GLOBAL_CTL"], 0x8)])
        before = server.registers()
        self.assertEqual(sum(map(bool, before.values())), 3)
        killed = 0
        for n in range(THERE):
            recorder = Recorder(self.path(), "--on", server.where)
            recorder.wait_for_first()
            self.pause()
            written = recorder.end(signal.SIGKILL)
            self.check(self.path(), written)
            self.assertNotEqual(server.registers(), before)
            killed += 1
            reset = rig.run("reset", "--on", server.where)
            self.assertEqual(reset.returncode, 0, reset.stderr)
            self.assertEqual(self.differences(server, before), {})
        self.assertEqual(killed, THERE)

    def differences(self, server, before):
        return {key: (hex(before[key]), hex(value)) for key, value
                in server.registers().items() if before[key] != value}

    def test_signals_that_it_hears(self):
        server = served.Server(self, LONG)
        before = server.registers()
        for number in signal.SIGINT, signal.SIGTERM:
            recorder = Recorder(self.path(), "--on", server.where)
            recorder.wait_for_first()
            written = recorder.end(number)
            self.assertEqual(self.differences(server, before), {})
            recording = rig.Recording(self.path())
            self.addCleanup(recording.base.close)
            self.assertIn("complete", recording.meta())
            self.assertEqual(recording.one("SELECT count(*) FROM sample"),
                             written)
            self.assertFalse(os.path.exists(self.path("file-journal")))


if __name__ == "__main__":
    unittest.main()
