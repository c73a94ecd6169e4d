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

/* A request, where its line is looked up. */
struct pass {
	struct ep *ep;
	struct cbo_quick *quick;
	struct core *core;
	unsigned entry;
	const struct core_miss *miss;
	struct cbo *cbo;
	struct llc_spot spot;
	struct llc_way *way;
	uint64_t now;
};

/* As far as kinds of their own want it, see struct ep_kind. */
static struct cbo_job job_of(const struct pass *pass)
{
	return (struct cbo_job){
		.cbo = pass->cbo,
		.line = pass->miss->line,
		.spot = pass->spot,
		.way = pass->way,
		.kind = pass->miss->kind,
		.passed = pass->now,
	};
}

static unsigned found(const struct pass *pass)
{
	const struct llc_way *way = pass->way;

	if (!way)
		return LLC_I;
	return way->state + NUM_STATES * (way->is_core_dirty +
					  2u * !cbo_has_data(pass->cbo, way));
}

static unsigned home_of(const struct ep *ep, const struct ep_home *home,
			uint64_t line, bool is_set)
{
	return (ep_controller(ep, home->channel) * EP_MAX_LINKS +
		qll_of(ep, line)) *
		       2 +
	       is_set;
}

/* In all that follows: whether it is done, since its class is known; which that
 * is, or NULL. */

static void take_hit(const struct pass *pass)
{
	struct cbo_hit hit;

	if (pass->ep->kind->take_hit) {
		struct cbo_job job = job_of(pass);

		pass->ep->kind->take_hit(&job, pass->core, pass->entry);
		return;
	}
	cbo_take_hit(pass->cbo, pass->way, pass->core, pass->entry, pass->now,
		     &hit);
	if (hit.asked)
		cbo_ask_for_hit(pass->cbo, &hit, pass->now);
}

static bool pass_hit(const struct pass *pass, struct facts **facts)
{
	const struct core *core = pass->core;
	bool needs_data = pass->miss->kind != UNCORE_ACCESS_OWN ||
			  !(pass->way->cores >> core->index & 1);

	*facts = &pass->quick->hits[asks(pass->miss)][found(pass)][needs_data]
				   [ep_range(pass->ep, pass->miss->line)->node]
				   [pass->cbo->number][core->index];
	if (!facts_are_known(&pass->ep->engine.facts, *facts))
		return false;
	take_hit(pass);
	return true;
}

static bool pass_write_back(const struct pass *pass, struct facts **facts)
{
	const struct ep_kind *kind = pass->ep->kind;

	*facts = &pass->quick->write_backs[found(pass)][pass->miss->is_clean]
					  [ep_range(pass->ep, pass->miss->line)
						   ->node][pass->cbo->number]
					  [pass->core->index];
	if (!facts_are_known(&pass->ep->engine.facts, *facts))
		return false;
	if (kind->take_back) {
		struct cbo_job job = job_of(pass);

		kind->take_back(&job, pass->core, pass->entry);
	} else {
		cbo_take_back(pass->cbo, pass->way, pass->core, pass->entry);
	}
	return true;
}

/* Whether no other node has a copy. */
static bool meets_nobody(const struct pass *pass)
{
	const struct ep *ep = pass->ep;
	unsigned nodes = ep->num_sockets * ep->num_nodes;

	for (unsigned i = 0; i < nodes; i++)
		if (i != pass->cbo->node &&
		    llc_has_at(&cbo_peer(pass->cbo, i)->llc, pass->spot))
			return false;
	return true;
}

/* In the order of cbo_miss(): what a filter throws out goes first, a victim of
 * a CBo when the line has come. */
static void take_from_memory(const struct pass *pass, struct ha *ha,
			     const struct ep_home *home, enum llc_state state)
{
	const struct ep_kind *kind = pass->ep->kind;
	const struct ep_socket *there = &pass->ep->sockets[home->socket];
	struct cbo *cbo = pass->cbo;
	bool is_far = home->node != cbo->node;
	struct llc_way *way = NULL;

	pass->core->num_llc_misses++;
	if (kind->track)
		way = kind->track(cbo, NULL, pass->spot, pass->now);
	ha_count_region(ha, home->local, pass->now);
	ha_set_state(ha, home,
		     !is_far	      ? HA_STATE_I
		     : state == LLC_F ? HA_STATE_S
				      : HA_STATE_A);
	imc_pass(there->imcs[home->channel], IMC_READ, home->local, pass->now);
	if (!way)
		way = cbo_make_room(cbo, pass->spot, pass->now);
	cbo_fill(cbo, way, pass->core, pass->entry, state, 0);
	core_answered(pass->core, pass->entry,
		      is_far ? ANSWER_REMOTE_DRAM : ANSWER_LOCAL_DRAM);
}

static bool pass_miss(const struct pass *pass, struct facts **facts)
{
	struct ep_home home = ep_home(pass->ep, pass->miss->line);
	struct ha *ha = ep_agent(pass->ep, home);
	struct quick_miss *told;
	bool is_set;

	*facts = NULL;
	if (!meets_nobody(pass) ||
	    !ha_knows_by_bit(ha, &home, pass->miss->line, &is_set))
		return false;
	told = &pass->quick->misses[asks(pass->miss)][home_of(
		pass->ep, &home, pass->miss->line, is_set)][home.node]
				   [pass->cbo->number][pass->core->index];
	*facts = &told->facts;
	if (!facts_are_known(&pass->ep->engine.facts, *facts))
		return false;
	take_from_memory(pass, ha, &home, told->state);
	return true;
}

static bool pass_any(const struct pass *pass, struct facts **facts)
{
	if (pass->miss->kind == UNCORE_ACCESS_WRITEBACK)
		return pass_write_back(pass, facts);
	if (!pass->way && pass->miss->kind <= UNCORE_ACCESS_OWN)
		return pass_miss(pass, facts);
	if (pass->miss->kind < UNCORE_ACCESS_OWN ||
	    (pass->miss->kind == UNCORE_ACCESS_OWN && cbo_is_owned(pass->way)))
		return pass_hit(pass, facts);
	*facts = NULL;
	return false;
}

void cbo_begin_at_once(struct ep *ep, struct core *core, unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];
	struct facts_book *book = &ep->engine.facts;
	struct llc_spot spot;
	struct cbo *cbo = cbo_of(cbo_own(core), miss->line, &spot);
	const struct pass pass = {
		.ep = ep,
		.quick = ep->sockets[core->socket->index].quick,
		.core = core,
		.entry = entry,
		.miss = miss,
		.cbo = cbo,
		.spot = spot,
		.way = llc_find_at(&cbo->llc, spot),
		.now = engine_now(&ep->engine),
	};
	struct facts *facts;

	if (pass_any(&pass, &facts)) {
		facts_count(book, facts);
		return;
	}
	if (facts)
		facts_note(book, facts);
	cbo_go(ep, core, entry);
	if (!facts)
		return;
	facts_end(book, facts);
	if (!pass.way && miss->kind <= UNCORE_ACCESS_OWN)
		((struct quick_miss *)facts)->state =
			llc_find_at(&cbo->llc, spot)->state;
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
