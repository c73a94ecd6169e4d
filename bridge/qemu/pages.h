/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the virtual pages of the program lie in the modelled machine's memory:
 * a page gets a frame on the socket of the core that touches it first, and
 * keeps it. A forked process sees the frames of its parent; a page that either
 * of them copies on write later keeps its frame all the same.
 */
#ifndef UNCORE_PAGES_H
#define UNCORE_PAGES_H

#include <stdint.h>

struct arena;

/* A new, empty address space. */
uint32_t pages_new_space(struct arena *arena);

/* An address space that begins with the pages of its parent. */
uint32_t pages_fork_space(struct arena *arena, uint32_t parent);

/* The frame (physical address / 4096) of a virtual page. */
uint64_t pages_frame(struct arena *arena, uint32_t space, uint64_t page,
		     unsigned socket);

#endif
