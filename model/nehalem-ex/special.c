/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a special request to its C-Box and on to the S-Box, and back:
 *
 *	core -AD, once round-> IRQ, pass -AD or BL-> S-Box -> ... -> S-Box
 *	     <------------BL (reads)-----------------------------------+
 *	C-Box <-----------AK-------------------------------------------+
 *
 * It has priority over what waits in the IRQ: it may take the place that is
 * kept for it, so that it gets in whatever ordinary requests wait for. It holds
 * a MAF entry until it is done.
 */
#include "model/nehalem-ex/special.h"

#include "model/box/cbox.h" /* cbox_special_has_data() */
#include "model/box/socket.h"
#include "model/nehalem-ex/lock.h"
#include "model/nehalem-ex/out.h"
#include "model/nehalem-ex/system.h"
#include "signals.h"

enum { RETRY_CYCLES = 8 };

static bool is_sram(unsigned kind)
{
	return kind == CORE_ACCESS_SRAM_READ || kind == CORE_ACCESS_SRAM_WRITE;
}

static bool is_read(unsigned kind)
{
	return kind == UNCORE_ACCESS_UC_READ || kind == UNCORE_ACCESS_IO_READ ||
	       kind == UNCORE_ACCESS_CFG_READ || kind == CORE_ACCESS_SRAM_READ;
}

/* To the C-Box */

/* A place in the IRQ for a request that comes in the cycle `at`: an ordinary
 * one, or (-1) the kept one. *room_from: when there is. */
static int take_place(struct access *access, uint64_t at, uint64_t *room_from)
{
	struct slice *slice = access->slice;
	uint64_t now = ex_now(access->ex);
	uint64_t ordinary = places_from(&slice->irq, now, at);
	uint64_t kept = ex_later(slice->kept, at);

	*room_from = at;
	if (ordinary <= kept)
		return (int)places_take(&slice->irq, now, room_from);
	*room_from = kept;
	return -1;
}

static void count_arrival(struct slice *slice, bool is_away, bool was_full,
			  uint64_t at)
{
	sig_later(slice->bank, SIG_CBOX_SINKS_P2C_AD, at, 1);
	sig_later(slice->bank, SIG_CBOX_TRANS_IRQ, at, 1);
	sig_later(slice->bank, SIG_CBOX_SPL_CO_SB + is_away, at, 1);
	if (slice->bounced >= at)
		sig_later(slice->bank, SIG_CBOX_SPL_DEAD, at, 1);
	if (!was_full)
		return;
	sig_later(slice->bank, SIG_CBOX_SPL_ARB_PRI_SW, at, 1);
	if (slice->special <= at)
		sig_later(slice->bank, SIG_CBOX_SPL_IN_FULL_IRQ, at, 1);
}

/* Both directions lead to the core's own C-Box; they take turns. */
static uint64_t arrive(struct access *access, int *place)
{
	struct floor *floor = access->floor;
	struct slice *slice = access->slice;
	struct stop *stop = &floor->stops[access->core->index];
	uint64_t now = ex_now(access->ex), room_from;
	unsigned direction = access->core->special_turn;
	bool is_away = direction !=
		       floor->ways[stop->stop][floor->sbox_stops[slice->side]]
			       .direction;
	struct floor_ride ride;

	access->core->special_turn = !direction;
	*place = take_place(access, now + floor->num_stops, &room_from);
	ride = floor_round(floor, &stop->ends, direction, now, room_from);
	core_leaves_at(access->core, ride.injected);
	sig_span(stop->bank, SIG_CBOX_OCCUPANCY_RWRF, now, ride.injected, 1);
	sig_later(stop->bank, SIG_CBOX_TRANS_RWRF, now, 1);
	sig_later(stop->bank, SIG_CBOX_SPL_EGR_SB + is_away, ride.injected, 1);
	count_arrival(slice, is_away, *place < 0, ride.arrived);
	if (cbox_special_has_data(access->kind))
		floor_send_line(floor, access->core->index, slice->index, now);
	return ride.arrived;
}

/* Why a pass comes to nothing: a signal, with the cycle of the next one, or -1.
 */
static int refusal(const struct access *access, uint64_t at, uint64_t *again)
{
	struct slice *slice = access->slice;
	struct ex *ex = access->ex;
	uint64_t now = ex_now(ex);

	*again = at + RETRY_CYCLES;
	if (floor_room_from(&slice->ends, at) > at)
		return SIG_CBOX_MAF_NACK2_EGRESS_FULL;
	*again = access_maf_from(access, at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_MAF_FULL;
	if (is_sram(access->kind))
		return -1;
	if (access->kind != UNCORE_ACCESS_LOCK)
		*again = agent_table_from(ex, access->agent, at, false);
	else if (!lock_has_no_entry(system_lock(ex), access->socket,
				    slice->side))
		*again = agent_table_from_lock(ex, access->agent, at);
	*again = access_known(*again, at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_NO_S_REQTBL_ENTRIES;
	*again = at + RETRY_CYCLES;
	return places_from(&slice->credits, now, at) > at
		       ? SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS
		       : -1;
}

/* A read leaves the ingress array to bid for the pipeline, each time. */
static void count_read_out(const struct access *access, uint64_t at)
{
	if (is_read(access->kind))
		sig_later(access->slice->bank,
			  is_sram(access->kind) ? SIG_CBOX_IGR_OP_SRAM
						: SIG_CBOX_IGR_OP_UC,
			  at, 1);
}

/* The cycle of the pass that acknowledges the request. */
static uint64_t pass(const struct access *access, uint64_t arrived)
{
	struct slice *slice = access->slice;
	uint64_t at = slice_pass(access->floor, slice, arrived), again;
	uint64_t start = at - access->floor->lookup_cycles;
	int signal;

	if (start <= arrived + 1)
		sig_later(slice->bank,
			  start == arrived
				  ? SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0
				  : SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP1,
			  arrived, 1);
	while ((signal = refusal(access, at, &again)) >= 0) {
		slice_refuse(slice, (unsigned)signal, at);
		if (signal != SIG_CBOX_MAF_NACK2_EGRESS_FULL)
			count_read_out(access, at);
		at = slice_pass(access->floor, slice, again);
	}
	count_read_out(access, at);
	sig_span(slice->bank, SIG_CBOX_OCCUPANCY_IRQ, arrived, at, 1);
	sig_later(slice->bank, SIG_CBOX_MAF_ACK, at, 1);
	return at;
}

static void leave_irq(struct slice *slice, int place, uint64_t at)
{
	if (place >= 0)
		places_hold(&slice->irq, (unsigned)place, at);
	else
		slice->kept = at;
	slice->special = ex_later(slice->special, at);
}

static void take_maf(struct special *special, uint64_t at)
{
	struct access *access = &special->access;

	special->acknowledged = at;
	special->maf = places_take(&access->slice->maf, ex_now(access->ex),
				   &special->acknowledged);
	sig_later(access->slice->bank, SIG_CBOX_TRANS_MAF,
		  special->acknowledged, 1);
}

static void go(struct special *special)
{
	switch (special->access.kind) {
	case CORE_ACCESS_SRAM_READ:
	case CORE_ACCESS_SRAM_WRITE: sleep_move_state(special); break;
	case UNCORE_ACCESS_LOCK:
	case CORE_ACCESS_UNLOCK: lock_go(special); break;
	case UNCORE_ACCESS_INTERRUPT:
	case UNCORE_ACCESS_SPECIAL: interrupt_go(special); break;
	default: uncached_go(special); break;
	}
}

void special_start(struct ex *ex, unsigned socket, unsigned core,
		   unsigned entry)
{
	struct ex_socket *here = &ex->sockets[socket];
	struct core *asks = &here->socket->cores[core];
	struct special special = {
		.access = {
			.ex = ex,
			.here = here,
			.floor = here->floor,
			.slice = &here->floor->slices[core],
			.core = asks,
			.socket = socket,
			.entry = entry,
			.kind = asks->misses[entry].kind,
		},
	};
	struct access *access = &special.access;
	uint64_t at;
	int place;

	access->agent = here->agents[access->slice->side];
	at = pass(access, arrive(access, &place));
	leave_irq(access->slice, place, at);
	take_maf(&special, at);
	if (!is_sram(access->kind))
		special.packet = special_packet(access);
	go(&special);
}

/* To the S-Box and back */

void special_take_entry(struct special *special, uint64_t at)
{
	struct access *access = &special->access;

	special->serial = agent_take(access->ex, access->agent, -1, at, false,
				     &special->packet.number);
	special->packet.serial = special->serial;
}

uint64_t special_send(struct special *special, uint64_t at, uint64_t room_from)
{
	struct access *access = &special->access;
	struct slice *slice = access->slice;
	struct floor *floor = access->floor;
	bool is_line = special->packet.cls == PACKET_NCB;
	unsigned credit = places_take(&slice->credits, ex_now(access->ex), &at);

	at = floor_ride(floor, &slice->ends, is_line ? RING_BL : RING_AD,
			floor->sbox_stops[slice->side], is_line ? 2 : 1, at, 0,
			NULL)
		     .arrived;
	at = agent_send(access->ex, access->agent, &special->packet, at,
			room_from, &special->taken);
	places_hold(&slice->credits, credit, special->taken);
	return at;
}

/* The entry of the request table is free. */
static void release(const struct special *special, uint64_t at)
{
	const struct access *access = &special->access;
	struct sigbank *bank =
		access->here->socket->sboxes[access->slice->side].bank;

	agent_show_from(access->agent, special->serial,
			special->is_open ? at : special->taken);
	agent_release(access->ex, access->agent, special->serial, at);
	if (special->is_open)
		special_fall(access->ex, bank, SIG_SBOX_REQ_TBL_REMOTE, at);
}

static void free_maf(const struct special *special, uint64_t at)
{
	const struct access *access = &special->access;
	struct slice *slice = access->slice;

	places_hold(&slice->maf, special->maf, at);
	if (special->is_open)
		special_fall(access->ex, slice->bank, SIG_CBOX_OCCUPANCY_MAF,
			     at);
	else
		sig_span(slice->bank, SIG_CBOX_OCCUPANCY_MAF,
			 special->acknowledged, at, 1);
}

void special_end(struct special *special, const struct packet *answer,
		 uint64_t at)
{
	struct access *access = &special->access;
	unsigned core = access->core->index;
	bool has_data = is_read(access->kind);
	struct delivery delivery;

	if (!is_sram(access->kind)) {
		delivery = out_deliver(access->ex, access->agent, answer, at,
				       false, 0, has_data ? (int)core : -1);
		release(special, delivery.left);
		at = delivery.slice_at;
	} else if (has_data) {
		delivery.core_at =
			floor_send_data(access->floor, access->slice, core, at);
	}
	if (access->kind < UNCORE_NUM_ACCESS_KINDS)
		core_answered(access->core, access->entry, ANSWER_IO);
	access_done(access, has_data ? delivery.core_at : at);
	floor_send_go(access->floor, access->slice, core, at);
	free_maf(special, at);
	ex_busy_until(access->ex, at);
}

/* What is known by events only */

static void rise(void *bank, uint64_t signal)
{
	sig_add(bank, (unsigned)signal, 1);
}

static void fall(void *bank, uint64_t signal)
{
	sig_add(bank, (unsigned)signal, -1);
}

void special_rise(struct ex *ex, struct sigbank *bank, unsigned signal,
		  uint64_t at)
{
	sim_at(ex->sim, at, rise, bank, signal);
}

void special_fall(struct ex *ex, struct sigbank *bank, unsigned signal,
		  uint64_t at)
{
	sim_at(ex->sim, at, fall, bank, signal);
}

static void hear(void *core, uint64_t message)
{
	core_message(core, (enum packet_message)message);
}

void special_tell(struct ex *ex, struct core *core, enum packet_message message,
		  uint64_t at)
{
	sim_at(ex->sim, at, hear, core, message);
	ex_busy_until(ex, at + 1);
}
