#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Whose memory it is. Programs tell what they have allocated, where in their
source and when; each sample is to be of the block that lived at its address
then."""
import csv
import io
import json
import os
import re
import shutil
import subprocess

import unittest

import rig

# Each site says where it is, what it got, and how much.
SAYS = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LINE 64
#define SAY(at, bytes) \
    printf("%d %#lx %#lx\n", __LINE__, (unsigned long)(at), (long)(bytes))
static inline __attribute__((always_inline)) void use(void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) ((volatile char *)at)[i]++;
}
"""


def said(output):
    """[(line of source, first address, address behind the last)]"""
    rows = [tuple(int(word, 0) for word in line.split())
            for line in output.splitlines() if re.match(r"\d+ 0x", line)]
    return [(line, at, at + size) for line, at, size in rows]


class TestCase(rig.TestCase):
    def program(self, text, *flags, name="program.c"):
        """Compiled; without line numbers of ours before the text."""
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        compiler = "g++" if name.endswith("cc") else "cc"
        if not shutil.which(compiler):
            self.skipTest("no " + compiler)
        subprocess.run([compiler, "-O1", "-g", "-pthread", "-o",
                        self.path("program"), self.path(name), *flags],
                       check=True)
        return self.path("program")

    def follow(self, *command, more=(), event="cbox/LLC_MISSES.ALL,period=1/"):
        """The recording of a program, and what it said."""
        done = rig.run("record", "--replace", "-o", self.path("file"), "-e",
                       event, *more, "--", *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        recording = rig.Recording(self.path("file"))
        self.addCleanup(recording.base.close)
        return recording, done.stdout

    def samples(self, recording):
        """[(address, offset, kind, function, line of source, objects, size)]
        of what the program itself does: the allocator uses blocks before they
        are blocks, and after."""
        return recording.all(
            "SELECT access.address, access.offset, datum.kind, datum.symbol,"
            " CAST(substr(caller.source, instr(caller.source, ':') + 1)"
            " AS INTEGER), objects, size FROM access"
            " JOIN sample ON sample.id = access.sample"
            " JOIN position AS code ON code.id = sample.position"
            " JOIN datum ON datum.id = access.datum"
            " LEFT JOIN stack ON stack.id = datum.stack"
            " LEFT JOIN position AS caller ON caller.id = stack.position"
            " WHERE code.object = ?", self.path("program"))

    def data(self, *more):
        done = rig.run("report", "--json", "--by=data", *more,
                       self.path("file"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["data"]

    def holds(self, recording, blocks, function):
        """Samples in a block are of its site and nobody else's, with where they
        are in it, and each block has some: all lines of it are used."""
        samples = self.samples(recording)
        for line, start, end in blocks:
            inside = [s for s in samples if start <= s[0] < end]
            self.assertGreater(len(inside), (end - start) / 64 / 2)
            self.assertEqual({s[2:5] for s in inside},
                             {("allocated", function, line)})
            self.assertEqual({s[0] - s[1] for s in inside}, {start})
        lines = {line for line, _, _ in blocks}
        for address, _, kind, _, line, _, _ in samples:
            if kind == "allocated" and line in lines:
                self.assertTrue(any(start <= address < end
                                    for _, start, end in blocks))
        return samples


class Sites(TestCase):
    def test_more_sites_than_are_told_apart(self):
        """Four calls on each of eight levels are 65,536 stacks; those told
        apart and the others make up all that were made."""
        program = self.program(SAYS + r"""
enum { BYTES = 1 << 20, LEVELS = 8, ALL = 1 << 2 * LEVELS, TOLD = 60000 };
#define CALL(n) case n: at = make(level - 1, way >> 2); asm volatile(""); break;
static __attribute__((noinline)) void *make(int level, unsigned way)
{
    void *at = NULL;
    if (!level) return malloc(24);
    switch (way & 3) { CALL(0) CALL(1) CALL(2) CALL(3) }
    return at;
}
int main(void)
{
    char *first = malloc(BYTES); SAY(first, BYTES);
    for (unsigned i = 0; i < ALL; i++) make(LEVELS, i);
    char *last = malloc(BYTES);
    printf("late %#lx\n", (long)last);
    use(first, BYTES), use(last, BYTES);
    return 0;
}
""", "-fno-optimize-sibling-calls")
        recording, output = self.follow(program, event="cbox/LLC_MISSES.ALL,period=100/")
        first = recording.all(
            "SELECT datum.symbol, max(objects) FROM access JOIN datum ON"
            " datum.id = datum WHERE address BETWEEN ? AND ?",
            said(output)[0][1], said(output)[0][2] - 1)
        self.assertEqual(first, [("malloc", 1)])
        late = int(re.search("late (.*)", output)[1], 0)
        (name, objects), = recording.all(
            "SELECT DISTINCT datum.symbol, objects FROM access JOIN datum ON"
            " datum.id = datum WHERE address BETWEEN ? AND ?",
            late, late + (1 << 20) - 1)
        self.assertEqual(name, "other sites")
        # the loader and the C library have a few of their own
        self.assertAlmostEqual(objects, 65536 + 2 - 60000, delta=50)
        self.assertEqual(json.loads(rig.run(
            "report", "--json", self.path("file")).stdout)["sites_told"], 60000)
        self.assertIn(" 60,000 allocation sites are told apart; what came "
                      "later is one row, 'other sites'.\n",
                      rig.run("report", self.path("file")).stdout)
        row, = [r for r in self.data() if r["data"] == "other sites"]
        self.assertEqual(row["objects"], objects)

    def test_malloc(self):
        """Two sites, one of them by a function; and many small blocks."""
        program = self.program(SAYS + r"""
static __attribute__((noinline)) void *make(size_t bytes)
{
    void *at = malloc(bytes); SAY(at, bytes);
    return at;
}
int main(void)
{
    char *a = make(1 << 20), *b = make(1 << 18);
    char *c = malloc(1 << 19); SAY(c, 1 << 19);
    use(a, 1 << 20), use(b, 1 << 18), use(c, 1 << 19);
    free(a), free(b), free(c);
    return 0;
}
""")
        recording, output = self.follow(program)
        blocks = said(output)
        samples = self.holds(recording, blocks, "malloc")
        lines = [line for line, _, _ in blocks]
        self.assertEqual({s[4:] for s in samples if s[4] in lines},
                         {(lines[0], 1, 1 << 20), (lines[1], 1, 1 << 18),
                          (lines[2], 1, 1 << 19)})
        row, other = self.data("--top=2")
        self.assertRegex(row["data"], r"^malloc at program\.c:\d+ < make "
                         "< main < ")
        self.assertRegex(other["data"], r"^malloc at program\.c:\d+ < main ")
        self.assertEqual((row["objects"], row["bytes"]),
                         (2, (1 << 20) + (1 << 18)))
        self.assertEqual((row["threads"], row["sockets"], row["remote"],
                          row["shared"], row["false"]), (1, 1, 0, 0, 0))
        self.assertRegex(row["touched"], r"^(\d+)/\1 on socket 0$")

    def test_functions(self):
        """Each that allocates; a block that realloc() moves is its, and one
        that is jumped to from another is the first one's."""
        program = self.program(SAYS + r"""
#include <malloc.h>
enum { BYTES = 1 << 17 };
int main(void)
{
    char *a = calloc(BYTES / 8, 8); SAY(a, BYTES);
    char *b = malloc(1000), *c = malloc(1000);
    b = realloc(b, BYTES); SAY(b, BYTES);
    char *d = reallocarray(NULL, BYTES / 4, 4); SAY(d, BYTES);
    char *e = aligned_alloc(4096, BYTES); SAY(e, BYTES);
    char *f = memalign(64, BYTES); SAY(f, BYTES);
    void *g; posix_memalign(&g, 256, BYTES); SAY(g, BYTES);
    char *h = valloc(BYTES); SAY(h, BYTES);
    use(a, BYTES), use(b, BYTES), use(c, 1000), use(d, BYTES), use(e, BYTES);
    use(f, BYTES), use(g, BYTES), use(h, BYTES);
    return 0;
}
""")
        recording, output = self.follow(program)
        blocks = said(output)
        self.assertEqual(len(blocks), 7)
        for function, block in zip(("realloc", "realloc")
                                   + 4 * ("aligned_alloc",), blocks[1:]):
            self.holds(recording, [block], function)
        # what calloc() writes before it returns, too
        row, = [r for r in self.data() if r["data"].startswith("calloc at")
                and r["bytes"] == 1 << 17]
        self.assertGreater(row["samples"], (1 << 17) / 64)

    def test_cplusplus(self):
        """Without optimisation placement new is a function, too."""
        program = self.program(SAYS + r"""
#include <new>
#include <vector>
struct Wide { alignas(128) char bytes[1 << 16]; };
struct Plain { long first; char more[(1 << 16) - 8]; };
int main()
{
    auto *a = new Plain; SAY(a, sizeof *a);
    auto *b = new char[1 << 17]; SAY(b, 1 << 17);
    auto *c = new Wide; SAY(c, sizeof *c);
    auto *d = new (std::nothrow) Plain; SAY(d, sizeof *d);
    new (b) Plain;
    use(a, sizeof *a), use(b, 1 << 17), use(c, sizeof *c), use(d, sizeof *d);
    std::vector<long> v(1 << 14); SAY(v.data(), 8 << 14);
    delete a; delete[] b; delete c; delete d;
    return (int)v[0];
}
""", "-O0", name="program.cc")
        recording, output = self.follow(program)
        one, many, wide, other, vector = said(output)
        self.holds(recording, [one], "operator new")
        self.holds(recording, [many], "operator new[]")
        self.holds(recording, [wide], "operator new")
        self.holds(recording, [other], "operator new")
        found = [s for s in self.samples(recording)
                 if vector[1] <= s[0] < vector[2]
                 and s[4] not in (one[0], many[0], wide[0], other[0])]
        self.assertTrue(found)
        self.assertEqual({s[2:4] for s in found},
                         {("allocated", "operator new")})
        self.assertEqual(
            len([r for r in self.data() if "std::vector<" in r["data"]
                 and r["data"].startswith("operator new at ")]), 1)

    def test_what_the_library_inlines_is_its_callers(self):
        program = self.program(SAYS + r"""
#include <vector>
int main()
{
    std::vector<long> one(1 << 14); // first
    std::vector<long> two(1 << 15); // second
    use(one.data(), 8 << 14), use(two.data(), 8 << 15);
    return 0;
}
""", "-O2", name="program.cc")
        with open(self.path("program.cc")) as text:
            lines = {word: number for number, line in enumerate(text, 1)
                     for word in ("first", "second") if line.endswith("// %s\n" % word)}
        self.follow(program)
        sizes = {row["data"].split(" < ")[0]: row["bytes"] for row in self.data()}
        for word, size in (("first", 8 << 14), ("second", 8 << 15)):
            self.assertEqual(sizes["operator new at program.cc:%d" % lines[word]], size)


class Lives(TestCase):
    def test_an_address_that_is_used_again(self):
        """By another site: a sample is of the block that lived then."""
        program = self.program(SAYS + r"""
enum { BYTES = 1 << 16 };
__attribute__((noinline)) void use_first(void *at) { use(at, BYTES); }
__attribute__((noinline)) void use_second(void *at) { use(at, BYTES); }
int main(void)
{
    void *at = malloc(BYTES); SAY(at, BYTES);
    use_first(at);
    free(at);
    for (long i = 0; i < 5; i++) {
        at = malloc(BYTES - i * 8); SAY(at, BYTES - i * 8);
        use_second(at);
        free(at);
        at = calloc(1, 1 << 20); /* drives it out */
        use(at, 1 << 20);
        free(at);
    }
    return 0;
}
""")
        recording, output = self.follow(program, more=(
            "-e", "cbox/LLC_HITS.ALL,period=1/"))
        blocks = said(output)
        self.assertEqual(len({at for _, at, _ in blocks}), 1)
        rows = recording.all(
            "SELECT place.symbol, caller.source, count(*) FROM sample"
            " JOIN position AS place ON place.id = sample.position"
            " JOIN access ON access.sample = sample.id"
            " JOIN datum ON datum.id = datum"
            " JOIN stack ON stack.id = datum.stack"
            " JOIN position AS caller ON caller.id = stack.position"
            " WHERE place.symbol LIKE 'use!__%' ESCAPE '!' AND"
            " use IN ('load', 'store') GROUP BY 1, 2")
        self.assertEqual(
            sorted((symbol, source) for symbol, source, _ in rows),
            [("use_first", "program.c:%d" % blocks[0][0]),
             ("use_second", "program.c:%d" % blocks[1][0])])

    def test_left_by_longjmp(self):
        """A function that allocates is left and never returns: those after it
        are found as ever, called from deeper and from higher."""
        program = self.program(SAYS + r"""
#include <setjmp.h>
static jmp_buf out;
enum { BYTES = 1 << 16 };
__attribute__((noinline)) void *valloc(size_t bytes)
{
    volatile char room[200];
    room[bytes % 100] = 1;
    if (bytes == 1) longjmp(out, room[3] + 1);
    return malloc(bytes);
}
__attribute__((noinline)) void *deep(int more)
{
    volatile char room[100];
    room[more] = 1;
    if (more) return deep(more - 1);
    void *at = malloc(BYTES); SAY(at, BYTES);
    use(at, BYTES);
    return room[0] ? at : 0;
}
int main(void)
{
    for (volatile int i = 0; i < 3; i++) {
        if (!setjmp(out)) valloc(1);
        if (i == 1) deep(5);
        void *at = valloc(BYTES); SAY(at, BYTES);
        use(at, BYTES);
    }
    return 0;
}
""", "-fno-builtin")
        recording, output = self.follow(program)
        blocks = said(output)
        self.assertEqual(len(blocks), 4)
        self.holds(recording, blocks[1:2], "malloc")
        self.holds(recording, blocks[:1] + blocks[2:], "aligned_alloc")

    def test_threads(self):
        """Who allocates, who uses, and who frees are three; a stack is its
        thread's."""
        program = self.program(SAYS + r"""
#include <pthread.h>
enum { THREADS = 4, BYTES = 1 << 16 };
static void *at[THREADS];
static pthread_barrier_t all;
static void *work(void *number)
{
    long me = (long)number;
    volatile char room[1 << 15];
    at[me] = malloc(BYTES); SAY(at[me], BYTES);
    use((void *)room, sizeof room);
    pthread_barrier_wait(&all);
    use(at[(me + 1) % THREADS], BYTES);
    pthread_barrier_wait(&all);
    free(at[(me + 2) % THREADS]);
    pthread_barrier_wait(&all);
    if (me == 0) {
        void *again = calloc(4, BYTES / 4); SAY(again, BYTES);
        use(again, BYTES);
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
""")
        recording, output = self.follow(program, more=("--place", "scatter"))
        blocks = said(output)
        self.assertEqual(len(blocks), 5)
        used = [b for b in blocks[:4]
                if not (blocks[4][1] < b[2] and b[1] < blocks[4][2])]
        for line, start, end in used:
            inside = {s[2:5] for s in self.samples(recording)
                      if start <= s[0] < end}
            self.assertEqual(inside, {("allocated", "malloc", line)})
        rows = recording.all(
            "SELECT owner.thread, sample.thread = owner.id, count(*)"
            " FROM sample JOIN access ON sample.id = access.sample"
            " JOIN datum ON datum.id = datum"
            " JOIN thread AS owner ON owner.id = datum.thread"
            " WHERE datum.kind = 'stack' GROUP BY 1, 2")
        owners = {thread for thread, is_own, num in rows
                  if is_own and num > 200}
        self.assertEqual(len(owners), 4)

    def test_mappings(self):
        """What is mapped, in part unmapped, moved and mapped anew."""
        program = self.program(r"#define _GNU_SOURCE" + SAYS + r"""
#include <sys/mman.h>
enum { MB = 1 << 20, RIGHTS = PROT_READ | PROT_WRITE,
       HOW = MAP_PRIVATE | MAP_ANONYMOUS };
int main(void)
{
    char *a = mmap(0, MB, RIGHTS, HOW, -1, 0); SAY(a, MB / 2);
    munmap(a + MB / 2, MB / 2);
    char *b = mmap(0, MB, RIGHTS, HOW, -1, 0); SAY(b, MB / 4);
    mmap(b + MB / 4, MB / 4, RIGHTS, HOW | MAP_FIXED, -1, 0); SAY(b + MB / 4, MB / 4);
    char *c = mmap(0, MB / 4, RIGHTS, HOW, -1, 0);
    c = mremap(c, MB / 4, MB, MREMAP_MAYMOVE);
    use(a, MB / 2), use(b, MB), use(c, MB);
    printf("%#lx\n", (unsigned long)c);
    return 0;
}
""")
        recording, output = self.follow(program)
        for line, start, end in said(output):
            self.assertEqual({s[2:5] for s in self.samples(recording)
                              if start <= s[0] < end},
                             {("allocated", "mmap", line)})
        start = int(output.split()[-1], 0)
        moved = {s[2:5] for s in self.samples(recording)
                 if start <= s[0] < start + (1 << 20)}
        self.assertEqual(len(moved), 1)
        self.assertEqual(moved.pop()[:2], ("allocated", "mmap"))

    def test_memory_and_digits(self):
        """A million blocks, one after the other: what Valgrind needs stays, and
        what the run counts is what it counts when nobody asks whose memory
        it is."""
        program = self.program(r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long resident(void)
{
    static char text[4096]; /* of no block */
    FILE *file = fopen("/proc/self/status", "r");
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    return atol(strstr(text, "VmRSS:") + 6);
}
int main(int argc, char **argv)
{
    void *volatile at[64] = { 0 };
    int show = argc > 1;
    for (long i = 0; i < 1000000 / (show ? 1 : 20); i++) {
        free(at[i % 64]);
        at[i % 64] = malloc(16 + i % 1000);
        if (show && i % 100000 == 99999)
            printf("%ld\n", resident());
    }
    return 0;
}
""")
        event = "cbox/LLC_MISSES.ALL,period=1000000/"
        recording, output = self.follow(program, "show", event=event)
        sizes = [int(word) for word in output.split()]
        self.assertEqual(len(sizes), 10)
        self.assertLess(sizes[-1] - sizes[1], 1024)
        recording, _ = self.follow(program, event=event,
                                   more=("--detail=full",))
        done = rig.run("stat", "--json", "--detail=full", "-o",
                       self.path("stat"), "-e", "cbox/LLC_MISSES.ALL/", "--",
                       program)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("stat"), encoding="utf-8") as file:
            counted = json.load(file)
        self.assertEqual(sum(recording.sums().values()),
                         counted["counts"][0]["value"])
        self.assertEqual(recording.meta()["cycles"],
                         str(counted["uncore_cycles"]))

    def test_stripped(self):
        """Sites are told apart by their addresses."""
        program = self.program(SAYS + r"""
__attribute__((noinline)) static void make(int second)
{
    char *at = second ? malloc(1 << 17) : malloc(1 << 18);
    SAY(at, second ? 1 << 17 : 1 << 18);
    use(at, second ? 1 << 17 : 1 << 18);
}
int main(void) { make(0); make(1); return 0; }
""", "-s", "-g0")
        self.follow(program)
        rows = self.data("--top=2")
        self.assertEqual([r["bytes"] for r in rows], [1 << 18, 1 << 17])
        for row in rows:
            self.assertRegex(row["data"], 
                             r"^malloc < program\+0x[0-9a-f]+\+0x[0-9a-f]+ <")


if __name__ == "__main__":
    unittest.main()
