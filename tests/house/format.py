#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# C is formatted by clang-format with the rules of .clang-format, except for the
# files in unformatted.txt, which are older than this test; a file that fits by
# now has to leave that list. Versions of clang-format differ, so only one
# decides.
#
#   format.py          looks at all files
#   format.py --fix    formats those that are not on the list

import os
import re
import shutil
import subprocess
import sys

from tree import ROOT, files

VERSION = "14"
LIST = "tests/house/unformatted.txt"


def skip(text):
    print(text)
    sys.exit(77)


def clang_format():
    for name in ("clang-format-" + VERSION, "clang-format"):
        if not shutil.which(name):
            continue
        ran = subprocess.run([name, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE)
        if re.search(r"version %s\." % VERSION, ran.stdout):
            return name
    skip("clang-format %s is not installed" % VERSION)


def differing(command, paths):
    ran = subprocess.run([command, "--dry-run", *paths], cwd=ROOT, text=True,
                         stderr=subprocess.PIPE, check=True)
    return {line.split(":")[0] for line in ran.stderr.split("\n")
            if "[-Wclang-format-violations]" in line}


def main():
    command = clang_format()
    paths = [path for path in files() if path.endswith((".c", ".h"))]
    with open(os.path.join(ROOT, LIST), encoding="utf-8") as text:
        listed = {line.strip() for line in text if not line.startswith("#")}
    found = differing(command, paths)
    new, done = sorted(found - listed), sorted(listed - found)
    if new and "--fix" in sys.argv:
        subprocess.run([command, "-i", *new], cwd=ROOT, check=True)
        new = []
    for path in new:
        print("%s is not formatted: clang-format -i %s" % (path, path))
    for path in done:
        print("%s is formatted, or gone: take it off %s" % (path, LIST))
    print("%d files checked, %d of them are on the list" % (
        len(paths), len(listed)))
    return 1 if new or done or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
