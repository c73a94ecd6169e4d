#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What runs by itself runs under `uncore stat`, says the same, and ends when it
ends, with the same status: in namespaces and sandboxes, as another user,
traced, stopped, killed, executed by any thread. What each does natively is the
truth, so who may not make a namespace here skips. And who kills uncore ends all
that it has started."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import sandbox
from counting import BUILD, UNCORE

PROGRAM = os.path.join(BUILD, "tests-tool-traffic_ends")
EVENT = "cbox/LLC_MISSES.I/"
LIMIT = 3000  # seconds, of what takes two or three, on a busy machine, too
HOPELESS = 20  # and of what may never end natively
SECONDS = re.compile(r"([\d.]+)\s+seconds simulated")
EXIT = ("sh", "-c", "exit 7")  # everybody can execute it

SANDBOXES = {
    "processes": ("unshare", "-p", "-f"),
    "user": ("unshare", "-Ur"),
    "user and processes": ("unshare", "-Urpf", "--mount-proc"),
    "nested": ("unshare", "-Urpf", "--mount-proc", "unshare", "-pf"),
    "all": ("bwrap", "--unshare-all", "--dev-bind", "/", "/"),
    "no tool": ("bwrap", "--unshare-all", "--dev-bind", "/", "/", "--tmpfs",
                os.path.dirname(UNCORE)),
    "another user": ("setpriv", "--reuid", "65534", "--clear-groups"),
}


def run(command, limit=LIMIT):
    """(exit status, what it printed)"""
    ran = subprocess.run(command, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         timeout=limit, check=False)
    return ran.returncode, ran.stdout


def counted(command, *options, before=()):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "report")
        ran = run((*before, UNCORE, "stat", *options, "-e", EVENT, "-o", name, "--",
                   *command))
        with open(name) as report:
            return ran, report.read()


def yes_32_bit(path):
    """A 32-bit program that writes "y" and a line's end for ever."""
    code = bytes.fromhex(
        "b804000000" "bb01000000" "b974800408" "ba02000000" "cd80" "ebe8")
    base, head = 0x08048000, 52 + 32
    code = code.replace(struct.pack("<I", 0x08048074),
                        struct.pack("<I", base + head + len(code)))
    size = head + len(code) + 2
    with open(path, "wb") as file:
        file.write(b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
            "<HHIIIIIHHHHHH", 2, 3, 1, base + head, 52, 0, 0, 52, 32, 1, 0, 0,
            0))
        file.write(struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5,
                               4096))
        file.write(code + b"y\n")
    os.chmod(path, 0o755)


class Ends(unittest.TestCase):
    def same(self, *command):
        natively = run(command)
        under, report = counted(command)
        self.assertEqual(under, natively)
        self.assertIn("LLC_MISSES", report)
        # nothing here has as many instructions as a second has cycles
        self.assertLess(float(SECONDS.search(report).group(1)), 1)

    def test_in_sandboxes(self):
        for name, sandbox in SANDBOXES.items():
            with self.subTest(name):
                if (not shutil.which(sandbox[0]) or
                        run((*sandbox, *EXIT))[0] != 7):
                    self.skipTest("may not be made here")
                self.same(*sandbox, *EXIT)

    def test_nothing_of_ours_is_said_or_seen(self):
        """In a sandbox without the tool's folder, too, where the loader would
        look for a library that Valgrind wants it to have."""
        command = ("sh", "-c", "echo out; env | grep -v VALGRIND | grep -c /; exit 3")
        for sandbox in ((), SANDBOXES["no tool"]):
            if sandbox and (not shutil.which(sandbox[0]) or
                            run((*sandbox, *EXIT))[0] != 7):
                continue
            both = [subprocess.run(
                (*before, *sandbox, *command), stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, check=False)
                for before in ((), (UNCORE, "stat", "-o", "/dev/null", "-e",
                                    EVENT, "--"))]
            self.assertEqual(*[
                (ran.returncode, ran.stdout,
                 [line for line in ran.stderr.splitlines()
                  if not line.startswith(b"uncore: note: ")]) for ran in both])

    def test_stops_and_tracers(self):
        for what in ("traced", "debugged", "attach", "stopped"):
            with self.subTest(what):
                self.same(PROGRAM, what)

    def test_a_program_that_its_parent_is_to_trace_goes_on(self):
        self.assertEqual(counted((PROGRAM, "traceme"))[0], (7, b"goes on\n"))

    def test_strace(self):
        if not shutil.which("strace"):
            self.skipTest("no strace")
        self.same("strace", "-f", "-o", "/dev/null", *EXIT)

    def test_a_limit_of_address_space(self):
        """What is enough for Valgrind alone is enough; nothing else changes."""
        limit = ("prlimit", "--as=%d" % (4 << 30))
        if run((*limit, "valgrind", "-q", "--tool=none", *EXIT))[0] != 7:
            self.skipTest("Valgrind has no room in 4 GB")
        counts = []
        for before in limit, ():
            ran, report = counted(EXIT, "--repeatable", "--json", before=before)
            self.assertEqual(ran[0], 7)
            counts.append(json.loads(report)["counts"])
        self.assertEqual(*counts)

    def test_a_limit_that_the_program_sets_is_told(self):
        ran = subprocess.run(
            (UNCORE, "stat", "-e", EVENT, "--", "sh", "-c",
             "ulimit -v %d; exec true" % (4 << 20)), stderr=subprocess.PIPE,
            text=True, timeout=LIMIT, check=False)
        self.assertEqual(ran.returncode, 101)
        self.assertIn("ulimit -v", ran.stderr)

    def test_valgrind_s_own_reason_is_told(self):
        said = "clone() flags"
        if said not in subprocess.run(
                ("valgrind", "-q", "--tool=none", PROGRAM, "odd"),
                stderr=subprocess.PIPE, text=True, check=False).stderr:
            self.skipTest("this Valgrind knows such processes")
        for command, status, words in (
                ((PROGRAM, "odd"), 101, "counts end there"),
                (("sh", "-c", '"$0" odd; exit 7', PROGRAM), 7, "1 processes")):
            ran = subprocess.run((UNCORE, "stat", "-e", EVENT, "--", *command),
                                 stderr=subprocess.PIPE, text=True,
                                 timeout=LIMIT, check=False)
            self.assertEqual(ran.returncode, status, ran.stderr)
            for wanted in ("Valgrind gave up", words, said, "LLC_MISSES"):
                self.assertIn(wanted, ran.stderr)

    def test_who_does_not_hear_is_killed_after_the_timeout(self):
        ran, report = counted((PROGRAM, "deaf"), "--timeout", "1ms")
        self.assertEqual(ran, (128 + signal.SIGKILL, b""))
        self.assertIn("LLC_MISSES", report)

    def test_threads_and_processes(self):
        for what in ("pipe", "killed", "thread-exec", "vfork", "leave", "orphan"):
            with self.subTest(what):
                self.same(PROGRAM, what)

    def test_a_fault_of_one_thread_ends_all(self):
        for _ in range(10 if sandbox.LONG else 1):
            ran, report = counted((PROGRAM, "fault"))
            self.assertEqual(ran, (128 + signal.SIGSEGV, b""))
            self.assertIn("LLC_MISSES", report)

    def test_who_sleeps_for_years_hears(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number), subprocess.Popen(
                    (UNCORE, "stat", "-e", EVENT, "--", "sh", "-c",
                     "echo $$; exec sleep 100000000"), text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                pid = int(process.stdout.readline())
                time.sleep(1) # all are asleep; before, it is told as ever
                os.kill(pid, number)
                report = process.communicate(timeout=LIMIT)[1]
                self.assertEqual(process.returncode, 128 + number, report)
                self.assertIn("LLC_MISSES", report)

    def test_who_waits_without_pause(self):
        for what in ("spin", "yield", "poll", "sleep"):
            with self.subTest(what):
                self.same(PROGRAM, what)

    def test_a_pipe_from_a_program_that_is_not_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "yes")
            yes_32_bit(program)
            command = ("sh", "-c", "%s | head -n 2" % program)
            try:
                if run(command, HOPELESS) != (0, b"y\ny\n"):
                    self.skipTest("no 32-bit programs here")
            except subprocess.TimeoutExpired:
                self.skipTest("no 32-bit programs here")
            self.same(*command)

    def test_nothing_is_left_when_uncore_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            numbers = os.path.join(folder, "numbers")
            loop = "sh -c 'echo $$ >>%s; while :; do :; done'" % numbers
            process = subprocess.Popen(
                (UNCORE, "stat", "-e", EVENT, "--", "sh", "-c",
                 "%s & %s & while :; do :; done" % (loop, loop)),
                stderr=subprocess.DEVNULL)
            until = time.monotonic() + LIMIT
            lines = []
            while len(lines) < 2 and time.monotonic() < until:
                time.sleep(0.1)
                if os.path.exists(numbers):
                    with open(numbers) as file:
                        lines = file.read().split()
            process.kill()
            process.wait()
            self.assertEqual(len(lines), 2)
            left = lines
            while left and time.monotonic() < until:
                left = [line for line in left
                        if os.path.exists("/proc/" + line)]
                time.sleep(0.1)
            for line in left:
                os.kill(int(line), signal.SIGKILL)
            self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
