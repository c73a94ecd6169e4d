#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The same for the events of the Xeon E5-2600, as coverage.py says."""
import sys

import coverage

SOME = tuple((box, "*") for box in ("cbo", "ha", "imc", "pcu", "ubox"))

sys.exit(coverage.main("xeon-e5-2600", SOME))
