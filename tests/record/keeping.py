#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What becomes of a recording: on a full disk it keeps what was written; it can
be read while it is being made; the questions of docs/formats.md have answers;
what did not run leaves no file."""
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import rig

SOURCE = os.environ.get("UNCORE_SOURCE", ".")
EVENTS = ("cbox/LLC_MISSES.ALL,period=20/", "mbox/BBOX_CMDS_ALL/")
STREAM = ("-w", "stream:size=1M,threads=4,place=scatter")
LONG = ("-w", "random:threads=4,size=64M,count=100000000")
KEPT = re.compile(r"the (\d+) samples written before are kept, the last \d+ "
                  r"are not")
SMALL_BYTES = 300 * 1024


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_BYTES, SMALL_BYTES))


class Full(rig.TestCase):
    def check(self, path, result):
        """The run ended early, and said what it kept."""
        self.assertEqual(result.returncode, 1, result.stderr)
        found = KEPT.search(result.stderr)
        self.assertTrue(found, result.stderr)
        recording = rig.Recording(path)
        try:
            number = recording.one("SELECT count(*) FROM sample")
            self.assertEqual(number, int(found.group(1)))
            self.assertGreater(number, 100)
            self.assertEqual(recording.one("PRAGMA integrity_check"), "ok")
            self.assertNotIn("complete", recording.meta())
        finally:
            recording.base.close()
        self.assertFalse(os.path.exists(path + "-journal"))
        self.assertEqual(rig.run("report", path).returncode, 0)

    def words(self, path):
        return ("record", "-o", path, "--write-every", "2ms",
                *rig.with_events(EVENTS), *LONG)

    def test_limit_of_the_size_of_files(self):
        path = self.path()
        self.check(path, rig.run(*self.words(path), preexec_fn=small_files))

    def test_full_file_system(self):
        """A real one, of half a megabyte."""
        folder = self.path("small")
        os.mkdir(folder)
        mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", folder]
        if os.geteuid() or not shutil.which("mount") or subprocess.run(
                mount, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("only root may mount a small file system")
        try:
            path = os.path.join(folder, "file")
            result = rig.run(*self.words(path))
            self.assertIn("the disk is full", result.stderr)
            # still full: reading needs no byte
            try:
                with open(os.path.join(folder, "rest"), "wb", 0) as rest:
                    while rest.write(b"x" * 4096):
                        pass
            except OSError:
                pass
            self.check(path, result)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)

    def test_no_room_at_all(self):
        result = rig.run("record", "-o", "/dev/full", *rig.with_events(EVENTS),
                         *STREAM)
        self.assertEqual(result.returncode, 2)
        self.assertIn("is no file that a recording", result.stderr)


class Reading(rig.TestCase):
    def test_while_it_is_written(self):
        path = self.path()
        process = subprocess.Popen(
            [rig.UNCORE, "record", "-o", path, "--write-every", "5ms",
             *rig.with_events(EVENTS), *LONG], stderr=subprocess.PIPE,
            text=True)
        try:
            seen = []
            deadline = time.monotonic() + 60
            while len(set(seen)) < 4 and time.monotonic() < deadline:
                time.sleep(0.05)
                if not os.path.exists(path) or not os.path.getsize(path):
                    continue
                base = sqlite3.connect("file:%s?mode=rw" % path, uri=True,
                                       timeout=20)
                try:
                    seen.append(base.execute("SELECT count(*) FROM sample")
                                .fetchone()[0])
                finally:
                    base.close()
            self.assertEqual(seen, sorted(seen))
            self.assertGreater(len(set(seen)), 3)
        finally:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=rig.TIMEOUT)
        self.assertEqual(process.returncode, 0, said)
        self.assertRegex(said, r"\d+ samples written to ")

    def test_questions_of_the_manual(self):
        with open(os.path.join(SOURCE, "docs", "formats.md")) as file:
            questions = re.findall(r"```sql\n(.*?)```", file.read(), re.S)
        self.assertGreater(len(questions), 3)
        recording = self.record(EVENTS, *STREAM)
        sqlite = shutil.which("sqlite3")
        for question in questions:
            with self.subTest(question=question):
                answer = recording.all(question)
                # of programs only (accesses.py has some)
                self.assertTrue(answer or "position" in question or
                                "access" in question)
                if sqlite:
                    shown = subprocess.run([sqlite, self.path(), question],
                                           capture_output=True, text=True)
                    self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                    self.assertEqual(len(shown.stdout.splitlines()),
                                     len(answer))
        sums = dict(recording.all(questions[1]))
        self.assertEqual(sum(sums.values()), sum(recording.sums().values()))

    def test_tables_of_the_manual(self):
        """Every column is described, and nothing else is."""
        with open(os.path.join(SOURCE, "docs", "formats.md")) as file:
            text = file.read()
        rows = re.findall(r"^\| (\w*) *\| ([\w, ]+) \|.*\|$", text, re.M)
        described, table = {}, None
        for name, columns in rows:
            table = name or table
            described.setdefault(table, []).extend(columns.split(", "))
        recording = self.record(EVENTS, *STREAM)
        for table, in recording.all("SELECT name FROM sqlite_schema WHERE"
                                    " type = 'table'"):
            columns = [row[1] for row in recording.all(
                "PRAGMA table_info(%s)" % table)]
            if table == "state":
                columns.remove("id")
            self.assertEqual(described.get(table), columns, table)
        for key in recording.meta():
            self.assertRegex(text, r"\n\| ([\w, ]*, )?%s(, \w+)* \|" % key)


class Leaves(rig.TestCase):
    def test_nothing_when_nothing_ran(self):
        for words in (("--", "/no/such/program"), ("-w", "stream:size=x")):
            result = rig.run("record", "-o", self.path(),
                             *rig.with_events(EVENTS), *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(os.listdir(self.folder.name), [])

    def test_the_old_one_when_nothing_ran(self):
        """--replace replaces when there is something to replace it by."""
        self.record(EVENTS, *STREAM)
        with open(self.path(), "rb") as file:
            before = file.read()
        for words in (("--", "/no/such/program"), ("-e", "nonesuch", *STREAM)):
            result = rig.run("record", "-o", self.path(), "--replace",
                             *rig.with_events(EVENTS), *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            with open(self.path(), "rb") as file:
                self.assertEqual(file.read(), before)

    def test_what_another_one_writes(self):
        process = subprocess.Popen(
            [rig.UNCORE, "record", "-q", "-o", self.path(), "--progress-fd",
             "1", "--write-every", "5ms", *rig.with_events(EVENTS), *LONG],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            process.stdout.readline()
            result = rig.run("record", "-o", self.path(), "--replace",
                             *rig.with_events(EVENTS), *STREAM)
            self.assertEqual(result.returncode, 1)
            self.assertIn("is being written by another", result.stderr)
        finally:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=rig.TIMEOUT)
        self.assertEqual((process.returncode, said), (0, ""))
        self.record((*EVENTS, "ubox/IPIS_SENT/"), *STREAM, "--replace")

    def test_one_file(self):
        self.record(EVENTS, *STREAM)
        self.assertEqual(os.listdir(self.folder.name), ["file"])

    def test_progress_nobody_reads(self):
        """A closed pipe is no reason to stop."""
        ours, theirs = os.pipe()
        os.close(ours)
        result = rig.run("record", "-o", self.path(), "--progress-fd",
                         str(theirs), *rig.with_events(EVENTS), *STREAM,
                         pass_fds=[theirs])
        os.close(theirs)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_of_a_program(self):
        """Its exit status is that of `uncore record`."""
        result = rig.run("record", "-o", self.path(), "-q",
                         *rig.with_events(EVENTS), "--", "sh", "-c", "exit 7")
        if "valgrind" in result.stderr.lower():
            self.skipTest("no valgrind")
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        recording = rig.Recording(self.path())
        self.addCleanup(recording.base.close)
        self.assertEqual(recording.meta()["what"], "sh -c exit 7")
        self.assertGreater(recording.one(
            "SELECT count(*) FROM sample WHERE kind = 'period'"), 10)
        self.assertEqual(recording.one(
            "SELECT count(*) FROM sample WHERE kind = 'period'"
            " AND thread IS NULL AND core IS NOT NULL"), 0)


if __name__ == "__main__":
    unittest.main()
