/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a special request to its C-Box; special_out.c has the rest:
 *
 *	core -AD, once round-> IRQ, pass -AD or BL-> S-Box -> ... -> S-Box
 *	     <------------BL (reads)-----------------------------------+
 *	C-Box <-----------AK-------------------------------------------+
 *
 * It has priority over what waits in the IRQ: it may take the place that is
 * kept for it, so that it gets in whatever ordinary requests wait for. As it
 * takes longer on the ring than those, its transaction is cut where it comes to
 * the IRQ, which may have got full meanwhile. It holds a MAF entry until it is
 * done.
 */
#include "model/nehalem-ex/special.h"

#include "model/box/socket.h"
#include "model/nehalem-ex/system.h"
#include "signals.h"

enum { RETRY_CYCLES = 8 };

static void go_on(void *core, uint64_t entry);

/* Whether the core sends data with it. */
static bool has_data(unsigned kind)
{
	return kind == UNCORE_ACCESS_UC_WRITE ||
	       kind == UNCORE_ACCESS_WC_WRITE ||
	       kind == UNCORE_ACCESS_IO_WRITE ||
	       kind == UNCORE_ACCESS_CFG_WRITE ||
	       kind == CORE_ACCESS_SRAM_WRITE;
}

static void wait_until(const struct access *access, uint64_t at)
{
	sim_at(access->ex->engine.sim, at, go_on, access->core, access->entry);
	engine_busy_until(&access->ex->engine, at + 1);
}

/* Once round the ring. Both directions lead to the core's own C-Box; they take
 * turns. */
static void ride(struct access *access)
{
	struct floor *floor = access->floor;
	struct slice *slice = access->slice;
	struct stop *stop = &floor->stops[access->core->index];
	uint64_t now = engine_now(&access->ex->engine);
	unsigned direction = access->core->special_turn;
	struct floor_ride ride =
		floor_round(floor, access->core->index, direction,
			    stop_request_from(stop, now));
	bool is_away = direction !=
		       floor->ways[stop->stop][floor->sbox_stops[slice->side]]
			       .direction;

	access->core->special_turn = !direction;
	access->wait->is_in = false;
	access->wait->is_away = is_away;
	core_leaves_at(access->core, ride.injected);
	sig_later(stop->bank, SIG_CBOX_SPL_EGR_SB + is_away, ride.injected, 1);
	if (has_data(access->kind))
		floor_send_line(floor, access->core->index, slice->index, now);
	wait_until(access, ride.arrived);
}

static void count_arrival(const struct access *access, bool was_full,
			  uint64_t at)
{
	struct slice *slice = access->slice;

	sig_later(slice->bank, SIG_CBOX_SINKS_P2C_AD, at, 1);
	sig_later(slice->bank, SIG_CBOX_TRANS_IRQ, at, 1);
	sig_later(slice->bank, SIG_CBOX_SPL_CO_SB + access->wait->is_away, at,
		  1);
	if (slice->bounced >= at)
		sig_later(slice->bank, SIG_CBOX_SPL_DEAD, at, 1);
	if (!was_full)
		return;
	sig_later(slice->bank, SIG_CBOX_SPL_ARB_PRI_SW, at, 1);
	if (!slice->num_special && slice->special <= at)
		sig_later(slice->bank, SIG_CBOX_SPL_IN_FULL_IRQ, at, 1);
}

/* It is at the C-Box, whose IRQ has a place, the kept one at least, or lets it
 * go round once more. */
static bool enter(struct access *access, uint64_t at)
{
	struct slice *slice = access->slice;
	struct floor_wait *wait = access->wait;
	bool was_full = places_from(&slice->irq, at, at) > at;

	if (was_full && slice->kept > at) {
		sig_later(access->here->socket->cbox_banks[access->core->index],
			  SIG_CBOX_BOUNCES_P2C_AD_SB + wait->is_away, at, 1);
		wait_until(access, at + access->floor->num_stops);
		return false;
	}
	count_arrival(access, was_full, at);
	wait->arrived = at;
	wait->is_in = true;
	wait->is_kept = was_full;
	if (was_full)
		slice->kept = PLACES_NEVER;
	else
		wait->place = (uint8_t)places_take(&slice->irq, at, &at);
	slice->num_special++;
	return true;
}

/* Why a pass comes to nothing: a signal, with the cycle of the next one, or -1.
 */
static int refusal(const struct access *access, uint64_t at, uint64_t *again)
{
	struct slice *slice = access->slice;
	struct ex *ex = access->ex;
	uint64_t now = engine_now(&ex->engine);

	*again = at + RETRY_CYCLES;
	if (floor_room_from(&slice->ends, at) > at)
		return SIG_CBOX_MAF_NACK2_EGRESS_FULL;
	*again = access_maf_from(access, at);
	if (*again > at)
		return SIG_CBOX_MAF_NACK2_MAF_FULL;
	if (special_is_sram(access->kind))
		return -1;
	*again = agent_table_from(ex, access->agent, at, false);
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
	if (special_is_read(access->kind))
		sig_later(access->slice->bank,
			  special_is_sram(access->kind) ? SIG_CBOX_IGR_OP_SRAM
							: SIG_CBOX_IGR_OP_UC,
			  at, 1);
}

/* What is meant for a hub that is not there goes to the U-Box of the socket,
 * which answers for nobody. */
static unsigned node_of(const struct socket *socket,
			const struct core_miss *miss)
{
	unsigned target = miss->target;

	switch (miss->kind) {
	case UNCORE_ACCESS_LOCK:
	case CORE_ACCESS_UNLOCK: return NODE_UBOX(0); /* the quiesce master */
	case UNCORE_ACCESS_INTERRUPT:
	case UNCORE_ACCESS_SPECIAL: return NODE_UBOX(socket->index);
	default: break;
	}
	if (target < socket->num_hubs)
		return NODE_IOH(target);
	if (target >= UNCORE_IO_SOCKET(0) &&
	    target < UNCORE_IO_SOCKET(socket->num_sockets))
		return NODE_UBOX(target - UNCORE_IO_SOCKET(0));
	return NODE_UBOX(socket->index);
}

/* What it leaves the slice as. */
static struct packet packet_of(const struct access *access)
{
	const struct core *core = access->core;
	const struct core_miss *miss = &core->misses[access->entry];
	bool is_interrupt = miss->kind == UNCORE_ACCESS_INTERRUPT;
	struct packet packet = message_of(miss);

	packet.source = packet.requester =
		(uint8_t)NODE_SBOX(access->socket, access->slice->side);
	packet.dest = packet.home =
		(uint8_t)node_of(access->here->socket, miss);
	packet.core = (uint8_t)(is_interrupt ? miss->target : core->index);
	packet.cbox = (uint8_t)access->slice->index;
	return packet;
}

static void go(struct special *special)
{
	switch (special->access.kind) {
	case CORE_ACCESS_SRAM_READ:
	case CORE_ACCESS_SRAM_WRITE:
		special_end(special, NULL,
			    special->acknowledged +
				    special->access.floor->sram_cycles);
		break;
	case UNCORE_ACCESS_LOCK:
	case CORE_ACCESS_UNLOCK: lock_go(special); break;
	case UNCORE_ACCESS_INTERRUPT:
	case UNCORE_ACCESS_SPECIAL: interrupt_go(special); break;
	default: uncached_go(special); break;
	}
}

/* It is in the IRQ up to a cycle. */
static void show_irq(const struct access *access, uint64_t until)
{
	sig_span(access->slice->bank, SIG_CBOX_OCCUPANCY_IRQ,
		 access->wait->arrived, until, 1);
	access->wait->arrived = until;
}

static void leave_irq(const struct access *access, uint64_t at)
{
	struct slice *slice = access->slice;

	if (access->wait->is_kept)
		slice->kept = at;
	else
		places_hold(&slice->irq, access->wait->place, at);
	slice->num_special--;
	slice->special = sim_later(slice->special, at);
	show_irq(access, at);
	sig_later(slice->bank, SIG_CBOX_MAF_ACK, at, 1);
}

/* The pass that was in the cycle `at` gives it a MAF entry. */
static void acknowledge(const struct access *access, uint64_t at)
{
	struct special special = { .access = *access, .acknowledged = at };

	leave_irq(access, at);
	special.maf = places_take(&access->slice->maf,
				  engine_now(&access->ex->engine),
				  &special.acknowledged);
	sig_later(access->slice->bank, SIG_CBOX_TRANS_MAF, special.acknowledged,
		  1);
	if (!special_is_sram(access->kind))
		special.packet = packet_of(access);
	go(&special);
}

/* A pass through the pipeline, from a cycle on. */
static void pass(const struct access *access, uint64_t from, bool is_first)
{
	struct slice *slice = access->slice;
	uint64_t at = slice_pass(access->floor, slice, from), again;
	uint64_t start = at - access->floor->lookup_cycles;
	int signal = refusal(access, at, &again);

	if (is_first && start <= from + 1)
		sig_later(slice->bank,
			  start == from
				  ? SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0
				  : SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP1,
			  from, 1);
	if (signal != SIG_CBOX_MAF_NACK2_EGRESS_FULL)
		count_read_out(access, at);
	if (signal < 0) {
		acknowledge(access, at);
		return;
	}
	slice_refuse(slice, (unsigned)signal, at);
	show_irq(access, again);
	wait_until(access, again);
}

static struct access special_of(struct core *core, unsigned entry)
{
	struct access access = access_of(core, entry);

	access.slice = &access.floor->slices[core->index]; /* its own */
	access.agent = access.here->agents[access.slice->side];
	return access;
}

/* What is at the C-Box, or has to come again. */
static void go_on(void *core, uint64_t entry)
{
	struct access access = special_of(core, (unsigned)entry);
	uint64_t now = engine_now(&access.ex->engine);
	bool was_in = access.wait->is_in;

	if (was_in || enter(&access, now))
		pass(&access, now, !was_in);
}

void special_start(struct ex *ex, unsigned socket, unsigned core,
		   unsigned entry)
{
	struct access access =
		special_of(&ex->sockets[socket].socket->cores[core], entry);

	ride(&access);
}
