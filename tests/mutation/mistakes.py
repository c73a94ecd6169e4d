# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The list of mistakes (mistakes.txt), for `run` and anchors.py."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Mistake:
    def __init__(self, number, file, what, old, new):
        self.number, self.file, self.what = number, file, what
        self.old, self.new = old, new

    def problem(self, text):
        """Why it cannot be planted in the text of its file, or None."""
        if self.old == self.new:
            return "nothing is changed"
        found = text.count(self.old)
        return None if found == 1 else "is there %d times" % found


def parse(stanza):
    head, *lines = stanza.split("\n")
    number, file = head.split()
    parts = {sign: "\n".join(line[1:] for line in lines if line[0] == sign)
             for sign in "-+"}
    what = " ".join(line for line in lines if line[0] not in "-+")
    return Mistake(int(number), file, what, parts["-"], parts["+"])


def load():
    with open(os.path.join(HERE, "mistakes.txt"), encoding="utf-8") as file:
        stanzas = file.read().strip().split("\n\n")
    return [parse(stanza) for stanza in stanzas if stanza[0] != "#"]
