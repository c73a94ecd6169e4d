#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Filters count what they say. A workload is the same each time, so that it
can be counted with one filter after the other: what disjoint filters count adds
up to what the whole does, other events count the same packets, and a buffer of
known place and size has a known number of lines."""
import json
import os
import re
import shlex
import subprocess
import sys

UNCORE = os.environ["UNCORE"]
MACHINES = ["xeon-e7", "xeon-7500"]
failures = []

# Threads on both sockets, all memory at socket 1; answers in several states.
SHARED = "evict:threads=16,size=256K,count=60,node=1,offset=1G"
# One thread reads each line of a buffer once.
LINES = 64 * 1024 // 64
ONCE = "chase:threads=1,size=64K,offset=1G,passes=1"
# Its home is the other socket.
FAR = "chase:threads=1,size=64K,node=1,passes=1"
# Two cores of two sockets fight for a dirty line.
PINGPONG = "pingpong:op=fight,threads=2,place=scatter,count=100"
# Dirty lines leave the caches, 4 times 50 of them.
FLUSHED = "flush:threads=4,op=write,count=50,node=1"
# A home agent's node id in the model: 4 * socket + 2 * side + 1.
HOMES = {"bbox0": 5, "bbox1": 7}


class Bench:
    """Counts of one workload on one machine, each made once."""

    def __init__(self, machine, workload):
        self.machine, self.workload = machine, workload
        self.known = {}

    def __getitem__(self, event):
        if event not in self.known:
            self.known[event] = self.run(event)
        return self.known[event]

    def run(self, event):
        done = subprocess.run(
            [UNCORE, "stat", "-m", self.machine, "-w", self.workload, "-x;",
             "-e", event], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=60, check=False, encoding="utf-8")
        if done.returncode:
            sys.exit("%s: %s" % (event, done.stderr))
        return int(done.stdout.split(";")[0])

    def total(self, form, values):
        return sum(self[form % value] for value in values)

    def same(self, what, *counts, some=True):
        if len(set(counts)) != 1 or (some and not counts[0]):
            failures.append("%s, %s: %s: %s" % (
                self.machine, self.workload, what,
                ", ".join(str(count) for count in counts)))


def opcodes(machine, message_class):
    done = subprocess.run([UNCORE, "list", "-m", machine, "--json"],
                          stdout=subprocess.PIPE, check=True)
    return [row["name"] for row in json.loads(done.stdout)["opcodes"]
            if row["class"] == message_class]


def system_bound(bench):
    """S-Box: classes, opcodes, home nodes and addresses part the traffic."""
    event = "sbox/TO_R_PROG_EV,%s/"
    bench.same("mc=HOM0 is the sum over its opcodes",
               bench[event % "mc=HOM0"],
               bench.total(event, ["opc=RdCode", "opc=RdData", "opc=RdInvOwn",
                                   "opc=InvItoE", "opc=AckCnfltWbI",
                                   "opc=WbMtoI", "opc=WbMtoE",
                                   "opc=AckCnflt"]))
    bench.same("a set of opcodes is their sum",
               bench[event % "mc=HOM0,opc=RdCode|RdData|WbMtoI"],
               bench.total(event, ["opc=RdCode", "opc=RdData", "opc=WbMtoI"]))
    bench.same("a set of classes is their sum",
               bench[event % "mc=HOM0|HOM1"],
               bench.total(event, ["mc=HOM0", "mc=HOM1"]),
               bench["sbox/PKTS_SENT_HOM.RBOX/"])
    bench.same("home nodes part the home requests",
               bench[event % "mc=HOM0"],
               bench.total(event, ["mc=HOM0,hnid=%d" % home
                                   for home in HOMES.values()]))
    bench.same("states part the answers with data",
               bench[event % "state=M|E|S|F|I"],
               bench.total(event, ["state=" + state for state in "MESFI"]))


def halves(bench):
    """Each half of a range, and of its halves, add up to the whole."""
    base = 64 << 30 | 1 << 30
    for event in ("sbox/TO_R_PROG_EV,mc=HOM0", "bbox/MSG_ADDR_IN_MATCH,mc=HOM0",
                  "bbox/ADDR_IN_MATCH"):
        form = event + ",addr=0x%x+%dK/"
        for size in (4096, 2048):
            bench.same("%s, halves of %d KiB" % (event, size),
                       bench[form % (base, size)],
                       bench[form % (base, size // 2)] +
                       bench[form % (base + size // 2 * 1024, size // 2)])


def far_homes(bench):
    """Requests to a home agent are those that name it as their home; from
    socket 0 all of them cross the R-Box, and nobody else asks."""
    event = "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdData,hnid=%d/"
    for box, home in HOMES.items():
        bench.same("requests for " + box, bench[event % home],
                   bench[box + "/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdData/"])
    bench.same("all packets are those of some class",
               bench["sbox/TO_R_PROG_EV/"],
               bench.total("sbox/TO_R_PROG_EV,%s/", [
                   "mc=HOM0", "mc=HOM1", "mc=NDR|NCS|NCB",
                   "state=M|E|S|F|I"]) + bench["sbox/PKTS_SENT_SNP/"])
    bench.same("each line is read once", LINES,
               bench.total(event, HOMES.values()))
    bench.same("the other socket's nodes", 0,
               bench["sbox/TO_R_PROG_EV,hnid=1/"],
               bench["sbox/TO_R_PROG_EV,hnid=3/"], some=False)
    base = 64 << 30
    form = "sbox/TO_R_PROG_EV,opc=RdData,addr=0x%x+%dK/"
    bench.same("a quarter of the buffer", LINES // 4,
               bench[form % (base + 16384, 16)])


def crossbar(bench):
    """R-Box: every field parts the packets of a port."""
    port = "qpi0"
    event = "rbox/PACKETS,port=%s,%%s/" % port
    every = bench["rbox/PACKETS,port=%s/" % port]
    for name, values in (
            ("mc", ["HOM0", "HOM1", "NDR", "SNP", "NCS", "NCB", "DRS"]),
            ("vn", ["VN0", "VN1", "VNA"]),
            ("dnid", ["0..7", "8..15", "16..31"]),
            ("rnid", ["0..3", "4..7", "8..15", "16..31"])):
        bench.same("%s parts the packets of %s" % (name, port), every,
                   bench.total(event, [name + "=" + value
                                       for value in values]))
    data = "DataC|DataC_FrcAckCnflt|DataC_Cmp|DataNc"
    bench.same("states part the data of " + port,
               bench["rbox/DRS.AnyDataC,port=%s/" % port],
               bench["rbox/PACKETS,port=%s,opc=%s/" % (port, data)],
               bench.total("rbox/DRS.AnyDataC,port=" + port + ",state=%s/",
                           "MESFI"))
    bench.same("opcodes part the data responses of " + port,
               bench["rbox/DRS.AnyResp,port=%s/" % port],
               bench.total("rbox/PACKETS,port=" + port + ",opc=%s/",
                           opcodes(bench.machine, "DRS")))
    bench.same("flits of the data responses of " + port,
               bench["rbox/DRS.AnyResp,port=%s,flit=0/" % port],
               9 * bench["rbox/DRS.AnyResp9flits,port=%s/" % port] +
               11 * bench["rbox/DRS.AnyResp11flits,port=%s/" % port])


def dirty_lines(bench):
    """A line in M state that is handed over is the same in both boxes."""
    bench.same("data in M state", bench["rbox/DRS.DataC_M,port=qpi0/"],
               bench["rbox/PACKETS,port=qpi0,mc=DRS,state=M/"],
               bench["rbox/PACKETS,port=qpi0,mc=DRS,opc=DataC,state=M/"],
               bench["sbox/TO_R_PROG_EV,state=M/"])
    bench.same("data in M state and others",
               bench["sbox/TO_R_PROG_EV,state=M|E|S|F|I/"],
               bench["sbox/TO_R_PROG_EV,state=M/"] +
               bench["sbox/TO_R_PROG_EV,state=E|S|F|I/"])


def writebacks(bench):
    bench.same("lines written back", 200,
               bench["rbox/DRS.WbIData,port=qpi0/"],
               bench["rbox/PACKETS,port=qpi0,opc=WbIData/"],
               bench["rbox/DRS.AnyResp,port=qpi0,opc=WbIData,dnid=5|7/"],
               bench["sbox/TO_R_PROG_EV,opc=WbMtoI/"],
               bench["bbox/MSG_OPCODE_IN_MATCH,opc=WbMtoI/"],
               bench["bbox/MSG_OPCODE_IN_MATCH,mc=DRS,opc=WbIData/"])


def derived(bench):
    """A row of Table 2-53 is the filter that its name says."""
    for name, words in (
            ("DRS.AnyResp", "mc=DRS"),
            ("DRS.WbIData", "opc=WbIData"), ("DRS.WbSData", "opc=WbSData"),
            ("DRS.WbEData", "opc=WbEData"),
            ("NCB.AnyInt",
             "opc=NcMsgB|IntLogical|IntPhysical|IntPrioUpd")):
        bench.same(name, bench["rbox/%s,port=sbox1/" % name],
                   bench["rbox/PACKETS,port=sbox1,%s/" % words], some=False)


def buffers(bench):
    """M-Box and B-Box: each line of the buffer is read from memory once."""
    reads = "DRAM_CMD.CAS_RD_OPN,addr=0x%x..0x%x/"
    base = 1 << 30
    for first, last in ((0, 65535), (0, 32767), (32768, 65535),
                        (16384, 20479), (64, 127)):
        place = base + first, base + last
        lines = (last - first + 1) // 64
        bench.same("lines read by the M-Boxes", lines,
                   bench["mbox/" + reads % place],
                   bench["bbox/MSG_OPCODE_ADDR_IN_MATCH,mc=HOM0,opc=RdData,"
                         "addr=0x%x..0x%x/" % place])
    bench.same("lines read by both M-Boxes", LINES,
               bench["mbox0/" + reads % (base, base + 65535)] +
               bench["mbox1/" + reads % (base, base + 65535)])
    bench.same("all of the buffer's commands, by kind",
               bench["mbox/DRAM_CMD.ALL,addr=1G+64K/"],
               bench.total("mbox/DRAM_CMD.%s,addr=1G+64K/",
                           ["RAS", "PRE", "PREALL", "CAS_RD_OPN", "CAS_WR_OPN",
                            "CAS_RD_CLS", "CAS_WR_CLS", "RFR", "ZQCAL"]))


def documented():
    """The refusals that docs/events.md shows are those that are given."""
    path = os.path.join(os.environ.get("UNCORE_SOURCE", "."), "docs/events.md")
    with open(path, encoding="utf-8") as document:
        text = document.read()
    shown = re.findall(r"^    \$ uncore (encode '.*') \|\| true\n"
                       r"((?:    [^$\n].*\n)+)", text, re.M)
    for command, answer in shown:
        run = subprocess.run([UNCORE] + shlex.split(command),
                             stderr=subprocess.PIPE, check=False,
                             encoding="utf-8")
        if run.returncode != 2 or run.stderr.split() != answer.split():
            failures.append("docs/events.md: %s says %s" %
                            (command, run.stderr))
    if len(shown) < 2:
        failures.append("docs/events.md shows no refusals")


def main():
    documented()
    for machine in MACHINES:
        shared = Bench(machine, SHARED)
        far_homes(Bench(machine, FAR))
        buffers(Bench(machine, ONCE))
        writebacks(Bench(machine, FLUSHED))
        if machine == MACHINES[0]:  # one of them is enough for the rest
            system_bound(shared)
            halves(shared)
            crossbar(shared)
            derived(shared)
            dirty_lines(Bench(machine, PINGPONG))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
