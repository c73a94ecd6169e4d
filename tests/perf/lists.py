#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Vendors' lists (--events): each row becomes the words that perf would give the
# kernel, or is refused by name with the key that was not understood. What perf
# makes of a key is written down here a second time, from what its generator does
# (jevents.py of the kernel's sources; docs/machines.md has the map), and shares
# nothing with the library. Rows are made at random of all keys, for all boxes of
# all captures, and some come from public lists, with their words worked out by
# hand.

import json
import os
import random
import re
import sys
import tempfile

SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))
sys.path.insert(0, os.path.join(SOURCE, "tests", "perf"))
import captures  # noqa: E402
from captures import DEVICES, expect, given, run  # noqa: E402

SEED = int(os.environ.get("UNCORE_SEED", "1"))
ROWS_OF_A_BOX = 24
AT_ONCE = 4  # counters that every box of a capture has
MANY = 66000  # more than 16 bits count

# Made from the formats in the drivers' sources.
MACHINES = {
    "qpi": """
uncore_qpi_0/format/event = config:0-7,21
uncore_qpi_0/format/umask = config:8-15
uncore_qpi_0/format/thresh = config:24-31
uncore_clock/format/event = config:0-7
""",
    "arb": """
uncore_arb/format/event = config:0-7
uncore_arb/format/umask = config:8-15
uncore_arb/format/edge = config:18
uncore_arb/format/inv = config:23
uncore_arb/format/cmask = config:24-28
uncore_cbox_0/format/event = config:0-7
uncore_cbox_0/format/umask = config:8-15
uncore_cbox_0/format/cmask = config:24-28
""",
    "zen3": """
amd_l3/format/event = config:0-7
amd_l3/format/umask = config:8-15
amd_l3/format/coreid = config:42-44
amd_l3/format/enallslices = config:46
amd_l3/format/enallcores = config:47
amd_l3/format/sliceid = config:48-50
amd_l3/format/threadmask = config:56-57
""",
    "kunpeng": """
hisi_sccl1_ddrc0/format/event = config:0-4
hisi_sccl3_ddrc0/format/event = config:0-4
hisi_sccl1_hha1/format/event = config:0-7
""",
    "cmn": """
arm_cmn_0/format/eventid = config:16-26
arm_cmn_0/format/type = config:0-15
arm_cmn_0/identifier = 434
ali_drw_21000/format/event = config:0-7
ali_drw_21000/format/umask = config:8-15
""",
    "grace": """
nvidia_scf_pmu_0/format/event = config:0-63
nvidia_scf_pmu_0/events/cycles = event=0x100000000
nvidia_scf_pmu_0/events/large = event=0xfedcba9876543210
nvidia_pcie_pmu_0/format/event = config:0-32
nvidia_pcie_pmu_0/format/root_port = config1:0-9
nvidia_pcie_pmu_0/events/cycles = event=0x100000000
""",
    "odd": """
odd_0/format/a = config:0-2
odd_0/format/b = config:3-9
odd_0/format/c = config:10-12
odd_0/events/fits = a=0x7,b=0x7f
odd_0/events/wide = b=0x300
odd_0/events/word = a=zz
odd_0/events/minus = a=-1
odd_0/events/empty = a=
odd_0/events/other = d=1
odd_0/events/whole = config=0x4000
odd_0/events/zeros = b=010
odd_0/events/long = b=0x00000000000000000000000000000000000000000000000000000000000000001
open_0/format/event = config:0-7
open_0/format/core = config:8-15
open_0/events/code = event=?
open_0/events/core = event=3,core=?
""",
}

# (machine, row of a public list, PMU, config[, config1])
PUBLIC = (
    # 0x0a; 1 << 8, 2 << 8.
    ("epyc-genoa", {"EventName": "umc_cas_cmd.rd", "EventCode": "0x0a",
                    "RdWrMask": "0x1", "PerPkg": "1", "Unit": "UMCPMC"},
     "amd_umc", 0x10A),
    ("epyc-genoa", {"EventName": "umc_cas_cmd.wr", "EventCode": "0x0a",
                    "RdWrMask": "0x2", "PerPkg": "1", "Unit": "UMCPMC"},
     "amd_umc", 0x20A),
    # 0xfe << 8; bits 8-11 of the umask, 0x7, << 24.
    ("epyc-genoa", {"EventName": "local_or_remote_socket_read_data_beats_dram_0",
                    "EventCode": "0x1f", "UMask": "0x7fe", "PerPkg": "1",
                    "Unit": "DFPMC"}, "amd_df", 0x700FE1F),
    # 0xac, 0x3f << 8, 1 << 46, 1 << 47, 3 << 48, 3 << 56.
    ("zen3", {"EventName": "l3_xi_sampled_latency.all", "EventCode": "0xac",
              "UMask": "0x3f", "EnAllCores": "0x1", "EnAllSlices": "0x1",
              "SliceId": "0x3", "ThreadMask": "0x3", "Unit": "L3PMC"},
     "amd_l3", 0x0303C00000003FAC),
    # Bits 0-7 are 0x02, 0x08 << 8, and bit 8 of the code is the ninth: bit 21.
    ("qpi", {"Unit": "QPI LL", "EventCode": "0x2", "UMask": "0x8",
             "ExtSel": "1", "EventName": "UNC_Q_RxL_FLITS_G1.DRS_DATA",
             "Counter": "0,1,2,3"}, "qpi", 0x200802),
    # A counter of its own has the code 0xff.
    ("qpi", {"Unit": "NCU", "EventCode": "0x0", "UMask": "0x1",
             "Counter": "FIXED", "EventName": "UNC_CLOCK.SOCKET"},
     "clock", 0xFF),
    # 0x80, 1 << 8, 1 << 24.
    ("arb", {"Unit": "iMPH-U", "EventCode": "0x80", "UMask": "0x01",
             "CounterMask": "1", "Counter": "0",
             "EventName": "UNC_ARB_TRK_OCCUPANCY.CYCLES_WITH_ANY_REQUEST"},
     "arb", 0x1000180),
    ("arb", {"Unit": "CBO", "EventCode": "0x22", "UMask": "0x41",
             "EventName": "UNC_CBO_XSNP_RESPONSE.MISS_XCORE"}, "cbox", 0x4122),
    ("kunpeng", {"ConfigCode": "0x01", "Unit": "hisi_sccl,ddrc",
                 "EventName": "uncore_hisi_ddrc.flux_rd"},
     "hisi_sccl1_ddrc", 0x1),
    ("kunpeng", {"ConfigCode": "0x01", "Unit": "hisi_sccl,ddrc",
                 "EventName": "uncore_hisi_ddrc.flux_rd"},
     "hisi_sccl3_ddrc", 0x1),
    ("kunpeng", {"ConfigCode": "0x1c", "Unit": "hisi_sccl,hha",
                 "EventName": "uncore_hisi_hha.rx_outer"},
     "hisi_sccl1_hha", 0x1C),
    # 0x5; 0x1 << 16.
    ("cmn", {"EventName": "hnf_cache_miss", "EventidCode": "0x1",
             "NodeType": "0x5", "Unit": "arm_cmn",
             "Compat": "(434|436|43c|43a).*"}, "arm_cmn", 0x10005),
    ("cmn", {"EventName": "hnf_sf_hit", "EventidCode": "0x6",
             "NodeType": "0x5", "Unit": "arm_cmn", "Compat": "436*;434*"},
     "arm_cmn", 0x60005),
    ("cmn", {"EventName": "hif_rd", "EventCode": "0x80", "Unit": "ali_drw",
             "Compat": "ali_drw_pmu"}, "ali_drw", 0x80),
    # 0x83, 0x4 << 8, 1 << 36, 7 << 44.
    ("skylake-sp", {"Unit": "IIO", "EventCode": "0x83", "UMask": "0x4",
                    "PortMask": "0x01", "FCMask": "0x07", "UMaskExt": "0x00",
                    "MSRValue": "0x00", "ELLC": "0", "Filter": "na",
                    "ExtSel": "0", "FILTER_VALUE": "0", "Deprecated": "1",
                    "EventName": "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0"},
     "iio", 0x701000000483),
    # 0x35, 0x21 << 8; 1 << 32.
    ("skylake-sp", {"Unit": "CHA", "EventCode": "0x35", "UMask": "0x21",
                    "Filter": "Filter1", "FILTER_VALUE": "0x100000000",
                    "EventName": "made.up.of.a.filter"},
     "cha", 0x2135, 0x100000000),
    ("skylake-sp", {"Unit": "CHA", "EventCode": "0x34", "UMask": "0x03",
                    "Filter": "filter_state=0x3ff",
                    "EventName": "UNC_CHA_LLC_LOOKUP.DATA_READ"},
     "cha", 0x334, 0x7FE0000),
    # UPI's umask: bits 0-7 to bit 8.
    ("skylake-sp", {"Unit": "UPI LL", "EventCode": "0x2", "UMask": "0xF",
                    "UMaskExt": "0x00",
                    "EventName": "UNC_UPI_TxL_FLITS.ALL_DATA"}, "upi", 0xF02),
    # 0x01 << 8; 0xc817fe << 32, given twice as in the kernel's files and once
    # as in Intel's.
    ("sapphire-rapids", {"Unit": "CHA", "EventCode": "0x35",
                         "UMask": "0xC817FE01", "UMaskExt": "0xC817FE",
                         "EventName": "UNC_CHA_TOR_INSERTS.IA_MISS_DRD"},
     "cha", 0xC817FE00000135),
    ("sapphire-rapids", {"Unit": "CHA", "EventCode": "0x35", "UMask": "0x01",
                         "UMaskExt": "0x00C817FE",
                         "EventName": "UNC_CHA_TOR_INSERTS.IA_MISS_DRD"},
     "cha", 0xC817FE00000135),
)

# (machine, terms of a row beside EventName and Unit, the key that is to blame)
REFUSED = (
    ("qpi", {"EventCode": "0x1234567"}, "EventCode"),
    ("qpi", {"EventCode": "-1"}, "EventCode"),
    ("qpi", {"EventCode": " 0x-1"}, "EventCode"),
    ("qpi", {"EventCode": "zz"}, "EventCode"),
    ("qpi", {"EventCode": "0x04,0x05"}, "EventCode"),
    ("qpi", {"EventCode": "0x10000000000000001"}, "EventCode"),
    ("qpi", {"EventCode": "99999999999999999999"}, "EventCode"),
    ("qpi", {"EventCode": "0x1", "UMask": "0xfffffff"}, "UMask"),
    ("qpi", {"EventCode": "0x1", "UMask": "0x1,0x2"}, "UMask"),
    ("qpi", {"EventCode": "0x1", "ExtSel": "2"}, "ExtSel"),
    ("qpi", {"EventCode": "0x1", "ExtSel": "0x100000000000000"}, "ExtSel"),
    ("qpi", {"EventCode": "0x1", "UMaskExt": "0x100000000000000"}, "UMaskExt"),
    ("qpi", {"EventCode": "0x1", "UMask": "0x101", "UMaskExt": "2"},
     "UMaskExt"),
    ("qpi", {"EventCode": "0x1", "CounterMask": "1"}, "CounterMask"),
    ("qpi", {"EventCode": "0x1", "SomethingNew": "0x1"}, "SomethingNew"),
    ("qpi", {"EventCode": "0x1", "SomethingNew": [1]}, "SomethingNew"),
    ("qpi", {"EventCode": "0x1", "ArchStdEvent": "BUS_ACCESS"},
     "ArchStdEvent"),
    ("qpi", {"EventCode": "0x1", "Filter": "QPIMask0[12:0]"}, "Filter"),
    ("qpi", {"EventCode": "0x1", "Filter": "thresh=0x100"}, "Filter"),
    ("qpi", {"EventCode": "0x1", "Filter": "thresh=many"}, "Filter"),
    ("qpi", {"EventCode": "0x1", "FILTER_VALUE": "0x1"}, "FILTER_VALUE"),
    ("qpi", {"EventCode": "0x1", "Filter": "Filter1"}, "Filter"),
    ("qpi", {"EventCode": "0x1", "MSRIndex": "0x1a6", "MSRValue": "0x1"},
     "MSRIndex"),
    ("qpi", {"EventCode": "0x1", "MSRIndex": "0x123"}, "MSRIndex"),
    ("qpi", {"EventCode": "0x1", "MSRValue": "0x1"}, "MSRValue"),
    ("qpi", {"EventCode": "0x1", "CounterType": "FREERUN"}, "CounterType"),
    ("qpi", {"ConfigCode": "0x400000"}, "ConfigCode"),
    ("qpi", {"LegacyConfigCode": "0x1"}, "LegacyConfigCode"),
    ("qpi", {"EventidCode": "0x1"}, "EventidCode"),
    # longer than any number need be, and not to be cut
    ("qpi", {"EventCode": "0x1", "Filter": "thresh=0x%s1" % ("0" * 70)},
     "Filter"),
    ("qpi", {"EventCode": "0x1", "Filter": "thresh%s=1" % ("h" * 70)},
     "Filter"),
)

# Names that BOX/NAME,option=value/ cannot hold, and one that blanks are around.
NOT_TYPED = ("of,two", "of/two", "of=two")
BLANKS = "  fine \t"

# (what a list says of counters, those that can)
COUNTERS = (
    ("0,1", [0, 1]), ("0, 2", [0, 2]), ("1-3", [1, 2, 3]), ("0-1,3", [0, 1, 3]),
    ("3", [3]), ("3-1", [0, 1, 2, 3]), ("0-99", [0, 1, 2, 3]),
    ("any 1", [0, 1, 2, 3]), ("1;2", [0, 1, 2, 3]), ("", [0, 1, 2, 3]),
)

# Texts of a user's, a capture's: (machine, event, words or None).
TYPED = (
    ("grace", "nvidia_scf_pmu/cycles/", [0x100000000, 0, 0]),
    ("grace", "nvidia_scf_pmu/large/", [0xFEDCBA9876543210, 0, 0]),
    ("grace", "nvidia_scf_pmu/event=0x100000000/", [0x100000000, 0, 0]),
    ("grace", "nvidia_pcie_pmu/cycles/", [0x100000000, 0, 0]),
    ("grace", "nvidia_pcie_pmu/cycles,root_port=0x3ff/",
     [0x100000000, 0x3FF, 0]),
    ("grace", "nvidia_pcie_pmu/event=0x200000000/", None),
    ("grace", "nvidia_pcie_pmu/event=1,root_port=0x10000000001/", None),
    ("odd", "odd/fits/", [0x3FF, 0, 0]),
    ("odd", "odd/wide/", None),
    ("odd", "odd/word/", None),
    ("odd", "odd/minus/", None),
    ("odd", "odd/empty/", None),
    ("odd", "odd/other/", None),
    ("odd", "odd/whole/", None),
    ("odd", "odd/zeros/", [10 << 3, 0, 0]),
    ("odd", "odd/long/", None),
    ("odd", "open/code/", None),
    ("odd", "open/code,event=3/", None),
    ("odd", "open/event=3/", [3, 0, 0]),
    ("odd", "open/core/", None),
    ("odd", "open/core,core=0x12/", [0x1203, 0, 0]),
    ("odd", "odd/b=010/", [10 << 3, 0, 0]),
    ("odd", "odd/config=0x1ff/", [0x1FF, 0, 0]),
    ("odd", "odd/config=0x4000/", None),
    ("odd", "odd/config=zz/", None),
    ("odd", "odd/config1=1/", None),
    ("odd", "odd/b=0x300/", None),
    ("odd", "odd/b=0x10000007f/", None),
    ("odd", "odd/b=-1/", None),
    ("odd", "odd/b=zz/", None),
)

# What perf's generator makes of a key.
FIELDS = {
    "AnyThread": "any", "PortMask": "ch_mask", "CounterMask": "cmask",
    "EdgeDetect": "edge", "FCMask": "fc_mask", "Invert": "inv",
    "UMask": "umask", "NodeType": "type", "RdWrMask": "rdwrmask",
    "EnAllCores": "enallcores", "EnAllSlices": "enallslices",
    "SliceId": "sliceid", "ThreadMask": "threadmask",
}
MSR = {0x3F6: "ldlat", 0x1A6: "offcore_rsp", 0x1A7: "offcore_rsp",
       0x3F7: "frontend"}
AMD = {"amd_l3": "L3PMC", "amd_df": "DFPMC", "amd_umc_0": "UMCPMC"}
SILENT = ("PublicDescription", "BriefDescription", "PerPkg", "Counter",
          "Errata", "Deprecated", "ScaleUnit", "SampleAfterValue", "PEBS")


class Made(captures.Capture):
    """A capture from a text of this file."""

    def __init__(self, folder, machine):
        self.machine = machine
        self.path = os.path.join(folder, machine + ".txt")
        self.files = {PLACE: "0"}
        pmus = {}
        for line in MACHINES[machine].split("\n"):
            if line:
                name, _, text = line.partition(" = ")
                self.files[DEVICES + name] = text
                pmus.setdefault(name.split("/")[0], len(pmus) + 10)
        for pmu, number in pmus.items():
            self.files[DEVICES + pmu + "/type"] = str(number)
            self.files[DEVICES + pmu + "/cpumask"] = "0"
        with open(self.path, "w", encoding="ascii") as file:
            file.writelines("%s = %s\n" % pair
                            for pair in sorted(self.files.items()))


PLACE = captures.PACKAGE % 0


class Kept(captures.Capture):
    def __init__(self, machine):
        super().__init__(machine)
        self.path = captures.path_of(machine)


def number(text):
    if re.fullmatch("0x[0-9a-f]+", text, re.I):
        return int(text, 16)
    return int(text, 10)


def read(row):
    """[(term, value, key)] that perf's generator makes of a row."""
    if "ConfigCode" in row:
        terms = [("config", number(row["ConfigCode"]), "ConfigCode")]
    elif "EventidCode" in row:
        terms = [("eventid", number(row["EventidCode"]), "EventidCode")]
    else:
        code = number(row.get("EventCode", "0"))
        more = number(row.get("ExtSel", "0"))
        terms = [("event", code | more << 8, "EventCode")]
    for key, term in FIELDS.items():
        if number(row.get(key, "0")):
            terms.append((term, number(row[key]), key))
    for term in row["Filter"].split(",") if "Filter" in row else ():
        name, _, value = term.partition("=")
        terms.append((name, number(value or "1"), "Filter"))
    if "MSRIndex" in row:
        terms.append((MSR[number(row["MSRIndex"])], number(row["MSRValue"]),
                      "MSRIndex"))
    return terms


def wanted(capture, pmu, row):
    """(words, None), or (None, the keys that are to blame)."""
    formats = capture.formats(pmu)
    words = {"config": 0, "config1": 0, "config2": 0}
    blame = set()
    for term, value, key in read(row):
        if term in words:
            known = {bit for word, bits in formats.values() for bit in bits
                     if word == term}
            if any(value >> bit & 1 for bit in range(64) if bit not in known):
                blame.add(key)
            words[term] |= value
            continue
        word, bits = formats.get(term, (None, ()))
        if not word or value >> len(bits):
            blame.add(key)
            continue
        words[word] |= sum(1 << bit for place, bit in enumerate(bits)
                           if value >> place & 1)
    if blame:
        return None, blame | ({"ExtSel"} if "EventCode" in blame else set())
    return [words["config"], words["config1"], words["config2"]], None


def plain(name):
    """A name without what instances differ in."""
    return re.sub(r"[\d._]", "", re.sub("^uncore_|_[0-9a-f]{5,}$", "", name))


def boxes_of(capture):
    """(box, its first PMU), as the command has them."""
    done = run("list", "-j", "-m", "perf:" + capture.path)
    expect(done.returncode == 0, done.stderr)
    pmus = [pmu for pmu in capture.pmus()
            if capture.files.get(DEVICES + pmu + "/cpumask")]
    for box in json.loads(done.stdout)["boxes"]:
        name = box["name"]
        like = [pmu for pmu in sorted(pmus) if plain(pmu) == plain(name)]
        expect(like, "%s: box %s is none" % (capture.machine, name))
        yield name, name if name in like else like[0]


def any_value(chance, formats, term):
    """As text: what fits, mostly, or is just too much."""
    width = len(formats.get(term, ("", range(8)))[1])
    value = chance.choice((1, (1 << width) - 1, chance.getrandbits(width),
                           1 << width if width < 64 else 1, 0))
    return chance.choice((hex, str))(value)


def any_row(chance, capture, pmu, name):
    """Keys that the PMU has terms for, more often than others."""
    formats = capture.formats(pmu)
    unit = AMD.get(pmu) or re.sub(
        r"^uncore_|(_[0-9a-f]+|\d+)(\.\d+)?$", "", pmu)
    row = {"EventName": name, "Unit": unit, chance.choice(SILENT): "0,1,2,3"}
    code = chance.random()
    if code < 0.15:
        bits = [bit for word, all_bits in formats.values()
                for bit in all_bits if word == "config"]
        value = sum(1 << bit for bit in bits if chance.random() < 0.3)
        row["ConfigCode"] = hex(value | (chance.random() < 0.2) << 63)
    elif "eventid" in formats:
        row["EventidCode"] = any_value(chance, formats, "eventid")
    elif code < 0.95:
        row["EventCode"] = any_value(chance, formats, "event")
    keys = [key for key, term in FIELDS.items() if term in formats]
    chance.shuffle(keys)
    if chance.random() < 0.1:
        keys = [chance.choice(list(FIELDS))] + keys
    for key in keys[:chance.randrange(3)]:
        row[key] = any_value(chance, formats, FIELDS[key])
    others = [term for term in formats if term not in FIELDS.values() and
              term not in ("event", "eventid")]
    if others and chance.random() < 0.4:
        term = chance.choice(others)
        row["Filter"] = "%s=%s" % (term, any_value(chance, formats, term))
    elif chance.random() < 0.05:
        row["Filter"] = "no_such_term=1"
    if chance.random() < 0.03:
        row["MSRIndex"], row["MSRValue"] = "0x3f6", "0x10"
    return row


def write(folder, rows, is_wrapped=False):
    path = os.path.join(folder, "list.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump({"Header": {}, "Events": rows} if is_wrapped else rows, file)
    return path


def encode(machine, texts):
    done = run("encode", "-j", "-m", machine, *texts)
    expect(done.returncode == 0, "%s: %s" % (texts, done.stderr))
    return [given(event["kernel"]) for event in json.loads(done.stdout)]


def check_rows(capture, folder, rows):
    """(box, name, words, blamed keys) of a list, against the command."""
    machine = "perf:%s,events=%s" % (capture.path,
                                     os.path.join(folder, "list.json"))
    done = run("list", "-j", "-m", machine)
    expect(done.returncode == 0, done.stderr)
    why = {(event["box"], event["name"]): event.get("excluded")
           for event in json.loads(done.stdout)["events"]}
    num_refused = len([row for row in rows if row[3]])
    for box, name, _, blame in rows:
        reason = why[box, name]
        what = "%s: %s/%s/" % (capture.machine, box, name)
        if blame:
            expect(reason and any("says %s=" % key in reason
                                  for key in blame),
                   "%s is refused for %s, due %s" % (what, reason, blame))
        else:
            expect(not reason, "%s is refused: %s" % (what, reason))
    expect((" %u of " % num_refused in done.stderr) == (num_refused > 0),
           "the note says: " + done.stderr)
    refused = [row for row in rows if row[3]]
    for box, name, _, blame in refused[:1]:
        done = run("encode", "-m", machine, "%s/%s/" % (box, name))
        expect(done.returncode == 2 and name in done.stderr and
               any(key in done.stderr for key in blame), done.stderr)
    fine = [row for row in rows if not row[3]]
    while fine:
        now, left, used = [], [], {}
        for row in fine:
            used[row[0]] = used.get(row[0], 0) + 1
            (now if used[row[0]] <= AT_ONCE else left).append(row)
        fine = left
        texts = ["%s/%s/" % row[:2] for row in now]
        for row, words in zip(now, encode(machine, texts), strict=True):
            expect(words == row[2], "%s: %s becomes %s, due %s" % (
                capture.machine, row[:2], [hex(w) for w in words],
                [hex(w) for w in row[2]]))


def check_random(captured, folder):
    chance = random.Random(SEED)
    fine = refused = 0
    for capture in captured.values():
        rows, checks = [], []
        for box, pmu in boxes_of(capture):
            if not capture.formats(pmu) or pmu == "power" or "cstate" in pmu:
                continue
            for n in range(ROWS_OF_A_BOX):
                row = any_row(chance, capture, pmu, "%s.e%u" % (box, n))
                row["Unit"] = re.sub(r"sccl\d_", "sccl,", row["Unit"])
                rows.append(row)
                checks.append((box, row["EventName"],
                               *wanted(capture, pmu, row)))
        write(folder, rows)
        check_rows(capture, folder, checks)
        fine += len([check for check in checks if not check[3]])
        refused += len([check for check in checks if check[3]])
    expect(fine > 500 and refused > 100, "%u and %u rows" % (fine, refused))
    return fine, refused


def check_public(captured, folder):
    for machine, row, box, *words in PUBLIC:
        write(folder, [row], is_wrapped=True)
        words = (words + [0, 0])[:3]
        box = next(name for name, pmu in boxes_of(captured[machine])
                   if plain(pmu) == plain(box))
        check_rows(captured[machine], folder,
                   [(box, row["EventName"], words, None)])


def check_refused(captured, folder):
    rows, checks = [], []
    for n, (machine, row, key) in enumerate(REFUSED):
        expect(machine == "qpi", machine)
        rows.append({"EventName": "refused%u" % n, "Unit": "QPI LL", **row})
        checks.append(("qpi", "refused%u" % n, None, {key}))
    # 0, and what stands for it, is no reason
    for n, text in enumerate(("0", "0x0", "0x00", "", "na", "NULL", "tbd",
                              None, False, 0)):
        rows.append({"EventName": "fine%u" % n, "Unit": "QPI LL",
                     "EventCode": "0x7", "SomethingNew": text,
                     "CounterMask": text, "Filter": text})
        checks.append(("qpi", "fine%u" % n, [7, 0, 0], None))
    rows.append({"EventName": "empty", "Unit": "QPI LL", "EventCode": "0x7",
                 "ConfigCode": "", "EventidCode": ""})
    checks.append(("qpi", "empty", [7, 0, 0], None))
    write(folder, rows)
    check_rows(captured["qpi"], folder, checks)
    # another chip's, another unit's
    write(folder, [
        {"EventName": "here", "EventidCode": "1", "Unit": "arm_cmn"},
        {"EventName": "there", "EventidCode": "1", "Unit": "arm_cmn",
         "Compat": "(436|43c).*"},
        {"EventName": "core", "EventCode": "1"},
        {"EventName": "elsewhere", "EventCode": "1", "Unit": "iMC"}])
    done = run("list", "-m", "perf:%s,events=%s" % (
        captured["cmn"].path, os.path.join(folder, "list.json")))
    expect("  here " in done.stdout and not any(
        name in done.stdout for name in (" there ", " core ", "elsewhere")),
        done.stdout)


def check_twins(captured, folder):
    """One name for several events is none; one row twice is one."""
    row = {"Unit": "QPI LL", "EventCode": "0x7"}
    path = write(folder, [
        {"EventName": "same", **row}, {"EventName": "same", **row},
        {"EventName": "twin", **row}, {"EventName": "Twin", **row,
                                       "EventCode": "0x8"}])
    where = "perf:%s,events=%s" % (captured["qpi"].path, path)
    expect(encode(where, ["qpi/same/"]) == [[7, 0, 0]], "same")
    done = run("encode", "-m", where, "qpi/twin/")
    expect(done.returncode == 2 and "more than once" in done.stderr,
           done.stderr)


def check_parts(captured, folder):
    """What one PMU of several has is not counted on all."""
    path = write(folder, [
        {"EventName": "of.%s" % unit, "Unit": unit, "EventCode": "0x4",
         "UMask": "0x3"} for unit in ("imc", "imc_1")])
    where = "perf:%s,events=%s" % (captured["skylake-sp"].path, path)
    expect(encode(where, ["imc/of.imc/"]) == [[0x304, 0, 0]], "of.imc")
    done = run("encode", "-m", where, "imc/of.imc_1/")
    expect(done.returncode == 2 and
           "type uncore_imc_1/event=0x4,umask=0x3/" in done.stderr,
           done.stderr)


def check_names(captured, folder):
    row = {"Unit": "QPI LL", "EventCode": "0x7"}
    path = write(folder, [{"EventName": name, **row}
                          for name in (*NOT_TYPED, BLANKS)])
    where = "perf:%s,events=%s" % (captured["qpi"].path, path)
    why = {event["name"]: event.get("excluded", "") for event in json.loads(
        run("list", "-j", "-m", where).stdout)["events"]}
    for name in NOT_TYPED:
        expect("EventName=" + name in why[name], "%s: %s" % (name, why[name]))
    expect(encode(where, ["qpi/fine/"]) == [[7, 0, 0]], "blanks")


def check_counters(captured, folder):
    path = write(folder, [
        {"EventName": "e%u" % n, "Unit": "QPI LL", "EventCode": "0x7",
         "UMask": hex(n), "Counter": text}
        for n, (text, _) in enumerate(COUNTERS)])
    done = run("list", "-j", "-m", "perf:%s,events=%s" % (
        captured["qpi"].path, path))
    listed = {event["name"]: event["counters"]
              for event in json.loads(done.stdout)["events"]}
    for n, (text, wanted) in enumerate(COUNTERS):
        expect(listed["e%u" % n] == wanted,
               "'%s' is %s" % (text, listed["e%u" % n]))


def check_whole(captured, folder):
    """What is behind a list, or behind a zero byte in it, is not dropped."""
    row = json.dumps([{"EventName": "e", "Unit": "QPI LL",
                       "EventCode": "0x7"}])
    for text in (row + row, row + " x", row[:-1], row[:-1] + ", 7]",
                 row[:-1] + ", null]", row[:-1] + ", [%s]]" % row,
                 row.replace("0x7", "0x7\\u00001"),
                 row.replace('"e"', '"e\\u0000f"')):
        path = os.path.join(folder, "list.json")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        done = run("list", "-m", "perf:%s,events=%s" % (
            captured["qpi"].path, path))
        expect(done.returncode and "list.json" in done.stderr,
               "%s: %s" % (text, done.stderr))


def check_typed(captured):
    for machine, event, words in TYPED:
        where = "perf:" + captured[machine].path
        if words:
            expect(encode(where, [event]) == [words], event)
            continue
        done = run("encode", "-m", where, event)
        expect(done.returncode == 2 and done.stderr.startswith("uncore: "),
               "%s ends with %d: %s%s" % (event, done.returncode, done.stdout,
                                          done.stderr))


def check_many(captured, folder):
    rows = [{"EventName": "e%u" % n, "Unit": "QPI LL",
             "EventCode": hex(n & 0x1FF), "UMask": hex(n >> 9)}
            for n in range(MANY)]
    path = write(folder, rows)
    where = "perf:%s,events=%s" % (captured["qpi"].path, path)
    done = run("list", "-m", where)
    expect(len(re.findall(r"^  e\d", done.stdout, re.M)) == MANY,
           "a list of %u events is cut" % MANY)
    last = MANY - 1
    expect(encode(where, ["qpi/e%u/" % last, "qpi/e%u/" % (last & 0xFFFF)]) ==
           [[n & 0xFF | (n >> 8 & 1) << 21 | n >> 9 << 8, 0, 0]
            for n in (last, last & 0xFFFF)], "the last of %u" % MANY)


def main():
    with tempfile.TemporaryDirectory() as folder:
        captured = {name: Kept(name) for name in captures.BOXES}
        captured.update((name, Made(folder, name)) for name in MACHINES)
        check_public(captured, folder)
        check_refused(captured, folder)
        check_twins(captured, folder)
        check_parts(captured, folder)
        check_names(captured, folder)
        check_counters(captured, folder)
        check_whole(captured, folder)
        check_typed(captured)
        check_many(captured, folder)
        fine, refused = check_random(captured, folder)
    print("seed %u: %u rows of lists as perf has them, %u refused" % (
        SEED, fine, refused))


if __name__ == "__main__":
    sys.exit(main())
