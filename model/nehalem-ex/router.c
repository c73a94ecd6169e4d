/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box as a whole: its configuration, what it is joined to, its end.
 *
 * Left out: half width of links, the routing tables of the firmware.
 */
#include "model/nehalem-ex/router.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/qpi_map.h"
#include "model/nehalem-ex/router_parts.h"
#include "signals.h"

static bool can_work(const struct rbox_config *config)
{
	return config->link_num && config->link_den &&
	       config->link_latency_cycles && config->pipeline_cycles >= 2 &&
	       config->entry_table && config->output_flits >= RBOX_MAX_FLITS &&
	       config->output_packets >= 2 && config->retry_flits &&
	       config->retry_flits <= ROUTER_MAX_RETRY;
}

static unsigned port_to(const struct router *router, unsigned num_sockets,
			unsigned node)
{
	static const uint8_t ports[] = { RBOX_PORT_SBOX0, RBOX_PORT_BBOX0,
					 RBOX_PORT_SBOX1, RBOX_PORT_BBOX1 };
	unsigned socket = NODE_AT(node);

	if (socket != router->socket)
		return qpi_route(num_sockets, router->socket, socket);
	return NODE_IS_IOH(node) ? RBOX_PORT_QPI3 : ports[node % 4];
}

/* Over a link into the buffer of an R-Box. */
static void cross_link(const struct router *router, struct way *way)
{
	way->cycles = router->config.link_latency_cycles +
		      router->config.pipeline_cycles - 1;
	way->back_cycles = router->window_cycles;
}

/* From a grant on, until all flits of a packet have been acknowledged. */
static uint32_t told_cycles(const struct router *router)
{
	return (uint32_t)(RBOX_MAX_FLITS +
			  cycles_up(RBOX_MAX_FLITS *
				    (uint64_t)router->flit_ticks) +
			  2 * router->config.link_latency_cycles);
}

static void find_way(struct router *router, struct way *way, unsigned port)
{
	bool is_link = router_is_qpi(port);

	way->router = router;
	way->out = (uint8_t)port;
	way->in = router->neighbour_ports[port];
	way->output = &router->ports[port];
	way->link = is_link ? &way->output->link : NULL;
	way->back = &router->hub_link;
	way->how = is_link && !router->config.idle_cycles ? VISIT_NULL : 0;
	way->credits = is_link ? &router->hub_credits : NULL;
	way->told_cycles = is_link ? told_cycles(router) : RBOX_MAX_FLITS;
	way->gives_back =
		!is_link && port != RBOX_PORT_SBOX0 && port != RBOX_PORT_SBOX1;
	way->cycles = way->back_cycles = router->config.link_latency_cycles;
}

static void find_ways(struct router *router, unsigned num_sockets)
{
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		enum rbox_port there = 0;

		router->neighbours[port] = (int8_t)qpi_peer(
			num_sockets, router->socket, port, &there);
		router->neighbour_ports[port] = (uint8_t)there;
	}
	for (unsigned node = 0; node < ROUTER_NODES; node++)
		if (NODE_AT(node) < num_sockets)
			find_way(router, &router->ways[node],
				 port_to(router, num_sockets, node));
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		router->entries[port] = (struct way){
			.router = router,
			.next = router,
			.credits = &router->ports[port].credits,
			.cycles = router->config.pipeline_cycles - 1,
			.in = (uint8_t)port,
		};
		if (!router_is_qpi(port))
			continue;
		router->entries[port].link = &router->hub_link;
		cross_link(router, &router->entries[port]);
	}
}

/* The ways of one R-Box that lead through another one. */
static void join(struct router *router, struct router *other)
{
	for (unsigned node = 0; node < ROUTER_NODES; node++) {
		struct way *way = &router->ways[node];

		if (!way->output ||
		    router->neighbours[way->out] != (int)other->socket)
			continue;
		way->next = other;
		way->back = &other->ports[way->in].link;
		way->credits = &other->ports[way->in].credits;
		cross_link(router, way);
	}
}

static void join_all(struct ex *ex, struct router *router)
{
	for (unsigned socket = 0; socket < ex->num_sockets; socket++) {
		struct router *other = ex->sockets[socket].router;

		if (!other || other == router)
			continue;
		join(router, other);
		join(other, router);
	}
}

static bool init_ports(struct router *router)
{
	unsigned flits = router->config.vna_flits;
	bool has_memory =
		link_init(&router->hub_link) &
		board_init(&router->board, RBOX_NUM_PORTS * NUM_ROWS) &
		board_init(&router->late, RBOX_NUM_PORTS * NUM_LATE);

	for (unsigned n = 0; n < RBOX_NUM_PORTS; n++) {
		credits_init(&router->ports[n].credits, flits);
		has_memory &= link_init(&router->ports[n].link);
	}
	credits_init(&router->hub_credits, flits);
	return has_memory;
}

/* The retry queue holds a flit for a round trip. */
static bool may_fill_up(const struct router *router)
{
	const struct rbox_config *config = &router->config;

	return (uint64_t)config->retry_flits * router->flit_ticks <
	       ticks_of(2ull * config->link_latency_cycles) +
		       router->flit_ticks;
}

static bool find_trouble(struct router *router)
{
	const struct rbox_config *config = &router->config;

	router->has_trouble = may_fill_up(router) || config->idle_cycles ||
			      fault_is_active(config->faults, FAULT_QPI_CRC) ||
			      fault_is_active(config->faults, FAULT_PBOX_RESET);
	if (may_fill_up(router))
		router->retries =
			calloc(RBOX_NUM_PORTS + 1, sizeof(*router->retries));
	return router->retries || !may_fill_up(router);
}

static uint32_t flit_ticks(const struct rbox_config *config)
{
	uint32_t cycle = 1u << TICK_BITS;
	uint64_t flit =
		((uint64_t)config->link_num << TICK_BITS) / config->link_den;

	return flit < cycle ? cycle : (uint32_t)flit;
}

struct router *router_new(struct ex *ex, unsigned socket,
			  const struct rbox_config *config,
			  struct sigbank *bank)
{
	struct router *router;

	if (!can_work(config))
		return NULL;
	router = malloc(sizeof(*router));
	if (!router)
		return NULL;
	*router = (struct router){
		.sim = ex->engine.sim,
		.bank = bank,
		.config = *config,
		.flit_ticks = flit_ticks(config),
		.window_cycles = rbox_window_cycles(config),
		.socket = (uint8_t)socket,
		.has_hub = socket < ex->sockets[socket].socket->num_hubs,
	};
	find_ways(router, ex->num_sockets);
	if (!init_ports(router) || !find_trouble(router) ||
	    !router_drive_signals(router)) {
		router_free(router);
		return NULL;
	}
	join_all(ex, router);
	return router;
}

void router_free(struct router *router)
{
	if (!router)
		return;
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		credits_fini(&router->ports[port].credits);
		free(router->ports[port].link.busy);
	}
	board_fini(&router->board);
	board_fini(&router->late);
	credits_fini(&router->hub_credits);
	free(router->hub_link.busy);
	free(router->retries);
	free(router);
}

bool router_link_sleeps(struct ex *ex, unsigned socket, unsigned node,
			uint64_t at)
{
	const struct router *router = ex->sockets[socket].router;
	unsigned idle_cycles = router->config.idle_cycles;
	unsigned port = router->ways[node].out;
	uint64_t since;

	if (!idle_cycles || !router_is_qpi(port))
		return false;
	since = link_quiet_since(&router->ports[port].link, ticks_of(at));
	return cycles_up(since) + idle_cycles <= at;
}

void router_idle_flit(struct ex *ex, unsigned socket, enum rbox_port port,
		      uint64_t at)
{
	router_pulse(ex->sockets[socket].router, SIG_RBOX_FLITS_RECV_SPEC, port,
		     at);
}
