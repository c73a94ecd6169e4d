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
	}
	sig_drives(bank, SBO_RXR_INSERTS(0), NUM_SBO_RXR_INSERTS);
	sig_drives(bank, SBO_RXR_BYPASS(0), NUM_SBO_RXR_BYPASS);
	sig_drives(bank, SBO_RXR_OCCUPANCY(0), NUM_SBO_RXR_OCCUPANCY);
	sig_drives(bank, SBO_RXR_CRD_STARVED(0), NUM_SBO_RXR_CRD_STARVED);
	sig_drives(bank, SBO_TXR_INSERTS(0), NUM_SBO_TXR_INSERTS);
	sig_drives(bank, SBO_TXR_OCCUPANCY(0), NUM_SBO_TXR_OCCUPANCY);
	sig_drives(bank, SBO_TXR_STARVED(0), NUM_SBO_TXR_STARVED);
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
	return &sender->credits[stop_pool(sender->kind, crossing->bridge)]
			       [crossing->kind];
}

/* Of the sender's credits, from the signal of the first pool and ring on. */
static unsigned credit_signal(const struct crossing *crossing, int first)
{
	return (unsigned)first +
	       stop_pool(crossing->sender->kind, crossing->bridge) *
		       RING_NUM_KINDS +
	       crossing->kind;
}

/* When it may get onto its ring. */
static uint64_t take_credit(struct crossing *crossing, uint64_t ready)
{
	const struct stop *sender = crossing->sender;
	struct places *credits = credits_of(crossing);
	uint64_t at = ready;

	crossing->place = places_take(&crossing->here->ingress[crossing->kind],
				      crossing->now, &at);
	if (!credits)
		return at;
	crossing->credit = places_take(credits, crossing->now, &at);
	crossing->acquired = at;
	if (sender->kind->stalled != NOT_TOLD)
		sig_span(sender->bank,
			 credit_signal(crossing, sender->kind->stalled), ready,
			 at, 1);
	sig_later(sender->bank, credit_signal(crossing, sender->kind->acquired),
		  at, 1);
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
	sig_span(sender->bank, credit_signal(crossing, sender->kind->held),
		 crossing->acquired, at, 1);
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
		sig_later(bank, SBO_RXR_BYPASS(crossing->kind), at, 1);
	} else {
		sig_later(bank, SBO_RXR_INSERTS(crossing->kind), arrived, 1);
		sig_span(bank, SBO_RXR_OCCUPANCY(crossing->kind), arrived, at,
			 1);
		sig_span(bank, SBO_RXR_CRD_STARVED(crossing->kind),
			 arrived + crossing->here->starve_cycles, at, 1);
	}
	return at + crossing->here->cycles;
}

static void tell_egress(const struct crossing *crossing, uint64_t entered,
			uint64_t injected)
{
	const struct sbo *sbo = crossing->there;

	sig_later(sbo->bank, SBO_TXR_INSERTS(crossing->kind), entered, 1);
	sig_span(sbo->bank, SBO_TXR_OCCUPANCY(crossing->kind), entered,
		 injected + 1, 1);
	sig_span(sbo->bank, SBO_TXR_STARVED(crossing->kind),
		 entered + sbo->starve_cycles, injected, 1);
}

struct ring_ride sbo_carry(struct ring *ring, struct ring *other,
			   enum ring_kind kind, const struct ring_way *way,
			   unsigned to, uint64_t ready, unsigned slots)
{
	struct crossing crossing = {
		.here = ring->bridges[way->bridge],
		.there = other->bridges[way->bridge],
		.sender = &ring->stops[way->from],
		.kind = kind,
		.bridge = way->bridge,
		.now = engine_now(ring->engine),
	};
	struct ring_ride first, second;
	uint64_t entered;
	unsigned place;

	first = ring_ride(ring, kind, way, take_credit(&crossing, ready),
			  slots);
	entered = pass(&crossing, first.arrived, &place);
	give_credit_back(&crossing, entered);
	second = ring_ride(other, kind, ring_way(other, way->over, to), entered,
			   slots);
	places_hold(&crossing.there->egress[kind], place, second.injected + 1);
	tell_egress(&crossing, entered, second.injected);
	first.arrived = second.arrived;
	return first;
}
