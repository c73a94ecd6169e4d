# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The first example of a document that begins with "$ ", and what the document
# shows behind it: that is to be what the command prints.

import itertools
import os
import subprocess
import tempfile

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))


def lines_of(text):
    return "\n".join(line.rstrip() for line in text).strip("\n")


def shown_and_printed(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        lines = ("    $ " + file.read().split("\n    $ ", 1)[1]).splitlines()
    block = [line[4:] for line in itertools.takewhile(
        lambda line: line.startswith("    ") or not line, lines)]
    last = max(i for i, line in enumerate(block) if line[:2] == "$ ") + 1
    while block[last - 1].endswith("\\"):
        last += 1
    script = "\n".join(line.removeprefix("$ ") for line in block[:last])
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(UNCORE, os.path.join(folder, "uncore"))
        ran = subprocess.run(
            ["bash", "-euc", script], cwd=folder, text=True, check=True,
            stdout=subprocess.PIPE,
            env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]))
    return lines_of(block[last:]), lines_of(ran.stdout.splitlines())
