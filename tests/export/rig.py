# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What the tests of `uncore export` share: an exporter that runs, a reader of
# both formats that is strict about their form and knows nothing of the writer,
# and a served model whose clock the test steps.

import collections
import fcntl
import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
LONG = "UNCORE_LONG" in os.environ
OPEN_METRICS = "application/openmetrics-text"

Family = collections.namedtuple("Family", "kind unit help samples")

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')


def has_prometheus():
    """Whether prometheus and promtool can be run: those that are installed, else
    Debian's package unpacked in a cache, since to install it would start a
    service on this machine."""
    if shutil.which("prometheus") and shutil.which("promtool"):
        return True
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or
                         os.path.expanduser("~/.cache"), "uncore")
    tools = os.path.join(cache, "prometheus")
    os.makedirs(cache, exist_ok=True)
    with open(os.path.join(cache, "prometheus.lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(tools):
            fetch_prometheus(cache, tools)
    os.environ["PATH"] += ":" + os.path.join(tools, "usr/bin")
    return bool(shutil.which("prometheus") and shutil.which("promtool"))


def fetch_prometheus(cache, tools):
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "-o", "APT::Sandbox::User=root", "download",
                        "prometheus"], cwd=folder, check=False, **quiet)
        for name in os.listdir(folder):
            done = subprocess.run(["dpkg-deb", "-x", name, "root"], cwd=folder,
                                  check=False, **quiet)
            if not done.returncode:
                os.rename(os.path.join(folder, "root"), tools)


def check(what, is_so):
    if not is_so:
        print("not so: " + what)
        sys.exit(1)


def is_built():
    """Whether the command can answer HTTP."""
    ended = subprocess.run([UNCORE, "export", "--listen", "nowhere", "-w",
                            "idle"], stderr=subprocess.PIPE, text=True,
                           check=False)
    return "without libmicrohttpd" not in ended.stderr


def labels_of(text):
    found = {}
    while text:
        match = LABEL.match(text)
        check("labels are pairs: " + text, match)
        check("a label once: " + text, match.group(1) not in found)
        found[match.group(1)] = match.group(2)
        text = text[match.end():]
        check("a comma between labels: " + text,
              not text or text.startswith(","))
        text = text[1:]
    return tuple(sorted(found.items()))


def sample_of(line):
    match = re.fullmatch(r"([^\s{]+)(?:\{(.*)\})? (\S+)", line)
    check("a sample is NAME{LABELS} VALUE: " + line, match)
    name, labels, value = match.groups()
    check("a name: " + name, NAME.fullmatch(name))
    check("a finite number: " + line, abs(float(value)) < 1e300)
    return name, labels_of(labels or ""), value


ENDS = {"counter": "_total", "info": "_info", "gauge": ""}


class Reader:
    """Of one exposition: families by name, without the ends of counters."""

    def __init__(self, text, is_open):
        self.is_open = is_open
        self.families = {}
        self.family = None
        self.ended = False
        check("it ends with a line", text.endswith("\n"))
        for line in text[:-1].split("\n"):
            check("nothing follows the end", not self.ended)
            self.read(line)
        check("OpenMetrics ends with # EOF, the other not",
              self.ended == is_open)

    def read(self, line):
        if line == "# EOF":
            self.ended = True
        elif line.startswith("# "):
            self.describe(*line[2:].split(" ", 2))
        else:
            self.add(*sample_of(line))

    def describe(self, what, name, text):
        check("a kind of description: " + what,
              what in ("HELP", "TYPE") or (what == "UNIT" and self.is_open))
        if what == "HELP":
            check("a family once: " + name, name not in self.families)
            self.families[name] = Family([], [], text, {})
            self.family = name
            return
        check("what describes follows HELP: " + name, name == self.family)
        family = self.families[name]
        check("before all samples: " + name, not family.samples)
        (family.kind if what == "TYPE" else family.unit).append(text)
        if what == "UNIT":
            check("a name ends with its unit: " + name,
                  name.endswith("_" + text))

    def add(self, name, labels, value):
        family = self.families[self.family]
        check("one type: " + self.family, len(family.kind) == 1)
        end = ENDS[family.kind[0]] if self.is_open else ""
        check("a sample of its family: " + name, name == self.family + end)
        if not self.is_open and family.kind[0] == "counter":
            check("counters end with _total: " + name,
                  name.endswith("_total"))
        if not self.is_open and family.kind[0] == "gauge":
            check("nothing else does: " + name, not name.endswith("_total"))
        check("a series once: %s %s" % (name, labels),
              labels not in family.samples)
        if family.kind[0] == "counter":
            check("no counter is below 0: " + name, float(value) >= 0)
        family.samples[labels] = value

    def series(self):
        """{(name of the samples in the older format, labels): value}"""
        found = {}
        for name, family in self.families.items():
            end = ENDS[family.kind[0]] if self.is_open else ""
            for labels, value in family.samples.items():
                found[name + end, labels] = value
        return found

    def counters(self):
        end = "_total" if self.is_open else ""
        return {(name + end, labels): float(value)
                for name, family in self.families.items()
                for labels, value in family.samples.items()
                if family.kind[0] == "counter"}

    def sum(self, name):
        """Of all samples of a name as the older format has it."""
        found = [float(value) for (n, _), value in self.series().items()
                 if n == name]
        check("there is " + name, found)
        return sum(found)


def once(*words, status=0):
    """What --once prints, read."""
    ended = subprocess.run([UNCORE, "export", "--once"] + list(words),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, check=False)
    check("exit status %d of %s: %s" % (ended.returncode, words,
                                        ended.stderr),
          ended.returncode == status)
    return Reader(ended.stdout, False) if not status else ended.stderr


class Exporter:
    """Runs, at a free port; kept in self.said what it said."""

    def __init__(self, *words, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [UNCORE, "export", "--listen", listen] + list(words),
            stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        match = re.search(r"http://([0-9.]+|\[[0-9a-f:]+\]):(\d+)/", self.said)
        check("it says where it answers: " + self.said, match)
        self.host, self.port = match.group(1), int(match.group(2))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.end()

    def ask(self, path="/metrics", method="GET", timeout=30, **headers):
        """(status, headers, text) of one request."""
        connection = http.client.HTTPConnection(self.host, self.port,
                                                timeout=timeout)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return (answer.status, answer.headers,
                    answer.read().decode("utf-8"))
        finally:
            connection.close()

    def scrape(self, **headers):
        status, found, text = self.ask(**headers)
        check("a scrape succeeds: %d" % status, status == 200)
        return Reader(text, found["Content-Type"].startswith(OPEN_METRICS))

    def end(self, number=signal.SIGTERM, seconds=60):
        """Its exit status, and what else it said."""
        self.process.send_signal(number)
        said = self.process.communicate(timeout=seconds)[1]
        return self.process.returncode, said


class Served:
    """A model behind a socket; its clock is the test's with clock=step."""

    def __init__(self, workload, clock="real", *words):
        self.holder = tempfile.TemporaryDirectory(prefix="uncore-export-")
        self.folder = self.holder.name
        self.path = os.path.join(self.folder, "socket")
        self.process = subprocess.Popen(
            [UNCORE, "model", "serve", "--socket", self.path, "--clock",
             clock, "--workload", workload] + list(words),
            stdout=subprocess.PIPE, text=True)
        check("the model is served",
              "ready" in self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        self.process.communicate(timeout=60)
        self.holder.cleanup()


def wait_for(what, seconds=60):
    """Until what() is true."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
