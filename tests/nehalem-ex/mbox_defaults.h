/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The settings of an M-Box of the Xeon E7's machine, but with shorter ways
 * (front 20, SMI 26, response 10 cycles) and rows of 256 lines, and of the DRAM
 * behind it: DDR3-1066 7-7-7, two dual-rank DIMMs on each bus.
 */
#ifndef TESTS_MBOX_DEFAULTS_H
#define TESTS_MBOX_DEFAULTS_H

#include "model/nehalem-ex/mbox.h"

void mbox_config_default(struct mbox_config *config);
void dram_config_default(struct dram_config *config);

/* Cycles from a read's arrival in an idle M-Box at a frame boundary to its
 * answer, row closed or open: a closed form. */
uint64_t mbox_idle_read_cycles(const struct mbox_config *config, bool is_open);

#endif
