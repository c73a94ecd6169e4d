#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A guest with a Xeon Scalable: the kernel takes it for one (model 85) and makes
# the PMUs that its driver makes on such a processor, a CHA for each bit of
# CAPID6, more than there are cores; MSRs 0x300 and 0x702 say the same of buses and CHAs as the functions do; and the counters of I/O stacks that run freely go on. That counts are the
# model's is in demo.py.

import re
import sys

import rig

CORES, CHAS = 2, 28
# Bus, device and function, offset, by the kernel's driver: the node map; the CHAs;
# M2M's control, beyond the first 256 bytes.
SCRIPT = """
echo == cpus
nproc
echo == cpu
grep -m 3 -E '^(model|stepping)' /proc/cpuinfo
echo == pmus
ls /sys/bus/event_source/devices | grep uncore_
echo == numbers
for cpu in 0 2; do rdmsr -p $cpu 0x300; rdmsr -p $cpu 0x702; done
for bus in 7c fc; do od -A n -t x4 -j 192 -N 4 /proc/bus/pci/$bus/08.0; done
for bus in 7d fd; do od -A n -t x4 -j 156 -N 4 /proc/bus/pci/$bus/1e.3; done
echo == stacks
cat /sys/bus/event_source/devices/uncore_iio_[0-3]/die[01]
echo == counts
perf stat -a -x ';' -e uncore_iio_free_running_0/ioclk/ \\
	-e uncore_iio_free_running_5/ioclk/ -e uncore_m2m_0/event=0x37,umask=0x4/ \\
	-e uncore_upi_0/event=0x1/ walk -m 4 -p 1 2>&1 | cut -d ';' -f 1
"""
PMUS = (["cha_%d" % n for n in range(CHAS)] + ["m2m_0", "m2m_1"] +
        ["imc_%d" % n for n in range(6)] +
        ["%s_%d" % (box, n) for box in ("upi", "m3upi") for n in range(3)] +
        ["%s_%d" % (box, n) for box in ("iio", "iio_free_running", "irp")
         for n in range(6)] + ["pcu", "ubox"])


def numbers(ended, part):
    return [int(line, 16) for line in ended.lines(part)]


def main():
    with rig.Folder() as folder:
        words = rig.command(SCRIPT, folder, "--machine", "xeon-platinum-8180",
                            "--set", "cores=%d" % CORES, "--set", "chas=%d" % CHAS)
        ended = rig.run(words, folder)
    rig.expect(ended.code == 0, "the guest ended with %s" % ended.code, ended)
    said = ended.text("cpu")
    for what in r"model\s*: 85$", "Platinum 8180", r"stepping\s*: 4$":
        rig.expect(re.search(what, said, re.M), "the kernel says " + said, ended)
    rig.expect(ended.text("cpus").strip() == str(2 * CORES), "CPUs: " + ended.text("cpus"), ended)
    pmus = sorted(ended.text("pmus").split())
    rig.expect(pmus == sorted("uncore_" + name for name in PMUS),
               "its PMUs are %s" % pmus, ended)
    rig.expect(numbers(ended, "numbers") ==
               [1 << 63 | 0x7F7E7D7C, CHAS, 1 << 63 | 0xFFFEFDFC, CHAS,
                0, 1, (1 << CHAS) - 1, (1 << CHAS) - 1], "what they are: " + ended.text("numbers"), ended)
    rig.expect(ended.text("stacks").split() ==
               ["0000:%02x" % (first + n) for n in range(4)
                for first in (0x7C, 0xFC)],
               "stacks of buses: " + ended.text("stacks"), ended)
    counts = [line for line in ended.lines("counts") if line.isdigit()]
    rig.expect(len(counts) == 4 and all(map(int, counts)),
               "counts: " + ended.text("counts"), ended)


if __name__ == "__main__":
    sys.exit(main())
