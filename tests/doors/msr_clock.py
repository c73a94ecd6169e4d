#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The clock of the register files: steps are exact, bad numbers do nothing, long
# steps keep nobody out and can be interrupted; clocks that run by themselves.

import errno
import multiprocessing
import os
import random
import signal
import struct
import subprocess
import sys
import unittest

from msr_server import (PATIENCE_S, Console, Server, encode, field, need_fuse,
                        registers, until)

TRAFFIC = ("--workload", "random:threads=4,size=64M,seed=11")
SHORT = ("--workload", "random:threads=2,size=1M,count=500,seed=2")
EVENTS = ("cbox0/LLC_MISSES.ALL/", "cbox7/LLC_HITS.ALL/",
          "bbox1/IMT_INSERTS_ALL/", "bbox0/IMT_VALID_OCCUPANCY/",
          "sbox0/PKTS_SENT_HOM/", "mbox1/BBOX_CMDS_ALL/")
FOR_EVER = 10 ** 15  # cycles: four days
WRITER = """
import os, signal, sys
signal.signal(signal.SIGUSR1, lambda number, frame: None)
fd = os.open(sys.argv[1], os.O_WRONLY)
print("go", flush=True)
try:
    os.write(fd, sys.argv[2].encode())
except OSError as error:
    sys.exit(error.errno)
"""
GLOBAL = "U_MSR_PMON_GLOBAL_CTL"
STATUS = "U_MSR_PMON_GLOBAL_STATUS"
CLIENTS = 8
ROUNDS = 250


class Case(unittest.TestCase):
    def serve(self, *words):
        server = Server(*words)
        self.addCleanup(server.kill)
        return server

    def console(self, *words):
        console = Console(*words)
        self.addCleanup(console.close)
        return console

    def writer(self, server, cycles):
        """A process that is just writing to the clock."""
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, server.path("clock"), str(cycles)],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "go\n")
        return process

    def end(self, server):
        status, said = server.end()
        self.assertEqual(status, 0, said)

    def stands_still(self, server):
        first = server.cycle()
        server.status()
        return server.cycle() == first


class Steps(Case):
    def same_everywhere(self, server, console):
        for name, register in self.known.items():
            for socket in (0, 1):
                self.assertEqual(server.read(register["address"], socket * 10),
                                 console.read(register["address"], socket),
                                 name)

    @classmethod
    def setUpClass(cls):
        cls.known = registers()

    def program(self, server, console, writes):
        for address, value in writes:
            self.assertEqual(server.write(address, value),
                             console.write(address, value))

    def test_are_those_of_the_console(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        console = self.console(*TRAFFIC)
        self.program(server, console, encode(*EVENTS))
        for cycles in (0, 1, 10, 999, 12345, 100000):
            self.assertEqual(server.run(cycles), console.run(cycles))
            self.same_everywhere(server, console)
        self.assertEqual(server.cycle(), 113355)
        self.end(server)

    def test_pass_in_pieces_as_in_one(self):
        whole = self.serve("--clock", "step", *TRAFFIC)
        pieces = self.serve("--clock", "step", *TRAFFIC)
        for address, value in encode(*EVENTS):
            whole.write(address, value)
            pieces.write(address, value)
        numbers = random.Random(1)
        total = 0
        for _ in range(30):
            cycles = numbers.randrange(3000)
            pieces.run(cycles)
            total += cycles
        whole.run(total)
        for name, register in self.known.items():
            self.assertEqual(whole.read(register["address"]),
                             pieces.read(register["address"]), name)

    def test_reach_a_freeze_after_which_registers_are_consistent(self):
        """The sample of the guide's 2.1.3: B-Box 1 overflows and freezes."""
        server = self.serve("--clock", "step", *TRAFFIC)
        console = self.console(*TRAFFIC)
        at = {n: r["address"] for n, r in self.known.items()}
        put = lambda name, **fields: (at[name], sum(
            field(self.known[name], f, v) for f, v in fields.items()))
        self.program(server, console, [
            put(GLOBAL, rst_all=1),
            put("BB1_CR_B_MSR_PERF_CTL1_REG", ev_sel=7, en=1, pmi_en=1),
            put("BB1_CR_B_MSR_PERF_GLOBAL_CTL", ctr_en=2),
            (at["BB1_CR_B_MSR_PERF_CNT1_REG"], (1 << 48) - 100),
            put(GLOBAL, frz_all=1, pmi_core_sel=8, en_all=1)])
        pmi = field(self.known[STATUS], "pmi", 1)
        for _ in range(400):
            self.assertEqual(server.run(500), console.run(500))
            status = server.read(at[STATUS])
            self.assertEqual(status, console.read(at[STATUS]))
            if status & pmi:
                break
        self.assertTrue(status & pmi)
        self.same_everywhere(server, console)
        count = server.read(at["BB1_CR_B_MSR_PERF_CNT1_REG"])
        server.run(5000)  # frozen: nothing counts any more
        self.assertEqual(server.read(at["BB1_CR_B_MSR_PERF_CNT1_REG"]), count)
        console.run(5000)
        # Writing while frozen, and arming it again.
        self.program(server, console, [
            (at["BB1_CR_B_MSR_PERF_CNT1_REG"], 5),
            put("U_MSR_PMON_GLOBAL_OVF_CTL", clr_pmi=1),
            put(GLOBAL, frz_all=1, pmi_core_sel=8, en_all=1)])
        self.assertEqual(server.run(5000), console.run(5000))
        self.same_everywhere(server, console)

    def test_that_are_no_numbers_do_nothing(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        fd = os.open(server.path("clock"), os.O_WRONLY)
        self.addCleanup(os.close, fd)
        for text in (b"\n", b" ", b"-1", b"+1", b"0x10", b"1.5", b"1e3",
                     b"12 13", b"12cycles", b"\xff", b"9" * 19, b"9" * 400,
                     b"18446744073709551616"):
            with self.assertRaises(OSError, msg=text) as caught:
                os.write(fd, text)
            self.assertEqual(caught.exception.errno, errno.EINVAL, text)
        self.assertEqual(server.cycle(), 0)
        for text in (b"7", b"7\n", b" 7 \r\n", b"007", b"7\0"):
            self.assertEqual(os.write(fd, text), len(text))
        self.assertEqual(server.cycle(), 35)

    def test_of_several_writers_follow_each_other(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        writers = [self.writer(server, 20000 + n) for n in range(4)]
        for writer in writers:
            self.assertEqual(writer.wait(timeout=PATIENCE_S), 0)
        self.assertEqual(server.cycle(), 80006)
        first = self.writer(server, FOR_EVER)
        until("the step is under way", lambda: server.cycle() > 80006)
        second = self.writer(server, 100)
        first.kill()
        self.assertEqual(second.wait(timeout=PATIENCE_S), 0)
        self.end(server)

    def test_end_when_their_writer_is_killed(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        writer = self.writer(server, FOR_EVER)
        until("the step is under way", lambda: server.cycle() > 0)
        writer.kill()
        self.assertEqual(writer.wait(timeout=PATIENCE_S), -9)
        self.assertTrue(self.stands_still(server))
        before = server.cycle()
        self.assertEqual(server.run(100), before + 100)
        self.end(server)

    def test_end_when_the_server_is_told_to_end(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        writer = self.writer(server, FOR_EVER)
        until("the step is under way", lambda: server.cycle() > 0)
        self.end(server)
        self.assertEqual(writer.wait(timeout=PATIENCE_S), errno.ECANCELED)

    def test_end_when_the_server_is_killed(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        writer = self.writer(server, FOR_EVER)
        until("the step is under way", lambda: server.cycle() > 0)
        server.process.kill()
        self.assertIn(writer.wait(timeout=PATIENCE_S),
                      (errno.ENOTCONN, errno.ECONNABORTED))
        server.wait()

    def test_end_when_their_writer_is_interrupted(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        writer = self.writer(server, FOR_EVER)
        until("the step is under way", lambda: server.cycle() > 0)
        writer.send_signal(signal.SIGUSR1)
        self.assertEqual(writer.wait(timeout=PATIENCE_S), errno.ECANCELED)
        self.assertTrue(self.stands_still(server))
        self.end(server)

    def test_of_a_workload_that_ends_go_on(self):
        server = self.serve("--clock", "step", *SHORT)
        for address, value in encode("cbox0/LLC_MISSES.ALL/"):
            server.write(address, value)
        until("the traffic has ended", lambda: server.run(20000) and
              server.status()["traffic"] == "ended")
        values = {n: server.read(r["address"])
                  for n, r in self.known.items() if n.startswith("CB0_")}
        accesses = server.status()["accesses"]
        cycle = server.cycle()
        self.assertEqual(server.run(50000), cycle + 50000)
        self.assertEqual(server.status()["accesses"], accesses)
        for name, value in values.items():
            self.assertEqual(server.read(self.known[name]["address"]), value,
                             name)
        self.end(server)


def hammer(folder, number, at, quit_):
    """One client: its own registers keep what it writes."""
    numbers = random.Random(number)
    names = ["CB%d_CR_C_MSR_PMON_CTR_%d" % (number, n) for n in range(6)]
    fd = os.open(os.path.join(folder, str(number), "msr"), os.O_RDWR)
    expected = {}
    for _ in range(ROUNDS):
        name = numbers.choice(names)
        expected[name] = numbers.getrandbits(48)
        os.pwrite(fd, struct.pack("<Q", expected[name]), at[name])
        name = numbers.choice(list(expected))
        found = struct.unpack("<Q", os.pread(fd, 8, at[name]))[0]
        if found != expected[name]:
            quit_.put("%s is 0x%x instead of 0x%x" % (name, found,
                                                     expected[name]))
            return
    quit_.put(None)


class Load(Case):
    def clients(self, server):
        at = {n: r["address"] for n, r in registers().items()}
        answers = multiprocessing.Queue()
        clients = [multiprocessing.Process(
            target=hammer, args=(server.folder, n, at, answers))
            for n in range(CLIENTS)]
        for client in clients:
            client.start()
        for _ in clients:
            self.assertIsNone(answers.get(timeout=PATIENCE_S))
        for client in clients:
            client.join()

    def test_eight_clients_read_what_they_wrote_while_a_step_runs(self):
        server = self.serve("--clock", "step", *TRAFFIC)
        writer = self.writer(server, FOR_EVER)
        until("the step is under way", lambda: server.cycle() > 0)
        before = server.cycle()
        self.clients(server)
        self.assertIsNone(writer.poll())
        self.assertGreater(server.cycle(), before)
        writer.kill()
        writer.wait()
        self.end(server)

    def test_eight_clients_read_what_they_wrote_while_time_runs(self):
        server = self.serve("--clock", "free", *TRAFFIC)
        self.clients(server)
        status = server.status()
        self.assertEqual(status["faults"], "0")
        self.assertGreaterEqual(int(status["writes"]), CLIENTS * ROUNDS)
        self.end(server)

    def test_a_client_killed_while_it_writes_leaves_a_whole_value(self):
        server = self.serve("--clock", "free", *TRAFFIC)
        address = registers()["CB2_CR_C_MSR_PMON_CTR_0"]["address"]
        program = ("import os, sys\n"
                   "fd = os.open(sys.argv[1], os.O_WRONLY)\n"
                   "n = 0\n"
                   "while True:\n"
                   "    n = (n + 1) & 0xffffff\n"
                   "    os.pwrite(fd, (n << 24 | n).to_bytes(8, 'little'), "
                   "%d)\n"
                   "    if n == 3: print('go', flush=True)\n" % address)
        for _ in range(5):
            client = subprocess.Popen(
                [sys.executable, "-c", program, server.path(2, "msr")],
                stdout=subprocess.PIPE)
            client.stdout.readline()
            client.kill()
            client.wait()
            client.stdout.close()
            value = server.read(address)
            self.assertEqual(value >> 24, value & 0xFFFFFF)
        self.end(server)


class Running(Case):
    def test_real_time_is_followed_and_the_lag_is_told(self):
        server = self.serve("--clock", "real", "--workload", "idle")
        first = server.cycle()
        until("time passes", lambda: server.cycle() > first)
        for words in ((), TRAFFIC):
            if words:
                server = self.serve("--clock", "real", *words)
            until("some time has passed",
                  lambda: float(server.status()["wall_seconds"]) > 0.2)
            status = server.status()
            modelled, wall, lag = (float(status[k + "_seconds"]) for k in
                                   ("modelled", "wall", "lag"))
            # Never ahead of wall time by more than a slice, and what it is
            # behind is the lag.
            self.assertLess(modelled, wall + 0.05)
            self.assertAlmostEqual(max(0, wall - modelled), lag, 4)
            self.assertAlmostEqual(
                int(status["cycle"]) / float(status["clock_hz"]), modelled, 4)
        self.end(server)


if __name__ == "__main__":
    need_fuse()
    unittest.main()
