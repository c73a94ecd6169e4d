# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Where the examples of documents and manual pages are executed: a folder with
# the command in its path, and with the files that the examples speak of.

import os
import shutil
import signal
import subprocess
import tempfile

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD",
                                       os.path.dirname(UNCORE)))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
SECONDS = 200  # for one example

# Whether a test is to try what only repeats, on another machine or at length.
LONG = "UNCORE_LONG" in os.environ

# What an example may need, and whether it is there.
NEEDS = {
    "curl": lambda: shutil.which("curl"),
    "http": lambda: "without libmicrohttpd" not in subprocess.run(
        [UNCORE, "export", "--listen", "nowhere", "-w", "idle"],
        stderr=subprocess.PIPE, text=True).stderr,
    "fuse": lambda: os.access("/dev/fuse", os.R_OK | os.W_OK) and
    shutil.which("fusermount3"),
    "valgrind": lambda: shutil.which(os.environ.get("UNCORE_VALGRIND",
                                                    "valgrind")),
    "g++": lambda: shutil.which("g++"),
    "sqlite3": lambda: shutil.which("sqlite3"),
    "guest": lambda: shutil.which("qemu-system-x86_64"),
}


def missing(needs):
    return [n for n in needs if not NEEDS[n]()]


class Sandbox:
    """A folder of its own, which /tmp in an example stands for."""

    def __enter__(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = self.holder.name
        os.mkdir(self.path("bin"))
        os.mkdir(self.path("tmp"))
        os.symlink(UNCORE, self.path("bin/uncore"))
        os.symlink(BUILD, self.path("build"))
        os.symlink(os.path.join(SOURCE, "examples"), self.path("examples"))
        with open(self.path("big.txt"), "w") as text:
            for i in range(1000):
                text.write("%d a line to be sorted\n" % (i * 7919 % 1000))
        shutil.copy(os.path.join(BUILD, "histogram-fixed"), self.path("app"))
        return self

    def path(self, name):
        return os.path.join(self.folder, name)

    def __exit__(self, *_):
        self.end_servers()
        # what an example that failed has left mounted
        with open("/proc/mounts") as mounts:
            for line in mounts:
                if line.split()[1].startswith(self.folder):
                    subprocess.run(["fusermount3", "-u", line.split()[1]])
        self.holder.cleanup()

    def end_servers(self):
        """Those that an example has left in the background: their command
        lines name this folder."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as line:
                    mine = os.fsencode(self.path("tmp/")) in line.read()
                if mine:
                    os.kill(int(pid), signal.SIGTERM)
            except OSError:
                pass  # gone meanwhile, or not ours to see

    def run(self, script, check=True):
        """Runs a shell script; what it printed, both channels in one."""
        environment = dict(os.environ, TMPDIR=self.path("tmp"),
                           UNCORE_LIBEXEC=BUILD,
                           PATH=self.path("bin") + ":" + os.environ["PATH"])
        # the runner of the tests lets malloc() write to what it gives away,
        # and so decides whose memory it is before the program does
        environment.pop("MALLOC_PERTURB_", None)
        script = script.replace("/tmp/", self.path("tmp/"))
        ran = subprocess.run(["bash", "-euo", "pipefail", "-c", script],
                             cwd=self.folder, env=environment, text=True,
                             stdin=subprocess.DEVNULL, timeout=SECONDS,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             errors="replace")
        if check and ran.returncode:
            raise AssertionError("status %d of\n%s\n%s" % (
                ran.returncode, script, ran.stdout[-2000:]))
        return ran.stdout
