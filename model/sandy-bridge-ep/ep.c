/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The wiring of a machine: which boxes its sockets have, which of them a line
 * belongs to, and their clocks.
 */
#include "model/parts/fabric/mesh.h"
#include "model/sandy-bridge-ep/parts.h"

#include <math.h>
#include <stdlib.h>

static unsigned lay_out_cbos(struct ep *ep, unsigned stop, unsigned *cbo,
			     unsigned num)
{
	while (num--)
		ep->stops.cbos[(*cbo)++] = (uint8_t)stop++;
	return stop;
}

/* Of a mesh: by number alone, where they are is for ep_kind->mesh to say. */
static void number_stops(struct ep *ep)
{
	struct ep_stops *stops = &ep->stops;
	unsigned cbo = 0, stop = lay_out_cbos(ep, 0, &cbo, ep->num_slices);

	for (unsigned i = 0; i < ep->num_controllers; i++)
		stops->controllers[i] = (uint8_t)stop++;
	for (unsigned i = 0; i < ep->num_links; i++)
		stops->links[i] = (uint8_t)stop++;
	stops->io = (uint8_t)stop++;
	stops->ubox = (uint8_t)stop++;
	stops->num[0] = (uint8_t)stop;
}

void ep_lay_out(struct ep *ep)
{
	struct ep_stops *stops = &ep->stops;
	unsigned stop = 0, cbo = 0;

	for (unsigned i = 0; i < ep->num_cores; i++)
		ep->beside[i] = (uint8_t)(i * ep->num_slices / ep->num_cores);
	if (ep->kind->mesh)
		number_stops(ep);
	for (unsigned ring = 0; ring < ep->num_rings; ring++) {
		unsigned first = stop, places = ep->num_places[ring];

		stops->controllers[ring] = (uint8_t)stop++;
		stop = lay_out_cbos(ep, stop, &cbo, places / 2);
		for (unsigned i = 0; !ring && i < ep->num_links; i++)
			stops->links[i] = (uint8_t)stop++;
		if (!ring)
			stops->io = (uint8_t)stop++;
		if (ep->num_rings > 1)
			stops->bridges[ring][0] = (uint8_t)stop++;
		stop = lay_out_cbos(ep, stop, &cbo, places - places / 2);
		if (!ring)
			stops->ubox = (uint8_t)stop++;
		if (ep->num_rings > 1)
			stops->bridges[ring][1] = (uint8_t)stop++;
		else if (ep->num_controllers > 1)
			stops->controllers[1] = (uint8_t)stop++;
		stops->num[ring] = (uint8_t)(stop - first);
	}
}

static void lay_ranges(struct ep *ep, const struct socket *socket)
{
	unsigned each = socket_numa_nodes(socket);

	ep->num_ranges = ep->num_sockets * each;
	ep->range_lines = socket->memory_lines / each;
	ep->range_channels = ep->num_channels / each;
	for (unsigned i = 0; i < ep->num_ranges; i++)
		ep->ranges[i] = (struct ep_range){
			.node = (uint8_t)(i * ep->num_nodes / each),
			.socket = (uint8_t)(i / each),
			.channel = (uint8_t)(i % each * ep->range_channels),
		};
}

static bool build(struct ep *ep, unsigned index, const struct uc_family *family)
{
	struct ep_socket *own = &ep->sockets[index];
	bool is_whole = true;

	for (unsigned i = 0; i < ep->num_rings; i++)
		is_whole &=
			(own->rings[i] = ring_new(ep, index, i, family)) != 0;
	if (ep->kind->mesh)
		is_whole &=
			(own->mesh = ep->kind->mesh(ep, index, family)) != 0;
	own->iio = iio_new(ep, index, family);
	own->ubox = ubox_new(ep, index, family);
	own->pcu = pcu_new(ep, index, family);
	is_whole &= own->iio && own->ubox && own->pcu;
	if (own->socket->param[PARAM_DETAIL_SHARE] < 100)
		is_whole &= (own->quick = cbo_quick_new()) != 0;
	for (unsigned i = 0; i < ep->num_slices; i++)
		is_whole &= (own->cbos[i] = cbo_new(ep, index, i, family)) != 0;
	if (socket_param(own->socket, PARAM_HA_SNOOP) >= HA_DIRECTORY)
		is_whole &= directory_init(&own->directory,
					   own->socket->memory_lines);
	for (unsigned i = 0; i < ep->num_homes; i++)
		is_whole &= (own->homes[i] = ha_new(ep, index, i, family)) != 0;
	for (unsigned i = 0; i < ep->num_channels; i++)
		is_whole &= (own->imcs[i] = imc_new(ep, index, i, family)) != 0;
	for (unsigned i = 0; i < ep->num_links; i++)
		is_whole &= (own->qlls[i] = qll_new(ep, index, i, family)) != 0;
	return is_whole;
}

struct ep *ep_new(struct socket *const *sockets, const struct uc_family *family,
		  const struct ep_kind *kind)
{
	struct ep *ep = calloc(1, sizeof(*ep));

	if (!ep)
		return NULL;
	ep->kind = kind;
	facts_init(&ep->engine.facts);
	ep->engine.sim = sockets[0]->sim;
	ep->num_sockets = sockets[0]->num_sockets;
	ep->num_cores = sockets[0]->num_cores;
	ep->num_slices = sockets[0]->num_slices;
	ep->num_places[1] = socket_param(sockets[0], PARAM_RING_SECOND_CORES);
	ep->num_places[0] =
		socket_param(sockets[0], PARAM_RING_CORES) - ep->num_places[1];
	ep->num_rings = kind->mesh ? 0 : 1 + (ep->num_places[1] > 0);
	ep->num_controllers = socket_param(sockets[0], PARAM_HA_AGENTS);
	ep->num_homes =
		kind->has_home_in_slice ? ep->num_slices : ep->num_controllers;
	ep->num_channels = socket_param(sockets[0], PARAM_IMC_CHANNELS);
	ep->num_nodes = sockets[0]->num_nodes;
	ep->num_links = socket_param(sockets[0], PARAM_QPI_LINKS);
	lay_ranges(ep, sockets[0]);
	ep_lay_out(ep);
	for (unsigned i = 0; i < ep->num_sockets; i++)
		ep->sockets[i].socket = sockets[i];
	for (unsigned i = 0; i < ep->num_sockets; i++)
		if (!build(ep, i, family)) {
			ep_free(ep);
			return NULL;
		}
	return ep;
}

void ep_free(struct ep *ep)
{
	if (!ep)
		return;
	for (unsigned i = 0; i < ep->num_sockets; i++) {
		struct ep_socket *own = &ep->sockets[i];

		for (unsigned n = 0; n < ep->num_rings; n++)
			ring_free(own->rings[n]);
		mesh_free(own->mesh);
		iio_free(own->iio);
		ubox_free(own->ubox);
		pcu_free(own->pcu);
		free(own->quick);
		for (unsigned n = 0; n < ep->num_slices; n++)
			cbo_free(own->cbos[n]);
		for (unsigned n = 0; n < ep->num_homes; n++)
			ha_free(own->homes[n]);
		directory_fini(&own->directory);
		for (unsigned n = 0; n < ep->num_channels; n++)
			imc_free(own->imcs[n]);
		for (unsigned n = 0; n < ep->num_links; n++)
			qll_free(own->qlls[n]);
	}
	facts_fini(&ep->engine.facts);
	free(ep);
}

bool ep_is_settled(const struct ep *ep)
{
	uint64_t now = engine_now(&ep->engine);

	if (now < ep->engine.busy_until)
		return false;
	for (unsigned i = 0; i < ep->num_sockets; i++) {
		const struct ep_socket *own = &ep->sockets[i];

		for (unsigned n = 0; n < ep->num_channels; n++)
			if (!imc_is_idle(own->imcs[n], now))
				return false;
		for (unsigned c = 0; c < ep->num_cores; c++)
			if (!core_is_settled(&own->socket->cores[c]))
				return false;
		if (!devices_are_settled(&own->iio->devices, now))
			return false;
	}
	return true;
}

/* So many lines in a row are one in each channel, in an order that the bits
 * above them stir. */
static unsigned channel_of(uint64_t place, unsigned channels)
{
	if (!(channels & (channels - 1)))
		place ^= place >> 7 ^ place >> 12 ^ place >> 17;
	else
		place += place / channels >> 4 ^ place / channels >> 9 ^
			 place / channels >> 14;
	return (unsigned)(place % channels);
}

/* The lines of a range go over its channels in turns. */
struct ep_home ep_home(const struct ep *ep, uint64_t line)
{
	const struct ep_range *range = ep_range(ep, line);
	uint64_t place = line % ep->range_lines;
	struct ep_home home = {
		.node = range->node,
		.socket = range->socket,
		.channel =
			range->channel + channel_of(place, ep->range_channels),
		.local = place / ep->range_channels,
	};

	home.agent =
		ep->kind->has_home_in_slice
			? socket_node_slice(ep->sockets[0].socket,
					    home.node % ep->num_nodes, line)
			: ep_controller(ep, home.channel);
	return home;
}

/* Where no link leads there the way is by one of two others, in turns. */
unsigned ep_route(const struct ep *ep, unsigned from, unsigned to,
		  uint64_t line)
{
	unsigned link = qll_of(ep, line), direct = (from ^ to) - 1;

	if (ep->num_sockets < 3)
		return link;
	if (direct < ep->num_links)
		return direct;
	return ep_far_end(ep, from, link) < ep->num_sockets ? link : !link;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct ep_clock ep_clock(const struct socket *socket, double mhz)
{
	uint64_t num = (uint64_t)llround(mhz * 100);
	uint64_t den =
		(uint64_t)llround(socket->param[PARAM_UNCORE_CLOCK] * 100);
	uint64_t common = divisor(num, den);

	return (struct ep_clock){ num / common, den / common };
}
