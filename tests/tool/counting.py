# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Counts of a program under `uncore stat`, for tests that know them
beforehand.

On the model no event is in another's way, so no count is an estimate. What a
program does besides is told apart by running it twice, with its count of zero
and with the real one: above() is the difference.
"""
import functools
import json
import os
import subprocess
import tempfile

UNCORE = os.environ["UNCORE"]
BUILD = os.environ["UNCORE_BUILD"]
TIMEOUT = 3000  # on a busy machine, too; Meson ends what never would
LINE = 64
# Lines come only when the program asks for them: what can be known beforehand.
PLAIN = ("--set", "core.prefetch=0", "--set", "core.tlb=0")
KILLED = 128  # a shell's exit code of a signal is more than that

# A core was asked for its copy of a line, because another core of the socket
# or another socket wants it; one for each core that is asked.
ASKED = "cbox/SINKS_C2P.IV/"
# Half lines that a core gave away with changes, asked or driven out.
GIVEN = "cbox/SINKS_P2C.BL/"
# Lines that came into a socket, from memory or from the other one.
FILLS = "cbox/LLC_S_FILLS.ALL/"
# Requests of cores for lines that the socket does not have.
MISSES = "cbox/LLC_MISSES.I/"
# At the homes: reads, requests to own without data. At the memory: writes,
# reads (those of the scrubber, too: one in 429153 cycles of an M-Box).
READS = "bbox/IMT_INSERTS_RD/"
INVITOE = "bbox/IMT_INSERTS_INVITOE/"
WRITES = "mbox/FVC_EV0.BBOX_CMDS.WRITES/"
MEMORY_READS = "mbox/FVC_EV0.BBOX_CMDS.READS/"
# Requests of a socket, by the socket of their home.
LOCAL = "sbox/TO_R_B_REQUESTS.LOCAL/"
REMOTE = "sbox/TO_R_B_REQUESTS.REMOTE/"
# Messages to each S-Box when a bus lock begins, and when it ends: those that
# arrive (from the other and the own socket), those that the U-Box sends.
LOCKS_RECEIVED = ("sbox/PKTS_RCVD_NCS/", "sbox/PKTS_RCVD_LOC_NCS/")
LOCKS_SENT = "ubox/U2R_REQUESTS/"


def program(name, *words):
    """The command line of tests/tool/NAME.c."""
    return (os.path.join(BUILD, "tests-tool-" + name), *map(str, words))


class Counts(dict):
    """{event: sum over the machine}; .socket[n] the same for one socket,
    .cycles the modelled time, .code the exit status, .text what the program
    printed."""

    def __init__(self):
        super().__init__()
        self.socket = {}
        self.cycles = 0
        self.code = 0
        self.text = ""

    def add(self, report):
        for count in report["counts"]:
            event, value = count["event"], count["value"]
            self[event] = self.get(event, 0) + value
            of_socket = self.socket.setdefault(count["socket"], {})
            of_socket[event] = of_socket.get(event, 0) + value
        self.cycles = report["uncore_cycles"]

    def above(self, base):
        """This less what `base` counts."""
        rest = Counts()
        rest.update((event, self[event] - base[event]) for event in self)
        rest.socket = {n: {event: mine[event] - base.socket[n][event]
                           for event in mine}
                       for n, mine in self.socket.items()}
        rest.cycles = self.cycles - base.cycles
        return rest


def stat(command, events, *options, machine="xeon-e7"):
    """One run: its report and the ended process. The report is {} where there
    is none."""
    with tempfile.TemporaryDirectory(prefix="uncore-counting-") as folder:
        path = os.path.join(folder, "report")
        asked = [word for event in events for word in ("-e", event)]
        ran = subprocess.run(
            [UNCORE, "stat", "--json", "--per-socket", "-o", path, "-m", machine,
             *asked, *PLAIN, *options, "--", *command],
            capture_output=True, text=True, timeout=TIMEOUT, check=False)
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file), ran
        except (OSError, ValueError):
            return {}, ran


def counts(command, events, *options, machine="xeon-e7", may_end=(0,)):
    """Counts of all events, in one run."""
    report, ran = stat(command, events, *options, machine=machine)
    if ran.returncode not in may_end or not report:
        raise AssertionError("%s ended with %d: %s" % (
            " ".join(command), ran.returncode, ran.stderr.strip()))
    result = Counts()
    result.add(report)
    result.code, result.text = ran.returncode, ran.stdout
    result.notes = ran.stderr
    return result


@functools.lru_cache(maxsize=None)
def counted_once(command, events, options, machine):
    return counts(command, events, *options, machine=machine)


def above(command, base, events, *options, machine="xeon-e7"):
    """What `command` counts more than `base`, which is run once only."""
    return counts(command, events, *options, machine=machine).above(
        counted_once(base, tuple(events), options, machine))
