#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# No setting without effect: every parameter of a machine is read by the code of
# its kind of processor, or by what all kinds share, or a register has it. Of the times of DRAM
# commands, which one list reads for all kinds, those that a step between
# commands takes count where the kind has such a step.

import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
UNCORE = os.environ.get("UNCORE", os.path.join(ROOT, "build", "uncore"))
# Kinds, and the folders of kinds that their code is in.
KINDS = {"nehalem-ex": {"nehalem-ex"},
         "sandy-bridge-ep": {"sandy-bridge-ep"},
         "skylake-sp": {"skylake-sp", "sandy-bridge-ep"}}
STEPS = "model/parts/memory/mc_rank.c"


def words():
    """{machine: its own row}, of all machine files."""
    machines = {}
    for path in glob.glob(os.path.join(ROOT, "model", "machine", "*.txt")):
        with open(path, encoding="utf-8") as file:
            row = re.search(r"^machine (\S+) .*", file.read(), re.M)
        machines[row.group(1)] = row.group(0)
    return machines


def kind_of(machine, machines):
    row = machines[machine]
    kind = re.search(r"\bkind=(\S+)", row)
    return kind.group(1) if kind else kind_of(
        re.search(r"\bbase=(\S+)", row).group(1), machines)


def sources():
    """{file: text} of the model."""
    texts = {}
    for path in glob.glob(os.path.join(ROOT, "model", "**", "*.[ch]"),
                          recursive=True):
        with open(path, encoding="utf-8") as file:
            texts[os.path.relpath(path, ROOT)] = file.read()
    return texts


def seen_by(kind, texts):
    """All that is no other kind's."""
    others = set(KINDS) - KINDS[kind]
    return {path: text for path, text in texts.items()
            if path.split("/")[1] not in others}


def waits(texts):
    """{parameter: the step between commands that takes it}"""
    members = dict(re.findall(r"case (MC_\w+): return d->(\w+);",
                              texts[STEPS]))
    steps = {member: step for step, member in members.items()}
    return {param: steps[member] for text in texts.values()
            for member, param in re.findall(r"DRAM\((\w+), (PARAM_\w+)\)",
                                            text) if member in steps}


def in_registers():
    """Those that a register of a logical CPU shows."""
    names = set()
    for path in glob.glob(os.path.join(ROOT, "data", "*", "core*.txt")):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r"\bparam=(\S+)", file.read()))
    return names


def without_effect(kind, names, texts):
    seen = seen_by(kind, texts)
    read = {name for text in seen.values()
            for name in re.findall(r"\bPARAM_\w+", text)}
    taken = {step for text in seen.values()
             for step in re.findall(r"\{ DRAM_\w+, (MC_\w+) \}", text)}
    steps = waits(texts)
    for name in set(names) - in_registers():
        param = "PARAM_" + name.upper().replace(".", "_")
        if param not in read or steps.get(param, "") not in taken | {""}:
            yield name


def main():
    machines, texts, wrong, num = words(), sources(), 0, 0
    for machine in subprocess.run(
            (UNCORE, "list", "--names=models"), stdout=subprocess.PIPE,
            text=True, check=True).stdout.split():
        shown = json.loads(subprocess.run(
            (UNCORE, "model", "show", "-m", machine, "--json"),
            stdout=subprocess.PIPE, text=True, check=True).stdout)
        names = [row["name"] for row in shown["parameters"]]
        num += len(names)
        for name in without_effect(kind_of(machine, machines), names, texts):
            wrong += 1
            print("%s: %s is read by nothing" % (machine, name))
    print("%d parameters, %d without effect" % (num, wrong))
    return wrong > 0 or num < 500


if __name__ == "__main__":
    sys.exit(main())
