/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent's egress: a queue for each ring and each of two schedulers,
 * one for either direction of the ring.
 */
#include "model/sandy-bridge-ep/ha_parts.h"
#include "model/sandy-bridge-ep/qll.h"
#include "signals.h"

/* What is told of a queue: scheduler 0's signals, scheduler 1's stand behind.
 */
struct egress_signals {
	uint16_t inserts, occupancy, not_empty, full;
};

static const struct egress_signals signals[] = {
	[RING_AD] = { SIG_HA_TXR_AD_INSERTS_SCHED0,
		      SIG_HA_TXR_AD_OCCUPANCY_SCHED0,
		      SIG_HA_TXR_AD_CYCLES_NE_SCHED0,
		      SIG_HA_TXR_AD_CYCLES_FULL_SCHED0 },
	[RING_AK] = { SIG_HA_TXR_AK_INSERTS_SCHED0,
		      SIG_HA_TXR_AK_OCCUPANCY_SCHED0,
		      SIG_HA_TXR_AK_CYCLES_NE_SCHED0,
		      SIG_HA_TXR_AK_CYCLES_FULL_SCHED0 },
	[RING_BL] = { SIG_HA_TXR_BL_INSERTS_SCHED0,
		      SIG_HA_TXR_BL_OCCUPANCY_SCHED0,
		      SIG_HA_TXR_BL_CYCLES_NE_SCHED0,
		      SIG_HA_TXR_BL_CYCLES_FULL_SCHED0 },
};

static unsigned count_id(const struct packet *packet, bool is_far,
			 bool is_direct)
{
	switch (packet->cls) {
	case PACKET_SNP: return SIG_HA_TXR_AD_SNP;
	case PACKET_DRS:
		return is_far	   ? SIG_HA_TXR_BL_DRS_QPI
		       : is_direct ? SIG_HA_TXR_BL_DRS_CORE
				   : SIG_HA_TXR_BL_DRS_CACHE;
	default: return is_far ? SIG_HA_TXR_AD_NDR : SIG_HA_TXR_AK_NDR;
	}
}

/* Responses without data go to the other socket on AD (TxR_AD.NDR). */
static enum ring_kind ring_of(const struct packet *packet, bool is_far)
{
	enum ring_kind kind = trip_ring((enum packet_class)packet->cls);

	return kind == RING_AK && is_far ? RING_AD : kind;
}

/* Cycles in which the link's stop has no room for what is ready. */
static void wait_for_link(struct ha *ha, unsigned to,
			  const struct packet *packet, enum ring_kind kind,
			  uint64_t ready)
{
	unsigned link = ep_route(ha->ep, ha->socket, to, packet->line);
	uint64_t room = qll_room_from(ha->ep, ha->socket, link,
				      (enum packet_class)packet->cls, ready);
	unsigned id = (kind == RING_BL ? SIG_HA_IGR_NO_CREDIT_CYCLES_BL_QPI0
				       : SIG_HA_IGR_NO_CREDIT_CYCLES_AD_QPI0) +
		      link;

	sig_span(ha->bank, id, ready, room, 1);
}

/* A queue holds one more from a cycle until another: when that makes it full.
 */
static void enter(struct ha *ha, struct ha_egress *egress, unsigned full,
		  uint64_t from, uint64_t until)
{
	uint64_t next;

	egress->latest[egress->num++ % HA_LATEST] =
		(struct stay){ from, until, 1 };
	if (egress->places.free ||
	    places_taken(&egress->places, engine_now(&ha->ep->engine)) <
		    egress->places.num)
		return;
	for (; from < until; from = next) {
		next = until;
		if (stays_at(egress->latest, HA_LATEST, from, &next) ==
		    egress->places.num)
			sig_span(ha->bank, full, from, next, 1);
	}
}

/* Scheduler 1's signals stand behind those of scheduler 0. */
static void tell(struct ha *ha, unsigned id, enum ring_kind kind,
		 unsigned scheduler, uint64_t ready, uint64_t left)
{
	const struct egress_signals *told = &signals[kind];
	struct ha_visit *visit = ha_visit(ha, left);

	ha_tell(visit, id, ready, 0);
	ha_tell(visit, told->inserts + scheduler, ready, 0);
	ha_tell(visit, told->occupancy + scheduler, ready, left);
	ha_tell(visit, told->not_empty + scheduler, ready, left);
	if (kind != RING_AD && left > ready + ha->starve_cycles + 1)
		ha_tell(visit,
			kind == RING_AK ? SIG_HA_TXR_STARVED_AK
					: SIG_HA_TXR_STARVED_BL,
			ready + ha->starve_cycles, left - 1);
	visits_keep(ha->visits);
}

/* A line that does not go straight to a link passes its home. */
static uint64_t bring_home(struct ha *ha, unsigned channel, uint64_t ready)
{
	struct ring_ride ride = { ready, ready, false };

	if (!ha->ep->engine.is_quick)
		ride = ring_send(ha->ep, ha->socket, RING_BL,
				 ep_memory_stop(ha->ep, ha->number, channel),
				 ep_home_stop(ha->ep, ha->number), ready, 2);
	ep_hold_memory(ha->ep, ha->socket, channel, MEMORY_TXC_BL, ready,
		       ride.injected + 1);
	return ride.arrived;
}

struct trip ha_send(struct ha *ha, struct trip_stop to, struct packet *packet,
		    uint64_t ready, int core)
{
	struct ep *ep = ha->ep;
	struct trip_stop from = ha_stop(ha);
	bool is_far = to.socket != ha->socket;
	enum ring_kind kind = ring_of(packet, is_far);
	const struct egress_signals *told = &signals[kind];
	unsigned scheduler = ring_is_against(ep, from.stop, to.stop);
	unsigned id = count_id(packet, is_far, core >= 0), place;
	struct ha_egress *egress =
		&ha->egress[kind * HA_SCHEDULERS + scheduler];
	bool is_memory =
		packet->cls == PACKET_DRS && ep->kind->has_home_in_slice;
	bool leaves_memory = is_memory && (!is_far || core >= 0);
	unsigned channel = is_memory ? ep_home(ep, packet->line).channel : 0;
	struct trip trip;

	if (is_memory && !leaves_memory)
		ready = bring_home(ha, channel, ready);
	if (leaves_memory)
		from.stop = ep_memory_stop(ep, ha->number, channel);
	if (ep->engine.is_quick) {
		engine_count(&ep->engine, ha->bank, id, ready);
		engine_count(&ep->engine, ha->bank, told->inserts + scheduler,
			     ready);
		if (leaves_memory)
			ep_hold_memory(ep, ha->socket, channel, MEMORY_TXC_BL,
				       ready, ready);
		return trip_go(ep, from, to, packet, ready, core);
	}
	place = places_take(&egress->places, engine_now(&ep->engine), &ready);
	if (is_far)
		wait_for_link(ha, to.socket, packet, kind, ready);
	trip = trip_go(ep, from, to, packet, ready, core);
	if (leaves_memory)
		ep_hold_memory(ep, ha->socket, channel, MEMORY_TXC_BL, ready,
			       trip.injected + 1);
	places_hold(&egress->places, place, trip.injected + 1);
	enter(ha, egress, told->full + scheduler, ready, trip.injected + 1);
	tell(ha, id, kind, scheduler, ready, trip.injected + 1);
	return trip;
}
