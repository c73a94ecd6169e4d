/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's request while time stands. What one tells that meets no other copy
 * is known by who asks what of which slice, in which state the line is there,
 * and by its home; so that is told by class (model/pmu/facts.h), and only what
 * changes the state is done. The first of each class, and what meets somebody,
 * goes the way of the engine (at once), which is told as it goes.
 */
#include <stdlib.h>

#include "model/sandy-bridge-ep/cbo_parts.h"

/* What is asked for: as an opcode of cbo_parts.h would tell it apart. */
enum { ASKS_PREFETCH = UNCORE_ACCESS_OWN + 1, NUM_ASKS = 2 * ASKS_PREFETCH };

enum { NUM_STATES = LLC_F + 1 };

/* A miss that memory answers; the state in which the line comes. */
struct quick_miss {
	struct facts facts;
	uint8_t state;
};

/* The state of a line in a slice: that of the tags, whether the core that has
 * it has changed it, and whether the slice has its data. */
enum { NUM_FOUND = NUM_STATES * 4 };

/* What the home of a line does: by the controller of its memory, the link that
 * such lines take, and what the directory says of it. */
enum { NUM_HOMES = EP_MAX_CONTROLLERS * EP_MAX_LINKS * 2 };

/* By node of the home, slice, and core where there is one. A hit is with data
 * or without; what a core gives back was changed or not. */
struct cbo_quick {
	struct facts writes[NUM_HOMES][EP_MAX_NODES][EP_MAX_CORES];
	struct facts hits[NUM_ASKS][NUM_FOUND][2][EP_MAX_NODES][EP_MAX_CORES]
			 [EP_MAX_CORES];
	struct facts write_backs[NUM_FOUND][2][EP_MAX_NODES][EP_MAX_CORES]
				[EP_MAX_CORES];
	struct quick_miss misses[NUM_ASKS][NUM_HOMES][EP_MAX_NODES]
				[EP_MAX_CORES][EP_MAX_CORES];
};

struct cbo_quick *cbo_quick_new(void)
{
	return calloc(1, sizeof(struct cbo_quick));
}

static unsigned asks(const struct core_miss *miss)
{
	bool is_prefetch = miss->request >= REQUEST_PREFETCH_DATA &&
			   miss->request <= REQUEST_PREFETCH_CODE;

	return miss->kind + is_prefetch * ASKS_PREFETCH;
}

/* A request, where its line is looked up; the job as far as tags want it. */
struct pass {
	struct ep *ep;
	struct cbo_quick *quick;
	struct core *core;
	unsigned entry;
	const struct core_miss *miss;
	struct cbo_job job;
};

static unsigned found(const struct cbo_job *job)
{
	const struct llc_way *way = job->way;

	if (!way)
		return LLC_I;
	return way->state + NUM_STATES * (way->is_core_dirty +
					  2u * !cbo_has_data(job->cbo, way));
}

static unsigned home_of(const struct ep *ep, const struct ep_home *home,
			uint64_t line, bool is_set)
{
	return (ep_controller(ep, home->channel) * EP_MAX_LINKS +
		qll_of(ep, line)) *
		       2 +
	       is_set;
}

/* In all that follows: the class, done if that is known; or NULL. */

static void take_hit(struct cbo_job *job, struct core *core, unsigned entry)
{
	uint64_t now = job->passed;
	struct cbo_hit hit;

	if (job->cbo->ep->kind->take_hit) {
		job->cbo->ep->kind->take_hit(job, core, entry);
		return;
	}
	hit = cbo_take_hit(job->cbo, job->way, core, entry, now);
	if (hit.asked)
		cbo_ask_for_hit(job->cbo, &hit, now);
}

static struct facts *pass_hit(struct pass *pass)
{
	const struct core *core = pass->core;
	const struct llc_way *way = pass->job.way;
	bool needs_data = pass->miss->kind != UNCORE_ACCESS_OWN ||
			  !(way->cores >> core->index & 1);
	struct facts *facts =
		&pass->quick->hits[asks(pass->miss)][found(&pass->job)]
				  [needs_data][pass->job.home.node]
				  [pass->job.cbo->number][core->index];

	if (facts_are_known(&pass->ep->engine.facts, facts))
		take_hit(&pass->job, pass->core, pass->entry);
	return facts;
}

static struct facts *pass_write_back(struct pass *pass)
{
	struct cbo_job *job = &pass->job;
	const struct ep_kind *kind = pass->ep->kind;
	struct facts *facts =
		&pass->quick->write_backs[found(job)][pass->miss->is_clean]
					 [job->home.node][job->cbo->number]
					 [pass->core->index];

	if (!facts_are_known(&pass->ep->engine.facts, facts))
		return facts;
	if (kind->take_back)
		kind->take_back(job, pass->core, pass->entry);
	else
		cbo_take_back(job->cbo, job->way, pass->core, pass->entry);
	return facts;
}

/* Whether memory will answer: no other node has a copy, and what the home does
 * is known. */
static bool meets_nobody(const struct pass *pass, bool *is_set)
{
	const struct ep *ep = pass->ep;
	const struct cbo_job *job = &pass->job;
	unsigned nodes = ep->num_sockets * ep->num_nodes;

	for (unsigned i = 0; i < nodes; i++)
		if (i != job->cbo->node &&
		    llc_has_at(&cbo_peer(job->cbo, i)->llc, job->spot))
			return false;
	return ha_knows_by_bit(ep_agent(ep, job->home), &job->home, job->line,
			       is_set);
}

/* In the order of cbo_miss(): what a filter throws out goes first, a victim of
 * a CBo when the line has come. */
static void take_from_memory(struct pass *pass, enum llc_state state)
{
	const struct cbo_job *job = &pass->job;
	const struct ep_kind *kind = pass->ep->kind;
	const struct ep_home *home = &job->home;
	const struct ep_socket *there = &pass->ep->sockets[home->socket];
	struct ha *ha = ep_agent(pass->ep, *home);
	bool is_far = home->node != job->cbo->node;
	struct llc_way *way = NULL;

	pass->core->num_llc_misses++;
	if (kind->track)
		way = kind->track(job->cbo, NULL, job->spot, job->passed);
	ha_count_region(ha, home->local, job->passed);
	ha_set_state(ha, home,
		     !is_far	      ? HA_STATE_I
		     : state == LLC_F ? HA_STATE_S
				      : HA_STATE_A);
	imc_pass(there->imcs[home->channel], IMC_READ, home->local,
		 job->passed);
	if (!way)
		way = cbo_make_room(job->cbo, job->spot, job->passed);
	cbo_fill(job->cbo, way, pass->core, pass->entry, state, 0);
	core_answered(pass->core, pass->entry,
		      is_far ? ANSWER_REMOTE_DRAM : ANSWER_LOCAL_DRAM);
}

static struct facts *pass_miss(struct pass *pass)
{
	const struct cbo_job *job = &pass->job;
	struct quick_miss *told;
	bool is_set;

	if (!meets_nobody(pass, &is_set))
		return NULL;
	told = &pass->quick->misses[asks(pass->miss)][home_of(
		pass->ep, &job->home, job->line, is_set)][job->home.node]
				   [job->cbo->number][pass->core->index];
	if (facts_are_known(&pass->ep->engine.facts, &told->facts))
		take_from_memory(pass, told->state);
	return &told->facts;
}

static struct facts *pass_any(struct pass *pass)
{
	if (pass->miss->kind == UNCORE_ACCESS_WRITEBACK)
		return pass_write_back(pass);
	if (pass->miss->kind > UNCORE_ACCESS_OWN)
		return NULL;
	if (!pass->job.way)
		return pass_miss(pass);
	return pass->miss->kind != UNCORE_ACCESS_OWN ||
			       cbo_is_owned(pass->job.way)
		       ? pass_hit(pass)
		       : NULL;
}

void cbo_begin_at_once(struct ep *ep, struct core *core, unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];
	struct ep_socket *own = &ep->sockets[core->socket->index];
	struct pass pass = {
		.ep = ep,
		.quick = own->quick,
		.core = core,
		.entry = entry,
		.miss = miss,
		.job = { .line = miss->line,
			 .home = ep_home(ep, miss->line),
			 .kind = miss->kind,
			 .passed = engine_now(&ep->engine) },
	};
	const struct cbo *beside = own->cbos[ep_beside(ep, core->index)];
	struct cbo_job *job = &pass.job;
	struct facts_book *book = &ep->engine.facts;
	struct facts *facts;

	job->cbo = own->cbos[beside->first +
			     llc_slice_and_spot(&own->cbos[0]->llc, miss->line,
						&job->spot)];
	job->way = llc_find_at(&job->cbo->llc, job->spot);
	facts = pass_any(&pass);
	if (facts && facts_are_known(book, facts)) {
		facts_count(book, facts);
		return;
	}
	if (facts)
		facts_note(book, facts);
	cbo_go(ep, core, entry);
	if (!facts)
		return;
	facts_end(book, facts);
	if (!job->way && miss->kind <= UNCORE_ACCESS_OWN)
		((struct quick_miss *)facts)->state =
			llc_find_at(&job->cbo->llc, job->spot)->state;
}

bool cbo_write_at_once(struct cbo *cbo, uint64_t line, bool is_partial,
		       struct facts **facts)
{
	struct ep *ep = cbo->ep;
	struct ep_home home = ep_home(ep, line);
	struct ha *ha = ep_agent(ep, home);
	struct imc *imc = ep->sockets[home.socket].imcs[home.channel];
	struct cbo_quick *quick = ep->sockets[cbo->index].quick;
	uint64_t now = engine_now(&ep->engine);
	bool is_set;

	*facts = NULL;
	if (!ep->engine.is_quick || is_partial ||
	    !ha_knows_by_bit(ha, &home, line, &is_set))
		return false;
	*facts = &quick->writes[home_of(ep, &home, line, is_set)][home.node]
			       [cbo->number];
	if (!facts_are_known(&ep->engine.facts, *facts)) {
		facts_note(&ep->engine.facts, *facts);
		return false;
	}
	facts_count(&ep->engine.facts, *facts);
	ha_count_region(ha, home.local, now);
	if (home.node != cbo->node)
		ha_set_state(ha, &home, HA_STATE_I);
	imc_pass(imc, IMC_WRITE, home.local, now);
	return true;
}
