/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What comes due by itself: refreshes, sleep, the closing of idle pages, and
 * what the owner has of that kind. It is worked off in the order of time when
 * somebody comes, or looks; events bring it forward where the cycle in which
 * that is done matters, and in long rests. And the commands for those who check
 * or record them.
 */
#include "model/parts/memory/mc.h"

#include "model/pmu/tap.h"

bool mc_init(struct mc *mc)
{
	const struct mc_config *c = &mc->config;

	dram_init(&mc->map, &c->dram);
	mc->page_idle = c->page_idle_clocks;
	mc->idle_due = mc->next_due = MC_NEVER;
	mc->alarm_cycle = SIM_NEVER;
	for (unsigned i = 0; i < DRAM_MAX_BANKS; i++)
		mc->pages[i].closed_row = mc->pages[i].timed_row = -1;
	mc_rank_start(mc);
	mc->banks = banks_new(&c->dram);
	if (c->has_check)
		mc->trace = dram_trace_new(&c->dram);
	return mc->banks && (mc->trace || !c->has_check);
}

void mc_fini(struct mc *mc)
{
	banks_free(mc->banks);
	dram_trace_free(mc->trace);
}

struct mc_txn mc_txn(const struct mc *mc, uint64_t line, bool is_write,
		     uint64_t entry)
{
	struct dram_place place = dram_place_of(&mc->map, line);

	return (struct mc_txn){
		.place = place,
		.rank = (uint8_t)dram_rank_of(&mc->map, place.bank),
		.is_write = is_write,
		.entry = entry,
		.activate = MC_NEVER,
		.precharge = MC_NEVER,
		.column = MC_NEVER,
	};
}

/* What comes due */

static uint64_t find_next(const struct mc *mc)
{
	uint64_t next = mc->kind->next(mc);

	if (mc->idle_due < next)
		next = mc->idle_due;
	return mc->ranks_due < next ? mc->ranks_due : next;
}

/* All that ranks do by themselves up to a clock. */
static void work_off_ranks(struct mc *mc, uint64_t clock)
{
	mc->ranks_due = MC_NEVER;
	for (unsigned i = 0; i < mc->map.num_ranks; i++) {
		mc_rank_until(mc, i, clock);
		mc_rank_due(mc, i);
	}
}

static void due_event(void *object, uint64_t cycle)
{
	struct mc *mc = object;

	if (mc->alarm_cycle != cycle)
		return;
	mc->alarm_cycle = SIM_NEVER;
	mc->kind->enter(mc, cycle);
	mc_listen(mc);
}

/* Asks for an event when the next thing comes due; much later where nobody
 * wants it then: a long rest is worked off in parts, so that who ends it, or
 * looks, does not wait for all of it. */
void mc_listen(struct mc *mc)
{
	const uint64_t much_later = UINT64_C(1) << 36;
	uint64_t cycle;

	if (mc->next_due == MC_NEVER)
		return;
	cycle = sim_later(mc->kind->cycle(mc, mc->next_due), sim_now(mc->sim));
	if (!(mc->is_timely || tap_is_any_ordered(mc->signals)))
		cycle += much_later;
	if (cycle >= mc->alarm_cycle)
		return;
	mc->alarm_cycle = cycle;
	sim_at(mc->sim, cycle, due_event, mc, cycle);
}

void mc_due_by(struct mc *mc, uint64_t clock)
{
	if (clock >= mc->next_due)
		return;
	mc->next_due = clock;
	mc_listen(mc);
}

/* The distances that commands keep reach back a bit. */
static SIG_SLOW void slide(struct mc *mc, uint64_t clock)
{
	uint64_t back = mc->banks->gap;

	mc->next_slide = clock + 64;
	if (mc->kind->slide)
		mc->kind->slide(mc, clock);
	if (clock > back)
		banks_forget(mc->banks, clock - back);
	if (mc->trace)
		dram_trace_until(mc->trace, clock);
}

/* Of the owner's things one; the next may come due in the same clock. */
static void work_off(struct mc *mc, uint64_t clock)
{
	if (mc->idle_due == clock)
		mc_close_idle(mc, clock);
	if (mc->kind->next(mc) == clock)
		mc->kind->work_off(mc, clock);
	if (mc->ranks_due <= clock)
		work_off_ranks(mc, clock);
}

/* All that comes due up to the present clock. */
static SIG_SLOW void due(struct mc *mc)
{
	uint64_t next = find_next(mc);
	uint64_t before = sim_act_for(mc->sim, 0);

	while (next <= mc->present) {
		slide(mc, next);
		work_off(mc, next);
		mc_rest(mc, mc->present);
		next = find_next(mc);
	}
	mc->next_due = next;
	mc_listen(mc);
	sim_act_for(mc->sim, before);
}

void mc_start(struct mc *mc)
{
	mc->next_due = find_next(mc);
	mc_listen(mc);
}

void mc_enter(struct mc *mc, uint64_t present)
{
	mc->present = present;
	if (present >= mc->next_due)
		due(mc);
	if (present >= mc->next_slide)
		slide(mc, present);
	else if (mc->trace)
		dram_trace_until(mc->trace, present);
}

/* Who watches commands */

int mc_trace(struct mc *mc, dram_trace_fn *fn, void *object)
{
	if (!mc->trace)
		mc->trace = dram_trace_new(NULL);
	if (!mc->trace)
		return -1;
	dram_trace_record(mc->trace, fn, object);
	return 0;
}

const char *mc_check(const struct mc *mc)
{
	return mc->trace ? dram_trace_fault(mc->trace) : NULL;
}

void mc_show(struct mc *mc, enum dram_cmd cmd, unsigned bank,
	     const struct mc_txn *txn, uint64_t clock)
{
	const struct dram_config *d = &mc->config.dram;
	unsigned rank = dram_rank_of(&mc->map, bank);

	if (!mc->trace)
		return;
	dram_trace_add(mc->trace,
		       (struct dram_command){
			       .clock = clock,
			       .row = txn ? txn->place.row : 0,
			       .column = txn ? txn->place.column : 0,
			       .cmd = (uint8_t)cmd,
			       .bus = (uint8_t)dram_bus_of(&mc->map, bank),
			       .rank = (uint8_t)(rank & (d->ranks - 1)),
			       .bank = (uint8_t)(bank & (d->banks - 1)),
		       });
}
