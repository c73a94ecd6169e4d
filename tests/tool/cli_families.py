#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The processor families from outside, with --machine as a user types it: each
# has its own boxes, events and places of fields, and says so of what it lacks.

import json
import os
import subprocess
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")


def run(command, machine, *words):
    return subprocess.run((UNCORE, command, "--machine", machine) + words,
                          stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def load(command, machine, *words):
    ran = run(command, machine, "--json", *words)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return json.loads(ran.stdout)


def value(machine, event, register):
    """What an event writes into the register whose name ends so."""
    for row in load("encode", machine, event):
        for write in row["writes"]:
            if write["register"].endswith(register):
                return int(str(write["value"]), 0)
    return None


class Families(unittest.TestCase):
    def test_have_their_own_numbers_of_boxes(self):
        ex = {"ubox": 1, "bbox": 2, "sbox": 2, "rbox": 1, "mbox": 2, "wbox": 1}
        for machine, wanted in (
                ("xeon-e7", {"cbox": 10, **ex}),
                ("xeon-7500", {"cbox": 8, **ex}),
                ("xeon-e5-2600", {"cbo": 8, "ubox": 1, "pcu": 1, "ha": 1,
                                  "imc": 4, "qpi": 2, "r2pcie": 1,
                                  "r3qpi": 2})):
            boxes = {b["name"]: b["instances"]
                     for b in load("list", machine)["boxes"]}
            self.assertEqual(boxes, wanted)

    def test_describe_and_source_everything(self):
        for machine in ("xeon-e7", "xeon-7500", "xeon-e5-2600"):
            for event in load("list", machine)["events"]:
                for key in ("brief", "source", "counters"):
                    self.assertTrue(event[key], event["name"])

    def test_the_xeon_7500_says_where_a_row_is_from(self):
        events = {e["name"]: e["source"]
                  for e in load("list", "xeon-7500")["events"]}
        self.assertIn("p. 2-27", events["SNPS"])
        self.assertIn("guide 325294-001", events["SNPS"])
        self.assertIn("assumed", events["TO_RING_NCS_MSGQ_CYCLES_NE"])

    def test_linuxs_aliases_of_fvc_are_those_of_each_family(self):
        for mask, e7, x7500 in (("READS", 0x5000, 0x2800),
                                ("WRITES", 0x5040, 0x2820)):
            event = "mbox0/FVC_EV0.BBOX_CMDS.%s/" % mask
            self.assertEqual(value("xeon-e7", event, "FVC"), e7)
            self.assertEqual(value("xeon-7500", event, "FVC"), x7500)

    def test_a_value_is_decoded_by_the_familys_fields(self):
        words = ("0xcb0", "0x1a01", "0xcab", "0x2820")
        self.assertIn("FVC_EV0.BBOX_CMDS.WRITES",
                      run("decode", "xeon-7500", *words).stdout)
        self.assertNotIn("BBOX_CMDS.WRITES",
                         run("decode", "xeon-e7", *words).stdout)

    def test_the_summary_has_the_familys_fields(self):
        for machine, names in (
                ("xeon-e7", {0: "ov_c_l", 2: "ov_c_m", 20: "ov_c_h"}),
                ("xeon-7500", {0: "ov_c_r", 2: "ov_c_l"})):
            for register in load("registers", machine):
                if not register["name"].endswith("PMON_SUMMARY"):
                    continue
                have = {f["low"]: f["name"] for f in register["fields"]
                        if f["name"].startswith("ov_c")}
                self.assertEqual(have, names)

    def refuses(self, machine, event, *parts):
        ran = run("encode", machine, event)
        self.assertEqual(ran.returncode, 2, event)
        for part in parts:
            self.assertIn(part, ran.stderr)

    def test_what_a_family_lacks_is_said_with_what_there_is(self):
        self.refuses("xeon-7500", "cbox8/LLC_HITS.ALL/", "8 (0 to 7)")
        self.refuses("xeon-7500", "sbox0/PKTS_SENT_DRS.CBOX0_5/", "CBOX0_4")
        self.refuses("xeon-7500",
                     "mbox0/BCMD_SCHEDQ_OCCUPANCY.READS,fvid=32/", "0 to 31")
        self.refuses("xeon-e7",
                     "mbox0/BCMD_SCHEDQ_OCCUPANCY.READS,fvid=64/", "0 to 63")
        self.refuses("xeon-e5-2600", "imc4/CAS_COUNT.RD/", "4 (0 to 3)")
        self.refuses("xeon-e5-2600", "cbo0/LLC_VICTIMS.F_STATE/", "M_STATE")
        for event in "qpi2/CTO_COUNT,mc=2/", "qpi2/MESSAGE.DRS_DataC_E/":
            self.refuses("xeon-e5-v2", event, "match register", "qpi0")

    def test_an_event_of_another_family_is_recognised(self):
        self.refuses("xeon-7500", "cbox0/SPL_DEAD/", "C-Box of xeon-7500",
                     "xeon-e7 has it")
        self.refuses("xeon-7500", "ISS_SCHED.CHANGES", "xeon-e7 has it")
        self.refuses("xeon-e7", "mbox0/PAGE_EMPTY/", "xeon-7500 has it")
        self.refuses("xeon-e5-2600", "MAF_ACK", "xeon-e7 has it")
        self.refuses("xeon-e7", "CAS_COUNT.RD", "xeon-e5-2600 has it")

    def test_core_registers_that_came_with_westmere_are_absent(self):
        new = {"MSR_FEATURE_CONFIG", "MSR_OFFCORE_RSP_1",
               "IA32_ENERGY_PERF_BIAS"}
        e7 = {r["name"] for r in load("registers", "xeon-e7", "--core")}
        old = {r["name"] for r in load("registers", "xeon-7500", "--core")}
        self.assertEqual(e7 - old, new)


if __name__ == "__main__":
    unittest.main()
