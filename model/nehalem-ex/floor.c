/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.3.1, 2.3.4.2. Not described there and chosen: a slot moves one stop
 * a cycle; a cache line takes two slots in a row ("2 transfers for 1 cache
 * line"); a message takes the shorter way; a message for the stop it starts
 * from takes one cycle and no slot; passing traffic goes before injection.
 */
#include "model/nehalem-ex/floor.h"

#include "signals.h"

/* Calendars give out at most so many cycles at a time. */
enum { CHUNK = 64 };

/* The slot that is at a stop in a cycle: slot k is at stop k + t, or k - t. */
static unsigned slot_at(const struct floor *floor, const struct floor_end *end,
			uint64_t cycle)
{
	unsigned n = floor->num_stops, phase = (unsigned)(cycle % n);
	unsigned slot = end->direction == RING_CW ? end->stop + n - phase
						  : end->stop + phase;

	return slot >= n ? slot - n : slot;
}

/* The slot that is there a cycle later. */
static unsigned slot_after(const struct floor *floor,
			   const struct floor_end *end, unsigned slot)
{
	unsigned last = floor->num_stops - 1;

	if (end->direction == RING_CW)
		return slot ? slot - 1 : last;
	return slot == last ? 0 : slot + 1;
}

/* What goes round for longer than the calendar reaches is not in it. */
static void hold(struct calendar *slot, uint64_t from, uint64_t cycles)
{
	while (cycles && from < calendar_end(slot)) {
		unsigned num = cycles < CHUNK ? (unsigned)cycles : CHUNK;

		calendar_mark(slot, from, num);
		from += num;
		cycles -= num;
	}
}

/* The cycle in which a message that passes its receiver in `arrival` is taken
 * off, a round later or several if need be; without slots it waits. */
static uint64_t take_off(const struct floor *floor, uint64_t arrival,
			 uint64_t room_from, const struct calendar *port,
			 unsigned slots, bool has_slots)
{
	unsigned step = has_slots ? floor->num_stops : 1;

	if (arrival < room_from)
		arrival += (room_from - arrival + step - 1) / step * step;
	while (port && !calendar_is_free(port, arrival, slots))
		arrival += step;
	return arrival;
}

static void count(struct floor_end *end, int signal, uint64_t at)
{
	if (signal != NO_SIGNAL)
		sig_later(end->bank, (unsigned)signal, at, 1);
}

/* It was the first of its queue from `head` on. */
static void show_losses(const struct floor *floor, struct floor_end *end,
			uint64_t ready, uint64_t head, uint64_t injected)
{
	uint64_t starved = ready + floor->starve_cycles;

	if (end->loss != NO_SIGNAL)
		sig_span(end->bank, (unsigned)end->loss, head, injected, 1);
	if (starved < injected && end->starved != NO_SIGNAL)
		sig_span(end->bank, (unsigned)end->starved,
			 ex_later(head, starved), injected, 1);
}

/* Publishes how a message left its queue. */
static void show_end(const struct floor *floor, struct floor_end *end,
		     uint64_t ready, uint64_t injected, unsigned slots)
{
	uint64_t head = ex_later(ready, end->free_from);

	count(end, end->win, injected);
	count(end, end->win_too, injected);
	if (ready == injected)
		count(end, end->bypass0, injected);
	else if (ready + 1 == injected)
		count(end, end->bypass1, injected);
	if (head < injected)
		show_losses(floor, end, ready, head, injected);
	if (end->free_from < injected + slots)
		end->free_from = injected + slots;
	if (end->limit && ready < injected) { /* it was in the queue */
		end->last = (uint8_t)((end->last + 1) % end->limit);
		end->left[end->last] = injected;
	}
}

/* The first cycle in which the slots that pass the stop are free as far as the
 * receiver. What finds no room there keeps its slots for as many rounds as it
 * takes, whoever has asked for them before: *arrival. */
static uint64_t inject(struct floor *floor, struct floor_end *end,
		       unsigned hops, unsigned slots, uint64_t ready,
		       uint64_t room_from, const struct calendar *port,
		       uint64_t *arrival)
{
	struct calendar *ring = floor->slots[end->ring][end->direction];
	unsigned slot = slot_at(floor, end, ready);
	uint64_t now = ex_now(floor->ex);

	for (uint64_t t = ready;; t++) {
		unsigned next = slot_after(floor, end, slot);

		calendar_forget(&ring[slot], now);
		calendar_forget(&ring[next], now);
		if (calendar_is_free(&ring[slot], t, hops) &&
		    (slots < 2 || calendar_is_free(&ring[next], t + 1, hops))) {
			*arrival = take_off(floor, t + hops, room_from, port,
					    slots, true);
			hold(&ring[slot], t, *arrival - t);
			if (slots > 1)
				hold(&ring[next], t + 1, *arrival - t);
			return t;
		}
		slot = next;
	}
}

/* What does not find its slot, or its receiver, at the first try. */
static struct floor_ride ride_slowly(struct floor *floor, struct floor_end *end,
				     unsigned hops, unsigned slots,
				     uint64_t ready, uint64_t room_from,
				     struct calendar *port)
{
	struct floor_ride ride = { .injected = ready };

	if (hops)
		ride.injected = inject(floor, end, hops, slots, ready,
				       room_from, port, &ride.arrived);
	else
		ride.arrived = take_off(floor, ready + 1, room_from, port,
					slots, false);
	for (uint64_t passes = ride.injected + hops;
	     hops && passes < ride.arrived; passes += floor->num_stops)
		count(end, end->bounce, passes);
	return ride;
}

/* Whether all is free at the first try; then it is taken. */
static bool ride_at_once(struct floor *floor, struct floor_end *end,
			 unsigned hops, unsigned slots, uint64_t ready)
{
	struct calendar *ring = floor->slots[end->ring][end->direction];
	unsigned slot = slot_at(floor, end, ready);
	struct calendar *first = &ring[slot], *second;
	uint64_t now = ex_now(floor->ex);

	calendar_forget(first, now);
	if (!calendar_is_free(first, ready, hops))
		return false;
	if (slots > 1) {
		second = &ring[slot_after(floor, end, slot)];
		calendar_forget(second, now);
		if (!calendar_is_free(second, ready + 1, hops))
			return false;
		calendar_mark(second, ready + 1, hops);
	}
	calendar_mark(first, ready, hops);
	return true;
}

struct floor_ride floor_ride(struct floor *floor, struct floor_ends *ends,
			     enum ring_kind ring, unsigned to, unsigned slots,
			     uint64_t ready, uint64_t room_from,
			     struct calendar *port)
{
	struct floor_way way = floor->ways[ends->ends[0][0].stop][to];
	struct floor_end *end = &ends->ends[ring][way.direction];
	uint64_t arrival = ready + (way.hops ? way.hops : 1);
	struct floor_ride ride = { ready, arrival };

	if (port)
		calendar_forget(port, ex_now(floor->ex));
	if (room_from > arrival ||
	    (port && !calendar_is_free(port, arrival, slots)) ||
	    (way.hops && !ride_at_once(floor, end, way.hops, slots, ready)))
		ride = ride_slowly(floor, end, way.hops, slots, ready,
				   room_from, port);
	if (port)
		calendar_mark(port, ride.arrived, slots);
	show_end(floor, end, ready, ride.injected, slots);
	ride.arrived += slots - 1;
	return ride;
}

struct floor_ride floor_round(struct floor *floor, struct floor_ends *ends,
			      enum ring_direction direction, uint64_t ready,
			      uint64_t room_from)
{
	struct floor_end *end = &ends->ends[RING_AD][direction];
	struct floor_ride ride = ride_slowly(floor, end, floor->num_stops, 1,
					     ready, room_from, NULL);

	show_end(floor, end, ready, ride.injected, 1);
	return ride;
}

uint64_t floor_room_from(const struct floor_ends *ends, uint64_t at)
{
	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
			const struct floor_end *end = &ends->ends[ring][d];
			/* the oldest of as many as may wait */
			uint64_t left =
				end->left[(end->last + 1u) % end->limit];

			if (left > at)
				at = left;
		}
	return at;
}

struct floor_ride floor_from_sbox(struct ex *ex, unsigned socket, unsigned side,
				  enum ring_kind ring, unsigned to,
				  unsigned slots, uint64_t ready, bool to_core)
{
	static const uint16_t sinks[] = {
		[RING_AD] = SIG_CBOX_SINKS_S2C_AD,
		[RING_AK] = SIG_CBOX_SINKS_S2C_AK,
		[RING_BL] = SIG_CBOX_SINKS_S2C_BL,
	};
	struct floor *floor = ex->sockets[socket].floor;
	struct stop *stop = &floor->stops[to];
	bool shows = to_core && ring == RING_BL;
	struct floor_ride ride =
		floor_ride(floor, &floor->sboxes[side], ring, stop->stop, slots,
			   ready, 0, shows ? &stop->bl_port : NULL);

	if (!to_core)
		sig_later(stop->bank, sinks[ring], ride.arrived, slots);
	else if (shows)
		sig_later(stop->bank, SIG_CBOX_SINKS_S2P_BL, ride.arrived,
			  slots);
	return ride;
}
