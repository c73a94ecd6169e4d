#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore stat` on a served model counts what `uncore stat` counts in its own
# process: same workload, stepped clock, every number the same, through the
# socket and through register files. Also the options around it, the example
# program of docs/formats.md, and PMIs beside those of the console.

import fcntl
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
SOURCE = os.environ.get("UNCORE_SOURCE", ".")
WORKLOAD = ("random:threads=8,place=scatter,shared=1,size=2M,count=500,"
            "write=33,seed=5")
# At least two events of each type of box, with filters of both kinds, sub-
# controls, thresholds and edges; the W-Box has one that is modelled, the U-Box
# none. The events of a list fit into the counters together.
LISTS = (
    ("cbox/LLC_MISSES.ALL/", "cbox/OCCUPANCY_MAF,threshold=2,edge/",
     "bbox/IMT_VALID_OCCUPANCY/", "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdData/",
     "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdData/", "sbox/REQ_TBL_OCCUPANCY.ALL/",
     "mbox/FVC_EV0.BBOX_CMDS.READS/", "mbox/PAGE_MISS/",
     "mbox/CYCLES_DSP_FILL.WRQ_EMPTY/", "rbox/FLITS_SENT,port=qpi0/",
     "rbox/QUE_ARB_BID.HOM,port=sbox0/", "wbox/FIXED_CTR/"),
    ("bbox/MSG_ADDR_IN_MATCH,mc=HOM0,addr=0,addr_mask=1/",
     "cbox/SNPS.REMOTE_RD/", "sbox/TO_R_B_REQUESTS.ALL/",
     "sbox/TO_R_SNP_MSGQ_OCCUPANCY,threshold=1,invert/",
     "rbox/DRS.AnyDataC,port=sbox0/", "rbox/GLOBAL_ARB_BID.DRS,port=sbox0/",
     "mbox/DRAM_CMD.RAS/", "mbox/BCMD_SCHEDQ_OCCUPANCY/"),
)
DEAD = re.compile(r"^uncore: .*(has ended|is dead|is gone)[^\n]*\n$")
NOBODY = 65534
# Codes of answers: UNCORE_ERR_DIED, and one that is none.
DIED, UNKNOWN = -25, -1000


def can_mount():
    return os.path.exists("/dev/fuse") and shutil.which("fusermount3")


class Server:
    """One `uncore model serve` until the test is over. A clock that runs is
    not checked: all that an idle memory does would be looked at, second after
    second."""

    def __init__(self, test, *words, msr=False):
        self.folder = tempfile.mkdtemp(prefix="uncore-stat-")
        self.path = os.path.join(self.folder, "s")
        line = [UNCORE, "model", "serve", "--socket", self.path,
                "--log", os.path.join(self.folder, "log")]
        if "--clock=step" in words:
            line += ["--check"]
        if msr:
            self.tree = os.path.join(self.folder, "msr")
            os.mkdir(self.tree)
            line += ["--msr", self.tree]
        self.process = subprocess.Popen(line + list(words), text=True,
                                        stdout=subprocess.PIPE)
        test.addCleanup(self.close)
        test.assertIn("ready", self.process.stdout.readline())

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def on(self):
        return "--on=socket:" + self.path


def stat(*words):
    return subprocess.run([UNCORE, "stat"] + list(words), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


def numbers(*words):
    """Everything that was counted, box by box, and the cycles."""
    ran = stat("--json", "--log-fd=1", "--per-box", *words)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    report = json.loads(ran.stdout)
    return ([(c["event"], c["socket"], c["box"], c["value"])
             for c in report["counts"]],
            report["uncore_cycles"], report["simulated_seconds"],
            report["origin"])


def events(texts):
    return [word for text in texts for word in ("-e", text)]


class SameCounts(unittest.TestCase):
    def check(self, sockets, texts, *span):
        machine = ("-N", str(sockets), "-w", WORKLOAD)
        here = numbers(*machine, *events(texts), *span)
        server = Server(self, "--clock=step", *machine)
        there = numbers(server.on(), *events(texts), *span)
        self.assertEqual(here[:3], there[:3])
        self.assertEqual(here[3], "model")
        self.assertEqual(there[3], "socket:" + server.path)
        # A comparison of zeros would prove nothing.
        for text in texts:
            if sockets > 1:
                self.assertTrue(any(c[3] for c in here[0] if c[0] == text),
                                text)
        server.close()

    def test_to_the_end_of_the_traffic_on_one_socket(self):
        for texts in LISTS:
            self.check(1, texts)

    def test_to_the_end_of_the_traffic_on_two_sockets(self):
        for texts in LISTS:
            self.check(2, texts)

    def test_for_exactly_so_many_cycles(self):
        self.check(2, LISTS[0], "--cycles=54321")
        self.check(1, LISTS[1], "--cycles=1")

    def test_the_summary_is_the_same(self):
        machine = ("-N", "2", "-w", WORKLOAD)
        here = json.loads(stat("--json", *machine).stdout)
        server = Server(self, "--clock=step", *machine)
        there = json.loads(stat("--json", server.on()).stdout)
        for key in ("counts", "uncore_cycles"):
            self.assertEqual(here[key], there[key])
        for mine, other in zip(here["metrics"], there["metrics"], strict=True):
            if mine["name"] in ("instructions", "llc_mpki"):
                # no register of the uncore counts them
                self.assertIsNone(other["value"])
            else:
                self.assertEqual(mine, other)

    @unittest.skipUnless(can_mount(), "no /dev/fuse")
    def test_through_register_files_too(self):
        machine = ("-N", "2", "-w", WORKLOAD)
        here = numbers(*machine, *events(LISTS[0]))
        server = Server(self, "--clock=step", *machine, msr=True)
        there = numbers("--on=msr:" + server.tree, *events(LISTS[0]))
        self.assertEqual(here[:2], there[:2])
        self.assertEqual(there[3], "msr:" + server.tree)

    @unittest.skipUnless(can_mount(), "no /dev/fuse")
    def test_register_files_whose_server_dies(self):
        server = Server(self, "--clock=step", msr=True)
        ran = stat("--on=msr:" + server.tree, "-e", "wbox/FIXED_CTR/", "--",
                   "kill", "-9", str(server.process.pid))
        subprocess.run(["fusermount3", "-uqz", server.tree], check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, DEAD)

    @unittest.skipUnless(can_mount(), "no /dev/fuse")
    def test_register_files_whose_server_dies_meanwhile(self):
        server = Server(self, "--clock=free", msr=True)
        client = subprocess.Popen(
            [UNCORE, "stat", "--on=msr:" + server.tree, "-e",
             "wbox/FIXED_CTR/", "--duration=600"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_enable(server.path)
        server.process.kill()
        out, err = client.communicate(timeout=60)
        subprocess.run(["fusermount3", "-uqz", server.tree], check=False)
        self.assertEqual((client.returncode, out), (1, ""))
        self.assertRegex(err, DEAD)

    @unittest.skipUnless(can_mount(), "no /dev/fuse")
    def test_two_doors_of_one_model(self):
        server = Server(self, "--clock=step", "-w", WORKLOAD, msr=True)
        for on in (server.on(), "--on=msr:" + server.tree):
            count = numbers(on, "-e", "wbox/FIXED_CTR/", "--cycles=1000")
            self.assertEqual([c[3] for c in count[0]], [1000, 1000])

    def test_a_workload_that_ends_while_the_clock_runs(self):
        # Every access of the traffic is counted, whenever the client looks.
        workload = "random:threads=2,size=64M,count=40000"
        here = numbers("-w", workload, "-e", "cbox/TRANS_IRQ/")
        server = Server(self, "--clock=step", "-w", workload)
        there = numbers(server.on(), "-e", "cbox/TRANS_IRQ/", "--",
                        sys.executable, "-c", PASS_ALL, server.path)
        self.assertEqual(here[0], there[0])


# A program that counts nothing itself and lets the traffic pass.
PASS_ALL = """
import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(struct.pack("<IHHIi8sHHI", 32, 1, 0, 1, 0, b"uncore\\r\\n", 1, 1, 0))
s.recv(192, socket.MSG_WAITALL)
s.sendall(struct.pack("<IHHIiQ", 24, 3, 0, 2, 0, 30000000))
s.recv(24, socket.MSG_WAITALL)
"""


class Options(unittest.TestCase):
    def refused(self, sentence, *words):
        ran = stat(*words)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn(sentence, ran.stderr)
        self.assertEqual(ran.stdout, "")

    def test_what_does_not_fit_is_refused(self):
        server = Server(self, "--clock=step")
        self.refused("--workload is for", server.on(), "-w", "idle")
        self.refused("--sockets is for", server.on(), "-N", "1")
        self.refused("--set is for", server.on(), "-S", "cores=8")
        self.refused("not several", server.on(), "--cycles=1", "true")
        self.refused("use --cycles", server.on(), "--duration=1")
        self.refused("no number of seconds", server.on(), "--duration=soon")
        self.refused("is not a number", server.on(), "--cycles=many")
        self.refused("'socket:PATH'", "--on=socket:", "true")
        self.refused("'socket:PATH'", "--on=nowhere", "true")
        self.refused("for workloads", "--cycles=5", "--on=model", "true")
        self.refused("is not modelled", server.on(), "-e",
                     "mbox/FVID_RACE/", "true")

    def test_a_clock_that_runs(self):
        server = Server(self, "--clock=free")
        self.refused("runs by itself", server.on(), "--cycles=1")
        for span in (["--duration=0.1"], ["true"]):
            found = numbers(server.on(), "-e", "wbox/FIXED_CTR/", *span)
            # Both sockets start and stop at one cycle, and that is told.
            first, second = [c[3] for c in found[0]]
            self.assertEqual(first, second)
            self.assertEqual(first, found[1])

    def test_the_exit_status_is_the_programs(self):
        server = Server(self, "--clock=step")
        self.assertEqual(stat(server.on(), "sh", "-c", "exit 7").returncode, 7)

    def test_a_server_that_is_not_there(self):
        folder = tempfile.mkdtemp(prefix="uncore-stat-")
        self.addCleanup(shutil.rmtree, folder)
        for on in ("socket:" + folder + "/none", "msr:" + folder + "/none"):
            ran = stat("--on=" + on, "-e", "wbox/FIXED_CTR/", "true")
            self.assertEqual(ran.returncode, 1)
            self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)

    def test_a_folder_of_all_that_somebody_has_locked(self):
        """As anybody can lock /tmp. Of one's own folder it is different."""
        if os.geteuid():
            self.skipTest("a folder of another user takes root to make")
        folder = tempfile.mkdtemp(prefix="uncore-stat-")
        self.addCleanup(shutil.rmtree, folder)
        lock = os.open(folder, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        line = [UNCORE, "model", "serve", "--socket", folder + "/s"]
        refused = subprocess.run(line, text=True, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("has locked the folder", refused.stderr)
        os.chmod(folder, 0o1777)
        os.chown(folder, NOBODY, NOBODY)
        server = subprocess.Popen(line, text=True, stdout=subprocess.PIPE)
        self.addCleanup(server.wait)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.terminate)
        self.assertIn("ready", server.stdout.readline())

    def test_a_server_that_dies_is_one_sentence(self):
        for span in (["--", "sleep", "2"], ["--cycles=100000000000"], [],
                     ["--duration=600"]):
            clock = "free" if "--duration=600" in span else "step"
            server = Server(self, "--clock=" + clock, "-w",
                            "random:threads=2,count=1000000000")
            client = subprocess.Popen(
                [UNCORE, "stat", server.on(), "-e", "wbox/FIXED_CTR/"] + span,
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for_enable(server.path)
            server.process.kill()
            out, err = client.communicate(timeout=60)
            self.assertEqual(client.returncode, 1)
            self.assertRegex(err, DEAD)
            self.assertEqual(out, "")

    def test_it_is_told_whenever_the_server_goes(self):
        """Before and after each of the requests of a run."""
        for span in (["--", "true"], ["--cycles=30000"]):
            for late in (False, True):
                for num in range(1, 100):
                    server = Server(self, "--clock=step", "-w",
                                    "random:threads=2,count=100000")
                    path = Cutter(self, server, num, late).path
                    ran = stat("--on=socket:" + path, "-e", "wbox/FIXED_CTR/",
                               *span)
                    if not ran.returncode:
                        break
                    self.assertEqual(ran.returncode, 1)
                    self.assertRegex(ran.stderr, DEAD)
                self.assertGreater(num, 10)
                self.assertLess(num, 99)

    def test_a_broken_server_is_named(self):
        for kind, name in enumerate(("HELLO", "BATCH", "STEP", "STATUS",
                                     "COUNTS"), 1):
            for code in (DIED, UNKNOWN, 1):
                with self.subTest(kind=name, code=code):
                    liar = Liar(self, Server(self, "--clock=step"), kind, code)
                    ran = stat("--on=socket:" + liar.path, "--cycles=1000",
                               "-e", "cbox/LLC_MISSES.ALL/")
                    self.assertEqual(ran.returncode, 1)
                    self.assertIn(liar.path, ran.stderr)
                    self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)


class Liar:
    """Between a server and its client: the first answer of a kind has a code
    that no server gives."""

    def __init__(self, test, server, kind, code):
        self.server, self.kind, self.code = server, kind, code
        self.path = server.path + "-liar"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        test.addCleanup(os.unlink, self.path)
        test.addCleanup(self.thread.join)
        test.addCleanup(self.listener.close)

    def run(self):
        client = self.listener.accept()[0]
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.server.path)
        with client, server:
            try:
                while self.pass_on(client, server, False) and \
                        self.pass_on(server, client, True):
                    pass
            except ConnectionError:
                pass

    def pass_on(self, giver, taker, may_lie):
        head = giver.recv(16, socket.MSG_WAITALL)
        if len(head) < 16:
            return False
        size, kind = struct.unpack("<IH10x", head)
        if may_lie and kind == self.kind:
            head = head[:12] + struct.pack("<i", self.code)
        taker.sendall(head + giver.recv(size - 16, socket.MSG_WAITALL))
        return True


class Cutter(Liar):
    """Between them, too: ends both connections at a request, before it is
    passed on or after."""

    def __init__(self, test, server, num, late):
        self.num, self.late = num, late
        super().__init__(test, server, 0, 0)

    def pass_on(self, giver, taker, may_lie):
        self.num -= may_lie == self.late
        return self.num > 0 and super().pass_on(giver, taker, may_lie)


class Client:
    """The protocol, as little of it as is needed here."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.send(1, struct.pack("<8sHHI", b"uncore\r\n", 1, 1, 0))
        self.receive()

    def send(self, kind, body):
        self.socket.sendall(struct.pack("<IHHIi", 16 + len(body), kind, 0, 1,
                                        0) + body)

    def receive(self):
        size, kind = struct.unpack("<IH10x", self.socket.recv(
            16, socket.MSG_WAITALL))
        return kind, self.socket.recv(size - 16, socket.MSG_WAITALL)

    def batch(self, *accesses):
        body = struct.pack("<IIQ", len(accesses), 0, 0)
        for address, value in accesses:
            body += struct.pack("<IIIiQ", 0, address, value is not None, 0,
                                value or 0)
        self.send(2, body)
        answer = self.receive()[1][16:]
        return [op[4] for op in struct.iter_unpack("<IIIiQ", answer)]

    def close(self):
        self.socket.close()


def addresses():
    listing = subprocess.run([UNCORE, "registers", "--json"], check=True,
                             stdout=subprocess.PIPE).stdout
    return {r["name"]: r for r in json.loads(listing)}


def wait_for_enable(path):
    """Returns when somebody counts."""
    client = Client(path)
    control = addresses()["U_MSR_PMON_GLOBAL_CTL"]["address"]
    end = time.monotonic() + 60
    while not client.batch((control, None))[0] and time.monotonic() < end:
        pass
    client.close()


class Protocol(unittest.TestCase):
    def test_the_program_of_the_document(self):
        with open(os.path.join(SOURCE, "docs/formats.md"),
                  encoding="utf-8") as text:
            program = re.search(r"```python\n(.*?)```", text.read(),
                                re.S).group(1)
        self.assertLess(len([l for l in program.split("\n") if l.strip()]), 24)
        workload = "random:threads=4,count=100000"
        server = Server(self, "--clock=step", "--workload", workload)
        ran = subprocess.run([sys.executable, "-c", program, server.path],
                             stdout=subprocess.PIPE, text=True, timeout=60,
                             check=True)
        here = numbers("-w", workload, "-e", "cbox0/LLC_MISSES.ALL/",
                       "--cycles=100000")
        self.assertEqual(int(ran.stdout), here[0][0][3])
        self.assertGreater(int(ran.stdout), 0)

    def test_pmis_are_those_of_the_console(self):
        registers = addresses()

        def bits(register, **fields):
            return sum(value << f["low"] for name, value in fields.items()
                       for f in registers[register]["fields"]
                       if f["name"] == name)

        writes = [(registers[name]["address"],
                   value if isinstance(value, int) else bits(name, **value))
                  for name, value in (
            ("U_MSR_PMON_GLOBAL_CTL", {"rst_all": 1}),
            ("BB1_CR_B_MSR_PERF_CTL1_REG", {"ev_sel": 7, "en": 1,
                                            "pmi_en": 1}),
            ("BB1_CR_B_MSR_PERF_GLOBAL_CTL", {"ctr_en": 2}),
            ("BB1_CR_B_MSR_PERF_CNT1_REG", (1 << 48) - 300),
            ("U_MSR_PMON_GLOBAL_CTL", {"frz_all": 1, "pmi_core_sel": 1 << 3,
                                       "en_all": 1}))]
        machine = ("-N", "2", "-w", WORKLOAD)
        lines = ["wrmsr 0 %d %d" % write for write in writes]
        console = subprocess.run([UNCORE, "model", "console", *machine],
                                 input="\n".join(lines + ["run 50000", "pmi"]),
                                 text=True, stdout=subprocess.PIPE,
                                 timeout=60).stdout.split("\n")
        expected = tuple(int(word) for word in console[len(lines) + 1].split())

        server = Server(self, "--clock=step", *machine)
        client = Client(server.path)
        self.addCleanup(client.close)
        client.send(6, struct.pack("<II", 1, 0))
        self.assertEqual(client.receive()[0], 6)
        client.batch(*writes)
        client.send(3, struct.pack("<Q", 50000))
        kind, body = client.receive()
        self.assertEqual(kind, 64)
        self.assertEqual(struct.unpack("<IIQ", body[:16]), expected)
        kind, body = client.receive()
        self.assertEqual((kind, struct.unpack("<Q", body)[0]), (3, 50000))


if __name__ == "__main__":
    unittest.main(verbosity=2)
