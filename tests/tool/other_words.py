#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Events in the words of perf's lists, of libpfm4 and of PCM: they program what
# the codes program that those lists have. The codes here were read from the
# lists of the kernel's perf and from libpfm4's tables, not from data/; what is
# not known is refused by its name, and says what is.

import os
import subprocess
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")

# name: event, unit mask, opcode, other filters; of perf's lists for Sandy
# Bridge-EP (v1), Ivy Bridge-EP (v2), Haswell-EP and Broadwell-EP (v3, v4)
V1 = {
    "LLC_MISSES.DATA_READ": (0x35, 0x3, 0x182),
    "LLC_MISSES.UNCACHEABLE": (0x35, 0x3, 0x187),
    "LLC_MISSES.PCIE_WRITE": (0x35, 0x3, 0x19c),
    "LLC_MISSES.ITOM_WRITE": (0x35, 0x3, 0x1c8),
    "LLC_REFERENCES.STREAMING_FULL": (0x35, 0x1, 0x18c),
    "LLC_REFERENCES.STREAMING_PARTIAL": (0x35, 0x1, 0x18d),
    "LLC_REFERENCES.PCIE_PARTIAL_READ": (0x35, 0x1, 0x195),
    "LLC_REFERENCES.PCIE_WRITE": (0x35, 0x1, 0x19c),
    "LLC_REFERENCES.PCIE_READ": (0x35, 0x1, 0x19e),
    "LLC_REFERENCES.ITOM_WRITE": (0x35, 0x1, 0x1c8),
    "LLC_REFERENCES.PCIE_NS_READ": (0x35, 0x1, 0x1e4),
    "LLC_REFERENCES.PCIE_NS_PARTIAL_WRITE": (0x35, 0x1, 0x1e5),
    "LLC_REFERENCES.PCIE_NS_WRITE": (0x35, 0x1, 0x1e6),
}
V2 = {
    **V1,
    "LLC_MISSES.RFO_LLC_PREFETCH": (0x35, 0x3, 0x190),
    "LLC_MISSES.CODE_LLC_PREFETCH": (0x35, 0x3, 0x191),
    "LLC_MISSES.DATA_LLC_PREFETCH": (0x35, 0x3, 0x192),
    "LLC_MISSES.PCIE_READ": (0x35, 0x3, 0x19e),
    "LLC_MISSES.PCIE_NON_SNOOP_READ": (0x35, 0x3, 0x1e4),
    "LLC_MISSES.PCIE_NON_SNOOP_WRITE": (0x35, 0x3, 0x1e6),
}
NO_THREAD = ",filter.tid=0x3e,tid_en=1"
V3 = {
    **{name: V2[name] for name in (
        "LLC_MISSES.DATA_READ", "LLC_MISSES.UNCACHEABLE",
        "LLC_MISSES.RFO_LLC_PREFETCH", "LLC_MISSES.CODE_LLC_PREFETCH",
        "LLC_MISSES.DATA_LLC_PREFETCH", "LLC_MISSES.PCIE_READ",
        "LLC_REFERENCES.STREAMING_FULL", "LLC_REFERENCES.STREAMING_PARTIAL",
        "LLC_REFERENCES.PCIE_READ")},
    "LLC_MISSES.PCIE_WRITE": (0x35, 0x3, 0x1c8),
    "LLC_MISSES.PCIE_NON_SNOOP_WRITE": (0x35, 0x3, 0x1c8, NO_THREAD),
    "LLC_MISSES.MMIO_READ": (0x35, 0x3, 0x187, ",filter1.nc=1"),
    "LLC_MISSES.MMIO_WRITE": (0x35, 0x3, 0x18f, ",filter1.nc=1"),
    "LLC_REFERENCES.CODE_LLC_PREFETCH": (0x35, 0x1, 0x181),
    "LLC_REFERENCES.PCIE_NS_PARTIAL_WRITE": (0x35, 0x1, 0x180, NO_THREAD),
    "LLC_REFERENCES.PCIE_WRITE": (0x35, 0x1, 0x1c8, NO_THREAD),
}
TOR = {"xeon-e5-2600": ("filter.opc", V1), "xeon-e5-v2": ("filter1.opc", V2),
       "xeon-e5-v3": ("filter1.opc", V3), "xeon-e5-v4": ("filter1.opc", V3)}
E5 = tuple(TOR)
ALL = E5 + ("xeon-scalable-1", "xeon-scalable-2")
ARCH = dict(zip(ALL, ("snbep", "ivbep", "hswep", "bdx", "skx", "skx")))

# The same everywhere: PCM's raw codes, perf's with and without uncore_.
READS, WRITES = "imc/event=0x4,umask=0x3/", "imc/event=0x4,umask=0xc/"
EVERYWHERE = (
    ("imc/config=0x304/", READS),
    ("imc/config=0x400304/", READS),
    ("imc/config=0x304,name=MEM_READS/", READS),
    ("uncore_imc/config=0xc04/", WRITES),
    ("imc1/config=0x304/", "imc1/event=0x4,umask=0x3/"),
    ("imc_1/event=0x4,umask=0x3/", "imc1/event=0x4,umask=0x3/"),
    ("uncore_imc_1/config=0x304/", "imc1/event=0x4,umask=0x3/"),
    ("uncore_imc_1/cas_count_read/", "imc1/event=0x4,umask=0x3/"),
    ("imc_1/cas_count_write/", "imc1/event=0x4,umask=0xc/"),
    ("imc/cas_count_read,thresh=2/", "imc/event=0x4,umask=0x3,thresh=2/"),
    ("imc/config=0x1840304/", "imc/event=0x4,umask=0x3,inv,thresh=1,edge/"),
    ("imc/fixed,name=DRAM_CLOCKS/", "imc/FIXED_CTR/"),
    ("uncore_imc_0/config=0xff/", "imc0/FIXED_CTR/"),
    ("llc_misses.mem_read", READS),
    ("LLC_MISSES.MEM_WRITE", WRITES),
    ("unc_m_cas_count.rd", READS),
    ("UNC_M_CAS_COUNT:RD", READS),
    ("unc_m_cas_count:wr:t=1:e", "imc/event=0x4,umask=0xc,thresh=1,edge/"),
    ("CAS_COUNT_RD:MBOX0C0", "imc0/event=0x4,umask=0x3/"),
)
# libpfm4 on the E5s; of a filter, opcode and state are unit masks there.
PFM = (
    ("UNC_C_TOR_INSERTS:OPCODE:OPC_RFO", (0x35, 0x1, 0x180)),
    ("UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_PF_DATA", (0x35, 0x3, 0x192)),
    ("UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_PCIRDCUR", (0x35, 0x3, 0x19e)),
)


def encode(machine, text):
    return subprocess.run([UNCORE, "encode", "-m", machine, text], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=100)


class OtherWords(unittest.TestCase):
    def registers(self, machine, text):
        ran = encode(machine, text)
        self.assertEqual(ran.returncode, 0, (machine, text, ran.stderr))
        return ran.stdout.split("\n", 1)[1]

    def same(self, machine, theirs, ours):
        if machine == "xeon-e5-v2":  # the part has no invert
            theirs = theirs.replace("0x1840304", "0x1040304")
            ours = ours.replace("inv,", "")
        self.assertEqual(self.registers(machine, theirs),
                         self.registers(machine, ours), (machine, theirs))

    def test_what_is_the_same_everywhere(self):
        for machine in ALL:
            for theirs, ours in EVERYWHERE:
                self.same(machine, theirs, ours)
            self.same(machine, ARCH[machine] + "_unc_imc1::UNC_M_CAS_COUNT:RD",
                      "imc1/event=0x4,umask=0x3/")

    def tor(self, machine, codes):
        event, umask, opcode, *more = codes
        return "cbo/event=%#x,umask=%#x,%s=%#x%s/" % (
            event, umask, TOR[machine][0], opcode, "".join(more))

    def test_events_of_perfs_lists(self):
        for machine, (_, rows) in TOR.items():
            for name, codes in rows.items():
                self.same(machine, name.lower(), self.tor(machine, codes))
        for machine in E5[1:]:
            self.same(machine, "qpi_data_bandwidth_tx",
                      "qpi/event=0x0,umask=0x2/")
            self.same(machine, "qpi_ctl_bandwidth_tx",
                      "qpi/event=0x0,umask=0x4/")

    def test_unit_masks_of_libpfm4(self):
        for machine in E5:
            for text, codes in PFM:
                self.same(machine, text, self.tor(machine, codes))
            self.same(machine, "UNC_C_LLC_VICTIMS:STATE_M",
                      "cbo/event=0x37,umask=0x1/")
            self.same(machine, ARCH[machine] + "_unc_ubo::UNC_U_LOCK_CYCLES"
                      if machine == "xeon-e5-2600" else "UNC_U_CLOCKTICKS",
                      "ubox/LOCK_CYCLES/" if machine == "xeon-e5-2600"
                      else "ubox/CLOCKTICKS/")
        # state I is bit 18 of the filter, from the v2 on bit 17
        for machine, bit in zip(E5, (18, 17, 17, 17)):
            self.same(machine, "UNC_C_LLC_LOOKUP:DATA_READ:STATE_I",
                      "cbo/event=0x34,umask=0x3,filter=%#x/" % (1 << bit))

    def test_words_of_filters(self):
        self.same("xeon-e5-2600", "cbox_1/config=0x335,config1=0x18200000/",
                  "cbo1/event=0x35,umask=0x3,filter=0x18200000/")
        for machine in E5[1:]:
            # the second register is in the high half
            self.same(machine,
                      "cbox/config=0x335,config1=0x1820000000020000/",
                      "cbo/event=0x35,umask=0x3,filter=0x20000,"
                      "filter1=0x18200000/")
        for machine in E5:
            self.same(machine, "uncore_pcu/config=0xb,config1=0x14/",
                      "pcu/event=0xb,filter=0x14/")
            self.same(machine,
                      "uncore_qpi_1/config=0x200038,config1=0x20000e000/",
                      "qpi1/CTO_COUNT,match=0xe000,match1=0x2,mask=0,"
                      "mask1=0/")

    def test_codes_of_nine_bits(self):
        # the kernel's event of QPI and PCU is bits 7:0 and 21
        for machine in E5:
            for theirs in ("uncore_qpi_0/event=0x138/", "qpi0/event=0x138/",
                           "qpi_0/config=0x200038/"):
                self.same(machine, theirs,
                          "qpi0/event=0x38,ev_sel_ext=1/")

    def test_who_looks_for_one_is_told_ours(self):
        for command, text, word in (
                ("list", "llc_misses.mem_read", "imc/CAS_COUNT.RD/"),
                ("list", "UNC_M_CAS_COUNT:WR", "imc/CAS_COUNT.WR/"),
                ("explain", "hswep_unc_imc0::UNC_M_CAS_COUNT:RD", "bdx_unc_")):
            ran = subprocess.run([UNCORE, command, "-m", "xeon-e5-v4", text],
                                 capture_output=True, text=True, check=False)
            self.assertIn(ran.returncode, (1, 2))
            self.assertIn(word, ran.stderr)

    def test_what_is_not_known_is_told(self):
        for machine, text, *words in (
                ("xeon-e5-v3", "imc/config=0x200304/", "0x200000", "iMC"),
                ("xeon-e5-v3", "imc/config=reads/", "not a number"),
                ("xeon-e5-v3", "imc/event=0x104/", "does not fit"),
                ("xeon-e5-v3", "qpi/event=0x238/", "does not fit"),
                ("xeon-e5-v3", "imc/config1=1/", "config1"),
                ("xeon-e5-v3", "snbep_unc_imc0::UNC_M_CAS_COUNT:RD",
                 "hswep_unc_"),
                ("xeon-e7", "snbep_unc_imc0::UNC_M_CAS_COUNT:RD", "no PMU"),
                ("xeon-e5-v4", "bdx_unc_imc9::UNC_M_CAS_COUNT:RD", "imc"),
                ("xeon-e5-v4", "UNC_M_CAS_COUNT:READ", "RD_UNDERFILL"),
                ("xeon-e5-v4", "UNC_M_CAS_COUNT:RD:cf=1", "cf=1"),
                ("xeon-e5-v4", "UNC_M_CAS_COUNT:RD:cpu=0", "--per-socket"),
                ("xeon-e5-v4", "UNC_M_CAS_COUNT:RD:u", "leave it out"),
                ("xeon-e5-v4", "cache-misses", "-M llc"),
                ("xeon-scalable-1", "LLC-load-misses", "-M llc"),
                ("xeon-e5-v4", "LLC_MISSES.MEM_REED", "no event"),
                ("xeon-e5-v4", "LLC_MISSES.ALL", "xeon-e7 has it"),
                ("xeon-e7", "rbox/config=0x1/", "no option 'config'")):
            ran = encode(machine, text)
            self.assertEqual(ran.returncode, 2, (text, ran.stdout))
            for word in words:
                self.assertIn(word, ran.stderr, text)
        ran = encode("xeon-e5-v4", "LLC_MISSES.MEM_REED")
        self.assertNotIn("has it", ran.stderr)


if __name__ == "__main__":
    unittest.main()
