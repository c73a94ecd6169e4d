#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# uncore on the registers of its own machine, as on a real server: the command
# itself runs in a guest of each processor, whose MSR instructions reach the
# model. What it counts is held against what the model counts when it does the
# same once more on the host; what registers hold, against what they held before,
# told by the guest's msr driver; and its neighbours are the kernel's own driver
# with perf, another uncore, and one that was killed. With a Xeon 7500 in the
# suite `long`; exact_7500.py has the driver of that one.

import json
import os
import re
import subprocess
import sys
import time

import rig

READS = "mbox/FVC_EV0.BBOX_CMDS.READS/"
WRITES = "mbox/FVC_EV0.BBOX_CMDS.WRITES/"
MISSES = "cbox/LLC_MISSES.ALL/"
FITTING = (MISSES, "cbox/LLC_HITS.ALL/", READS, "bbox/IMT_INSERTS_RD/",
           "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdData/",
           "rbox/FLITS_SENT,port=qpi0/", "wbox/FIXED_CTR/")
RATIO = "llc_hit_ratio"
PERIOD, FREEZE = 500, 2000
# In the kernel's words: MISSES, and what moves in each cycle without traffic.
PERF, MOVING = "event=0x14,umask=0x7", "event=0x19,thresh=0x1,inv=0x1"
CPUS = ("0", "2")  # one of each socket
MACHINES = ("xeon-e7", "xeon-7500") if rig.LONG else ("xeon-e7",)
# All boxes of two sockets have work; the kernel's part is not between marks.
WALK = "walk -m 1 -p 1 -t 2 -s -w"

# Of the pairs of marks, what counts what, from 1 on. In the last four registers
# are accessed between the marks, which a recording does not hold. Counting never
# changes what is counted, so what is done again is the same all the same.
PERFED, BOTH, COUNTED, METRICS, TURNS, SAMPLED, INTERVALS, FROZEN = range(1, 9)
ROUNDING = 5e-12  # figures have twelve digits

SCRIPT = """
mkdir -p /run
changes() { # since the registers were as found
	peek %(cpus)s </addresses >now
	diff found now
}
echo == perfed
perf stat -a --per-socket -x ';' -o /tmp/c -e uncore_cbox_0/%(perf)s/ \
    -e uncore_cbox_1/%(perf)s/ %(walk)s
cat /tmp/c
echo == both
perf stat -a --per-socket -x ';' -o /tmp/c -e uncore_cbox_0/%(perf)s/ \
    uncore stat --on msr --per-box --per-socket -x ';' -e %(reads)s -- %(walk)s
cat /tmp/c
%(used)s
echo == found
peek %(cpus)s </addresses >found
wc -l <found
echo == counted
uncore stat --per-box --per-socket -x ';' %(fitting)s -- %(walk)s
echo == metrics
uncore stat --on msr -j -M %(ratio)s -- %(walk)s
echo == turns
uncore stat --on msr -e %(reads)s -e %(writes)s -- %(walk)s
echo == sampled
uncore record --on msr --no-freeze -o s.rec -e cbox0/LLC_MISSES.ALL,period=%(period)d/ \
    -- %(walk)s
uncore report -j --by=event s.rec
echo == intervals
uncore record --on msr -I 50ms -o i.rec -e %(misses)s -e %(reads)s -- %(walk)s
uncore report -j --by=event i.rec
echo == frozen
uncore record --on msr --freeze-after %(freeze)d -o f.rec \
    -e cbox0/LLC_MISSES.ALL/ -- %(walk)s
echo == after
changes
echo == killed
uncore stat --on msr -e %(misses)s -e %(reads)s -e %(writes)s -- sleep 1000 &
first=$!
until [ "$(rdmsr -c -p 2 %(control)s)" != 0x0 ]; do :; done
uncore stat --on msr -e %(reads)s -- true; echo second: $?
kill -9 $first
killall sleep
changes
uncore stat --on msr -e %(reads)s -- true; echo third: $?
uncore reset; echo reset: $?
echo == reset
changes
echo == refused
peek begin
perf stat -a -o /tmp/c -e uncore_cbox_0/%(moving)s/ sleep 1000 &
until [ "$(rdmsr -c -p 0 %(control)s)" != 0x0 ]; do :; done
uncore stat --on msr -e %(reads)s -- true; echo refused: $?
uncore stat --on msr --force -e %(reads)s -- true; echo forced: $?
killall sleep
wait $!
peek end
echo == locked
allow=/sys/module/msr/parameters/allow_writes
echo off >$allow
uncore stat --on msr -e %(reads)s -- true; echo locked: $?
echo on >$allow
echo == last
uncore stat --on msr -e %(reads)s -- true; echo free: $?
changes
"""


def registers(machine):
    """name: address, of what stays where it is."""
    out = subprocess.run([rig.UNCORE, "registers", "-j", "-m", machine],
                         stdout=subprocess.PIPE, check=True).stdout
    return {r["name"]: r["address"] for r in json.loads(out)
            if "TIMESTAMP" not in r["name"]}


def loaded_later(program):
    """The libraries that are loaded when they are first called, with theirs."""
    with open(program, "rb") as file:
        names = set(re.findall(rb"\0(lib[\w.+-]+\.so\.\d+)(?=\0)", file.read()))
    known = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE,
                           text=True, check=True).stdout
    for name in sorted(names):
        found = re.search(r"^\s%s \(.*x86-64.*=> (\S+)" % re.escape(
            name.decode()), known, re.M)
        if found:
            yield name.decode(), found[1]
            listed = subprocess.run(["ldd", found[1]], text=True, check=True,
                                    stdout=subprocess.PIPE).stdout
            yield from re.findall(r"^\s(\S+) => (/\S+)", listed, re.M)


def with_libraries(place, program):
    with open(program, "rb") as file:
        yield place, file.read()
    for name, path in [*rig.maker().libraries(program, "/"),
                       *loaded_later(program)]:
        folder = "lib64" if name == os.path.basename(
            rig.maker().LOADER) else "lib"
        with open(path, "rb") as file:
            yield "%s/%s" % (folder, name), file.read()


def files(addresses):
    tree = dict(with_libraries("bin/uncore", rig.UNCORE))
    tree.update(with_libraries("bin/peek", os.path.join(
        rig.BUILD, "tests-guest-peek")))
    tree["addresses"] = "".join(
        "%x\n" % a for a in sorted(addresses.values())).encode()
    return list(tree.items())


def used_before(addresses):
    """Somebody counted before, and left it where it was."""
    return "\n".join(
        "wrmsr -p %s 0x%x 0x%x" % (cpu, addresses[name], value)
        for cpu in CPUS for name, value in (
            ("CB1_CR_C_MSR_PMON_EVT_SEL_2", 0x714),
            ("CB1_CR_C_MSR_PMON_CTR_2", 0x123456789),
            ("SS0_CR_S_MSR_MATCH", 0x80000000000),
            ("MB0_CR_M_MSR_PMU_CNT_0", 0xabcdef),
            ("BB0_CR_B_MSR_PERF_CNT1_REG", 0x42)))


class Machine:
    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.options = ["--machine", name] if name != "xeon-e7" else []
        self.addresses = registers(name)
        self.record = folder.file("%s.run" % name)
        script = SCRIPT % {
            "cpus": " ".join(CPUS), "perf": PERF, "walk": WALK,
            "used": used_before(self.addresses), "ratio": RATIO,
            "fitting": " ".join("-e " + e for e in FITTING),
            "reads": READS, "writes": WRITES, "misses": MISSES,
            "period": PERIOD, "freeze": FREEZE, "moving": MOVING,
            "control": "0x%x" % self.addresses["CB0_CR_C_MSR_PMON_EVT_SEL_0"]}
        self.ended = rig.boot(
            script, folder, "--traffic", "marked", "--record", self.record,
            *self.options, *rig.SMALL, files=files(self.addresses))

    def expect(self, holds, what):
        rig.expect(holds, "%s: %s" % (self.name, what), self.ended)

    def says(self, part, *words):
        for word in words:
            self.expect(re.search(word, self.ended.text(part)),
                        "the part %r does not say %r" % (part, word))

    def json(self, part):
        text = self.ended.text(part)
        return json.loads(text[text.index("{\n"):text.rindex("}") + 1])

    def again(self, region, *events):
        """The same region on the host: {(S0-cbox0, event): count}."""
        words = [rig.UNCORE, "stat", "--detail=full", "--replay",
                 self.record, "--region",
                 str(region), "--per-box", "--per-socket", "-x", ";",
                 *rig.SMALL]
        for event in events:
            words += ["-e", event]
        ended = rig.run(words)
        rig.expect(ended.code == 0, "uncore stat --replay failed", ended)
        return {key: count for key, (count, _) in rig.perf_counts(
            ended.output.split("\n")).items()}

    def changed(self, part, but=()):
        """Registers that were not as found."""
        names = {address: name for name, address in self.addresses.items()}
        found = re.findall(r"^[-+](\d+) ([0-9a-f]+) ([0-9a-f]+)\r?$",
                           self.ended.text(part), re.M)
        return ["%s of CPU %s: 0x%s" % (names[int(address, 16)], cpu, value)
                for cpu, address, value in found
                if not names[int(address, 16)].startswith(but or "-")]

    def is_as_found(self, part, but=()):
        self.expect(int(self.ended.lines("found")[0]) > 400,
                    "peek did not tell all")
        changed = self.changed(part, but)
        self.expect(not changed, "%s: registers are not as they were: %s" % (
            part, "; ".join(changed)))


def same_counts(machine, part, region, events):
    told = rig.perf_counts(machine.ended.lines(part))
    again = machine.again(region, *events)
    compared = 0
    for (where, event), (count, _) in told.items():
        if event.startswith("uncore_"):
            continue
        machine.expect(count == again.get((where, event), 0),
                       "%s: %s %s: %d in the guest, %s when done again" % (
                           part, where, event, count,
                           again.get((where, event))))
        compared += count > 0
    machine.expect(compared > 3, "%s: nearly nothing was counted" % part)
    return compared


def same_as_perf(machine, part, region, boxes):
    told = rig.perf_counts(machine.ended.lines(part))
    again = machine.again(region, MISSES)
    for box in boxes:
        for socket in ("S0", "S1"):
            count = told[socket, "uncore_cbox_%d/%s/" % (box, PERF)][0]
            machine.expect(
                count == again["%s-cbox%d" % (socket, box), MISSES] > 0,
                "%s: perf counted %d misses in C-Box %d of %s" % (
                    part, count, box, socket))


def turns(machine):
    text = machine.ended.text("turns")
    shares = [float(s) for s in re.findall(r"# ([\d.]+) % of the time", text)]
    # Some time goes by in changing from one to the other. What is marked may
    # have been a turn or two, of which nobody knows what one of them missed.
    unknown = re.findall(r" n/a  mbox/FVC_EV0\.\S+ +# .*(?:too few turns|short "
                         r"part of the run|never came)", text)
    machine.expect(len(shares) + len(unknown) == 2 and all(shares) and
                   sum(shares) < 100.1,
                   "turns took %s %% of the time" % shares)
    machine.says("turns", "counted by the processor at msr", "FVC.bcmd",
                 "they take turns")
    machine.expect(" 0 uncore cycles" not in text,
                   "nobody knows the cycles, but they are told")


def metrics(machine):
    value = machine.json("metrics")["metrics"][0]["value"]
    again = machine.again(METRICS, MISSES, "cbox/LLC_HITS.ALL/")
    hits = sum(c for (_, event), c in again.items() if "HITS" in event)
    ratio = 100 * hits / sum(again.values())
    machine.expect(abs(value - ratio) < ROUNDING * ratio, "%s is %s, not %s" % (
        RATIO, value, ratio))


def records(machine):
    said = machine.json("sampled")
    again = machine.again(SAMPLED, "cbox0/LLC_MISSES.ALL/")
    periods = sum(count // PERIOD for count in again.values())
    taken = said["events"][0]["samples"]
    # How many samples are late, and what comes between a read and the new
    # period (it is in no count), depends on how busy this machine is.
    told, total = taken + said["samples_lost"], said["events"][0]["total"]
    machine.expect(taken > 0 and told <= periods + 1,
                   "%d samples, %d lost, of %d periods" % (
                       taken, said["samples_lost"], periods))
    counted = sum(again.values())
    machine.expect(told * PERIOD <= total <= counted,
                   "%d periods are told, and %d of %d events" % (
                       told, total, counted))
    said = machine.json("intervals")
    again = machine.again(INTERVALS, MISSES, READS)
    for row in said["events"]:
        count = sum(c for (_, e), c in again.items() if e == row["event"])
        machine.expect(row["total"] == count,
                       "%s: intervals have %s of %d" % (
                           row["event"], row["total"], count))
    for socket in (0, 1):
        machine.says("frozen", "S%d froze at .*: cbox0 had counted %s" % (
            socket, format(FREEZE, ",")))


def neighbours(machine):
    machine.says("killed", r"second: 1", r"third: 1", r"reset: 0",
                 r"socket 0 of 'msr' is counted by another uncore: process "
                 r"\d+ \(uncore stat --on msr .*sleep 1000\), since 2",
                 r"has died and left its programming at 'msr'; 'uncore reset",
                 r"registers at 'msr' are as they were before process")
    machine.expect(machine.changed("killed"),
                   "the one that was killed had not begun")
    machine.says("refused", r"refused: 1", r"forced: 0",
                 r"socket 0 of 'msr' is in use: counter 0 of C-Box 0 is "
                 r"enabled and moves; it counts 'cbox0/TRANS_IRQ,",
                 r"perhaps by process \d+ \(perf stat -a .*sleep 1000\), "
                 r"through the kernel's driver", r"--force")
    machine.says("locked", "the kernel lets nobody write registers; "
                 "'echo on >/sys/module/msr/parameters/allow_writes'",
                 "locked: 1")
    machine.says("last", "free: 0")


def try_machine(name, folder):
    start = time.monotonic()
    machine = Machine(name, folder)
    machine.expect("Uncore of %s, 2 sockets" % name in
                   machine.ended.text("turns"), "it was not recognised")
    same_as_perf(machine, "perfed", PERFED, (0, 1))
    same_as_perf(machine, "both", BOTH, (0,))
    compared = same_counts(machine, "both", BOTH, [READS])
    compared += same_counts(machine, "counted", COUNTED, FITTING)
    metrics(machine)
    turns(machine)
    records(machine)
    machine.is_as_found("after")
    machine.is_as_found("reset")
    neighbours(machine)
    # The kernel's driver does not put back what it used.
    machine.is_as_found("last", ("CB0_", "U_"))
    print("%s: %d counts are equal, everything is as it was, %.0f s" % (
        name, compared, time.monotonic() - start))


def main():
    with rig.Folder() as folder:
        for name in sys.argv[1:] or MACHINES:
            try_machine(name, folder)


if __name__ == "__main__":
    sys.exit(main())
