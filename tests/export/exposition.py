#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What `uncore export --once` prints, read by a reader that shares nothing with
# the writer: each count is the one that `uncore stat` has of the same run, in
# each box; sums over labels are the machine's; totals in base units are what the
# formula gives; what could not be had has no sample; names are told apart, and
# what takes turns says so. The whole catalogue has names that promtool accepts,
# where it is installed (Debian's package prometheus), and that no two events
# share.

import json
import re
import subprocess
import sys

from rig import LONG, UNCORE, Reader, check, has_prometheus, once

RUN = ("-w", "random:size=1M,threads=4,count=5000,shared=1,write=30,seed=3")
# Words that stand for units, which promtool wants to have written out.
SHORT = {"s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m",
         "h", "d"}
MACHINES = ("xeon-e7", "xeon-7500", "xeon-e5-2600")


def stat(*words):
    ended = subprocess.run([UNCORE, "stat", "--json"] + list(words),
                           stdout=subprocess.PIPE, check=True)
    return json.loads(ended.stdout)


def test_counts_of_boxes_are_those_of_stat():
    events = {
        "cbox/LLC_MISSES.ALL/": "uncore_cbox_llc_misses_all_total",
        "cbox/LLC_HITS.M/": "uncore_cbox_llc_hits_maskm_total",
        "sbox/TO_R_B_REQUESTS.LOCAL/":
            "uncore_sbox_to_rb_requests_local_total",
        "rbox/FLITS_SENT,port=qpi0/": "uncore_rbox_flits_sent_port_qpi0_total",
    }
    told = once(*RUN, "-e", ",".join(events)).series()
    compared = 0
    for row in stat(*RUN, "--per-box", "-e", ",".join(events))["counts"]:
        labels = (("box", re.search(r"\d*$", row["box"]).group() or "0"),
                  ("socket", str(row["socket"])))
        check("%s %s is %s" % (row["event"], labels, row["value"]),
              told.pop((events[row["event"]], labels)) == str(row["value"]))
        compared += row["value"] != 0
    check("counts were compared", compared > 10)
    left = [name for name, _ in told if name in events.values()]
    check("nothing else is told of them: %s" % left, not left)


def test_sums_are_the_machines():
    told = once(*RUN, "-M", "memory_read,llc_misses", "-e",
                "mbox/FVC_EV0.BBOX_CMDS.READS/")
    found = {row["name"]: row["value"] for row in
             stat(*RUN, "-M", "memory_read,llc_misses")["metrics"]}
    reads = told.sum("uncore_mbox_fvc_ev0_bbox_cmds_reads_total")
    check("64 bytes a read", told.sum("uncore_memory_read_bytes_total") ==
          64 * reads == found["memory_read"] and reads > 0)
    check("misses", told.sum("uncore_llc_misses_total") ==
          found["llc_misses"] > 0)


def test_shares_are_of_one_and_rates_in_base_units():
    words = ("-M", "llc_hit_ratio,memory_bandwidth")
    told = once(*RUN, *words)
    of_stat = {(row["name"], row.get("socket")): row["value"] for row in
               stat(*RUN, "--per-socket", *words)["metrics"]
               if row["value"] is not None}
    series = told.series()
    for name, metric, scale in (
            ("uncore_llc_hit_ratio", "llc_hit_ratio", 0.01),
            ("uncore_memory_bandwidth_bytes_per_second", "memory_bandwidth",
             1e9)):
        value = float(series[name, (("socket", "0"),)])
        right = of_stat[metric, 0] * scale
        check("%s %g is %g" % (name, value, right),
              abs(value - right) <= 1e-6 * right and value > 0)


def test_what_cannot_be_had_has_no_sample():
    told = once("-w", "idle", "--cycles", "10000", "-M",
                "llc_hit_ratio,llc_mpki,memory_read")
    names = {name for name, _ in told.series()}
    check("a share of nothing is none", "uncore_llc_hit_ratio" not in names)
    check("nothing per instruction without any",
          "uncore_llc_mpki" not in names)
    check("what did not happen is 0",
          told.sum("uncore_memory_read_bytes_total") >= 0)
    check("it is told how many there are not",
          told.sum("uncore_export_unavailable_samples") == 3)


def test_the_same_event_twice_is_told_once():
    told = once(*RUN, "-e", "cbox/LLC_MISSES.ALL/,cbox3/LLC_MISSES.ALL/,"
                "LLC_MISSES.ALL")
    check("20 boxes", len(told.families["uncore_cbox_llc_misses_all_total"]
                          .samples) == 20)
    told = once(*RUN, "-e", "cbox3/LLC_MISSES.ALL/,cbox/LLC_MISSES.ALL/")
    check("20 boxes again",
          len(told.families["uncore_cbox_llc_misses_all_total"].samples) == 20)


def test_other_options_have_other_names():
    told = once(*RUN, "-e", "cbox/LLC_MISSES.ALL,thresh=1/,"
                "cbox/LLC_MISSES.ALL,thresh=2/,cbox/LLC_MISSES.ALL/")
    for end in ("", "_thresh_1", "_thresh_2"):
        check("name with '%s'" % end, "uncore_cbox_llc_misses_all%s_total" %
              end in told.families)


def test_turns_are_told():
    events = ["cbox/LLC_MISSES.%s/" % mask for mask in "ISF"]
    events += ["cbox/LLC_HITS.%s/" % mask for mask in "MESF"]
    exact = once(*RUN, "-e", ",".join(events))
    check("on a model none take turns",
          exact.sum("uncore_export_turns") == 1 and
          "uncore_share_ratio" not in exact.families)
    told = once(*RUN, "--turns", "-e", ",".join(events))
    check("of seven of six counters some do",
          told.sum("uncore_export_turns") > 1)
    shares = told.families["uncore_share_ratio"].samples
    for labels, share in shares.items():
        check("a share of %s" % (labels,), 0 < float(share) < 1)
    estimates = [family for family in told.families.values()
                 if "estimate" in family.help and family.kind == ["counter"]]
    check("each is said to be an estimate", len(estimates) == len(shares) > 0)


def all_events(machine):
    listed = json.loads(subprocess.run(
        [UNCORE, "list", "--json", "-m", machine], stdout=subprocess.PIPE,
        check=True).stdout)
    for event in listed["events"]:
        name = event["box"] + "/" + event["name"]
        for mask in event.get("unit_masks") or [None]:
            yield name + ("." + mask["name"] if mask else "") + "/"


def accepted(text):
    """By promtool."""
    ended = subprocess.run(["promtool", "check", "metrics"], input=text,
                           stderr=subprocess.PIPE, text=True, check=False)
    check("promtool accepts it: " + ended.stderr, not ended.returncode)


def count(machine, events):
    """Those that count on a model: names and text."""
    while events:
        ended = subprocess.run(
            [UNCORE, "export", "--once", "-m", machine, "-w", "idle",
             "--cycles", "1000", "-e", ",".join(events)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False)
        if not ended.returncode:
            return Reader(ended.stdout, False), ended.stdout
        refused = [event for event in events
                   if event.rstrip("/") in ended.stderr]
        check("what is refused is named: " + ended.stderr, refused)
        events = [event for event in events if event not in refused]
    return None, ""


def test_all_names(machine):
    events = list(all_events(machine))
    told = 0
    for first in range(0, len(events), 120):
        reader, text = count(machine, events[first:first + 120])
        if not reader:
            continue
        if has_prometheus():
            accepted(text)
        for name, family in reader.families.items():
            check("a word that stands for a unit: " + name,
                  not SHORT & set(name.split("_")))
            told += "/" in family.help.split(" ")[0]
    check("of %d events %d are told" % (len(events), told),
          told > len(events) // 2)
    return told


def test_all_metrics(machine):
    ended = subprocess.run(
        [UNCORE, "export", "--once", "-m", machine, "-w",
         "random:size=1M,threads=2,count=300", "-M", "all"],
        stdout=subprocess.PIPE, text=True, check=True)
    Reader(ended.stdout, False)
    if has_prometheus():
        accepted(ended.stdout)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_") and not name.startswith("test_all_"):
            test()
    told = 0
    for machine in MACHINES if LONG else MACHINES[2:]:
        told += test_all_names(machine)
        test_all_metrics(machine)
    print("%d names; promtool %s" % (told, "accepts them"
                                     if has_prometheus()
                                     else "is not here"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
