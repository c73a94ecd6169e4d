#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What a program believes that it runs on is the modelled processor, since the
C library and others choose their code by it: CPUID's model, features and
caches."""
import json
import re
import subprocess
import unittest

from counting import MISSES, UNCORE, counts, program

HAS = ("sse2", "sse3", "ssse3", "sse4_1", "sse4_2", "popcnt")
HAS_NOT = {"avx", "avx2", "avx512f", "erms", "clflushopt", "clwb"}
DATA, BOTH = "1", "3"
with open("/proc/cpuinfo", encoding="utf-8") as text:
    HOST = set(text.read().split())


def here(*names):
    """{feature: "1" if this machine has it, which Valgrind then has}"""
    return {name: str(int(name in HOST)) for name in names}


def said(machine, event):
    """{name: value}, {(level, type): (bytes, ways)} of the caches, and what
    was said besides."""
    run = counts(program("traffic_cpuid"), (event,), machine=machine)
    text = run.text
    rows = [line.split() for line in text.splitlines()]
    names = {row[0]: row[1] for row in rows if row[0] != "cache"}
    caches = {(row[1], row[2]): (int(row[3]), int(row[4]))
              for row in rows if row[0] == "cache"}
    return names, caches, run.notes


def llc(machine):
    """(bytes, ways), by the machine's own parameters."""
    ran = subprocess.run([UNCORE, "model", "show", "--json", "-m", machine],
                         capture_output=True, check=True)
    rows = {row["name"]: row["value"]
            for row in json.loads(ran.stdout)["parameters"]}
    return (int(rows["cores"]) * int(rows["llc.slice"]) * 1024,
            int(rows["llc.ways"]))


class Processor(unittest.TestCase):
    machine = "xeon-e7"
    model = "47"
    event = MISSES
    only = {"aes": "1", "pclmulqdq": "1"}
    wide = ()
    never = set()  # what Valgrind runs nowhere
    l2 = (256 << 10, 8)

    def setUp(self):
        self.names, self.caches, self.notes = said(self.machine, self.event)

    def test_model(self):
        self.assertEqual([self.names[name] for name in (
            "vendor", "family", "model")], ["GenuineIntel", "6", self.model])

    def test_instructions(self):
        for name in HAS:
            self.assertEqual(self.names[name], "1", name)
        for name in HAS_NOT - set(self.only):
            self.assertEqual(self.names[name], "0", name)
        for name, value in self.only.items():
            self.assertEqual(self.names[name], value, name)

    def test_what_valgrind_does_not_run_here_is_told(self):
        lacks = {name for name in ("AVX", "AVX2") if
                 name.lower() in self.wide and name.lower() not in HOST}
        said = re.findall(r"does not run (.*) on this machine", self.notes)
        self.assertLessEqual(len(said), 1)
        self.assertEqual(set(", ".join(said).split(", ")) &
                         {"AVX", "AVX2", "AVX-512", "TSX"}, lacks | self.never)

    def test_caches(self):
        self.assertEqual(self.names["clflush_bytes"], "64")
        self.assertEqual(self.caches["1", DATA], (32 << 10, 8))
        self.assertEqual(self.caches["2", BOTH], self.l2)
        self.assertEqual(self.caches["3", BOTH], llc(self.machine))


class Processor7500(Processor):
    machine = "xeon-7500"
    model = "46"
    only = {"aes": "0", "pclmulqdq": "0"}


class ProcessorE52600(Processor):
    machine = "xeon-e5-2600"
    model = "45"
    event = "cbo/LLC_LOOKUP.ANY/"
    only = {**Processor.only, **here("avx")}
    wide = ("avx",)


class ProcessorV2(ProcessorE52600):
    machine = "xeon-e5-v2"
    model = "62"
    only = {**ProcessorE52600.only, "erms": "1"}


class ProcessorV3(ProcessorV2):
    machine = "xeon-e5-2699-v3"
    model = "63"
    only = {**ProcessorV2.only, **here("avx2")}
    wide = ("avx", "avx2")


class ProcessorV4(ProcessorV3):
    machine = "xeon-e5-v4"
    model = "79"


class ProcessorScalable(ProcessorV3):
    machine = "xeon-platinum-8180"
    model = "85"
    event = "cha/LLC_LOOKUP.ANY/"
    only = {**ProcessorV3.only, "clflushopt": "1", "clwb": "1", "stepping": "4"}
    never = {"AVX-512", "TSX"}
    l2 = (1 << 20, 16)


class ProcessorScalable2(ProcessorScalable):
    machine = "xeon-gold-6248"
    only = {**ProcessorScalable.only, "stepping": "7"}


if __name__ == "__main__":
    unittest.main()
