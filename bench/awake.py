# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Keeps the processors awake while something is measured that goes to and fro
# between two processes: waking a processor of a virtual machine takes longer
# than the work. What runs here yields to everything else.

import os
import subprocess
import sys

SPIN = """
import os
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while True:
    pass
"""
TEXT = "Processors are kept from falling asleep meanwhile."


class Awake:
    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", SPIN])
                          for _ in range(os.cpu_count())]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
