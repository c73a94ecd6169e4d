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

/* By node of the home, slice, and core where there is one. Lines of two links
 * take a link each; a hit is with data or without. */
struct cbo_quick {
	struct facts writes[EP_MAX_LINKS][EP_MAX_NODES][EP_MAX_CORES];
	struct facts hits[NUM_ASKS][NUM_STATES][2][2][EP_MAX_NODES]
			 [EP_MAX_CORES][EP_MAX_CORES];
	struct facts write_backs[NUM_STATES][2][EP_MAX_NODES][EP_MAX_CORES]
				[EP_MAX_CORES];
	struct quick_miss misses[NUM_ASKS][EP_MAX_LINKS][EP_MAX_NODES]
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
	struct cbo *cbo;
	struct cbo_quick *quick;
	struct core *core;
	unsigned entry;
	const struct core_miss *miss;
	struct llc_spot spot;
	struct llc_way *way;
	struct ep_home home;
};

static unsigned state_of(const struct llc_way *way)
{
	return way ? way->state : LLC_I;
}

/* In all that follows: the class, done if that is known; or NULL. */

static struct facts *pass_hit(const struct pass *pass)
{
	const struct core *core = pass->core;
	const struct llc_way *way = pass->way;
	bool needs_data = pass->miss->kind != UNCORE_ACCESS_OWN ||
			  !(way->cores >> core->index & 1);
	struct facts *facts =
		&pass->quick
			 ->hits[asks(pass->miss)][way->state]
			       [way->is_core_dirty][needs_data][pass->home.node]
			       [pass->cbo->number][core->index];
	struct cbo_hit hit;

	if (!facts_are_known(&pass->ep->engine.facts, facts))
		return facts;
	hit = cbo_take_hit(pass->cbo, pass->way, pass->core, pass->entry,
			   engine_now(&pass->ep->engine));
	if (hit.asked)
		cbo_ask_for_hit(pass->cbo, &hit, engine_now(&pass->ep->engine));
	return facts;
}

static struct facts *pass_write_back(const struct pass *pass)
{
	const struct llc_way *way = pass->way;
	struct facts *facts =
		&pass->quick->write_backs[state_of(
			way)][way && way->is_core_dirty][pass->home.node]
					 [pass->cbo->number][pass->core->index];

	if (facts_are_known(&pass->ep->engine.facts, facts))
		cbo_take_back(pass->cbo, pass->way, pass->core, pass->entry);
	return facts;
}

/* Whether memory will answer: no other node has a copy. */
static bool meets_nobody(const struct pass *pass)
{
	const struct ep *ep = pass->ep;
	const struct cbo *cbo = pass->cbo;

	unsigned nodes = ep->num_sockets * ep->num_nodes;

	if (nodes > 1 && ha_has_directory(ep->sockets[0].homes[0]))
		return false;
	for (unsigned i = 0; i < nodes; i++)
		if (i != cbo->node &&
		    llc_has_at(&cbo_peer(cbo, i)->llc, pass->spot))
			return false;
	return true;
}

static void take_from_memory(const struct pass *pass, enum llc_state state)
{
	const struct ep_home *home = &pass->home;
	const struct ep_socket *there = &pass->ep->sockets[home->socket];
	uint64_t now = engine_now(&pass->ep->engine);

	pass->core->num_llc_misses++;
	ha_count_region(ep_agent(pass->ep, *home), home->local, now);
	imc_pass(there->imcs[home->channel], IMC_READ, home->local, now);
	cbo_fill(pass->cbo, cbo_make_room(pass->cbo, pass->spot, now),
		 pass->core, pass->entry, state, 0);
	core_answered(pass->core, pass->entry,
		      home->node == pass->cbo->node ? ANSWER_LOCAL_DRAM
						    : ANSWER_REMOTE_DRAM);
}

static struct facts *pass_miss(const struct pass *pass)
{
	struct quick_miss *told;

	if (!meets_nobody(pass))
		return NULL;
	told = &pass->quick->misses[asks(pass->miss)][qll_of(
		pass->ep, pass->miss->line)][pass->home.node][pass->cbo->number]
				   [pass->core->index];
	if (facts_are_known(&pass->ep->engine.facts, &told->facts))
		take_from_memory(pass, told->state);
	return &told->facts;
}

static struct facts *pass_any(const struct pass *pass)
{
	if (pass->miss->kind == UNCORE_ACCESS_WRITEBACK)
		return pass_write_back(pass);
	if (pass->miss->kind > UNCORE_ACCESS_OWN)
		return NULL;
	if (!pass->way)
		return pass_miss(pass);
	return pass->miss->kind != UNCORE_ACCESS_OWN || cbo_is_owned(pass->way)
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
		.home = ep_home(ep, miss->line),
	};
	struct facts_book *book = &ep->engine.facts;
	struct facts *facts;

	pass.cbo = own->cbos[own->cbos[ep_beside(ep, core->index)]->number -
			     own->cbos[ep_beside(ep, core->index)]->slice +
			     llc_slice_and_spot(&own->cbos[0]->llc, miss->line,
						&pass.spot)];
	pass.way = llc_find_at(&pass.cbo->llc, pass.spot);
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
	if (!pass.way && miss->kind <= UNCORE_ACCESS_OWN)
		((struct quick_miss *)facts)->state =
			llc_find_at(&pass.cbo->llc, pass.spot)->state;
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

	*facts = NULL;
	if (!ep->engine.is_quick || is_partial || ha_has_directory(ha))
		return false;
	*facts = &quick->writes[qll_of(ep, line)][home.node][cbo->number];
	if (!facts_are_known(&ep->engine.facts, *facts)) {
		facts_note(&ep->engine.facts, *facts);
		return false;
	}
	facts_count(&ep->engine.facts, *facts);
	ha_count_region(ha, home.local, now);
	imc_pass(imc, IMC_WRITE, home.local, now);
	return true;
}
