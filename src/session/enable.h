/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What lets a counter count: its own control, its box, and the socket.
 */
#ifndef UNCORE_SESSION_ENABLE_H
#define UNCORE_SESSION_ENABLE_H

#include "table/table.h"

struct enable {
	const struct uc_register *control; /* with its bit en */
	const struct uc_register *box;	   /* enables of its box */
	uint64_t control_bit, box_bit;
};

/* The registers and bits of a counter register; false where the tables have
 * none. */
bool enable_find(const struct uc_family *family,
		 const struct uc_register *counter, struct enable *enable);

/* The register that governs all boxes of a socket, and its bits. */
const struct uc_register *enable_master(const struct uc_family *family);
uint64_t enable_master_bit(const struct uc_register *master,
			   const char *field);

bool enable_is_counter(const struct uc_register *reg);

#endif
