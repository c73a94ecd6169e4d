#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The image of a guest is whole or not there, whenever guest-image is killed; a
# second run leaves it as it is; it holds what a guest needs.

import gzip
import os
import subprocess
import sys
import time

import rig

MAKE = os.path.join(rig.BUILD, "guest-image")
NEEDED = ("init", "bin/busybox", "bin/perf", "bin/rdmsr", "bin/wrmsr",
          "bin/walk", "scripts/demo")


def make(folder):
    return subprocess.run([MAKE, folder], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)


def names(initrd):
    """The files of an archive."""
    data, at, found = gzip.decompress(initrd), 0, []
    while data[at:at + 6] == b"070701":
        size, length = (int(data[at + i:at + i + 8], 16) for i in (54, 94))
        found.append(data[at + 110:at + 109 + length].decode())
        at += (110 + length + 3) // 4 * 4
        at += (size + 3) // 4 * 4
    return found


def whole(folder):
    """The kernel and the names in the archive, or None if nothing is there."""
    paths = [os.path.join(folder, n) for n in ("vmlinuz", "initrd")]
    if not os.path.exists(os.path.join(folder, "current")):
        return None
    kernel, initrd = (open(p, "rb").read() for p in paths)
    rig.expect(kernel[0x202:0x206] == b"HdrS", "no kernel")
    found = names(initrd.rstrip(b"\0"))
    rig.expect(found[-1] == "TRAILER!!!", "half an archive")
    return found


def kill_early(folder, after_s):
    process = subprocess.Popen([MAKE, folder], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    process.kill()
    process.wait()
    whole(folder)


def main():
    rig.image()
    with rig.Folder() as temporary:
        folder = temporary.file("image")
        for after_s in (0.1, 1.5):
            kill_early(folder, after_s)
        made = make(folder)
        if made.returncode:
            rig.skip(made.stderr.strip())
        rig.expect(made.stdout.split() == [
            os.path.join(folder, "vmlinuz"), os.path.join(folder, "initrd")],
                   "printed %r" % made.stdout)
        found = whole(folder)
        for name in NEEDED:
            rig.expect(name in found, "the image has no " + name)
        for module in ("msr", "intel-uncore"):
            rig.expect(any(n.startswith("modules/") and module in n
                           for n in found), "the image has no " + module)
        before = os.stat(os.path.join(folder, "initrd"))
        rig.expect(make(folder).returncode == 0, "the second run failed")
        after = os.stat(os.path.join(folder, "initrd"))
        rig.expect(before.st_ino == after.st_ino, "it was made again")
        left = sorted(os.listdir(folder))
        rig.expect(len(left) == 5, "left behind: %s" % left)


if __name__ == "__main__":
    sys.exit(main())
