/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The graphs of QPI links. A graph gives each of the four QPI ports a step: a
 * way from socket i to a neighbour. Two kinds are enough for 1 to 8 sockets:
 *
 *  - xor: the neighbour is i ^ step. 2 to 4 sockets have the steps 1, 2 and 3,
 *    so all are direct neighbours; 8 sockets have 1, 2, 4 and 7, and every
 *    other distance is the exclusive or of two steps.
 *  - ring: the neighbour is i + step modulo the number, steps +1, -1, +2, -2.
 *    5 sockets are all direct neighbours; with 6 and 7 a distance of three is
 *    one step of 1 and one of 2 in the same direction.
 *
 * An I/O hub at a socket is one link more: the first one of the route for what
 * it sends, the last one for what it gets. There are hubs only where all
 * sockets are direct neighbours, so these routes have two links at most.
 *
 * No deadlock: a packet of two links takes them in rising order of a rank
 * (xor: 1 < 2 < 4 < 7; ring: 1 before 2; a hub's link inward is below and
 * outward above all others), so a link only ever waits for links of higher
 * rank, and links of the highest rank wait for boxes alone. Besides, what goes
 * on to a second link changes over to VN1 there: places of VN0 and VN1 are
 * waited for separately, and a packet on VN0 never holds up one on VN1. The
 * ranks alone would do, which they have to: packets that travel on VN1 from the
 * start use it on both links.
 *
 * With 8 sockets each distance of two hops has two rising routes. Sockets of
 * even and odd parity (number of 1 bits) take different ones, chosen so that
 * with uniform traffic the four links of a socket carry 3, 2, 3 and 2 shares
 * or 2, 3, 2 and 3: an intermediate socket always has the other parity.
 */
#include "model/nehalem-ex/qpi_map.h"

#define NONE RBOX_NUM_PORTS

/* Ports in the order in which steps are given to them. */
static const uint8_t step_ports[4] = { RBOX_PORT_QPI0, RBOX_PORT_QPI1,
				       RBOX_PORT_QPI2, RBOX_PORT_QPI3 };
/* Ring steps stand in pairs, so that slot ^ 1 is the way back. */
static const int ring_steps[4] = { 1, -1, 2, -2 };
static const uint8_t xor_steps[4] = { 1, 2, 3, 0 };
static const uint8_t xor_steps_8[4] = { 1, 2, 4, 7 };
/* First step for the distances of two hops, by parity of the sender. */
static const uint8_t first_steps_8[2][8] = {
	{ 0, 1, 2, 1, 4, 2, 1, 7 },
	{ 0, 1, 2, 4, 4, 1, 2, 7 },
};

static bool is_ring(unsigned num_sockets)
{
	return num_sockets >= 5 && num_sockets <= 7;
}

static int slot_of_port(enum rbox_port port)
{
	for (int slot = 0; slot < 4; slot++)
		if (step_ports[slot] == port)
			return slot;
	return -1;
}

/* The neighbour along a slot, or -1. */
static int neighbour(unsigned num_sockets, unsigned socket, int slot)
{
	unsigned step, peer;

	if (is_ring(num_sockets))
		return ((int)socket + ring_steps[slot] + (int)num_sockets) %
		       (int)num_sockets;
	step = num_sockets > 4 ? xor_steps_8[slot] : xor_steps[slot];
	peer = socket ^ step;
	return step && peer < num_sockets ? (int)peer : -1;
}

int qpi_peer(unsigned num_sockets, unsigned socket, enum rbox_port port,
	     enum rbox_port *peer_port)
{
	int slot = slot_of_port(port);
	int peer = slot < 0 ? -1 : neighbour(num_sockets, socket, slot);

	if (peer >= 0)
		*peer_port = step_ports[is_ring(num_sockets) ? slot ^ 1 : slot];
	return peer;
}

/* The direct neighbour to which a packet goes next. */
static unsigned next_socket(unsigned num_sockets, unsigned from, unsigned to)
{
	unsigned ahead = (to + num_sockets - from) % num_sockets;

	if (num_sockets == 8)
		return from ^ first_steps_8[__builtin_parity(from)][from ^ to];
	if (!is_ring(num_sockets) || ahead <= 2 || num_sockets - ahead <= 2)
		return to;
	return ahead == 3 ? (from + 1) % num_sockets
			  : (from + num_sockets - 1) % num_sockets;
}

enum rbox_port qpi_route(unsigned num_sockets, unsigned from, unsigned to)
{
	int next = (int)next_socket(num_sockets, from, to);

	for (int slot = 0; slot < 4; slot++)
		if (neighbour(num_sockets, from, slot) == next)
			return step_ports[slot];
	return NONE;
}

unsigned qpi_hops(unsigned num_sockets, unsigned from, unsigned to)
{
	if (from == to)
		return 0;
	return next_socket(num_sockets, from, to) == to ? 1 : 2;
}
