#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A family is data alone: that of tests/family/data, which nobody ever built, has
# a box of MSRs, one of PCI functions whose counters have halves, and one in
# memory, each started in its own way. The command that has its tables in it
# lists, encodes, decodes, explains and schedules its events. What it counts is
# told by count.py, a processor of its own that reads what was programmed from
# the files of a tree, and knows nothing of the library; what it writes is worked
# out here, from the layouts, by hand.

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.path.join(os.path.abspath(os.environ.get("UNCORE_BUILD", "build")),
                       "uncore-made-up")
COUNT = os.path.join(HERE, "count.py")
EN = 1 << 22
PCI, MEMORY = 1 << 60, 2 << 60


def pci(function, offset):
    return PCI | (0x10 << 3 | function) << 32 | offset


def memory(window, offset):
    return MEMORY | window << 32 | offset


def uncore(*words):
    return subprocess.run([COMMAND, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def said(*words):
    ended = uncore(*words)
    if ended.returncode:
        raise AssertionError("%s: %s" % (" ".join(words), ended.stderr))
    return ended.stdout


def writes(*events):
    """The writes of the last of some events, as (address, value)."""
    encoded = json.loads(said("encode", "-j", "-m", "made-up", *events))
    return [(w["address"], w["value"]) for w in encoded[-1]["writes"]]


class Texts(unittest.TestCase):
    def test_one_switch_for_all_boxes(self):
        self.assertEqual(writes("abox/LOOKUPS.MISS,thresh=3/"), [
            (0x700, 1 << 29), (0x710, 3 << 24 | EN | 2 << 8 | 0x34),
            (0x708, 1), (0x700, 1 << 28)])

    def test_one_switch_in_each_box(self):
        self.assertEqual(writes("pbox1/CAS.RD,edge/"), [
            (pci(5, 0xF4), 1 << 16 | 1 << 8 | 3),
            (pci(5, 0xD8), EN | 1 << 18 | 3 << 8 | 4),
            (pci(5, 0xF4), 1 << 16)])

    def test_what_it_writes_besides(self):
        self.assertIn((pci(4, 0xE8), 0x13), writes("pbox0/MATCHED,opc=0x13/"))

    def test_a_code_in_two_fields(self):
        self.assertIn((pci(4, 0xDC), EN | 1 << 21 | 0xC7),
                      writes("pbox0/WIDE/"))
        text = said("decode", "-m", "made-up", "pci:10.4+0xDC",
                    hex(EN | 1 << 21 | 0xC7))
        self.assertIn("pbox0/WIDE,counter=1/", text)
        # without the higher bit it is no event
        self.assertNotIn("WIDE", said("decode", "-m", "made-up",
                                      "pci:10.4+0xDC", hex(EN | 0xC7)))
        again = writes("pbox0/ev_sel=0xc7,ev_sel_ext=1/")
        self.assertIn((pci(4, 0xDC), EN | 1 << 21 | 0xC7), again)

    def test_filters_without_signals(self):
        self.assertIn((pci(4, 0xEC), 0x182 << 23 | 2 << 10),
                      writes("pbox0/TOR.NODE_OPC,opc=0x182,nid=REMOTE/"))
        self.assertIn((pci(4, 0xEC), 0x1C0 << 23),
                      writes("pbox0/TOR.OPCODE/"))
        self.assertNotIn(pci(4, 0xEC), dict(writes("pbox0/TOR.ALL/")))
        text = said("decode", "-m", "made-up", "pci:10.4+0xD8",
                    hex(EN | 0x4135), "pci:10.4+0xEC",
                    hex(0x182 << 23 | 2 << 10))
        self.assertIn("pbox0/TOR.NODE_OPC,opc=0x182,nid=REMOTE,counter=0/",
                      text)
        refused = uncore("encode", "-m", "made-up", "pbox0/TOR.ALL,opc=1/")
        self.assertNotEqual(refused.returncode, 0)
        refused = uncore("encode", "-m", "made-up", "pbox0/TOR.OPCODE,opc=any/")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("without opc= it is 0x1c0", refused.stderr)

    def test_a_filter_is_shared_by_who_wants_the_same(self):
        same = said("schedule", "-m", "made-up", "pbox/TOR.OPCODE,opc=1/",
                    "pbox/TOR.NODE_OPC,opc=1,nid=LOCAL/", "pbox/TOR.ALL/")
        self.assertNotIn("take turns", same)
        text = said("schedule", "-m", "made-up", "pbox/TOR.OPCODE,opc=1/",
                    "pbox/TOR.NODE_OPC,opc=2,nid=LOCAL/")
        self.assertIn("need different FILTER.opc (1, 2; P_FILTER", text)

    def test_no_switch(self):
        self.assertEqual(writes("vbox/BEATS/"), [
            (memory(0, 0x22840), EN | 2), (memory(1, 0x22840), EN | 2)])

    def test_the_second_event_has_the_second_counter(self):
        self.assertIn((pci(4, 0xDC), EN | 0xC << 8 | 4),
                      writes("pbox0/CAS.RD/", "pbox0/CAS.WR/"))

    def test_where_to_look_for_a_function(self):
        row = json.loads(said("registers", "-j", "-m", "made-up",
                              "pci:10.5+0xA8"))[0]
        self.assertEqual(
            (row["name"], row["space"], row["device"], row["function"],
             row["offset"], row["id"]),
            ("P1_CTR1", "pci", 0x10, 5, 0xA8, "8086:0aa1"))
        self.assertIn("8086:0aa0", said("encode", "-m", "made-up",
                                        "pbox0/CAS.RD/"))

    def test_decoding(self):
        text = said("decode", "-m", "made-up", "pci:10.4+0xD8",
                    hex(2 << 24 | EN | 0xC << 8 | 4))
        self.assertIn("pbox0/CAS.WR,threshold=0x2,counter=0/", text)
        text = said("decode", "-m", "made-up", "mem:1+0x22844", hex(EN | 2))
        self.assertIn("vbox1/BEATS,counter=1/", text)

    def test_names_pages_and_lists(self):
        self.assertIn("3 counters of 44 bits", said("list", "-m", "made-up"))
        self.assertIn("pci:10.4+0xA0", said("explain", "-m", "made-up",
                                            "P0_CTR0"))
        self.assertIn("Commands with the opcode",
                      said("explain", "-m", "made-up", "pbox/MATCHED/"))

    def test_scheduling(self):
        text = said("schedule", "-m", "made-up", "abox/LOOKUPS.HIT/",
                    "abox/LOOKUPS.MISS/", "pbox/MATCHED,opc=1/",
                    "pbox/MATCHED,opc=2/", "vbox/BEATS/")
        self.assertIn("2 slices take turns", text)
        self.assertIn("need counter 0 of the A-Box", text)
        self.assertIn("need different MATCH.opc (1, 2; P_MATCH", text)

    def test_there_is_no_model_of_it(self):
        ended = uncore("stat", "-m", "made-up", "-e", "vbox/BEATS/", "true")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("no model of 'made-up'", ended.stderr)


# Of each socket its uncore's bus, and what the function with the node map says:
# the ids of nodes in bits 5:4, those of sockets 0 to 3 in two bits each.
BUSES = {0: ("ff", 2), 1: ("3f", 1)}
NODE_MAP = 2 | 1 << 2 | 3 << 4 | 0 << 6


class Counting(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = self.holder.name
        with open(os.path.join(self.folder, "status"), "w") as status:
            status.write("family: made-up\nsockets: 2\ncores_per_socket: 4\n"
                         "clock: step\ncycle: 0\nclock_hz: 1000000000\n")
        for cpu in ("0", "4"):
            self.file(4096, cpu, "msr")
            for unit in ("0", "1"):
                self.file(1 << 18, cpu, "mem", unit)
        for bus, node in BUSES.values():
            for unit in ("0b.0", "10.4", "10.5"):
                self.file(256, "pci", bus, unit)
            self.poke(node << 4, 4, 0x48, "pci", bus, "0b.0")
            self.poke(NODE_MAP, 4, 0x4C, "pci", bus, "0b.0")
        with open(self.path("pci", "devices"), "w") as devices:
            devices.write("0000\t80861237\t0\n")
            for bus in ("3f", "ff"):
                devices.write("%s58\t80860ab0\t0\n%s84\t80860aa0\t0\n"
                              "%s85\t80860aa1\t0\n" % (bus, bus, bus))
        self.on = "msr:%s,pci:%s" % (self.folder, self.path("pci"))

    def tearDown(self):
        self.holder.cleanup()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def file(self, size, *names):
        os.makedirs(os.path.dirname(self.path(*names)), exist_ok=True)
        with open(self.path(*names), "wb") as file:
            file.truncate(size)

    def poke(self, value, size, place, *names):
        with open(self.path(*names), "r+b") as file:
            file.seek(place)
            file.write(value.to_bytes(size, "little"))

    def contents(self):
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.join(folder, name)] = file.read()
        return found

    def count(self, *events, times=1):
        options = [w for e in events for w in ("-e", e)]
        ended = uncore("stat", "--on", self.on, "-j", "--replace", "--per-box",
                       "--per-socket", *options, "-o", self.path("out"), "--",
                       "sh", "-c", "for i in $(seq %d); do %s %s %s; done" % (
                           times, sys.executable, COUNT, self.folder))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        with open(self.path("out")) as file:
            counts = json.load(file)["counts"]
        os.remove(self.path("out"))
        return {(c["event"], c["socket"], c["box"]): c["value"]
                for c in counts}

    def test_each_box_counts_its_event(self):
        counts = self.count("abox/LOOKUPS.MISS/", "pbox/CAS.RD/",
                            "pbox/MATCHED,opc=0x13/", "vbox/BEATS/")
        each = {"abox/LOOKUPS.MISS/": (1, 1000 + 10 * 0x34 + 2),
                "pbox/CAS.RD/": (2, 2000 + 10 * 4 + 3),
                "pbox/MATCHED,opc=0x13/": (2, 2000 + 10 * 9 + 100000 * 0x13),
                "vbox/BEATS/": (2, 3000 + 10 * 2)}
        self.assertEqual(len(counts), 14)
        for (event, _, _), value in counts.items():
            self.assertEqual(value, each[event][1], event)

    def test_registers_are_put_back(self):
        for bus, _ in BUSES.values():
            self.poke(0x00120012, 4, 0xD8, "pci", bus, "10.4")
            self.poke(0x7777777, 8, 0xA0, "pci", bus, "10.5")
            self.poke(0x3F, 4, 0xE8, "pci", bus, "10.4")
        for cpu in ("0", "4"):
            self.poke(0x55, 4, 0x22844, cpu, "mem", "1")
            self.poke(0x1, 4, 0x708, cpu, "msr")
        before = self.contents()
        self.count("abox/CLOCKS/", "pbox/MATCHED,opc=1/", "vbox/BEATS/",
                   "vbox/BEATS,counter=1/")
        self.assertEqual(self.contents(), before)

    def test_a_carry_from_one_half_to_the_other(self):
        # The program sets one counter just below 2^32 before it counts; the
        # sum has that of the other socket as well.
        events = ("pbox0/CAS.RD/",)
        text = uncore("stat", "--on", self.on, "-j", "--replace", "-o",
                      self.path("out"), "-e", events[0], "--", "sh", "-c",
                      "%s -c 'f = open(\"%s\", \"r+b\"); f.seek(0xA0); "
                      "f.write((2**32 - 10).to_bytes(8, \"little\"))' && "
                      "%s %s %s" % (
                          sys.executable, self.path("pci", "ff", "10.4"),
                          sys.executable, COUNT, self.folder))
        self.assertEqual(text.returncode, 0, text.stderr)
        with open(self.path("out")) as file:
            count = json.load(file)["counts"][0]["value"]
        self.assertEqual(count, 2 ** 32 - 10 + 2043 + 2043)

    def test_it_cannot_be_sampled(self):
        for event, why in (("abox/CLOCKS,period=100/", "nobody has wired"),
                           ("pbox/CAS.RD,period=100/", "software alone")):
            ended = uncore("record", "--on", self.on, "-o",
                           self.path("x.rec"), "-e", event, "true")
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("cannot be sampled: " + why, ended.stderr)

    def test_a_neighbour_is_seen(self):
        self.poke(1 << 28, 4, 0x700, "0", "msr")
        self.poke(1, 4, 0x708, "0", "msr")
        self.poke(EN, 4, 0x710, "0", "msr")
        ended = uncore("stat", "--on", self.on, "-e",
                       "abox/CLOCKS/", "true")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("counter 0 of A-Box 0 is enabled", ended.stderr)

    def test_a_neighbour_in_a_box_of_its_own_switch(self):
        self.poke(EN | 4, 4, 0xDC, "pci", "3f", "10.5")
        ended = uncore("stat", "--on", self.on, "-e",
                       "pbox0/CAS.RD/", "true")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("counter 1 of P-Box 1 is enabled", ended.stderr)


if __name__ == "__main__":
    unittest.main()
