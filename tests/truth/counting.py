#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Counting never changes what is counted. Each round takes something to count
(a run of coverage's catalogue, a program of one thread, the recording of a
guest) and two random sets of events. It counts the first set, the second, and
both at once: what is counted twice must come out the same, to the unit, in
every box, and so must cycles, instructions and faults. The third time, counting
may be done in another way, which must not be seen either: by samples, in
intervals, in turns, with checks.

    counting.py [--seed N] [--rounds N] [--round N] [--kinds KIND,...]
                [--long] [--verbose]

The rounds of a seed are always the same, and one alone can be run again.
"""
import argparse
import collections
import functools
import json
import os
import random
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[0:0] = [os.path.join(HERE, "..", d) for d in ("guest", "tool")]
import rig  # noqa: E402
import sandbox  # noqa: E402

UNCORE, BUILD = rig.UNCORE, rig.BUILD
LIMIT_S = 300
MOST_EVENTS = 8  # of a set
SHOWN = 6        # differences of a round
# Rounds of a test: as many as take some seconds; more, and a guest, at length.
ROUNDS = ({"workload": 60, "program": 3, "guest": 6} if rig.LONG else
          {"workload": 6, "program": 1})
# Of the second set always: time, and what passes each kind of box.
ALWAYS = ("wbox/FIXED_CTR/", "cbox/TRANS_IRQ/", "cbox/LLC_HITS.ALL/",
          "sbox/TO_R_B_REQUESTS.ALL/", "bbox/IMT_INSERTS_ALL/",
          "mbox/BBOX_CMDS_ALL/", "rbox/FLITS_SENT,port=qpi0/")
# Runs of the catalogue that take a second and more.
LONG = {"backs", "crowd8", "eightvn0", "fullring", "fullring4", "overtaken",
        "slowboth", "slowlink", "slowring", "vn0", "writes"}
PROGRAMS = (("traffic_walks", "60", "200", "90", "400"),
            ("traffic_repeat", "malloc"))
WALK = "walk -m 1 -t 2 -s -w"
# Options that name the event, and registers as they are.
LEFT_OUT = ("ev_sel=", "inc_sel=", "umask=", "match=", "mask=")
PMI = ",pmi_en"
WRAP = 1 << 48  # of a counter; some count down
# What goes through a sub-counter, and the largest number that it counts by.
SUB_COUNTED, STEP = re.compile("OCCUPANCY|/TF_"), 256
LEAST_PERIOD = 64

# What is counted: options of uncore stat, and the program behind them.
Subject = collections.namedtuple("Subject", "name options program machine")
Result = collections.namedtuple("Result", "counts whole")


class Broken(Exception):
    pass


def run(words):
    try:
        ran = subprocess.run([UNCORE, *words], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                             check=False)
    except subprocess.TimeoutExpired as late:
        raise Broken("no end: uncore " + shlex.join(words)) from late
    if ran.returncode:
        raise Broken("status %d of uncore %s\n%s" % (
            ran.returncode, shlex.join(words), ran.stderr.strip()))
    return ran.stdout


@functools.lru_cache(maxsize=None)
def names(kind, machine):
    return run(["list", "--names=" + kind, "-m", machine]).split()


@functools.lru_cache(maxsize=None)
def catalogue(machine):
    """[(name, options of uncore stat)]"""
    found = re.findall(r"^  (\w+) +((?:-m \S+ )?-N .*)$",
                       run(["model", "coverage", "--list", "-m", machine]),
                       re.M)
    return [(name, shlex.split(options)) for name, options in found]


@functools.lru_cache(maxsize=None)
def fits(event, machine):
    """Whether there is such an event, and it can be counted at its port."""
    return subprocess.run([UNCORE, "stat", "-m", machine, "-w", "idle",
                           "--cycles", "1", "-e", event],
                          capture_output=True, check=False).returncode == 0


# Events


def random_value(dice, word, machine):
    """Of an option that has one."""
    few = [str(number) for number in range(6)]
    return dice.choice({
        "threshold": ("1", "1", "1", "2", "3", "5"),
        "port": names("ports", machine),
        "mc": names("classes", machine),
        "opc": names("opcodes", machine),
        "state": "MESFI",
        "vn": ("VN0", "VN1", "VNA"),
        "flit": ("0", "1", "9"),
        "addr": ("0+64K", "0+16M", "0+4G", "1G+1G"),
    }.get(word, few))


def random_options(dice, box, machine):
    """Of one event: some will not go together, or with it."""
    words = [word for of, word in zip(names("options", machine)[::2],
                                      names("options", machine)[1::2])
             if of == box and word not in LEFT_OUT]
    dice.shuffle(words)
    words = words[:dice.choice((0, 1, 2, 2, 3))]
    if box == "rbox":
        words = ["port=", *(word for word in words if word != "port=")]
    return [word + random_value(dice, word[:-1], machine)
            if word.endswith("=") else word for word in words]


def random_event(dice, machine):
    """Any row of any box, with such options as it has."""
    boxes = collections.defaultdict(list)
    for name in names("events", machine):
        boxes[name.split("/")[0]].append(name)
    while True:
        box = dice.choice(sorted(boxes))
        text = dice.choice(boxes[box]).rstrip("/")
        chosen = text + "/"
        for option in random_options(dice, box, machine):
            event = "%s,%s/" % (chosen.rstrip("/"), option)
            if fits(event, machine):
                chosen = event
        if fits(chosen, machine):
            return chosen


def twin(event):
    """What counts the same, but is told at once when it overflows, or is not:
    then a counter takes what happened in its order, and else adds it up."""
    plain = event.replace(PMI, "")
    return plain.rstrip("/") + PMI + "/" if plain == event else plain


def random_sets(dice, machine):
    """Two, with no event twice in one of them; in the second are twins of the
    first."""
    first, second = ([random_event(dice, machine)
                      for _ in range(1 + dice.randrange(MOST_EVENTS))]
                     for _ in range(2))
    second += [twin(event) for event in first if dice.randrange(2)]
    return list(dict.fromkeys(first)), list(dict.fromkeys([*ALWAYS, *second]))


# Subjects


def random_workload(dice, machine, with_long):
    name, options = dice.choice([
        run for run in catalogue(machine) if with_long or run[0] not in LONG])
    if "--cycles" not in options and not dice.randrange(3):
        options = [*options, "--cycles", str(dice.randrange(2000, 100000))]
    return Subject(name, [*options, "--seed", str(dice.randrange(1, 100))], [],
                   machine)


def random_program(dice):
    program = dice.choice(PROGRAMS)
    options = [w for w in ("--kernel-copies",) if not dice.randrange(4)]
    return Subject(
        program[0], [*options, "-N", dice.choice("124")],
        ["--", os.path.join(BUILD, "tests-tool-" + program[0]), *program[1:]],
        "xeon-e7")


def random_replay(dice, recording):
    options = [w for name in ("bbox.directory=on", "bbox.mirror=on",
                              "mbox.page_policy=open", "llc.slice=24",
                              "core.prefetch=15")
               if not dice.randrange(4) for w in ("--set", name)]
    return Subject("guest", ["--replay", recording, "--detail=full",
                             *rig.SMALL, *options], [],
                   "xeon-e7")


# Counting


def with_events(events):
    return [word for event in events for word in ("-e", event)]


def add(counts, report):
    """Sums by event, socket and box. What took turns was estimated, and what
    cannot be had has no number."""
    for row in report["counts"]:
        key = (row["event"], row["socket"], row["box"])
        if "is_estimate" in row or row["value"] is None:
            counts[key] = None
        elif counts.setdefault(key, 0) is not None:
            counts[key] += row["value"]


def stat(subject, events, *more):
    with tempfile.TemporaryDirectory(prefix="uncore-counting-") as folder:
        path = os.path.join(folder, "report")
        run(["stat", "--json", "--per-box", "--per-socket", "-o", path,
             *with_events(events), *more, *subject.options, *subject.program])
        with open(path, encoding="utf-8") as file:
            text = file.read()
    counts, whole = {}, collections.Counter()
    decoder = json.JSONDecoder()
    while text.strip():
        report, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        add(counts, report)
        for name in "uncore_cycles", "instructions":
            whole[name] += report[name] or 0
        whole.update({name: number - whole[name] for name, number in
                      report.get("injected", {}).items()})  # until now
    return Result(counts, whole)


def with_interval(dice, subject, events):
    return stat(subject, events, "-I", "%dus" % dice.randrange(1, 20))


def recorded(path):
    """What stat() returns, of a recording."""
    base = sqlite3.connect(path)
    counts = {(event, socket, "%s%d" % (event.split("/")[0].rstrip(
        "0123456789"), instance)): value
              for event, socket, instance, value in base.execute(
                  "SELECT event, socket, instance, sum(value) FROM growth"
                  " GROUP BY 1, 2, 3")}
    cycles, = base.execute(
        "SELECT value FROM meta WHERE key = 'cycles'").fetchone()
    base.close()
    return Result(counts, {"uncore_cycles": int(cycles)})


def record(dice, subject, events, *more):
    """One event by samples, a few of each box, and those that are counted at
    the same time along with it."""
    plan = json.loads(run(["schedule", "--json", "-m", subject.machine,
                           *events]))
    events = list(dict.fromkeys(row["event"] for row in plan["slices"][0]))
    sampled = events.pop(dice.randrange(len(events)))
    most = max(stat(subject, [sampled]).counts.values(), default=0)
    step = STEP if SUB_COUNTED.search(sampled) else 1
    period = max(most // dice.randrange(2, 12), LEAST_PERIOD) // step * step
    events.append("%s,period=%d/" % (sampled.rstrip("/"), period or step))
    with tempfile.TemporaryDirectory(prefix="uncore-counting-") as folder:
        path = os.path.join(folder, "file")
        run(["record", "-q", "-o", path, *with_events(events), *more,
             *subject.options, *subject.program])
        return recorded(path)


WAYS = {
    "plain": lambda dice, *what: stat(*what),
    "checks": lambda dice, *what: stat(*what, "--check"),
    "turns": lambda dice, *what: stat(*what, "--turns"),
    "interval": with_interval,
    "samples": record,
    "unfrozen": lambda dice, *what: record(dice, *what, "--no-freeze"),
}


def differences(name, one, other):
    found = ["%s: %s alone, %s %s" % (key, one.whole[key], value, name)
             for key, value in other.whole.items() if value != one.whole[key]]
    for (event, *place), value in one.counts.items():
        for same in event, twin(event):
            count = other.counts.get((same, *place))
            if None not in (value, count) and (value - count) % WRAP:
                found.append("%s of socket %s, %s: %s alone, %s %s%s" % (
                    event, *place, value, count, name,
                    "" if same == event else ", in order or not"))
    return found


def run_round(dice, subject, way):
    """(lines that say what is wrong, counts compared)"""
    first, second = random_sets(dice, subject.machine)
    one, other = stat(subject, first), stat(subject, second)
    both = WAYS[way](dice, subject, list(dict.fromkeys(first + second)))
    wrong = differences("with others", one, other)
    for alone in one, other:
        wrong += differences("with both (%s)" % way, alone, both)
    wrong = list(dict.fromkeys(wrong))
    if wrong:
        del wrong[SHOWN:]
        wrong += ["uncore stat " + shlex.join(
            [*with_events(events), *subject.options, *subject.program])
                  for events in (first, second)]
    return wrong, len(both.counts)


def random_round(kind, number, options, recording):
    dice = random.Random("%d %s %d" % (options.seed, kind, number))
    if kind == "workload":
        machine = dice.choice(("xeon-e7", "xeon-e7", "xeon-e7", "xeon-7500"))
        subject = random_workload(dice, machine, options.long)
    else:
        subject = (random_program(dice) if kind == "program" else
                   random_replay(dice, recording))
    way = dice.choice(sorted(WAYS))
    title = "--kinds %s --seed %d --round %d: %s, %s" % (
        kind, options.seed, number, subject.name, way)
    began = time.monotonic()
    try:
        wrong, num = run_round(dice, subject, way)
    except Broken as broken:
        wrong, num = [str(broken)], 0
    if wrong or options.verbose:
        print("%s: %s (%d counts, %.1f s)" % (
            title, "DIFFERENT" if wrong else "the same", num,
            time.monotonic() - began))
        print("".join("  %s\n" % line for line in wrong), end="", flush=True)
    return num, not wrong


# The recording of a guest


def record_guest(folder):
    path = folder.file("recording")
    rig.boot(WALK, folder, "--traffic", "marked", "--record", path, *rig.SMALL)
    return path


def missing(kind):
    """Why there is nothing of a kind here, or ''."""
    lacks = sandbox.missing({"program": ["valgrind"],
                             "guest": ["guest"]}.get(kind, []))
    return "no %s here" % lacks[0] if lacks else ""


def run_kind(kind, options):
    why = missing(kind)
    if why:
        print("%s: left out, %s" % (kind, why))
        return True
    with rig.Folder() as folder:
        recording = record_guest(folder) if kind == "guest" else None
        numbers = (range(options.rounds or ROUNDS.get(kind, 1))
                   if options.round is None else [options.round])
        results = [random_round(kind, number, options, recording)
                   for number in numbers]
    good = [num for num, is_same in results if is_same]
    print("%s: %d rounds of seed %d, %d different, %d counts in all" % (
        kind, len(results), options.seed, len(results) - len(good),
        sum(num for num, _ in results)), flush=True)
    return len(good) == len(results) and sum(good) > 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=0, help="of each kind")
    parser.add_argument("--round", type=int, help="this one alone")
    parser.add_argument("--kinds", default=",".join(ROUNDS))
    parser.add_argument("--long", action="store_true",
                        help="runs that take a second and more, too")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    results = [run_kind(kind, options) for kind in options.kinds.split(",")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
