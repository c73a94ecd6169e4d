#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Links of a whole machine, as its counters show them: box by box, in the
clock of the links. What is in no power state is in no time; flits and idle ones
are all there are; what one end has sent the other has received; each packet has
the flits of its class; reads of remote memory have as many packets as the
protocol says."""
import json
import os
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]
WAYS = ("DATA", "NON_DATA", "IDLE")
CLASSES = ("G1.SNP", "G1.HOM_REQ", "G1.HOM_NONREQ", "G1.DRS_DATA",
           "G1.DRS_NONDATA", "G2.NDR_AD", "G2.NDR_AK", "G2.NCB_DATA",
           "G2.NCB_NONDATA", "G2.NCS")
EVENTS = ["CLOCKTICKS", "L1_POWER_CYCLES", "CTO_COUNT", "VNA_CREDIT_RETURNS",
          "RxL_CREDITS_CONSUMED_VNA", "TxL_INSERTS", "TxL_BYPASSED",
          "RxL_INSERTS", "RxL_BYPASSED"]
EVENTS += ["%s%s_POWER_CYCLES" % (side, state)
           for side in ("TxL", "RxL") for state in ("0", "0P")]
EVENTS += ["%s_FLITS_G0.%s" % (side, way)
           for side in ("TxL", "RxL") for way in WAYS]
EVENTS += ["%s_FLITS_%s" % (side, kind)
           for side in ("TxL", "RxL") for kind in CLASSES]
R3QPI = ["VNA_CREDITS_ACQUIRED", "TxR_INSERTS", "CLOCKTICKS"]


def count(workload, *options):
    """By (socket, box, event)."""
    words = [UNCORE, "stat", "-j", "-A", "-m", "xeon-e5-2600", "-w", workload]
    words += options
    for box, events in (("qpi", EVENTS), ("r3qpi", R3QPI)):
        for event in events:
            words += ["-e", "%s/%s/" % (box, event)]
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    result = json.loads(run.stdout)
    counts = {}
    for row in result["counts"]:
        key = (row["socket"], row["box"], row["event"].split("/")[1])
        assert key not in counts, key
        counts[key] = row["value"]
    return result, counts


class Links(unittest.TestCase):
    def each_end(self, result, counts):
        """The laws of each link; what both ends have in common."""
        ticks = int(result["simulated_seconds"] * 1e9 + 0.5)
        for socket in (0, 1):
            for link in (0, 1):
                def at(event, end=socket):
                    return counts[(end, "qpi%d" % link, event)]

                def ring(event, end=socket):
                    return counts[(end, "r3qpi%d" % link, event)]

                self.assertLessEqual(abs(at("CLOCKTICKS") - ticks), 1)
                self.assertEqual(ring("CLOCKTICKS"), result["uncore_cycles"])
                for side in ("TxL", "RxL"):
                    full, half = (at(side + s + "_POWER_CYCLES")
                                  for s in ("0", "0P"))
                    flits = [at("%s_FLITS_G0.%s" % (side, way))
                             for way in WAYS]
                    self.assertEqual(full + half + at("L1_POWER_CYCLES"),
                                     at("CLOCKTICKS"))
                    self.assertEqual(sum(flits), 2 * full + half)
                    self.assertEqual(sum(at("%s_FLITS_%s" % (side, kind))
                                         for kind in CLASSES),
                                     flits[0] + flits[1])
                    self.assertEqual(at(side + "_INSERTS") +
                                     at(side + "_BYPASSED"),
                                     flits[0] + flits[1])
                for kind in CLASSES:
                    self.assertEqual(at("TxL_FLITS_" + kind),
                                     at("RxL_FLITS_" + kind, 1 - socket))
                self.assertEqual(ring("VNA_CREDITS_ACQUIRED"),
                                 at("VNA_CREDIT_RETURNS", 1 - socket))
                self.assertEqual(at("CTO_COUNT"), ring("TxR_INSERTS"))
                self.assertEqual(at("RxL_FLITS_G1.DRS_DATA"),
                                 8 * at("RxL_FLITS_G1.DRS_NONDATA"))

    def total(self, counts, socket, event):
        return sum(counts[(socket, "qpi%d" % link, event)] for link in (0, 1))

    def test_reads_of_remote_memory(self):
        result, counts = count("chase:size=16M,count=20000,node=1")
        self.each_end(result, counts)
        self.assertEqual(self.total(counts, 0, "TxL_FLITS_G1.HOM_REQ"), 20000)
        self.assertEqual(self.total(counts, 0, "RxL_FLITS_G1.DRS_DATA"),
                         8 * 20000)
        for link in (0, 1):  # lines are spread
            share = counts[(0, "qpi%d" % link, "RxL_FLITS_G1.DRS_NONDATA")]
            self.assertAlmostEqual(share, 10000, delta=500)

    def test_a_remote_read_takes_two_hops_more(self):
        """A hop of 20 ns and one of 25, and rides to the ring stops of both
        sockets: some 45 to 60 ns more than local memory."""
        times = [count("chase:size=16M,count=20000,node=%d" % node)[0]
                 ["simulated_seconds"] / 20000 * 1e9 for node in (0, 1)]
        self.assertGreater(times[1] - times[0], 45)
        self.assertLess(times[1] - times[0], 60)

    def test_crowds(self):
        self.each_end(*count("evict:threads=16,size=16M,count=2000"))
        self.each_end(*count("stream:size=2M,threads=8,node=1"))

    def test_half_of_the_lanes(self):
        result, counts = count("chase:size=16M,count=2000,node=1,gap=2000",
                               "--set", "qll.half_after=300")
        self.each_end(result, counts)
        self.assertGreater(self.total(counts, 0, "TxL0P_POWER_CYCLES"), 0)

    def test_links_that_sleep(self):
        result, counts = count("chase:size=16M,count=2000,node=1,gap=8000",
                               "--set", "qll.half_after=300",
                               "--set", "qpi.idle_cycles=2000")
        self.each_end(result, counts)
        self.assertGreater(self.total(counts, 0, "L1_POWER_CYCLES"), 0)

    def test_errors(self):
        self.each_end(*count("chase:size=16M,count=2000,node=1", "--inject",
                             "qpi-crc:rate=0.001"))


if __name__ == "__main__":
    unittest.main()
