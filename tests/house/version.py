#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# meson.build says which version this is, "0.5.0~dev" while it is in the making,
# which comes before 0.5.0. The command, pkg-config, the Debian package, the
# changelog and docs/status.md say the same, manual pages nothing else, and the
# newest node of the libraries' symbols is that version's.

import glob
import os
import re
import subprocess
import sys

from tree import ROOT

BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD", "build"))
NEW = "~dev"  # of a version in the making
PACKAGES = ("uncore", "uncore-model")
MAPS = ("src/libuncore.map", "model/libuncore-model.map")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def first(pattern, text):
    found = re.search(pattern, text, re.M)
    return found.group(1) if found else "nothing"


def newest(version_script):
    """Of its nodes (private ones have no number)."""
    nodes = re.findall(r"^UNCORE_([\d.]+) *\{", read(version_script), re.M)
    return max(nodes, default="nothing",
               key=lambda node: [int(part) for part in node.split(".")])


def told(version):
    """(who says it, what is said, what is right)"""
    number = version.removesuffix(NEW)
    heading = first(r"^## (v.*): ", read("CHANGELOG.md"))
    yield ("CHANGELOG.md", heading, "v" + number +
           (" (in the making)" if version != number else ""))
    yield ("debian/changelog", first(r"^uncore \((.*?)\)",
                                     read("debian", "changelog")), version)
    yield ("docs/status.md", first(r"^Version (\d+\.\d+\.\d+)\b",
                                   read("docs", "status.md")), number)
    for script in MAPS:
        yield script, newest(script), number.rpartition(".")[0]
    for page in glob.glob(os.path.join(ROOT, "docs", "man", "*.1")):
        for found in re.findall(r"\d+\.\d+\.\d+", first(r"^(\.TH .*)$",
                                                        read(page))):
            yield os.path.relpath(page, ROOT), found, number
    command = os.environ.get("UNCORE", os.path.join(BUILD, "uncore"))
    yield ("uncore --version", subprocess.run(
        [command, "--version"], stdout=subprocess.PIPE, text=True,
        check=True).stdout.strip(), "uncore " + version)
    for package in PACKAGES:
        text = read(BUILD, "meson-private", package + ".pc")
        yield package + ".pc", first(r"^Version: (.*)$", text), version


def main():
    version = first(r"^  version: '(\d+\.\d+\.\d+(?:%s)?)'" % NEW,
                    read("meson.build"))
    wrong = [row for row in told(version) if row[1] != row[2]]
    for who, said, right in wrong:
        print("%s: says %s, not %s" % (who, said, right))
    print("version %s" % version)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
