#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Turns model/machine/*.txt into the table of machine parameters (machines.c)
# and their numbering (params.h). Every machine must name the same parameters.

import os
import shlex
import sys


def fail(where, message):
    sys.exit("genmachine: %s: %s" % (where, message))


def read(path):
    machine = {"params": []}
    with open(path, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            where = "%s:%d" % (os.path.basename(path), number)
            if not line.strip() or line.startswith("#"):
                continue
            words = shlex.split(line)
            if words[0] == "machine":
                machine["name"], machine["title"] = words[1:3]
                continue
            if len(words) < 5:
                fail(where, "needs name, default, unit, source, text")
            keys = dict(w.split("=", 1) for w in words[5:])
            choices = keys.get("choices", "").split(",")
            value = words[1]
            if keys.get("choices"):
                if value not in choices:
                    fail(where, "'%s' is none of the choices" % value)
                number_value = choices.index(value)
                low, high = 0, len(choices) - 1
            else:
                if "min" not in keys or "max" not in keys:
                    fail(where, "needs min= and max=")
                number_value = float(value)
                low, high = float(keys["min"]), float(keys["max"])
                if not low <= number_value <= high:
                    fail(where, "the default is out of range")
            machine["params"].append(
                (words[0], value, words[2], words[3], words[4],
                 number_value, low, high, keys.get("choices", "")))
    return machine


def quote(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: genmachine.py MACHINE-FOLDER OUTPUT-FOLDER")
    folder, out = sys.argv[1:]
    machines = [read(os.path.join(folder, n)) for n in sorted(
        os.listdir(folder)) if n.endswith(".txt")]
    names = [p[0] for p in machines[0]["params"]]
    for machine in machines:
        if [p[0] for p in machine["params"]] != names:
            fail(machine["name"], "other parameters than %s" %
                 machines[0]["name"])
    header = ["/* Made by tools/genmachine.py from model/machine; do not "
              "edit. */", "#ifndef UNCORE_PARAMS_H",
              "#define UNCORE_PARAMS_H", "", "enum param {"]
    header += ["\tPARAM_%s," % n.replace(".", "_").upper() for n in names]
    header += ["\tNUM_PARAMS", "};", "", "#endif", ""]
    source = ["/* Made by tools/genmachine.py from model/machine; do not "
              "edit. */", '#include <stddef.h>', "",
              '#include "model/machine/machine.h"', ""]
    for machine in machines:
        tag = machine["name"].replace("-", "_")
        source.append("static const struct machine_param %s[] = {" % tag)
        for p in machine["params"]:
            source.append("\t{ %s, %s, %s, %s, %s, %r, %r, %r, %s }," % (
                quote(p[0]), quote(p[1]), quote("" if p[2] == "-" else p[2]),
                quote(p[3]), quote(p[4]), float(p[5]), float(p[6]),
                float(p[7]), quote(p[8]) if p[8] else "NULL"))
        source.append("};\n")
    source.append("const struct machine machines[] = {")
    for machine in machines:
        source.append("\t{ %s, %s, %s }," % (
            quote(machine["name"]), quote(machine["title"]),
            machine["name"].replace("-", "_")))
    source.append("\t{ NULL, NULL, NULL },\n};\n")
    os.makedirs(out, exist_ok=True)
    for name, lines in (("params.h", header), ("machines.c", source)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as handle:
            handle.write("\n".join(lines))


if __name__ == "__main__":
    main()
