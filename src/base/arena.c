/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct arena_block {
	struct arena_block *next;
	uint64_t data[];
};

void *arena_room(struct arena *arena, size_t num, size_t size)
{
	struct arena_block *block =
		calloc(1, sizeof(*block) + (num + 1) * size);

	if (!block) {
		arena->failed = true;
		return NULL;
	}
	block->next = arena->blocks;
	arena->blocks = block;
	return block->data;
}

void *arena_grown(struct arena *arena, const void *array, size_t num,
		  size_t size)
{
	void *grown;

	if (num & (num - 1)) /* full only at powers of two */
		return (void *)array;
	grown = arena_room(arena, num ? 2 * num : 1, size);
	if (grown && num)
		memcpy(grown, array, num * size);
	return grown;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	static char nothing[1];
	char *copy;

	length = strnlen(text, length);
	copy = arena_room(arena, length, 1);
	return copy ? memcpy(copy, text, length) : nothing;
}

char *arena_say(struct arena *arena, const char *format, ...)
{
	struct text text = { 0 };
	va_list arguments;
	char *copy;

	va_start(arguments, format);
	text_vadd(&text, format, arguments);
	va_end(arguments);
	arena->failed |= text.failed;
	copy = arena_text(arena, text.data ? text.data : "", text.length);
	text_free(&text);
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}
