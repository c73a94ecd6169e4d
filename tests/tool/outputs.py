#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Where results go. A reader who goes away has what he wanted: every command
ends as others do then, killed by SIGPIPE and without a word; a full disk is told.
A kill at any moment leaves the old file, or the new one, and nothing else. The
file of export replaces a link, and never writes through it."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from sandbox import UNCORE

IDLE = ["-w", "idle", "--cycles", "1000"]
EVENT = "cbox/LLC_MISSES.ALL/"
COMMANDS = [words.split() for words in (
    "--help", "--version", "list", "list --json", "list --metrics",
    "registers", "registers --json", "explain " + EVENT, "encode " + EVENT,
    "decode 0xD10 0x1", "schedule " + EVENT, "doctor", "compare --json A A",
    "model coverage --box wbox", "model faults", "model workloads",
    "model show", "model show --json", "export --once", "stat --json -o /dev/stdout",
    "stat --json", "top --once", "report R", "report --json R")]
RUNS = ("export", "stat", "top")
KILLS = 40


def run(*words, **options):
    return subprocess.run([UNCORE, *words], text=True, stderr=subprocess.PIPE,
                          check=False, timeout=100, **options)


class Outputs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True)  # who puts it in its place may be late
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def words(self, command):
        words = command + (IDLE if command[0] in RUNS else [])
        return [self.path(w) if w in ("A", "R") else w for w in words]

    def make(self):
        ended = run("stat", "--json", "-o", self.path("A"), *IDLE)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        ended = run("record", "-o", self.path("R"), "-e", EVENT, "-I", "1us",
                    "-w", "stream:size=64K,threads=1",
                    stdout=subprocess.DEVNULL)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_reader_who_has_left(self):
        self.make()
        for command in COMMANDS:
            with self.subTest(" ".join(command)):
                reader, writer = os.pipe()
                os.close(reader)
                ended = run(*self.words(command), stdout=writer)
                os.close(writer)
                self.assertEqual((ended.returncode, ended.stderr),
                                 (-signal.SIGPIPE, ""))

    def test_a_full_disk(self):
        self.make()
        for command in COMMANDS:
            if "/dev/stdout" in command:
                continue
            with self.subTest(" ".join(command)), open("/dev/full", "w",
                                                      encoding="ascii") as full:
                ended = run(*self.words(command), stdout=full)
                self.assertIn(ended.returncode, (1, 4))
                self.assertIn("cannot write", ended.stderr)

    def test_kills_leave_nothing(self):
        """At moments spread over the time that a run takes, and beyond."""
        path = self.path("out")
        words = [UNCORE, "stat", "--json", "--replace", "-o", path, *IDLE]
        begin = time.monotonic()
        self.assertEqual(subprocess.call(words), 0)
        whole = time.monotonic() - begin
        for number in range(KILLS):
            process = subprocess.Popen(words)
            time.sleep(1.2 * whole * number / KILLS)
            process.kill()
            process.wait()
            # what was begun in the moment of the kill is brought to its end
            end = time.monotonic() + 10
            while os.listdir(self.folder) != ["out"]:
                self.assertLess(time.monotonic(), end,
                                os.listdir(self.folder))
                time.sleep(0.01)
            with open(path, encoding="utf-8") as file:
                self.assertTrue(file.read().endswith("}\n"))

    def test_what_was_measured_is_not_written_over(self):
        """A recording never; a result in JSON by one of its kind, if that is
        said; and only such a one is appended to it."""
        self.make()
        result, recording = self.path("A"), self.path("R")
        guests = self.path("G")
        with open(guests, "w", encoding="ascii") as file:
            file.write("uncore-recording 1\nmachine xeon-e7\n")
        stat = ["stat", *IDLE, "-o"]
        gate = ["stat", *IDLE, "--baseline", result, "--markdown"]
        for words, is_fine in (
                ([*stat, recording], False),
                ([*stat, recording, "--json"], False),
                ([*stat, recording, "--append"], False),
                ([*stat, recording, "--json", "--replace"], False),
                ([*stat, guests], False),
                ([*stat, guests, "--json", "--replace"], False),
                ([*stat, result], False),
                ([*stat, result, "--replace"], False),
                ([*stat, result, "--append"], False),
                ([*stat, result, "--json"], False),
                (["stat", *IDLE, "--html", recording], False),
                ([*gate, recording], False), ([*gate, guests], False),
                ([*gate, result], False),
                (["guest", "--record", recording, "--demo"], False),
                (["guest", "--record", guests, "--demo"], False),
                (["guest", "-o", result, "--demo"], False),
                (["model", "serve", "--log", result, "--socket",
                  self.path("s")], False),
                (["compare", result, result, "--html", result], False),
                (["compare", result, result, "--markdown", recording], False),
                (["report", recording, "--html", result], False),
                (["report", recording, "--callgrind", result], False),
                (["report", recording, "-o", recording], False),
                (["report", recording, "--json", "--replace", "-o", result],
                 False),
                (["report", recording, "--json", "-o", result], False),
                (["compare", result, result, "-o", result], False),
                (["compare", result, result, "--json", "-o", result], False),
                (["export", *IDLE, "--textfile", recording], False),
                ([*stat, result, "--json", "--append"], True),
                ([*stat, result, "--json", "--replace"], True)):
            before = {path: pathlib.Path(path).read_bytes()
                      for path in (result, recording, guests)}
            ended = run(*words, stdout=subprocess.DEVNULL)
            self.assertEqual(ended.returncode, 0 if is_fine else 2, words)
            if is_fine:
                continue
            self.assertRegex(ended.stderr, "it holds a (recording|result, "
                             "uncore-stat-1|recording of a guest); name "
                             "another file, or give --replace ")
            for path, content in before.items():
                self.assertEqual(pathlib.Path(path).read_bytes(), content)

    def test_rights_and_links(self):
        path, other = self.path("out"), self.path("other")
        os.umask(0o027)
        run("stat", "-o", path, *IDLE)
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o640)
        os.chmod(path, 0o604)
        run("stat", "-o", path, *IDLE)
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o604)
        for there in (True, False):
            if there:
                with open(other, "w", encoding="ascii") as file:
                    file.write("mine")
            else:
                os.remove(other)
            link = self.path("uncore.prom")
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(other, link)
            with subprocess.Popen([UNCORE, "export", "--textfile", link, *IDLE,
                                   "-I", "10ms"]) as process:
                end = time.monotonic() + 60
                while os.path.islink(link) and time.monotonic() < end:
                    time.sleep(0.01)
                process.terminate()
            self.assertEqual(process.returncode, 0)
            self.assertFalse(os.path.islink(link))
            self.assertGreater(os.path.getsize(link), 100)
            self.assertEqual(os.path.exists(other), there)
            if there:
                with open(other, encoding="ascii") as file:
                    self.assertEqual(file.read(), "mine")

    def boxes(self, *words):
        ended = run("stat", "--per-box", "-w", "stream:size=1M", *words,
                    stdout=subprocess.PIPE)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_boxes_in_which_nothing_happened(self):
        """JSON has all boxes; the text those that counted something, and how
        many the others are."""
        reads = "mbox/FVC_EV0.BBOX_CMDS.READS/"
        nothing = "wbox/C_THROTTLE_TMP.CORE0/"
        events = ["-e", EVENT, "-e", reads, "-e", nothing]
        rows = [("S%d" % row["socket"], row["box"], row["value"], row["event"])
                for row in json.loads(self.boxes("--json", *events))["counts"]]
        some = [row for row in rows if row[2]]
        self.assertTrue(some and len(some) < len(rows))
        for words, wanted in ((), some), (("--zeros",), rows):
            text = self.boxes(*events, *words)
            lines = re.findall(r"^ (S\d) (\w+) +([\d,]+)  (\S+)$", text, re.M)
            self.assertEqual([(place, box, int(value.replace(",", "")), event)
                              for place, box, value, event in lines], wanted)
            said = re.search(r"^ (\d+) lines of 0.* --zeros shows them$", text,
                             re.M)
            self.assertEqual(int(said.group(1)) if said else 0,
                             len(rows) - len(wanted))
            # an event without a line is named
            self.assertIn(nothing, text)
        # a line of memory is 64 bytes; all parts have the unit of the largest
        text = self.boxes("-M", "memory_read")
        lines = re.findall(r"^ S\d mbox\d memory_read +([\d.,]+) +(\S+) ", text,
                           re.M)
        self.assertEqual({unit for _, unit in lines}, {"KiB"})
        self.assertEqual([value for value, _ in lines],
                         ["%.2f" % (row[2] * 64 / 1024) for row in rows
                          if row[3] == reads and row[2]])


if __name__ == "__main__":
    if not os.path.exists(UNCORE):
        print("the command is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
