/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The routes of all messages on the rings of a floor: who sends what to whom.
 */
#include "model/nehalem-ex/floor.h"
#include "signals.h"

/* From a stop on the way that is given. */
static struct floor_route make_way(const struct floor *floor,
				   struct floor_ends *from, unsigned ring,
				   struct floor_way way)
{
	unsigned slots = ring == RING_BL ? 2 : 1;
	unsigned hops = way.hops ? way.hops : 1;
	unsigned bits = (1u << hops) - 1;

	return (struct floor_route){
		.end = &from->ends[ring][way.direction],
		.passing = floor->slots_at[way.direction][from->stop],
		.first = (uint16_t)bits,
		.second = (uint16_t)(slots > 1 ? bits << 1 : 0),
		.row = (uint8_t)floor_row(floor, ring, way.direction),
		.sink = NO_SIGNAL,
		.port = FLOOR_NO_PORT,
		.hops = (uint8_t)hops,
		.slots = (uint8_t)slots,
		.reach = (uint8_t)(hops + slots),
	};
}

/* To the ring stop of core and slice, or of an S-Box. */
static struct floor_route make_route(const struct floor *floor,
				     struct floor_ends *from, unsigned ring,
				     unsigned to)
{
	return make_way(floor, from, ring, floor->ways[from->stop][to]);
}

static void set_port(const struct floor *floor, struct floor_route *route,
		     unsigned stop, enum floor_port port)
{
	route->port = (uint8_t)floor_port_row(floor, stop, port);
	route->goes_round = port <= PORT_CORE_BL && route->end->stop != stop;
	route->to_take = (uint16_t)(((1u << route->slots) - 1)
				    << (route->reach - route->slots));
}

/* What goes from core to slice, and from there back. */
static void init_cargos(struct floor *floor, unsigned core, unsigned index)
{
	static const struct {
		uint8_t ring;
		bool to_core;
		uint8_t port;
		int16_t sink;
	} cargos[] = {
		/* who takes a request in counts it */
		[CARGO_REQUEST] = { RING_AD, false, PORT_SLICE_AD, NO_SIGNAL },
		[CARGO_ANSWER] = { RING_AK, false, PORT_SLICE_AK,
				   SIG_CBOX_SINKS_P2C_AK },
		[CARGO_DIRTY_LINE] = { RING_BL, false, PORT_SLICE_BL,
				       SIG_CBOX_SINKS_P2C_BL },
		[CARGO_GO] = { RING_AK, true, PORT_CORE_AK,
			       SIG_CBOX_SINKS_C2P_AK },
		[CARGO_LINE] = { RING_BL, true, PORT_CORE_BL,
				 SIG_CBOX_SINKS_C2P_BL },
	};
	struct slice *slice = &floor->slices[index];
	struct stop *stop = &floor->stops[core];

	for (unsigned i = 0; i < NUM_CARGOS; i++) {
		struct floor_route *route = &floor->cargos[core][index][i];
		unsigned ring = cargos[i].ring;

		if (cargos[i].to_core)
			*route = make_route(floor, &slice->ends, ring,
					    stop->stop);
		else
			*route = make_route(floor, &stop->ends, ring,
					    slice->stop);
		set_port(floor, route,
			 cargos[i].to_core ? stop->stop : slice->stop,
			 cargos[i].port);
		route->bank = cargos[i].to_core ? stop->bank : slice->bank;
		route->sink = cargos[i].sink;
	}
}

/* From an S-Box to the ring stop of core and slice. */
static void init_from_sbox(struct floor *floor, unsigned side, unsigned index)
{
	static const int16_t sinks[] = {
		[RING_AD] = SIG_CBOX_SINKS_S2C_AD,
		[RING_AK] = SIG_CBOX_SINKS_S2C_AK,
		[RING_BL] = SIG_CBOX_SINKS_S2C_BL,
	};
	struct floor_routes *routes = &floor->from_sbox[side][index];
	const struct stop *stop = &floor->stops[index];

	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++) {
		struct floor_route route = make_route(
			floor, &floor->sboxes[side], ring, stop->stop);

		route.bank = stop->bank;
		routes->to_core[ring] = routes->to_slice[ring] = route;
		routes->to_slice[ring].sink = sinks[ring];
	}
	routes->to_core[RING_BL].sink = SIG_CBOX_SINKS_S2P_BL;
	set_port(floor, &routes->to_core[RING_BL], stop->stop, PORT_CORE_BL);
}

static void lay_routes(struct floor *floor, unsigned index)
{
	struct slice *slice = &floor->slices[index];
	unsigned to_sbox = floor->sbox_stops[slice->side];

	for (unsigned core = 0; core < floor->num_cores; core++)
		init_cargos(floor, core, index);
	for (unsigned side = 0; side < EX_SIDES; side++)
		init_from_sbox(floor, side, index);
	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++) {
		struct floor_route *route = &floor->to_sbox[index][ring];

		*route = make_route(floor, &slice->ends, ring, to_sbox);
		set_port(floor, route, to_sbox, PORT_SLICE_AD + ring);
	}
	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		struct floor_ends *ends = &floor->stops[index].ends;
		struct floor_way way = { (uint8_t)d,
					 (uint8_t)floor->num_stops };

		floor->rounds[index][d] = make_way(floor, ends, RING_AD, way);
	}
}

void floor_lay_routes(struct floor *floor)
{
	for (unsigned i = 0; i < floor->num_cores; i++)
		lay_routes(floor, i);
}
