#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The completion for bash, driven as bash drives it: a line, a place in it, and
# what is offered there. Everything that it offers must exist, and what the
# command has must be offered.

import os
import re
import shlex
import subprocess
import sys
import unittest

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))

# Bash breaks words there, so COMP_WORDS has "--machine", "=", "xe".
DRIVER = r"""
source "$1"
uncore_line=$2
words=$(printf '%s\n' "$uncore_line" | sed 's/[:=]/ & /g')
read -ra COMP_WORDS <<<"$words"
[[ $uncore_line == *[\ :=] ]] && COMP_WORDS+=("")
COMP_WORDS[0]=$3
COMP_LINE=$uncore_line
COMP_POINT=${#uncore_line}
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
_uncore
((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
exit 0
"""


def offered(line):
    ran = subprocess.run(
        ["bash", "-c", DRIVER, "driver",
         os.path.join(SOURCE, "completions/uncore"), line, UNCORE],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert not ran.stderr, (line, ran.stderr)
    return ran.stdout.splitlines()


def said(*words):
    return subprocess.run([UNCORE] + list(words), text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def commands(*words):
    text = said(*words, "--help")
    return re.findall(r"^  (\w+) ", text.split("Commands:")[1]
                      .split("\n\n")[0], re.M)


class Completion(unittest.TestCase):
    def test_offers_all_commands(self):
        self.assertLessEqual(set(commands()), set(offered("uncore ")))
        self.assertLessEqual(set(commands("model")),
                             set(offered("uncore model ")))
        self.assertEqual(offered("uncore sta"), ["stat"])

    def test_offers_all_options_of_each_command(self):
        every = [(c,) for c in commands() if c != "model"]
        every += [("model", c) for c in commands("model")]
        for words in every:
            text = said(*words, "--help")
            wanted = set(re.findall(r"^(?:  -., |      )(--[a-z][a-z-]*)", text,
                                    re.M))
            found = {w.rstrip("=") for w in
                     offered("uncore %s --" % " ".join(words))}
            self.assertEqual(found, wanted, words)

    def test_offers_boxes_then_events(self):
        self.assertEqual(set(offered("uncore stat -e ")),
                         {w + "/" for w in said("list",
                                                "--names=boxes").split()})
        names = said("list", "--names").split()
        for box in ("cbox", "mbox", "rbox"):
            self.assertEqual(offered("uncore stat -e %s/" % box),
                             [n for n in names if n.startswith(box + "/")])

    def test_offers_unit_masks_whatever_the_case(self):
        for start in ("cbox/LLC_MISSES", "cbox/llc_misses", "'cbox/LLC_MISSES"):
            self.assertEqual(
                set(offered("uncore stat -e " + start)),
                {"cbox/LLC_MISSES.%s/" % m for m in ("S", "F", "I", "ALL")})

    def test_keeps_the_instance_of_a_box(self):
        self.assertEqual(offered("uncore encode cbox3/LLC_MISSES.A"),
                         ["cbox3/LLC_MISSES.ALL/"])

    def test_offers_options_of_the_box_of_an_event(self):
        found = offered("uncore stat -e cbox/LLC_MISSES.ALL,")
        self.assertIn("cbox/LLC_MISSES.ALL,threshold=", found)
        self.assertFalse([w for w in found if "port=" in w])
        self.assertIn("rbox/FLITS_SENT,port=",
                      offered("uncore stat -e rbox/FLITS_SENT,po"))

    def test_offers_values_of_options_of_an_event(self):
        # bash puts what follows the last '=' in place
        self.assertEqual(
            set(offered("uncore stat -e rbox/FLITS_SENT,port=qpi")),
            {"qpi0", "qpi1", "qpi2", "qpi3"})
        self.assertIn("HOM0",
                      offered("uncore stat -e sbox/TO_R_PROG_EV,mc=HO"))

    def test_what_it_offers_of_events_can_be_encoded(self):
        for event in offered("uncore stat -e ubox/") + \
                offered("uncore stat -e wbox/"):
            said("encode", event)

    def test_offers_names_that_go_with_options(self):
        machines = said("list", "--names=machines").split()
        self.assertEqual(offered("uncore stat -m "), machines)
        self.assertEqual(offered("uncore stat --machine="), machines)
        self.assertEqual(offered("uncore stat -w "),
                         said("list", "--names=workloads").split())
        self.assertIn("1M+random", offered("uncore stat -w stream:size=1M+r"))
        self.assertEqual(offered("uncore stat --inject "),
                         said("list", "--names=faults").split())
        self.assertIn("llc.ways=", offered("uncore stat --set llc."))
        self.assertEqual(offered("uncore stat --place "),
                         ["compact", "scatter"])

    def test_offers_metrics_and_categories(self):
        names = said("list", "--names=metrics").split()
        self.assertLessEqual(set(names + ["memory"]),
                             set(offered("uncore stat -M ")))
        self.assertIn("page_hit,memory", offered("uncore stat -M page_hit,mem"))
        self.assertIn("memory", offered("uncore list --metrics mem"))
        self.assertNotIn("LLC_MISSES.ALL", offered("uncore list --metrics "))

    def test_offers_the_next_event_of_a_list(self):
        self.assertIn("LLC_MISSES.ALL", offered("uncore stat -e LLC_M"))
        self.assertIn("cbox/LLC_HITS.ALL/,wbox/FIXED_CTR/",
                      offered("uncore stat -e cbox/LLC_HITS.ALL/,wbox/F"))
        self.assertIn("{cbox/", offered("uncore stat -e {cb"))

    def test_offers_words_of_other_options(self):
        self.assertEqual(offered("uncore guest --traffic "),
                         ["counting", "always", "marked"])
        self.assertIn("stat", offered("uncore help st"))

    def test_offers_views_one_after_the_other(self):
        found = offered("uncore report --by=")
        for view in "event", "line", "page", "stack", "trend":
            self.assertIn(view, found)
            said("report", "--help").index(view)
        self.assertNotIn("and", found)
        self.assertEqual(offered("uncore report --by=event,li"),
                         ["event,line"])

    def test_knows_the_machine_of_the_line(self):
        for machine in said("list", "--names=machines").split():
            names = said("list", "-m", machine, "--names").split()
            self.assertEqual(
                offered("uncore stat -m %s -e cbox/" % machine),
                [n for n in names if n.startswith("cbox/")])

    def test_offers_everything_that_can_be_explained(self):
        self.assertIn("LLC_MISSES.ALL", offered("uncore explain LLC_M"))
        self.assertIn("llc_hit_ratio", offered("uncore explain llc_h"))
        self.assertIn("U_MSR_PMON_GLOBAL_CTL", offered("uncore explain U_M"))

    def test_offers_programs_behind_two_dashes(self):
        self.assertIn("true", offered("uncore stat -- tru"))

    def test_offers_nothing_for_what_does_not_exist(self):
        for line in ("uncore stat -e qbox/", "uncore nothing -",
                     "uncore stat -m nothing -e cbox/LLC"):
            self.assertEqual(offered(line), [], shlex.quote(line))


if __name__ == "__main__":
    if subprocess.run(["bash", "-c", ":"]).returncode:
        print("there is no bash")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
