#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""A refusal says what would be right, in the words of the machine that was
asked for; and a machine names no other machine's parts as its own."""
import os
import re
import subprocess
import tempfile
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
FIRST, SECOND = "xeon-scalable-1", "xeon-scalable-2"
RUN = ("-w", "stream:size=64K", "-e", "cha/CLOCKTICKS/")

# The first byte of AVX-512 instructions is 0x62: vaddps zmm0, zmm0, zmm1.
AVX_512 = 'int main(void) { asm(".byte 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1"); return 0; }\n'

# Settings, and what is said of them.
SETTINGS = (
    (["imc.channels=3"], "imc.channels=3 has to be a multiple of the 2 memory controllers"),
    (["snc=2", "cores=5"], "cores=5 and 5 CHAs (chas) have to be even numbers"),
    (["chas=29"], "chas is at least 0 and at most 28, not 29"),
    (["cores=29"], "cores is at least 1 and at most 28 cores, not 29"),
)
EVENTS = (
    (FIRST, "cha/TOR*/", "'*' goes with 'uncore list'"),
    (SECOND, "imc/DRAM_REFRESH.HIGH/", FIRST + " has it"),
    ("xeon-e5-v4", "cbo/LLC_MISSES.ALL/", "no event 'LLC_MISSES.ALL'"),
    ("xeon-e5-v4", "LLC_MISSES.ALL", "xeon-e7 has it"),
)


def uncore(*words):
    return subprocess.run([UNCORE, *words], capture_output=True, text=True,
                          timeout=100, check=False)


class Refusals(unittest.TestCase):
    def test_settings_that_do_not_fit(self):
        for settings, said in SETTINGS:
            words = [word for setting in settings for word in ("--set", setting)]
            ended = uncore("stat", "-m", FIRST, *words, *RUN)
            self.assertEqual(ended.returncode, 2, settings)
            self.assertIn(said, ended.stderr)
        for settings in (["imc.channels=4"], ["snc=2", "cores=6"], ["chas=28", "cores=4"]):
            words = [word for setting in settings for word in ("--set", setting)]
            self.assertEqual(uncore("stat", "-m", FIRST, *words, *RUN).stderr, "")

    def test_events_that_are_not_there(self):
        for machine, event, said in EVENTS:
            ended = uncore("encode", "-m", machine, event)
            self.assertEqual(ended.returncode, 2, event)
            self.assertIn(said, ended.stderr)

    def test_what_avx_512_needs(self):
        """The Scalable has it, the E7 has not; neither runs it."""
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "wide.c")
            program = os.path.join(folder, "wide")
            with open(source, "w", encoding="ascii") as text:
                text.write(AVX_512)
            subprocess.run(["gcc", "-o", program, source], check=True)
            for machine, has, march in ((FIRST, "the modelled processor has, and", "haswell"),
                                        ("xeon-e7", "neither the modelled processor nor",
                                         "westmere")):
                ended = uncore("stat", "-m", machine, "-N", "1", "-M", "memory_read", "--",
                               program)
                self.assertIn("uses AVX-512, which " + has, ended.stderr)
                self.assertIn("-march=" + march, ended.stderr)

    def test_sources_of_machines_with_ddr4(self):
        """None has a part of another generation as its own; what is taken from
        one says that it is assumed."""
        for machine in ("xeon-e5-v3", "xeon-e5-v4", FIRST, "xeon-platinum-8180", SECOND):
            for line in uncore("model", "show", "-m", machine).stdout.splitlines():
                source = line.partition(". (")[2]
                if not re.search("assumed", source):
                    self.assertNotRegex(source, "DDR3|E5-2690[^ ]", line)
                self.assertNotIn("core.turbo_2", line)


if __name__ == "__main__":
    unittest.main()
