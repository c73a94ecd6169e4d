#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""A filter that lets nothing pass never counts a quiet 0: where the model lacks
what it asks for the event is refused, and the refusal names codes of which each
counts in some run; where registers let nothing pass on any processor a warning
names the event whose filter is open, which counts what the program makes."""
import json
import os
import re
import subprocess
import unittest

UNCORE = os.environ.get("UNCORE", "build/uncore")
LINES = 16384
READS = "stream:op=read,size=1M"  # of 16,384 lines, each once
# Runs in which requests of each kind are certain.
RUNS = (READS, "rfo:size=2M", "code:size=1M,passes=2", "ntstore:size=1M",
        "ntstore:op=part,size=1M", "stream:op=read,size=2M", "dma:op=nosnoop,size=64K",
        "dma:op=mix,size=64K")
E5 = ("xeon-e5-2600", "xeon-e5-v2", "xeon-e5-v3", "xeon-e5-v4")
SCALABLE = ("xeon-scalable-1", "xeon-scalable-2")

# What a model has none of, and a word of the reason.
LACKING = {
    **{m: (("cbo/TOR_INSERTS.MISS_OPCODE,opc=PRd/", "uncached"),
           ("llc_misses.uncacheable", "uncached"),
           ("cbo/TOR_OCCUPANCY.OPCODE,opc=0x18f/", "opc=0x18f"),
           ("cbo/event=0x35,umask=0x1,filter%s=0x1E400000/", "PCINSRd"),
           ("cbo/TOR_INSERTS.OPCODE,opc=ItoM/", "opc=ItoM")) for m in E5},
    **{m: (("cha/TOR_INSERTS.IRQ,nc=1/", "leave nc out"),
           ("cha/TOR_OCCUPANCY.IA,isoc=1/", "isochronous"),
           ("cha/TOR_INSERTS.IRQ,c6=1/", "C6"),
           ("cha/event=0x35,umask=0x21,filter1=0x4000003b/", "nc=1"),
           ("llc_misses.mmio_read", "uncached"),
           ("llc_misses.mmio_write", "uncached"),
           ("cha/TOR_INSERTS.IPQ,opc0=SnpData/", "snoops"),
           ("cha/TOR_INSERTS.IA,opc0=DRd,opc1=0x207/", "opc1=PRd"))
       for m in SCALABLE}}
LATER = (("cbo/TOR_INSERTS.OPCODE,nc=1/", "leave nc out"),
         ("cbo/TOR_INSERTS.MISS_OPCODE,filter1.isoc=1/", "isochronous"),
         ("cbo/TOR_INSERTS.OPCODE,filter_c6=1/", "c6=1"))

# What lets nothing pass: the words that are 0, and the event that does.
CLOSED = {
    **{m: (("cbo/event=0x35,umask=0x3/", "opc=0", "cbo/TOR_INSERTS.MISS_OPCODE/"),
           ("cbo/event=0x34,umask=0x3/", "state=0", "cbo/LLC_LOOKUP.DATA_READ/"),
           ("cbo/LLC_LOOKUP.DATA_READ,state=0/", "state=0", "cbo/LLC_LOOKUP.DATA_READ/"))
       for m in E5},
    **{m: (("cha/event=0x35,umask=0x21/", "rem=0, loc=0, nm=0, not_nm=0, all_opc=0",
            "cha/TOR_INSERTS.IA_MISS/"),
           ("uncore_cha/event=0x35,umask=0x21,filter_opc0=0x202/",
            "rem=0, loc=0, nm=0, not_nm=0", "cha/TOR_INSERTS.IA_MISS_DRD/"),
           ("cha/LLC_LOOKUP.ANY,state=0/", "state=0", "cha/LLC_LOOKUP.ANY/"),
           ("cha/TOR_INSERTS.IRQ,loc=0,rem=0/", "rem=0, loc=0", "cha/TOR_INSERTS.IRQ/"),
           ("cha/TOR_INSERTS.IA,all_opc=0/", "all_opc=0", "cha/TOR_INSERTS.IA/"))
       for m in SCALABLE}}
# What filters some, and is no mistake.
OPEN = (("xeon-scalable-1", "cha/TOR_INSERTS.IRQ,loc=0/", 0),
        ("xeon-scalable-1", "cha/TOR_INSERTS.IRQ,rem=0/", LINES),
        ("xeon-scalable-1", "cha/TOR_INSERTS.IRQ,opc0=DRd/", LINES),
        ("xeon-scalable-1", "cha/event=0x35,umask=0x21,filter1=0x3b/", LINES),
        ("xeon-e5-v4", "cbo/event=0x35,umask=0x3,filter1=0x18200000/", LINES))


def ran(machine, run, *events):
    words = [word for event in events for word in ("-e", event)]
    return subprocess.run([UNCORE, "stat", "-j", "-m", machine, "-N", "1", "--set",
                           "core.prefetch=0", "-w", run, *words],
                          capture_output=True, text=True, timeout=100, check=False)


def counts(ended):
    return {row["event"]: row["value"] for row in json.loads(ended.stdout)["counts"]}


class ClosedFilters(unittest.TestCase):
    def refused(self, machine, event, word):
        ended = ran(machine, READS, event)
        self.assertNotEqual(ended.returncode, 0, (machine, event, ended.stdout))
        self.assertIn("is not modelled", ended.stderr)
        self.assertIn(word, ended.stderr, event)
        return ended.stderr

    def test_what_the_model_lacks_is_refused(self):
        for machine, events in LACKING.items():
            for event, word in events:
                event = event.replace("%s", "" if machine == "xeon-e5-2600" else "1") \
                    if "%s" in event else event
                if machine == "xeon-e5-2600":  # its opcode is 9 bits from bit 23 on
                    event = event.replace("0x1E400000", "0x%x" % (0x1E4 << 23))
                self.refused(machine, event, word)
        for machine in E5[1:]:
            for event, word in LATER:
                self.refused(machine, event, word)

    def test_what_is_named_instead_happens(self):
        """Of all opcodes that a refusal lists each is counted in some run."""
        for machine, event in ((SCALABLE[0], "cha/TOR_INSERTS.%s,opc0=%s/"),
                               (E5[0], "cbo/TOR_INSERTS.%s,opc=%s/")):
            masks = ("IA", "IO") if "cha" in event else ("OPCODE",)
            said = self.refused(machine, event % (masks[0], "PRd"), "PRd")
            names = re.search(r"there are ([\w, ]+)", said).group(1).split(", ")
            self.assertGreater(len(names), 8)
            events = [event % (mask, name) for name in names for mask in masks]
            seen = dict.fromkeys(names, 0)
            for run in RUNS:
                for text, count in counts(ran(machine, run, *events)).items():
                    seen[text.rpartition("=")[2][:-1]] += count
            seen = {name for name in names if not seen[name]}
            # these come of prefetchers
            self.assertFalse({name for name in seen if "Pref" not in name}, machine)

    def test_prefetches(self):
        """Into the LLC alone, which is off unless it is asked for."""
        for machine, event, names in (
                (E5[0], "cbo/TOR_INSERTS.OPCODE,opc=%s/", ("PrefRFO", "PrefCode", "PrefData")),
                (SCALABLE[0], "cha/TOR_INSERTS.IA,opc0=%s/",
                 ("LLCPrefRFO", "LLCPrefCode", "LLCPrefData"))):
            slow = "threads=1,size=256K,gap=400"
            for run, name in zip(("stream:op=write," + slow, "code:" + slow,
                                  "stream:op=read," + slow), names):
                ended = subprocess.run(
                    [UNCORE, "stat", "-j", "-m", machine, "-N", "1", "--set",
                     "core.prefetch=1", "--set", "core.llc_prefetch=10", "-w", run,
                     "-e", event % name],
                    capture_output=True, text=True, timeout=100, check=True)
                self.assertGreater(counts(ended)[event % name], 0)

    def test_what_lets_nothing_pass_is_told(self):
        for machine, events in CLOSED.items():
            for event, zeros, instead in events:
                ended = ran(machine, READS, event)
                self.assertIn("lets nothing pass (%s)" % zeros, ended.stderr)
                self.assertIn("; %s has one that does" % instead, ended.stderr)
                self.assertEqual(counts(ended), {event: 0})
                ended = ran(machine, READS, instead)
                self.assertEqual((ended.stderr, counts(ended)), ("", {instead: LINES}))

    def test_what_filters_some_is_not(self):
        for machine, event, count in OPEN:
            ended = ran(machine, READS, event)
            self.assertEqual((ended.stderr, counts(ended)), ("", {event: count}))

    def test_encode_tells_it_too(self):
        ended = subprocess.run([UNCORE, "encode", "-m", "xeon-scalable-1",
                                "cha0/event=0x35,umask=0x21/"],
                               capture_output=True, text=True, check=True)
        self.assertIn("lets nothing pass", ended.stderr)

    def test_an_io_stack_without_ports(self):
        ended = ran("xeon-scalable-1", "dma:op=read,size=64K", "iio/event=0x83,umask=0x4/")
        self.assertIn("with ch_mask=0x1,fc_mask=0x7 they are DATA_REQ_OF_CPU.MEM_READ.PART0",
                      ended.stderr)
        ended = ran("xeon-scalable-1", "dma:op=read,size=64K",
                    "iio/event=0x83,umask=0x4,ch_mask=0x1,fc_mask=0x7/")
        self.assertGreater(sum(counts(ended).values()), 0)


if __name__ == "__main__":
    unittest.main()
