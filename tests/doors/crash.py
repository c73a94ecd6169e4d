#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The registers are after a count what they were before it: when it ends by
# itself, by SIGINT or SIGTERM at any moment, and, with `uncore reset`, when it
# is killed at any moment. Through register files and through the socket.

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from msr_server import (PATIENCE_S, UNCORE, Server, encode, need_fuse,
                        registers, until)

# They take turns in C-Box, B-Box, M-Box and S-Box, with filters.
EVENTS = ("cbox/LLC_MISSES.ALL/", "cbox/LLC_MISSES.S/", "cbox/LLC_MISSES.F/",
          "cbox/LLC_MISSES.I/", "cbox/LLC_HITS.ALL/", "cbox/LLC_HITS.E/",
          "cbox/LLC_HITS.S/", "cbox/LLC_HITS.M/",
          "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdData/",
          "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdCode/",
          "bbox/IMT_VALID_OCCUPANCY/", "bbox/TF_ALL/",
          "mbox/FVC_EV0.BBOX_CMDS.READS/", "mbox/FVC_EV0.BBOX_CMDS.WRITES/",
          "rbox/FLITS_SENT,port=qpi0/", "wbox/FIXED_CTR/")
WORDS = [w for e in EVENTS for w in ("-e", e)]
KILLS = 8 if "UNCORE_LONG" in os.environ else 4  # at each door; more if few hit
MOST_KILLS = 100
DAMAGES = 40
NOBODY = 65534
# These move by themselves.
MOVING = ("TIMESTAMP",)


class Place:
    """A model behind both doors, whose registers somebody has used before."""

    def __init__(self, test):
        self.folder = tempfile.mkdtemp(prefix="crash-")
        self.path = os.path.join(self.folder, "s")
        self.state = os.path.join(self.folder, "state")
        self.server = Server("--clock", "free", "--socket", self.path, "-w",
                             "random:threads=4,size=8M,count=100000000")
        test.addCleanup(self.close)
        self.registers = [r for name, r in registers().items()
                          if not any(m in name for m in MOVING)]
        self.use_before()

    def close(self):
        self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def use_before(self):
        """Everything that can hold something does, and nothing counts."""
        for socket in (0, 1):
            for address, value in encode(*EVENTS[:3], EVENTS[8], EVENTS[10]):
                self.write(socket, address, value)
            for register in self.registers:
                if "U_MSR_PMON_GLOBAL_CTL" == register["name"]:
                    self.write(socket, register["address"], 0)
                if "_CTR" in register["name"] or "_CNT_" in register["name"]:
                    if "CTL" not in register["name"]:
                        self.write(socket, register["address"],
                                   register["address"] * 5)

    def write(self, socket, address, value):
        self.server.write(address, value, cpu=10 * socket)

    def hold(self):
        """What all registers hold, by name."""
        held = {}
        for socket in (0, 1):
            fd = self.server.open(10 * socket, os.O_RDONLY)
            for r in self.registers:
                try:
                    held[socket, r["name"]] = os.pread(fd, 8, r["address"])
                except OSError:
                    pass
            os.close(fd)
        return held

    def run(self, *words):
        return subprocess.run([UNCORE, *words], text=True,
                              env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE_S)

    def start(self, on):
        return subprocess.Popen(
            [UNCORE, "stat", "--on", on, "--duration", "60", *WORDS],
            env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def environment(self):
        return dict(os.environ, UNCORE_STATE=self.state)

    def journals(self):
        try:
            return [n for n in os.listdir(self.state) if "journal" in n]
        except FileNotFoundError:
            return []

    def doors(self):
        return ("msr:" + self.server.folder, "socket:" + self.path)


class Crash(unittest.TestCase):
    def same(self, place, before, what):
        after = place.hold()
        different = {k: (before[k].hex(), after[k].hex()) for k in before
                     if before[k] != after[k]}
        self.assertEqual(different, {}, what)

    def beginning(self, place):
        """How long it takes until it counts, and a bit more."""
        start = time.monotonic()
        ran = place.start(place.doors()[0])
        until("it counts", lambda: any(n.endswith("journal")
                                       for n in place.journals()))
        taken = time.monotonic() - start
        ran.send_signal(signal.SIGINT)
        ran.wait(timeout=PATIENCE_S)
        return taken + 0.05

    def test_killed_at_any_moment_and_reset(self):
        place = Place(self)
        before = place.hold()
        self.assertGreater(len(set(before.values())), 100)
        random.seed(20111)
        longest_s = 2 * self.beginning(place)
        for on in place.doors():
            programmed = 0
            for n in range(MOST_KILLS):
                # Or nothing has been tried.
                if n >= KILLS and programmed >= KILLS // 4:
                    break
                ran = place.start(on)
                after = random.random() * longest_s
                time.sleep(after)
                ran.kill()
                ran.wait()
                programmed += place.hold() != before
                put_back = place.run("reset", "--on", on)
                self.assertEqual(put_back.returncode, 0, put_back.stderr)
                self.same(place, before, "killed after %f s" % after)
                self.assertEqual([n for n in place.journals()
                                  if n.endswith("journal")], [])
            self.assertGreaterEqual(programmed, KILLS // 4)

    def test_interrupted_at_any_moment(self):
        place = Place(self)
        before = place.hold()
        random.seed(1)
        longest_s = 2 * self.beginning(place)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for on in place.doors():
                ran = place.start(on)
                # Before it catches signals nothing has been written.
                time.sleep(random.random() * longest_s)
                ran.send_signal(number)
                ran.wait(timeout=PATIENCE_S)
                self.assertEqual(place.journals(), [])
                self.same(place, before, "signal %d" % number)

    def test_a_count_that_ends_leaves_nothing(self):
        place = Place(self)
        before = place.hold()
        for on in place.doors():
            ran = place.run("stat", "--on", on, "--duration", "0.2", *WORDS)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertRegex(ran.stdout, "of the time|too few turns")
            self.same(place, before, on)
            self.assertEqual(place.journals(), [])

    def test_who_comes_next_is_told(self):
        place = Place(self)
        before = place.hold()
        on = place.doors()[1]
        ran = place.start(on)
        while not place.journals():
            time.sleep(0.01)
        time.sleep(0.1)
        ran.kill()
        ran.wait()
        words = ("stat", "--on", on, "--duration", "0.05", "-e", EVENTS[0])
        told = place.run(*words)
        self.assertEqual(told.returncode, 1)
        self.assertIn("process %d" % ran.pid, told.stderr)
        self.assertIn("uncore reset --on " + on, told.stderr)
        self.assertEqual(told.stdout, "")
        # By force, the next one puts back first what the dead one left.
        self.assertEqual(place.run(*words, "--force").returncode, 0)
        self.same(place, before, "--force")
        nothing = place.run("reset", "--on", on)
        self.assertIn("nobody has left anything", nothing.stdout)

    def test_a_damaged_journal_puts_nothing_back(self):
        place = Place(self)
        on = place.doors()[1]
        ran = place.start(on)
        until("it counts", lambda: any(n.endswith("journal")
                                       for n in place.journals()))
        time.sleep(0.1)
        ran.kill()
        ran.wait()
        name, = (n for n in place.journals() if n.endswith("journal"))
        path = os.path.join(place.state, name)
        with open(path, "rb") as file:
            whole = file.read()
        place.registers = [r for r in place.registers if "CTL" in r["name"]]
        left = place.hold()  # counters go on: nobody has stopped them
        damaged = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
                   for at in range(0, len(whole), len(whole) // DAMAGES)]
        damaged += [whole[:-1], whole[:len(whole) // 2], whole + b"\n", b""]
        for journal in damaged:
            with open(path, "wb") as file:
                file.write(journal)
            ran = place.run("reset", "--on", on)
            self.assertEqual(ran.returncode, 1, journal)
            self.assertIn("makes no sense", ran.stderr)
        self.same(place, left, "damaged")
        with open(path, "wb") as file:
            file.write(whole)
        self.assertEqual(place.run("reset", "--on", on).returncode, 0)

    def test_a_link_of_somebody_else_is_not_followed(self):
        """Only root can make one; others cannot try this."""
        if os.geteuid():
            self.skipTest("a link of another user takes root to make")
        place = Place(self)
        real = os.path.join(place.folder, "real")
        os.mkdir(real, 0o700)
        os.symlink(real, place.state)
        words = ("stat", "--on", place.doors()[1], "--duration", "0.05", "-e",
                 EVENTS[0])
        self.assertEqual(place.run(*words).returncode, 0)
        os.chown(place.state, NOBODY, NOBODY, follow_symlinks=False)
        refused = place.run(*words)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("belongs to somebody else", refused.stderr)

    def test_reset_all(self):
        place = Place(self)
        on = place.doors()[0]
        ran = place.run("reset", "--on", on, "--all")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        fresh = Place(self)
        fresh.run("reset", "--on", fresh.doors()[0], "--all")
        for (socket, name), value in place.hold().items():
            if "CTR" in name or "CNT" in name or "GLOBAL" in name:
                if "CTL" not in name or "GLOBAL_CTL" in name:
                    self.assertEqual(value, bytes(8), name)
        self.assertEqual(place.run("reset", "--on", "model").returncode, 2)
        self.assertEqual(place.run("reset", "--on", on, "x").returncode, 2)


if __name__ == "__main__":
    need_fuse()
    unittest.main()
