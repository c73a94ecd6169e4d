#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""No command sends a terminal what it would obey, whoever made up the names of
PMUs, events, units, terms and descriptions: no control character (C0 but for
the end of a line, DEL, C1 in UTF-8 or as a byte), none that turns the direction
of writing, and no name makes a line of its own. JSON is ASCII there, and has
the names back.
"""
import json
import os
import subprocess
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]

# What a terminal may take for an order, by ECMA-48 and Unicode. Files of
# captures are lines, so the end of one is in no name of theirs.
ORDERS = ("\x1b[31m", "\x1b]0;title\x07", "\r", "\x08", "\x7f", "\x9b31m",
          "\u202e", "\t", "\x85")
FORGED = "\nuncore: all is well"
PMU = "bus/event_source/devices/"


class Harmless(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="uncore-terminal-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def machine(self, nasty, line_end=""):
        """A capture and a list that have it in every name."""
        pmu = PMU + "uncore_im%sc_0/" % nasty
        texts = {
            "type": "13", "cpumask": "0",
            "format/event": "config:0-7",
            "format/te%srm" % nasty: "config1:0-7",
            "events/re%sads" % nasty: "event=0x4",
            "events/re%sads.unit" % nasty: "M%siB" % nasty,
            "events/re%sads.scale" % nasty: "0.5",
            "events/plain": "event=0x5",
        }
        with open(self.path("capture"), "w", encoding="utf-8",
                  newline="") as file:
            for name, text in texts.items():
                file.write("%s%s = %s\n" % (pmu, name, text))
            file.write("%suncore_b_0/type = 14\n%suncore_b_0/cpumask = 0\n"
                       "%suncore_b_0/format/te%srm = config:0-7\n"
                       % (PMU, PMU, PMU, nasty))
            file.write("%suncore_cbox_0/type = 15\n"
                       "%suncore_cbox_0/cpumask = 0\n"
                       "%suncore_cbox_0/format/event = config:0-7\n"
                       % (PMU, PMU, PMU))
        name = "LI%s%sST" % (nasty, line_end)
        with open(self.path("list.json"), "w", encoding="utf-8") as file:
            json.dump([{"Unit": "cbox", "EventName": name, "EventCode": "0x1",
                        "BriefDescription": "what%s%sever" % (nasty, line_end),
                        "ScaleUnit": "64By%stes" % nasty}], file)
        return "perf:%s,events=%s" % (self.path("capture"),
                                      self.path("list.json"))

    def run_it(self, *words):
        done = subprocess.run([UNCORE, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=100,
                              check=False)
        self.assertIn(done.returncode, (0, 1, 2, 3), (words, done.stderr))
        for stream in done.stdout, done.stderr:
            text = stream.decode("utf-8")  # a byte that is none fails here
            bad = [c for c in text.replace("\n", "")
                   if ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or
                   0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069]
            self.assertEqual(bad, [], (words, text[:400]))
            self.assertFalse([line for line in text.splitlines()
                              if line.startswith(FORGED[1:])], words)
        return done.stdout.decode("utf-8")

    def commands(self, machine, nasty):
        event = "im%sc/re%sads/" % (nasty, nasty)
        return (
            ("list", "-m", machine),
            ("list", "-m", machine, "--names"),
            ("list", "-m", machine, "--names=boxes"),
            ("list", "-m", machine, "--names=registers"),
            ("list", "-m", machine, "--names=options"),
            ("list", "-m", machine, nasty),
            ("registers", "-m", machine),
            ("explain", "-m", machine, event),
            ("explain", "-m", machine, "cbox/LI%sST/" % nasty),
            ("encode", "-m", machine, "-v", event),
            ("encode", "-m", machine, "no/such%sthing/" % nasty),
            ("schedule", "-m", machine, event, "cbox/event=1/"),
            ("decode", "-m", machine, "0x0", "0x1"),
            ("stat", "--on", machine, "-e", event, "--", "true"),
            ("report", self.path("no" + nasty)),
            ("compare", self.path("no" + nasty), self.path("no" + nasty)),
            ("top", "--once", "--on", "perf:" + self.path("no" + nasty)),
            ("model", "show", "-m", "no" + nasty),
            ("no" + nasty,),
        )

    def test_names(self):
        everything = "".join(ORDERS)
        machine = self.machine(everything.replace("\r", ""), FORGED)
        for words in self.commands(machine, everything.replace("\r", "")):
            with self.subTest(words=words):
                self.run_it(*words)

    def test_each(self):
        for order in ORDERS:
            machine = self.machine(order, FORGED)
            for words in self.commands(machine, order)[:2]:
                with self.subTest(words=words):
                    self.run_it(*words)

    def test_they_are_seen(self):
        """Nothing is left out but what does harm."""
        said = self.run_it("list", "-m", self.machine("\x1b[31m", FORGED))
        for name in ("im?[31mc", "re?[31mads", "te?[31mrm",
                     "LI?[31m?uncore: all is wellST"):
            self.assertIn(name, said)

    def test_letters_of_others_stay(self):
        said = self.run_it("list", "-m", self.machine("äß漢€"))
        self.assertIn("reäß漢€ads", said)

    def test_json_has_the_names(self):
        nasty = "\x1b[31m\x7f\x9b"
        said = self.run_it("list", "-j", "-m", self.machine(nasty, FORGED))
        self.assertIn("LI%s%sST" % (nasty, FORGED),
                      [one.get("name") for one in walk(json.loads(said))])


def walk(value):
    """All objects of a text of JSON."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from walk(one)


if __name__ == "__main__":
    unittest.main()
