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

/* The filters of a B-Box compare class, opcode and address. */
static void show(struct sigbank *bank, unsigned signal,
		 const struct packet *packet, uint64_t at)
{
	struct sig_header header = {
		.address = packet->line * 64,
		.message_class = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.flits = packet->flits,
	};

	sig_packet_at(bank, signal, at, &header);
}

void home_take(struct home *home, const struct packet *packet, uint64_t at)
{
	sig_later(home->bank, SIG_BBOX_MSG_IN_NON_SNP, at, 1);
	show(home->bank, SIG_BBOX_MSG_IN, packet, at);
	if (packet->cls == PACKET_HOM &&
	    packet->source == NODE_SBOX(home->socket, home->side))
		sig_later(home->bank, SIG_BBOX_MSG_S_TO_B, at, 1);
}

/* In the DRSQ (depth 4) no more than one place is left, so the IMT can set
 * aside a place for one read only. */
static void show_drsq(struct home *home, uint64_t now, uint64_t from,
		      uint64_t to)
{
	sig_later(home->bank, SIG_BBOX_DRSQ_INSERTS, from, 1);
	sig_span(home->bank, SIG_BBOX_DRSQ_OCCUPANCY, from, to, 1);
	overlap_add(&home->drsq, home->bank, SIG_BBOX_IMT_PREALLOC, now, from,
		    to);
}

static void show_snpoq(struct home *home, uint64_t from, uint64_t to)
{
	sig_later(home->bank, SIG_BBOX_SNPOQ_INSERTS, from, 1);
	sig_span(home->bank, SIG_BBOX_SNPOQ_OCCUPANCY, from, to, 1);
}

/* The message was ready in the cycle `at`, had the link from `slot` on (if
 * there had been room) and left. */
static void show_sent(struct home *home, const struct packet *packet,
		      uint64_t now, uint64_t at, uint64_t slot, uint64_t sent)
{
	bool is_mirrored = packet->network && packet->opcode != DRS_DATA_C_CMP;

	show(home->bank, SIG_BBOX_MSG_OUT, packet, sent);
	if (packet->cls == PACKET_DRS && !is_mirrored) {
		show_drsq(home, now, at - 1, sent);
		return;
	}
	if (packet->cls != PACKET_SNP)
		return;
	home_window_take(&home->snpoq, sent);
	if (slot > at)
		show_snpoq(home, at - 1, sent);
	else if (sent > at)
		show_snpoq(home, at, sent);
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
	uint64_t now = ex_now(ex), slot, sent;

	slot = at < room_from ? slot_from(link, now, at, room_from) : at;
	if (slot < room_from)
		sig_later(home->bank, SIG_BBOX_SBOX_VN0_UNAVAIL, slot, 1);
	sent = calendar_take(link, now, ex_later(at, room_from), packet->flits);
	if (at >= room_from)
		slot = sent;
	sig_later(home->bank, SIG_BBOX_MSG_B_TO_S, sent, 1);
	show_sent(home, packet, now, at, slot, sent);
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
	if (ride.has_waited)
		sig_later(home->bank, SIG_BBOX_RBOX_VNA_UNAVAIL, slot, 1);
	show_sent(home, packet, now, at, slot, ride.entered);
	return ride.arrived;
}
