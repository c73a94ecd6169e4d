/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers as they were before a session, and how they become so again.
 */
#ifndef UNCORE_SESSION_SAVED_H
#define UNCORE_SESSION_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uc_family;
struct uc_register;
struct uncore_target;

struct saved_value {
	const struct uc_register *reg;
	unsigned socket;
	uint64_t value;
};

/* All zero: nothing is saved. */
struct saved {
	struct saved_value *values;
	size_t num;
	size_t *places; /* of values by register; see saved.c */
	size_t num_places;
	/* Others count besides: only what is listed is touched, and counting
	 * goes on. */
	bool is_shared;
};

/* Makes room for a register of a socket, once; false without memory. */
bool saved_want(struct saved *saved, unsigned socket,
		const struct uc_register *reg);

/* Reads what they hold. */
int saved_read(struct saved *saved, struct uncore_target *target, char **error);

/* Puts them back, in an order that a PMU allows: boxes stop, filters go off,
 * then sub-registers, controls, counters, overflow bits that are new, enables.
 * Goes on after a refusal; returns the code of the first. */
int saved_put_back(const struct saved *saved, struct uncore_target *target,
		   char **error);

/* Whether every control and enable holds its saved value already. */
bool saved_is_back(const struct saved *saved, struct uncore_target *target);

/* The value of a register, or 0. */
uint64_t saved_value(const struct saved *saved, unsigned socket,
		     const struct uc_register *reg);

void saved_free(struct saved *saved);

#endif
