#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore guest --run`: a program of this machine in a guest, as if it ran here:
# its output, its errors and its exit status are its own, the files that its
# arguments name are there, and what the model complains of comes behind what the
# program says. A guest that hangs before it is up is ended and told of.

import json
import os
import signal
import subprocess
import sys
import time

import rig

# 0xd71 has no event 0x3f: the model says so, in the midst of the output.
SCRIPT = """#!/usr/bin/python3
import json, os, subprocess, sys
with open(sys.argv[1].partition("=")[2], encoding="utf-8") as file:
    text = file.read()
print("first", flush=True)
for value in ("0x40063f", "0"):
    subprocess.run(["wrmsr", "-p", "0", "0xd10", value], check=True)
print(json.dumps([text, os.getcwd(), os.cpu_count(), sys.stdout.isatty()]))
sys.stderr.write("an error\\n")
sys.exit(203)
"""
HANGS = """#!/bin/busybox sh
while :; do sleep 1; done
"""


def program(folder):
    """A script with an interpreter, its library, a file and a status."""
    os.mkdir(folder.file("data"))
    with open(folder.file("data/a file"), "w", encoding="utf-8") as file:
        file.write("in a 'file'\n")
    with open(folder.file("tool"), "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    os.chmod(folder.file("tool"), 0o755)
    ended = rig.run([rig.UNCORE, "guest", *rig.SMALL, "--run", "./tool", "--",
                     "--input=data/a file"], folder)
    rig.expect(ended.code == 203, "ended with %s" % ended.code, ended)
    lines = ended.output.split("\n")
    rig.expect(len(lines) == 3 and lines[0] == "first" and json.loads(
        lines[1]) == ["in a 'file'\n", os.path.realpath(folder.path), 4, False],
               "the program said something else", ended)
    errors = ended.errors.split("\n")
    rig.expect(errors[0] == "an error", "the errors are not the program's",
               ended)
    rig.expect("selects no event" in ended.errors, "the model has not complained", ended)


def hangs(folder):
    kernel, _ = rig.image()
    initrd = folder.initrd("true", [("init", HANGS.encode())])
    ended = rig.run([rig.UNCORE, "guest", "--kernel", kernel, "--initrd",
                     initrd, "--append", "quiet", "--boot-limit", "2",
                     *rig.SMALL], folder)
    rig.expect(ended.code == 1 and "not up after 2 seconds" in ended.errors,
               "ended with %s" % ended.code, ended)


def ended_early(folder):
    """By a signal while the image is made, or soon after: nothing is left."""
    for wait_s in (0.3, 3):
        with subprocess.Popen(
                [rig.UNCORE, "guest", *rig.SMALL, "--run", "sleep", "--",
                 "1000"], cwd=folder.path, stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL, env={
                    **os.environ, "TMPDIR": folder.path}) as process:
            time.sleep(wait_s)
            process.terminate()
            code = process.wait(rig.LIMIT_S)
        rig.expect(code in (1, 128 + signal.SIGTERM), "after %s s: %d" % (
            wait_s, code))
    left = [name for name in os.listdir(folder.path)
            if name.startswith("uncore-")]
    rig.expect(not left, "left behind: %s" % left)


def missing(folder):
    """What cannot be taken along is said before anything boots."""
    for words, sentence in (
            (["--run", "no-such-tool"], "no program no-such-tool"),
            (["--run", "true", "--with", "no-such-thing"],
             "neither a file nor an installed package no-such-thing")):
        ended = rig.run([rig.UNCORE, "guest", *words], folder)
        rig.expect(ended.code == 1 and sentence in ended.errors,
                   "%s: ended with %s" % (words, ended.code), ended)


def main():
    rig.image()
    with rig.Folder() as folder:
        missing(folder)
        ended_early(folder)
        program(folder)
        hangs(folder)


if __name__ == "__main__":
    sys.exit(main())
