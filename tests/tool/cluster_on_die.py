#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Cluster on die: each half of a socket is a node, with the memory of its home
agent and the slices of its cores."""
import json
import os
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]

LINES = 65536  # of 4 MB
READ = "stream:op=read,threads=1,cpu=%d,node=%d,size=4M"


def run(*words):
    return subprocess.run([UNCORE, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, check=False)


def counts(workload, events, *words, mode="cod"):
    """{event: count} and the document."""
    events = events.split()
    ran = run("stat", "--json", "--log-fd=1", "-m", "xeon-e5-v4", "--check",
              "-S", "ha.snoop=" + mode, *words, "-w", workload,
              *(word for event in events for word in ("-e", event)))
    if ran.returncode:
        raise AssertionError(ran.stderr)
    found = json.loads(ran.stdout)
    return {row["event"]: row["value"] for row in found["counts"]}, found


class ClusterOnDie(unittest.TestCase):
    def test_a_node_has_its_slices_and_channels(self):
        """A core's lines are looked up in the seven slices of its half, and come
        from the two channels of the node that they lie in."""
        homes = ["ha%d/REQUESTS.READS_%s/" % (home, whose)
                 for home in range(2) for whose in ("LOCAL", "REMOTE")]
        channels = ["imc%d/CAS_COUNT.RD/" % channel for channel in (0, 1, 4, 5)]
        slices = ["cbo%d/LLC_LOOKUP.DATA_READ,state=I/" % slice_
                  for slice_ in range(14)]
        for cpu, node in (0, 0), (0, 1), (13, 0), (13, 1):
            own = cpu // 7
            found, _ = counts(READ % (cpu, node),
                              " ".join(homes + channels + slices), "-N", "1")
            for home in range(4):
                self.assertEqual(
                    found[homes[home]], LINES * (
                        home == 2 * node + (own != node)), homes[home])
            self.assertEqual([found[name] for name in channels],
                             [LINES // 2 * (i // 2 == node) for i in range(4)])
            for i, name in enumerate(slices):
                self.assertAlmostEqual(
                    found[name], LINES / 7 * (i // 7 == own),
                    delta=2 * (i // 7 == own), msg=name)

    def test_a_line_is_in_the_slices_of_both_nodes(self):
        """What cores of both halves read is asked of its home by each; where a
        socket is a node by one. No message of it goes over a link."""
        reads = "ha/REQUESTS.READS_LOCAL/ ha/REQUESTS.READS_REMOTE/"
        for mode, times in ("cod", 2), ("directory", 1):
            found, _ = counts("stream:op=read,threads=2,place=%s,size=1M,"
                              "shared=1,passes=2" % (
                                  "scatter" if mode == "cod" else "compact"),
                              reads + " qpi/TxL_FLITS_G0.DATA/", "-S",
                              "sockets=1", mode=mode)
            self.assertEqual(sum(found[name] for name in reads.split()),
                             LINES // 4 * times, mode)

    def test_nodes_have_numbers(self):
        """The filter for the home's node knows four."""
        events = ["cbo/TOR_INSERTS.NID_MISS_ALL,nid=NODE%d/" % node
                  for node in range(4)]
        for node in range(4):
            found, _ = counts(READ % (0, node), " ".join(events))
            self.assertEqual([found[name] for name in events],
                             [LINES * (i == node) for i in range(4)])

    def test_the_own_half_is_nearest(self):
        """Own half, other half, other socket."""
        def cycles(node):
            _, found = counts("chase:threads=1,gap=1,cpu=0,size=64M,count=3000,"
                              "node=%d" % node, "imc/CAS_COUNT.RD/")
            return found["uncore_cycles"]

        near, half, far = cycles(0), cycles(1), cycles(2)
        self.assertLess(near, half)
        self.assertLess(half * 1.2, far)

    def test_programs_see_the_nodes(self):
        ran = run("stat", "-m", "xeon-e5-v4", "-S", "ha.snoop=cod", "-o",
                  "/dev/null", "--", "cat", "/sys/devices/system/node/online",
                  "/sys/devices/system/node/node3/cpulist")
        self.assertEqual(ran.stdout, "0-3\n21-27\n")

    def test_what_cannot_be_is_refused(self):
        for words, said in (
                (("-m", "xeon-e5-2600", "-S", "ha.snoop=cod"), "ha.snoop"),
                (("-m", "xeon-e5-v2", "-S", "ha.snoop=cod"), "ha.snoop"),
                (("-m", "xeon-e5-v4", "-S", "ha.snoop=cod", "-S", "cores=13"),
                 "an even number of cores"),
                (("-m", "xeon-e5-v4", "-S", "ha.snoop=cod", "-w",
                  READ % (0, 4)), "has 4 nodes")):
            ran = run("stat", *(words if "-w" in words
                                else (*words, "-w", "idle")))
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn(said, ran.stderr)


if __name__ == "__main__":
    unittest.main()
