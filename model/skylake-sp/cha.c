/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's request at its CHA, from the look-up to the answer; a miss is
 * cbo_miss(), whose line goes to the core past the LLC.
 *
 * The guide of this processor is not at hand; what Intel's list of events and
 * measurements say is in docs/xeon-scalable.md. Choices: a line that the socket
 * owns moves to the core that reads it, and the LLC keeps no copy; of code and
 * of shared lines a copy stays. Whoever else has a line, changed or not, sends
 * it if the LLC does not have it. What was changed and is shared then is in the
 * LLC, too. What a core gives up goes into the LLC, changed or not, once no
 * other core has it.
 */
#include "model/skylake-sp/cha.h"
#include "signals.h"

static unsigned own_bit(const struct core *core)
{
	return 1u << core->index;
}

/* Who is asked, and what of it. */
struct question {
	unsigned cores;
	bool needs_data; /* the core that asks does */
	bool was_dirty;	 /* in the one core that is asked */
	int sender;	 /* that core sends the line; -1: the slice does */
};

static struct question question_of(const struct cbo_job *job,
				   const struct core *core)
{
	const struct llc_way *way = job->way;
	unsigned rest = way->cores & ~own_bit(core);
	bool owns = job->kind == UNCORE_ACCESS_OWN;
	bool has_data = cbo_has_data(job->cbo, way);
	struct question q = {
		.needs_data = !owns || !(way->cores & own_bit(core)),
		.sender = -1,
	};

	if (owns || (cbo_is_owned(way) && !(rest & (rest - 1))))
		q.cores = rest;
	else if (!has_data)
		q.cores = rest & -rest;
	q.was_dirty = q.cores && way->is_core_dirty;
	if (q.needs_data && q.cores && (q.was_dirty || !has_data))
		q.sender = __builtin_ctz(q.cores);
	return q;
}

/* Asks the cores; when the slice knows. */
static uint64_t ask(struct cbo_job *job, const struct question *q)
{
	struct cbo *cbo = job->cbo;
	bool takes = job->kind == UNCORE_ACCESS_OWN;
	uint64_t at;

	facts_begin_apart(&cbo->ep->engine.facts);
	cbo_tell_asked(cbo, CAUSE_CORE, job->way, q->cores, takes, job->passed);
	copies_take(cbo->socket, q->cores, job->line, !takes, false);
	at = cbo_ask_cores(cbo, q->cores, job->passed, q->sender);
	facts_end_apart(&cbo->ep->engine.facts);
	return at;
}

/* The tags after a read that the socket has answered. */
static void share(struct cbo_job *job, const struct core *core,
		  const struct question *q, uint64_t at)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;

	if (q->was_dirty) {
		way->state = LLC_M;
		way->is_core_dirty = false;
		if (!cbo_has_data(cbo, way))
			cha_hold(cbo, way, job->spot, at);
	}
	if (!way->cores) {
		cha_track(cbo, way, job->spot, at);
		if (cbo_is_owned(way) && job->kind == UNCORE_ACCESS_READ)
			cha_let_go(cbo, way);
	}
	llc_set_cores(way, way->cores | own_bit(core));
}

/* The tags after a store that may write. */
static void own(struct cbo_job *job, const struct core *core, unsigned entry,
		uint64_t at)
{
	struct llc_way *way = job->way;

	copies_write(cbo_access(job->cbo, way, core, entry));
	if (!way->cores)
		cha_track(job->cbo, way, job->spot, at);
	cha_let_go(job->cbo, way);
	way->state = LLC_M;
	llc_set_cores(way, own_bit(core));
	way->is_core_dirty = true;
}

static enum core_answer answer_of(const struct question *q)
{
	if (!q->cores)
		return ANSWER_SLICE;
	return q->was_dirty ? ANSWER_CORE_MODIFIED : ANSWER_CORE;
}

/* The socket has the line, and the right to it: the tags, and the core's. If
 * who asks is the only one that has it, and the slice has no data, his request
 * and his loss of the line have crossed: it is in his own caches, as it was.
 * Returns when the cores have answered. */
static uint64_t take_hit(struct cbo_job *job, struct core *core, unsigned entry,
			 const struct question *q)
{
	struct cbo *cbo = job->cbo;
	uint64_t at = job->passed;

	llc_touch(&cbo->llc, job->way);
	if (cbo->socket->values)
		copies_read(cbo_access(cbo, job->way, core, entry),
			    copies_recall(cbo_copy(cbo, job->way, job->line)));
	if (q->cores)
		at = cbo_pass(cbo, ask(job, q));
	if (job->kind == UNCORE_ACCESS_OWN)
		own(job, core, entry, at);
	else
		share(job, core, q, at);
	core_answered(core, entry, answer_of(q));
	if (q->needs_data)
		core_filled(core, cbo_is_owned(job->way) &&
					  job->way->cores == own_bit(core));
	return at;
}

void cha_take_hit(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct question q = question_of(job, core);

	take_hit(job, core, entry, &q);
}

static void hit(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct question q = question_of(job, core);
	uint64_t at = take_hit(job, core, entry, &q), sent;

	sent = cbo_send_go(cbo, core->index, at);
	if (q.needs_data) {
		if (q.sender < 0)
			at = sim_later(at, job->passed + cbo->data_cycles);
		sent = sim_later(sent, cbo_send_line(cbo, core->index, at));
	}
	cbo_done(cbo, core, entry, sent, q.needs_data);
	cbo_end(job, at, 0);
}

/* The socket has the line, the home gives the right to write to it. */
static void upgrade(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct question q = question_of(job, core);
	uint64_t done, home_done;

	engine_count(&cbo->ep->engine, cbo->bank, SIG_CBO_MISC_RFO_HIT_S,
		     job->passed);
	llc_touch(&cbo->llc, job->way);
	done = home_done =
		cbo_ask_home(job, HOM0_INV_ITO_E, -1, job->passed).done;
	if (q.cores)
		done = sim_later(done, ask(job, &q));
	own(job, core, entry, done);
	core_answered(core, entry, ANSWER_SLICE);
	if (q.needs_data)
		core_filled(core, true);
	cbo_done(cbo, core, entry,
		 q.needs_data ? cbo_send_line(cbo, core->index, done)
			      : cbo_send_go(cbo, core->index, done),
		 q.needs_data);
	cbo_end(job, done, home_done);
}

/* A core gives a line up. What a snoop took meanwhile was written back then. */
void cha_take_back(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;

	if (way && way->cores & own_bit(core)) {
		copies_recall(cbo_copy(cbo, way, job->line));
		if (way->is_core_dirty)
			way->state = LLC_M;
		llc_set_cores(way, way->cores & ~own_bit(core));
		way->is_core_dirty = false;
		llc_touch(&cbo->llc, way);
		if (!way->cores && !cbo_has_data(cbo, way))
			cha_hold(cbo, way, job->spot, job->passed);
	}
	core_answered(core, entry, ANSWER_SLICE);
}

static void give_back(struct cbo_job *job, struct core *core, unsigned entry)
{
	cha_take_back(job, core, entry);
	cbo_done(job->cbo, core, entry,
		 cbo_send_go(job->cbo, core->index, job->passed), false);
	cbo_end(job, job->passed, 0);
}

void cha_serve(struct cbo_job *job, struct core *core, unsigned entry)
{
	switch (job->kind) {
	case UNCORE_ACCESS_WRITEBACK: give_back(job, core, entry); break;
	case UNCORE_ACCESS_READ:
	case UNCORE_ACCESS_CODE:
	case UNCORE_ACCESS_OWN:
		if (!job->needs_home)
			hit(job, core, entry);
		else if (job->way)
			upgrade(job, core, entry);
		else
			cbo_miss(job, core, entry);
		break;
	default: cbo_serve(job, core, entry);
	}
}
