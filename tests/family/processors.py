#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""docs/processors.md: numbers of events, of these with their unit masks, and of what
counts on a model are those of `list`; boxes and their counters, too."""
import json
import os
import re
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]
SOURCE = os.environ["UNCORE_SOURCE"]
ROW = re.compile(r"\| `(xeon-\S+)` \| .* \| (\d+) \| (\d+) \| (\d+) \|")
# Of each column of the table of boxes: name in the page, box, instances of each family.
EX, EP = ("xeon-e7", "xeon-7500"), ("xeon-e5-2600", "xeon-e5-v2")
V3, SCALABLE = ("xeon-e5-v3", "xeon-e5-v4"), ("xeon-scalable-1", "xeon-scalable-2")
BOXES = [("C-Box, 10 or 8 of 6", EX, "cbox"), ("B-Box, 2 of 4", EX, "bbox"),
         ("M-Box, 2 of 6", EX, "mbox"), ("S-Boxes, 2 of 4", EX, "sbox"),
         ("16 counters", EX, "rbox"), ("CBo, 8 or 15 of 4", EP, "cbo"),
         ("HA, 1 or 2 of 4", EP, "ha"), ("4 or 8 of 4", EP, "imc"),
         ("QPI, 2 or 3 of 4", EP, "qpi"), ("R3QPI, 2 or 3 of 3", EP, "r3qpi"),
         ("CBo, 18 or 24 of 4", V3, "cbo"), ("HA, 2 of 4", V3, "ha"),
         ("iMC, 8 of 4", V3, "imc"), ("SBo, 4 of 4", V3, "sbo"), ("QPI, 3 of 4", V3, "qpi"),
         ("R3QPI, 3 of 3", V3, "r3qpi"), ("IRP, 1 of 4", V3, "irp"),
         ("CHA, 28 of 4", SCALABLE, "cha"), ("iMC, 6 of 4", SCALABLE, "imc"),
         ("M2M before them, 2 of 4", SCALABLE, "m2m"), ("UPI, 3 of 4", SCALABLE, "upi"),
         ("M3UPI, 3 of 3", SCALABLE, "m3upi"), ("IIO, 6 of 4", SCALABLE, "iio"),
         ("IRP, 6 of 2", SCALABLE, "irp"), ("M2PCIe, 4 of 4", SCALABLE, "m2pcie")]


def listed(family):
    return json.loads(subprocess.run([UNCORE, "list", "-j", "-m", family], check=True,
                                     stdout=subprocess.PIPE).stdout)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SOURCE, "docs/processors.md"), encoding="utf-8") as file:
            cls.text = file.read()
        cls.families = {family: listed(family) for family in EX + EP + V3 + SCALABLE}

    def test_numbers_of_events(self):
        rows = {family: tuple(map(int, numbers))
                for family, *numbers in ROW.findall(self.text)}
        self.assertEqual(rows, {family: self.numbers(data["events"])
                                for family, data in self.families.items()})

    def numbers(self, events):
        modelled = [m["modelled"] for e in events for m in e["unit_masks"] or [e]]
        return len(events), len(modelled), sum(modelled)

    def test_boxes(self):
        for words, families, name in BOXES:
            self.assertIn(words, self.text)
            boxes = [box for family in families for box in self.families[family]["boxes"]
                     if box["name"] == name]
            told = [int(word) for word in re.findall(r"\b\d+\b", words)]
            if "counters" not in words:
                self.assertEqual(told[:-1], sorted({box["instances"] for box in boxes},
                                                   key=told.index), words)
            self.assertEqual({told[-1]}, {box["counters"] for box in boxes}, words)


if __name__ == "__main__":
    unittest.main()
