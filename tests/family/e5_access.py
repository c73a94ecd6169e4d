#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Registers of the Xeon E5-2600 through files: MSRs and PCI functions of trees
# that are made here, as /proc/bus/pci and as /sys/bus/pci/devices. What counts
# in them is this file again, run as the program: in each counter that is let
# count it adds a number of its socket, function and event, which it finds by
# numbers of buses that the command is not told. Functions are hidden, moved and
# cut off, and what is said of it is compared.

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
EN, FREEZE = 1 << 22, 0x10100
# Of each socket the bus, and the id of its node; who goes by the order of buses
# or by the ids takes one for the other.
BUSES = {0: (0xFF, 4), 1: (0x3F, 1)}
NODE_MAP = 0xFFFFC0 | 1 << 3 | 4
UBOX = 0x0B << 3
# Device * 8 + function, and device id, of functions that can be counted in.
FUNCTIONS = {
    0x0E << 3 | 1: 0x3C46, 0x10 << 3: 0x3CB0, 0x10 << 3 | 1: 0x3CB1,
    0x10 << 3 | 4: 0x3CB4, 0x10 << 3 | 5: 0x3CB5, 8 << 3 | 2: 0x3C41,
    9 << 3 | 2: 0x3C42, 0x13 << 3 | 1: 0x3C43, 0x13 << 3 | 5: 0x3C44,
    0x13 << 3 | 6: 0x3C45,
}
MATCHES = {8 << 3 | 6: 0x3C86, 9 << 3 | 6: 0x3C96}
QPI0, QPI1 = 8 << 3 | 2, 9 << 3 | 2
CBO_BASES = range(0xD00, 0xE00, 0x20)


def amount(socket, place, event):
    return 100000 * (socket + 1) + 256 * place + event


class Word:
    """32 bits at a place of a file."""

    def __init__(self, path, place):
        self.path, self.place = path, place

    def get(self):
        with open(self.path, "rb") as file:
            file.seek(self.place)
            return int.from_bytes(file.read(4), "little")

    def set(self, value, size=4):
        with open(self.path, "r+b") as file:
            file.seek(self.place)
            file.write(value.to_bytes(size, "little"))


class Tree:
    """Both trees of a machine; `proc` says as what the functions look."""

    def __init__(self, folder, proc):
        self.folder, self.proc = folder, proc
        self.where = {}  # (socket, id): device * 8 + function

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def config(self, socket, device):
        bus, place = BUSES[socket][0], self.where[socket, device]
        unit = "%02x.%x" % (place >> 3, place & 7)
        if self.proc:
            return self.path("pci", "%02x" % bus, unit)
        return self.path("pci", "0000:%02x:%s" % (bus, unit), "config")

    def make(self):
        for cpu in ("0", "8"):
            self.file(4096, cpu, "msr")
        with open(self.path("status"), "w") as status:
            status.write("family: xeon-e5-2600\nsockets: 2\n"
                         "cores_per_socket: 8\nclock: step\ncycle: 0\n"
                         "clock_hz: 2900000000\n")
        for socket in BUSES:
            self.add(socket, UBOX, 0x3CE0)
            for place, device in {**FUNCTIONS, **MATCHES}.items():
                self.add(socket, place, device)
            self.word(socket, 0x3CE0, 0x40).set(BUSES[socket][1])
            self.word(socket, 0x3CE0, 0x54).set(NODE_MAP)

    def file(self, size, *names):
        os.makedirs(os.path.dirname(self.path(*names)), exist_ok=True)
        with open(self.path(*names), "wb") as file:
            file.truncate(size)

    def add(self, socket, place, device):
        self.where[socket, device] = place
        self.file(4096, self.config(socket, device))
        self.word(socket, device, 0).set(device << 16 | 0x8086)
        if self.proc:
            self.list_all()
            return
        folder = os.path.dirname(self.config(socket, device))
        for name, value in (("vendor", 0x8086), ("device", device)):
            with open(os.path.join(folder, name), "w") as file:
                file.write("0x%04x\n" % value)

    def hide(self, socket, device):
        os.remove(self.config(socket, device))
        if not self.proc:
            folder = os.path.dirname(self.config(socket, device))
            os.remove(os.path.join(folder, "vendor"))
        del self.where[socket, device]
        self.list_all()

    def list_all(self):
        if not self.proc:
            return
        with open(self.path("pci", "devices"), "w") as file:
            file.write("0000\t80863c00\t0\t0\n")
            for (socket, device), place in sorted(
                    self.where.items(), key=lambda at: BUSES[at[0][0]][0]):
                file.write("%02x%02x\t8086%04x\t0\t%s\n" % (
                    BUSES[socket][0], place, device, "0\t" * 14))

    def word(self, socket, device, place):
        return Word(self.config(socket, device), place)

    def count(self):
        for (socket, device), place in self.where.items():
            if device not in FUNCTIONS.values():
                continue
            if self.word(socket, device, 0xF4).get() & FREEZE == FREEZE:
                continue
            for n in range(4):
                control = self.word(socket, device, 0xD8 + 4 * n).get()
                if control & EN:
                    self.word(socket, device, 0xA0 + 8 * n).set(
                        amount(socket, place, control & 0xFF), 8)
        for socket, cpu in enumerate(("0", "8")):
            for base in CBO_BASES:
                control = Word(self.path(cpu, "msr"), base + 0x10).get()
                if control & EN:
                    Word(self.path(cpu, "msr"), base + 0x16).set(
                        amount(socket, base, control & 0xFF), 8)

    def save(self):
        with open(self.path("tree"), "w") as file:
            json.dump([self.proc, [[s, d, p] for (s, d), p in
                                   self.where.items()]], file)


def load(folder):
    with open(os.path.join(folder, "tree")) as file:
        proc, where = json.load(file)
    tree = Tree(folder, proc)
    tree.where = {(s, d): p for s, d, p in where}
    return tree


def uncore(*words):
    return subprocess.run((UNCORE,) + words, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


class Case(unittest.TestCase):
    proc = True

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.tree = Tree(self.holder.name, self.proc)
        self.tree.make()
        self.msr = "msr:" + self.holder.name
        self.pci = "pci:" + self.tree.path("pci")
        self.both = self.msr + "," + self.pci

    def tearDown(self):
        self.holder.cleanup()

    def stat(self, on, *events):
        """What is counted: {event: {(socket, box): row}}."""
        self.tree.save()
        words = [w for e in events for w in ("-e", e)]
        ended = uncore("stat", "--on", on, "-j", "--replace", "--per-box", "--per-socket",
                       *words, "-o", self.tree.path("out"), "--",
                       sys.executable, os.path.abspath(__file__), "count",
                       self.holder.name)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        found = {}
        with open(self.tree.path("out")) as file:
            for row in json.load(file)["counts"]:
                found.setdefault(row["event"], {})[
                    row.get("socket"), row.get("box")] = row
        return found

    def refused(self, on, *events):
        words = [w for e in events for w in ("-e", e)]
        ended = uncore("stat", "--on", on, *words, "true")
        self.assertNotEqual(ended.returncode, 0)
        return ended.stderr

    def check(self, rows, places, event, absent=()):
        """Each instance has what its function counts, each socket its own;
        those that are absent have no row."""
        found = {}
        for (socket, box), row in rows.items():
            instance = int(re.search(r"\d*$", box).group() or 0)
            if len(places) == 1:
                instance = 0
            found[socket, places[instance]] = row["value"]
        self.assertEqual(found, {
            (socket, place): amount(socket, place, event) for socket in (0, 1)
            for place in places if (socket, place) not in absent})

    def lacks(self, rows, *words):
        self.assertEqual(len(rows), 1)
        for row in rows.values():
            self.assertIsNone(row["value"])
            for word in words:
                self.assertIn(word, row["note"])


class Proc(Case):
    def test_each_socket_by_its_node_map(self):
        rows = self.stat(self.both, "imc/CAS_COUNT.RD/", "ha/CLOCKTICKS/",
                         "qpi/CLOCKTICKS/", "cbo/CLOCKTICKS/")
        self.check(rows["imc/CAS_COUNT.RD/"],
                   [0x80, 0x81, 0x84, 0x85], 4)
        self.check(rows["ha/CLOCKTICKS/"], [0x71], 0)
        self.check(rows["qpi/CLOCKTICKS/"], [QPI0, QPI1], 0x14)
        self.check(rows["cbo/CLOCKTICKS/"], list(CBO_BASES), 0)

    def test_a_function_is_known_by_its_id(self):
        """Where it is found is where it counts, whatever the table says."""
        self.tree.hide(1, 0x3CB1)
        self.tree.add(1, 0x13 << 3 | 7, 0x3CB1)
        rows = self.stat(self.both, "imc1/CAS_COUNT.RD/")
        self.assertIn(amount(1, 0x13 << 3 | 7, 4), [
            row["value"] for row in rows["imc1/CAS_COUNT.RD/"].values()])

    def test_a_hidden_function(self):
        """What the other socket has, and the other instances, count."""
        self.tree.hide(1, 0x3C42)
        rows = self.stat(self.both, "qpi/CLOCKTICKS/", "qpi0/TxL_INSERTS/",
                         "qpi1/TxL_INSERTS/", "imc/CAS_COUNT.RD/")
        self.check(rows["qpi/CLOCKTICKS/"], [QPI0, QPI1], 0x14,
                   absent=[(1, QPI1)])
        self.check(rows["qpi0/TxL_INSERTS/"], [QPI0], 4)
        self.check(rows["qpi1/TxL_INSERTS/"], [QPI1], 4, absent=[(1, QPI1)])
        self.check(rows["imc/CAS_COUNT.RD/"], [0x80, 0x81, 0x84, 0x85], 4)

    def test_a_hidden_filter(self):
        """Events that want none count all the same."""
        self.tree.hide(0, 0x3C86)
        rows = self.stat(self.both, "qpi0/CTO_COUNT,mc=DRS/",
                         "qpi0/CLOCKTICKS/")
        self.lacks(rows["qpi0/CTO_COUNT,mc=DRS/"], "8086:3c86")
        self.check(rows["qpi0/CLOCKTICKS/"], [QPI0], 0x14)

    def test_without_extended_space(self):
        for socket in BUSES:
            for device in MATCHES.values():
                os.truncate(self.tree.config(socket, device), 256)
        rows = self.stat(self.both, "qpi/CTO_COUNT,mc=DRS/", "qpi/CLOCKTICKS/")
        self.lacks(rows["qpi/CTO_COUNT,mc=DRS/"], "Q_P1_PCI_PMON_PKT_",
                   "extended")
        self.check(rows["qpi/CLOCKTICKS/"], [QPI0, QPI1], 0x14)

    def test_the_head_alone(self):
        for socket in BUSES:
            os.truncate(self.tree.config(socket, 0x3CE0), 64)
        text = self.refused(self.both, "imc/CAS_COUNT.RD/")
        self.assertIn("64 bytes", text)
        self.assertIn("CAP_SYS_ADMIN", text)

    def test_the_head_of_one_function(self):
        os.truncate(self.tree.config(0, 0x3CB4), 64)
        rows = self.stat(self.both, "imc/CAS_COUNT.RD/", "imc0/CAS_COUNT.RD/")
        self.lacks(rows["imc/CAS_COUNT.RD/"], "MC_CH2_", "64 bytes",
                   "there is imc0, imc1, imc3")
        self.check(rows["imc0/CAS_COUNT.RD/"], [0x80], 4)

    def test_one_way_alone(self):
        rows = self.stat(self.msr, "imc/CAS_COUNT.RD/", "cbo/CLOCKTICKS/")
        self.lacks(rows["imc/CAS_COUNT.RD/"], "in PCI functions", "msr,pci")
        self.check(rows["cbo/CLOCKTICKS/"], list(CBO_BASES), 0)
        rows = self.stat(self.pci, "imc/CAS_COUNT.RD/", "cbo/CLOCKTICKS/")
        self.lacks(rows["cbo/CLOCKTICKS/"], "MSRs", "msr,pci")
        self.check(rows["imc/CAS_COUNT.RD/"], [0x80, 0x81, 0x84, 0x85], 4)

    def test_buses_that_cannot_be_told_apart(self):
        self.tree.word(1, 0x3CE0, 0x40).set(BUSES[0][1])
        self.assertIn("both say that they are of socket 0",
                      self.refused(self.both, "ha/CLOCKTICKS/"))
        self.tree.word(1, 0x3CE0, 0x40).set(2)
        self.assertIn("CPUNODEID 0x2 is not in its GIDNIDMAP",
                      self.refused(self.both, "ha/CLOCKTICKS/"))

    def test_a_hidden_node_map(self):
        self.tree.hide(1, 0x3CE0)
        rows = self.stat(self.both, "ha/CLOCKTICKS/", "cbo/CLOCKTICKS/")
        self.lacks(rows["ha/CLOCKTICKS/"], "which bus is that of socket 1")
        self.check(rows["cbo/CLOCKTICKS/"], list(CBO_BASES), 0)
        self.tree.hide(0, 0x3CE0)
        self.assertIn("no function 8086:3ce0",
                      self.refused(self.both, "ha/CLOCKTICKS/"))

    def test_reset_passes_what_is_hidden(self):
        self.tree.hide(1, 0x3C42)
        self.tree.word(1, 0x3C46, 0xD8).set(0x12)
        ended = uncore("reset", "--all", "--on", self.both)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.tree.word(1, 0x3C46, 0xD8).get(), 0)

    def test_who_counts_through_the_other_tree_is_seen(self):
        words = (UNCORE, "stat", "-e", "ha/CLOCKTICKS/", "--on")
        first = subprocess.Popen(
            words + (self.pci, "--", "sh", "-c", "echo; exec sleep 60"),
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        first.stdout.readline()
        text = self.refused(self.both, "imc/CAS_COUNT.RD/")
        first.send_signal(signal.SIGINT)
        first.wait()
        first.stdout.close()
        self.assertIn("is counted by another uncore", text)

    def test_no_tree(self):
        os.mkdir(self.tree.path("empty"))
        self.assertIn("has no PCI functions", self.refused(
            "pci:" + self.tree.path("empty"), "ha/CLOCKTICKS/"))
        self.assertIn("no such folder", self.refused(
            "pci:" + self.tree.path("none"), "ha/CLOCKTICKS/"))
        text = self.refused("pci,msr", "ha/CLOCKTICKS/")
        self.assertIn("--on=pci,msr", text)


class Sys(Proc):
    proc = False


if __name__ == "__main__":
    if sys.argv[1:2] == ["count"]:
        load(sys.argv[2]).count()
    else:
        unittest.main()
