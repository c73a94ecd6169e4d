#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The units of systemd/ are units, in systemd's own judgement, and leave little
# open; the capabilities that they have are those of docs/machines.md, and no
# others. The command is not installed here, so that another stands for it.

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
FOLDER = os.path.join(SOURCE, "systemd")
INSTALLED = "/usr/bin/uncore"
# Units, what is added to them, capabilities, and the exposure (0 is nothing,
# 10 all) that is allowed.
UNITS = (("uncore-export-perf", None, "CAP_PERFMON", 2.0),
         ("uncore-export-registers", None, "CAP_SYS_RAWIO", 3.0),
         ("uncore-export-registers", "registers-pci.conf",
          "CAP_SYS_RAWIO CAP_SYS_ADMIN", 4.0))
SKIPPED = 77


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="ascii") as file:
        return file.read()


def analyze(*words):
    return subprocess.run(("systemd-analyze", "--no-pager") + words, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, timeout=60)


class Units(unittest.TestCase):
    def install(self, folder, unit, more):
        """The path of a unit in a folder, with what is added to it."""
        path = os.path.join(folder, unit + ".service")
        with open(path, "w", encoding="ascii") as file:
            file.write(text_of(unit + ".service").replace(
                INSTALLED, shutil.which("true")))
        if more:
            os.mkdir(path + ".d")
            with open(os.path.join(path + ".d", more), "w",
                      encoding="ascii") as file:
                file.write(text_of(more).replace(INSTALLED,
                                                 shutil.which("true")))
        return path

    def test_systemd_has_nothing_to_say(self):
        for unit, more, _, _ in UNITS:
            with tempfile.TemporaryDirectory() as folder:
                ran = analyze("verify", "--man=no",
                              self.install(folder, unit, more))
            self.assertEqual((ran.returncode, ran.stdout), (0, ""), unit)

    def test_little_is_left_open(self):
        for unit, more, _, most in UNITS:
            with tempfile.TemporaryDirectory() as folder:
                ran = analyze("security", "--offline=true",
                              self.install(folder, unit, more))
            level = re.search(r"Overall exposure level[^\n]*: ([0-9.]+)",
                              ran.stdout)
            self.assertTrue(level, ran.stdout)
            self.assertLessEqual(float(level.group(1)), most, unit)

    def test_capabilities_are_those_that_are_told(self):
        with open(os.path.join(SOURCE, "docs/machines.md"),
                  encoding="utf-8") as file:
            told = file.read()
        for unit, more, capabilities, _ in UNITS:
            text = text_of(unit + ".service") + (text_of(more) if more else "")
            self.assertEqual(
                " ".join(re.findall(r"^CapabilityBoundingSet=(.*)", text,
                                    re.M)), capabilities)
            row = next(line for line in told.splitlines()
                       if line.startswith("|") and (more or unit) in line)
            self.assertEqual(row.split("|")[3].strip().replace(",", ""),
                             capabilities)


if __name__ == "__main__":
    if not shutil.which("systemd-analyze"):
        print("systemd-analyze is not installed")
        sys.exit(SKIPPED)
    unittest.main()
