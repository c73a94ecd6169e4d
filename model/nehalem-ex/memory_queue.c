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

static const struct {
	uint16_t full, empty;
} levels[] = {
	{ SIG_MBOX_DSP_RDQ_FULL, SIG_MBOX_DSP_RDQ_EMPTY },
	{ SIG_MBOX_DSP_WRQ_FULL, SIG_MBOX_DSP_WRQ_EMPTY },
};

static unsigned capacity(const struct memory *memory, unsigned direction)
{
	return direction == MEMORY_READ ? memory->config.read_queue_entries
					: memory->config.write_queue_entries;
}

void memory_queue_start(struct memory *memory)
{
	for (unsigned i = 0; i < 2; i++) {
		places_init(&memory->queues[i], capacity(memory, i));
		sig_set(memory->signals, levels[i].empty, 1);
	}
	crowd_init(&memory->retries);
}

/* The first cycle from one on in which a queue has room. */
uint64_t memory_queue_from(struct memory *memory, unsigned direction,
			   uint64_t cycle)
{
	return places_from(&memory->queues[direction], memory->moment, cycle);
}

/* The place of a transaction that is dispatched, for places_hold(). */
unsigned memory_queue_take(struct memory *memory, const struct memory_txn *txn)
{
	uint64_t cycle = txn->dispatched;

	return places_take(&memory->queues[txn->direction], memory->moment,
			   &cycle);
}

/* Those that are in a queue now, or will be. */
static void fill_crowd(struct memory *memory, unsigned direction)
{
	for (unsigned i = 0; i < MEMORY_TXNS; i++) {
		const struct memory_txn *txn = &memory->txns[i];
		uint64_t from = ex_later(txn->dispatched, memory->now);

		if (txn->has_commands && txn->direction == direction &&
		    txn->commands[MEMORY_CAS] > from)
			memory_queue_change(memory, direction, from,
					    txn->commands[MEMORY_CAS]);
	}
	for (unsigned i = 0;
	     direction == MEMORY_WRITE && i < memory->num_writes; i++)
		if (memory->writes[i].shown > memory->now)
			memory_queue_change(
				memory, direction,
				ex_later(memory->writes[i].txn.dispatched,
					 memory->now),
				memory->writes[i].shown);
}

/* He who begins to listen hears of what is still to come. */
static void tell_steps(struct memory *memory, unsigned direction, unsigned id)
{
	const struct crowd *crowd = &memory->crowds[direction];
	unsigned most = capacity(memory, direction);

	for (unsigned i = 0; i + 1 < crowd->num; i++) {
		uint64_t from = ex_later(crowd->at[i], memory->now);

		if (from >= crowd->at[i + 1])
			continue;
		if (id == levels[direction].empty && crowd->count[i])
			memory_span(memory, id, from, crowd->at[i + 1], -1);
		if (id == levels[direction].full && crowd->count[i] == most)
			memory_span(memory, id, from, crowd->at[i + 1], 1);
	}
}

/* Somebody begins to listen to a signal, or has ceased to (NUM_SIG_MBOX). */
void memory_queue_listen(struct memory *memory, unsigned id)
{
	for (unsigned i = 0; i < 2; i++) {
		bool is_heard =
			sig_is_tapped(memory->signals, levels[i].full) ||
			sig_is_tapped(memory->signals, levels[i].empty);

		memory->has_crowd[i] &= is_heard;
		if (id != levels[i].full && id != levels[i].empty)
			continue;
		if (memory->has_crowd[i]) {
			tell_steps(memory, i, id);
			continue;
		}
		memory->has_crowd[i] = true;
		crowd_init(&memory->crowds[i]);
		fill_crowd(memory, i);
	}
}

/* One more is in the queue from a cycle until another; or, if `until` is the
 * earlier, one less from there on. */
void memory_queue_change(struct memory *memory, unsigned direction,
			 uint64_t from, uint64_t until)
{
	struct crowd *crowd = &memory->crowds[direction];
	unsigned most = capacity(memory, direction);
	int by = until > from ? 1 : -1;
	struct crowd_steps steps;

	if (from == until || !memory->has_crowd[direction])
		return;
	if (by > 0)
		steps = crowd_enter(crowd, from, until, 1);
	else
		steps = crowd_enter(crowd, until, from, -1);
	for (unsigned i = steps.first; i < steps.end; i++) {
		unsigned now = crowd->count[i];
		unsigned before = (unsigned)((int)now - by);

		if ((!now || !before) &&
		    sig_is_tapped(memory->signals, levels[direction].empty))
			memory_span(memory, levels[direction].empty,
				    crowd->at[i], crowd->at[i + 1], -by);
		if ((now == most || before == most) &&
		    sig_is_tapped(memory->signals, levels[direction].full))
			memory_span(memory, levels[direction].full,
				    crowd->at[i], crowd->at[i + 1], by);
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

/* Publishes the part of a time that no full period from the n-th on covers. */
static void publish_full(struct memory *memory, uint64_t from, uint64_t until,
			 unsigned n)
{
	for (; n < memory->num_full; n++) {
		const struct memory_full *full = &memory->full[n];

		if (from >= full->until || until <= full->from)
			continue;
		if (from < full->from)
			publish_full(memory, from, full->from, n + 1);
		if (until <= full->until)
			return;
		from = full->until;
	}
	memory_span(memory, SIG_MBOX_MFULL, from, until, 1);
	mark_attempts(memory, from, until, true);
}

/* The retry queue has as many as it holds. */
static void become_full(struct memory *memory, uint64_t from)
{
	uint64_t until = crowd_falls_to(&memory->retries, from,
					memory->config.retry_resume_entries);
	unsigned num = 0;

	publish_full(memory, from, until, 0);
	for (unsigned i = 0; i < memory->num_full; i++) {
		const struct memory_full *full = &memory->full[i];

		if (full->until > memory->moment &&
		    (full->from < from || full->until > until))
			memory->full[num++] = *full;
	}
	if (num == MEMORY_MAX_FULL)
		num--;
	memory->full[num++] = (struct memory_full){ from, until };
	memory->num_full = num;
}

/* The first cycle from one on in which the M-Box takes commands. */
uint64_t memory_full_until(const struct memory *memory, uint64_t cycle)
{
	for (unsigned i = 0; i < memory->num_full; i++) {
		const struct memory_full *full = &memory->full[i];

		if (cycle < full->from || cycle >= full->until)
			continue;
		cycle = full->until;
		i = UINT32_MAX; /* look at all of them again */
	}
	return cycle;
}

/* A transaction waits in the retry queue. */
void memory_queue_retry(struct memory *memory, uint64_t from, uint64_t until)
{
	const struct mbox_config *c = &memory->config;
	struct crowd *crowd = &memory->retries;
	struct crowd_steps steps = crowd_enter(crowd, from, until, 1);

	for (unsigned i = steps.first; i < steps.end; i++) {
		if (crowd->count[i] == c->retry_starve_entries) {
			memory_span(memory, SIG_MBOX_RETRYQ_STARVED,
				    crowd->at[i], crowd->at[i + 1], 1);
			mark_attempts(memory, crowd->at[i], crowd->at[i + 1],
				      false);
		}
		if (crowd->count[i] >= c->retry_queue_entries)
			become_full(memory, crowd->at[i]);
	}
}

/* Room for one more; what is past goes, or else the one that comes first. */
static struct memory_attempt *new_attempt(struct memory *memory)
{
	unsigned num = 0, first = 0;

	if (memory->num_attempts < MEMORY_MAX_ATTEMPTS)
		return &memory->attempts[memory->num_attempts++];
	for (unsigned i = 0; i < MEMORY_MAX_ATTEMPTS; i++)
		if (memory->attempts[i].cycle >= memory->now)
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
	if (crowd_at(&memory->retries, cycle) >=
	    memory->config.retry_starve_entries)
		mark_attempts(memory, cycle, cycle + 1, false);
	if (memory_full_until(memory, cycle) > cycle)
		mark_attempts(memory, cycle, cycle + 1, true);
}
