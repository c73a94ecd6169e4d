# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The names of the options that events of a box take, and whether these have a
# value, in the order in which they are looked for.


def params(events):
    return [(param["name"], True) for event in events
            for part in [event] + event["umasks"] for param in part["params"]]


def fields(family, index):
    """Those of the control that an event may set."""
    control = next((r for r in family.registers
                    if r["box"] == index and r["role"] == "control"), None)
    return [(f["canonical"], f["high"] > f["low"])
            for f in family.layouts[control["layout"]]["fields"]
            if f["kind"] == "rw" and f["canonical"].lower() != "en"] \
        if control else []


def options(family, index):
    box = family.boxes[index]
    own = dict.fromkeys(params(family.events[box["name"]]))
    words = dict.fromkeys((word["name"], True) for word in family.filter_words
                          if word["box"] == index)
    places = ["counter"] + (["port", "slot"] if box["ports"] > 1 else [])
    return [(name, True) for name in places] + fields(family, index) + \
        list(own) + [word for word in words if word not in own]
