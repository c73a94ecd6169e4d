#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What a guest did, counted again with most of it in quick stretches
# (`uncore stat --replay --detail`): the facts of state are those of full detail,
# what depends on time lies within the error that is told, the same seed gives
# the same digits, and the detail of the run that was recorded is not looked at.

import json
import os
import random
import sqlite3
import struct
import subprocess
import tempfile
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
SEEDS = 5
READ, OWN = 0, 2  # places in recording_kinds[] (server/recording.h)
# What happened; what depends on time.
MACHINES = {
    "xeon-e5-2600": (("cbo/LLC_LOOKUP.DATA_READ/", "ha/REQUESTS.READS/",
                      "imc/RPQ_INSERTS/"),
                     ("cbo/CLOCKTICKS/", "cbo/TOR_OCCUPANCY.ALL/",
                      "imc/RPQ_OCCUPANCY/", "imc/ACT_COUNT/")),
    "xeon-e7": (("cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/",
                 "bbox/IMT_INSERTS_ALL/"),
                ("wbox/FIXED_CTR/", "cbox/OCCUPANCY_MAF/",
                 "bbox/IMT_VALID_OCCUPANCY/", "mbox/DRAM_CMD.RAS/")),
}
# The first 5,000 in detail, and windows of 300.
SHORT = ("--set", "detail.start=5000", "--set", "detail.window=300")
SIXTEENTH = "6%,seed="


def number(value):
    out = bytearray()
    while value > 0x7f:
        out.append(0x80 | value & 0x7f)
        value >>= 7
    return bytes(out) + bytes((value,))


def write(path, machine, settings, regions):
    """A recording: regions of portions {cpu: [(kind, gap, line)]}."""
    out = bytearray(b"uncore-recording 1\nmachine %s\n" % machine.encode())
    for setting in settings:
        out += b"set %s\n" % setting.encode()
    out += b"end\n"
    last = {}
    for portions in regions:
        out += b"B"
        for portion in portions:
            out += b"P" + number(len(portion))
            for cpu, records in portion.items():
                out += number(cpu) + number(len(records))
                for kind, gap, line in records:
                    way = line - last.get(cpu, 0)
                    last[cpu] = line
                    out += bytes((kind,)) + number(gap)
                    out += number(2 * way if way >= 0 else -2 * way - 1)
        out += b"E"
    out += b"Z"
    total = 0xcbf29ce484222325
    for byte in out:
        total = (total ^ byte) * 0x100000001b3 & (1 << 64) - 1
    with open(path, "wb") as file:
        file.write(bytes(out) + struct.pack("<Q", total))


def portion(dice, cpus, number_of, where):
    """The others do three quarters of what the first CPU does."""
    return {cpu: [where(dice, i << 20) for _ in range(
        number_of if not i else number_of * 3 // 4)]
            for i, cpu in enumerate(cpus)}


def anywhere(dice, base):
    return READ, 1 + dice.randrange(60), base + dice.randrange(1 << 18)


def near(dice, base):
    return (dice.choice((READ, OWN)), 20 + dice.randrange(20),
            base + dice.randrange(1 << 13))


def regions(cpus):
    """Short rounds, as a guest has them: misses, and hits that write."""
    dice = random.Random(3)
    return [[portion(dice, cpus, 100, where) for _ in range(250)]
            for where in (anywhere, near)]


def run(*words, status=0):
    ran = subprocess.run((UNCORE,) + words, text=True, capture_output=True)
    if ran.returncode != status:
        raise AssertionError("uncore %s: status %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran


def counts(recording, events, *more):
    """{event: row}, and the report."""
    report = json.loads(run("stat", "--json", "--replay", recording, *SHORT,
                            "-e", ",".join(events), *more).stdout)
    return {row["event"]: row for row in report["counts"]}, report


def values(rows):
    return {name: row["value"] for name, row in rows.items()}


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="uncore-replay-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.one, cls.two = ({}, {})
        for machine in MACHINES:
            for kept, cpus in ((cls.one, (0,)), (cls.two, (0, 9))):
                kept[machine] = os.path.join(
                    cls.folder.name, "%s-%d" % (machine, len(cpus)))
                write(kept[machine], machine, (), regions(cpus))

    def test_what_happened_is_exact(self):
        for machine, (states, _) in MACHINES.items():
            full, report = counts(self.one[machine], states, "--detail=full")
            self.assertNotIn("detail", report)
            part, report = counts(self.one[machine], states,
                                  "--detail=" + SIXTEENTH + "1")
            self.assertGreater(report["detail"]["windows"], 5)
            self.assertLess(report["detail"]["share"], 0.3)
            self.assertTrue(all(values(full).values()))
            self.assertEqual(values(full), values(part))
            self.assertFalse(any(row.get("is_estimate")
                                 for row in part.values()))

    def test_time_is_within_its_error(self):
        for machine, (_, times) in MACHINES.items():
            held = told = 0
            for recording in (self.one[machine], self.two[machine]):
                full, _ = counts(recording, times, "--detail=full")
                for seed in range(SEEDS):
                    part, _ = counts(recording, times, "--detail=%s%d" % (
                        SIXTEENTH, seed))
                    for name in times:
                        row = part[name]
                        if row["value"] is None:
                            continue
                        self.assertTrue(row["is_estimate"], name)
                        told += 1
                        held += (abs(row["value"] - full[name]["value"]) <=
                                 row["error"])
            self.assertGreater(told, 2 * SEEDS * len(times) // 2, machine)
            self.assertGreaterEqual(held / told, 0.85, machine)

    def test_auto_is_the_default(self):
        recording, times = self.two["xeon-e7"], MACHINES["xeon-e7"][1]
        auto, report = counts(recording, times)
        self.assertEqual(auto, counts(recording, times, "--detail=auto")[0])
        self.assertGreater(report["detail"]["windows"], 10)

    def test_digits_depend_on_nothing_but_the_seed(self):
        recording, (states, times) = self.two["xeon-e7"], MACHINES["xeon-e7"]
        first, again, other = (counts(recording, times, "--detail=" +
                                      SIXTEENTH + seed)[0] for seed in "112")
        more, _ = counts(recording, times + states,
                         "--detail=" + SIXTEENTH + "1")
        self.assertEqual(first, again)
        self.assertEqual(values(first),
                         {name: values(more)[name] for name in times})
        self.assertNotEqual(values(first), values(other))

    def test_the_detail_of_the_guest_is_not_that_of_the_replay(self):
        path = os.path.join(self.folder.name, "sampled")
        write(path, "xeon-e7", ("detail.share=1", "detail.adapts=1"),
              regions((0,)))
        events = MACHINES["xeon-e7"][1]
        for how in ("full", SIXTEENTH + "1"):
            self.assertEqual(counts(path, events, "--detail=" + how)[0],
                             counts(self.one["xeon-e7"], events,
                                    "--detail=" + how)[0])

    def test_samples_are_those_of_full_detail(self):
        kept = []
        for how in ("full", SIXTEENTH + "1"):
            path = os.path.join(self.folder.name, "samples")
            run("record", "--replace", "-o", path, "--detail=" + how, *SHORT,
                "--replay", self.one["xeon-e7"], "-e",
                "cbox/LLC_MISSES.ALL,period=100/")
            base = sqlite3.connect(path)
            kept.append(base.execute(
                "SELECT socket, instance, core, lost FROM sample "
                "WHERE kind = 'period'").fetchall())
            base.close()
        self.assertGreater(len(kept[0]), 100)
        self.assertEqual(*kept)


if __name__ == "__main__":
    unittest.main()
