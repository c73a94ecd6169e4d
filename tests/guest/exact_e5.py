#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A guest with a Xeon E5-2600: the kernel takes it for one (model 45) and finds
# its PCI functions on two buses, all its driver's aliases are counted, and perf's
# counts of every box are ours. The names that perf has for this processor are
# there; the processor has AVX, and its energy grows; and the command itself counts in the guest as on a real machine, by
# functions that it finds itself. In the suite `long` with the model's own traffic,
# and the Xeon E5 v2, v3 and v4.

import json
import os
import re
import subprocess
import sys

import events
import exact
import inside
import rig

PROGRAM = "walk -m 1 -p 1 -t 2 -s -w"
INSIDE = ("qpi/CTO_COUNT,mc=DRS/", "qpi/RxL_FLITS_G1.DRS_DATA/",
          "cbo0/TOR_INSERTS.MISS_ALL/", "ha/REQUESTS.READS/",
          "pcu/FREQ_BAND0_CYCLES,band0=12/")
SCRIPT = """
mkdir -p /run
echo == cpu
grep -m 1 '^model name' /proc/cpuinfo
cat /sys/bus/event_source/devices/uncore_qpi_0/cpumask
avx
sleep 0.5
rdmsr -p 0 0x611
sleep 0.5
rdmsr -p 0 0x611
rdmsr -p 0 0x606
echo == pmus
ls /sys/bus/event_source/devices | grep uncore_
echo == functions
cut -f 1,2 /proc/bus/pci/devices
echo == numbers
for bus in 00 80; do
	od -A n -t x4 -j 264 -N 4 /proc/bus/pci/$bus/05.0
done
echo == aliases
cd /sys/bus/event_source/devices
ls uncore_*/events/* | grep -v '\\.'
cd /tmp
echo == names
perf list --details 2>/dev/null | grep -o -i 'unc_[a-z0-9_.]*' | sort -u
"""
COUNT = """
echo == inside
uncore stat -j --replace -o /tmp/out %s -- %s
cat /tmp/out
""" % (" ".join("-e '%s'" % event for event in INSIDE), PROGRAM)
MACHINE = ["--machine", "xeon-e5-2600"]
BUSES = {"7f", "ff"}


def the_kernel_knows_it(ended):
    said = ended.lines("cpu")
    rig.expect("E5-2690" in said[0], "the kernel says %s" % said, ended)
    # One CPU of each socket reads the registers.
    rig.expect(said[1].strip() == "0,2", "the kernel says %s" % said, ended)
    # SDM: a sensor, a timer that always runs, a sensor of the package, two
    # thresholds, APERF; and 15.3 uJ as the unit of energy
    rig.expect(said[2].strip() == "72 45 2 1 1 1 1", "a program says %s" % said, ended)
    joules = [int(word, 16) / 65536 for word in said[3:5]]
    rig.expect(said[5].strip() == "a1003", "units of power: %s" % said, ended)
    # MARKED: the model's time, and so its energy, stands still.
    rig.expect(joules[1] >= joules[0], "energy: %s" % joules, ended)
    pmus = sorted(ended.text("pmus").split())
    wanted = sorted("uncore_" + name for name in (
        ["cbox_0", "cbox_1", "ha", "pcu", "ubox", "r2pcie", "qpi_0", "qpi_1",
         "r3qpi_0", "r3qpi_1"] + ["imc_%d" % n for n in range(4)]))
    rig.expect(pmus == wanted, "its PMUs are %s" % pmus, ended)


def all_functions_are_there(ended):
    listed = subprocess.run(
        [rig.UNCORE, "registers", "-j", "-m", "xeon-e5-2600"],
        stdout=subprocess.PIPE, check=True)
    wanted = {(bus + "%02x" % (row["device"] << 3 | row["function"]),
               row["id"].replace(":", ""))
              for row in json.loads(listed.stdout) if row.get("space") == "pci"
              for bus in BUSES}
    found = {tuple(line.split()) for line in ended.lines("functions")}
    wanted |= {(bus + "28", "80863c28") for bus in ("00", "80")}
    rig.expect(wanted <= found, "not there: %s" % sorted(wanted - found), ended)
    # By which tools find the buses of the uncores (tests/doors/pci_files.py).
    rig.expect([line.split() for line in ended.lines("numbers")] ==
               [["00017f00"], ["0001ff80"]], "other numbers of buses", ended)


def all_aliases_are_counted(ended):
    ours = {(re.sub(r"_\d$", "", row[0]), row[1]) for row in events.ROWS_E5}
    # The driver's alias for reads and writes has a scale; its terms are counted.
    ours |= {("imc", "cas_count_read"), ("imc", "cas_count_write")}
    for line in ended.lines("aliases"):
        pmu, _, name = line.strip().split("/")
        pmu = re.sub(r"_\d$", "", pmu.replace("uncore_", ""))
        rig.expect((pmu, name) in ours, "%s/%s/ is not counted" % (pmu, name),
                   ended)


def perf_has_names(ended):
    names = set(ended.text("names").split())
    for name in ("unc_m_cas_count.rd", "unc_q_clockticks", "unc_h_clockticks",
                 "unc_c_tor_inserts.miss_all"):
        rig.expect(name in names, "perf list has no " + name, ended)


def values(text):
    text = text[text.index("{"):text.rindex("}") + 1]
    return {row["event"]: row["value"] for row in json.loads(text)["counts"]}


def the_command_counts_inside(ended, record, folder):
    text = ended.text("inside")
    rig.expect('"msr,pci"' in text, "it did not find the registers", ended)
    words = [w for event in INSIDE for w in ("-e", event)]
    again = rig.run([rig.UNCORE, "stat", "-j", "--replay", record,
                     "--detail=full", "--region=2", *words, *rig.SMALL], folder)
    rig.expect(again.code == 0, "uncore stat failed", again)
    found, ours = values(text), values(again.output)
    rig.expect(found == ours, "inside %s, here %s" % (found, ours), ended)
    rig.expect(all(found.values()), "nothing happened: %s" % found, ended)


# What they call themselves; SDM: v2 62, v3 63, v4 79
SUCCESSORS = {"xeon-e5-v2": ("E5-2680 v2", 62), "xeon-e5-v3": ("E5-2680 v3", 63),
              "xeon-e5-v4": ("E5-2680 v4", 79)}


def successor(machine, folder):
    brand, model = SUCCESSORS[machine]
    exact.ROWS = events.ROWS_SUCCESSORS[machine]
    exact.MACHINE = ["--machine", machine]
    ended = exact.guest_traffic(
        2, folder, "echo == cpu\ngrep -m 2 '^model' /proc/cpuinfo\n")
    said = ended.text("cpu")
    for word in brand, ": %d" % model:
        rig.expect(word in said, "the kernel says %s" % said, ended)


def main():
    exact.ROWS, exact.MACHINE = events.ROWS_E5, MACHINE
    with rig.Folder() as folder:
        record = folder.file("record")
        ended = rig.boot(
            SCRIPT + exact.perf_script() + COUNT, folder, "--traffic",
            "marked", "--record", record, *MACHINE, *rig.SMALL,
            files=list(inside.with_libraries("bin/uncore", rig.UNCORE)) +
            list(inside.with_libraries("bin/avx", os.path.join(
                rig.BUILD, "tests-guest-avx"))))
        the_kernel_knows_it(ended)
        all_functions_are_there(ended)
        all_aliases_are_counted(ended)
        perf_has_names(ended)
        exact.compare("the guest's traffic", 2,
                      rig.perf_counts(ended.lines("counts")), ended,
                      exact.our_counts(["--replay", record, "--detail=full",
                                        "--region=1"] + rig.SMALL, folder))
        the_command_counts_inside(ended, record, folder)
        if rig.LONG:
            exact.own_traffic(2, folder)
            for machine in SUCCESSORS:
                successor(machine, folder)


if __name__ == "__main__":
    sys.exit(main())
