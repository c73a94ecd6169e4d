# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The first example behind a heading of a document that begins with "$ ", and what
# the document shows behind it: that is to be what the command prints. Run by
# itself, with a document and its headings, it puts there what is printed now.

import itertools
import os
import subprocess
import sys
import tempfile

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))


def lines_of(text):
    return "\n".join(line.rstrip() for line in text).strip("\n")


def read(path, heading):
    """Lines of a document: up to the example's output, its commands among them,
    the output, and those behind it."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        lines = file.read().split("\n")
    first = next(i for i, line in enumerate(lines)
                 if line.startswith("    $ ") and i > lines.index(heading))
    block = list(itertools.takewhile(
        lambda line: line.startswith("    ") or not line, lines[first:]))
    last = max(i for i, line in enumerate(block) if line[:6] == "    $ ") + 1
    while block[last - 1].endswith("\\") or not block[last].strip():
        last += 1
    end = len(block)
    while not block[end - 1]:
        end -= 1
    return (lines[:first + last], block[:last], block[last:end],
            lines[first + end:])


def printed(commands):
    script = "\n".join(line[4:].removeprefix("$ ") for line in commands)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(UNCORE, os.path.join(folder, "uncore"))
        return subprocess.run(
            ["bash", "-euc", script], cwd=folder, text=True, check=True,
            stdout=subprocess.PIPE,
            env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"])
        ).stdout.splitlines()


def shown_and_printed(path, heading):
    _, commands, output, _ = read(path, heading)
    return (lines_of(line[4:] for line in output), lines_of(printed(commands)))


def update(path, heading):
    before, commands, _, after = read(path, heading)
    now = lines_of(printed(commands)).split("\n")
    with open(os.path.join(SOURCE, path), "w", encoding="utf-8") as file:
        file.write("\n".join(before + [("    " + line).rstrip()
                                       for line in now] + after))


if __name__ == "__main__":
    for wanted in sys.argv[2:]:
        update(sys.argv[1], wanted)
