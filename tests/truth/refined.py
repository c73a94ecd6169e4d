#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What a counter makes of an event obeys relations that need no knowledge of
the machine: thresholds, edges, filters and overflows. They are tried where it
is crowded and with the LLC of the real machine, in every box: every event that
has a threshold; packets and overflows by lot.

    refined.py [--seed N]
"""
import argparse
import fnmatch
import functools
import itertools
import json
import os
import random
import sqlite3
import sys
import tempfile

import counting

# Nothing is made small.
REAL = counting.Subject("real", [
    "-N", "2", "-w", "random:shared=1,threads=12,place=scatter,size=16M,"
    "count=500,write=40,gap=0+stream:threads=4,size=512K,op=triad,gap=0"], [],
    None)
# Of the catalogue of coverage, besides: at length, and otherwise.
SCENES = ({"xeon-e7": ("share", "narrow", "hot"), "xeon-7500": ("narrow",)}
          if counting.rig.LONG else {"xeon-e7": ("narrow",), "xeon-7500": ()})
BOXES = ("cbox", "sbox", "wbox")  # that have thresholds
CLOCK = "wbox/FIXED_CTR/"
MOST_STEPS = 12   # up to this maximum each threshold is counted
MOST_FORMS = 250  # of a run
PACKETS, PORTS = "rbox/PACKETS,port=%s/", 2  # of a run
SAMPLED = 4 if counting.rig.LONG else 1
SHOWN = 20

# Of these the guide gives the maximum of one sub-event and says that those of a
# cycle add up (docs/errata.md, E93).
ADDED = ("sbox/EGRESS_*", "sbox/RBOX_SNP_BYPASS", "sbox/NO_CREDIT_VNA",
         "sbox/PKTS_SENT_HOM")


@functools.lru_cache(maxsize=None)
def listed(machine):
    return json.loads(counting.run(["list", "--json", "-m", machine]))


def events(machine):
    """{name of a row: its largest increment}"""
    rows = {"%(box)s/%(name)s" % row: row
            for row in listed(machine)["events"]}
    found = {}
    for name in counting.names("events", machine):
        if name.split("/")[0] not in BOXES or name == CLOCK:
            continue
        event, _, mask = name.rstrip("/").partition(".")
        found[name] = rows[event]["max_increment"]
        if any(fnmatch.fnmatch(event, added) for added in ADDED):
            found[name] *= sub_events(rows[event], mask)
    return found


def sub_events(row, mask):
    """How many a unit mask selects."""
    return max(bin(unit["value"]).count("1") for unit in row["unit_masks"]
               if unit["name"] == mask)


def refine(event, *options):
    return ",".join([event.rstrip("/"), *options]) + "/"


def thresholds(most):
    return (list(range(1, most + 2)) if most <= MOST_STEPS else
            [1, 2, 3, most // 2, most, most + 1])


def forms(event, most):
    """Everything that is counted of one event."""
    return [event, *(refine(event, "threshold=%d" % step)
                     for step in thresholds(most)),
            *(refine(event, *options) for options in (
                ("invert",), ("edge_detect",), ("threshold=1", "invert"),
                ("threshold=1", "edge_detect"),
                ("threshold=1", "invert", "edge_detect")))]


def complaints(most, values, cycles):
    """What is wrong with the counts of forms() in one box."""
    steps = len(thresholds(most))
    count, above = values[0], values[1:1 + steps]
    inverted, edges, rest, begins, ends = values[1 + steps:]
    busy, beyond = above[0], above[-1]
    if beyond:
        yield "beyond its maximum in %d cycles" % beyond
    if not busy <= count <= most * busy:
        yield "%d in %d cycles" % (count, busy)
    if above != sorted(above, reverse=True):
        yield "with a higher threshold more: %s" % above
    if most <= MOST_STEPS and sum(above) != count:
        yield "%d, all thresholds together %d" % (count, sum(above))
    if busy + rest != cycles:
        yield "%d cycles with and %d without, of %d" % (busy, rest, cycles)
    if (begins > busy or ends > rest or abs(begins - ends) > 1 or
            (begins + ends > 0) != (busy > 0 and rest > 0)):
        yield "%d begins and %d ends in %d cycles of %d" % (
            begins, ends, busy, cycles)
    if (inverted, edges) != (count, begins):
        yield "no threshold is not a threshold of 0: %d is %d, %d edges %d" % (
            inverted, count, edges, begins)


def batches(machine):
    """The events, as many at once as can be counted."""
    batch, room = {}, MOST_FORMS
    for event, most in events(machine).items():
        if len(forms(event, most)) > room:
            yield batch
            batch, room = {}, MOST_FORMS
        batch[event] = most
        room -= len(forms(event, most))
    yield batch


def try_forms(subject, wrong):
    compared = 0
    for batch in batches(subject.machine):
        counts = counting.stat(subject, [CLOCK, *(
            form for event, most in batch.items()
            for form in forms(event, most))]).counts
        for event, socket, box in list(counts):
            if event not in batch:
                continue
            values = [counts[form, socket, box]
                      for form in forms(event, batch[event])]
            wrong += ["%s of %s, S%d-%s: %s" % (
                event, subject.name, socket, box, what)
                      for what in complaints(batch[event], values,
                                             counts[CLOCK, socket, "wbox0"])]
            compared += values[0] > 0
    return compared


# Packets: what parts them


def parts_of_packets(machine):
    """[(option, options that part what it lets through)]"""
    classes = counting.names("classes", machine)
    opcodes = listed(machine)["opcodes"]
    return [("", ["mc=" + name for name in classes]),
            ("", ["vn=VN0", "vn=VN1", "vn=VNA"]),
            *(("mc=" + name, ["opc=" + row["name"] for row in opcodes
                              if row["class"] == name]) for name in classes)]


def packets(port, option):
    return PACKETS % ",".join(filter(None, [port, option]))


def try_packets(dice, subject, wrong):
    """At ports by lot: classes and virtual networks part the packets, opcodes
    those of a class."""
    parts = parts_of_packets(subject.machine)
    ports = dice.sample(counting.names("ports", subject.machine), PORTS)
    options = {option for whole, some in parts for option in [whole, *some]}
    counts = counting.stat(subject, [packets(port, option) for port in ports
                                     for option in sorted(options)]).counts
    compared = 0
    for port, socket, (whole, some) in itertools.product(
            ports, {key[1] for key in counts}, parts):
        count, *those = (counts[packets(port, option), socket, "rbox0"]
                         for option in [whole, *some])
        compared += count > 0
        if count != sum(those):
            wrong.append("%s of %s, S%d: %d, its parts %s" % (
                packets(port, whole), subject.name, socket, count, those))
    return compared


# Overflows


def samples(path):
    base = sqlite3.connect(path)
    taken = {(socket, "%s%d" % (box, instance)): number
             for socket, box, instance, number in base.execute(
                 "SELECT socket, box, instance, count(*) + sum(lost)"
                 " FROM sample JOIN event ON event.id = sample.event"
                 " WHERE kind = 'period' GROUP BY 1, 2, 3")}
    base.close()
    return taken


def random_sampled(dice, subject):
    """(an event that counts something, with refinements, its counts)"""
    while True:
        event = counting.random_event(dice, subject.machine)
        event = event.replace(counting.PMI, "")
        if event.startswith("mbox") and "," in event:
            continue  # those may count down
        counts = counting.stat(subject, [event]).counts
        if max(counts.values(), default=0) > counting.LEAST_PERIOD:
            return event, counts


def try_overflows(dice, subject, wrong):
    """Sampled with a period p, K events are floor(K / p) samples."""
    event, counts = random_sampled(dice, subject)
    step = counting.STEP if counting.SUB_COUNTED.search(event) else 1
    period = max(max(counts.values()) // dice.randrange(2, 12),
                 counting.LEAST_PERIOD) // step * step or step
    with tempfile.TemporaryDirectory(prefix="uncore-refined-") as folder:
        path = os.path.join(folder, "file")
        counting.run(["record", "-q", "-o", path, "-e",
                      refine(event, "period=%d" % period), *subject.options])
        taken = samples(path)
    for (_, *place), count in counts.items():
        if taken.get(tuple(place), 0) != count // period:
            wrong.append("%s of %s, %s: %d samples of %d at a period of %d" % (
                event, subject.name, place, taken.get(tuple(place), 0), count,
                period))
    return 1


def subjects(machine):
    catalogue = dict(counting.catalogue(machine))
    for name in SCENES[machine]:
        yield counting.Subject(name, catalogue[name], [], machine)
    yield counting.Subject(REAL.name, ["-m", machine, *REAL.options], [],
                           machine)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    wrong, few = [], []
    for machine in SCENES:
        for subject in subjects(machine):
            compared = (try_forms(subject, wrong),
                        try_packets(dice, subject, wrong))
            few += [] if all(compared) else [subject.name]
        for _ in range(SAMPLED):
            try_overflows(dice, dice.choice(list(subjects(machine))), wrong)
    print("\n".join(wrong[:SHOWN]), end="\n" if wrong else "")
    if few:
        print("nothing was counted in %s" % ", ".join(few))
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main())
