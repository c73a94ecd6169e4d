/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Two lists of ranges, of which a later one counts more than an earlier one.
 * Where there is no policy, the socket of the core that uses a page first gets
 * it. The policy of a thread is taken as that of its process.
 */
#include "bridge/valgrind/policy.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_xarray.h>

/* mbind(2) */
enum {
	MODE_DEFAULT,
	MODE_PREFERRED,
	MODE_BIND,
	MODE_INTERLEAVE,
	MODE_LOCAL,
	MODE_MANY
};

struct range {
	Addr first, end;
	uint64_t id;	/* of shared memory */
	uint64_t nodes; /* of a policy */
	UInt mode;
};

static XArray *shared;
static XArray *bound;
static struct range rest; /* policy of everything else */
static uint64_t interleaved;

static XArray *list(XArray **which)
{
	if (!*which)
		*which = VG_(newXA)(VG_(malloc), "uncore.range", VG_(free),
				    sizeof(struct range));
	return *which;
}

static struct range *find(XArray *ranges, Addr address)
{
	Word i;

	if (!ranges)
		return NULL;
	for (i = VG_(sizeXA)(ranges) - 1; i >= 0; i--) {
		struct range *range = VG_(indexXA)(ranges, i);

		if (address >= range->first && address < range->end)
			return range;
	}
	return NULL;
}

/* What lies in the range is cut out of the list. */
static void cut(XArray *ranges, Addr first, Addr end)
{
	Word i;

	if (!ranges)
		return;
	for (i = VG_(sizeXA)(ranges) - 1; i >= 0; i--) {
		struct range *range = VG_(indexXA)(ranges, i);
		struct range tail = *range;

		if (range->end <= first || range->first >= end)
			continue;
		if (range->first >= first && range->end <= end) {
			VG_(removeIndexXA)(ranges, i);
			continue;
		}
		if (range->end > end && range->first < first) {
			tail.first = end;
			range->end = first;
			VG_(addToXA)(ranges, &tail);
		} else if (range->first < first) {
			range->end = first;
		} else {
			range->first = end;
		}
	}
}

struct policy_object policy_object(Addr address)
{
	const NSegment *segment = VG_(am_find_nsegment)(address);
	struct range *range = find(shared, address);
	struct policy_object object = { .is_shared = range };

	if (segment && segment->kind == SkFileC) {
		object.device = segment->dev;
		object.inode = segment->ino;
		object.page =
			(address - segment->start + (uint64_t)segment->offset) /
			PAGE_BYTES;
		object.is_known = true;
	} else if (range && range->id) {
		object.device = UINT64_MAX;
		object.inode = range->id;
		object.page = (address - range->first) / PAGE_BYTES;
		object.is_known = true;
	}
	return object;
}

static unsigned node(uint64_t nodes, unsigned n)
{
	unsigned i;

	for (i = 0; i < arena->num_sockets; i++)
		if (nodes >> i & 1 && !n--)
			return i;
	return front.socket;
}

static unsigned num_nodes(uint64_t nodes)
{
	unsigned i, num = 0;

	for (i = 0; i < arena->num_sockets; i++)
		num += nodes >> i & 1;
	return num;
}

unsigned policy_socket(Addr address)
{
	const struct range *range = find(bound, address);

	if (!range)
		range = &rest;
	if (range->mode == MODE_INTERLEAVE && num_nodes(range->nodes))
		return node(range->nodes, (unsigned)(interleaved++ %
						     num_nodes(range->nodes)));
	if (range->mode == MODE_PREFERRED || range->mode == MODE_BIND ||
	    range->mode == MODE_MANY) {
		if (range->nodes >> front.socket & 1)
			return front.socket;
		return node(range->nodes, 0);
	}
	return front.socket;
}

void policy_share(Addr address, SizeT size_bytes, uint64_t id)
{
	struct range range = { .first = address,
			       .end = address + size_bytes,
			       .id = id };

	cut(shared, range.first, range.end);
	VG_(addToXA)(list(&shared), &range);
}

void policy_forget(Addr address, SizeT size_bytes)
{
	cut(shared, address, address + size_bytes);
	cut(bound, address, address + size_bytes);
}

void policy_move(Addr from, Addr to, SizeT size_bytes)
{
	struct range *range = find(shared, from);
	struct range copy;

	if (range) {
		copy = *range;
		policy_forget(from, size_bytes);
		copy.end = to + (copy.end - copy.first);
		copy.first = to;
		VG_(addToXA)(list(&shared), &copy);
	}
	range = find(bound, from);
	if (range) {
		copy = *range;
		copy.first = to;
		copy.end = to + size_bytes;
		VG_(addToXA)(list(&bound), &copy);
	}
}

bool policy_bind(Addr address, SizeT size_bytes, UInt mode, uint64_t nodes)
{
	struct range range = { .first = address,
			       .end = address + size_bytes,
			       .mode = mode & 0xff,
			       .nodes = nodes };

	if (range.mode > MODE_MANY)
		return false;
	if (range.mode != MODE_DEFAULT && range.mode != MODE_LOCAL &&
	    range.mode != MODE_PREFERRED && !num_nodes(nodes))
		return false;
	if (nodes >> arena->num_sockets)
		return false;
	if (range.mode == MODE_PREFERRED && !nodes)
		range.mode = MODE_LOCAL;
	if (!size_bytes) {
		rest = range;
		if (front.thread) {
			front.thread->policy_mode = range.mode;
			front.thread->policy_nodes = nodes;
		}
		return true;
	}
	cut(bound, range.first, range.end);
	if (range.mode != MODE_DEFAULT)
		VG_(addToXA)(list(&bound), &range);
	return true;
}

UInt policy_mode(Addr address, uint64_t *nodes)
{
	const struct range *range = address ? find(bound, address) : NULL;

	if (!range)
		range = &rest;
	*nodes = range->nodes;
	return range->mode;
}
