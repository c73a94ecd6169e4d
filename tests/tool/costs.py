#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What rounds of small loops take, in core cycles, against what follows from the
processor's latencies and ports: A. Fog's tables, as bridge/valgrind/cost.c has
them. Everything is in the L1D; what is used for the first time falls out of the
difference of two runs."""
import json
import os
import subprocess
import tempfile
import unittest

from counting import PLAIN, TIMEOUT, UNCORE, program

FEW, MANY = 5000, 60000
CLOCKS = {"xeon-e7": 2.4e9, "xeon-7500": 2.26e9, "xeon-e5-2600": 2.9e9,
          "xeon-e5-v2": 2.8e9, "xeon-e5-v3": 2.5e9, "xeon-e5-v4": 2.4e9}
NO_NAMES = 77

# Cycles of a round: the longest of what is carried from one to the next and what
# ports and width let pass.
COMMON = {
    "adds": 4,               # four that wait for each other
    "multiply": 3,
    "choose": 2 + 2,
    "independent": 15 / 3,   # 13 additions, a subtraction, a jump; three ports
    "stores": 4,             # one port
    "fp_sum": 3,             # its loads wait for nothing
    "fp_product": 5,
    "fp_both": 5 + 3,
    "vectors": 3,
    "chase": 4,
    "index": 4,              # the address is the load's
    "counter": 5 + 1,        # stored, loaded from there, added
    "gather": 3,             # only the addition is carried
    "rep_bytes": 512 / 16 + 3,  # 16 bytes a cycle, and what stands around it
    "rep_words": 512 / 16 + 4.6,
    "two_blocks": 3 + 3,
    "pages": 4,
    "large_pages": 4,
}
TWO_LOADS = {**COMMON, "loads": 6 / 2, "divide": 25, "l2_chase": 12,
             "l2_pages": 12, "l2_read": 4, "l2_write": 4 + 4,
             "wide": 6}          # a port gives 16 bytes a cycle
FOUR_PORTS = {**TWO_LOADS, "independent": 15 / 4, "wide": 6 / 2,
              "fused": 5 + 5, "rep_bytes": 512 / 16 + 7 / 4,
              "rep_words": 512 / 16 + 15 / 4}
LOOPS = {
    "xeon-e7": {**COMMON, "loads": 6, "divide": 22, "l2_chase": 10,
                "l2_pages": 10,
                "l2_read": 5, "l2_write": 5 + 5},
    "xeon-e5-2600": TWO_LOADS,
    "xeon-e5-v2": TWO_LOADS,
    "xeon-e5-v3": FOUR_PORTS,
    "xeon-e5-v4": {**FOUR_PORTS, "choose": 1 + 1, "fp_product": 3,
                   "fp_both": 3 + 3},
}


def has_here(name):
    """Whether this machine runs the loop: Valgrind has what its host has."""
    needs = {"wide": "avx", "fused": "avx2"}.get(name)
    with open("/proc/cpuinfo", encoding="utf-8") as text:
        return not needs or needs in text.read().split()


def stat(machine, command, *options):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "report")
        ran = subprocess.run(
            [UNCORE, "stat", "-m", machine, "--json", "-o", name, *options, "-M",
             "summary", "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, timeout=TIMEOUT, check=False)
        if ran.returncode:
            return None, ran
        with open(name, encoding="utf-8") as file:
            return json.load(file), ran


def regions(machine, rounds, *options):
    report, ran = stat(machine, program("traffic_costs", rounds), *options)
    if ran.returncode == NO_NAMES:
        raise unittest.SkipTest("uncore/mark.h has no named regions")
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return {part["name"]: part for part in report["regions"]}


def rounds_of(machine, *options):
    """{loop: (cycles, instructions) of a round}"""
    few, many = (regions(machine, rounds, *options) for rounds in (FEW, MANY))

    def of_round(name, key):
        return (many[name][key] - few[name][key]) / (MANY - FEW)
    return {name: (of_round(name, "simulated_seconds") * CLOCKS[machine],
                   of_round(name, "instructions")) for name in many}


class Costs(unittest.TestCase):
    def check(self, machine):
        seen = rounds_of(machine, *PLAIN)
        loops = {name: wanted for name, wanted in LOOPS[machine].items()
                 if has_here(name)}
        self.assertEqual(set(seen), set(loops))
        for name, wanted in loops.items():
            with self.subTest(name):
                self.assertAlmostEqual(seen[name][0], wanted,
                                       delta=0.02 * wanted)

    def test_westmere(self):
        self.check("xeon-e7")

    def test_sandy_bridge(self):
        self.check("xeon-e5-2600")

    def test_ivy_bridge(self):
        self.check("xeon-e5-v2")

    def test_haswell(self):
        self.check("xeon-e5-v3")

    def test_broadwell(self):
        self.check("xeon-e5-v4")

    def test_a_chase_waits_for_the_second_level_of_the_tlb(self):
        # Intel's manual: 7 cycles, which loads that need nothing do not wait.
        seen = rounds_of("xeon-e7", *PLAIN, "--set", "core.tlb=1")
        self.assertAlmostEqual(seen["pages"][0], 4 + 7, delta=0.02 * 11)
        self.assertAlmostEqual(seen["l2_pages"][0], 10 + 7, delta=0.02 * 17)
        for name in ("chase", "large_pages"):
            self.assertAlmostEqual(seen[name][0], 4, delta=0.02 * 4)

    def test_a_fixed_cost_is_each_instructions(self):
        for name, (cycles, instructions) in rounds_of(
                "xeon-e7", "--set", "core.cpi=1.25").items():
            with self.subTest(name):
                self.assertAlmostEqual(cycles, 1.25 * instructions,
                                       delta=0.02 * cycles)

    def test_gzip_takes_what_it_takes(self):
        # Near one cycle an instruction on Westmere; without jumps that are
        # guessed wrong it would be 0.6.
        with tempfile.NamedTemporaryFile() as file:
            with open(UNCORE, "rb") as code:
                file.write(code.read(100000))
            file.flush()
            report, ran = stat("xeon-e7", ("gzip", "-c", file.name))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        cycles = report["simulated_seconds"] * CLOCKS["xeon-e7"]
        self.assertGreater(cycles, 0.7 * report["instructions"])
        self.assertLess(cycles, 1.1 * report["instructions"])


if __name__ == "__main__":
    unittest.main()
