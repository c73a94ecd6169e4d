#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Nothing is assumed in silence: every layout of fields and every event of a
# family by its differences whose source says that it is assumed, or taken by
# analogy, is named on the family's page of docs/, which may be that of its base.

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from rows import families, family_rows, topic_rows

TOPICS = ("layouts", "events")


def is_assumed(row):
    return re.search(r"assumed|by analogy", row.keys["source"])


def names_on(page):
    with open(page, encoding="utf-8") as lines:
        return set(re.findall(r"[A-Z][A-Z0-9_]{2,}", lines.read()))


def check(folder):
    name = os.path.basename(folder)
    topics = family_rows(folder)[1]
    bases = [row.words[1] for row in topic_rows(folder, "family")
             if row.words[0] == "base"]
    page = next(page for page in [name] + bases + [name.rpartition("-")[0]]
                if os.path.exists(os.path.join(ROOT, "docs", page + ".md")))
    names = names_on(os.path.join(ROOT, "docs", page + ".md"))
    assumed = missing = 0
    for topic in TOPICS:
        for row in topics[topic]:
            if not is_assumed(row):
                continue
            assumed += 1
            if row.words[-1] not in names:
                missing += 1
                print("%s: %s is assumed and not in docs/%s.md" % (
                    name, " ".join(row.words), page))
    print("%s: %d rows are assumed" % (name, assumed))
    return missing


def main():
    missing = sum(check(folder) for folder in families(
        os.path.join(ROOT, "data")) if any(
            row.words[0] == "base" for row in topic_rows(folder, "family")))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
