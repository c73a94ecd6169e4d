#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# C is formatted by clang-format with the rules of .clang-format. Versions of
# clang-format differ, so only one decides.
#
#   format.py          looks at all files
#   format.py --fix    formats those that are not

import re
import shutil
import subprocess
import sys

from tree import ROOT, files

VERSION = "14"


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
    new = sorted(differing(command, paths))
    if new and "--fix" in sys.argv:
        subprocess.run([command, "-i", *new], cwd=ROOT, check=True)
        new = []
    for path in new:
        print("%s is not formatted: clang-format -i %s" % (path, path))
    print("%d files checked, %d are not formatted" % (len(paths), len(new)))
    return 1 if new or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
