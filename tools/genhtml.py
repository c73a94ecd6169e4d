#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A page of HTML as two constants in C, html_head and html_tail, between which
# its data goes: genhtml.py PAGE.html OUT.c. Style and script are allowed by
# their hashes, which take the places of STYLE-HASH and SCRIPT-HASH.

import base64
import hashlib
import re
import sys

DATA = '<script type="application/json" id="data">'


def main(source, out):
    with open(source, encoding="ascii", newline="") as file:
        page = file.read()
    for tag in "style", "script":
        inner, = re.findall("<%s>(.*?)</%s>" % (tag, tag), page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest())
        page = page.replace(tag.upper() + "-HASH", "sha256-" + digest.decode())
    head, tail = page.split(DATA)
    with open(out, "w", encoding="ascii") as file:
        file.write('/* Made by tools/genhtml.py; do not edit. */\n'
                   '#include "tool/html.h"\n')
        for name, text in ("head", head + DATA), ("tail", tail):
            file.write("const char html_%s[] = {\n%s };\n" % (
                name, "\n".join("%d," % byte for byte in text.encode() + b"\0")))


if __name__ == "__main__":
    main(*sys.argv[1:])
