#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Two who want the same counters: one instance of uncore per socket, counters of
# others that are enabled are left alone, and by force only what is needed is
# taken from them: what they count meanwhile is what they count without us.

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from msr_server import (PATIENCE_S, UNCORE, Server, encode, field, need_fuse,
                        registers, until)

WORKLOAD = "stream:threads=4,size=8M,passes=1000"
MISSES = "cbox/LLC_MISSES.ALL/"
REGISTERS = registers() if os.path.exists(UNCORE) else {}
CLOCK = REGISTERS["W_MSR_PMON_FIXED_COUNTER"]["address"] if REGISTERS else 0


def environment(state):
    return dict(os.environ, UNCORE_STATE=state)


def stat(on, *words, state):
    return subprocess.run([UNCORE, "stat", "--on", on, *words], text=True,
                          env=environment(state), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_S)


class Case(unittest.TestCase):
    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="neighbours-state-")
        self.addCleanup(shutil.rmtree, self.state, True)

    def serve(self, clock):
        self.folder = tempfile.mkdtemp(prefix="neighbours-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.socket = os.path.join(self.folder, "s")
        # the S-Box sends by the R-Box, where its counters look at messages
        server = Server("--clock", clock, "--socket", self.socket, "--set",
                        "memory.hemisphere=off", "-w", WORKLOAD)
        self.addCleanup(server.kill)
        return server

    def stat(self, on, *words, state=None):
        return stat(on, *words, state=state or self.state)

    def start(self, on):
        """A count that has begun and goes on."""
        running = subprocess.Popen(
            [UNCORE, "stat", "--on", on, "-e", MISSES], text=True,
            env=environment(self.state), stdout=subprocess.PIPE)
        until("it counts", lambda: any(n.endswith("journal")
                                       for n in os.listdir(self.state)))
        return running

    def program(self, server, *events, socket=0):
        """Somebody counts, by hand."""
        for address, value in encode(*events):
            self.assertTrue(server.write(address, value, cpu=10 * socket))


class Locks(Case):
    def test_one_instance_per_socket(self):
        self.serve("free")
        on = "socket:" + self.socket
        other = os.path.join(self.folder, "link")
        os.symlink(self.socket, other)
        first = self.start(on)
        for where in (on, "socket:" + other):
            told = self.stat(where, "--duration", "0.01", "-e", MISSES)
            self.assertEqual(told.returncode, 1)
            self.assertEqual(told.stdout, "")
            self.assertIn("another uncore", told.stderr)
            self.assertIn("process %d" % first.pid, told.stderr)
            self.assertIn("-e " + MISSES, told.stderr)
            self.assertIn(time.strftime("%Y-"), told.stderr)
        # --force is for others than ourselves.
        forced = self.stat(on, "--duration", "0.01", "-e", MISSES, "--force")
        self.assertEqual(forced.returncode, 1)
        reset = subprocess.run([UNCORE, "reset", "--on", on, "--all"],
                               env=environment(self.state), text=True,
                               stderr=subprocess.PIPE)
        self.assertEqual(reset.returncode, 1)
        self.assertIn("process %d" % first.pid, reset.stderr)
        first.send_signal(signal.SIGINT)
        out, _ = first.communicate(timeout=PATIENCE_S)
        self.assertIn(MISSES, out)
        free = self.stat(on, "--duration", "0.01", "-e", MISSES)
        self.assertEqual(free.returncode, 0, free.stderr)

    def test_two_places_are_two(self):
        self.serve("free")
        first = "socket:" + self.socket
        running = self.start(first)
        self.addCleanup(running.communicate)
        self.addCleanup(running.send_signal, signal.SIGINT)
        self.serve("free")
        other = self.stat("socket:" + self.socket, "--duration", "0.01", "-e",
                     MISSES)
        self.assertEqual(other.returncode, 0, other.stderr)

    def test_a_folder_of_others_is_no_place_for_locks(self):
        self.serve("step")
        for name, mode in (("open", 0o777), ("missing/folder", None)):
            state = os.path.join(self.folder, name)
            if mode:
                os.mkdir(state)
                os.chmod(state, mode)
            told = self.stat("socket:" + self.socket, "--cycles", "10", "-e",
                        MISSES, state=state)
            self.assertEqual(told.returncode, 1)
            self.assertIn(state, told.stderr)
            self.assertIn("UNCORE_STATE", told.stderr)


class InUse(Case):
    def check_refused(self, on, span, *words):
        told = self.stat(on, *span, "-e", MISSES)
        self.assertEqual(told.returncode, 1)
        self.assertEqual(told.stdout, "")
        for word in words:
            self.assertIn(word, told.stderr)

    def test_counters_that_move_are_refused(self):
        server = self.serve("free")
        self.program(server, "cbox3/SINKS_C2P.AK/", "wbox/FIXED_CTR/",
                     socket=1)
        for on in ("socket:" + self.socket, "msr:" + server.folder):
            self.check_refused(on, ("--duration", "0.01"), "socket 1", on,
                               "and moves", "by whom is not known", "--force")

    def test_what_they_count_is_said(self):
        server = self.serve("step")
        self.program(server, "sbox0/TO_R_PROG_EV,mc=HOM0,opc=RdData/")
        self.check_refused("socket:" + self.socket, ("--cycles", "1000"),
                           "counter 0 of S-Box 0", "TO_R_PROG_EV", "HOM0")

    def test_enabled_on_one_level_alone_is_not_in_use(self):
        server = self.serve("step")
        self.program(server, "cbox3/LLC_HITS.ALL/")
        master = REGISTERS["U_MSR_PMON_GLOBAL_CTL"]["address"]
        server.write(master, 0)
        on = "socket:" + self.socket
        self.assertEqual(self.stat(on, "--cycles", "1000", "-e",
                              MISSES).returncode, 0)
        server.write(master, field(REGISTERS["U_MSR_PMON_GLOBAL_CTL"],
                                   "en_all", 1))
        server.write(REGISTERS["CB3_CR_C_MSR_PMON_GLOBAL_CTL"]["address"], 0)
        self.assertEqual(self.stat(on, "--cycles", "1000", "-e",
                              MISSES).returncode, 0)

    def test_by_force_their_counts_are_what_they_were(self):
        """The same steps with and without us in between."""
        theirs = ("wbox/FIXED_CTR/", "cbox0/LLC_MISSES.ALL,counter=5/",
                  "bbox1/IMT_INSERTS_ALL,counter=1/",
                  "sbox0/TO_R_PROG_EV,mc=HOM0,opc=RdData,counter=3/")
        ours = ("cbox/LLC_MISSES.ALL/", "cbox/LLC_HITS.ALL/",
                "bbox/IMT_VALID_OCCUPANCY/", "sbox/REQ_TBL_OCCUPANCY.ALL/",
                "mbox/FVC_EV0.BBOX_CMDS.READS/",
                "mbox/FVC_EV0.BBOX_CMDS.WRITES/")
        words = [w for e in ours for w in ("-e", e)]
        names = ("W_MSR_PMON_FIXED_COUNTER", "CB0_CR_C_MSR_PMON_CTR_5",
                 "BB1_CR_B_MSR_PERF_CNT1_REG", "SR0_CR_S_MSR_PMON_CTR3")
        held = []
        for with_us in (False, True):
            server = self.serve("step")
            self.program(server, *theirs)
            server.run(20000)
            if with_us:
                ran = self.stat("socket:" + self.socket, "--cycles", "60000",
                           "--force", *words)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("of the time", ran.stdout)
            else:
                server.run(60000)
            server.run(20000)
            held.append([server.read(REGISTERS[n]["address"])
                         for n in names])
        self.assertEqual(held[0], held[1])
        self.assertTrue(all(held[0]), held)


if __name__ == "__main__":
    need_fuse()
    unittest.main()
