#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Writes proof/found.txt: in which run of the catalogue an event counts,
# where it is not the first that its row names. `uncore model coverage` finds
# that out by trying; a page of `uncore explain` cannot wait for it. To be run by
# hand after the catalogue or the model has changed:
#
#   tools/genscenes.py build/uncore
#
# or, with what `uncore model coverage -m MACHINE` has printed already, as
# MACHINE=FILE behind it.

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.path.join(ROOT, "proof/found.txt")
HEAD = """# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Where events count that do not count in the first run that their law names:
# made by tools/genscenes.py from `uncore model coverage`.

"""


def said(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout


def first_choices(uncore, machine):
    """{BOX/EVENT.MASK: (scene, options)} that are tried first."""
    choices = {}
    for line in said(uncore, "model", "coverage", "-m", machine,
                     "--list").splitlines():
        match = re.match(r"  (\w+/\S+): ([\w ]+)(?:; options ([^;]*))?", line)
        if match:
            options = (match.group(3) or "").split()
            choices[match.group(1)] = (match.group(2).split()[0],
                                       options[0] if options else "")
    return choices


def found(text):
    """The same, in which it counted."""
    for line in text.splitlines():
        match = re.match(r"(\w+/[^\s,]+)(?:,(\S+))? +(\w+) +[1-9]\d* ", line)
        if match:
            yield match.group(1), (match.group(3), match.group(2) or "")


def main():
    uncore, known = sys.argv[1], dict(w.split("=") for w in sys.argv[2:])
    rows, firsts = {}, {}
    machines = said(uncore, "list", "--names=models").split()
    for machine in machines:
        if machine in known:
            with open(known[machine], encoding="utf-8") as text:
                printed = text.read()
        else:
            printed = said(uncore, "model", "coverage", "-m", machine)
        firsts[machine] = first_choices(uncore, machine)
        for name, choice in found(printed):
            if firsts[machine].get(name) != choice:
                rows.setdefault((name,) + choice, []).append(machine)
    with open(TARGET, "w", encoding="utf-8") as out:
        out.write(HEAD)
        for (name, scene, options), of in sorted(rows.items()):
            has_it = [m for m in machines if name in firsts[m]]
            for machine in of if len(of) < len(has_it) else [""]:
                out.write("found %s in %s%s%s\n" % (
                    name, scene, options and " at " + options,
                    machine and " of " + machine))
    print("%d rows" % len(rows))


if __name__ == "__main__":
    main()
