#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Every mistake of mistakes.txt can still be planted: what it changes is in its
file, once, so that the list does not rot while the model is worked on."""
import os
import sys

sys.dont_write_bytecode = True
import mistakes

LEAST = 40


def problem(mistake):
    path = os.path.join(mistakes.ROOT, mistake.file)
    if not os.path.exists(path):
        return "there is no such file"
    with open(path, encoding="utf-8") as file:
        return mistake.problem(file.read())


def main():
    planted = mistakes.load()
    wrong = 0
    for mistake in planted:
        why = problem(mistake)
        if why:
            print("mistake %d, %s: %s\n%s" % (mistake.number, mistake.file,
                                              why, mistake.old))
            wrong += 1
    numbers = [mistake.number for mistake in planted]
    if numbers != list(range(1, len(planted) + 1)) or len(planted) < LEAST:
        print("the numbers are not 1 to %d or more" % LEAST)
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
