#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Includes run one way (docs/design.md, "Layers"): each folder has the list of
# what it may see, and every #include "..." is resolved and compared with it.

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

# Sees the whole model, which does not see it.
TOP = "model/traffic"
BELOW_MODEL = ("src/base", "src/table", "include/uncore", "signals.h",
               "params.h")

# Folder: what its files may include, besides the folder itself. The first
# folder that fits a file counts.
MAY_SEE = (
    ("include/uncore", ()),
    ("src/base", ("include/uncore",)),
    ("src/table", ("src/base", "include/uncore")),
    ("src/perf", ("src/base", "src/table", "include/uncore")),
    ("src/event", ("src/base", "src/table", "src/perf", "include/uncore")),
    ("src/access", ("src/base", "src/table", "src/perf", "include/uncore")),
    ("src/schedule", ("src/base", "src/table", "src/event",
                      "include/uncore")),
    ("src/session", ("src/base", "src/table", "src/event", "src/access",
                     "include/uncore")),
    ("src/record", ("src/base", "include/uncore")),
    ("src/metric", ("src/base", "src/table", "src/event", "src/access",
                    "src/session", "include/uncore")),
    ("src/doctor", ("src/base", "src/table", "src/perf", "src/access", "src/session",
                    "include/uncore")),
    ("model/sim", BELOW_MODEL),
    ("model/truth", BELOW_MODEL),
    ("model/station", ("model/sim", *BELOW_MODEL)),
    ("model/pmu", ("model/sim", *BELOW_MODEL)),
    ("model/fault", ("model/sim", *BELOW_MODEL)),
    ("model/machine", ("model/fault", *BELOW_MODEL)),
    ("model/box", ("model/sim", "model/truth", "model/station", "model/pmu",
                   "model/fault", "model/machine", *BELOW_MODEL)),
    ("model/core", ("model/sim", "model/box", "model/machine", *BELOW_MODEL)),
    # Boxes that kinds of processor share.
    ("model/parts", ("model/sim", "model/station", "model/pmu", "model/fault",
                     "model/box", *BELOW_MODEL)),
    # Kinds of processor do not see each other.
    ("model/nehalem-ex", ("model/sim", "model/station", "model/pmu",
                          "model/fault", "model/box", "model/parts",
                          *BELOW_MODEL)),
    ("model/sandy-bridge-ep", ("model/sim", "model/station", "model/pmu",
                               "model/fault", "model/box", "model/parts",
                               *BELOW_MODEL)),
    ("model/skylake-sp", ("model/sim", "model/station", "model/pmu",
                          "model/fault", "model/box", "model/parts",
                          "model/sandy-bridge-ep", *BELOW_MODEL)),
    (TOP, ("model/box", "model/model.h", *BELOW_MODEL)),
    ("model", ("model/core", "model/box", *BELOW_MODEL)),
    ("tool", ("include/uncore",)),
    ("proof", ("tool", "include/uncore")),
    ("bridge", ("include/uncore",)),
    ("guest/plugin", ("include/uncore",)),
    ("guest/server", ("server", "src/base", "include/uncore")),
    ("guest/command", ("tool", "include/uncore")),
    ("guest/image", ("include/uncore",)),
    ("server", ("src/base", "include/uncore")),
)

# Of the public headers these belong to the model; in src/ only one file may
# see them: the one that joins library and model.
MODEL_HEADERS = ("include/uncore/model.h", "include/uncore/program.h",
                 "include/uncore/live.h", "include/uncore/guest.h")
JOINS = "src/access/model.c"

# (file or folder, what it sees): two ends of one thing that must agree.
EXCEPTIONS = (
    # The private caches run beside programs and guests, and in the model for
    # built-in traffic: one filter, so all give the same counts.
    ("bridge/valgrind", "model/box/privcache.h"),
    ("bridge/valgrind", "model/box/tlb.h"),
    ("guest/plugin", "model/box/privcache.h"),
    # So does the guess which load has waited for the one before.
    ("bridge/valgrind", "model/box/combining.h"),
    ("guest/plugin", "model/box/combining.h"),
    ("bridge/valgrind", "model/box/chase.h"),
    ("guest/plugin", "model/box/chase.h"),
    # One clock, which needs nothing to be linked.
    ("guest/plugin", "src/base/clock.h"),
    # Results and recordings take their place in the same way.
    ("tool/output.c", "src/base/beside.h"),
    # The pairs of loops are found where the other helpers are.
    ("proof/validate_pairs.c", "src/base/find.h"),
    # A page of an event names the run in which it counts.
    ("tool/explain/explain_setup.c", "proof/coverage.h"),
    # The shared memory between front end and model has one description.
    ("model/traffic", "bridge/valgrind"),
    ("guest/server", "guest/plugin"),
    ("server", "guest/plugin"),
)

# Of Valgrind's package: what a tool is made with.
VALGRIND = re.compile(r"(pub_tool|libvex)_\w+\.h")

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def resolve(source, name):
    """The path from the root of an included file, or the name as it stands."""
    for folder in (os.path.dirname(source), "", "src", "include"):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(os.path.join(ROOT, path)):
            return path
    return name


def may_see(source, target):
    for where, seen in EXCEPTIONS:
        if inside(source, where) and inside(target, seen):
            return True
    if inside(source, "bridge/valgrind") and VALGRIND.fullmatch(target):
        return True
    if inside(source, "src") and target in MODEL_HEADERS and source != JOINS:
        return False
    if inside(target, TOP) and not inside(source, TOP):
        return False
    for folder, seen in MAY_SEE:
        if inside(source, folder):
            return any(inside(target, s) for s in (folder,) + seen)
    return False


def sources():
    for top in ("include", "src", "model", "tool", "proof", "bridge", "guest",
                "server"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def main():
    wrong = checked = 0
    for source in sources():
        with open(os.path.join(ROOT, source), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                checked += 1
                target = resolve(source, match.group(1))
                if not may_see(source, target):
                    wrong += 1
                    print("%s:%d: must not include %s" %
                          (source, number, target))
    print("%d includes checked, %d against the direction" % (checked, wrong))
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
