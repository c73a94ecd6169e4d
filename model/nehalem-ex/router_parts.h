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
 *	router_lane.c	 timetables
 *	router_signals.c what the PMU sees
 *	router_bids.c	 levels that several packets hold up together
 *	router_special.c idle flits with credits
 *
 * A way is planned before anything is taken: when a packet may leave an input
 * buffer depends on the credit for the next one, and how long it needs that
 * depends on when it leaves it. What was planned is then taken, all of it.
 */
#ifndef UNCORE_ROUTER_PARTS_H
#define UNCORE_ROUTER_PARTS_H

#include <stddef.h>
#include <string.h>

#include "model/nehalem-ex/router.h"
#include "model/nehalem-ex/router_credit.h"
#include "model/nehalem-ex/router_lane.h"
#include "model/pmu/visit.h"

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
};

/* The same of a link that may sleep: it would have sent null flits, and sends
 * them from `to` on. */
struct doze {
	uint64_t asleep_from, asleep_to, awake_to;
};

/* A packet's way through an R-Box. It is plain if it does not wait; nothing
 * from `table` on counts then, and nothing of who it is. */
struct passage {
	uint64_t entered; /* the cycle; it can be granted from the next on */
	uint64_t granted;
	uint64_t taken;		   /* the box or hub has it */
	bool is_plain, is_in_vain; /* in vain: while the port is being read */
	uint8_t network, next_network; /* VN0 or VN1, also on VNA */
	uint8_t in, out, cls, flits;
	uint64_t table;	   /* it comes into the entry table */
	uint64_t target;   /* there is room where it goes to */
	uint64_t overflow; /* its output queue is full; 0: never */
	uint64_t starving; /* its class is, from then on; 0: never */
	uint64_t losses;   /* bit n: lost an arbitration in cycle target + n */
};

/* One that is in front of a box or in an output queue, until a cycle. */
struct recent {
	uint64_t granted;
	uint32_t cycles; /* until then */
	uint8_t out, cls, flits;
};

/* What is told of a passage: router_visit.how, and in its upper bits the
 * credits with which the packet came and goes on: 0, 1, CREDITS_VNA. */
enum {
	VISIT_IS_BID = 1,  /* for the one cycle, by itself, */
	VISIT_IN_VAIN = 2, /* and fails */
	VISIT_TABLE = 4,   /* there is room for it in the entry table */
	VISIT_NULL = 8,	   /* its link sends null flits when idle */
	VISIT_NETWORK = 4, /* bits behind which these are */
	VISIT_NEXT_NETWORK = 5,
	VISIT_VN_IN = 6,
	VISIT_VN_OUT = 8,
};

/* So much of a packet says all that anybody sees. */
enum { VISIT_PACKET = offsetof(struct packet, core) };

/* Cycles from the grant on, but for the one that it enters in. */
struct router_visit {
	struct visit visit;
	uint64_t granted;
	_Alignas(8) uint8_t packet[VISIT_PACKET];
	uint32_t waits;		       /* before the grant */
	uint32_t from, to;	       /* from the output queue alone there */
	uint32_t retry_from, retry_to; /* flits wait to be acknowledged */
	uint8_t in, out;
	uint16_t how;
};

/* Levels that several packets hold up together, of a class at an input port;
 * and, in the first of these timetables, of a port: the entry table overflows,
 * a packet in front of the box is late. */
enum { BID_QUEUE, BID_LOCAL, BID_FAIL, LEVEL_STARVING };
enum { LEVEL_OVERFLOWED = LEVEL_STARVING + 1, LEVEL_HELD };

/* The timetable of a port. Special: idle flits with credits come in. */
enum { LANE_WIRE, LANE_READ, LANE_CROSSBAR, LANE_GRANTS, LANE_SPECIALS };

struct router_port {
	struct lane lane;
	struct link link;
	uint64_t held_until;   /* the box was late up to then */
	uint64_t specials_end; /* from then on none is known */
	uint64_t wire_until;   /* from then on the wire is free */
	uint64_t bids_until;   /* of packets that wait; plain ones' are stays */
	uint32_t back_cycles;  /* of a credit, from the grant on */
	struct credits credits;
	struct queue queue;
	struct lane levels[PACKET_NUM_CLASSES];
};

/* From one hop to the next. */
struct way {
	_Alignas(64) struct router *router; /* that it leaves, or its box's */
	struct router *next;		    /* NULL: a box or a hub */
	struct router_port *input;	    /* of the next one */
	struct router_port *output; /* of this one; NULL: a box or hub */
	struct link *link;	    /* NULL: to or from a box */
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
	struct router_port ports[RBOX_NUM_PORTS];
	struct recent recent[ROUTER_RECENT]; /* ring */
	struct visits *visits;
};

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

static inline void router_note(struct router *router, unsigned out,
			       const struct packet *packet, uint64_t granted,
			       uint64_t until)
{
	router->recent[router->num_recent++ % ROUTER_RECENT] =
		(struct recent){ granted, (uint32_t)(until - granted),
				 (uint8_t)out, packet->cls, packet->flits };
}

static inline uint64_t recent_until(const struct recent *recent)
{
	return recent->granted + recent->cycles;
}

static inline unsigned router_index(const struct router *router,
				    const struct router_port *port)
{
	return (unsigned)(port - router->ports);
}

/* A signal of a port. */
static inline unsigned router_id(unsigned signal, unsigned port)
{
	return signal * RBOX_NUM_PORTS + port;
}

/* router_link.c: an idle link, false without memory; the first time from `from`
 * on at which one is free for so long; takes it; when it has last sent at a
 * time, or will have. */
bool link_init(struct link *link);
uint64_t link_find(const struct link *link, uint64_t from, uint64_t ticks);
void link_take(struct link *link, const struct router *router, uint64_t start,
	       uint64_t end, struct stretch *stretch, struct doze *doze);
uint64_t link_quiet_since(const struct link *link, uint64_t ticks);

static inline bool link_is_free(const struct link *link, uint64_t ticks)
{
	return link->busy[link->num - 1].to <= ticks;
}

static inline bool link_is_busy(const struct link *link, uint64_t ticks)
{
	return !link_is_free(link, ticks) &&
	       link_quiet_since(link, ticks) > ticks;
}

/* The same where the link is mostly behind all others with a gap, and does not
 * sleep. */
static inline void link_take_behind(struct link *link,
				    const struct router *router, uint64_t start,
				    uint64_t end, struct stretch *stretch)
{
	const struct busy *last = &link->busy[link->num - 1];
	uint64_t trip = 2ull * router->config.link_latency_cycles, quiet;

	if (start < last->to + router->flit_ticks || !last->to ||
	    link->num == link->room) {
		link_take(link, router, start, end, stretch, NULL);
		return;
	}
	quiet = cycles_up(last->to) + trip;
	stretch->from = start >> TICK_BITS;
	stretch->to = cycles_up(end);
	stretch->retry_from = sim_later(stretch->from, quiet);
	stretch->retry_to = stretch->to + trip;
	link->busy[link->num++] = (struct busy){ start, end };
}

/* router_signals.c: a record is told; what comes besides of a packet that has
 * waited; of one in front of its box when that or one before it is late. */
bool router_drive_signals(struct router *router);
void router_tell(struct sigbank *bank, const void *record);
/* The facts of it, of a packet that passes while time stands. */
void router_count(struct facts_book *facts, const struct way *last,
		  const struct way *way, const struct packet *packet,
		  unsigned how);
void router_publish_wait(struct router *router, const struct passage *passage);
void router_publish_late(struct router *router, const struct passage *passage);
void router_publish_losses(struct router *router, struct passage *passage);
void router_pulse(struct router *router, unsigned signal, unsigned port,
		  uint64_t at);
void router_span(struct router *router, unsigned signal, unsigned port,
		 uint64_t from, uint64_t to, int n);
/* What a link's stretch means for its null flits. */
void router_publish_null(struct router *router, unsigned port,
			 const struct stretch *stretch,
			 const struct doze *doze);

/* router_special.c: somebody listens, or perhaps; the idle flits of some cycles
 * do not come. */
void special_publish(struct router *router, const struct router_port *port,
		     uint64_t at);
void special_revoke_slowly(struct router *router, struct router_port *port,
			   uint64_t now, uint64_t from, uint64_t to);
void special_catch_up(struct router *router);

/* An idle flit with a credit comes in at a port. */
static inline void special_comes(struct router *router,
				 struct router_port *port, uint64_t now,
				 uint64_t at)
{
	struct lane_slot *slot = lane_slot(&port->lane, now / 64, at / 64);
	uint64_t bit = UINT64_C(1) << at % 64;

	if (slot->bits[LANE_SPECIALS] & bit)
		return;
	slot->bits[LANE_SPECIALS] |= bit;
	if (at >= port->specials_end)
		port->specials_end = at + 1;
	if (router->is_watched)
		special_publish(router, port, at);
}

/* Those of some cycles do not, since there is a packet that carries the credit.
 * Mostly there are none; not looked for in more than 64 cycles. */
static inline void special_revoke(struct router *router,
				  struct router_port *port, uint64_t now,
				  uint64_t from, uint64_t to)
{
	if (from < port->specials_end &&
	    (to - from - 1 > 63 ||
	     lane_meets(&port->lane, LANE_SPECIALS, from,
			lane_mask((unsigned)(to - from)))))
		special_revoke_slowly(router, port, now, from, to);
}

/* router_bids.c: what a packet that does not bid for one cycle by itself, or a
 * cycle of it that others hold up too, means for bids. */
void router_publish_bids(struct router *router, const struct passage *passage);
void router_tell_bid(struct sigbank *bank, const struct router_visit *visit,
		     unsigned cls);
void router_cover(struct router *router, struct lane *lane, unsigned kind,
		  unsigned signal, unsigned port, uint64_t from, uint64_t to);

/* The bid of a plain packet becomes a level; those of stays do. */
void router_bid(struct router_port *port, uint64_t now, uint64_t entered,
		unsigned bid);
void router_settle_bids(struct router_port *port, uint64_t now);

/* Credits' stays remember the bids. */
static inline unsigned router_bid_of(unsigned cls, bool is_in_vain)
{
	return cls << CREDITS_BID_CLASS | CREDITS_BID | is_in_vain;
}

/* The bid of a packet that is plain is for the cycle in which it enters. True:
 * none that waits holds it up too, so none of its class is ahead of it. */
static inline bool router_bids_alone(const struct router_port *port,
				     uint64_t entered, unsigned cls)
{
	return entered >= port->bids_until ||
	       !(lane_word(&port->levels[cls], BID_QUEUE, entered / 64) >>
			 entered % 64 &
		 1);
}

/* Idle flits come in where the credit for a link is on its way back, in one of
 * its own if it has to; not if the other end, of which `back` is the
 * transmitter, sends in the cycle `at`. */
static inline void router_give_back(struct router *router,
				    const struct way *way,
				    const struct link *back, uint64_t now,
				    uint64_t at)
{
	if (!link_is_busy(back, ticks_of(at)))
		special_comes(router, way->output, now, at + way->back_cycles);
}

/* A box takes a packet, and gives the credit of its slot back with one that it
 * is sending, or in an idle flit. An S-Box says itself when it sends one. */
static inline void router_free_slot(struct router *router,
				    const struct way *way, uint64_t now,
				    uint64_t taken)
{
	if (way->gives_back &&
	    !(lane_word(&way->output->lane, LANE_WIRE, taken / 64) >>
		      taken % 64 &
	      1))
		special_comes(router, way->output, now, taken);
}

/* A packet of a box enters the wire of its port. */
static inline void router_take_wire(struct router *router,
				    struct router_port *port, uint64_t now,
				    uint64_t from, unsigned flits)
{
	lane_set(&port->lane, LANE_WIRE, now, from, lane_mask(flits));
	port->wire_until = sim_later(port->wire_until, from + flits);
	special_revoke(router, port, now, from, from + flits);
}

static inline bool router_is_qpi(unsigned port)
{
	return port == RBOX_PORT_QPI0 || port == RBOX_PORT_QPI1 ||
	       port == RBOX_PORT_QPI2 || port == RBOX_PORT_QPI3;
}

/* Where a grant is in the timetables of its ports: mostly in one slot of
 * either, else read is NULL. */
struct grant_slots {
	struct lane_slot *read, *crossbar;
};

/* Slow path: the cycle before the grant and some of it are not in one slot. */
bool ports_are_free_far(const struct router_port *in,
			const struct router_port *out, uint64_t entered,
			uint64_t mask, bool *is_in_vain);
void ports_take_far(struct router_port *in, struct router_port *out,
		    uint64_t now, uint64_t at, uint64_t mask);

/* Whether a packet that enters can be granted in the next cycle, with a bit of
 * mask for each flit; it bids in vain while the port is being read. */
static inline bool ports_are_free(struct router_port *in,
				  struct router_port *out, uint64_t now,
				  uint64_t entered, uint64_t mask,
				  struct grant_slots *slots, bool *is_in_vain)
{
	unsigned bit = entered % 64;
	uint64_t read;

	if (mask >> (63 - bit)) {
		slots->read = NULL;
		return ports_are_free_far(in, out, entered, mask, is_in_vain);
	}
	slots->read = lane_slot(&in->lane, now / 64, entered / 64);
	slots->crossbar = lane_slot(&out->lane, now / 64, entered / 64);
	read = slots->read->bits[LANE_READ] >> bit;
	*is_in_vain = read & 1;
	return !((read | slots->crossbar->bits[LANE_CROSSBAR] >> bit) >> 1 &
		 mask);
}

/* Takes them for a grant in the cycle `at`. */
static inline void ports_take(struct router_port *in, struct router_port *out,
			      const struct grant_slots *slots, uint64_t now,
			      uint64_t at, uint64_t mask)
{
	uint64_t bits = mask << at % 64;

	if (!slots->read) {
		ports_take_far(in, out, now, at, mask);
		return;
	}
	slots->read->bits[LANE_READ] |= bits;
	slots->crossbar->bits[LANE_CROSSBAR] |= bits;
	slots->crossbar->bits[LANE_GRANTS] |= bits & -bits;
}

/* The record of a passage: who it is, and when all is told; then when it is.
 * Of the stretch that was sent only cycles from the grant on are told.
 * visits_keep() follows. */
static inline struct router_visit *visit_of(const struct way *last,
					    const struct way *way,
					    const struct packet *packet,
					    uint64_t until, unsigned how)
{
	struct router_visit *visit = visits_next(way->router->visits);

	visit->visit.tell = router_tell;
	visit->visit.last = until;
	memcpy(visit->packet, packet, VISIT_PACKET);
	visit->in = last->in;
	visit->out = way->out;
	visit->how = (uint16_t)(how | way->how);
	return visit;
}

static inline void visit_at(struct router_visit *visit, uint64_t entered,
			    uint64_t granted, const struct stretch *sent)
{
	visit->granted = granted;
	visit->waits = (uint32_t)(granted - entered);
	visit->from = (uint32_t)(sent->from - granted);
	visit->to = (uint32_t)(sent->to - granted);
	visit->retry_from = (uint32_t)(sent->retry_from - granted);
	visit->retry_to = (uint32_t)(sent->retry_to - granted);
}

/* What sends a packet on: the first one is the box (or hub) that it comes from,
 * the others are R-Boxes. */
struct hop {
	struct router *router;
	const struct way *way; /* from there on */
	/* Of an R-Box: where the packet comes in, and what comes to be. */
	struct router_port *input;
	struct grant_slots slots;
	uint64_t from, to; /* it has a credit for what is behind it, */
	uint8_t vn;	   /* this one */
	/* On the link, in ticks; of a box: the cycle of the wire. */
	uint64_t start, end;
	struct passage passage;
};

/* A packet on its way where something is in it, as long as it is worked off.
 * It may have gone part of it already: then the first hop is behind it. */
struct trip {
	struct ex *ex;
	const struct packet *packet;
	uint64_t now, room_from;
	uint64_t mask; /* a bit for each flit */
	unsigned flits;
	bool has_begun, has_trouble;
	struct hop *last;
	struct hop hops[ROUTER_HOPS + 1];
	struct flight flights[ROUTER_HOPS + 1]; /* where links have trouble */
};

/* Who it is, and what is so of a plain one. */
static inline void passage_complete(const struct trip *trip, struct hop *hop)
{
	struct passage *passage = &hop->passage;

	if (!passage->is_plain)
		return;
	passage->in = hop[-1].way->in;
	passage->out = hop->way->out;
	passage->cls = trip->packet->cls;
	passage->flits = trip->packet->flits;
	passage->table = passage->target = passage->entered;
	passage->overflow = passage->starving = passage->losses = 0;
}

/* router_plan.c, router_take.c */
struct router_ride trip_plan(struct trip *trip, uint64_t ready);
void trip_take(struct trip *trip);

/* router_error.c: of links with trouble: plans and takes one; the first cycle
 * from `at` on in which the output queue has room, where the link may be busy
 * with something that is not in it. */
void trip_begin_flights(struct trip *trip, const struct way *way);
void trip_plan_flight(struct trip *trip, struct hop *hop, uint64_t at);
uint64_t trip_queue_from(const struct trip *trip, const struct hop *hop,
			 uint64_t at);
void trip_take_flight(struct trip *trip, struct hop *hop,
		      struct stretch *stretch);

#endif
