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
#include "model/nehalem-ex/router.h"
#include "signals.h"

enum { RETRY_CYCLES = 8 };

/* Once more round the ring, and to a cycle in which the slice takes nothing
 * else. */
static SIG_SLOW void bounce(struct access *access, uint64_t at)
{
	struct floor *floor = access->floor;
	struct slice *slice = access->slice;
	unsigned port = floor_port_row(floor, slice->stop, PORT_SLICE_AD);
	unsigned stop = floor->stops[access->core->index].stop;
	unsigned away =
		floor->ways[stop][slice->stop].direction != slice->to_sbox;

	sig_later(slice->bank, SIG_CBOX_BOUNCES_P2C_AD_SB + away, at, 1);
	at += floor->num_stops;
	while (!board_is_free(&floor->board, port, at, 1))
		at++;
	board_mark(&floor->board, port, at, 1);
	slice->bounced = at;
	sim_at(access->ex->engine.sim, at, access_go_on, access->core,
	       access->entry);
}

/* It is at the IRQ, if that has a place. */
static inline bool enter(struct access *access, uint64_t at)
{
	struct places *irq = &access->slice->irq;
	struct floor_wait *wait = access->wait;
	uint64_t now = engine_now(&access->ex->engine);

	if (places_from(irq, now, at) > at) {
		bounce(access, at);
		return false;
	}
	wait->arrived = at;
	wait->place = (uint8_t)places_take(irq, now, &at);
	wait->is_in = true;
	return true;
}

/* From the core to its slice. */
static uint64_t ride(struct access *access)
{
	struct floor *floor = access->floor;
	const struct floor_route *routes =
		floor->cargos[access->core->index][access->slice->index];
	struct stop *stop = &floor->stops[access->core->index];
	struct floor_ride ride = floor_ride(
		floor, &routes[CARGO_REQUEST],
		stop_request_from(stop, engine_now(&access->ex->engine)));

	core_leaves_at(access->core, ride.injected);
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
	uint64_t from =
		places_from(&slice->maf, engine_now(&access->ex->engine), at);
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
	if (!access->floor->links_sleep || access->wait->has_waited)
		return false;
	if (NODE_SOCKET(access->home) == access->socket ||
	    !router_link_sleeps(access->ex, access->socket, access->home, at))
		return false;
	access->wait->has_waited = true;
	return true;
}

/* Of a request that needs the home: a signal, or -1. */
static int refuse_miss(struct access *access, uint64_t at, uint64_t *again)
{
	struct ex *ex = access->ex;
	uint64_t now = engine_now(&ex->engine), local;

	*again = at + RETRY_CYCLES;
	access->home = socket_home(access->here->socket, access->line, &local);
	if (is_link_idle(access, at))
		return SIG_CBOX_MAF_NACK1_IDLE_QPI;
	if (places_from(&access->slice->credits, now, at) > at)
		return SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS;
	*again = access_known(agent_table_from(ex, access->agent, at, false),
			      at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_NO_S_REQTBL_ENTRIES;
	*again = access_known(
		agent_tracker_from(ex, access->agent, access->home, at, false),
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
	access->way = llc_find_at(&slice->llc, access->spot);
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
 * is in its way: until when it does at least. Of the miss as much is shown. */
static uint64_t wait(struct access *access, uint64_t at, uint64_t again)
{
	struct slice *slice = access->slice;
	struct floor_wait *wait = access->wait, **waits;
	unsigned place;

	if (again != SIM_NEVER) {
		sim_at(access->ex->engine.sim, again, access_go_on,
		       access->core, access->entry);
		return again;
	}
	place = busy_place(slice, access->line, at);
	waits = &slice->waits[place];
	while (*waits) /* who waits longest is first */
		waits = &(*waits)->next;
	wait->next = NULL;
	*waits = wait;
	return sim_later(at, slice->stays[place].from);
}

/* Behind the pass in the cycle `at`; of a hit the cycle in which it is over. */
static uint64_t acknowledge(struct access *access, uint64_t at, int *signal)
{
	*signal = NO_SIGNAL;
	if (access->kind == UNCORE_ACCESS_WRITEBACK)
		access_write_back(access, at);
	else if (access->kind > UNCORE_ACCESS_NONE)
		access_flush(access, at);
	else if (is_hit(access))
		return access_hit(access, at, signal);
	else
		access_miss(access, at, signal);
	return 0;
}

/* The request passes the pipeline, from a cycle on; refused it stays in the IRQ
 * until the reason has gone, and goes on from there. */
static void pass(struct access *access, uint64_t from, bool is_first)
{
	uint64_t at = slice_pass(access->floor, access->slice, from), again;
	struct access_pass pass = { .at = at, .until = at };

	pass.is_first = is_first;
	pass.signal = refusal(access, at, &again);
	pass.is_refused = pass.signal >= 0;
	if (pass.is_refused) {
		pass.until = wait(access, at, again);
	} else {
		places_hold(&access->slice->irq, access->wait->place, at);
		pass.takes_maf = access->kind != UNCORE_ACCESS_WRITEBACK;
		pass.freed = acknowledge(access, at, &pass.signal);
	}
	access_keep_pass(access, &pass);
}

/* Whoever was in the way has asked for it. */
void access_go_on(void *core, uint64_t entry)
{
	struct access access = access_of(core, (unsigned)entry);
	uint64_t now = engine_now(&access.ex->engine);
	bool was_in = access.wait->is_in;

	sim_act_for(access.ex->engine.sim,
		    access.core->misses[entry].requester);
	if (was_in || enter(&access, now))
		pass(&access, now, !was_in);
}

/* While time stands nothing is in its way: it is at the slice, and passes. */
void access_tell_arrival(const struct access *access)
{
	struct facts_book *book = &access->ex->engine.facts;
	struct slice *slice = access->slice;

	floor_ride(access->floor,
		   &access->floor->cargos[access->core->index][slice->index]
					 [CARGO_REQUEST],
		   engine_now(&access->ex->engine));
	facts_tell(book, slice->bank, SIG_CBOX_SINKS_P2C_AD, 1);
	facts_tell(book, slice->bank, SIG_CBOX_TRANS_IRQ, 1);
	facts_tell(book, slice->bank, SIG_CBOX_MAF_ACK, 1);
	facts_tell(book, slice->bank, SIG_CBOX_TRANS_MAF,
		   access->kind != UNCORE_ACCESS_WRITEBACK);
}

/* What is to be driven out before has gone then. */
static SIG_SLOW void pass_special(struct access *access)
{
	struct slice *slice = access->slice;
	uint64_t at = engine_now(&access->ex->engine), unused;

	access_tell_arrival(access);
	if (core_streams(access->kind))
		floor_send_line(access->floor, access->core->index,
				slice->index, at);
	if (access_flush_refusal(access, at, &unused) >= 0)
		access->way = llc_find_at(&slice->llc, access->spot);
	access_flush(access, at);
}

static void pass_at_once(struct access *access)
{
	access->way = llc_find_at(&access->slice->llc, access->spot);
	if (access->kind > UNCORE_ACCESS_NONE)
		pass_special(access);
	else if (access->kind == UNCORE_ACCESS_WRITEBACK)
		access_write_back_at_once(access);
	else if (is_hit(access))
		access_hit_at_once(access);
	else
		access_miss_at_once(access);
}

void access_start(struct core *core, unsigned entry)
{
	struct access access = access_of(core, entry);
	uint64_t at;

	if (access.ex->engine.is_quick) {
		pass_at_once(&access);
		return;
	}
	llc_prefetch(&access.slice->llc, access.spot);
	access.wait->is_in = access.wait->has_waited = false;
	at = ride(&access);
	if (access.kind == UNCORE_ACCESS_WRITEBACK || core_streams(access.kind))
		floor_send_line(access.floor, core->index, access.slice->index,
				engine_now(&access.ex->engine));
	if (enter(&access, at))
		pass(&access, at, true);
}
