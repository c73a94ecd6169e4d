#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the guest's perf counted by the kernel's own driver and what uncore stat
# counts of the same traffic agree to the count: in every box, with match and
# mask, with sub-controls, with threshold, edge and invert, for two sockets and
# with the guest's traffic; in the suite `long` for one, too, and with the model's
# own traffic. exact_7500.py does some of it in a guest with the other processor, for one.

import sys

import events
import rig

WORKLOAD = "stream:size=256k,threads=2"
# What another test sets: the events, and the options of the machine.
ROWS = events.ROWS
MACHINE = []
# Two threads, on two sockets where there are two, go twice through memory that
# they share, and write it: all boxes have work.
WALK = "walk -m 1 -p 2 -t 2 -s -w"


def perf_script():
    asked = " ".join("-e " + events.perf_name(row) for row in ROWS)
    return ("perf stat -a --per-socket -x ';' -o /tmp/counts %s %s\n"
            "echo == counts\ncat /tmp/counts\n" % (asked, WALK))


def our_counts(options, folder):
    words = [rig.UNCORE, "stat", "--per-box", "--per-socket", "-x", ";"]
    for row in ROWS:
        words += ["-e", events.our_name(row)]
    ended = rig.run(words + options, folder)
    rig.expect(ended.code == 0, "uncore stat failed", ended)
    return rig.perf_counts(ended.output.split("\n"))


def compare(title, sockets, guest, ended, ours):
    wrong, counted = [], {}
    for socket in ["S%d" % s for s in range(sockets)]:
        for row in ROWS:
            count, percentage = guest[socket, events.perf_name(row)]
            mine = ours[events.our_place(socket, row), events.our_name(row)][0]
            rig.expect(percentage == 100, "perf counted %s only %s %% of the "
                       "time" % (events.perf_name(row), percentage), ended)
            counted.setdefault(events.type_of(row), []).append(count)
            if count != mine:
                wrong.append("%s %s: perf counted %d, uncore stat %d" % (
                    socket, events.perf_name(row), count, mine))
    rig.expect(not wrong, "%s:\n%s" % (title, "\n".join(wrong)), ended)
    for box, counts in counted.items():
        rig.expect(sum(1 for c in counts if c) >= (1 if box == "wbox" else 2),
                   "%s: nothing happened in any %s" % (title, box), ended)
    print("%s: %d counts are equal" % (
        title, sum(len(c) for c in counted.values())))


def guest_traffic(sockets, folder, script=""):
    """Compares; how the guest ended that ran the script first."""
    machine = MACHINE + ["--sockets", str(sockets)] + rig.SMALL
    record = folder.file("record-%d" % sockets)
    ended = rig.boot(script + perf_script(), folder, "--traffic", "marked",
                     "--record", record, *machine)
    compare("the guest's traffic, %d sockets" % sockets, sockets,
            rig.perf_counts(ended.lines("counts")), ended,
            our_counts(["--replay", record, "--detail=full"] + rig.SMALL,
                       folder))
    return ended


def own_traffic(sockets, folder):
    machine = MACHINE + ["--sockets", str(sockets)] + rig.SMALL
    ended = rig.boot(perf_script(), folder, "--workload", WORKLOAD, *machine)
    compare("the model's traffic, %d sockets" % sockets, sockets,
            rig.perf_counts(ended.lines("counts")), ended,
            our_counts(["--workload", WORKLOAD] + machine, folder))


def main():
    with rig.Folder() as folder:
        if rig.LONG:
            guest_traffic(1, folder)
            own_traffic(2, folder)
        guest_traffic(2, folder)


if __name__ == "__main__":
    sys.exit(main())
