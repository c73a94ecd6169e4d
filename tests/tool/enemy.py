#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""A program that writes to the memory which it shares with uncore, at places
and of values that follow from a seed. What is counted then is worth nothing;
but uncore ends by itself or when it is asked to, and by no signal of its own.

    tests/tool/enemy.py             a few seeds
    tests/tool/enemy.py FIRST LAST  those from FIRST to LAST
"""
import os
import subprocess
import sys
import time
import unittest

from counting import BUILD, UNCORE

ENEMY = os.path.join(BUILD, "tests-tool-traffic_enemy")
SEEDS = range(20)
WRITES = 200
PATIENCE_S = 10   # hours may be said to pass
RESPONSE_S = 60   # after it was asked to end


def run(*words):
    """(exit code, what was said)"""
    process = subprocess.Popen(
        (UNCORE, "stat", "-e", "cbox/LLC_MISSES.I/", "--", ENEMY, *words),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        errors="replace", start_new_session=True)
    try:
        said = process.communicate(timeout=PATIENCE_S)[1]
    except subprocess.TimeoutExpired:
        for _ in range(2):  # the second one is for uncore itself
            process.terminate()
            time.sleep(1)
        try:
            said = process.communicate(timeout=RESPONSE_S)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
    return process.returncode, said


class Enemy(unittest.TestCase):
    seeds = SEEDS

    def test_writes_anything_anywhere(self):
        for seed in self.seeds:
            with self.subTest(seed=seed):
                code, said = run("enemy", str(seed), str(WRITES))
                self.assertGreaterEqual(code, 0, said)
                self.assertNotIn("please report", said)

    def test_cannot_cut_the_memory_off(self):
        self.assertEqual(run("shrink")[0], 0)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1].isdigit():
        Enemy.seeds = range(int(sys.argv[1]), int(sys.argv[2]) + 1)
        del sys.argv[1:]
    unittest.main()
