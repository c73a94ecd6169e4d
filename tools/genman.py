#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A manual page with the options as the command itself explains them: a line
#
#   .\" options of: COMMAND...
#
# of the source becomes a paragraph for each option of `uncore COMMAND... --help`.
#
#   genman.py UNCORE SOURCE PAGE

import os
import re
import subprocess
import sys
import textwrap

PLACE = r'\.\\" options of:(.*)'
NAME = re.compile(r"(-.|--[a-z-]+)(\[?=\S+)?")


def help_of(uncore, words):
    """Its lines, each text on one."""
    return subprocess.run(
        [uncore, *words, "--help"], check=True, text=True,
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
        env={**os.environ, "ARGP_HELP_FMT": "rmargin=20000",
             "LC_ALL": "C"}).stdout.splitlines()


def rows(lines):
    """(names, text) of each option; ("", text) of what is above a group."""
    found = []
    for line in lines:
        match = re.match(r" +((?:-., )?--[a-z-]+(?:\[?=\S+)?(?:, --[a-z-]+)*)"
                         r"(?: +(.*))?$", line)
        if match:
            found.append([match.group(1), match.group(2) or ""])
        elif line.startswith(" " * 20) and found and not found[-1][1]:
            found[-1][1] = line.strip()
        elif re.match(r" \S.*:$", line) and found:
            found.append(["", line.strip()])
        elif line.startswith("Mandatory"):
            break
    return found


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def paragraph(text):
    """Lines that begin with no request."""
    text = text[:1].upper() + text[1:]
    text = text if re.search(r"[.:]$", text) else text + "."
    return [("\\&" if line[0] in ".'" else "") + escaped(line)
            for line in textwrap.wrap(text, 78, break_on_hyphens=False,
                                      break_long_words=False)]


def name_of(match):
    name, value = match.groups()
    text = "\\fB%s\\fR" % escaped(name)
    if not value:
        return text
    bracket = "[" if value[0] == "[" else ""
    value = value.strip("[]") if bracket else value
    return text + "%s=\\fI%s\\fR%s" % (bracket, escaped(value[1:]),
                                      "]" if bracket else "")


def options(uncore, words):
    out = []
    for names, text in rows(help_of(uncore, words)):
        if not names:
            out += [".PP"] + paragraph(text)
            continue
        out += [".TP", ", ".join(name_of(NAME.fullmatch(name))
                                 for name in names.split(", "))]
        out += paragraph(text)
    return out


def main():
    uncore, source, page = sys.argv[1:]
    out = []
    with open(source, encoding="utf-8") as lines:
        for line in lines.read().splitlines():
            match = re.fullmatch(PLACE, line)
            out += (options(uncore, match.group(1).split()) if match
                    else [line])
    with open(page, "w", encoding="utf-8") as to:
        to.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
