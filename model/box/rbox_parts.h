/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an R-Box is made of: eight input ports, eight output ports and the
 * arbitration between them. For the R-Box's own files only.
 *
 * A packet's way, with the calls that move it:
 *
 *	lane -> rbox_enter()  -> class queue of the input port
 *	     -> rbox_arbitrate() -> queue, local, global arbitration; granted
 *	     -> the lane to the next socket or hub, or a slot in front of a box
 *	     -> hand_out() -> the box
 *
 * The pipeline's cycles pass on the lane, before the packet enters; the grant
 * comes a cycle after that at the earliest. From the grant on the crossbar
 * moves a flit per cycle; the input and the output port are busy meanwhile.
 *
 * As long as nobody listens to any signal of the R-Box, a packet enters only
 * when the arbiter first looks at it, a cycle late but with the same effects,
 * and what signals would show is not worked out. rbox_watch() makes up for that
 * when somebody begins to listen, which happens between windows alone.
 */
#ifndef UNCORE_RBOX_PARTS_H
#define UNCORE_RBOX_PARTS_H

#include "model/box/qpi.h"
#include "model/box/rbox.h"

#define RBOX_NO_ENTRY UINT8_MAX

enum { RBOX_MAX_VNA = 200, RBOX_MAX_SLOTS = 4, RBOX_MAX_RETRY = 1024 };

/* Something was sent to a neighbour: a run that went ahead of it because both
 * were silent may go no further than a window from here. */
static inline void rbox_end_window(struct rbox *rbox);

/* A packet in an input buffer. */
struct rbox_entry {
	struct packet packet;
	uint64_t entered; /* the cycle; it can be granted from the next on */
	uint8_t out;	  /* port that it leaves by */
	uint8_t next;	  /* younger one of its class, or of the free list */
	uint8_t network;  /* that it came by: VN0, VN1 or VNA in its stead */
	uint8_t next_network; /* and that it leaves by */
	bool met_overflow;    /* its output queue was full */
};

/* What a class of an input port publishes as long as it is true. */
enum rbox_bid {
	RBOX_BID_QUEUE = 1, /* has packets in the entry table */
	RBOX_BID_LOCAL = 2, /* one of them has a target with room */
	RBOX_BID_FAIL = 4,  /* and does not get it */
	RBOX_BID_STARVING = 8,
	RBOX_BID_NO_TARGET = 16, /* none of them has a target with room */
	/* While a port is being read, all its other packets bid in vain. */
	RBOX_BIDS_IN_VAIN = RBOX_BID_QUEUE | RBOX_BID_LOCAL | RBOX_BID_FAIL,
};

/* The packets of a class: the first config.entry_table of them are in the
 * entry table (ET), the others in the entry overflow table (EOT). */
struct rbox_queue {
	uint64_t since; /* of the last grant, or of being not empty */
	uint8_t first, last;
	uint8_t count;
	uint8_t bids; /* enum rbox_bid */
};

struct rbox_input {
	struct qpi_lane lane;
	struct rbox_entry *entries;
	struct rbox_queue queues[PACKET_NUM_CLASSES];
	uint64_t wire_free; /* lane of a box: cycle for the next flit */
	uint64_t read_free; /* the crossbar takes the next packet then */
	uint64_t look_time; /* nothing can be granted to it before */
	uint8_t free_entries;
	uint8_t classes;    /* bit per class with packets */
	uint8_t next_class; /* favoured by the local arbitration */
	uint8_t num_overflowed;
	bool is_connected;     /* to another R-Box */
	struct rbox_hub *hub;  /* or to an I/O hub */
	uint64_t special_time; /* cycle after the last idle flit with credits */
};

/* Packets of a class that cross to a box or wait in front of it. */
struct rbox_slots {
	uint8_t first;
	uint8_t held; /* granted, not yet taken by the box */
	uint8_t here; /* of these: completely there */
	bool is_refused;
	bool is_handing_out;
	struct packet packets[RBOX_MAX_SLOTS];
};

/* What leaves a port in a cycle, in the order in which that follows. */
enum rbox_phase {
	RBOX_BUSY,   /* flits of packets */
	RBOX_IDLE,   /* null flits */
	RBOX_ASLEEP, /* nothing; a port that leads nowhere stays here */
};

struct rbox_output {
	uint64_t free;	       /* the crossbar brings the next packet then */
	struct qpi_lane *lane; /* of the neighbour, or NULL: a box */
	struct qpi_link link;
	struct rbox_client client;
	struct rbox_slots slots[PACKET_NUM_CLASSES];
	uint8_t next_input; /* favoured by the global arbitration */
	uint8_t num_held;
	uint8_t waiters; /* bit per input that lacks a credit or a slot */
	uint8_t phase;	 /* enum rbox_phase, as far as null_idle says */
	uint64_t timed;	 /* cycle of the event that ends the phase, or NEVER */
};

struct rbox {
	struct sim *sim;
	struct sigbank *bank;
	struct rbox_config config;
	uint64_t arbitrate_time; /* when it is to happen next */
	uint64_t asked;		 /* bit time % 64: an event is to come then */
	bool is_watched;	 /* somebody listens, or has listened */
	uint64_t take_in_time;	 /* see rbox_take_in(), or SIM_NEVER */
	uint8_t arriving;	 /* bit per input port: packets are on it */
	uint8_t waiting;	 /* bit per input port with packets */
	uint8_t routes[RBOX_MAX_SOCKETS];
	uint8_t socket;
	struct rbox_input inputs[RBOX_NUM_PORTS];
	struct rbox_output outputs[RBOX_NUM_PORTS];
};

/* rbox.c */
bool rbox_link_init(struct qpi_link *link, const struct rbox_config *config);

/* rbox_input.c */
void rbox_arrives(struct rbox *rbox, unsigned port, uint64_t entry_time);
void rbox_take_in(struct rbox *rbox, uint64_t time);
void rbox_watch_arrivals(struct rbox *rbox);
struct rbox_entry *rbox_take_out(struct rbox *rbox, unsigned port, unsigned cls,
				 uint8_t before, uint8_t index);
void rbox_forget(struct rbox *rbox, unsigned port, struct rbox_entry *entry);

/* rbox_arbiter.c: some input ports (a bit each) may be granted something from
 * that cycle on. */
void rbox_look_at(struct rbox *rbox, unsigned inputs, uint64_t time);
void rbox_arbitrate_at(struct rbox *rbox, uint64_t time);

/* rbox_output.c */
uint64_t rbox_target_time(struct rbox *rbox, unsigned in,
			  struct rbox_entry *entry, uint64_t now);
void rbox_pass(struct rbox *rbox, struct rbox_entry *entry);

/* rbox_link.c: a link is up; puts a packet on a link, towards an R-Box or, from
 * it, a hub: the cycle by which its last flit has arrived at the other end; the
 * signal null_idle; what a neighbour's notices say. */
void rbox_link_up(struct rbox *rbox, unsigned port);
uint64_t rbox_transmit(struct rbox *rbox, unsigned port, struct qpi_link *link,
		       struct qpi_lane *lane, unsigned flits);
void rbox_start_phase(struct rbox *rbox, unsigned port, enum rbox_phase phase);
void rbox_check_phase(struct rbox *rbox, unsigned port);
void rbox_find_phase(struct rbox *rbox, unsigned port);
void rbox_take_notices(struct rbox *rbox, unsigned port);

/* rbox_hub.c */
struct rbox_hub *rbox_hub_new(struct rbox *rbox, unsigned port,
			      const struct rbox_client *client);
void rbox_hub_free(struct rbox_hub *hub);
struct qpi_lane *rbox_hub_lane(struct rbox_hub *hub);
struct qpi_link *rbox_hub_link(struct rbox_hub *hub);
bool rbox_hub_is_idle(const struct rbox_hub *hub);
bool rbox_hub_awaits_credits(const struct rbox_hub *hub);
void rbox_hub_arrives(struct rbox_hub *hub, uint64_t time);
void rbox_hub_credit(struct rbox_hub *hub, const struct packet *packet);
void rbox_hub_resume(struct rbox_hub *hub, unsigned cls);

/* rbox_signals.c */
void rbox_drive_signals(struct rbox *rbox);
void rbox_watch(struct rbox *rbox);
void rbox_publish_entry(struct rbox *rbox, unsigned port,
			const struct packet *packet);
void rbox_publish_table(struct rbox *rbox, unsigned port,
			const struct rbox_entry *entry);
void rbox_publish_overflow(struct rbox *rbox, unsigned port,
			   const struct rbox_entry *entry, int change);
void rbox_change_bids(struct rbox *rbox, unsigned port, unsigned cls,
		      unsigned bids);
void rbox_publish_loss(struct rbox *rbox, unsigned port,
		       const struct rbox_entry *entry);
void rbox_publish_pass(struct rbox *rbox, unsigned in,
		       const struct rbox_entry *entry);

/* The signal of a port. */
static inline unsigned rbox_signal(unsigned signal, unsigned port)
{
	return signal * RBOX_NUM_PORTS + port;
}

static inline void rbox_publish_bids(struct rbox *rbox, unsigned port,
				     unsigned cls, unsigned bids)
{
	if (rbox->inputs[port].queues[cls].bids != bids)
		rbox_change_bids(rbox, port, cls, bids);
}

static inline void rbox_end_window(struct rbox *rbox)
{
	sim_stop_at(rbox->sim,
		    sim_now(rbox->sim) + rbox_window_cycles(&rbox->config));
}

#endif
