#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The tables of docs/errata.md are what the rows of data/*/errata.txt give, and
# what tools/generrata.py says about rows that are broken, of a small family in
# a temporary folder: each mistake is named with its file and line.

import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
import generrata
from rows import DataError

FAMILY = {
    "family.txt": 'family small "Small" cpuid=6/1 guide=111',
    "boxes.txt": 'box cbox C-Box instances=2 counters=1 width=48 '
                 'source="Table 1"',
    "layouts.txt": 'layout CTL source="Table 2"\n  umask 15:9 "Which."\n'
                   '  thresh 8:1 as=threshold "Compared."\n  en 0 "Runs."',
    "registers.txt": 'registers cbox base=0x100,0x200 source="Table 3"\n'
                     '  C{i}_CTL +0 size=64 access=RW_RO role=control '
                     'layout=CTL',
    "events.txt": 'event cbox A code=1 counters=0 source="Table 4"\n'
                  '  brief "First."\n  umask X umask|=1 signal=a_x "x"\n'
                  '  umask Y umask|=2 signal=a_y "y"\n'
                  'event cbox AB code=2 counters=0 signal=b source="Table 4"\n'
                  '  brief "Second."',
}
TEXTS = ["  where Table 1", "  printed It says 'A|B'.", "  reading As", "    B.",
         "  why A choice."]
GOOD = ["section C-Box", "erratum E1"] + TEXTS
PAGE = "# Errata\n\n## C-Box\n\n%s\n%s\n| E0 | old |\n\nEnd.\n" % (
    generrata.HEAD, generrata.RULE)


class Page(unittest.TestCase):
    def test_is_what_the_rows_give(self):
        with open(os.path.join(ROOT, "docs/errata.md"),
                  encoding="utf-8") as text:
            document = text.read()
        printed = generrata.page(os.path.join(ROOT, "data"), document)
        self.assertEqual(
            document.split("\n"), printed.split("\n"),
            "print it: tools/generrata.py page data docs/errata.md")


class Rows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = folder.name
        os.mkdir(os.path.join(self.data, "small"))
        for name, text in FAMILY.items():
            self.write(name, text)

    def write(self, name, text):
        with open(os.path.join(self.data, "small", name), "w",
                  encoding="utf-8") as out:
            out.write(text + "\n")

    def about(self, *lines):
        self.write("errata.txt", "\n".join(
            GOOD + ["  about " + line for line in lines]))
        table = generrata.table(self.data)
        inner = table[table.index("about_E1"):table.index("{ 0 }")]
        return [line.strip() for line in inner.split("\n")[1:-1]]

    def test_become_a_table_of_the_page(self):
        self.write("errata.txt", "\n".join(GOOD))
        printed = generrata.page(self.data, PAGE)
        self.assertIn("\n| E1 | Table 1 | It says 'A\\|B'. | As B. | "
                      "A choice. |\n\nEnd.\n", printed)
        self.assertNotIn("E0", printed)

    def test_need_a_table_on_the_page(self):
        self.write("errata.txt", "\n".join(GOOD))
        for page in ("# Errata\n", PAGE.replace("C-Box", "B-Box")):
            with self.assertRaisesRegex(DataError, "-Box"):
                generrata.page(self.data, page)

    def test_are_about_what_their_patterns_fit(self):
        event = '{ .event = "cbox/%s" },'
        mask = '{ .event = "cbox/A", .unit_mask = "%s" },'
        for line, things in (
                ("event=cbox/A", [event % "A"]),
                ("event=cbox/A*", [event % "A", event % "AB"]),
                ("event=cbox/AB,cbox/A*", [event % "AB", event % "A"]),
                ("event=cbox/A umask=Y,X", [mask % "Y", mask % "X"]),
                ("register=C?_CTL", ['{ .reg = "C0_CTL" },',
                                     '{ .reg = "C1_CTL" },']),
                ("layout=CTL field=threshold,en",
                 ['{ .layout = "CTL", .field = "thresh" },',
                  '{ .layout = "CTL", .field = "en" },'])):
            self.assertEqual(self.about(line), things, line)

    def test_about_nothing_that_exists_are_refused_with_their_line(self):
        for line in ("event=cbox/C", "event=A", "event=cbox/A umask=Z",
                     "event=cbox/AB umask=X", "register=C2_*", "layout=CTR",
                     "layout=CTL field=invert", "event=", "umask=X",
                     "event=cbox/A field=en", "register=C0_CTL layout=CTL",
                     "event=cbox/A event=cbox/AB", "cbox/A", ""):
            with self.assertRaisesRegex(DataError, r"small/errata\.txt:9: ",
                                        msg=line):
                self.about("event=cbox/A", line)

    def test_that_are_not_complete_are_refused_with_their_line(self):
        def wrong(number, lines):
            self.write("errata.txt", "\n".join(lines))
            with self.assertRaisesRegex(
                    DataError, r"small/errata\.txt:%d: " % number, msg=lines):
                generrata.table(self.data)

        for first, last in ((0, 1), (1, 2), (2, 4), (4, 5)):
            wrong(2, GOOD[:2] + TEXTS[:first] + TEXTS[last:])
        wrong(1, GOOD[1:])
        wrong(1, ["  where Table 1"])
        wrong(8, GOOD + ["  why Twice."])
        wrong(8, GOOD + GOOD[1:])
        wrong(8, GOOD + ["  reason Unknown."])
        wrong(3, GOOD[:2] + ["    Goes on with nothing."] + TEXTS)


if __name__ == "__main__":
    unittest.main()
