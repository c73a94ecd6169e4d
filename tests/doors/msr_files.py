#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The register files answer as Linux's msr driver does: offsets, lengths, faults,
# partial success, permission bits; and the two text files beside them.

import ctypes
import errno
import os
import shutil
import stat
import struct
import subprocess
import tempfile
import unittest

from msr_server import (PATIENCE_S, UNCORE, Server, field, is_mounted,
                        need_fuse, registers, until)

CPUS = 20
NOBODY = 65534
CLONE_NEWNS = 0x20000
GLOBAL = "U_MSR_PMON_GLOBAL_CTL"
READ_ONLY = "SR0_CR_S_MSR_PMON_SUMMARY"
WRITE_ONLY = "SR0_CR_S_MSR_PMON_OVF_CTL"
COUNTER = "CB3_CR_C_MSR_PMON_CTR_1"
OTHER_COUNTER = "CB3_CR_C_MSR_PMON_CTR_2"
CONTROL = "CB3_CR_C_MSR_PMON_EVT_SEL_1"
RESERVED = 61  # bit of it


def as_nobody(*words, **options):
    return subprocess.run(
        ("setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY,
         "--clear-groups") + words, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE_S,
        **options)


class Case(unittest.TestCase):
    WORDS = ("--clock", "step")

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.WORDS)
        cls.at = {n: r["address"] for n, r in registers().items()}

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()

    def fails(self, number, function, *arguments):
        with self.assertRaises(OSError) as caught:
            function(*arguments)
        self.assertEqual(errno.errorcode[caught.exception.errno],
                         errno.errorcode[number])

    def opened(self, cpu=0, flags=os.O_RDWR):
        fd = self.server.open(cpu, flags)
        self.addCleanup(os.close, fd)
        return fd


class Tree(Case):
    def test_has_a_folder_for_each_cpu_and_two_texts(self):
        self.assertEqual(sorted(os.listdir(self.server.folder)), sorted(
            [str(n) for n in range(CPUS)] + ["clock", "status"]))
        for cpu in range(CPUS):
            self.assertEqual(os.listdir(self.server.path(cpu)), ["msr"])

    def test_has_the_permission_bits_of_dev_cpu(self):
        for names, mode in (((), stat.S_IFDIR | 0o755),
                            ((7,), stat.S_IFDIR | 0o755),
                            ((7, "msr"), stat.S_IFREG | 0o600),
                            (("clock",), stat.S_IFREG | 0o644),
                            (("status",), stat.S_IFREG | 0o444)):
            found = os.stat(self.server.path(*names))
            self.assertEqual(oct(found.st_mode), oct(mode), names)
            self.assertEqual((found.st_uid, found.st_gid),
                             (os.geteuid(), os.getegid()))

    def test_has_nothing_else(self):
        for name in ("20", "03", "-1", "+1", " 1", "0x1", "", "msr", "0/cpuid",
                     "0/msr2", "4294967296", "18446744073709551616"):
            if name:
                self.assertFalse(os.path.exists(self.server.path(name)), name)

    def test_does_not_change(self):
        clock, new = self.server.path("clock"), self.server.path("new")
        self.fails(errno.EPERM, os.unlink, clock)
        self.fails(errno.EPERM, os.rmdir, self.server.path("0"))
        self.fails(errno.EPERM, os.mkdir, new)
        self.fails(errno.EPERM, os.mknod, new)
        self.fails(errno.EPERM, os.symlink, clock, new)
        self.fails(errno.EPERM, os.link, clock, new)
        self.fails(errno.EPERM, os.open, new, os.O_CREAT | os.O_WRONLY)
        self.fails(errno.EPERM, os.rename, self.server.path("0"),
                   self.server.path("99"))
        self.fails(errno.EPERM, os.chmod, self.server.path(0, "msr"), 0o666)
        with open(self.server.path(0, "msr"), "w", encoding="ascii"):
            pass  # truncation is no change

    def test_is_closed_to_other_users(self):
        if not shutil.which("setpriv"):
            self.skipTest("there is no setpriv")
        os.chmod(os.path.dirname(self.server.folder), 0o1777)
        self.assertNotEqual(
            as_nobody("cat", self.server.path("status")).returncode, 0)


class Registers(Case):
    def test_keep_what_is_written_for_all_cpus_of_a_socket(self):
        self.assertTrue(self.server.write(self.at[COUNTER], 0x123456789ABC, 4))
        self.assertEqual(self.server.read(self.at[COUNTER], 9), 0x123456789ABC)
        self.assertEqual(self.server.read(self.at[COUNTER], 10), 0)

    def test_fault_as_the_processor_does(self):
        fd = self.opened()
        word = bytes(8)
        self.fails(errno.EIO, os.pread, fd, 8, 0x7FFFFFFF)
        self.fails(errno.EIO, os.pwrite, fd, word, 0x7FFFFFFF)
        self.fails(errno.EIO, os.pread, fd, 16, 0x7FFFFFFF)
        self.fails(errno.EIO, os.pwrite, fd, word, self.at[READ_ONLY])
        self.assertEqual(os.pread(fd, 8, self.at[READ_ONLY]), word)
        self.assertEqual(os.pread(fd, 8, self.at[WRITE_ONLY]), word)
        self.assertEqual(os.pwrite(fd, word, self.at[WRITE_ONLY]), 8)

    def test_take_multiples_of_eight_bytes_only(self):
        fd = self.opened()
        os.pwrite(fd, struct.pack("<Q", 77), self.at[COUNTER])
        for length in (1, 2, 4, 7, 9, 12, 15, 4095, 4097):
            self.fails(errno.EINVAL, os.pread, fd, length, self.at[COUNTER])
            self.fails(errno.EINVAL, os.pwrite, fd, bytes(length),
                       self.at[COUNTER])
        self.assertEqual(os.pread(fd, 0, self.at[COUNTER]), b"")
        self.assertEqual(os.pwrite(fd, b"", self.at[COUNTER]), 0)
        self.assertEqual(self.server.read(self.at[COUNTER]), 77)

    def test_are_the_same_one_again_in_a_long_read(self):
        fd = self.opened()
        os.pwrite(fd, struct.pack("<Q", 5), self.at[COUNTER])
        os.pwrite(fd, struct.pack("<Q", 6), self.at[COUNTER] + 1)
        for num in (2, 3, 512, 8192):
            self.assertEqual(os.pread(fd, 8 * num, self.at[COUNTER]),
                             struct.pack("<Q", 5) * num)

    def test_are_the_same_one_again_in_a_long_write(self):
        fd = self.opened()
        os.pwrite(fd, struct.pack("<Q", 0), self.at[OTHER_COUNTER])
        self.assertEqual(os.pwrite(fd, struct.pack("<3Q", 1, 2, 3),
                                   self.at[COUNTER]), 24)
        self.assertEqual(self.server.read(self.at[COUNTER]), 3)
        self.assertEqual(self.server.read(self.at[OTHER_COUNTER]), 0)

    def test_have_addresses_of_32_bits(self):
        fd = self.opened()
        os.pwrite(fd, struct.pack("<Q", 8), self.at[COUNTER] + (5 << 32))
        self.assertEqual(os.pread(fd, 8, self.at[COUNTER]),
                         struct.pack("<Q", 8))
        self.assertEqual(os.pread(fd, 8, self.at[COUNTER] + (1 << 32)),
                         struct.pack("<Q", 8))

    def test_are_reached_by_seeking(self):
        fd = self.opened()
        os.lseek(fd, self.at[COUNTER], os.SEEK_SET)
        self.assertEqual(os.write(fd, struct.pack("<Q", 9)), 8)
        os.lseek(fd, self.at[COUNTER], os.SEEK_SET)
        self.assertEqual(os.read(fd, 8), struct.pack("<Q", 9))

    def test_are_counted_in_the_status(self):
        before = self.server.status()
        self.server.read(self.at[COUNTER])
        self.server.write(self.at[COUNTER], 1)
        self.server.read(0x7FFFFFFF)
        after = self.server.status()
        self.assertEqual([int(after[k]) - int(before[k]) for k in
                          ("reads", "writes", "faults")], [2, 1, 1])


class Strict(Case):
    WORDS = ("--clock", "step", "--strict")

    def test_a_long_write_ends_before_what_is_refused(self):
        fd = self.opened()
        good = struct.pack("<Q", 0x5)
        bad = struct.pack("<Q", 1 << RESERVED)
        self.fails(errno.EIO, os.pwrite, fd, bad + good, self.at[CONTROL])
        self.assertEqual(self.server.read(self.at[CONTROL]), 0)
        self.assertEqual(os.pwrite(fd, good + bad + bytes(8),
                                   self.at[CONTROL]), 8)
        self.assertEqual(self.server.read(self.at[CONTROL]), 0x5)

    def test_complaints_name_the_register_and_repeats_are_counted(self):
        server = Server(*self.WORDS)
        self.addCleanup(server.kill)
        for _ in range(37):
            server.write(self.at[READ_ONLY], 1)
        status, said = server.end()
        self.assertEqual(status, 0)
        lines = [line for line in said.split("\n") if READ_ONLY in line]
        self.assertEqual(len(lines), 3, said)  # first, tenth, in all
        self.assertIn("(10 times so far)", lines[1])
        self.assertIn("(37 times in all)", lines[2])


class Running(Case):
    WORDS = ("--clock", "free")

    def test_a_long_read_is_at_one_cycle(self):
        known = registers()
        for name, bit in (("W_MSR_PMON_FIXED_CTL_CTL", "en"),
                          ("W_MSR_PMON_GLOBAL_CTL", "fixed_en"),
                          (GLOBAL, "en_all")):
            self.server.write(self.at[name], field(known[name], bit, 1))
        address = self.at["W_MSR_PMON_FIXED_COUNTER"]
        fd = self.opened()
        seen = set()

        def look():
            words = struct.unpack("<64Q", os.pread(fd, 512, address))
            self.assertEqual(len(set(words)), 1)
            seen.add(words[0])
            return len(seen) > 5
        until("the fixed counter counts", look)

    def test_the_clock_cannot_be_written(self):
        def write():
            fd = os.open(self.server.path("clock"), os.O_WRONLY)
            try:
                os.write(fd, b"5")
            finally:
                os.close(fd)
        self.fails(errno.EPERM, write)
        self.assertEqual(os.stat(self.server.path("clock")).st_mode & 0o777,
                         0o444)


class Texts(Case):
    KEYS = ("protocol", "version", "machine", "family", "sockets",
            "cores_per_socket", "cpus", "clock", "cycle", "clock_hz",
            "modelled_seconds", "wall_seconds", "lag_seconds", "traffic",
            "accesses", "reads", "writes", "faults")

    def test_the_status_has_all_keys(self):
        status = self.server.status()
        self.assertEqual(tuple(status), self.KEYS)
        self.assertEqual((status["machine"], status["sockets"],
                          status["cores_per_socket"], status["cpus"],
                          status["clock"]), ("xeon-e7", "2", "10", "20",
                                             "step"))

    def test_are_read_by_cat_in_one_and_in_many_pieces(self):
        whole = subprocess.run(["cat", self.server.path("status")],
                               stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(len(whole.splitlines()), len(self.KEYS))
        pieces = subprocess.run(
            ["dd", "bs=7", "status=none", "if=" + self.server.path("status")],
            stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(len(pieces.splitlines()), len(self.KEYS))
        clock = subprocess.run(["cat", self.server.path("clock")],
                               stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(clock, b"%d\n" % self.server.cycle())

    def test_the_status_cannot_be_written(self):
        with open(self.server.path("status"), "wb", buffering=0) as file:
            self.fails(errno.EPERM, file.write, b"x")


class Others(Case):
    def test_are_told_whose_it_is(self):
        if not shutil.which("setpriv"):
            self.skipTest("there is no setpriv")
        if as_nobody("test", "-x", UNCORE).returncode:
            self.skipTest("the command is out of others' reach")
        ran = as_nobody(UNCORE, "stat", "--on", "msr:" + self.server.folder,
                        "-e", "wbox/FIXED_CTR/", "--cycles", "10")
        self.assertEqual(ran.returncode, 1)
        self.assertIn(b"another user", ran.stderr)
        self.assertIn(b"--allow-other", ran.stderr)


class Everybody(Case):
    WORDS = ("--clock", "step", "--allow-other")

    def setUp(self):
        if not shutil.which("setpriv"):
            self.skipTest("there is no setpriv")

    def test_may_use_the_files(self):
        self.assertEqual(
            os.stat(self.server.path(0, "msr")).st_mode & 0o777, 0o666)
        ran = as_nobody("cat", self.server.path("status"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        ran = as_nobody("sh", "-c", "echo 12 > " + self.server.path("clock"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.server.cycle(), 12)


class User(unittest.TestCase):
    """A server that is not root's, through fusermount3."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("setpriv") or not shutil.which("fusermount3"):
            raise unittest.SkipTest("there is no setpriv or no fusermount3")
        if as_nobody("test", "-x", UNCORE).returncode:
            raise unittest.SkipTest("the command is out of others' reach")
        if as_nobody("test", "-w", "/dev/fuse").returncode:
            cls.open_device()

    @classmethod
    def open_device(cls):
        """Where users may not mount, for the rest of this process they may."""
        own = tempfile.mkdtemp(prefix="msr-device-")
        if ctypes.CDLL(None).unshare(CLONE_NEWNS):
            raise unittest.SkipTest("/dev/fuse is closed to users here")
        for words in ("mount --make-rprivate /",
                      "mount -t tmpfs -o dev,mode=755 none " + own,
                      "cp -a /dev/fuse " + own,
                      "chmod 666 %s/fuse" % own,
                      "mount --bind %s/fuse /dev/fuse" % own):
            subprocess.run(words.split(), check=True)
        cls.addClassCleanup(os.rmdir, own)
        cls.addClassCleanup(subprocess.run, ["umount", own], check=True)
        cls.addClassCleanup(subprocess.run, ["umount", "/dev/fuse"],
                            check=True)

    def test_serves_its_own_user_alone(self):
        server = Server("--clock", "step", user=NOBODY, group=NOBODY,
                        extra_groups=[], folder=self.folder())
        self.addCleanup(server.kill)
        ran = as_nobody("cat", server.path("status"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRaises(PermissionError, server.status)  # root, too
        self.assertEqual(server.end()[0], 0)

    def test_leaves_no_mount_when_it_is_killed(self):
        server = Server("--clock", "step", user=NOBODY, group=NOBODY,
                        extra_groups=[], folder=self.folder())
        self.addCleanup(server.kill)
        server.process.kill()
        until("it is unmounted", lambda: not is_mounted(server.folder))

    def test_needs_leave_to_let_others_in(self):
        with open("/etc/fuse.conf", encoding="utf-8") as conf:
            if any(line.startswith("user_allow_other") for line in conf):
                self.skipTest("users may let others in here")
        ran = as_nobody(UNCORE, "model", "serve", "--clock", "step", "--msr",
                        self.folder(), "--allow-other", text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("user_allow_other", ran.stderr)

    def folder(self):
        folder = tempfile.mkdtemp(prefix="msr-user-")
        os.chown(folder, NOBODY, NOBODY)
        self.addCleanup(os.rmdir, folder)
        return folder


if __name__ == "__main__":
    need_fuse()
    unittest.main()
