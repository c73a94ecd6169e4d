#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The documentation points at things that exist: links to files and to headings
# of pages, and paths of the repository written as `folder/file`.

import os
import re
import sys

from tree import ROOT, files

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
PATH = re.compile(r"`((?:src|model|tool|tests|docs|data|bridge|guest|bench|include|"
                  r"tools)/[\w./-]+)`")


def documents():
    return [os.path.join(ROOT, path) for path in files()
            if path.endswith(".md")]


def targets(document):
    """(line, path, heading or None)"""
    with open(document, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            for match in LINK.finditer(line):
                if "://" not in match.group(1):
                    path = os.path.join(os.path.dirname(document),
                                        match.group(1))
                    yield number, path if match.group(1) else document, \
                        match.group(2)
            for match in PATH.finditer(line):
                yield number, os.path.join(ROOT, match.group(1)), None


def headings(path):
    """As links name them: small letters, no marks, `-` for blanks."""
    with open(path, encoding="utf-8") as text:
        return {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
                .replace(" ", "-") for line in text if line.startswith("#")}


def main():
    wrong = checked = 0
    for document in documents():
        for number, target, heading in targets(document):
            checked += 1
            if not os.path.exists(target):
                missing = os.path.relpath(target, ROOT)
            elif heading and heading not in headings(target):
                missing = "%s#%s" % (os.path.relpath(target, ROOT), heading)
            else:
                continue
            wrong += 1
            print("%s:%d: there is no %s" % (
                os.path.relpath(document, ROOT), number, missing))
    print("%d references checked, %d lead nowhere" % (checked, wrong))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
