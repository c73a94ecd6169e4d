#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Ends that nobody planned: QEMU killed while the guest counts, the machine
# switched off from its monitor, uncore killed or told to end while it boots, a
# kernel that panics. Each ends at once, with the documented exit code and a
# sentence, and leaves no process.

import os
import signal
import socket
import subprocess
import sys
import time

import rig

MACHINE = ["--sockets", "2"] + rig.SMALL
BUSY = """
echo == ready
perf stat -a -e uncore_mbox_0/bbox_cmds_read/ walk -m 8 -p 1000000 -t 4
"""
PATIENCE_S = 120
GONE_S = 30  # what is left may take to see that the other one is gone


def processes(folder):
    """{process id: first word} of all that have the folder in their words."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/cmdline" % name, "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            with open("/proc/%s/stat" % name, encoding="utf-8") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z" and any(folder.path in word for word in words):
            found[int(name)] = os.path.basename(words[0])
    return found


def wait_until(holds, limit_s):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        value = holds()
        if value:
            return value
        time.sleep(0.05)
    return None


class Guest:
    """A guest that runs until something ends it."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.output = folder.file("output")
        self.errors = folder.file("errors")
        with open(self.output, "w") as out, open(self.errors, "w") as err:
            self.process = subprocess.Popen(
                rig.command(BUSY, folder, *MACHINE, *options),
                stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def text(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def fail(self, what):
        self.kill()
        rig.fail(what, rig.Ended(self.process.returncode,
                                 self.text(self.output),
                                 self.text(self.errors)))

    def kill(self):
        for number in processes(self.folder):
            os.kill(number, signal.SIGKILL)
        self.process.wait()

    def wait_until_busy(self):
        if not wait_until(lambda: "== ready" in self.text(self.output) or
                          self.process.poll() is not None, PATIENCE_S):
            self.fail("the guest did not come up")
        time.sleep(1)

    def qemu(self):
        return wait_until(lambda: [n for n, word in processes(
            self.folder).items() if word.startswith("qemu")], GONE_S)[0]

    def ends(self, code, sentence):
        try:
            got = self.process.wait(GONE_S)
        except subprocess.TimeoutExpired:
            self.fail("uncore did not end")
        if got != code:
            self.fail("uncore ended with %d instead of %d" % (got, code))
        if sentence not in self.text(self.errors):
            self.fail("no sentence with %r" % sentence)
        if not wait_until(lambda: not processes(self.folder), GONE_S):
            self.fail("left behind: %s" % processes(self.folder))


def qemu_killed():
    with rig.Folder() as folder:
        guest = Guest(folder)
        guest.wait_until_busy()
        os.kill(guest.qemu(), signal.SIGKILL)
        guest.ends(128 + signal.SIGKILL, "QEMU was killed by signal 9")


def switched_off():
    with rig.Folder() as folder:
        path = folder.file("monitor")
        guest = Guest(folder, "--", "-monitor",
                      "unix:%s,server=on,wait=off" % path)
        wait_until(lambda: os.path.exists(path), GONE_S)
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(path)
            monitor.sendall(b"quit\n")
            guest.ends(0, "what the guest did")


def uncore_killed():
    with rig.Folder() as folder:
        guest = Guest(folder)
        guest.qemu()
        time.sleep(1)
        guest.process.kill()
        guest.ends(-signal.SIGKILL, "")


def told_to_end():
    with rig.Folder() as folder:
        guest = Guest(folder)
        guest.qemu()
        time.sleep(1)
        guest.process.terminate()
        guest.ends(0, "what the guest did")


def panic():
    """There is nothing that the kernel could run."""
    kernel, _ = rig.image()
    ended = rig.run([rig.UNCORE, "guest", "--kernel", kernel, *MACHINE])
    rig.expect("Kernel panic" in ended.output, "the kernel did not panic", ended)
    rig.expect(ended.code == 1, "ended with %s" % ended.code, ended)
    rig.expect("ended by restarting its machine" in ended.errors,
               "no sentence about the restart", ended)


def main():
    rig.image()
    for test in (qemu_killed, switched_off, uncore_killed, told_to_end,
                 panic):
        start = time.monotonic()
        test()
        print("%s: as it should be, %.1f s" % (
            test.__name__, time.monotonic() - start))


if __name__ == "__main__":
    sys.exit(main())
