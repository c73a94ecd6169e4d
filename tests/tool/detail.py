#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore stat --detail`: counts of what happened are those of a run in full
# detail, what depends on time lies within the error that is told, the same
# seed gives the same digits, and what does not go together is refused.

import json
import os
import subprocess
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
SEEDS = 6

# What happened; what depends on time; what fits into counters with them.
MACHINES = {
    "xeon-e5-2600": (
        ("cbo/LLC_LOOKUP.DATA_READ/", "cbo/LLC_LOOKUP.WRITE/",
         "cbo/LLC_VICTIMS.M_STATE/", "cbo/LLC_VICTIMS.E_STATE/",
         "ha/REQUESTS.READS/", "ha/REQUESTS.WRITES/", "imc/RPQ_INSERTS/",
         "qpi/TxL_FLITS_G0.DATA/", "qpi/RxL_FLITS_G1.SNP/"),
        ("cbo/CLOCKTICKS/", "cbo/TOR_OCCUPANCY.ALL/", "imc/RPQ_OCCUPANCY/",
         "imc/ACT_COUNT/", "imc/PRE_COUNT.PAGE_MISS/",
         "imc/PRE_COUNT.PAGE_CLOSE/")),
    "xeon-e7": (
        ("cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/", "cbox/TRANS_MAF/",
         "cbox/LLC_VICTIMS.M/", "bbox/IMT_INSERTS_ALL/"),
        ("wbox/FIXED_CTR/", "cbox/OCCUPANCY_MAF/", "mbox/DRAM_CMD.RAS/",
         "mbox/DRAM_CMD.ALL/")),
}
# The last level holds 512 KB a slice here, so that lines are driven out soon.
SMALL = ("--set", "llc.slice=512", "--set", "detail.start=5000",
         "--set", "detail.window=300")
# What the adaptive policy has learnt in windows only is another time after which
# pages are closed (docs/sampled.md).
OWN = {"xeon-e5-2600": ("--set", "imc.page_policy=open"), "xeon-e7": ()}
ALONE = ("random:threads=1,size=24M,count=150000,write=30",
         "chase:threads=1,size=12M,passes=1")
TOGETHER = ("random:threads=8,size=3M,count=25000,write=30",
            "stream:threads=4,size=4M,op=triad")


def stat(*words, ok=True):
    ran = subprocess.run((UNCORE, "stat") + words, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and ran.returncode:
        raise AssertionError("uncore stat %s: status %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran


def counts(machine, workload, detail, events):
    """{event: row}, and what is said of the run."""
    report = json.loads(stat("-m", machine, *SMALL, *OWN[machine], "--json",
                             "--detail=" + detail, "-e", ",".join(events),
                             "--workload", workload).stdout)
    return {row["event"]: row for row in report["counts"]}, report


def values(rows):
    return {name: row["value"] for name, row in rows.items()}


class Detail(unittest.TestCase):
    def test_what_happened_is_exact(self):
        for machine, (states, _) in MACHINES.items():
            for workload in ALONE:
                full, _ = counts(machine, workload, "full", states)
                part, report = counts(machine, workload, "5%", states)
                self.assertGreater(report["detail"]["windows"], 20)
                self.assertLess(report["detail"]["share"], 0.12)
                self.assertTrue(sum(values(full).values()))
                self.assertEqual(values(full), values(part),
                                 (machine, workload))
                self.assertFalse(any(row.get("is_estimate")
                                     for row in part.values()))

    def test_time_is_within_its_error(self):
        for machine, (_, times) in MACHINES.items():
            held = told = 0
            for workload in ALONE + TOGETHER:
                full, _ = counts(machine, workload, "full", times)
                clock = 0
                for seed in range(SEEDS):
                    part, _ = counts(machine, workload,
                                     "6%%,seed=%d" % seed, times)
                    clock += part[times[0]]["value"]
                    for name in times:
                        row = part[name]
                        if row["value"] is None or row["error"] is None:
                            continue
                        self.assertTrue(row["is_estimate"], name)
                        told += 1
                        held += (abs(row["value"] - full[name]["value"]) <=
                                 row["error"])
                off = clock / SEEDS / full[times[0]]["value"] - 1
                self.assertLess(abs(off), 0.05, (machine, workload, off))
            self.assertGreater(told, SEEDS * len(times) * 3)
            self.assertGreaterEqual(held / told, 0.85, machine)

    def test_digits_depend_on_nothing_but_the_seed(self):
        machine = "xeon-e5-2600"
        states, times = MACHINES[machine]
        workload = TOGETHER[0]
        first, _ = counts(machine, workload, "5%,seed=1", times)
        again, _ = counts(machine, workload, "5%,seed=1", times)
        more, _ = counts(machine, workload, "5%,seed=1", times + states)
        other, _ = counts(machine, workload, "5%,seed=2", times)
        self.assertEqual(first, again)
        self.assertEqual(values(first),
                         {name: values(more)[name] for name in times})
        self.assertNotEqual(values(first), values(other))

    def test_a_short_run_is_exact(self):
        events = MACHINES["xeon-e5-2600"][1]
        words = ("-m", "xeon-e5-2600", "--json", "-e", ",".join(events),
                 "--workload", "random:threads=2,size=1M,count=2000")
        full = json.loads(stat(*words).stdout)["counts"]
        part = json.loads(stat("--detail=auto", *words).stdout)["counts"]
        self.assertEqual(full, part)

    def test_head_says_how(self):
        text = stat("-m", "xeon-e5-2600", *SMALL, "--detail=5%", "-e",
                    "cbo/CLOCKTICKS/", "--workload", ALONE[0]).stdout
        self.assertIn("accesses in detail, in", text)
        self.assertIn("+- ", text)

    def test_refused(self):
        for words, why in (
                (("--detail=5",), "full"),
                (("--detail=5%,sed=1",), "seed=N"),
                (("--detail=0%",), "detail.share"),
                (("--detail=2%", "-I", "1ms"), "-I"),
                (("--detail=2%", "--delay", "1ms"), "--delay"),
                (("--detail=2%", "--cycles", "9000"), "--cycles"),
                (("--detail=2%", "--timeout", "1ms"), "--timeout"),
                (("--set", "detail.share=2", "-I", "1ms"), "--detail"),
                (("--detail=2%", "--check"), "--check")):
            ran = stat("-m", "xeon-e5-2600", *words, "--workload", ALONE[0],
                       ok=False)
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn(why, ran.stderr, words)

    def test_others_make_no_estimates(self):
        for words in (("record", "-e", "cbo/LLC_LOOKUP.DATA_READ,period=100/",
                       "-o", os.devnull), ("top", "--once")):
            ran = subprocess.run(
                (UNCORE,) + words + ("-m", "xeon-e5-2600", "--set",
                                     "detail.share=5", "-w", ALONE[0]),
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertIn("--detail", ran.stderr)

    def test_faults_are_all_injected(self):
        words = ("-m", "xeon-e5-2600", *SMALL, "--json", "-e",
                 "imc/ECC_CORRECTABLE_ERRORS/", "--inject", "ecc:rate=0.01",
                 "--workload", ALONE[0])
        self.assertEqual(
            json.loads(stat("--detail=5%", *words).stdout)["injected"],
            json.loads(stat(*words).stdout)["injected"])


if __name__ == "__main__":
    unittest.main()
