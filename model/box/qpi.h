/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One direction of a QPI link: the packets on their way to an input port, the
 * credits on their way back, and the transmitter with its flit clock. The wires
 * of the boxes of a socket are lanes too, of one flit per cycle and no latency.
 *
 * Two sockets work on a QPI lane at the same time. The sender writes parcels
 * and reads credits, the receiver reads parcels and writes credits; neither
 * looks beyond the visible_* marks, which move in qpi_exchange_*() alone, when
 * nobody is at work. Credits bound what is on its way, so nothing overflows.
 */
#ifndef UNCORE_QPI_H
#define UNCORE_QPI_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "model/sim/sim.h"

/* A packet and the cycle in which it enters the arbitration of the receiver. */
struct qpi_parcel {
	uint64_t entry_time;
	struct packet packet;
};

struct qpi_credit {
	uint64_t time; /* usable by the sender from this cycle on */
	uint8_t cls;
	uint8_t vn;
	uint8_t flits;
};

struct qpi_lane {
	struct qpi_parcel *parcels; /* rings of mask + 1 places */
	struct qpi_credit *credits;
	uint32_t mask;
	uint32_t visible_parcels, visible_credits;

	/* The sender's: credits it may spend, and the ends of the rings. */
	_Alignas(64) uint32_t sent;
	uint32_t credits_taken;
	uint32_t vna_free; /* flits */
	uint32_t vn0_free; /* bit per class */

	/* The receiver's. */
	_Alignas(64) uint32_t taken;
	uint32_t credits_given;
};

/* The transmitter of a QPI port. Its clock is in ticks, link_den to a cycle,
 * a flit takes flit_ticks. */
struct qpi_link {
	uint64_t free_ticks; /* all that was accepted has been sent by then */
	uint32_t ticks_per_cycle;
	uint32_t flit_ticks;
	uint32_t room_ticks; /* the output queue, as time on the link */
	uint32_t latency_cycles;
};

/* Gives a lane its rings and the credits of an input buffer. */
bool qpi_lane_init(struct qpi_lane *lane, unsigned vna_flits);
void qpi_lane_fini(struct qpi_lane *lane);

/* Moves the visible marks: true if there are new parcels (credits). */
bool qpi_exchange_parcels(struct qpi_lane *lane);
bool qpi_exchange_credits(struct qpi_lane *lane);

/* When the oldest visible credit that was not taken in arrives. */
static inline uint64_t qpi_next_credit_time(const struct qpi_lane *lane)
{
	return lane->credits[lane->credits_taken & lane->mask].time;
}

/* Takes in the credits that have arrived by now; the time of the next one known
 * to be on its way, or SIM_NEVER. */
uint64_t qpi_take_new_credits(struct qpi_lane *lane, uint64_t now);

static inline uint64_t qpi_take_credits(struct qpi_lane *lane, uint64_t now)
{
	if (lane->credits_taken == lane->visible_credits)
		return SIM_NEVER;
	return qpi_take_new_credits(lane, now);
}

/* Whether a credit of either network is there for a packet. */
static inline bool qpi_has_credit(const struct qpi_lane *lane, unsigned cls,
				  unsigned flits)
{
	return lane->vna_free >= flits || lane->vn0_free >> cls & 1;
}

/* Spends a credit, VNA first, and notes it in the packet's vn. */
void qpi_spend_credit(struct qpi_lane *lane, struct packet *packet);

/* The credit of a packet that leaves the input buffer: on its way back until
 * `time`, or (lanes of boxes) spendable at once. */
void qpi_return_credit(struct qpi_lane *lane, const struct packet *packet,
		       uint64_t time);
void qpi_restore_credit(struct qpi_lane *lane, const struct packet *packet);

static inline struct qpi_parcel *qpi_send(struct qpi_lane *lane)
{
	return &lane->parcels[lane->sent++ & lane->mask];
}

static inline struct qpi_parcel *qpi_take(struct qpi_lane *lane)
{
	return &lane->parcels[lane->taken++ & lane->mask];
}

/* The cycle from which the output queue has room for a packet. */
uint64_t qpi_room_time(const struct qpi_link *link, unsigned flits);

/* Puts a packet behind all accepted before; the cycle by whose beginning its
 * last flit has arrived at the other end. */
uint64_t qpi_transmit(struct qpi_link *link, uint64_t now, unsigned flits);

/* The first cycle in which the link is idle. */
uint64_t qpi_idle_time(const struct qpi_link *link);

#endif
