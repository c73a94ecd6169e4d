#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore schedule` as a user types it: what it prints, its JSON, what it
# refuses and why.

import json
import os
import subprocess
import sys

UNCORE = os.environ.get("UNCORE", "build/uncore")
READS = "mbox/FVC_EV0.BBOX_CMDS.READS/"
WRITES = "mbox/FVC_EV0.BBOX_CMDS.WRITES/"


def run(*words):
    done = subprocess.run([UNCORE, "schedule", *words], text=True, timeout=60,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def check(what, fine):
    if not fine:
        sys.exit("schedule: " + what)


def one_slice_needs_no_reason():
    code, out, err = run("cbox/LLC_HITS.ALL/", "cbox3/LLC_HITS.ALL/")
    check("two events that are one fail", code == 0 and not err)
    check("one slice: " + out, "at the same time" in out)
    check("a shared counter is not marked: " + out, "shared" in out)
    check("reasons where there is nothing to say", "turns" not in out)


def turns_have_reasons():
    code, out, err = run(READS, WRITES, "mbox/CYCLES/")
    check("turns fail: " + err, code == 0)
    check("no number of slices: " + out, "2 slices" in out)
    check("no reason: " + out, "FVC.bcmd" in out)
    check("no share: " + out, "50 % of the time" in out)
    check("what always runs: " + out, "always: counter" in out)


def json_says_the_same():
    code, out, err = run("--json", READS, WRITES, "bbox1/TF_ALL/")
    check("JSON fails: " + err, code == 0)
    plan = json.loads(out)
    check("optimal", plan["optimal"] is True)
    check("slices", len(plan["slices"]) == 2)
    check("shares", [e["share"] for e in plan["events"]] == [0.5, 0.5, 1])
    check("reasons", len(plan["reasons"]) == 1)
    for part in plan["slices"]:
        both = [i for i in part if i["box"] == "mbox"]
        check("instances", [i["instance"] for i in both] == [0, 1])
        for item in both:
            check("registers", len(item["registers"]) == 2)


def no_turns_are_taken_where_none_are_wanted():
    code, out, err = run("--no-multiplex", READS, WRITES)
    check("--no-multiplex: exit code", code == 2 and not out)
    check("--no-multiplex: " + err, "FVC.bcmd" in err)
    code, out, err = run("--no-multiplex", READS, "mbox/CYCLES/")
    check("--no-multiplex refuses what fits", code == 0)


def what_must_be_together_is_or_is_refused():
    code, out, err = run("--together", READS + " " + WRITES)
    check("an impossible group: exit code", code == 2 and not out)
    check("an impossible group: " + err, "FVC.bcmd" in err)
    code, out, err = run("--json", "--together", READS + " bbox/TF_ALL/",
                         "--together", WRITES + " bbox/TF_WR/")
    check("groups fail: " + err, code == 0)
    for part in json.loads(out)["slices"]:
        events = {i["event"] for i in part}
        check("groups are torn apart", events in (
            {READS, "bbox/TF_ALL/"}, {WRITES, "bbox/TF_WR/"}))


def metrics_bring_their_events():
    for machine in "xeon-e7", "xeon-7500", "xeon-e5-2600":
        code, out, err = run("--machine", machine, "-M", "*", "--json")
        check("metrics of %s: %s" % (machine, err), code == 0)
        plan = json.loads(out)
        check("metrics without events", len(plan["events"]) > 5)
        check("a metric's event never runs",
              all(e["share"] > 0 for e in plan["events"]))


def what_is_wrong_is_said():
    for words in ((), ("cbox/NONSENSE/",), ("--machine", "pentium", READS),
                  ("--together", " "), ("-M", "nonsense")):
        code, out, err = run(*words)
        check("%s: exit code %d" % (words, code), code == 2)
        check("%s: output" % (words,), not out and err)


def main():
    for test in (one_slice_needs_no_reason, turns_have_reasons,
                 json_says_the_same, no_turns_are_taken_where_none_are_wanted,
                 what_must_be_together_is_or_is_refused,
                 metrics_bring_their_events, what_is_wrong_is_said):
        test()
    print("schedule: as it should be")


if __name__ == "__main__":
    main()
