#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# From the rows of proof/*.txt (proof/README.md) the tables of proof/proof.h:
#
#   genproof.py FOLDER OUTPUT
#
# A name that means nothing, a run that is not there and a condition that is
# none end it, with the line.

import os
import re
import sys

RELATION = re.compile(r"(=|<=|>=|~[\d.]+) \S")
HEAD = '/* Made by tools/genproof.py from proof/. */\n#include "proof/figures.h"\n#include "proof/proof.h"\n'


class Row:
    """A line with the indented lines below it; `where` for errors."""

    def __init__(self, path, line, text):
        self.where = "%s:%d" % (os.path.basename(path), line)
        self.text, self.parts = text, []

    def fail(self, message):
        sys.exit("%s: %s" % (self.where, message))

    def words(self, *keys):
        """What stands behind the kind of the row, and behind each of these
        words; "" where one is not there."""
        pattern = r"\w+ (.*?)" + "".join(r"(?: %s (.*?))?" % k for k in keys)
        match = re.fullmatch(pattern, self.text)
        if not match:
            self.fail("'%s' cannot be read" % self.text)
        return [part or "" for part in match.groups()]

    def settings(self, text, *known):
        values = dict(re.findall(r"(\w+)=(\S+)", text))
        for key in values:
            if key not in known:
                self.fail("there is no %s=" % key)
        return values

    def named(self, *known):
        """The parts that begin with such a word, by that word."""
        parts = {}
        for part in self.parts:
            key, _, value = part.partition(" ")
            if key not in known or not value:
                self.fail("'%s' is none of %s" % (part, ", ".join(known)))
            parts[key] = value
        return parts


def lines_of(path):
    with open(path, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            text = line.strip()
            if text and not text.startswith("#"):
                yield number, len(line) - len(line.lstrip(" ")), text


def read_rows(path):
    """Deeper lines continue the one above: a workload without a blank."""
    rows = []
    for number, indent, text in lines_of(path):
        if not indent:
            rows.append(Row(path, number, text))
        elif indent == 4:
            rows[-1].parts.append(text)
        elif rows[-1].parts:
            joint = "" if rows[-1].parts[-1].startswith(
                ("workload ", "run ")) else " "
            rows[-1].parts[-1] += joint + text
        else:
            rows[-1].text += " " + text
    return fill_in(rows)


def fill_in(rows):
    """$NAME is what `let NAME = TEXT` has said above in the same file."""
    known, rest = {}, []

    def put(row, text):
        def value(match):
            if match.group(1) not in known:
                row.fail("there is no %s above" % match.group())
            return known[match.group(1)]
        return re.sub(r"\$(\w+)", value, text)

    for row in rows:
        row.text = put(row, row.text)
        row.parts = [put(row, part) for part in row.parts]
        match = re.fullmatch(r"let (\w+) = (.+)", row.text)
        if match:
            known[match.group(1)] = match.group(2)
        else:
            rest.append(row)
    return rest


def string(text, otherwise=None):
    if not text:
        return otherwise
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def table(kind, name, rows):
    """What a row does not name is NULL or 0."""
    return "\nconst struct %s %s[] = {\n%s\t{ 0 },\n};\n" % (
        kind, name, "".join("\t{ %s },\n" % ", ".join(
            ".%s = %s" % member for member in row.items() if member[1])
                            for row in rows))


def run_row(row, runs):
    """What a run that is like an earlier one has otherwise; later sets count."""
    name, _, rest = row.words()[0].partition(" ")
    values = row.settings(rest, "like", "sockets", "cycles", "N")
    parts = row.named("set", "inject", "workload")
    if "like" in values:
        check_runs(row, values["like"], runs)
        old_values, old_parts = runs[values["like"]]
        parts = {**old_parts, **parts, "set": "%s %s" % (
            old_parts.get("set", ""), parts.get("set", ""))}
        values = {**old_values, **values}
    if name in runs or "sockets" not in values or "workload" not in parts:
        row.fail("a run has a name of its own, sockets= and a workload")
    runs[name] = values, parts
    return {"name": string(name), "workload": string(parts["workload"]),
            "sets": string(parts.get("set")),
            "injects": string(parts.get("inject")),
            "sockets": values["sockets"], "cycles": values.get("cycles"),
            "n": values.get("N")}


def check_runs(row, names, runs):
    for name in names.split():
        if name not in runs:
            row.fail("there is no run '%s'" % name)


def law_row(row, runs, reasons):
    pattern, scenes, options, beside, family = row.words("in", "at", "beside", "of")
    conditions, why = [], ""
    check_runs(row, scenes, runs)
    for part in row.parts:
        if part.startswith("because "):
            why = reasons.get(part[8:]) or row.fail(
                "there is no reason '%s'" % part[8:])
        elif RELATION.match(part):
            conditions.append(part)
        else:
            row.fail("'%s' is no condition" % part)
    return {"pattern": string(pattern), "scenes": string(scenes), "family": string(family),
            "options": string(options), "beside": string(beside),
            "check": string(" ; ".join(conditions)), "why": string(why)}


def found_row(row, runs):
    name, scene, options, family = row.words("in", "at", "of")
    check_runs(row, scene, runs)
    return {"name": string(name), "family": string(family),
            "scene": string(scene), "options": string(options, '""')}


def bounds(row, text):
    ends = text.split("..")
    if not all(re.fullmatch(r"[\d.]+", end) for end in ends) or len(ends) > 2:
        row.fail("'%s' is no number, and no A..B" % text)
    return ends[0], ends[-1]


def unmet(row, text):
    """The worst value that is known of a figure that is not met, and why."""
    limit, _, why = text.partition(" ")
    if text and not (re.fullmatch(r"[\d.]+", limit) and why):
        row.fail("'unmet %s' has no limit and reason" % text)
    return limit, why


def measured(row, parts, names):
    """How a figure is measured, if its row says so."""
    others = {}
    for key in "less", "over":
        if parts.get(key) and parts[key] not in names:
            row.fail("there is no figure %s above" % parts[key])
        if key in parts:
            others[key] = "1 + " + parts[key]
    per = {key: parts[key] for key in ("ns", "cycles", "bytes") if key in parts}
    if len(per) != ("run" in parts) or ("run" in parts) != ("model" in parts):
        row.fail("what is run has a model, and one of ns, cycles and bytes")
    if parts.get("run", "{|}").count("{") != 1:
        row.fail("one thing {LESS|MORE} differs in both runs")
    return {"model": string(parts.get("model")), "run": string(parts.get("run")),
            **{"per_" + key: value for key, value in per.items()}, **others}


def figure_row(row, names):
    name, _, rest = row.words()[0].partition(" ")
    values = row.settings(rest, "digits", "published", "accepted", "long")
    parts = row.named("metric", "unit", "on", "source", "unmet", "model", "run",
                      "ns", "cycles", "bytes", "less", "over")
    published = bounds(row, values["published"])
    accepted = bounds(row, values["accepted"])
    limit, why = unmet(row, parts.get("unmet", ""))
    if name in names:
        row.fail("there is a figure %s above" % name)
    how = measured(row, parts, names)
    names.append(name)
    return name, {"metric": string(parts["metric"]), "unmet": string(why),
                  "limit": limit, "is_long": values.get("long"), **how,
                  "unit": string(parts.get("unit"), '""'),
                  "machine": string(parts["on"]),
                  "source": string(parts["source"]),
                  "published_low": published[0],
                  "published_high": published[1],
                  "low": accepted[0], "high": accepted[1],
                  "digits": values["digits"]}


def ends(row, text):
    """A..B, where B may be left out; "" then."""
    low, dots, high = text.partition("..")
    if not dots or not all(re.fullmatch(r"[\d.]+", end)
                           for end in (low, high or "0")):
        row.fail("'%s' is no A.. and no A..B" % text)
    return low, high


def pair_row(row):
    name, _, rest = row.words()[0].partition(" ")
    low, high = ends(row, row.settings(rest, "asked").get("asked", ""))
    parts = row.named("metric", "why", "bad", "good", "unmet")
    limits, _, why = parts.get("unmet", "").partition("; ")
    if limits and not why:
        row.fail("'unmet %s' has no '; ' and reason" % limits)
    return {"unmet": string(why), "limits": string(limits), "name": string(name), "metric": string(parts["metric"]),
            "why": string(parts["why"]), "bad": string(parts["bad"]),
            "good": string(parts["good"]), "low": low, "high": high}


def main():
    folder, output = sys.argv[1:]
    files = {name: read_rows(os.path.join(folder, name))
             for name in sorted(os.listdir(folder)) if name.endswith(".txt")}
    runs = {}
    reasons = dict(row.words()[0].split(" ", 1)
                   for row in files["reasons.txt"])
    names = []
    figures = [figure_row(row, names) for row in files["figures.txt"]]
    made = table("coverage_scene", "coverage_scenes",
                 [run_row(row, runs) for row in files["runs.txt"]])
    made += table("coverage_law", "coverage_laws",
                  [law_row(row, runs, reasons) for name in files
                   if name.startswith("laws-") for row in files[name]])
    made += table("coverage_found", "coverage_found",
                  [found_row(row, runs) for row in files["found.txt"]])
    made += table("validate_pair", "validate_pairs",
                  [pair_row(row) for row in files["pairs.txt"]])
    made += table("validate_row", "validate_published", [row for _, row in figures])
    with open(os.path.join(output, "proof.c"), "w", encoding="utf-8") as out:
        out.write(HEAD + made)
    with open(os.path.join(output, "figures.h"), "w", encoding="utf-8") as out:
        out.write("/* Made by tools/genproof.py: places in validate_published[]. */\n"
                  "enum figure_name {\n%s\tNUM_FIGURES\n};\n" % "".join(
                      "\t%s,\n" % name for name, _ in figures))


if __name__ == "__main__":
    main()
