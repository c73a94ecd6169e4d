#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Injected faults as a user meets them: what is injected is what the events
count, no fault changes what a program gets, and what cannot be is refused."""
import json
import os
import subprocess
import unittest

UNCORE = os.environ["UNCORE"]

# Each thread has lines of its own, so that time changes no count of the LLC.
OWN = "random:threads=4,size=64M,count=600,write=40,gap=2,seed=1"
SHARED = ("random:shared=1,threads=8,place=scatter,size=512K,count=500,"
          "write=50,gap=4,seed=1")
SPREAD = OWN.replace("threads=4", "threads=8,place=scatter")
SMALL = ["llc.slice=12", "llc.ways=4", "fault.check_cycles=1000",
         "heat.forcepr_cycles=2000", "mbox.spare_lines=16",
         "dimm.fault_cycles=10000", "dimm.sensor_cycles=500"]

ACCESSES = "cbox/TRANS_RWRF/"
MISSES = "cbox/LLC_MISSES.ALL/"
CORRECTED = "ubox/CORRECTED_ERR/"
UNCORRECTED = "ubox/UNCORRECTED_ERR/"
FVC = "mbox/FVC_EV%d.%s/"
SMI = FVC % (0, "SMI_CRC_ERR")
ALERT = FVC % (1, "ALERT_FRAMES")
RESET = FVC % (2, "FAST_RESET")
TRIGGER = FVC % (3, "SMI_NB_TRIG")
ECC = FVC % (0, "MEM_ECC_ERR")
POISON = FVC % (1, "POISON_TXN")
COR = FVC % (2, "BBOX_RSP.COR")
UNCOR = FVC % (2, "BBOX_RSP.UNCOR")
RETRY = FVC % (3, "BBOX_RSP.RETRY")
PBOX = FVC % (0, "PBOX_INIT_ERR")
PARITY = "mbox/MA_PAR_ERR/"
RETRIES = "mbox/DRAM_MISC.RETRIES_ALL/"
SPARE = "mbox/FVC_EV1.BBOX_CMDS.SPRWR/"
WARM = "mbox/THERM_TRP_UP.ALL.GT_LO/"
OF_DIMM = "mbox/THERM_TRP_UP.DIMM.GT_LO,dimm=4/"
COOL = "mbox/THERM_TRP_DN.ALL.LT_LO/"
PORTS = ("qpi0", "qpi1", "qpi2", "qpi3")

SMALL_E5 = ["llc.slice=20", "llc.ways=20", "fault.check_cycles=1000",
            "heat.forcepr_cycles=2000"]
# Requests, and what changes when somebody listens.
EX = [ACCESSES, WARM, "mbox/REFRESH/"]
E5 = ["cbo/TxR_INSERTS.AD_CORE/", "imc/ECC_CORRECTABLE_ERRORS/",
      "imc/DRAM_REFRESH.HIGH/"]

# What counts each fault, and how often for each time it was injected.
SHOWN = {
    "smi-crc": {SMI: 1, ALERT: 1, RESET: 1, TRIGGER: 1, CORRECTED: 1},
    "ecc": {ECC: 1, CORRECTED: 1, POISON: 0},
    "ecc-uncorrectable": {ECC: 3, POISON: 1, UNCOR: 1, UNCORRECTED: 1},
    "address-parity": {PARITY: 1, CORRECTED: 1},
    "poison": {POISON: 1, CORRECTED: 0},
    "sparing": {SPARE: 16, CORRECTED: 0},
    "mc-recoverable": {"ubox/RECOV/": 1},
    "mc-corrected": {CORRECTED: 1},
    "mc-uncorrected": {UNCORRECTED: 1},
    "mc-fatal": {"ubox/FATAL_ERR/": 1},
}
ALL = sorted([*SHOWN, "qpi-crc", "pbox-reset", "heat", "prochot"])
RATE = {"mc": 0.1, "sparing": 0.2, "poison": 0.1, "heat": 0.2,
        "pbox-reset": 0.02, "smi-crc": 0.01, "prochot": 0.3}


def port(name):
    return "rbox/FLITS_RECV_ERR,port=%s/" % name


def rate_of(fault):
    return RATE.get(fault, RATE.get(fault.split("-")[0], 0.02))


class Run:
    """One run of the command."""

    def __init__(self, faults, events, workload=OWN, sockets=1, more=(),
                 small=SMALL):
        command = [UNCORE, "stat", "--json", "--check", "-N", str(sockets),
                   "-w", workload]
        for option, values in (("--inject", faults), ("-e", events),
                               ("-S", small)):
            for value in values:
                command += [option, value]
        done = subprocess.run(command + list(more), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120,
                              check=False, encoding="utf-8")
        self.code, self.errors, self.counts = done.returncode, done.stderr, {}
        if not self.code:
            said = json.loads(done.stdout)
            self.counts = {c["event"]: c["value"] for c in said["counts"]}
            self.injected = said.get("injected", {})
            self.cycles = said["uncore_cycles"]


class Faults(unittest.TestCase):
    def run_well(self, faults, events, *more, **settings):
        run = Run(faults, events, *more, **settings)
        self.assertEqual((run.code, run.errors), (0, ""), faults)
        return run

    def check_shown(self, fault, spec, sockets=1, workload=OWN):
        run = self.run_well([spec], [*SHOWN[fault], ACCESSES], workload,
                            sockets)
        times = run.injected[fault]
        for event, factor in SHOWN[fault].items():
            self.assertEqual(run.counts[event], factor * times,
                             "%s: %s" % (spec, event))
        self.assertEqual(sum(run.injected.values()), times, spec)
        return times

    def test_every_fault_is_listed(self):
        said = subprocess.run([UNCORE, "model", "faults"], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout
        self.assertEqual(sorted(line.split()[0] for line in said.splitlines()),
                         ALL)

    def test_one_shot_is_one(self):
        for fault in SHOWN:
            self.assertEqual(self.check_shown(fault, fault), 1, fault)

    def test_rate_and_count(self):
        for fault in SHOWN:
            rate = "%s:rate=%g" % (fault, rate_of(fault))
            self.assertGreater(self.check_shown(fault, rate), 1, fault)
            bound = 2 if fault == "sparing" else 5
            self.assertEqual(
                self.check_shown(fault, "%s:rate=1,count=%d" % (fault, bound)),
                bound, fault)

    def test_sockets(self):
        """A count is that of each socket."""
        for sockets in (2, 4, 8):
            for fault in SHOWN if sockets == 2 else ("ecc", "mc-corrected"):
                spec = "%s:rate=0.5,count=2" % fault
                times = self.check_shown(
                    fault, spec, sockets,
                    SPREAD.replace("=8", "=%d" % (4 * sockets)))
                self.assertEqual(times, 2 * sockets, fault)
        self.assertEqual(self.check_shown("ecc", "ecc:socket=1,rate=1,count=3",
                                          2, SPREAD), 3)

    def test_who_listens_changes_nothing(self):
        """Both M-Boxes of a socket draw faults, whether anybody looks or not
        when they do."""
        faults = ["pbox-reset:rate=0.01,count=30", "ecc:rate=0.05"]
        shared = SHARED.replace("count=500", "count=1000")
        for machine, small, listened in (
                ("xeon-e7", SMALL, EX), ("xeon-7500", SMALL, EX),
                ("xeon-e5-2600", SMALL_E5, E5)):
            first, *others = listened
            more = [] if listened is E5 else ["smi-crc:rate=0.01"]
            runs = [self.run_well(faults + more, [first, *events], shared, 2,
                                  more=["-m", machine], small=small)
                    for events in ([], *zip(others))]
            for run in runs[1:]:
                self.assertEqual(run.cycles, runs[0].cycles, machine)
                self.assertEqual(run.injected, runs[0].injected, machine)
                self.assertEqual(run.counts[first], runs[0].counts[first],
                                 machine)

    def test_those_of_the_xeon_e5_2600_are_counted(self):
        """By hand: a corrected error is told to the eight cores of its socket,
        an uncorrected one likewise."""
        for fault, events in (
                ("ecc", {"imc/ECC_CORRECTABLE_ERRORS/": 1,
                         "ubox/U2C_EVENTS.CMC/": 8}),
                ("mc-corrected", {"ubox/U2C_EVENTS.CMC/": 8}),
                ("mc-recoverable", {"ubox/U2C_EVENTS.UMC/": 8}),
                ("mc-uncorrected", {"ubox/U2C_EVENTS.UMC/": 8}),
                ("mc-fatal", {"ubox/U2C_EVENTS.UMC/": 8})):
            run = self.run_well([fault + ":rate=0.5,count=3"], events, SPREAD,
                                2, more=["-m", "xeon-e5-2600"],
                                small=SMALL_E5)
            times = run.injected[fault]
            self.assertEqual(times, 2 * 3, fault)
            for event, factor in events.items():
                self.assertEqual(run.counts[event], factor * times, fault)

    def test_place(self):
        """socket= and box= put it there and nowhere else."""
        for box in (0, 1):
            run = self.run_well(
                ["ecc:rate=1,count=3,socket=1,box=%d" % box],
                ["mbox%d/FVC_EV0.MEM_ECC_ERR/" % i for i in (0, 1)],
                SPREAD, 2)
            self.assertEqual(list(run.counts.values()), [3 - 3 * box, 3 * box])
        run = self.run_well(["mc-corrected:socket=1,rate=1,box=9"],
                            [CORRECTED], OWN, 2, ["--cycles", "20500"])
        self.assertEqual(run.counts[CORRECTED], 20)

    def test_not_before(self):
        """at= is a cycle: nothing before it, and soon something after."""
        for fault in ALL:
            spec = "%s:rate=1,count=1,at=8000" % fault
            workload, sockets = (SHARED, 2) if fault == "qpi-crc" else (OWN, 1)
            before, after = (
                self.run_well([spec], [ACCESSES], workload, sockets,
                              ["--cycles", str(cycles)]).injected[fault]
                for cycles in (8000, 16000))
            self.assertEqual((before, after), (0, sockets), fault)

    def test_links(self):
        """Each flit with a wrong CRC is seen at the receiving port."""
        for sockets in (2, 4, 8):
            run = self.run_well(["qpi-crc:rate=0.005"],
                                [*map(port, PORTS), CORRECTED], SHARED,
                                sockets)
            times = run.injected["qpi-crc"]
            self.assertGreater(times, 100)
            self.assertEqual(sum(run.counts[port(p)] for p in PORTS), times)
            self.assertEqual(run.counts[CORRECTED], times)
        run = self.run_well(["qpi-crc:rate=1,count=3,socket=1,box=1"],
                            [port("qpi0")], SHARED, 2)
        self.assertEqual(run.counts[port("qpi0")], 3)
        self.assertEqual(Run(["qpi-crc:rate=1"], [ACCESSES]).injected
                         ["qpi-crc"], 0, "one socket has no links")

    def test_resets(self):
        for spec, factor in (("rate=0.05,box=8", 1), ("box=9", 1),
                             ("rate=0.01,count=3,box=1", 0)):
            run = self.run_well(["pbox-reset:" + spec], [PBOX, CORRECTED],
                                SHARED, 2)
            times = run.injected["pbox-reset"]
            self.assertGreater(times, 0, spec)
            self.assertEqual(run.counts[PBOX], factor * times, spec)
            self.assertEqual(run.counts[CORRECTED], times, spec)

    def test_heat(self):
        """A pair of DIMMs passes each trip point once up and once down."""
        for count in (1, 3):
            spec = "heat:rate=1,count=%d,box=0" % count
            for event, times in ((WARM, count), (COOL, count), (OF_DIMM, 1)):
                run = self.run_well([spec], [event],
                                    more=["--cycles", "60000"])
                self.assertEqual(run.injected["heat"], count)
                self.assertEqual(run.counts[event], times)

    def test_prochot(self):
        """All clocks stand for so long each time, and no longer."""
        events = ["wbox/C_C0_THROTTLE_PROCHOT.CORE0/", "wbox/TM1_ON.CORE0/",
                  "wbox/PROCHOT/"]
        for spec in ("prochot", "prochot:rate=0.3,count=4",
                     "prochot:rate=1,count=4"):
            run = self.run_well([spec], events, OWN.replace("600", "4000"))
            cycles = 2000 * run.injected["prochot"]
            self.assertEqual([run.counts[e] for e in events],
                             [cycles, cycles, 0], spec)

    def test_results_are_the_same(self):
        """A fault costs time and nothing else."""
        good = self.run_well([], [ACCESSES, MISSES])
        self.assertEqual(good.injected, {})
        for fault in ALL:
            run = self.run_well(["%s:rate=%g" % (fault, rate_of(fault))],
                                [ACCESSES, MISSES])
            self.assertEqual(run.counts, good.counts, fault)
            if fault in ("smi-crc", "pbox-reset"):
                self.assertGreater(run.cycles, good.cycles, fault)

    def test_read_responses(self):
        """The B-Box hears COR or UNCOR once, RETRY each time before."""
        for fault, end, repeats in (("ecc", COR, 1),
                                    ("ecc-uncorrectable", UNCOR, 2)):
            spec = fault + ":rate=0.02"
            run = self.run_well([spec], [end, RETRIES])
            times = run.injected[fault]
            self.assertEqual(run.counts[end], times)
            self.assertGreaterEqual(run.counts[RETRIES], repeats * times)
            run = self.run_well([spec], [RETRY])
            self.assertEqual(run.counts, {RETRY: repeats * times})

    def test_mirror(self):
        """Both copies of a line are poisoned."""
        run = self.run_well(["poison:rate=0.1"], [POISON],
                            more=["-S", "bbox.mirror=on"])
        self.assertGreater(run.injected["poison"], 1)
        self.assertEqual(run.counts[POISON], 2 * run.injected["poison"])

    def test_several_at_once(self):
        """Corrected errors are the sum of all that is corrected."""
        corrected = ["smi-crc", "ecc", "address-parity", "qpi-crc",
                     "mc-corrected", "pbox-reset"]
        for sockets in (1, 2, 4, 8):
            specs = ["%s:rate=%g" % (f, rate_of(f) / 4) for f in ALL]
            run = self.run_well(specs, [SMI, FVC % (1, "MEM_ECC_ERR"), PARITY,
                                        CORRECTED], SHARED, sockets)
            times = run.injected
            self.assertEqual(run.counts, {
                SMI: times["smi-crc"], PARITY: times["address-parity"],
                FVC % (1, "MEM_ECC_ERR"):
                    times["ecc"] + 3 * times["ecc-uncorrectable"],
                CORRECTED: sum(times[f] for f in corrected)})

    def test_always(self):
        """Whatever can go wrong always does, and yet it ends."""
        few = "random:threads=2,size=64M,count=30,write=40,seed=1"
        good = self.run_well([], [ACCESSES], few)
        for fault in ALL:
            run = self.run_well([fault + ":rate=1"], [ACCESSES], few)
            self.assertEqual(run.counts, good.counts, fault)
        run = self.run_well([f + ":rate=1" for f in ALL], [ACCESSES], few)
        self.assertEqual(run.counts, good.counts)
        both = few.replace("threads=2", "threads=4,shared=1,place=scatter")
        for faults in (["qpi-crc"], ["pbox-reset"], ["qpi-crc", "pbox-reset",
                                                     "smi-crc", "ecc"]):
            self.run_well([f + ":rate=1" for f in faults], [ACCESSES], both, 4)

    def test_hardly_and_never(self):
        for spec in ("rate=1e-300", "rate=4.9e-324", "at=18446744073709551615",
                     "rate=1,at=1000000000,count=18446744073709551615"):
            run = self.run_well([f + ":" + spec for f in ALL], [ACCESSES])
            self.assertEqual(sum(run.injected.values()), 0, spec)

    def test_again(self):
        """The same seed gives the same run, another one another."""
        specs = [f + ":rate=0.01" for f in ALL]
        runs = [Run(specs, [ACCESSES, CORRECTED], SHARED, 2,
                    ["-S", "seed=%d" % seed])
                for seed in (5, 5, 6)]
        first, second, other = [(r.injected, r.counts, r.cycles)
                                for r in runs]
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_nobody_listens(self):
        """What is injected does not depend on what is counted."""
        specs = [f + ":rate=0.01" for f in ALL]
        one = self.run_well(specs, [ACCESSES], SHARED, 2)
        other = self.run_well(specs, ["wbox/TM1_ON.CORE0/", SMI, WARM,
                                      port("qpi0"), CORRECTED], SHARED, 2)
        self.assertEqual((one.injected, one.cycles),
                         (other.injected, other.cycles))

    def test_refused(self):
        for spec, sentence in {
                "nix": "there is no fault 'nix' to inject; there are smi-crc",
                "ecc:rate=0": "rate is a probability",
                "ecc:rate=1.1": "rate is a probability",
                "ecc:rate=nan": "rate is a probability",
                "ecc:rate": "write KEY=VALUE",
                "ecc:count=0": "count=0",
                "ecc:at=": "at of an injected fault is a number",
                "ecc:at= 1": "at of an injected fault is a number",
                "ecc:at=-1": "at of an injected fault is a number",
                "ecc:at=18446744073709551616": "is a number",
                "ecc:often=1": "rate=, at=, count=, socket= and box=",
                "ecc:socket=2": "there is no socket 2 to inject 'ecc' into: "
                                "the machine has 2",
                "ecc:socket=8": "there is no socket 8 to inject 'ecc' into",
                "ecc:box=2": "box= is an M-Box, 0 or 1",
                "qpi-crc:box=2": "0, 1, 4 or 5",
                "pbox-reset:box=7": "8 or 9 for M-Box 0 or 1",
                "prochot:box=1": "there is no box 1",
                "poison:box=10": "a C-Box of the socket",
                "mc-fatal:box=16": "there is no box 16",
                }.items():
            run = Run([spec], [ACCESSES], sockets=2)
            self.assertEqual(run.code, 2, spec)
            self.assertIn(sentence, run.errors, spec)
            self.assertEqual(run.errors.count("\n"), 1, run.errors)

    def test_refused_on_a_xeon_e5_2600(self):
        for spec, sentence in {
                "smi-crc": "cannot have the fault 'smi-crc'; it can have ecc, "
                           "qpi-crc, pbox-reset, heat, prochot, mc-",
                "poison:rate=0.5": "cannot have the fault 'poison'",
                "ecc:box=4": "box= is a memory channel of the socket",
                "qpi-crc:box=2": "box= is a QPI link, from 0",
                }.items():
            run = Run([spec], ["imc/ECC_CORRECTABLE_ERRORS/"], sockets=2,
                      more=["-m", "xeon-e5-2600"], small=SMALL_E5)
            self.assertEqual(run.code, 2, spec)
            self.assertIn(sentence, run.errors, spec)
            self.assertEqual(run.errors.count("\n"), 1, run.errors)

    def test_each_channel_of_a_xeon_e5_2600(self):
        for box in range(4):
            run = Run(["ecc:count=1,socket=0,box=%d" % box],
                      ["imc%d/ECC_CORRECTABLE_ERRORS/" % box], sockets=2,
                      more=["-m", "xeon-e5-2600"], small=SMALL_E5)
            self.assertEqual(run.code, 0, run.errors)
            self.assertEqual(list(run.counts.values()), [1])


if __name__ == "__main__":
    unittest.main()
