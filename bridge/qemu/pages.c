/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page table is one hash table for all processes, without locks: a key is
 * claimed by compare-and-swap, then its value, and whoever finds a key without
 * a value fills it in himself. Nobody waits for anybody, so a killed process
 * leaves nothing locked. Neighbouring pages lie side by side in the table.
 *
 * Page stamps count up; an address space looks its parent's pages up only
 * as far as they are older than the fork.
 */
#include "bridge/qemu/pages.h"

#include "bridge/qemu/arena.h"

enum {
	PAGE_BITS = 36,	 /* of a virtual page number: 48-bit addresses */
	RUN_PAGES = 256, /* neighbours in the table */
	MAX_FILLED = ARENA_PAGES / 4 * 3,
};

#define ANY_STAMP UINT32_MAX

static uint64_t hash(uint64_t key)
{
	uint64_t run = key / RUN_PAGES * UINT64_C(0x9e3779b97f4a7c15);

	return (run >> 20) + key % RUN_PAGES;
}

static uint64_t key_of(uint32_t space, uint64_t page)
{
	return (uint64_t)(space + 1) << PAGE_BITS |
	       (page & ((UINT64_C(1) << PAGE_BITS) - 1));
}

static uint32_t stamp_of(uint64_t value)
{
	return (uint32_t)value;
}

static uint64_t frame_of(uint64_t value)
{
	return (value >> 32) - 1;
}

static uint64_t value_of(uint64_t frame, uint32_t stamp)
{
	return (frame + 1) << 32 | stamp;
}

/* The entry of a key, made if it is not there and the table has room. */
static struct arena_page *find(struct arena *arena, uint64_t key, int make)
{
	uint64_t place = hash(key);

	for (;; place++) {
		struct arena_page *entry = &arena->pages[place % ARENA_PAGES];
		uint64_t found = atomic_load(&entry->key);

		if (found == key)
			return entry;
		if (found)
			continue;
		if (!make || atomic_load(&arena->num_pages) >= MAX_FILLED)
			return NULL;
		if (atomic_compare_exchange_strong(&entry->key, &found, key)) {
			atomic_fetch_add(&arena->num_pages, 1);
			return entry;
		}
		if (found == key)
			return entry;
	}
}

/* The next free frame of a socket, else of the sockets after it; when all
 * memory is used, frames are used again. */
static uint64_t new_frame(struct arena *arena, unsigned socket)
{
	unsigned i;

	for (i = 0; i < arena->num_sockets; i++) {
		unsigned at = (socket + i) % arena->num_sockets;
		uint64_t n;

		if (atomic_load(&arena->frames_used[at]) >=
		    arena->num_frames[at])
			continue;
		n = atomic_fetch_add(&arena->frames_used[at], 1);
		if (n < arena->num_frames[at])
			return arena->first_frame[at] + n;
	}
	return arena->first_frame[socket] +
	       atomic_fetch_add(&arena->frames_used[socket], 1) %
		       arena->num_frames[socket];
}

/* The value of a page that this space has, or had when it was forked from its
 * parent's; 0: none. */
static uint64_t look_up(struct arena *arena, uint32_t space, uint64_t page)
{
	uint32_t limit = ANY_STAMP;

	for (;;) {
		struct arena_page *entry = find(arena, key_of(space, page), 0);
		uint64_t value = entry ? atomic_load(&entry->value) : 0;
		const struct arena_space *from = &arena->spaces[space];

		if (value && stamp_of(value) < limit)
			return value;
		if (!from->parent)
			return 0;
		if (from->stamp < limit)
			limit = from->stamp;
		space = from->parent - 1;
	}
}

uint32_t pages_new_space(struct arena *arena)
{
	uint32_t space = atomic_fetch_add(&arena->spaces_made, 1);

	/* Later ones share the last place: odd counts, but no harm. */
	if (space >= ARENA_MAX_SPACES)
		return ARENA_MAX_SPACES - 1;
	return space;
}

uint32_t pages_fork_space(struct arena *arena, uint32_t parent)
{
	uint32_t space = pages_new_space(arena);

	if (space < ARENA_MAX_SPACES - 1) {
		arena->spaces[space].stamp = atomic_load(&arena->page_stamp);
		arena->spaces[space].parent = parent + 1;
	}
	return space;
}

uint64_t pages_frame(struct arena *arena, uint32_t space, uint64_t page,
		     unsigned socket)
{
	uint64_t value = look_up(arena, space, page);
	uint64_t nothing = 0;
	struct arena_page *entry;

	if (value)
		return frame_of(value);
	entry = find(arena, key_of(space, page), 1);
	if (!entry) /* the table is full: let pages share frames */
		return arena->first_frame[socket] +
		       hash(key_of(space, page)) % arena->num_frames[socket];
	value = value_of(new_frame(arena, socket),
			 atomic_fetch_add(&arena->page_stamp, 1));
	if (!atomic_compare_exchange_strong(&entry->value, &nothing, value))
		value = nothing;
	return frame_of(value);
}
