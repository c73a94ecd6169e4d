#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Events in the words of the kernel and of LIKWID: they program the registers
# that the same event programs in ours. The pairs are those with which a guest's
# perf is compared (tests/guest/events.py).

import os
import subprocess
import sys
import unittest

SOURCE = os.environ.get("UNCORE_SOURCE", ".")
sys.path.insert(0, os.path.join(SOURCE, "tests", "guest"))
import events  # noqa: E402

UNCORE = os.environ.get("UNCORE", "build/uncore")

LIKWID = (
    ("LLC_MISSES_ALL:CBOX0C0", "cbox0/LLC_MISSES.ALL/"),
    ("LLC_HITS_ALL:CBOX7C1", "cbox7/LLC_HITS.ALL/"),
    ("FVC_EV0_BBOX_CMDS_READS:MBOX1C0", "mbox1/FVC_EV0.BBOX_CMDS.READS/"),
    ("IMT_INSERTS_ALL:BBOX0C1", "bbox0/IMT_INSERTS_ALL/"),
    ("NEW_PACKETS_RECV_PORT0_IPERF0_ANY_DRS:RBOX0C0",
     "rbox/NEW_PACKETS_RECV.ANY.DRS,port=0,slot=0/"),
    ("TO_R_B_REQUESTS_ALL:SBOX0C0:THRESHOLD=0x1:INVERT",
     "sbox0/TO_R_B_REQUESTS.ALL,thresh=1,inv/"),
    ("LLC_MISSES_ALL:CBOX0C0:THRESHOLD=010",
     "cbox0/LLC_MISSES.ALL,thresh=16/"),
    ("UNCORE_CLOCKTICKS:WBOXFIX", "wbox/FIXED_CTR/"),
)


# What LIKWID writes for a Xeon E5-2600: which box, which of them, options.
LIKWID_E5 = (
    ("CAS_COUNT_RD:MBOX0C0", "imc0/CAS_COUNT.RD/"),
    ("CAS_COUNT_WR:MBOX3C1", "imc3/CAS_COUNT.WR/"),
    ("DRAM_CLOCKTICKS:MBOX2FIX", "imc2/FIXED_CTR/"),
    ("UNCORE_CLOCK:UBOXFIX", "ubox/FIXED_CTR/"),
    ("LOCK_CYCLES:UBOX1", "ubox/LOCK_CYCLES/"),
    ("LLC_VICTIMS_M_STATE:CBOX7C1", "cbo7/LLC_VICTIMS.M_STATE/"),
    ("LLC_LOOKUP_DATA_READ:CBOX3C0:STATE=0x1F",
     "cbo3/LLC_LOOKUP.DATA_READ,filter.state=0x1f/"),
    ("LLC_LOOKUP_WRITE:CBOX0C1", "cbo0/LLC_LOOKUP.WRITE,filter.state=0x1/"),
    # its values are hexadecimal, however they are written
    ("TOR_INSERTS_MISS_OPCODE:CBOX5C0:OPCODE=182",
     "cbo5/TOR_INSERTS.MISS_OPCODE,filter.opc=0x182/"),
    ("TOR_INSERTS_MISS_OPCODE:CBOX5C0:OPCODE=0x182",
     "cbo5/TOR_INSERTS.MISS_OPCODE,filter.opc=0x182/"),
    ("TXT_INSERTS_BL_CORE:CBOX1C0:TID=0x3",
     "cbo1/TxR_INSERTS.BL_CORE,filter.tid=3,tid_en=1/"),
    ("RXL_FLITS_G1_DRS_DATA:SBOX1C1", "qpi1/RxL_FLITS_G1.DRS_DATA/"),
    ("SBOX_CLOCKTICKS:SBOX0C3:THRESHOLD=0x2:EDGEDETECT",
     "qpi0/CLOCKTICKS,thresh=2,edge/"),
    ("REQUESTS_READS:BBOX2", "ha/REQUESTS.READS/"),
    ("REQUESTS_WRITES:BBOX0C1", "ha/REQUESTS.WRITES/"),
    ("RXR_INSERTS_HOM:RBOX1C0", "r3qpi1/RxR_INSERTS.HOM/"),
    ("RING_BL_USED_CW_EVEN:RBOX0C2", "r3qpi0/RING_BL_USED.CW_EVEN/"),
    ("RING_BL_USED_CCW_ODD:PBOX3", "r2pcie/RING_BL_USED.CCW_ODD/"),
    ("WBOX_CLOCKTICKS:WBOX3", "pcu/CLOCKTICKS/"),
    ("FREQ_BAND0_CYCLES:WBOX0:OCCUPANCY_FILTER=0x14",
     "pcu/FREQ_BAND0_CYCLES,filter=0x14/"),
)

# What its groups CACHES, MEM, UPI and PMM ask of a Xeon Scalable, and other boxes.
LIKWID_SCALABLE = (
    ("CAS_COUNT_RD:MBOX0C0", "imc0/CAS_COUNT.RD/"),
    ("CAS_COUNT_WR:MBOX5C1", "imc5/CAS_COUNT.WR/"),
    ("LLC_LOOKUP_DATA_READ:CBOX27C0", "cha27/LLC_LOOKUP.DATA_READ/"),
    ("LLC_LOOKUP_DATA_READ:CBOX3C0:STATE=0x3FF", "cha3/LLC_LOOKUP.DATA_READ/"),
    ("LLC_VICTIMS_M_STATE:CBOX27C1", "cha27/LLC_VICTIMS.TOTAL_M/"),
    ("TXL_FLITS_ALL_DATA:SBOX0C0", "upi0/TxL_FLITS.ALL_DATA/"),
    ("RXL_FLITS_ALL_DATA:SBOX2C1", "upi2/RxL_FLITS.ALL_DATA/"),
    ("DRAM_CLOCKTICKS:MBOX2FIX", "imc2/FIXED_CTR/"),
    ("UNCORE_CLOCK:UBOXFIX", "ubox/FIXED_CTR/"),
    ("IMC_READS_ALL:M2M1C0", "m2m1/IMC_READS.ALL/"),
    ("DATA_REQ_OF_CPU_MEM_READ_PART0:IBOX1C0",
     "iio1/DATA_REQ_OF_CPU.MEM_READ.PART0/"),
    ("TOR_INSERTS_IA_MISS:CBOX5C0", "cha5/TOR_INSERTS.IA_MISS/"),
    ("WBOX_CLOCKTICKS:WBOX3", "pcu/CLOCKTICKS/"),
)
LIKWID_SECOND = (("PMM_CMD1_RD:MBOX5C0", "imc5/PMM_CMD1.RD/"),
                 ("PMM_CMD1_WR:MBOX0C1", "imc0/PMM_CMD1.WR/"))

# A part of which is none, or is another box's.
NO_LIKWID = {
    "xeon-e7": (
        "LLC_MISSES_ALL:", ":CBOX0C0", "LLC_MISSES_ALL:PMC0", ":", "::",
        "NONE:CBOX0C0", "LLC_MISSES_NONE:CBOX0C0", "LLC_MISSES_ALL:CBOX",
        "LLC_MISSES_ALL:CBOX0C0:NONE=1", "LLC_MISSES_ALL:CBOX10C0",
        "LLC_MISSES_ALL:CBOX0C6", "LLC_MISSES_ALL:CBOX0C", "LLC_MISSES_ALL:CBOX0",
        "LLC_MISSES_ALL:CBOX0C0X", "LLC_MISSES_ALL:CBOX4294967296C0",
        "LLC_MISSES_ALL:CBOX0C0:INVERTED", "LLC_MISSES_ALL:CBOX0C0:INVERT=1",
        "LLC_MISSES_ALL:CBOX0C0:THRESHOLD", "LLC_MISSES_ALL:CBOX0C0:THRESHOLD=",
        "LLC_MISSES_ALL:CBOX0C0:THRESHOLD=1g", "LLC_MISSES_ALL:CBOX0FIX",
        "UNCORE_CLOCK:WBOX0", "UNCORE_CLOCK:WBOXFIX1", "TM1_ON:WBOXFIX",
        "NEW_PACKETS_RECV_PORT0_IPERF0_ANY_DRS:RBOX1C0",
        "NEW_PACKETS_RECV_PORT4_IPERF0_ANY_DRS:RBOX0C0",
        "NEW_PACKETS_RECV_PORT8_IPERF0_ANY_DRS:RBOX1C0",
        "NEW_PACKETS_RECV_PORT0_IPERF0_ANY_DRS:RBOX0C8",
        "NEW_PACKETS_RECV_PORT0_IPERF0_ANY_DRS:RBOX2C0"),
    "xeon-e5-2600": (
        "CAS_COUNT_RD:MBOX4C0", "CAS_COUNT_RD:MBOX0C4", "CAS_COUNT_RD:MBOX0",
        "CAS_COUNT_RD:MBOXC0", "CAS_COUNT_RD:MBOX0FIX",
        "DRAM_CLOCKTICKS:MBOX0C0", "DRAM_CLOCKTICKS:MBOXFIX",
        "DRAM_CLOCKTICKS:MBOX4FIX", "UNCORE_CLOCK:UBOX0", "CORES_IN_C3:WBOXFIX0",
        "QPI_RATE:SBOX0FIX", "RXL_FLITS_G1_DRS_DATA:SBOX2C0",
        "REQUESTS_READS:BBOX4", "RXR_INSERTS_HOM:RBOX0C3",
        "LLC_VICTIMS_M_STATE:CBOX8C0", "LLC_VICTIMS_M_STATE:CBOX0C0:MATCH2=1",
        # five states are five bits
        "LLC_LOOKUP_DATA_READ:CBOX0C0:STATE=0x3F",
        "LLC_VICTIMS_M_STATE:CBOX0C0:STATE=0x10000000001"),
    "xeon-scalable-1": (
        # its group CACHES asks for a 29th CHA
        "LLC_LOOKUP_DATA_READ:CBOX28C0", "CAS_COUNT_RD:MBOX6C0",
        "TXL_FLITS_ALL_DATA:SBOX3C0", "CAS_COUNT_RD:MBOX0FIX",
        "PMM_CMD1_RD:MBOX0C0", "LLC_LOOKUP_DATA_READ:CBOX0C0:STATE=0x400"),
}

# The kernel's words, of which nothing is cut and nothing dropped.
NO_KERNEL = {
    "xeon-e7": (
        "uncore_cbox_4294967296/event=0x14,umask=0x7/",
        "uncore_cbox_0x/event=0x14,umask=0x7/",
        "uncore_cbox_0/event=0x14,umask=0x7/u",
        "uncore_cbox_0/event=0x100000014,umask=0x7/",
        "uncore_cbox_0/event=0x14,umask=0x107/",
        "uncore_rbox_0/event=0x100000000,iperf_cfg=0x1/",
        "uncore_rbox_0/event=zz,iperf_cfg=0x1/",
        "uncore_rbox_18446744073709551616/event=0x0,iperf_cfg=0x1/"),
    "xeon-e5-2600": (
        "uncore_imc_0/event=0x1ff/", "uncore_imc_0/event=0x1000000ff/",
        "uncore_imc_0/event=0x4,umask=zz/"),
}


def run(*words):
    return subprocess.run([UNCORE, *words], text=True, timeout=100,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)


def registers(text, *more):
    """The register writes of an event, without the line that names it."""
    ran = run("encode", *more, text)
    if ran.returncode:
        raise AssertionError("%s: %s" % (text, ran.stderr))
    return ran.stdout.split("\n", 1)[1]


class Kernel(unittest.TestCase):
    def compare(self, rows, *more, fewest=31):
        for row in rows:
            self.assertEqual(registers(events.perf_name(row), *more),
                             registers(events.our_name(row), *more), row)
        self.assertGreaterEqual(len(rows), fewest)

    def test_e7(self):
        self.compare(events.ROWS)

    def test_7500(self):
        # 0x20 of the FVC register is the other counter's, in the guest
        self.compare([row for row in events.ROWS_7500
                      if "fvc=0xc0020" not in row[1]], "-m", "xeon-7500")

    def test_e5_2600(self):
        self.compare(events.ROWS_E5, "-m", "xeon-e5-2600", fewest=23)

    def test_its_successors(self):
        for machine, rows in events.ROWS_SUCCESSORS.items():
            self.compare(rows, "-m", machine, fewest=23)

    def test_counts_and_keeps_its_name(self):
        text = "uncore_cbox_0/event=0x14,umask=0x7/"
        rows = [run("stat", "-x;", "-e", event, "-w", "stream:size=1M").stdout
                for event in (text, "cbox0/LLC_MISSES.ALL/")]
        self.assertEqual(rows[0].split(";")[0], rows[1].split(";")[0])
        self.assertIn(text, rows[0])
        self.assertGreater(int(rows[0].split(";")[0]), 100)

    def test_fixed_counters(self):
        for machine, text, ours in (
                ("xeon-e7", "uncore_wbox/event=0xff/", "wbox/FIXED_CTR/"),
                ("xeon-7500", "uncore_wbox/event=0xff/", "wbox/FIXED_CTR/"),
                ("xeon-e5-2600", "uncore_ubox/event=0xff/",
                 "ubox/FIXED_CTR/")):
            self.assertEqual(registers(text, "-m", machine),
                             registers(ours, "-m", machine))

    def test_nothing_is_cut(self):
        for machine, texts in NO_KERNEL.items():
            for text in texts:
                self.assertEqual(run("encode", "-m", machine, text).returncode,
                                 2, text)

    def test_what_is_none(self):
        for text in ("uncore_", "uncore_/", "uncore_cbox_0", "uncore_cbox_0/",
                     "uncore_cbox_99/event=1/", "uncore_imc_0/cas_count_read/",
                     "uncore_rbox_0/event=99,iperf_cfg=1/",
                     "uncore_mbox_0/none/"):
            self.assertEqual(run("encode", text).returncode, 2, text)


class Likwid(unittest.TestCase):
    def test_pairs(self):
        for likwid, ours in LIKWID:
            self.assertEqual(registers(likwid), registers(ours), likwid)

    def test_e5_2600(self):
        more = ("-m", "xeon-e5-2600")
        for likwid, ours in LIKWID_E5:
            self.assertEqual(registers(likwid, *more),
                             registers(ours, *more), likwid)

    def test_scalable(self):
        for machine, pairs in (("xeon-scalable-1", LIKWID_SCALABLE),
                               ("xeon-scalable-2", LIKWID_SCALABLE + LIKWID_SECOND)):
            for likwid, ours in pairs:
                self.assertEqual(registers(likwid, "-m", machine),
                                 registers(ours, "-m", machine), likwid)

    def test_one_channel_counts_alone(self):
        # 4 MB read once: 65,536 lines on four channels
        counts = [int(run("stat", "-x;", "-m", "xeon-e5-2600", "-N", "1", "-e",
                          event, "-w", "stream:threads=4,size=4M")
                      .stdout.split(";")[0])
                  for event in ("CAS_COUNT_RD:MBOX0C0", "imc/CAS_COUNT.RD/")]
        self.assertLess(abs(counts[0] * 4 - counts[1]), counts[1] / 100)

    def test_what_is_none(self):
        for machine, texts in NO_LIKWID.items():
            for text in texts:
                ran = run("encode", "-m", machine, text)
                self.assertEqual(ran.returncode, 2, text)
                self.assertTrue(ran.stderr.startswith("uncore: "), text)

    def test_no_box(self):
        self.assertIn("LIKWID", run("encode", "LLC_MISSES_ALL:PMC0").stderr)


class Perf(unittest.TestCase):
    def test_names_of_core_events_are_answered_with_ours(self):
        for name, ours in (("LLC-load-misses", "cbox/LLC_MISSES.ALL/"),
                           ("cycles", "wbox/FIXED_CTR/"),
                           ("cache-references", "-M llc_lookups"),
                           ("branch-misses", "perf stat"),
                           ("node-loads", "-M numa")):
            ran = run("stat", "-e", name, "-w", "idle", "--cycles", "10")
            self.assertEqual(ran.returncode, 2)
            self.assertIn(ours, ran.stderr)

    def test_modifiers_of_perf_are_named(self):
        for text, words in (("cache-misses:u", "is perf's name for"),
                            ("LLC_MISSES:kpp", "perf's ':kpp'"),
                            ("cbox/LLC_MISSES/u", "perf's 'u'"),
                            ("uncore_cbox_0/event=1/kpp", "perf's 'kpp'"),
                            ("LLC_MISSES:CBOX", "form of LIKWID's")):
            self.assertIn(words, run("encode", text).stderr)

    def test_with_its_box_a_name_is_ours(self):
        self.assertEqual(run("encode", "mbox/cycles/").returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
