#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The processors that a program sees under `uncore stat` are the modelled
machine's, by whatever way it asks, and no two ways contradict each other; with
--cpus=host they are the host's. Threads that wait for another one cost turns as
the logarithm of how long they wait."""
import os
import shutil
import subprocess
import tempfile
import unittest

import sandbox
from counting import MISSES, TIMEOUT, UNCORE, program, stat

# Cores of a socket: Xeon E7-4870, X7560, E5-2690 (Intel ARK).
CORES = {"xeon-e7": 10, "xeon-7500": 8, "xeon-e5-2600": 8}
EVENTS = {"xeon-e7": MISSES, "xeon-7500": MISSES,
          "xeon-e5-2600": "cbo/LLC_LOOKUP.DATA_READ/"}
CPU = "/sys/devices/system/cpu/"
HERE = os.sched_getaffinity(0)
FEW = 200000  # additions
PART = 8  # of a long wait, after which who spins looks again


def said(command, *options, machine="xeon-e7"):
    """The lines that the program prints."""
    _, ran = stat(command, (EVENTS[machine],), *options, machine=machine)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return ran.stdout.splitlines()


def numbers(*options, **machine):
    lines = said(program("traffic_cpus", "cpus"), *options, **machine)
    return {line.split()[0]: int(line.split()[1]) for line in lines}


class Number(unittest.TestCase):
    def check(self, number, *options, **machine):
        self.assertEqual(set(numbers(*options, **machine).values()), {number})

    def test_is_the_modelled_machines(self):
        for machine, cores in CORES.items():
            for sockets in (1, 2):
                with self.subTest(machine, sockets=sockets):
                    self.check(sockets * cores, "-N", str(sockets),
                               machine=machine)

    def test_of_cores_that_were_asked_for(self):
        self.check(6, "-N", "1", "-S", "cores=6")

    def test_is_the_hosts(self):
        seen = numbers("--cpus=host")
        self.assertEqual(seen["affinity"], len(HERE))
        self.assertEqual(seen["configured"], os.sysconf("SC_NPROCESSORS_CONF"))

    def test_is_the_hosts_where_there_is_no_room_to_show_others(self):
        """And that is said."""
        with tempfile.TemporaryDirectory() as folder:
            room = ["unshare", "--user", "--map-root-user", "--mount", "sh",
                    "-c", "mount -t tmpfs -o size=64k none %s && "
                    "TMPDIR=%s exec \"$@\"" % (folder, folder), "sh"]
            if subprocess.run(room + ["true"], capture_output=True,
                              check=False).returncode:
                self.skipTest("no folder of a size can be made here")
            ran = subprocess.run(
                room + [UNCORE, "stat", "-e", MISSES, "--", "grep", "-c",
                        "^processor", "/proc/cpuinfo"], capture_output=True,
                text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.split()[0],
                         str(os.sysconf("SC_NPROCESSORS_CONF")))
        self.assertIn("no room below %s" % folder, ran.stderr)

    def test_of_another_process(self):
        seen = said(("sh", "-c", "taskset -pc $$; taskset -pc 2,14 $$; nproc"))
        self.assertEqual([line.split(": ")[-1] for line in seen],
                         ["0-19", "0-19", "2,14", "2"])

    def test_by_commands(self):
        self.assertEqual(said(("sh", "-c", "nproc; nproc --all; "
                               "getconf _NPROCESSORS_ONLN")), ["20"] * 3)
        self.assertEqual(said(("taskset", "-c", "3,5", "sh", "-c",
                               "nproc; grep Cpus_allowed_list /proc/self/status")),
                         ["2", "Cpus_allowed_list:\t3,5"])

    @unittest.skipUnless(shutil.which("lstopo"), "there is no lstopo")
    def test_by_lstopo(self):
        text = "\n".join(said(("lstopo", "--of", "console", "--no-io")))
        for what, number in (("Package", 2), ("NUMANode", 2), ("L3", 2),
                             ("Core", 20), ("PU", 20)):
            self.assertEqual(text.count(what + " L#"), number, what)
        self.assertEqual(text.count("L3 L#0 (30MB)"), 1)

    @unittest.skipUnless(shutil.which("gcc"), "there is no gcc")
    def test_of_openmp(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "omp.c")
            with open(source, "w", encoding="ascii") as file:
                file.write("#include <omp.h>\n#include <stdio.h>\n"
                           "int main(void)\n{\n\tint num = 0;\n"
                           "#pragma omp parallel reduction(+ : num)\n"
                           "\tnum++;\n"
                           "\tprintf(\"%d %d\\n\", omp_get_num_procs(), num);\n"
                           "}\n")
            made = subprocess.run(["gcc", "-O2", "-fopenmp", source, "-o",
                                   source[:-2]], check=False)
            if made.returncode:
                self.skipTest("gcc has no OpenMP")
            self.assertEqual(said((source[:-2],)), ["20 20"])


class Files(unittest.TestCase):
    def test_agree_by_every_call(self):
        link = "../../../devices/system/cpu/cpu17"
        rows = {
            CPU + "online": "file 1 1 1 -",
            CPU + "cpu19": "folder 1 1 1 -",
            CPU + "cpu19/topology/core_id": "file 1 1 1 -",
            CPU + "cpu20": "none 0 0 0 -",
            CPU + "cpu20/topology": "none 0 0 0 -",
            "/sys/bus/cpu/devices/cpu17": "folder 1 1 1 " + link,
            "/sys/devices//system/./cpu/cpu19": "folder 1 1 1 -",
            "/proc/cpuinfo": "file 1 1 1 -",
            "/sys/devices/system/node/node1/cpu12/topology": "folder 1 1 1 -",
            "/sys/devices/system/node/node2": "none 0 0 0 -",
        }
        self.assertEqual(said(program("traffic_cpus", "paths", *rows)),
                         list(rows.values()))

    def test_say_who_is_beside_whom(self):
        rows = {"possible": "0-19", "present": "0-19", "online": "0-19",
                "cpu13/topology/physical_package_id": "1",
                "cpu13/topology/core_id": "3",
                "cpu13/topology/core_siblings_list": "10-19",
                "cpu13/topology/thread_siblings_list": "13",
                "cpu13/topology/core_siblings": "000ffc00",
                "cpu13/cache/index0/shared_cpu_list": "13",
                "cpu13/cache/index3/shared_cpu_list": "10-19",
                "cpu13/cache/index3/size": "30720K",
                "cpu13/cache/index0/size": "32K",
                "cpu13/cache/index0/type": "Data"}
        self.assertEqual(said(("cat", *(CPU + name for name in rows))),
                         list(rows.values()))

    def test_say_which_processor(self):
        lines = said(("cat", "/proc/cpuinfo"))
        first = dict(line.replace("\t", "").split(": ", 1)
                     for line in lines[:lines.index("")] if ": " in line)
        self.assertEqual((first["cpu family"], first["model"]), ("6", "47"))
        self.assertEqual((first["siblings"], first["cpu cores"]), ("10", "10"))
        self.assertEqual(first["cpu MHz"], "2400.000")
        self.assertEqual(first["cache size"], "30720 KB")
        flags = first["flags"].split()
        self.assertTrue({"sse4_2", "aes", "popcnt", "lm"} <= set(flags))
        self.assertFalse({"avx", "avx2", "ht2"} & set(flags))

    def test_are_not_written(self):
        _, ran = stat(("sh", "-c", "echo 0 > %scpu3/topology/core_id" % CPU),
                      (MISSES,))
        self.assertNotEqual(ran.returncode, 0)

    def test_leave_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in (("nproc",), ("cat", CPU + "online"),
                            ("sh", "-c", "cat %sonline; kill -9 $$" % CPU)):
                subprocess.run([UNCORE, "stat", "-e", MISSES, "--", *command],
                               env=dict(os.environ, TMPDIR=folder),
                               capture_output=True, timeout=TIMEOUT,
                               check=False)
                self.assertEqual(os.listdir(folder), [], command)

    def test_what_a_killed_run_left_goes_with_the_next(self):
        """As long as it lives it has its folder; who is killed cannot remove
        it, so the next run does."""
        words = (UNCORE, "stat", "-e", MISSES, "--", "sh", "-c",
                 "cat %sonline; read end" % CPU)
        with tempfile.TemporaryDirectory() as folder:
            place = dict(os.environ, TMPDIR=folder)
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE,
                     "stderr": subprocess.DEVNULL, "env": place}
            with subprocess.Popen(words, **pipes) as first, \
                    subprocess.Popen(words, **pipes) as second:
                first.stdout.readline()
                second.stdout.readline()
                self.assertEqual(len(os.listdir(folder)), 2)
                first.kill()
                first.wait()
                first.stdout.read()
                # Its program has closed that and may be still ending.
                for _ in range(10):
                    subprocess.run((UNCORE, "stat", "-e", MISSES, "--",
                                    "true"), env=place, capture_output=True,
                                   timeout=TIMEOUT, check=True)
                    if len(os.listdir(folder)) == 1:
                        break
                self.assertEqual(len(os.listdir(folder)), 1)
                second.communicate(b"end\n", timeout=TIMEOUT)
                self.assertEqual(os.listdir(folder), [])

    def test_words_that_are_possible(self):
        for words, message in ((("--cpus=four", "--", "true"), "model, host"),
                               (("--cpus=host", "-w", "idle"),
                                "--cpus is for a PROGRAM")):
            ran = subprocess.run([UNCORE, "stat", *words], capture_output=True,
                                 text=True, timeout=TIMEOUT, check=False)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(message, ran.stderr)


class Waiting(unittest.TestCase):
    """Nineteen threads wait for one that adds."""
    THREADS = 19

    def wait(self, how, additions):
        """Ticks, those by which the end was noticed late, those since the first
        waits; instructions of who waits."""
        executed, told = [], []
        for threads in (0, self.THREADS):
            report, ran = stat(program("traffic_cpus", how, additions, threads),
                               (MISSES,))
            executed.append(report["instructions"])
            told = [int(word) for word in ran.stdout.split()]
        return [*told, executed[1] - executed[0]]

    def check(self, how):
        short, _, _, few = self.wait(how, FEW)
        long, late, waited, many = self.wait(how, 8 * FEW)
        self.assertAlmostEqual(long / short, 8, delta=1)
        # ln(8) / ln(1 + 1/8) rounds a thread, some 18; if they looked in all
        # rounds of ten cycles it would be a hundred times as many as this
        self.assertLess(many - few, (long - short) / 10 * self.THREADS / 100)
        # an eighth, and what the turns of eighteen others add
        self.assertLess(late, waited / PART * 1.5)

    def test_in_a_loop_with_pause(self):
        self.check("spin")

    @unittest.skipUnless(sandbox.LONG, "the suite long has it")
    def test_in_a_loop_that_yields(self):
        self.check("yield")


if __name__ == "__main__":
    unittest.main()
