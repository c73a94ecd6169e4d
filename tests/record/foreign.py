#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What others hand over may be made to harm. A recording never names a place
that is opened; what is opened is a regular file; every length and range has a
limit. Whatever it is, a command ends at once, with one sentence, and does not
grow. Where a change does no harm the command works.

Who opened something that never ends would be ended by the limits of a process
below, and by a signal: those are not what is wanted.
"""
import os
import resource
import sqlite3
import struct
import subprocess
import threading
import unittest

import rig

SECONDS = 60     # of a CPU, sanitizers and a busy machine included
WALL_SECONDS = 100
MEGABYTES = 600  # what the kernel says was resident at most

PMU = "bus/event_source/devices/uncore_imc_0/"
CAPTURE = ("%stype = 13\n%scpumask = 0\n%sformat/event = config:0-7\n"
           "%sevents/reads = event=0x4\n" % ((PMU,) * 4))
LIST = ('[{"Unit": "iMC", "EventName": "A", "EventCode": "0x1",'
        ' "BriefDescription": "b"}]')


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(*words):
    """(exit code, what was said, the most MB that were resident, what was
    printed)"""
    process = subprocess.Popen(
        [rig.UNCORE, *words], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        errors="replace", preexec_fn=limits)
    told = {}
    readers = [threading.Thread(target=lambda s=stream: told.update(
        {s: s.read()})) for stream in (process.stdout, process.stderr)]
    for reader in readers:
        reader.start()
    timer = threading.Timer(WALL_SECONDS, process.kill)
    timer.start()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    for reader in readers:
        reader.join()
    process.stdout.close()
    process.stderr.close()
    return (process.returncode, told[process.stderr], used.ru_maxrss / 1024,
            told[process.stdout])


class TestCase(rig.TestCase):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def refused(self, *words):
        """One sentence."""
        code, said, size, _ = run(*words)
        self.assertIn(code, (1, 2), (words, said[-500:]))
        self.assertLess(size, MEGABYTES, words)
        self.assertRegex(said, r"\Auncore: [^\n]+\n\Z", words)
        self.assertLess(len(said), 1000)
        return said

    def works(self, *words):
        code, said, size, printed = run(*words)
        self.assertEqual(code, 0, (words, said[-500:]))
        self.assertLess(size, MEGABYTES, words)
        return printed


class Places(TestCase):
    """What is no regular file, wherever a file can be named."""
    def setUp(self):
        super().setUp()
        self.pipe, self.held = self.path("pipe"), self.path("held")
        os.mkfifo(self.pipe)
        os.mkfifo(self.held)
        # one whose writer is there and writes nothing
        self.writer = os.open(self.held, os.O_RDWR)
        self.addCleanup(os.close, self.writer)
        os.symlink("/dev/zero", self.path("zero"))
        self.capture = self.write("capture", CAPTURE)
        self.places = ["/dev/zero", self.path("zero"), self.pipe, self.held,
                       "/dev/full"]

    def test_captures_and_lists(self):
        for place in self.places:
            for machine in ("perf:" + place,
                            "perf:%s,events=%s" % (self.capture, place)):
                for words in (("list",), ("encode", "imc/reads/"),
                              ("explain", "imc/reads/"),
                              ("schedule", "imc/reads/")):
                    self.refused(*words, "-m", machine)
            self.refused("stat", "--on", "perf:" + place, "-e", "imc/reads/",
                         "--", "true")

    def test_metrics(self):
        for place in self.places:
            self.refused("list", "--metrics", "--metric-file=" + place)

    def test_recordings(self):
        for place in self.places:
            self.refused("report", place)
        for place in self.places[:2]:
            self.refused("compare", place, place)
        # a pipe that nobody has open for writing has said all
        self.refused("compare", self.pipe, self.pipe)

    def test_a_folder_like_sys(self):
        """What is no file in it is as if it were not there."""
        root = self.path("sys")
        pmu = os.path.join(root, PMU)
        for folder in "format", "events":
            os.makedirs(os.path.join(pmu, folder))
        os.makedirs(os.path.join(root, "devices/system/cpu"))
        for line in CAPTURE.splitlines():
            path, text = line.split(" = ")
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        os.mkfifo(os.path.join(pmu, "events", "pipe"))
        os.symlink(self.held, os.path.join(pmu, "events", "held"))
        os.symlink("/dev/zero", os.path.join(pmu, "events", "zero"))
        os.symlink("/dev/zero", os.path.join(pmu, "identifier"))
        said = self.works("list", "-m", "perf:" + root)
        self.assertIn("reads", said)
        self.assertNotIn("zero", said)
        self.assertNotIn("held", said)

    def test_a_pipe_with_results_is_compared(self):
        result = subprocess.run(
            [rig.UNCORE, "stat", "-j", "-w", "stream:size=64K", "-e",
             "cbox/LLC_MISSES.ALL/"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, check=True)
        text = result.stdout or result.stderr
        path = self.path("result")
        with open(path, "wb") as file:
            file.write(text)
        ends = os.pipe()
        os.write(ends[1], text)
        os.close(ends[1])
        done = subprocess.run(
            [rig.UNCORE, "compare", path, "/dev/fd/%d" % ends[0]],
            pass_fds=ends[:1], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, timeout=WALL_SECONDS, check=False)
        os.close(ends[0])
        self.assertEqual(done.returncode, 0, done.stderr)


class Captures(TestCase):
    """Lengths and ranges."""
    def tried(self, text):
        return ("list", "-m", "perf:" + self.write("capture", text))

    def test_ranges(self):
        for mask in ("0-99999999999", "99999999999", "0-65536",
                     "0-18446744073709551616"):
            said = self.refused(*self.tried(CAPTURE.replace(
                "cpumask = 0", "cpumask = " + mask)))
            self.assertIn("uncore_imc_0", said)
        for mask in "5-1", "0-65535", ",".join(["0-65535"] * 500), "0-", "-3":
            run(*self.tried(CAPTURE.replace("cpumask = 0",
                                            "cpumask = " + mask)))

    def test_many_masks(self):
        """Each allowed, together too many."""
        self.refused(*self.tried("".join(
            CAPTURE.replace("cpumask = 0", "cpumask = 0-65535")
            .replace("uncore_imc_0", "uncore_imc_%d" % i)
            for i in range(200))))

    def test_many_terms_names_and_lines(self):
        self.refused(*self.tried(CAPTURE + "".join(
            "%sformat/t%d = config1:0-7\n" % (PMU, i) for i in range(5000))))
        self.refused(*self.tried(CAPTURE.replace("uncore_imc_0", "p" * 5000)))
        self.refused(*self.tried("a = b\n" * 300000))
        self.refused(*self.tried(CAPTURE + "# " + "x" * (17 << 20)))

    def test_packages(self):
        """Any of the CPUs may be said to be anywhere."""
        self.works(*self.tried(CAPTURE + "".join(
            "devices/system/cpu/cpu%d/topology/physical_package_id = %d\n"
            % (cpu, cpu * 7919 % 100003) for cpu in range(20000))))

    def test_a_list_too_long(self):
        with open(self.write("list.json", "["), "r+b") as file:
            file.truncate(100 << 20)
        self.refused("list", "-m", "perf:%s,events=%s" % (
            self.write("capture", CAPTURE), self.path("list.json")))


class Recordings(TestCase):
    EVENT = "cbox/LLC_MISSES.ALL/"

    def setUp(self):
        super().setUp()
        self.record([self.EVENT], "-I", "100us", "-w", "stream:size=256K")
        self.commands = (("report",), ("report", "-j"),
                         ("report", "--by=trend"), ("top", "--once"),
                         ("compare", self.path()))

    def changed(self, *changes, name="changed"):
        with open(self.path(), "rb") as file, \
                open(self.path(name), "wb") as copy:
            copy.write(file.read())
        base = sqlite3.connect(self.path(name))
        for change in changes:
            base.execute(*change)
        base.commit()
        base.close()
        return self.path(name)

    def meta(self, **values):
        return self.changed(*(
            ("INSERT OR REPLACE INTO meta VALUES (?, ?)", pair)
            for pair in values.items()))

    def of_commands(self, path):
        return [(*command, path) for command in self.commands]

    def test_unchanged(self):
        for words in self.of_commands(self.meta()):
            self.works(*words)

    def test_places(self):
        """Names of machines are of built-in families alone."""
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        capture = self.write("capture", CAPTURE)
        for machine in ("perf:/dev/zero", "perf:" + pipe, "perf", "perf:/sys",
                        "perf:" + capture, "perf,events=/dev/zero",
                        "msr:/dev/zero", "/dev/zero", "", "nothing"):
            path = self.meta(machine=machine)
            for words in self.of_commands(path):
                if words[0] == "report" and "--by=trend" not in words:
                    self.works(*words)  # what it shows needs no machine
                else:
                    self.refused(*words)

    def test_nothing_is_opened(self):
        """As the kernel sees it: a folder that anybody looks into tells."""
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        path = self.meta(machine="perf:" + pipe, metrics=pipe, what=pipe)
        for words in self.of_commands(path):
            run(*words)
            # who had opened it for reading would let this succeed
            with self.assertRaises(OSError):
                os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)

    def test_captures_inside(self):
        for mask in "0-99999999999", "0-65536":
            path = self.meta(machine="perf", capture=CAPTURE.replace(
                "cpumask = 0", "cpumask = " + mask))
            for words in self.of_commands(path)[2:]:
                self.refused(*words)
        # longer than a capture may be, and than a text may be
        for size in 17 << 20, 40 << 20:
            self.refused("top", "--once", self.meta(machine="perf",
                                                 capture="#" * size))

    def test_numbers(self):
        for key in "sockets", "clock_hz", "seconds", "cycles":
            for value in "-1", "nan", "1e300", "x", "1 ", "inf":
                path = self.meta(**{key: value})
                for words in self.of_commands(path)[::2]:
                    self.refused(*words)
        for value in "65", "4294967297", "1.5":
            self.refused("top", "--once", self.meta(sockets=value))
        self.works("top", "--once", self.meta(sockets="64"))

    def test_numbers_of_all_columns(self):
        """As the schema has them: whole numbers and times. All 64 bits are
        good in addresses and values of registers alone."""
        words = {("position", "address"), ("position", "offset"),
                 ("access", "address"), ("access", "line"),
                 ("access", "offset"), ("state", "value")}
        base = sqlite3.connect(self.path())
        tables = {table: base.execute("SELECT * FROM pragma_table_info(?)",
                                      (table,)).fetchall()
                  for table, in base.execute("SELECT name FROM sqlite_master"
                                             " WHERE type = 'table'")}
        base.close()
        self.assertEqual(len(tables), 10)
        for table, columns in tables.items():
            row = ("INSERT OR IGNORE INTO %s VALUES (%s)" % (
                table, ", ".join("9" for _ in columns)),)
            for _, name, kind, _, _, key in columns:
                if kind not in ("INTEGER", "REAL") or key and (
                        table != "count" or name == "sample"):
                    continue  # a count of no sample is not read
                bad = ["'abc'", "x'00ff'"]
                if kind == "REAL":
                    bad += ["9e999"]
                else:
                    bad += ["99999999999999999999"]
                    bad += [] if (table, name) in words else ["-5"]
                for value in bad:
                    self.assertIn("no recorder writes", self.refused(
                        "report", self.changed(row, (
                            "UPDATE OR IGNORE %s SET %s = %s WHERE %s = %d" % (
                                table, name, value, columns[0][1],
                                0 if table == "count" else 9),))),
                        (table, name, value))
        self.refused("top", "--once", self.meta(cores="9" * 20))

    def test_directions_of_text_are_escaped(self):
        path = self.changed(("UPDATE event SET text = ?",
                             ("a\u202eb\u2066c\u200fd\u00e9\u20ac",)))
        printed = self.works("report", "-j", path)
        self.assertIn("a\\u202eb\\u2066c\\u200fd\u00e9\u20ac", printed)

    def test_columns_that_are_worked_out(self):
        path = self.changed(
            ("ALTER TABLE meta RENAME TO was",),
            ("CREATE TABLE meta (key TEXT, was TEXT, value TEXT AS"
             " (hex(zeroblob(400000000))))",),
            ("INSERT INTO meta (key, was) SELECT key, value FROM was",))
        for words in self.of_commands(path):
            self.refused(*words)

    def test_a_journal_that_names_a_file(self):
        """SQLite takes the file away that joins several journals."""
        victim = self.write("victim", "dear to somebody")
        path = self.meta()
        name = victim.encode()
        page = 4096
        head = (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" +
                struct.pack(">IIIII", 0, 0, os.path.getsize(path) // page,
                            512, page)).ljust(512, b"\0")
        tail = (struct.pack(">I", 262145) + name +
                struct.pack(">II", len(name), sum(name)) +
                b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
        with open(path + "-journal", "wb") as file:
            file.write(head + tail)
        self.refused("report", path)
        self.assertTrue(os.path.exists(victim))


if __name__ == "__main__":
    unittest.main()
