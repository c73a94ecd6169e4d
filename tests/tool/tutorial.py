#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# docs/first-hour.md, executed: its commands run in their order, the figures that it
# prints are near those that come out, and its statements about numbers, which
# stand in comments (<!-- holds: ... -->) beside the sentences, are true. In them
# slow and fixed are the metrics of the two programs; S0 and S1 those of a
# socket; remote the share of samples of a function; sharing and sharing_fixed
# the second program's hitm (snoops that
# found a modified line), simulated_time, and line: the first row of its report
# by line. Of the lines that show a figure all but the number has to be as it is
# printed; with --update they are written into the document as they are now.

import json
import os
import re
import sys
from types import SimpleNamespace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from examples import blocks, script  # noqa: E402
from sandbox import SOURCE, Sandbox, missing  # noqa: E402

TUTORIAL = "docs/first-hour.md"
METRICS = "memory_read,qpi_data_received,llc_miss_latency,simulated_time"
UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "cycles": 1, "s": 1,
         "%": 1}
FIGURE = re.compile(r"\s*((?:S\d )?[a-z_]+) +([\d.,]+) +(\S+) +# .*")
NEAR = 1.35  # runs differ by some percent; machines and compilers a little more
RECORDS = 65536 * 64
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED: " + text)


def figures(text):
    """{label: (value, line)} of the lines that show a metric."""
    found = {}
    for line in text.splitlines():
        match = FIGURE.fullmatch(line)
        if match:
            found[match.group(1)] = (
                float(match.group(2).replace(",", "")) *
                UNITS[match.group(3)], line.strip())
    return found


def shape(line):
    """The line with blanks for its number, without its error."""
    line = re.sub(r" \((about, )?\+- [^)]+\)$", "", line)
    return re.sub(r" [\d.,]+", lambda found: " " * len(found.group()), line, 1)


def near(printed, real):
    if printed < 1 << 20 and printed > 10000:  # what is left of traffic: bytes
        return printed / 4 < real < printed * 4
    return printed / NEAR <= real <= printed * NEAR


def commands(sandbox):
    """{line of the document: what it should be}."""
    compared, lines = 0, {}
    for number, marks, block in blocks(TUTORIAL):
        if not any(line.startswith("$ uncore") for line in block):
            continue
        if missing(marks.get("needs", ([],))[0]):
            continue
        real = figures(sandbox.run(script(block, [])))
        for label, (value, line) in figures("\n".join(block)).items():
            if label not in real:
                expect(False, "%d: %s is not printed" % (number, label))
                continue
            now, lines[line] = real[label]
            if "--update" in sys.argv:
                continue
            expect(shape(line) == shape(lines[line]),
                   "%d: '%s' is printed as '%s'" % (number, line, lines[line]))
            if value:
                expect(near(value, now), "%d: %s: printed %g, is %g" %
                       (number, label, value, now))
                compared += 1
        print("%s:%d: run" % (TUTORIAL, number))
    expect(compared >= 15 or "--update" in sys.argv,
           "only %d figures were compared" % compared)
    return lines


def update(lines):
    path = os.path.join(SOURCE, TUTORIAL)
    with open(path, encoding="utf-8") as file:
        text = file.read().splitlines()
    with open(path, "w", encoding="utf-8") as file:
        for line in text:
            known = lines.get(line.strip())
            file.write(("     " + known if known else line) + "\n")


def measure(sandbox, program):
    """In detail: what is stated is of the program, and not of its windows."""
    out = sandbox.run("uncore stat --json --per-socket --place scatter --set "
                      "llc.slice=64 --detail=full -M %s --replace -o out.json "
                      "-- build/%s >/dev/null; cat out.json" % (METRICS, program))
    result = SimpleNamespace(S0=SimpleNamespace(), S1=SimpleNamespace())
    for metric in json.loads(out)["metrics"]:
        where = {None: result, 0: result.S0, 1: result.S1}[metric["socket"]]
        setattr(where, metric["name"], metric["value"])
    return result


def shares(sandbox):
    text = sandbox.run("uncore report --json --by=symbol remote.rec")
    result = SimpleNamespace()
    for row in json.loads(text)["symbols"]:
        setattr(result, row["symbol"].split(".")[0], row["share"])
    return result


def fight(sandbox, program):
    """The second program: its snoops, its time, its busiest line."""
    text = sandbox.run(
        "uncore stat --json --place scatter -e cbox/SNP_HITS.REMOTE_HITM/ -M "
        "simulated_time --replace -o out.json -- build/%s >/dev/null 2>&1; cat out.json" %
        program)
    found = json.loads(text)
    lines = json.loads(sandbox.run(
        "uncore record -q --replace --place scatter -o lines.rec -e "
        "cbox/SNP_HITS.REMOTE_HITM,period=20/ -- build/%s >/dev/null 2>&1;"
        "uncore report --json --by=line lines.rec" % program))["lines"]
    return SimpleNamespace(
        hitm=found["counts"][0]["value"],
        simulated_time=found["metrics"][0]["value"],
        line=SimpleNamespace(**lines[0]) if lines else None)


def statements():
    with open(os.path.join(SOURCE, TUTORIAL), encoding="utf-8") as text:
        return re.findall(r"^<!-- holds: (.*) -->$", text.read(), re.M)


def main():
    if missing(["valgrind"]):
        print("there is no valgrind to run the program with")
        return 77
    with Sandbox() as sandbox:
        lines = commands(sandbox)
        if "--update" in sys.argv:
            update(lines)
            return 0
        names = {
            "slow": measure(sandbox, "histogram"),
            "fixed": measure(sandbox, "histogram-fixed"),
            "sharing": fight(sandbox, "sharing"),
            "sharing_fixed": fight(sandbox, "sharing-fixed"),
            "RECORDS": RECORDS,
        }
        names["slow"].remote = shares(sandbox)
    for text in statements():
        expect(eval(text, {"__builtins__": {}}, names), text)
    expect(len(statements()) >= 12, "statements are missing")
    print("%d statements, %d failures" % (len(statements()), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
