/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way back, for those who died while they counted: a session leaves a
 * journal of what the registers held before it, as long as they hold something
 * else.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`.
 */
#ifndef UNCORE_RESET_H
#define UNCORE_RESET_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_target;

struct uncore_reset_options {
	size_t struct_size; /* sizeof, by the caller */
	bool all;   /* bring the whole PMU into the state after a hardware
		     * reset, journal or not */
	bool force; /* even if somebody who is no session counts with it */
};

/* Puts the registers back as the journal of a dead session says; *what (to be
 * freed) is a sentence about what was done. UNCORE_ERR_IN_USE while a session
 * lives, and with `all` while counters move. */
int uncore_reset(struct uncore_target *target,
		 const struct uncore_reset_options *options, char **what,
		 char **error);

#ifdef __cplusplus
}
#endif

#endif
