#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# uncore stat --on perf through the kernel's own driver, in a guest of each family:
# for every alias in sysfs the model's registers, perf and the command agree to the
# count, the command both with the names of the family (--on perf knows which it
# is) and with the kernel's (--on perf:/sys takes what is there). Of a recorded guest
# each stretch between marks can be done once more on the host, and counting never
# changes what is counted: so whoever counts a stretch, as root, with CAP_PERFMON
# only, or as any user where the kernel lets him, is held against what the model
# counts of the same stretch. Once perf and the command count the same one at once.
# With too few rights the command says what stands in the way. The Xeon E5-2600;
# in the suite `long` the others, and perf counts each alias alone, too, which takes
# it as long here as all the rest (exact_e5.py has perf and the model anyway).

import re
import sys
import time

import inside
import rig

WALK = "walk -m 1 -k 256 -p 1 -t %d -s -w"  # a thread in each socket
DEVICES = "/sys/bus/event_source/devices"
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
# An R-Box of the driver has four ports, and the kernel's QPI 0 is port 0.
PORTS = {("rbox_0", "qpi0"): "qpi1", ("rbox_0", "qpi1"): "qpi0",
         ("rbox_1", "qpi0"): "qpi2", ("rbox_1", "qpi1"): "qpi3"}
# Of a family: PMU without its number, alias, our box, our event.
ALIASES_EX = (
    ("mbox", "bbox_cmds_read", "mbox", "FVC_EV0.BBOX_CMDS.READS"),
    ("mbox", "bbox_cmds_write", "mbox", "FVC_EV0.BBOX_CMDS.WRITES"),
    ("rbox", "qpi0_date_response", "rbox", "NEW_PACKETS_RECV.ANY.DRS"),
    ("rbox", "qpi0_flit_send", "rbox", "FLITS_SENT"),
    ("rbox", "qpi0_idle_filt", "rbox", "NULL_IDLE"),
    ("rbox", "qpi1_date_response", "rbox", "NEW_PACKETS_RECV.ANY.DRS"),
    ("rbox", "qpi1_filt_send", "rbox", "FLITS_SENT"),
    ("rbox", "qpi1_idle_filt", "rbox", "NULL_IDLE"),
    ("wbox", "clockticks", "wbox", "FIXED_CTR"),
)
ALIASES_E5 = (
    ("imc", "cas_count_read", "imc", "CAS_COUNT.RD"),
    ("imc", "cas_count_write", "imc", "CAS_COUNT.WR"),
    ("imc", "clockticks", "imc", "FIXED_CTR"),
    ("qpi", "clockticks", "qpi", "CLOCKTICKS"),
    ("qpi", "drs_data", "qpi", "RxL_FLITS_G1.DRS_DATA"),
    ("qpi", "ncb_data", "qpi", "RxL_FLITS_G2.NCB_DATA"),
    ("qpi", "txl_flits_active", "qpi", "TxL_FLITS_G0.DATA.NON_DATA"),
)
# Of a part with fewer C-Boxes than the largest of its family those are counted
# that it has: one for each of the guest's cores.
CBOXES = {"xeon-e5-2600": ("cbo", "TOR_INSERTS.MISS_ALL"),
          "xeon-e5-v2": ("cbo", "TOR_INSERTS.ALL"),
          "xeon-e5-v3": ("cbo", "TOR_INSERTS.ALL"),
          "xeon-e5-v4": ("cbo", "TOR_INSERTS.ALL"),
          "xeon-e7": ("cbox", "LLC_MISSES.ALL"),
          "xeon-7500": ("cbox", "LLC_MISSES.ALL")}
NUM_CBOXES = int(rig.SMALL[-1].partition("=")[2])
# Aliases, numbers of each box (four channels of two controllers are two of each
# four), sockets, what may count nothing. Four sockets of
# the E7 use all links, two of the 7500 one; nothing here is non-coherent.
FAMILIES = {
    "xeon-e5-2600": (ALIASES_E5, {"imc": range(4), "qpi": range(2)}, 2, "ncb_data"),
    "xeon-e5-v2": (ALIASES_E5[:3], {"imc": range(4)}, 2, "-"),
    "xeon-e5-v3": (ALIASES_E5[:3], {"imc": (0, 1, 4, 5)}, 2, "-"),
    "xeon-e5-v4": (ALIASES_E5[:3], {"imc": (0, 1, 4, 5)}, 2, "-"),
    "xeon-e7": (ALIASES_EX, {"mbox": range(2), "rbox": range(2), "wbox": ()}, 4, "-"),
    "xeon-7500": (ALIASES_EX, {"mbox": range(2), "rbox": range(2), "wbox": ()}, 2, "qpi0_"),
}
MACHINES = tuple(FAMILIES) if rig.LONG else ("xeon-e5-2600",)
# How many aliases of a box find a counter for perf and one for the command. Both
# of an M-Box want the same of its FVC, but with other settings.
AT_ONCE = {"mbox": 1}
LISTED = """
echo == listed
for f in %s/uncore_*/events/*; do echo "$f $(cat $f)"; done
""" % DEVICES
USER = "rights --reuid 1000 --regid 1000 --clear-groups"
PERFMON = USER + " --inh-caps +perfmon --ambient-caps +perfmon"


def chunks(aliases):
    """What is counted at once: of each box, one or two."""
    by_box = {}
    for row in aliases:
        by_box.setdefault(row[0], []).append(row)
    while any(by_box.values()):
        yield [row for box, rows in by_box.items()
               for row in rows[:AT_ONCE.get(box, 2)]]
        by_box = {box: rows[AT_ONCE.get(box, 2):]
                  for box, rows in by_box.items()}


def instances(box, numbers):
    return ["%s_%d" % (box, n) for n in numbers] or [box]


class Machine:
    def __init__(self, name, folder):
        self.name, self.record = name, folder.file("%s.run" % name)
        self.aliases, self.numbers, sockets, self.silent = FAMILIES[name]
        self.walk = WALK % sockets
        self.sockets = ["S%d" % n for n in range(sockets)]
        self.chunks = list(chunks(self.aliases))
        self.regions = []  # the parts with marks, in their order
        self.ended = rig.boot(
            self.script(), folder, "--traffic", "marked", "--record",
            self.record, "--machine", name, "--sockets", str(sockets),
            *rig.SMALL,
            files=list(inside.with_libraries("bin/uncore", rig.UNCORE)) +
            list(inside.with_libraries("bin/rights", "/usr/bin/setpriv")))

    def expect(self, holds, what):
        rig.expect(holds, "%s: %s" % (self.name, what), self.ended)

    # The script.

    def perf(self, chunk, command):
        """perf shows a count times its scale, so it gets the alias's terms."""
        events = " ".join(
            '-e "uncore_%s/$(cat %s/uncore_%s/events/%s)/"' % (
                pmu, DEVICES, pmu, alias)
            for box, alias, _, _ in chunk
            for pmu in instances(box, self.numbers[box]))
        return "perf stat -a --per-socket -x ';' -o /tmp/c %s %s\n" % (
            events, command)

    def named(self, chunk):
        """{(PMU, alias): (our box, our event)}"""
        names = {}
        for box, alias, our_box, event in chunk:
            for pmu in instances(box, self.numbers[box]):
                number = pmu.partition("_")[2]
                port = PORTS.get((pmu, alias.partition("_")[0]))
                names[pmu, alias] = (
                    our_box + "0", "%s/%s,port=%s/" % (our_box, event, port)
                ) if port else (our_box + (number or "0"),
                                "%s/%s/" % (our_box, event))
        return names

    def stat(self, where, events, command, before=""):
        return "%s uncore stat --on %s --per-box --per-socket -x ';' %s " \
            "-- %s" % (before, where, " ".join("-e " + e for e in events),
                       command)

    def ours(self, chunk, command, before=""):
        events = dict.fromkeys(e for _, e in self.named(chunk).values())
        return self.stat("perf", events, command, before)

    def live(self, chunk, command, before=""):
        return self.stat("perf:/sys", ["%s/%s/" % row[:2] for row in chunk],
                         command, before)

    def part(self, name, commands):
        self.regions.append(name)
        return "echo == %s\n%s\n" % (name, commands)

    def script(self):
        first = self.chunks[0]
        parts = ["mkdir -p /run", LISTED]
        for number, chunk in enumerate(self.chunks):
            if rig.LONG:
                parts.append(self.part("perf%d" % number, self.perf(
                    chunk, self.walk) + "cat /tmp/c"))
            parts.append(self.part("ours%d" % number,
                                   self.ours(chunk, self.walk)))
            parts.append(self.part("live%d" % number,
                                   self.live(chunk, self.walk)))
        both = [row for row in first if row[1] != "clockticks"]
        parts.append(self.part("both", self.perf(
            both, self.ours(both, self.walk)) + "cat /tmp/c"))
        parts.append(self.part("cboxes", self.stat(
            "perf", ["%s/%s/" % CBOXES[self.name]], self.walk)))
        parts.append("echo 2 >%s" % PARANOID)
        parts.append(self.part("perfmon", self.ours(first, self.walk, PERFMON)))
        parts.append("echo 0 >%s" % PARANOID)
        parts.append(self.part("anybody", self.live(first, self.walk, USER)))
        for paranoid, who, name in ((2, USER, "user2"), (3, USER, "user3"),
                                    (3, PERFMON, "perfmon3")):
            parts.append("echo == %s\necho %d >%s\n%s; echo code: $?" % (
                name, paranoid, PARANOID, self.ours(first, "true", who)))
        return "\n".join(parts) + "\n"

    # What came out.

    def listed(self):
        """{(PMU, alias): its terms} of sysfs."""
        found = {}
        for line in self.ended.lines("listed"):
            path, _, terms = line.strip().partition(" ")
            pmu, _, name = path[len(DEVICES) + 1:].split("/")
            if "." not in name:
                found[pmu.replace("uncore_", ""), name] = terms
        return found

    def each(self, chunk):
        """(socket, PMU, alias) of all that is counted."""
        return [(socket, pmu, row[1]) for row in chunk
                for pmu in instances(row[0], self.numbers[row[0]])
                for socket in self.sockets]

    def replay(self, part, events):
        """The lines of the same stretch, counted on the host."""
        words = [rig.UNCORE, "stat", "--detail=full", "--replay",
                 self.record, "--region",
                 str(self.regions.index(part) + 1), "--per-box",
                 "--per-socket", "-x", ";", *rig.SMALL]
        for event in events:
            words += ["-e", event]
        ended = rig.run(words)
        rig.expect(ended.code == 0, "uncore stat --replay failed", ended)
        return ended.output.split("\n")

    def model(self, part, chunk):
        """{(socket, PMU, alias): count} of that."""
        names = self.named(chunk)
        counts = rig.perf_counts(self.replay(
            part, dict.fromkeys(event for _, event in names.values())))
        return {key: counts["%s-%s" % (key[0], names[key[1:]][0]),
                            names[key[1:]][1]][0] for key in self.each(chunk)}

    def told(self, part, chunk, name):
        """{(socket, PMU, alias): (count, percentage)} of a part; name(socket,
        PMU, alias) is how it calls one."""
        counts = rig.perf_counts(self.ended.lines(part))
        missing = [key for key in self.each(chunk)
                   if name(*key) not in counts]
        self.expect(not missing, "%s: there is no count of %s" % (
            part, missing))
        return {key: counts[name(*key)] for key in self.each(chunk)}

    def by_perf(self, part, chunk):
        terms = self.listed()
        return self.told(part, chunk, lambda socket, pmu, alias: (
            socket, "uncore_%s/%s/" % (pmu, terms[pmu, alias])))

    def by_us(self, part, chunk):
        names = self.named(chunk)
        return self.told(part, chunk, lambda socket, pmu, alias: (
            "%s-%s" % (socket, names[pmu, alias][0]), names[pmu, alias][1]))

    def by_live(self, part, chunk):
        return self.told(part, chunk, lambda socket, pmu, alias: (
            "%s-%s%s" % ((socket,) + (pmu if "_" in pmu else pmu + "_0")
                         .partition("_")[::2]),
            "%s/%s/" % (pmu.partition("_")[0], alias)))

    def compare(self, part, chunk, told, who):
        wanted, wrong = self.model(part, chunk), []
        for key, (count, percentage) in told.items():
            self.expect(percentage == 100, "%s: %s counted %s only %s %% of "
                        "the time" % (part, who, key, percentage))
            if count != wanted[key]:
                wrong.append("%s %s/%s/: %s counted %d, the model %d" % (
                    *key, who, count, wanted[key]))
        self.expect(not wrong and set(told) == set(wanted),
                    "%s:\n%s" % (part, "\n".join(wrong)))
        return wanted

    def compare_cboxes(self):
        """All that there are, and no other."""
        box, event = CBOXES[self.name]
        own = {"%s-%s%d" % (socket, box, n) for socket in self.sockets
               for n in range(NUM_CBOXES)}
        ours = rig.perf_counts(self.ended.lines("cboxes"))
        counts = rig.perf_counts(self.replay("cboxes", [
            "%s/%s/" % (box, event)]))
        told = {key[0]: count for key, count in ours.items()}
        wanted = {name: counts[name, "%s/%s/" % (box, event)]
                  for name in own}
        self.expect(told == wanted and sum(n for n, _ in told.values()),
                    "C-Boxes: %s, and not %s" % (told, wanted))

    def refuses(self, part, *patterns):
        text = self.ended.text(part)
        for pattern in ("code: 1",) + patterns:
            self.expect(re.search(pattern, text),
                        "the part %r does not say %r" % (part, pattern))


def every_alias_is_there(machine):
    ours = {(pmu, row[1]) for row in machine.aliases
            for pmu in instances(row[0], machine.numbers[row[0]])}
    found = set(machine.listed())
    machine.expect(found == ours, "sysfs and the table differ in %s" % sorted(
        found ^ ours))


def every_alias_agrees(machine):
    seen, compared = set(), 0
    for number, chunk in enumerate(machine.chunks):
        if rig.LONG:
            part = "perf%d" % number
            machine.compare(part, chunk, machine.by_perf(part, chunk), "perf")
        part = "ours%d" % number
        counts = machine.compare(part, chunk, machine.by_us(part, chunk),
                                 "uncore")
        part = "live%d" % number
        machine.compare(part, chunk, machine.by_live(part, chunk),
                        "uncore with the kernel's names")
        seen |= {key[2] for key, count in counts.items() if count}
        compared += len(counts)
    silent = [row[1] for row in machine.aliases if row[1] not in seen]
    machine.expect(all(name.startswith(machine.silent) for name in silent),
                   "nothing happened: %s" % silent)
    return compared


def try_machine(name, folder):
    start = time.monotonic()
    machine = Machine(name, folder)
    every_alias_is_there(machine)
    compared = every_alias_agrees(machine)
    first = machine.chunks[0]
    machine.compare_cboxes()
    both = [row for row in first if row[1] != "clockticks"]
    machine.compare("both", both, machine.by_perf("both", both), "perf")
    machine.compare("both", both, machine.by_us("both", both), "uncore")
    machine.compare("perfmon", first, machine.by_us("perfmon", first),
                    "uncore with CAP_PERFMON")
    machine.compare("anybody", first, machine.by_live("anybody", first),
                    "uncore of a user")
    for part, level in (("user2", 2), ("user3", 3), ("perfmon3", 3)):
        machine.refuses(part, "does not let you count on uncore_", "CAP_PERFMON",
                        "here it is %d" % level, "sysctl")
    print("%s: %d counts of uncore and the model are equal, those of perf, too, "
          "%.0f s" % (name, compared, time.monotonic() - start))


def main():
    with rig.Folder() as folder:
        for name in sys.argv[1:] or MACHINES:
            try_machine(name, folder)


if __name__ == "__main__":
    sys.exit(main())
