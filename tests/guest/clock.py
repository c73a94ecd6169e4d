#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Time in a guest is the model's. By clocks.c: the time stamp counter goes at the
# core's clock by each of the kernel's clocks (its own, HPET, ACPI), whether the
# CPU works or sleeps, counted or not, and is one on all CPUs; a nap takes what
# it was asked for, though the host holds QEMU and the model up (and, in the suite
# `long`, has three times as many busy processes as CPUs), and who finds out the
# counter's rate by naps finds the right one, each time. By perf, which
# says how long it counted: the uncore's clock goes at its rate by the guest's.
# And the processor is the modelled one: name, stepping, RDTSCP, caches.

import os
import re
import subprocess
import sys

import rig

CORE_MHZ, UNCORE_MHZ = 2400, 2666.67
CALIBRATED = 0.001
NEAR = 0.002  # how far clocks may be apart that are read one after another
# A nap of 20 ms: the kernel adds 0.05 ms of slack, waking up some instructions.
NAP_US, LATE_US = 20000, 500
STARTS = 0.02  # perf's time begins a little before the count
CLOCKTICKS = "uncore_wbox/clockticks/"
SCRIPT = """
echo == quiet
clocks
echo == counted
perf stat -a -e %(ticks)s -o /tmp/c clocks
echo == naps
clocks naps
echo == naps_counted
perf stat -a -e %(ticks)s -o /tmp/c clocks naps
echo == calibrations
clocks calibrate
echo == uncore
for what in "walk -m 8 -p 2" "walk -m 4 -t 4" "sleep 0.1"; do
	perf stat -a --per-socket -x ';' -o /tmp/c -e %(ticks)s $what >/dev/null
	grep S /tmp/c
done
echo == identity
grep -E "model name|stepping|cache size|cpu MHz|^flags" /proc/cpuinfo | sort -u
cd /sys/devices/system/cpu/cpu0/cache
for i in index*; do
	echo $(cat $i/level $i/type $i/size $i/ways_of_associativity \\
		$i/shared_cpu_list)
done
echo == watchdog
dmesg | grep -iE "unstable|skew|watchdog.*wrong" || echo none
""" % {"ticks": CLOCKTICKS}
CACHES = ["1 Data 32K 8 0", "1 Instruction 32K 4 0", "2 Unified 256K 8 0",
          "3 Unified 6144K 24 0-1"]


def check_clocks(ended, part):
    lines = ended.lines(part)
    rows = [line.split() for line in lines if re.match("tsc|hpet|acpi", line)]
    rig.expect(len(rows) == 3, "%s: not three clocks" % part, ended)
    for name, *rates in rows:
        rig.expect(len(rates) == 3 and all(
            abs(float(rate) - CORE_MHZ) < NEAR * CORE_MHZ for rate in rates),
                   "%s: by %s the time stamp counter goes at %s MHz" % (
                       part, name, rates), ended)
    rig.expect("back 0" in lines, "%s: the time stamp counter steps back" %
               part, ended)


def check_naps(ended, part):
    naps = [[float(word) for word in line.split()]
            for line in ended.lines(part)]
    rig.expect(len(naps) == 50, "%s: not all naps" % part, ended)
    for by_counter, by_kernel in naps:
        rig.expect(NAP_US <= by_kernel <= NAP_US + LATE_US and
                   abs(by_counter - by_kernel) < NEAR * NAP_US,
                   "%s: a nap of %d us took %.1f us by the time stamp "
                   "counter, %.1f us by the kernel's clock" % (
                       part, NAP_US, by_counter, by_kernel), ended)


def check_calibrations(ended):
    rates = [float(line) for line in ended.lines("calibrations")]
    rig.expect(len(rates) == 30, "not all calibrations", ended)
    for rate in rates:
        rig.expect(abs(rate - CORE_MHZ) < CALIBRATED * CORE_MHZ,
                   "a calibration finds %.1f MHz" % rate, ended)


def check_uncore(ended):
    rows = [line.split(";") for line in ended.lines("uncore")]
    rows = [row for row in rows if len(row) > 6]
    rig.expect(len(rows) == 6, "perf has not counted", ended)
    for row in rows:
        mhz = int(row[2]) * 1000 / int(row[5])
        rig.expect(abs(mhz - UNCORE_MHZ) < STARTS * UNCORE_MHZ,
                   "the uncore's clock goes at %.1f MHz: %s" % (mhz, row),
                   ended)


def check_identity(ended):
    text = ended.text("identity")
    for pattern in (r"model name\s*: Intel\(R\) Xeon\(R\) CPU E7- 4870 +@ "
                    r"2\.40GHz$", r"stepping\s*: 2$", r"cache size\s*: 6144 KB$",
                    r"\brdtscp\b", r"\bnonstop_tsc\b", r"cpu MHz\s*: (2400\.0|2399\.9)"):
        rig.expect(re.search(pattern, text, re.M), "no %s" % pattern, ended)
    rig.expect(ended.lines("identity")[-4:] == CACHES, "other caches", ended)


def check(clock):
    with open(os.path.join(rig.BUILD, "tests-guest-clocks"), "rb") as file:
        clocks = ("bin/clocks", file.read())
    with rig.Folder() as folder:
        ended = rig.boot(SCRIPT, folder, "--sockets", "2", *rig.SMALL,
                         "--clock", clock, files=[clocks], busy=True)
    for part in ("quiet", "counted"):
        check_clocks(ended, part)
    for part in ("naps", "naps_counted"):
        check_naps(ended, part)
    check_calibrations(ended)
    check_uncore(ended)
    check_identity(ended)
    rig.expect(ended.lines("watchdog") == ["none"], "the kernel doubts", ended)


def main():
    rig.image()
    spinning = 3 * os.cpu_count() if rig.LONG else 0
    others = [subprocess.Popen(("nice", "-n", "10", "sh", "-c",
                                "while :; do :; done"))
              for _ in range(spinning)]
    try:
        for clock in ("skip", "real") if rig.LONG else ("skip",):
            check(clock)
    finally:
        for other in others:
            other.kill()


if __name__ == "__main__":
    sys.exit(main())
