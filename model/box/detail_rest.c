/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Rests: nobody asks for anything for long, since all sleep, or all compute.
 * What is counted meanwhile is known for certain, and stands for nothing else;
 * so who listens is told where a rest begins and ends, within windows and
 * stretches. A rest passes in the engine, to which it is nearly nothing.
 */
#include <math.h>

#include "model/box/detail_parts.h"

bool detail_is_any_awaited(const struct detail *detail)
{
	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *core = core_of(detail, i);

		if (core->state == CORE_WAITS_FOR_TRAFFIC && core->is_polled &&
		    core->num_accesses)
			return true;
	}
	return false;
}

static void stop_resting(void *object, uint64_t unused)
{
	struct detail *detail = object;
	double now = (double)sim_now(detail->sockets[0]->sim) +
		     (double)detail->skipped / (1 << 16);

	(void)unused;
	if (now >= detail->wakes_at)
		detail_end_rest(detail);
}

static void begin_idle(struct detail *detail)
{
	detail->is_idle = true;
	detail->idle_at = sim_now(detail->sockets[0]->sim);
	detail_tell(detail, UNCORE_MODEL_REST_BEGINS);
}

/* What was computed meanwhile is none of the window's either. */
void detail_end_idle(struct detail *detail)
{
	uint64_t passed = (sim_now(detail->sockets[0]->sim) - detail->idle_at)
			  << 16;
	uint64_t before = 0;

	detail->is_idle = false;
	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *core = core_of(detail, i);
		uint64_t *rested = rested_of(detail, core), more = passed;

		if (core->state != CORE_RUNS || !core->has_access)
			continue;
		if (more > core->latest_gap - *rested) {
			before += more - (core->latest_gap - *rested);
			more = core->latest_gap - *rested;
		}
		*rested += more;
		detail->rested += more;
	}
	detail->rested += before < detail->computed ? before : detail->computed;
	detail->computed = 0;
	detail_tell(detail, UNCORE_MODEL_REST_ENDS);
}

/* Whether all cores compute for long, and nothing is under way. */
static bool are_all_idle(const struct detail *detail)
{
	uint64_t now = sim_now(detail->sockets[0]->sim);
	bool any = false;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *core = core_of(detail, i);
		uint64_t start = core->ready >> 16;

		if (core->used)
			return false;
		if (core->state != CORE_RUNS)
			continue;
		if (core->step || !core->has_access ||
		    start < now + DETAIL_IDLE)
			return false;
		any = true;
	}
	return any;
}

static void look_for_idle(void *object, uint64_t unused)
{
	struct detail *detail = object;

	(void)unused;
	detail->is_looked_for_idle = false;
	if (!detail->is_resting && !detail->is_idle && !detail->is_settling &&
	    detail->left && !detail_is_any_awaited(detail) &&
	    are_all_idle(detail))
		begin_idle(detail);
}

void detail_look_for_idle(struct detail *detail)
{
	struct sim *sim = detail->sockets[0]->sim;

	if (!detail->on_window || detail->is_looked_for_idle)
		return;
	detail->is_looked_for_idle = true;
	sim_at(sim, sim_now(sim) + DETAIL_SETTLED, look_for_idle, detail, 0);
}

void detail_lie_idle(struct detail *detail)
{
	uint64_t now = sim_now(detail->sockets[0]->sim), first = UINT64_MAX;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		struct core *core = core_of(detail, i);

		if (core->state == CORE_RUNS && core->has_access &&
		    core->ready >> 16 < first)
			first = core->ready >> 16;
		core_hold(core);
	}
	detail_settle(detail, first > now ? first - now : 0);
	begin_idle(detail);
}

void detail_begin_rest(struct detail *detail)
{
	struct sim *sim = detail->sockets[0]->sim;
	double at =
		ceil(detail->wakes_at - (double)detail->skipped / (1 << 16));

	if (detail->is_idle)
		detail_end_idle(detail);
	sim_at(sim, (uint64_t)fmax(at, (double)sim_now(sim)), stop_resting,
	       detail, 0);
	detail->is_resting = true;
	detail_tell(detail, UNCORE_MODEL_REST_BEGINS);
}

void detail_rest(struct detail *detail, struct core *core, double wakes_at)
{
	detail->sleeper = core;
	detail->wakes_at = wakes_at;
	if (!detail->is_quick) /* or behind the stretch */
		detail_begin_rest(detail);
}

bool detail_end_rest(struct detail *detail)
{
	struct core *sleeper = detail->sleeper;

	if (!detail->is_resting)
		return false;
	detail->is_resting = false;
	detail->sleeper = NULL;
	detail_tell(detail, UNCORE_MODEL_REST_ENDS);
	core_wake(sleeper);
	return true;
}
