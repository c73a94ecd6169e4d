/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an R-Box is made of. For the R-Box's own files only:
 *
 *	router.c	 the R-Box as a whole: configuration, neighbours
 *	router_carry.c	 the way of a packet from box to box
 *	router_plan.c	 its plan
 *	router_trip.c	 links with trouble on it
 *	router_credit.c	 credits of an input buffer
 *	router_queue.c	 entry table, order, slots in front of a box
 *	router_link.c	 transmitter of a link
 *	router_error.c	 links on which something goes wrong, or that sleep
 *	router_lane.c	 timetables
 *	router_signals.c what the PMU sees
 *	router_bids.c	 levels that several packets hold up together
 *	router_special.c idle flits with credits
 *
 * A way is planned before anything is taken: when a packet may leave an input
 * buffer depends on the credit for the next one, and how long it needs that
 * depends on when it leaves it. What was planned is then taken, all of it.
 *
 * Invariants
 * 1. A passage ends (`until`) when none of its signals can change any more.
 * 2. As long as nobody has listened to the R-Box, what its passages publish is
 *    not worked out: they stay in a ring, and who begins to listen gets what of
 *    them is still to come. One that the ring loses before its end is published
 *    then. So counts do not depend on who listens.
 */
#ifndef UNCORE_ROUTER_PARTS_H
#define UNCORE_ROUTER_PARTS_H

#include "model/nehalem-ex/router.h"
#include "model/nehalem-ex/router_credit.h"
#include "model/nehalem-ex/router_lane.h"

/* Time of a link: a flit's time is no whole number of cycles. */
enum { TICK_BITS = 16 };

static inline uint64_t ticks_of(uint64_t cycles)
{
	return cycles << TICK_BITS;
}

/* The first cycle that begins at that time or later. */
static inline uint64_t cycles_up(uint64_t ticks)
{
	return (ticks + (1u << TICK_BITS) - 1) >> TICK_BITS;
}

enum {
	ROUTER_MAX_RETRY = 1024,
	ROUTER_WAITS = 96,
	ROUTER_PASSAGES = 256,
	ROUTER_HOPS = 3, /* R-Boxes on a way */
	ROUTER_NODES = NODE_IOH(EX_MAX_SOCKETS),
};

/* The transmitter of a link: when it is busy, in ticks and in order. There is
 * always an entry that begins first (the very first in cycle 0). */
struct link {
	unsigned num, room;
	struct busy {
		uint64_t from, to;
	} * busy;
};

/* The latest flits of a link whose retry queue is so short that it may be full:
 * when each was begun, in ticks and in order. */
struct retry {
	unsigned num;
	uint64_t begun[ROUTER_MAX_RETRY];
};

/* A packet's way over a link on which something may go wrong, that sleeps or
 * has a short retry queue. */
struct flight {
	struct router *router; /* at this end, of a hub's link the hub's */
	struct link *link;
	struct retry *retry; /* NULL: is never full */
	uint8_t port, flits;
	bool is_from_hub, is_to_hub;
	bool is_drawn, is_reset, has_waited;
	uint8_t bad[RBOX_MAX_FLITS]; /* tries of a flit */
	uint64_t at;		     /* given to the link, in cycles */
	uint64_t wake;		     /* ticks */
	uint64_t start, end;	     /* on it, in ticks */
};

/* A packet that could not be granted at once; in the order of grants. */
struct waited {
	uint64_t entered, granted;
	uint8_t cls, way; /* way: output port and network */
};

struct queue {
	unsigned num;
	struct waited waited[ROUTER_WAITS];
};

/* What of a transmission is new to the link's timetable, in cycles. */
struct stretch {
	uint64_t from, to;	       /* it sends, */
	uint64_t retry_from, retry_to; /* flits wait to be acknowledged */
};

/* The same of a link that may sleep: it would have sent null flits, and sends
 * them from `to` on. */
struct doze {
	uint64_t asleep_from, asleep_to, awake_to;
};

/* A packet's way through an R-Box. */
struct passage {
	uint64_t until;
	uint64_t entered; /* the cycle; it can be granted from the next on */
	uint64_t granted;
	uint64_t taken; /* the box or hub has it */
	uint64_t line;
	struct stretch sent; /* over a link */
	uint8_t cls, mc, opcode, state, flits, source, dest, requester, home;
	uint8_t in, out;
	uint8_t vn_in, vn_out;	       /* credits: 0, 1, CREDITS_VNA */
	uint8_t network, next_network; /* VN0 or VN1, also on VNA */
	bool is_in_vain : 1;	       /* enters while the port is being read */
	bool is_behind : 1;	       /* one that its box has not taken yet */
	bool is_plain : 1; /* it does not wait; nothing of the rest is set */
	uint64_t table;	   /* it comes into the entry table */
	uint64_t target;   /* there is room where it goes to */
	uint64_t overflow; /* its output queue is full; 0: never */
	uint64_t starving; /* its class is, from then on; 0: never */
	uint64_t losses;   /* bit n: lost an arbitration in cycle target + n */
};

/* Levels of a port that several packets hold up together. A bid has one for
 * each class, in the three words of a lane. */
enum { COVER_QUEUE, COVER_LOCAL, COVER_FAIL };
enum router_cover {
	COVER_STARVING = PACKET_NUM_CLASSES * LANE_KINDS, /* of each class */
	COVER_OVERFLOWED = COVER_STARVING + PACKET_NUM_CLASSES,
	COVER_HELD, /* somebody is in front of the box */
	ROUTER_COVERS = (COVER_HELD + LANE_KINDS) / LANE_KINDS, /* lanes */
};

/* Kinds of an input port and of an output port; special: idle flits with
 * credits come in. */
enum { LANE_WIRE, LANE_READ };
enum { LANE_CROSSBAR, LANE_GRANTS, LANE_SPECIALS };

struct router_input {
	struct queue queue;
	struct lane lane;
	struct credits credits;
};

struct router_output {
	uint64_t held_until;   /* the box was late up to then */
	uint64_t specials_end; /* from then on none is known */
	struct lane lane;
	struct link link;
};

/* From one hop to the next. */
struct way {
	struct router *next;	      /* NULL: a box or a hub */
	struct router_input *input;   /* of the next one */
	struct router_output *output; /* of this one; NULL: a box or hub */
	struct link *link;	      /* NULL: to or from a box */
	struct credits *credits;      /* of what is behind the link, or NULL */
	uint8_t out, in;	      /* ports */
};

struct router {
	struct sim *sim;
	struct sigbank *bank;
	struct rbox_config config;
	uint32_t flit_ticks;
	unsigned window_cycles; /* a credit's way back over a link */
	uint32_t num_passages;
	uint8_t socket;
	bool is_watched;
	bool has_trouble; /* links sleep, fail, or have a short retry queue */
	bool has_hub;
	struct way ways[ROUTER_NODES];	    /* from its ports to each node */
	struct way entries[RBOX_NUM_PORTS]; /* from a box or hub into it */
	int8_t neighbours[RBOX_NUM_PORTS];  /* sockets, or -1 */
	uint8_t neighbour_ports[RBOX_NUM_PORTS];
	struct link hub_link;	    /* of the hub, towards the R-Box */
	struct credits hub_credits; /* of the hub's buffer */
	struct retry *retries;	    /* per port and of the hub, or NULL */
	struct router_input inputs[RBOX_NUM_PORTS];
	struct router_output outputs[RBOX_NUM_PORTS];
	struct passage passages[ROUTER_PASSAGES]; /* ring */
	struct lane
		*covers; /* cycles in which they are; ROUTER_COVERS a port */
};

/* router_queue.c: the first cycle in which a packet that has entered may be
 * granted (its time in the entry table is filled in); it has been; the first
 * cycle in which there is a slot for it in front of its box, for a grant in
 * the cycle `at` (when it is taken is filled in). */
uint64_t queue_from(const struct router *router, struct passage *passage);
void queue_note(struct router *router, const struct passage *passage,
		uint64_t now);
uint64_t slot_from_late(const struct router *router, struct passage *passage,
			uint64_t at);
/* The latest grant of its class while it waited, or when it entered. */
uint64_t queue_since(const struct router *router,
		     const struct passage *passage);

static inline uint64_t slot_from(const struct router *router,
				 struct passage *passage, uint64_t at,
				 uint64_t room_from)
{
	passage->taken = ex_later(at + passage->flits, room_from);
	if (router->outputs[passage->out].held_until <= at &&
	    passage->taken == at + passage->flits)
		return at;
	return slot_from_late(router, passage, at);
}

static inline bool queue_is_empty(const struct queue *queue, uint64_t at)
{
	return !queue->num || queue->waited[queue->num - 1].granted <= at;
}

/* router_link.c: an idle link, false without memory; the first time from `from`
 * on at which one is free for so long; takes it; when it has last sent at a
 * time, or will have. */
bool link_init(struct link *link);
uint64_t link_find(const struct link *link, uint64_t from, uint64_t ticks);
void link_take(struct link *link, const struct router *router, uint64_t start,
	       uint64_t end, struct stretch *stretch, struct doze *doze);
uint64_t link_quiet_since(const struct link *link, uint64_t ticks);

static inline uint64_t link_from(const struct link *link, uint64_t from,
				 uint64_t ticks)
{
	if (link->busy[link->num - 1].to <= from)
		return from;
	return link_find(link, from, ticks);
}

static inline bool link_is_busy(const struct link *link, uint64_t ticks)
{
	return link->busy[link->num - 1].to > ticks &&
	       link_quiet_since(link, ticks) > ticks;
}

/* router_error.c: when a flight begins and ends; what it meets is published. */
void trouble_plan(struct flight *flight);
void trouble_take(const struct flight *flight, struct ex *ex, uint64_t now);

/* router_signals.c */
void router_drive_signals(struct router *router);
void router_publish(struct router *router, const struct passage *passage);
void router_publish_losses(struct router *router, struct passage *passage);
void router_pulse(struct router *router, unsigned signal, unsigned port,
		  uint64_t at);
void router_span(struct router *router, unsigned signal, unsigned port,
		 uint64_t from, uint64_t to, int n);
/* What a link's stretch means for its null flits. */
void router_publish_null(struct router *router, unsigned port,
			 const struct stretch *stretch,
			 const struct doze *doze);

/* router_special.c: an idle flit with a credit comes in; those of some cycles
 * do not, since there is a packet that carries the credit. */
void special_comes(struct router *router, unsigned port, uint64_t at);
void special_revoke_slowly(struct router *router, unsigned port, uint64_t from,
			   uint64_t to);
void special_catch_up(struct router *router);

static inline void special_revoke(struct router *router, unsigned port,
				  uint64_t from, uint64_t to)
{
	if (from < router->outputs[port].specials_end)
		special_revoke_slowly(router, port, from, to);
}

/* router_bids.c */
void router_publish_bids(struct router *router, const struct passage *passage);
void router_cover(struct router *router, unsigned port, unsigned which,
		  unsigned signal, uint64_t from, uint64_t to);

static inline struct lane *router_cover_lane(struct router *router,
					     unsigned port, unsigned which)
{
	return &router->covers[port * ROUTER_COVERS + which / LANE_KINDS];
}

static inline bool router_is_qpi(unsigned port)
{
	return port == RBOX_PORT_QPI0 || port == RBOX_PORT_QPI1 ||
	       port == RBOX_PORT_QPI2 || port == RBOX_PORT_QPI3;
}

#endif
