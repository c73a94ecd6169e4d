#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# What `meson install` gives is what others build on: programs of a few lines and
# the examples are compiled against the installed headers, found by pkg-config,
# linked with the installed libraries and run; all headers compile together in
# C++. The installed command works without the build folder's files.

import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(os.environ.get("UNCORE_BUILD", "build"))
SOURCE = os.path.abspath(os.environ.get("UNCORE_SOURCE", "."))

COMPILER = shlex.split(os.environ.get("CC", "cc"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*words, **more):
    """The output; words and errors are shown where it fails."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, **more)
    if done.returncode:
        raise AssertionError("%s\nends with %d:\n%s" % (
            shlex.join(words), done.returncode, done.stdout))
    return done.stdout


def only(pattern):
    found = glob.glob(pattern, recursive=True)
    if len(found) != 1:
        raise AssertionError("%s: %s" % (pattern, found or "nothing there"))
    return found[0]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.root = os.path.join(cls.holder.name, "root")
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
            "--destdir", cls.root)
        pc = only(cls.root + "/**/uncore.pc")
        cls.libraries = os.path.dirname(os.path.dirname(pc))
        cls.headers = os.path.dirname(only(cls.root + "/**/uncore/uncore.h"))
        cls.environment = {
            **os.environ, "PKG_CONFIG_LIBDIR": os.path.dirname(pc),
            "PKG_CONFIG_SYSROOT_DIR": cls.root,
            "LD_LIBRARY_PATH": cls.libraries, "LC_ALL": "C"}
        cls.environment.pop("PKG_CONFIG_PATH", None)

    def flags(self, package, *which):
        return run("pkg-config", *which, package,
                   env=self.environment).split()

    def build_and_run(self, source, package):
        program = os.path.join(self.holder.name, "program")
        run(*COMPILER, "-std=c11", "-D_GNU_SOURCE", *WARNINGS, "-o", program,
            os.path.join(SOURCE, source),
            *self.flags(package, "--cflags", "--libs"))
        return run(program, env=self.environment)

    def test_a_client_of_the_library(self):
        self.assertIn("LLC_MISSES.ALL", self.build_and_run(
            "tests/package/client.c", "uncore"))

    def test_a_client_of_the_model(self):
        self.assertEqual("1000\n", self.build_and_run(
            "tests/package/client_model.c", "uncore-model"))

    def test_the_library_alone_does_not_bring_the_model(self):
        self.assertEqual(self.flags("uncore", "--libs-only-l"), ["-luncore"])
        needed = run("readelf", "-d", self.libraries + "/libuncore.so")
        self.assertNotIn("libuncore-model", needed)
        self.assertIn("soname: [libuncore.so.0]", needed)
        self.assertEqual(self.flags("uncore-model", "--libs-only-l"),
                         ["-luncore-model", "-luncore"])

    def test_all_headers_in_cpp(self):
        if not shutil.which("c++"):
            self.skipTest("there is no C++ compiler")
        text = "".join('#include <uncore/%s>\n' % os.path.basename(header)
                       for header in sorted(glob.glob(self.headers + "/*.h")))
        run("c++", "-x", "c++", "-std=c++11", *WARNINGS, "-fsyntax-only", "-",
            *self.flags("uncore", "--cflags"),
            input=text + "int main() { return 0; }\n")

    def test_headers_are_all_there_and_include_no_others(self):
        installed = {os.path.basename(h)
                     for h in glob.glob(self.headers + "/*.h")}
        self.assertEqual(installed, {
            os.path.basename(h)
            for h in glob.glob(SOURCE + "/include/uncore/*.h")})

    def test_example_count(self):
        lines = self.build_and_run("examples/count.c", "uncore-model")
        counts = {words[1]: float(words[0]) for words in
                  (line.split() for line in lines.splitlines()[-2:])}
        # socket 0 and 1 have run as many cycles
        self.assertEqual(counts["wbox/FIXED_CTR/"] % 2, 0)
        self.assertGreater(counts["cbox/LLC_MISSES.ALL/"], 1000)

    def test_example_sample(self):
        lines = self.build_and_run("examples/sample.c",
                                   "uncore-model").splitlines()
        overflows = [line for line in lines if "overflow" in line]
        self.assertGreater(len(overflows), 4)
        self.assertIn("the rest", lines[-1])

    def test_example_registers(self):
        text = self.build_and_run("examples/registers.c", "uncore-model")
        self.assertEqual(text.count("PMI to core 3"), 2)

    def test_the_command(self):
        command = only(self.root + "/**/bin/uncore")
        self.assertIn("LLC_MISSES.ALL", run(
            command, "encode", "cbox/LLC_MISSES.ALL/", cwd="/"))
        self.assertTrue(only(self.root + "/**/man1/uncore.1"))
        self.assertTrue(only(self.root + "/**/completions/uncore"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
