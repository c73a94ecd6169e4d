/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Between a core and the rings (guide 2.3.4.3): the FIFOs for its requests
 * (RWRF), its answers to snoops (RSPF) and its data (IDF), and how it takes
 * snoops off the IV ring.
 *
 * The guide names the bounce and spoof signals of the IV ring and no more.
 * Chosen: a snoop is taken when RSPF has a place for the answer; else the stop
 * raises `bounce`, until it has one, and the snoop comes again a round later.
 * While a core is in C6 its stop raises `spoof` and answers in its place; for
 * each such answer under way it needs a spoof credit, or the snoop bounces.
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/socket.h"
#include "signals.h"

struct egress *core_egress_to(struct core *core, struct egress egress[],
			      unsigned stop)
{
	return &egress[ring_direction(&core->socket->ring, core->stop, stop)];
}

static void rwrf_left(void *object)
{
	struct core *core = object;

	core->rwrf--;
	sig_add(core->bank, SIG_CBOX_OCCUPANCY_RWRF, -1);
	core_run(core);
}

/* Snoops */

static void stop_bouncing(struct core *core)
{
	if (!core->bounces)
		return;
	core->bounces = false;
	sig_pulse(core->bank, SIG_CBOX_BOUNCE_DEASSERT, 1);
}

static void rspf_left(void *object)
{
	struct core *core = object;

	core->rspf--;
	core->snoops--;
	sig_add(core->bank, SIG_CBOX_OCCUPANCY_RSPF, -1);
	stop_bouncing(core);
}

void core_spoofs(struct core *core, bool spoofs)
{
	sig_pulse(core->bank,
		  spoofs ? SIG_CBOX_SPOOF_ASSERT : SIG_CBOX_SPOOF_DEASSERT, 1);
}

static void take_spoof_credits(struct core *core, int n)
{
	core->spoof_credits -= (unsigned)n;
	sig_set(core->bank, SIG_CBOX_SPOOF_CRD_EMPTY, !core->spoof_credits);
	if (n < 0)
		stop_bouncing(core);
}

/* A response under way to the C-Box; packed into the argument of a sink. */
static bool response_sink(void *object, uint64_t argument)
{
	struct cbox *cbox = object;

	sig_pulse(cbox->bank, SIG_CBOX_SINKS_P2C_AK, 1);
	cbox_snoop_response(cbox, argument >> 1, argument & 1);
	return true;
}

/* Argument: spoofed, C-Box, token, dirty. */
#define RESPONSE(is_spoofed, cbox, token, is_dirty)                            \
	((uint64_t)(is_spoofed) << 40 | (uint64_t)(cbox) << 32 |               \
	 (uint64_t)(token) << 1 | (is_dirty))

static void respond(void *object, uint64_t argument)
{
	struct core *core = object;
	struct cbox *cbox = &core->socket->cboxes[argument >> 32 & 0xff];
	uint64_t response = argument & UINT32_MAX;

	if (argument >> 40)
		take_spoof_credits(core, -1);
	core->rspf++;
	sig_add(core->bank, SIG_CBOX_OCCUPANCY_RSPF, 1);
	sig_pulse(core->bank, SIG_CBOX_TRANS_RSPF, 1);
	egress_send(core_egress_to(core, core->ak, cbox->stop), response_sink,
		    cbox, response, cbox->stop);
	if (response & 1)
		core_send_data(core, cbox->index);
}

/* Whether the answer has a place; if not, the stop says so. */
static bool has_room(struct core *core, bool is_spoofed)
{
	if (core->snoops < core->snoop_room &&
	    (!is_spoofed || core->spoof_credits))
		return true;
	if (!core->bounces) {
		core->bounces = true;
		sig_pulse(core->bank, SIG_CBOX_BOUNCE_ASSERT, 1);
	}
	return false;
}

bool core_snoop(struct core *core, unsigned cbox, uint64_t line, bool downgrade,
		bool is_dirty, uint64_t token)
{
	struct socket *socket = core->socket;
	struct uncore_traffic *traffic = socket->traffic;
	bool is_spoofed = core->step == STEP_SLEEP;

	if (!has_room(core, is_spoofed))
		return false;
	core->snoops++;
	if (is_spoofed)
		take_spoof_credits(core, 1);
	sig_pulse(core->bank, SIG_CBOX_SINKS_C2P_IV, 1);
	if (traffic->invalidate &&
	    (!traffic->decides_owners || token >> 8 == TOKEN_VIQ))
		traffic->invalidate(traffic->context, core->number, line,
				    downgrade);
	sim_at(socket->sim, sim_now(socket->sim) + core->snoop_cycles, respond,
	       core, RESPONSE(is_spoofed, cbox, token, is_dirty));
	return true;
}

/* Data */

static void show_idf(struct core *core)
{
	const struct core_idf *idf = &core->idf;

	sig_set(core->bank, SIG_CBOX_IDF_NONZERO_NO_VLD,
		idf->count && !idf->num_valid);
	sig_set(core->bank, SIG_CBOX_IDF_NONZERO_NO_BL_CRD,
		idf->num_valid && !idf->credits);
}

static void empty_idf(struct core *core);

static void credit_is_back(void *object, uint64_t unused)
{
	struct core *core = object;

	(void)unused;
	core->idf.is_waiting = false;
	empty_idf(core);
	core_run(core);
}

/* Credits come back some cycles after their line has left for the ring. */
static void take_credits_back(struct core *core)
{
	struct core_idf *idf = &core->idf;
	uint64_t now = sim_now(core->socket->sim);

	while (idf->num_back && idf->back[idf->first_back] <= now) {
		idf->first_back = (idf->first_back + 1) % CORE_IDF_CREDITS;
		idf->num_back--;
		idf->credits++;
	}
	if (idf->credits || !idf->num_back || idf->is_waiting)
		return;
	idf->is_waiting = true;
	sim_at(core->socket->sim, idf->back[idf->first_back], credit_is_back,
	       core, 0);
}

static void bl_left(void *object)
{
	struct core *core = object;
	struct core_idf *idf = &core->idf;

	idf->back[(idf->first_back + idf->num_back++) % CORE_IDF_CREDITS] =
		sim_now(core->socket->sim) + idf->credit_cycles;
	if (idf->num_valid)
		take_credits_back(core);
}

/* Lines leave in the order in which they came. */
static void empty_idf(struct core *core)
{
	struct core_idf *idf = &core->idf;

	take_credits_back(core);
	while (idf->num_valid && idf->credits) {
		struct cbox *cbox =
			&core->socket->cboxes[idf->cboxes[idf->first]];

		idf->first = (idf->first + 1) % CORE_IDF_ROOM;
		idf->count--;
		idf->num_valid--;
		idf->credits--;
		egress_send(core_egress_to(core, core->bl, cbox->stop), NULL,
			    cbox->bank, SIG_CBOX_SINKS_P2C_BL, cbox->stop);
	}
	if (idf->num_valid)
		take_credits_back(core);
	show_idf(core);
}

static void line_is_read(void *object, uint64_t unused)
{
	struct core *core = object;

	(void)unused;
	core->idf.num_valid++;
	empty_idf(core);
	core_run(core);
}

void core_send_data(struct core *core, unsigned cbox)
{
	struct core_idf *idf = &core->idf;

	idf->cboxes[(idf->first + idf->count++) % CORE_IDF_ROOM] =
		(uint8_t)cbox;
	if (!idf->read_cycles) {
		line_is_read(core, 0);
		return;
	}
	show_idf(core);
	sim_at(core->socket->sim, sim_now(core->socket->sim) + idf->read_cycles,
	       line_is_read, core, 0);
}

/* Construction */

static void init_signals(struct core *core, struct egress *egress,
			 enum ring_kind kind, unsigned away)
{
	struct egress_signals *s = &egress->signals;

	s->bank = core->bank;
	s->win = SIG_CBOX_ARB_WINS_AD_SB + kind * 2 + away;
	s->loss = SIG_CBOX_ARB_LOSSES_AD_SB + kind * 2 + away;
	s->bypass0 = SIG_CBOX_EGRESS_BYPASS_WINS_AD_BYP0 + kind * 2;
	s->bypass1 = s->bypass0 + 1;
	egress->injected_object = core;
	switch (kind) {
	case RING_AD:
		s->win_too = SIG_CBOX_ARB_WINS_P2C_SB + away;
		s->starved = away ? SIG_CBOX_STARVED_EGRESS_AD_NSB
				  : SIG_CBOX_STARVED_EGRESS_P2C_AD_SB;
		s->bounce = SIG_CBOX_BOUNCES_P2C_AD_SB + away;
		egress->injected = rwrf_left;
		break;
	case RING_AK:
		s->starved = SIG_CBOX_STARVED_EGRESS_AK_SB + away;
		egress->injected = rspf_left;
		break;
	default:
		s->starved = SIG_CBOX_STARVED_EGRESS_BL_SB + away;
		egress->injected = bl_left;
		break;
	}
}

static int init_egresses(struct core *core, struct egress egress[],
			 enum ring_kind kind)
{
	struct socket *socket = core->socket;
	unsigned side = socket_side(socket, core->index);
	unsigned to_sbox = ring_direction(&socket->ring, core->stop,
					  socket_sbox_stop(socket, side));

	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		if (egress_init(&egress[d], &socket->ring, socket->sim, kind, d,
				core->stop,
				socket_param(socket, PARAM_RING_STARVE_CYCLES)))
			return -1;
		init_signals(core, &egress[d], kind, d != to_sbox);
	}
	return 0;
}

int core_init_rings(struct core *core)
{
	struct socket *socket = core->socket;
	struct sigbank *bank = core->bank;

	core->snoop_room = socket_param(socket, PARAM_CBOX_RSPF);
	core->spoof_credits = socket_param(socket, PARAM_CORE_SPOOF_CREDITS);
	core->idf.room = socket_param(socket, PARAM_CORE_IDF);
	core->idf.read_cycles = socket_param(socket, PARAM_CORE_IDF_CYCLES);
	core->idf.credit_cycles =
		socket_param(socket, PARAM_CORE_BL_CREDIT_CYCLES);
	core->idf.credits = socket_param(socket, PARAM_CORE_BL_CREDITS);
	core->idf.all_credits = core->idf.credits;
	if (init_egresses(core, core->ad, RING_AD) ||
	    init_egresses(core, core->ak, RING_AK) ||
	    init_egresses(core, core->bl, RING_BL))
		return -1;
	sig_drives(bank, SIG_CBOX_OCCUPANCY_RWRF, 4); /* RWRF and RSPF */
	sig_drives(bank, SIG_CBOX_BOUNCES_P2C_AD_SB, 2);
	sig_drives(bank, SIG_CBOX_SINKS_C2P_IV, 3);
	sig_drives(bank, SIG_CBOX_ARB_WINS_P2C_SB, 2);
	sig_drives(bank, SIG_CBOX_SPOOF_CRD_EMPTY, 7); /* to SPOOF_DEASSERT */
	return 0;
}

void core_fini_rings(struct core *core)
{
	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		egress_fini(&core->ad[d]);
		egress_fini(&core->ak[d]);
		egress_fini(&core->bl[d]);
	}
}
