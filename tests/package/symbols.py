#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the libraries show is what was promised: the functions of the installed
# headers, each in the node of the version that brought it, as the lists
# symbols-*.txt beside this file have it, and nothing else. Names that only the
# two libraries share are in a node of their own, which is nobody else's.
# With --write the lists are written anew: for what was never released.

import glob
import os
import re
import subprocess
import sys

BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD", "build"))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
HERE = os.path.join(SOURCE, "tests/package")
LIBRARIES = {"uncore": "src/libuncore.map",
             "uncore-model": "model/libuncore-model.map"}
PRIVATE = "UNCORE_PRIVATE"
FUNCTION = re.compile(r"\b(uncore_\w+)\(")

ADVICE = """
In a node that was never released all may change: tests/package/symbols.py --write
makes the list anew. Else a name that is new belongs into the node of the version
in the making, by name, in %s. A name that has gone, or has
changed its node, keeps programs that were linked with it from running: keep it,
or let `abi` in meson.build grow. docs/tools.md has the rules."""
HEAD = """# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What lib%s.so shows, and since which version; symbols.py compares.

"""


def shown(name):
    """{symbol: node}"""
    text = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions",
         os.path.join(BUILD, "lib%s.so" % name)],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        symbol, _, node = line.split()[2].replace("@@", "@").partition("@")
        if symbol != node and line.split()[1] != "A":
            found[symbol] = node
    return found


def listed(name):
    with open(os.path.join(HERE, "symbols-%s.txt" % name),
              encoding="ascii") as lines:
        return dict(line.split()[:2] for line in lines
                    if line.strip() and not line.startswith("#"))


def write(name, symbols):
    with open(os.path.join(HERE, "symbols-%s.txt" % name), "w",
              encoding="ascii") as out:
        out.write(HEAD % name)
        out.writelines("%s %s\n" % pair for pair in sorted(symbols.items()))


def declared():
    """Functions of the public headers."""
    names = set()
    for header in glob.glob(os.path.join(SOURCE, "include/uncore/*.h")):
        with open(header, encoding="utf-8") as text:
            code = re.sub(r"/\*.*?\*/", "", text.read(), flags=re.S)
        code = re.sub(r"^\s*#(.*\\\n)*.*$", "", code, flags=re.M)
        # those with a body are the program's own, not the library's
        code = re.sub(r"^static inline[^;{]*\{.*?^\}", "", code,
                      flags=re.S | re.M)
        names.update(FUNCTION.findall(code))
    return names


def main():
    wrong = []
    public = set()
    for name, script in LIBRARIES.items():
        symbols = shown(name)
        private = {s for s, node in symbols.items() if node == PRIVATE}
        wrong += ["%s is in %s and has no uc_" % (s, PRIVATE)
                  for s in sorted(private) if not s.startswith("uc_")]
        symbols = {s: n for s, n in symbols.items() if s not in private}
        public |= set(symbols)
        if sys.argv[1:] == ["--write"]:
            write(name, symbols)
        promised = listed(name)
        differences = sorted(set(symbols.items()) ^ set(promised.items()))
        for symbol, node in differences:
            wrong.append("lib%s.so: %s %s %s" % (
                name, symbol, node, "is not in the list"
                if symbols.get(symbol) == node else "is not in the library"))
        if differences:
            wrong.append(ADVICE % script)
    headers = declared()
    wrong += ["%s is declared, and in no library" % s
              for s in sorted(headers - public)]
    wrong += ["%s is in a library, and in no header" % s
              for s in sorted(public - headers)]
    print("\n".join(wrong))
    print("%d functions shown, %d declared" % (len(public), len(headers)))
    return 1 if wrong or not public else 0


if __name__ == "__main__":
    sys.exit(main())
