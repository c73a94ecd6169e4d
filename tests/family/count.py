#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# count.py FOLDER: the processor of tests/family/data, once. Registers are bytes
# in files; in each counter that is let count this adds up what its event stands
# for, as the layouts say, by its own reading of them. Who programs a register
# wrongly counts nothing, or something else.

import os
import struct
import sys

EN = 1 << 22


# A number of its own for each box, code, unit mask and opcode.
def events(control, box, match=0):
    code, umask = control & 0xFF, control >> 8 & 0xFF
    return 1000 * box + 10 * code + umask + 100000 * match


class File:
    def __init__(self, *path):
        self.handle = open(os.path.join(*path), "r+b", buffering=0)

    def get(self, place, size):
        self.handle.seek(place)
        data = self.handle.read(size)
        return int.from_bytes(data, "little")

    def add(self, place, more, bits):
        value = (self.get(place, 8) + more) % (1 << bits)
        self.handle.seek(place)
        self.handle.write(struct.pack("<Q", value))


def a_box(file):
    if not file.get(0x700, 4) >> 28 & 1:
        return
    for n in range(2):
        control = file.get(0x710 + 8 * n, 8)
        if file.get(0x708, 4) >> n & 1 and control & EN:
            file.add(0x720 + 8 * n, events(control, 1), 48)


def p_box(file):
    box = file.get(0xF4, 4)
    if box >> 16 & 1 and box >> 8 & 1:
        return
    for n in range(3):
        control = file.get(0xD8 + 4 * n, 4)
        if control & EN:
            match = file.get(0xE8, 4) if control & 0xFF == 9 else 0
            file.add(0xA0 + 8 * n, events(control, 2, match), 44)


def v_box(file):
    for n in range(2):
        control = file.get(0x22840 + 4 * n, 4)
        if control & EN:
            file.add(0x22808 + 8 * n, events(control, 3), 36)


def main():
    for bus in ("ff", "3f"):
        for unit in ("10.4", "10.5"):
            p_box(File(sys.argv[1], "pci", bus, unit))
    for cpu in ("0", "4"):
        a_box(File(sys.argv[1], cpu, "msr"))
        for unit in ("0", "1"):
            v_box(File(sys.argv[1], cpu, "mem", unit))


if __name__ == "__main__":
    main()
