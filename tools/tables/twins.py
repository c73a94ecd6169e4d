# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Events of a box that are the same but for the field that chooses what they
# count (struct uc_twins), and the sub-registers that an event needs.

MAX_TWINS = 8
ALIKE = "select counters max ge accumulate tally".split()


def same_params(a, b):
    keys = "name role low".split()
    return [[p[k] for k in keys] for p in a["params"]] == \
        [[p[k] for k in keys] for p in b["params"]]


def moved_set(a, b):
    """The sets in which two unit masks differ, by their place only; None if
    they are not alike or there is more than one."""
    if (a["name"] != b["name"] or len(a["sets"]) != len(b["sets"]) or
            a["signals"] != b["signals"] or not same_params(a, b)):
        return None
    moved = []
    for x, y in zip(a["sets"], b["sets"]):
        if (x["role"] != y["role"] or x["value"] != y["value"] or
                x["contains"] or y["contains"] or
                x["high"] - x["low"] != y["high"] - y["low"]):
            return None
        if x["low"] != y["low"]:
            moved.append((x, y))
    return moved[0] if len(moved) == 1 else None


class Twins:
    """Looks at one box of a family."""

    def __init__(self, family, index, roles):
        self.family, self.index, self.roles = family, index, roles
        self.events = family.events[family.boxes[index]["name"]]

    def word_of(self, event):
        """The one word that the event's only signal is compared with."""
        found = [word for word in self.family.filter_words
                 if word["box"] == self.index and word["is"] == "level" and
                 word["filter"] & event["signals"][0]["filter"]]
        return found[0]["fields"]["match"] if len(found) == 1 else None

    def by_word(self, a, b):
        if (len(a["signals"]) != 1 or len(b["signals"]) != 1 or
                any(a["signals"][0][key] != b["signals"][0][key]
                    for key in ("table", "signal"))):
            return None
        x, y = self.word_of(a), self.word_of(b)
        if (not x or not y or x is y or x["role"] != y["role"] or
                x["high"] - x["low"] != y["high"] - y["low"]):
            return None
        return x, y

    def by_mask(self, a, b):
        found = None
        for x, y in zip(a["umasks"], b["umasks"]):
            moved = moved_set(x, y)
            if not moved or (found and any(
                    one[key] != other[key] for one, other in zip(moved, found)
                    for key in ("role", "low"))):
                return None
            if self.roles.kinds[self.roles.number(moved[0]["role"])] == "none":
                return None
            found = moved
        return found

    def fields(self, a, b):
        """The fields of an event and of its twin, None if it is none."""
        if (any(a[key] != b[key] for key in ALIKE) or a["sets"] or b["sets"] or
                len(a["umasks"]) != len(b["umasks"]) or a["code"] == b["code"]):
            return None
        return self.by_mask(a, b) if a["umasks"] else self.by_word(a, b)

    def find(self):
        """The first set of them, as event's number and field; a box has one at
        most."""
        for n, event in enumerate(self.events):
            found = [(n, None)]
            for other in range(n + 1, len(self.events)):
                fields = self.fields(event, self.events[other])
                if fields:
                    found[0] = n, fields[0]
                    found.append((other, fields[1]))
            if len(found) > 1:
                return found[:MAX_TWINS]
        return []

    def roles_of(self, event):
        """A bit for each sub-register that the event or a unit mask needs."""
        needs = set(self.family.selects[event["select"]]["registers"])
        for part in [event] + event["umasks"]:
            needs.update(row["role"] for key in ("sets", "params", "signals")
                         for row in part[key])
            needs.update(
                look["field"]["role"] for look in self.family.look_fields
                for ref in part["signals"]
                if look["box"] == self.index and look["of"] & ref["filter"])
        return sum(1 << self.roles.number(role) for role in needs
                   if role != "none")
