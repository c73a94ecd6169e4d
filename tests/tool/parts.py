#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Streaming stores of parts of lines. How many whole lines and how many parts
the buffers of a core make of a program's stores is worked out by hand from what
Intel's manuals say of write combining: ten buffers, which go when they are full
or are needed, with SFENCE, MFENCE, CPUID, locked operations and whatever enters
the kernel, not with LFENCE. A part is one partial write at the home, for which
the memory controller reads the line; a whole line is one write and no read."""
import functools
import unittest

from counting import WRITES, counts, program

LINES = 440
MERGES = "mbox/FVC_EV0.BBOX_CMDS.MERGE/"
OPCODE = "cbo/TOR_INSERTS.OPCODE,opc=%s/"
PARTS, WHOLE = "ha/IMC_WRITES.PARTIAL/", "ha/IMC_WRITES.FULL/"
UNDERFILLS, FOUND = "imc/CAS_COUNT.RD_UNDERFILL/", "imc/WPQ_READ_HIT/"

# What is done to each line, and how many parts and whole lines it makes.
CASES = {
    "half": (1, 0), "left": (1, 0), "words": (1, 0), "vectors": (1, 0),
    "quads": (1, 0), "some": (1, 0), "few": (1, 0),
    "all": (0, 1), "none": (0, 0), "reverse": (0, 1),
    "ten": (0, 1), "early": (0, 1), "eleven": (8, 0),
    "sfence": (2, 0), "mfence": (2, 0), "lock": (2, 0), "cpuid": (2, 0),
    "call": (2, 0), "load": (2, 0),
    "lfence": (0, 1), "nothing": (0, 1),
}


@functools.lru_cache(maxsize=None)
def nothing(events, machine):
    return counts(program("traffic_parts", "half", 0), events, "--sockets",
                  "1", machine=machine)


def counted(what, events, machine):
    seen = counts(program("traffic_parts", what, LINES), events, "--sockets",
                  "1", machine=machine)
    return seen.above(nothing(events, machine))


class Parts(unittest.TestCase):
    def check(self, what, parts, whole):
        opcode = OPCODE % ("WCiL" if parts else "WCiLF")
        seen = counted(what, (opcode, PARTS, WHOLE, UNDERFILLS, FOUND),
                       "xeon-e5-2600")
        self.assertEqual(seen[opcode], (parts or whole) * LINES)
        self.assertEqual(seen[PARTS], parts * LINES)
        self.assertEqual(seen[WHOLE], whole * LINES)
        if parts < 2:
            self.assertEqual(seen[UNDERFILLS], parts * LINES)
        elif what != "load":  # a load may find it there, too
            self.assertEqual(seen[UNDERFILLS] + seen[FOUND], parts * LINES)

    def test_on_a_xeon_e5_2600(self):
        """A line whose write still waits need not be read."""
        for what, (parts, whole) in CASES.items():
            with self.subTest(what=what):
                self.check(what, parts, whole)

    def test_on_a_xeon_e7(self):
        """A B-Box has its M-Box read, merge and write (table 2-83)."""
        for what in ("half", "some", "ten", "eleven", "lock"):
            parts, whole = CASES[what]
            with self.subTest(what=what):
                seen = counted(what, (MERGES, WRITES), "xeon-e7")
                self.assertEqual(seen[MERGES], parts * LINES)
                self.assertEqual(seen[WRITES], (parts + whole) * LINES)


if __name__ == "__main__":
    unittest.main()
