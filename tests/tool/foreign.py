#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Events in the words of the kernel and of LIKWID: they program the registers
# that the same event programs in ours. The pairs are those with which a guest's
# perf is compared (tests/guest/events.py).

import os
import re
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
    ("UNCORE_CLOCKTICKS:WBOXFIX", "wbox/FIXED_CTR/"),
)


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
        # not taken: codes of nine bits (docs/xeon-e5-2600.md)
        self.compare([row for row in events.ROWS_E5 if not re.match(
            "event=0x1..", row[1])], "-m", "xeon-e5-2600", fewest=22)

    def test_counts_and_keeps_its_name(self):
        text = "uncore_cbox_0/event=0x14,umask=0x7/"
        rows = [run("stat", "-x;", "-e", event, "-w", "stream:size=1M").stdout
                for event in (text, "cbox0/LLC_MISSES.ALL/")]
        self.assertEqual(rows[0].split(";")[0], rows[1].split(";")[0])
        self.assertIn(text, rows[0])
        self.assertGreater(int(rows[0].split(";")[0]), 100)

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

    def test_what_is_none(self):
        for text in ("LLC_MISSES_ALL:", ":CBOX0C0", "LLC_MISSES_ALL:PMC0",
                     "NONE:CBOX0C0", "LLC_MISSES_NONE:CBOX0C0", ":", "::",
                     "LLC_MISSES_ALL:CBOX0C0:NONE=1"):
            ran = run("encode", text)
            self.assertEqual(ran.returncode, 2, text)
            self.assertIn("LIKWID", ran.stderr)


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

    def test_with_its_box_a_name_is_ours(self):
        self.assertEqual(run("encode", "mbox/cycles/").returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
