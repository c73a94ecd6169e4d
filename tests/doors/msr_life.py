#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# How servers of the register files begin and end: every way out unmounts, even
# SIGKILL; a folder has one server; what a dead server left is replaced; clients
# that hold files open hang nowhere.

import errno
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from msr_server import (PATIENCE_S, UNCORE, Server, is_mounted, need_fuse,
                        start, until)

WORDS = ("--clock", "step")
RACERS = 6


class Case(unittest.TestCase):
    def folder(self):
        folder = tempfile.mkdtemp(prefix="msr-life-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.addCleanup(lambda: until("%s is unmounted" % folder,
                                      lambda: not is_mounted(folder)))
        return folder

    def serve(self, *words, **options):
        server = Server(*(words or WORDS), folder=self.folder(), **options)
        self.addCleanup(server.kill)
        return server

    def fails(self, server, what):
        status, said = server.end()
        self.assertEqual(status, 1, said)
        self.assertIn(what, said)

    def refused(self, folder, *words):
        """What a server says that cannot begin, and its exit code."""
        process = start(folder, *(words or WORDS))
        out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(out, "")
        self.assertEqual(len(err.strip().split("\n")), 1, err)
        return process.returncode, err


class Ends(Case):
    def test_on_each_signal_it_unmounts_and_says_0(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = self.serve()
            self.assertEqual(server.end(number), (0, ""))
            self.assertFalse(is_mounted(server.folder))

    def test_when_it_is_unmounted_it_says_0(self):
        for words in (["umount"], ["fusermount3", "-u"],
                      ["fusermount3", "-u", "-z"], ["umount", "-f"]):
            if not shutil.which(words[0]):
                continue
            server = self.serve()
            server.status()
            subprocess.run(words + [server.folder], check=True)
            self.assertEqual(server.wait(), 0, words)

    def test_a_socket_ends_with_the_files_and_by_itself(self):
        server = self.serve("--clock", "step", "--socket",
                            self.folder() + "/socket")
        path = server.ready.split("socket ")[1].split(",")[0]
        self.assertTrue(os.path.exists(path))
        subprocess.run(["umount", server.folder], check=True)
        self.assertEqual(server.wait(), 0)
        self.assertFalse(os.path.exists(path))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            alone = subprocess.Popen(
                [UNCORE, "model", "serve", "--socket", path],
                stdout=subprocess.PIPE, text=True)
            self.addCleanup(alone.kill)
            self.assertTrue(alone.stdout.readline().startswith("ready: "))
            alone.send_signal(number)
            self.assertEqual(alone.wait(timeout=PATIENCE_S), 0)
            alone.stdout.close()
            self.assertFalse(os.path.exists(path))

    def test_ignored_signals_stay_ignored(self):
        server = self.serve(preexec_fn=lambda: signal.signal(
            signal.SIGHUP, signal.SIG_IGN))
        server.process.send_signal(signal.SIGHUP)
        server.status()
        self.assertIsNone(server.process.poll())
        self.assertEqual(server.end(), (0, ""))

    def test_files_that_are_held_open_fail_and_do_not_hang(self):
        server = self.serve()
        fd = server.open()
        self.assertEqual(server.end(), (0, ""))
        self.assertFalse(is_mounted(server.folder))
        with self.assertRaises(OSError) as caught:
            os.pread(fd, 8, 0)
        self.assertIn(caught.exception.errno,
                      (errno.ENOTCONN, errno.ECONNABORTED))
        os.close(fd)

    def test_a_lazy_unmount_waits_for_files_that_are_held_open(self):
        server = self.serve()
        fd = server.open()
        cycle = os.open(server.path("clock"), os.O_RDONLY)
        if subprocess.run(["umount", server.folder],
                          stderr=subprocess.DEVNULL).returncode == 0:
            self.fail("it could be unmounted though it was in use")
        subprocess.run(["umount", "-l", server.folder], check=True)
        self.assertFalse(is_mounted(server.folder))
        self.assertEqual(os.pread(cycle, 9, 0), b"0\n")
        os.close(fd)
        os.close(cycle)
        self.assertEqual(server.wait(), 0)

    def test_what_was_mounted_in_its_place_stays(self):
        server = self.serve()
        fd = server.open()  # keeps it alive
        subprocess.run(["umount", "-l", server.folder], check=True)
        other = Server(*WORDS, folder=server.folder)
        self.addCleanup(other.kill)
        self.assertEqual(server.end(), (0, ""))
        os.close(fd)
        self.assertEqual(other.cycle(), 0)
        self.assertEqual(other.end(), (0, ""))


class Dies(Case):
    def test_killed_it_leaves_no_mount(self):
        server = self.serve()
        fd = server.open()
        server.process.kill()
        server.wait()
        until("its guardian unmounts", lambda: not is_mounted(server.folder))
        self.assertEqual(os.listdir(server.folder), [])
        with self.assertRaises(OSError):
            os.pread(fd, 8, 0)
        os.close(fd)

    def test_killed_with_its_whole_group_it_leaves_no_mount(self):
        server = self.serve(start_new_session=True)
        os.killpg(server.process.pid, signal.SIGKILL)
        server.wait()
        until("its guardian unmounts", lambda: not is_mounted(server.folder))

    def test_killed_at_any_moment_of_its_start_it_leaves_no_mount(self):
        folder = self.folder()
        for delay in range(12):
            process = start(folder, *WORDS)
            time.sleep(delay * 0.002)
            process.kill()
            process.communicate(timeout=PATIENCE_S)
        until("all is unmounted", lambda: not is_mounted(folder))

    def test_its_guardian_keeps_no_files_open(self):
        server = self.serve()
        guardian = server.guardian()
        server.process.kill()
        # Ends only when nobody has the server's outputs any more.
        server.process.communicate(timeout=PATIENCE_S)
        until("the guardian ends",
              lambda: not os.path.exists("/proc/%d/fd/0" % guardian))

    def test_what_it_leaves_when_its_guardian_dies_too_is_replaced(self):
        server = self.serve()
        os.kill(server.guardian(), signal.SIGKILL)
        server.process.kill()
        server.wait()
        with self.assertRaises(OSError) as caught:
            os.listdir(server.folder)
        self.assertEqual(caught.exception.errno, errno.ENOTCONN)
        again = Server(*WORDS, folder=server.folder)
        self.addCleanup(again.kill)
        self.assertEqual(again.cycle(), 0)
        status, said = again.end()
        self.assertEqual(status, 0)
        self.assertIn("replaced", said)
        self.assertFalse(is_mounted(server.folder))


class Begins(Case):
    def test_a_second_server_is_refused_and_the_first_goes_on(self):
        server = self.serve()
        for folder in (server.folder, server.folder + "/",
                       os.path.relpath(server.folder)):
            status, said = self.refused(folder)
            self.assertEqual(status, 1)
            self.assertIn("another server serves", said)
        self.assertEqual(server.run(5), 5)
        self.assertEqual(server.end(), (0, ""))

    def test_of_many_at_once_one_wins(self):
        folder = self.folder()
        racers = [start(folder, *WORDS) for _ in range(RACERS)]
        first = [racer.stdout.readline() for racer in racers]
        ready = [r for r, line in zip(racers, first)
                 if line.startswith("ready: ")]
        self.assertEqual(len(ready), 1, first)
        ready[0].terminate()
        codes = []
        for racer in racers:
            racer.communicate(timeout=PATIENCE_S)
            codes.append(racer.returncode)
        self.assertEqual(sorted(codes), [0] + [1] * (RACERS - 1))

    def test_after_a_killed_server_the_next_can_begin_at_once(self):
        folder = self.folder()
        for _ in range(10):
            server = Server(*WORDS, folder=folder)
            self.addCleanup(server.kill)
            self.assertEqual(server.run(3), 3)
            server.process.kill()

    def test_a_folder_that_is_not_there_is_made_by_mkdir(self):
        status, said = self.refused(self.folder() + "/none")
        self.assertEqual(status, 2)
        self.assertIn("mkdir -p", said)

    def test_a_file_is_no_folder(self):
        status, said = self.refused("/etc/passwd")
        self.assertEqual(status, 2)
        self.assertIn("/etc/passwd", said)

    def test_names_with_blanks_and_links_are_folders(self):
        folder = os.path.join(self.folder(), "a folder\\of mine")
        os.mkdir(folder)
        os.symlink(folder, folder + "-link")
        server = Server(*WORDS, folder=folder + "-link")
        self.addCleanup(server.kill)
        self.assertEqual(self.refused(folder)[0], 1)
        self.assertEqual(server.end(), (0, ""))
        self.assertEqual(os.listdir(folder), [])

    def test_in_the_background_it_returns_when_it_is_ready(self):
        folder = self.folder()
        log = self.folder() + "/log"
        ran = subprocess.run(
            [UNCORE, "model", "serve", "--daemon", "--msr", folder, "--log",
             log] + list(WORDS), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=PATIENCE_S)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertTrue(ran.stdout.startswith("ready: "), ran.stdout)
        pid = int(ran.stdout.split("pid ")[1])
        with open(folder + "/clock", encoding="ascii") as clock:
            self.assertEqual(clock.read(), "0\n")
        status, _ = self.refused(folder, "--daemon", *WORDS)
        self.assertEqual(status, 1)
        os.kill(pid, signal.SIGTERM)
        until("it has ended", lambda: not is_mounted(folder))
        with open(log, encoding="ascii") as lines:
            self.assertEqual(lines.read(), "")

    def test_bad_words_are_refused_before_anything_is_mounted(self):
        folder = self.folder()
        for words, text in ((("--clock", "sideways"), "sideways"),
                            (("--workload", "streem"), "streem"),
                            (("--machine", "xeon-e8"), "xeon-e8"),
                            (("--sockets", "3"), "3"),
                            (("--set", "llc.wayz=1"), "llc.wayz"),
                            (("--log", "/no/such/file"), "/no/such/file")):
            process = start(folder, *words)
            out, err = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 2, words)
            self.assertEqual(out, "")
            self.assertIn(text, err)
            self.assertFalse(is_mounted(folder))
        ran = subprocess.run([UNCORE, "model", "serve"],
                             stderr=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--msr", ran.stderr)


if __name__ == "__main__":
    need_fuse()
    unittest.main()
