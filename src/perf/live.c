/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Blocks of memory that go with a live family.
 */
#include "perf/live.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct live_block {
	struct live_block *next;
	uint64_t data[];
};

void *live_room(struct live *live, size_t num, size_t size)
{
	struct live_block *block = calloc(1, sizeof(*block) + (num + 1) * size);

	if (!block) {
		live->failed = true;
		return NULL;
	}
	block->next = live->blocks;
	live->blocks = block;
	return block->data;
}

const char *live_text(struct live *live, const char *format, ...)
{
	char text[512];
	va_list arguments;
	char *copy;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	copy = live_room(live, strlen(text), 1);
	if (copy)
		strcpy(copy, text);
	return copy;
}

void live_free(struct live *live)
{
	struct live_block *next;

	for (struct live_block *block = live->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	perf_pmus_free(&live->pmus);
	free(live);
}
