# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Machines, workloads and events that are drawn by lot for the record.

The dice of a draw are its number, and only Random.random() is used, which
every version of Python repeats. So the same number gives the same draw
everywhere, whatever the draws before it were.
"""
import random

CORES = {"xeon-e7": 10, "xeon-7500": 8, "xeon-e5-2600": 8}
EX = ("xeon-7500", "xeon-e7")
ACCESSES = 12000  # of all threads of a part, about: a run stays well below 1 s
PORTS = ("qpi0", "qpi1", "qpi2", "qpi3", "sbox0", "sbox1", "bbox0", "bbox1")

# A part of a workload: its ops, and the keys it takes besides those of all.
KINDS = {
    "stream": ("triad copy write read", "size passes stride node"),
    "random": ("", "size count write shared node"),
    "chase": ("", "size count node offset"),
    "code": ("", "all shared passes"),
    "rfo": ("", "size passes node"),
    "flush": ("read write", "size count node"),
    "ntstore": ("", "size passes node"),
    "pingpong": ("turns fight", "few count"),
    "readshared": ("", "all passes node"),
    "falsesharing": ("", "few count"),
    "upgrade": ("", "all passes node"),
    "evict": ("", "size count"),
    "io": ("read write wc in out cfgread cfgwrite mix", "rare"),
    "dma": ("mix read write twice nosnoop interrupt", "size count hub node"),
    "ipi": ("", "rare"),
    "lock": ("", "few rare"),
    "special": ("shutdown invd wbinvd mix", "rare"),
    "sleep": ("", "naps"),
}
LIKELY = ("random",) * 6 + ("stream", "chase", "evict") * 2 + tuple(KINDS) * 2
KEYS = {
    "size": ("size", ("64K", "128K", "256K", "512K", "1M")),
    "all": ("size", ("16K", "64K", "128K", "256K")),  # for each thread
    "few": ("size", ("64", "128", "256", "1K")),
    "passes": ("passes", (1, 2)),
    "stride": ("stride", (64, 64, 128, 256)),
    "write": ("write", (0, 10, 30, 50, 100)),
    "shared": ("shared", (0, 1, 1)),
    "rare": ("count", (5, 20, 60)),
    "naps": ("count", (2, 5, 10)),
    "offset": ("offset", ("0", "1M", "1G")),
    "hub": ("hub", (0,)),
}
# Parameters of the machine: one time in so many, and their values.
SETTINGS = (
    (2, "llc.ways=4", ("llc.slice=12", "llc.slice=24", "llc.slice=48")),
    (6, "bbox.directory=on", ()),
    (8, "bbox.mirror=on", ()),
    (6, "", ["core.prefetch=%d" % sum_of for sum_of in (1, 2, 4, 8, 15)]),
    (8, "", ("core.tlb=1", "core.tlb=2")),
    (8, "", ("llc.forward=0", "sbox.egress=1", "rbox.entry_table=1")),
    (8, "", ("mbox.page_policy=open", "mbox.page_policy=closed")),
    (8, "", ("mbox.sched=rdprio", "mbox.sched=wrprio", "mbox.sched=tradeoff")),
    (8, "", ("rbox.vna=0", "qpi.latency=150", "qpi.idle_cycles=100")),
    (8, "", ("cbox.irq=2", "cbox.ipq=1", "cbox.maf=4", "cbox.egress=1")),
    (8, "", ("mbox.patrol_cycles=5000", "mbox.power_down_cycles=200",
             "memory.controllers=1", "dram.dimms=1", "dram.trefi=600")),
    (8, "", ("bbox.tracker=16", "bbox.imt=4", "core.fill_buffers=2",
             "core.turbo=2800", "io.hubs=2")),
)
FAULTS = ("ecc:rate=0.01", "ecc-uncorrectable:rate=0.005", "smi-crc:rate=0.01",
          "address-parity:rate=0.01", "qpi-crc:rate=0.005", "poison:rate=0.05",
          "mc-corrected:rate=0.1", "prochot:rate=0.5")
TWO_MASKS = 6  # one event in so many has two unit masks
FILTERS = {
    "sbox/TO_R_PROG_EV": ("mc=HOM0", "opc=RdData", "opc=RspI", "mc=HOM0,hnid=1",
                          "addr=0+64K", "state=E", "state=M"),
    "rbox/PACKETS": ("mc=DRS", "mc=HOM0", "mc=SNP", "vn=VNA", "dnid=0..3",
                     "mc=DRS,flit=9", "mc=DRS,state=E"),
    "rbox/DRS": ("vn=VNA", "dnid=0..3", "dnid=1"),
    "rbox/NCB": ("vn=VNA", "dnid=0..3"),
    "bbox/MSG_OPCODE_IN_MATCH": ("opc=RdData", "opc=RspI", "mc=HOM0"),
    "bbox/MSG_OPCODE_OUT_MATCH": ("opc=CmpD", "mc=NDR", "mc=DRS"),
    "bbox/MSG_ADDR_IN_MATCH": ("addr=0+64K", "addr=1M+1M"),
    "bbox/MSG_OPCODE_ADDR_IN_MATCH": ("opc=RdData,addr=0+64K",),
    "mbox/DRAM_CMD": ("addr=0+64K", "addr=1M+1M"),
    "mbox/DRAM_MISC": ("addr=0+64K",),
}
BOXES = ("cbox", "sbox", "rbox", "mbox") * 3 + ("bbox",) * 2 + ("ubox", "wbox")
CONDITIONS = {"cbox", "sbox", "wbox"}  # that have threshold and invert

# The same of the Xeon E5-2600.
EP_SETTINGS = (
    (2, "llc.ways=4", ("llc.slice=12", "llc.slice=24", "llc.slice=48")),
    (4, "", ("ha.snoop=home", "ha.snoop=directory")),
    (6, "ha.direct2core=off", ()),
    (6, "", ["core.prefetch=%d" % sum_of for sum_of in (1, 2, 4, 8, 15)]),
    (8, "", ("core.tlb=1", "core.tlb=2")),
    (6, "", ("imc.page_policy=open", "imc.page_policy=closed")),
    (8, "", ("imc.power_down=slow", "imc.power_down_idle=100",
             "imc.self_refresh=4000", "imc.throttle=20", "dram.trefi=600",
             "imc.write_low=2")),
    (8, "", ("qll.vna=0", "qll.tx_queue=9", "qll.half_after=50",
             "qpi.latency=150", "r3qpi.egress=1")),
    (8, "", ("cbo.irq=2", "cbo.ipq=1", "cbo.tor=4", "cbo.iio_credits=1")),
    (8, "", ("r2pcie.egress=1", "r2pcie.drs_credits=1", "r2pcie.requests=4")),
    (8, "", ("ha.tracker=16", "ha.read_credits=2", "ha.write_credits=2",
             "core.fill_buffers=2", "core.turbo=3800",
             "core.c6_accesses=4")),
)
EP_FAULTS = ("ecc:rate=0.01", "qpi-crc:rate=0.005", "mc-corrected:rate=0.1",
             "prochot:rate=0.5")
EP_FILTERS = {
    "cbo/TOR_INSERTS": ("opc=RFO", "opc=WbMtoI", "opc=DRd", "nid=NODE1",
                        "opc=PCIItoM", "tid=2"),
    "cbo/TOR_OCCUPANCY": ("opc=RFO", "opc=PCIRdCur", "nid=NODE0"),
    "cbo/LLC_LOOKUP": ("state=M", "state=E|S|F", "nid=NODE1", "tid=0"),
    "cbo/LLC_VICTIMS": ("nid=NODE0", "nid=NODE1"),
    "pcu/FREQ_BAND0_CYCLES": ("band0=12", "band0=29"),
}
EP_BOXES = ("cbo", "ha", "imc", "qpi", "r3qpi") * 3 + ("r2pcie",) * 2 + (
    "ubox", "pcu")
EP_CONDITIONS = {"cbo", "ha", "imc", "qpi", "r3qpi", "r2pcie"}


class Draw:
    settings, faults, filters = SETTINGS, FAULTS, FILTERS
    boxes, conditions, edges = BOXES, CONDITIONS, CONDITIONS | {"ubox"}

    def __init__(self, number):
        self.random = random.Random("uncore %d" % number)

    def below(self, end):
        return int(self.random.random() * end)

    def once_in(self, times):
        return self.below(times) == 0

    def one_of(self, choices):
        return choices[self.below(len(choices))]

    def machine(self):
        """Its name and number of sockets."""
        return self.one_of(EX), self.one_of((1, 2, 2, 4, 4, 8))

    def key(self, name, threads, sockets):
        if name == "count":
            return "count=%d" % max(20, (1 + self.below(ACCESSES)) // threads)
        if name == "node":
            return "node=%d" % self.below(sockets)
        return "%s=%s" % (KEYS[name][0], self.one_of(KEYS[name][1]))

    def part(self, most, sockets):
        """A part with `most` threads or fewer: its text, and how many."""
        kind = self.one_of(LIKELY)
        ops, keys = KINDS[kind]
        threads = 1 + self.below(most if self.once_in(3) else min(most, 6))
        words = []
        if kind not in ("dma", "sleep"):
            words += ["threads=%d" % threads]
        if ops:
            words += ["op=" + self.one_of(ops.split())]
        if self.once_in(2) and kind != "dma":
            words += ["place=scatter"]
        words += [self.key(name, threads, sockets) for name in keys.split()
                  if name not in ("node", "hub") or self.once_in(3)]
        if self.once_in(2) or kind == "sleep":
            gap = self.one_of((0, 1, 4, 10, 40, 200))
            # pingpong:op=turns with gap=0 has never ended
            words += ["gap=%d" % (gap or kind == "pingpong")]
        words += ["seed=%d" % (1 + self.below(1000))]
        return kind + ":" + ",".join(words), threads

    def run(self, machine, sockets):
        """Options of `uncore stat`."""
        words = ["-m", machine, "-N", str(sockets)]
        for times, always, values in self.settings:
            if self.once_in(times):
                chosen = [always, self.one_of(values) if values else ""]
                words += [word for text in chosen if text
                          for word in ("--set", text)]
        if self.once_in(10):
            words += ["--inject", self.one_of(self.faults)]
        if self.once_in(40):
            return words + ["-w", "idle", "--cycles",
                            str(1000 * (1 + self.below(500)))]
        parts, left = [], CORES[machine] * sockets
        for _ in range(self.one_of((1, 1, 1, 2, 2, 3))):
            text, threads = self.part(max(1, left // 2), sockets)
            parts.append(text)
            left -= threads
        return words + ["-w", "+".join(parts)]

    def event(self, listed):
        """One of those that `uncore list --json` has."""
        box = self.one_of(self.boxes)
        event = self.one_of([e for e in listed["events"] if e["box"] == box])
        name = "%s/%s" % (box, event["name"])
        options = []
        masks = [mask["name"] for mask in event["unit_masks"]]
        mask = ["." + self.one_of(masks)] if masks else []
        others = [other for other in masks if "." + other not in mask]
        if others and self.once_in(TWO_MASKS):
            mask += ["." + self.one_of(others)]
        if box == "rbox":
            options += ["port=" + self.one_of(PORTS)]
        if name in self.filters and not self.once_in(3):
            options += [self.one_of(self.filters[name])]
        if box in self.conditions and self.once_in(4):
            options += ["thresh=%d" % (1 + self.below(
                max(2, event["max_increment"])))]
            if self.once_in(4):
                options += ["invert"]
        if box in self.edges and self.once_in(8):
            options += ["edge"]
        instances = next(b["instances"] for b in listed["boxes"]
                         if b["name"] == box)
        if instances > 1 and self.once_in(4):
            name = name.replace(box, box + str(self.below(instances)), 1)
        return "%s%s/" % (name, ",".join(["".join(mask)] + options))


class EpDraw(Draw):
    """The same of the Xeon E5-2600."""
    settings, faults, filters = EP_SETTINGS, EP_FAULTS, EP_FILTERS
    boxes, conditions, edges = EP_BOXES, EP_CONDITIONS, EP_CONDITIONS

    def machine(self):
        return "xeon-e5-2600", self.one_of((1, 2, 2, 2))
