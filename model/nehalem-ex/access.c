/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the transactions of accesses share: see access.h.
 */
#include "model/nehalem-ex/access.h"

#include "model/box/socket.h"
#include "signals.h"

/* A pass, as a record. */
struct pass_visit {
	struct visit visit;
	struct slice *slice;
	int32_t arrived, at, until, freed; /* so long before `last` */
	int16_t signal; /* hit, missed or refused, or NO_SIGNAL */
	bool is_first;	/* it has just come in */
	bool is_refused;
	bool takes_maf;
	bool is_hit;
};

static void tell_arrival(struct sigbank *bank, uint64_t arrived, uint64_t start)
{
	tell_later(bank, SIG_CBOX_SINKS_P2C_AD, arrived, 1);
	tell_later(bank, SIG_CBOX_TRANS_IRQ, arrived, 1);
	if (start == arrived)
		tell_later(bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0,
			   arrived, 1);
	else if (start == arrived + 1)
		tell_later(bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP1,
			   arrived, 1);
}

static void tell_pass(struct sigbank *first, const void *visit)
{
	const struct pass_visit *pass = visit;
	struct sigbank *bank = pass->slice->bank;
	uint64_t last = pass->visit.last, at = last - (uint64_t)pass->at;
	uint64_t arrived = last - (uint64_t)pass->arrived;

	(void)first;
	if (pass->is_first)
		tell_arrival(bank, arrived,
			     at - pass->slice->floor->lookup_cycles);
	tell_span(bank, SIG_CBOX_OCCUPANCY_IRQ, arrived,
		  last - (uint64_t)pass->until, 1);
	if (pass->signal != NO_SIGNAL)
		tell_later(bank, (unsigned)pass->signal, at, 1);
	if (!pass->is_refused)
		tell_later(bank, SIG_CBOX_MAF_ACK, at, 1);
	else if (pass->signal >= SIG_CBOX_MAF_NACK2_MAF_FULL)
		tell_later(bank, SIG_CBOX_MAF_NACK1_ALL_MAF_NACK2, at, 1);
	if (pass->takes_maf)
		tell_later(bank, SIG_CBOX_TRANS_MAF, at, 1);
	if (pass->is_hit)
		tell_span(bank, SIG_CBOX_OCCUPANCY_MAF, at,
			  last - (uint64_t)pass->freed, 1);
}

void access_keep_pass(const struct access *access,
		      const struct access_pass *told)
{
	struct pass_visit *pass = visits_next(access->floor->visits);
	struct floor_wait *wait = access->wait;
	uint64_t last =
		sim_later(sim_later(told->until, told->freed), told->at);

	pass->visit.tell = tell_pass;
	pass->visit.last = last;
	pass->slice = access->slice;
	pass->arrived = (int32_t)(last - wait->arrived);
	pass->at = (int32_t)(last - told->at);
	pass->until = (int32_t)(last - told->until);
	pass->freed = (int32_t)(last - told->freed);
	pass->is_hit = told->freed;
	pass->signal = (int16_t)told->signal;
	pass->is_first = told->is_first;
	pass->is_refused = told->is_refused;
	pass->takes_maf = told->takes_maf;
	visits_keep(access->floor->visits);
	wait->arrived = sim_later(wait->arrived, told->until);
}

bool access_write_silently(struct ex *ex, unsigned socket, unsigned core,
			   uint64_t line)
{
	struct ex_socket *here = &ex->sockets[socket];
	struct slice *slices = here->floor->slices, *slice;
	struct llc_spot spot;
	struct llc_way *way;
	struct access access;

	slice = &slices[llc_slice_and_spot(&slices->llc, line, &spot)];
	way = llc_find_at(&slice->llc, spot);
	if (!way || way->cores != 1u << core ||
	    (way->state != LLC_E && way->state != LLC_M))
		return false;
	if (lines_find(&slice->lines, line, engine_now(&ex->engine)) &
	    ~SLICE_VIQ_BITS)
		return false;
	access = (struct access){
		.ex = ex,
		.here = here,
		.slice = slice,
		.core = &here->socket->cores[core],
		.line = line,
	};
	copies_write(access_copy(&access, way));
	way->is_core_dirty = true;
	return true;
}

uint64_t access_data_from(struct ex *ex, unsigned socket, unsigned core)
{
	struct stop *stop = &ex->sockets[socket].floor->stops[core];

	return places_from(&stop->idf, engine_now(&ex->engine),
			   engine_now(&ex->engine));
}

void access_done(const struct access *access, uint64_t at)
{
	if (access->ex->engine.is_quick)
		return;
	sim_at(access->ex->engine.sim, at + access->core->fill_cycles,
	       core_done, access->core, access->entry);
}

unsigned access_take_maf(const struct access *access, uint64_t from)
{
	unsigned place = places_take(&access->slice->maf,
				     engine_now(&access->ex->engine), &from);

	access->slice->stays[place] = (struct slice_stay){ .from = from };
	return place;
}

static struct core *core_of(const struct slice *slice,
			    const struct floor_wait *wait)
{
	return &slice->floor->socket->cores[wait->core];
}

/* A request is in the IRQ up to a cycle, if not longer. */
static void show_irq(struct slice *slice, struct floor_wait *wait,
		     uint64_t until)
{
	struct sim *sim = slice->floor->ex->engine.sim;
	uint64_t before;

	if (until <= wait->arrived)
		return;
	before = sim_act_for(
		sim, core_of(slice, wait)->misses[wait->entry].requester);
	sig_span(slice->bank, SIG_CBOX_OCCUPANCY_IRQ, wait->arrived, until, 1);
	sim_act_for(sim, before);
	wait->arrived = until;
}

/* Who waits for the end of the miss is in the IRQ for as long. */
void access_show_maf(struct slice *slice, unsigned place, uint64_t until)
{
	struct slice_stay *stay = &slice->stays[place];
	struct floor_wait *wait = slice->waits[place];

	if (until <= stay->from)
		return;
	sig_span(slice->bank, SIG_CBOX_OCCUPANCY_MAF, stay->from, until, 1);
	stay->from = until;
	for (; wait; wait = wait->next)
		show_irq(slice, wait, until);
}

/* The end of a miss is known. */
static void end_miss(struct slice *slice, unsigned place, uint64_t line,
		     uint64_t at)
{
	struct sim *sim = slice->floor->ex->engine.sim;
	struct floor_wait *wait = slice->waits[place];

	places_hold(&slice->maf, place, at);
	lines_put(&slice->lines, SLICE_MAF + place, line, at);
	access_show_maf(slice, place, at);
	slice->waits[place] = NULL;
	for (; wait; wait = wait->next)
		sim_at(sim, at, access_go_on, core_of(slice, wait),
		       wait->entry);
}

void access_end_fill(struct slice *slice, unsigned place, uint64_t at)
{
	const struct slice_fill *fill = &slice->fills[place];

	floor_send_go(slice->floor, slice, fill->core, at);
	end_miss(slice, place, fill->line, at);
}

void access_free_maf(const struct access *access, unsigned place,
		     uint64_t until)
{
	end_miss(access->slice, place, access->line, until);
}

void access_keep_maf(const struct access *access, unsigned place,
		     uint64_t until)
{
	struct slice *slice = access->slice;
	struct slice_stay *stay = &slice->stays[place];

	stay->granted = SIM_NEVER;
	lines_put(&slice->lines, SLICE_MAF + place, access->line, SIM_NEVER);
	access_show_maf(slice, place, until);
}
