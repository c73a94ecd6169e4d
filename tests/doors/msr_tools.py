#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# rdmsr and wrmsr of msr-tools, unmodified, on a tree mounted over /dev/cpu:
# every register of the guide, and some that do not exist, is read, written and
# read again while the model counts, and each answer is the register console's
# for the same sequence.

import os
import random
import re
import shutil
import subprocess
import sys

from msr_server import Console, Server, encode, need_fuse, registers, skip

MACHINE = ("--workload", "random:threads=4,size=64M,seed=7")
CORES = 10
CPU = {0: 3, 1: 17}  # socket: one of its CPUs
ABSENT = (0x7FFFFFFF, 0xFFFFFFFF, 0x40000000)
STEP_CYCLES = 41
EVENTS = ("cbox0/LLC_MISSES.ALL/", "bbox0/IMT_INSERTS_ALL/",
          "sbox0/REQ_TBL_OCCUPANCY.ALL/")


def tool(*words):
    ran = subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return ran.returncode, ran.stdout.strip(), ran.stderr.strip()


def rdmsr(socket, address):
    """A number, None for 'cannot read', or a text that is wrong anyway."""
    status, out, err = tool("rdmsr", "-p", str(CPU[socket]), hex(address))
    if not status:
        return int(out, 16)
    return None if status == 4 and "cannot read MSR" in err else err


def wrmsr(socket, address, value):
    """True, False for 'cannot set', or a text that is wrong anyway."""
    status, _, err = tool("wrmsr", "-p", str(CPU[socket]), hex(address),
                          hex(value))
    if not status:
        return True
    return False if status == 4 and "cannot set MSR" in err else err


class Walk:
    def __init__(self, server, console):
        self.server, self.console = server, console
        self.checked = self.refused = 0
        self.wrong = []

    def same(self, what, files, console):
        self.checked += 1
        self.refused += console is None or console is False
        if files != console:
            self.wrong.append("%s: the files say %r, the console %r" % (
                what, files, console))

    def read(self, name, socket, address):
        self.same("read of %s" % name, rdmsr(socket, address),
                  self.console.read(address, socket))

    def write(self, name, socket, address, value):
        self.same("write of 0x%x to %s" % (value, name),
                  wrmsr(socket, address, value),
                  self.console.write(address, value, socket))

    def step(self):
        self.same("step", self.server.run(STEP_CYCLES),
                  self.console.run(STEP_CYCLES))


def walk(server, console):
    numbers = random.Random(5)
    this = Walk(server, console)
    for address, value in encode(*EVENTS):
        this.write(hex(address), 0, address, value)
    everything = [(r["name"], r["address"]) for r in registers().values()]
    known = len(everything)
    everything += [("no register", address) for address in ABSENT]
    for name, address in everything:
        socket = numbers.randrange(2)
        this.read(name, socket, address)
        this.write(name, socket, address,
                   numbers.getrandbits(64) & numbers.getrandbits(64))
        this.step()
        this.read(name, socket, address)
    return known, this


def all_cpus(server):
    """rdmsr -a asks every CPU; those of a socket agree about its uncore."""
    address = registers()["U_MSR_PMON_GLOBAL_CTL"]["address"]
    status, out, err = tool("rdmsr", "-a", "-0", hex(address))
    values = out.split()
    cpus = int(server.status()["cpus"])
    if status or len(values) != cpus:
        return ["rdmsr -a: %d answers of %d: %s" % (len(values), cpus, err)]
    if len(set(values[:CORES])) != 1 or len(set(values[CORES:])) != 1:
        return ["rdmsr -a: the CPUs of a socket disagree: %s" % values]
    return []


def is_modelled():
    """Whether this processor is a Xeon E7, as which tools would take it."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        text = lines.read()
    return bool(re.search(r"cpu family\s*: 6$", text, re.M)
                and re.search(r"model\s*: 47$", text, re.M))


def enter_namespace():
    """Starts this test again where its mounts are nobody else's."""
    if not shutil.which("rdmsr"):
        skip("msr-tools is not installed")
    if not shutil.which("unshare") or subprocess.run(
            ["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode:
        skip("no mount namespace of our own can be had here")
    os.environ["UNCORE_OWN_MOUNTS"] = "1"
    os.execvp("unshare", ["unshare", "-m", sys.executable,
                          os.path.abspath(__file__)])


def main():
    if not os.environ.get("UNCORE_OWN_MOUNTS"):
        need_fuse()
        enter_namespace()
    made = not os.path.isdir("/dev/cpu")
    if made:
        try:
            os.mkdir("/dev/cpu")
        except OSError as error:
            skip("there is no /dev/cpu and none can be made: %s" % error)
    server = console = None
    try:
        server = Server("--clock", "step", *MACHINE, folder="/dev/cpu")
        console = Console(*MACHINE)
        known, this = walk(server, console)
        wrong = this.wrong + all_cpus(server)
        console.close()
        status, said = server.end()
        if status:
            wrong.append("the server ended with %d: %s" % (status, said))
        if ("uncore guest --run" in said) == is_modelled():
            wrong.append("what is said of this processor: %s" % said)
    finally:
        if server:
            server.kill()
        if made:
            os.rmdir("/dev/cpu")
    print("\n".join(wrong[:20]))
    print("%d registers, %d accesses, %d of them refused, %d wrong" % (
        known, this.checked, this.refused, len(wrong)))
    return 1 if wrong or not this.refused else 0


if __name__ == "__main__":
    sys.exit(main())
