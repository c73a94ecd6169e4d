/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What comes due without the B-Box: refresh, the patrol scrub, idle pages,
 * writes that have waited, ranks that go to sleep, a look at the temperatures.
 * It is worked off in the order of time when somebody comes, or looks; events
 * bring it forward only where the cycle in which that is done matters.
 *
 * Refresh: every rank has its turn once in tREFI, evenly spread. From then on
 * the rank takes no new transactions; when those dispatched are done its open
 * banks are closed (PREALL) and the refresh is given (RFR). After some thousand
 * refreshes a rank gets a short calibration (ZQCAL) in the same way.
 *
 * Choices: a refresh is never postponed for traffic. The scrubber reads line
 * after line; while the M-Box is full it waits for its next turn.
 */
#include "model/nehalem-ex/memory_parts.h"
#include "model/pmu/tap.h"

/* The first refresh of each rank. */
static void start_refresh(struct memory *memory)
{
	uint64_t trefi = memory->config.dram.trefi_clocks;
	unsigned ranks = memory->map.num_ranks;

	for (unsigned i = 0; i < ranks; i++)
		memory->ranks[i].refresh_cycle =
			trefi ? memory_cycle(memory, (i + 1) * trefi / ranks)
			      : SIM_NEVER;
}

/* The cycle in which the first refresh of all comes due. */
uint64_t memory_refresh_due(const struct memory *memory)
{
	uint64_t first = SIM_NEVER;

	for (unsigned i = 0; i < memory->map.num_ranks; i++)
		if (memory->ranks[i].refresh_cycle < first)
			first = memory->ranks[i].refresh_cycle;
	return first;
}

/* The pages of a rank, as they are when its refresh comes due. */
void memory_close_rank(struct memory *memory, unsigned index, uint64_t cycle)
{
	unsigned num = memory->config.dram.banks;
	uint64_t clock = memory_clock_after(memory, cycle);

	memory_write_rank(memory, index, cycle);
	for (unsigned i = index * num; i < (index + 1) * num; i++)
		memory_page_settle(memory, i, cycle);
	if (!banks_is_open(memory->banks, index))
		return;
	clock = banks_precharge_all(memory->banks, index, clock);
	memory_show(memory, DRAM_PREALL, index * num, clock);
}

static uint64_t give(struct memory *memory, unsigned index, enum dram_cmd cmd,
		     unsigned clocks, uint64_t clock)
{
	clock = banks_occupy(memory->banks, index, clocks, clock);
	memory_show(memory, cmd, index << memory->banks->bank_bits, clock);
	memory->ranks[index].busy_until = memory_cycle(memory, clock + clocks);
	return clock;
}

static void refresh(struct memory *memory, unsigned index, uint64_t due)
{
	const struct dram_config *d = &memory->config.dram;
	struct memory_rank *rank = &memory->ranks[index];
	uint64_t cycle = sim_later(due, rank->busy_until);
	uint64_t clock;

	if (rank->sleep == MEMORY_SELF_REFRESH)
		return;
	if (rank->sleep == MEMORY_POWER_DOWN) {
		memory_rank_wake(memory, index, cycle);
		cycle = rank->busy_until;
	}
	memory_close_rank(memory, index, cycle);
	clock = give(memory, index, DRAM_RFR, d->trfc_clocks,
		     memory_clock_after(memory, cycle));
	memory_pulse(memory, SIG_MBOX_REFRESH, memory_cycle(memory, clock));
	rank->is_script = false;
	rank->num_done++;
	if (d->zqcal_refreshes && rank->num_done % d->zqcal_refreshes == 0)
		give(memory, index, DRAM_ZQCAL, d->tzqcs_clocks,
		     clock + d->trfc_clocks);
}

/* The refreshes of a rank that come due up to a cycle, which may lie ahead. */
void memory_refresh_until(struct memory *memory, unsigned index, uint64_t cycle)
{
	struct memory_rank *rank = &memory->ranks[index];

	while (rank->refresh_cycle <= cycle) {
		uint64_t due = rank->refresh_cycle;

		rank->refresh_cycle +=
			memory_cycle(memory, memory->config.dram.trefi_clocks);
		refresh(memory, index, due);
	}
}

static void scrub(struct memory *memory)
{
	uint64_t at = memory->patrol_cycle;

	memory->patrol_cycle += memory->config.patrol_interval_cycles;
	if (memory_full_until(memory, at) > at)
		return;
	memory_patrol(memory, memory->patrol_line, at);
	if (++memory->patrol_line == memory->map.num_lines)
		memory->patrol_line = 0;
}

static uint64_t first(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t find_next(const struct memory *memory)
{
	uint64_t next = first(memory->idle_due, memory->patrol_cycle);

	next = first(next, memory_refresh_due(memory));
	next = first(next, memory->write_alarm);
	if (memory->heat.is_watched)
		next = first(next, memory->heat.next_look);
	if (memory->may_sleep)
		next = first(next, memory_rank_due(memory));
	return next;
}

static void refresh_all(struct memory *memory, uint64_t cycle)
{
	for (unsigned i = 0; i < memory->map.num_ranks; i++)
		memory_refresh_until(memory, i, cycle);
}

/* One thing that comes due in a cycle. */
static void work_off(struct memory *memory, uint64_t cycle)
{
	if (memory->idle_due == cycle)
		memory_page_close(memory);
	else if (memory_refresh_due(memory) == cycle)
		refresh_all(memory, cycle);
	else if (memory->patrol_cycle == cycle)
		scrub(memory);
	else if (memory->write_alarm == cycle)
		memory_write_due(memory, cycle);
	else if (memory->heat.is_watched && memory->heat.next_look == cycle)
		memory_heat_look(memory, cycle);
	else
		memory_rank_sleep(memory, cycle);
}

static void idle_event(void *object, uint64_t cycle);

/* Something comes due in a cycle. */
void memory_due_by(struct memory *memory, uint64_t cycle)
{
	if (cycle >= memory->next_due)
		return;
	memory->next_due = cycle;
	memory_due_listen(memory);
}

/* Somebody wants things to be worked off in their cycle: a counter, or faults,
 * which are drawn for both M-Boxes in the order of time. */
static bool is_on_time(const struct memory *memory)
{
	return memory->command_faults || memory->read_faults ||
	       tap_is_any_ordered(memory->signals);
}

/* Asks for an event when the next thing comes due, if somebody wants it. */
void memory_due_listen(struct memory *memory)
{
	uint64_t cycle = sim_later(memory->next_due, memory->now);

	if (memory->next_due == SIM_NEVER || cycle >= memory->idle_alarm ||
	    !is_on_time(memory))
		return;
	memory->idle_alarm = cycle;
	sim_at(memory->sim, cycle, idle_event, memory, cycle);
}

static void idle_event(void *object, uint64_t cycle)
{
	struct memory *memory = object;

	if (memory->idle_alarm != cycle)
		return;
	memory->idle_alarm = SIM_NEVER;
	memory_enter(memory, cycle);
	memory_due_listen(memory);
}

/* All that comes due up to a cycle, which is not ahead. */
void memory_due(struct memory *memory, uint64_t cycle)
{
	uint64_t next = find_next(memory);
	uint64_t before = sim_act_for(memory->sim, 0);

	while (next <= cycle) {
		if (cycle - next >= MEMORY_LONG_IDLE &&
		    memory_may_skip(memory, next)) {
			memory_skip(memory, cycle);
		} else {
			memory->moment = next;
			memory_slide(memory, next);
			if (memory->trace)
				dram_trace_until(memory->trace,
						 memory_clock(memory, next));
			work_off(memory, next);
		}
		next = find_next(memory);
	}
	memory->next_due = next;
	memory_due_listen(memory);
	sim_act_for(memory->sim, before);
}

void memory_due_start(struct memory *memory)
{
	uint64_t interval = memory->config.patrol_interval_cycles;

	memory->patrol_cycle = interval ? interval : SIM_NEVER;
	memory->idle_alarm = SIM_NEVER;
	start_refresh(memory);
	memory->next_due = find_next(memory);
	memory_due_listen(memory);
}
