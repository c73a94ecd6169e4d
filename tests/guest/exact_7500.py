#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A guest with a Xeon 7500: the kernel takes it for one (model 46), its driver
# uses that processor's layout of the M-Box, and perf's counts are ours; with the
# model's own traffic in the suite `long`.

import sys

import events
import exact
import rig

CPU = """
echo == cpu
grep -m 1 '^cpu family' /proc/cpuinfo
grep -m 1 '^model\t' /proc/cpuinfo
grep -m 1 '^model name' /proc/cpuinfo
grep -m 1 -o -w aes /proc/cpuinfo
ls /sys/bus/event_source/devices | grep uncore_cbox
echo $(cat /sys/bus/event_source/devices/uncore_mbox_0/events/bbox_cmds_read)
echo == walk
"""
# Westmere brought AES; the driver's own name for reads has FVC's fields.
SAID = ["cpu family: 6", "model: 46",
        "model name: Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz",
        "uncore_cbox_0", "uncore_cbox_1", "inc_sel=0xd,fvc=0x2800"]


def the_kernel_knows_it(ended):
    said = [line.replace("\t", "").replace(" :", ":").strip()
            for line in ended.lines("cpu")]
    rig.expect(said == SAID, "the kernel says %s" % said, ended)


def main():
    exact.ROWS = events.ROWS_7500
    exact.MACHINE = ["--machine", "xeon-7500"]
    with rig.Folder() as folder:
        the_kernel_knows_it(exact.guest_traffic(1, folder, CPU))
        if rig.LONG:
            exact.own_traffic(2, folder)


if __name__ == "__main__":
    sys.exit(main())
