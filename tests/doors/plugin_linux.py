#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The plugin for guests under Linux: its MSR driver, and a program that moves
# its pages about and compares where its stores were seen with what the kernel
# says (plugin_guest.c); on two sockets, in the suite `long` on one, too.

import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import plugin_test  # noqa: E402

sys.path.insert(0, os.path.join(plugin_test.SOURCE, "tests", "guest"))
import rig  # noqa: E402

SECONDS = 200


def compile_guest(folder):
    program = os.path.join(folder, "program")
    made = subprocess.run(
        [shutil.which(os.environ.get("CC", "cc")), "-std=gnu11", "-O2",
         "-D_GNU_SOURCE", "-static", "-I" + plugin_test.SOURCE,
         os.path.join(plugin_test.SOURCE, "tests", "doors", "plugin_guest.c"),
         "-pthread", "-o", program], check=False)
    if made.returncode:
        rig.skip("no static C library to make the guest's program with")
    with open(program, "rb") as file:
        return file.read()


def command(harness, kernel, initrd, sockets, cores):
    words = plugin_test.command(harness, kernel, sockets, cores)
    words[words.index("-debugcon")] = "-serial"
    # On a machine of two sockets the kernel would move pages by itself, to the
    # socket that uses them: to other frames than the program has asked for.
    return words + ["-initrd", initrd, "-no-reboot", "-append",
                    "console=ttyS0 quiet panic=-1 mitigations=off "
                    "numa_balancing=disable"]


def main():
    if not os.path.exists(plugin_test.PLUGIN):
        rig.skip("the plugin for guests was not built")
    kernel, _ = rig.image()
    failed = 0
    with tempfile.TemporaryDirectory() as path, rig.Folder() as folder:
        harness, _ = plugin_test.compile_all(path)
        initrd = folder.initrd("/bin/program\n",
                               [("bin/program", compile_guest(path))])
        for sockets, cores in ((1, 1), (2, 2)) if rig.LONG else ((2, 2),):
            done = subprocess.run(
                command(harness, kernel, initrd, sockets, cores),
                env={**rig.SHOW_FREED, **os.environ}, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, errors="replace", timeout=SECONDS,
                check=False)
            good = "PASSED" in done.stdout and "FAILED" not in done.stdout
            print("%s %d sockets of %d cores" %
                  ("ok" if good else "FAILED", sockets, cores))
            if not good:
                print(done.stdout)
            failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
