/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The classes of an input port, and the slots in front of a box. The arbiter
 * sees the oldest packets of a class, those in the entry table; the others are
 * in the overflow table until there is room (2.6.1.1). Within a class and
 * network, packets for the same port stay in order.
 *
 * A packet that is granted a cycle after it has entered is in nobody's way.
 * Only the others are remembered here.
 *
 * Simpler: who is looked at later does not push back who was granted something
 * before, though it may have entered earlier.
 */
#include <string.h>

#include "model/nehalem-ex/router_parts.h"

static unsigned way_of(const struct passage *passage)
{
	return passage->out + passage->next_network * RBOX_NUM_PORTS;
}

static bool is_ahead(const struct waited *waited, const struct passage *passage)
{
	return waited->cls == passage->cls &&
	       waited->entered <= passage->entered &&
	       waited->granted > passage->entered;
}

/* The n-th of those ahead is granted. */
static uint64_t nth_grant(const struct queue *queue,
			  const struct passage *passage, unsigned n)
{
	for (unsigned i = 0; i < queue->num; i++)
		if (is_ahead(&queue->waited[i], passage) && !n--)
			return queue->waited[i].granted;
	return passage->entered;
}

static uint64_t from_behind(const struct queue *queue, unsigned table,
			    struct passage *passage)
{
	uint64_t from;
	unsigned num = 0;

	for (unsigned i = 0; i < queue->num; i++)
		num += is_ahead(&queue->waited[i], passage);
	if (num >= table)
		passage->table = nth_grant(queue, passage, num - table);
	from = passage->table + 1;
	for (unsigned i = 0; i < queue->num; i++) {
		const struct waited *waited = &queue->waited[i];

		if (waited->way == way_of(passage) &&
		    is_ahead(waited, passage) && waited->granted >= from)
			from = waited->granted + 1;
	}
	return from;
}

uint64_t queue_from(const struct router *router, struct passage *passage)
{
	const struct queue *queue = &router->ports[passage->in].queue;

	passage->table = passage->entered;
	if (queue->until <= passage->entered)
		return passage->entered + 1;
	return from_behind(queue, router->config.entry_table, passage);
}

uint64_t queue_since(const struct router *router, const struct passage *passage)
{
	const struct queue *queue = &router->ports[passage->in].queue;
	uint64_t since = passage->entered;

	for (unsigned i = 0; i < queue->num; i++) {
		const struct waited *waited = &queue->waited[i];

		if (waited->cls == passage->cls &&
		    waited->granted < passage->granted &&
		    waited->granted > since)
			since = waited->granted;
	}
	return since;
}

void queue_note(struct router *router, const struct passage *passage,
		uint64_t now)
{
	struct queue *queue = &router->ports[passage->in].queue;
	struct waited *list = queue->waited;
	unsigned past = 0, i;

	while (past < queue->num && list[past].granted <= now)
		past++;
	if (!past && queue->num == ROUTER_WAITS)
		past = 1;
	queue->num -= past;
	if (past)
		memmove(list, list + past, queue->num * sizeof(*list));
	for (i = queue->num++; i && list[i - 1].granted > passage->granted; i--)
		list[i] = list[i - 1];
	queue->until = sim_later(queue->until, passage->granted);
	list[i] = (struct waited){ passage->entered, passage->granted,
				   passage->cls, (uint8_t)way_of(passage) };
}

/* Whether a packet is in front of the same box in any of these cycles. */
static bool is_beside(const struct recent *other, const struct passage *passage,
		      uint64_t from, uint64_t to)
{
	return other->out == passage->out && other->cls == passage->cls &&
	       other->until > from && other->granted < to;
}

/* The box, or one before it, is late. */
static uint64_t slot_from_late(const struct router *router,
			       struct passage *passage, uint64_t at)
{
	uint64_t first = UINT64_MAX;
	unsigned num = 0;

	for (unsigned i = 0; i < ROUTER_RECENT; i++) {
		const struct recent *other = &router->recent[i];

		if (is_beside(other, passage, at, at + passage->flits) &&
		    other->granted < at)
			passage->taken =
				sim_later(passage->taken, other->until);
	}
	for (unsigned i = 0; i < ROUTER_RECENT; i++) {
		const struct recent *other = &router->recent[i];

		if (!is_beside(other, passage, at, passage->taken))
			continue;
		num++;
		if (other->until < first)
			first = other->until;
	}
	return num < router->config.output_packets ? at : first + 1;
}

uint64_t slot_from(const struct router *router, struct passage *passage,
		   uint64_t at, uint64_t room_from)
{
	uint64_t crossed = at + passage->flits;

	passage->taken = sim_later(crossed, room_from);
	if (router->ports[passage->out].held_until <= at &&
	    passage->taken == crossed)
		return at;
	return slot_from_late(router, passage, at);
}
