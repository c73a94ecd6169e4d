#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# --textfile: whoever reads the file while it is written finds all of it, in the
# form that node_exporter takes, and no counter ever falls; nothing else is left
# in its folder; one that cannot be written is told before anything is counted.
# It works in builds without HTTP, too.

import os
import subprocess
import sys
import tempfile
import time

from rig import UNCORE, Reader, check, wait_for

RUN = ("-w", "random:size=64M,threads=2,count=1000000000")
READS = 60


def start(path, *words):
    return subprocess.Popen([UNCORE, "export", "--textfile", path] +
                            list(words), stderr=subprocess.PIPE, text=True)


def read(path):
    with open(path, encoding="utf-8") as file:
        return Reader(file.read(), False)


def test_is_always_whole(folder):
    path = os.path.join(folder, "uncore.prom")
    process = start(path, *RUN, "-I", "10ms")
    check("it is written", wait_for(lambda: os.path.exists(path)))
    before, files = {}, set()
    for _ in range(READS):
        files.add(os.stat(path).st_ino)
        now = read(path).counters()
        for series, value in before.items():
            check("%s does not fall" % (series,), now[series] >= value)
        before = now
        time.sleep(0.005)
    check("it was written again and again", len(files) > 1 or
          before["uncore_export_sweeps_total", ()] > 3)
    process.terminate()
    said = process.communicate(timeout=60)[1]
    check("it ends with 0, in silence: " + said,
          process.returncode == 0 and not said)
    check("the last file tells that it has ended",
          read(path).sum("uncore_export_counting") == 0)
    check("nothing else is left: %s" % os.listdir(folder),
          os.listdir(folder) == ["uncore.prom"])
    check("others may read it", os.stat(path).st_mode & 0o444 == 0o444)


def test_cannot_be_written(folder):
    process = start(os.path.join(folder, "none", "uncore.prom"), *RUN)
    said = process.communicate(timeout=60)[1]
    check("it is told: " + said,
          process.returncode == 2 and "cannot write to" in said)


def test_what_is_no_file(folder):
    """A pipe would wait for its reader, and no signal would end that."""
    path = os.path.join(folder, "uncore.prom")
    for make in os.mkfifo, os.mkdir:
        make(path)
        process = start(path, *RUN)
        said = process.communicate(timeout=60)[1]
        check("it is told: " + said, process.returncode == 2 and
              "that is no file which can be replaced" in said)
        check("it stays", not os.path.isfile(path))
        (os.remove if make is os.mkfifo else os.rmdir)(path)


def test_what_is_open_already(folder):
    """Names of open files are links that stay."""
    link = os.readlink("/dev/stdout")
    path = os.path.join(folder, "uncore.prom")
    with open(path, "w", encoding="ascii") as file:
        process = subprocess.Popen(
            [UNCORE, "export", "--textfile", "/dev/stdout", *RUN],
            stdout=file, stderr=subprocess.PIPE, text=True)
        check("it is written", wait_for(lambda: os.path.getsize(path)))
        process.terminate()
        process.communicate(timeout=60)
    check("the link stays", os.readlink("/dev/stdout") == link)


def test_other_names_are_told(folder):
    path = os.path.join(folder, "uncore.txt")
    process = start(path, "-w", "idle", "--cycles", "1000")
    check("it is written", wait_for(lambda: os.path.exists(path)))
    process.terminate()
    said = process.communicate(timeout=60)[1]
    check("nobody reads it: " + said, "end with .prom" in said)


def main():
    os.umask(0o022)
    for test in (test_is_always_whole, test_cannot_be_written,
                 test_what_is_no_file, test_what_is_open_already,
                 test_other_names_are_told):
        with tempfile.TemporaryDirectory(prefix="uncore-textfile-") as folder:
            test(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
