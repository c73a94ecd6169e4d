#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The guide's worked sequences, word for word, through `uncore model console`:
# a session that stops after a sample (2.1.3), reading it (2.1.4), arming it
# again (2.1.5), an R-Box event through a sub-register (2.6.2.1), M-Box events
# through sub-control registers (2.7.3.1). Registers are named, not numbered.

import json
import os
import subprocess
import sys
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
WORKLOAD = "random:threads=4,size=256M,count=2000000,seed=3"
MODULUS = 1 << 48


class Console:
    """One console; asks a line, gets an answer."""

    registers = None

    def __init__(self, *words):
        if Console.registers is None:
            listing = subprocess.run([UNCORE, "registers", "--json"],
                                     stdout=subprocess.PIPE, check=True)
            Console.registers = {r["name"]: r
                                 for r in json.loads(listing.stdout)}
        self.process = subprocess.Popen(
            (UNCORE, "model", "console") + words, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def read(self, name, socket=0):
        return int(self.ask("rdmsr %d %d" % (
            socket, self.registers[name]["address"])), 0)

    def field(self, name, field, value):
        """`value` at the place of a field."""
        for known in self.registers[name]["fields"]:
            if known["name"] == field:
                return value << known["low"]
        raise KeyError(field)

    def get(self, name, field):
        for known in self.registers[name]["fields"]:
            if known["name"] == field:
                width = known["high"] - known["low"] + 1
                return self.read(name) >> known["low"] & ((1 << width) - 1)
        raise KeyError(field)

    def write(self, name, value=None, **fields):
        value = value or 0
        for field, content in fields.items():
            value |= self.field(name, field, content)
        answer = self.ask("wrmsr 0 %d %d" % (
            self.registers[name]["address"], value))
        if answer != "ok":
            raise AssertionError("%s=0x%x: %s" % (name, value, answer))

    def run(self, cycles):
        return int(self.ask("run %d" % cycles))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=60)


GLOBAL = "U_MSR_PMON_GLOBAL_CTL"
STATUS = "U_MSR_PMON_GLOBAL_STATUS"


class Sampling(unittest.TestCase):
    """B-Box 1, counter 1, all transactions; stop after 1000."""

    CONTROL = "BB1_CR_B_MSR_PERF_CTL1_REG"
    COUNTER = "BB1_CR_B_MSR_PERF_CNT1_REG"
    CORE = 3

    def setUp(self):
        self.console = Console("--workload", WORKLOAD)
        self.addCleanup(self.console.close)

    def start(self, interval, first):
        c = self.console
        if first:
            c.write(GLOBAL, rst_all=1)
            c.write(self.CONTROL, ev_sel=0x7, en=1, pmi_en=1)
            c.write("BB1_CR_B_MSR_PERF_GLOBAL_CTL", ctr_en=1 << 1)
        c.write(self.COUNTER, event_count=MODULUS - interval)
        c.write(GLOBAL, frz_all=1, pmi_core_sel=1 << self.CORE, en_all=1)

    def sample(self):
        for _ in range(200):
            self.console.run(2000)
            answer = self.console.ask("pmi")
            if answer != "none":
                return [int(word) for word in answer.split()]
        self.fail("no PMI")

    def check_frozen(self):
        c = self.console
        self.assertEqual(c.get(STATUS, "pmi"), 1)
        self.assertEqual(c.get(GLOBAL, "en_all"), 0)
        self.assertEqual(c.get(STATUS, "ov_s1"), 1)
        self.assertEqual(c.get(STATUS, "ov_s0"), 0)
        self.assertEqual(c.get("SR1_CR_S_MSR_PMON_SUMMARY", "ov_mb"), 1)
        self.assertEqual(c.get("BB1_CR_B_MSR_PMON_GLOBAL_STATUS", "ov"),
                         1 << 1)

    def test_a_sample_is_taken_read_and_armed_again(self):
        c = self.console
        self.start(1000, True)
        before = self.sample()
        self.assertEqual(before[:2], [0, self.CORE])
        self.check_frozen()
        # Frozen: what came between overflow and freeze, and no more.
        late = c.read(self.COUNTER)
        self.assertLess(late, 64)
        c.run(20000)
        self.assertEqual(c.read(self.COUNTER), late)
        self.assertEqual(c.ask("pmi"), "none")

        # 2.1.5: reset, clear the counter's overflow bit, sample, enable.
        c.write(GLOBAL, rst_all=1)
        self.assertEqual(c.read(self.COUNTER), 0)
        c.write("BB1_CR_B_MSR_PMON_GLOBAL_OVF_CTL", clr_ov=1 << 1)
        self.assertEqual(c.read("BB1_CR_B_MSR_PMON_GLOBAL_STATUS"), 0)
        self.assertEqual(c.get("SR1_CR_S_MSR_PMON_SUMMARY", "ov_mb"), 0)
        self.assertEqual(c.get(STATUS, "ov_s1"), 0)
        self.start(500, False)
        after = self.sample()
        self.assertEqual(after[:2], [0, self.CORE])
        self.assertGreater(after[2], before[2])
        self.check_frozen()

    def test_without_freeze_counting_goes_on(self):
        c = self.console
        c.write(GLOBAL, rst_all=1)
        c.write(self.CONTROL, ev_sel=0x7, en=1, pmi_en=1)
        c.write("BB1_CR_B_MSR_PERF_GLOBAL_CTL", ctr_en=1 << 1)
        c.write(self.COUNTER, event_count=MODULUS - 100)
        c.write(GLOBAL, pmi_core_sel=1, en_all=1)
        self.sample()
        self.assertEqual(c.get(GLOBAL, "en_all"), 1)
        first = c.read(self.COUNTER)
        c.run(20000)
        self.assertGreater(c.read(self.COUNTER), first)
        self.assertEqual(c.ask("pmi"), "none")


class SubRegisters(unittest.TestCase):
    def setUp(self):
        self.console = Console("--workload", WORKLOAD)
        self.addCleanup(self.console.close)

    def test_flits_sent_of_qpi0_in_counter_3(self):
        c = self.console
        c.write(GLOBAL, rst_all=1)
        c.write("R_MSR_PORT1_IPERF_CFG1", FLT_SENT=1)
        c.write("R_MSR_PMON_CTL3", ev_sel=0x7, en=1)
        c.write("R_MSR_PMON_GLOBAL_CTL_7_0", ctr_en=1 << 3)
        c.write(GLOBAL, en_all=1)
        c.run(100000)
        sent = c.read("R_MSR_PMON_CTR3")
        self.assertGreater(sent, 0)
        # The same through the other slot and another counter.
        c.write(GLOBAL, rst_all=1)
        c.write("R_MSR_PORT1_IPERF_CFG0", FLT_SENT=1)
        c.write("R_MSR_PMON_CTL0", ev_sel=0x6, en=1)
        c.write("R_MSR_PMON_GLOBAL_CTL_7_0", ctr_en=1 << 3 | 1)
        c.write(GLOBAL, en_all=1)
        c.run(100000)
        self.assertEqual(c.read("R_MSR_PMON_CTR0"), c.read("R_MSR_PMON_CTR3"))

    def test_row_activations_and_the_scheduler_queue(self):
        c = self.console
        c.write(GLOBAL, rst_all=1)
        c.write("MB0_CR_M_MSR_PMU_PLD", cmd=0, dram_cmd=0x2)
        c.write("MB0_CR_M_MSR_PMU_CNT_CTL_0", en=1, count_mode=0, flag_mode=0,
                inc_sel=0xA)
        c.write("MB0_CR_M_MSR_PMU_MAP", cmd=0, fvid=0)
        c.write("MB0_CR_M_MSR_PMU_CNT_CTL_2", en=1, count_mode=0, flag_mode=1,
                set_flag_sel=0x6)
        c.write("MB0_CR_M_MSR_PERF_GLOBAL_CTL", ctr_en=0b101)
        c.write(GLOBAL, en_all=1)
        end = c.run(200000)
        rows, waited = (c.read("MB0_CR_M_MSR_PMU_CNT_%d" % n) for n in (0, 2))
        self.assertGreater(rows, 100)
        self.assertGreater(waited, 0)
        self.assertLess(waited, end)


class EncodedWrites(unittest.TestCase):
    """The writes of `uncore encode` in a console count what `stat` counts."""

    EVENTS = ("cbox/LLC_MISSES.ALL/", "mbox/FVC_EV0.BBOX_CMDS.READS/",
              "wbox/FIXED_CTR/")
    TRAFFIC = "stream:threads=2,size=1M,seed=1"

    def encoded(self):
        ran = subprocess.run((UNCORE, "encode", "--json") + self.EVENTS,
                             stdout=subprocess.PIPE, check=True)
        return json.loads(ran.stdout)

    def test_writes_of_several_events_add_up_to_all_of_them(self):
        console = Console("--workload", self.TRAFFIC)
        self.addCleanup(console.close)
        for row in self.encoded():
            for write in row["writes"]:
                self.assertEqual(console.ask("wrmsr 0 %d %d" % (
                    write["address"], write["value"])), "ok")
        console.run(2000000)
        misses = sum(console.read("CB%d_CR_C_MSR_PMON_CTR_0" % n)
                     for n in range(10))
        ran = subprocess.run((UNCORE, "stat", "--json", "--per-socket",
                              "--workload", self.TRAFFIC, "-e",
                              self.EVENTS[0]),
                             stdout=subprocess.PIPE, check=True)
        counts = [c["value"] for c in json.loads(ran.stdout)["counts"]
                  if c["socket"] == 0]
        self.assertEqual(counts, [misses])
        self.assertGreater(misses, 0)


if __name__ == "__main__":
    if not os.path.exists(UNCORE):
        print("the command is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
