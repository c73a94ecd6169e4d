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
	struct home_came came = {
		.at = at,
		.line = packet->line,
		.mc = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.flits = packet->flits,
		.is_direct =
			packet->cls == PACKET_HOM &&
			packet->source == NODE_SBOX(home->socket, home->side),
	};

	tell_came(home->bank, &came);
}

void home_take_data(struct home *home, uint64_t line, unsigned opcode,
		    unsigned flits, uint64_t at)
{
	struct home_came came = {
		.at = at,
		.line = line,
		.mc = MC_DRS,
		.opcode = (uint8_t)opcode,
		.state = RDS_M,
		.flits = (uint8_t)flits,
	};

	tell_came(home->bank, &came);
}

/* The message was ready in the cycle `at`, had the link from `slot` on (if
 * there had been room) and left. In the DRSQ (depth 4) no more than one place
 * is left, so the IMT can set aside a place for one read only. */
static void sent(struct home *home, const struct packet *packet, uint64_t now,
		 struct home_left *left)
{
	bool is_mirrored = packet->network && packet->opcode != DRS_DATA_C_CMP;

	left->line = packet->line;
	left->mc = packet->mc;
	left->opcode = packet->opcode;
	left->state = packet->state;
	left->flits = packet->flits;
	if (packet->cls == PACKET_DRS && !is_mirrored) {
		left->flags |= LEFT_DRSQ;
		overlap_add(&home->drsq, home->bank, SIG_BBOX_IMT_PREALLOC, now,
			    left->ready - 1, left->sent);
	} else if (packet->cls == PACKET_SNP) {
		left->flags |= LEFT_SNPOQ;
		home_window_take(&home->snpoq, left->sent);
	}
	tell_left(home->bank, left);
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
	struct home_left left = { .ready = at, .flags = LEFT_DIRECT };
	uint64_t now = ex_now(ex);

	if (at < room_from)
		left.slot = slot_from(link, now, at, room_from);
	left.sent = calendar_take(link, now, ex_later(at, room_from),
				  packet->flits);
	if (at >= room_from)
		left.slot = left.sent;
	else if (left.slot < room_from)
		left.flags |= LEFT_NO_ROOM;
	sent(home, packet, now, &left);
	return left.sent;
}

uint64_t home_send(struct ex *ex, struct home *home, struct packet *packet,
		   uint64_t at, uint64_t room_from)
{
	struct home_left left = { .ready = at };
	uint64_t now = ex_now(ex);
	struct router_ride ride;

	if (packet->dest == NODE_SBOX(home->socket, home->side))
		return send_directly(ex, home, packet, at, room_from);
	left.slot = calendar_take(&home->links[HOME_TO_RBOX], now, at,
				  packet->flits);
	ride = router_carry(ex, home->socket,
			    home->side ? RBOX_PORT_BBOX1 : RBOX_PORT_BBOX0,
			    packet, left.slot, room_from);
	left.sent = ride.entered;
	if (ride.has_waited)
		left.flags |= LEFT_NO_ROOM;
	sent(home, packet, now, &left);
	return ride.arrived;
}
