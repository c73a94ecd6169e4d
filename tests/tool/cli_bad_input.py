#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Bad input, row by row: each command line must end with exit code 2 and one
# clear sentence on stderr that holds the given words, print nothing else, and
# leave no file and no process behind.

import os
import subprocess
import sys
import tempfile

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
IDLE = ["--workload", "idle"]
SENTENCES = 3  # lines at most: the sentence, names that are near, a hint

# (words of the command line, texts that the message must contain)
ROWS = (
    (["stat", "-e", "cbox/LLC_MISES.ALL/"] + IDLE, ["LLC_MISES", "LLC_MISSES"]),
    (["stat", "-e", "cbox/LLC_MISSES.Q/"] + IDLE, ["Q", "LLC_MISSES"]),
    (["stat", "-e", "cbox/LLC_MISSES.ALL,thresh=256/"] + IDLE, ["256"]),
    (["stat", "-e", "cbox/LLC_MISSES.ALL,treshold=1/"] + IDLE, ["treshold"]),
    (["stat", "-e", "cbox/LLC_MISSES.ALL,counter=6/"] + IDLE, ["6"]),
    (["stat", "-e", "cbox10/LLC_MISSES.ALL/"] + IDLE, ["10"]),
    (["stat", "-e", "qbox/LLC_MISSES.ALL/"] + IDLE, ["qbox"]),
    (["stat", "-e", "cbox/LLC_MISSES.ALL"] + IDLE, ["/"]),
    (["stat", "-e", "cbox/event=0x100/"] + IDLE, ["0x100"]),
    (["stat", "-e", "cbox/event=zero/"] + IDLE, ["zero"]),
    (["stat", "-e", ""] + IDLE, []),
    (["stat", "-e", "rbox/NEW_PACKETS_RECV.ANY.DRS/"] + IDLE, ["port"]),
    (["stat", "-e", "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi9/"] + IDLE,
     ["qpi9"]),
    (["stat", "-e", "rbox/FLITS_RECV_ERR,port=bbox0/"] + IDLE,
     ["at this port", "qpi0", "qpi3"]),
    (["stat", "-e", "sbox1/event=0x0,umask=0x0/"] + IDLE, ["mm_cfg="]),
    (["stat", "--set", "cores=4", "-e", "cbox9/LLC_HITS.ALL/"] + IDLE,
     ["4 cores", "0 to 3"]),
    # two controllers of two channels each, of four that the family has
    (["stat", "-m", "xeon-e5-v3", "-e", "imc2/CAS_COUNT.RD/"] + IDLE,
     ["imc2/CAS_COUNT.RD/", "0, 1, 4, 5"]),
    (["stat", "-m", "xeon-e5-v4", "-e", "uncore_cbox_14/event=0x0/"] + IDLE,
     ["uncore_cbox_14", "12, 13"]),
    (["stat", "--workload", "stream:size"], ["size"]),
    (["stat", "--workload", "streem"], ["streem"]),
    (["stat", "--workload", "stream:size=-1"], ["size"]),
    (["stat", "--workload", "stream:threads=x"], ["threads"]),
    (["stat", "--workload", "stream:colour=red"], ["colour"]),
    (["stat", "--set", "llc.wayz=16"] + IDLE, ["llc.wayz", "llc.ways"]),
    (["stat", "--set", "llc.ways=many"] + IDLE, ["many"]),
    (["stat", "--set", "llc.ways"] + IDLE, ["llc.ways"]),
    (["stat", "--set", "llc.slice=1"] + IDLE, ["llc.slice", "llc.ways"]),
    (["stat", "--set", "sbox.request_table=6"] + IDLE,
     ["sbox.request_table"]),
    (["stat", "--sockets", "9"] + IDLE, ["9"]),
    (["stat", "--machine", "xeon-e8"] + IDLE, ["xeon-e8", "xeon-e7"]),
    (["stat", "--place", "sideways", "--", "true"], ["sideways"]),
    (["stat", "--place", "scatter"] + IDLE, ["-w idle:place=scatter"]),
    (["record", "--place", "scatter", "-w", "stream:size=1M"],
     ["-w stream:size=1M,place=scatter"]),
    (["stat"], []),
    (["stat", "--", "./no/such/program"], ["no/such/program"]),
    (["stat", "--", "/etc/passwd"], ["/etc/passwd"]),
    (["stat", "--", "/"], []),
    (["stat", "-o", "/no/such/folder/out"] + IDLE, ["/no/such/folder/out"]),
    (["stat", "-o", ""] + IDLE, ["name of a file"]),
    (["encode"], []),
    (["encode", "LLC_MISES"], ["LLC_MISES"]),
    (["encode", "cbox/\x1b[31mX/"], ["\\x1b[31mX"]),
    (["decode", "0xd10"], []),
    (["decode", "0x1", "0x1"], ["0x1"]),
    (["decode", "0xd10", "many"], ["many"]),
    (["decode", "0xd10", "0x1ffffffffffffffff"], ["0x1ffffffffffffffff"]),
    (["model", "consol"], ["consol"]),
    (["model", "picture", "-w", "stream", "-o", "e7.svg"],
     ["uncore stat --html=FILE", "machine"]),
    (["report", "--svg", "-o", "a.svg", "a.rec"], ["--html=FILE"]),
    (["stat", "--sweep", "llc.ways=4,8", "--svg", "-o", "a.svg"] + IDLE,
     ["--html=FILE"]),
    (["export", "--picture", "--once"] + IDLE, ["-M busy:all", "stat --html=FILE"]),
    (["lst"], ["lst"]),
    (["list", "--colour"], ["colour"]),
)


def shows(words):
    return "uncore " + " ".join(repr(w) if not w else w for w in words)


def check(words, wanted, folder):
    """What is wrong with the answer to a bad command line, or None."""
    ran = subprocess.run([UNCORE] + words, cwd=folder, text=True, timeout=60,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    message = ran.stderr.strip()
    if ran.returncode != 2:
        return "status %d instead of 2: %s" % (ran.returncode, message)
    if ran.stdout:
        return "prints to standard output: " + ran.stdout[:200]
    if not message:
        return "says nothing"
    if len(message.split("\n")) > SENTENCES:
        return "says too much: " + message
    for text in wanted:
        if text not in message:
            return "does not name '%s': %s" % (text, message)
    if os.listdir(folder):
        return "leaves behind " + " ".join(os.listdir(folder))
    return None


def full_disk():
    """A full disk is noticed, whichever command writes."""
    wrong = []
    for words in (["list"], ["registers", "--json"], ["stat"] + IDLE +
                  ["-o", "/dev/full"], ["encode", "cbox/LLC_MISSES.ALL/"]):
        with open("/dev/full", "w", encoding="ascii") as full:
            ran = subprocess.run([UNCORE] + words, stdin=subprocess.DEVNULL,
                                 stdout=full, stderr=subprocess.PIPE,
                                 text=True, timeout=60)
        if ran.returncode == 0 or not ran.stderr.strip():
            wrong.append("%s on a full disk: status %d, '%s'" % (
                shows(words), ran.returncode, ran.stderr.strip()))
    return wrong


def old_output():
    """A run that comes to nothing leaves the file it was to write into."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        with open(path, "w", encoding="ascii") as old:
            old.write("old")
        subprocess.run([UNCORE, "stat", "-o", path, "--", "/no/program"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60)
        with open(path, encoding="ascii") as now:
            if now.read() != "old":
                wrong.append("stat destroyed its old output")
        if os.listdir(folder) != ["out"]:
            wrong.append("left behind: %s" % os.listdir(folder))
    return wrong


def main():
    if not os.path.exists(UNCORE):
        print("the command is not built")
        return 77
    wrong = full_disk() + old_output()
    for words, wanted in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            reason = check(words, wanted, folder)
        if reason:
            wrong.append("%s: %s" % (shows(words), reason))
    print("\n".join(wrong))
    print("%d command lines tried, %d answered badly" % (len(ROWS) + 4,
                                                         len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
