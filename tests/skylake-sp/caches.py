#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Counts of the Xeon Scalable's caches, snoop filter and memory that follow from
sizes alone: closed forms of lines read, kept and thrown out."""
import json
import os
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]
MACHINE = "xeon-scalable-1"
LINES_PER_MB = 16384
SETS = 2048  # of a slice, as many in its snoop filter


def stat(workload, events, *settings, sockets=1, detail="full", options=()):
    words = [UNCORE, "stat", "-j", "-m", MACHINE, "-N", str(sockets), "--detail=" + detail,
             "--check", "-w", workload, *options]
    for setting in settings:
        words += ["--set", setting]
    for event in events:
        words += ["-e", event]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise AssertionError(ended.stderr)
    return json.loads(ended.stdout)


def boxes_of(workload, events, *settings):
    """{(socket, box, number): count} of two sockets where it is not 0."""
    rows = stat(workload, events, *settings, sockets=2, options=("--per-box",))["counts"]
    return {("S%d" % row["socket"], row["box"].rstrip("0123456789"),
             int(row["box"].lstrip("abcdefghijklmnopqrstuvwxyz"))): row["value"]
            for row in rows if row["value"]}


def counts(workload, events, *settings, **how):
    rows = stat(workload, events, *settings, **how)["counts"]
    return [sum(row["value"] for row in rows if row["event"] == event) for event in events]


class Caches(unittest.TestCase):
    quiet = ("core.prefetch=0",)

    def test_what_leaves_an_l2_is_in_the_llc(self):
        # Two threads go twice through their halves of 4 MB, with L2s of 2,048 lines:
        # all but what these still have comes back, clean, and the second time it is
        # there.
        small = self.quiet + ("core.l2=128",)
        num = 4 * LINES_PER_MB
        reads, given, missed, hit = counts(
            "chase:threads=2,gap=1,size=4M,passes=2",
            ["cha/LLC_LOOKUP.DATA_READ/", "cha/LLC_LOOKUP.WRITE/",
             "cha/TOR_INSERTS.IA_MISS_DRD/", "cha/TOR_INSERTS.IA_HIT_DRD/"], *small)
        self.assertEqual(reads, 2 * num)
        self.assertEqual(given, 2 * num - 2 * 2048)
        self.assertEqual((missed, hit), (num, num))

    def test_the_filter_has_so_many_entries(self):
        # 2 MB that two cores read once, whose L2s have room for 2 MB each: the filter
        # of two slices has 4 ways of 2,048 sets each, for lines in any L2.
        settings = self.quiet + ("cores=2", "core.l2=2048", "filter.ways=4")
        lines = 2 * LINES_PER_MB
        kept = 2 * 4 * SETS
        out, snoops = counts(
            "chase:threads=2,gap=1,size=2M,passes=1",
            ["cha/SF_EVICTION.E_STATE/", "cha/CORE_SNP.EVICT_ONE/"], *settings)
        self.assertEqual(out, lines - kept)
        self.assertEqual(snoops, out)

    def test_a_cluster_has_slices_channels_and_memory(self):
        # A core of node 0 reads a megabyte of each node of two sockets.
        for node in range(4):
            boxes = boxes_of("chase:threads=1,cpu=0,node=%d,size=1M,passes=1" % node,
                             ["cha/TOR_INSERTS.IA_MISS_DRD/", "imc/CAS_COUNT.RD/"],
                             "snc=2", "core.tlb=0", *self.quiet)
            home, half = "S%d" % (node // 2), node % 2
            here = {box: num for box, num in boxes.items() if box[0] == "S0" and box[1] == "cha"}
            self.assertEqual(sorted(here), [("S0", "cha", 14 * half + i) for i in range(14)])
            # one more at each end, where a row of as many lines as slices is cut
            self.assertLessEqual(max(here.values()) - min(here.values()), 2)
            read = {box: num for box, num in boxes.items() if box[1] == "imc"}
            self.assertEqual(sorted(read), [(home, "imc", 3 * half + i) for i in range(3)])
            self.assertEqual(sum(read.values()), LINES_PER_MB)

    def test_the_own_cluster_is_near(self):
        def cycles(node, *settings):
            return stat("chase:threads=1,cpu=0,node=%d,size=8M,count=20000" % node,
                        ["cha/CLOCKTICKS/"], "core.tlb=0", *self.quiet, *settings)["uncore_cycles"]

        own, other = cycles(0, "snc=2"), cycles(1, "snc=2")
        self.assertLess(own * 1.03, cycles(0))
        self.assertLess(cycles(0), other)

    def test_a_line_of_another_core_comes_from_it(self):
        # Two cores read the same 256 KB: who comes first gets a line from memory,
        # the other one from that core, since the LLC has none of it.
        lines = LINES_PER_MB // 4
        missed, asked, sent, snooped = counts(
            "readshared:threads=2,size=256K",
            ["cha/TOR_INSERTS.IA_MISS/", "cha/CORE_SNP.CORE_ONE/",
             "cha/XSNP_RESP.CORE_RSPS_FWDFE/", "cha/CORE_SNP.CORE_GTONE/"], *self.quiet)
        self.assertEqual((missed, asked, sent, snooped), (lines, lines, lines, 0))

    def test_memory_is_read_once_for_each_miss(self):
        events = ["cha/TOR_INSERTS.IA_MISS/", "m2m/IMC_READS.ALL/", "cha/REQUESTS.READS/",
                  "imc/CAS_COUNT.RD/", "cha/IMC_READS_COUNT.NORMAL/"]
        missed, m2m, homes, commands, sent = counts(
            "stream:threads=4,op=read,size=1M", events, *self.quiet, sockets=2)
        self.assertEqual((m2m, homes, commands, sent), (missed,) * 4)

    def test_a_miss_is_what_needs_its_home(self):
        # Reads, and stores to lines that are shared; all else is no miss, snoops too.
        missed, all_missed, reads, here, there, written = counts(
            "random:shared=1,threads=4,place=scatter,size=128K,count=1500,write=40",
            ["cha/TOR_INSERTS.IA_MISS/", "cha/TOR_INSERTS.MISS/", "cha/REQUESTS.READS/",
             "cha/REQUESTS.INVITOE_LOCAL/", "cha/REQUESTS.INVITOE_REMOTE/",
             "cha/TOR_INSERTS.EVICT/"], *self.quiet, sockets=2)
        self.assertEqual(missed, reads + here + there)
        self.assertEqual(all_missed, missed + written)

    def test_more_slices_than_cores(self):
        # A core that reads 7 MB once looks up each line in its slice, of which each
        # has its share: 28 times 4,096. The CHAs have the LLC, the cores no more
        # than theirs: all is there the second time, which 4 slices have no room for.
        words = [UNCORE, "stat", "-j", "-m", MACHINE, "-N", "1", "--per-box", "--detail=full",
                 "--set", "cores=4", "--set", "chas=28", "--set", "core.prefetch=0",
                 "--set", "core.l2=128", "-w", "chase:gap=1,size=7M,passes=2",
                 "-e", "cha/LLC_LOOKUP.DATA_READ/", "-e", "cha/TOR_INSERTS.IA_MISS_DRD/"]
        ended = subprocess.run(words, capture_output=True, text=True, check=True)
        rows = json.loads(ended.stdout)["counts"]
        looked, missed = ([row["value"] for row in rows if row["event"] == event]
                          for event in words[-3::2])
        self.assertEqual(looked, [2 * 7 * LINES_PER_MB // 28] * 28)
        self.assertEqual(missed, [7 * LINES_PER_MB // 28] * 28)

    def test_far_lines_of_a_stream_come_to_the_llc_alone(self):
        # The streamer begins behind the third line of a page and asks for two with each
        # one that is used: at line k, 2 k is the farthest, and k lines ahead. So those
        # from 2 far + 2 on are asked for more than `far` ahead. Each is asked for again
        # into the L2, where it is in the LLC; so is all of it the second time.
        pages = 256
        masks = ("MISS_LlcPref%s", "HIT_LlcPref%s", "HIT_%s")
        for far in (4, 10, 19):
            lines = pages * (62 - 2 * far)
            for workload, asked, used in (("stream:op=read", "DRD", "DRD"),
                                          ("stream:op=write", "RFO", "DRD"), ("code:", "CRD", "CRD")):
                events = ["cha/TOR_INSERTS.IA_%s/" % (mask % name) for mask, name in
                          zip(masks, (asked, asked, used))]
                *counted, read, looked = counts(
                    workload + ",threads=1,size=1M,gap=400",
                    events + ["imc/CAS_COUNT.RD/", "cha/LLC_LOOKUP.DATA_READ/"],
                    "core.prefetch=1", "core.llc_prefetch=%d" % far)
                self.assertEqual(counted, [lines, 0, lines], (far, workload))
                self.assertEqual((read, looked), (pages * 64, pages * 64 + lines))
                self.assertEqual(counts(
                    workload + ",threads=1,size=1M,gap=400,passes=2",
                    events[:2] + ["imc/CAS_COUNT.RD/", "cha/LLC_LOOKUP.DATA_READ/"],
                    "core.prefetch=1", "core.l2=128", "core.llc_prefetch=%d" % far),
                    [lines, lines, pages * 64, 2 * looked])

    def test_what_is_in_the_llc_alone_is_in_no_filter(self):
        # Of a page 42 lines are asked for so, each of which the L2 finds in the LLC.
        for op in ("read", "write"):
            states = [counts("stream:op=%s,threads=1,size=1M,gap=400" % op,
                             ["cha/LLC_LOOKUP.DATA_READ,state=%s/" % state],
                             "core.prefetch=1", "core.llc_prefetch=10")[0]
                      for state in ("LLC_E", "LLC_M", "SF_E")]
            self.assertEqual(states, [256 * 42, 0, 0])

    def test_a_core_has_a_cha(self):
        words = [UNCORE, "stat", "-m", MACHINE, "-w", "chase:size=64K"]
        for settings, said in ((("cores=5", "chas=4"), "has a CHA beside it"),
                               (("cores=4", "chas=20", "mesh.die=hcc"), "places for 18")):
            ended = subprocess.run(words + [w for s in settings for w in ("--set", s)],
                                   capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(said, ended.stderr)

    def test_a_streaming_store_is_a_miss(self):
        lines = LINES_PER_MB // 8
        missed, hit = counts("ntstore:threads=2,size=128K",
                             ["cha/TOR_INSERTS.IA_MISS/", "cha/TOR_INSERTS.IA_HIT/"], *self.quiet)
        self.assertEqual((missed, hit), (lines, 0))

    def test_another_socket_asks_cores(self):
        # 16 lines are handed over by 200 turns of either of two cores in two sockets. But for
        # the first of each line who reads has it from the other core, which keeps it in S, and
        # who writes then takes it away. What its home's own core sends has nobody been asked for.
        turns, far = 2 * 200 - 16, 200 - 16
        asked, sent, lost, answers = counts(
            "pingpong:threads=2,place=scatter,size=1K,count=200",
            ["cha/CORE_SNP.EXT_ONE/", "cha/XSNP_RESP.EXT_RSPS_FWDM/",
             "cha/XSNP_RESP.EXT_RSPI_FWDFE/", "cha/SNOOP_RESP.RSP_FWD_WB/"],
            *self.quiet, sockets=2)
        self.assertEqual((asked, sent, lost, answers), (2 * turns, turns, turns, far))

    def test_a_home_does_not_ask_itself(self):
        # All lines are of socket 1's memory, and nobody has any.
        events = ["cha/SNOOP_RESP.RSPI/", "cha/TOR_INSERTS.IPQ/", "cha/LLC_LOOKUP.REMOTE_SNOOP/",
                  "cha/RxC_INSERTS.IPQ/", "cha/REQUESTS.READS_REMOTE/"]
        far = counts("stream:op=read,size=256K,node=1", events, *self.quiet, sockets=2)
        self.assertEqual(far, [0, 0, 0, 0, 4096])

    def test_queues_of_cores_and_devices(self):
        # Write-backs come in where requests do, devices by another queue.
        events = ["cha/RxC_INSERTS.IRQ/", "cha/RxC_INSERTS.PRQ/", "cha/LLC_LOOKUP.ANY/"]
        small = self.quiet + ("core.l2=128",)
        cores = counts("chase:threads=2,gap=1,size=1M,passes=2", events, *small)
        self.assertEqual(cores, [4 * LINES_PER_MB - 2 * 2048, 0, 4 * LINES_PER_MB - 2 * 2048])
        devices = counts("dma:op=write,size=64K,count=3000", events, *small)
        self.assertEqual(devices, [0, 3000, 3000])

    def test_the_filter_throws_out_what_cores_changed(self):
        settings = self.quiet + ("cores=2", "core.l2=128", "filter.ways=2", "llc.ways=2",
                                 "llc.slice=16")
        thrown, sent, changed = counts(
            "random:threads=2,shared=1,size=1M,count=3000,write=40",
            ["cha/SF_EVICTION.M_STATE/", "cha/XSNP_RESP.EVICT_RSPI_FWDM/",
             "cha/SF_EVICTION.E_STATE/"], *settings)
        self.assertEqual(thrown, sent)
        self.assertGreater(min(thrown, changed), 0)

    def test_what_nothing_tells_is_refused(self):
        for event in ("XSNP_RESP.EVICT_RSPS_FWDM", "TOR_INSERTS,umask=0x37", "XSNP_RESP,umask=0xE3"):
            with self.assertRaisesRegex(AssertionError, "not modelled"):
                counts("random:threads=1,size=64K,count=10", [f"cha/{event}/"])

    def test_unit_masks_that_are_bits_add_up(self):
        one, other, both = counts(
            "ntstore:threads=1,size=64K",
            ["cha/REQUESTS.WRITES/", "cha/REQUESTS.INVITOE_LOCAL/", "cha/REQUESTS,umask=0x1C/"],
            *self.quiet)
        self.assertEqual((one, other, both), (1024, 1024, 2048))


if __name__ == "__main__":
    unittest.main()
