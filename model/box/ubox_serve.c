/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What concerns the U-Box alone: door bells, power news of other sockets, and
 * accesses to the configuration registers of the socket, one at a time each.
 * Whose register it is follows from the address: of four neighbouring lines the
 * first belongs to the U-Box itself, the second to the agents of the ring, the
 * other two to the home agents with their memory controllers. The real map is
 * not public; this one lets any run of addresses reach all of them.
 */
#include "model/box/socket.h"
#include "model/box/ubox_parts.h"
#include "signals.h"

enum { OF_UBOX, OF_RING, OF_BBOX0, OF_BBOX1, NUM_AGENTS };

/* Answers wait while this many are not yet on their way. */
enum { MANY_ANSWERS = 32 };

static bool is_config_access(const struct packet *packet)
{
	return packet->cls == PACKET_NCS && packet->opcode != NCS_NC_MSG_S;
}

static unsigned reach_agent(struct ubox *ubox, const struct packet *packet)
{
	struct sim *sim = ubox->socket->sim;

	if (!is_config_access(packet))
		return 0;
	switch (packet->line % NUM_AGENTS) {
	case OF_UBOX: return 0;
	case OF_RING:
		sig_pulse(ubox->bank, SIG_UBOX_U2R_REQUESTS, 1);
		return ubox->ring_cycles;
	default:
		sig_busy(ubox->bank, SIG_UBOX_U2B_REQUEST_CYCLES,
			 sim_now(sim) + ubox->bbox_cycles);
		return ubox->bbox_cycles;
	}
}

static void done(void *object, uint64_t buffer)
{
	struct ubox *ubox = object;
	struct outlet *outlet = &ubox->outlet;
	struct packet request =
		ubox_slot(ubox, (enum ubox_buffer)buffer, 0)->packet;

	if (outlet->queues[PACKET_NDR].count > MANY_ANSWERS ||
	    outlet->queues[PACKET_DRS].count > MANY_ANSWERS) {
		sim_at(outlet->sim, sim_now(outlet->sim) + 1, done, ubox,
		       buffer);
		return;
	}
	ubox->buffers[buffer].is_active = false;
	ubox_drop(ubox, (enum ubox_buffer)buffer, 0);
	ubox_complete(ubox, &request);
	ubox_arbitrate(ubox);
}

void ubox_serve(struct ubox *ubox, enum ubox_buffer buffer)
{
	struct sim *sim = ubox->socket->sim;
	unsigned cycles = 1;

	if (buffer == UBOX_CONFIG)
		cycles = ubox->config_cycles +
			 reach_agent(ubox,
				     &ubox_slot(ubox, buffer, 0)->packet);
	ubox->buffers[buffer].is_active = true;
	sim_at(sim, sim_now(sim) + cycles, done, ubox, buffer);
}
