#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Whose memory a page is in, and who has the same page. A page is in the
socket of the core that touches it first, unless a policy says otherwise or it
is moved; what two processes share are the same lines; pages that nobody has
written are all one page of zeros."""
import shutil
import unittest

import sandbox
from counting import (ASKED, FILLS, GIVEN, LINE, LOCAL, MISSES, REMOTE, above, counts,
                      program, stat)

SIZE = 1 << 20
LINES = SIZE / LINE
PAGE_LINES = 4096 // LINE
HANDOVERS = 500
ROUNDS = 50
HALVES = 2
SLACK = 16  # of what a process begins and ends with


def pages(what, *words, events=(MISSES, REMOTE, LOCAL), base=None,
          machine="xeon-e7"):
    """Above the same with no bytes, or another deed."""
    if base is None:
        base = (what, 0) + words[1:]
    return above(program("traffic_pages", what, *words),
                 program("traffic_pages", *base), events, machine=machine)


class Counted(unittest.TestCase):
    def near(self, value, wanted, of=LINES):
        self.assertAlmostEqual(value, wanted, delta=0.01 * of)


class Zeros(Counted):
    def test_are_one_page_however_many_are_read(self):
        seen = pages("zero", 8 * SIZE)
        self.assertAlmostEqual(seen[MISSES], PAGE_LINES, delta=16)


class FirstTouch(Counted):
    """One core stores to all lines, then another one loads them."""
    machine = "xeon-e7"
    other = 10

    def touch(self, first, second):
        return pages("touch", SIZE, first, second, machine=self.machine)

    def test_by_the_socket_that_uses_it(self):
        seen = self.touch(1, 0)
        self.near(seen[MISSES], LINES)
        self.near(seen[LOCAL], LINES)
        self.near(seen[REMOTE], 0)

    def test_by_the_other_socket(self):
        seen = self.touch(self.other, 0)
        here, there = seen.socket[0], seen.socket[1]
        self.near(there[MISSES], LINES)
        self.near(there[REMOTE], 0)
        self.near(here[MISSES], LINES)
        self.near(here[REMOTE], LINES)
        self.near(here[LOCAL], 0)


@unittest.skipUnless(sandbox.LONG, "the suite long has it")
class FirstTouch7500(FirstTouch):
    machine = "xeon-7500"
    other = 8


class Policies(Counted):
    """A thread of socket 0 asks for memory of either socket; nothing else
    about the two runs differs."""

    def check(self, what):
        seen = pages(what, SIZE, 1, base=(what, SIZE, 0))
        self.near(seen.socket[0][REMOTE], LINES)
        self.near(seen.socket[0][LOCAL], -LINES)
        self.near(seen[MISSES], 0)

    def test_of_a_mapping(self):
        self.check("mbind")

    def test_of_a_thread(self):
        self.check("mempolicy")

    def test_of_who_executed_the_program(self):
        """All of that program's memory, so it is compared with itself."""
        seen = pages("inherited", SIZE, 1)
        self.near(seen.socket[0][REMOTE], LINES)
        self.near(seen.socket[0][LOCAL], 0)

    def test_pages_that_are_moved(self):
        seen = pages("moved", SIZE, 1, base=("moved", SIZE, 0))
        self.near(seen.socket[0][REMOTE], LINES)


class Nodes(unittest.TestCase):
    """What libnuma and numactl look at: the modelled machine, on any host."""
    FOLDER = "/sys/devices/system/node"

    def run_it(self, *command, machine="xeon-e7", sockets=2):
        _, ran = stat(command, (), "-N", str(sockets), machine=machine)
        return ran.stdout.split("\n")[:-1]

    def said(self, names, **machine):
        return self.run_it("cat", *(self.FOLDER + "/" + name
                                    for name in names), **machine)

    def test_are_the_sockets(self):
        names = self.run_it("ls", self.FOLDER, sockets=8)
        self.assertEqual([name for name in names if name[-1].isdigit()],
                         ["node%d" % node for node in range(8)])

    def test_have_cores_distances_memory_and_may_be_used(self):
        names = ("online", "node1/cpulist", "node1/cpumap", "node1/distance",
                 "node2/cpulist", "node0/meminfo")
        lines = self.run_it("cat", *(self.FOLDER + "/" + name for name in names),
                            "/proc/self/status")
        self.assertEqual(lines[:4], ["0-1", "10-19", "000ffc00", "21 10"])
        # there is no third
        total, free, used = (int(line.split()[3]) for line in lines[4:7])
        self.assertEqual(total, free + used)
        self.assertGreaterEqual(total, 1 << 20)
        self.assertEqual([line for line in lines if "_allowed_list" in line],
                         ["Cpus_allowed_list:\t0-19",
                          "Mems_allowed_list:\t0-1"])

    def test_of_eight_sockets_of_the_other_machine(self):
        names = ("online", "node1/cpulist", "node1/cpumap", "node1/distance")
        self.assertEqual(self.said(names, machine="xeon-7500", sockets=8),
                         ["0-7", "8-15", "00000000,0000ff00",
                          "21 10" + 6 * " 21"])

    @unittest.skipUnless(shutil.which("numactl"), "there is no numactl")
    def test_are_what_numactl_binds_to(self):
        said = self.run_it("numactl", "--membind=1", "--cpunodebind=0",
                           "numactl", "--show")
        self.assertIn("policy: bind", said)
        self.assertIn("membind: 1 ", said)
        self.assertIn("cpubind: 0 ", said)


class Processes(Counted):
    """See sharing.py: lines are the same lines whoever has them mapped."""

    def check(self, what, cpus, sockets):
        seen = pages(what, HANDOVERS, *cpus, events=(ASKED, GIVEN, FILLS))
        lines = seen[GIVEN] / HALVES
        self.assertGreaterEqual(seen[ASKED], 2 * HANDOVERS * 0.99)
        self.assertLessEqual(seen[ASKED], 4 * HANDOVERS * 1.01 + SLACK)
        self.assertAlmostEqual(lines, 2 * HANDOVERS,
                               delta=0.02 * HANDOVERS + SLACK)
        if sockets == 2:
            self.assertGreaterEqual(seen[FILLS], 2 * HANDOVERS * 0.98)
        else:
            self.assertLessEqual(seen[FILLS], 0.01 * HANDOVERS + SLACK)

    def test_share_anonymous_memory(self):
        self.check("anonymous", (0, 1), 1)

    def test_share_it_across_sockets(self):
        self.check("anonymous", (0, 10), 2)

    def test_share_a_file(self):
        self.check("file", (0, 1), 1)


class Forks(Counted):
    def test_a_child_reads_its_parents_lines(self):
        """Which the LLC of their socket has."""
        seen = pages("fork-load", SIZE, base=("fork", SIZE))
        self.near(seen[MISSES], 0)

    def test_a_child_that_writes_has_its_own(self):
        seen = pages("fork-store", SIZE, base=("fork", SIZE))
        self.near(seen[MISSES], LINES)

    def test_no_core_is_asked_for_what_is_a_process_s_own(self):
        """Beside a run of few rounds, whose words are as long: where the
        stack lies decides what processes evict as they begin and end."""
        seen = pages("apart", 10 + ROUNDS, base=("apart", 10),
                     events=(ASKED, MISSES))
        for event, value in seen.items():
            self.assertAlmostEqual(value, 0, delta=SLACK, msg=event)


class Frames(Counted):
    """Physical addresses: in order of first use, or anywhere in the socket's memory."""
    below = "mbox/DRAM_CMD.CAS_RD_OPN,addr=0+1G/"

    def read_below(self, *options):
        return counts(program("traffic_pages", "touch", 4 * SIZE, 1, 0), [self.below], "-N", "1",
                      "--detail=full", *options)[self.below]

    def test_are_the_first_ones(self):
        self.assertGreater(self.read_below(), 4 * LINES)

    def test_are_anywhere(self):
        # of 32 GB that programs may have
        anywhere = ("--set", "memory.frames=random")
        drawn = [self.read_below(*anywhere, "--seed=%d" % seed) for seed in (3, 4, 3)]
        self.assertLess(drawn[0] + drawn[1], 4 * LINES)
        self.assertEqual(drawn[0], drawn[2])


class Huge(Counted):
    def test_pages_have_lines_like_others(self):
        size = 4 << 20
        seen = pages("huge", size)
        self.near(seen[MISSES], size / LINE, size / LINE)


if __name__ == "__main__":
    unittest.main()
