#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Built-in workloads: each one runs and ends, several run at once, and what
cannot be is refused with a sentence."""
import os
import re
import subprocess
import sys

UNCORE = os.environ["UNCORE"]
failures = []

# Small enough for each to end at once.
SIZES = {
    "idle": None, "stream": "size=96K", "random": "count=500",
    "chase": "count=500", "code": "size=64K", "rfo": "size=64K",
    "flush": "count=50", "ntstore": "size=32K", "pingpong": "count=50",
    "readshared": "size=32K", "falsesharing": "count=50",
    "upgrade": "size=16K", "evict": "count=300", "io": "count=20",
    "dma": "count=50", "ipi": "count=20", "lock": "count=5",
    "special": "count=5", "sleep": "count=2",
}

WRONG = {
    "nix": "there is no workload 'nix'",
    "stream+nix:size=1M": "there is no workload 'nix'",
    "stream:op=up": "op=up: it is triad, copy, write or read",
    "random:op=read": "random has no op",
    "io:target=hub7": "hubN",
    "io:target=socket2": "socketN",
    "io:target=nowhere": "socketN",
    "dma:hub=3": "hub=3: the machine has 1",
    "dma:port=1.0": "devices of this machine have no ports",
    "dma:to=1.0": "devices of this machine have no ports",
    "dma:threads=2": "dma has no threads",
    "chase:cpu=99": "cpu=99: the machine has 20 cores",
    "stream:threads=15+random:threads=6": "21 threads together",
    "stream:nix=1": "there is no key 'nix'",
    "stream:size=all": "not a number",
    "+".join(["idle"] * 9): "more than 8 workloads",
}


def expect(condition, text):
    if not condition:
        failures.append(text)


def stat(workload, *more):
    return subprocess.run([UNCORE, "stat", "-w", workload, "-x,",
                           "-e", "wbox/FIXED_CTR/",
                           "-e", "cbox/TRANS_RWRF/", *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False, encoding="utf-8")


def each_one_ends():
    listed = subprocess.run([UNCORE, "model", "workloads"],
                            stdout=subprocess.PIPE, check=True,
                            encoding="utf-8").stdout
    names = re.findall(r"^(\w+) ", listed, re.M)
    expect(sorted(names) == sorted(SIZES), "other workloads: %s" % names)
    for name in names:
        options = SIZES.get(name)
        more = [] if options else ["--cycles", "2000"]
        run = stat(name + (":" + options if options else ""), "--check", *more)
        expect(run.returncode == 0, "%s: %s" % (name, run.stderr))
        if options:
            run = stat("%s:%s,gap=0" % (name, options))
            expect(run.returncode == 0, "%s without a gap: %s" % (
                name, run.stderr))


def several_run_at_once():
    def requests(workload):
        found = re.search(r"(\d+),[^\n]*TRANS_RWRF", stat(workload).stdout)
        return int(found.group(1)) if found else -1

    one = requests("stream:op=read,size=64K")
    other = requests("chase:size=32K")
    both = requests("stream:op=read,size=64K+chase:size=32K")
    expect(one == 1024 and other == 512, "%d, %d requests" % (one, other))
    expect(both == one + other, "%d requests together" % both)


def what_cannot_be_is_refused():
    for workload, sentence in WRONG.items():
        run = stat(workload)
        expect(run.returncode == 2, "%s: exit code %d" %
               (workload, run.returncode))
        expect(sentence in run.stderr, "%s: %s" % (workload, run.stderr))
    run = stat("dma:count=1", "-N", "8")
    expect("no I/O hubs" in run.stderr, "DMA without hubs: %s" % run.stderr)


each_one_ends()
several_run_at_once()
what_cannot_be_is_refused()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
