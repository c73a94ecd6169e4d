/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Wiring of a socket, and the two address maps that all boxes share: which
 * socket's memory a line is in (contiguous ranges), and which of its two home
 * agents (neighbouring lines alternate, upper bits stir; or the slice decides).
 */
#include "model/box/socket.h"

unsigned socket_cbox_stop(const struct socket *socket, unsigned cbox)
{
	unsigned half = socket->num_cores / 2;
	unsigned side = socket_side(socket, cbox);
	unsigned place = socket_place(socket, cbox);

	/* the S-Box of a side stands after the first half of its C-Boxes */
	return side * (half + 1) + place + (place >= half / 2);
}

unsigned socket_sbox_stop(const struct socket *socket, unsigned side)
{
	unsigned half = socket->num_cores / 2;

	return side * (half + 1) + half / 2;
}

bool socket_is_hemisphere(const struct socket *socket)
{
	return socket->param[PARAM_MEMORY_HEMISPHERE] > 0 &&
	       socket->param[PARAM_MEMORY_CONTROLLERS] > 1 &&
	       socket->param[PARAM_BBOX_MIRROR] < 1;
}

/* Of as many lines in a row as there are slices each slice has one: so half of
 * them are on either side. Where such a row lies across two sockets' memories
 * there may be a line too many, which shares the place of the first one. */
static unsigned home_of_side(const struct socket *socket, uint64_t line,
			     uint64_t before, unsigned index, unsigned slice,
			     uint64_t *local)
{
	unsigned n = socket->num_cores;

	*local =
		(line / n - before / n) * (n / 2) + socket_place(socket, slice);
	*local %= socket->memory_lines / 2;
	return NODE_BBOX(index, socket_side(socket, slice));
}

unsigned socket_home(const struct socket *socket, uint64_t line,
		     uint64_t *local)
{
	bool asks = socket_is_hemisphere(socket);

	return socket_home_of(socket, line,
			      asks ? socket_slice(socket, line) : 0, local);
}

unsigned socket_home_of(const struct socket *socket, uint64_t line,
			unsigned slice, uint64_t *local)
{
	uint64_t place = line, stir;
	unsigned index = 0;

	if (line >= socket->num_sockets * socket->memory_lines)
		place = line % (socket->num_sockets * socket->memory_lines);
	for (; place >= socket->memory_lines; index++)
		place -= socket->memory_lines;
	if (socket_is_hemisphere(socket))
		return home_of_side(socket, line, line - place, index, slice,
				    local);
	if (socket->param[PARAM_MEMORY_CONTROLLERS] < 2) {
		*local = place;
		return NODE_BBOX(index, 0);
	}
	stir = place ^ place >> 3 ^ place >> 8 ^ place >> 14 ^ place >> 21;
	*local = place >> 1;
	return NODE_BBOX(index, stir & 1);
}

struct sigbank *socket_bank(const struct socket *socket,
			    const struct uc_family *family, const char *box,
			    unsigned instance)
{
	unsigned index = 0;

	if (!uc_box_find(family, box, &index))
		return NULL;
	return pmu_bank(socket->pmu, index, instance);
}

unsigned socket_num_changes(const struct socket *any)
{
	unsigned num = 0;

	for (unsigned i = 0; i < any->num_sockets; i++)
		num += pmu_num_changes(any->all[i]->pmu);
	return num;
}
