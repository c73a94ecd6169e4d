/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Accesses that are to happen together.
 */
#ifndef UNCORE_SESSION_BATCH_H
#define UNCORE_SESSION_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/target.h"

struct uc_register;

/* All zero is an empty batch; to be freed with batch_free(). */
struct session_batch {
	struct uncore_target_op *ops;
	const struct uc_register **registers; /* for messages */
	size_t num;
	bool has_failed; /* without memory */
	uint64_t cycle;
};

void batch_read(struct session_batch *batch, unsigned socket,
		const struct uc_register *reg);
void batch_write(struct session_batch *batch, unsigned socket,
		 const struct uc_register *reg, uint64_t value);

/* Does it; the first refusal becomes a sentence. */
int batch_run(struct session_batch *batch, struct uncore_target *target,
	      char **error);

/* That sentence, of a batch that was done; 0: nothing was refused. */
int batch_refused(const struct session_batch *batch,
		  const struct uncore_target *target, char **error);
void batch_free(struct session_batch *batch);

#endif
