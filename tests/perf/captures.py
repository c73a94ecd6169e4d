#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Five machines that are not here (captures/README.md). For a dozen events of
# each, the words config, config1 and config2 that perf would give to the kernel
# are worked out three times: by hand (WANTED, with the arithmetic), by a reader of
# the capture that is written here and shares nothing with the library, and by
# `uncore encode`. And the boxes of each machine are those that it has: no core, no
# C-state, no other PMU that happens to have a mask.

import json
import os
import re
import subprocess
import sys

SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD", "build"))
UNCORE = os.path.abspath(os.environ.get(
    "UNCORE", os.path.join(BUILD, "uncore")))
DEVICES = "bus/event_source/devices/"
PACKAGE = "devices/system/cpu/cpu%d/topology/physical_package_id"

# Of a machine: box: (the PMU of an instance, how many PMUs there are, how many
# instances a socket has at most). A PMU may be several (the L3s of a socket), and
# several PMUs the instances of two sockets.
BOXES = {
    "skylake-sp": {
        "cstate_pkg": ("cstate_pkg", 1, 1), "power": ("power", 1, 1),
        "cha": ("uncore_cha_0", 28, 28), "iio": ("uncore_iio_0", 6, 6),
        "iio_free_running": ("uncore_iio_free_running_0", 6, 6),
        "imc": ("uncore_imc_0", 6, 6), "irp": ("uncore_irp_0", 6, 6),
        "m2m": ("uncore_m2m_0", 2, 2), "m2pcie": ("uncore_m2pcie_0", 4, 4),
        "m3upi": ("uncore_m3upi_0", 3, 3), "pcu": ("uncore_pcu", 1, 1),
        "ubox": ("uncore_ubox", 1, 1), "upi": ("uncore_upi_0", 3, 3)},
    "sapphire-rapids": {
        "cstate_pkg": ("cstate_pkg", 1, 1), "power": ("power", 1, 1),
        "cha": ("uncore_cha_0", 56, 56), "iio": ("uncore_iio_0", 12, 12),
        "iio_free_running": ("uncore_iio_free_running_0", 12, 12),
        "imc": ("uncore_imc_0", 8, 8),
        "imc_free_running": ("uncore_imc_free_running_0", 4, 4),
        "irp": ("uncore_irp_0", 12, 12), "m2m": ("uncore_m2m_0", 4, 4),
        "m2pcie": ("uncore_m2pcie_0", 12, 12),
        "m3upi": ("uncore_m3upi_0", 4, 4), "mdf": ("uncore_mdf_0", 10, 10),
        "pcu": ("uncore_pcu", 1, 1), "upi": ("uncore_upi_0", 4, 4),
        "cxl_pmu_mem": ("cxl_pmu_mem0.0", 2, 1)},
    "epyc-milan": {
        "power": ("power", 1, 1), "amd_df": ("amd_df", 1, 1), "amd_l3": ("amd_l3", 1, 8),
        "amd_iommu": ("amd_iommu_0", 8, 8)},
    "epyc-genoa": {
        "power": ("power", 1, 1), "amd_df": ("amd_df", 1, 1), "amd_l3": ("amd_l3", 1, 12),
        "amd_umc": ("amd_umc_0", 12, 6)},
    "ampere-altra": {
        "arm_cmn": ("arm_cmn_0", 2, 1), "arm_dsu": ("arm_dsu_0", 80, 40),
        "arm_dmc620": ("arm_dmc620_10008c000", 16, 8)},
}

# (machine, box, terms, config, config1, config2). A value goes to the bits of its
# format from the lowest up: "8-15,32-43,45-55" are 31 bits of it.
WANTED = (
    # 0x04 and 0x03 << 8; then 0x0c << 8; all bits 0.
    ("skylake-sp", "imc", "cas_count_read", 0x304, 0, 0),
    ("skylake-sp", "imc", "cas_count_write", 0xC04, 0, 0),
    ("skylake-sp", "imc", "clockticks", 0, 0, 0),
    # 0x35, 0x21 << 8. 0x202 << 41 = 0x404 << 40; bits 32, 33, 36, 37 are
    # 0x33 << 32. Intel's files have 0x4043300000000 for these five.
    ("skylake-sp", "cha", "event=0x35,umask=0x21,filter_opc0=0x202,"
     "filter_rem=1,filter_loc=1,filter_nm=1,filter_not_nm=1",
     0x2135, 0x4043300000000, 0),
    # 0x3ff << 17 = 0x1ff8 << 14 = 0x7fe0000.
    ("skylake-sp", "cha", "event=0x34,umask=0x3,filter_state=0x3ff",
     0x334, 0x7FE0000, 0),
    # 1 << 18, 1 << 23, 0xff << 24.
    ("skylake-sp", "cha", "event=0x0,edge,inv,thresh=255", 0xFF840000, 0, 0),
    # 0x0f << 8.
    ("skylake-sp", "upi", "event=0x2,umask=0xf", 0xF02, 0, 0),
    # umask: bits 0-7 are 0x0e, to bit 8; bits 8-19 are 0; bit 20 is the first of
    # the third piece, to bit 45.
    ("skylake-sp", "upi", "event=0x4,umask=0x10000e", 0x200000000E04, 0, 0),
    # 0xfe << 8, 0xfff << 32, 0x7 << 45: bit 44 stays 0.
    ("skylake-sp", "upi", "event=0x2,umask=0x7ffffe", 0xEFFF0000FE02, 0, 0),
    # 0x83, 0x4 << 8, 1 << 36, 7 << 44.
    ("skylake-sp", "iio", "event=0x83,umask=0x4,ch_mask=0x1,fc_mask=0x7",
     0x701000000483, 0, 0),
    # 0xfff << 24 reaches bit 35.
    ("skylake-sp", "iio", "event=0xd5,umask=0xff,thresh=0xfff",
     0xFFF00FFD5, 0, 0),
    # 0xff, 0x20 << 8.
    ("skylake-sp", "iio_free_running", "bw_in_port0", 0x20FF, 0, 0),
    # 0xb, 1 << 30, 1 << 31; 20 in bits 0-7 of config1.
    ("skylake-sp", "pcu", "event=0xb,occ_invert,occ_edge_det,filter_band0=20",
     0xC000000B, 0x14, 0),
    # 0x42, 0x1 << 8, 0x1f << 24.
    ("skylake-sp", "ubox", "event=0x42,umask=0x1,thresh=0x1f",
     0x1F000142, 0, 0),

    # umask: 0x01 << 8; 0xc817fe, its bits from 8 on, << 32.
    ("sapphire-rapids", "cha", "event=0x35,umask=0xc817fe01",
     0xC817FE00000135, 0, 0),
    # And 1 << 16, 1 << 24.
    ("sapphire-rapids", "cha", "event=0x36,umask=0xc817fe01,tid_en,thresh=1,"
     "filter_tid=0x3ff", 0xC817FE01010136, 0x3FF, 0),
    # All 40 bits of a umask: 8-15 and 32-63.
    ("sapphire-rapids", "cha", "event=0x1,umask=0xffffffffff",
     0xFFFFFFFF0000FF01, 0, 0),
    # 0xcf << 8, 0xf0 << 8.
    ("sapphire-rapids", "imc", "cas_count_read", 0xCF05, 0, 0),
    ("sapphire-rapids", "imc", "cas_count_write", 0xF005, 0, 0),
    ("sapphire-rapids", "imc", "clockticks", 0x1, 0, 0),
    # 0x0f << 8; bit 8 to bit 32.
    ("sapphire-rapids", "upi", "event=0x3,umask=0x10f", 0x100000F03, 0, 0),
    # 0x80 << 8, 0xfff << 36, 7 << 48.
    ("sapphire-rapids", "iio", "event=0x83,umask=0x80,ch_mask=0xfff,"
     "fc_mask=0x7", 0x7FFF000008083, 0, 0),
    # 0x37 << 8; 0x20 << 8.
    ("sapphire-rapids", "iio_free_running", "bw_out_port7", 0x37FF, 0, 0),
    ("sapphire-rapids", "imc_free_running", "rpq_cycles", 0x20FF, 0, 0),
    ("sapphire-rapids", "mdf", "event=0x1", 0x1, 0, 0),
    # The alias is the whole word. Vendor 0x1e98 << 48, group 0x20 << 32, bit 1.
    ("sapphire-rapids", "cxl_pmu_mem", "clock_ticks",
     0x1E98000000000001, 0, 0),
    ("sapphire-rapids", "cxl_pmu_mem", "m2s_req_memrd",
     0x1E98002000000002, 0, 0),
    # All reads of a device: bits 1 to 5. 2, 1 << 16, 1 << 17, 1 << 18.
    ("sapphire-rapids", "cxl_pmu_mem", "vid=0x1e98,gid=0x10,mask=0x3e,"
     "threshold=2,invert,edge,hdm_filter_en,hdm=3",
     0x1E9800100000003E, 0x70002, 3),

    # event: 0xc7 to bit 0; 0x7, its bits 8-11, << 32. 0x02 << 8.
    ("epyc-milan", "amd_df", "event=0x7c7,umask=0x02", 0x7000002C7, 0, 0),
    # Bits 8-11 are 0xf, bits 12 and 13 go to 59 and 60: 0x3 << 59.
    ("epyc-milan", "amd_df", "event=0x3fff,umask=0xff",
     0x1800000F0000FFFF, 0, 0),
    ("epyc-milan", "amd_df", "event=0x1000", 0x0800000000000000, 0, 0),
    ("epyc-milan", "amd_df", "event=0x07,umask=0x38", 0x3807, 0, 0),
    ("epyc-milan", "amd_l3", "event=0x04,umask=0xff", 0xFF04, 0, 0),
    # 1 << 46, 1 << 47, 3 << 56.
    ("epyc-milan", "amd_l3", "event=0x04,umask=0x01,enallslices,enallcores,"
     "threadmask=3", 0x0300C00000000104, 0, 0),
    # 7 << 42 = 0x1c << 40, 5 << 48, 1 << 56.
    ("epyc-milan", "amd_l3", "event=0x9a,umask=0x1f,coreid=7,sliceid=5,"
     "threadmask=1", 0x01051C0000001F9A, 0, 0),
    ("epyc-milan", "amd_iommu", "mem_trans_total", 0x5, 0, 0),
    ("epyc-milan", "amd_iommu", "mem_dte_hit", 0xA, 0, 0),
    # 0x6, 0x100 << 8.
    ("epyc-milan", "amd_iommu", "csource=0x6,devid=0x100,devid_mask=0xffff",
     0x10006, 0xFFFF, 0),
    # 0xfffff << 40; 0xfffff << 32; 0x1 << 24.
    ("epyc-milan", "amd_iommu", "csource=0x5,domid=1,pasid=0xfffff,"
     "pasid_mask=0xfffff", 0xFFFFF0001000005, 0xFFFFF00000000, 0),
    # An alias and a term beside it: 0x11, 0x8 << 8.
    ("epyc-milan", "amd_iommu", "cmd_processed,devid=0x8", 0x811, 0, 0),

    # umask: 0xfe << 8; 0x7, its bits 8-11, << 24.
    ("epyc-genoa", "amd_df", "event=0x1f,umask=0x7fe", 0x700FE1F, 0, 0),
    # event: 0x1f; 0x2, its bits 8-13, << 32.
    ("epyc-genoa", "amd_df", "event=0x21f,umask=0x7fe", 0x20700FE1F, 0, 0),
    ("epyc-genoa", "amd_df", "event=0x3fff,umask=0xfff", 0x3F0F00FFFF, 0, 0),
    ("epyc-genoa", "amd_df", "event=0x1000", 0x1000000000, 0, 0),
    # 0x0a; 1 << 8, 2 << 8, 3 << 8.
    ("epyc-genoa", "amd_umc", "event=0x0a,rdwrmask=0x1", 0x10A, 0, 0),
    ("epyc-genoa", "amd_umc", "event=0x0a,rdwrmask=0x2", 0x20A, 0, 0),
    ("epyc-genoa", "amd_umc", "event=0x14,rdwrmask=0x3", 0x314, 0, 0),
    ("epyc-genoa", "amd_umc", "event=0x00", 0, 0, 0),
    ("epyc-genoa", "amd_l3", "event=0x04,umask=0x01", 0x104, 0, 0),
    # 0x3f << 8, 3 << 48, 3 << 56.
    ("epyc-genoa", "amd_l3", "event=0xac,umask=0x3f,sliceid=3,threadmask=3",
     0x0303000000003FAC, 0, 0),
    # 5 << 42 = 0x14 << 40, 1 << 46 = 0x40 << 40.
    ("epyc-genoa", "amd_l3", "event=0x04,umask=0xfe,coreid=5,enallslices",
     0x54000000FE04, 0, 0),

    ("ampere-altra", "arm_cmn", "dtc_cycles", 0x3, 0, 0),
    # 0x5, 0x1 << 16; 0xd << 16.
    ("ampere-altra", "arm_cmn", "hnf_cache_miss", 0x10005, 0, 0),
    ("ampere-altra", "arm_cmn", "hnf_mc_reqs", 0xD0005, 0, 0),
    # 0xf << 16, 2 << 27 = 0x10000000.
    ("ampere-altra", "arm_cmn", "hnf_qos_pocq_occupancy_write",
     0x100F0005, 0, 0),
    # 1 << 31, 0x24 << 32.
    ("ampere-altra", "arm_cmn", "hnf_cache_miss,bynodeid=1,nodeid=0x24",
     0x2480010005, 0, 0),
    # 0x7770, 2 << 16, 1 << 48, 3 << 51, 1 << 56.
    ("ampere-altra", "arm_cmn", "watchpoint_down,wp_dev_sel=1,wp_chn_sel=3,"
     "wp_grp=1,wp_val=0x800002000,wp_mask=0x7fffffff",
     0x119000000027770, 0x800002000, 0x7FFFFFFF),
    ("ampere-altra", "arm_dsu", "cycles", 0x11, 0, 0),
    ("ampere-altra", "arm_dsu", "l3d_cache_refill", 0x2A, 0, 0),
    ("ampere-altra", "arm_dsu", "event=0x102", 0x102, 0, 0),
    ("ampere-altra", "arm_dmc620", "clk_cycle_count", 0, 0, 0),
    # config2: 0x12 << 3, 1 << 9.
    ("ampere-altra", "arm_dmc620", "clkdiv2_rdwr", 0, 0, 0x290),
    # The driver's own example: 1, 2 << 1, 0x1 << 3, 1 << 9.
    ("ampere-altra", "arm_dmc620", "clkdiv2_allocate,mask=0x1f,match=0x2f,"
     "incr=2,invert=1", 0x1F, 0x2F, 0x20D),
)
LEAST_EVENTS = 10  # of each machine
# What the command has to refuse, and the part of its sentence that says why.
REFUSED = (
    ("epyc-milan", "amd_df/event=0x4000/", "14 bits"),
    ("epyc-milan", "amd_df/event=1,umask=0x100/", "8 bits"),
    ("epyc-milan", "amd_df/event=1,coreid=1/", "no option 'coreid'"),
    ("epyc-genoa", "amd_umc/umc_cas_cmd.rd/", "no event 'umc_cas_cmd.rd'"),
    ("skylake-sp", "cstate_core/c6-residency/", "cstate_core"),
)


def fail(what):
    print("FAILED: " + what)
    sys.exit(1)


def expect(holds, what):
    if not holds:
        fail(what)


def path_of(machine):
    return os.path.join(SOURCE, "tests", "perf", "captures", machine + ".txt")


class Capture:
    """The files of one, by path."""

    def __init__(self, machine):
        self.machine, self.files = machine, {}
        with open(path_of(machine), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.startswith("#"):
                    self.add(number, *line.rstrip("\n").partition(" = "))

    def add(self, number, path, equals, text):
        where = "%s:%d: " % (self.machine, number)
        expect(equals and text, where + "no line of a capture")
        expect(path not in self.files, where + path + " is there twice")
        self.files[path] = text

    def folder(self, path):
        """Name: text, of the files in it."""
        return {name[len(path):]: text for name, text in self.files.items()
                if name.startswith(path) and "/" not in name[len(path):]}

    def pmus(self):
        """Name: type. (A format may be called type, too.)"""
        found = {path: re.fullmatch(DEVICES + "([^/]+)/type", path)
                 for path in self.files}
        return {match.group(1): int(self.files[path])
                for path, match in found.items() if match}

    def cpus(self, pmu):
        text = self.files.get(DEVICES + pmu + "/cpumask", "")
        for piece in text.split(",") if text else ():
            first, _, last = piece.partition("-")
            yield from range(int(first), int(last or first) + 1)

    def formats(self, pmu):
        """Name: (word, its bits from the lowest up)."""
        formats = {}
        for name, text in self.folder(DEVICES + pmu + "/format/").items():
            word, _, ranges = text.partition(":")
            expect(re.fullmatch(r"config[12]?", word), text)
            bits = set()
            for piece in ranges.split(","):
                first, _, last = piece.partition("-")
                bits |= set(range(int(first), int(last or first) + 1))
            formats[name] = (word, sorted(bits))
        return formats

    def aliases(self, pmu):
        return {name: text for name, text in self.folder(
            DEVICES + pmu + "/events/").items() if "." not in name}


def pairs(terms):
    for term in terms.split(","):
        name, equals, value = term.partition("=")
        yield name, value if equals else None


def words(capture, pmu, terms):
    """What perf puts into config, config1 and config2."""
    formats, aliases = capture.formats(pmu), capture.aliases(pmu)
    values = {}
    for name, value in pairs(terms):
        if value is None and name in aliases:
            values.update(pairs(aliases[name]))
        else:
            values[name] = value
    out = {"config": 0, "config1": 0, "config2": 0}
    for name, value in values.items():
        expect(value != "?", "%s is not given" % name)
        number = 1 if value is None else int(value, 0)
        if name in out:  # a whole word
            out[name] |= number
            continue
        expect(name in formats, "%s has no term %s" % (pmu, name))
        word, bits = formats[name]
        expect(number >> len(bits) == 0, "%s: %s is too much" % (name, value))
        out[word] |= sum(1 << bit for place, bit in enumerate(bits)
                         if number >> place & 1)
    return out["config"], out["config1"], out["config2"]


def check_capture(capture):
    """What holds of any kernel."""
    types = capture.pmus()
    expect(len(set(types.values())) == len(types), "a type is there twice")
    for pmus, number, _ in BOXES[capture.machine].values():
        stem = re.sub(r"(_[0-9a-f]+|\d+\.0)$", "", pmus)
        found = [p for p in types if p == stem or re.fullmatch(
            re.escape(stem) + r"(_[0-9a-f]+|\d+\.0)", p)]
        expect(len(found) == number, "%s: %d PMUs %s" % (
            capture.machine, len(found), stem))
        for pmu in found:
            expect(list(capture.cpus(pmu)), pmu + " has no mask")
            for cpu in capture.cpus(pmu):
                expect(PACKAGE % cpu in capture.files,
                       "%s: nobody says where CPU %d is" % (pmu, cpu))
    for pmu in types:
        known = set(capture.formats(pmu)) | {"config", "config1", "config2"}
        for name, terms in capture.aliases(pmu).items():
            unknown = {term for term, _ in pairs(terms)} - known
            expect(not unknown, "%s/%s/ has no %s" % (pmu, name, unknown))


def check_by_hand(captures):
    for machine, box, terms, *wanted in WANTED:
        found = words(captures[machine], BOXES[machine][box][0], terms)
        expect(found == tuple(wanted), "%s: %s/%s/ is %s, by hand %s" % (
            machine, box, terms, [hex(w) for w in found],
            [hex(w) for w in wanted]))
    for machine in captures:
        expect(sum(row[0] == machine for row in WANTED) >= LEAST_EVENTS,
               "too few events of " + machine)


def run(*arguments):
    return subprocess.run([UNCORE, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def check_list(capture):
    """The command sees these boxes, and in each the kernel's aliases."""
    done = run("list", "-j", "-m", "perf:" + path_of(capture.machine))
    expect(done.returncode == 0, done.stderr)
    listed = json.loads(done.stdout)
    found = {box["name"]: box["instances"] for box in listed["boxes"]}
    wanted = {box: of[2] for box, of in BOXES[capture.machine].items()}
    expect(found == wanted, "%s has boxes %s, not %s" % (
        capture.machine, found, wanted))
    for box, (pmu, _, _) in BOXES[capture.machine].items():
        names = {event["name"] for event in listed["events"]
                 if event["box"] == box}
        expect(names == set(capture.aliases(pmu)), "%s: events of %s are %s" % (
            capture.machine, box, sorted(names)))


def given(text):
    """config, config1 and config2 out of PMU/config=0x304,config1=0x1/."""
    found = dict(re.findall(r"(config\d?)=(0x[0-9a-f]+)", text))
    expect(set(found) <= {"config", "config1", "config2"} and
           "config" in found, text)
    return [int(found.get(word, "0"), 16)
            for word in ("config", "config1", "config2")]


def rounds(machine):
    """Rows that fit at once: one of each box."""
    rows = [row for row in WANTED if row[0] == machine]
    while rows:
        now = list({row[1]: row for row in rows}.values())
        yield now
        rows = [row for row in rows if row not in now]


def check_encode(machine):
    for rows in rounds(machine):
        done = run("encode", "-j", "-m", "perf:" + path_of(machine),
                   *("%s/%s/" % row[1:3] for row in rows))
        expect(done.returncode == 0, done.stderr)
        for row, event in zip(rows, json.loads(done.stdout), strict=True):
            found = given(event["kernel"])
            expect(found == list(row[3:]), "%s: %s becomes %s, by hand %s" % (
                machine, event["event"], event["kernel"],
                [hex(w) for w in row[3:]]))


def check_refused():
    for machine, event, why in REFUSED:
        done = run("encode", "-m", "perf:" + path_of(machine), event)
        expect(done.returncode == 2 and why in done.stderr,
               "%s: %s ends with %d: %s" % (machine, event, done.returncode,
                                            done.stderr))


def main():
    captures = {machine: Capture(machine) for machine in BOXES}
    for capture in captures.values():
        check_capture(capture)
    check_by_hand(captures)
    for machine, capture in captures.items():
        check_list(capture)
        check_encode(machine)
    check_refused()
    print("%d machines, %d events" % (len(captures), len(WANTED)))


if __name__ == "__main__":
    sys.exit(main())
