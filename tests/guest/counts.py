#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What a guest's program does is what the guest's uncore counts: a program that
# goes through a known number of lines, once more than the caches hold and once
# far less, under perf while a counter is enabled, held against the reads of the
# home agents and of the memory controllers.

import sys

import rig

# Two C-Boxes hold 6 MiB.
MIB, LINES = 24, 24 << 20 >> 6
LITTLE_LINES = 1 << 20 >> 6
READS = ["-e uncore_mbox_%d/bbox_cmds_read/ "
         "-e uncore_bbox_%d/counter=0x1,event=0x1d/" % (b, b) for b in (0, 1)]
MISSES = ["-e uncore_cbox_%d/event=0x14,umask=0x7/" % b for b in (0, 1)]
STAT = "perf stat -a --per-socket -x ';' -o /tmp/c " + " ".join(READS + MISSES)


def on_all_cpus(events):
    """The core's counters 0 to 3 count events while a program walks."""
    words = ["wrmsr -a 0x38f 0", "wrmsr -a 0x1a6 0xff75"]
    for n, event in enumerate(events.split()):
        words += ["wrmsr -a 0x%x 0x43%s%s" % (0x186 + n, event[2:], event[:2]),
                  "wrmsr -a 0x%x 0" % (0xC1 + n)]
    words += ["wrmsr -a 0x38f 0xf", "walk -m %d -p 1" % MIB,
              "wrmsr -a 0x38f 0"]
    return "\n".join(words + ["echo; rdmsr -a -d 0x%x" % (0xC1 + n)
                              for n in range(4)])


SCRIPT = """
echo == once
%s walk -m %d -p 1
cat /tmp/c
echo == twice
%s walk -m %d -p 2
cat /tmp/c
echo == little
%s walk -m 1 -p 1
cat /tmp/c
echo == core
rdmsr 0xce
wrmsr 0x38d 0x3
wrmsr 0x38f 0x100000000
walk -m 1 -p 1
rdmsr -d 0x309
echo == loads
%s
echo == lines
%s
""" % (STAT, MIB, STAT, MIB, STAT, on_all_cpus("0b01 cb5f cb1c 0b02"),
       on_all_cpus("f107 24a2 b701 f20a"))


def sums(ended, part):
    """The counts of a part by box type, of all sockets and boxes."""
    total = {}
    for (_, event), (count, percentage) in rig.perf_counts(
            ended.lines(part)).items():
        rig.expect(percentage == 100, "%s was not counted all the time" % event,
                   ended)
        box = event[len("uncore_"):].split("_")[0]
        total[box] = total.get(box, 0) + count
    return total


def main():
    with rig.Folder() as folder:
        ended = rig.boot(SCRIPT, folder, "--sockets", "1", *rig.SMALL)
    core(ended)
    caches(ended)
    once, twice, little = (sums(ended, p) for p in ("once", "twice", "little"))
    print("once %s, twice %s, little %s" % (once, twice, little))
    for box in ("mbox", "bbox", "cbox"):
        # The kernel clears the memory, the program writes it before the first
        # pass: up to two more misses of every line. A second pass adds itself,
        # but for the lines that the caches still hold, a fourth at most.
        added = twice[box] - once[box]
        rig.expect(0.7 * LINES < added < 1.1 * LINES,
                   "a pass over %d lines added %d in %s" % (
                       LINES, added, box), ended)
        rig.expect(LINES < once[box] < 4 * LINES,
                   "%d lines made %d in %s" % (LINES, once[box], box), ended)
        # Its frames may be in the caches since the walk before it.
        rig.expect(0 < little[box] < LINES / 4,
                   "1 MiB made %d in %s" % (little[box], box), ended)


def core(ended):
    """Of the core's own registers the model answers for the counters, and for
    what an emulator has nothing for."""
    words = [line.split()[0] for line in ended.lines("core")]
    # 18 times 133 MHz at the most, 8 times at the least
    rig.expect(words[0] == "80000001200", "platform information is wrong", ended)
    rig.expect(LITTLE_LINES < int(words[-1]) < 1 << 30,
               "%s instructions were counted" % words[-1], ended)


def caches(ended):
    """The core's events of its caches: each load finds its line somewhere, and
    what the L2 misses is asked for and answered."""
    loads, found, outside, stores = of_all_cpus(ended, "loads")
    lines, missed, answered, written = of_all_cpus(ended, "lines")
    print("loads %d, found %d, outside %d, stores %d; lines %d, missed %d, "
          "answered %d, written back %d" % (
              loads, found, outside, stores, lines, missed, answered, written))
    # What is under way when the counters stop is a few of each CPU.
    rig.expect(abs(loads - found) < 50, "loads are lost", ended)
    rig.expect(LINES < outside < 4 * LINES, "loads missed elsewhere", ended)
    rig.expect(stores > LINES, "there were %d stores" % stores, ended)
    # Stores apart, which do not always need the line.
    rig.expect(abs(missed - answered) < 50, "misses are lost", ended)
    rig.expect(LINES < answered <= lines, "lines are lost", ended)
    rig.expect(written > LINES / 2, "%d were written back" % written, ended)


def of_all_cpus(ended, part):
    """Four sums over the CPUs, between empty lines."""
    text = ended.text(part).strip().split("\n\n")
    return [sum(map(int, block.split())) for block in text[-4:]]


if __name__ == "__main__":
    sys.exit(main())
