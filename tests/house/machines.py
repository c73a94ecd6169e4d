#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Machine files: one that names a base has its parameters, in its order, with
# its units and words; a row that cannot be meant stops the build with its place.

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
GENERATOR = os.path.join(ROOT, "tools", "genmachine.py")

BASE = """machine first "the first" kind=some-kind brand="First"
cores 10 cores "a source" "Cores." min=2 max=10
clock 2400 MHz "a source" "Clock." min=100 max=10000
snoop off - "a source" "Who snoops." choices=off,on
"""
LIKE_IT = """machine another "the other" base=first
"""
# A machine that lacks something and has something of its own.
UNLIKE_IT = """machine third "the third" base=first kind=other-kind
without snoop cl*
slots 4 slots "its own" "Slots." min=1 max=8
"""
# What follows LIKE_IT, and what is said of it.
MISTAKES = (
    ("without clocks", "second.txt:2: the base has no 'clocks'"),
    ("clocks 5 \"s\"", "second.txt:2: needs a parameter of the base"),
    ("clock 2266", "second.txt:2: needs a parameter of the base"),
    ("clock 20000 \"s\"", "second.txt:2: the default is out of range"),
    ("cores 10 \"s\" max=8", "second.txt:2: the default is out of range"),
    ("snoop maybe \"s\"", "second.txt:2: 'maybe' is none of the choices"),
)


def generate(*files):
    """How the generator ended, what it said, and what it made."""
    with tempfile.TemporaryDirectory(prefix="uncore-machines-") as folder:
        for name, text in files:
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(text)
        ran = subprocess.run([sys.executable, GENERATOR, folder, folder],
                             capture_output=True, text=True, check=False)
        made = os.path.join(folder, "machines.c")
        if not os.path.exists(made):
            return ran.returncode, ran.stderr, ""
        with open(made, encoding="utf-8") as file:
            return ran.returncode, ran.stderr, file.read()


def rows(source, machine):
    """The table of a machine, line by line."""
    start = source.index(" %s[] = {\n" % machine)
    return source[start:source.index("};", start)].split("\n")[1:-1]


def problems():
    second = LIKE_IT + "cores 8 \"its own\" max=8\nsnoop on \"its own\"\n"
    code, said, source = generate(("first.txt", BASE), ("another.txt", second))
    if code:
        yield "two good machines: %s" % said
        return
    if source.index("\"first\", ") > source.index("\"another\", "):
        yield "the base is not the first machine"
    first, another = rows(source, "first"), rows(source, "another")
    if another != [
            first[0].replace("\"10\"", "\"8\"").replace("a source", "its own")
            .replace("10.0", "8.0"),
            first[2].replace("\"off\"", "\"on\"").replace(
                "a source", "its own").replace("0.0, 0.0", "1.0, 0.0"),
            "\t{ .name = NULL },"]:
        yield "not the base's rows with the differences: %s" % another
    code, said, source = generate(("first.txt", BASE), ("third.txt", UNLIKE_IT))
    if code:
        yield "a machine that lacks something: %s" % said
    elif rows(source, "third")[1:3] != ["\t{ .name = NULL },"] * 2 or (
            rows(source, "first")[3:] != ["\t{ .name = NULL },"] or
            "\"slots\"" not in rows(source, "third")[3] or
            "&some_kind, NULL, first" not in source or
            "&other_kind, NULL, third" not in source):
        yield "not what the third has and lacks: %s" % source
    for line, sentence in MISTAKES:
        code, said, _ = generate(("first.txt", BASE),
                                 ("second.txt", LIKE_IT + line + "\n"))
        if not code or sentence not in said:
            yield "%s: exit code %d, %s" % (line, code, said)
    code, said, _ = generate(("first.txt", BASE + BASE.split("\n")[1] + "\n"))
    if not code or "cores stands twice" not in said:
        yield "a parameter that stands twice: %d, %s" % (code, said)


    code, said, _ = generate(("second.txt", LIKE_IT))
    if not code or "second.txt:1: there is no machine 'first'" not in said:
        yield "a base that does not exist: %d, %s" % (code, said)


def main():
    found = list(problems())
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
