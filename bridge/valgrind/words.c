/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What Valgrind says, and whether it gave up. A program's standard error is its
 * own, so Valgrind's words are kept; where it ends a process for a reason of
 * its own, they are the reason, and uncore tells them. Before the shared memory
 * is there they go where Valgrind's go.
 */
#include "bridge/valgrind/core.h"

enum { GAVE_UP = 101 }; /* exit status; Valgrind's own when execve() fails */

static HChar words[ARENA_WORDS_BYTES];
static SizeT num_bytes;
static bool has_ended;

/* Of Valgrind's core: the first member is the descriptor. */
extern Int vgPlain_log_output_sink;

extern SSizeT __real_vgPlain_write(Int fd, const void *bytes, SizeT size_bytes);
SSizeT __wrap_vgPlain_write(Int fd, const void *bytes, SizeT size_bytes);

SSizeT __wrap_vgPlain_write(Int fd, const void *bytes, SizeT size_bytes)
{
	SizeT room = sizeof(words) - 1 - num_bytes;

	if (!arena || fd != vgPlain_log_output_sink)
		return __real_vgPlain_write(fd, bytes, size_bytes);
	if (arena->keeps_log)
		__real_vgPlain_write(fd, bytes, size_bytes);
	if (room > size_bytes)
		room = size_bytes;
	VG_(memcpy)(words + num_bytes, bytes, room);
	num_bytes += room;
	return (SSizeT)size_bytes;
}

void words_end(void)
{
	has_ended = true;
}

bool words_have_ended(void)
{
	return has_ended;
}

/* The words of the process that gave up first are told. */
UWord words_exit_status(UWord status)
{
	if (has_ended)
		return status;
	if (arena && !atomic_fetch_add(&arena->num_gave_up, 1))
		VG_(memcpy)(arena->words, words, sizeof(words));
	return GAVE_UP;
}
