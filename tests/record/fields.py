#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Parts of variables. Programs say where the compiler has put what they name;
a sample of that address is to have that name. A program without debug
information has offsets alone."""
import json
import re
import shutil
import subprocess
import unittest

import rig

COMMON = r"""
#include <pthread.h>
#include <stdio.h>
#define SAY(name) printf(#name " %#lx\n", (unsigned long)&name)
#define USE(name) (*(volatile __typeof__(name) *)&name)++
enum { TIMES = 3000 };
"""

# Each part that is used, by one thread or by the other: they take the lines
# from each other.
MAIN = r"""
static void *first(void *unused)
{
    for (int i = 0; i < TIMES; i++) { FIRST(USE) }
    return unused;
}
static void *second(void *unused)
{
    for (int i = 0; i < TIMES; i++) { SECOND(USE) }
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    FIRST(SAY) SECOND(SAY)
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"""

IN_C = COMMON + r"""
typedef struct { int x, y; } point;
struct entry {
    long hits;
    struct { char name[6]; unsigned short size; } part[3];
    union { point at; long whole; };
    point *next;
};
static struct { long a, b; } counters __attribute__((aligned(64)));
struct entry table[4] __attribute__((aligned(64)));
static short grid[2][3][5];
typedef const volatile int row[4];
static row rows[8];
static pthread_mutex_t lock;
static long plain;
#define FIRST(DO) DO(counters.a); DO(table[0].hits); DO(table[1].at.y); \
    DO(grid[1][2][4]); DO(lock.__data.__owner); DO(plain);
#define SECOND(DO) DO(counters.b); DO(table[0].part[2].size); \
    DO(table[1].part[0].name[3]); DO(table[0].next); DO(grid[1][2][3]); \
    DO(lock.__data.__nusers);
""" + MAIN

# One line that both fight for, and nothing else.
IN_ONE = COMMON.replace("3000", "60000") + r"""
static struct { long a, b; } counters __attribute__((aligned(64)));
#define FIRST(DO) DO(counters.a);
#define SECOND(DO) DO(counters.b);
""" + MAIN

IN_CPP = COMMON + r"""
namespace app {
struct Empty {};
struct Base { int id; };
struct Wide : Empty, Base { long sum; struct : Empty { long more; } in; };
Wide wide[2] __attribute__((aligned(64)));
class Hold { public: static long shared[3]; long own; };
long Hold::shared[3];
}
#define FIRST(DO) DO(app::wide[0].id); DO(app::wide[1].sum); \
    DO(app::Hold::shared[1]);
#define SECOND(DO) DO(app::wide[0].in.more); DO(app::wide[1].id); \
    DO(app::Hold::shared[2]);
""" + MAIN


class Fields(rig.TestCase):
    def follow(self, text, *flags, compiler="cc"):
        """{name: address} as the program says, and the recording."""
        if not shutil.which(compiler):
            self.skipTest("no " + compiler)
        source = self.path("program" + (".c" if compiler == "cc" else ".cc"))
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([compiler, "-O1", "-g", "-pthread", "-o",
                        self.path("program"), source, *flags], check=True)
        done = rig.run("record", "--replace", "-o", self.path("file"), "-e",
                       "cbox/LLC_HITS.ALL,period=5/", "--",
                       self.path("program"))
        self.assertEqual(done.returncode, 0, done.stderr)
        recording = rig.Recording(self.path("file"))
        self.addCleanup(recording.base.close)
        said = dict(re.findall(r"^(\S+) (0x\w+)$", done.stdout, re.M))
        return {name: int(at, 16) for name, at in said.items()}, recording

    def names(self, recording, address):
        return {name for name, in recording.all(
            "SELECT DISTINCT symbol || ifnull(field, '+' || offset)"
            " FROM access JOIN datum ON datum.id = datum WHERE address = ?",
            address)}

    def holds(self, said, recording):
        self.assertGreater(len(said), 5)
        seen = {name: self.names(recording, at) for name, at in said.items()}
        self.assertEqual({name: found for name, found in seen.items()
                          if found and found != {name}}, {})
        self.assertGreater(sum(bool(found) for found in seen.values()),
                           len(said) / 2)

    def test_c(self):
        said, recording = self.follow(IN_C)
        plain = said.pop("plain")
        self.holds(said, recording)
        self.assertLessEqual(self.names(recording, plain), {"plain+0"})

    def test_verdict(self):
        self.follow(IN_ONE)
        done = rig.run("report", self.path("file"))
        self.assertRegex(" ".join(done.stdout.split()),
                         r"bytes of their own \((counters\.a, counters\.b|"
                         r"counters\.b, counters\.a)\) in the same lines of "
                         "counters,")

    def test_rows(self):
        """What the views show is what the recording has."""
        self.follow(IN_ONE)
        done = rig.run("report", "--json", "--by=data,line",
                       self.path("file"))
        self.assertEqual(done.returncode, 0, done.stderr)
        views = json.loads(done.stdout)
        row, = [r for r in views["data"] if r["data"] == "counters"]
        self.assertEqual({u["shared_at"] for u in row["users"]}, {".a", ".b"})
        # not a line next to it that was fetched ahead
        row, = [r for r in views["lines"] if r["data"] == "counters.a"
                and r["stores"]]
        self.assertEqual({u["data"] for u in row["users"]
                          if u["data"].startswith("counters")},
                         {"counters.a", "counters.b"})

    def test_cplusplus(self):
        self.holds(*self.follow(IN_CPP, compiler="g++"))

    def test_without_debug_information(self):
        for flags in ("-g0",), ("-Wl,--strip-debug",):
            said, recording = self.follow(IN_C, *flags)
            self.assertEqual(recording.all(
                "SELECT DISTINCT field FROM access JOIN datum"
                " ON datum.id = datum WHERE object = ?",
                self.path("program")), [(None,)])
            self.assertLessEqual(self.names(recording, said["counters.b"]),
                                 {"counters+8"})


if __name__ == "__main__":
    unittest.main()
