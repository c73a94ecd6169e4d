#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore doctor` names the right cause: each file of situations/ is the part of
# a machine's files that matters, and what is to be found in it. Obstacles must
# be exactly those that are listed; of what else is listed, the status must be so.
#
#   like NAME                       all of another file but what it expects
#   expect way WAY                  which way `uncore stat` takes
#   expect STATUS ID[: WORDS]       a finding; what is to be done has the words
#   evidence ID: WORDS              and its evidence these
#   PATH [MODE] = TEXT              a file, with \n and \t; HASH is that of /dev/cpu
#   locked PATH = TEXT              the same, and somebody holds a lock on it
#   without PATTERN                 of what is there so far, no such file or folder
#   functions DOMAIN:BUS FAMILY     a bus with all PCI functions of the data; of a socket
#                                   with several D:B,D:B,... in their order
#   allowlist PATH FAMILY           what `uncore encode --allowlist` prints

import fcntl
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
FOLDER = os.path.join(SOURCE, "tests/doctor/situations")
FILE = re.compile(r"(locked )?(\S+)(?: ([0-7]{4}))? =(?: (.*))?$")
# FNV-1a of "/dev/cpu", as src/session/lock.c names the files of a place.
HASH = 0xCBF29CE484222325
for byte in b"/dev/cpu":
    HASH = (HASH ^ byte) * 0x100000001B3 & (1 << 64) - 1
NOTHING_REAL = 4


def uncore(*words):
    return subprocess.run((UNCORE,) + words, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def functions(buses, family):
    """The files of the functions of a socket's buses, from the rows of the data."""
    path = os.path.join(SOURCE, "data", family, "functions.txt")
    with open(path, encoding="utf-8") as rows:
        for bus, place, vendor, device in re.findall(
                r"^  (?:(\w+):)?(\w+\.\d) +id=(\w+):(\w+)", rows.read(), re.M):
            if not bus and int(place.split(".")[0], 16) < 8:
                continue  # on another bus
            folder = "sys/bus/pci/devices/%s:%04s" % (
                buses.split(",")[int(bus or "0", 16)], place.zfill(4))
            yield folder + "/vendor", "0x" + vendor
            yield folder + "/device", "0x" + device


class Situation:
    def __init__(self, name):
        self.files, self.locked, self.expected = {}, [], []
        self.way, self.evidence = None, []
        self.read(name)

    def read(self, name):
        with open(os.path.join(FOLDER, name + ".txt"),
                  encoding="utf-8") as lines:
            for line in lines:
                if line.strip() and not line.startswith("#"):
                    self.take(line.rstrip("\n"))

    def take(self, line):
        word, _, rest = line.partition(" ")
        if word == "like":
            self.read(rest)
            self.way, self.expected, self.evidence = None, [], []
        elif line.startswith("expect way "):
            self.way = line.split()[2]
        elif word == "expect":
            head, _, todo = rest.partition(": ")
            self.expected.append((*head.split(), todo))
        elif word == "evidence":
            self.evidence.append(rest.split(": ", 1))
        elif word == "without":
            self.remove(rest)
        elif word == "functions":
            self.files.update({path: ("0644", text) for path, text
                               in functions(*rest.split())})
        elif word == "allowlist":
            path, family = rest.split()
            self.files[path] = ("0644", uncore("encode", "--allowlist", "-m",
                                               family).stdout)
        else:
            self.add(line)

    def add(self, line):
        locked, path, mode, text = FILE.fullmatch(line).groups()
        path = path.replace("HASH", "%016x" % HASH)
        text = (text or "").replace("\\n", "\n").replace("\\t", "\t")
        self.files[path] = (mode or "0644", text)
        if locked:
            self.locked.append(path)

    def remove(self, pattern):
        gone = [path for path in self.files
                if fnmatch.fnmatchcase(path, pattern) or
                fnmatch.fnmatchcase(path, pattern + "/*")]
        if not gone:
            raise AssertionError("nothing fits 'without %s'" % pattern)
        for path in gone:
            del self.files[path]

    def unpack(self, root):
        for path, (mode, text) in self.files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text + "\n" if text else "")
            os.chmod(full, int(mode, 8))

    def hold(self, root):
        """Files that keep the locks until they are closed."""
        held = [open(os.path.join(root, path), encoding="utf-8")
                for path in self.locked]
        for file in held:
            fcntl.flock(file, fcntl.LOCK_EX)
        return held


def names():
    return sorted(os.path.basename(path)[:-len(".txt")]
                  for path in glob.glob(os.path.join(FOLDER, "*.txt")))


class Doctor(unittest.TestCase):
    maxDiff = None

    def look(self, situation, *options):
        with tempfile.TemporaryDirectory() as root:
            situation.unpack(root)
            held = situation.hold(root)
            ran = uncore("doctor", "--root", root, *options)
            for file in held:
                file.close()
        self.assertEqual(ran.stderr, "")
        return ran

    def check(self, situation):
        ran = self.look(situation, "--json")
        answer = json.loads(ran.stdout)
        found = {row["id"]: row for row in answer["findings"]}
        self.assertEqual(len(found), len(answer["findings"]))
        self.assertEqual(answer["way"], situation.way, answer["reason"])
        self.assertEqual(ran.returncode,
                         NOTHING_REAL if situation.way == "model" else 0)
        self.assertEqual(
            {key for key, row in found.items() if row["status"] == "obstacle"},
            {key for status, key, _ in situation.expected
             if status == "obstacle"}, answer["reason"])
        for status, key, todo in situation.expected:
            self.assertEqual(found[key]["status"], status, found[key])
            self.assertIn(todo, found[key]["todo"])
        for key, words in situation.evidence:
            self.assertIn(words, found[key]["evidence"])
        for row in answer["findings"]:
            self.assertTrue(row["what"])
            if row["status"] == "obstacle":
                self.assertTrue(row["evidence"], row)

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(names()), 15)

    def test_the_right_cause_is_named(self):
        for name in names():
            with self.subTest(name):
                self.check(Situation(name))

    def test_text_says_the_same(self):
        situation = Situation("e7-no-msr-module")
        lines = self.look(situation).stdout.splitlines()
        at = next(i for i, line in enumerate(lines)
                  if line.startswith("obstacle  msr-module"))
        self.assertIn("/dev/cpu/0/msr: not there", lines[at + 1])
        self.assertEqual(lines[at + 2].strip(), "to do: modprobe msr")
        self.assertRegex(lines[-1], r"counts on the kernel's PMUs \(--on perf\)"
                         r": the kernel has 20 PMUs .* no /dev/cpu/0/msr$")

    def test_what_files_hold_moves_no_cursor(self):
        situation = Situation("epyc-perf")
        situation.files["proc/sys/kernel/osrelease"] = (
            "0644", "6.6\x1b[2J\x07")
        self.assertNotIn("\x1b", self.look(situation).stdout)

    def test_a_folder_that_is_no_machine(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in (root, root + "/none"):
                ran = uncore("doctor", "--root", folder)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertIn("no folder 'proc'", ran.stderr)

    def test_this_machine_has_an_answer(self):
        ran = uncore("doctor", "--json")
        answer = json.loads(ran.stdout)
        self.assertEqual(ran.returncode,
                         NOTHING_REAL if answer["way"] == "model" else 0)
        self.assertTrue(answer["findings"])


if __name__ == "__main__":
    sys.exit(unittest.main())
