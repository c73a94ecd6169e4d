#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""`--machine xeon-7500` or `xeon-e5-2600` wherever a machine may be named: parameters, console,
workloads, programs, faults, served registers. Other tests have its coverage,
figures, picture and guests."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]
MACHINE = ["-m", "xeon-7500"]
SMALL_LLC = ["--set", "llc.slice=12", "--set", "llc.ways=4"]
# 3840 lines, read twice; 8 slices of 192 lines: nothing is found again.
READS = "stream:threads=1,op=read,size=240K,passes=2"
LINES = 2 * 3840
EVENTS = ["cbox/LLC_MISSES.I/", "mbox/FVC_EV0.BBOX_CMDS.READS/",
          "mbox/PATROL_TXNS/", "sbox/TO_R_DRS_MSGQ_OCCUPANCY.CBOX3_7/",
          "mbox/BCMD_SCHEDQ_OCCUPANCY.ALL,fvid=31/"]

# 8 slices of 320 lines: the same.
E5 = ["-m", "xeon-e5-2600"]
SMALL_E5 = ["--set", "llc.slice=20", "--set", "llc.ways=20"]
EVENTS_E5 = ["cbo/TOR_INSERTS.MISS_OPCODE,opc=DRd/", "imc/CAS_COUNT.RD/",
             "ha/REQUESTS.READS/"]


def uncore(*words, text=None):
    return subprocess.run([UNCORE, *words], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, check=False)


def counts(*words, events=EVENTS):
    """{event: sum}, and the whole report."""
    asked = [word for event in events for word in ("-e", event)]
    ran = uncore("stat", "--json", "--log-fd=1", "--check", *asked, *words)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    report = json.loads(ran.stdout)
    sums = {}
    for count in report["counts"]:
        sums[count["event"]] = sums.get(count["event"], 0) + count["value"]
    return sums, report


class Names(unittest.TestCase):
    def test_an_unknown_machine_is_told_all_names(self):
        for words in (["stat", "-e", "wbox/FIXED_CTR/", "-w", "idle"],
                      ["model", "show"], ["model", "coverage"],
                      ["model", "validate"]):
            ran = uncore(*words, "-m", "xeon-7400")
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn("xeon-7400", ran.stderr)
            self.assertIn("xeon-7500", ran.stderr)
            self.assertIn("xeon-e7", ran.stderr)

    def test_its_parameters_are_shown(self):
        ran = uncore("model", "show", *MACHINE)
        rows = {line.split()[0]: line.split()[1]
                for line in ran.stdout.splitlines() if line.strip()}
        e7 = uncore("model", "show").stdout.splitlines()
        self.assertEqual(list(rows), [line.split()[0] for line in e7
                                      if line.strip()])
        self.assertEqual((rows["sockets"], rows["cores"], rows["core.clock"],
                          rows["llc.slice"], rows["llc.ways"],
                          rows["qpi.rate"]),
                         ("2", "8", "2266.67", "3072", "24", "6.4"))
        self.assertNotIn("4870", ran.stdout)

    def test_it_has_no_more_cores_than_eight(self):
        ran = uncore("stat", *MACHINE, "--set", "cores=10", "-e",
                     "wbox/FIXED_CTR/", "-w", "idle", "--cycles", "100")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("at most 8", ran.stderr)


class Registers(unittest.TestCase):
    def test_the_console_has_eight_c_boxes(self):
        lines = "".join("rdmsr 0 0x%x\n" % address
                        for address in (0xd00, 0xde0, 0xf40, 0xfc0))
        ran = uncore("model", "console", *MACHINE, text=lines)
        self.assertEqual(ran.stdout.split(), ["0x0", "0x0", "#GP", "#GP"])
        ran = uncore("model", "console", text=lines)
        self.assertEqual(ran.stdout.split(), ["0x0"] * 4)

    def test_what_encode_says_counts_by_hand(self):
        """Reads of memory by the registers alone: 0x2800 in FVC."""
        ran = uncore("model", "console", *MACHINE, text="\n".join((
            "wrmsr 0 0xcb0 0x1a01", "wrmsr 0 0xcab 0x2800",
            "wrmsr 0 0xca0 0x1", "wrmsr 0 0xc00 0x10000000", "run 2000000",
            "rdmsr 0 0xcb1")))
        answers = ran.stdout.split("\n")
        # of idle memory the scrubber's: one each 429153 cycles
        self.assertEqual(answers[:4], ["ok"] * 4)
        self.assertEqual(answers[5], "0x4")


class Traffic(unittest.TestCase):
    def test_counts_can_be_computed_by_hand(self):
        sums, report = counts(*MACHINE, "-w", READS, *SMALL_LLC)
        self.assertEqual(report["machine"], "xeon-7500")
        self.assertEqual(sums[EVENTS[0]], LINES)
        self.assertEqual(sums[EVENTS[1]], LINES + sums[EVENTS[2]])

    def test_boxes_are_eight_and_two(self):
        _, report = counts(*MACHINE, "--per-box", "-w", "idle", "--cycles",
                           "1000", events=["cbox/LLC_MISSES.I/",
                                           "sbox/TO_R_PROG_EV/"])
        boxes = [(c["event"][:4], c["socket"], c["box"])
                 for c in report["counts"]]
        self.assertEqual(sum(b[0] == "cbox" for b in boxes), 2 * 8)
        self.assertEqual(sum(b[0] == "sbox" for b in boxes), 2 * 2)

    def test_faults_are_counted(self):
        event = "mbox/FVC_EV0.SMI_CRC_ERR/"
        sums, report = counts(*MACHINE, "-w", "random:threads=8,size=64M,"
                              "count=500", "--inject",
                              "smi-crc:rate=0.01,count=9", events=[event])
        self.assertEqual(sums[event], 9)
        self.assertIn('"smi-crc"', json.dumps(report))

    def test_programs_run_on_it(self):
        if not shutil.which("valgrind"):
            self.skipTest("no valgrind here")
        sums, _ = counts(*MACHINE, "--", "true", events=EVENTS[:3])
        self.assertGreater(sums[EVENTS[0]], 100)


class XeonE52600(unittest.TestCase):
    """What differs there: registers, boxes, and who misses what."""

    def test_the_console_has_its_registers(self):
        # CBo 7's control of counter 0, the PCU's filter; no 0xe00 of the R-Box
        ran = uncore("model", "console", *E5, text="".join(
            "rdmsr 0 0x%x\n" % address for address in (0xdf0, 0xc34, 0xe00)))
        self.assertEqual(ran.stdout.split(), ["0x0", "0x0", "#GP"])

    def test_what_encode_says_counts_by_hand(self):
        """The U-Box's clock and, unfrozen, that of CBo 0."""
        ran = uncore("model", "console", *E5, text="\n".join((
            "wrmsr 0 0xc08 0x400000", "wrmsr 0 0xd04 0x10000",
            "wrmsr 0 0xd10 0x400000", "run 2000", "rdmsr 0 0xc09",
            "rdmsr 0 0xd16")))
        answers = ran.stdout.split()
        self.assertEqual(answers[-2:], ["0x7d0", "0x7d0"])

    def test_counts_can_be_computed_by_hand(self):
        sums, report = counts(*E5, "-w", READS, *SMALL_E5, events=EVENTS_E5)
        self.assertEqual(report["machine"], "xeon-e5-2600")
        for event in EVENTS_E5:
            self.assertEqual(sums[event], LINES, event)

    def test_programs_run_on_it(self):
        if not shutil.which("valgrind"):
            self.skipTest("no valgrind here")
        sums, _ = counts(*E5, "--", "true", events=EVENTS_E5)
        self.assertGreater(sums[EVENTS_E5[0]], 100)


class Served(unittest.TestCase):
    def test_a_client_counts_what_the_command_counts(self):
        self.check("xeon-7500", MACHINE + ["-w", READS] + SMALL_LLC, EVENTS)

    def test_a_client_of_a_xeon_e5_2600(self):
        self.check("xeon-e5-2600", E5 + ["-w", READS] + SMALL_E5, EVENTS_E5)

    def check(self, name, machine, events):
        here, _ = counts(*machine, events=events)
        with tempfile.TemporaryDirectory(prefix="uncore-7500-") as folder:
            path = os.path.join(folder, "s")
            with subprocess.Popen(
                    [UNCORE, "model", "serve", "--check", "--clock=step",
                     "--socket", path, *machine], stdout=subprocess.PIPE,
                    text=True) as server:
                try:
                    self.assertIn("ready", server.stdout.readline())
                    there, report = counts("--on=socket:" + path,
                                           events=events)
                finally:
                    server.terminate()
        self.assertEqual(here, there)
        self.assertEqual(report["machine"], name)


if __name__ == "__main__":
    unittest.main()
