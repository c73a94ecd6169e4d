/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The request table of an S-Box (guide 2.5.1). A request of a C-Box for memory
 * holds an entry of it and a tracker credit of its home from before it leaves
 * the C-Box until it is complete; so the home agent always has room for it.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "signals.h"

/* Kept back from misses. A write-back waits for nobody, but a miss may wait
 * for a slice elsewhere that has to write back first; so the last entry and
 * the last credit are for write-backs, where there is more than one. */
static unsigned wanted(bool is_write_back, const struct places *places)
{
	return !is_write_back && places->num > 1 ? 2 : 1;
}

/* When so many places are free. */
static uint64_t wait_for(const struct places *places, uint64_t from,
			 unsigned num)
{
	for (;;) {
		uint64_t next = PLACES_NEVER;
		unsigned num_free = 0;

		for (unsigned i = 0; i < places->num; i++) {
			uint64_t until = places->until[i];

			if (places->free >> i & 1 || until <= from)
				num_free++;
			else if (until < next)
				next = until;
		}
		if (num_free >= num || from == PLACES_NEVER)
			return from;
		from = next;
	}
}

static uint64_t free_from(struct places *places, uint64_t now, uint64_t from,
			  unsigned num)
{
	uint64_t left = places->free;

	for (unsigned i = 1; i < num; i++)
		left &= left - 1;
	if (left)
		return from;
	places_search(places, now, from); /* marks what is free by now */
	return wait_for(places, from, num);
}

uint64_t agent_table_from(struct ex *ex, struct agent *agent, uint64_t from,
			  bool is_write_back)
{
	return free_from(&agent->table, engine_now(&ex->engine), from,
			 wanted(is_write_back, &agent->table));
}

/* Home agents have every second node id. */
static unsigned home_index(unsigned node)
{
	return node / 2;
}

uint64_t agent_tracker_from(struct ex *ex, struct agent *agent, unsigned home,
			    uint64_t from, bool is_write_back)
{
	struct places *trackers;

	if (!agent->has_trackers)
		return from;
	trackers = &agent->trackers[home_index(home)];
	return free_from(trackers, engine_now(&ex->engine), from,
			 wanted(is_write_back, trackers));
}

unsigned agent_take(struct ex *ex, struct agent *agent, int home, uint64_t from,
		    bool is_write_back, uint32_t *number)
{
	uint64_t now = engine_now(&ex->engine);
	unsigned serial = places_take(&agent->table, now, &from);
	struct agent_entry *entry = &agent->entries[serial];

	entry->is_write_back = is_write_back;
	entry->shown = from;
	entry->is_nc = home < 0;
	/* the guide: the U-Box of the same socket is remote */
	entry->is_local =
		home >= 0 && NODE_SOCKET((unsigned)home) == agent->index;
	if (agent->has_trackers && home >= 0) {
		entry->home = (uint8_t)home_index((unsigned)home);
		entry->tracker = (uint8_t)places_take(
			&agent->trackers[entry->home], now, &from);
	}
	*number = ++agent->number;
	return serial;
}

void agent_show_from(struct agent *agent, unsigned serial, uint64_t from)
{
	agent->entries[serial].shown = from;
}

void agent_keep(struct agent *agent, unsigned serial, uint64_t until)
{
	struct agent_entry *entry = &agent->entries[serial];

	if (until <= entry->shown)
		return;
	sig_span(agent->bank,
		 entry->is_local ? SIG_SBOX_REQ_TBL_LOCAL
				 : SIG_SBOX_REQ_TBL_REMOTE,
		 entry->shown, until, 1);
	entry->shown = until;
}

void agent_release(struct ex *ex, struct agent *agent, unsigned serial,
		   uint64_t until)
{
	const struct agent_entry *entry = &agent->entries[serial];

	(void)ex;
	places_hold(&agent->table, serial, until);
	if (agent->has_trackers && !entry->is_nc)
		places_hold(&agent->trackers[entry->home], entry->tracker,
			    until);
	agent_keep(agent, serial, until);
}
