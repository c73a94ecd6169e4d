#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Names of code. Each function of a program that is built here reads as many
lines for the first time as all others do, so their shares are known; stacks go
from there to where the thread begins and no further; each name is of a file
that has code at the address. Libraries take turns at one place in memory."""
import os
import shutil
import subprocess
import unittest

import rig

LINES, PERIOD = 1 << 14, 100
LLC_SLICES, SOCKETS = 10, 2
EVENT = "cbox/LLC_MISSES.ALL,period=%d/" % PERIOD

COMMON = r"""
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#define PART __attribute__((noinline))
static inline __attribute__((always_inline)) void read_lines(void)
{
    size_t bytes = (size_t)LINES * 64;
    volatile char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* written, so that each page is one of its own */
    for (size_t i = 0; i < bytes; i += 64) at[i] = 1;
  
}
"""

THREADS = COMMON + r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
PART void leaf(void) { read_lines(); asm volatile(""); }
PART void middle(void) { leaf(); asm volatile(""); }
PART void *begin(void *unused) { middle(); asm volatile(""); return unused; }
PART void copy(void)
{
    size_t bytes = (size_t)LINES * 64;
    memset(mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 7, bytes);
    asm volatile("");
}
int main(int argc, char **argv)
{
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        pthread_create(&thread, NULL, begin, NULL);
        pthread_join(thread, NULL);
    }
    middle();
    copy();
    return argc > 100;
}
"""

LIBRARY = COMMON + "PART void NAME(void) { read_lines(); asm volatile(\"\"); }"

PLUGINS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *place = NULL;
    for (int i = 1; i < argc; i++) {
        char name[8] = { 'r', 'u', 'n', '_', argv[i][__builtin_strlen(argv[i]) - 1] };
        void *library = dlopen(argv[i], RTLD_NOW);
        void (*run)(void) = (void (*)(void))dlsym(library, name);
        run();
        if (place && place != (void *)run) printf("elsewhere\n");
        place = (void *)run;
        dlclose(library);
    }
    return 0;
}
"""

MANGLED = r"""
#include <cstddef>
extern "C" void *mmap(void *, size_t, int, int, int, long);
namespace house {
template <typename T> struct room {
    __attribute__((noinline)) static void fill(T *at, size_t num)
    {
        for (size_t i = 0; i < num; i += 64 / sizeof(T)) at[i] = 1;
        asm volatile("");
    }
};
}
__attribute__((noinline)) void rust_one(char *at)
    asm("_ZN5alloc3vec6extend17h0123456789abcdefE");
void rust_one(char *at)
{
    for (size_t i = 0; i < LINES * 64ul; i += 64) at[i] = 1;
    asm volatile("");
}
__attribute__((noinline)) void rust_two(char *at)
    asm("_RNvCs1234_7mycrate3foo");
void rust_two(char *at)
{
    for (size_t i = 0; i < LINES * 64ul; i += 64) at[i] = 1;
    asm volatile("");
}
static char *more(void)
{
    return (char *)mmap(nullptr, LINES * 64ul, 3, 0x22, -1, 0);
}
int main()
{
    house::room<int>::fill((int *)more(), LINES * 16ul);
    rust_one(more());
    rust_two(more());
    return 0;
}
"""


class Names(rig.TestCase):
    def compile(self, text, *more, name="program", compiler="cc", kind="c"):
        if not shutil.which(compiler):
            self.skipTest("%s is not installed" % compiler)
        source = self.path("%s.%s" % (name, kind))
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([compiler, "-g", "-O2", "-DLINES=%d" % LINES, *more,
                        "-o", self.path(name), source, "-pthread", "-ldl"],
                       check=True)
        return self.path(name)

    def shares(self, recording):
        return dict(recording.all(
            "SELECT symbol, count(*) FROM sample JOIN position ON"
            " position.id = sample.position GROUP BY symbol"))

    def expect(self, shares, symbol, times=1, part=20):
        """Each slice may keep the rest of a period, and the interrupt comes
        some cycles late."""
        num = LINES * times // PERIOD
        slack = LLC_SLICES * SOCKETS + num // part
        self.assertAlmostEqual(shares.get(symbol, 0), num, delta=slack,
                               msg=shares)

    def look_at_places(self, recording):
        """Each is in an executable segment of an ELF file."""
        for number, address, name, symbol, offset in recording.all(
                "SELECT id, address, object, symbol, offset FROM position"):
            self.assertIsNotNone(name, "%x, the %dth" % (address, number))
            with open(name, "rb") as file:
                self.assertEqual(file.read(4), b"\x7fELF", name)
            if symbol is None:
                self.assertLess(offset, os.path.getsize(name))

    def stacks(self, recording):
        """{"leaf < middle < ...": samples}"""
        symbols = {stack: (symbol, caller) for stack, symbol, caller in
                   recording.all("SELECT stack.id, symbol, caller FROM stack"
                                 " JOIN position ON position.id = position")}
        found = {}
        for symbol, stack in recording.all(
                "SELECT symbol, stack FROM sample JOIN access ON access.sample"
                " = sample.id JOIN position ON position.id = position"):
            names = [symbol]
            while stack is not None:
                names.append(symbols[stack][0])
                stack = symbols[stack][1]
            text = " < ".join(str(name) for name in names)
            found[text] = found.get(text, 0) + 1
        return found

    def look_at_threads(self, *options, compiler="cc"):
        program = self.compile(THREADS, *options, compiler=compiler)
        recording = self.record([EVENT], "--", program)
        shares = self.shares(recording)
        self.look_at_places(recording)
        self.expect(shares, "leaf", times=3)
        memset = sum(number for symbol, number in shares.items()
                     if "memset" in str(symbol))
        self.expect({"memset": memset}, "memset")
        stacks = self.stacks(recording)
        for stack in stacks:
            if "main" in stack.split(" < ") or "begin" in stack:
                self.assertRegex(stack, r" < (_start|_*clone3?)$")
        begun = sum(number for stack, number in stacks.items()
                    if stack.startswith("leaf < middle < begin < "))
        self.expect({"begin": begun}, "begin", times=2)
        self.assertTrue([stack for stack in stacks if stack.startswith(
            "leaf < middle < main < ")], stacks)

    def test_stacks_end_where_threads_begin(self):
        self.look_at_threads("-fomit-frame-pointer")

    def test_so_they_do_with_another_compiler(self):
        self.look_at_threads("-fomit-frame-pointer", compiler="clang")

    def test_so_they_do_without_libraries(self):
        self.look_at_threads("-static", "-fno-omit-frame-pointer")

    def test_what_the_linker_leaves_on_a_stack_calls_nobody(self):
        library = self.compile(LIBRARY, "-shared", "-fPIC", "-DNAME=run_a",
                               "-ULINES", "-DLINES=64", name="liba.so")
        program = self.compile(PLUGINS)
        os.symlink(library, self.path("p_a"))
        self.look_at_places(self.record(
            [EVENT.replace("period=%d" % PERIOD, "period=1")], "--", program,
            self.path("p_a")))

    def test_libraries_take_turns_at_a_place(self):
        names = ["lib%s.so" % name for name in "ab"]
        for name in names:  # which the program calls by its third letter
            letter = name[3]
            self.compile(LIBRARY, "-shared", "-fPIC",
                         "-DNAME=run_%s" % letter, name=name)
            os.symlink(self.path(name), self.path("p_" + letter))
        program = self.compile(PLUGINS)
        result = subprocess.run(
            [program, "./p_a", "./p_b"], cwd=self.folder.name, check=False,
            stdout=subprocess.PIPE, text=True)
        if result.returncode or result.stdout:
            self.skipTest("libraries do not come to one place here")
        words = [name for _ in range(3) for name in ("p_a", "p_b")]
        recording = self.record([EVENT], "--", program,
                                *[self.path(word) for word in words])
        self.look_at_places(recording)
        shares = self.shares(recording)
        for letter in "ab":
            self.expect(shares, "run_" + letter, times=3)

    def test_names_are_as_people_write_them(self):
        program = self.compile(MANGLED, compiler="c++", kind="cc")
        shares = self.shares(self.record([EVENT], "--", program))
        for name in ("house::room<int>::fill", "alloc::vec::extend",
                     "mycrate::foo"):
            self.expect(shares, name)

    def test_of_a_long_name_people_see_both_ends(self):
        recording = self.record([EVENT], "-w", "stream:size=1M")
        for letter in "x\u00fc":
            name = "first<%s>::last" % (letter * 480)
            recording.base.execute("DELETE FROM position")
            recording.base.execute("INSERT INTO position (id, address, object,"
                                   " symbol, offset) VALUES (1, 1, 'o', ?, 1)",
                                   (name,))
            recording.base.execute("UPDATE sample SET position = 1")
            recording.base.commit()
            for by in "symbol", "stack":
                look = ("report", "--by=" + by, self.path("file"))
                text = rig.run(*look).stdout
                shown = [word for word in text.split() if "first<" in word]
                self.assertEqual([len(word) for word in shown], [60], text)
                self.assertRegex(shown[0], r"^first<(.)\1+\.\.\.\1+>::last$")
                for way in "--json", "-x,":
                    whole = rig.run(*look, way).stdout
                    self.assertIn(name, whole)


if __name__ == "__main__":
    unittest.main()
