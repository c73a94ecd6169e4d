#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The life of the kernel's own driver in a guest: loaded, listed by perf,
# counting, more events than counters, intervals, the processor that reads goes
# away and comes back, unloaded and loaded again. No register that it writes is
# refused. The rdmsr and wrmsr of msr-tools beside it, with the addresses that
# raise #GP; in the suite `long` also perf's own tests of parsing, which must
# pass where they do without a model.

import re
import sys

import rig

# Processors 0 and 1 are socket 0, 2 and 3 are socket 1, which 2 reads.
MACHINE = ["--sockets", "2"] + rig.SMALL
PMUS = ("uncore_bbox_0 uncore_bbox_1 uncore_cbox_0 uncore_cbox_1 "
        "uncore_mbox_0 uncore_mbox_1 uncore_rbox_0 uncore_rbox_1 "
        "uncore_sbox_0 uncore_sbox_1 uncore_ubox uncore_wbox").split()
# By parts of their titles, because their numbers differ from perf to perf; so do
# some titles. Where a test has parts, the titles are those of its parts.
PARSING_TESTS = " ".join('"%s"' % title for title in (
    "Test event parsing", "PMU events from sysfs", "Parsing of aliased",
    "Parsing of terms", "Parsing with PMU", "Parse perf pmu format",
    "Roundtrip evsel", "Session topology", "Synthesize stat",
    "Parse and process metrics"))
# Ten events for the six counters of a C-Box.
MANY = ["uncore_cbox_0/event=0x%x,umask=0x%x/" % codes for codes in (
    (0x14, 0x7), (0x15, 0xf), (0x16, 0x2), (0x17, 0x1), (0x19, 0), (0x1b, 0),
    (0x1d, 0), (0x1e, 0), (0x1f, 0), (0x21, 0))]
CYCLES = "uncore_mbox_0/inc_sel=0x1b/"

SCRIPT = """
echo == pmus
ls /sys/bus/event_source/devices | grep uncore
echo == list
perf list 2>/dev/null | grep uncore_
echo == control
rdmsr -p 0 0xc00; rdmsr -p 2 0xc00
echo == registers
wrmsr -p 0 0xc11 0x123456789abc && rdmsr -p 0 0xc11 && rdmsr -p 1 0xc11
rdmsr -p 2 0xc11
wrmsr -p 0 0xc11 0 && rdmsr -p 0 0xc11
echo == faults
wrmsr -p 0 0xe48 0x8000000000000000
wrmsr -p 0 0xe49 1 2>&1; echo $?
wrmsr -p 2 0xe49 1; echo $?
wrmsr -p 0 0xe48 0
wrmsr -p 0 0xe49 1; echo $?
wrmsr -p 0 0xe49 0; wrmsr -p 2 0xe49 0
echo == many
# A walk is over within milliseconds of the guest, in which perf hardly changes.
perf stat -a --per-socket -x ';' -o /tmp/c %(many)s sh -c '
	for i in 1 2 3 4 5 6 7 8 9 10; do walk -m 1 -t 4; sleep 0.02; done'
cat /tmp/c
echo == intervals
perf stat -a --per-socket -x ';' -I 200 -o /tmp/c -e %(cycles)s sleep 0.5
tr -s ' ' </tmp/c
echo == reader
rm /tmp/c
perf stat -a --per-socket -x ';' -I 100 -o /tmp/c -e %(cycles)s sleep 1 &
cat /sys/bus/event_source/devices/uncore_mbox_0/cpumask
until grep -q S1 /tmp/c; do usleep 20000; done 2>/dev/null
echo 0 >/sys/devices/system/cpu/cpu2/online
cat /sys/bus/event_source/devices/uncore_mbox_0/cpumask
sleep 0.2
echo 1 >/sys/devices/system/cpu/cpu2/online
cat /sys/bus/event_source/devices/uncore_mbox_0/cpumask
wait
tr -s ' ' </tmp/c
echo == unloaded
rmmod intel_uncore
ls /sys/bus/event_source/devices | grep uncore
echo == loaded
insmod /modules/*-intel-uncore.ko
ls /sys/bus/event_source/devices | grep uncore
perf stat -a --per-socket -x ';' -o /tmp/c -e %(cycles)s walk -m 1
cat /tmp/c
""" % {"many": " ".join("-e " + e for e in MANY), "cycles": CYCLES}

PARSE = """
echo == parsing
for test in %s; do perf test "$test" 2>&1; done
""" % PARSING_TESTS


def check_registers(ended):
    rig.expect(ended.lines("pmus") == PMUS, "not the PMUs of the machine",
               ended)
    listed = ended.text("list")
    # Newer ones list PMUs that differ in their numbers only once.
    for event in ("uncore_mbox(_1)?/bbox_cmds_write/",
                  "uncore_wbox/clockticks/"):
        rig.expect(re.search(event, listed), "perf list has no " + event, ended)
    # The driver's global enable, in both sockets.
    rig.expect(ended.lines("control") == ["10000000"] * 2,
               "the U-Box's control is not the driver's", ended)
    rig.expect(ended.lines("registers") == [
        "123456789abc", "123456789abc", "0", "0"],
               "a socket has a register of its own, its CPUs share it", ended)
    # Match registers of an S-Box may not be written while they are in use.
    rig.expect(ended.lines("faults") == [
        "wrmsr: CPU 0 cannot set MSR 0x00000e49 to 0x0000000000000001", "4",
        "0", "0"], "#GP was not what the guest saw", ended)


def check_refusals(ended):
    """Of the writes in a guest none is refused but that one."""
    said = [line for line in ended.errors.split("\n")
            if "refused" in line and "SS0_CR_S_MSR_MATCH" not in line]
    rig.expect(len(said) == 1 and said[0].split()[0] == "1",
               "registers were refused: %s" % said, ended)


def check_many(ended):
    counts = rig.perf_counts(ended.lines("many"))
    for event in MANY:
        for socket in ("S0", "S1"):
            _, percentage = counts[socket, event]
            rig.expect(0 < percentage < 100, "%s was counted %s %% of the "
                       "time" % (event, percentage), ended)
    for event in (MANY[0], MANY[4], MANY[8]):
        rig.expect(counts["S0", event][0] > 0, event + " counted nothing",
                   ended)


def intervals(lines):
    """{socket: counts of the intervals}: lines that begin with a time."""
    counts = {}
    for line in lines:
        words = [word.strip() for word in line.split(";")]
        if len(words) > 6 and words[1].startswith("S"):
            rig.expect(words[3].isdigit(), "no count in " + line)
            counts.setdefault(words[1], []).append(int(words[3]))
    return counts


def check_intervals(ended):
    counts = intervals(ended.lines("intervals"))
    for socket in ("S0", "S1"):
        found = counts.get(socket, [])
        rig.expect(len(found) >= 2 and all(found), "the intervals of %s are "
                   "%s" % (socket, found), ended)


def check_reader(ended):
    lines = ended.lines("reader")
    rig.expect(lines[:3] == ["0,2", "0,3", "0,3"],
               "the readers were %s" % lines[:3], ended)
    counts = intervals(lines[3:])
    for socket in ("S0", "S1"):
        found = counts.get(socket, [])
        rig.expect(len(found) >= 5 and all(found), "%s was not counted all "
                   "the time: %s" % (socket, found), ended)


def check_again(ended):
    rig.expect(not ended.lines("unloaded"), "PMUs stayed behind", ended)
    loaded = ended.lines("loaded")
    rig.expect(loaded[:len(PMUS)] == PMUS, "the PMUs did not come back", ended)
    counts = rig.perf_counts(loaded)
    rig.expect(all(counts[socket, CYCLES][0] for socket in ("S0", "S1")),
               "nothing was counted after the driver came back", ended)


def passed(lines):
    """The titles of perf's tests that passed."""
    return {line.split(":")[1].strip() for line in lines
            if re.search(r": *Ok\b", line)}


def check_parsing(ended, folder):
    """Against the same in a guest without a model."""
    plain = rig.run(rig.command_plain(folder.initrd(PARSE)), folder)
    without = passed(plain.output.split("\n"))
    rig.expect(len(without) >= 7, "perf's tests do not run here", plain)
    worse = without - passed(ended.lines("parsing"))
    rig.expect(not worse, "with a model these tests of perf's fail: %s" %
               sorted(worse), ended)


def main():
    with rig.Folder() as folder:
        ended = rig.boot(SCRIPT + PARSE, folder, *MACHINE)
        check_registers(ended)
        check_refusals(ended)
        check_many(ended)
        check_intervals(ended)
        check_reader(ended)
        check_again(ended)
        check_parsing(ended, folder)


if __name__ == "__main__":
    sys.exit(main())
