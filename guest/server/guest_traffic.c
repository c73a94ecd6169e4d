/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A guest's rounds as traffic of the model, and how its instructions make the
 * model's time.
 *
 * Time in the guest is the model's, and goes on where the model's stands still:
 * there a round takes the mean time of its instructions.
 *
 *  - COUNTING, ALWAYS: a round passes as long as the busiest CPU needs for it.
 *    While all CPUs are halted, what passes in the guest passes here, if it
 *    is to.
 *  - MARKED: the same between the marks; elsewhere time stands still. At the
 *    end of a region what is under way is waited for, so that a guest that
 *    reads its counters afterwards finds all of it there.
 *  - NONE: between the marks the workload runs as long as the instructions
 *    take, in the steps that a run to the end has as well; at the mark that
 *    ends a region it does run to its end.
 *
 * Lines that the model takes away while it works on a round go back with it;
 * those that it takes at other times with the next one.
 */
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "server/recording.h"
#include "uncore/error.h"
#include "uncore/live.h"

enum {
	FINISH_STEP_CYCLES = 1024, /* uncore_model_finish() looks as often */
	FINISH_SLICE_CYCLES = 64 * FINISH_STEP_CYCLES,
	MOST_NS = 20 * 1000 * 1000, /* that pass at a time, all CPUs halted */
	NS_TIMES_KHZ = 1000 * 1000, /* of ticks: 10^9 ns, 10^3 for each kHz */
};

static bool follows_instructions(const struct uncore_guest *guest)
{
	switch (guest->config.traffic) {
	case UNCORE_GUEST_COUNTING:
	case UNCORE_GUEST_ALWAYS: return true;
	case UNCORE_GUEST_MARKED: return guest->in_region;
	default: return false;
	}
}

void guest_want_traffic(struct uncore_guest *guest)
{
	struct channel *channel = guest->channel;
	bool wanted = false;

	switch (guest->config.traffic) {
	case UNCORE_GUEST_COUNTING:
		wanted = uncore_model_is_counting(
			uncore_live_enter(guest->live));
		uncore_live_leave(guest->live);
		break;
	case UNCORE_GUEST_ALWAYS: wanted = true; break;
	case UNCORE_GUEST_MARKED: wanted = guest->in_region; break;
	case UNCORE_GUEST_NONE: break;
	}
	atomic_store(&channel->traffic, wanted);
}

/* Invalidations */

static void leave_over(struct guest_leftover *left,
		       const struct channel_invalidation *entry)
{
	if (left->num == left->room) {
		uint32_t room = left->room ? left->room * 2 : 64;
		void *list = room > CHANNEL_INVALIDATIONS
				     ? NULL
				     : realloc(left->list,
					       room * sizeof(*left->list));

		if (!list) {
			left->forget = true;
			return;
		}
		left->list = list;
		left->room = room;
	}
	left->list[left->num++] = *entry;
}

static void invalidate(void *context, unsigned cpu, uint64_t line,
		       bool downgrade)
{
	struct uncore_guest *guest = context;
	const struct channel_invalidation entry = { line, downgrade };
	struct channel_turn *turn;

	if (!guest->working) {
		leave_over(&guest->leftovers[cpu], &entry);
		return;
	}
	turn = &guest->working->turns[cpu];
	if (turn->num_invalidations == CHANNEL_INVALIDATIONS)
		turn->forget = 1;
	else
		turn->invalidations[turn->num_invalidations++] = entry;
}

static void give_leftovers(struct guest_leftover *left,
			   struct channel_turn *turn)
{
	turn->forget = left->forget;
	turn->num_invalidations = left->num;
	if (left->num)
		memcpy(turn->invalidations, left->list,
		       left->num * sizeof(*left->list));
	left->num = 0;
	left->forget = false;
}

/* Rounds */

/* Neither TLBs nor prefetchers; where the latter are off there is nothing to
 * tell of them. */
static uint32_t told_by_guests(const struct uncore_model *model)
{
	uint32_t missing = UINT32_C(1) << UNCORE_CORE_DTLB_MISSES;

	if (uncore_model_prefetchers(model, 0))
		missing |= UINT32_C(1) << UNCORE_CORE_L2_PREFETCH_HITS |
			   UINT32_C(1) << UNCORE_CORE_L2_PREFETCH_MISSES |
			   UINT32_C(1) << UNCORE_CORE_L2_OUT_PREFETCH_CLEAN |
			   UINT32_C(1) << UNCORE_CORE_L2_OUT_PREFETCH_DIRTY;
	return ~missing;
}

void guest_start_traffic(struct uncore_guest *guest)
{
	struct uncore_model *model = uncore_live_enter(guest->live);

	portion_init(&guest->portion, model);
	guest->portion.invalidate = invalidate;
	guest->portion.context = guest;
	guest->portion.tells = told_by_guests(model);
	if (guest->config.traffic != UNCORE_GUEST_NONE)
		portion_attach(&guest->portion, model);
	uncore_live_leave(guest->live);
	guest_want_traffic(guest);
}

static uint32_t num_records(const struct channel_turn *turn)
{
	return turn->num_records < CHANNEL_RECORDS ? turn->num_records
						   : CHANNEL_RECORDS;
}

static double model_ticks(struct uncore_guest *guest)
{
	return (double)uncore_live_cycle(guest->live) * guest->ticks_per_cycle;
}

static void tell_time(struct uncore_guest *guest)
{
	atomic_store(&guest->channel->now_ticks,
		     (uint64_t)(model_ticks(guest) + guest->more_ticks));
}

/* For the model what lies behind `begin` has passed, in the guest no less than
 * so many instructions take. */
static void pass_in_guest(struct uncore_guest *guest, double instructions,
			  double begin)
{
	double ticks = instructions * guest->ticks_per_instruction;
	double passed = model_ticks(guest) - begin;

	if (passed < ticks)
		guest->more_ticks += ticks - passed;
	tell_time(guest);
}

/* The busiest CPU's instructions. */
static uint64_t note_round(struct uncore_guest *guest,
			   struct channel_round *round)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < guest->num_cpus; i++) {
		struct channel_turn *turn = &round->turns[i];

		give_leftovers(&guest->leftovers[i], turn);
		guest->status.instructions += turn->instructions - turn->waited;
		if (turn->instructions)
			memcpy(guest->portion.turns[i].counts, turn->counts,
			       sizeof(turn->counts));
		if (turn->instructions > most)
			most = turn->instructions;
	}
	guest->status.rounds++;
	return most;
}

static void work(struct uncore_guest *guest, struct channel_round *round)
{
	struct portion *portion = &guest->portion;
	bool done = false;

	for (unsigned i = 0; i < guest->num_cpus; i++) {
		const struct channel_turn *turn = &round->turns[i];

		if (turn->num_records)
			portion_add(portion, i, turn->records,
				    num_records(turn));
		else if (turn->instructions)
			portion_add_time(portion, i, turn->instructions);
	}
	if (guest->recording)
		recording_portion(guest->recording, portion);
	guest->working = round;
	portion_begin(portion, uncore_live_enter(guest->live));
	uncore_live_leave(guest->live);
	while (!done) {
		done = portion_work(portion, uncore_live_enter(guest->live));
		uncore_live_leave(guest->live);
	}
	guest->working = NULL;
}

/* The workload, for so many cycles or to its end (0). */
static void run_workload(struct uncore_guest *guest, uint64_t cycles,
			 const volatile int *stop)
{
	bool to_end = !cycles;

	while ((to_end || cycles) && !guest->workload_ended && !*stop) {
		uint64_t slice = FINISH_SLICE_CYCLES;

		if (!to_end && cycles < slice)
			slice = cycles;
		cycles -= to_end ? 0 : slice;
		guest->workload_ended = uncore_model_finish(
			uncore_live_enter(guest->live), slice, stop);
		uncore_live_leave(guest->live);
	}
}

static void pass_time(struct uncore_guest *guest, uint64_t instructions,
		      const volatile int *stop)
{
	uint64_t steps;

	guest->owed_cycles +=
		(double)instructions * guest->cycles_per_instruction;
	steps = (uint64_t)guest->owed_cycles / FINISH_STEP_CYCLES;
	if (!steps)
		return;
	guest->owed_cycles -= (double)(steps * FINISH_STEP_CYCLES);
	run_workload(guest, steps * FINISH_STEP_CYCLES, stop);
}

bool guest_serve_round(struct uncore_guest *guest, const volatile int *stop)
{
	struct channel_round *round =
		&guest->channel->rounds[guest->next_round];
	uint64_t instructions;
	double begin;

	if (atomic_load(&round->state) != ROUND_FULL)
		return false;
	instructions = note_round(guest, round);
	begin = model_ticks(guest);
	if (follows_instructions(guest))
		work(guest, round);
	else if (guest->in_region)
		pass_time(guest, instructions, stop);
	if (guest->config.traffic == UNCORE_GUEST_COUNTING)
		guest_want_traffic(guest); /* others may have written */
	pass_in_guest(guest, instructions, begin);
	round->end_ticks = atomic_load(&guest->channel->now_ticks);
	atomic_store(&round->state, ROUND_DONE);
	guest_ring(guest);
	guest->next_round ^= 1;
	return true;
}

/* Regions */

void guest_begin_region(struct uncore_guest *guest)
{
	if (guest->in_region)
		return;
	guest->in_region = true;
	guest->owed_cycles = 0;
	if (guest->recording)
		recording_begin(guest->recording);
	guest_want_traffic(guest);
}

void guest_end_region(struct uncore_guest *guest, const volatile int *stop)
{
	if (!guest->in_region)
		return;
	if (guest->config.traffic == UNCORE_GUEST_NONE) {
		run_workload(guest, 0, stop);
	} else {
		uncore_model_settle(uncore_live_enter(guest->live));
		uncore_live_leave(guest->live);
	}
	if (guest->recording)
		recording_end(guest->recording);
	tell_time(guest);
	guest->in_region = false;
	guest->status.regions++;
	guest_want_traffic(guest);
}

static bool passes_in_model(const struct uncore_guest *guest)
{
	return guest->config.clock != UNCORE_GUEST_INSTRUCTIONS &&
	       guest->config.traffic != UNCORE_GUEST_MARKED &&
	       guest->config.traffic != UNCORE_GUEST_NONE;
}

void guest_pass(struct uncore_guest *guest, uint64_t end_ticks)
{
	double most = (double)MOST_NS * guest->tick_khz / NS_TIMES_KHZ;
	double now = model_ticks(guest) + guest->more_ticks;
	double left = (double)end_ticks - now;

	if (left <= 0)
		return;
	if (left > most)
		left = most;
	if (passes_in_model(guest))
		uncore_live_step(guest->live,
				 (uint64_t)(left / guest->ticks_per_cycle),
				 NULL);
	guest->more_ticks = now + left - model_ticks(guest);
	/* Not a tick less than what was asked for, as numbers are rounded. */
	if (left < most)
		atomic_store(&guest->channel->now_ticks, end_ticks);
	else
		tell_time(guest);
}
