#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The same for the events of the second machine, as coverage.py says."""
import sys

import coverage

sys.exit(coverage.main("xeon-7500"))
