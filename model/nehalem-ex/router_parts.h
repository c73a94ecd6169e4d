/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an R-Box is made of. For the R-Box's own files only:
 *
 *	router.c	 the R-Box as a whole: configuration, neighbours
 *	router_carry.c	 the way of a packet from box to box
 *	router_plan.c	 its plan where something is in the way
 *	router_take.c	 takes what was planned
 *	router_credit.c	 credits of an input buffer
 *	router_queue.c	 entry table, order, slots in front of a box
 *	router_link.c	 transmitter of a link
 *	router_error.c	 links on which something goes wrong, or that sleep
 *	router_signals.c what the PMU sees
 *	router_bids.c	 levels that several packets hold up together
 *
 * A way is planned before anything is taken: when a packet may leave an input
 * buffer depends on the credit for the next one, and how long it needs that
 * depends on when it leaves it. What was planned is then taken, all of it.
 */
#ifndef UNCORE_ROUTER_PARTS_H
#define UNCORE_ROUTER_PARTS_H

#include "model/nehalem-ex/overlap.h"
#include "model/nehalem-ex/router.h"
#include "model/nehalem-ex/router_credit.h"
#include "model/pmu/visit.h"
#include "model/station/board.h"

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

static inline uint64_t first_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

enum {
	ROUTER_MAX_RETRY = 1024,
	ROUTER_WAITS = 96,
	ROUTER_RECENT = 256,
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
	uint64_t until; /* from then on all have been granted */
	unsigned num;
	struct waited waited[ROUTER_WAITS];
};

/* What of a transmission is new to the link's timetable, in cycles. */
struct stretch {
	uint64_t from, to;	       /* it sends, */
	uint64_t retry_from, retry_to; /* flits wait to be acknowledged */
	/* Of a link that may sleep: it would have sent null flits, and sends
	 * them from `to` on. */
	uint64_t asleep_from, asleep_to, awake_to;
};

/* A packet's way through an R-Box. */
struct passage {
	uint64_t entered; /* the cycle; it can be granted from the next on */
	uint64_t table;	  /* it comes into the entry table, */
	uint64_t target;  /* there is room where it goes to, */
	uint64_t granted;
	uint64_t taken;		       /* the box or hub has it */
	uint64_t overflow;	       /* its output queue is full; 0: never */
	uint8_t network, next_network; /* VN0 or VN1, also on VNA */
	uint8_t in, out, cls, flits;
};

/* One that is in front of a box or in an output queue, until a cycle. */
struct recent {
	uint64_t granted, until;
	uint8_t out, cls, flits;
};

/* What is told of a passage: router_visit.how, and in its upper bits the
 * credits with which the packet came and goes on: 0, 1, CREDITS_VNA. */
enum {
	VISIT_TABLE = 1,   /* there is room for it in the entry table */
	VISIT_NULL = 2,	   /* its link sends null flits when idle */
	VISIT_BID = 4,	   /* it bids when it enters, alone of its class, */
	VISIT_FAIL = 8,	   /* in vain, since its port is being read */
	VISIT_NETWORK = 4, /* bits behind which these are */
	VISIT_NEXT_NETWORK = 5,
	VISIT_VN_IN = 6,
	VISIT_VN_OUT = 8,
};

/* Cycles from the grant on, but for the one that it enters in. */
struct router_visit {
	struct visit visit;
	struct packet packet;
	uint64_t granted;
	uint32_t waits;		       /* before the grant */
	uint32_t from, to;	       /* from the output queue alone there */
	uint32_t retry_from, retry_to; /* flits wait to be acknowledged */
	uint16_t how;
	uint8_t in, out;
};

/* Rows of an R-Box's board, for each port: it takes flits of its box, is read,
 * is given by the crossbar, to somebody new; idle flits with credits come in.
 * Then for each class of packets that have come in there levels that several
 * hold up together: see router_bids.c. */
enum { BID_QUEUE, BID_LOCAL, BID_FAIL, NUM_BIDS };
enum router_row {
	ROW_WIRE,
	ROW_READ,
	ROW_CROSSBAR,
	ROW_GRANTS,
	ROW_SPECIALS,
	ROW_BIDS,
	NUM_ROWS = ROW_BIDS + NUM_BIDS * PACKET_NUM_CLASSES
};

/* Rows of its other board, of what is seldom: the entry table overflows, a
 * packet in front of the box is late; a class is starving. */
enum late_row {
	LATE_OVERFLOWED,
	LATE_HELD,
	LATE_STARVING,
	NUM_LATE = LATE_STARVING + PACKET_NUM_CLASSES
};

static inline unsigned row_of(unsigned port, unsigned row)
{
	return row * RBOX_NUM_PORTS + port;
}

static inline unsigned bid_row(unsigned port, unsigned cls, unsigned bid)
{
	return row_of(port, ROW_BIDS + bid * PACKET_NUM_CLASSES + cls);
}

struct router_port {
	struct link link;
	uint64_t held_until;	 /* the box was late up to then */
	uint64_t specials_until; /* then on no idle flit is known */
	struct credits credits;
	struct queue queue;
};

/* From one hop to the next. */
struct way {
	struct router *router;	    /* that it leaves, or its box's */
	struct router *next;	    /* NULL: a box or a hub */
	struct router_port *output; /* of `router`; NULL: a box or hub */
	struct link *link;	    /* NULL: to or from a box */
	struct link *back;	    /* the other end of that link sends by it */
	struct credits *credits;    /* of what is behind the link, or NULL */
	uint32_t cycles;	    /* until a packet enters or is there, */
	uint32_t back_cycles;	    /* and for a credit's way back */
	uint32_t told_cycles;	    /* mostly all is told then */
	uint8_t out, in;	    /* ports */
	uint8_t how;		    /* VISIT_NULL, or 0 */
	bool gives_back; /* its box takes slots' credits for granted: it sends
			  * none by itself */
};

struct router {
	struct sim *sim;
	struct sigbank *bank;
	struct rbox_config config;
	uint32_t flit_ticks;
	unsigned window_cycles; /* a credit's way back over a link */
	uint32_t num_recent;
	uint8_t socket;
	bool is_watched;  /* somebody has listened, to idle flits perhaps */
	bool has_trouble; /* links sleep, fail, or have a short retry queue */
	bool has_hub;
	struct way ways[ROUTER_NODES];	    /* from its ports to each node */
	struct way entries[RBOX_NUM_PORTS]; /* from a box or hub into it */
	int8_t neighbours[RBOX_NUM_PORTS];  /* sockets, or -1 */
	uint8_t neighbour_ports[RBOX_NUM_PORTS];
	struct link hub_link;	    /* of the hub, towards the R-Box */
	struct credits hub_credits; /* of the hub's buffer */
	struct retry *retries;	    /* per port and of the hub, or NULL */
	struct board board;	    /* enum router_row */
	struct board late;	    /* enum late_row */
	struct router_port ports[RBOX_NUM_PORTS];
	struct recent recent[ROUTER_RECENT]; /* ring */
	struct visits *visits;
};

/* What sends a packet on: the first one is the box (or hub) that it comes from,
 * the others are R-Boxes. */
struct hop {
	struct router *router;
	const struct way *way; /* from there on */
	uint64_t from, to;     /* it has a credit for what is behind it, */
	uint8_t vn;	       /* this one */
	/* On the link, in ticks; of a box: the cycle of the wire. */
	uint64_t start, end;
	struct passage passage; /* of an R-Box */
};

/* A packet on its way where something is in it, as long as it is worked off.
 * It may have gone part of it already: then the first hop is behind it. */
struct trip {
	struct ex *ex;
	const struct packet *packet;
	uint64_t now, room_from;
	bool has_begun, has_trouble;
	struct hop *last;
	struct hop hops[ROUTER_HOPS + 1];
	struct flight flights[ROUTER_HOPS + 1]; /* where links have trouble */
};

static inline bool router_is_qpi(unsigned port)
{
	return port == RBOX_PORT_QPI0 || port == RBOX_PORT_QPI1 ||
	       port == RBOX_PORT_QPI2 || port == RBOX_PORT_QPI3;
}

/* A signal of a port. */
static inline unsigned router_id(unsigned signal, unsigned port)
{
	return signal * RBOX_NUM_PORTS + port;
}

/* router_plan.c, router_take.c: plans the whole way of a packet that is ready
 * to enter; takes it. */
struct router_ride trip_plan(struct trip *trip, uint64_t ready);
void trip_take(struct trip *trip);

/* router_queue.c: the first cycle in which a packet that has entered may be
 * granted (its time in the entry table is filled in); it has been; the first
 * cycle in which there is a slot for it in front of its box, for a grant in
 * the cycle `at` (when it is taken is filled in). */
uint64_t queue_from(const struct router *router, struct passage *passage);
void queue_note(struct router *router, const struct passage *passage,
		uint64_t now);
uint64_t slot_from(const struct router *router, struct passage *passage,
		   uint64_t at, uint64_t room_from);
/* The latest grant of its class while it waited, or when it entered. */
uint64_t queue_since(const struct router *router,
		     const struct passage *passage);

/* router_link.c: an idle link, false without memory; the first time from `from`
 * on at which one is free for so long; takes it; when it has last sent at a
 * time, or will have. */
bool link_init(struct link *link);
uint64_t link_find(const struct link *link, uint64_t from, uint64_t ticks);
void link_take(struct link *link, const struct router *router, uint64_t start,
	       uint64_t end, struct stretch *stretch);
uint64_t link_quiet_since(const struct link *link, uint64_t ticks);

static inline bool link_is_free(const struct link *link, uint64_t ticks)
{
	return link->busy[link->num - 1].to <= ticks;
}

/* router_error.c: of links with trouble: plans and takes one; the first cycle
 * from `at` on in which the output queue has room, where the link may be busy
 * with something that is not in it. */
void trip_begin_flights(struct trip *trip);
void trip_plan_flight(struct trip *trip, struct hop *hop, uint64_t at);
uint64_t trip_queue_from(const struct hop *hop, uint64_t at);
void trip_take_flight(struct trip *trip, struct hop *hop,
		      struct stretch *stretch);

/* Signals of a kind: a column for each enum packet_class. */
#define ROUTER_PER_CLASS(prefix)                                               \
	{                                                                      \
		prefix##_HOM, prefix##_SNP, prefix##_NDR, prefix##_DRS,        \
			prefix##_NCS, prefix##_NCB                             \
	}

/* router_signals.c: a record is told. */
bool router_drive_signals(struct router *router);
void router_tell(struct sigbank *bank, const void *record);
/* The facts of it, of a packet that passes while time stands. */
void router_count(struct facts_book *facts, const struct way *last,
		  const struct way *way, const struct packet *packet,
		  unsigned how);
void router_pulse(struct router *router, unsigned signal, unsigned port,
		  uint64_t at);
void router_span(struct router *router, unsigned signal, unsigned port,
		 uint64_t from, uint64_t to, int n);
/* Overflows of the entry table and the output queue. */
void router_publish_overflow(struct router *router,
			     const struct passage *passage);
/* What a link's stretch means for its null flits. */
void router_publish_null(struct router *router, unsigned port,
			 const struct stretch *stretch);
/* An idle flit with a credit is new at a port; those of cycles from .. to - 1
 * do not come, since there is a packet that carries the credit. */
void special_publish(struct router *router, unsigned port, uint64_t at);
void special_revoke_slowly(struct router *router, unsigned port, uint64_t from,
			   uint64_t to);

/* router_bids.c: what a packet does in the arbitration that is not granted at
 * once, before it takes its ports; what the visit of others tells; in front of
 * its box when that or one before it is late; levels that are published where
 * nobody has held them up yet. */
void router_publish_bids(struct router *router, const struct passage *passage);
void router_tell_bids(struct sigbank *bank, const struct router_visit *visit);
void router_publish_late(struct router *router, const struct passage *passage);
void router_cover(struct router *router, enum late_row row, unsigned signal,
		  unsigned port, uint64_t from, uint64_t to);

/* What one packet does, be it planned or not. */

/* It is granted its ports for some cycles. */
static inline void router_take_ports(const struct board_view *view, unsigned in,
				     unsigned out, uint64_t bits)
{
	board_take(view, row_of(in, ROW_READ), bits);
	board_take(view, row_of(out, ROW_CROSSBAR), bits);
	board_take(view, row_of(out, ROW_GRANTS), bits & -bits);
}

/* It bids for its ports in the first cycle of the view, in which no other
 * packet of its class does, and gets them: what its visit tells of that. */
static inline unsigned router_bid(const struct board_view *view, unsigned in,
				  unsigned cls)
{
	uint64_t bit = UINT64_C(1) << view->bit;
	uint64_t fails = view->low[row_of(in, ROW_READ)] & bit;

	view->low[bid_row(in, cls, BID_QUEUE)] |= bit;
	view->low[bid_row(in, cls, BID_LOCAL)] |= bit;
	view->low[bid_row(in, cls, BID_FAIL)] |= fails;
	return fails ? VISIT_BID | VISIT_FAIL : VISIT_BID;
}

/* An idle flit with a credit comes in at a port; those of cycles from .. to - 1
 * do not. */
static inline void special_comes(struct router *router, unsigned port,
				 uint64_t at)
{
	uint64_t *word =
		board_word(&router->board, row_of(port, ROW_SPECIALS), at);
	uint64_t bit = UINT64_C(1) << at % 64;

	if (*word & bit)
		return;
	*word |= bit;
	if (at >= router->ports[port].specials_until)
		router->ports[port].specials_until = at + 1;
	if (router->is_watched)
		special_publish(router, port, at);
}

static inline void special_revoke(struct router *router, unsigned port,
				  uint64_t from, uint64_t to)
{
	if (from < router->ports[port].specials_until)
		special_revoke_slowly(router, port, from, to);
}

/* A packet of a box enters by the wire of its port: in the first cycle from
 * *from on in which it can, where the view begins; and that it does. */
static inline struct board_view router_wire_from(struct router *router,
						 unsigned port, uint64_t *from,
						 uint64_t mask)
{
	struct board_view view = board_view(&router->board, *from);

	while (board_meets(&view, row_of(port, ROW_WIRE), mask))
		view = board_view(&router->board, ++*from);
	return view;
}

static inline void router_take_wire(struct router *router,
				    const struct board_view *view,
				    unsigned port, uint64_t from,
				    unsigned flits)
{
	board_take(view, row_of(port, ROW_WIRE), board_mask(flits));
	special_revoke(router, port, from, from + flits);
}

/* Behind a link a credit becomes free in the cycle `at`: it comes back in an
 * idle flit, of its own if it has to; not if the other end sends then. */
static inline void router_give_back(const struct way *way, uint64_t at)
{
	if (link_is_free(way->back, ticks_of(at)) ||
	    link_quiet_since(way->back, ticks_of(at)) <= ticks_of(at))
		special_comes(way->router, way->out, at + way->back_cycles);
}

/* Credits that would have gone the same way as a packet are carried by it. */
static inline void router_carry_credits(const struct way *way,
					const struct stretch *sent)
{
	unsigned window = way->router->window_cycles;

	if (way->next)
		special_revoke(way->next, way->in, sent->from + window,
			       sent->to + window);
}

/* It is in front of its box, or in its output queue, until a cycle. */
static inline void router_note(struct router *router, unsigned out,
			       const struct packet *packet, uint64_t granted,
			       uint64_t until)
{
	router->recent[router->num_recent++ % ROUTER_RECENT] =
		(struct recent){ granted, until, (uint8_t)out, packet->cls,
				 packet->flits };
}

/* A box takes it, and gives the credit of its slot back with a packet that it
 * is sending, or in an idle flit. An S-Box says itself when it sends one. */
static inline void router_free_slot(const struct way *way, uint64_t taken)
{
	if (way->gives_back &&
	    !(*board_word(&way->router->board, row_of(way->out, ROW_WIRE),
			  taken) >>
		      taken % 64 &
	      1))
		special_comes(way->router, way->out, taken);
}

/* The record of a passage. Of the stretch that was sent only cycles from the
 * grant on are told. */
static inline void router_visit(const struct way *last, const struct way *way,
				const struct packet *packet, uint64_t entered,
				uint64_t granted, const struct stretch *sent,
				unsigned how)
{
	struct router_visit *visit = visits_next(way->router->visits);

	visit->visit.tell = router_tell;
	visit->visit.last = sim_later(sim_later(sent->to, sent->retry_to),
				      granted + way->told_cycles);
	visit->packet = *packet;
	visit->granted = granted;
	visit->waits = (uint32_t)(granted - entered);
	visit->from = (uint32_t)(sent->from - granted);
	visit->to = (uint32_t)(sent->to - granted);
	visit->retry_from = (uint32_t)(sent->retry_from - granted);
	visit->retry_to = (uint32_t)(sent->retry_to - granted);
	visit->in = last->in;
	visit->out = way->out;
	visit->how = (uint16_t)(way->how | how);
	visits_keep(way->router->visits);
}

#endif
