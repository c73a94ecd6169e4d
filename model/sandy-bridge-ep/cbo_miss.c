/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's miss: the home and the other nodes answer, the line goes to the
 * core and into the slice. It has two halves. The first one, when the request
 * begins, does all that changes a state: tags, cores, directory, memory; so
 * that follows from the order of the requests alone. The second one is what
 * takes time from the line's column command on, when memory's channel has
 * chosen it; what the request holds until then (TOR, request id, tracker,
 * credits) is held for ever as far as others know, and who has to know better
 * has the channel choose now (cbo_hurry(), ha_hurry()).
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

#include <stdlib.h>

struct cbo_read *cbo_reads_new(void)
{
	return calloc(CORE_MAX_OUTSTANDING + 1, sizeof(struct cbo_read));
}

void cbo_fill(struct cbo *cbo, struct llc_way *way, struct core *core,
	      unsigned entry, enum llc_state state, uint32_t value)
{
	bool owns = core->misses[entry].kind == UNCORE_ACCESS_OWN;

	*way = (struct llc_way){ .state = owns ? LLC_M : state,
				 .is_core_dirty = owns };
	llc_set_cores(way, 1u << core->index);
	copies_fill(cbo_access(cbo, way, core, entry), value);
	core_filled(core, owns || state == LLC_E);
}

unsigned cbo_home_opcode(const struct cbo_job *job)
{
	switch (job->kind) {
	case UNCORE_ACCESS_CODE: return HOM0_RD_CODE;
	case UNCORE_ACCESS_READ: return HOM0_RD_DATA;
	default: return job->way ? HOM0_INV_ITO_E : HOM0_RD_INV_OWN;
	}
}

enum core_answer cbo_answer_of(const struct cbo_job *job,
			       const struct cbo_grant *grant)
{
	if (grant->from_peer)
		return grant->is_modified ? ANSWER_REMOTE_MODIFIED
					  : ANSWER_REMOTE;
	return job->home.node == job->cbo->node ? ANSWER_LOCAL_DRAM
						: ANSWER_REMOTE_DRAM;
}

/* The right to write to a copy that is here. */
static void upgrade(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;
	unsigned own = 1u << core->index, others = way->cores & ~own;
	bool needs_data = !(way->cores & own);
	uint64_t at = job->passed, done, home_done;

	engine_count(&cbo->ep->engine, cbo->bank, SIG_CBO_MISC_RFO_HIT_S, at);
	llc_touch(&cbo->llc, way);
	done = home_done = cbo_ask_home(job, HOM0_INV_ITO_E, -1, at).done;
	if (others) {
		copies_take(cbo->socket, others, job->line, false, false);
		done = sim_later(done, cbo_ask_cores(cbo, others, at, -1));
	}
	copies_write(cbo_access(cbo, way, core, entry));
	way->state = LLC_M;
	llc_set_cores(way, own);
	way->is_core_dirty = true;
	core_answered(core, entry, ANSWER_SLICE);
	if (needs_data)
		core_filled(core, true);
	cbo_done(cbo, core, entry,
		 needs_data ? cbo_send_line(cbo, core->index, done)
			    : cbo_send_go(cbo, core->index, done),
		 needs_data);
	cbo_end(job, done, home_done);
}

/* The second half. A victim of a read that has waited goes by an event: this
 * may be within another request's call, which looks for room itself. */

static void victim_event(void *object, uint64_t at)
{
	const struct cbo_read *read = object;

	cbo_victim_goes(read->job.cbo, &read->victim, at);
}

static void send_victim(struct cbo_read *read, uint64_t at)
{
	struct engine *engine = &read->job.cbo->ep->engine;

	if (!read->victim.is_there)
		return;
	if (read->ask.home.waits) {
		engine_busy_until(engine, at);
		sim_at(engine->sim, engine_now(engine), victim_event, read, at);
		return;
	}
	facts_begin_apart(&engine->facts);
	cbo_victim_goes(read->job.cbo, &read->victim, at);
	facts_end_apart(&engine->facts);
}

static void finish(struct cbo_read *read)
{
	struct cbo_job *job = &read->job;
	struct cbo *cbo = job->cbo;
	const struct cbo_grant *grant = &read->ask.grant;
	unsigned core = read->core->index;
	uint64_t at, gone;

	cbo_ask_end(job, &read->ask, read->data);
	job->data_at = grant->data_at;
	at = cbo_pass(cbo, sim_later(grant->data_at, grant->done));
	send_victim(read, at);
	gone = cbo_send_go(cbo, core, at);
	if (job->to_llc)
		cbo_done(cbo, read->core, read->entry, gone, false);
	else
		cbo_done(cbo, read->core, read->entry,
			 grant->core_at
				 ? grant->core_at
				 : cbo_send_line(cbo, core, grant->data_at),
			 true);
	cbo_end(job, at, grant->done);
}

static void comes(void *object, uint64_t data)
{
	struct cbo_read *read = object;

	read->data = data;
	if (read->is_begun)
		finish(read);
}

static void waits(void *object, uint64_t until)
{
	struct cbo_read *read = object;

	ha_waits(read->job.cbo->ep, &read->ask.home, until);
	cbo_stay(&read->job, until);
}

void cbo_hurry(struct cbo_read *read)
{
	const struct ep_home *home = &read->job.home;

	imc_choose_for(
		read->job.cbo->ep->sockets[home->socket].imcs[home->channel],
		read);
}

static const struct imc_owner owner = { comes, waits };

/* A victim that its home's directory has to forget goes in the order of the
 * requests, too: then nothing waits. */
static bool may_wait(const struct cbo *cbo, const struct cbo_victim *victim)
{
	return !victim->is_there || victim->state != LLC_M ||
	       !ha_has_directory(cbo->ep->sockets[0].homes[0]);
}

/* A place for the line: in the slice, or in its snoop filter. What the filter
 * throws out, or beside one the slice, goes when the request begins, which is
 * assumed. */
static struct llc_way *place_for(struct cbo_job *job, struct cbo_victim *victim)
{
	const struct ep_kind *kind = job->cbo->ep->kind;

	if (job->to_llc && kind->hold)
		return kind->hold(job->cbo, NULL, job->spot, job->passed);
	return kind->track ? kind->track(job->cbo, NULL, job->spot, job->passed)
			   : cbo_take_way(job->cbo, job->spot, victim);
}

void cbo_miss(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct cbo_read *read = &cbo_own(core)->reads[entry];
	struct cbo_ask *ask = &read->ask;
	struct llc_way *way;

	if (job->way) {
		upgrade(job, core, entry);
		return;
	}
	core->num_llc_misses++;
	job->is_miss = true;
	read->ask = (struct cbo_ask){ .object = read };
	read->victim.is_there = false;
	read->core = core;
	read->entry = entry;
	read->is_begun = false;
	read->data = 0;
	way = place_for(job, &read->victim);
	if (may_wait(cbo, &read->victim))
		ask->owner = &owner;
	cbo_ask_begin(&read->job, ask, cbo_home_opcode(job),
		      job->to_llc ? -1 : (int)core->index, job->passed);
	/* A line that another node sends does not wait for the memory's. */
	if (ask->grant.from_peer && ask->home.waits)
		cbo_hurry(read);
	if (job->to_llc)
		cbo_ahead_fill(job, way, core, entry, &ask->grant);
	else
		cbo_fill(cbo, way, core, entry, ask->grant.state,
			 ask->grant.value);
	core_answered(core, entry, cbo_answer_of(job, &ask->grant));
	read->is_begun = true;
	if (ask->home.waits) {
		cbo_wait(&read->job, read);
		cbo_stay(&read->job, ask->home.shown);
	}
	if (!ask->home.waits || read->data)
		finish(read);
}
