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

static void take(struct home *home, uint64_t line, struct home_header header,
		 bool is_direct, uint64_t at)
{
	struct home_came *came = visits_next(home->visits);

	if (home->ex->engine.is_quick) {
		home_count_came(home, line, header, is_direct);
		return;
	}
	came->visit.tell = tell_came;
	came->visit.last = came->at = at;
	came->line = line;
	came->header = header;
	came->is_direct = is_direct;
	visits_keep(home->visits);
}

void home_take(struct home *home, const struct packet *packet, uint64_t at)
{
	take(home, packet->line, home_header(packet),
	     packet->cls == PACKET_HOM && packet->source == home->own_sbox, at);
}

void home_take_data(struct home *home, uint64_t line, unsigned opcode,
		    unsigned flits, uint64_t at)
{
	const struct home_header header = { MC_DRS, (uint8_t)opcode, RDS_M,
					    (uint8_t)flits };

	take(home, line, header, false, at);
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

static bool is_in_drsq(const struct packet *packet)
{
	return packet->cls == PACKET_DRS &&
	       (!packet->network || packet->opcode == DRS_DATA_C_CMP);
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
	if (!is_in_drsq(packet))
		return 0;
	board_forget(&home->levels, now);
	overlap_add(&home->levels, HOME_IN_DRSQ, HOME_DRSQ - 1, home->bank,
		    SIG_BBOX_IMT_PREALLOC, ready - 1, sent);
	return LEFT_DRSQ;
}

/* The message was ready, had the link from `slot` on (if there had been room)
 * and was sent. */
static inline void note(struct home *home, const struct packet *packet,
			unsigned flags, uint64_t ready, uint64_t slot,
			uint64_t sent)
{
	struct home_left *left = visits_next(home->visits);

	left->visit.tell = tell_left;
	left->visit.last = sent;
	left->ready = ready;
	left->line = packet->line;
	left->slot = (uint32_t)(slot - ready);
	left->sent = (uint32_t)(sent - ready);
	left->header = home_header(packet);
	left->flags = (uint8_t)flags;
	visits_keep(home->visits);
}

static uint64_t send_directly(struct home *home, const struct packet *packet,
			      uint64_t now, uint64_t at, uint64_t room_from)
{
	struct calendar *link = &home->links[HOME_TO_SBOX];
	bool waits = at < room_from;
	uint64_t slot = waits ? slot_from(link, now, at, room_from) : 0;
	uint64_t sent =
		calendar_take(link, now, waits ? room_from : at, packet->flits);
	unsigned flags = LEFT_DIRECT;

	if (waits && slot < room_from)
		flags |= LEFT_NO_ROOM;
	flags |= leave_queue(home, packet, now, at, sent);
	note(home, packet, flags, at, waits ? slot : sent, sent);
	return sent;
}

static enum rbox_port port_of(const struct home *home)
{
	return home->side ? RBOX_PORT_BBOX1 : RBOX_PORT_BBOX0;
}

/* While time stands. */
static uint64_t send_at_once(struct ex *ex, struct home *home,
			     struct packet *packet)
{
	bool is_direct = packet->dest == home->own_sbox;

	home_count_left(home, packet, is_direct, is_in_drsq(packet));
	return is_direct ? engine_now(&ex->engine)
			 : router_pass(ex, home->socket, port_of(home), packet);
}

uint64_t home_send(struct ex *ex, struct home *home, struct packet *packet,
		   uint64_t at, uint64_t room_from)
{
	uint64_t now = engine_now(&ex->engine), slot;
	struct router_ride ride;
	unsigned flags;

	if (ex->engine.is_quick)
		return send_at_once(ex, home, packet);
	if (packet->dest == home->own_sbox)
		return send_directly(home, packet, now, at, room_from);
	slot = calendar_take(&home->links[HOME_TO_RBOX], now, at,
			     packet->flits);
	ride = router_carry(ex, home->socket, port_of(home), packet, slot,
			    room_from);
	flags = leave_queue(home, packet, now, at, ride.entered);
	if (ride.has_waited)
		flags |= LEFT_NO_ROOM;
	note(home, packet, flags, at, slot, ride.entered);
	return ride.arrived;
}
