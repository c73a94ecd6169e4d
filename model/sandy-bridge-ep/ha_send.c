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

static void count(struct ha *ha, const struct packet *packet, bool is_far,
		  bool is_direct, uint64_t at)
{
	unsigned id;

	switch (packet->cls) {
	case PACKET_SNP: id = SIG_HA_TXR_AD_SNP; break;
	case PACKET_DRS:
		id = is_far	 ? SIG_HA_TXR_BL_DRS_QPI
		     : is_direct ? SIG_HA_TXR_BL_DRS_CORE
				 : SIG_HA_TXR_BL_DRS_CACHE;
		break;
	default: id = is_far ? SIG_HA_TXR_AD_NDR : SIG_HA_TXR_AK_NDR;
	}
	engine_count(&ha->ep->engine, ha->bank, id, at);
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
static void enter(struct ha *ha, unsigned queue, unsigned full, uint64_t from,
		  uint64_t until)
{
	struct occupancy *inside = &ha->inside[queue];
	struct occupancy_steps steps;

	occupancy_forget(inside, engine_now(&ha->ep->engine));
	steps = occupancy_enter(inside, from, until, 1);
	for (unsigned i = steps.first; i < steps.end; i++)
		if (inside->steps[i].count == ha->egress[queue].num)
			sig_span(ha->bank, full, inside->steps[i].at,
				 inside->steps[i + 1].at, 1);
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
	unsigned number = kind * HA_SCHEDULERS + scheduler;
	struct places *queue = &ha->egress[number];
	unsigned place;
	struct trip trip;

	if (packet->cls == PACKET_DRS) /* its lines come from the memory */
		from.stop = ep_memory_stop(ep, ha->number,
					   ep_home(ep, packet->line).channel);
	if (ep->engine.is_quick) {
		count(ha, packet, is_far, core >= 0, ready);
		engine_count(&ep->engine, ha->bank, told->inserts + scheduler,
			     ready);
		return trip_go(ep, from, to, packet, ready, core);
	}
	place = places_take(queue, engine_now(&ep->engine), &ready);
	if (is_far)
		wait_for_link(ha, to.socket, packet, kind, ready);
	trip = trip_go(ep, from, to, packet, ready, core);
	places_hold(queue, place, trip.injected + 1);
	enter(ha, number, told->full + scheduler, ready, trip.injected + 1);
	count(ha, packet, is_far, core >= 0, ready);
	sig_later(ha->bank, told->inserts + scheduler, ready, 1);
	sig_span(ha->bank, told->occupancy + scheduler, ready,
		 trip.injected + 1, 1);
	sig_span(ha->bank, told->not_empty + scheduler, ready,
		 trip.injected + 1, 1);
	if (kind != RING_AD && trip.injected > ready + ha->starve_cycles)
		sig_span(ha->bank,
			 kind == RING_AK ? SIG_HA_TXR_STARVED_AK
					 : SIG_HA_TXR_STARVED_BL,
			 ready + ha->starve_cycles, trip.injected, 1);
	return trip;
}
