/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's request on its way to the slice of its line, and through the slice's
 * pipeline until it is acknowledged: core, AD ring, IRQ, as many passes as it
 * takes. What is refused stays in the IRQ and comes again when the reason has
 * gone, or where nothing says when that is after RETRY_CYCLES.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/copies.h"
#include "model/nehalem-ex/router.h"
#include "signals.h"

enum { RETRY_CYCLES = 8 };

static void go_on(void *core, uint64_t entry);

/* It is at the IRQ, which has a place or lets it go round once more. */
static bool enter(struct access *access, uint64_t at)
{
	struct slice *slice = access->slice;
	struct floor_wait *wait = access->wait;
	uint64_t now = ex_now(access->ex);
	unsigned away;

	if (places_from(&slice->irq, now, at) > at) {
		away = access->floor
			       ->ways[access->core->stop][slice->stop]
			       .direction != slice->to_sbox;
		sig_later(access->core->bank,
			  SIG_CBOX_BOUNCES_P2C_AD_SB + away, at, 1);
		slice->bounced = at + access->floor->num_stops;
		sim_at(access->ex->sim, at + access->floor->num_stops, go_on,
		       access->core, access->entry);
		return false;
	}
	wait->arrived = at;
	wait->place = (uint8_t)places_take(&slice->irq, now, &at);
	wait->is_in = true;
	sig_later(slice->bank, SIG_CBOX_SINKS_P2C_AD, wait->arrived, 1);
	sig_later(slice->bank, SIG_CBOX_TRANS_IRQ, wait->arrived, 1);
	return true;
}

/* It is in the IRQ up to a cycle, if not longer. */
static void show_irq(struct slice *slice, struct floor_wait *wait,
		     uint64_t until)
{
	if (until <= wait->arrived)
		return;
	sig_span(slice->bank, SIG_CBOX_OCCUPANCY_IRQ, wait->arrived, until, 1);
	wait->arrived = until;
}

/* From the core to its slice. */
static uint64_t ride(struct access *access)
{
	struct floor *floor = access->floor;
	struct stop *stop = &floor->stops[access->core->index];
	uint64_t now = ex_now(access->ex);
	struct floor_ride ride = floor_ride(floor, &stop->ends, RING_AD,
					    access->slice->stop, 1, now, 0,
					    NULL);

	core_leaves_at(access->core, ride.injected);
	sig_span(stop->bank, SIG_CBOX_OCCUPANCY_RWRF, now, ride.injected, 1);
	sig_later(stop->bank, SIG_CBOX_TRANS_RWRF, now, 1);
	return ride.arrived;
}

/* Why a line that the slice is busy with is refused. */
static int busy_reason(const struct slice *slice, unsigned place, uint64_t at)
{
	const struct slice_stay *stay = &slice->stays[place];

	if (place >= SLICE_IPQ)
		return SIG_CBOX_MAF_NACK1_SNP_PENDING;
	if (place >= SLICE_OUT)
		return SIG_CBOX_MAF_NACK1_VIC_PENDING;
	if (stay->asks <= at && at < stay->asked)
		return SIG_CBOX_MAF_NACK1_SNP_PENDING;
	return stay->home < stay->granted ? SIG_CBOX_MAF_NACK1_PA_BLOCK
					  : SIG_CBOX_MAF_NACK1_GO_PENDING;
}

/* Up to when, as far as is known. */
static uint64_t busy_until(struct slice *slice, unsigned place, uint64_t at)
{
	const struct slice_stay *stay = &slice->stays[place];
	uint64_t until = slice->lines.until[place];
	const struct slice_victim *victim = NULL;

	if (place >= SLICE_OUT && place < SLICE_IPQ)
		victim = slice_victim(slice, place);
	if (!victim)
		return place < SLICE_IPQ ? until : stay->asked;
	return victim->again > at ? victim->again + 1 : at + RETRY_CYCLES;
}

/* Whether the line is busy in a way that the request has to wait for. What
 * begins later in the VIQ or IPQ has changed the tags already. */
static bool waits_for(struct slice *slice, unsigned place, uint64_t at)
{
	const struct slice_stay *stay = &slice->stays[place];

	if (place < SLICE_OUT)
		return true;
	if (place < SLICE_IPQ)
		return slice_victim(slice, place) || stay->from <= at;
	return stay->asks <= at && at < stay->asked;
}

/* How soon somebody looks again for what is held for an unknown time. */
enum { UNKNOWN_CYCLES = 32 };

uint64_t access_known(uint64_t from, uint64_t at)
{
	return from == SIM_NEVER ? at + UNKNOWN_CYCLES : from;
}

/* That of a fill whose victim still looks for a place is known to last at least
 * as long as its line says. */
uint64_t access_maf_from(const struct access *access, uint64_t at)
{
	struct slice *slice = access->slice;
	uint64_t from = places_from(&slice->maf, ex_now(access->ex), at);
	uint64_t soonest = PLACES_NEVER;

	if (from != PLACES_NEVER)
		return from;
	for (unsigned i = 0; i < slice->maf.num; i++) {
		uint64_t until = slice->lines.until[SLICE_MAF + i];

		if (until > at && until < soonest)
			soonest = until;
	}
	return access_known(soonest, at);
}

/* The first place of MAF, VIQ and IPQ that a request for the line has to wait
 * for, or -1. */
static int busy_place(struct slice *slice, uint64_t line, uint64_t at)
{
	uint64_t places = lines_find(&slice->lines, line, at);

	for (; places; places &= places - 1) {
		int place = __builtin_ctzll(places);

		if (waits_for(slice, (unsigned)place, at))
			return place;
	}
	return -1;
}

/* A home behind a link that sleeps: refused once. When it comes again it is
 * sent, and wakes the link. */
static bool is_link_idle(struct access *access, uint64_t at)
{
	uint64_t local;
	unsigned home;

	if (!access->floor->links_sleep || access->wait->has_waited)
		return false;
	home = socket_home(access->here->socket, access->line, &local);
	if (NODE_SOCKET(home) == access->socket ||
	    !router_link_sleeps(access->ex, access->socket, home, at))
		return false;
	access->wait->has_waited = true;
	return true;
}

/* Of a request that needs the home: a signal, or -1. */
static int refuse_miss(struct access *access, uint64_t at, uint64_t *again)
{
	struct ex *ex = access->ex;
	uint64_t now = ex_now(ex), local;
	unsigned home;

	*again = at + RETRY_CYCLES;
	if (is_link_idle(access, at))
		return SIG_CBOX_MAF_NACK1_IDLE_QPI;
	if (places_from(&access->slice->credits, now, at) > at)
		return SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS;
	*again = access_known(agent_table_from(ex, access->agent, at, false),
			      at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_NO_S_REQTBL_ENTRIES;
	home = socket_home(access->here->socket, access->line, &local);
	*again = access_known(agent_tracker_from(ex, access->agent, home, at,
						 false),
			      at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_NO_TRACKER_CREDITS;
	return -1;
}

/* Whether the slice can answer alone (or after asking cores). */
static bool is_hit(const struct access *access)
{
	const struct llc_way *way = access->way;

	return way && (access->kind != UNCORE_ACCESS_OWN ||
		       way->state == LLC_E || way->state == LLC_M);
}

/* Whether a flush or streaming store has to tell the home. */
static bool needs_home(const struct access *access)
{
	if (access->kind > UNCORE_ACCESS_NONE)
		return access_flush_needs_home(access);
	return !is_hit(access);
}

/* What a pass comes to: a signal that says why the request is refused, with the
 * cycle in which it comes again, or -1. */
static int refusal(struct access *access, uint64_t at, uint64_t *again)
{
	struct slice *slice = access->slice;
	int place;

	*again = at + RETRY_CYCLES;
	if (floor_room_from(&slice->ends, at) > at)
		return SIG_CBOX_MAF_NACK2_EGRESS_FULL;
	place = busy_place(slice, access->line, at);
	if (place >= 0) {
		*again = busy_until(slice, (unsigned)place, at);
		return busy_reason(slice, (unsigned)place, at);
	}
	access->way = llc_find(slice->llc, access->line);
	if (access->kind == UNCORE_ACCESS_WRITEBACK)
		return -1;
	if (access->kind > UNCORE_ACCESS_NONE) {
		int signal = access_flush_refusal(access, at, again);

		if (signal >= 0)
			return signal;
	}
	*again = access_maf_from(access, at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_MAF_FULL;
	return needs_home(access) ? refuse_miss(access, at, again) : -1;
}

/* It stays in the IRQ for a time, or until it is known when the miss ends that
 * is in its way. */
static void wait(struct access *access, uint64_t at, uint64_t again)
{
	struct slice *slice = access->slice;
	struct floor_wait *wait = access->wait, **waits;

	if (again != SIM_NEVER) {
		show_irq(slice, wait, again);
		sim_at(access->ex->sim, again, go_on, access->core,
		       access->entry);
		return;
	}
	show_irq(slice, wait, at);
	waits = &slice->waits[busy_place(slice, access->line, at)];
	wait->next = *waits;
	*waits = wait;
}

/* The request passes the pipeline, from a cycle on; refused it stays in the IRQ
 * until the reason has gone, and goes on from there. */
static void pass(struct access *access, uint64_t from, bool is_first)
{
	struct slice *slice = access->slice;
	uint64_t at = slice_pass(access->floor, slice, from), again;
	uint64_t start = at - access->floor->lookup_cycles;
	uint64_t arrived = access->wait->arrived;
	int signal = refusal(access, at, &again);

	if (is_first && start <= arrived + 1)
		sig_later(slice->bank,
			  start == arrived
				  ? SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0
				  : SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP1,
			  arrived, 1);
	if (signal >= 0) {
		slice_refuse(slice, (unsigned)signal, at);
		wait(access, at, again);
		return;
	}
	places_hold(&slice->irq, access->wait->place, at);
	show_irq(slice, access->wait, at);
	sig_later(slice->bank, SIG_CBOX_MAF_ACK, at, 1);
	if (access->kind == UNCORE_ACCESS_WRITEBACK)
		access_write_back(access, at);
	else if (access->kind > UNCORE_ACCESS_NONE)
		access_flush(access, at);
	else if (is_hit(access))
		access_hit(access, at);
	else
		access_miss(access, at);
}

struct access access_of(struct core *core, unsigned entry)
{
	struct ex *ex = core->socket->ex;
	struct ex_socket *here = &ex->sockets[core->socket->index];
	const struct core_miss *miss = &core->misses[entry];
	struct slice *slice =
		&here->floor->slices[socket_slice(core->socket, miss->line)];

	return (struct access){
		.ex = ex,
		.here = here,
		.floor = here->floor,
		.slice = slice,
		.agent = here->agents[slice->side],
		.core = core,
		.wait = &here->floor->waits[core->index][entry],
		.line = miss->line,
		.socket = core->socket->index,
		.entry = entry,
		.kind = miss->kind,
		.oldest = miss->floor,
	};
}

/* What had to wait, for a place in the IRQ or there. */
static void go_on(void *core, uint64_t entry)
{
	struct access access = access_of(core, (unsigned)entry);
	uint64_t now = ex_now(access.ex);
	bool was_in = access.wait->is_in;

	if (was_in || enter(&access, now))
		pass(&access, now, !was_in);
}

void access_start(struct ex *ex, unsigned socket, unsigned core, unsigned entry)
{
	struct access access = access_of(
		&ex->sockets[socket].socket->cores[core], entry);
	uint64_t at;

	llc_prefetch(access.slice->llc, access.line);
	access.wait->is_in = access.wait->has_waited = false;
	access.wait->core = (uint8_t)core;
	access.wait->entry = (uint8_t)entry;
	at = ride(&access);
	if (access.kind == UNCORE_ACCESS_WRITEBACK ||
	    access.kind == UNCORE_ACCESS_NT_WRITE)
		floor_send_line(access.floor, core, access.slice->index,
				ex_now(ex));
	if (enter(&access, at))
		pass(&access, at, true);
}

bool access_write_silently(struct ex *ex, unsigned socket, unsigned core,
			   uint64_t line)
{
	struct ex_socket *here = &ex->sockets[socket];
	struct slice *slice =
		&here->floor->slices[socket_slice(here->socket, line)];
	struct llc_way *way = llc_find(slice->llc, line);
	const struct access access = {
		.ex = ex,
		.here = here,
		.slice = slice,
		.core = &here->socket->cores[core],
		.line = line,
	};

	if (!way || way->cores != 1u << core ||
	    (way->state != LLC_E && way->state != LLC_M))
		return false;
	if (lines_find(&slice->lines, line, ex_now(ex)) & ~SLICE_VIQ_BITS)
		return false;
	copies_write(&access, way);
	way->is_core_dirty = true;
	return true;
}

uint64_t access_data_from(struct ex *ex, unsigned socket, unsigned core)
{
	struct stop *stop = &ex->sockets[socket].floor->stops[core];

	return places_from(&stop->idf, ex_now(ex), ex_now(ex));
}

void access_done(const struct access *access, uint64_t at)
{
	sim_at(access->ex->sim, at + access->core->fill_cycles, core_done,
	       access->core, access->entry);
}

unsigned access_take_maf(const struct access *access, uint64_t from)
{
	unsigned place =
		places_take(&access->slice->maf, ex_now(access->ex), &from);

	access->slice->stays[place] = (struct slice_stay){ .from = from };
	sig_later(access->slice->bank, SIG_CBOX_TRANS_MAF, from, 1);
	return place;
}

void access_show_maf(struct slice *slice, unsigned place, uint64_t until)
{
	struct slice_stay *stay = &slice->stays[place];

	if (until <= stay->from)
		return;
	sig_span(slice->bank, SIG_CBOX_OCCUPANCY_MAF, stay->from, until, 1);
	stay->from = until;
}

static struct core *core_of(const struct slice *slice,
			    const struct floor_wait *wait)
{
	return &slice->floor->socket->cores[wait->core];
}

/* The end of a miss is known. */
static void end_miss(struct slice *slice, unsigned place, uint64_t line,
		     uint64_t at)
{
	struct sim *sim = slice->floor->ex->sim;
	struct floor_wait *wait = slice->waits[place];

	places_hold(&slice->maf, place, at);
	lines_put(&slice->lines, SLICE_MAF + place, line, at);
	access_show_maf(slice, place, at);
	slice->waits[place] = NULL;
	for (; wait; wait = wait->next) {
		show_irq(slice, wait, at);
		sim_at(sim, at, go_on, core_of(slice, wait), wait->entry);
	}
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
	for (struct floor_wait *wait = slice->waits[place]; wait;
	     wait = wait->next)
		show_irq(slice, wait, until);
}
