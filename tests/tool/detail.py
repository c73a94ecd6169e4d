#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore stat --detail`: counts of what happened are those of a run in full
# detail, what depends on time lies within the error that is told, the same
# seed gives the same digits, and what does not go together is refused.

import json
import math
import os
import subprocess
import tempfile
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
LONG = "UNCORE_LONG" in os.environ
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
         "imc/PRE_COUNT.PAGE_CLOSE/", "ha/TxR_BL.DRS_CORE/",
         "cbo/TxR_INSERTS.BL_CACHE/")),
    "xeon-e7": (
        ("cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/", "cbox/TRANS_MAF/",
         "cbox/LLC_VICTIMS.M/", "bbox/IMT_INSERTS_ALL/"),
        ("wbox/FIXED_CTR/", "cbox/OCCUPANCY_MAF/", "mbox/DRAM_CMD.RAS/",
         "mbox/DRAM_CMD.ALL/")),
    "xeon-scalable-1": (
        ("cha/LLC_LOOKUP.DATA_READ/", "cha/TOR_INSERTS.IA_MISS/",
         "m2m/IMC_READS.ALL/", "m2m/IMC_WRITES.FULL/",
         "m2m/DIRECT2CORE_TAKEN/", "imc/RPQ_INSERTS/",
         "upi/TxL_FLITS.ALL_DATA/"),
        ("m2m/CLOCKTICKS/", "cha/TOR_OCCUPANCY.IA_MISS/",
         "imc/RPQ_OCCUPANCY/", "imc/ACT_COUNT.RD/",
         "cha/SNOOP_RESP.RSPI/")),
}
# The last level holds 512 KB a slice here, so that lines are driven out soon.
SMALL = ("--set", "llc.slice=512", "--set", "detail.start=5000",
         "--set", "detail.window=300")
# What the adaptive policy has learnt in windows only is another time after which
# pages are closed (docs/sampled.md).
OWN = {"xeon-e5-2600": ("--set", "imc.page_policy=open"), "xeon-e7": (),
       "xeon-scalable-1": ("--set", "core.l2=128", "--set", "llc.slice=88")}
ALONE = ("random:threads=1,size=24M,count=150000,write=30",
         "chase:threads=1,size=12M,passes=1")
TOGETHER = ("random:threads=8,size=3M,count=25000,write=30",
            "stream:threads=4,size=8M,op=triad")


def stat(*words, ok=True):
    ran = subprocess.run((UNCORE, "stat") + words, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and ran.returncode:
        raise AssertionError("uncore stat %s: status %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran


def program(name):
    return os.path.join(os.environ.get("UNCORE_BUILD", "build"),
                        "tests-tool-traffic_" + name)


def report_of(*words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report")
        stat("-o", path, *words)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def counts(machine, workload, detail, events, *more):
    """{event: row}, and what is said of the run."""
    report = json.loads(stat("-m", machine, *SMALL, *OWN[machine], "--json",
                             "--detail=" + detail, "-e", ",".join(events),
                             *more, "--workload", workload).stdout)
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
                self.assertLess(abs(off), 0.15, (machine, workload, off))
            self.assertGreater(told, SEEDS * len(times) * 3)
            self.assertGreaterEqual(held / told, 0.85, machine)

    def test_sixteen_streams_meet_in_memory(self):
        """Memory is saturated: time, and how often a row is open already. That is a
        tenth less in windows, which begin with few reads to choose among."""
        for machine in MACHINES if LONG else ("xeon-e5-2600",):
            def figures(detail):
                report = json.loads(stat(
                    "-m", machine, "--set", "llc.slice=512", "--json",
                    "--detail=" + detail, "--workload",
                    "stream:threads=16,size=48M,op=triad").stdout)
                return report["simulated_seconds"], next(
                    row["value"] for row in report["metrics"]
                    if row["name"] == "page_hit")

            full = figures("full")
            parts = [figures("5%%,seed=%d" % seed) for seed in range(2)]
            for i, most in enumerate((0.03, 0.15)):
                mean = sum(part[i] for part in parts) / len(parts)
                self.assertLess(abs(mean / full[i] - 1), most,
                                (machine, full, parts))

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

    def test_auto_is_the_default_of_a_whole_run(self):
        words = ("-m", "xeon-e7", *SMALL, "--json", "-e", "cbox/TRANS_MAF/",
                 "--workload", ALONE[0])
        report = json.loads(stat(*words).stdout)
        self.assertEqual(
            json.loads(stat("--detail=auto", *words).stdout)["detail"],
            report["detail"])
        self.assertGreater(report["detail"]["windows"], 100)
        self.assertLess(report["detail"]["share"], 0.5)
        for part in (("--detail=full",), ("--turns",), ("-I", "1ms"),
                     ("--cycles", "9000"), ("--check",)):
            self.assertNotIn('"detail"', stat(*words, *part).stdout)

    def test_more_of_the_first_accesses_and_less_of_many(self):
        # A quarter up to 200,000 behind the start, 50,000 of each e-fold
        # then, until 1 % are as many; a part that was asked for stays.
        for count, how in ((50000, "auto"), (600000, "auto"),
                           (600000, "5%")):
            report = json.loads(stat(
                "-m", "xeon-e5-2600", *SMALL, "--json", "--detail=" + how,
                "-e", "cbo/CLOCKTICKS/", "--workload",
                "random:threads=1,size=24M,gap=1,count=%d" % count).stdout)
            detail = report["detail"]
            behind = detail["accesses"] - 5000
            share = (detail["share"] * detail["accesses"] - 5000) / behind
            expected = 0.25
            if behind > 200000:
                expected = 50000 * (1 + math.log(behind / 200000)) / behind
            if how == "5%":
                expected = 0.05
            self.assertAlmostEqual(share, expected, delta=0.15 * expected)

    def test_who_computes_has_nearly_all_in_detail(self):
        # 2,000 instructions an access; the clock of them is the engine's.
        report = json.loads(stat(
            "-m", "xeon-e7", "--json", "--set", "detail.start=1000", "-e",
            "cbox/TRANS_MAF/", "-w",
            "random:threads=1,size=24M,count=30000,gap=2000").stdout)
        self.assertGreater(report["detail"]["share"], 0.95)

    def test_time_alone_is_not_cut(self):
        words = ("-m", "xeon-e7", *SMALL, "--json", "-M", "simulated_time",
                 "-w", ALONE[1])
        full, part = (json.loads(stat(*more, *words).stdout)["metrics"][0]
                      for more in (("--detail=full",), ()))
        self.assertEqual(full["value"], part["value"])

    def test_the_scrubber_reads_in_stretches(self):
        # One of each M-Box in 429,153 cycles: as well known as these.
        events = ("mbox/FVC_EV0.BBOX_CMDS.READS/", "wbox/FIXED_CTR/",
                  "cbox/LLC_MISSES.ALL/")
        full, part = (counts("xeon-e7", ALONE[1], how, events)[0]
                      for how in ("full", "5%"))
        scrubs = (full[events[0]]["value"] - full[events[2]]["value"])
        self.assertGreater(scrubs, 500)
        self.assertAlmostEqual(part[events[0]]["value"],
                               full[events[0]]["value"], delta=0.03 * scrubs)

    def test_fights_are_in_detail(self):
        for machine, (states, times) in MACHINES.items():
            for workload in ("pingpong:op=fight,threads=4,count=8000",
                             "falsesharing:threads=3,count=90000"):
                full, _ = counts(machine, workload, "full", states + times)
                part, report = counts(machine, workload, "auto",
                                      states + times, "--set",
                                      "detail.start=600")
                self.assertEqual(full, part, (machine, workload))
                self.assertIn("fight", report["detail"]["kept_because"])
                self.assertEqual(report["detail"]["windows"], 0)

    def test_stores_to_what_others_read_are_in_detail(self):
        # Whether a thread reads a line before or after it is written: who
        # comes first, nearly everywhere: as a twentieth, it is not exact. Of
        # small L2s that tell what they give up it is not seen (docs/status.md).
        for machine in MACHINES:
            own = (("--set", "core.l2=1024") if machine == "xeon-scalable-1"
                   else ())
            _, report = counts(machine,
                               "upgrade:threads=4,size=512K,passes=3", "5%",
                               MACHINES[machine][0], *own, "--set",
                               "detail.start=600")
            self.assertIn("fight", report["detail"]["kept_because"])
            self.assertGreater(report["detail"]["share"], 0.8)

    def test_a_program_with_false_sharing_is_in_detail(self):
        words = ("-m", "xeon-e7", "--set", "detail.start=4000", "-e",
                 "cbox/TRANS_MAF/,wbox/FIXED_CTR/", "--json", "--",
                 program("share"), "packed", "100000", "0", "1")
        part, full = (report_of("--detail=" + how, *words)
                      for how in ("auto", "full"))
        self.assertEqual(part["detail"]["windows"], 0)
        self.assertIn("fight", part["detail"]["kept_because"])
        self.assertEqual(part["counts"], full["counts"])

    def test_windows_are_as_many_as_the_share_says(self):
        # So many behind the start; also of loads that a prefetch has under
        # way, of which there are many here.
        start, window = 20000, 400
        for machine in MACHINES:
            report = report_of(
                "-m", machine, "--detail=5%", "--set",
                "detail.start=%d" % start, "--set",
                "detail.window=%d" % window, "--json", "--",
                program("past"), "t0", "16M", "1")["detail"]
            self.assertAlmostEqual(
                report["windows"] / (0.05 * (report["accesses"] - start) /
                                     window), 1, delta=0.05)

    def test_stores_behind_loads_under_way_are_exact(self):
        # A store joins its load, which is under way when a window ends.
        for machine, events in (
                ("xeon-e5-2600", "cbo/TOR_INSERTS.OPCODE,opc=RFO/,"
                 "cbo/LLC_LOOKUP.ANY/,cbo/LLC_VICTIMS.M_STATE/"),
                ("xeon-e7", "cbox/LLC_HITS.ALL/,cbox/LLC_MISSES.ALL/,"
                 "cbox/TRANS_MAF/")):
            full, part = (
                {row["event"]: row["value"] for row in report_of(
                    "-m", machine, "--detail=" + how, "--set",
                    "detail.start=20000", "--json", "-e", events, "--",
                    program("past"), "add", "4M", "2")["counts"]}
                for how in ("full", "auto"))
            self.assertEqual(full, part)

    def test_what_the_program_marked_is_in_detail(self):
        # Beside it there are some 130,000 accesses, which differ by a few
        # from run to run.
        words = ("-m", "xeon-e5-2600", *SMALL, "--json", "-e",
                 "cbo/LLC_LOOKUP.DATA_READ/,cbo/TOR_OCCUPANCY.ALL/", "--",
                 program("clock"), "triad", "100000")
        full, part = ({row["event"]: row for row in
                       report["regions"][0]["counts"]} for report in
                      (report_of("--detail=" + how, *words)
                       for how in ("full", "auto")))
        for event, row in part.items():
            self.assertFalse(row.get("is_estimate"), row)
            self.assertAlmostEqual(row["value"] / full[event]["value"], 1,
                                   delta=0.03)

    def test_a_part_that_is_asked_for_is_one_of_regions_too(self):
        report = report_of("--detail=5%", "-m", "xeon-e5-2600", *SMALL,
                           "--json", "-e", "cbo/TOR_OCCUPANCY.ALL/", "--",
                           program("clock"), "triad", "100000")
        self.assertLess(report["regions"][0]["detail"]["share"], 0.5)

    def test_why_all_is_in_detail_is_said(self):
        text = stat("-m", "xeon-e7", *SMALL, "--set", "bbox.mirror=on",
                    "--workload", ALONE[0]).stdout
        self.assertRegex(text, "All [0-9,]+ accesses in detail: "
                         "memory is mirrored")

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

    def test_fields_say_what_is_estimated(self):
        words = ("-m", "xeon-e5-2600", *SMALL, "-e", ",".join(
            MACHINES["xeon-e5-2600"][0] + MACHINES["xeon-e5-2600"][1]), "-M",
                 "memory_bandwidth,llc_read_miss_ratio", "-w", ALONE[0])
        report = json.loads(stat("--json", "--detail=5%", *words).stdout)
        rows = [line.split(";") for line in
                stat("-x;", "--detail=5%", *words).stdout.splitlines()]
        told = [(row, "event") for row in report["counts"]]
        told += [(row, "name") for row in report["metrics"]]
        self.assertEqual(len(rows), len(told))
        self.assertTrue(any("is_estimate" in row for row in report["metrics"]))
        for fields, (row, name) in zip(rows, told):
            self.assertEqual(len(fields), 11)
            self.assertEqual((fields[2], fields[9]), (row[name], "95"))
            if row["value"] is None:
                self.assertEqual(fields[10], "n/a")
                continue
            self.assertEqual(fields[10], row.get("told", "estimate")
                             if row.get("is_estimate") else "exact", fields)
            if row.get("is_estimate"):
                self.assertAlmostEqual(float(fields[4]), 100 * row["share"],
                                       delta=0.006)
                for field, key in ((7, "standard_error"), (8, "error")):
                    self.assertAlmostEqual(float(fields[field]), row[key],
                                           delta=0.001 * row[key] + 0.051)
        # of a run in full detail the fields are those of perf
        for line in stat("-x;", "--detail=full", *words).stdout.splitlines():
            self.assertEqual(line.count(";"), 6)

    def test_each_run_of_several_is_told(self):
        words = ("-m", "xeon-e7", *SMALL, "-e",
                 "cbox/TRANS_MAF/,wbox/FIXED_CTR/", "-w", ALONE[1] + ",seed=1")
        report = json.loads(stat("--json", "--detail=5%,seed=7", "-r", "3",
                                 *words).stdout)
        runs = report["detail"].pop("runs")
        self.assertEqual(len(runs), 3)
        self.assertEqual(report["detail"], runs[-1])
        # each has windows of its own, as if it had been asked for alone
        for i, how in enumerate(runs):
            self.assertEqual(how, json.loads(stat(
                "--json", "--detail=5%%,seed=%d" % (7 + i),
                *words).stdout)["detail"])
        spreads = [row["spread"] for row in report["counts"]]
        self.assertEqual(spreads[0], 0)
        self.assertGreater(spreads[1], 0)
        text = stat("--detail=5%,seed=7", "-r", "3", *words).stdout
        for i, how in enumerate(runs):
            self.assertIn("Run %d: %.3g %% of " % (i + 1, 100 * how["share"]),
                          text)

    def test_each_point_of_a_sweep_is_told(self):
        words = (*SMALL, "-M", "llc_misses", "-w",
                 "random:threads=1,size=24M")
        points = json.loads(stat("--json", "--sweep", "count=2000,40000",
                                 *words).stdout)["points"]
        alone = json.loads(stat("--json", *words[:-1],
                                words[-1] + ",count=40000").stdout)
        self.assertEqual(points[0]["detail"], 100)
        self.assertAlmostEqual(points[1]["detail"],
                               100 * alone["detail"]["share"], 6)
        text = stat("--sweep", "count=2000,40000", *words).stdout
        self.assertIn("detail [%]", text)

    def test_what_windows_cannot_tell_is_not_told(self):
        words = ("-m", "xeon-e5-2600", *SMALL, "-e", "imc/ACT_COUNT/",
                 "--set", "detail.start=500",
                 "--workload", "random:threads=1,size=24M,count=6000")
        text = stat("--detail=1%", *words).stdout
        self.assertRegex(text, "n/a +imc/ACT_COUNT/ .*too few")
        full, part = (json.loads(stat("--detail=" + how, "--json",
                                      *words).stdout) for how in
                      ("full", "1%"))
        self.assertIn("roughly", text)
        self.assertIsNone(part["detail"]["time_error"])
        self.assertAlmostEqual(part["simulated_seconds"] /
                               full["simulated_seconds"], 1, delta=0.1)
        row = counts("xeon-e5-2600", ALONE[0], "5%",
                     ("imc/POWER_SELF_REFRESH/",))[0]
        self.assertIn("rests", row["imc/POWER_SELF_REFRESH/"]["note"])

    def test_refused(self):
        for words, why in (
                (("--detail=5",), "full"),
                (("--detail=5%,sed=1",), "seed=N"),
                (("--detail=0%",), "detail.share"),
                (("--detail=2%", "-I", "1ms"), "-I"),
                (("--detail=2%", "--delay", "1ms"), "--delay"),
                (("--detail=2%", "--cycles", "9000"), "--cycles"),
                (("--detail=2%", "--timeout", "1ms"), "--timeout"),
                (("--detail=2%", "--turns"), "--turns"),
                (("--set", "detail.share=2", "-I", "1ms"), "--detail"),
                (("--detail=2%", "--check"), "--check")):
            ran = stat("-m", "xeon-e5-2600", *words, "--workload", ALONE[0],
                       ok=False)
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn(why, ran.stderr, words)

    def test_others_make_no_estimates(self):
        for words in (("record", "-e", "cbo/LLC_LOOKUP.DATA_READ/", "-I",
                       "1ms", "-o", os.devnull), ("top", "--once")):
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
