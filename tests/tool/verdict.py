#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What `uncore stat` says first: of programs that have one fault each
(examples/faults), of the same ones mended, and of such as have none. Which rule
has to hold follows from what the program does, and not from any number."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import sandbox

MACHINES = ("xeon-e7", "xeon-e5-2600")
FAULTS = os.path.join(sandbox.SOURCE, "examples/faults")
# A program, how it is compiled, options, the rule that its fault is for, and what
# stands in the line that allocates the memory.
PROGRAMS = (
    ("heap_sharing.cc", ["g++", "-pthread"], [], "shared_lines", "make_unique<"),
    ("first_touch.c", ["gcc", "-fopenmp"], ["--place=scatter"], "remote",
     "= malloc("),
    ("stride.c", ["gcc"], [], "stride", "aligned_alloc("),
)
# What has no fault, and what may be said of it all the same.
NONE = (
    (["gzip", "-kf", "big.txt"], {"computing"}),
    (["sort", "-n", "-o", "sorted.txt", "big.txt"], {"computing"}),
    (["true"], set()),
)
LINE = 79
STRIPPED = r"malloc < memory\+0x[0-9a-f]+\+0x[0-9a-f]+"
MEMORY = r"""#include <stdlib.h>
#include <uncore/mark.h>
enum { N = 1 << 21 };
static void walk(char *at) { for (long i = 0; i < N; i += 64) at[i]++; }
int main(void)
{
    char *one = malloc(N);
    char *two = malloc(N);
    uncore_region_begin("alone");
    walk(one);
    uncore_region_end("alone");
    uncore_region_begin("both");
    walk(two), walk(two), walk(one), walk(two);
    uncore_region_end("both");
    return 0;
}
"""
# Four counts of 16 bytes in two lines, since they begin in the middle of one;
# with locks, each of which fetches its line anew.
COUNTS = """#include <pthread.h>
asm(".bss; .balign 64; .skip 32; .globl counts; .type counts, @object;"
    "counts: .skip 64; .size counts, 64; .skip 32; .text");
extern long counts[8];
static void *count(void *mine)
{
	for (int i = 0; i < 20000; i++)
		__atomic_fetch_add((long *)mine, 1, __ATOMIC_RELAXED);
	return mine;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], 0, count, &counts[2 * i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	return 0;
}
"""


class Verdict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        with open(cls.path("big.txt"), "w") as text:
            for i in range(20000):
                text.write("%d a line to be sorted\n" % (i * 7919 % 20000))

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.holder.name, name)

    def stat(self, *words):
        ran = subprocess.run([sandbox.UNCORE, "stat", *words], text=True,
                             cwd=self.holder.name, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stderr

    def said(self, machine, options, words):
        out = self.path("stat.json")
        self.stat("-m", machine, "--json", "--replace", "-o", out, *options, "--", *words)
        with open(out) as text:
            return json.load(text)

    def rules(self, *how):
        return [row["rule"] for row in self.said(*how).get("verdict", [])]

    def compiled(self, name, compiler, *options):
        if not shutil.which(compiler[0]):
            self.skipTest("no " + compiler[0])
        program = self.path(name + "".join(options))
        subprocess.run([*compiler, "-O2", "-g", *options, "-o", program,
                        os.path.join(FAULTS, name)], check=True)
        return program

    def test_faults_are_named_first(self):
        for row in PROGRAMS:
            for machine in MACHINES:
                with self.subTest(program=row[0], machine=machine):
                    self.check(machine, *row)

    def check(self, machine, name, compiler, options, rule, allocates):
        said = self.said(machine, options, [self.compiled(name, compiler)])["verdict"]
        self.assertEqual(said[0]["rule"], rule)
        with open(os.path.join(FAULTS, name)) as text:
            lines = ["%s:%d < main" % (name, number)
                     for number, line in enumerate(text, 1) if allocates in line]
        self.assertTrue([line for line in lines if line in said[0]["text"]],
                        (lines, said[0]["text"]))
        self.assertLessEqual(len(said), 3)
        said = self.rules(machine, options,
                          [self.compiled(name, compiler, "-DMENDED")])
        self.assertFalse({row[3] for row in PROGRAMS} & set(said))

    def test_whose_memory_regions_use(self):
        """Of an array that one region alone uses, and one that has three
        quarters of another region's accesses."""
        source = self.path("memory.c")
        with open(source, "w", encoding="ascii") as text:
            text.write(MEMORY)
        program = self.path("memory")
        subprocess.run(["gcc", "-O1", "-g", "-I",
                        os.path.join(sandbox.SOURCE, "include"), "-o", program,
                        source], check=True)
        for words, first, second in (
                ([], "malloc at memory.c:7 < main", "malloc at memory.c:8 < main"),
                (["strip", program], STRIPPED, STRIPPED)):
            subprocess.run(words or ["true"], check=True)
            told = self.said("xeon-e7", ["-M", "memory_read"], [program])
            alone, both = (row["memory"] for row in told["regions"])
            self.assertRegex(alone["site"], "^%s$" % first)
            self.assertRegex(both["site"], "^%s$" % second)
            self.assertNotEqual(alone["site"], both["site"])
            self.assertGreater(alone["part"], 0.97)
            # 4 standard errors of some 2,000 looks
            self.assertAlmostEqual(both["part"], 0.75, delta=0.04)
            out = self.stat("-M", "memory_read", "--", program)
            self.assertIn("% of the accesses beyond the private caches are to "
                          "memory of " + alone["site"] + ".",
                          " ".join(out.split()))

    def test_nothing_is_said_where_nothing_is_sure(self):
        for words, may in NONE:
            # its L2s of 1 MB keep what sort's threads hand on to each other
            more = ("xeon-platinum-8180",) if words[0] == "sort" else ()
            for machine in (*MACHINES, *more):
                with self.subTest(program=words[0], machine=machine):
                    said = self.rules(machine, [], words)
                    self.assertLessEqual(set(said), may)

    def test_what_memory_does_to_workloads(self):
        for workload, rule in (("chase:threads=1,size=64M,passes=1", "latency"),
                               ("stream:threads=8,size=48M", "bandwidth")):
            out = self.path("stat.json")
            self.stat("-m", "xeon-e5-2600", "-N1", "--json", "--replace", "-o", out, "-w",
                      workload + (",count=8" if rule == "bandwidth" else ""))
            with open(out) as text:
                said = json.load(text)["verdict"]
            self.assertEqual(said[0]["rule"], rule, workload)
            # what samples is of another machine, what counts of this one
            self.assertEqual("-m xeon-e5-2600" in said[0]["command"],
                             rule == "bandwidth", said[0])

    def test_what_it_names_can_be_run(self):
        """On each family: the size is that of its L2, and the command is of the
        machine where that can be sampled, else of the default one."""
        for machine, size, is_sampled in (
                ("xeon-e7", "256 KB", True), ("xeon-e5-2600", "256 KB", False),
                ("xeon-e5-v3", "256 KB", True), ("xeon-scalable-2", "1 MB", True)):
            words = ["-m", machine, "-w", "chase:threads=1,size=2M,passes=20"]
            out = " ".join(self.stat("-N1", *words, "-o", "/dev/stderr").split())
            self.assertIn("fits the private caches (%s) would not wait" % size, out)
            command = re.search(r" Where: uncore (record .*?passes=20\S*)", out).group(1)
            self.assertEqual("-m " + machine in command, is_sampled, command)
            ran = subprocess.run(["bash", "-c", sandbox.UNCORE + " " + command],
                                 cwd=self.holder.name, capture_output=True, text=True,
                                 check=False)
            self.assertEqual(ran.returncode, 0, (command, ran.stderr))
            os.unlink(self.path("uncore.rec"))

    def test_one_direction_of_one_link_is_enough(self):
        """All threads on one socket, all lines in the other's memory; and in
        their own."""
        for machine, cpu in zip(MACHINES, (10, 8)):
            for node in (0, 1):
                out = self.path("stat.json")
                self.stat("-m", machine, "--json", "--replace", "-o", out, "-w",
                          "stream:threads=8,size=8M,node=%d,cpu=%d" % (node, cpu))
                with open(out) as text:
                    said = [row["rule"] for row in json.load(text).get("verdict", [])]
                for rule in ("remote", "link"):
                    self.assertEqual(rule in said, node == 0, (machine, said))

    def test_recordings_do_not_blame_what_is_mended(self):
        """What is said of the faults themselves is run by docs/diagnosis.md."""
        for (name, compiler, options, _, _), command, rule in (
                (PROGRAMS[0], "c2c", "false_sharing"),
                (PROGRAMS[1], "record", "remote")):
            with self.subTest(program=name):
                program = self.compiled(name, compiler, "-DMENDED")
                subprocess.run(
                    [sandbox.UNCORE, command, *options, "--", program],
                    cwd=self.holder.name, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                    check=True)
                shown = subprocess.run(
                    [sandbox.UNCORE, "report", "--json"], check=True, text=True,
                    cwd=self.holder.name, stdout=subprocess.PIPE)
                os.unlink(self.path("uncore.rec"))
                self.assertNotIn(rule, [
                    row["rule"] for row in json.loads(shown.stdout).get(
                        "verdict", [])])

    def test_lines_that_come_and_go_are_no_stride(self):
        source, program = self.path("counts.c"), self.path("co'\\u\x1b[31mnts")
        with open(source, "w") as text:
            text.write(COUNTS)
        subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", program, source],
                       check=True)
        for machine in MACHINES:
            self.assertEqual(self.rules(machine, [], [program]), ["shared_lines"])
        said = self.stat("--", program)
        self.assertIn("the line of counts", " ".join(said.split()))
        self.assertNotIn("\x1b", said)
        command = re.search(" Who uses them: uncore c2c -- (.*)", said).group(1)
        self.assertEqual(program, subprocess.run(
            ["bash", "-c", "printf %s " + command], text=True, check=True,
            stdout=subprocess.PIPE).stdout)
        shown = subprocess.run([sandbox.UNCORE, "c2c", "--replace", "--", program],
                               cwd=self.holder.name, text=True, check=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.unlink(self.path("uncore.rec"))
        self.assertIn("bytes of their own in the same lines of counts",
                      " ".join(shown.stdout.split()))

    def test_people_read_it_above_the_figures(self):
        program = self.compiled("stride.c", ["gcc"])
        lines = self.stat("--", program).split("\n")
        first = next(i for i, line in enumerate(lines) if "into the L1D" in line)
        figure = next(i for i, line in enumerate(lines)
                      if line.startswith(" simulated_time"))
        self.assertLess(first, figure)
        self.assertIn(" Where: uncore record -e cbox/LLC_HITS.ALL/ -- " + program,
                      lines)
        for line in lines[first:lines.index("", first)]:
            if program not in line:
                self.assertLessEqual(len(line), LINE)


if __name__ == "__main__":
    unittest.main()
