#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A counter of 48 bits that wraps goes on growing in what is told: the test
# writes the counter of cycles of a served model close to its end and waits until
# it is small again. What is told is then 2^48 and what the register holds: more
# than it held before the scrape, and less than after it.

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from rig import UNCORE, Exporter, check, is_built, wait_for

COUNTER = "W_MSR_PMON_FIXED_COUNTER"
NAME = "uncore_wbox_fixed_ctr_total"
WRAP = 1 << 48
BEFORE = 1 << 31  # cycles: most of a second
OLDEST_S = 0.3  # what is told is never so old


def address_of(register):
    listed = subprocess.run([UNCORE, "registers", register],
                            stdout=subprocess.PIPE, text=True, check=True)
    return int(re.match(r"0x[0-9a-f]+", listed.stdout).group(), 16)


class Register:
    """Of the first CPU of a tree of files."""

    def __init__(self, folder, address):
        self.file = os.open(os.path.join(folder, "0", "msr"), os.O_RDWR)
        self.address = address

    def read(self):
        return struct.unpack("<Q", os.pread(self.file, 8, self.address))[0]

    def write(self, value):
        os.pwrite(self.file, struct.pack("<Q", value), self.address)


def tell(exporter):
    """Of socket 0, now."""
    time.sleep(OLDEST_S)
    told = [int(value) for (name, labels), value in
            exporter.scrape().series().items()
            if name == NAME and ("socket", "0") in labels]
    check("one box", len(told) == 1)
    return told[0]


def main():
    if not is_built():
        print("built without libmicrohttpd")
        return 77
    if not os.access("/dev/fuse", os.R_OK | os.W_OK) or \
            not shutil.which("fusermount3"):
        print("there are no register files here (FUSE)")
        return 77
    with tempfile.TemporaryDirectory(prefix="uncore-wraps-") as folder:
        server = subprocess.Popen(
            [UNCORE, "model", "serve", "--msr", folder, "--workload", "idle"],
            stdout=subprocess.PIPE, text=True)
        try:
            check("it is ready", "ready" in server.stdout.readline())
            with Exporter("--on", "msr:" + folder, "-e",
                          "wbox/FIXED_CTR/") as exporter:
                register = Register(folder, address_of(COUNTER))
                first = tell(exporter)
                # by less than half the way, as more can only be a step back
                for part in (WRAP // 3, WRAP // 3 * 2, WRAP - BEFORE):
                    register.write(part)
                    second = tell(exporter)
                check("%d is near the end" % second,
                      second >= WRAP - BEFORE > first)
                check("it wraps", wait_for(
                    lambda: register.read() < WRAP - BEFORE))
                least = register.read()
                told = tell(exporter)
                most = register.read()
                check("%d <= %d <= %d" % (least, told - WRAP, most),
                      least <= told - WRAP <= most)
                check("it ends with 0", exporter.end()[0] == 0)
                os.close(register.file)
        finally:
            server.terminate()
            server.wait(timeout=60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
