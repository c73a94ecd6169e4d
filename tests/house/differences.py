#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A family by its differences (data/FORMAT.md): what comes out of tools/rows.py
# for a family made up in a temporary folder, and what it says about mistakes.

import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from rows import DataError, families, family_rows

OLD = {
    "family.txt": 'family old "Old" cpuid=6/1 guide=111',
    "boxes.txt": 'box cbox C-Box instances=2 counters=1 width=48 '
                 'source="Table 1"',
    "layouts.txt": 'layout CTL source="Table 2"\n  en 0 "Runs."',
    "events.txt": 'event cbox A code=1 source="Table 3"\n'
                  '  brief "First."\n  note "One."\n  note "Two."\n'
                  '  umask X umask|=1 signal=a_x "x"\n'
                  '  umask Y umask|=2 signal=a_y "y"\n'
                  'event cbox B code=2 signal=b source="Table 3"\n'
                  '  brief "Second."\n'
                  'event cbox BB code=3 signal=bb source="Table 3"\n'
                  '  brief "Third."',
    "core.txt": 'core_register C at=0x1 access=RW source="SDM" "Text"\n'
                '  low 7:0 reset=1 "Low"',
}
NEW = 'family new "New" cpuid=6/2 guide=222\nbase old'


class Differences(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.write("old", OLD)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, files):
        path = os.path.join(self.folder.name, name)
        os.makedirs(path, exist_ok=True)
        for file, text in files.items():
            with open(os.path.join(path, file), "w",
                      encoding="utf-8") as out:
                out.write(text + "\n")
        return path

    def read(self, **files):
        files = {name + ".txt": text for name, text in files.items()}
        files.setdefault("family.txt", NEW)
        shutil.rmtree(os.path.join(self.folder.name, "new"), True)
        return family_rows(self.write("new", files))

    def events(self, text):
        return {row.words[2]: row
                for row in self.read(events=text)[1]["events"]}

    def refuses(self, message, **files):
        with self.assertRaises(DataError) as caught:
            self.read(**files)
        self.assertIn(message, str(caught.exception))

    def test_without_differences_all_rows_are_the_bases_and_assumed(self):
        family, topics = self.read()
        self.assertEqual(family.words[1], "new")
        rows = topics["events"]
        self.assertEqual([r.words[2] for r in rows], ["A", "B", "BB"])
        self.assertEqual(rows[0].keys["source"],
                         "assumed; as guide 111: Table 3")

    def test_a_row_that_is_the_same_says_on_whose_word(self):
        rows = self.events('same event cbox B* source="p. 1"\n'
                           'same event cbox BB source="p. 2"')
        self.assertEqual(rows["B"].keys["source"],
                         "p. 1; as guide 111: Table 3")
        self.assertEqual(rows["BB"].keys["source"],
                         "p. 2; as guide 111: Table 3")
        self.assertIn("assumed", rows["A"].keys["source"])

    def test_same_without_a_source_leaves_the_bases_own(self):
        rows = self.read(core="same core_register *")[1]["core"]
        self.assertEqual(rows[0].keys["source"], "SDM")

    def test_a_core_register_is_not_from_the_uncores_guide(self):
        rows = self.read()[1]["core"]
        self.assertEqual(rows[0].keys["source"], "assumed; as SDM")

    def test_rows_are_left_out_by_name_and_by_pattern(self):
        self.assertEqual(set(self.events("without event cbox A B")), {"BB"})
        self.assertEqual(set(self.events("without event cbox B*")), {"A"})

    def test_a_row_is_replaced_in_its_place(self):
        rows = self.read(events='replace event cbox A code=9 signal=n '
                         'source="p. 3"\n  brief "New."')[1]["events"]
        self.assertEqual(rows[0].keys["code"], "9")
        self.assertEqual(rows[0].keys["source"], "p. 3")
        self.assertEqual(len(rows[0].children), 1)
        self.assertEqual(len(rows), 3)

    def test_a_changed_row_keeps_what_is_not_named(self):
        row = self.events('change event cbox A max=4 source="p. 4"\n'
                          '  without umask Y\n'
                          '  umask Z umask|=4 signal=a_z "z"\n'
                          '  replace note "Only."')["A"]
        self.assertEqual(row.keys["code"], "1")
        self.assertEqual(row.keys["max"], "4")
        self.assertEqual(row.keys["source"],
                         "p. 4; else as guide 111: Table 3")
        self.assertEqual([c.words for c in row.children],
                         [["brief"], ["note"], ["umask", "X"],
                          ["umask", "Z"]])
        self.assertEqual(row.children[1].texts, ["Only."])

    def test_the_base_is_not_touched_by_its_differences(self):
        self.events('change event cbox A max=4 source="p. 4"')
        rows = family_rows(os.path.join(self.folder.name, "old"))[1]["events"]
        self.assertNotIn("max", rows[0].keys)
        self.assertEqual(rows[0].keys["source"], "Table 3")

    def test_a_new_row_comes_after_the_bases(self):
        rows = self.read(events='event cbox C code=4 signal=c '
                         'source="p. 5"\n  brief "New."')[1]["events"]
        self.assertEqual(rows[-1].words[2], "C")

    def test_families_come_after_their_base(self):
        self.write("a-new", {"family.txt": NEW})
        self.assertEqual([os.path.basename(p)
                          for p in families(self.folder.name)],
                         ["old", "a-new"])

    def test_nothing_happens_silently(self):
        self.refuses("old has event cbox A too: write replace, change or same",
                     events='event cbox A code=1 source="p"')
        self.refuses("old has no event cbox NONE",
                     events="without event cbox NONE")
        self.refuses("old has no event cbox X*",
                     events='same event cbox X* source="p"')
        self.refuses("old has no event cbox NEW that could differ",
                     events='replace event cbox NEW code=1 source="p"')
        self.refuses("this is what old says: write same",
                     boxes='replace box cbox C-Box instances=2 counters=1 '
                     'width=48 source="p"')
        self.refuses("this is what old says: write same",
                     boxes='change box cbox instances=2 source="p"')
        self.refuses("a difference needs source=",
                     boxes="change box cbox instances=1")
        self.refuses("a layout is replaced as a whole",
                     layouts='change layout CTL source="p"\n  en 1 "Runs."')
        self.refuses("old has umask X too: write replace",
                     events='change event cbox A source="p"\n'
                     '  umask X umask|=4 signal=z "z"')
        self.refuses("old has no umask Z in event cbox A",
                     events='change event cbox A source="p"\n'
                     '  without umask Z')
        self.refuses("this is what old says",
                     core='change core_register C source="p"\n'
                     '  replace low 7:0 reset=1 "Low"')

    def test_a_mistake_is_told_with_its_place(self):
        self.refuses("events.txt:2: old has no event cbox NONE",
                     events="# a comment\nwithout event cbox NONE")

    def test_differences_need_a_base(self):
        self.refuses("'without' needs a base in family.txt",
                     family='family new "New" cpuid=6/2 guide=222',
                     events="without event cbox A")
        self.refuses("there is no family 'none' to build on",
                     family=NEW.replace("base old", "base none"))
        self.refuses("there is no family 'new' to build on",
                     family=NEW.replace("base old", "base new"))


if __name__ == "__main__":
    unittest.main()
