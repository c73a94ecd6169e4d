#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The demonstration: perf's counts and ours are equal. In the suite `long` as a
# user gets it, on the whole machine, without a word but --demo; else on a small
# one. With a kernel that has no uncore driver it says so.

import re
import sys

import rig


def demonstrate(processors, equal, *machine):
    ended = rig.run([rig.UNCORE, "guest", "--demo", *machine])
    rig.expect(ended.code == 0, "ended with %s" % ended.code, ended)
    said = re.search(r"^(\d+) of (\d+) are equal\.$", ended.output, re.M)
    rig.expect(said and said.group(1) == said.group(2) == str(equal),
               "not all counts are equal", ended)
    for line in ("%d processors" % processors, "Performance counter stats",
                 "walk: 786432 loads"):
        rig.expect(line in ended.output, "nothing of %r" % line, ended)


def no_driver():
    ended = rig.run([rig.UNCORE, "guest", "--demo", *rig.SMALL,
                     "--append", "uncore.modules=msr"])
    rig.expect(ended.code == 1, "ended with %s" % ended.code, ended)
    rig.expect("this kernel has not found an uncore" in ended.output,
               "no sentence about the driver", ended)


def main():
    rig.image()
    # Clock, memory controllers, home agents, C-Boxes of a socket.
    if rig.LONG:
        demonstrate(20, 1 + 2 + 2 + 10)
        # Clocks of U-Box and PCU, HA, R2PCIe, iMCs, QPI and R3QPI, CBos.
        for machine in "xeon-e5-2600", "xeon-e5-v2":
            demonstrate(4, 2 + 1 + 1 + 4 + 2 + 2 + 2, "--machine", machine,
                        *rig.SMALL)
        # A second home agent, and four SBos.
        for machine in "xeon-e5-v3", "xeon-e5-v4":
            demonstrate(4, 2 + 2 + 1 + 4 + 2 + 2 + 2 + 4, "--machine", machine,
                        *rig.SMALL)
        # Clocks of U-Box and PCU, M2Ms, channels, UPI and M3UPI, I/O stacks and
        # their IRPs, CHAs.
        demonstrate(8, 2 + 2 + 6 + 2 * 3 + 2 * 6 + 28, "--machine",
                    "xeon-platinum-8180")
        demonstrate(4, 2 + 2 + 6 + 2 * 3 + 2 * 6 + 2, "--machine",
                    "xeon-gold-6240", *rig.SMALL)
    else:
        demonstrate(4, 1 + 2 + 2 + 2, *rig.SMALL)
    no_driver()


if __name__ == "__main__":
    sys.exit(main())
