/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One direction of a QPI link: the packets on their way to an input port, the
 * credits on their way back, and the transmitter with its flit clock. The wires
 * of the boxes of a socket are lanes too, of one flit per cycle and no latency.
 *
 * Two sockets work on a QPI lane at the same time. The sender writes parcels
 * and notices and reads credits, the receiver reads parcels and notices and
 * writes credits; neither looks beyond the visible_* marks, which move between
 * windows alone, when nobody is at work. Credits bound what is on its way, so
 * nothing overflows.
 */
#ifndef UNCORE_QPI_H
#define UNCORE_QPI_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "model/sim/sim.h"

enum { QPI_VNA = 2 }; /* packet.vn; below it a place of VN0 or VN1 */

/* A packet and the cycle in which it enters the arbitration of the receiver. */
struct qpi_parcel {
	uint64_t entry_time;
	uint8_t network; /* VN0 or VN1, also where a VNA credit carries it */
	struct packet packet;
};

struct qpi_credit {
	uint64_t time; /* usable by the sender from this cycle on */
	uint8_t cls;
	uint8_t vn;
	uint8_t flits;
	bool is_idle_flit; /* no packet went that way to carry it */
};

/* What the receiver is to see besides packets, and in which cycle. */
enum qpi_notice_kind {
	QPI_BAD_FLIT,	  /* a flit whose CRC is wrong */
	QPI_SPECIAL_FLIT, /* a flit of the link layer itself */
	QPI_RESET,	  /* the physical layer is initialised again */
};

struct qpi_notice {
	uint64_t time;
	enum qpi_notice_kind kind;
};

struct qpi_lane {
	struct qpi_parcel *parcels; /* rings of mask + 1 places */
	struct qpi_credit *credits;
	uint32_t mask;
	uint32_t visible_parcels, visible_credits;

	/* The sender's: credits it may spend, and the ends of the rings. */
	_Alignas(64) uint32_t sent;
	uint32_t credits_taken;
	uint32_t vna_free;    /* flits */
	uint32_t places_free; /* bit per network and class */
	struct qpi_notice *notices;
	uint32_t num_notices, room_notices;

	/* The receiver's. */
	_Alignas(64) uint32_t taken;
	uint32_t credits_given;
};

/* The transmitter of a QPI port. Its clock is in ticks, ticks_per_cycle to a
 * cycle, a flit takes flit_ticks. A flit stays in the retry queue until the
 * other end has acknowledged it, a round trip after it has been sent. */
struct qpi_link {
	uint64_t free_ticks; /* all that was accepted has been sent by then */
	uint64_t *flit_ends; /* ring of mask + 1: when a flit had been sent */
	uint32_t mask;
	uint32_t num_flits; /* accepted so far */
	uint32_t ticks_per_cycle;
	uint32_t flit_ticks;
	uint32_t latency_cycles;
	uint32_t output_flits; /* output queue: accepted, not yet sent */
	uint32_t retry_flits;  /* retry queue: sent, not yet acknowledged */
};

/* The bit of a class's place in a virtual network. */
static inline uint32_t qpi_place(unsigned network, unsigned cls)
{
	return 1u << (network * PACKET_NUM_CLASSES + cls);
}

/* Gives a lane its rings and the credits of an input buffer: flits of VNA, and
 * a place for each class in VN0 and VN1. */
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

/* Whether a credit is there for a packet: VNA, or its place in its network. */
static inline bool qpi_has_credit(const struct qpi_lane *lane, unsigned network,
				  unsigned cls, unsigned flits)
{
	return lane->vna_free >= flits ||
	       lane->places_free & qpi_place(network, cls);
}

/* Spends a credit, VNA first, and notes it in the packet's vn. */
void qpi_spend_credit(struct qpi_lane *lane, unsigned network,
		      struct packet *packet);

/* The credit of a packet that leaves the input buffer: on its way back until
 * `time`, or (lanes of boxes) spendable at once. */
void qpi_return_credit(struct qpi_lane *lane, const struct packet *packet,
		       uint64_t time, bool is_idle_flit);
void qpi_restore_credit(struct qpi_lane *lane, unsigned cls, unsigned vn,
			unsigned flits);

static inline struct qpi_parcel *qpi_send(struct qpi_lane *lane)
{
	return &lane->parcels[lane->sent++ & lane->mask];
}

static inline struct qpi_parcel *qpi_take(struct qpi_lane *lane)
{
	return &lane->parcels[lane->taken++ & lane->mask];
}

/* Tells the receiver something. Ends the program where there is no memory for
 * it, as sim_at() does. */
void qpi_notify(struct qpi_lane *lane, uint64_t time,
		enum qpi_notice_kind kind);

bool qpi_link_init(struct qpi_link *link);
void qpi_link_fini(struct qpi_link *link);

/* The cycle from which the output queue has room for a packet. */
uint64_t qpi_room_time(const struct qpi_link *link, unsigned flits);

/* Puts flits behind all accepted before; true if one has to wait because the
 * retry queue is full. */
bool qpi_transmit(struct qpi_link *link, uint64_t now, unsigned flits);

/* Puts the flit accepted last behind all that happened since. */
void qpi_transmit_again(struct qpi_link *link);

/* What is transmitted next does not begin before this cycle. */
void qpi_start(struct qpi_link *link, uint64_t now);

/* Keeps the transmitter busy with something that is no flit of a packet. */
void qpi_occupy(struct qpi_link *link, uint64_t ticks);

/* The first cycle in which the link is idle. */
uint64_t qpi_idle_time(const struct qpi_link *link);

static inline bool qpi_is_idle(const struct qpi_link *link, uint64_t now)
{
	return link->free_ticks <= now * link->ticks_per_cycle;
}

#endif
