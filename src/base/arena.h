/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Memory that goes at once. An arena that could not grow remembers so; its
 * owner asks once, at the end.
 */
#ifndef UNCORE_BASE_ARENA_H
#define UNCORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

/* All zero is an empty one. */
struct arena {
	struct arena_block *blocks;
	bool failed;
};

/* Room for num things and one more, all 0; NULL without memory. */
void *arena_room(struct arena *arena, size_t num, size_t size);

/* An array with room for one more, which is 0, behind num elements, all of
 * which were added so: itself, or one twice as long. NULL without memory. */
void *arena_grown(struct arena *arena, const void *array, size_t num,
		  size_t size);

/* A copy of the first length bytes of a text, or of less where it ends; and a
 * text as printf() makes it. "" without memory. */
char *arena_text(struct arena *arena, const char *text, size_t length);
char *arena_say(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void arena_free(struct arena *arena);

#endif
