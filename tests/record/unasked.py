#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The way of who does not know what to ask for: notes name the next command,
whole; `uncore record` finds its period; `uncore c2c` does both at once; and what
users of perf type is understood, or answered with what to type."""
import json
import os
import re
import shlex
import subprocess
import unittest

import rig

PROGRAM = r"""
#include <pthread.h>
static struct { volatile long n; } counts[8] __attribute__((aligned(64)));
static void *work(void *own)
{
    for (int i = 0; i < 15000; i++) counts[(long)own].n++;
    return 0;
}
int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
"""

# Two arrays, of 2 and of 8 MB, a store to each of their lines.
ARRAYS = r"""
#include <stdlib.h>
char big[2 << 20];
int main(void)
{
	char *volatile other = malloc(8 << 20);

	for (long i = 0; i < 2 << 20; i += 64)
		big[i] = 1;
	for (long i = 0; i < 8 << 20; i += 64)
		other[i] = 1;
	return !other[64];
}
"""


# What `perf CMD -h` of Linux 6.1 names; = where a value has to follow.
PERFS = {
    "stat": """
a all-cpus A no-aggr B big-num C= cpu= D= delay= d detailed e= event= G=
cgroup= g group I= interval-print= i no-inherit j json-output M= metrics= n
null o= output= p= pid= r= repeat= S sync t= tid= T transaction v verbose x=
field-separator= all-kernel all-user append control= cputype= filter=
for-each-cgroup= hybrid-merge interval-clear interval-count= iostat log-fd=
metric-no-group metric-no-merge metric-only no-csv-summary no-merge per-core
per-die per-node per-socket per-thread percore-show-thread post= pre= quiet
scale smi-cost summary table td-level= timeout= topdown""",
    "record": """
a all-cpus b branch-any B no-buildid c= count= C= cpu= d data D= delay= e=
event= F= freq= g G= cgroup= I intr-regs i no-inherit j= branch-filter= k=
clockid= m= mmap-pages= N no-buildid-cache n no-samples o= output= P period p=
pid= q quiet R raw-samples r= realtime= S snapshot s stat t= tid= T timestamp
u= uid= v verbose W weight z compression-level affinity= aio all-cgroups
all-kernel all-user aux-sample buildid-all buildid-mmap call-graph= clang-opt=
clang-path= code-page-size control= data-page-size debuginfod dry-run
exclude-perf filter= group kcore kernel-callchains max-size= mmap-flush=
namespaces no-bpf-event no-buffering num-thread-synthesize= off-cpu overwrite
per-thread phys-data proc-map-timeout= running-time sample-cpu
sample-identifier strict-freq switch-events switch-max-files= switch-output
switch-output-event= synth= tail-synthesize threads timestamp-boundary
timestamp-filename transaction user-callchains user-regs vmlinux=""",
    "report": """
b branch-stack c= comms= C= cpu= d= dsos= D dump-raw-trace F= fields= f force
g= call-graph= G inverted i= input= I show-info k= vmlinux= M=
disassembler-style= m modules n show-nr-samples p= parent= q quiet s= sort= S=
symbols= t= field-separator= T threads U hide-unresolved v verbose w=
column-widths= x exclude-other asm-raw branch-history children demangle
demangle-kernel disable-order full-source-path group group-sort-idx= header
header-only hierarchy ignore-callees= ignore-vmlinux inline itrace kallsyms=
max-stack= mem-mode mmaps ns objdump= percent-limit= percent-type= percentage=
pid= prefix= prefix-strip= pretty= raw-trace samples= show-cpu-utilization
show-on-off-events show-ref-call-graph show-total-period skip-empty
socket-filter= source= stats stdio stdio-color= stitch-lbr switch-off=
switch-on= symbol-filter= symfs= tasks tid= time= time-quantum= total-cycles
tui""",
    "top": """
a all-cpus b branch-any c= count= C= cpu= d= delay= D dump-symtab E= entries=
e= event= f= count-filter= F= freq= g G= cgroup= i no-inherit j= branch-filter=
K hide_kernel_symbols k= vmlinux= M= disassembler-style= m= mmap-pages= n
show-nr-samples p= pid= r= realtime= s= sort= t= tid= U hide_user_symbols u=
uid= v verbose w= column-widths= z zero all-cgroups asm-raw call-graph=
children comms= demangle-kernel dsos= fields= force group group-sort-idx=
hierarchy ignore-callees= ignore-vmlinux kallsyms= max-stack= namespaces
no-bpf-event num-thread-synthesize= objdump= overwrite percent-limit=
percentage= prefix= prefix-strip= proc-map-timeout= raw-trace
show-on-off-events show-total-period source stdio stitch-lbr switch-off=
switch-on= sym-annotate= symbols= tui""",
    "list": """
d desc v long-desc cputype= debug deprecated details""",
    "c2c report": """
c= coalesce= d= display= f force g= call-graph= i= input= k= vmlinux= N
node-info full-symbols no-source show-all stats stdio stitch-lbr""",
}
# The same letters here take a value, perf's take none.
OURS = {"stat": "S", "record": "INS"}
# Of which the answer calls both by one name.
SAME = {"-F": "--freq", "--sort": "-s"}
# What makes a difference is never passed over.
ANSWERED = {
    "stat": "-p -t -C -G -d -n -T -i --topdown --per-core --per-die --per-node"
            " --no-big-num --no-scale --interval-count --control --pre --post"
            " --all-user --all-kernel --filter --quiet --summary",
    "record": "-p -t -C -G -u -b -j -n -D -F --filter --all-user --no-inherit"
              " --per-thread --max-size --switch-output --off-cpu",
    "report": "-F -c -d -S -p -T -D -b -I -U --tui --percent-limit --time"
              " --stats --mem-mode --header-only --socket-filter",
    "top": "-p -t -C -G -e -c -F -d -E -s -g --fields --all-user",
    "list": "--long-desc --details --cputype"}
# A word of perf's own is no program.
WORDS = (
    (("stat", "record", "true"), "--json -o FILE"),
    (("stat", "-a", "report"), "uncore compare"),
    (("list", "metric"), "list --metrics"),
    (("list", "hwcache"), "perf list"),
    (("record", "-m", "8", "true"), "machine"),
    (("record", "--call-graph", "other", "true"), "dwarf"),
    (("record", "-C", "1", "true"), "--per-socket"))


class Options(unittest.TestCase):
    """The runs end with --help, before anything is counted: who takes a value
    for the PROGRAM never comes there."""

    def answers(self, command, options):
        """{option: what is said of it} of those that are not just taken."""
        said, left = {}, dict(options)
        while True:
            words = [word for words in left.values() for word in words]
            ran = rig.run(*command.split(), *words, "--help")
            if not ran.returncode:
                return said
            found = re.match(r"uncore [a-z0-9 ]+: (--?[\w-]+)[ =]?1?: (.+)$",
                             ran.stderr.splitlines()[0])
            self.assertTrue(found, ran.stderr)
            name = found.group(1)
            name = name if name in left else SAME.get(name)
            self.assertIn(name, left, ran.stderr)
            said[name] = found.group(2)
            del left[name]

    def test_each_is_understood_or_answered(self):
        for command, text in PERFS.items():
            options = {}
            for word in text.split():
                name = word.rstrip("=")
                dashed = ("--" if len(name) > 1 else "-") + name
                if len(name) > 1 or name not in OURS.get(command, ""):
                    options[dashed] = [dashed] + ["1"] * (word != name)
            said = self.answers(command, options)
            self.assertGreater(len(options), 7)
            for option in ANSWERED.get(command, "").split():
                if option in options:
                    self.assertIn(option, said, command)
            no = {"--no-" + name[2:]: ["--no-" + name[2:]] for name in said
                  if name.startswith("--") and "--no-" not in name
                  and name not in (*SAME, *SAME.values())}
            self.assertEqual(self.answers(command, no), {}, command)

    def test_words(self):
        for words, said in WORDS:
            ran = rig.run(*words)
            self.assertEqual(ran.returncode, 2, words)
            self.assertIn(said, ran.stderr)


class Unasked(rig.TestCase):
    def run_there(self, *words):
        return rig.run(*words, cwd=self.folder.name)

    def program(self, text=PROGRAM):
        with open(self.path("x.c"), "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run(["cc", "-O1", "-g", "-o", self.path("fight it"),
                        self.path("x.c"), "-pthread"], check=True)
        return "./fight it"

    def look(self, *words):
        done = self.run_there("record", "--replace", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        recording = rig.Recording(self.path("uncore.rec"))
        self.addCleanup(recording.base.close)
        return recording

    def test_a_period_is_found(self):
        """Of long and of short runs; the samples stand for all that happened,
        and all that was counted is still there."""
        for size, most in (("1M", 3000), ("24M", 3000)):
            traffic = ("--workload", "stream:size=" + size)
            recording = self.look(*traffic)
            num, period = recording.all(
                "SELECT count(*), period FROM sample JOIN event ON event.id ="
                " event WHERE kind = 'period'")[0]
            self.assertTrue(700 < num <= most, num)
            event = "cbox/LLC_MISSES.ALL/"
            self.assertEqual(recording.sums(), rig.stat([event], *traffic))
            total = sum(recording.sums().values())
            # each of 20 boxes keeps the rest of a stretch
            self.assertAlmostEqual(num * period / total, 1, delta=0.1)

    def test_of_a_named_event_as_of_none(self):
        named = self.look("-e", "cbox/LLC_MISSES.ALL/", "--workload", "stream:size=24M")
        samples = named.all("SELECT cycle FROM sample ORDER BY cycle")
        plain = self.look("--workload", "stream:size=24M")
        self.assertEqual(
            samples, plain.all("SELECT cycle FROM sample ORDER BY cycle"))

    def test_stretches_are_drawn_by_lot(self):
        recording = self.look("--workload", "stream:size=1M")
        growth = recording.all(
            "SELECT socket, instance, seconds FROM sample"
            " WHERE kind = 'period' ORDER BY socket, instance, id")
        steps = {round((b[2] - a[2]) * 1e8)
                 for a, b in zip(growth, growth[1:]) if a[:2] == b[:2]}
        self.assertGreater(len(steps), 20)

    def test_a_period_for_all(self):
        words = ("-w", "stream:size=1M")
        one = self.look("-c", "50", *words)
        other = self.look("-e", "cbox/LLC_MISSES.ALL,period=50/", *words)
        self.assertEqual(one.dump(), other.dump())
        one = self.look("-e", "cbox/LLC_MISSES.ALL/", "-c", "50", *words)
        self.assertEqual(one.samples(), other.samples())

    def test_the_note_has_the_next_command(self):
        program = self.program()
        arguments = ["a b", "c'd", "$HOME", "", "plain"]
        said = self.run_there("stat", "--", program, *arguments).stderr
        command = re.search(r"Who uses them: (uncore .*)$", said, re.M).group(1)
        words = shlex.split(command)
        self.assertEqual(words, ["uncore", "c2c", "--", program, *arguments])
        done = self.run_there(*words[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        # who shows it does not send there, and several runs say it once
        self.assertNotIn("Who uses them", done.stderr)
        again = self.run_there("stat", "-r", "2", *words[2:])
        self.assertEqual(again.stderr.count("Who uses them"), 1)
        self.assertRegex(done.stdout, r" counts\S* +false sharing ")
        self.assertTrue(os.path.exists(self.path("uncore.rec")))
        done = self.run_there("c2c", "record", "-a", "-g", "--", *words[3:])
        self.assertIn(" false sharing ", done.stdout)
        again = self.run_there("c2c", "report", "--stdio", "-N", "-d", "tot")
        self.assertIn("uncore c2c", again.stderr)
        again = self.run_there("c2c", "report", "--stdio", "-NN")
        self.assertEqual(again.stdout, done.stdout)

    def test_one_number_of_samples(self):
        """All who say how many there are mean the rows of overflows."""
        words = ("-w", "stream:size=1M")
        event = "cbox/LLC_MISSES.ALL/"
        for options in ((), ("-c", "50"), ("-e", event[:-1] + ",period=500/")):
            done = self.run_there("record", "--replace", *options, *words)
            written = re.search(r"(\d+) samples written", done.stderr).group(1)
            recording = rig.Recording(self.path("uncore.rec"))
            self.addCleanup(recording.base.close)
            num = recording.all(
                "SELECT count(*) FROM sample WHERE kind = 'period'")[0][0]
            text = self.run_there("report", "uncore.rec").stdout
            head = re.search(r"^ (\d+) samples over", text, re.M).group(1)
            report = json.loads(self.run_there("report", "--json",
                                               "uncore.rec").stdout)
            self.assertEqual([int(written), int(head),
                              report["samples_taken"]], [num] * 3)
            self.assertIn("  %s  " % format(num, ","), text)

    def test_a_sum_for_what_lines_belong_to(self):
        program = self.program(ARRAYS)
        self.look("-c", "50", "-e", "cbox/LLC_MISSES.ALL/", "--", program)
        for view in "line", "page":
            text = self.run_there("report", "--by=" + view).stdout
            table = text.split("Sums of all lines that belong together")[1].replace(",", "")
            rows = {"malloc" if "malloc" in words else words[-2]: words
                    for words in map(str.split, table.splitlines())
                    if len(words) > 10}
            # share % samples events loads stores locks lines pages from to
            for data, size in ("big", 2 << 20), ("malloc", 8 << 20):
                words = rows[data]
                samples, stores, lines, pages = (int(words[i])
                                                 for i in (2, 5, 7, 8))
                wanted = size / 64 / 50
                self.assertAlmostEqual(samples / wanted, 1, delta=0.05)
                self.assertGreaterEqual(stores, 0.95 * samples)
                self.assertGreaterEqual(lines, 0.95 * samples)
                self.assertLessEqual(pages, size / 4096 + 1)
                first, last = (int(words[i], 16) for i in (9, 10))
                self.assertGreaterEqual(last - first, 0.95 * size)

    def test_the_command_is_that_of_the_same_run(self):
        said = re.compile(r"changed lines from each\s+other:\s+([0-9,]+)\s+times, .*"
                          r"Who uses them: (uncore [^\n]*)$", re.M | re.S)
        program = self.program()
        for options, kept in (
                (["--place=scatter", "-N4"], ["-N", "4", "--place", "scatter"]),
                (["--repeatable", "-m", "xeon-7500", "-S", "core.tlb=1"],
                 ["-m", "xeon-7500", "-S", "core.tlb=1", "--repeatable"])):
            first = self.run_there("stat", *options, "--", program)
            times, command = said.search(first.stderr).groups()
            words = shlex.split(command)
            self.assertEqual(words, ["uncore", "c2c", *kept, "--", program])
            # what is told of the program is told again
            again = self.run_there("stat", *words[2:])
            self.assertEqual(said.search(again.stderr).group(1), times)
        for command in (words[1:], ["c2c", "--replace", "-m", "xeon-gold-6148",
                                    "--", program]):
            done = self.run_there(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r" counts\S* +false sharing ")

    def test_who_cannot_interrupt_is_told(self):
        for command in ("record", "c2c"):
            ran = rig.run(command, "-m", "xeon-e5-2600", "--", "true")
            self.assertEqual(ran.returncode, 2)
            self.assertIn("no interrupt on overflow", ran.stderr)

    def test_what_misses_is_sampled_where_there_is_no_c_box(self):
        lookups = "cbo/LLC_LOOKUP.DATA_READ,state=I/"
        for machine, event in (("xeon-e5-v2", lookups), ("xeon-e5-v3", lookups),
                               ("xeon-e5-v4", lookups),
                               ("xeon-scalable-2", "cha/TOR_INSERTS.IA_MISS_DRD/")):
            ran = self.run_there("record", "-m", machine, "-o", machine,
                                 "-w", "stream:op=read,size=1M")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            said = self.run_there("report", "-i", machine, "-j")
            row, = json.loads(said.stdout)["events"]
            self.assertEqual(row["event"], event)
            self.assertAlmostEqual(row["total"], (1 << 20) / 64, delta=1000)

    def test_what_users_of_perf_type(self):
        self.look("-g", "-a", "-w", "stream:size=1M")
        plain = self.run_there("report", "uncore.rec").stdout
        for words in (("-i", "uncore.rec"), ("--stdio", "-n"),
                      ("--no-children", "-G", "--header", "-v", "-q")):
            self.assertEqual(self.run_there("report", *words).stdout, plain)
        for sort, by in (("sym", "symbol"), ("dso,sym", "symbol"),
                         ("pid", "thread"), ("symbol_daddr", "line")):
            self.assertEqual(
                self.run_there("report", "--sort", sort).stdout,
                self.run_there("report", "--by=" + by).stdout)
        for words in (("-g",), ("--call-graph",), ("--call-graph=graph",)):
            self.assertEqual(self.run_there("report", *words).stdout,
                             self.run_there("report", "--by=stack").stdout)
        for way in "fp", "dwarf", "lbr", "dwarf,8192":
            self.look("--call-graph", way, "-w", "idle", "--cycles", "10")
        for words, said in (
                (("record", "-F", "100", "-w", "stream"), "-I 10000us"),
                (("report", "--sort", "weight"), "--by=VIEW"),
                (("diff", "a", "b"), "uncore compare"),
                (("version",), "uncore --version"),
                (("-v",), "uncore --version"),
                (("lock",), "uncore c2c"), (("bench",), "stat -w"),
                (("iostat",), "list PCIe"), (("kvm",), "uncore guest"),
                (("test",), "model coverage"),
                (("inject",), "stat --inject"),
                (("timechart",), "--by=time"),
                (("annotate",), "uncore report"), (("script",), "--json"),
                (("mem", "record"), "uncore record")):
            done = self.run_there(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
