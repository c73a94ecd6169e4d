#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""--on perf by the kernel's own events of software, shown as an uncore: rights,
text, JSON, intervals, turns, recordings, lists of events. What cpu-clock counts
is known: one for each ns on each CPU that it counts on."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

UNCORE = os.environ.get("UNCORE", "build/uncore")
TREE = """# software events (type 1) on CPU 0, as two PMUs
{d}/uncore_soft_0/type = 1
{d}/uncore_soft_0/cpumask = 0
{d}/uncore_soft_0/format/event = config:0-7
{d}/uncore_soft_0/format/wide = config1:0-63
{d}/uncore_soft_0/events/clock = event=0
{d}/uncore_soft_0/events/clock.scale = 1e-6
{d}/uncore_soft_0/events/clock.unit = ms
{d}/uncore_soft_1/type = 1
{d}/uncore_soft_1/cpumask = 0
{d}/uncore_soft_1/format/event = config:0-7
{d}/uncore_soft_1/format/wide = config1:0-63
{d}/power/type = 1
{d}/power/cpumask = 0
{d}/power/format/event = config:0-7
{d}/power/events/energy-pkg = event=0
{d}/nowhere/type = 4711
{d}/nowhere/cpumask = 0
{d}/nowhere/format/event = config:0-7
devices/system/cpu/cpu0/topology/physical_package_id = 0
""".format(d="bus/event_source/devices")
EVENTS = [{"Unit": "SOFT", "EventName": "CLOCK.NS", "EventCode": "0x00",
           "BriefDescription": "Time on a CPU", "Counter": "0"},
          {"Unit": "SOFT", "EventName": "CLOCK.TASK", "EventCode": "0x01",
           "BriefDescription": "Time of tasks", "Counter": "0"},
          {"Unit": "CBO", "EventName": "ELSEWHERE", "EventCode": "0x34"}]
failed = 0


def expect(holds, what):
    global failed
    failed += not holds
    if not holds:
        print("not so: " + what)


def run(*words, code=0, command=UNCORE, **options):
    done = subprocess.run([command, *words], encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)
    expect(done.returncode == code, "%s ends with %d: %s" % (
        " ".join(words), done.returncode, done.stderr))
    return done


def near(value, wanted):
    """Of wall time, which is measured a little before and after."""
    return 0.9 * wanted < value < 1.1 * wanted


def counted(where):
    found = json.loads(run("stat", "--on", where, "--json", "-e",
                           "soft/clock/,soft0/clock/", "--duration",
                           "0.3").stdout)
    ns = found["simulated_seconds"] * 1e9
    both, one = (count["value"] for count in found["counts"])
    expect(near(both, 2 * ns) and near(one, ns),
           "%d and %d in %d ns" % (both, one, ns))
    scaled = found["counts"][1]
    expect(scaled["scaled_unit"] == "ms" and
           abs(scaled["scaled"] - one * 1e-6) < 1e-3, str(scaled))


def fewer(folder):
    """A box that one socket has fewer of, and one that only one has: what is
    there is counted, and has a row."""
    if len(os.sched_getaffinity(0) & {0, 1}) < 2:
        return
    name = os.path.join(folder, "fewer")
    text = TREE.replace("uncore_soft_0/cpumask = 0", "uncore_soft_0/cpumask = 0-1")
    text += "devices/system/cpu/cpu1/topology/physical_package_id = 1\n"
    with open(name, "w", encoding="ascii") as file:
        file.write(text)
    words = ["stat", "--on", "perf:" + name, "--json", "--per-box",
             "--per-socket", "--duration", "0.1"]
    for box, there in (("soft", [(0, "soft0"), (0, "soft1"), (1, "soft0")]),
                       ("soft1", [(0, "soft1")]), ("power", [(0, "power0")])):
        found = json.loads(run(*words, "-e", box + "/event=0/").stdout)
        ns = found["simulated_seconds"] * 1e9
        expect(sorted((c["socket"], c["box"]) for c in found["counts"]) ==
               there and all(near(c["value"], ns) for c in found["counts"]),
               "%s: %s" % (box, found["counts"]))


def memory(folder):
    """Bytes by unit and scale, whatever the events are called: all that go one
    way are added up; scales that are no number above 0 leave theirs out."""
    pmu = "bus/event_source/devices/uncore_imc_%d/"
    rows = {"devices/system/cpu/cpu0/topology/physical_package_id": "0"}
    for n in (0, 1):
        rows[pmu % n + "type"] = "1"
        rows[pmu % n + "cpumask"] = "0"
        rows[pmu % n + "format/event"] = "config:0-7"
        for name, scale, unit in (
                ("cas_count_read_sch0", "0.5", "KiB"),
                ("cas_count_read_sch1", "0.25", "KiB"),
                ("data_wr", "3", "Bytes"), ("dclk_read", "1", "cycles"),
                ("a_read", "inf", "MiB"), ("b_read", "nan", "MiB"),
                ("c_read", "0", "MiB"), ("d_read", "-1", "MiB"),
                ("e_read", "x", "MiB")):
            rows[pmu % n + "events/" + name] = "event=0"
            rows[pmu % n + "events/" + name + ".scale"] = scale
            rows[pmu % n + "events/" + name + ".unit"] = unit
    name = os.path.join(folder, "memory")
    with open(name, "w", encoding="ascii") as file:
        file.write("".join("%s = %s\n" % row for row in rows.items()))
    found = json.loads(run(
        "stat", "--on", "perf:" + name, "--json", "--duration", "0.2", "-M",
        "memory_read,memory_write,memory_volume,memory_bandwidth,"
        "simulated_time").stdout)
    ns = found["simulated_seconds"] * 1e9
    values = {m["name"]: m["value"] for m in found["metrics"]}
    expect(near(values["memory_read"], 2 * 768 * ns) and
           near(values["memory_write"], 2 * 3 * ns) and
           near(values["memory_volume"], 2 * 771 * ns) and
           near(values["memory_bandwidth"], 2 * 771) and
           near(values["simulated_time"], ns * 1e-9), str(values))


def turns(where):
    """Nine of eight counters at most: each is an estimate of the same."""
    events = ["soft0/event=0,wide=%d/" % n for n in range(9)]
    found = json.loads(run("stat", "--on", where, "--json",
                           *sum((["-e", e] for e in events), []),
                           "--duration", "1").stdout)
    ns = found["simulated_seconds"] * 1e9
    for count in found["counts"]:
        expect(count.get("is_estimate") and near(count["value"], ns),
               str(count))


def recorded(where, folder):
    """The recording has what is needed of the machine, which goes away."""
    name = os.path.join(folder, "rec")
    tree = where[len("perf:"):]
    run("record", "--on", where, "-M", "package_power", "-I", "50ms",
        "--duration", "0.3", "-o", name)
    os.rename(tree, tree + ".away")
    found = json.loads(run("report", "--json", "-M", "package_power",
                           name).stdout)
    run("top", "--once", name)
    os.rename(tree + ".away", tree)
    # A count is 2^-32 J, and there is one each ns.
    watts = found["metrics"][0]["value"]
    expect(near(watts, 1e9 / 2 ** 32), str(found["metrics"]))


def listed(where, folder):
    name = os.path.join(folder, "events.json")
    with open(name, "w", encoding="ascii") as file:
        json.dump({"Header": {}, "Events": EVENTS}, file)
    machine = "%s,events=%s" % (where, name)
    text = run("list", "-m", machine, "CLOCK").stdout
    expect("CLOCK.NS" in text and "Time of tasks" in text, text)
    # The list lets both count on counter 0 alone, so they take turns.
    text = run("schedule", "-m", machine, "soft0/CLOCK.NS/",
               "soft0/CLOCK.TASK/").stdout
    expect("2 slices" in text or "turns" in text, text)
    run("stat", "--on", machine, "-e", "soft0/CLOCK.NS/", "--duration", "0.1")
    # As many as a vendor's list has: more than names are indexed.
    with open(name, "w", encoding="ascii") as file:
        json.dump([dict(EVENTS[0], EventName="MANY.N%d" % n,
                        EventCode=hex(n % 9)) for n in range(3000)], file)
    found = json.loads(run("encode", "--json", "-m", machine,
                           "soft0/MANY.N2004/", "soft1/clock/").stdout)
    expect(found[0]["kernel"] == "uncore_soft_0/config=0x6/", str(found[0]))
    run("list", "-m", machine, "MANY.N2999")
    run("encode", "-m", machine, "soft0/MANY.N3000/", code=2)
    with open(name, "w", encoding="ascii") as file:
        json.dump(EVENTS[2:], file)
    done = run("list", "-m", machine + ",", code=2)
    expect("processor" in done.stderr or "open" in done.stderr, done.stderr)


def refused(where, folder):
    done = run("stat", "--on", where, "-e", "nowhere/event=1/", "--duration",
               "0.1", code=1)
    expect("not a PMU of this machine" in done.stderr, done.stderr)
    done = run("stat", "--on", where, "-e", "soft0/event=200/", "--duration",
               "0.1", code=1)
    expect("uncore_soft_0 refuses the event config=0xc8" in done.stderr,
           done.stderr)
    done = run("stat", "--on", "perf:" + folder, "-e", "soft0/clock/", code=1)
    expect("cannot look into" in done.stderr, done.stderr)
    if not os.geteuid():
        with open("/proc/sys/kernel/perf_event_paranoid",
                  encoding="ascii") as file:
            paranoid = int(file.read())
        # where everybody gets to it: the checkout may be below /root
        done = run("stat", "--on", where, "-e", "soft0/clock/", "--duration",
                   "0.1", code=1 if paranoid > 0 else 0, user=65534,
                   command=shutil.copy(UNCORE, folder), cwd=folder)
        expect(paranoid <= 0 or "CAP_PERFMON" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        where = "perf:" + os.path.join(folder, "tree")
        with open(where[5:], "w", encoding="ascii") as file:
            file.write(TREE)
        done = subprocess.run([UNCORE, "stat", "--on", where, "-e",
                               "soft0/clock/", "true"], encoding="utf-8",
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        if "does not let you count" in done.stderr:
            print("this user may not count on CPUs")
            return 77
        counted(where)
        fewer(folder)
        memory(folder)
        turns(where)
        recorded(where, folder)
        listed(where, folder)
        refused(where, folder)
    return failed


if __name__ == "__main__":
    sys.exit(main())
