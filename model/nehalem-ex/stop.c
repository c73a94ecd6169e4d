/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Between a core and the rings (guide 2.3.4.3): the FIFOs for its answers to
 * snoops (RSPF) and its data (IDF), and how it takes snoops off the IV ring.
 *
 * The guide names the bounce and spoof signals of the IV ring and no more.
 * Chosen: a snoop is taken when RSPF has a place for the answer; else the stop
 * raises `bounce`, until it has one, and the snoop comes again a round later.
 * While a core is in C6 its stop raises `spoof` and answers in its place; for
 * each such answer under way it needs a spoof credit, or the snoop bounces.
 */
#include "model/box/core.h"
#include "model/box/socket.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/quick.h"
#include "signals.h"

/* Puts a snoop on the IV ring; it passes all stops once. */
static uint64_t broadcast(struct floor *floor, struct slice *slice,
			  uint64_t from)
{
	const uint8_t *slots = floor->slots_at[RING_CW][slice->stop];
	unsigned row = floor_row(floor, RING_IV, RING_CW);
	struct board *board = &floor->board;
	uint64_t t = from;

	board_forget(board, engine_now(&floor->ex->engine));
	for (;; t++) {
		unsigned slot = slots[floor_phase(floor, t)];

		if (!board_is_free(board, row + slot, t, floor->num_stops))
			continue;
		board_mark(board, row + slot, t, floor->num_stops);
		break;
	}
	sig_span(slice->bank, SIG_CBOX_ARB_LOSSES_IV, from, t, 1);
	sig_later(slice->bank, SIG_CBOX_ARB_WINS_IV, t, 1);
	if (t <= from + 1)
		sig_later(slice->bank,
			  t == from ? SIG_CBOX_EGRESS_BYPASS_WINS_IV_BYP0
				    : SIG_CBOX_EGRESS_BYPASS_WINS_IV_BYP1,
			  t, 1);
	sig_span(slice->bank, SIG_CBOX_STARVED_EGRESS_IV,
		 from + floor->starve_cycles, t, 1);
	return t;
}

/* The cycle in which a stop looks at a snoop that passes it: later, if it looks
 * at another one then. */
static uint64_t look_at(struct floor *floor, const struct stop *stop,
			uint64_t at)
{
	unsigned port = floor_port_row(floor, stop->stop, PORT_CORE_IV);

	while (!board_is_free(&floor->board, port, at, 1))
		at++;
	board_mark(&floor->board, port, at, 1);
	return at;
}

/* A snoop goes round until its stop has what it needs, `from` a cycle on: it is
 * taken. */
static SIG_SLOW uint64_t bounce(struct floor *floor, struct stop *stop,
				uint64_t at, uint64_t from)
{
	if (stop->bounces_until <= at) {
		sig_later(stop->bank, SIG_CBOX_BOUNCE_ASSERT, at, 1);
		sig_later(stop->bank, SIG_CBOX_BOUNCE_DEASSERT, from, 1);
		stop->bounces_until = from;
	}
	while (at < from) {
		sig_later(stop->bank, SIG_CBOX_BOUNCES_C2P_IV, at, 1);
		at = look_at(floor, stop, at + floor->num_stops);
	}
	return at;
}

/* The cycle in which the core's stop takes a snoop that passes it from `at` on;
 * *place: in RSPF, *credit: for a spoofed answer, or -1. */
static uint64_t take_snoop(struct floor *floor, struct stop *stop,
			   bool is_spoofed, uint64_t at, unsigned *place,
			   int *credit)
{
	uint64_t now = engine_now(&floor->ex->engine), from;

	at = from = look_at(floor, stop, at);
	*credit = -1;
	*place = places_take(&stop->rspf, now, &from);
	if (is_spoofed)
		*credit = (int)places_take(&stop->spoofs, now, &from);
	return from > at ? bounce(floor, stop, at, from) : at;
}

/* A core is asked for its copy: its answer is at the slice, and so is its line
 * if that is dirty. */
static uint64_t ask(struct floor *floor, struct slice *slice, unsigned core,
		    uint64_t at, bool is_dirty)
{
	struct stop *stop = &floor->stops[core];
	bool is_spoofed = floor->socket->cores[core].step == STEP_SLEEP;
	struct floor_ride ride;
	unsigned place;
	uint64_t ready;
	int credit;

	at = take_snoop(floor, stop, is_spoofed, at, &place, &credit);
	sig_later(stop->bank, SIG_CBOX_SINKS_C2P_IV, at, 1);
	ready = at + floor->snoop_cycles;
	ride = floor_ride(
		floor, &floor->cargos[core][slice->index][CARGO_ANSWER], ready);
	places_hold(&stop->rspf, place, ride.injected);
	if (credit >= 0) {
		places_hold(&stop->spoofs, (unsigned)credit, ready);
		if (places_taken(&stop->spoofs, at) == stop->spoofs.num)
			sig_span(stop->bank, SIG_CBOX_SPOOF_CRD_EMPTY, at,
				 ready, 1);
	}
	if (!is_dirty)
		return ride.arrived;
	return sim_later(ride.arrived,
			 floor_send_line(floor, core, slice->index, ready));
}

void floor_tell_asked(struct slice *slice)
{
	facts_tell(&slice->floor->ex->engine.facts, slice->bank,
		   SIG_CBOX_ARB_WINS_IV, 1);
}

static void tell_answer(struct slice *slice, unsigned core, bool is_dirty)
{
	struct floor *floor = slice->floor;
	struct ex *ex = floor->ex;
	const struct floor_route *routes = floor->cargos[core][slice->index];

	facts_tell(&ex->engine.facts, floor->stops[core].bank,
		   SIG_CBOX_SINKS_C2P_IV, 1);
	floor_ride(floor, &routes[CARGO_ANSWER], engine_now(&ex->engine));
	if (is_dirty)
		floor_ride(floor, &routes[CARGO_DIRTY_LINE],
			   engine_now(&ex->engine));
}

void floor_answer_at_once(struct slice *slice, unsigned cores, int dirty_core)
{
	struct floor *floor = slice->floor;
	struct facts_book *book = &floor->ex->engine.facts;
	struct quick *quick = floor->ex->sockets[floor->socket->index].quick;

	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);
		bool is_dirty = (int)core == dirty_core;
		struct facts *facts =
			&quick->answers[is_dirty][core][slice->index];

		if (facts_begin(book, facts)) {
			tell_answer(slice, core, is_dirty);
			facts_end(book, facts);
		}
	}
}

uint64_t floor_ask_cores(struct floor *floor, struct slice *slice,
			 unsigned cores, uint64_t from, int dirty_core)
{
	uint64_t start, last = from;

	if (floor->ex->engine.is_quick) {
		floor_tell_asked(slice);
		floor_answer_at_once(slice, cores, dirty_core);
		return engine_now(&floor->ex->engine);
	}
	start = broadcast(floor, slice, from);
	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);
		unsigned hops = floor->hops[RING_CW][slice->stop]
					   [floor->stops[core].stop];
		uint64_t answered =
			ask(floor, slice, core, start + (hops ? hops : 1),
			    (int)core == dirty_core);

		last = sim_later(last, answered);
	}
	return last;
}

void floor_show_once(struct sigbank *bank, unsigned signal,
		     const struct spans *seen, uint64_t from, uint64_t to)
{
	uint64_t end;

	for (; spans_gap(seen, &from, to, &end); from = end)
		sig_span(bank, signal, from, end, 1);
}

/* A line is in the IDF from a cycle on, may leave when it is valid, and does
 * when it has a credit. The guide counts cycles, however many lines wait, and
 * while one may leave it is the credit that is missing: so nothing is shown of
 * stretches of which something is. */
static void show_idf(struct stop *stop, uint64_t now, uint64_t from,
		     uint64_t valid, uint64_t ready)
{
	floor_show_once(stop->bank, SIG_CBOX_IDF_NONZERO_NO_VLD,
			&stop->idf_seen, from, valid);
	floor_show_once(stop->bank, SIG_CBOX_IDF_NONZERO_NO_BL_CRD,
			&stop->idf_seen, valid, ready);
	spans_add(&stop->idf_seen, now, from, ready);
}

uint64_t floor_send_line(struct floor *floor, unsigned core, unsigned slice,
			 uint64_t from)
{
	const struct floor_route *route =
		&floor->cargos[core][slice][CARGO_DIRTY_LINE];
	struct stop *stop = &floor->stops[core];
	uint64_t now = engine_now(&floor->ex->engine), valid, ready;
	struct floor_ride ride;
	unsigned place, credit;

	if (floor->ex->engine.is_quick)
		return floor_ride(floor, route, now).arrived;
	place = places_take(&stop->idf, now, &from);
	valid = ready = from + floor->idf_cycles;
	credit = places_take(&stop->bl_credits, now, &ready);
	ride = floor_ride(floor, route, ready);
	places_hold(&stop->idf, place, ready);
	places_hold(&stop->bl_credits, credit,
		    ride.injected + floor->bl_credit_cycles);
	show_idf(stop, now, from, valid, ready);
	return ride.arrived;
}

uint64_t floor_send_data(struct floor *floor, struct slice *slice,
			 unsigned core, uint64_t from)
{
	return floor_ride(floor, &floor->cargos[core][slice->index][CARGO_LINE],
			  from)
		.arrived;
}

uint64_t floor_send_go(struct floor *floor, struct slice *slice, unsigned core,
		       uint64_t from)
{
	return floor_ride(floor, &floor->cargos[core][slice->index][CARGO_GO],
			  from)
		.arrived;
}
