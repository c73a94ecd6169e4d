#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Threads that share lines: what has to be counted follows from what they do.

A word that two threads hand over is written 2 N times. The one that waits
reads it after each of the other's stores: the core that has stored is asked
for the line and gives it, changed (2 N). To store itself it then has to own
what both have: the other core is asked again (2 N more). Nothing else is ever
asked for, however often a waiting thread looks, because it looks at its own
copy. A machine that lets the reader own the line at once would ask 2 N times
only. So cores are asked 2 N to 4 N times and give a changed line 2 N times, in
one socket or across two; across two, each such line is also a fill.
"""
import functools
import unittest

import sandbox
from counting import ASKED, FILLS, GIVEN, above, counts, program

EVENTS = (ASKED, GIVEN, FILLS)
COUNT = 1000    # hand-overs of each thread
ADDS = 20000 if sandbox.LONG else 8000
STORES = 50000 if sandbox.LONG else 15000  # to words in one line
FAR_ADDS = 20000
ROUNDS = 20     # of a loop before a thread has to stop, at the most
MIXED = 100     # an addition in so many goes to another core at the least
SLACK = 16      # how threads start and end is not quite the same with no count
NOISE = 64      # ... and with locks and many threads
HALVES = 2      # messages of a line
FEW = 100       # hand-overs, so that both threads are there
at_length = unittest.skipUnless(sandbox.LONG, "the suite long has it")


@functools.lru_cache(maxsize=None)
def share(what, count, *cpus, machine="xeon-e7", options=()):
    """Above the same threads that do not share; of hand-overs, that share less:
    one that has nothing to wait for ends before the other begins, which gets
    its stack, or does not."""
    few = FEW if what.startswith("handover") else 0
    return above(program("traffic_share", what, count + few, *cpus),
                 program("traffic_share", what, few, *cpus), EVENTS, *options,
                 machine=machine)


class Machine(unittest.TestCase):
    machine = "xeon-e7"
    same = ("0", "1")
    other = ("0", "10")

    def share(self, what, count, *cpus, options=()):
        return share(what, count, *cpus, machine=self.machine, options=options)

    def check_handover(self, seen, count, sockets):
        lines = seen[GIVEN] / HALVES
        self.assertGreaterEqual(seen[ASKED], 2 * count * 0.99 - SLACK)
        self.assertLessEqual(seen[ASKED], 4 * count * 1.01 + NOISE)
        self.assertAlmostEqual(lines, 2 * count, delta=0.02 * count + SLACK)
        if sockets == 1:
            self.assertLessEqual(seen[FILLS], 0.01 * count + NOISE)
        else:
            self.assertGreaterEqual(seen[FILLS], 2 * count * 0.99 - SLACK)
            self.assertLessEqual(seen[FILLS], 4 * count * 1.01 + SLACK)


class HandingOver(Machine):
    def test_with_pause_in_one_socket(self):
        seen = self.share("handover-pause", COUNT, *self.same)
        self.check_handover(seen, COUNT, 1)

    def test_with_pause_across_sockets(self):
        seen = self.share("handover-pause", COUNT, *self.other)
        self.check_handover(seen, COUNT, 2)

    @at_length
    def test_with_yield(self):
        seen = self.share("handover-yield", COUNT, *self.same)
        self.check_handover(seen, COUNT, 1)

    @at_length
    def test_with_nothing_in_the_loop(self):
        seen = self.share("handover-spin", COUNT, *self.same)
        self.check_handover(seen, COUNT, 1)

    @at_length
    def test_twice_as_often_is_twice_as_much(self):
        once = self.share("handover-pause", COUNT, *self.other)
        twice = self.share("handover-pause", 2 * COUNT, *self.other)
        self.assertAlmostEqual(twice[ASKED] / once[ASKED], 2, delta=0.05)
        self.assertAlmostEqual(twice[GIVEN] / once[GIVEN], 2, delta=0.05)
        self.assertAlmostEqual(twice.cycles / once.cycles, 2, delta=0.2)

    def test_across_sockets_takes_longer(self):
        near = self.share("handover-pause", COUNT, *self.same)
        far = self.share("handover-pause", COUNT, *self.other)
        self.assertGreater(far.cycles, 1.5 * near.cycles)


@at_length
class HandingOver7500(HandingOver):
    machine = "xeon-7500"
    other = ("0", "8")


class Places(Machine):
    """Threads that do not say where they want to be go where --place says:
    the first of the program is core 0, the two that share come next."""

    @at_length
    def test_compact_stays_in_a_socket(self):
        seen = self.share("handover-pause", COUNT, "any", "any",
                          options=("--place", "compact"))
        self.check_handover(seen, COUNT, 1)

    def test_scatter_goes_across(self):
        seen = self.share("handover-pause", COUNT, "any", "any",
                          options=("--place", "scatter"))
        self.check_handover(seen, COUNT, 2)

    @at_length
    def test_affinity_is_stronger_than_scatter(self):
        seen = self.share("handover-pause", COUNT, *self.same,
                          options=("--place", "scatter"))
        self.check_handover(seen, COUNT, 1)

    def test_one_socket(self):
        seen = self.share("handover-pause", COUNT, *self.same,
                          options=("--sockets", "1"))
        self.check_handover(seen, COUNT, 1)


class FalseSharing(Machine):
    """A store to a line that another core has written to takes it from there;
    a load before it takes it, too: two for each of the 2 N additions at the
    most. Words in lines of their own are nobody else's. Stores that wait in a
    buffer hide the way, but the line comes to two cores one after the other,
    where apart both go on: twice as long, less what they do while it stays."""

    def check(self, cpus, how="", stores=STORES):
        packed = self.share("packed" + how, stores, *cpus)
        padded = self.share("padded" + how, stores, *cpus)
        self.assertGreaterEqual(packed[ASKED], 50 * max(padded[ASKED], 1))
        self.assertLessEqual(packed[ASKED], 2 * len(cpus) * stores * 1.01)
        return packed, padded

    def check_alone(self, cpus):
        packed, padded = self.check(cpus)
        self.assertGreaterEqual(packed[GIVEN], 50 * max(padded[GIVEN], 1))
        self.assertGreater(packed.cycles, 1.5 * max(padded.cycles, 1))

    def test_in_one_socket(self):
        self.check_alone(self.same)

    def test_across_sockets(self):
        self.check_alone(self.other)

    def test_one_word_travels_as_words_of_ones_own(self):
        """What a core has stored it loads from its store buffer, whatever
        others store to the word: so additions wait there in both cases."""
        more = ((*self.same, "2", "3"),) if sandbox.LONG else ()
        for cpus in (self.same, *more):
            packed = self.share("packed", STORES, *cpus)
            word = self.share("one-word", STORES, *cpus)
            self.assertAlmostEqual(word[ASKED] / packed[ASKED], 1, delta=0.15)
            self.assertLessEqual(word[ASKED], len(cpus) * STORES / 5)

    @at_length
    def test_with_a_miss_before_each_addition(self):
        """Most of the time is spent on other lines, and the other cores have had
        time for an addition before each one. Valgrind makes one block of some
        rounds of the loop, and a turn has two."""
        cpus = (*self.same, "2", self.other[1])
        packed, padded = self.check(cpus, "-far", FAR_ADDS)
        self.assertGreaterEqual(packed[ASKED], len(cpus) * FAR_ADDS / ROUNDS)
        self.assertGreater(packed.cycles, 1.2 * padded.cycles)


@at_length
class FalseSharing7500(FalseSharing):
    machine = "xeon-7500"
    other = ("0", "8")


class Additions(Machine):
    """Cores that add to one word at the same time take it from each other; a
    locked addition takes it once at the most."""

    def check(self, *cpus):
        seen = self.share("xadd", ADDS, *cpus)
        least = len(cpus) * ADDS / MIXED
        most = len(cpus) * ADDS * 1.01
        self.assertGreaterEqual(seen[ASKED], least)
        self.assertGreaterEqual(seen[GIVEN] / HALVES, least)
        self.assertLessEqual(seen[GIVEN] / HALVES, most)

    def test_of_two_threads(self):
        self.check(*self.same)

    def test_across_sockets(self):
        self.check(*self.other)

    @at_length
    def test_of_four_threads(self):
        self.check("any", "any", *self.other)

    @at_length
    def test_ten_in_a_block_are_as_those_of_ten_rounds(self):
        """Who has the line adds for half a latency, 61 and 163 cycles, each 20
        and its part of the loop: 3 and 8 times. The core at the home of a line
        that comes from far has it 61 cycles, too, and adds the rest alone: the
        other one decides how often it travels."""
        for cpus, times in (self.same, 3), (self.other, 8):
            for what in "xadd", "xadd-ten":
                seen = self.share(what, ADDS, *cpus)
                lines = seen[GIVEN] / HALVES
                self.assertAlmostEqual(2 * ADDS / lines, times, delta=0.5)

    def test_alone_nobody_is_asked(self):
        seen = self.share("xadd", ADDS, "0")
        self.assertLessEqual(seen[ASKED], NOISE)
        self.assertLessEqual(seen[GIVEN] / HALVES, NOISE)

    def test_on_one_core_nobody_is_asked(self):
        """Two threads that share a core share its caches."""
        seen = self.share("xadd", ADDS, "3", "3")
        self.assertLessEqual(seen[ASKED], NOISE)


@at_length
class Seeds(unittest.TestCase):
    """A seed draws how many cycles (at most LATE) after its creation each
    thread starts, and nothing else."""
    LATE = 1000 * 2666.67 / 2400  # uncore cycles
    STEP = 1024  # cycles are told in steps of so many
    SEEDS = ("1", "2", "3")

    def runs(self, what):
        """{seed: (lines asked for, cycles)}"""
        words = program("traffic_share", what, ADDS, "0", "1")
        seen = {}
        for seed in ("", *self.SEEDS, *self.SEEDS):
            found = counts(words, (ASKED,), *(("--seed", seed) if seed else ()))
            both = found[ASKED], found.cycles
            self.assertEqual(seen.setdefault(seed, both), both)
        return seen

    def test_lines_that_are_fought_for_differ_by_a_little(self):
        seen = self.runs("xadd")
        asked = [seen[seed][0] for seed in self.SEEDS]
        self.assertGreater(len(set(asked)), 1)
        self.assertLess(max(asked), 1.5 * min(asked))

    def test_others_are_a_start_late_at_the_most(self):
        seen = self.runs("padded")
        for seed in self.SEEDS:
            self.assertAlmostEqual(seen[seed][1], seen[""][1],
                                   delta=2 * self.LATE + self.STEP)


class Mutex(Machine):
    def test_of_two_threads(self):
        seen = self.share("mutex", ADDS, *self.same)
        self.assertGreaterEqual(seen[ASKED], 2 * ADDS / MIXED)

    @at_length
    def test_across_sockets(self):
        seen = self.share("mutex", ADDS, *self.other)
        self.assertGreaterEqual(seen[ASKED], 2 * ADDS / MIXED)
        self.assertGreaterEqual(seen[FILLS], 2 * ADDS / MIXED / 2)

    def test_alone_nobody_is_asked(self):
        seen = self.share("mutex", ADDS, "0")
        self.assertLessEqual(seen[ASKED], NOISE)


class Readers(Machine):
    def test_leave_each_other_alone(self):
        seen = self.share("reads", ADDS, "0", "1", "2", self.other[1])
        self.assertLessEqual(seen[ASKED], NOISE)
        self.assertLessEqual(seen[GIVEN] / HALVES, NOISE)


if __name__ == "__main__":
    unittest.main()
