#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Heaps of other languages, of static programs, and of nobody. Programs say
where their data lie; a sample of that is of the block, where the language takes
it from malloc(), else of the pages that were asked of the kernel."""
import os
import re
import shutil
import subprocess
import unittest

import rig

RUST = r"""
fn main() {
    let mut v: Vec<u64> = vec![0; 1 << 15];
    let mut b: Box<[u64]> = (0..1 << 14).map(|i| i as u64).collect();
    println!("calloc {:p} {}", v.as_ptr(), 8 << 15);
    println!("malloc {:p} {}", b.as_ptr(), 8 << 14);
    for x in v.iter_mut().step_by(8) { *x += 1; }
    for x in b.iter_mut().step_by(8) { *x += 1; }
    println!("{}", v[8] + b[16]);
}
"""

# Threads of Go have stacks in the heap.
GO = r"""
package main
import ("fmt"; "sync")
type entry struct { hits, misses int64 }
var table [1 << 12]entry
func main() {
    v := make([]int64, 1<<16)
    fmt.Printf("mmap %p %d\n", &v[0], 8<<16)
    fmt.Printf("table %p %d\n", &table[0], 16<<12)
    var all sync.WaitGroup
    for t := 0; t < 4; t++ {
        all.Add(1)
        go func(t int) {
            for i := t * 8; i < len(v); i += 32 { v[i]++ }
            for i := t; i < len(table); i += 4 { table[i].misses++ }
            all.Done()
        }(t)
    }
    all.Wait()
}
"""

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void use(const char *name, volatile char *at, long bytes)
{
    printf("%s %p %ld\n", name, (void *)at, bytes);
    for (long i = 0; i < bytes; i += 64) at[i]++;
}
int main(void)
{
    use("brk", sbrk(1 << 18), 1 << 18);
    use(SMALL, malloc(1 << 16), 1 << 16);
    use(LARGE, malloc(1 << 19), 1 << 19);
    return 0;
}
"""


class Heaps(rig.TestCase):
    def follow(self, compiler, name, text, *flags):
        """Compiled, recorded; [(what it is called, start, size)]."""
        if not shutil.which(compiler):
            self.skipTest("no " + compiler)
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([compiler, *flags, "-o", self.path("program"),
                        self.path(name)], check=True,
                       env=dict(os.environ, GOCACHE=self.path("cache")))
        done = rig.run("record", "--replace", "-o", self.path("file"), "-e",
                       "cbox/LLC_MISSES.ALL,period=3/", "--",
                       self.path("program"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.recording = rig.Recording(self.path("file"))
        self.addCleanup(self.recording.base.close)
        return [(name, int(at, 16), int(size)) for name, at, size in
                re.findall(r"^(\w+) (0x\w+) (\d+)$", done.stdout, re.M)]

    def inside(self, start, size):
        """[(kind, symbol, size of all, start)] of what has samples there."""
        rows = self.recording.all(
            "SELECT kind, symbol, size, address - access.offset, count(*)"
            " FROM access JOIN datum ON datum.id = datum"
            " WHERE address BETWEEN ? AND ? GROUP BY 1, 2, 3, 4",
            start, start + size - 1)
        self.assertGreater(sum(row[-1] for row in rows), size / 64 / 4)
        return [row[:-1] for row in rows]

    def holds_c(self, *flags, of_malloc):
        small, large = of_malloc
        for name, start, size in self.follow(
                "cc", "program.c", C, "-O1", '-DSMALL="%s"' % small,
                '-DLARGE="%s"' % large, *flags):
            (kind, symbol, bytes_, begin), = self.inside(start, size)
            self.assertEqual((kind, symbol), ("allocated", name))
            if name == "brk" and small != "brk" or name == "malloc":
                self.assertEqual(begin, start)
            self.assertGreaterEqual(bytes_, size)

    def test_brk(self):
        self.holds_c("-g", of_malloc=("malloc", "malloc"))

    def test_static(self):
        self.holds_c("-g", "-static", of_malloc=("malloc", "malloc"))

    def test_static_without_symbols(self):
        """Pages, by who asked for them."""
        self.holds_c("-s", "-static", of_malloc=("brk", "mmap"))

    def test_rust(self):
        for name, start, size in self.follow("rustc", "program.rs", RUST,
                                             "-g", "-O"):
            self.assertEqual(self.inside(start, size),
                             [("allocated", name, size, start)])

    def test_go(self):
        for name, start, size in self.follow("go", "program.go", GO, "build"):
            kinds = {row[:2] for row in self.inside(start, size)}
            if name == "mmap":
                self.assertEqual(kinds, {("allocated", "mmap")})
                continue
            self.assertEqual(kinds, {("symbol", "main.table")})
            self.assertEqual(self.recording.all(
                "SELECT count(*) FROM access JOIN datum ON datum.id = datum"
                " WHERE symbol = 'main.table' AND field IS NOT"
                " printf('[%d].%s', offset / 16,"
                " iif(offset % 16, 'misses', 'hits'))"), [(0,)])


if __name__ == "__main__":
    unittest.main()
