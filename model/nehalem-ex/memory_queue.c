/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The queues as events see them: the read and the write queue of DSP, which are
 * full or empty, and the retry queue (guide 2.7.4.4).
 *
 * Choices the guide leaves open: the retry queue is starved from a number of
 * waiting commands on, and at a larger number ("badly starved") the M-Box is
 * full and takes nothing more from the B-Box until some have gone.
 */
#include "model/nehalem-ex/memory_parts.h"

enum { FULL, EMPTY, LEVELS };

static const uint16_t levels[][LEVELS] = {
	{ SIG_MBOX_DSP_RDQ_FULL, SIG_MBOX_DSP_RDQ_EMPTY },
	{ SIG_MBOX_DSP_WRQ_FULL, SIG_MBOX_DSP_WRQ_EMPTY },
};

static unsigned capacity(const struct memory *memory, bool is_write)
{
	return is_write ? memory->config.write_queue_entries
			: memory->config.read_queue_entries;
}

void memory_queue_start(struct memory *memory)
{
	for (unsigned i = 0; i < 2; i++) {
		places_init(&memory->queues[i], capacity(memory, i));
		sig_set(memory->signals, levels[i][EMPTY], 1);
	}
}

/* The first cycle from one on in which a queue has room. */
uint64_t memory_queue_from(struct memory *memory, bool is_write, uint64_t cycle)
{
	return places_from(&memory->queues[is_write], memory->moment, cycle);
}

/* The place of a transaction that is dispatched, for places_hold(). */
unsigned memory_queue_take(struct memory *memory, const struct memory_txn *txn)
{
	uint64_t cycle = txn->dispatched;

	return places_take(&memory->queues[txn->dram.is_write], memory->moment,
			   &cycle);
}

/* It leaves its place in a cycle, having been published to be there until
 * another. */
void memory_queue_leave(struct memory *memory, const struct memory_txn *txn,
			unsigned place, uint64_t shown, uint64_t until)
{
	places_hold(&memory->queues[txn->dram.is_write], place, until);
	memory_queue_change(memory, txn->dram.is_write, shown, until);
}

/* What is over goes. */
void memory_queue_forget(struct memory *memory, uint64_t cycle)
{
	for (unsigned i = 0; i < 2; i++)
		occupancy_forget(&memory->occupancies[i], cycle);
	occupancy_forget(&memory->retries, cycle);
}

/* One more is in the queue from a cycle until another; or, if `until` is the
 * earlier, one less from there on. */
void memory_queue_change(struct memory *memory, bool is_write, uint64_t from,
			 uint64_t until)
{
	struct occupancy *occupancy = &memory->occupancies[is_write];
	unsigned most = capacity(memory, is_write);
	int by = until > from ? 1 : -1;
	struct occupancy_steps steps;

	if (from == until)
		return;
	steps = by > 0 ? occupancy_enter(occupancy, from, until, 1)
		       : occupancy_enter(occupancy, until, from, -1);
	for (unsigned i = steps.first; i < steps.end; i++) {
		const struct occupancy_step *step = &occupancy->steps[i];
		unsigned before = step->count - (unsigned)by;
		int empty = !step->count - !before;
		int full = (step->count == most) - (before == most);

		if (empty)
			memory_span(memory, levels[is_write][EMPTY], step->at,
				    step[1].at, empty);
		if (full)
			memory_span(memory, levels[is_write][FULL], step->at,
				    step[1].at, full);
	}
}

/* The retries that are known to come from a cycle until another happen while
 * the queue is starved, or full. */
static void mark_attempts(struct memory *memory, uint64_t from, uint64_t until,
			  bool is_full)
{
	unsigned id = is_full ? SIG_MBOX_RETRY_MFULL : SIG_MBOX_RETRY_STARVE;

	for (unsigned i = 0; i < memory->num_attempts; i++) {
		struct memory_attempt *attempt = &memory->attempts[i];
		bool *is_marked =
			is_full ? &attempt->is_full : &attempt->is_starved;

		if (*is_marked || attempt->cycle < from ||
		    attempt->cycle >= until)
			continue;
		*is_marked = true;
		memory_pulse(memory, id, attempt->cycle);
	}
}

/* The retry queue has as many as it holds. */
static void become_full(struct memory *memory, uint64_t from)
{
	uint64_t until = occupancy_falls_to(
		&memory->retries, from, memory->config.retry_resume_entries);
	uint64_t at = from, end;

	for (; spans_gap(&memory->full, &at, until, &end); at = end) {
		memory_span(memory, SIG_MBOX_MFULL, at, end, 1);
		mark_attempts(memory, at, end, true);
	}
	spans_add(&memory->full, memory->moment, from, until);
}

/* The first cycle from one on in which the M-Box takes commands. */
uint64_t memory_full_until(const struct memory *memory, uint64_t cycle)
{
	for (unsigned i = 0; i < memory->full.num; i++) {
		const struct span *span = &memory->full.spans[i];

		if (cycle >= span->from && cycle < span->to)
			return span->to;
	}
	return cycle;
}

/* A transaction waits in the retry queue. */
void memory_queue_retry(struct memory *memory, uint64_t from, uint64_t until)
{
	const struct mbox_config *c = &memory->config;
	struct occupancy *occupancy = &memory->retries;
	struct occupancy_steps steps =
		occupancy_enter(occupancy, from, until, 1);

	for (unsigned i = steps.first; i < steps.end; i++) {
		if (occupancy->steps[i].count == c->retry_starve_entries) {
			memory_span(memory, SIG_MBOX_RETRYQ_STARVED,
				    occupancy->steps[i].at,
				    occupancy->steps[i + 1].at, 1);
			mark_attempts(memory, occupancy->steps[i].at,
				      occupancy->steps[i + 1].at, false);
		}
		if (occupancy->steps[i].count >= c->retry_queue_entries)
			become_full(memory, occupancy->steps[i].at);
	}
}

/* Room for one more; what is past goes, or else the one that comes first. */
static struct memory_attempt *new_attempt(struct memory *memory)
{
	unsigned num = 0, first = 0;

	if (memory->num_attempts < MEMORY_MAX_ATTEMPTS)
		return &memory->attempts[memory->num_attempts++];
	for (unsigned i = 0; i < MEMORY_MAX_ATTEMPTS; i++)
		if (memory->attempts[i].cycle >= memory->moment)
			memory->attempts[num++] = memory->attempts[i];
	memory->num_attempts = num;
	if (num < MEMORY_MAX_ATTEMPTS)
		return &memory->attempts[memory->num_attempts++];
	for (unsigned i = 1; i < num; i++)
		if (memory->attempts[i].cycle < memory->attempts[first].cycle)
			first = i;
	return &memory->attempts[first];
}

/* A retry is detected. What the queue will be like then may change as long as
 * others come. */
void memory_retry_count(struct memory *memory, const struct memory_txn *txn,
			uint64_t cycle)
{
	memory_pulse(memory, SIG_MBOX_RETRIES, cycle);
	if (!txn->is_patrol)
		memory_pulse(memory,
			     SIG_MBOX_RETRIES_FVID +
				     memory_named(memory, txn->fvid),
			     cycle);
	*new_attempt(memory) = (struct memory_attempt){ .cycle = cycle };
	if (occupancy_at(&memory->retries, cycle) >=
	    memory->config.retry_starve_entries)
		mark_attempts(memory, cycle, cycle + 1, false);
	if (memory_full_until(memory, cycle) > cycle)
		mark_attempts(memory, cycle, cycle + 1, true);
}
