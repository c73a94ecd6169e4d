/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The four rings of a socket (AD, AK, BL, IV): slots that move one stop a
 * cycle, and the egress queues by which agents put messages into them. A slot
 * that carries something past a stop cannot be used there, so bandwidth and
 * arbitration losses come out by themselves.
 */
#ifndef UNCORE_RING_H
#define UNCORE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/signal.h"

enum ring_kind { RING_AD, RING_AK, RING_BL, RING_IV, NUM_RINGS };
enum ring_direction { RING_CW, RING_CCW, NUM_RING_DIRECTIONS };

enum { RING_MAX_STOPS = 16, EGRESS_ROOM = 64, NO_SIGNAL = -1 };

/* Where an agent takes messages of one ring off, from both directions: one slot
 * a cycle. What comes while it is busy goes round once more. */
struct ring_port {
	uint64_t base; /* bit n of busy: taken in cycle base + n */
	uint64_t busy;
};

struct ring_flight; /* a message on its way */
struct ring_block;

struct ring {
	unsigned num_stops;
	uint8_t hops[NUM_RING_DIRECTIONS][RING_MAX_STOPS][RING_MAX_STOPS];
	/* Where the slots are: phase = cycle mod n, kept for one cycle. */
	uint64_t phase_cycle;
	unsigned phase;
	struct ring_flight *free_flights;
	struct ring_block *blocks;
	/* When the slot is next empty; slot k is at stop (k + t) mod n. */
	uint64_t free_at[NUM_RINGS][NUM_RING_DIRECTIONS][RING_MAX_STOPS];
};

/* What happens to a message at its destination. A sink that returns false has
 * no room: the message goes round once more (a bounce). A message whose arrival
 * changes nothing has no sink (NULL): then the object is a signal bank, the
 * argument a signal, and n pulses of it are all that is seen of the arrival. */
typedef bool ring_sink_fn(void *object, uint64_t argument);

struct ring_message {
	ring_sink_fn *sink;
	void *object;
	uint64_t argument;
	uint64_t ready; /* cycle in which it was given to the egress */
	sim_fn *late;	/* instead of a sink, `delay` cycles after arrival */
	struct ring_port *port; /* at the stop it goes to; or NULL */
	struct sigbank *bank;
	uint16_t signal, delay;
	uint8_t to;    /* stop */
	uint8_t slots; /* 2 for a cache line on BL, else 1 */
	bool is_round; /* all the way to the stop it starts from */
};

/* Signals of an egress; NO_SIGNAL where the box has none. */
struct egress_signals {
	struct sigbank *bank;
	int win, win_too, loss, bypass0, bypass1, starved;
	int bounce;
};

/* One queue of messages that wait for a slot, in order. */
struct egress {
	struct ring *ring;
	struct sim *sim;
	struct egress_signals signals;
	/* Called when a message has left the queue for the ring; or NULL. */
	void (*injected)(void *object);
	void *injected_object;
	uint64_t next_free; /* first cycle in which it may inject again */
	unsigned starve_cycles;
	uint8_t kind, direction, stop;
	bool is_pumping;
	bool is_starved;
	/* Of a queue that has a bound for those who look: they count queues
	 * that are at it. The queue itself takes what comes. */
	unsigned limit;
	unsigned *num_full;
	unsigned first, count, room;
	struct ring_message *queue;
};

void ring_init(struct ring *ring, unsigned num_stops);
void ring_fini(struct ring *ring);

/* Stops on the way in a direction, and the direction of the shorter way. */
static inline unsigned ring_hops(const struct ring *ring,
				 enum ring_direction direction, unsigned from,
				 unsigned to)
{
	return ring->hops[direction][from][to];
}

static inline enum ring_direction ring_direction(const struct ring *ring,
						 unsigned from, unsigned to)
{
	return ring->hops[RING_CW][from][to] * 2u <= ring->num_stops ? RING_CW
								     : RING_CCW;
}

/* 0, or -1 without memory. */
int egress_init(struct egress *egress, struct ring *ring, struct sim *sim,
		enum ring_kind kind, enum ring_direction direction,
		unsigned stop, unsigned starve_cycles);
void egress_fini(struct egress *egress);

/* Queues a message; it is injected as soon as a slot passes. The sink is called
 * when it arrives. */
void egress_send(struct egress *egress, ring_sink_fn *sink, void *object,
		 uint64_t argument, unsigned to);

/* The same for a message whose arrival changes nothing, so that it only shows
 * as `slots` pulses of the signal; taken off through a port. */
void egress_send_shown(struct egress *egress, struct sigbank *bank,
		       unsigned signal, unsigned to, struct ring_port *port);

/* The same for a line whose receiver acts only `delay` cycles after the
 * arrival: then fn is called. */
void egress_send_line(struct egress *egress, sim_fn *fn, void *object,
		      uint64_t argument, unsigned to, unsigned delay,
		      struct sigbank *bank, unsigned signal,
		      struct ring_port *port);

/* The same for a message to the stop that it starts from, once round the ring;
 * the injection shows as a pulse of the signal, too. */
void egress_send_round(struct egress *egress, ring_sink_fn *sink, void *object,
		       uint64_t argument, unsigned signal);

/* Puts a snoop on the IV ring: it passes all stops once. Returns the cycle in
 * which it is injected; it is at a stop ring_hops(RING_CW) cycles later. */
uint64_t ring_broadcast(struct ring *ring, unsigned stop, uint64_t now,
			unsigned *num_losses);

/* The snoop that is at a stop now, some hops from where it was injected, goes
 * round once more. */
void ring_broadcast_again(struct ring *ring, unsigned stop, unsigned hops,
			  uint64_t now);

#endif
