/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.3.1, 2.3.4.2. Not described there and chosen: a slot moves one stop
 * a cycle; a cache line takes two slots in a row ("2 transfers for 1 cache
 * line"); a message takes the shorter way; a message for the stop it starts
 * from takes one cycle and no slot; passing traffic goes before injection.
 *
 * What an S-Box puts on a ring is planned long before it is there, so its slot
 * is taken when a message that is to pass the S-Box with it looks. Then that
 * message waits; but it is the S-Box that would have lost, and so it is told.
 */
#include "model/nehalem-ex/floor.h"

#include "signals.h"

/* A board gives out at most so many cycles at a time. */
enum { CHUNK = 64 };

static void hold_long(struct board *board, unsigned row, uint64_t from,
		      uint64_t to)
{
	for (; from + CHUNK < to && from < board_end(board); from += CHUNK)
		board_mark(board, row, from, CHUNK);
	if (to - from <= CHUNK)
		board_mark(board, row, from, (unsigned)(to - from));
	else
		board_mark_far(board, row, from, to);
}

static inline void hold(struct board *board, unsigned row, uint64_t from,
			uint64_t to)
{
	if (to - from <= CHUNK)
		board_mark(board, row, from, (unsigned)(to - from));
	else
		hold_long(board, row, from, to);
}

/* The cycle in which a message that passes its receiver in `arrival` is taken
 * off, a round later or several if need be; without slots it waits. */
static uint64_t take_off(struct floor *floor, uint64_t arrival, unsigned port,
			 unsigned slots, bool has_slots)
{
	unsigned step = has_slots ? floor->num_stops : 1;

	while (!board_is_free(&floor->board, port, arrival, slots))
		arrival += step;
	return arrival;
}

static void count(const struct floor_end *end, int signal, uint64_t at)
{
	if (signal != NO_SIGNAL)
		tell_later(end->bank, (unsigned)signal, at, 1);
}

static void show(const struct floor_end *end, int signal, uint64_t from,
		 uint64_t to)
{
	if (signal != NO_SIGNAL)
		tell_span(end->bank, (unsigned)signal, from, to, 1);
}

/* How a message left its queue, and where it went. */
struct ride_visit {
	struct visit visit;
	const struct floor_route *route;
	uint64_t ready;
	uint32_t head; /* so long after that the first in its queue */
	uint32_t injected, arrived; /* so long after that */
	uint32_t later;			/* struct loser */
	const struct floor_end *loser;
};

static void tell_ride(struct sigbank *bank, const void *visit)
{
	const struct ride_visit *ride = visit;
	const struct floor_route *route = ride->route;
	const struct floor_end *end = route->end;
	uint64_t ready = ride->ready, injected = ready + ride->injected;
	uint64_t head = ready + ride->head;
	const struct floor_end *loser = ride->loser;

	(void)bank;
	count(end, end->entries, ready);
	count(end, end->win, injected);
	count(end, end->win_too, injected);
	if (ride->injected < 2)
		count(end, ride->injected ? end->bypass1 : end->bypass0,
		      injected);
	show(end, end->occupancy, ready, injected);
	show(loser, loser->loss, head + ride->later, injected + ride->later);
	show(loser, loser->starved,
	     ex_later(head, ready + end->starve_cycles) + ride->later,
	     injected + ride->later);
	if (route->sink != NO_SIGNAL)
		tell_later(route->bank, (unsigned)route->sink,
			   ready + ride->arrived, route->slots);
}

/* It has waited in the queue. */
static void note_wait(struct floor_ends *ends, struct floor_end *end,
		      uint64_t left)
{
	end->last = (uint8_t)((end->last + 1) % end->limit);
	end->left[end->last] = left;
	ends->room_from = 0;
	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
			end = &ends->ends[ring][d];
			/* the oldest of as many as may wait */
			left = end->left[(end->last + 1u) % end->limit];
			ends->room_from = ex_later(ends->room_from, left);
		}
}

/* Who loses a slot in truth, so many cycles later than the one who waits. */
struct loser {
	const struct floor_end *end;
	unsigned later;
};

static inline void keep_ride(struct floor *floor,
			     const struct floor_route *route, uint64_t ready,
			     struct floor_ride ride, struct loser loser)
{
	struct ride_visit *visit = visits_next(floor->visits);
	struct floor_end *end = route->end;
	uint64_t head = ex_later(ready, end->free_from);

	*visit = (struct ride_visit){
		.visit = { .tell = tell_ride, .last = ride.arrived },
		.route = route,
		.ready = ready,
		.head = (uint32_t)(head - ready),
		.injected = (uint32_t)(ride.injected - ready),
		.arrived = (uint32_t)(ride.arrived - ready),
		.loser = loser.end,
		.later = loser.later,
	};
	visits_keep(floor->visits);
	end->free_from = ex_later(end->free_from, ride.injected + route->slots);
}

/* The first cycle in which the slots that pass the stop are free as far as the
 * receiver. What finds no room there keeps its slots for as many rounds as it
 * takes, whoever has asked for them before: *arrival. */
static uint64_t inject(struct floor *floor, const struct floor_route *route,
		       uint64_t ready, uint64_t *arrival)
{
	const struct floor_end *end = route->end;
	struct board *board = &floor->board;
	unsigned hops = route->hops, slots = route->slots;
	unsigned phase = floor_phase(floor, ready);

	for (uint64_t t = ready;; t++, phase++) {
		unsigned first, next;

		if (phase == floor->num_stops)
			phase = 0;
		first = end->row + end->slots[phase];
		next = end->row + end->slots[phase + 1];

		if (!board_is_free(board, first, t, hops) ||
		    (slots > 1 && !board_is_free(board, next, t + 1, hops)))
			continue;
		*arrival = take_off(floor, t + hops, route->port, slots, true);
		hold(board, first, t, *arrival);
		if (slots > 1)
			hold(board, next, t + 1, *arrival + 1);
		return t;
	}
}

static void count_bounces(const struct floor *floor,
			  const struct floor_route *route,
			  struct floor_ride ride)
{
	const struct floor_end *end = route->end;
	uint64_t passes = ride.injected + route->hops;

	if (end->bounce == NO_SIGNAL || !route->hops)
		return;
	for (; passes < ride.arrived; passes += floor->num_stops)
		sig_later(end->bank, (unsigned)end->bounce, passes, 1);
}

/* Of who wants to be on the ring from a cycle on. A slot that is free as far as
 * an S-Box and taken from there on is taken by what the S-Box sends. */
static struct loser loser_of(struct floor *floor,
			     const struct floor_route *route, uint64_t head)
{
	const struct floor_end *end = route->end;
	unsigned row = end->row + end->slots[floor_phase(floor, head)];

	for (unsigned side = 0; side < EX_SIDES; side++) {
		unsigned way = floor->hops[end->direction][end->stop]
					  [floor->sbox_stops[side]];

		if (way && way < route->hops &&
		    board_is_free(&floor->board, row, head, way) &&
		    !board_is_free(&floor->board, row, head + way, 1))
			return (struct loser){
				&floor->sboxes[side]
					 .ends[end->ring][end->direction],
				way,
			};
	}
	return (struct loser){ end, 0 };
}

/* What does not find its slot, or its receiver, at the first try. */
static SIG_SLOW struct floor_ride
ride_late(struct floor *floor, const struct floor_route *route, uint64_t ready)
{
	struct floor_ride ride = { .injected = ready };

	if (route->hops)
		ride.injected = inject(floor, route, ready, &ride.arrived);
	else
		ride.arrived = take_off(floor, ready + 1, route->port,
					route->slots, false);
	count_bounces(floor, route, ride);
	if (route->port != FLOOR_NO_PORT)
		board_mark(&floor->board, route->port, ride.arrived,
			   route->slots);
	ride.arrived += route->slots - 1u;
	keep_ride(floor, route, ready, ride,
		  loser_of(floor, route, ex_later(ready,
						  route->end->free_from)));
	if (route->end->limit && ready < ride.injected)
		note_wait(route->from, route->end, ride.injected);
	return ride;
}

/* What a message takes if all is free at the first look: bits of its slots, the
 * second one a cycle later, and of its port, in the words of 64 cycles. */
struct taking {
	unsigned first_row, second_row;
	uint64_t first, second, port;
};

static inline bool is_free(const uint64_t *words, const struct taking *taking,
			   unsigned port_row)
{
	return !((words[taking->first_row] & taking->first) |
		 (words[taking->second_row] & taking->second) |
		 (words[port_row] & taking->port));
}

static inline void take(uint64_t *words, const struct taking *taking,
			unsigned port_row)
{
	words[taking->first_row] |= taking->first;
	words[taking->second_row] |= taking->second;
	words[port_row] |= taking->port;
}

static inline struct floor_ride
ride_on(struct floor *floor, const struct floor_route *route, uint64_t ready)
{
	struct floor_ride ride = { ready,
				   ready + route->to_port + route->slots - 1 };

	keep_ride(floor, route, ready, ride, (struct loser){ route->end, 0 });
	return ride;
}

/* Some of the bits are in the next words. */
static SIG_SLOW struct floor_ride ride_across(struct floor *floor,
					      const struct floor_route *route,
					      struct taking low, uint64_t ready)
{
	unsigned bit = ready % 64;
	unsigned __int128 first = (unsigned __int128)low.first << bit;
	unsigned __int128 port = (unsigned __int128)low.port
				 << (bit + route->to_port);
	struct taking high = {
		.first_row = low.first_row,
		.second_row = low.second_row,
		.first = (uint64_t)(first >> 64),
		.second = route->slots > 1 ? (uint64_t)(first >> 63) : 0,
		.port = (uint64_t)(port >> 64),
	};
	uint64_t *words = board_words(&floor->board, ready);
	uint64_t *next = board_words(&floor->board, ready + 64);

	low.first = (uint64_t)first;
	low.second = route->slots > 1 ? (uint64_t)first << 1 : 0;
	low.port = (uint64_t)port;
	if (!is_free(words, &low, route->port) ||
	    !is_free(next, &high, route->port))
		return ride_late(floor, route, ready);
	take(words, &low, route->port);
	take(next, &high, route->port);
	return ride_on(floor, route, ready);
}

struct floor_ride floor_ride(struct floor *floor,
			     const struct floor_route *route, uint64_t ready)
{
	const struct floor_end *end = route->end;
	unsigned bit = ready % 64, slots = route->slots;
	unsigned arrival = bit + route->to_port;
	const uint8_t *slot = end->slots + floor_phase(floor, ready);
	struct taking taking = {
		.first_row = end->row + slot[0],
		.second_row = end->row + slot[1],
		.first = (UINT64_C(1) << route->hops) - 1,
		.port = route->port_bits,
	};
	uint64_t *words;

	board_forget(&floor->board, ex_now(floor->ex));
	if (ready + 64 >= board_end(&floor->board))
		return ride_late(floor, route, ready);
	if (arrival + slots > 64)
		return ride_across(floor, route, taking, ready);
	words = board_words(&floor->board, ready);
	taking.first <<= bit;
	taking.second = slots > 1 ? taking.first << 1 : 0;
	taking.port <<= arrival;
	if (!is_free(words, &taking, route->port))
		return ride_late(floor, route, ready);
	take(words, &taking, route->port);
	return ride_on(floor, route, ready);
}

struct floor_ride floor_round(struct floor *floor, unsigned core,
			      enum ring_direction direction, uint64_t ready)
{
	board_forget(&floor->board, ex_now(floor->ex));
	return ride_late(floor, &floor->rounds[core][direction], ready);
}

struct floor_ride floor_from_sbox(struct ex *ex, unsigned socket, unsigned side,
				  enum ring_kind ring, unsigned to,
				  unsigned slots, uint64_t ready, bool to_core)
{
	struct floor *floor = ex->sockets[socket].floor;
	const struct floor_routes *routes = &floor->from_sbox[side][to];

	(void)slots;
	return floor_ride(floor,
			  to_core ? &routes->to_core[ring]
				  : &routes->to_slice[ring],
			  ready);
}
