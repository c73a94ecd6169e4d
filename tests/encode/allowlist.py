#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore encode --allowlist` against data/: the MSRs and the bits that may be
# written are worked out once more from the rows of the registers and layouts,
# and the list is read as msr-safe reads it. What events write must pass.

import json
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
UNCORE = os.environ.get("UNCORE", os.path.join(SOURCE, "build/uncore"))
DATA = os.path.join(SOURCE, "data")
MACHINES = ("xeon-e7", "xeon-7500", "xeon-e5-2600")
# What msr-safe takes in one write.
LIMIT_BYTES = 128 * 1024

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tools"))
from rows import family_rows  # noqa: E402


def run(*words):
    return subprocess.run((UNCORE,) + words, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def read_list(text):
    """{address: mask} as the module's parser takes it: comments from a '#' that
    begins a word to the end of the line, else two numbers after another."""
    found, words = {}, re.sub(r"(?m)(^|\s)#.*$", " ", text).split()
    assert len(words) % 2 == 0, words[-1]
    for address, mask in zip(words[::2], words[1::2]):
        assert int(address, 0) not in found, "%s twice" % address
        found[int(address, 0)] = int(mask, 0)
    return found


def field_mask(child):
    high, _, low = child.words[1].partition(":")
    high, low = int(high), int(low or high)
    if child.words[0] in ("ig", "rsv") or "ro" in child.words[2:]:
        return 0
    return (1 << (high + 1)) - (1 << low)


def layout_masks(rows):
    masks = {}
    for row in rows:
        if row.words[0] != "layout":
            continue
        masks[row.words[1]] = 0
        for child in row.children:
            masks[row.words[1]] |= field_mask(child)
    return masks


def numbers_of(child):
    """The values of n of a row."""
    first, dots, last = child.keys.get("n", "0").partition("..")
    return range(int(first), int(last if dots else first) + 1)


def place_of(child, base, instance, number):
    """An address, one for each instance (or number, in a box of its own), or
    an expression, added to the base after a plus sign."""
    if "at" in child.keys:
        places = [int(place, 0) for place in child.keys["at"].split(",")]
        first = numbers_of(child)[0]
        return places[instance if "{i}" in child.words[0] else number - first]
    text = child.words[1]
    value = eval(text.lstrip("+"), {"__builtins__": {}},
                 {"i": instance, "n": number})
    return value + (base if text.startswith("+") else 0)


def expected(machine):
    _, topics = family_rows(os.path.join(DATA, machine))
    masks, found = layout_masks(topics["layouts"]), {}
    instances = {row.words[1]: row.number("instances")
                 for row in topics["boxes"] if row.words[0] == "box"}
    for row in topics["registers"]:
        if row.words[0] != "registers" or row.keys.get("space", "msr") != "msr":
            continue
        bases = [int(base, 0) for base in row.keys.get("base", "0").split(",")]
        for instance, base in enumerate(bases[:instances[row.words[1]]]):
            for child in row.children:
                mask = masks[child.keys["layout"]]
                if child.keys["access"].split("_")[0].upper() == "RO":
                    mask = 0
                for number in numbers_of(child):
                    found[place_of(child, base, instance, number)] = mask
    return found


class Allowlist(unittest.TestCase):
    def test_masks_are_those_of_the_data(self):
        for machine in MACHINES:
            text = run("encode", "--allowlist", "-m", machine).stdout
            wanted = expected(machine)
            self.assertGreater(len(wanted), 50)
            self.assertEqual(read_list(text), wanted, machine)
            self.assertLess(len(text), LIMIT_BYTES)

    def test_some_are_for_reading_alone(self):
        masks = read_list(run("encode", "--allowlist").stdout)
        registers = json.loads(run("registers", "--json").stdout)
        read_only = [r for r in registers if r["access"].startswith("RO")]
        self.assertTrue(read_only)
        for reg in read_only:
            self.assertEqual(masks[int(str(reg["address"]), 0)], 0,
                             reg["name"])

    def test_json_says_the_same(self):
        for machine in MACHINES:
            rows = json.loads(run("encode", "--allowlist", "--json", "-m",
                                  machine).stdout)
            self.assertEqual({int(str(row["address"]), 0): row["writable"]
                              for row in rows},
                             read_list(run("encode", "--allowlist", "-m",
                                           machine).stdout))

    def test_what_events_write_passes(self):
        for machine, event in (("xeon-e7", "cbox/LLC_MISSES.ALL,thresh=3/"),
                               ("xeon-e7", "mbox/FVC_EV0.BBOX_CMDS.READS/"),
                               ("xeon-7500", "wbox/FIXED_CTR/"),
                               ("xeon-e5-2600", "cbo/CLOCKTICKS/")):
            masks = read_list(run("encode", "--allowlist", "-m",
                                  machine).stdout)
            encoded = json.loads(run("encode", "--json", "-m", machine,
                                     event).stdout)
            for write in encoded[0]["writes"]:
                mask = masks[int(str(write["address"]), 0)]
                self.assertEqual(write["value"] & ~mask, 0, write)

    def test_it_goes_without_events(self):
        ran = run("encode", "--allowlist", "cbox/LLC_MISSES.ALL/")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("without events", ran.stderr)


if __name__ == "__main__":
    unittest.main()
