#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Whoever is robbed of counters while they count is told: what somebody else
has changed meanwhile is n/a with that reason, and never a number. The number
that would be right is known: of a workload that never ends every count of a
clock is more than nothing, and less than all cycles that passed."""
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from msr_server import PATIENCE_S, UNCORE, field, need_fuse, until
from neighbours import MISSES, REGISTERS, Case, environment

CLOCK = "wbox/FIXED_CTR/"
SWITCH = REGISTERS["U_MSR_PMON_GLOBAL_CTL"] if REGISTERS else {}
STARTS = 20 if "UNCORE_LONG" in os.environ else 5  # of two in the same moment
SECONDS = "0.3"


def begin(on, state, *words):
    os.makedirs(state, mode=0o700, exist_ok=True)
    return subprocess.Popen(
        [UNCORE, "stat", "--on", on, "--json", *words],
        env=environment(state), text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def end(running):
    """Counts by event and reasons, or the sentence of who was refused."""
    out, errors = running.communicate(timeout=PATIENCE_S)
    if running.returncode:
        return None, errors
    return json.loads(out)["counts"], errors


def until_it_counts(server):
    """The switch is the last that is set: who writes before is met by whoever
    programs, not by whoever counts."""
    until("it counts", lambda: server.read(SWITCH["address"])
          & field(SWITCH, "en_all", 1))


class Starts(Case):
    """Two in the same moment, with folders of their own."""

    def check(self, on, *words):
        server = self.serve("free")
        for number in range(STARTS):
            states = [os.path.join(self.state, "%d-%d" % (number, i))
                      for i in range(2)]
            both = [begin(on(server), state, *words) for state in states]
            ended = [end(running) for running in both]
            self.assertTrue([counts for counts, _ in ended if counts], ended)
            for counts, errors in ended:
                if counts is None:
                    self.assertIn("in use", errors)
                else:
                    self.assertFalse([count for count in counts
                                      if count["value"] is None], ended)
            self.assertEqual(server.read(SWITCH["address"]), 0)


class Sockets(Starts):
    def test_do_not_let_two_in(self):
        self.check(lambda _: "socket:" + self.socket, "--duration", SECONDS,
                   "-e", CLOCK)

    def test_do_not_let_two_in_that_want_other_events(self):
        self.check(lambda _: "socket:" + self.socket, "--duration", SECONDS,
                   "-M", "llc_misses,memory_read", "-e", MISSES)


class Files(Starts):
    def test_do_not_let_two_in(self):
        self.check(lambda server: "msr:" + server.folder, "--duration",
                   SECONDS, "-e", MISSES, "-e", CLOCK)


class Robbers(Case):
    """One who changes a register of a count that goes on."""

    def rob(self, on, register, value, *words):
        server = self.serve("free")
        where = on(server)
        running = begin(where, self.state, *words)
        until_it_counts(server)
        time.sleep(random.Random(register + str(value)).uniform(0.05, 0.3))
        self.assertTrue(server.write(REGISTERS[register]["address"], value))
        time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        counts, errors = end(running)
        self.assertIsNotNone(counts, errors)
        return counts

    def told(self, counts, event, socket=0):
        of = [count for count in counts if count["event"] == event
              and count["socket"] in (None, socket)]
        self.assertTrue(of)
        return [count["value"] is None and "somebody else" in count["note"]
                for count in of]

    def on_each_way(self, *what, words):
        for on in (lambda _: "socket:" + self.socket,
                   lambda server: "msr:" + server.folder):
            yield self.rob(on, *what, "--per-socket", *words)

    def test_of_a_control_are_told(self):
        for counts in self.on_each_way("CB3_CR_C_MSR_PMON_EVT_SEL_0", 0,
                                       words=("-e", "cbox3/LLC_MISSES.ALL,"
                                              "counter=0/", "-e", CLOCK)):
            self.assertEqual(self.told(
                counts, "cbox3/LLC_MISSES.ALL,counter=0/"), [True])
            self.assertEqual(self.told(counts, CLOCK), [False])

    def test_of_an_enable_are_told(self):
        for counts in self.on_each_way("CB3_CR_C_MSR_PMON_GLOBAL_CTL", 0,
                                       words=("-e", MISSES)):
            self.assertEqual(self.told(counts, MISSES), [True])
            self.assertEqual(self.told(counts, MISSES, socket=1), [False])

    def test_of_the_switch_are_told(self):
        for counts in self.on_each_way("U_MSR_PMON_GLOBAL_CTL", 0,
                                       words=("-e", MISSES, "-e", CLOCK)):
            self.assertEqual(self.told(counts, MISSES), [True])
            self.assertEqual(self.told(counts, CLOCK), [True])

    def test_by_force_are_told_though_all_was_put_back(self):
        """Another uncore, whose folder is elsewhere, takes the counter of one
        box, and has ended when the first one does."""
        server = self.serve("free")
        on = "socket:" + self.socket
        first = begin(on, os.path.join(self.state, "first"), "-e",
                      "cbox3/LLC_MISSES.ALL,counter=0/", "-e",
                      "cbox4/LLC_MISSES.ALL,counter=0/")
        until_it_counts(server)
        time.sleep(0.1)
        forced = begin(on, os.path.join(self.state, "other"), "--force",
                       "--duration", "0.05", "-e",
                       "cbox3/LLC_MISSES.ALL,counter=0/")
        self.assertIsNotNone(end(forced)[0])
        first.send_signal(signal.SIGINT)
        counts, errors = end(first)
        self.assertIsNotNone(counts, errors)
        self.assertEqual(self.told(counts, "cbox3/LLC_MISSES.ALL,counter=0/"),
                         [True])
        self.assertEqual(self.told(counts, "cbox4/LLC_MISSES.ALL,counter=0/"),
                         [False])

    def test_that_reset_all_counters_are_told(self):
        value = field(SWITCH, "rst_all", 1) | field(SWITCH, "en_all", 1)
        for counts in self.on_each_way("U_MSR_PMON_GLOBAL_CTL", value,
                                       words=("-e", MISSES, "-e", CLOCK)):
            self.assertEqual(self.told(counts, MISSES), [True])
            self.assertEqual(self.told(counts, CLOCK), [True])


class Samples(Case):
    """One who changes a register while samples are taken. The truth: a count
    between two samples is a period, and of a clock that always counts no
    stretch has nothing; what came after the theft is not in the recording."""
    MISS = "cbox3/LLC_MISSES.ALL,counter=0"
    MASTER = "U_MSR_PMON_GLOBAL_CTL"
    THEFTS = (("CB3_CR_C_MSR_PMON_EVT_SEL_0", lambda _: 0),
              ("CB3_CR_C_MSR_PMON_GLOBAL_CTL", lambda _: 0),
              (MASTER, lambda was: was & ~field(SWITCH, "en_all", 1)),
              (MASTER, lambda was: was | field(SWITCH, "rst_all", 1)))

    def rob(self, on, register, change, *words):
        """What `record` says, and its recording."""
        server = self.serve("free")
        name = os.path.join(self.folder, "recording")
        address = REGISTERS[register]["address"]
        running = subprocess.Popen(
            [UNCORE, "record", "--on", on(server), "-o", name, *words],
            env=environment(self.state), text=True, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)
        master = REGISTERS[self.MASTER]["address"]
        while running.poll() is None:  # a freeze ends with its own value
            time.sleep(0.05)
            if server.read(master) & field(SWITCH, "en_all", 1):
                server.write(address, change(server.read(address)))
        _, said = running.communicate(timeout=PATIENCE_S)
        self.assertEqual(running.returncode, 1, said)
        self.assertRegex(said, "somebody else has (changed|written)")
        if "in the same moment" in said:  # before it had begun
            return None
        self.assertEqual(said.count("somebody else"), 1, said)
        recording = sqlite3.connect(name)
        self.addCleanup(recording.close)
        return recording

    def test_of_a_counter_end_with_it(self):
        """Set back, once: what it would have counted since is beyond any
        number of periods."""
        server = self.serve("free")
        address = REGISTERS["CB3_CR_C_MSR_PMON_CTR_0"]["address"]
        running = subprocess.Popen(
            [UNCORE, "record", "--on", "socket:" + self.socket, "-o",
             os.path.join(self.folder, "recording"), "--duration", "2", "-e",
             self.MISS + ",period=500/"], text=True,
            env=environment(self.state), stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)
        until("it counts", lambda: server.read(address) or
              running.poll() is not None)
        time.sleep(0.3)
        server.write(address, server.read(address) >> 1)
        _, said = running.communicate(timeout=PATIENCE_S)
        self.assertEqual(running.returncode, 1, said)
        self.assertIn("set back", said)

    def each(self, *words):
        found = []
        for register, change in self.THEFTS:
            with self.subTest(register=register):
                found.append(self.rob(lambda _: "socket:" + self.socket,
                                      register, change, "--duration", "20",
                                      *words))
        found.append(self.rob(lambda server: "msr:" + server.folder,
                              *self.THEFTS[0], "--duration", "20", *words))
        return [recording for recording in found if recording]

    def test_of_overflows_end_there(self):
        for recording in self.each("-e", self.MISS + ",period=500/"):
            self.assertEqual(recording.execute(
                "SELECT 1 FROM meta WHERE key = 'complete'").fetchall(), [])
            for value, lost in recording.execute(
                    "SELECT value, lost FROM count JOIN sample "
                    "ON sample.id = count.sample"):
                self.assertLess(abs(value - 500 * (1 + lost)), 500)

    def test_of_intervals_end_there(self):
        for recording in self.each("-e", CLOCK, "-e", self.MISS + "/", "-I",
                                   "20us"):
            for value, length in recording.execute(
                    "SELECT value, length FROM count JOIN sample "
                    "ON sample.id = count.sample WHERE count.event = 0"):
                self.assertGreater(value, 0)


class Shown(Case):
    """One who changes a control while `top` and `export` look: what it counted
    is not shown, and the boxes that he left alone are."""

    def rob(self, command, *words):
        server = self.serve("free")
        running = subprocess.Popen(
            [UNCORE, command, "--on", "socket:" + self.socket, "-I", "2s",
             *words], env=environment(self.state), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)
        until_it_counts(server)
        time.sleep(0.1)
        for counter in range(6):  # whichever it has
            server.write(REGISTERS["CB3_CR_C_MSR_PMON_EVT_SEL_%d" % counter]
                         ["address"], 0)
        shown, errors = running.communicate(timeout=PATIENCE_S)
        self.assertEqual(running.returncode, 0, errors)
        return shown

    def test_by_top(self):
        shown = self.rob("top", "-M", "llc_misses,memory_read", "--duration",
                         "20")
        self.assertRegex(shown, r"llc_misses +misses/s +- +- +\d.*"
                         "somebody else has changed CB3_CR_C_MSR_PMON")
        self.assertRegex(shown, r"memory_read +GB/s +\d")

    def test_by_export(self):
        shown = self.rob("export", "--once", "-e", MISSES)
        boxes = re.findall(r'^uncore_cbox_llc_misses_all_total'
                           r'\{socket="0",box="(\d)"\} \d+$', shown, re.M)
        self.assertIn("2", boxes)
        self.assertNotIn("3", boxes)
        self.assertIn("uncore_export_unavailable_samples 1\n", shown)


if __name__ == "__main__":
    need_fuse()
    unittest.main()
