#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Registers are opened with no more rights than are needed, and who lacks some
# is told which. Trees of plain files stand for register files: what matters
# here is who may open them. Another user is one whom nothing belongs to, which
# only root can become.

import os
import shutil
import struct
import subprocess
import tempfile
import unittest

from msr_server import UNCORE, Server, need_fuse

NOBODY = 65534
READ_ONLY, READ_WRITE = 0o444, 0o666
GLOBAL_CTL = 0xC00  # of the U-Box, the first register of the PMU
NUM_ADDRESSES = 0x1000
STATUS = ("family: xeon-e7\nsockets: 1\ncores_per_socket: 10\n"
          "clock: real\nclock_hz: 2000000000\ncycle: 0\n")


def is_other_possible():
    return os.geteuid() == 0


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        os.chmod(self.folder, 0o755)
        self.state = os.path.join(self.folder, "state")
        os.mkdir(self.state, 0o700)
        if is_other_possible():
            os.chown(self.state, NOBODY, NOBODY)
        self.uncore = os.path.join(self.folder, "uncore")
        shutil.copy(UNCORE, self.uncore)

    def tree(self, **modes):
        """A folder of registers, all 0, with files of these names."""
        folder = os.path.join(self.folder, "registers")
        os.makedirs(os.path.join(folder, "0"))
        with open(os.path.join(folder, "status"), "w",
                  encoding="ascii") as file:
            file.write(STATUS)
        for name, mode in modes.items():
            path = os.path.join(folder, "0", name)
            with open(path, "wb") as file:
                file.truncate(8 * NUM_ADDRESSES)
            os.chmod(path, mode)
        return folder

    def run_as_other(self, *words):
        """As a user who owns nothing; as oneself where one is no root."""
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} \
            if is_other_possible() else {}
        return subprocess.run(
            (self.uncore,) + words, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=60, check=False,
            env=dict(os.environ, UNCORE_STATE=self.state), **other)


class Files(Case):
    def test_who_only_looks_need_not_write(self):
        folder = self.tree(msr=READ_ONLY)
        ran = self.run_as_other("reset", "--on", "msr:" + folder)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("nobody has left anything", ran.stdout)

    def test_who_counts_is_told_that_he_may_not_write(self):
        folder = self.tree(msr=READ_ONLY)
        for words in (("reset", "--all"),
                      ("stat", "-e", "cbox/LLC_MISSES.ALL/", "--duration",
                       "0.01")):
            ran = self.run_as_other(*words, "--on", "msr:" + folder)
            self.assertEqual((ran.returncode, ran.stdout), (1, ""), words)
            self.assertIn(folder + "/0/msr may be read, and not written",
                          ran.stderr)

    def test_the_file_of_msr_safe_will_do(self):
        for modes in ({"msr_safe": READ_WRITE},
                      {"msr": 0, "msr_safe": READ_WRITE}):
            folder = self.tree(**modes)
            ran = self.run_as_other("reset", "--all", "--on", "msr:" + folder)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            shutil.rmtree(folder)

    def test_a_closed_file_is_told_as_one(self):
        folder = self.tree(msr=0)
        ran = self.run_as_other("reset", "--on", "msr:" + folder)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("cannot open %s/0/msr: Permission denied" % folder,
                      ran.stderr)

    def test_what_is_read_and_written_is_the_file(self):
        folder = self.tree(msr=READ_WRITE)
        path = os.path.join(folder, "0", "msr")
        with open(path, "r+b") as file:
            file.seek(GLOBAL_CTL)
            file.write(struct.pack("<Q", 1))
        ran = self.run_as_other("reset", "--all", "--force", "--on",
                                "msr:" + folder)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(path, "rb") as file:
            file.seek(GLOBAL_CTL)
            self.assertEqual(file.read(1), b"\0")


@unittest.skipUnless(is_other_possible(), "only root can become another user")
class Served(Case):
    """FUSE lets nobody else in, not even to see what it is."""

    def test_another_user_is_told_that_it_is_closed(self):
        pci = os.path.join(self.folder, "p")
        os.mkdir(pci)
        server = Server("--pci", pci, "-m", "xeon-e5-2600", "-w", "idle")
        self.addCleanup(server.kill)
        msr = server.folder
        for where, closed in (("msr:" + msr, msr), ("pci:" + pci, pci),
                              ("msr:%s,pci:%s" % (msr, pci), pci)):
            ran = self.run_as_other("stat", "--on", where, "--duration",
                                    "0.01")
            self.assertEqual(ran.returncode, 1)
            self.assertEqual(
                ran.stderr, "uncore: %s is another user's, and closed to you; "
                "'uncore model serve --allow-other' shows its files to all\n" %
                closed)
        self.assertEqual(server.end(), (0, ""))


if __name__ == "__main__":
    if is_other_possible():
        need_fuse()
    unittest.main()
