#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The plugin for guests, under QEMU with a guest of a few pages of our own
# (plugin_bare.c) and with a program in place of the model (plugin_harness.c).

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["UNCORE_BUILD"]
SOURCE = os.environ["UNCORE_SOURCE"]
PLUGIN = os.path.join(BUILD, "libuncore-guest.so")
QEMU = os.environ.get("UNCORE_QEMU_SYSTEM", "qemu-system-x86_64")
SECONDS = 60
failures = []


def skip(reason):
    print("skipped: %s" % reason)
    sys.exit(77)


def check(good, what):
    print("%s %s" % ("ok" if good else "FAILED", what))
    if not good:
        failures.append(what)


def compile_all(folder):
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler or not shutil.which("objcopy"):
        skip("no C compiler and objcopy to make the guest with")
    doors = os.path.join(SOURCE, "tests", "doors")
    include = ["-I" + SOURCE, "-I" + os.path.join(SOURCE, "include")]
    harness = os.path.join(folder, "harness")
    subprocess.run([compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O2"] +
                   include + [os.path.join(doors, "plugin_harness.c"), "-o", harness],
                   check=True)
    guest = os.path.join(folder, "guest")
    subprocess.run(
        [compiler, "-std=gnu11", "-O1", "-ffreestanding", "-nostdlib",
         "-static", "-fno-pie", "-no-pie", "-mno-red-zone", "-mno-sse",
         "-fno-stack-protector", "-fcf-protection=none",
         "-Wl,-Ttext=0x100000", "-Wl,--build-id=none",
         "-Wl,-z,noseparate-code", "-Wl,-e,start"] + include +
        [os.path.join(doors, "plugin_start.S"),
         os.path.join(doors, "plugin_bare.c"), "-o", guest], check=True)
    subprocess.run(["objcopy", "-O", "binary", guest, guest + ".bin"],
                   check=True)
    return harness, guest + ".bin"


def command(harness, guest, sockets=1, cores=2, plugin=PLUGIN):
    memory = 256
    options = []
    for i in range(sockets):
        options += ["-object", "memory-backend-ram,id=m%d,size=%dM" %
                    (i, memory), "-numa", "node,memdev=m%d,cpus=%d-%d" %
                    (i, i * cores, i * cores + cores - 1)]
    return [harness, str(sockets), str(cores), str(memory), plugin, QEMU,
            "-accel", "tcg,thread=single", "-machine", "pc,smm=off", "-cpu",
            "Westmere,family=6,model=47,stepping=2,-hypervisor", "-smp",
            "%d,sockets=%d,cores=%d,threads=1" %
            (sockets * cores, sockets, cores), "-m", str(sockets * memory),
            "-kernel", guest, "-nodefaults", "-display", "none", "-debugcon",
            "stdio", "-device", "isa-debug-exit,iobase=0xf4"] + options


def run(arguments, **variables):
    done = subprocess.run(arguments, env=dict(os.environ, **variables),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_guest(harness, guest):
    """Everything that the guest itself checks, and twice the same."""
    traces = []
    for _ in range(2):
        _, out, err = run(command(harness, guest))
        for line in out.splitlines():
            if line.startswith("FAILED "):
                check(False, line[7:])
        check("PASSED\n" in out, "one socket of two cores")
        check("started again" in out, "a reset")
        traces += re.findall(r"trace [0-9a-f]+", err)
    check(len(traces) == 2 and traces[0] == traces[1],
          "two runs are equal: %s" % " ".join(traces))


def test_sockets(harness, guest):
    _, out, err = run(command(harness, guest, 2, 1), HARNESS_TRAFFIC="1")
    check("PASSED\n" in out, "two sockets, and traffic from the start")
    if "PASSED\n" not in out:
        print(out, err)


def test_lost(harness, guest):
    """What a channel does not place is counted, and is nobody's traffic."""
    words = command(harness, guest)
    words[3] = "64"
    _, _, err = run(words)
    check("262144 lost" in err and " 0 outside" in err,
          "accesses without a place are counted")


def test_wrong_machine(harness, guest):
    for option, value, message in (
            ("-accel", "tcg,thread=multi", "must share a thread"),
            ("-smp", "3,sockets=1,cores=3,threads=1", "has more CPUs")):
        words = command(harness, guest)
        del words[words.index("-object"):]
        words[words.index(option) + 1] = value
        code, _, err = run(words)
        check(code == 1 and message in err, message)


def children(pid):
    path = "/proc/%d/task/%d/children" % (pid, pid)
    with open(path, encoding="ascii") as file:
        return [int(p) for p in file.read().split()]


def lives(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends(pid):
    for _ in range(SECONDS * 20):
        if not lives(pid):
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False


def test_owner_dies(harness, guest):
    """QEMU ends with the process that ran the model."""
    with tempfile.TemporaryFile() as err:
        owner = subprocess.Popen(
            command(harness, guest), stdin=subprocess.DEVNULL, stderr=err,
            stdout=subprocess.DEVNULL,
            env=dict(os.environ, HARNESS_FOR_EVER="1"))
        time.sleep(1.5)
        qemu = children(owner.pid)
        owner.kill()
        owner.wait()
        check(len(qemu) == 1 and ends(qemu[0]),
              "QEMU ends when the model's process is killed")
        err.seek(0)
        text = err.read().decode()
        check("the process that ran the model has ended" in text,
              "and says why")


def test_stop(harness, guest):
    _, _, err = run(command(harness, guest), HARNESS_FOR_EVER="1",
                    HARNESS_STOP="1000")
    check("harness:" in err, "QEMU ends when nobody listens any more")


def test_qemu_dies(harness, guest):
    owner = subprocess.Popen(
        command(harness, guest), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=dict(os.environ, HARNESS_FOR_EVER="1"))
    time.sleep(1)
    for qemu in children(owner.pid):
        os.kill(qemu, signal.SIGKILL)
    try:
        owner.wait(SECONDS)
        check(True, "the harness ends when QEMU is killed")
    except subprocess.TimeoutExpired:
        owner.kill()
        check(False, "the harness ends when QEMU is killed")


def test_wrong_arguments(guest):
    base = command("", guest)[5:]
    for plugin, message in (
            (PLUGIN, "wants the argument channel=PATH"),
            (PLUGIN + ",channel=/nowhere", "cannot open the channel"),
            (PLUGIN + ",channel=" + guest, "is not a guest's channel")):
        code, _, err = run(base + ["-plugin", plugin])
        check(code != 0 and message in err, message)


def main():
    if not os.path.exists(PLUGIN):
        skip("the plugin for guests was not built")
    if not shutil.which(QEMU):
        skip("there is no %s (Debian: qemu-system-x86)" % QEMU)
    with tempfile.TemporaryDirectory() as folder:
        harness, guest = compile_all(folder)
        test_wrong_arguments(guest)
        test_guest(harness, guest)
        test_sockets(harness, guest)
        test_lost(harness, guest)
        test_wrong_machine(harness, guest)
        test_owner_dies(harness, guest)
        test_stop(harness, guest)
        test_qemu_dies(harness, guest)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
