/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a frozen PMU shows besides counts: which boxes have seen an overflow.
 */
#include "session/sampler.h"

bool uncore_sampler_state(struct uncore_sampler *sampler, size_t index,
			  struct uncore_state *state)
{
	(void)sampler;
	(void)index;
	(void)state;
	return false;
}
