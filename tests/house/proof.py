#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A slip of the pen in proof/*.txt stops the build, with its line.

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ.get("UNCORE_SOURCE") or os.path.dirname(os.path.dirname(
    os.path.dirname(os.path.abspath(__file__))))


class Slips(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.holder.name, "proof")
        shutil.copytree(os.path.join(ROOT, "proof"), self.folder)

    def tearDown(self):
        self.holder.cleanup()

    def make(self):
        return subprocess.run(
            [sys.executable, os.path.join(ROOT, "tools/genproof.py"),
             self.folder, self.holder.name], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def add(self, name, text):
        """How many lines the file had."""
        with open(os.path.join(self.folder, name), "r+",
                  encoding="utf-8") as file:
            lines = len(file.readlines())
            file.write(text)
        return lines

    def refused(self, name, text, line, said):
        line += self.add(name, text)
        done = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "%s:%d: %s\n" % (name, line, said))

    def test_none_is_there(self):
        self.assertEqual(self.make().returncode, 0)

    def test_rows_become_rows(self):
        self.add("runs.txt", "run a sockets=3 N=7\n    set b=1 $SMALL_LLC\n"
                 "    workload x:y=1,\n        z=2\n")
        self.add("laws-wbox.txt", "law wbox/Q in a idle at c=1 d=2\n    = N -\n"
                 "        1\n    ~5 2\n    because waits\n")
        self.assertEqual(self.make().returncode, 0)
        with open(os.path.join(self.holder.name, "proof.c"),
                  encoding="utf-8") as file:
            made = file.read()
        self.assertIn('{ .name = "a", .workload = "x:y=1,z=2", .sets = "b=1 '
                      'llc.slice=12 llc.ways=4", .sockets = 3, .n = 7 }', made)
        self.assertIn('{ .pattern = "wbox/Q", .scenes = "a idle", .options = '
                      '"c=1 d=2", .check = "= N - 1 ; ~5 2", .why = "how long '
                      'they wait is contention: no closed form" }', made)

    def test_a_run_that_is_not_there(self):
        self.refused("laws-wbox.txt", "law wbox/A in idel\n", 1,
                     "there is no run 'idel'")

    def test_a_run_that_is_there_twice(self):
        self.refused("runs.txt", "run idle sockets=1\n    workload idle\n", 1,
                     "a run has a name of its own, sockets= and a workload")

    def test_a_word_that_nobody_knows(self):
        self.refused("runs.txt", "run a sokets=1\n    workload idle\n", 1,
                     "there is no sokets=")

    def test_a_condition_without_a_relation(self):
        self.refused("laws-wbox.txt", "\nlaw wbox/A in idle\n    N\n", 2,
                     "'N' is no condition")

    def test_a_reason_that_is_not_there(self):
        self.refused("laws-wbox.txt",
                     "law wbox/A in idle\n    <= N\n    because so\n", 1,
                     "there is no reason 'so'")

    def test_a_text_that_has_no_name(self):
        self.refused("laws-wbox.txt", "law wbox/A in $NONE\n", 1,
                     "there is no $NONE above")

    def test_a_figure_without_a_number(self):
        self.refused("figures.txt", "figure A digits=1 published=x accepted=1\n"
                     "    metric a\n    on b\n    source c\n", 1,
                     "'x' is no number, and no A..B")

    def figure(self, parts, said):
        self.refused("figures.txt", "figure A digits=1 published=1 accepted=1\n"
                     "    metric a\n    on b\n    source c\n" + parts, 1, said)

    def test_a_figure_that_is_not_met_without_a_reason(self):
        self.figure("    unmet 3\n", "'unmet 3' has no limit and reason")

    def test_a_figure_that_runs_on_no_machine(self):
        self.figure("    run idle:a={1|2}\n    ns 1\n",
                    "what is run has a model, and one of ns, cycles and bytes")

    def test_a_figure_whose_runs_are_the_same(self):
        self.figure("    model xeon-e7\n    run idle\n    ns 1\n",
                    "one thing {LESS|MORE} differs in both runs")

    def test_a_figure_over_one_that_is_not_there(self):
        self.figure("    model xeon-e7\n    run idle:a={1|2}\n    ns 1\n"
                    "    over B\n", "there is no figure B above")

    def test_a_pair_that_is_asked_nothing(self):
        self.refused("pairs.txt", "\npair a asked=2\n    metric b\n", 2,
                     "'2' is no A.. and no A..B")

    def test_a_pair_that_is_not_met_without_a_reason(self):
        self.refused("pairs.txt", "\npair a asked=2..\n    metric b\n"
                     "    why c\n    unmet xeon-e7=1\n", 2,
                     "'unmet xeon-e7=1' has no '; ' and reason")


if __name__ == "__main__":
    unittest.main()
