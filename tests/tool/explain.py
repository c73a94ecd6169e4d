#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# `uncore explain`: every event, unit mask, register and metric of every machine
# has a page that says something in each of its sections; what a page says of
# errata is what docs/errata.md says; the register writes are those of `uncore
# encode`; and the commands it gives can be run.

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import unittest


UNCORE = os.environ.get("UNCORE", "build/uncore")
SOURCE = os.environ.get("UNCORE_SOURCE", ".")
MACHINES = sorted(os.listdir(os.path.join(SOURCE, "data")))
MACHINES = [m for m in MACHINES
            if os.path.isdir(os.path.join(SOURCE, "data", m))]
MODELLED = subprocess.run((UNCORE, "list", "--names=models"), text=True,
                          stdout=subprocess.PIPE).stdout.split()
# What of the others is not modelled tests/house/model_doc.py has.
WHOLE = ("xeon-e7", "xeon-7500", "xeon-e5-2600")
NUM_COMMANDS = 8  # of each machine; which ones changes with the names
NUM_METRICS = 3

# Links that a reader of both documents knows to be right.
KNOWN = (
    ("cbox/SNP_HITS.REMOTE_RFO_HITM/", "E56"),
    ("cbox/MAF_NACK1.GO_PENDING/", "E53"),
    ("bbox/TF_ALL/", "E71"),
    ("bbox/IMT_INSERTS_WR/", "E265"),
    ("mbox/FVC_EV2.BBOX_CMDS.READS/", "E171"),
    ("mbox/FVID_RACE/", "E188"),
    ("rbox/EOT_INSERTS/", "E125"),
    ("wbox/FIXED_CTR/", "E197"),
    ("0xE5C", "E135"),
    ("BB0_CR_B_MSR_MATCH", "E63"),
    ("U_MSR_PMON_GLOBAL_STATUS", "E22"),
    ("W_MSR_PMON_FIXED_CTL_CTL", "E198"),
    ("CB1_CR_C_MSR_PMON_EVT_SEL_5", "E7"),
    # rows that speak of what they are about in other words than its name
    ("ubox/BUF_VALID_PMI_OUT/", "E36"),
    ("sbox/PKTS_SENT_NCB/", "E94"),
    ("sbox/TO_RING_B2S_MSGQ_OCCUPANCY/", "E90"),
    ("rbox/ALLOC_TO_ARB.NCB/", "E124"),
    ("mbox/FVC_EV1.BBOX_CMDS.WRITES/", "E187"),
    ("W_MSR_PMON_COUNTER_0", "E204"),
    # options set fields, of which the guide says things
    ("cbox/LLC_MISSES.ALL,thresh=1,edge/", "E3"),
    ("cbox/LLC_MISSES.ALL,thresh=1,invert/", "E7"),
    ("bbox/MSG_IN_MATCH,mc=HOM0/", "E63"),
)
NOT_LINKED = (
    ("cbox/MAF_NACK1.PA_BLOCK/", "E53"),
    ("mbox/FVC_EV0.BBOX_CMDS.READS/", "E238"),
    ("mbox/DRAM_CMD.RAS/", "E177"),
    ("cbox/LLC_MISSES.ALL/", "E3"),
    ("CB1_CR_C_MSR_PMON_CTR_5", "E7"),
    # words of a row that only look like a name
    ("rbox/NCB.AnyInt/", "E122"),
    ("wbox/FIXED_CTR/", "E199"),
    ("cbox/LLC_HITS.ALL/", "E51"),
    ("mbox/DRAM_CMD.CAS_RD_OPN/", "E181"),
)


def run(*words, ok=True):
    ran = subprocess.run((UNCORE,) + words, text=True, timeout=120,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and ran.returncode:
        raise AssertionError("uncore %s: status %d: %s" % (
            " ".join(words[:6]), ran.returncode, ran.stderr))
    return ran


def load(*words):
    return json.loads(run(*words).stdout)


def event_names(machine):
    for event in load("list", "-m", machine, "--json")["events"]:
        yield "%s/%s/" % (event["box"], event["name"])
        for mask in event["unit_masks"]:
            yield "%s/%s.%s/" % (event["box"], event["name"], mask["name"])


def errata(machine=None):
    """Number and cells of each row, of one machine's guide if it is given; the
    heading of a section tells whose it is."""
    of = "xeon-e7"
    with open(os.path.join(SOURCE, "docs/errata.md"), encoding="utf-8") as text:
        for line in text:
            if line.startswith("#"):
                of = next((m for m in MACHINES if m.replace("-", " ") in
                           line.lower().replace("-", " ")), "xeon-e7")
            match = re.match(r"\| *(E\d+) *\|", line)
            if match and machine in (None, of):
                cells = re.split(r"(?<!\\)\|", line)[2:6]
                yield match.group(1), [c.strip() for c in cells]


class Everything(unittest.TestCase):
    """One run of the command for each machine explains all of it."""

    @classmethod
    def setUpClass(cls):
        cls.pages, cls.asked = {}, {}
        for machine in MACHINES:
            names = list(event_names(machine))
            for core in ((), ("--core",))[:1 + (machine in MODELLED and
                                                 "scalable" not in machine)]:
                names += [r["name"] for r in load("registers", "-m", machine,
                                                  "--json", *core)]
            names += metrics(machine)
            cls.asked[machine] = names
            cls.pages[machine] = load("explain", "-m", machine, "--json",
                                      *names)

    def of_kind(self, kind):
        for machine in MACHINES:
            for page in self.pages[machine]:
                if page["kind"] == kind:
                    yield machine, page

    def test_every_name_has_a_page(self):
        for machine in MACHINES:
            self.assertEqual(len(self.pages[machine]),
                             len(self.asked[machine]))
            kinds = {page["kind"] for page in self.pages[machine]}
            self.assertEqual(kinds - {"metric"}, {"event", "register"})
            self.assertIn("metric", kinds if machine in MODELLED
                          else {"metric"})

    def test_events_say_all_there_is(self):
        of_model = ("signals", "combination")
        for machine, page in self.of_kind("event"):
            for member in of_model + (
                    "event", "brief", "box", "increment", "category",
                    "related", "metrics", "command", "canonical", "source"):
                if member in of_model and machine not in MODELLED:
                    self.assertNotIn(member, page, page["name"])
                    continue
                self.assertIn(member, page, page["name"])
                if member not in ("related", "metrics"):
                    self.assertTrue(page[member], page["name"])
            self.assertTrue(page.get("writes") or page.get("refused"),
                            page["name"])
            self.assertIn(page["name"].rstrip("/"), page["command"])

    def test_streaming_stores_read_memory(self):
        """Guide 2.4.4.3: the memory controller sees InvItoE as a read."""
        for subject in ("mbox/FVC_EV0.BBOX_CMDS.READS/",
                        "bbox/IMT_INSERTS_INVITOE/", "memory_read"):
            self.assertIn("streaming store",
                          " ".join(run("explain", subject).stdout.split()))

    def test_signals_exist_unless_the_guide_rules_the_event_out(self):
        for machine, page in self.of_kind("event"):
            if machine not in WHOLE:
                continue
            none = all(s["text"].startswith("none") for s in page["signals"])
            ruled_out = any("Do not use" in c
                            for c in page.get("cautions", []))
            self.assertTrue(not none or ruled_out, page["name"])

    def test_registers_say_all_there_is(self):
        for _, page in self.of_kind("register"):
            for member in ("address", "box", "access", "fields", "reset",
                           "where", "source", "width"):
                self.assertIn(member, page, page["name"])
            self.assertTrue(page["fields"], page["name"])
            if page["box"] != "core":
                self.assertIn("used_by", page)

    def test_control_registers_are_used(self):
        for _, page in self.of_kind("register"):
            if re.search(r"EVT_SEL_\d|PERF_CTL\d|PMON_CTL\d", page["name"]):
                # Intel's lists have the IRP's events on counters 0 and 1, and
                # none of the M2PCIe
                self.assertTrue(page["used_by"] or
                                page["box"] in ("irp", "m2pcie"),
                                page["name"])

    def test_errata_are_in_the_words_of_the_document(self):
        rows = dict(errata())
        told = 0
        for _, page in self.of_kind("event"):
            for row in page.get("errata", ()):
                where, printed, reading = (c.replace("`", "").replace("\\|", "|")
                                           for c in rows[row["number"]][:3])
                self.assertEqual(row["text"], "(%s) %s Read as: %s" % (
                    where, printed, reading))
                told += 1
        self.assertGreater(told, 300)

    def test_every_event_that_a_place_names_tells_of_it(self):
        """The column 'where' is read once more, in the simplest way."""
        named = {machine: 0 for machine in MACHINES}
        for machine in MACHINES:
            numbers = {}
            for page in self.pages[machine]:
                if page["kind"] == "event":
                    numbers.setdefault(page["event"], set()).update(
                        row["number"] for row in page.get("errata", ()))
            for number, cells in errata(machine):
                for word in re.findall(r"\b[A-Z][A-Z0-9_]{5,}\b", cells[0]):
                    if word in numbers:
                        named[machine] += 1
                        self.assertIn(number, numbers[word], word)
        self.assertGreater(named["xeon-e7"], 40)


def metrics(machine):
    ran = run("list", "-m", machine, "--names=metrics")
    return ran.stdout.split()


class Links(unittest.TestCase):
    def numbers(self, name):
        page = load("explain", "--json", name)[0]
        return {row["number"] for row in page.get("errata", ())}

    def test_known_ones_are_there(self):
        for name, number in KNOWN:
            self.assertIn(number, self.numbers(name), name)

    def test_others_are_not(self):
        for name, number in NOT_LINKED:
            self.assertNotIn(number, self.numbers(name), name)


class Writes(unittest.TestCase):
    EVENTS = ("cbox/LLC_MISSES.ALL/", "cbox3/LLC_HITS.M,thresh=1,edge/",
              "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdData/", "wbox/FIXED_CTR/",
              "mbox/FVC_EV0.BBOX_CMDS.READS/", "bbox/TF_ALL/",
              "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi1/")

    def test_are_those_of_encode(self):
        for event in self.EVENTS:
            page = load("explain", "--json", event)[0]
            encoded = load("encode", "--json", event)[0]
            self.assertEqual(page["counter"], encoded["counter"])
            self.assertEqual(
                [(w["register"], w["address"], w["value"])
                 for w in page["writes"]],
                [(w["register"], w["address"], w["value"])
                 for w in encoded["writes"]])

    def test_of_sub_counters_tell_the_multiplier(self):
        page = load("explain", "--json", "bbox/TF_ALL/")[0]
        self.assertGreater(page["multiplier"], 1)
        self.assertIn("multiplies", page["increment"])


class Filters(unittest.TestCase):
    def test_are_listed_with_the_names_of_their_values(self):
        for event, option in (("sbox/TO_R_PROG_EV/", "mc"),
                              ("rbox/PACKETS,port=qpi0/", "opc"),
                              ("bbox/MSG_IN_MATCH/", "mc")):
            page = load("explain", "--json", event)[0]
            self.assertIn(option, {f["name"] for f in page["filters"]})

    def test_are_not_listed_where_there_are_none(self):
        self.assertNotIn("filters",
                         load("explain", "--json", "cbox/LLC_MISSES.ALL/")[0])


class Names(unittest.TestCase):
    def test_may_be_bare_or_incomplete(self):
        for text, name in (("LLC_MISSES", "LLC_MISSES"),
                           ("cbox/LLC_MISSES", "cbox/LLC_MISSES/"),
                           ("snp_hits", "snp_hits.REMOTE_RD_HITM"),
                           ("LLC_MISSES,thresh=1", "LLC_MISSES.ALL,thresh=1"),
                           ("rbox/NEW_PACKETS_RECV",
                            "rbox/NEW_PACKETS_RECV.VN0.NCB,port=qpi0/")):
            page = load("explain", "--json", text)[0]
            self.assertEqual(page["kind"], "event")
            self.assertEqual(page["name"].lower(), name.lower())

    def test_of_registers_may_be_addresses_or_layouts(self):
        for text in ("0xd10", "cb0_cr_c_msr_pmon_evt_sel_0",
                     "C_MSR_PMON_EVT_SEL"):
            page = load("explain", "--json", text)[0]
            self.assertEqual(page["name"], "CB0_CR_C_MSR_PMON_EVT_SEL_0")

    def test_that_do_not_exist_bring_near_ones(self):
        for wrong, near in (("LLC_MISES", "LLC_MISSES"),
                            ("cbox/LLC_MISES/", "LLC_MISSES"),
                            ("U_MSR_PMON_GLOBAL_CTRL",
                             "U_MSR_PMON_GLOBAL_CTL"),
                            ("llc_hit_rato", "llc_hit_ratio"),
                            ("cbox/LLC_MISSES.Q/", "LLC_MISSES"),
                            ("nothing_of_this_name", "uncore list")):
            ran = run("explain", wrong, ok=False)
            self.assertEqual(ran.returncode, 2, wrong)
            self.assertIn(near, ran.stderr)
            self.assertEqual(ran.stdout, "")

    def test_text_is_for_a_terminal(self):
        text = run("explain", "mbox/DRAM_CMD.RAS/").stdout
        for line in text.splitlines():
            self.assertTrue(len(line) < 80 or "uncore stat" in line or
                            "/mbox" in line or line.lstrip().startswith("mbox/"),
                            line)


class Commands(unittest.TestCase):
    """A few of the commands, chosen by a hash so that a new name brings others
    to the front, are executed as they stand; nearly all of them count."""

    @staticmethod
    def chosen(names, num):
        return sorted(names, key=lambda n: hashlib.sha256(
            n.encode()).hexdigest())[:num]

    def execute(self, page):
        words = shlex.split(page["command"])
        self.assertEqual(words[:2], ["uncore", "stat"])
        return json.loads(run(*words[1:], "--json").stdout)

    def test_of_events_count(self):
        for machine in WHOLE:
            pages = load("explain", "-m", machine, "--json",
                         *self.chosen(event_names(machine), 3 * NUM_COMMANDS))
            pages = [p for p in pages if "Do not use" not in
                     "".join(p.get("cautions", ()))]
            silent = [page["name"] for page in pages[:NUM_COMMANDS]
                      if not self.execute(page)["counts"][0]["value"]]
            self.assertLessEqual(len(silent), 1, (machine, silent))

    def test_of_metrics_have_values(self):
        for machine in MODELLED:
            pages = load("explain", "-m", machine, "--json",
                         *self.chosen(metrics(machine), NUM_METRICS))
            for page in pages:
                values = [m["value"] for m in self.execute(page)["metrics"]
                          if m["socket"] is None]
                self.assertEqual(len(values), 1, page["name"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
