/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pairs of loops that do the same work, one written badly and one well.
 */
#ifndef UNCORE_PROOF_PAIRS_PAIRS_H
#define UNCORE_PROOF_PAIRS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LINE_BYTES = 64,
	MB = 1 << 20,
};

enum side {
	BAD,
	GOOD,
};

/* One pair. All functions get the argument of the pair. */
struct pair {
	const char *name;
	size_t argument;
	/* Makes the data of a side, before its region. */
	void (*lay)(enum side side, size_t argument);
	/* What is measured. */
	void (*work[2])(size_t argument);
	/* What has come out, of both sides the same; after the region. */
	double (*result)(size_t argument);
	/* The data are larger than any cache: they are not read before. */
	bool is_cold;
};

/* Each ends with a pair without a name. */
extern const struct pair array_pairs[], list_pairs[], matrix_pairs[],
	search_pairs[], thread_pairs[];

/* Zeroed bytes at the beginning of a page. Ends the program where there are
 * none; the same bytes again when a pair asks for its n-th once more. */
void *pairs_memory(unsigned n, size_t bytes);

/* The same numbers in each run. */
uint32_t pairs_random(uint32_t below);

/* Numbers from 0 on, shuffled or in order. */
void pairs_order(uint32_t *order, size_t num, bool shuffled);

#endif
