#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The address of every register, computed the way that drivers do it: a first
# address per box type, an offset per box and a step per counter. Together the
# formulas must give exactly the registers that `uncore registers` prints, of
# every family; the families differ in the number of C-Boxes alone.

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
UNCORE = os.environ.get("UNCORE", os.path.join(ROOT, "build", "uncore"))
NUM_CBOXES = {"xeon-e7": 10, "xeon-7500": 8}
CBOX_OFFSETS = (0x0, 0x80, 0x40, 0xC0, 0x20, 0xA0, 0x60, 0xE0, 0x240, 0x2C0)
SKIPPED = 77


def block(first, num_counters, num_heads=3):
    """Global control, status, overflow control (and summary); from 0x10 on
    pairs of control and counter."""
    heads = {first + n: "head" for n in range(num_heads)}
    for n in range(num_counters):
        heads[first + 0x10 + 2 * n] = "control"
        heads[first + 0x11 + 2 * n] = "counter"
    return heads


def ubox():
    return {("ubox", 0): block(0xC00, 1)}


def cboxes(num):
    return {("cbox", i): block(0xD00 + CBOX_OFFSETS[i], 6)
            for i in range(num)}


def bboxes():
    boxes = {}
    for i in range(2):
        boxes["bbox", i] = block(0xC20 + 0x40 * i, 4)
        for n in range(2):
            boxes["bbox", i][0xE45 + 8 * i + n] = "match"
    return boxes


def sboxes():
    boxes = {}
    for i in range(2):
        boxes["sbox", i] = block(0xC40 + 0x80 * i, 4, 4)
        for n in range(3):
            boxes["sbox", i][0xE48 + 0x10 * i + n] = "match"
    return boxes


def mboxes():
    boxes = {}
    for i in range(2):
        boxes["mbox", i] = block(0xCA0 + 0x40 * i, 6)
        for n in range(4, 12):
            boxes["mbox", i][0xCA0 + 0x40 * i + n] = "sub-control"
        for n in range(3):
            boxes["mbox", i][0xE54 + 8 * i + n] = "match"
    return boxes


def rbox():
    registers = {}
    for half in range(2):
        registers.update(block(0xE00 + 0x20 * half, 8))
    for port in range(8):
        registers[0xE04 + port] = "iperf"
        registers[0xE24 + port] = "iperf"
        registers[0xE0C + port if port < 4 else 0xE2C + port - 4] = "qlx"
        offset = (0 if port < 4 else 0x10) + 4 * port
        for first in (0xE60, 0xE70):
            for n in range(3):
                registers[first + offset + n] = "match"
    return {("rbox", 0): registers}


def wbox():
    registers = block(0xC80, 4)
    registers[0x394] = "fixed counter"
    registers[0x395] = "fixed control"
    return {("wbox", 0): registers}


def computed(num_cboxes):
    result = {}
    for boxes in (ubox(), cboxes(num_cboxes), bboxes(), sboxes(), mboxes(),
                  rbox(), wbox()):
        for (box, instance), registers in boxes.items():
            for address, kind in registers.items():
                assert address not in result, hex(address)
                result[address] = (box, instance, kind)
    return result


def printed(machine):
    ran = subprocess.run((UNCORE, "registers", "--machine", machine, "--json"),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         text=True, check=True)
    return {r["address"]: r for r in json.loads(ran.stdout)}


def kind_fits(kind, register):
    """A control has an enable, a counter 48 bits that count."""
    fields = {f["name"]: f for f in register["fields"]}
    if kind == "control":
        return "en" in fields or "ctr_en" in fields
    if kind in ("counter", "fixed counter"):
        count = fields.get("event_count", {"high": 0, "low": 0})
        return (count["high"], count["low"]) == (47, 0)
    return True


def differences(machine, num_cboxes):
    want, have = computed(num_cboxes), printed(machine)
    for address in sorted(set(want) | set(have)):
        if address not in have:
            yield "0x%X of %s %d is missing" % ((address,) +
                                                want[address][:2])
            continue
        register = have[address]
        if address not in want:
            yield "0x%X (%s) is at no formula's place" % (address,
                                                          register["name"])
            continue
        box, instance, kind = want[address]
        place = register["box"].rstrip("0123456789"), register["instance"]
        if place != (box, instance):
            yield "0x%X (%s) should be of %s %d" % (
                address, register["name"], box, instance)
        if not kind_fits(kind, register):
            yield "0x%X (%s) should be a %s" % (address, register["name"],
                                                kind)


def main():
    if not os.path.exists(UNCORE):
        print("the command is not built")
        return SKIPPED
    wrong = 0
    for machine, num_cboxes in NUM_CBOXES.items():
        for line in differences(machine, num_cboxes):
            wrong += 1
            print("%s: %s" % (machine, line))
        print("%s: %d addresses computed" % (machine,
                                             len(computed(num_cboxes))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
