#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The documentation points at things that exist: links to files, and paths of
# the repository written as `folder/file`.

import os
import re
import sys

from tree import ROOT, files

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
PATH = re.compile(r"`((?:src|model|tool|tests|docs|data|bridge|guest|bench|include|"
                  r"tools)/[\w./-]+)`")


def documents():
    return [os.path.join(ROOT, path) for path in files()
            if path.endswith(".md")]


def targets(document):
    with open(document, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            for match in LINK.finditer(line):
                if "://" not in match.group(1):
                    yield number, os.path.join(os.path.dirname(document),
                                               match.group(1))
            for match in PATH.finditer(line):
                yield number, os.path.join(ROOT, match.group(1))


def main():
    wrong = checked = 0
    for document in documents():
        for number, target in targets(document):
            checked += 1
            if not os.path.exists(target):
                wrong += 1
                print("%s:%d: there is no %s" % (
                    os.path.relpath(document, ROOT), number,
                    os.path.relpath(target, ROOT)))
    print("%d references checked, %d lead nowhere" % (checked, wrong))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
