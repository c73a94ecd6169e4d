/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Messages of a B-Box. What leaves it are completions (NDR), snoops where the
 * home sends them, data (DRS) and what a mirror master wants, over the direct
 * link to the S-Box of the same side or through the R-Box, a flit a cycle. A
 * short message goes into a gap that a longer one cannot use. Either receiver
 * may have no room; then the message waits without holding the link. As the
 * guide has it, a snoop enters the SNPOQ (and counts there) only if it cannot
 * leave at once.
 */
#include "model/nehalem-ex/home_parts.h"
#include "model/nehalem-ex/router.h"
#include "signals.h"

void home_take(struct home *home, const struct packet *packet, uint64_t at)
{
	struct home_came *came = visits_next(home->visits);

	*came = (struct home_came){
		.visit = { .tell = tell_came, .last = at },
		.at = at,
		.line = packet->line,
		.header = { packet->mc, packet->opcode, packet->state,
			    packet->flits },
		.is_direct =
			packet->cls == PACKET_HOM &&
			packet->source == NODE_SBOX(home->socket, home->side),
	};
	visits_keep(home->visits);
}

void home_take_data(struct home *home, uint64_t line, unsigned opcode,
		    unsigned flits, uint64_t at)
{
	struct home_came *came = visits_next(home->visits);

	*came = (struct home_came){
		.visit = { .tell = tell_came, .last = at },
		.at = at,
		.line = line,
		.header = { MC_DRS, (uint8_t)opcode, RDS_M, (uint8_t)flits },
	};
	visits_keep(home->visits);
}

/* What leaves may have been in a queue, which says so. In the DRSQ (depth 4) no
 * more than one place is left, so the IMT can set aside a place for one read
 * only. */
static unsigned leave_queue(struct home *home, const struct packet *packet,
			    uint64_t now, uint64_t ready, uint64_t sent)
{
	if (packet->cls == PACKET_SNP) {
		home_window_take(&home->snpoq, sent);
		return LEFT_SNPOQ;
	}
	if (packet->cls != PACKET_DRS ||
	    (packet->network && packet->opcode != DRS_DATA_C_CMP))
		return 0;
	overlap_add(&home->drsq, home->bank, SIG_BBOX_IMT_PREALLOC, now,
		    ready - 1, sent);
	return LEFT_DRSQ;
}

/* The message was ready, had the link from `slot` on (if there had been room)
 * and was sent. */
static void leave(struct home *home, const struct packet *packet, uint64_t now,
		  uint64_t ready, uint64_t slot, uint64_t sent, unsigned flags)
{
	struct home_left *left;

	flags |= leave_queue(home, packet, now, ready, sent);
	left = visits_next(home->visits);
	*left = (struct home_left){
		.visit = { .tell = tell_left, .last = sent },
		.ready = ready,
		.line = packet->line,
		.slot = (uint32_t)(slot - ready),
		.sent = (uint32_t)(sent - ready),
		.header = { packet->mc, packet->opcode, packet->state,
			    packet->flits },
		.flags = (uint8_t)flags,
	};
	visits_keep(home->visits);
}

/* The first cycle in which the link is free for a message. */
static uint64_t slot_from(struct calendar *link, uint64_t now, uint64_t at,
			  uint64_t room_from)
{
	calendar_forget(link, now);
	while (at < room_from && !calendar_is_free(link, at, 1))
		at++;
	return at;
}

static uint64_t send_directly(struct ex *ex, struct home *home,
			      const struct packet *packet, uint64_t at,
			      uint64_t room_from)
{
	struct calendar *link = &home->links[HOME_TO_SBOX];
	uint64_t now = ex_now(ex), from = ex_later(at, room_from);
	uint64_t slot = from > at ? slot_from(link, now, at, room_from) : at;
	uint64_t sent = calendar_take(link, now, from, packet->flits);
	unsigned flags = slot < room_from ? LEFT_DIRECT | LEFT_NO_ROOM
					  : LEFT_DIRECT;

	leave(home, packet, now, at, from > at ? slot : sent, sent, flags);
	return sent;
}

uint64_t home_send(struct ex *ex, struct home *home, struct packet *packet,
		   uint64_t at, uint64_t room_from)
{
	uint64_t now = ex_now(ex), slot;
	struct router_ride ride;

	if (packet->dest == NODE_SBOX(home->socket, home->side))
		return send_directly(ex, home, packet, at, room_from);
	slot = calendar_take(&home->links[HOME_TO_RBOX], now, at,
			     packet->flits);
	ride = router_carry(ex, home->socket,
			    home->side ? RBOX_PORT_BBOX1 : RBOX_PORT_BBOX0,
			    packet, slot, room_from);
	leave(home, packet, now, at, slot, ride.entered,
	      ride.has_waited ? LEFT_NO_ROOM : 0);
	return ride.arrived;
}
