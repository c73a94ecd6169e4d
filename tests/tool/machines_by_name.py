#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Machines of a family by their names: what their tables say is what the model
is, and every command takes them as it takes the family's own."""
import json
import os
import subprocess
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]


def uncore(*words, code=0):
    ran = subprocess.run([UNCORE, *words], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=300, check=False)
    if ran.returncode != code:
        raise AssertionError("%s: exit code %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran.stdout if code == 0 else ran.stderr


def machines():
    return json.loads(uncore("model", "machines", "--json"))["machines"]


def counted(machine, *words):
    """{metric or event: value} and the document."""
    found = json.loads(uncore("stat", "--json", "--log-fd=1", "-m", machine,
                              "--check", *words))
    values = {row["event"]: row["value"] for row in found["counts"]}
    values.update((row["name"], row["value"]) for row in found["metrics"])
    return values, found


class Machines(unittest.TestCase):
    def test_the_family_has_one_of_its_name(self):
        rows = {row["machine"]: row for row in machines()}
        self.assertEqual({row["family"] for row in rows.values()},
                         set(uncore("list", "--names=models").split()))
        for row in rows.values():
            self.assertEqual(rows[row["family"]]["family"], row["family"])
        self.assertEqual(list(rows), uncore("list", "--names=machines").split())

    def test_the_list_fits_a_screen(self):
        lines = uncore("model", "machines").splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        rows = {row["machine"]: row for row in machines()}
        for line in lines[4:]:
            words = line.replace(" x ", " ").split()
            row = rows.pop(words[0])
            self.assertEqual(words[1], row["family"])
            self.assertEqual([float(word) for word in words[2:]], [
                row["sockets"], row["cores"],
                round(row["core_clock"] / 1000, 2), round(row["llc"]),
                row["channels"], row["dram"], row["links"], row["qpi"],
                row["memory"]])
        self.assertEqual(rows, {})

    def test_one_says_where_its_figures_are_from(self):
        for name in ("xeon-e7-8867l", "xeon-x7560", "xeon-e5-2603",
                     "xeon-e5-2690-v2", "xeon-e5-2699-v3", "xeon-e5-2680-v4"):
            text = uncore("model", "machines", name)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            page = json.loads(uncore("model", "machines", name, "--json"))
            shown = {row["name"]: row for row in json.loads(
                uncore("model", "show", "--json", "-m", name))["parameters"]}
            for group in ("cores", "caches", "memory", "links", "latencies"):
                self.assertTrue(page[group], (name, group))
                for row in page[group]:
                    for key in ("value", "unit", "source"):
                        self.assertEqual(row[key], shown[row["name"]][key])
                    self.assertIn(row["name"], text)
                    self.assertTrue(row["source"])
            self.assertIn("qpi.rate", str(page["links"]))
            self.assertIn("dram.tck", str(page["memory"]))
        # what is published of the machine that a family's name stands for
        for name, metric in (("xeon-e5-2680-v3", "latency over one hop"),
                             ("xeon-e7-4870", "L1 hit latency"),
                             ("xeon-e5-2699-v3", "line another core has clean")):
            page = json.loads(uncore("model", "machines", name, "--json"))
            self.assertIn(metric, {row["metric"] for row in page["published"]})
            self.assertIn(metric, uncore("model", "machines", name))
        self.assertIn("did you mean xeon-e5-2680-v2, xeon-e5-2680-v3 or",
                      uncore("model", "machines", "xeon-e5-2680-v5", code=2))

    def test_one_that_is_the_same_counts_the_same(self):
        for name, family in (("xeon-e5-2690", "xeon-e5-2600"),
                             ("xeon-e5-2680-v2", "xeon-e5-v2"),
                             ("xeon-e5-2680-v3", "xeon-e5-v3"),
                             ("xeon-e5-2680-v4", "xeon-e5-v4"),
                             ("xeon-e7-4870", "xeon-e7"),
                             ("XEON-X7560", "xeon-7500")):
            one, other = (counted(machine, "-w", "random:threads=4,shared=1,"
                                  "write=30,size=1m,count=2000", "-M", "*")
                          for machine in (name, family))
            self.assertEqual(one[0], other[0])
            self.assertEqual(one[1]["machine"], name.lower())

    def test_memory_moves_no_more_than_its_channels_can(self):
        """What the metric says is used is the bandwidth by that of the table: on
        a Xeon E5 four channels of eight bytes a socket."""
        for row in machines():
            if not row["family"].startswith("xeon-e5"):
                continue
            name = row["machine"]
            values, _ = counted(
                name, "-w", "stream:threads=%d,size=2m" % (
                    row["sockets"] * row["cores"]),
                "-M", "memory_bandwidth,memory_bandwidth_use")
            peak = row["sockets"] * 4 * 8 * row["dram"] / 1000
            self.assertAlmostEqual(
                values["memory_bandwidth"] / peak * 100,
                values["memory_bandwidth_use"], delta=0.2, msg=name)
            self.assertGreater(values["memory_bandwidth_use"], 40, name)

    def test_what_fits_into_the_cache_is_found_again(self):
        """A thread reads half of a last-level cache twice, and twice of one: half
        of its reads are found, and none. The cache is a sixteenth of the
        machine's, with as many ways, before an L2 that is smaller than half of it."""
        for row in machines():
            name, slice_kb = row["machine"], row["llc"] * 64 / row["cores"]
            ratio = ("llc_read_miss_ratio"
                     if row["family"].startswith(("xeon-e5", "xeon-scalable"))
                     else "llc_hit_ratio")
            for times, missed in (0.5, 50), (2, 100):
                values, _ = counted(
                    name, "--set", "core.l2=256", "--set", "llc.slice=%g" % slice_kb, "-w",
                    "stream:threads=1,op=read,size=%dk,passes=2" %
                    (slice_kb * row["cores"] * times), "-M", ratio)
                found = values[ratio]
                self.assertAlmostEqual(
                    found if "miss" in ratio else 100 - found, missed,
                    delta=2, msg=(name, times))

    def test_the_uncore_of_a_v3_has_its_own_clock(self):
        """Loads that the L1 answers take a time that is the cores' alone: with
        half of the uncore's clock half of its cycles. A change of the cores'
        clock does not keep the links, as it does where the ring has that clock."""
        seconds, ticks = [], []
        for clock in 3000, 1500:
            values, found = counted(
                "xeon-e5-v3", "--set", "uncore.clock=%d" % clock, "--set",
                "qpi.rate=8", "-w",
                "chase:threads=1,size=16k,count=200000,gap=1,offset=0", "-e",
                "ubox/FIXED_CTR/", "-e", "cbo/CLOCKTICKS/")
            self.assertEqual(values["cbo/CLOCKTICKS/"],
                             12 * values["ubox/FIXED_CTR/"])
            self.assertAlmostEqual(values["ubox/FIXED_CTR/"] / 2 / clock / 1e6,
                                   found["simulated_seconds"], delta=1e-9)
            seconds.append(found["simulated_seconds"])
            ticks.append(values["ubox/FIXED_CTR/"])
        self.assertAlmostEqual(seconds[1] / seconds[0], 1, delta=0.05)
        self.assertAlmostEqual(ticks[0] / ticks[1], 2, delta=0.1)
        held, free = (counted(
            "xeon-e5-v3", "--set", "uncore.domain=" + domain, "--set",
            "core.turbo=2900", "--set", "pcu.switch_cycles=100000", "-w",
            "chase:threads=1,size=4m,count=20000,gap=1,cpu=0,node=1", "-e",
            "pcu/FREQ_TRANS_CYCLES/")[1]["simulated_seconds"] * 3e9
            for domain in ("cores", "own"))
        self.assertAlmostEqual(held - free, 100000, delta=15000)

    def test_commands_take_it(self):
        self.assertEqual(uncore("list", "-m", "xeon-e5-2650", "--names"),
                         uncore("list", "-m", "xeon-e5-2600", "--names"))
        self.assertEqual(
            uncore("encode", "-m", "xeon-e7540", "cbox/LLC_MISSES.ALL/"),
            uncore("encode", "-m", "xeon-7500", "cbox/LLC_MISSES.ALL/"))
        said = uncore("stat", "-m", "xeon-e5-2671", "-w", "idle", code=2)
        self.assertIn("xeon-e5-2670", said)

    def test_a_filter_is_in_every_box_that_counts(self):
        """Link 2 of the v2 lacks the registers of the filter; that of the v4
        has them, and a part with two links has no link 2."""
        event = ("-e", "qpi/CTO_COUNT,mc=2/", "-w", "stream:size=64k")
        said = uncore("stat", "-m", "xeon-e5-v2", "--set", "qpi.links=3",
                      *event, code=2)
        self.assertIn("qpi2 lacks a register", said)
        uncore("stat", "-m", "xeon-e5-v2", *event)
        uncore("stat", "-m", "xeon-e5-v4", "--set", "qpi.links=3", *event)

    def test_twenty_four_cores(self):
        """The die of the Xeon E5 v4 as a whole: the lines that its last core
        reads are in all slices alike, and what all cores fight for stays
        coherent (--check)."""
        die = ("-N", "1", "--set", "cores=24", "--set", "ring.cores=24", "--set",
               "ring.second_cores=12", "--detail=full")
        events = ["cbo%d/LLC_LOOKUP.DATA_READ,state=I/" % i for i in range(24)]
        found, _ = counted("xeon-e5-v4", *die, "-w",
                           "stream:op=read,threads=1,cpu=23,size=1M",
                           *(word for event in events for word in ("-e", event)))
        for event in events:
            self.assertAlmostEqual(found[event], 16384 / 24, delta=2)
        found, _ = counted("xeon-e5-v4", *die, "-w", "random:threads=24,shared=1,"
                           "write=30,size=64k,count=300", "-e",
                           "cbo/LLC_LOOKUP.ANY/")
        self.assertGreater(found["cbo/LLC_LOOKUP.ANY/"], 24 * 300 / 2)

    def test_an_llc_that_has_all_lines_is_told_of_no_clean_ones(self):
        for machine in "xeon-e7", "xeon-e5-2600":
            said = uncore("stat", "-m", machine, "--set", "core.tells_clean=1",
                          "-w", "stream:size=64k", code=2)
            self.assertIn("core.tells_clean", said)

    def test_results_and_recordings_know_it(self):
        with tempfile.TemporaryDirectory() as folder:
            one, other, recording = (os.path.join(folder, name)
                                     for name in ("1", "2", "r"))
            for machine, path in (("xeon-e5-2670", one), ("xeon-e5-2603", other)):
                uncore("stat", "-m", machine, "-j", "-o", path, "-w",
                       "stream:size=64k")
            said = subprocess.run([UNCORE, "compare", one, other], text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            self.assertIn("xeon-e5-2603", said.stdout)
            uncore("record", "-m", "xeon-x7550", "-o", recording, "-e",
                   "cbox/LLC_MISSES.ALL,period=100/", "-w", "stream:size=64k")
            self.assertIn("xeon-x7550", uncore("report", recording))

    def test_their_cores_are_told_to_programs(self):
        said = uncore("stat", "-m", "xeon-e5-2603", "-o", "/dev/null", "--",
                      "nproc")
        self.assertEqual(said.strip(), "8")


if __name__ == "__main__":
    unittest.main()
