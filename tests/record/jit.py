#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Names of code that a program makes at run time. It writes two functions of
machine code into memory, each of which reads so many lines for the first time,
and the map that tools like perf read; a line missed is a line of its reader."""
import os
import subprocess
import unittest

import rig

FIRST, SECOND, PERIOD = 20000, 60000, 50

# read: mov (%rdi),%al; add $64,%rdi; dec %rsi; jnz read; ret
PROGRAM = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
typedef void reader(char *, long);
static const unsigned char code[] = {
    0x8a, 0x07, 0x48, 0x83, 0xc7, 0x40, 0x48, 0xff, 0xce, 0x75, 0xf5, 0xc3 };
static char *lines(long num)
{
    char *at = mmap(NULL, num * 64, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < num * 64; i += 4096) at[i] = 1;
    return at;
}
int main(int argc, char **argv)
{
    char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64], real[80];
    memcpy(made, code, sizeof(code));
    memcpy(made + 256, code, sizeof(code));
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
    snprintf(real, sizeof(real), "%s.real", path);
    unlink(path);
    FILE *map = fopen(argv[1][0] == 'l' ? real : path, "w");
    fprintf(map, "nonsense\n%lx 100 before\n%lx %zx the first one\n%lx 0x%zx"
            " second\n", (long)made, (long)made, sizeof(code),
            (long)made + 256, sizeof(code));
    if (argv[1][0] == 'b')
        ftruncate(fileno(map), (64 << 20) + 1);
    fclose(map);
    if (argv[1][0] == 'l')
        symlink(real, path);
    char *one = lines(%(first)d), *two = lines(%(second)d);
    ((reader *)made)(one, %(first)d);
    ((reader *)(made + 256))(two, %(second)d);
    return 0;
}
"""


class Jit(rig.TestCase):
    def setUp(self):
        super().setUp()
        with open(self.path("jit.c"), "w", encoding="utf-8") as file:
            file.write(PROGRAM.replace("%(first)d", str(FIRST)).replace(
                "%(second)d", str(SECOND)))
        subprocess.run(["cc", "-O1", "-o", self.path("jit"),
                        self.path("jit.c"), "-w"], check=True)

    def names(self, how):
        """{name: samples} of what lies in no file."""
        recording = self.record(
            ["cbox/LLC_MISSES.ALL,period=%d/" % PERIOD], "--set",
            "llc.slice=64", "--", self.path("jit"), how)
        for process, in recording.all("SELECT DISTINCT process FROM thread"):
            for name in ("/tmp/perf-%d.map", "/tmp/perf-%d.map.real"):
                if os.path.lexists(name % process):
                    os.unlink(name % process)
        return dict(recording.all(
            "SELECT coalesce(symbol, '?'), count(*) FROM sample JOIN position"
            " ON position.id = sample.position WHERE kind = 'period' AND"
            " (object IS NULL OR object LIKE '/tmp/perf-%') GROUP BY 1"))

    def test_made_code_has_its_names(self):
        names = self.names("plain")
        for name, lines in (("the first one", FIRST), ("second", SECOND)):
            self.assertAlmostEqual(names.get(name, 0), lines / PERIOD,
                                   delta=lines / PERIOD / 20, msg=names)

    def test_maps_of_others_are_passed_over(self):
        """A link, and more than 64 MB."""
        for how in ("link", "big"):
            names = self.names(how)
            self.assertNotIn("second", names)
            self.assertGreater(names.get("?", 0), SECOND / PERIOD, names)


if __name__ == "__main__":
    unittest.main()
