#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The tables of the Xeon E5-2600 and the Xeon E5 v2 to v4. What is written for some events
# is worked out by hand from guides 327043-001 and 329468-002 and what else the page of
# the family in docs/ names, box by box; that no event is missing, and that each has its
# code, is compared with e5_2600.txt, e5_v2.txt, e5_v3.txt and e5_v4.txt, which were made
# from public lists.

import json
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
UNCORE = os.environ.get("UNCORE", "build/uncore")
MACHINE = "xeon-e5-2600"
EN, EXT = 1 << 22, 1 << 21
FREEZE, RUN, RESET = 0x10100, 0x10000, 2

# Device and function of each instance (hexadecimal, as lspci has them), and id.
FUNCTIONS = {
    "ha": [("0e.1", "3c46")],
    "imc": [("10.0", "3cb0"), ("10.1", "3cb1"), ("10.4", "3cb4"),
            ("10.5", "3cb5")],
    "qpi": [("08.2", "3c41"), ("09.2", "3c42")],
    "r2pcie": [("13.1", "3c43")],
    "r3qpi": [("13.5", "3c44"), ("13.6", "3c45")],
}
MATCHES = [("08.6", "3c86"), ("09.6", "3c96")]
# Address of control 0 of instance 0, of the next instance, of the next control.
CONTROLS = {"cbo": (0xD10, 0x20), "ubox": (0xC10, 0), "pcu": (0xC30, 0)}
# Of both families, but for where memory channels are.
FIRST = {"ha": "0e.1", "qpi": "08.2", "r2pcie": "13.1", "r3qpi": "13.5",
         "irp": "05.6"}
CHANNEL_0 = {"xeon-e5-2600": "10.0", "xeon-e5-v2": "10.4"}
# Control 0 of each box of the Xeon E5 v3 and v4.
OF_V3 = {"cbo": 0xE01, "sbo": 0x721, "ubox": 0x705, "pcu": 0x711, "ha": "12.1",
         "imc": "14.0", "qpi": "08.2", "r2pcie": "10.1", "r3qpi": "0b.1",
         "irp": "05.6"}
# Events with more unit masks than the lists have, and fixed counters.
MORE = {("cbo", "LLC_LOOKUP"): {"ANY"},
        **{("r2pcie", "RING_%s_USED" % ring): {"CW_ANY", "CCW_ANY", "ANY"}
           for ring in ("AD", "AK", "BL")}}
FIXED = {("ubox", "FIXED_CTR"), ("imc", "FIXED_CTR")}


def pci(function, offset):
    device, number = function.split(".")
    return (1 << 60 | (int(device, 16) << 3 | int(number)) << 32) + offset


def place(address):
    """An address as commands take it."""
    if address < 1 << 60:
        return hex(address)
    unit = address >> 32 & 0xFFFF
    return "pci:%x.%x+0x%x" % (unit >> 3, unit & 7, address & 0xFFFF)


def uncore(*words):
    return subprocess.run((UNCORE,) + words, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def said(*words):
    ended = uncore(*words)
    if ended.returncode:
        raise AssertionError("%s: %s" % (" ".join(words[:6]), ended.stderr))
    return ended.stdout


def writes(*events):
    """The writes of the last of some events, as (address, value)."""
    encoded = json.loads(said("encode", "-j", "-m", MACHINE, *events))
    return [(w["address"], w["value"]) for w in encoded[-1]["writes"]]


def control(box, instance, counter):
    if box in CONTROLS:
        first, step = CONTROLS[box]
        return first + instance * step + counter
    return pci(FUNCTIONS[box][instance][0], 0xD8 + 4 * counter)


def listed(name):
    """{(box, event): (code, counters, increment, {unit mask: bits 15:8})}"""
    rows = {}
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            box, name, code, counters, most, *masks = line.split()
            first, _, last = counters.partition("-")
            rows[box, name] = (
                int(code, 16), list(range(int(first), int(last or first) + 1)),
                None if most == "-" else int(most),
                {m.split("=")[0]: int(m.split("=")[1], 16) for m in masks})
    return rows


class ByHand(unittest.TestCase):
    def test_cbo(self):
        # LLC_VICTIMS.M_STATE, 0x37 with bit 0, on CBo 7, whose base is 0xDE0
        self.assertEqual(writes("cbo7/LLC_VICTIMS.M_STATE,thresh=1,edge/"), [
            (0xDE4, FREEZE | RESET),
            (0xDF0, 1 << 24 | EN | 1 << 18 | 1 << 8 | 0x37), (0xDE4, RUN)])

    def test_cbo_filters(self):
        # opc 31:23, state 22:18, nid 17:10, tid 4:0
        self.assertIn((0xD14, 0x182 << 23), writes("cbo0/TOR_INSERTS.OPCODE/"))
        self.assertEqual(
            writes("cbo1/TOR_INSERTS.NID_MISS_OPCODE,opc=PCIItoM,"
                   "nid=NODE1|NODE3/")[1:3],
            [(0xD34, 0x19C << 23 | 0b1010 << 10), (0xD30, EN | 0x4335)])
        self.assertIn((0xD14, 0b1001 << 18),
                      writes("cbo0/LLC_LOOKUP.DATA_READ,state=I|M/"))
        self.assertIn((0xD14, 0x1F << 18 | 0xFF << 10),
                      writes("cbo0/LLC_LOOKUP.NID/"))
        self.assertEqual(writes("cbo0/RING_IV_USED.ANY,tid=5/")[1:3], [
            (0xD14, 5), (0xD12, EN | 1 << 19 | 0xF << 8 | 0x1E)])
        # without tid= nobody touches the filter
        self.assertNotIn(0xD14, dict(writes("cbo0/RING_IV_USED.ANY/")))

    def test_ubox(self):
        # no box control: the control alone
        self.assertEqual(writes("ubox/EVENT_MSG.IPI_RCVD/"),
                         [(0xC10, EN | 4 << 8 | 0x42)])
        self.assertEqual(writes("ubox/FIXED_CTR/"), [(0xC08, EN)])
        self.assertEqual(writes("ubox/PHOLD_CYCLES.ACK_TO_DEASSERT/"),
                         [(0xC10, EN | EXT | 2 << 8 | 0x45)])

    def test_pcu(self):
        self.assertEqual(writes("pcu/FREQ_BAND2_CYCLES,band2=20/"), [
            (0xC24, FREEZE | RESET), (0xC34, 20 << 16), (0xC30, EN | 0x0D),
            (0xC24, RUN)])
        # p. 77, case 4: transitions into more than four cores in C0
        self.assertIn(
            (0xC30, 1 << 31 | 5 << 24 | EN | 1 << 14 | 0x80),
            writes("pcu/POWER_STATE_OCCUPANCY.CORES_C0,thresh=5,"
                   "occ_edge_det=1/"))
        # case 6: fewer than four cores in C0 and below 2.0 GHz
        self.assertIn(
            (0xC30, 1 << 30 | 4 << 24 | 1 << 23 | EN | 1 << 14 | 0x8B),
            writes("pcu/ev_sel=0x8b,occ_sel=1,thresh=4,invert,"
                   "occ_invert=1,counter=0/"))
        self.assertIn((0xC30, EN | EXT | 0x0B),
                      writes("pcu/TOTAL_TRANSITION_CYCLES/"))

    def test_ha(self):
        # no bits that reset
        self.assertEqual(
            writes("ha/ADDR_OPC_MATCH.FILT,lo_addr=0x2345,hi_addr=0x12,"
                   "opc=0x12/"), [
                (pci("0e.1", 0xF4), FREEZE),
                (pci("0e.1", 0x40), 0x2345 << 6), (pci("0e.1", 0x44), 0x12),
                (pci("0e.1", 0x48), 0x12),
                (pci("0e.1", 0xD8), EN | 3 << 8 | 0x20),
                (pci("0e.1", 0xF4), RUN)])

    def test_imc(self):
        self.assertEqual(writes("imc2/CAS_COUNT.WR/"), [
            (pci("10.4", 0xF4), FREEZE),
            (pci("10.4", 0xD8), EN | 0xC << 8 | 4), (pci("10.4", 0xF4), RUN)])
        self.assertEqual(writes("imc3/FIXED_CTR/")[1],
                         (pci("10.5", 0xF0), EN))

    def test_qpi(self):
        # DRS.DataC_M of the guide's table: 0x1C00 under 0x1FE0, state M
        self.assertEqual(writes("qpi1/CTO_COUNT,opc=DataC,state=M/"), [
            (pci("09.2", 0xF4), FREEZE | RESET),
            (pci("09.6", 0x228), 0x1C00), (pci("09.6", 0x22C), 8 << 16),
            (pci("09.6", 0x238), 0x1FE0), (pci("09.6", 0x23C), 0xF << 16),
            (pci("09.2", 0xD8), EN | EXT | 0x38), (pci("09.2", 0xF4), RUN)])
        # NCB.AnyMsg11flits restricted to a node
        self.assertIn((pci("08.6", 0x228), 0x1800 | 3 << 13),
                      writes("qpi0/CTO_COUNT,mc=NCB,dnid=3/"))
        self.assertIn((pci("08.6", 0x238), 0x3FE00),
                      writes("qpi0/CTO_COUNT,mc=NCB,dnid=3/"))

    def test_ring_stops(self):
        self.assertEqual(writes("r2pcie/TxR_INSERTS/"), [
            (pci("13.1", 0xF4), FREEZE | RESET), (pci("13.1", 0xD8), EN | 0x24),
            (pci("13.1", 0xF4), RUN)])
        self.assertEqual(writes("r3qpi1/RING_BL_USED.CW_ODD,counter=2/")[1],
                         (pci("13.6", 0xE0), EN | 2 << 8 | 9))

    def test_functions_have_their_ids(self):
        rows = {r["name"]: r for r in json.loads(
            said("registers", "-j", "-m", MACHINE))}
        names = {"ha": "HA_PCI_PMON_CTR1", "imc": "MC_CH%d_PCI_PMON_CTR1",
                 "qpi": "Q_P%d_PCI_PMON_CTR1", "r2pcie": "R2_PCI_PMON_CTR1",
                 "r3qpi": "R3_L%d_PCI_PMON_CTR1"}
        for box, functions in FUNCTIONS.items():
            for i, (function, number) in enumerate(functions):
                name = names[box]
                row = rows[name % i if "%" in name else name]
                self.assertEqual(row["address"], pci(function, 0xA8))
                self.assertEqual(row["id"], "8086:" + number)
        for i, (function, number) in enumerate(MATCHES):
            row = rows["Q_P%d_PCI_PMON_PKT_MASK1" % i]
            self.assertEqual(row["address"], pci(function, 0x23C))
            self.assertEqual(row["id"], "8086:" + number)
        # CBo 8 x 10, U 6 and the node map, PCU 12, HA 12, iMC 4 x 11, QPI 2 x (9 + 4 + 1),
        # R2PCIe 9, R3QPI 2 x 7
        self.assertEqual(len(rows), 80 + 6 + 2 + 12 + 12 + 44 + 28 + 9 + 14)


class Everything(unittest.TestCase):
    machine, file, more = MACHINE, "e5_2600.txt", MORE
    aliases, unlisted, counters = {}, set(), {}
    alike_file = None  # rows that are the same there are not tried again
    sizes = 210, 400, {"cbo": 25, "ubox": 8, "pcu": 37, "ha": 38, "imc": 25,
                       "qpi": 41, "r2pcie": 14, "r3qpi": 22}

    @classmethod
    def setUpClass(cls):
        cls.listed = listed(cls.file)
        for key, counters in cls.counters.items():
            row = cls.listed[key]
            cls.listed[key] = (row[0], counters) + row[2:]
        cls.known = {(e["box"], e["name"]): e for e in json.loads(
            said("list", "-j", "-m", cls.machine))["events"]}
        cls.texts, cls.alike = {}, {}
        for (box, name), (code, counters, _, masks) in cls.listed.items():
            for mask, bits in masks.items() or [("", 0)]:
                text = "%s/%s%s/" % (box, name, mask and "." + mask)
                cls.texts[text] = (box, code, counters[0], bits)
                cls.alike.setdefault((box, code, bits), set()).add(
                    text.split("/")[1])
        pages = json.loads(said("explain", "-j", "-m", cls.machine,
                                *cls.texts))
        cls.writes = {text: {w["address"]: w["value"]
                             for w in page["writes"]}
                      for text, page in zip(cls.texts, pages)}

    def control(self, box, counter):
        if box in CONTROLS:
            return control(box, 0, counter)
        return pci(FIRST.get(box, CHANNEL_0[self.machine]),
                   0xD8 + 4 * counter)

    def test_counts_of_the_lists(self):
        num_events, num_masks, sizes = self.sizes
        self.assertEqual(len(self.listed), num_events)
        self.assertEqual(sum(len(r[3]) for r in self.listed.values()),
                         num_masks)
        boxes = [box for box, _ in self.listed]
        self.assertEqual({b: boxes.count(b) for b in set(boxes)}, sizes)

    def test_no_event_is_missing_and_none_too_much(self):
        self.assertEqual(set(self.known),
                         (set(self.listed) | FIXED | self.unlisted) -
                         set(self.aliases))
        for key, (code, counters, most, masks) in self.listed.items():
            event = self.known[self.aliases.get(key, key)]
            self.assertEqual(event["code"], code, key)
            self.assertEqual(event["counters"], counters, key)
            if most:
                self.assertEqual(event["max_increment"], most, key)
            self.assertEqual({m["name"] for m in event["unit_masks"]},
                             set(masks) | self.more.get(key, set()), key)

    def test_each_event_is_what_the_lists_have(self):
        self.assertEqual(len(self.texts), len(self.writes))
        for text, (box, code, counter, bits) in self.texts.items():
            self.assertEqual(
                self.writes[text][self.control(box, counter)],
                EN | (code >> 8) * EXT | bits << 8 | code & 0xFF, text)

    def test_what_they_encode_decodes_to_the_same(self):
        """Or to another one with the same code and bits."""
        same = listed(self.alike_file) if self.alike_file else {}
        for text, (box, code, _, bits) in self.texts.items():
            name = text.split("/")[1].split(".")[0]
            if same.get((box, name)) == self.listed[box, name]:
                continue
            words = [x for address, value in self.writes[text].items()
                     for x in (place(address), hex(value))]
            first = "  selects %s0/" % box
            decoded = [line[len(first):].rstrip("/").split(",")[0]
                       for line in said("decode", "-m", self.machine,
                                        *words).splitlines()
                       if line.startswith(first)]
            self.assertEqual(len(decoded), 1, text)
            self.assertIn(decoded[0], self.alike[box, code, bits], text)


class EverythingOfV2(Everything):
    machine, file, more = "xeon-e5-v2", "e5_v2.txt", {}
    aliases = {("ha", "IGR_CREDITS_AD_QPI2"): ("ha", "IGR_AD_QPI2_ACCUMULATOR"),
               ("ha", "IGR_CREDITS_BL_QPI2"): ("ha", "IGR_BL_QPI2_ACCUMULATOR"),
               ("qpi", "MATCH_MASK"): ("qpi", "CTO_COUNT"),
               ("pcu", "PKG_C_EXIT_LATENCY_SEL"): ("pcu", "PKG_C_EXIT_LATENCY")}
    sizes = 339, 923, {"cbo": 25, "ubox": 7, "pcu": 72, "ha": 55, "imc": 45,
                       "qpi": 65, "r2pcie": 16, "r3qpi": 27, "irp": 27}


class EverythingOfV3(Everything):
    machine, file, more = "xeon-e5-v3", "e5_v3.txt", {}
    aliases = {("imc", "CLOCKTICKS"): ("imc", "DCLOCKTICKS"),
               ("pcu", "UFS_TRANSITIONS_NO_CHANGE"):
                   ("pcu", "UFS_TRANSITIONS_RING_GV")}
    counters = {("cbo", "COUNTER0_OCCUPANCY"): [1, 2, 3]}  # E426
    sizes = 354, 1147, {"cbo": 32, "sbo": 18, "ubox": 6, "pcu": 60, "ha": 60,
                        "imc": 42, "qpi": 63, "r2pcie": 18, "r3qpi": 33,
                        "irp": 22}

    def control(self, box, counter):
        first = OF_V3[box]
        return (pci(first, 0xD8 + 4 * counter) if isinstance(first, str)
                else first + counter)


class EverythingOfV4(EverythingOfV3):
    machine, file, aliases = "xeon-e5-v4", "e5_v4.txt", {}
    alike_file = "e5_v3.txt"
    unlisted = {("pcu", "FREQ_BAND%d_CYCLES" % n) for n in range(4)}  # E428
    sizes = 347, 1157, {"cbo": 32, "sbo": 18, "ubox": 5, "pcu": 55, "ha": 60,
                        "imc": 41, "qpi": 63, "r2pcie": 18, "r3qpi": 33,
                        "irp": 22}


class Names(unittest.TestCase):
    def test_names_of_intel_and_perf(self):
        for name in ("imc/unc_m_cas_count.rd/", "qpi/UNC_Q_CTO_COUNT/",
                     "cbo/UNC_C_TOR_INSERTS.OPCODE/"):
            self.assertTrue(writes(name))
        self.assertEqual(writes("uncore_qpi_0/drs_data/"),
                         writes("qpi0/RxL_FLITS_G1.DRS_DATA/"))
        self.assertEqual(
            writes("uncore_cbox_2/event=0x35,umask=0x3,filter_opc=0x180/"),
            writes("cbo2/TOR_INSERTS.MISS_OPCODE,opc=RFO/"))
        self.assertIn(
            (pci("09.6", 0x23C), 0xF << 16), writes(
                "uncore_qpi_1/event=0x38,ev_sel_ext=1,mask_rds=0xf/"))


class Together(unittest.TestCase):
    def test_a_filter_is_shared_by_who_wants_the_same(self):
        same = said("schedule", "-m", MACHINE, "cbo/TOR_INSERTS.OPCODE,opc=RFO/",
                    "cbo/TOR_INSERTS.MISS_OPCODE,opc=RFO/",
                    "cbo/RING_AD_USED.UP_EVEN/")
        self.assertNotIn("take turns", same)
        text = said("schedule", "-m", MACHINE,
                    "cbo/TOR_INSERTS.OPCODE,opc=RFO/",
                    "cbo/TOR_INSERTS.OPCODE,opc=DRd/")
        self.assertIn("2 slices take turns", text)
        self.assertIn("need different FILTER.opc", text)

    def test_fields_of_a_filter_are_apart(self):
        self.assertNotIn("take turns", said(
            "schedule", "-m", MACHINE, "pcu/FREQ_BAND0_CYCLES,band0=12/",
            "pcu/FREQ_BAND1_CYCLES,band1=20/",
            "pcu/FREQ_BAND3_CYCLES,band3=33/"))

    def test_counter0_occupancy_is_that_of_counter_0(self):
        def counted(*events):
            words = [w for e in events for w in ("-e", e)]
            text = said("stat", "-m", MACHINE, "--json", *words,
                        "-w", "stream:size=64K")
            return json.loads(text)["counts"]

        one, other = counted("cbo/COUNTER0_OCCUPANCY/",
                             "cbo/TOR_OCCUPANCY.ALL/")
        self.assertGreater(one["value"], 0)
        self.assertEqual(one["value"], other["value"])
        for beside in ([], ["cbo/LLC_LOOKUP.ANY,counter=0/"]):
            alone = counted("cbo/COUNTER0_OCCUPANCY/", *beside)[0]
            self.assertIsNone(alone["value"])
            self.assertIn("which counts none", alone["note"])

    def test_bands_move_where_that_helps(self):
        # 0x0B + n compares with bits 8n+7:8n of 0xC34
        events = ["pcu/FREQ_BAND0_CYCLES,band0=%d/" % n for n in (12, 20, 28)]
        text = said("schedule", "-m", MACHINE, "--json", *events)
        parts = [i for s in json.loads(text)["slices"] for i in s]
        self.assertEqual(len(json.loads(text)["slices"]), 1)
        band = {0x40000B + n: n for n in range(4)}
        seen = set()
        for part, value in zip(parts, (12, 20, 28)):
            held = {int(r["value"], 0) if isinstance(r["value"], str)
                    else r["value"] for r in part["registers"]}
            code = next(v for v in held if v in band)
            self.assertIn(value << 8 * band[code], held)
            seen.add(code)
        self.assertEqual(len(seen), 3)
        self.assertIn("2 slices take turns", said(
            "schedule", "-m", MACHINE, *events,
            "pcu/FREQ_BAND0_CYCLES,band0=30/",
            "pcu/DEMOTIONS_CORE4,band0=9/"))

    def test_what_is_refused(self):
        for event, why in (
                ("cbo/TOR_INSERTS.EVICTION,opc=RFO/", "opc"),
                ("cbo/TOR_INSERTS.OPCODE,opc=Rfx/", "none of RFO"),
                ("cbo/TOR_OCCUPANCY.ALL,counter=1/", "counter"),
                ("r3qpi/CLOCKTICKS,counter=3/", "there is no counter 3"),
                ("pcu/FREQ_BAND0_CYCLES,band0=256/", "256")):
            ended = uncore("encode", "-m", MACHINE, event)
            self.assertNotEqual(ended.returncode, 0, event)
            self.assertIn(why, ended.stderr)


if __name__ == "__main__":
    unittest.main()
