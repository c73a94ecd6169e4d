/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The buffers in which a core collects streaming stores, line by line. A buffer
 * whose line is full goes to memory as a whole line; one that has to go before,
 * as a part of it: when all are in use and another line comes (the oldest one
 * goes), when the line is used otherwise, and when a fence, a locked operation
 * or the like empties all.
 *
 * Since Nehalem a core has ten (Intel's optimization manual, on write
 * combining). Choice: misses of loads and stores take none away.
 */
#ifndef UNCORE_COMBINING_H
#define UNCORE_COMBINING_H

#include <stdint.h>

#include "model/box/privcache.h"

enum { COMBINING_BUFFERS = 10, COMBINING_MAX_REQUESTS = 3 };

struct combining_buffer {
	uint64_t line;
	uint64_t bytes; /* bit n: byte n was written */
};

/* All 0: none is in use. */
struct combining {
	uint32_t num; /* in use; the oldest stands first */
	struct combining_buffer buffers[COMBINING_BUFFERS];
};

/* Bytes of a line are written, size_bytes from offset on; they end in the line.
 * Returns how many requests that makes. A line that had none yet leaves the
 * private caches. */
unsigned combining_store(struct combining *combining, struct privcache *cache,
			 uint64_t line, unsigned offset, unsigned size_bytes,
			 struct privcache_request out[COMBINING_MAX_REQUESTS]);

/* The line is used otherwise: its buffer, if there is one, goes before. */
unsigned combining_leave(struct combining *combining, uint64_t line,
			 struct privcache_request *out);

/* All go. */
unsigned combining_empty(struct combining *combining,
			 struct privcache_request out[COMBINING_BUFFERS]);

#endif
