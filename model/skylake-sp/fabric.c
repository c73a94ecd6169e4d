/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The boxes of a socket at the stops of its mesh: CHAs, M2Ms, M3UPIs, and the
 * stop of I/O, which the U-Box shares.
 */
#include "model/skylake-sp/fabric.h"
#include "base/text.h"
#include "model/parts/fabric/mesh_die.h"
#include "model/skylake-sp/m2m.h"
#include "signals.h"

_Static_assert((int)MESH_AD == RING_AD && (int)MESH_AK == RING_AK &&
		       (int)MESH_BL == RING_BL && (int)MESH_IV == RING_IV,
	       "the rings of a mesh are in another order");

/* What a box tells at its stop: facts.txt has the same of each. Of tiles with a
 * core it was measured that every second column is the other way round, of the
 * others nothing. */
#define STOP(box, core)                                                        \
	{                                                                      \
		.in_use = { box##_VERT_RING_IN_USE(0, 0, 0),                   \
			    box##_HORZ_RING_IN_USE(0, 0, 0) },                 \
		.queues = { { box##_TXR_VERT_INSERTS(0, 0),                    \
			      box##_TXR_VERT_OCCUPANCY(0, 0),                  \
			      box##_TXR_VERT_CYCLES_FULL(0, 0),                \
			      box##_TXR_VERT_NACK(0, 0),                       \
			      box##_TXR_VERT_STARVED(0, 0) },                  \
			    { box##_TXR_HORZ_INSERTS(0),                       \
			      box##_TXR_HORZ_OCCUPANCY(0),                     \
			      box##_TXR_HORZ_CYCLES_FULL(0),                   \
			      box##_TXR_HORZ_NACK(0),                          \
			      box##_TXR_HORZ_STARVED(0) } },                   \
		.acquired = box##_CRD_ACQUIRED(0, 0, 0),                       \
		.held = box##_CRD_OCCUPANCY(0, 0, 0),                          \
		.stalled = box##_STALL_NO_TXR_HORZ_CRD(0, 0, 0),               \
		.has_core = core,                                              \
	}

static const struct mesh_stop_kind cha = STOP(CHA, true),
				   m2m = STOP(M2M, false),
				   m3upi = STOP(M3UPI, false);

static struct mesh_layout layout_of(const struct socket *socket)
{
	enum mesh_die die = (enum mesh_die)socket_param(socket, PARAM_MESH_DIE);

	return mesh_layout(die, mesh_spread(die, socket->num_slices));
}

char *skx_check_die(const struct socket *socket)
{
	static const char *const names[] = { "lcc", "hcc", "xcc" };
	enum mesh_die die = (enum mesh_die)socket_param(socket, PARAM_MESH_DIE);
	unsigned most = mesh_num_tiles(die), links;

	if (socket->num_cores > socket->num_slices)
		return text_format("each of the cores has a CHA beside it "
				   "(chas)");
	if (socket->num_slices > most)
		return text_format("a die with mesh.die=%s has places for %u "
				   "cores",
				   names[die], most);
	links = layout_of(socket).num_links;
	if (socket_param(socket, PARAM_QPI_LINKS) > links)
		return text_format("a die with mesh.die=%s has %u links "
				   "(qpi.links)",
				   names[die], links);
	return NULL;
}

static struct mesh_config config_of(const struct socket *s,
				    const struct mesh_layout *layout)
{
	return (struct mesh_config){
		.columns = layout->columns,
		.rows = layout->rows,
		.vertical_cycles = socket_param(s, PARAM_MESH_VERTICAL),
		.horizontal_cycles = socket_param(s, PARAM_MESH_HORIZONTAL),
		.turn_cycles = socket_param(s, PARAM_MESH_TURN),
		.egress = socket_param(s, PARAM_MESH_EGRESS),
		.transgress = socket_param(s, PARAM_MESH_TRANSGRESS),
		.starve_cycles = socket_param(s, PARAM_CBO_STARVE_CYCLES),
	};
}

struct mesh *skx_mesh(struct ep *ep, unsigned socket,
		      const struct uc_family *family)
{
	const struct socket *s = ep->sockets[socket].socket;
	const struct mesh_layout layout = layout_of(s);
	const struct mesh_config config = config_of(s, &layout);
	struct mesh *mesh = mesh_new(&ep->engine, &config);
	uint8_t *tiles = ep->stops.tiles;
	bool is_whole = mesh;

	for (unsigned i = 0; i < ep->num_slices && is_whole; i++) {
		tiles[ep_cbo_stop(ep, i)] = layout.cores[i];
		is_whole =
			mesh_add_owner(mesh, layout.cores[i],
				       socket_bank(s, family, "cha", i), &cha);
	}
	for (unsigned i = 0; i < ep->num_controllers && is_whole; i++) {
		struct sigbank *bank = socket_bank(s, family, "m2m", i);

		tiles[ep->stops.controllers[i]] = layout.memory[i];
		is_whole = mesh_add_owner(mesh, layout.memory[i], bank, &m2m);
		ep->sockets[socket].m2m[i].bank = bank;
		m2m_drive(bank);
	}
	for (unsigned i = 0; i < ep->num_links && is_whole; i++) {
		tiles[ep_link_stop(ep, i)] = layout.links[i];
		is_whole = mesh_add_owner(mesh, layout.links[i],
					  socket_bank(s, family, "m3upi", i),
					  &m3upi);
	}
	tiles[ep_io_stop(ep)] = layout.io[0];
	tiles[ep_ubox_stop(ep)] = layout.system;
	if (is_whole)
		return mesh;
	mesh_free(mesh);
	return NULL;
}

struct ring_ride skx_carry(struct ep *ep, unsigned socket, enum ring_kind kind,
			   unsigned from, unsigned to, uint64_t ready,
			   unsigned slots)
{
	const uint8_t *tiles = ep->stops.tiles;
	const struct mesh_message message = {
		.ring = (enum mesh_ring)kind,
		.agent = (from & EP_CORE_SENDS) != 0,
		.from = tiles[from & ~(unsigned)EP_CORE_SENDS],
		.to = tiles[to],
		.slots = slots,
		.ready = ready,
	};
	struct mesh_ride ride = mesh_carry(ep->sockets[socket].mesh, &message);

	return (struct ring_ride){ ride.injected, ride.arrived, false };
}
