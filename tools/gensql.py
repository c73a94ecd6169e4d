#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Statements of SQL in C: gensql.py FILE.sql OUT.c HEADER. What follows one of
# these lines is its text:
#
#     -- NAME: what it is                  a constant
#     -- part NAME: what it is             {NAME} or {NAME: A | B} stands for it
#                                          in texts further below, with $1, $2
#     -- view WORD, NAME: TITLE            a row of reader_views, whose columns
#     -- columns: COLUMNS                  are these, and
#     -- below NAME: COLUMNS               the same of the rows below its rows

import re
import sys

HEAD = re.compile(r"-- (?:(part|view|columns|below)\b ?)?([a-z_-]*)"
                  r"(?:, ([a-z_]+))?: (.*)")


def expand(text, parts):
    """From the inside out: an argument may be a part."""
    def part(match):
        words = [word.strip() for word in
                 re.split(r"(?<!\|)\|(?!\|)", match.group(2) or "")]
        return re.sub(r"\$(\d)", lambda it: words[int(it.group(1)) - 1],
                      parts[match.group(1)])
    before = None
    while text != before:
        before, text = text, re.sub(r"\{([a-z_]+)(?::([^{}]*))?\}", part, text)
    return text


def quoted(text):
    return '"%s"' % text.replace('"', '\\"') if text else "NULL"


def read(source):
    """The heads, each with the lines of its text."""
    found = []
    with open(source, encoding="ascii") as file:
        for line in map(str.strip, file):
            head = HEAD.fullmatch(line)
            if head:
                found.append((head.groups(), []))
            elif line and not line.startswith("--") and found:
                found[-1][1].append(line)
    return found


def statements(source):
    """The constants, {name: text}; and the views, each with the word, the name,
    the title, the columns and the text; and name, columns and text below."""
    parts, constants, views = {}, {}, []
    for (kind, name, table, title), lines in read(source):
        text = expand(" ".join(lines), parts)
        if kind == "part":
            parts[name] = text
        elif kind == "view":
            views.append([name.strip("-"), table, title] + 5 * [""])
        elif kind == "columns":
            views[-1][3:5] = expand(title, parts), text
        elif kind == "below":
            views[-1][5:8] = name, title, text
        else:
            constants[name] = text
    return constants, views


def main(source, out, header):
    constants, views = statements(source)
    rows = ["\t{ \"%s\",\n\t  %s },\n" % (
        view[0], ",\n\t  ".join(map(quoted, view[1:]))) for view in views]
    with open(out, "w", encoding="ascii") as file:
        file.write('/* Made by tools/gensql.py; do not edit. */\n#include "%s"\n'
                   % header + "".join("const char %s[] = %s;\n" % (name, quoted(text))
                                      for name, text in constants.items()))
        if rows:
            file.write("const struct reader_view reader_views[] = {\n%s"
                       "\t{ 0 },\n};\n" % "".join(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
