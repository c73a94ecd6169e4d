#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Instructions that go past the caches, and the ones that go through them for
comparison. A run over N lines is compared with a run that only prepares them,
so that what is left is the instruction's; N is known, and so is the count."""
import unittest

from counting import (INVITOE, KILLED, LINE, LOCKS_RECEIVED, LOCKS_SENT,
                      MEMORY_READS, MISSES, READS, WRITES, above, counts,
                      program)

BIG = 8 << 20
SMALL = 512 << 10  # no other core's business, and nothing of it leaves the LLC
FLUSHES = 2000
LOCKS = 100
BEGIN_AND_END = 2
S_BOXES = 2  # of a socket
SIGILL = 4


def past(what, size, passes, events, machine="xeon-e7"):
    return above(program("traffic_past", what, size, passes),
                 program("traffic_past", what, size, 0), events,
                 machine=machine)


def repeat(what, count, events, *options, machine="xeon-e7"):
    return above(program("traffic_past", what, count),
                 program("traffic_past", what, 0), events, *options,
                 machine=machine)


class Counted(unittest.TestCase):
    def near(self, seen, event, wanted, of=None):
        """To one per cent, of `of` where nothing is wanted."""
        self.assertAlmostEqual(seen[event], wanted,
                               delta=0.01 * (of or wanted), msg=event)


class LoadsAndStores(Counted):
    def test_a_line_loaded_is_one_miss(self):
        seen = past("load", SMALL, 1, (MISSES, WRITES))
        self.near(seen, MISSES, SMALL / LINE)
        self.near(seen, WRITES, 0, SMALL / LINE)

    def test_whether_its_value_is_used_or_not(self):
        seen = past("unused", SMALL, 1, (MISSES, WRITES))
        self.near(seen, MISSES, SMALL / LINE)
        self.near(seen, WRITES, 0, SMALL / LINE)

    def test_what_was_loaded_is_in_the_llc(self):
        seen = past("load", SMALL, 3, (MISSES,))
        self.near(seen, MISSES, SMALL / LINE)

    def test_a_line_stored_is_one_miss_and_stays(self):
        seen = past("store", SMALL, 1, (MISSES, WRITES))
        self.near(seen, MISSES, SMALL / LINE)
        self.near(seen, WRITES, 0, SMALL / LINE)


class Streams(Counted):
    """A full line is not read: the right to it is asked for, and it is
    written, each time anew."""

    def check(self, size, passes, machine="xeon-e7"):
        lines = passes * size / LINE
        seen = past("stream", size, passes, (READS, INVITOE, WRITES, MISSES),
                    machine)
        self.near(seen, READS, 0, lines)
        self.near(seen, MISSES, 0, lines)
        self.near(seen, INVITOE, lines)
        self.near(seen, WRITES, lines)

    def test_once(self):
        self.check(BIG, 1)

    def test_three_times(self):
        self.check(SMALL, 3)

    def test_on_a_xeon_7500(self):
        self.check(SMALL, 1, "xeon-7500")

    def test_a_part_of_a_line_is_merged_with_the_rest_of_it(self):
        """Memory has whole lines only, so somebody reads what the eight bytes
        do not replace."""
        lines = SMALL / LINE
        seen = past("partial", SMALL, 1, (WRITES, MEMORY_READS))
        self.near(seen, WRITES, lines)
        self.assertGreaterEqual(seen[MEMORY_READS], 0.99 * lines)


class Flushes(Counted):
    """A line that is stored to and flushed comes in and goes out each time."""

    def test_of_every_cache(self):
        seen = repeat("flush", FLUSHES, (MISSES, WRITES))
        self.near(seen, MISSES, FLUSHES)
        self.near(seen, WRITES, FLUSHES)

    def test_on_a_xeon_7500(self):
        seen = repeat("flush", FLUSHES, (MISSES, WRITES), machine="xeon-7500")
        self.near(seen, MISSES, FLUSHES)
        self.near(seen, WRITES, FLUSHES)

    def unless_unknown(self, what, events):
        """Newer than the modelled processor, which may say so as it does."""
        one = counts(program("traffic_past", what, 1), (MISSES,),
                     may_end=(0, KILLED + SIGILL))
        if one.code:
            said = counts(program("traffic_cpuid"), (MISSES,)).text
            self.assertIn("%s 0\n" % what, said)
            return None
        return repeat(what, FLUSHES, events)

    def test_of_newer_kinds(self):
        seen = self.unless_unknown("clflushopt", (MISSES, WRITES))
        if seen:
            self.near(seen, MISSES, FLUSHES)
            self.near(seen, WRITES, FLUSHES)

    def test_that_may_keep_the_line(self):
        seen = self.unless_unknown("clwb", (MISSES, WRITES))
        if seen:
            self.near(seen, WRITES, FLUSHES)
            self.assertLessEqual(seen[MISSES], FLUSHES * 1.01)


class Prefetches(Counted):
    def check(self, hint):
        seen = past(hint, SMALL, 1, (MISSES, READS))
        self.near(seen, MISSES, SMALL / LINE)
        self.near(seen, READS, SMALL / LINE)

    def test_each_hint_brings_the_line(self):
        for hint in ("t0", "t1", "t2", "nta"):
            with self.subTest(hint=hint):
                self.check(hint)

    def test_for_writing(self):
        """A no-operation to processors that do not say that they have it."""
        said = counts(program("traffic_cpuid"), (MISSES,)).text
        seen = past("w", SMALL, 1, (MISSES,))
        if "prefetchw 0\n" in said and abs(seen[MISSES]) < SMALL / LINE / 100:
            return
        self.near(seen, MISSES, SMALL / LINE)

    def test_twice_is_once(self):
        seen = past("t0", 64 << 10, 2, (MISSES,))
        self.near(seen, MISSES, (64 << 10) / LINE)


class BusLocks(Counted):
    """A locked operation in two lines stops everybody: each S-Box of the
    machine gets a message when it begins and one when it ends."""

    def check(self, sockets, machine="xeon-e7", events=LOCKS_RECEIVED):
        seen = repeat("split", LOCKS, events, "--sockets", str(sockets),
                      machine=machine)
        self.assertEqual(sum(seen[event] for event in events),
                         LOCKS * BEGIN_AND_END * S_BOXES * sockets)

    def test_stop_a_socket(self):
        self.check(1)

    def test_stop_both_sockets(self):
        self.check(2)

    def test_stop_a_xeon_7500(self):
        """Which counts what its U-Box sends, but nothing of the own socket
        that arrives."""
        self.check(2, "xeon-7500", (LOCKS_SENT,))


class Strings(Counted):
    """Each line that is read or written is missed once, by whatever
    instructions, and none leaves the LLC."""

    def check(self, what, lines_each):
        seen = past(what, SMALL, 1, (MISSES, WRITES))
        self.near(seen, MISSES, lines_each * SMALL / LINE)
        self.near(seen, WRITES, 0, SMALL / LINE)

    def test_that_copy(self):
        for what in ("movs", "copy", "memcpy"):
            with self.subTest(what=what):
                self.check(what, 2)

    def test_that_set(self):
        for what in ("stos", "set", "memset"):
            with self.subTest(what=what):
                self.check(what, 1)


if __name__ == "__main__":
    unittest.main()
