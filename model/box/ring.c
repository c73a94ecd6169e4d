/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.3.1, 2.3.4.2. Not described there and chosen: a slot moves one stop
 * a cycle; a cache line takes two slots in a row ("2 transfers for 1 cache
 * line"); a message takes the shorter way; a message for the stop it starts
 * from takes one cycle and no slot; passing traffic goes before injection.
 */
#include "model/box/ring.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

void ring_init(struct ring *ring, unsigned num_stops)
{
	unsigned n = num_stops;

	memset(ring, 0, sizeof(*ring));
	ring->num_stops = n;
	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++) {
			ring->hops[RING_CW][from][to] = (to + n - from) % n;
			ring->hops[RING_CCW][from][to] = (from + n - to) % n;
		}
}

/* The slot that is at a stop in a cycle. */
static unsigned slot_at(struct ring *ring, unsigned direction, unsigned stop,
			uint64_t cycle)
{
	unsigned n = ring->num_stops, slot;

	if (cycle != ring->phase_cycle) {
		uint64_t on = cycle - ring->phase_cycle;

		ring->phase = on < n ? ring->phase + (unsigned)on
				     : (unsigned)(cycle % n);
		if (ring->phase >= n)
			ring->phase -= n;
		ring->phase_cycle = cycle;
	}
	slot = direction == RING_CW ? stop + n - ring->phase
				    : stop + ring->phase;
	return slot >= n ? slot - n : slot;
}

/* The slot behind another one. */
static unsigned slot_after(const struct ring *ring, unsigned direction,
			   unsigned slot)
{
	unsigned last = ring->num_stops - 1;

	if (direction == RING_CW)
		return slot ? slot - 1 : last;
	return slot == last ? 0 : slot + 1;
}

static bool take_slots(struct ring *ring, struct egress *egress, uint64_t now,
		       unsigned hops, unsigned num_slots)
{
	uint64_t *free_at = ring->free_at[egress->kind][egress->direction];
	unsigned slot[2];

	slot[0] = slot_at(ring, egress->direction, egress->stop, now);
	if (free_at[slot[0]] > now)
		return false;
	if (num_slots > 1) {
		slot[1] = slot_after(ring, egress->direction, slot[0]);
		if (free_at[slot[1]] > now + 1)
			return false;
	}
	for (unsigned i = 0; i < num_slots; i++)
		free_at[slot[i]] = now + i + hops;
	return true;
}

/* The message that was just put into slots keeps them for another round. */
static void keep_slots(struct ring *ring, struct egress *egress, uint64_t now,
		       unsigned num_slots)
{
	uint64_t *free_at = ring->free_at[egress->kind][egress->direction];
	unsigned slot = slot_at(ring, egress->direction, egress->stop, now);

	for (unsigned i = 0; i < num_slots; i++) {
		free_at[slot] += ring->num_stops;
		slot = slot_after(ring, egress->direction, slot);
	}
}

/* Takes the port for a message that arrives in some cycles. Who is on the ring
 * first has it first. */
static bool port_take(struct ring_port *port, uint64_t now, uint64_t arrival,
		      unsigned num_slots)
{
	uint64_t on = now - port->base, mask;

	if (arrival - now > 60)
		return true; /* longer than anybody waits */
	port->base = now;
	port->busy = on < 64 ? port->busy >> on : 0;
	mask = ((UINT64_C(1) << num_slots) - 1) << (arrival - now);
	if (port->busy & mask)
		return false;
	port->busy |= mask;
	return true;
}

int egress_init(struct egress *egress, struct ring *ring, struct sim *sim,
		enum ring_kind kind, enum ring_direction direction,
		unsigned stop, unsigned starve_cycles)
{
	memset(egress, 0, sizeof(*egress));
	egress->ring = ring;
	egress->sim = sim;
	egress->kind = kind;
	egress->direction = direction;
	egress->stop = (uint8_t)stop;
	egress->starve_cycles = starve_cycles;
	egress->signals = (struct egress_signals){
		NULL,	   NO_SIGNAL, NO_SIGNAL, NO_SIGNAL,
		NO_SIGNAL, NO_SIGNAL, NO_SIGNAL, NO_SIGNAL,
	};
	egress->room = EGRESS_ROOM;
	egress->queue = malloc(egress->room * sizeof(*egress->queue));
	return egress->queue ? 0 : -1;
}

void egress_fini(struct egress *egress)
{
	free(egress->queue);
	egress->queue = NULL;
}

static void count(struct egress *egress, int signal)
{
	if (signal != NO_SIGNAL)
		sig_pulse(egress->signals.bank, (unsigned)signal, 1);
}

/* A message on its way, with the egress it came from for bounces. */
struct ring_flight {
	struct egress *egress;
	struct ring_message message;
	struct ring_flight *next;
};

enum { FLIGHTS_PER_BLOCK = 64 };

struct ring_block {
	struct ring_block *next;
	struct ring_flight flights[FLIGHTS_PER_BLOCK];
};

static void more_flights(struct ring *ring)
{
	struct ring_block *block = malloc(sizeof(*block));

	if (!block)
		bug_no_memory();
	block->next = ring->blocks;
	ring->blocks = block;
	for (unsigned i = 0; i < FLIGHTS_PER_BLOCK; i++) {
		block->flights[i].next = ring->free_flights;
		ring->free_flights = &block->flights[i];
	}
}

void ring_fini(struct ring *ring)
{
	while (ring->blocks) {
		struct ring_block *block = ring->blocks;

		ring->blocks = block->next;
		free(block);
	}
}

static void arrive(void *object, uint64_t unused)
{
	struct ring_flight *flight = object;
	struct egress *egress = flight->egress;
	struct ring_message *message = &flight->message;

	(void)unused;
	if (!message->sink(message->object, message->argument)) {
		count(egress, egress->signals.bounce);
		sim_at(egress->sim,
		       sim_now(egress->sim) + egress->ring->num_stops, arrive,
		       flight, 0);
		return;
	}
	flight->next = egress->ring->free_flights;
	egress->ring->free_flights = flight;
}

static void depart(struct egress *egress, const struct ring_message *message,
		   uint64_t arrival)
{
	struct ring *ring = egress->ring;
	struct ring_flight *flight;

	if (message->late) {
		sig_later(message->bank, message->signal, arrival,
			  message->slots);
		sim_at(egress->sim, arrival + message->delay, message->late,
		       message->object, message->argument);
		return;
	}
	if (!message->sink) {
		sig_later(message->object, (unsigned)message->argument, arrival,
			  message->slots);
		return;
	}
	if (!ring->free_flights)
		more_flights(ring);
	flight = ring->free_flights;
	ring->free_flights = flight->next;
	flight->egress = egress;
	flight->message = *message;
	sim_at(egress->sim, arrival, arrive, flight, 0);
}

/* Where the port of the receiver is busy when a message comes, it comes again
 * a round later; one that needs no slot waits for a cycle. Returns the cycle in
 * which the first slot is taken off. */
static uint64_t find_port(struct egress *egress,
			  const struct ring_message *message, unsigned hops)
{
	struct ring *ring = egress->ring;
	uint64_t now = sim_now(egress->sim);
	uint64_t arrival = now + (hops ? hops : 1);

	while (message->port &&
	       !port_take(message->port, now, arrival, message->slots)) {
		if (!hops) {
			arrival++;
			continue;
		}
		if (egress->signals.bounce != NO_SIGNAL)
			sig_later(egress->signals.bank,
				  (unsigned)egress->signals.bounce, arrival, 1);
		keep_slots(ring, egress, now, message->slots);
		arrival += ring->num_stops;
	}
	return arrival;
}

/* Tries to put a message into the slot that passes now. */
static bool inject(struct egress *egress, const struct ring_message *message)
{
	uint64_t now = sim_now(egress->sim);
	unsigned hops = message->is_round
				? egress->ring->num_stops
				: ring_hops(egress->ring, egress->direction,
					    egress->stop, message->to);

	if (now < egress->next_free)
		return false;
	if (hops &&
	    !take_slots(egress->ring, egress, now, hops, message->slots)) {
		count(egress, egress->signals.loss);
		return false;
	}
	egress->next_free = now + message->slots;
	count(egress, egress->signals.win);
	count(egress, egress->signals.win_too);
	if (message->is_round)
		count(egress, message->signal);
	if (message->ready == now)
		count(egress, egress->signals.bypass0);
	else if (message->ready + 1 == now)
		count(egress, egress->signals.bypass1);
	depart(egress, message,
	       find_port(egress, message, hops) + message->slots - 1);
	if (egress->injected)
		egress->injected(egress->injected_object);
	return true;
}

static void note_starvation(struct egress *egress, bool is_waiting)
{
	const struct ring_message *head = &egress->queue[egress->first];
	bool is_starved = is_waiting && sim_now(egress->sim) - head->ready >=
						egress->starve_cycles;

	if (is_starved == egress->is_starved)
		return;
	egress->is_starved = is_starved;
	if (egress->signals.starved != NO_SIGNAL)
		sig_add(egress->signals.bank, (unsigned)egress->signals.starved,
			is_starved ? 1 : -1);
}

static void pump(void *object, uint64_t unused)
{
	struct egress *egress = object;

	(void)unused;
	egress->is_pumping = false;
	if (egress->count && inject(egress, &egress->queue[egress->first])) {
		egress->first = (egress->first + 1) % egress->room;
		if (egress->count-- == egress->limit)
			--*egress->num_full;
	}
	note_starvation(egress, egress->count > 0);
	if (egress->count) {
		egress->is_pumping = true;
		sim_at(egress->sim, sim_now(egress->sim) + 1, pump, egress, 0);
	}
}

static void grow(struct egress *egress)
{
	unsigned room = egress->room * 2;
	struct ring_message *queue = malloc(room * sizeof(*queue));

	if (!queue)
		bug_no_memory();
	for (unsigned i = 0; i < egress->count; i++)
		queue[i] = egress->queue[(egress->first + i) % egress->room];
	free(egress->queue);
	egress->queue = queue;
	egress->first = 0;
	egress->room = room;
}

static void send(struct egress *egress, struct ring_message *message)
{
	message->ready = sim_now(egress->sim);
	message->slots = egress->kind == RING_BL ? 2 : 1;
	if (!egress->count && inject(egress, message))
		return;
	if (egress->count == egress->room)
		grow(egress);
	egress->queue[(egress->first + egress->count++) % egress->room] =
		*message;
	if (egress->count == egress->limit)
		++*egress->num_full;
	if (!egress->is_pumping) {
		egress->is_pumping = true;
		sim_at(egress->sim, sim_now(egress->sim) + 1, pump, egress, 0);
	}
}

void egress_send(struct egress *egress, ring_sink_fn *sink, void *object,
		 uint64_t argument, unsigned to)
{
	struct ring_message message = {
		.sink = sink,
		.object = object,
		.argument = argument,
		.to = (uint8_t)to,
	};

	send(egress, &message);
}

void egress_send_shown(struct egress *egress, struct sigbank *bank,
		       unsigned signal, unsigned to, struct ring_port *port)
{
	struct ring_message message = {
		.object = bank,
		.argument = signal,
		.to = (uint8_t)to,
		.port = port,
	};

	send(egress, &message);
}

void egress_send_line(struct egress *egress, sim_fn *fn, void *object,
		      uint64_t argument, unsigned to, unsigned delay,
		      struct sigbank *bank, unsigned signal,
		      struct ring_port *port)
{
	struct ring_message message = {
		.late = fn,
		.port = port,
		.object = object,
		.argument = argument,
		.to = (uint8_t)to,
		.bank = bank,
		.signal = (uint16_t)signal,
		.delay = (uint16_t)delay,
	};

	send(egress, &message);
}

void egress_send_round(struct egress *egress, ring_sink_fn *sink, void *object,
		       uint64_t argument, unsigned signal)
{
	struct ring_message message = {
		.sink = sink,
		.object = object,
		.argument = argument,
		.to = egress->stop,
		.signal = (uint16_t)signal,
		.is_round = true,
	};

	send(egress, &message);
}

uint64_t ring_broadcast(struct ring *ring, unsigned stop, uint64_t now,
			unsigned *num_losses)
{
	uint64_t *free_at = ring->free_at[RING_IV][RING_CW];

	*num_losses = 0;
	for (;; now++) {
		unsigned slot = slot_at(ring, RING_CW, stop, now);

		if (free_at[slot] <= now) {
			free_at[slot] = now + ring->num_stops;
			return now;
		}
		++*num_losses;
	}
}

void ring_broadcast_again(struct ring *ring, unsigned stop, unsigned hops,
			  uint64_t now)
{
	/* one for the stop it starts from is there a cycle later */
	unsigned slot = slot_at(ring, RING_CW, stop, hops ? now : now - 1);
	uint64_t end = now - hops + 2 * ring->num_stops;
	uint64_t *free_at = &ring->free_at[RING_IV][RING_CW][slot];

	if (*free_at < end)
		*free_at = end;
}
