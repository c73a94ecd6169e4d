#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Workloads whose counts can be computed by hand, and sums that two boxes must
# agree on. Every number here comes from the workload's own size or from another
# counter, none from the model's code. What a law is about is counted in one run,
# exactly: on the model events that do not fit together do not take turns.

import json
import os
import subprocess
import sys
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
LINE_BYTES = 64
QUIET = ("mbox.patrol_cycles=0",)      # no reads but the workload's
SMALL_LLC = QUIET + ("llc.slice=48",)  # ten slices: 480 KB
REGION = "1M"
REGION_LINES = (1 << 20) // LINE_BYTES
CHASE = "chase:threads=1,size=%s,passes=1,seed=1" % REGION
SHARED = "readshared:threads=20,size=%s,passes=1,seed=1" % REGION
BOUNCED = "pingpong:op=fight,threads=20,count=200,seed=1"
MIXED = "random:threads=4,size=4M,count=4000,write=50,seed=1"
BOTH_WAYS = "1280K"  # for each socket
BOTH_WAYS_LINES = (1280 << 10) // LINE_BYTES
QPI_PORTS = range(4)
CYCLES_OF_FLIT = 5 / 3  # 80 bits by 20 wires at 6.4 GT/s, of 2.67 GHz
DATA_FLITS = 9  # header and eight times 8 bytes; every other packet here has 1
COLUMNS = ("DRAM_CMD.CAS_RD_OPN", "DRAM_CMD.CAS_WR_OPN",
           "DRAM_MISC.CAS_RD_CLS", "DRAM_MISC.CAS_WR_CLS")
PAGES = ("PAGE_HIT", "PAGE_MISS", "PGT_PAGE_EV2.PAGE_EMPTY")


def counts(workload, events, settings=QUIET):
    """Each event's count on each socket."""
    words = [UNCORE, "stat", "--detail=full", "--json", "--per-socket",
             "--workload", workload]
    for event in events:
        words += ["-e", event]
    for setting in settings:
        words += ["--set", setting]
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    if ran.returncode:
        raise AssertionError(" ".join(words) + ": " + ran.stderr)
    rows = json.loads(ran.stdout)["counts"]
    return [[row["value"] for row in rows if row["event"] == event]
            for event in events]


def count(workload, event, settings=QUIET):
    return counts(workload, [event], settings)[0]


def total(workload, events, settings=QUIET):
    return sum(map(sum, counts(workload, events, settings)))


def over_qpi(workload, event):
    """Of all QPI ports, on each socket."""
    return [sum(ports) for ports in zip(*counts(
        workload, ["rbox/%s,port=qpi%d/" % (event, p) for p in QPI_PORTS]))]


class OneCoreReadsDistinctLines(unittest.TestCase):
    """A region larger than the LLC, each line once, by one core."""

    def test_every_line_is_a_miss_of_an_invalid_line(self):
        self.assertEqual(count(CHASE, "cbox/LLC_MISSES.I/", SMALL_LLC),
                         [REGION_LINES, 0])

    def test_no_line_is_a_hit(self):
        self.assertEqual(total(CHASE, ["cbox/LLC_HITS.ALL/"], SMALL_LLC), 0)

    def test_every_line_is_read_from_memory(self):
        reads = "mbox/FVC_EV0.BBOX_CMDS.READS/"
        self.assertEqual(count(CHASE, reads, SMALL_LLC), [REGION_LINES, 0])

    def test_every_line_passes_the_home_agent(self):
        self.assertEqual(count(CHASE, "bbox/IMT_INSERTS_ALL/", SMALL_LLC),
                         [REGION_LINES, 0])

    def test_column_reads_are_the_lines_and_the_patrol(self):
        settings = ("llc.slice=48", "mbox.patrol_cycles=5000")
        patrol = total(CHASE, ["mbox/PATROL_TXNS/"], settings)
        self.assertGreater(patrol, 0)
        self.assertEqual(
            total(CHASE, ["mbox/%s/" % c for c in COLUMNS], settings),
            REGION_LINES + patrol)


class Lookups(unittest.TestCase):
    def test_hits_and_misses_are_the_requests(self):
        # Without stores: a core's write-back asks, but neither hits nor misses.
        for workload in (CHASE, SHARED):
            with self.subTest(workload):
                self.assertEqual(
                    total(workload, ["cbox/LLC_HITS.ALL/",
                                     "cbox/LLC_MISSES.ALL/"]),
                    total(workload, ["cbox/TRANS_IRQ/"]))

    def test_misses_are_the_sum_of_their_states(self):
        self.assertEqual(
            total(BOUNCED, ["cbox/LLC_MISSES.%s/" % s for s in "SFI"]),
            total(BOUNCED, ["cbox/LLC_MISSES.ALL/"]))


class Links(unittest.TestCase):
    def test_a_data_packet_has_nine_flits(self):
        for workload in (SHARED, BOUNCED):
            with self.subTest(workload):
                flits = over_qpi(workload, "FLITS_SENT")
                packets = over_qpi(workload, "NEW_PACKETS_RECV.ANY.ALL")
                data = over_qpi(workload, "NEW_PACKETS_RECV.ANY.DRS")
                self.assertGreater(sum(data), 0)
                for sender, receiver in ((0, 1), (1, 0)):
                    self.assertEqual(
                        flits[sender], packets[receiver] +
                        (DATA_FLITS - 1) * data[receiver])

    def test_lines_of_the_other_socket_come_over_qpi_once(self):
        # Memory is all on socket 0; socket 1 reads each line into its own LLC.
        self.assertEqual(over_qpi(SHARED, "NEW_PACKETS_RECV.ANY.DRS"),
                         [0, REGION_LINES])

    def test_all_flits_share_a_wire(self):
        # Both sockets read the other one's memory, as much as the link carries.
        # For each line that comes a request and a snoop go, and the line that
        # the other socket wanted: of 11 flits 8 are data.
        reads = "stream:threads=10,op=read,gap=0,size=%s,cpu=%%d,node=%%d" % (
            BOTH_WAYS)
        workload = reads % (0, 1) + "+" + reads % (10, 0)
        lines = BOTH_WAYS_LINES
        self.assertEqual(
            count(workload, "rbox/FLITS_SENT,port=qpi0/"),
            [lines * (DATA_FLITS + 2)] * 2)
        cycles = count(workload, "wbox/FIXED_CTR/")[0]
        wire = lines * (DATA_FLITS + 2) * CYCLES_OF_FLIT
        self.assertGreater(cycles, wire)
        self.assertLess(cycles, 1.03 * wire)


class Memory(unittest.TestCase):
    def test_pages_found_are_the_column_transactions(self):
        for policy in ("adaptive", "open", "closed"):
            with self.subTest(policy):
                settings = SMALL_LLC + ("mbox.page_policy=" + policy,)
                columns = total(MIXED, ["mbox/%s/" % c for c in COLUMNS],
                                settings)
                self.assertGreater(columns, 0)
                self.assertEqual(
                    total(MIXED, ["mbox/%s/" % p for p in PAGES], settings),
                    columns)

    def test_commands_of_the_home_agents_are_the_columns(self):
        for kind, columns in (("READS", COLUMNS[0::2]),
                              ("WRITES", COLUMNS[1::2])):
            with self.subTest(kind):
                self.assertEqual(
                    total(MIXED, ["mbox/FVC_EV0.BBOX_CMDS.%s/" % kind],
                          SMALL_LLC),
                    total(MIXED, ["mbox/%s/" % c for c in columns], SMALL_LLC))


if __name__ == "__main__":
    if not os.path.exists(UNCORE):
        print("the command is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
