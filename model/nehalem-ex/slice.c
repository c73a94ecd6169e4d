/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The floor is laid: stops, slices and the queues in front of the rings.
 */
#include <stdlib.h>

#include "model/box/copies.h"
#include "model/box/socket.h"
#include "model/nehalem-ex/floor.h"
#include "signals.h"

static void init_end(struct floor_end *end, struct sigbank *bank, unsigned ring,
		     unsigned direction, unsigned stop)
{
	*end = (struct floor_end){
		.bank = bank,
		.win = NO_SIGNAL,
		.win_too = NO_SIGNAL,
		.loss = NO_SIGNAL,
		.bypass0 = NO_SIGNAL,
		.bypass1 = NO_SIGNAL,
		.starved = NO_SIGNAL,
		.bounce = NO_SIGNAL,
		.occupancy = NO_SIGNAL,
		.entries = NO_SIGNAL,
		.ring = (uint8_t)ring,
		.direction = (uint8_t)direction,
		.stop = (uint8_t)stop,
	};
}

/* What all ends on a C-Box's bank publish; away: from the nearest S-Box. */
static void init_cbox_end(struct floor_end *end, unsigned away)
{
	unsigned ring = end->ring;

	end->win = (int16_t)(SIG_CBOX_ARB_WINS_AD_SB + ring * 2 + away);
	end->loss = (int16_t)(SIG_CBOX_ARB_LOSSES_AD_SB + ring * 2 + away);
	end->bypass0 =
		(int16_t)(SIG_CBOX_EGRESS_BYPASS_WINS_AD_BYP0 + ring * 2);
	end->bypass1 = (int16_t)(end->bypass0 + 1);
	if (ring == RING_AK)
		end->starved = (int16_t)(SIG_CBOX_STARVED_EGRESS_AK_SB + away);
	else if (ring == RING_BL)
		end->starved = (int16_t)(SIG_CBOX_STARVED_EGRESS_BL_SB + away);
	else if (away)
		end->starved = SIG_CBOX_STARVED_EGRESS_AD_NSB;
}

static void init_core_end(struct floor_end *end, unsigned away)
{
	init_cbox_end(end, away);
	if (end->ring == RING_AK) {
		end->occupancy = SIG_CBOX_OCCUPANCY_RSPF;
		end->entries = SIG_CBOX_TRANS_RSPF;
	}
	if (end->ring != RING_AD)
		return;
	end->occupancy = SIG_CBOX_OCCUPANCY_RWRF;
	end->entries = SIG_CBOX_TRANS_RWRF;
	end->win_too = (int16_t)(SIG_CBOX_ARB_WINS_P2C_SB + away);
	end->bounce = (int16_t)(SIG_CBOX_BOUNCES_P2C_AD_SB + away);
	if (!away)
		end->starved = SIG_CBOX_STARVED_EGRESS_P2C_AD_SB;
}

static void init_slice_end(struct floor_end *end, unsigned away)
{
	init_cbox_end(end, away);
	if (end->ring == RING_AK)
		end->bounce = (int16_t)(SIG_CBOX_BOUNCES_C2P_AK_SB + away);
	else if (end->ring == RING_BL)
		end->bounce = (int16_t)(SIG_CBOX_BOUNCES_C2P_BL_SB + away);
	else if (!away)
		end->starved = SIG_CBOX_STARVED_EGRESS_C2S_AD_SB;
}

static void init_sbox_end(struct floor_end *end, unsigned direction)
{
	unsigned place = end->ring * 2u + direction;

	end->bypass0 = (int16_t)(SIG_SBOX_EGRESS_BYPASS_AD_CW + place);
	end->win = (int16_t)(SIG_SBOX_EGRESS_ARB_WINS_AD_CW + place);
	end->loss = (int16_t)(SIG_SBOX_EGRESS_ARB_LOSSES_AD_CW + place);
	end->starved = (int16_t)(SIG_SBOX_EGRESS_STARVED_AD_CW + place);
}

/* The direction that leads from a stop to the S-Box of its side. */
static unsigned to_sbox(const struct floor *floor, unsigned stop, unsigned side)
{
	unsigned hops = floor->hops[RING_CW][stop][floor->sbox_stops[side]];

	return hops * 2u <= floor->num_stops ? RING_CW : RING_CCW;
}

static void init_ends(struct floor *floor, struct floor_ends *ends,
		      struct sigbank *bank, unsigned stop, unsigned side,
		      void (*init)(struct floor_end *end, unsigned away))
{
	ends->stop = stop;
	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
			struct floor_end *end = &ends->ends[ring][d];

			init_end(end, bank, ring, d, stop);
			end->all = ends;
			end->starve_cycles = floor->starve_cycles;
			init(end, init == init_sbox_end
					  ? d
					  : d != to_sbox(floor, stop, side));
		}
}

static void limit_ends(struct floor_ends *ends, unsigned limit)
{
	for (unsigned ring = 0; ring < FLOOR_DATA_RINGS; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++)
			ends->ends[ring][d].limit = (uint8_t)limit;
}

static void init_slice(struct floor *floor, unsigned index)
{
	struct socket *socket = floor->socket;
	struct slice *slice = &floor->slices[index];
	struct stop *stop = &floor->stops[index];
	unsigned irq = socket_param(socket, PARAM_CBOX_IRQ);
	unsigned limit = socket_param(socket, PARAM_CBOX_EGRESS);

	for (unsigned i = 0; i <= CORE_QUICK; i++) {
		floor->waits[index][i].core = (uint8_t)index;
		floor->waits[index][i].entry = (uint8_t)i;
	}
	slice->floor = floor;
	slice->bank = stop->bank = socket->cbox_banks[index];
	sig_drives(slice->bank, 0, NUM_SIG_CBOX);
	slice->index = index;
	slice->stop = stop->stop = socket_cbox_stop(socket, index);
	slice->side = socket_side(socket, index);
	slice->to_sbox = to_sbox(floor, slice->stop, slice->side);
	places_init(&slice->irq, irq > 1 ? irq - 1 : 1);
	places_init(&slice->maf, socket_param(socket, PARAM_CBOX_MAF));
	places_init(&slice->viq, socket_param(socket, PARAM_CBOX_VIQ));
	places_init(&slice->ipq, socket_param(socket, PARAM_CBOX_IPQ));
	places_init(&slice->credits,
		    socket_param(socket, PARAM_CBOX_S_CREDITS));
	places_init(&stop->rspf, socket_param(socket, PARAM_CBOX_RSPF));
	places_init(&stop->spoofs,
		    socket_param(socket, PARAM_CORE_SPOOF_CREDITS));
	places_init(&stop->bl_credits,
		    socket_param(socket, PARAM_CORE_BL_CREDITS));
	places_init(&stop->idf, socket_param(socket, PARAM_CORE_IDF));
	init_ends(floor, &slice->ends, slice->bank, slice->stop, slice->side,
		  init_slice_end);
	limit_ends(&slice->ends,
		   limit < FLOOR_EGRESS_MAX ? limit : FLOOR_EGRESS_MAX);
	init_ends(floor, &stop->ends, stop->bank, stop->stop, slice->side,
		  init_core_end);
}

static void read_parameters(struct floor *floor)
{
	struct socket *socket = floor->socket;

	floor->num_cores = socket->num_cores;
	floor->num_stops = socket->num_cores + SOCKET_SIDES;
	floor->pass_cycles = socket_param(socket, PARAM_CBOX_PASS_CYCLES);
	floor->lookup_cycles = socket_param(socket, PARAM_LLC_LOOKUP_CYCLES);
	floor->data_cycles = socket_param(socket, PARAM_LLC_DATA_CYCLES);
	floor->starve_cycles = socket_param(socket, PARAM_RING_STARVE_CYCLES);
	floor->snoop_cycles = socket_param(socket, PARAM_CORE_SNOOP_CYCLES);
	floor->idf_cycles = socket_param(socket, PARAM_CORE_IDF_CYCLES);
	floor->bl_credit_cycles =
		socket_param(socket, PARAM_CORE_BL_CREDIT_CYCLES);
	floor->sram_cycles = socket_param(socket, PARAM_CBOX_SRAM_CYCLES);
	floor->has_forward = socket_param(socket, PARAM_LLC_FORWARD);
	floor->links_sleep = socket_param(socket, PARAM_QPI_IDLE_CYCLES);
}

static void lay_rings(struct floor *floor)
{
	unsigned n = floor->num_stops;

	floor->reciprocal = UINT64_MAX / n + 1;
	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++) {
			unsigned cw = (to + n - from) % n;
			unsigned ccw = (from + n - to) % n;
			struct floor_way *way = &floor->ways[from][to];

			floor->hops[RING_CW][from][to] = (uint8_t)cw;
			floor->hops[RING_CCW][from][to] = (uint8_t)ccw;
			way->direction = cw * 2 <= n ? RING_CW : RING_CCW;
			way->hops = (uint8_t)(cw * 2 <= n ? cw : ccw);
		}
	for (unsigned stop = 0; stop < n; stop++)
		for (unsigned phase = 0; phase <= n; phase++) {
			floor->slots_at[RING_CW][stop][phase] =
				(uint8_t)((stop + n - phase) % n);
			floor->slots_at[RING_CCW][stop][phase] =
				(uint8_t)((stop + phase) % n);
		}
}

/* One for all, since what one sends another one takes in. */
static bool init_visits(struct floor *floor)
{
	struct socket *socket = floor->socket;

	floor->visits = visits_new(socket->cbox_banks[0], FLOOR_VISIT_BYTES);
	if (!floor->visits)
		return false;
	for (unsigned i = 1; i < socket->num_cores; i++)
		if (!visits_join(floor->visits, socket->cbox_banks[i]))
			return false;
	for (unsigned side = 0; side < EX_SIDES; side++)
		if (!visits_join(floor->visits, socket->sbox_banks[side]))
			return false;
	return true;
}

/* Empty slices; with --check each line has its version, too. */
static bool init_llc(struct slice *slice)
{
	struct socket *socket = slice->floor->socket;
	struct llc *llc = &slice->llc;

	socket->llcs[slice->index] = llc;
	if (llc_init(llc, socket->num_cores,
		     (uint64_t)socket_param(socket, PARAM_LLC_SLICE) * 1024,
		     socket_param(socket, PARAM_LLC_WAYS)))
		return false;
	return copies_init(socket, llc);
}

struct floor *floor_new(struct ex *ex, unsigned index)
{
	struct floor *floor = calloc(1, sizeof(*floor));
	struct socket *socket = ex->sockets[index].socket;

	if (!floor)
		return NULL;
	floor->ex = ex;
	floor->socket = socket;
	read_parameters(floor);
	if (!board_init(&floor->board,
			floor_port_row(floor, floor->num_stops, 0)) ||
	    !init_visits(floor)) {
		floor_free(floor);
		return NULL;
	}
	lay_rings(floor);
	for (unsigned side = 0; side < EX_SIDES; side++)
		floor->sbox_stops[side] = socket_sbox_stop(socket, side);
	for (unsigned i = 0; i < socket->num_cores; i++) {
		init_slice(floor, i);
		if (!init_llc(&floor->slices[i])) {
			floor_free(floor);
			return NULL;
		}
	}
	for (unsigned side = 0; side < EX_SIDES; side++)
		init_ends(floor, &floor->sboxes[side], socket->sbox_banks[side],
			  floor->sbox_stops[side], side, init_sbox_end);
	floor_lay_routes(floor);
	return floor;
}

void floor_free(struct floor *floor)
{
	if (!floor)
		return;
	for (unsigned i = 0; i < floor->num_cores; i++)
		llc_fini(&floor->slices[i].llc);
	board_fini(&floor->board);
	free(floor);
}

bool floor_is_settled(const struct floor *floor, uint64_t now)
{
	for (unsigned i = 0; i < floor->num_cores; i++) {
		const struct slice *slice = &floor->slices[i];

		if (places_taken(&slice->irq, now) ||
		    places_taken(&slice->maf, now) ||
		    places_taken(&slice->viq, now))
			return false;
	}
	return true;
}

static SIG_SLOW uint64_t pass_late(struct floor *floor, struct slice *slice,
				   uint64_t from)
{
	uint64_t now = engine_now(&floor->ex->engine);
	uint64_t start = calendar_take_slowly(&slice->passes, now, from,
					      floor->pass_cycles);

	if (start > from) {
		floor_show_once(slice->bank, SIG_CBOX_IGR_BID_BLOCKED,
				&slice->blocked, from, start);
		spans_add(&slice->blocked, now, from, start);
	}
	return start + floor->lookup_cycles;
}

uint64_t slice_pass(struct floor *floor, struct slice *slice, uint64_t from)
{
	if (floor->ex->engine.is_quick)
		return engine_now(&floor->ex->engine);
	if (calendar_try(&slice->passes, from, floor->pass_cycles))
		return from + floor->lookup_cycles;
	return pass_late(floor, slice, from);
}

void slice_refuse(struct slice *slice, unsigned signal, uint64_t at)
{
	sig_later(slice->bank, signal, at, 1);
	if (signal >= SIG_CBOX_MAF_NACK2_MAF_FULL)
		sig_later(slice->bank, SIG_CBOX_MAF_NACK1_ALL_MAF_NACK2, at, 1);
}
