#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What the snoop filter of the Xeon Scalable throws out while cores read data that their
L2s have room for, with the published slices of addresses. Slices are here those of the
published sequence, permuted as published."""
import collections
import json
import os
import re
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]
SEQUENCES = os.path.join(os.environ["UNCORE_SOURCE"], "tests/model/slice_sequences.h")
WAYS, SETS = 12, 2048
MB = 1 << 20


def published(slices):
    """Sequence and masks."""
    with open(SEQUENCES, encoding="ascii") as file:
        row = re.search(r"\{ %d,\s+\d+,\s+\d+,\s+\S+\s+\{(.*?)\},(.*?)\}," % slices, file.read(), re.S)
    digits = "".join(re.findall(r'"(\w+)"', row.group(2)))
    return [int(digit, 32) for digit in digits], [int(m, 16) for m in row.group(1).split(",")]


def full_sets(slices, offset):
    """Of as much memory as the L2s have, from there on: lines of sets that have more than
    ways, and how many of them are too many."""
    sequence, masks = published(slices)
    lines = collections.Counter()
    for at in range(offset, offset + slices * MB, 64):
        place = at // 64 % len(sequence)
        for bit, mask in enumerate(masks):
            place ^= (bin(at & mask).count("1") & 1) << bit
        lines[sequence[place], at // 64 % SETS] += 1
    full = [num for num in lines.values() if num > WAYS]
    return sum(full), sum(full) - len(full) * WAYS


def thrown_out(cores, offset, passes):
    workload = "stream:op=read,threads=%d,size=%dM,offset=%d,passes=%d" % (
        cores, cores, offset, passes)
    ended = subprocess.run(
        [UNCORE, "stat", "-j", "-m", "xeon-platinum-8160", "-N", "1", "--detail=full",
         "--set", "hash=published", "--set", "core.prefetch=0", "--set", "cores=%d" % cores,
         "-e", "cha/SF_EVICTION.E_STATE/", "-e", "imc/CAS_COUNT.RD/", "-w", workload],
        capture_output=True, text=True, check=True)
    evicted, read = (row["value"] for row in json.loads(ended.stdout)["counts"])
    return evicted, read


class Lab(unittest.TestCase):
    def check(self, cores, offset):
        # The filter is full where it can be, so that what is read after that throws out
        # one line each. In each pass these are the lines that are too many at least, and
        # all of full sets at most.
        all_lines, too_many = full_sets(cores, offset)
        evicted, read = thrown_out(cores, offset, 2)
        self.assertEqual(read - evicted, cores * MB // 64 - too_many)
        self.assertGreaterEqual(evicted, 2 * too_many)
        self.assertLessEqual(evicted, too_many + all_lines)
        return evicted

    def test_24_slices(self):
        self.assertEqual(self.check(24, 0), 0)
        # sets of 16 and 22 lines, of which none survives a pass
        self.assertEqual(self.check(24, 16 * MB), 73728 + 221184)

    def test_20_slices(self):
        # sets of 13 lines, of which it depends on the order of threads
        self.assertGreater(self.check(20, 20 * MB), 0)

    def test_16_slices_never(self):
        self.assertEqual(self.check(16, 16 * MB), 0)


if __name__ == "__main__":
    unittest.main()
