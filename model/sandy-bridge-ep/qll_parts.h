/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * For the files of a link's end (qll*.c) alone. Three clocks:
 *
 *   cycle        the uncore's: ring stop, credits
 *   link cycle   an eighth of the rate of transfers: what the box qpi counts
 *   slot         a flit with all lanes: half of a link cycle, two fifths of one
 *                where a flit of UPI has three slots (struct ep_flits)
 *
 * A slot or link cycle is published from the first cycle on that falls into it.
 */
#ifndef UNCORE_QLL_PARTS_H
#define UNCORE_QLL_PARTS_H

#include "model/pmu/visit.h"
#include "model/sandy-bridge-ep/qll.h"
#include "model/sandy-bridge-ep/qll_awake.h"
#include "model/sandy-bridge-ep/qll_credit.h"
#include "model/station/calendar.h"
#include "model/station/occupancy.h"
#include "model/station/places.h"

enum {
	QLL_DATA_FLITS = 8, /* of a packet with a line, its last ones */
	QLL_MAX_FLITS = PACKET_FLITS_PARTIAL + 1, /* UPI has nine of these */
	QLL_RINGS = RING_BL + 1,
	QLL_VN0 = 0,
	QLL_VNA = 2,	   /* packet.vn */
	QLL_WAITING = 128, /* messages in an egress that can be told apart */
	QLL_AWAKE_PARTS = 8,
	QLL_FORGET_SLOTS = 1024, /* a calendar moves on when asked for that */
};

struct qll_config {
	unsigned ingress, egress, vna, tx_flits, retry_flits; /* room */
	unsigned in_cycles, bypass_cycles, cross_cycles;      /* cycles */
	unsigned iio_cycles;
	unsigned link_cycles, latency, return_cycles; /* link cycles */
	unsigned half_after, sleep_after, wake;	      /* 0: never */
	unsigned retry_limit, reset, init_flits;
};

/* One way of a link. Times are slots, of `full` and `up` link cycles. */
struct wire {
	struct calendar busy;
	struct occupancy retry; /* flits that may have to be repeated; if */
	bool may_fill_retry;	/* there may be too many */
	struct awake full;	/* all lanes are in use, see half_after */
};

/* A message in the egress. */
struct qll_waiting {
	uint64_t line, entered, arrived, injected;
	struct places *iio; /* it has that credit since then, or NULL */
	uint64_t iio_from;
	uint8_t ring, place, iio_place, cls;
};

struct qll {
	struct ep *ep;
	struct qll *far; /* NULL: the link leads nowhere */
	unsigned socket, number;
	struct sigbank *qpi, *r3qpi;
	struct visits *visits; /* of both ends */
	struct faults *faults;
	struct ep_clock clock, slots;
	const struct ep_flits *form;
	struct qll_config config;
	/* What it sends. */
	struct places ingress[PACKET_NUM_CLASSES];
	uint64_t ingress_until[PACKET_NUM_CLASSES]; /* then it is empty */
	struct qll_credits credits;
	struct wire wire;
	struct awake *up, own_up; /* not in L1: of the link, at one end */
	/* What it receives. */
	struct calendar crossing; /* slots of the buffer between the clocks */
	struct places egress[QLL_RINGS];
	struct places iio[PACKET_NUM_CLASSES]; /* of DRS, NCS, NCB */
	struct qll_waiting waiting[QLL_WAITING];
	unsigned num_waiting;
	uint64_t held_from, held_until; /* see qll_hold() */
};

/* The record of a message that has passed the link, told by qll_tell(). */
struct qll_passage {
	struct visit visit;
	const struct qll *qll; /* of the sender */
	uint64_t line;
	/* Cycles: it is in the ingress, not if it went past it; asks for a
	 * credit and has it until it is back. */
	uint64_t taken, left, asked, granted, back;
	/* Slots: with nothing in the way its first flit would have been sent;
	 * it is in the transmit queue, is sent, leaves the receive queue (0:
	 * it went past that). */
	uint64_t wanted, queued, sent, drained;
	/* Link cycles: it is all there; until then there was no credit of the
	 * egress, the clock changed, others were between the clocks (0: not
	 * so); its own credits wait, and are given back. */
	uint64_t complete, no_credit, held, crosses, freed, returned;
	uint8_t cls, mc, opcode, state, vn, dest, requester, home;
	uint8_t flits, pace; /* slots from flit to flit */
	uint8_t direct;	     /* enum qll_direct */
	bool is_past_ingress;
	bool lacked_vna, lacked_vn0;
};

enum qll_direct {
	QLL_DIRECT_NO_CANDIDATE,
	QLL_DIRECT_SUCCESS,
	QLL_DIRECT_FAILURE_CREDITS,
	QLL_DIRECT_FAILURE_RBT,
	QLL_DIRECT_FAILURE_CREDITS_RBT,
};

/* The record of one that has left the far egress, told by qll_tell_exit(). */
struct qll_exit {
	struct visit visit;
	const struct qll *qll; /* of the receiver */
	uint64_t entered, arrived, injected;
	uint64_t iio_from, iio_until; /* cycles; equal: it has no such credit */
	uint8_t cls;
	bool is_counter_clockwise;
};

/* The first slot that does not begin before a cycle; where there are several in
 * a cycle, the first that is within it. When a slot or a link cycle begins. */
static inline uint64_t qll_slot(const struct qll *qll, uint64_t cycle)
{
	if (qll->slots.num >= qll->slots.den || !cycle)
		return ep_to_clock(qll->slots, cycle);
	return ep_to_clock(qll->slots, cycle - 1) + 1;
}

static inline uint64_t qll_slot_begins(const struct qll *qll, uint64_t slot)
{
	return ep_from_clock(qll->slots, slot);
}

static inline uint64_t qll_cycle_begins(const struct qll *qll, uint64_t cycle)
{
	return ep_from_clock(qll->clock, cycle);
}

/* The link cycle that a slot begins in; the first that begins with or after it.
 */
static inline uint64_t qll_cycle_of(const struct qll *qll, uint64_t slot)
{
	return slot * qll->form->cycles / qll->form->flits;
}

static inline uint64_t qll_cycle_from(const struct qll *qll, uint64_t slot)
{
	return (slot * qll->form->cycles + qll->form->flits - 1) /
	       qll->form->flits;
}

/* The first slot that begins in a link cycle, or later; slots of so many. */
static inline uint64_t qll_slot_of(const struct qll *qll, uint64_t cycle)
{
	return (cycle * qll->form->flits + qll->form->cycles - 1) /
	       qll->form->cycles;
}

/* From a flit sent to the same one received, in slots. */
static inline unsigned qll_flight(const struct qll *qll)
{
	return (unsigned)qll_slot_of(qll, qll->config.latency);
}

/* Of a packet's flits those with data, its last ones. */
static inline unsigned qll_data_flits(const struct qll_passage *passage)
{
	unsigned data = passage->qll->form->data;

	if (passage->cls != PACKET_DRS && passage->cls != PACKET_NCB)
		return 0;
	return passage->flits > data ? data : 0;
}

static inline unsigned qll_ring_of(unsigned cls)
{
	return cls == PACKET_NDR			? RING_AK
	       : cls == PACKET_HOM || cls == PACKET_SNP ? RING_AD
							: RING_BL;
}

/* qll_wire.c: an idle wire that is awake at first; the link is woken for a
 * packet that could be sent in a slot; a packet's first slot from `from` on,
 * were the wire free, which is not taken, and with all that comes of it, which
 * is; in passage its flits, wanted, pace, sent. */
void wire_start(struct qll *qll);
void wire_stop(struct qll *qll);
void wire_wake(struct qll *qll, uint64_t slot);
uint64_t wire_begins(const struct qll_passage *passage, uint64_t from,
		     unsigned pace);
uint64_t wire_find(struct qll *qll, uint64_t from,
		   const struct qll_passage *passage, unsigned *pace);
void wire_take(struct qll *qll, uint64_t now, uint64_t from,
	       struct qll_passage *passage);

/* qll.c: of a packet, as this link sends it. */
uint8_t qll_flits(const struct qll *qll, const struct packet *packet);

/* qll_signals.c */
void qll_drive_signals(struct qll *qll);
void qll_start_levels(struct qll *qll);
void qll_tell(struct sigbank *bank, const void *visit);
void qll_tell_exit(struct sigbank *bank, const void *visit);
/* Told at once: the sender's wire has all lanes, the link does not sleep, in
 * link cycles from .. to - 1. */
void qll_tell_full(void *object, uint64_t from, uint64_t to);
void qll_tell_up(void *object, uint64_t from, uint64_t to);
/* The sender has no VNA, in cycles; a credit of the receiver's IIO was asked
 * for in a cycle and there in another. */
void qll_tell_out(void *object, uint64_t from, uint64_t to);
void qll_tell_iio(struct qll *qll, unsigned cls, uint64_t asked, uint64_t got);
void qll_tell_egress_full(struct qll *qll, uint64_t from, uint64_t to);

/* A level of a bank of box qpi is higher in link cycles from .. to - 1. */
static inline void qll_span(const struct qll *qll, unsigned id, uint64_t from,
			    uint64_t to, int n)
{
	sig_span(qll->qpi, id, qll_cycle_begins(qll, from),
		 qll_cycle_begins(qll, to), n);
}

#endif
