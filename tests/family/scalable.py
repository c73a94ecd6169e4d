#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The tables of the Xeon Scalable: every event and unit
# mask of Intel's lists (scalable_1.txt, scalable_2.txt) has its code, its counters and
# its encoding, worked out here by hand from the layouts on docs/xeon-scalable.md, and
# what is encoded decodes to it. What Intel explains counts on a model, or says why not.

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
UNCORE = os.environ.get("UNCORE", "build/uncore")
EN = 1 << 22
# Of each box: instances; an MSR, or bus, device and function of each; where control 0
# is and how far apart they are, and of MSRs the instances.
MSRS = {"cha": (28, 0xE01, 0x10), "iio": (6, 0xA48, 0x20), "irp": (6, 0xA5B, 0x20),
        "pcu": (1, 0x711, 0), "ubox": (1, 0x705, 0)}
FUNCTIONS = {
    "imc": (0xD8, 4, ("2:0a.2", "2:0a.6", "2:0b.2", "2:0c.2", "2:0c.6", "2:0d.2")),
    "m2m": (0x228, 8, ("2:08.0", "2:09.0")),
    "upi": (0x350, 8, ("3:0e.0", "3:0f.0", "3:10.0")),
    "m3upi": (0xD8, 4, ("3:12.1", "3:12.2", "3:12.5"))}
FILTERED = {"TOR_INSERTS", "TOR_OCCUPANCY", "LLC_LOOKUP", "UPI_CREDITS_ACQUIRED",
            "UPI_CREDIT_OCCUPANCY"}
FIXED = {("ubox", "FIXED_CTR"), ("imc", "FIXED_CTR")}


def uncore(*words):
    return subprocess.run((UNCORE,) + words, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def said(*words):
    ended = uncore(*words)
    if ended.returncode:
        raise AssertionError("%s: %s" % (" ".join(words[:6]), ended.stderr))
    return ended.stdout


def writes(machine, *events):
    """Address as text: value, for each event."""
    return [{place(w["address"]): w["value"] for w in event["writes"]}
            for event in json.loads(said("encode", "-j", "-m", machine, *events))]


def place(address):
    if address < 1 << 60:
        return hex(address)
    unit = address >> 32 & 0xFFFF
    return "pci:%x:%02x.%x+0x%x" % (unit >> 8, unit >> 3 & 31, unit & 7,
                                    address & 0xFFFF)


def control(box, instance, counter):
    if box in MSRS:
        _, first, apart = MSRS[box]
        return hex(first + instance * apart + counter)
    first, apart, functions = FUNCTIONS[box]
    return "pci:%s+0x%x" % (functions[instance], first + counter * apart)


def instances(box):
    return MSRS[box][0] if box in MSRS else len(FUNCTIONS[box][2])


def mask(text):
    """NAME=0x11!40233, NAME=0x08+1, NAME=0x01@1/7: name, the bits above the code,
    and the second filter register (None: of no opcode)."""
    text, _, ports = text.partition("@")
    text, _, opcodes = text.partition("!")
    text, _, above = text.partition("+")
    name, _, bits = text.partition("=")
    value = int(bits, 16) << 8 | int(above or "0", 16) << 32
    if ports:
        channels, _, kinds = ports.partition("/")
        value |= int(channels, 16) << 36 | int(kinds, 16) << 44
    return name, value, int(opcodes, 16) if opcodes else None


def listed(*names):
    """{(box, event): (code, counters, [mask])}, of which later files change some."""
    rows = {}
    for name in names:
        with open(os.path.join(HERE, name), encoding="utf-8") as lines:
            for line in lines:
                words = line.split()
                if words[0] == "-":
                    del rows[words[1], words[2]]
                elif words[0] != "#":
                    first, _, last = words[3].partition("-")
                    rows[words[0], words[1]] = (
                        int(words[2], 16),
                        list(range(int(first), int(last or first) + 1)),
                        [mask(word) for word in words[4:]])
    return rows


def filters(name, opcodes):
    """The two filter registers of a CHA, as far as the event needs them."""
    if name.startswith("TOR"):
        return {6: 0x3B if opcodes is None else opcodes}
    if name == "LLC_LOOKUP":
        return {5: 0x3FF << 17}
    return {5: 0} if name in FILTERED else {}


class First(unittest.TestCase):
    machine, files = "xeon-scalable-1", ("scalable_1.txt",)
    # Of the list without the two fixed counters: rows, and events of each box.
    num_rows, sizes = 2530, {"cha": 101, "m2m": 121, "imc": 46, "upi": 36,
                             "m3upi": 111, "iio": 16, "irp": 30, "pcu": 23, "ubox": 5}

    @classmethod
    def setUpClass(cls):
        cls.listed = listed(*cls.files)
        cls.known = {(e["box"], e["name"]): e for e in json.loads(
            said("list", "-j", "-m", cls.machine))["events"]}
        cls.rows = {}  # text: box, event, code, counters, bits, opcodes
        cls.alike = {}
        for (box, name), (code, counters, masks) in cls.listed.items():
            for part, bits, opcodes in masks or [("", 0, None)]:
                text = "%s%s" % (name, part and "." + part)
                cls.rows[box + "/" + text] = (box, name, code, counters, bits, opcodes)
                cls.alike.setdefault((box, code, bits, opcodes), set()).add(text)

    def test_counts_of_the_lists(self):
        self.assertEqual(len(self.rows), self.num_rows)
        boxes = [box for box, _ in self.listed]
        self.assertEqual({b: boxes.count(b) for b in set(boxes)}, self.sizes)

    def test_no_event_is_missing_and_none_too_much(self):
        self.assertEqual(set(self.known), set(self.listed) | FIXED)
        for key, (code, counters, masks) in self.listed.items():
            event = self.known[key]
            self.assertEqual(event["code"], code, key)
            self.assertEqual(event["counters"], counters, key)
            self.assertEqual({m["name"] for m in event["unit_masks"]},
                             {m[0] for m in masks}, key)
            self.assertTrue(event["brief"] and event["source"], key)

    def test_each_encodes_as_the_list_has_it(self):
        texts = ["%s%d/%s/" % (row[0], 0, text.split("/")[1])
                 for text, row in self.rows.items()]
        for text, done, row in zip(texts, self.encoded(texts), self.rows.values()):
            box, name, code, counters, bits, opcodes = row
            wanted = {control(box, 0, counters[0]): EN | bits | code}
            if box == "cha":
                wanted.update({hex(0xE00 + at): value for at, value in
                               filters(name, opcodes).items()})
            self.assertEqual(wanted, {at: done[at] for at in wanted if at in done}, text)

    def encoded(self, texts):
        """Each alone: explain takes events that do not fit together."""
        for start in range(0, len(texts), 400):
            for page in json.loads(said("explain", "-j", "-m", self.machine,
                                        *texts[start:start + 400])):
                yield {place(w["address"]): w["value"] for w in page["writes"]}

    def test_what_they_encode_decodes_to_the_same(self):
        """As many at a time as the box has counters, where none needs a filter."""
        for box in self.sizes:
            free = []  # instance, counter
            words, wanted = [], {}
            for text, (of, name, code, counters, bits, opcodes) in self.rows.items():
                if of != box:
                    continue
                alone = name in FILTERED
                at = next((p for p in free if p[1] in counters and not (
                    alone and (p[0], -1) not in free)), None)
                if not at:
                    self.decode(box, words, wanted)
                    words, wanted = [], {}
                    free = [(i, c) for i in range(instances(box))
                            for c in [-1, *range(4)]]
                    at = next(p for p in free if p[1] in counters)
                free = [p for p in free if p != at and p[1:] != (-1,) or p[0] != at[0]]
                if alone:
                    free = [p for p in free if p[0] != at[0]]
                    for offset, value in filters(name, opcodes).items():
                        words += [hex(0xE00 + 0x10 * at[0] + offset), hex(value)]
                words += [control(box, *at), hex(EN | bits | code)]
                wanted["%s%d" % (box, at[0]), at[1]] = (
                    text, self.alike[box, code, bits, opcodes])
            self.decode(box, words, wanted)

    def decode(self, box, words, wanted):
        found = {}
        for line in said("decode", "-m", self.machine, *words).splitlines() \
                if words else []:
            if line.startswith("  selects "):
                where, event, _ = line[10:].split("/")
                name, *options = event.split(",")
                counter = next(int(o[8:]) for o in options if o.startswith("counter="))
                found[where, counter] = name
        for key, (text, names) in wanted.items():
            self.assertIn(found.get(key), names, (text, key))

    def test_counters_that_the_list_and_linux_have(self):
        for event, counter in (
                ("cha/TOR_OCCUPANCY.IA_MISS,counter=1/", "counter"),
                ("iio/DATA_REQ_OF_CPU.MEM_READ.PART0,counter=2/", "counter"),
                ("iio/DATA_REQ_BY_CPU.MEM_READ.PART0,counter=0/", "counter"),
                ("m3upi/TxC_AK_FLQ_OCCUPANCY,counter=1/", "counter"),
                ("irp/FAF_INSERTS,counter=2/", "no counter 2")):
            ended = uncore("encode", "-m", self.machine, event)
            self.assertNotEqual(ended.returncode, 0, event)
            self.assertIn(counter, ended.stderr)
        self.assertIn("2 slices take turns", said(
            "schedule", "-m", self.machine, *["cha0/TOR_OCCUPANCY.%s/" % m
                                              for m in ("IA_MISS", "IO_MISS")]))

    def test_filters_of_a_cha(self):
        """0x3B filters nothing; an opcode takes the place of bit 3."""
        for event, register, value in (
                ("TOR_INSERTS.IA_MISS,opc0=RFO/", 0xE06, 0x200 << 9 | 0x33),
                ("TOR_INSERTS.IA,opc0=DRd,opc1=ItoM,rem=0/", 0xE06,
                 0x248 << 19 | 0x202 << 9 | 0x32),
                ("TOR_INSERTS.IA_MISS_DRD,loc=0/", 0xE06, 0x40431),
                ("TOR_INSERTS.IO,isoc=1/", 0xE06, 1 << 31 | 0x3B),
                ("LLC_LOOKUP.ANY,state=LLC_I/", 0xE05, 1 << 17),
                # what is measured elsewhere as look-ups in the cache alone
                ("LLC_LOOKUP.DATA_READ,state=LLC_S|LLC_E|LLC_M|LLC_F/", 0xE05,
                 0x1E00000),
                ("TOR_OCCUPANCY.IA,tid=0x1F9/", 0xE05, 0x1F9)):
            done, = writes(self.machine, "cha0/" + event)
            self.assertEqual(done[hex(register)], value, event)
        self.assertIn("2 slices take turns", said(
            "schedule", "-m", self.machine, "cha/TOR_INSERTS.IA_MISS_DRD/",
            "cha/TOR_INSERTS.IA_MISS_RFO/"))
        self.assertNotIn("take turns", said(
            "schedule", "-m", self.machine, "cha/TOR_INSERTS.IA_MISS_DRD/",
            "cha/TOR_OCCUPANCY.IA_MISS_DRD/", "cha/SF_EVICTION.M_STATE/"))

    def test_names_of_others(self):
        for theirs, ours in (
                ("cha0/unc_cha_tor_inserts.ia_miss_drd/", "cha0/TOR_INSERTS.IA_MISS_DRD/"),
                ("cha1/UNC_C_TOR_INSERTS.IA_MISS/", "cha1/TOR_INSERTS.IA_MISS/"),
                ("m2m0/UNC_M2_DIRECTORY_UPDATE.S2A/", "m2m0/DIRECTORY_UPDATE.S2A/"),
                ("uncore_cha_2/event=0x35,umask=0x21,filter_opc0=0x202,filter_rem=1,"
                 "filter_loc=1,filter_nm=1,filter_not_nm=1/",
                 "cha2/TOR_INSERTS.IA_MISS_DRD/"),
                ("uncore_imc_3/cas_count_read/", "imc3/CAS_COUNT.RD/"),
                ("uncore_iio_1/event=0x83,umask=0x4,ch_mask=0x1,fc_mask=0x7/",
                 "iio1/DATA_REQ_OF_CPU.MEM_READ.PART0/"),
                ("uncore_upi_1/event=0x2,umask=0xf/", "upi1/TxL_FLITS.ALL_DATA/"),
                ("CAS_COUNT_RD:MBOX2C0", "imc2/CAS_COUNT.RD,counter=0/"),
                ("TOR_INSERTS_IA_MISS:CBOX3C1", "cha3/TOR_INSERTS.IA_MISS,counter=1/"),
                ("LLC_VICTIMS_M_STATE:CBOX27C0", "cha27/LLC_VICTIMS.TOTAL_M,counter=0/"),
                ("DIRECTORY_UPDATE_ANY:M2M1C3", "m2m1/DIRECTORY_UPDATE.ANY,counter=3/"),
                ("DATA_REQ_OF_CPU_MEM_READ_PART0:IBOX1C0",
                 "iio1/DATA_REQ_OF_CPU.MEM_READ.PART0,counter=0/"),
                ("SBOX_CLOCKTICKS:SBOX2C1", "upi2/CLOCKTICKS,counter=1/"),
                ("DRAM_CLOCKTICKS:MBOX0FIX", "imc0/FIXED_CTR/"),
                ("UNCORE_CLOCK:UBOXFIX", "ubox/FIXED_CTR/")):
            self.assertEqual(*writes(self.machine, theirs, ours), theirs)

    def test_where_boxes_are_held(self):
        done, = writes(self.machine, "m2m1/IMC_READS.ALL/")
        self.assertEqual(done["pci:2:09.0+0x258"], 0)
        rows = {r["name"]: r for r in json.loads(
            said("registers", "-j", "-m", self.machine))}
        self.assertEqual(place(rows["UPI2_PCI_PMON_CTR3"]["address"]),
                         "pci:3:10.0+0x330")
        self.assertEqual(rows["UPI2_PCI_PMON_CTR3"]["id"], "8086:2058")
        self.assertEqual(rows["IIO5_MSR_UTIL_OUT_PORT3"]["address"], 0xB5F)
        self.assertEqual(rows["C27_MSR_PMON_CTR3"]["address"], 0xFBB)

    def test_the_model_counts_what_it_knows(self):
        ended = uncore("stat", "-m", self.machine, "-w", "stream:threads=1,size=64K,op=read",
                       "--detail=full", "-e", "cha/TOR_INSERTS.IA_MISS_DRD/")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_what_it_does_not_know_is_refused_by_name(self):
        ended = uncore("stat", "-m", self.machine, "-w", "idle", "-e", "cha/WB_PUSH_MTOI.LLC/")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("the model has no mechanism for WB_PUSH_MTOI.LLC", ended.stderr)

    def test_metrics_are_there(self):
        names = said("list", "-m", self.machine, "--metrics")
        for name in ("memory_read_bandwidth", "llc_miss_latency_remote",
                     "snoop_filter_evictions", "llc_victims", "directory_updates",
                     "upi_data_use", "ddio_miss_ratio", "io_read_bandwidth"):
            self.assertIn(name, names)


class Second(First):
    machine, files = "xeon-scalable-2", ("scalable_1.txt", "scalable_2.txt")
    num_rows, sizes = 2641, {**First.sizes, "cha": 102, "m2m": 124, "imc": 70,
                             "upi": 34}


# Buses of each socket, in the order of their numbers in the addresses, and its node.
BUSES = {0: ((0x00, 0x17, 0x3A, 0x5D), 3), 1: ((0x80, 0x85, 0xAE, 0xD7), 1)}
NODE_MAP = 0xFFFFC0 | 1 << 3 | 3
# Functions of a socket: bus, device and function, id; where control 0 and counter 0 are.
UBOX = 0, 0x08 << 3, 0x2014
COUNTED = {(2, 0x0B << 3 | 2, 0x204A): (0xD8, 0xA0), (2, 0x08 << 3, 0x2066): (0x228, 0x200),
           (2, 0x09 << 3, 0x2066): (0x228, 0x200), (3, 0x0E << 3, 0x2058): (0x350, 0x318),
           (3, 0x10 << 3, 0x2058): (0x350, 0x318)}


class Files(unittest.TestCase):
    """A tree of PCI functions like that of the boot log, with the buses of two sockets;
    what runs puts socket and control into each counter."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        with open(os.path.join(self.folder, "status"), "w", encoding="ascii") as status:
            status.write("family: xeon-scalable-1\nsockets: 2\ncores_per_socket: 4\n"
                         "clock: step\ncycle: 0\nclock_hz: 2400000000\n")
        lines = ["0000\t80861237\t0"]
        for socket, (buses, node) in BUSES.items():
            self.file(8192, str(4 * socket), "msr")
            for bus, unit, device in (UBOX, *COUNTED):
                self.file(4096, *self.function(socket, bus, unit))
                lines.append("%02x%02x\t8086%04x\t0" % (buses[bus], unit, device))
            self.poke(node, 0xC0, *self.function(socket, *UBOX[:2]))
            self.poke(NODE_MAP, 0xD4, *self.function(socket, *UBOX[:2]))
        with open(os.path.join(self.folder, "pci", "devices"), "w",
                  encoding="ascii") as devices:
            devices.write("\n".join(lines) + "\n")

    @staticmethod
    def function(socket, bus, unit):
        return "pci", "%02x" % BUSES[socket][0][bus], "%02x.%x" % (unit >> 3, unit & 7)

    def file(self, size, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(size)

    def poke(self, value, at, *names):
        with open(os.path.join(self.folder, *names), "r+b") as file:
            file.seek(at)
            file.write(value.to_bytes(4, "little"))

    def test_counters_on_several_buses(self):
        program = os.path.join(self.folder, "program.py")
        with open(program, "w", encoding="ascii") as text:
            text.write("for path, control, counter, more in %r:\n"
                       "    with open(path, 'r+b') as f:\n"
                       "        f.seek(control)\n"
                       "        value = int.from_bytes(f.read(2), 'little')\n"
                       "        f.seek(counter)\n"
                       "        f.write((value + more).to_bytes(8, 'little'))\n" % (
                           [(os.path.join(self.folder, *self.function(s, *at[:2])), *where,
                             100000 * (s + 1) + 10000000 * n) for s in BUSES
                            for n, (at, where) in enumerate(COUNTED.items())],))
        events = ("imc2/CAS_COUNT.RD,counter=0/", "m2m0/IMC_READS.ALL,counter=0/",
                  "m2m1/IMC_WRITES.ALL,counter=0/", "upi0/TxL_FLITS.ALL_DATA,counter=0/",
                  "upi2/RxL_FLITS.ALL_DATA,counter=0/")
        codes = 0x304, 0x437, 0x1038, 0xF02, 0xF03
        out = os.path.join(self.folder, "out")
        ended = uncore("stat", "--on", "msr:%s,pci:%s/pci" % (self.folder, self.folder),
                       "-j", "--per-socket", *[w for e in events for w in ("-e", e)],
                       "-o", out, "--", sys.executable, program)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        with open(out, encoding="utf-8") as text:
            found = {(c["event"], c["socket"]): c["value"]
                     for c in json.load(text)["counts"]}
        for n, (event, code) in enumerate(zip(events, codes)):
            for socket in BUSES:
                self.assertEqual(found[event, socket],
                                 code + 100000 * (socket + 1) + 10000000 * n, event)


class Explained(unittest.TestCase):
    """What Intel's lists explain counts on a model, or is refused with the reason."""
    # Rows, and those that are refused.
    machines = {"xeon-scalable-1": (219, 14), "xeon-scalable-2": (235, 30)}

    def rows(self, generation):
        with open(os.path.join(HERE, "scalable_explained.txt"), encoding="utf-8") as lines:
            for line in lines:
                box, name, *masks = line.split()
                for mask in masks if box != "#" else ():
                    mask, _, only = mask.partition("@")
                    if not only or only == generation:
                        yield box, name, None if mask == "-" else mask

    def test_each_counts_or_says_why_not(self):
        for machine, expected in self.machines.items():
            known = {(e["box"], e["name"], m["name"]): m["modelled"] for e in json.loads(
                said("list", "-j", "-m", machine))["events"]
                for m in e["unit_masks"] or [{"name": None, "modelled": e["modelled"]}]}
            rows = list(self.rows(machine[-1]))
            refused = [row for row in rows if not known[row]]
            self.assertEqual((len(rows), len(refused)), expected, machine)
            for box, name, mask in refused:
                text = "%s/%s%s/" % (box, name, "." + mask if mask else "")
                ended = uncore("stat", "-m", machine, "-w", "idle", "--cycles", "10", "-e", text)
                self.assertNotEqual(ended.returncode, 0, text)
                self.assertRegex(ended.stderr, "has no mechanism for .*: [a-z]", text)


if __name__ == "__main__":
    unittest.main()
