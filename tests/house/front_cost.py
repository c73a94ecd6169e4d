#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the front end for programs costs, in instructions of the host: bench-front,
# with the tool in QEMU's user mode and a plugin that counts (instructions.c). Four
# short loads, each less what a program that does nothing takes. They repeat to the
# digit with one thread, to a thousandth with two.
#
# And what it costs to know whose memory it is: each call of malloc() with one of
# free(), and in the suite `long` python3 and gcc's compiler, which take no more than
# MOST_FOR_SITES times as much.
#
# None may exceed by more than LIMIT what it was noted to take, nor take more times
# what it takes without prefetchers and translation than it was noted to.

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ.get("UNCORE_BUILD", "build")
HOUSE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HOUSE))
QEMU = "qemu-x86_64"
LIMIT = 1.1
LIMIT_BOTH = 1.03

ALLOCATIONS, EACH_NOTED = (10000, 30000), 2080
MOST_FOR_SITES = (("python3", 1.15), ("cc1", 1.03))
LONG = "UNCORE_LONG" in os.environ

OFF = ("--set", "core.prefetch=0", "--set", "core.tlb=0")
LINES = 4000

# (what, file of bench, its size, million instructions as noted, times those
# without prefetchers and translation as noted)
LOADS = (
    ("a pointer chase in 2.5 MB", "chase", ("LINES=0xa000",), 372, 1.57),
    ("a triad of two threads", "triad", ("COUNT=60000", "PASSES=4"), 345, 1.23),
    ("a sort, and a strided walk", "sort_walk", ("COUNT=70000", "PASSES=6"),
     956, 1.27),
)
GZIP = ("gzip", 551, 1.23)


def skip(text):
    print(text)
    sys.exit(77)


def compiled(folder, name, source, *words):
    out = os.path.join(folder, name)
    subprocess.run(["cc", "-O2", "-I", ROOT, "-o", out,
                    *words, source], check=True)
    return out


class Counter:
    """Counts in a folder of its own."""

    def __init__(self, folder):
        self.count = os.path.join(folder, "count")
        plugin = compiled(folder, "instructions.so",
                          os.path.join(HOUSE, "instructions.c"),
                          "-shared", "-fPIC")
        self.emulator = [QEMU, "-plugin", "%s,out=%s" % (plugin, self.count)]
        tool = os.path.join(folder, "uncore-amd64-linux")
        with open(tool, "w", encoding="utf-8") as script:
            script.write('#!/bin/sh\nexec %s %s "$@"\n' % (
                " ".join(self.emulator),
                os.path.abspath(os.path.join(BUILD, "uncore-amd64-linux"))))
        os.chmod(tool, 0o755)
        self.environment = {**os.environ, "UNCORE_LIBEXEC": folder}
        self.environment.pop("UNCORE_CHECK_CODE", None) # takes its own

    def why_not(self, empty):
        """Why QEMU cannot count here: some are built without plugins."""
        ran = subprocess.run(self.emulator + [empty], stderr=subprocess.PIPE,
                             text=True)
        return "" if os.path.exists(self.count) else ran.stderr or "no count"

    def instructions(self, *command):
        ran = subprocess.run([os.path.join(BUILD, "bench-front"), *command],
                             env=self.environment, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        said = ran.stdout[-100:].decode("latin-1")
        if ran.returncode or not re.search(r"\d records\n$", said):
            sys.exit("%s: status %d: %s" % (" ".join(command), ran.returncode,
                                            ran.stderr.decode("latin-1")))
        with open(self.count, encoding="ascii") as count:
            found = int(count.read())
        os.remove(self.count)
        return found


def text(folder):
    """A file of words that gzip finds again, and numbers that it does not."""
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9)))
             for _ in range(1000)]
    path = os.path.join(folder, "text")
    with open(path, "w", encoding="ascii") as out:
        for _ in range(LINES):
            out.write("%s %d\n" % (draw.choice(words), draw.getrandbits(20)))
    return path


def loads(folder):
    """(what, command, noted, noted ratio) of each."""
    for what, name, sizes, *noted in LOADS:
        yield (what, [compiled(folder, name,
                               os.path.join(ROOT, "bench", name + ".c"),
                               "-static", "-pthread",
                               *("-D" + size for size in sizes))], *noted)
    what, *noted = GZIP
    busybox = shutil.which("busybox")
    if busybox:
        yield (what, [busybox, "gzip", "-c", text(folder)], *noted)


def is_dear_to_know(counter, folder):
    """Whether sites cost more than they may."""
    program = compiled(folder, "allocations",
                       os.path.join(ROOT, "bench/allocations.c"), "-static")
    few, many = ([counter.instructions(*words, program, str(num))
                  for num in ALLOCATIONS] for words in ((), ("--sites",)))
    each = (many[1] - many[0] - few[1] + few[0]) / (ALLOCATIONS[1] - ALLOCATIONS[0])
    print("sites: %.0f instructions for each call of malloc() with one of free(), "
          "noted %d" % (each, EACH_NOTED), flush=True)
    failed = each > EACH_NOTED * LIMIT
    for name, most in MOST_FOR_SITES if LONG else ():
        cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], text=True,
                             stdout=subprocess.PIPE).stdout.strip()
        command = {"python3": [shutil.which("python3"), "-SEc", "pass"],
                   "cc1": [cc1, "-quiet", "-O1", os.path.join(folder, "nothing.c"),
                           "-o", "/dev/null"]}[name]
        ratio = (counter.instructions("--sites", *command) /
                 counter.instructions(*command))
        print("sites, %s: ratio %.4f, at most %.2f" % (name, ratio, most), flush=True)
        failed |= ratio > most
    return failed


def nothing(folder):
    source = os.path.join(folder, "nothing.c")
    with open(source, "w", encoding="ascii") as out:
        out.write("int main(void) { return 0; }\n")
    return compiled(folder, "nothing", source, "-static")


def main():
    if not shutil.which(QEMU):
        skip("%s is missing (Debian's qemu-user)" % QEMU)
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(folder)
        empty = nothing(folder)
        why_not = counter.why_not(empty)
        if why_not:
            skip("%s does not count: %s" % (QEMU, why_not))
        start = counter.instructions(empty)
        start_off = counter.instructions(*OFF, empty)
        failed = False
        for what, command, noted, noted_ratio in loads(folder):
            cost = counter.instructions(*command) - start
            ratio = cost / (counter.instructions(*OFF, *command) - start_off)
            print("%s: %.1f million instructions, noted %d, ratio %.3f; %.3f "
                  "times those without prefetchers and translation, noted %.2f"
                  % (what, cost / 1e6, noted, cost / 1e6 / noted, ratio,
                     noted_ratio), flush=True)
            failed |= cost / 1e6 > noted * LIMIT
            failed |= ratio > noted_ratio * LIMIT_BOTH
        failed |= is_dear_to_know(counter, folder)
    sys.exit(failed)


if __name__ == "__main__":
    main()
