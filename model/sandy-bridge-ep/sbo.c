/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * SBo: a bridge between two rings has a stop on both. What comes off the one
 * is in the ingress of that stop until the egress of the other has room, from
 * where it gets on as soon as the ring lets it.
 *
 * A sender needs a place in the ingress, and on AD and BL a credit of its own,
 * which it has back when its message is in the egress.
 */
#include <stdlib.h>

#include "model/sandy-bridge-ep/ring_parts.h"
#include "signals.h"

struct sbo {
	struct sigbank *bank;
	unsigned cycles, starve_cycles;
	struct places ingress[RING_NUM_KINDS], egress[RING_NUM_KINDS];
};

/* Of a queue, by ring. */
static const uint16_t in_inserts[] = { SIG_SBO_RXR_INSERTS_AD_CRD,
				       SIG_SBO_RXR_INSERTS_AK,
				       SIG_SBO_RXR_INSERTS_BL_CRD,
				       SIG_SBO_RXR_INSERTS_IV };
static const uint16_t in_occupancy[] = { SIG_SBO_RXR_OCCUPANCY_AD_CRD,
					 SIG_SBO_RXR_OCCUPANCY_AK,
					 SIG_SBO_RXR_OCCUPANCY_BL_CRD,
					 SIG_SBO_RXR_OCCUPANCY_IV };
static const uint16_t bypass[] = { SIG_SBO_RXR_BYPASS_AD_CRD,
				   SIG_SBO_RXR_BYPASS_AK,
				   SIG_SBO_RXR_BYPASS_BL_CRD,
				   SIG_SBO_RXR_BYPASS_IV };
static const uint16_t out_inserts[] = { SIG_SBO_TXR_INSERTS_AD_CRD,
					SIG_SBO_TXR_INSERTS_AK,
					SIG_SBO_TXR_INSERTS_BL_CRD,
					SIG_SBO_TXR_INSERTS_IV };
static const uint16_t out_occupancy[] = { SIG_SBO_TXR_OCCUPANCY_AD_CRD,
					  SIG_SBO_TXR_OCCUPANCY_AK,
					  SIG_SBO_TXR_OCCUPANCY_BL_CRD,
					  SIG_SBO_TXR_OCCUPANCY_IV };
static const uint16_t out_starved[] = { SIG_SBO_TXR_STARVED_AD,
					SIG_SBO_TXR_STARVED_AK,
					SIG_SBO_TXR_STARVED_BL,
					SIG_SBO_TXR_STARVED_IV };

struct sbo *sbo_new(const struct socket *socket, struct sigbank *bank)
{
	struct sbo *sbo = calloc(1, sizeof(*sbo));

	if (!sbo)
		return NULL;
	sbo->bank = bank;
	sbo->cycles = socket_param(socket, PARAM_SBO_CYCLES);
	sbo->starve_cycles = socket_param(socket, PARAM_CBO_STARVE_CYCLES);
	for (unsigned i = 0; i < RING_NUM_KINDS; i++) {
		places_init(&sbo->ingress[i],
			    socket_param(socket, PARAM_SBO_INGRESS));
		places_init(&sbo->egress[i],
			    socket_param(socket, PARAM_SBO_EGRESS));
		sig_drives(bank, in_inserts[i], 1);
		sig_drives(bank, in_occupancy[i], 1);
		sig_drives(bank, bypass[i], 1);
		sig_drives(bank, out_inserts[i], 1);
		sig_drives(bank, out_occupancy[i], 1);
		sig_drives(bank, out_starved[i], 1);
	}
	sig_drives(bank, SIG_SBO_CLOCKTICKS, 1);
	sig_set(bank, SIG_SBO_CLOCKTICKS, 1);
	return sbo;
}

void sbo_free(struct sbo *sbo)
{
	free(sbo);
}

/* A message on its way over a bridge. */
struct crossing {
	const struct ep *ep;
	struct sbo *here, *there;
	struct stop *sender;
	unsigned kind, bridge;
	unsigned credit, place; /* of the sender, in the ingress */
	uint64_t acquired, now;
};

static struct places *credits_of(const struct crossing *crossing)
{
	struct stop *sender = crossing->sender;

	if (crossing->kind != RING_AD && crossing->kind != RING_BL)
		return NULL;
	if (!sender->kind || !sender->kind->num_pools)
		return NULL;
	return &sender->credits[crossing->bridge % sender->kind->num_pools]
			       [crossing->kind == RING_BL];
}

static void tell(struct sigbank *bank, uint16_t id, uint64_t from,
		 uint64_t until)
{
	if (id && until > from)
		sig_span(bank, id, from, until, 1);
}

/* When it may get onto its ring. */
static uint64_t take_credit(struct crossing *crossing, uint64_t ready)
{
	const struct stop *sender = crossing->sender;
	struct places *credits = credits_of(crossing);
	const struct stop_credits *told;
	bool is_line = crossing->kind == RING_BL;
	uint64_t at = ready;

	crossing->place = places_take(&crossing->here->ingress[crossing->kind],
				      crossing->now, &at);
	if (!credits)
		return at;
	crossing->credit = places_take(credits, crossing->now, &at);
	crossing->acquired = at;
	told = &sender->kind->credits[crossing->bridge];
	tell(sender->bank, told->stalled[is_line], ready, at);
	if (told->acquired[is_line])
		sig_later(sender->bank, told->acquired[is_line], at, 1);
	return at;
}

static void give_credit_back(struct crossing *crossing, uint64_t at)
{
	const struct stop *sender = crossing->sender;
	struct places *credits = credits_of(crossing);

	places_hold(&crossing->here->ingress[crossing->kind], crossing->place,
		    at);
	if (!credits)
		return;
	places_hold(credits, crossing->credit, at);
	tell(sender->bank,
	     sender->kind->credits[crossing->bridge]
		     .held[crossing->kind == RING_BL],
	     crossing->acquired, at);
}

/* From the ingress to the egress: when it is there. */
static uint64_t pass(struct crossing *crossing, uint64_t arrived,
		     unsigned *place)
{
	struct sigbank *bank = crossing->here->bank;
	uint64_t at = arrived;

	*place = places_take(&crossing->there->egress[crossing->kind],
			     crossing->now, &at);
	if (at == arrived) {
		sig_later(bank, bypass[crossing->kind], at, 1);
	} else {
		sig_later(bank, in_inserts[crossing->kind], arrived, 1);
		tell(bank, in_occupancy[crossing->kind], arrived, at);
	}
	return at + crossing->here->cycles;
}

static void tell_egress(const struct crossing *crossing, uint64_t entered,
			uint64_t injected)
{
	const struct sbo *sbo = crossing->there;

	sig_later(sbo->bank, out_inserts[crossing->kind], entered, 1);
	tell(sbo->bank, out_occupancy[crossing->kind], entered, injected + 1);
	tell(sbo->bank, out_starved[crossing->kind],
	     entered + sbo->starve_cycles, injected);
}

struct ring_ride sbo_carry(const struct ep *ep, unsigned socket,
			   enum ring_kind kind, unsigned from, unsigned to,
			   unsigned bridge, uint64_t ready, unsigned slots)
{
	struct ring *const *rings = ep->sockets[socket].rings;
	unsigned ring = ep_ring_of(ep, from), place;
	struct crossing crossing = {
		.ep = ep,
		.here = rings[ring]->bridges[bridge],
		.there = rings[!ring]->bridges[bridge],
		.sender = &rings[ring]->stops[from - rings[ring]->first],
		.kind = kind,
		.bridge = bridge,
		.now = engine_now(&ep->engine),
	};
	struct ring_ride first, second;
	uint64_t entered;

	first = ring_ride(ep, socket, kind, from,
			  ep->stops.bridges[ring][bridge],
			  take_credit(&crossing, ready), slots);
	entered = pass(&crossing, first.arrived, &place);
	give_credit_back(&crossing, entered);
	second = ring_ride(ep, socket, kind, ep->stops.bridges[!ring][bridge],
			   to, entered, slots);
	places_hold(&crossing.there->egress[kind], place, second.injected + 1);
	tell_egress(&crossing, entered, second.injected);
	first.arrived = second.arrived;
	return first;
}
