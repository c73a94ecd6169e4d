/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.3.1, 2.3.4.2. Not described there and chosen: a slot moves one stop
 * a cycle; a cache line takes two slots in a row ("2 transfers for 1 cache
 * line"); a message takes the shorter way; a message for the stop it starts
 * from takes one cycle and the slot that passes then; passing traffic goes
 * before injection. A stop takes one message of a kind off in a cycle: a core
 * lets a second one go round, on its way to a slice or an S-Box it is put on
 * the ring so that it comes when they are free.
 *
 * What an S-Box puts on a ring is planned long before it is there, so its slot
 * is taken when a message that is to pass the S-Box with it looks. Then that
 * message waits; but it is the S-Box that would have lost, and so it is told.
 */
#include "model/nehalem-ex/floor.h"

#include "signals.h"

/* Cycles that are looked at together. */
enum { CHUNK = 64 };

static void hold(struct board *board, unsigned row, uint64_t from, uint64_t to)
{
	for (; from + CHUNK < to; from += CHUNK)
		board_mark(board, row, from, CHUNK);
	board_mark(board, row, from, (unsigned)(to - from));
}

/* The cycle in which a message that passes its receiver in `arrival` is taken
 * off, a round later or several if need be; 0: it should not begin. */
static uint64_t take_off(struct floor *floor, const struct floor_route *route,
			 uint64_t arrival)
{
	while (!board_is_free(&floor->board, route->port, arrival,
			      route->slots)) {
		if (!route->goes_round)
			return 0;
		arrival += floor->num_stops;
	}
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
	/* Only of one that did not find all free at the first look: so long
	 * before `last` it was ready, injected, and somebody lost a slot for
	 * the first time. */
	int32_t ready, injected, lost;
	uint32_t later; /* struct loser */
	const struct floor_end *loser;
};

static void tell_sink(const struct floor_route *route, uint64_t last)
{
	if (route->sink == NO_SIGNAL)
		return;
	for (unsigned slot = 0; slot < route->slots; slot++)
		tell_later(route->bank, (unsigned)route->sink, last - slot, 1);
}

static void tell_win(const struct floor_end *end, uint64_t ready,
		     uint64_t injected)
{
	count(end, end->entries, ready);
	count(end, end->win, injected);
	count(end, end->win_too, injected);
	if (injected < ready + 2)
		count(end, injected > ready ? end->bypass1 : end->bypass0,
		      injected);
}

static void tell_at_once(const struct floor_route *route, uint64_t last)
{
	uint64_t ready = last + 1 - route->reach;

	tell_win(route->end, ready, ready);
	tell_sink(route, last);
}

static void tell_ride(struct sigbank *bank, const void *visit)
{
	const struct ride_visit *ride = visit;

	(void)bank;
	tell_at_once(ride->route, ride->visit.last);
}

static void tell_late_ride(struct sigbank *bank, const void *visit)
{
	const struct ride_visit *ride = visit;
	const struct floor_end *end = ride->route->end, *loser = ride->loser;
	uint64_t last = ride->visit.last, ready = last - (uint64_t)ride->ready;
	uint64_t injected = last - (uint64_t)ride->injected;
	uint64_t lost = last - (uint64_t)ride->lost;

	(void)bank;
	tell_win(end, ready, injected);
	show(end, end->occupancy, ready, injected);
	show(loser, loser->loss, lost, injected + ride->later);
	show(loser, loser->starved,
	     sim_later(lost, ready + end->starve_cycles + ride->later),
	     injected + ride->later);
	tell_sink(ride->route, last);
}

/* When the oldest of as many as may wait had left. */
static uint64_t oldest(const struct floor_end *end)
{
	return end->left[end->last + 1u < end->limit ? end->last + 1u : 0];
}

static SIG_SLOW uint64_t room_from(const struct floor_ends *ends)
{
	uint64_t from = 0;

	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++)
			from = sim_later(from, oldest(&ends->ends[ring][d]));
	return from;
}

/* It has waited in the queue. */
static void note_wait(struct floor_ends *ends, struct floor_end *end,
		      uint64_t left)
{
	uint64_t before = oldest(end), from;

	end->last = end->last + 1u < end->limit ? end->last + 1u : 0;
	end->left[end->last] = left;
	from = oldest(end);
	if (from >= ends->room_from)
		ends->room_from = from;
	else if (before == ends->room_from)
		ends->room_from = room_from(ends);
}

/* Who loses a slot in truth, so many cycles later than the one who waits; from
 * a cycle on, since of an end one at a time loses. */
struct loser {
	struct floor_end *end;
	unsigned later;
	uint64_t from;
};

static void keep_late_ride(struct floor *floor, const struct floor_route *route,
			   uint64_t ready, struct floor_ride ride,
			   struct loser loser)
{
	struct ride_visit *visit = visits_next(floor->visits);

	visit->visit.tell = tell_late_ride;
	visit->visit.last = ride.arrived;
	visit->route = route;
	visit->ready = (int32_t)(ride.arrived - ready);
	visit->injected = (int32_t)(ride.arrived - ride.injected);
	visit->lost = (int32_t)(ride.arrived - loser.from);
	visit->loser = loser.end;
	visit->later = loser.later;
	visits_keep(floor->visits);
}

/* Rows of the slots that a message gets which is injected in a cycle. */
struct rows {
	unsigned first, second;
};

static inline struct rows rows_at(const struct floor *floor,
				  const struct floor_route *route,
				  uint64_t cycle)
{
	const uint8_t *slots = route->passing + floor_phase(floor, cycle);

	return (struct rows){ route->row + slots[0], route->row + slots[1] };
}

static bool are_slots_free(struct floor *floor, const struct floor_route *route,
			   struct rows rows, uint64_t t)
{
	struct board_view view = board_view(&floor->board, t);

	return !(board_meets(&view, rows.first, route->first) |
		 board_meets(&view, rows.second, route->second));
}

static SIG_SLOW bool take_across(struct floor *floor,
				 const struct floor_route *route,
				 struct rows rows, uint64_t t)
{
	struct board_view view = board_view(&floor->board, t);

	if (board_meets(&view, rows.first, route->first) |
	    board_meets(&view, rows.second, route->second) |
	    board_meets(&view, route->port, route->to_take))
		return false;
	board_take(&view, rows.first, route->first);
	board_take(&view, rows.second, route->second);
	board_take(&view, route->port, route->to_take);
	return true;
}

/* Takes slots and port in a cycle, if all are free; mostly it is all in one
 * group of the board. */
static inline bool take_at(struct floor *floor, const struct floor_route *route,
			   uint64_t t)
{
	struct rows rows = rows_at(floor, route, t);
	unsigned bit = t % 64;
	uint64_t *group = board_group(&floor->board, t), *words = group + 1;
	uint64_t first = (uint64_t)route->first << bit;
	uint64_t second = (uint64_t)route->second << bit;
	uint64_t port = (uint64_t)route->to_take << bit;

	if (bit + route->reach > 64 || !board_is_open(group, t))
		return take_across(floor, route, rows, t);
	if ((words[rows.first] & first) | (words[rows.second] & second) |
	    (words[route->port] & port))
		return false;
	words[rows.first] |= first;
	words[rows.second] |= second;
	words[route->port] |= port;
	return true;
}

/* Takes the slots that pass the stop from the first cycle on in which they are
 * free as far as the receiver; *arrival: at its port. What goes round keeps
 * them for as many rounds as it takes, whoever has asked for them before. */
static uint64_t inject(struct floor *floor, const struct floor_route *route,
		       uint64_t t, uint64_t *arrival)
{
	struct rows rows;

	for (;; t++) {
		rows = rows_at(floor, route, t);
		if (!are_slots_free(floor, route, rows, t))
			continue;
		*arrival = take_off(floor, route, t + route->hops);
		if (*arrival)
			break;
	}
	hold(&floor->board, rows.first, t, *arrival);
	if (route->slots > 1)
		hold(&floor->board, rows.second, t + 1, *arrival + 1);
	if (route->port != FLOOR_NO_PORT)
		board_mark(&floor->board, route->port, *arrival, route->slots);
	return t;
}

static void count_bounces(const struct floor *floor,
			  const struct floor_route *route,
			  struct floor_ride ride)
{
	const struct floor_end *end = route->end;
	uint64_t passes = ride.injected + route->hops;

	if (end->bounce == NO_SIGNAL)
		return;
	for (; passes < ride.arrived; passes += floor->num_stops)
		sig_later(end->bank, (unsigned)end->bounce, passes, 1);
}

/* Of who wants to be on the ring from a cycle on. A slot that is free as far as
 * an S-Box and taken from there on is taken by what the S-Box sends. */
static struct loser loser_of(struct floor *floor,
			     const struct floor_route *route, uint64_t head)
{
	struct floor_end *end = route->end;
	unsigned row = rows_at(floor, route, head).first;

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
				head + way,
			};
	}
	return (struct loser){ end, 0, head };
}

/* The same, but for what others have told of. */
static struct loser note_loss(struct floor *floor,
			      const struct floor_route *route, uint64_t head,
			      uint64_t injected)
{
	struct loser loser = loser_of(floor, route, head);

	loser.from = sim_later(loser.from, loser.end->lost_to);
	loser.end->lost_to =
		sim_later(loser.end->lost_to, injected + loser.later);
	return loser;
}

/* What does not find its slot, or its receiver, at the first try. */
static SIG_SLOW struct floor_ride
ride_late(struct floor *floor, const struct floor_route *route, uint64_t ready)
{
	struct floor_end *end = route->end;
	struct floor_ride ride = { .injected = ready };
	uint64_t head = sim_later(ready, end->free_from);
	struct loser loser = { end, 0, head };

	ride.injected = inject(floor, route, ready, &ride.arrived);
	count_bounces(floor, route, ride);
	ride.arrived += route->slots - 1u;
	if (head < ride.injected) /* else nobody has lost anything */
		loser = note_loss(floor, route, head, ride.injected);
	keep_late_ride(floor, route, ready, ride, loser);
	end->free_from =
		sim_later(end->free_from, ride.injected + route->slots);
	if (end->limit && ready < ride.injected)
		note_wait(end->all, end, ride.injected);
	return ride;
}

static inline void leave_end(const struct floor_route *route, uint64_t ready)
{
	if (route->end->free_from < ready + route->slots)
		route->end->free_from = ready + route->slots;
}

static inline struct floor_ride
ride_on(struct floor *floor, const struct floor_route *route, uint64_t ready)
{
	struct ride_visit *visit = visits_next(floor->visits);
	struct floor_ride ride = { ready, ready + route->reach - 1 };

	leave_end(route, ready);
	visit->visit.tell = tell_ride;
	visit->visit.last = ride.arrived;
	visit->route = route;
	visits_keep(floor->visits);
	return ride;
}

/* While time stands. */
static struct floor_ride ride_at_once(struct floor *floor,
				      const struct floor_route *route)
{
	const struct floor_end *end = route->end;
	const int16_t told[] = { end->entries, end->win, end->win_too };
	struct facts_book *facts = &floor->ex->engine.facts;
	uint64_t now = engine_now(&floor->ex->engine);

	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (told[i] != NO_SIGNAL)
			facts_tell(facts, end->bank, (unsigned)told[i], 1);
	if (route->sink != NO_SIGNAL)
		facts_tell(facts, route->bank, (unsigned)route->sink,
			   route->slots);
	return (struct floor_ride){ now, now };
}

struct floor_ride floor_ride(struct floor *floor,
			     const struct floor_route *route, uint64_t ready)
{
	if (floor->ex->engine.is_quick)
		return ride_at_once(floor, route);
	board_forget(&floor->board, engine_now(&floor->ex->engine));
	if (!take_at(floor, route, ready))
		return ride_late(floor, route, ready);
	return ride_on(floor, route, ready);
}

uint64_t floor_send_both(struct floor *floor, const struct slice *slice,
			 unsigned core, uint64_t ready)
{
	const struct floor_route *routes = floor->cargos[core][slice->index];
	uint64_t at = floor_ride(floor, &routes[CARGO_LINE], ready).arrived;

	floor_ride(floor, &routes[CARGO_GO], ready);
	return at;
}

struct floor_ride floor_round(struct floor *floor, unsigned core,
			      enum ring_direction direction, uint64_t ready)
{
	board_forget(&floor->board, engine_now(&floor->ex->engine));
	return ride_late(floor, &floor->rounds[core][direction], ready);
}
