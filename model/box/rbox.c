/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box as a whole: its configuration, what it is joined to, its end. How
 * packets move is in rbox_input.c, rbox_arbiter.c and rbox_output.c, what the
 * PMU sees of it in rbox_signals.c; docs/model-rbox.md is the guided tour.
 *
 * Left out: half width of links, the routing tables of the firmware.
 */
#include "model/box/rbox.h"

#include <assert.h>
#include <stdlib.h>

#include "model/box/qpi_map.h"
#include "model/box/rbox_parts.h"
#include "signals.h"

/* Ticks per cycle of a link whose ratio of clocks is given by two frequencies:
 * a flit's time is right to a 1200th of a cycle. */
#define TICKS_PER_CYCLE	   600
#define TRANSFERS_PER_FLIT 4

void rbox_config_init(struct rbox_config *config)
{
	*config = (struct rbox_config){
		.link_num = 5,
		.link_den = 3,
		.link_latency_cycles = 40,
		.pipeline_cycles = 8,
		.vna_flits = 96,
		.entry_table = 4,
		.output_flits = 24,
		.output_packets = 2,
		.retry_flits = 128,
		.starvation_cycles = 256,
		.retry_limit = 4,
		.reset_cycles = 2000,
		.init_flits = 4,
		.wake_cycles = 100,
	};
}

static unsigned divisor(unsigned a, unsigned b)
{
	return b ? divisor(b, a % b) : a;
}

void rbox_config_link(struct rbox_config *config, double transfers_hz,
		      double clock_hz)
{
	double cycles = clock_hz / (transfers_hz / TRANSFERS_PER_FLIT);
	unsigned ticks = (unsigned)(cycles * TICKS_PER_CYCLE + 0.5);
	unsigned common = divisor(ticks, TICKS_PER_CYCLE);

	config->link_num = ticks / common;
	config->link_den = TICKS_PER_CYCLE / common;
}

static bool can_work(const struct rbox_config *config)
{
	return config->link_num && config->link_den &&
	       config->link_latency_cycles && config->pipeline_cycles >= 2 &&
	       config->vna_flits <= RBOX_MAX_VNA && config->entry_table &&
	       config->output_flits >= RBOX_MAX_FLITS &&
	       config->output_packets >= 2 &&
	       config->output_packets <= RBOX_MAX_SLOTS &&
	       config->retry_flits && config->retry_flits <= RBOX_MAX_RETRY;
}

static bool is_qpi(unsigned port)
{
	return port == RBOX_PORT_QPI0 || port == RBOX_PORT_QPI1 ||
	       port == RBOX_PORT_QPI2 || port == RBOX_PORT_QPI3;
}

static bool init_input(struct rbox_input *input, unsigned vna_flits)
{
	unsigned num_entries = vna_flits + 2 * PACKET_NUM_CLASSES;

	input->entries = calloc(num_entries, sizeof(*input->entries));
	if (!qpi_lane_init(&input->lane, vna_flits) || !input->entries)
		return false;
	for (unsigned i = 0; i < num_entries; i++)
		input->entries[i].next =
			i + 1 < num_entries ? (uint8_t)(i + 1) : RBOX_NO_ENTRY;
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
		input->queues[cls].first = RBOX_NO_ENTRY;
	return true;
}

bool rbox_link_init(struct qpi_link *link, const struct rbox_config *config)
{
	uint32_t cycle = config->link_den;
	uint32_t flit = config->link_num;

	link->ticks_per_cycle = cycle;
	link->flit_ticks = flit < cycle ? cycle : flit;
	link->latency_cycles = config->link_latency_cycles;
	link->output_flits = config->output_flits;
	link->retry_flits = config->retry_flits;
	return qpi_link_init(link);
}

/* Somebody begins to listen: null flits are looked after from now on. */
static void on_tap(void *object, unsigned id)
{
	struct rbox *rbox = object;

	if (!rbox->is_watched)
		rbox_watch(rbox);
	if (id / RBOX_NUM_PORTS == SIG_RBOX_NULL_IDLE)
		rbox_check_phase(rbox, id % RBOX_NUM_PORTS);
}

static bool is_listened_to(const struct sigbank *bank)
{
	for (unsigned id = 0; id < bank->num_signals; id++)
		if (sig_is_tapped(bank, id))
			return true;
	return false;
}

struct rbox *rbox_new(struct sim *sim, struct sigbank *bank,
		      const struct rbox_config *config, unsigned socket,
		      unsigned num_sockets)
{
	struct rbox *rbox;
	bool is_complete = true;

	if (!can_work(config) || num_sockets > RBOX_MAX_SOCKETS)
		return NULL;
	rbox = aligned_alloc(64, (sizeof(*rbox) + 63) / 64 * 64);
	if (!rbox)
		return NULL;
	*rbox = (struct rbox){
		.sim = sim,
		.bank = bank,
		.config = *config,
		.arbitrate_time = SIM_NEVER,
		.take_in_time = SIM_NEVER,
		.is_watched = is_listened_to(bank),
		.socket = (uint8_t)socket,
	};
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		rbox->inputs[port].look_time = SIM_NEVER;
		is_complete &=
			init_input(&rbox->inputs[port], config->vna_flits);
		is_complete &=
			rbox_link_init(&rbox->outputs[port].link, config);
		rbox->outputs[port].phase = RBOX_ASLEEP;
		rbox->outputs[port].timed = SIM_NEVER;
	}
	if (!is_complete) {
		rbox_free(rbox);
		return NULL;
	}
	for (unsigned to = 0; to < num_sockets; to++)
		if (to != socket)
			rbox->routes[to] =
				(uint8_t)qpi_route(num_sockets, socket, to);
	rbox_drive_signals(rbox);
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
		if (!is_qpi(port))
			rbox_start_phase(rbox, port, RBOX_IDLE);
	bank->on_tap = on_tap;
	bank->on_tap_object = rbox;
	return rbox;
}

void rbox_free(struct rbox *rbox)
{
	if (!rbox)
		return;
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		qpi_lane_fini(&rbox->inputs[port].lane);
		qpi_link_fini(&rbox->outputs[port].link);
		rbox_hub_free(rbox->inputs[port].hub);
		free(rbox->inputs[port].entries);
	}
	free(rbox);
}

static bool attach_hub(struct rbox *rbox, enum rbox_port port,
		       const struct rbox_client *client)
{
	struct rbox_hub *hub = rbox_hub_new(rbox, port, client);

	assert(port == RBOX_PORT_QPI3 && !rbox->outputs[port].lane);
	if (!hub)
		return false;
	rbox->inputs[port].hub = hub;
	rbox->outputs[port].lane = rbox_hub_lane(hub);
	rbox_link_up(rbox, port);
	return true;
}

bool rbox_attach(struct rbox *rbox, enum rbox_port port,
		 const struct rbox_client *client)
{
	rbox->outputs[port].client = *client;
	return !is_qpi(port) || attach_hub(rbox, port, client);
}

void rbox_connect(struct rbox *a, enum rbox_port port_a, struct rbox *b,
		  enum rbox_port port_b)
{
	assert(is_qpi(port_a) && is_qpi(port_b));
	assert(!a->outputs[port_a].lane && !b->outputs[port_b].lane);
	a->outputs[port_a].lane = &b->inputs[port_b].lane;
	b->outputs[port_b].lane = &a->inputs[port_a].lane;
	a->inputs[port_a].is_connected = true;
	b->inputs[port_b].is_connected = true;
	rbox_link_up(a, port_a);
	rbox_link_up(b, port_b);
}

void rbox_connect_all(struct rbox *const *rboxes, unsigned num)
{
	for (unsigned socket = 0; socket < num; socket++)
		for (enum rbox_port port = 0; port < RBOX_NUM_PORTS; port++) {
			enum rbox_port peer_port;
			int peer = qpi_peer(num, socket, port, &peer_port);

			if (peer > (int)socket)
				rbox_connect(rboxes[socket], port, rboxes[peer],
					     peer_port);
		}
}

unsigned rbox_window_cycles(const struct rbox_config *config)
{
	return config->link_latency_cycles + config->pipeline_cycles - 1;
}

bool rbox_is_idle(const struct rbox *rbox)
{
	if (rbox->waiting)
		return false;
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
		if (rbox->inputs[port].lane.taken !=
			    rbox->inputs[port].lane.visible_parcels ||
		    rbox->outputs[port].num_held ||
		    !rbox_hub_is_idle(rbox->inputs[port].hub))
			return false;
	return true;
}
