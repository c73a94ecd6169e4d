#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Turns model/machine/*.txt into the table of machine parameters (machines.c),
# their numbering (params.h), and the names of machines by family (names.c). A
# machine names all parameters, or says with base= which other one it is like and
# names only those that differ: other defaults, parameters of its own, and
# `without` those that it lacks. kind= is the kind of processor (model/box/kind.h),
# brand= what it calls itself, family= the folder of data/ that tells its
# registers: the base's if they are not named, and the machine's own name.
# A number of cycles may be given as a time (10us, 1ms): by uncore.clock.

import fnmatch
import os
import re
import shlex
import sys


def fail(where, message):
    sys.exit("genmachine: %s: %s" % (where, message))


def is_time(words):
    return words[2] == "cycles" and re.fullmatch(r"[\d.]+[um]s", words[1])


def in_cycles(name, params):
    """The parameter, whose default is a number now."""
    row = params[name]
    if not is_time(row):
        return row
    clock = float(params["uncore.clock"][1])
    number = round(float(row[1][:-2]) * clock * (
        1000 if row[1].endswith("ms") else 1))
    if not row[6] <= number <= row[7]:
        fail(name, "the default is out of range")
    return (name, str(number), *row[2:5], number, *row[6:])


def param(where, words, keys):
    """A row of the table: name, default, unit, source and text, then the
    default as a number, its limits and its choices."""
    if len(words) != 5:
        fail(where, "needs name, default, unit, source, text")
    choices = keys.get("choices", "").split(",")
    if keys.get("choices"):
        if words[1] not in choices:
            fail(where, "'%s' is none of the choices" % words[1])
        number = choices.index(words[1])
        low, high = 0, len(choices) - 1
    else:
        if "min" not in keys or "max" not in keys:
            fail(where, "needs min= and max=")
        low, high = float(keys["min"]), float(keys["max"])
        number = words[1] if is_time(words) else float(words[1])
        if not is_time(words) and not low <= number <= high:
            fail(where, "the default is out of range")
    return (*words, number, low, high, keys.get("choices", ""))


def read_lines(path):
    """Where, words and key=value words of each line that says something."""
    with open(path, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            if not line.strip() or line.startswith("#"):
                continue
            words = shlex.split(line)
            keys = [w for w in words if re.match("(min|max|choices|base|kind|family|brand)=", w)]
            yield ("%s:%d" % (os.path.basename(path), number),
                   [w for w in words if w not in keys],
                   dict(w.split("=", 1) for w in keys))


def leave_out(where, params, patterns):
    """The machine has no parameters of these names or patterns."""
    for pattern in patterns:
        gone = fnmatch.filter(params, pattern)
        if not gone:
            fail(where, "the base has no '%s'" % pattern)
        for name in gone:
            del params[name]


def differ(where, params, words, keys):
    """Another default and source of a parameter of the base, and where they
    are named, other limits; or a parameter that the base does not have."""
    if words[0] == "without":
        return leave_out(where, params, words[1:])
    if words[0] not in params and len(words) == 5:
        params[words[0]] = param(where, words, keys)
        return None
    if len(words) != 3 or words[0] not in params:
        fail(where, "needs a parameter of the base, default, source")
    old = params[words[0]]
    limits = {"choices": old[8]} if old[8] else {
        "min": old[6], "max": old[7]}
    limits.update(keys)
    params[words[0]] = param(
        where, [words[0], words[1], old[2], words[2], old[4]], limits)
    return None


def read(path, machines):
    """Adds the machine of a file to those read so far, its base first."""
    lines = list(read_lines(path))
    where, words, keys = lines[0]
    if words[0] != "machine" or len(words) != 3:
        fail(where, "begins with: machine NAME TITLE [base=NAME] [family=NAME] "
             "[kind=NAME] [brand=NAME]")
    name, title = words[1:]
    if name in machines:
        return
    base, keys_of_machine = keys.pop("base", None), keys
    if base:
        file = os.path.join(os.path.dirname(path), base + ".txt")
        if base == name or not os.path.exists(file):
            fail(where, "there is no machine '%s' to be like" % base)
        read(file, machines)
    params = dict(machines[base]["params"]) if base else {}
    for where, words, keys in lines[1:]:
        if base:
            differ(where, params, words, keys)
        elif words[0] in params:
            fail(where, "%s stands twice" % words[0])
        else:
            params[words[0]] = param(where, words, keys)
    machine = {**machines.get(base, {"family": name}), **keys_of_machine,
               "name": name, "title": title, "params": params}
    for key in "kind", "brand":
        if key not in machine:
            fail(name, "has no %s" % key)
    machines[name] = machine


def like_another(machines, machine, params):
    """A machine that is told whole and has the same parameters, as an expression
    of C, and these; or NULL."""
    for index, other in enumerate(machines):
        if other["name"] == machine["family"] and other is not machine and \
                other["params"].keys() == params.keys():
            return "&machines[%d]" % index, other["all"]
    return "NULL", None


def quote(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: genmachine.py MACHINE-FOLDER OUTPUT-FOLDER")
    folder, out = sys.argv[1:]
    machines = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".txt"):
            read(os.path.join(folder, file), machines)
    machines = list(machines.values())
    names = list(dict.fromkeys(n for m in machines for n in m["params"]))
    header = ["/* Made by tools/genmachine.py from model/machine; do not "
              "edit. */", "#ifndef UNCORE_PARAMS_H",
              "#define UNCORE_PARAMS_H", "", "enum param {"]
    header += ["\tPARAM_%s," % n.replace(".", "_").upper() for n in names]
    header += ["\tNUM_PARAMS", "};", "", "#endif", ""]
    source = ["/* Made by tools/genmachine.py from model/machine; do not "
              "edit. */", '#include <stddef.h>', "",
              '#include "model/box/kind.h"',
              '#include "model/machine/machine.h"', ""]
    for machine in machines:
        tag = machine["name"].replace("-", "_")
        source.append("static const struct machine_param %s[] = {" % tag)
        params = {n: in_cycles(n, machine["params"]) for n in machine["params"]}
        machine["like"], like = like_another(machines, machine, params)
        machine["all"] = params
        for name in names:
            p = params.get(name)
            if like and p == like.get(name):
                continue
            if not p:
                source.append("\t{ .name = NULL },")
                continue
            source.append("\t{ %s, %s, %s, %s, %s, %r, %r, %r, %s }," % (
                quote(p[0]), quote(p[1]), quote("" if p[2] == "-" else p[2]),
                quote(p[3]), quote(p[4]), float(p[5]), float(p[6]),
                float(p[7]), quote(p[8]) if p[8] else "NULL"))
        source.append("\t{ .name = NULL },\n};\n" if like else "};\n")
    source.append("const struct machine machines[] = {")
    for machine in machines:
        source.append("\t{ %s, %s, %s, %s, &%s, %s, %s }," % (
            *(quote(machine[key]) for key in ("name", "family", "title",
                                              "brand")),
            machine["kind"].replace("-", "_"), machine["like"],
            machine["name"].replace("-", "_")))
    source.append("\t{ .name = NULL },\n};\n")
    listed = ["/* Made by tools/genmachine.py from model/machine; do not "
              "edit. */", '#include "table/table.h"', "",
              "const struct uc_machine_name uc_machine_names[] = {",
              *("\t{ %s, %s }," % (quote(m["name"]), quote(m["family"]))
                for m in machines), "\t{ NULL, NULL },", "};", ""]
    os.makedirs(out, exist_ok=True)
    for name, lines in (("params.h", header), ("machines.c", source),
                        ("names.c", listed)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as handle:
            handle.write("\n".join(lines))


if __name__ == "__main__":
    main()
