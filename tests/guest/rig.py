# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the tests that boot a guest share: the image of guest-image with one
# script added, a guest that runs it, what the script printed, part by part, and
# figures out of perf's lines and ours.

import importlib.machinery
import importlib.util
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD", "build"))
UNCORE = os.path.abspath(os.environ.get(
    "UNCORE", os.path.join(BUILD, "uncore")))
QEMU = "qemu-system-x86_64"
LIMIT_S = 240  # far beyond what a boot takes, even on a busy machine
# What is freed is overwritten, in QEMU as well: then using it shows.
SHOW_FREED = {"MALLOC_PERTURB_": "165", "G_SLICE": "always-malloc"}
# A small machine of the family boots in seconds.
SMALL = ["--set", "cores=2"]
# Whether a test is to try what only repeats, on another machine or at length.
LONG = "UNCORE_LONG" in os.environ


def skip(why):
    print(why)
    sys.exit(77)


def image():
    """(kernel, initrd), or the test is skipped."""
    if not shutil.which(QEMU):
        skip("no %s here (Debian's qemu-system-x86), so no guest" % QEMU)
    made = subprocess.run([os.path.join(BUILD, "guest-image")],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if made.returncode:
        skip(made.stderr.strip() or "there is no image of a guest")
    return made.stdout.split("\n")[:2]


def maker():
    """guest-image as a module."""
    loader = importlib.machinery.SourceFileLoader(
        "guest_image", os.path.join(BUILD, "guest-image"))
    spec = importlib.util.spec_from_loader("guest_image", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class Folder:
    """A folder for the time of a test."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="uncore-guest-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.path, name)

    def initrd(self, script, files=()):
        """The image's, with a script that it will run, and (name, bytes) of
        programs."""
        tree = {"scripts/main": (0o755, script.encode())}
        tree.update((name, (0o755, data)) for name, data in files)
        with open(self.file("initrd"), "wb") as out:
            with open(image()[1], "rb") as file:
                shutil.copyfileobj(file, out)
            out.write(maker().cpio(tree))
        return self.file("initrd")


class Ended:
    """How a guest ended and what it said."""

    def __init__(self, code, output, errors):
        self.code, self.output, self.errors = code, output, errors
        self.parts = {}
        part = []
        for line in output.replace("\r", "").split("\n"):
            head = re.search(r"== (\w+)$", line)
            if head:
                part = self.parts.setdefault(head.group(1), [])
            else:
                part.append(line)

    def text(self, part):
        if part not in self.parts:
            fail("the guest never came to its part %r" % part, self)
        return "\n".join(self.parts[part])

    def lines(self, part):
        return [line for line in self.text(part).split("\n") if line.strip()]


def command(script, folder, *options, files=()):
    return [UNCORE, "guest", "--check", "--kernel", image()[0],
            "--initrd", folder.initrd(script, files),
            "--append", "quiet mitigations=off", *options]


def hold_up(process, done):
    """The host is busy: it lets QEMU, and the process of the model, wait for
    their turns again and again, until `done`."""
    chance = random.Random(1)
    while not done.wait(chance.uniform(0.01, 0.06)):
        try:
            with open("/proc/%d/task/%d/children" % (process.pid, process.pid),
                      encoding="ascii") as file:
                pids = [process.pid] + [int(pid) for pid in file.read().split()]
        except OSError:
            return
        held = chance.choice(pids)
        try:
            os.kill(held, signal.SIGSTOP)
            done.wait(chance.uniform(0.005, 0.025))
            os.kill(held, signal.SIGCONT)
        except ProcessLookupError:
            pass


def run(words, folder=None, limit_s=LIMIT_S, busy=False):
    """Runs to the end; nothing is left of it if it takes too long."""
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace",
        start_new_session=True, cwd=folder and folder.path,
        env={**SHOW_FREED, **os.environ})
    done = threading.Event()
    host = threading.Thread(target=hold_up, args=(process, done))
    if busy:
        host.start()
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        fail("a guest did not end within %d s" % limit_s,
             Ended(None, output, errors))
    finally:
        done.set()
    return Ended(process.returncode, output, errors)


def boot(script, folder, *options, files=(), busy=False):
    """A guest that must run its script to the end, its kernel unharmed."""
    ended = run(command(script + "\necho == kernel\ndmesg -r | grep "
                        "'^<[0-4]>'\ntrue\n", folder, *options,
                        files=files), folder, busy=busy)
    if ended.code or "uncore-exit: 0" not in ended.output:
        fail("the guest ended with %s" % ended.code, ended)
    for line in ended.lines("kernel"):
        if re.search(r"unchecked MSR|Oops|BUG|general protection|Call Trace",
                     line):
            fail("the guest's kernel complains: %s" % line, ended)
    return ended


def command_plain(initrd, cores=2):
    """The same without a model: QEMU's own registers, which hold nothing."""
    return [QEMU, "-nographic", "-no-reboot", "-nic", "none", "-m", "1024",
            "-cpu", "Westmere,family=6,model=47,-hypervisor",
            "-smp", "%d,sockets=2,cores=%d" % (2 * cores, cores),
            "-accel", "tcg,thread=single",
            "-kernel", image()[0], "-initrd", initrd,
            "-append", "console=ttyS0 no_timer_check quiet mitigations=off"]


def fail(what, ended=None):
    print("FAILED: " + what)
    if ended:
        print("--- what the guest printed\n" + ended.output[-6000:])
        print("--- what uncore said\n" + ended.errors[-3000:])
    sys.exit(1)


def expect(holds, what, ended=None):
    if not holds:
        fail(what, ended)


def perf_counts(lines):
    """{(where, event): (count, percentage of the time)} of perf's or our lines
    that ";" separates; where is a socket (S0), or a box of it (S0-mbox1)."""
    counts = {}
    for line in lines:
        words = line.split(";")
        if len(words) < 7 or not words[0].startswith("S"):
            continue
        where, _, count, _, event, _, percentage = words[:7]
        if not count.isdigit():
            fail("no count in: " + line)
        counts[where, event] = (int(count), float(percentage))
    return counts
