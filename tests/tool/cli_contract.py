#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What others script against, tried from outside: the members of every JSON
# output, the fields of -x, the console's answers, exit codes. A change that
# breaks one of these breaks somebody's script.

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
MACHINE = ("--machine", "xeon-e7")
WORKLOAD = ("--workload", "stream:threads=2,size=1M,seed=1")


def run(*words, text="", ok=True):
    ran = subprocess.run((UNCORE,) + words, input=text, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and ran.returncode:
        raise AssertionError("uncore %s: status %d: %s" % (
            " ".join(words), ran.returncode, ran.stderr))
    return ran


def load(*words):
    return json.loads(run(*words).stdout)


def number(value):
    return int(value, 0) if isinstance(value, str) else value


class Listing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.listing = load("list", *MACHINE, "--json")

    def test_has_the_promised_members(self):
        self.assertLessEqual({"machine", "boxes", "events"}, set(self.listing))
        self.assertEqual(self.listing["machine"], "xeon-e7")
        for box in self.listing["boxes"]:
            self.assertLessEqual({"name", "instances", "counters", "width"},
                                 set(box))
        for event in self.listing["events"]:
            self.assertLessEqual(
                {"box", "name", "code", "max_increment", "counters",
                 "unit_masks", "aliases", "brief", "source"}, set(event))
            for mask in event["unit_masks"]:
                self.assertLessEqual({"name", "value", "brief"}, set(mask))

    def test_describes_and_sources_every_event(self):
        for event in self.listing["events"]:
            self.assertTrue(event["brief"], event["name"])
            self.assertTrue(event["source"], event["name"])
            self.assertTrue(event["counters"], event["name"])

    def test_knows_all_seven_boxes(self):
        boxes = {box["name"]: box for box in self.listing["boxes"]}
        self.assertEqual(
            {n: (b["instances"], b["counters"]) for n, b in boxes.items()
             if n != "wbox"},
            {"ubox": (1, 1), "cbox": (10, 6), "bbox": (2, 4),
             "sbox": (2, 4), "rbox": (1, 16), "mbox": (2, 6)})
        self.assertIn("wbox", boxes)

    def test_takes_a_pattern(self):
        some = load("list", *MACHINE, "--json", "LLC_MISSES*")["events"]
        self.assertEqual({e["name"] for e in some}, {"LLC_MISSES"})

    def test_takes_words_in_any_order(self):
        some = [[e["name"] for e in load("list", *MACHINE, "--json",
                                         words)["events"]]
                for words in ("memory read", " READ  Memory ", "memory")]
        self.assertEqual(some[0], some[1])
        self.assertIn("IMT_INSERTS_RD", some[0])
        self.assertLess(set(some[0]), set(some[2]))


    def test_names_the_metrics_where_no_event_fits(self):
        for words, wanted in (("l3 miss", "l3"), ("numa", "numa"),
                              ("memory_bandwidth", "memory_bandwidth")):
            ran = run("list", *MACHINE, words, ok=False)
            self.assertEqual(ran.returncode, 1)
            command = re.search(r"metrics do: '(uncore list --metrics .*)'$",
                                ran.stderr.strip()).group(1).split()
            self.assertEqual(command[-1], wanted)
            run(*command[1:])
        ran = run("list", *MACHINE, "zzz", ok=False)
        self.assertNotIn("--metrics", ran.stderr)


class Places(unittest.TestCase):
    def test_a_folder_that_is_not_there_is_named(self):
        for way in ("msr", "pci", "msr:/dev,pci"):
            ran = run("stat", "--on", way + ":/nonexistent", "-e",
                      "cbox/LLC_MISSES.ALL/", ok=False)
            self.assertTrue(ran.returncode)
            self.assertIn("/nonexistent: there is no such folder", ran.stderr)


class Registers(unittest.TestCase):
    def test_have_the_promised_members(self):
        registers = load("registers", *MACHINE, "--json")
        for register in registers:
            self.assertLessEqual(
                {"name", "address", "box", "access", "width", "fields"},
                set(register))
            for field in register["fields"]:
                self.assertLessEqual({"name", "high", "low", "kind"},
                                     set(field))
                self.assertLessEqual(field["low"], field["high"])
        addresses = [number(r["address"]) for r in registers]
        self.assertEqual(len(addresses), len(set(addresses)))


class Encoding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.by_name = {r["name"]: r for r in load("registers", *MACHINE,
                                                  "--json")}

    def encode(self, *events):
        return load("encode", *MACHINE, "--json", *events)

    def test_has_the_promised_members(self):
        for row in self.encode("cbox3/LLC_MISSES.ALL,thresh=1,edge/"):
            self.assertLessEqual({"event", "counter", "writes"}, set(row))
            for write in row["writes"]:
                self.assertLessEqual({"register", "address", "value"},
                                     set(write))
                register = self.by_name[write["register"]]
                self.assertEqual(number(register["address"]),
                                 number(write["address"]))

    def test_ends_with_the_global_enable(self):
        rows = self.encode("cbox3/LLC_MISSES.ALL/")
        last = [w for row in rows for w in row["writes"]][-1]
        self.assertEqual(self.by_name[last["register"]]["box"].rstrip("0"),
                         "ubox")
        # en_all is bit 28
        self.assertEqual(number(last["value"]) >> 28 & 1, 1)

    def test_sets_event_unit_mask_threshold_and_edge(self):
        (row,) = self.encode("cbox3/LLC_MISSES.ALL,thresh=1,edge/")
        values = [number(w["value"]) for w in row["writes"]
                  if "EVT_SEL" in w["register"]]
        # threshold 31:24 = 1, enable bit 22, edge bit 18, umask 7, event 0x14
        self.assertEqual(values, [1 << 24 | 1 << 22 | 1 << 18 | 7 << 8 | 0x14])

    def test_takes_raw_codes(self):
        raw = self.encode("cbox0/event=0x14,umask=0x7/")[0]["writes"]
        named = self.encode("cbox0/LLC_MISSES.ALL/")[0]["writes"]
        self.assertEqual(raw, named)

    def test_takes_a_bare_unique_name(self):
        bare = self.encode("LLC_MISSES.ALL")[0]["writes"]
        self.assertEqual(bare, self.encode("cbox/LLC_MISSES.ALL/")[0]["writes"])

    def test_decodes_what_it_encoded(self):
        (row,) = self.encode("cbox3/LLC_MISSES.ALL/")
        for write in row["writes"]:
            ran = run("decode", *MACHINE, str(write["address"]),
                      str(write["value"]))
            self.assertIn(write["register"], ran.stdout)
            if "EVT_SEL" in write["register"]:
                self.assertIn("LLC_MISSES", ran.stdout)


class Counting(unittest.TestCase):
    def test_json_has_the_promised_members(self):
        out = load("stat", "--json", *WORKLOAD, "-e", "cbox/LLC_MISSES.ALL/")
        self.assertLessEqual({"schema", "machine", "sockets", "counts",
                              "metrics"}, set(out))
        self.assertTrue(any("seconds" in key for key in out))
        self.assertTrue(any("cycles" in key for key in out))
        self.assertTrue(out["counts"])
        for count in out["counts"]:
            self.assertLessEqual({"event", "socket", "box", "value", "note"},
                                 set(count))
            self.assertIsInstance(count["value"], int)

    def test_every_object_has_a_schema(self):
        for words in (("list",), ("list", "--metrics"),
                      ("schedule", "cbox/LLC_MISSES.ALL/"),
                      ("model", "coverage", "--box=wbox"), ("stat", "-w",
                                                            "idle")):
            out = load(*words, "--json")
            self.assertRegex(out["schema"], r"^uncore-[a-z]+-\d+$", words)

    def test_counts_have_units(self):
        units = {"cbox/LLC_MISSES.ALL/": "events",
                 "cbox/OCCUPANCY_IRQ/": "entry cycles",
                 "wbox/FIXED_CTR/": "cycles",
                 "cbox/OCCUPANCY_IRQ,thresh=1/": "cycles",
                 "cbox/OCCUPANCY_IRQ,thresh=1,edge/": "changes",
                 "rbox/FLITS_SENT,port=qpi0/": "flits",
                 "sbox/PKTS_SENT_HOM.BBOX/": "packets"}
        out = load("stat", "--json", "-e", ",".join(units), *WORKLOAD)
        self.assertEqual({c["event"]: c["unit"] for c in out["counts"]}, units)

    def test_summary_has_the_figures_one_wants_first(self):
        out = load("stat", "--json", *WORKLOAD)
        names = " ".join(m["name"] for m in out["metrics"]).lower()
        for metric in out["metrics"]:
            self.assertLessEqual({"name", "socket", "value", "unit"},
                                 set(metric))
        for wanted in ("llc", "hit", "miss", "read", "write", "page", "qpi",
                       "latency"):
            self.assertIn(wanted, names)

    def test_same_seed_same_bytes(self):
        words = ("stat", "--json") + WORKLOAD
        self.assertEqual(run(*words).stdout, run(*words).stdout)

    def test_splits_add_up(self):
        whole = load("stat", "--json", *WORKLOAD, "-e", "cbox/LLC_MISSES.ALL/")
        split = load("stat", "--json", "--per-box", *WORKLOAD, "-e",
                     "cbox/LLC_MISSES.ALL/")
        self.assertGreater(len(split["counts"]), len(whole["counts"]))
        self.assertEqual(sum(c["value"] for c in whole["counts"]),
                         sum(c["value"] for c in split["counts"]))

    def test_separated_output_has_the_fields_of_perf(self):
        ran = run("stat", "-x,", *WORKLOAD, "-e", "cbox/LLC_MISSES.ALL/")
        lines = (ran.stdout + ran.stderr).strip().split("\n")
        lines = [line for line in lines if "LLC_MISSES" in line]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"^\d+,events,\"?cbox/")

    def test_a_tab_may_be_written_as_perf_takes_it(self):
        words = ("stat", *WORKLOAD, "-e", "cbox/LLC_MISSES.ALL/", "-x")
        tabs = run(*words, "\t").stdout
        self.assertIn("\tevents\t", tabs)
        self.assertEqual(run(*words, r"\t").stdout, tabs)

    def test_writes_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            run("stat", "--json", "-o", path, *WORKLOAD)
            with open(path, encoding="utf-8") as out:
                self.assertIn("schema", json.load(out))


class EventLists(unittest.TestCase):
    """-e with commas is -e several times."""

    def rows(self, *events):
        ran = run("stat", "-x;", *WORKLOAD,
                  *(word for event in events for word in ("-e", event)))
        return ran.stdout

    def test_commas_part_events_and_options_stay(self):
        for together, alone in (
                ("LLC_HITS.ALL,LLC_MISSES.ALL",
                 ("LLC_HITS.ALL", "LLC_MISSES.ALL")),
                ("cbox/LLC_HITS.ALL,thresh=1/,cbox0/LLC_MISSES.ALL/",
                 ("cbox/LLC_HITS.ALL,thresh=1/", "cbox0/LLC_MISSES.ALL/")),
                ("LLC_HITS.ALL,thresh=1,edge,LLC_MISSES.ALL,thresh=0x2",
                 ("LLC_HITS.ALL,thresh=1,edge", "LLC_MISSES.ALL,thresh=0x2")),
                ("FIXED_CTR,rbox/FLITS_SENT,port=qpi0/",
                 ("FIXED_CTR", "rbox/FLITS_SENT,port=qpi0/"))):
            self.assertEqual(self.rows(together), self.rows(*alone), together)

    def test_braces_count_together(self):
        pair = "cbox/LLC_HITS.ALL/", "cbox/LLC_MISSES.ALL/"
        self.assertEqual(self.rows("{%s,%s},FIXED_CTR" % pair),
                         self.rows(*pair, "FIXED_CTR"))
        # one more than the C-Box has counters take turns, but not as a group
        many = ",".join("cbox/LLC_MISSES.ALL,thresh=%d/" % i
                        for i in range(7))
        run("stat", "--turns", "-e", many, *WORKLOAD)
        ran = run("stat", "--turns", "-e", "{%s}" % many, *WORKLOAD, ok=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("7 events for the 6 counters", ran.stderr)
        for text in ("{", "{}", "}", "{LLC_HITS.ALL", "LLC_HITS.ALL}",
                     "{LLC_HITS.ALL}x", "{LLC_HITS.ALL}:u",
                     "{LLC_HITS.ALL,{FIXED_CTR}}"):
            self.assertEqual(run("stat", "-e", text, *WORKLOAD,
                                 ok=False).returncode, 2, text)

    def test_an_empty_one_is_refused(self):
        for text in ("LLC_HITS.ALL,", ",LLC_HITS.ALL", "LLC_HITS.ALL,,FIXED_CTR"):
            ran = run("stat", "-e", text, *WORKLOAD, ok=False)
            self.assertEqual(ran.returncode, 2, text)


class Console(unittest.TestCase):
    def answers(self, *lines, words=()):
        ran = run("model", "console", *MACHINE, *words,
                  text="\n".join(lines) + "\n")
        return ran.stdout.strip().split("\n")

    def test_answers_each_line_with_one(self):
        answers = self.answers("rdmsr 0 0xc00", "wrmsr 0 0xc00 0x1",
                               "rdmsr 0 0xc00", "run 100", "pmi", "what",
                               "rdmsr 0 0xc00")
        self.assertEqual(len(answers), 7)
        self.assertRegex(answers[0], r"^0x[0-9a-f]+$")
        self.assertEqual(answers[1], "ok")
        self.assertEqual(number(answers[2]) & 1, 1)
        self.assertRegex(answers[3], r"^\d+$")
        self.assertEqual(answers[4], "none")
        self.assertNotIn(answers[5], ("ok", "none"))
        self.assertEqual(answers[6], answers[2])

    def test_says_what_there_is_and_quits(self):
        answers = self.answers("help", "quit", "rdmsr 0 0xc00")
        self.assertEqual(len(answers), 1)
        for verb in ("rdmsr SOCKET ADDRESS", "run CYCLES", "pmi", "quit"):
            self.assertIn(verb, answers[0])

    def test_refuses_what_the_processor_refuses(self):
        self.assertEqual(self.answers("rdmsr 0 0x10", "wrmsr 0 0x10 1"),
                         ["#GP", "#GP"])

    def test_strict_refuses_reserved_bits(self):
        # bits 62:61 of a C-Box control are reserved
        line = "wrmsr 0 0xd10 0x6000000000000000"
        self.assertEqual(self.answers(line, words=("--strict",)), ["#GP"])

    def test_runs_the_cycles_asked_for(self):
        first, second = self.answers("run 1000", "run 234")
        self.assertEqual(number(second) - number(first), 234)

    def test_refuses_to_run_for_ever(self):
        first, refused, second = self.answers(
            "run 1000", "run 18446744073709551615", "run 5")
        self.assertIn("at most 1000000000000 cycles", refused)
        self.assertEqual(number(second) - number(first), 5)

    def test_help_has_no_line_of_blanks(self):
        for words in (("stat",), ("record",), ("report",), ("guest",),
                      ("model", "console"), ("model", "serve")):
            text = run(*words, "--help").stdout
            self.assertNotRegex(text, r"(?m)^ +$", words)


class Programs(unittest.TestCase):
    def setUp(self):
        if run("stat", "--", "true", ok=False).returncode:
            self.skipTest("programs do not run here: " +
                          run("stat", "--", "true", ok=False).stderr.strip())

    def test_exit_status_is_the_programs(self):
        self.assertEqual(run("stat", "--", "false", ok=False).returncode, 1)
        self.assertEqual(
            run("stat", "--", "sh", "-c", "exit 37", ok=False).returncode, 37)

    def test_output_of_the_program_is_untouched(self):
        for form in ((), ("--json",), ("-x,",)):
            ran = run("stat", *form, "-M", "llc_lookups", "--", "echo", "hello")
            self.assertEqual(ran.stdout, "hello\n")
            self.assertIn("llc_lookups", ran.stderr)
        json.loads(run("stat", "--json", "--", "true").stderr)
        self.assertEqual(run("stat", *WORKLOAD).stderr, "")

    def test_the_report_goes_where_it_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            for _ in range(2):
                ran = run("stat", "-x,", "-M", "llc_lookups", "-o", path,
                          "--append", "--", "true")
                self.assertEqual(ran.stdout + ran.stderr, "")
            with open(path, encoding="utf-8") as out:
                self.assertEqual(out.read().count("llc_lookups"), 2)
        ran = run("stat", "--log-fd=1", "-M", "llc_lookups", "--", "true")
        self.assertIn("llc_lookups", ran.stdout)
        for bad in (("--log-fd=77",), ("--log-fd=-1",), ("--log-fd=x",),
                    ("--append",), ("--log-fd=1", "-o", "f"),
                    ("-o", "/none/f", "--append")):
            ran = run("stat", *bad, "--", "echo", "ran", ok=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), bad)

    def test_counts_are_printed_after_an_interrupt(self):
        process = subprocess.Popen(
            (UNCORE, "stat", "--json", "-o", "/dev/stdout", "--", "sh", "-c",
             "echo ready; exec sleep 1000"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            os.killpg(process.pid, signal.SIGINT)
            out, _ = process.communicate(timeout=100)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        self.assertIn('"counts"', out)


class Usage(unittest.TestCase):
    COMMANDS = (("list",), ("registers",), ("encode",), ("decode",),
                ("stat",), ("model",), ("model", "console"))

    def test_every_command_has_help(self):
        for words in ((),) + self.COMMANDS:
            ran = run(*words, "--help")
            self.assertIn("Usage", ran.stdout, words)

    def test_version_is_printed(self):
        self.assertRegex(run("--version").stdout, r"\d+\.\d+\.\d+")

    def test_the_model_shows_its_parameters(self):
        self.assertIn("llc.ways", run("model", "show").stdout)
        self.assertTrue(re.search(
            r"llc\.ways\s+16\b", run("model", "show", "--set",
                                     "llc.ways=16").stdout))


if __name__ == "__main__":
    if not os.path.exists(UNCORE):
        print("the command is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
