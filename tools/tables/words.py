# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the rows of all topics are made of, and how C has it.

import re

KINDS = {"rw": 0, "ro": 1, "wo": 2, "w1c": 3, "rsv": 4, "ig": 5}


def bit_range(row, text):
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if not match:
        row.fail("'%s' is no bit range" % text)
    high = int(match.group(1))
    low = int(match.group(2) or high)
    if low > high or high > 63:
        row.fail("bit range %s is upside down or too wide" % text)
    return high, low


def bits(high, low):
    return ((1 << (high - low + 1)) - 1) << low


def arithmetic(row, text, names):
    """An expression of numbers, names, + - * and brackets."""
    if not re.fullmatch(r"[\w+\-*/() %]+", text):
        row.fail("'%s' is no address expression" % text)
    try:
        return int(eval(text, {"__builtins__": {}}, dict(names)))
    except Exception:
        row.fail("'%s' cannot be computed" % text)


def one_of(row, key, names):
    word = row.keys.get(key, names[0])
    if word not in names:
        row.fail("%s=%s is none of %s" % (key, word, ", ".join(names)))
    return word


def text(value):
    if value is None:
        return "NULL"
    return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')


def ident(*parts):
    return re.sub(r"\W+", "_", "_".join(parts)).lower()
