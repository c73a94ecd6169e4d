/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the program has told the kernel about its memory: on which nodes
 * (sockets) its pages are to lie, and which of them are shared.
 */
#ifndef UNCORE_POLICY_H
#define UNCORE_POLICY_H

#include "bridge/valgrind/core.h"

/* What a page belongs to besides this process. */
struct policy_object {
	uint64_t device, inode, page;
	bool is_known;	/* it does */
	bool is_shared; /* writes, too, are seen by all */
};

struct policy_object policy_object(Addr address);

/* The socket on which a page is to lie that the present core uses first. */
unsigned policy_socket(Addr address);

/* MAP_SHARED, or shared memory of System V: `id` is not 0 where no file of the
 * address space says what it is. */
void policy_share(Addr address, SizeT size_bytes, uint64_t id);
void policy_forget(Addr address, SizeT size_bytes); /* unmapped */
void policy_move(Addr from, Addr to, SizeT size_bytes);

/* As set_mempolicy(2) and mbind(2) have it; false: not valid. A size of 0 is
 * the policy of everything else. */
bool policy_bind(Addr address, SizeT size_bytes, UInt mode, uint64_t nodes);
UInt policy_mode(Addr address, uint64_t *nodes);

#endif
