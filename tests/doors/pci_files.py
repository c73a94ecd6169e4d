#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The files of PCI functions answer as those of Linux's /proc/bus/pci do: names,
# sizes, `devices`, accesses of any place and length; headers are what the PCI
# specifications say, ids and classes those of a listing of a real machine. MSRs,
# PCI functions and the socket lead to one model. lspci and setpci, where they are
# installed, find their way in it.

import json
import os
import shutil
import socket
import stat
import struct
import subprocess
import tempfile
import unittest

from msr_server import UNCORE, Server, is_mounted, need_fuse, until

BUSES = ("7f", "ff")
# Function: device id, class, whether it is one of many, size.
SOME = {"08.2": (0x3C41, 0x1101, 256), "08.6": (0x3C86, 0x0880, 4096),
        "0b.0": (0x3CE0, 0x0880, 256), "0e.0": (0x3CA0, 0x0880, 256),
        "0e.1": (0x3C46, 0x1101, 256), "10.5": (0x3CB5, 0x0880, 256),
        "11.0": (0x3CB8, 0x0880, 256), "13.6": (0x3C45, 0x0880, 256)}
LONELY = {"11.0"}
# The first bus of each socket, and its one function.
FIRST, NUMBERS = ("00", "80"), "05.0"
COUNTER, CONTROL, MATCH0 = 0xA0, 0xD8, 0x228


class Client:
    """As that of docs/formats.md."""

    def __init__(self, path):
        self.server = socket.socket(socket.AF_UNIX)
        self.server.connect(path)
        self.ask(1, b"uncore\r\n" + struct.pack("<HHI", 2, 2, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()

    def ask(self, kind, body):
        self.server.sendall(struct.pack("<IHHIi", 16 + len(body), kind, 0, 1,
                                        0) + body)
        size, _, _, _, code = struct.unpack(
            "<IHHIi", self.server.recv(16, socket.MSG_WAITALL))
        if code:
            raise AssertionError(code)
        return self.server.recv(size - 16, socket.MSG_WAITALL)

    def batch(self, *accesses):
        """(CPU, address, value or None): the values."""
        ops = [struct.pack("<IIiIQQ", cpu, v is not None, 0, 0, a, v or 0)
               for cpu, a, v in accesses]
        body = self.ask(2, struct.pack("<IIQ", len(ops), 0, 0) + b"".join(ops))
        rows = list(struct.iter_unpack("<IIiIQQ", body[16:]))
        if any(row[2] for row in rows):
            raise AssertionError(rows)
        return [row[5] for row in rows]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.holder.name, "pci")
        cls.socket = os.path.join(cls.holder.name, "socket")
        os.mkdir(cls.folder)
        cls.server = Server("--machine", "xeon-e5-2600", "--clock", "step",
                            "--pci", cls.folder, "--socket", cls.socket)

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        until("it is unmounted", lambda: not is_mounted(cls.folder))
        cls.holder.cleanup()

    def open(self, bus, function):
        fd = os.open(os.path.join(self.folder, bus, function), os.O_RDWR)
        self.addCleanup(os.close, fd)
        return fd

    def text(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()


class Tree(Case):
    def test_has_a_folder_for_each_socket(self):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(
            BUSES + FIRST + ("clock", "devices", "status")))
        first, second = (sorted(os.listdir(os.path.join(self.folder, bus)))
                         for bus in BUSES)
        self.assertEqual(first, second)
        self.assertTrue(set(SOME) < set(first))
        for bus in FIRST:
            self.assertEqual(os.listdir(os.path.join(self.folder, bus)),
                             [NUMBERS])
        for name in ("01", "7F", "7f/05.0", "7f/8.2", "7f/08.7", "7f/08.20"):
            self.assertFalse(os.path.exists(os.path.join(self.folder, name)))

    def test_each_device_has_its_function_0(self):
        names = os.listdir(os.path.join(self.folder, "7f"))
        for name in names:
            self.assertIn(name[:3] + "0", names)

    def test_the_buses_are_found_as_tools_find_them(self):
        """PCM and LIKWID: bits 15:8 of the register 0x108 of function 5.0 of
        bus 0 are the second bus of socket 0; the bus behind that one is the
        first of the next socket."""
        bus, found = 0, []
        for _ in BUSES:
            fd = self.open("%02x" % bus, NUMBERS)
            self.assertEqual(struct.unpack("<HH", os.pread(fd, 4, 0)),
                             (0x8086, 0x3C28))
            self.assertEqual(os.pread(fd, 2, 10), b"\x80\x08")
            numbers, = struct.unpack("<I", os.pread(fd, 4, 0x108))
            self.assertEqual(numbers & 0x100FF, 0x10000 | bus)
            os.pwrite(fd, b"\xff" * 4, 0x108)
            self.assertEqual(os.pread(fd, 4, 0x108),
                             struct.pack("<I", numbers))
            self.assertEqual(os.fstat(fd).st_size, 4096)
            found.append("%02x" % (numbers >> 8 & 0xFF))
            bus = (numbers >> 8 & 0xFF) + 1
        self.assertEqual(tuple(found), BUSES)

    def test_sizes_and_permissions(self):
        for name, (_, _, size) in SOME.items():
            found = os.stat(os.path.join(self.folder, "ff", name))
            self.assertEqual(found.st_size, size, name)
            self.assertEqual(found.st_mode, stat.S_IFREG | 0o600)

    def test_devices_as_the_kernel_has_them(self):
        lines = self.text("devices").splitlines()
        places = set()
        for line in lines:
            words = line.split("\t")
            # place, id, interrupt, 7 places and 7 sizes, driver
            self.assertEqual(len(words), 3 + 14 + 1)
            self.assertEqual([int(w, 16) for w in words[2:-1]], [0] * 15)
            bus, unit = words[0][:2], int(words[0][2:], 16)
            name = "%02x.%x" % (unit >> 3, unit & 7)
            places.add((bus, name))
            data = os.pread(self.open(bus, name), 4, 0)
            self.assertEqual(words[1], "%04x%04x" % struct.unpack("<HH", data))
        self.assertEqual(len(places), len(lines))
        self.assertEqual(places, {(bus, name) for bus in BUSES + FIRST
                                  for name in
                                  os.listdir(os.path.join(self.folder, bus))})


class Spaces(Case):
    def test_headers(self):
        for bus in BUSES:
            for name, (device, kind, size) in SOME.items():
                data = os.pread(self.open(bus, name), 64, 0)
                self.assertEqual(struct.unpack_from("<HH", data),
                                 (0x8086, device), name)
                self.assertEqual(struct.unpack_from("<H", data, 10)[0], kind)
                self.assertEqual(data[14], 0 if name in LONELY else 0x80)
                is_long = size > 256
                self.assertEqual(data[6] >> 4 & 1, is_long)
                if is_long:  # PCI Express, root complex integrated endpoint
                    found = os.pread(self.open(bus, name), 4, data[0x34])
                    self.assertEqual(found[:2], b"\x10\x00")
                    self.assertEqual(found[2] >> 4, 9)

    def test_headers_stay(self):
        fd = self.open("7f", "0e.1")
        before = os.pread(fd, 64, 0)
        self.assertEqual(os.pwrite(fd, b"\xff" * 64, 0), 64)
        self.assertEqual(os.pread(fd, 64, 0), before)

    def test_node_maps(self):
        for number, bus in enumerate(BUSES):
            fd = self.open(bus, "0b.0")
            self.assertEqual(os.pread(fd, 1, 0x40)[0] & 7, number)
            ids, = struct.unpack("<I", os.pread(fd, 4, 0x54))
            self.assertEqual(ids >> 3 * number & 7, number)

    def test_links_tell_their_rate(self):
        # 5 is 8.0 GT/s (guide p. 94)
        for bus in BUSES:
            for name in ("08.0", "09.0"):
                self.assertEqual(os.pread(self.open(bus, name), 4, 0xD4),
                                 b"\5\0\0\0")

    def test_every_width_at_every_place(self):
        fd = self.open("7f", "10.0")
        value = bytes.fromhex("8877665544332211")[::-1]
        # bits 47:0 are there
        held = value[:6] + b"\0\0"
        os.pwrite(fd, value, COUNTER)
        for size in range(1, 9):
            for place in range(9 - size):
                self.assertEqual(os.pread(fd, size, COUNTER + place),
                                 held[place:place + size], (size, place))
        for size in (1, 2, 3, 4, 5, 6):
            for place in range(7 - size):
                os.pwrite(fd, held, COUNTER)
                data = bytes(range(0xF1, 0xF1 + size))
                self.assertEqual(os.pwrite(fd, data, COUNTER + place), size)
                self.assertEqual(
                    os.pread(fd, 8, COUNTER),
                    held[:place] + data + held[place + size:], (size, place))

    def test_halves_are_registers_of_their_own(self):
        fd = self.open("7f", "13.5")
        os.pwrite(fd, struct.pack("<I", 0xFFFFFFFF), COUNTER)
        os.pwrite(fd, struct.pack("<I", 0x123), COUNTER + 4)
        self.assertEqual(struct.unpack("<Q", os.pread(fd, 8, COUNTER))[0],
                         0x123FFFFFFFF)

    def test_ends(self):
        fd = self.open("7f", "10.1")
        self.assertEqual(len(os.pread(fd, 4096, 0)), 256)
        self.assertEqual(os.pread(fd, 4, 256), b"")
        self.assertEqual(len(os.pread(fd, 9, 250)), 6)
        fd = self.open("7f", "08.6")
        self.assertEqual(len(os.pread(fd, 8192, 0)), 4096)
        os.pwrite(fd, struct.pack("<I", 0x1C00), MATCH0)
        self.assertEqual(os.pread(fd, 2, MATCH0), b"\0\x1c")

    def test_sockets_are_apart(self):
        one, other = self.open("7f", "0e.1"), self.open("ff", "0e.1")
        os.pwrite(one, struct.pack("<I", 0x400101), CONTROL)
        self.assertEqual(os.pread(other, 4, CONTROL), bytes(4))
        os.pwrite(one, bytes(4), CONTROL)

    def test_a_control_without_what_is_done_once(self):
        fd = self.open("ff", "08.2")
        os.pwrite(fd, struct.pack("<I", 77), COUNTER)
        os.pwrite(fd, struct.pack("<I", 0x10103), 0xF4)
        self.assertEqual(os.pread(fd, 4, 0xF4), struct.pack("<I", 0x10100))
        self.assertEqual(os.pread(fd, 8, COUNTER), bytes(8))


class OneModel(Case):
    def test_one_clock(self):
        before = int(self.text("clock"))
        with open(os.path.join(self.folder, "clock"), "w") as clock:
            clock.write("500\n")
        self.assertEqual(self.server.cycle(), before + 500)
        self.server.run(250)
        self.assertEqual(int(self.text("clock")), before + 750)
        self.assertIn("family: xeon-e5-2600\n", self.text("status"))

    def test_registers_by_the_socket(self):
        """A register of a PCI function is one access there, in two halves
        here."""
        address = 1 << 60 | (0x10 << 3 | 4) << 32 | COUNTER
        fd = self.open("ff", "10.4")
        with Client(self.socket) as client:
            client.batch((8, address, 0x123456789ABC))
            self.assertEqual(os.pread(fd, 4, COUNTER + 4), b"\x34\x12\0\0")
            os.pwrite(fd, struct.pack("<I", 5), COUNTER)
            self.assertEqual(client.batch((8, address, None), (0, address, None)),
                             [0x123400000005, 0])
            self.server.write(0xD16, 99, 9)
            self.assertEqual(client.batch((8, 0xD16, None)), [99])

    def test_clocks_through_both_doors(self):
        """Boxes of both spaces count cycles of their clocks: the ring's, 2900
        MHz, those of the links, 8 GT/s, and the PCU's, 800 MHz."""
        rates = {"r3qpi/CLOCKTICKS/": (2, 2900), "ha/CLOCKTICKS/": (1, 2900),
                 "cbo/CLOCKTICKS/": (8, 2900), "qpi/CLOCKTICKS/": (2, 1000),
                 "pcu/CLOCKTICKS/": (1, 800)}
        words = [w for event in rates for w in ("-e", event)]
        for on in ("msr:%s,pci:%s" % (self.server.folder, self.folder),
                   "socket:" + self.socket):
            text = subprocess.run(
                (UNCORE, "stat", "-j", "--on", on, "--cycles", "290000",
                 "--per-box", "--per-socket", *words), check=True,
                stdout=subprocess.PIPE, text=True).stdout
            counts = [(row["event"], row["value"])
                      for row in json.loads(text)["counts"]]
            for event, (boxes, mhz) in rates.items():
                found = [value for name, value in counts if name == event]
                self.assertEqual(len(found), 2 * boxes, event)
                for value in found:
                    self.assertLessEqual(abs(value - 100 * mhz), 1, event)

    def test_no_such_functions(self):
        ended = subprocess.run(
            (UNCORE, "model", "serve", "--pci", self.holder.name),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("xeon-e7 are in no PCI functions", ended.stderr)

    def test_tools(self):
        if not shutil.which("lspci"):
            self.skipTest("there is no lspci")
        way = ("-A", "linux-proc", "-O", "proc.path=" + self.folder)
        lines = subprocess.run(("lspci", *way, "-n"), check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        self.assertEqual(len(lines), len(self.text("devices").splitlines()))
        self.assertIn("7f:0e.1 1101: 8086:3c46 (rev 07)", lines)
        place = ("-s", "ff:10.4")
        subprocess.run(("setpci", *way, *place, "a8.l=12345678", "ac.w=9"),
                       check=True)
        text = subprocess.run(
            ("setpci", *way, *place, "a8.w", "ac.l", "aa.b"), check=True,
            text=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(text.split(), ["5678", "00000009", "34"])


class Served(unittest.TestCase):
    """A machine behind both trees, and the same without a server."""
    EVENTS, WORK = (), ("--workload", "stream:size=4M")

    def counted(self, *words):
        ran = subprocess.run(
            (UNCORE, "stat", "--json", "--log-fd=1", "--cycles", "100000",
             *(w for event in self.EVENTS for w in ("-e", event)), *words), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return [(row["event"], row["value"])
                for row in json.loads(ran.stdout)["counts"]]

    def look(self, msr, pci):
        """At the trees."""

    def try_one(self, *machine):
        with tempfile.TemporaryDirectory() as holder:
            msr, pci = (os.path.join(holder, name) for name in ("msr", "pci"))
            os.mkdir(msr)
            os.mkdir(pci)
            server = Server("--machine", *machine, "--clock", "step", "--msr",
                            msr, "--pci", pci, *self.WORK)
            try:
                self.look(msr, pci)
                counts = self.counted("--on", "msr:%s,pci:%s" % (msr, pci))
                self.assertEqual(counts, self.counted("--machine", *machine,
                                                      *self.WORK))
                self.assertTrue(all(value for _, value in counts), counts)
            finally:
                server.kill()
                until("both are unmounted", lambda: not is_mounted(msr) and
                      not is_mounted(pci))


class Parts(Served):
    """Machines that lack some of the boxes of their family's largest part."""
    EVENTS = ("imc/CAS_COUNT.RD/", "cbo/LLC_LOOKUP.ANY/", "ha/REQUESTS.READS/")
    lacks = ()

    def look(self, msr, pci):
        files = os.listdir(os.path.join(pci, "7f"))
        self.assertFalse(set(self.lacks) & set(files))
        for name in files:
            self.assertIn(name[:3] + "0", files)
            with open(os.path.join(pci, "7f", name), "rb") as file:
                self.assertEqual(file.read(2), b"\x86\x80")

    def test_what_is_not_there_has_no_file(self):
        """Channels 4 to 7 and a third link; channels 2, 3, 6 and 7."""
        self.lacks = ("18.1", "1c.1", "18.2")
        self.try_one("xeon-e5-2680-v2")
        self.lacks = ("15.0", "15.1", "18.0", "18.1", "0a.2")
        for machine in ("xeon-e5-2680-v3", "xeon-e5-2697-v4"):
            self.try_one(machine)


class FourBuses(Served):
    """The Xeon Scalable: four buses a socket, named by MSR 0x300; registers of M2M
    and UPI beyond the first 256 bytes. Functions and ids are those of a listing of a
    machine with 28 CHAs a socket."""
    EVENTS = ("imc/CAS_COUNT.RD/", "m2m/IMC_READS.ALL/", "upi/CLOCKTICKS/",
              "upi/TxL_FLITS.ALL_DATA/", "m3upi/CLOCKTICKS/", "iio1/CLOCKTICKS/",
              "cha/LLC_LOOKUP.DATA_READ/")
    WORK = ("--workload", "random:size=4M,threads=4,place=scatter,shared=1")
    # By bus: function, device id, size.
    some = ((("08.0", 0x2014, 256), ("08.1", 0x2015, 256)),
            (("08.0", 0x208D, 256), ("1d.3", 0x2057, 256), ("1e.3", 0x2083, 256)),
            (("08.0", 0x2066, 4096), ("09.0", 0x2066, 4096), ("0a.2", 0x2042, 256),
             ("0d.2", 0x204A, 256)),
            (("0e.0", 0x2058, 4096), ("10.0", 0x2058, 4096), ("12.5", 0x204D, 256)))

    def read(self, *names, at=0, size=4):
        with open(os.path.join(*names), "rb") as file:
            return int.from_bytes(os.pread(file.fileno(), size, at), "little")

    def look(self, msr, pci):
        self.assertEqual(sorted(os.listdir(pci)), sorted(
            ["%02x" % (last - n) for last in (0x7F, 0xFF) for n in range(4)] +
            ["clock", "devices", "status"]))
        for socket, cpu in enumerate(("0", "4")):
            told = self.read(msr, cpu, "msr", at=0x300, size=8)
            self.assertEqual(told >> 63, 1)
            for n, functions in enumerate(self.some):
                bus = "%02x" % (told >> 8 * n & 0xFF)
                for name, device, size in functions:
                    self.assertEqual(self.read(pci, bus, name), device << 16 | 0x8086)
                    self.assertEqual(os.stat(os.path.join(pci, bus, name)).st_size, size)
                for name in os.listdir(os.path.join(pci, bus)):
                    self.assertIn(name[:3] + "0", os.listdir(os.path.join(pci, bus)))
            first, second = ("%02x" % (told >> 8 * n & 0xFF) for n in range(2))
            self.assertEqual(self.read(pci, first, "08.0", at=0xC0) & 7, socket)
            self.assertEqual(self.read(pci, second, "1e.3", at=0x9C) & (1 << 28) - 1,
                             (1 << 28) - 1)
        with open(os.path.join(pci, "devices")) as file:
            places = [line.split("\t")[0] for line in file]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual(len(places), sum(len(os.listdir(os.path.join(pci, bus)))
                                          for bus in os.listdir(pci) if len(bus) == 2))

    def test_both_generations(self):
        for machine in "xeon-platinum-8180", "xeon-gold-6248":
            self.try_one(machine, "--set", "cores=4", "--set", "chas=28")


if __name__ == "__main__":
    need_fuse()
    unittest.main()
