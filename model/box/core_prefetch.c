/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the hardware prefetchers ask for is decided beside the program
 * (model/box/prefetch.h) and comes as accesses. A prefetch has an entry of the
 * L2's super queue, no fill buffer, and neither the window nor a dependence
 * looks at it, until the traffic says that its line is used for the first time:
 * while it is under way, it is from then on what it would have been without a
 * prefetcher, a load with a fill buffer. Where the super queue is full a
 * processor drops a prefetch. Here the private caches have the line already, so
 * it waits for an entry, and what follows it waits, too: a miss would have to,
 * and of hits there are only so many between two prefetches.
 */
#include "model/box/core.h"
#include "model/box/detail.h"
#include "model/box/socket.h"

/* A prefetch counts for nothing but the super queue. */
void core_start_prefetch(struct core *core, unsigned entry)
{
	struct core_miss *miss = &core->misses[entry];

	miss->is_ahead = true;
	miss->is_timed = false;
	if (miss->request == REQUEST_LOAD)
		miss->request = REQUEST_DATA;
	if (!miss->is_near)
		miss->request += REQUEST_PREFETCH_DATA - REQUEST_DATA;
	core->num_misses--;
	core->loads &= ~(UINT64_C(1) << entry);
	core->num_prefetches++;
}

/* From now on it has a fill buffer, and with is_load the window waits. */
static void end_prefetch(struct core *core, struct core_miss *miss,
			 bool is_load)
{
	miss->is_ahead = false;
	miss->instruction = core->instruction;
	core->num_prefetches--;
	core->num_misses++;
	if (is_load)
		core_add_load(core, (unsigned)(miss - core->misses));
}

/* What the core has asked for of a line; else NULL. */
static struct core_miss *find_miss(struct core *core, uint64_t line)
{
	if (!core_awaits_line(core, line))
		return NULL;
	for (uint64_t used = core->used; used; used &= used - 1) {
		struct core_miss *miss = &core->misses[__builtin_ctzll(used)];

		if (miss->line == line && !miss->to_llc)
			return miss;
	}
	return NULL;
}

/* The prefetch of a line, under way; else NULL. */
static struct core_miss *find_prefetch(struct core *core, uint64_t line)
{
	struct core_miss *miss = find_miss(core, line);

	return miss && miss->is_ahead ? miss : NULL;
}

/* For an instruction that loads it is as if it had missed now. */
static void count_late(struct core *core, struct core_miss *miss)
{
	const struct uncore_access *access = &core->access;

	if (access->kind != UNCORE_ACCESS_READ || access->is_walk)
		return;
	core->counts.late[access->is_near]++;
	miss->is_timed = true;
	miss->started = sim_now(core->socket->sim) << 16;
}

/* The first use of a prefetched line; whether it has to wait until it can be.
 */
static bool use_prefetched(struct core *core)
{
	struct core_miss *miss;

	if (core_is_window_full(core) || core_needs_load(core))
		return true;
	miss = find_prefetch(core, core->access.line);
	if (miss && core->num_misses >= core->fill_buffers)
		return true;
	if (miss) {
		end_prefetch(core, miss, true);
		count_late(core, miss);
	}
	core_end_access(core);
	detail_count(core->socket->detail);
	return false;
}

bool core_joins_miss(struct core *core)
{
	struct core_miss *miss;

	if (core->access.kind != UNCORE_ACCESS_OWN || core_is_window_full(core))
		return false;
	miss = find_miss(core, core->access.line);
	if (!miss || miss->is_written ||
	    (miss->is_ahead ? core->num_misses >= core->fill_buffers
			    : miss->kind != UNCORE_ACCESS_READ))
		return false;
	if (miss->is_ahead)
		end_prefetch(core, miss, core->access.waits);
	miss->is_written = true;
	miss->is_locked = core->access.waits;
	miss->is_near = core->access.is_near;
	miss->store = core_requester(core);
	core_end_access(core);
	detail_count(core->socket->detail);
	return true;
}

void core_write_joined(struct core *core)
{
	struct sim *sim = core->socket->sim;

	for (uint64_t used = core->used; used; used &= used - 1) {
		struct core_miss *miss = &core->misses[__builtin_ctzll(used)];
		uint64_t before;

		if (!miss->is_written || miss->kind == UNCORE_ACCESS_OWN)
			continue;
		before = sim_act_for(sim, miss->store);
		if (core->socket->kind->write_silently(core, miss->line))
			miss->is_written = false;
		sim_act_for(sim, before);
	}
}

bool core_meets_prefetch(struct core *core, bool *wait)
{
	const struct uncore_access *access = &core->access;

	*wait = false;
	if (access->prefetch == UNCORE_PREFETCH_USED)
		*wait = use_prefetched(core);
	else if (access->prefetch)
		*wait = core->rwrf >= core->rwrf_room || !~core->used ||
			core->is_stopped || core_is_super_full(core) ||
			core_awaits_line(core, access->line);
	else
		return false;
	return true;
}

/* A store's line is there: whether that was all; else it asks for the right to
 * write, unless that came with the line. */
static bool is_written(struct core *core, unsigned entry)
{
	struct socket *socket = core->socket;
	struct core_miss *miss = &core->misses[entry];
	uint64_t before;

	if (miss->kind != UNCORE_ACCESS_OWN) {
		if (socket->kind->write_silently(core, miss->line))
			return true;
		miss->kind = UNCORE_ACCESS_OWN;
		if (!miss->is_locked)
			core_end_load(core, entry);
	}
	if (core->rwrf < core->rwrf_room) {
		core_tell_answer(core, miss);
		miss->asked = sim_now(socket->sim);
		miss->is_written = miss->is_answered = false;
		miss->request = REQUEST_OWN;
		core->num_requests++;
		core->counts.upgrades += miss->is_near;
		miss->requester = miss->store;
		before = sim_act_for(socket->sim, miss->store);
		core_send_request(core, entry);
		sim_act_for(socket->sim, before);
	} else {
		sim_at(socket->sim, sim_now(socket->sim) + 1, core_done, core,
		       entry);
	}
	return false;
}

bool core_prefetch_done(struct core *core, unsigned entry)
{
	struct core_miss *miss = &core->misses[entry];

	if (miss->is_written)
		return is_written(core, entry);
	end_prefetch(core, miss, false);
	return true;
}
