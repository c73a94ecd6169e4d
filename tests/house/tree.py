# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The files that are the project's: what git knows, or where this is no clone
# (or git is not there) all that lies outside of build folders.

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def walked():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in (".git", "__pycache__") and
                      not os.path.isdir(os.path.join(folder, f,
                                                     "meson-private"))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def tracked():
    """None where git cannot tell. What is staged is the project's, too."""
    try:
        ran = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"],
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [path for path in os.fsdecode(ran.stdout).split("\0")
            if path and os.path.exists(os.path.join(ROOT, path))]


def files():
    """Paths from the root, in their order."""
    return sorted(tracked() or walked())
