#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The manual pages as they are built: each command has a page, with the options
# that it has; formatters have nothing to complain of; what stands under EXAMPLES is executed. A comment above an example
# says why it is not (not run: ...) or what it needs (needs: valgrind).

import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sandbox import BUILD, UNCORE, Sandbox, missing  # noqa: E402

PAGES = os.path.join(BUILD, "docs/man")


def said(*words):
    return subprocess.run([UNCORE] + list(words), text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def commands(*words):
    text = said(*words, "--help").split("Commands:")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", text, re.M)


def plain(text):
    """Without font changes and escapes."""
    text = re.sub(r"\\f[BIRP]", "", text)
    return text.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def page(name):
    with open(os.path.join(PAGES, name + ".1"), encoding="utf-8") as text:
        return text.read()


def sections(text):
    parts = re.split(r"^\.SH (.*)\n", text, flags=re.M)
    return {plain(title).strip('"'): body
            for title, body in zip(parts[1::2], parts[2::2])}


def options_of_page(text):
    """{--long: (-s or None, whether it takes a value)}"""
    found = {}
    for line in re.findall(r"^\.TP\n(.*)", text, re.M):
        match = re.match(r"(?:(-.), )?--([a-z-]+)(.*)", plain(line))
        if match:
            found[match.group(2)] = (match.group(1), "=" in match.group(3))
    return found


def options_of_help(*words):
    found = {}
    for match in re.finditer(r"^(?:  (-.), |      )--([a-z][a-z-]*)(\[?=)?",
                             said(*words, "--help"), re.M):
        found[match.group(2)] = (match.group(1), bool(match.group(3)))
    return found


def examples(text):
    """(marks, script) for each example of a page."""
    marks, lines, inside = {}, [], False
    for line in sections(text)["EXAMPLES"].splitlines():
        mark = re.match(r'\.\\" (not run|needs): (.*)', line)
        if mark:
            marks[mark.group(1)] = mark.group(2)
        elif line == ".nf":
            inside = True
        elif line == ".fi":
            yield marks, "\n".join(lines)
            marks, lines, inside = {}, [], False
        elif inside and not line.startswith("."):
            lines.append(plain(line).removeprefix("$ "))


class Pages(unittest.TestCase):
    def test_are_there_for_every_command(self):
        have = {os.path.basename(p)[:-2]
                for p in glob.glob(os.path.join(PAGES, "*.1"))}
        self.assertEqual(have, {"uncore"} | {"uncore-" + c
                                             for c in commands()})

    def test_a_letter_is_one_option_everywhere(self):
        means = {}
        for words in ([(name,) for name in commands() if name != "model"] +
                      [("model", name) for name in commands("model")]):
            for option, (letter, _) in options_of_help(*words).items():
                if letter:
                    means.setdefault(letter, set()).add(option)
        self.assertGreater(len(means), 10)
        self.assertEqual({letter: names for letter, names in means.items()
                          if len(names) > 1}, {})

    def test_have_the_options_of_their_commands(self):
        for name in commands():
            if name == "model":
                continue
            self.assertEqual(
                options_of_page(sections(page("uncore-" + name))["OPTIONS"]),
                options_of_help(name), name)

    def test_of_the_model_have_all_its_commands_and_options(self):
        parts = sections(page("uncore-model"))
        for name in commands("model"):
            self.assertEqual(options_of_page(parts["uncore model " + name]),
                             options_of_help("model", name), name)

    def test_of_the_command_name_all_commands(self):
        listed = re.findall(r"^\.TP\n\.BR uncore\\-(\w+)",
                            sections(page("uncore"))["COMMANDS"], re.M)
        self.assertEqual(listed, commands())

    def test_say_what_every_page_says(self):
        for path in glob.glob(os.path.join(PAGES, "*.1")):
            name = os.path.basename(path)[:-2]
            parts = sections(page(name))
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS",
                          "EXAMPLES", "SEE ALSO"):
                self.assertTrue(parts.get(title, "").strip(), (name, title))
            self.assertTrue(plain(parts["NAME"]).startswith(name + " - "))

    def test_refer_to_pages_that_exist(self):
        for path in glob.glob(os.path.join(PAGES, "*.1")):
            text = page(os.path.basename(path)[:-2])
            for name in re.findall(r"\b(uncore(?:-\w+)?) ?\(1\)", plain(text)):
                self.assertTrue(os.path.exists(
                    os.path.join(PAGES, name + ".1")), (path, name))

    def test_please_the_formatters(self):
        checks = {"groff": ["-man", "-Tutf8", "-ww", "-z"],
                  "mandoc": ["-T", "lint", "-W", "warning"]}
        for tool, words in checks.items():
            if not shutil.which(tool):
                continue
            for path in sorted(glob.glob(os.path.join(PAGES, "*.1"))):
                ran = subprocess.run([tool] + words + [path], text=True,
                                     stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)
                self.assertEqual(ran.stdout, "", path)


class Examples(unittest.TestCase):
    def test_can_be_run(self):
        run = 0
        for path in sorted(glob.glob(os.path.join(PAGES, "*.1"))):
            with Sandbox() as sandbox:
                for marks, script in examples(
                        page(os.path.basename(path)[:-2])):
                    if "not run" in marks or missing(
                            marks.get("needs", "").split()):
                        continue
                    self.assertIn("uncore", script)
                    sandbox.run(script)
                    run += 1
        self.assertGreater(run, 15)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
