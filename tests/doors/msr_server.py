# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the tests of the register files share: a server on a folder of its own,
# its files, and a register console to compare with. Not a test itself.

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
os.environ["PATH"] += ":/usr/sbin:/sbin"
PATIENCE_S = 60  # for what takes milliseconds on a quiet machine


def skip(reason):
    print(reason)
    sys.exit(77)


def need_fuse():
    """Ends the test where nothing can be mounted."""
    if not os.path.exists(UNCORE):
        skip("the command is not built")
    if not os.path.exists("/dev/fuse"):
        skip("there is no /dev/fuse here")
    if os.geteuid():
        skip("only root may look into every corner of the register files")
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(
            [UNCORE, "model", "serve", "--daemon", "--clock", "step", "--msr",
             folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
        if "cannot mount" in tried.stderr:
            skip("root may not mount here: " + tried.stderr.strip())
        if tried.returncode:
            sys.exit("the server does not start: " + tried.stderr)
        subprocess.run(["umount", folder], check=True)


def until(what, condition):
    """Waits for something that must come true."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("still not so: " + what)
        time.sleep(0.005)


def is_mounted(folder):
    with open("/proc/self/mountinfo", encoding="utf-8") as lines:
        return any(line.split()[4] == folder for line in lines)


def registers():
    """name: register, of all registers of the guide."""
    listing = subprocess.run([UNCORE, "registers", "--json"], check=True,
                             stdout=subprocess.PIPE)
    return {r["name"]: r for r in json.loads(listing.stdout)}


def field(register, name, value):
    """`value` at the place of a register's field."""
    for known in register["fields"]:
        if known["name"] == name:
            return value << known["low"]
    raise KeyError(name)


def encode(*events):
    """(address, value) of the writes that count events on socket 0."""
    rows = json.loads(subprocess.run(
        [UNCORE, "encode", "--json"] + list(events), check=True,
        stdout=subprocess.PIPE).stdout)
    number = lambda v: int(v, 0) if isinstance(v, str) else v
    return [(number(w["address"]), number(w["value"]))
            for row in rows for w in row["writes"]]


class Console:
    """`uncore model console`, the same registers without files."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            (UNCORE, "model", "console") + words, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def read(self, address, socket=0):
        """A number, or None for #GP."""
        answer = self.ask("rdmsr %d %d" % (socket, address))
        return None if answer == "#GP" else int(answer, 0)

    def write(self, address, value, socket=0):
        """Whether it was accepted."""
        return self.ask("wrmsr %d %d %d" % (socket, address, value)) == "ok"

    def run(self, cycles):
        return int(self.ask("run %d" % cycles))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=PATIENCE_S)


def start(folder, *words, **options):
    """A server that may or may not become ready."""
    return subprocess.Popen(
        [UNCORE, "model", "serve", "--check", "--msr", folder] + list(words),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, **options)


class Server:
    """A server that is ready, in a folder of its own unless one is given."""

    def __init__(self, *words, folder=None, **options):
        self.own = None if folder else tempfile.mkdtemp(prefix="msr-")
        self.folder = folder or self.own
        self.process = start(self.folder, *words, **options)
        self.ready = self.process.stdout.readline()
        if not self.ready.startswith("ready: "):
            raise AssertionError("not ready: %d: %s" % self.end())

    def path(self, *names):
        return os.path.join(self.folder, *(str(n) for n in names))

    def open(self, cpu=0, flags=os.O_RDWR):
        return os.open(self.path(cpu, "msr"), flags)

    def read(self, address, cpu=0):
        """A number, or None where the file says EIO."""
        fd = self.open(cpu, os.O_RDONLY)
        try:
            return struct.unpack("<Q", os.pread(fd, 8, address))[0]
        except OSError as error:
            if error.errno != 5:
                raise
            return None
        finally:
            os.close(fd)

    def write(self, address, value, cpu=0):
        """Whether it was accepted."""
        fd = self.open(cpu, os.O_WRONLY)
        try:
            return os.pwrite(fd, struct.pack("<Q", value), address) == 8
        except OSError as error:
            if error.errno != 5:
                raise
            return False
        finally:
            os.close(fd)

    def text(self, name):
        with open(self.path(name), encoding="ascii") as lines:
            return lines.read()

    def cycle(self):
        return int(self.text("clock"))

    def run(self, cycles):
        """Writes to the clock as a shell's echo does."""
        with open(self.path("clock"), "w", encoding="ascii") as clock:
            clock.write("%d\n" % cycles)
        return self.cycle()

    def status(self):
        return dict(line.split(": ", 1)
                    for line in self.text("status").splitlines())

    def guardian(self):
        with open("/proc/%d/task/%d/children" % (
                (self.process.pid,) * 2), encoding="ascii") as children:
            return int(children.read().split()[0])

    def wait(self):
        return self.process.wait(timeout=PATIENCE_S)

    def end(self, number=signal.SIGTERM):
        """Ends it if it still runs; its exit code and what it complained of."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.remove()
        return self.process.returncode, out + err

    def kill(self):
        """For clean-up after a failed test."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        self.remove()

    def remove(self):
        if not self.own:
            return
        until("the folder is unmounted", lambda: not is_mounted(self.own))
        shutil.rmtree(self.own, ignore_errors=True)
        self.own = None
