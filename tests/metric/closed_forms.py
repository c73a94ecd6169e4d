#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Metrics of traffic whose volume, shares and order are known beforehand: what
they must be follows from the workload, not from the formulas."""
import json
import os
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]
FAMILIES = ("xeon-e7", "xeon-7500")
MIB = 1 << 20
LINE = 64


def stat(family, names, *machine):
    """{name: value} for the whole machine, with seconds and cycles; one run
    for each part of names that a blank sets off."""
    values = {}
    for part in names.split():
        ran = subprocess.run([UNCORE, "stat", "--json", "-m", family, "-M",
                              part, *machine], stdout=subprocess.PIPE,
                             check=True, timeout=100)
        out = json.loads(ran.stdout)
        values["seconds"] = out["simulated_seconds"]
        values["cycles"] = out["uncore_cycles"]
        for row in out["metrics"]:
            if row["socket"] is None:
                values[row["name"]] = row["value"]
    return values


class ClosedForms(unittest.TestCase):
    def both(self, *words):
        for family in FAMILIES:
            yield family, stat(family, *words)

    def near(self, value, wanted, part):
        """Equal but for a part of the wanted value."""
        self.assertLessEqual(abs(value - wanted), part * wanted,
                             (value, wanted))

    def test_a_stream_is_read_once(self):
        for _, found in self.both(
                "memory_read,memory_read_bandwidth,llc_misses,llc_hit_ratio,"
                "local_share,qpi_flits_sent,llc_fills,memory_spread",
                "-N", "1", "-w", "stream:op=read,size=4M"):
            self.assertEqual(found["llc_misses"], 4 * MIB / LINE)
            self.assertEqual(found["llc_fills"], 4 * MIB)
            self.assertEqual(found["llc_hit_ratio"], 0)
            # the scrubber reads a line every 429153 cycles
            self.near(found["memory_read"], 4 * MIB, 1e-3)
            self.near(found["memory_read_bandwidth"] * 1e9 * found["seconds"],
                      found["memory_read"], 1e-9)
            self.assertEqual(found["local_share"], 100)
            self.assertEqual(found["qpi_flits_sent"], 0)
            self.near(found["memory_spread"], 1, 0.01)

    def test_what_fits_into_the_cache_hits(self):
        # one miss a line in the first of 20 passes
        for _, found in self.both(
                "llc_lookups,llc_hit_ratio,llc_to_core_bandwidth", "-N", "1",
                "-w", "stream:op=read,size=1M,passes=20"):
            self.assertEqual(found["llc_lookups"], 20 * MIB / LINE)
            self.assertEqual(found["llc_hit_ratio"], 95)
            self.near(found["llc_to_core_bandwidth"] * 1e9 *
                      found["seconds"], 20 * MIB, 1e-3)

    def test_lines_written_past_the_caches_are_written_once(self):
        for _, found in self.both("memory_write memory_volume,"
                                  "memory_bandwidth", "-N", "1", "-w",
                                  "ntstore:size=2M"):
            self.assertEqual(found["memory_write"], 2 * MIB)
            self.near(found["memory_bandwidth"] * 1e9 * found["seconds"],
                      found["memory_volume"], 1e-9)

    def test_one_access_at_a_time_takes_its_latency(self):
        # Little's law: entries in use = requests per cycle x latency; and the
        # chase takes as long as all its accesses, one after the other
        count = 4000
        for _, found in self.both(
                "request_latency_all,system_requests "
                "request_table_occupancy,local_share "
                "cbox_maf_occupancy,cbox_maf_residence",
                "-N", "1", "-w", "chase:size=64M,count=%d" % count):
            self.assertEqual(found["system_requests"], count)
            waited = count * found["request_latency_all"]
            self.assertLess(waited, found["cycles"])
            self.assertGreater(waited, 0.7 * found["cycles"])
            self.near(2 * found["request_table_occupancy"],
                      waited / found["cycles"], 1e-9)
            self.assertGreater(found["cbox_maf_residence"],
                               found["request_latency_all"])
            # Intel MLC on an E7-4800: 122 to 149 ns a local read
            self.assertTrue(100e-9 < found["seconds"] / count < 160e-9)

    def test_one_line_is_one_c_box(self):
        for family, found in self.both(
                "cbox_spread,cbox_idlest,socket_spread,llc_lookups", "-N", "2",
                "-w", "pingpong:threads=2,place=scatter,count=500"):
            cores = {"xeon-e7": 10, "xeon-7500": 8}[family]
            self.assertEqual(found["cbox_spread"], cores)
            self.assertEqual(found["cbox_idlest"], 0)
            self.assertTrue(cores <= found["socket_spread"] <= 2 * cores)

    def test_local_and_remote_are_all(self):
        for _, found in self.both(
                "local_share,remote_share,request_latency_local "
                "request_latency_remote,sbox_direct_share", "-N", "2", "-w",
                "random:size=8M,threads=2,place=scatter,count=2000,shared=1"):
            self.near(found["local_share"] + found["remote_share"], 100, 1e-9)
            self.near(found["local_share"], 50, 0.1)
            self.assertLess(found["request_latency_local"],
                            found["request_latency_remote"])

    def test_a_port_that_leads_nowhere_is_neither_idle_nor_busy(self):
        ports = "qpi0 qpi1 qpi2 qpi3".split()
        for _, found in self.both(
                "qpi_idle.*,qpi_output_busy.*", "-N", "2", "-w",
                "random:size=1M,threads=2,place=scatter,count=500,shared=1"):
            both = [(found["qpi_idle." + port],
                     found["qpi_output_busy." + port]) for port in ports]
            self.near(sum(both[0]), 100, 1e-9)
            self.assertGreater(min(both[0]), 0)
            self.assertEqual(both[1:], [(None, None), (None, None), (100, 0)])

    def test_an_idle_machine_refreshes(self):
        # 86 of every 4160 DRAM cycles; the first is due after a whole one
        for _, found in self.both(
                "refresh_share,uncore_clock,uncore_cycles sched_*", "-N", "2",
                "-w", "idle", "--cycles", "2080000"):
            self.near(found["refresh_share"], 100 * 86 / 4160, 0.02)
            self.near(found["uncore_cycles"], 2080000, 1e-9)
            self.near(found["uncore_clock"] * 1e9,
                      found["cycles"] / found["seconds"], 1e-9)
            self.near(found["sched_rdq_empty"], 100, 1e-3)  # the scrubber

    def test_shares_of_one_thing_add_up(self):
        machine = ("-N", "2", "--set", "llc.slice=24", "--set", "llc.ways=4",
                   "-w", "evict:size=1M,threads=16,count=150")
        sums = ("llc_hits_m,llc_hits_e,llc_hits_s,llc_hits_f",
                "llc_misses_s,llc_misses_f,llc_misses_i",
                "llc_fills_m,llc_fills_e,llc_fills_s,llc_fills_f",
                "llc_victims_m,llc_victims_e,llc_victims_s,llc_victims_f",
                "page_hit,page_empty,page_miss",
                "qpi_vna_share qpi_vn0_share qpi_vn1_share",
                "qpi_ncb_share qpi_ncs_share qpi_drs_share qpi_ndr_share "
                "qpi_snp_share qpi_hom_share",
                "sched_tradeoff sched_rdprio sched_wrprio sched_adaptive",
                "memory_reads_share memory_writes_share memory_merge_share "
                "memory_v2f_share memory_f2v_share memory_f2b_share "
                "memory_v2v_share memory_sprwr_share")
        for names in sums:
            with self.subTest(names=names):
                found = stat("xeon-e7", names, *machine)
                del found["seconds"], found["cycles"]
                self.near(sum(found.values()), 100, 1e-9)

    def test_limits_follow_the_machine(self):
        # a link of a tenth of the rate is as much busier
        words = ("-N", "2", "-w",
                 "random:size=8M,threads=2,place=scatter,count=1000,shared=1")
        fast = stat("xeon-e7", "qpi_utilisation.qpi0,qpi_sent.qpi0", *words)
        slow = stat("xeon-e7", "qpi_utilisation.qpi0,qpi_sent.qpi0", "--set",
                    "qpi.rate=0.64", *words)
        self.assertLessEqual(slow["qpi_utilisation.qpi0"], 101)
        self.near(slow["qpi_utilisation.qpi0"] / slow["qpi_sent.qpi0"] /
                  (fast["qpi_utilisation.qpi0"] / fast["qpi_sent.qpi0"]), 10,
                  0.05)


class Boxes(unittest.TestCase):
    """How busy each box was: one core reads lines of the other socket's memory
    once, so nothing else than what lies on their way has anything to do."""
    LINES = MIB // LINE

    def found(self, family):
        ran = subprocess.run([UNCORE, "stat", "--json", "--per-box", "-m",
                              family, "-M", "busy:all", "-w", "stream:threads=1,"
                              "op=read,size=1M,node=1"],
                             stdout=subprocess.PIPE, check=True, timeout=100)
        out = json.loads(ran.stdout)
        return out["uncore_cycles"], {
            (row["name"], row["socket"], row.get("box")): row["value"]
            for row in out["metrics"]}

    def test_those_on_the_way_of_a_line_and_no_others(self):
        for family, slices in (("xeon-e7", "cbox"), ("xeon-7500", "cbox"),
                               ("xeon-e5-2600", "cbo")):
            cycles, busy = self.found(family)
            cores = {key[1:]: value for key, value in busy.items()
                     if key[0] == "core_use" and key[2]}
            reader = 0, slices + "0"
            self.assertAlmostEqual(cores.pop(reader) * cycles / 100,
                                   self.LINES, 3)
            self.assertEqual(set(cores.values()), {0})
            looks = [value for key, value in busy.items() if key[2] and
                     key[:2] == (slices + "_use", 0)]
            self.assertAlmostEqual(sum(looks) * cycles / 100, self.LINES, 3)
            # the scrubber reads a line every 429153 cycles
            self.assertLess(busy["memory_read", 0, None], 0.001 * MIB)
            self.assertAlmostEqual(busy["memory_read", 1, None] / MIB, 1, 3)
            self.assertGreater(busy["memory_bandwidth_use", 1, None], 1)
            link = ("qpi_sent_use" if slices == "cbo" else
                    "qpi_utilisation.qpi0")
            self.assertGreater(busy[link, 1, None], 2 * busy[link, 0, None])

    def test_packets_of_a_link(self):
        """Of 16,384 reads: a request, its data and its end."""
        _, busy = self.found("xeon-e7")
        self.assertEqual(busy["qpi_packets_received.qpi0", 0, None],
                         self.LINES)
        self.assertEqual(busy["qpi_packets_received.qpi1", 0, None], 0)


class Machine(unittest.TestCase):
    def test_links_have_two_ends_and_as_many_as_there_are(self):
        """A link of two sockets is told by both; sockets of a machine of four
        are all linked to each other, and each has a hub of its own or shares
        one."""
        for sockets, family, links in ((1, "xeon-e7", 0), (2, "xeon-e7", 1),
                                       (4, "xeon-e7", 6), (8, "xeon-e7", 16),
                                       (2, "xeon-e5-2600", 2)):
            ran = subprocess.run([UNCORE, "model", "show", "--json", "-m",
                                  family, "-N", str(sockets), "--set",
                                  "seed=7"], stdout=subprocess.PIPE,
                                 check=True)
            shown = json.loads(ran.stdout)
            self.assertEqual(shown["sockets"], sockets)
            ends = {(row["socket"], row["link"]):
                    (row["peer"], row["peer_link"])
                    for row in shown["links"] if row["to"] == "socket"}
            self.assertEqual(len(ends), 2 * links)
            for end, other in ends.items():
                self.assertEqual(ends[other], end)
            seed, = (row for row in shown["parameters"]
                     if row["name"] == "seed")
            self.assertEqual((seed["value"], seed["default"]), ("7", "1"))


class XeonE52600(unittest.TestCase):
    """Whose metrics have other names, and whose idle memory is not read."""

    def found(self, names, *words):
        return stat("xeon-e5-2600", names, *words)

    def volume(self, found, name):
        return round(found[name] * 1e9 * found["seconds"])

    def test_a_stream_is_read_once(self):
        found = self.found("memory_read_bandwidth,memory_write_bandwidth,"
                           "llc_read_miss_ratio,memory_read_share,"
                           "home_read_share,qpi_shut_down,memory_read,"
                           "memory_volume,simulated_time", "-N", "1", "-w",
                           "stream:op=read,size=4M")
        # The names that the other families have for the same.
        self.assertEqual(found["memory_read"], 4 * MIB)
        self.assertEqual(found["memory_volume"], 4 * MIB)
        self.assertEqual(found["simulated_time"], found["seconds"])
        self.assertEqual(self.volume(found, "memory_read_bandwidth"), 4 * MIB)
        self.assertEqual(found["memory_write_bandwidth"], 0)
        # one socket has nobody at the other end of its links
        for share in ("llc_read_miss_ratio", "memory_read_share",
                      "home_read_share", "qpi_shut_down"):
            self.assertEqual(found[share], 100, share)

    def test_what_fits_into_the_cache_hits(self):
        found = self.found("llc_read_miss_ratio", "-N", "1", "-w",
                           "stream:op=read,size=1M,passes=20")
        self.assertEqual(found["llc_read_miss_ratio"], 100 / 20)

    def test_lines_written_past_the_caches_are_written_once(self):
        found = self.found("memory_write_bandwidth,memory_read_bandwidth,"
                           "memory_bandwidth_use", "-N", "1", "-w",
                           "ntstore:size=2M")
        self.assertEqual(self.volume(found, "memory_write_bandwidth"), 2 * MIB)
        self.assertEqual(found["memory_read_bandwidth"], 0)
        # four channels of DDR3-1600, 8 bytes wide
        peak = 4 * 8 * 1600e6 * found["seconds"]
        self.assertAlmostEqual(found["memory_bandwidth_use"],
                               100 * 2 * MIB / peak, delta=0.01)

    def test_one_access_at_a_time_takes_its_latency(self):
        count = 4000
        found = self.found("llc_drd_latency,llc_drd_miss_latency", "-N", "1",
                           "-w", "chase:size=64M,count=%d" % count)
        waited = count * found["llc_drd_latency"]
        self.assertEqual(found["llc_drd_latency"],
                         found["llc_drd_miss_latency"])
        self.assertLess(waited, found["cycles"])
        self.assertGreater(waited, 0.7 * found["cycles"])

    def test_lines_of_the_other_socket_come_over_the_links(self):
        found = self.found("qpi_data_received,memory_read_bandwidth", "-N",
                           "2", "-w", "stream:op=read,size=4M,node=1")
        for name in "qpi_data_received", "memory_read_bandwidth":
            self.assertEqual(self.volume(found, name), 4 * MIB, name)

    def test_shares_of_one_thing_add_up(self):
        for names, words in (
                ("page_hit,page_empty,page_miss",
                 ("random:size=64M,threads=8,place=scatter,count=2000",)),
                ("qpi_full_power,qpi_half_power,qpi_shut_down",
                 ("idle", "--cycles", "100000"))):
            found = self.found(names, "-N", "2", "-w", *words)
            values = [found[name] for name in names.split(",")]
            self.assertAlmostEqual(sum(values), 100)
            self.assertGreater(sorted(values)[1], 0)


class Turns(unittest.TestCase):
    """Metrics whose events take turns are near what they are alone."""

    NAMES = ("memory_read", "memory_bandwidth", "dram_ras_rate",
             "dram_cas_rd_cls_rate", "llc_misses", "cbox_maf_occupancy",
             "ring_ad_use", "snoop_rate", "imt_latency",
             "home_agent_latency")
    WORDS = ("-N", "2", "-w",
             "random:size=64M,threads=8,count=8000,shared=1,write=30")

    def test_they_are_near_what_they_are_alone(self):
        together = stat("xeon-e7", ",".join(self.NAMES), *self.WORDS)
        for name in self.NAMES:
            alone = stat("xeon-e7", name, *self.WORDS)
            with self.subTest(name=name):
                self.assertLess(abs(together[name] / alone[name] - 1), 0.08)


if __name__ == "__main__":
    unittest.main()
