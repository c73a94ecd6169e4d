#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Lines of progress are for a terminal that nobody else uses: they come while a
program computes, and are taken away, and come no more, as soon as it asks
something there; --no-progress leaves them out."""
import os
import pty
import select
import subprocess
import tempfile
import time
import unittest

from counting import BUILD, UNCORE

PROGRAM = os.path.join(BUILD, "tests-tool-traffic_ends")
PROGRESS, ERASE, ASKED = b"memory accesses", b"\r\033[K", b"name? "
LIMIT = 60


COUNT = ("stat", "-e", "cbox/LLC_MISSES.I/")


def on_terminal(*options, command=COUNT, redirect=None):
    """All that a terminal is sent while PROGRAM prompt runs there, which is
    answered. It computes for seconds of the host, as lines of progress come."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (UNCORE, *command, *options, "--clock", "host", "--", PROGRAM,
         "prompt"),
        stdin=redirect or theirs, stdout=redirect or theirs,
        stderr=theirs, start_new_session=True)
    os.close(theirs)
    seen, until = b"", time.monotonic() + LIMIT
    answered = bool(redirect)
    try:
        while time.monotonic() < until:
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 4096)
            if ASKED in seen and not answered:
                os.write(ours, b"me\n")
                answered = True
    except OSError:  # all have closed it
        pass
    finally:
        os.close(ours)
        process.kill()
        process.wait()
    return seen


class Progress(unittest.TestCase):
    def test_a_prompt_stays(self):
        before, after = on_terminal().split(ASKED)
        self.assertIn(PROGRESS, before)
        self.assertTrue(before.endswith(ERASE), before[-80:])
        self.assertIn(b"seconds simulated", after)
        self.assertNotIn(PROGRESS, after)
        self.assertNotIn(ERASE, after)

    def test_it_can_be_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "uncore.rec")
            for command in (COUNT, ("record", "-o", file), ("c2c", "--replace", "-o", file),
                            ("export", "--once")):
                seen = on_terminal("--no-progress", command=command)
                self.assertIn(ASKED, seen, command)
                self.assertNotIn(PROGRESS, seen, command)
                self.assertNotIn(ERASE, seen, command)

    def test_what_goes_elsewhere_does_not_matter(self):
        with open("/dev/zero", "r+b", buffering=0) as elsewhere:
            seen = on_terminal(redirect=elsewhere)
        self.assertIn(PROGRESS, seen)
        self.assertNotIn(ASKED, seen)


if __name__ == "__main__":
    unittest.main()
