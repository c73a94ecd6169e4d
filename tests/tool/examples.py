#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Every example of README.md and docs/*.md that uses the command is executed, as
# a block, in a folder that has the files it speaks of. What cannot be run is
# marked in the document, with the reason, in a comment above its block:
#
#   <!-- not run: all (needs a kernel image) -->
#   <!-- not run: model coverage; guest (they have tests of their own) -->
#   <!-- needs: fuse -->
#   <!-- says: all -->
#
# The last one is for a block that shows what is printed: its paragraphs are, with
# any numbers and in lines of any length.
#
# The tutorial is executed by tests/tool/tutorial.py, which looks at its numbers.

import glob
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sandbox import SOURCE, Sandbox, missing  # noqa: E402

ELSEWHERE = ("docs/first-hour.md",)
COMMAND = re.compile(r"(\$ )?(\w+=\S+ )*uncore( |$)")
MARK = re.compile(r"<!-- (not run|needs|says): (.*?)(?: \((.*)\))? -->")


def documents():
    paths = ["README.md"] + sorted(
        os.path.relpath(p, SOURCE)
        for p in glob.glob(os.path.join(SOURCE, "docs/*.md")))
    return [p for p in paths if p not in ELSEWHERE]


def blocks(path):
    """(line, marks, text) of each block of code, fenced or indented."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as document:
        lines = document.read().splitlines()
    marks, block, start, fence, before = {}, [], 0, False, ""
    for number, line in enumerate(lines + [""], 1):
        indented = line.startswith("    ") and (block or not before.strip())
        if line.startswith("```"):
            fence = not fence
            if not fence:
                yield start, marks, block
                marks, block = {}, []
        elif fence or indented:
            start = start if block else number
            block.append(line if fence else line[4:])
        elif block and not line.strip() and number < len(lines) and \
                lines[number].startswith("    "):
            block.append("")
        else:
            if block:
                yield start, marks, block
                marks, block = {}, []
            mark = MARK.match(line)
            if mark:
                marks[mark.group(1)] = (re.split(r"[;,] ", mark.group(2)),
                                        mark.group(3))
            elif line.strip():
                marks = {}
        before = line


def script(block, left_out):
    """The commands of a block: all lines, or those behind '$ '."""
    prompts = any(line.startswith("$ ") for line in block)
    result, more = [], False
    for line in block:
        take = more or not prompts or line.startswith("$ ")
        more = take and line.endswith("\\")
        if take and not any(text in line for text in left_out):
            result.append(line[2:] if line.startswith("$ ") else line)
    return "\n".join(result)


def words(text):
    return re.sub(r"(less than )?\b(0x[0-9a-f]+|\d[\d.,]*\b)", "N",
                  " ".join(text.split()))


def unsaid(block, printed):
    """The first paragraph of the block that was not printed."""
    commands = script(block, []).split("\n")
    shown = "\n".join("" if line.removeprefix("$ ") in commands else line
                      for line in block)
    return next((text for text in re.split(r"\n\s*\n", shown)
                 if words(text) not in words(printed)), None)


def main():
    run = marked = failed = 0
    wanted = sys.argv[1:] or documents()
    for path in wanted:
        for number, marks, block in blocks(path):
            if not any(COMMAND.match(line) for line in block):
                continue
            left_out, reason = marks.get("not run", ([], None))
            if left_out and not reason:
                print("%s:%d: a mark without a reason" % (path, number))
                failed += 1
            absent = missing(marks.get("needs", ([],))[0])
            if "all" in left_out or absent:
                print("%s:%d: not run: %s" % (path, number, reason or
                                              ", ".join(absent)))
                marked += 1
                continue
            begin = time.monotonic()
            try:
                with Sandbox() as sandbox:
                    printed = sandbox.run(script(block, left_out))
                if "says" in marks and unsaid(block, printed):
                    raise AssertionError("not said: %s\nbut: %s" % (
                        unsaid(block, printed), printed))
                run += 1
                print("%s:%d: %.1f s" % (path, number,
                                         time.monotonic() - begin))
            except Exception as error:  # report all of them
                print("%s:%d: %s" % (path, number, error))
                failed += 1
    print("%d examples run, %d not, %d failed" % (run, marked, failed))
    return 1 if failed or not run else 0


if __name__ == "__main__":
    sys.exit(main())
