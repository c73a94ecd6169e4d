/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The far end of a QPI link that leads to an I/O hub instead of a neighbour. It
 * has a buffer like an input port of an R-Box: the R-Box spends credits for it,
 * a class that the hub refuses waits in it, and what the hub takes gives its
 * credit back over the link. The hub lives in the socket's sim, so nothing here
 * waits for a window to end.
 */
#include <stdlib.h>

#include "model/box/rbox_parts.h"
#include "signals.h"

enum { RING = 256 };

_Static_assert(RING > RBOX_MAX_VNA + 2, "VNA may hold one class alone");

/* Packets of a class that the hub has not taken. */
struct waiting {
	struct packet *packets; /* ring of RING places */
	uint32_t first, count;
	bool is_refused, is_handing_out;
};

struct rbox_hub {
	struct rbox *rbox;
	unsigned port;
	struct rbox_client client;
	struct qpi_lane lane; /* R-Box to hub */
	struct qpi_link link; /* hub to R-Box */
	struct waiting waiting[PACKET_NUM_CLASSES];
	unsigned num_packets; /* on the link or waiting */
	unsigned num_credits; /* on their way back, in either direction */
};

/* A credit as the argument of an event. */
static uint64_t pack(const struct packet *packet, bool is_idle_flit)
{
	return packet->cls | (uint64_t)packet->vn << 8 |
	       (uint64_t)packet->flits << 16 | (uint64_t)is_idle_flit << 24;
}

struct rbox_hub *rbox_hub_new(struct rbox *rbox, unsigned port,
			      const struct rbox_client *client)
{
	struct rbox_hub *hub = aligned_alloc(64, (sizeof(*hub) + 63) / 64 * 64);
	bool is_complete;

	if (!hub)
		return NULL;
	*hub = (struct rbox_hub){ rbox, port, .client = *client };
	is_complete = qpi_lane_init(&hub->lane, rbox->config.vna_flits) &&
		      rbox_link_init(&hub->link, &rbox->config);
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++) {
		hub->waiting[cls].packets =
			calloc(RING, sizeof(*hub->waiting[cls].packets));
		is_complete &= hub->waiting[cls].packets != NULL;
	}
	if (is_complete)
		return hub;
	rbox_hub_free(hub);
	return NULL;
}

void rbox_hub_free(struct rbox_hub *hub)
{
	if (!hub)
		return;
	qpi_lane_fini(&hub->lane);
	qpi_link_fini(&hub->link);
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
		free(hub->waiting[cls].packets);
	free(hub);
}

struct qpi_lane *rbox_hub_lane(struct rbox_hub *hub)
{
	return &hub->lane;
}

struct qpi_link *rbox_hub_link(struct rbox_hub *hub)
{
	return &hub->link;
}

bool rbox_hub_awaits_credits(const struct rbox_hub *hub)
{
	return hub && hub->num_credits;
}

bool rbox_hub_is_idle(const struct rbox_hub *hub)
{
	return !hub || !hub->num_packets;
}

/* The R-Box has a credit of the hub's buffer back. */
static void credit_of_hub(void *object, uint64_t credit)
{
	struct rbox_hub *hub = object;
	struct rbox *rbox = hub->rbox;
	struct rbox_output *output = &rbox->outputs[hub->port];

	hub->num_credits--;
	qpi_restore_credit(&hub->lane, credit & 0xff, credit >> 8 & 0xff,
			   credit >> 16 & 0xff);
	if (credit >> 24)
		sig_pulse(rbox->bank,
			  rbox_signal(SIG_RBOX_FLITS_RECV_SPEC, hub->port), 1);
	rbox_look_at(rbox, output->waiters, sim_now(rbox->sim));
	output->waiters = 0;
}

/* The hub has taken a packet; its credit goes back. */
static void give_back(struct rbox_hub *hub, const struct packet *packet)
{
	struct sim *sim = hub->rbox->sim;
	uint64_t now = sim_now(sim);

	hub->num_packets--;
	hub->num_credits++;
	sim_at(sim, now + hub->link.latency_cycles, credit_of_hub, hub,
	       pack(packet, qpi_is_idle(&hub->link, now)));
}

static void hand_out(struct rbox_hub *hub, unsigned cls)
{
	struct waiting *waiting = &hub->waiting[cls];

	if (waiting->is_handing_out)
		return;
	waiting->is_handing_out = true;
	while (waiting->count && !waiting->is_refused) {
		const struct packet *packet =
			&waiting->packets[waiting->first % RING];

		waiting->is_refused = true;
		if (!hub->client.deliver(hub->client.object, packet))
			continue;
		waiting->is_refused = false;
		give_back(hub, packet);
		waiting->first++;
		waiting->count--;
	}
	waiting->is_handing_out = false;
}

static void arrive(void *object, uint64_t unused)
{
	struct rbox_hub *hub = object;
	const struct packet *packet = &qpi_take(&hub->lane)->packet;
	struct waiting *waiting = &hub->waiting[packet->cls];

	(void)unused;
	waiting->packets[(waiting->first + waiting->count++) % RING] = *packet;
	hand_out(hub, packet->cls);
}

/* A packet that the R-Box has put on the lane is there at that time. */
void rbox_hub_arrives(struct rbox_hub *hub, uint64_t time)
{
	hub->num_packets++;
	sim_at(hub->rbox->sim, time, arrive, hub, 0);
}

void rbox_hub_resume(struct rbox_hub *hub, unsigned cls)
{
	hub->waiting[cls].is_refused = false;
	hand_out(hub, cls);
}

/* The hub has a credit of the R-Box's input buffer back. */
static void credit_of_rbox(void *object, uint64_t credit)
{
	struct rbox_hub *hub = object;
	unsigned cls = credit & 0xff, vn = credit >> 8 & 0xff;
	unsigned flits = credit >> 16 & 0xff;

	hub->num_credits--;
	qpi_restore_credit(&hub->rbox->inputs[hub->port].lane, cls, vn, flits);
	if (hub->client.credit)
		hub->client.credit(hub->client.object, (enum packet_class)cls,
				   vn, flits);
}

void rbox_hub_credit(struct rbox_hub *hub, const struct packet *packet)
{
	struct sim *sim = hub->rbox->sim;

	hub->num_credits++;
	sim_at(sim, sim_now(sim) + rbox_window_cycles(&hub->rbox->config),
	       credit_of_rbox, hub, pack(packet, false));
}
