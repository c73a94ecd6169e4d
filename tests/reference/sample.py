#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""What this tree counts is what the reference says: a part of the record is
made again, and each count has to be the one that is there. Laws of coverage that
get stronger try other runs, of which the record knows nothing: of those files
half of the rows has to be known. README.md beside this has the whole record.
And `compare` finds what was changed on purpose."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tool"))
from sandbox import UNCORE  # noqa: E402

REFERENCE = os.path.join(HERE, "0.5")
FILES = ("closed-forms.txt", "coverage-xeon-7500.txt",
         "coverage-xeon-e5-2600.txt", "coverage-xeon-e7.txt", "figures.txt",
         "random.txt")
SECONDS = 200


def lines_of(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read().splitlines()


def counts_of(folder, name):
    """By command and event."""
    rows = (line.split("\t") for line in lines_of(folder, name))
    return {tuple(row[:2]): row[2] for row in rows}


def compare(*words):
    return subprocess.run([os.path.join(HERE, "compare"), *words], text=True,
                          capture_output=True, timeout=SECONDS, check=False)


class Sample(unittest.TestCase):
    def test_this_tree_counts_what_the_reference_says(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.path.join(HERE, "record"), "--uncore", UNCORE,
                            "--few", folder], timeout=SECONDS, check=True)
            self.assertEqual(sorted(os.listdir(folder)), list(FILES))
            for name in FILES:
                with self.subTest(name):
                    few = counts_of(folder, name)
                    reference = counts_of(REFERENCE, name)
                    known = [key for key in few if key in reference]
                    self.assertGreater(2 * len(known), len(few))
                    if not name.startswith("coverage"):
                        self.assertEqual(len(known), len(few))
                    self.assertEqual([(key, few[key], reference[key])
                                      for key in known
                                      if few[key] != reference[key]], [])

    def test_the_reference_is_sorted_and_has_no_line_twice(self):
        for name in FILES:
            lines = lines_of(REFERENCE, name)
            self.assertEqual(lines, sorted(set(lines)), name)


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (
                ("old", "a\tcbox0/E.ALL/\t100 0\na\tmbox/F/\t7\n"
                        "b\tmbox/F/\t8\na\trbox/G,port=qpi0/\t50\n"),
                ("new", "a\tcbox0/E.ALL/\t95 5\na\tmbox/F/\t7\n"
                        "c\tmbox/F/\t8\na\trbox/G,port=qpi0/\t200\n")):
            os.mkdir(self.path(name))
            with open(self.path(name, "random.txt"), "w",
                      encoding="utf-8") as file:
                file.write(text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def test_differences_are_sorted_by_how_far_they_are(self):
        ran = compare(self.path("old"), self.path("new"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = {words[0]: words[1:] for words in
                map(str.split, ran.stdout.splitlines()) if words}
        #           rows equal 1 % 10 % x 2 beyond gone new
        for group, counts in (("cbox/E", "1 . . 1 . . . ."),
                              ("rbox/G", "1 . . . . 1 . ."),
                              ("mbox/F", "3 1 . . . . 1 1")):
            self.assertEqual(" ".join(rows[group]), counts, group)
        self.assertTrue(ran.stdout.endswith("4 of 5 rows differ\n"))

    def test_rows_of_a_box(self):
        ran = compare("--box", "cbox", self.path("old"), self.path("new"))
        self.assertIn("cbox0/E.ALL/  100 0 -> 95 5", ran.stdout)
        self.assertNotIn("50 -> 200", ran.stdout)

    def test_what_is_not_there(self):
        self.assertEqual(compare(self.path("old"), self.path("no")).returncode,
                         1)

    def test_a_record_is_like_itself(self):
        ran = compare(REFERENCE, REFERENCE)
        self.assertTrue(ran.stdout.splitlines()[-1].startswith("0 of "),
                        ran.stdout)


if __name__ == "__main__":
    if not os.path.exists(UNCORE):
        print("the command is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
