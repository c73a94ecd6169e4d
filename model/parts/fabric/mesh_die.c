/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See mesh_die.h.
 */
#include "model/parts/fabric/mesh_die.h"

#include <string.h>

#include "model/parts/fabric/mesh.h"

/* By rows from the north. c: a core; M: a memory controller; U: links 0 and 1,
 * L: link 2; D: I/O with the chip set, P: other I/O, B: that and link 2, O: I/O
 * within the package. */
static const char *const dies[MESH_NUM_DIES][MESH_MAX_LENGTH + 1] = {
	[MESH_LCC] = { "UDPP", "cccc", "MccM", "cccc" },
	[MESH_HCC] = { "UDPB", "cccc", "MccM", "cccc", "cccc", "cccc" },
	[MESH_XCC] = { "UPDOLP", "cccccc", "MccccM", "cccccc", "cccccc",
		       "cccccc" },
};

/* The stops with one of some letters, in the order of the letters, by columns;
 * how many. */
static unsigned find(enum mesh_die die, const char *letters, uint8_t *stops)
{
	const char *const *rows = dies[die];
	unsigned num = 0, num_rows = 0;

	while (rows[num_rows])
		num_rows++;
	for (; *letters; letters++)
		for (unsigned column = 0; rows[0][column]; column++)
			for (unsigned row = 0; row < num_rows; row++)
				if (rows[row][column] == *letters)
					stops[num++] =
						(uint8_t)(column * num_rows +
							  row);
	return num;
}

unsigned mesh_num_tiles(enum mesh_die die)
{
	uint8_t tiles[MESH_MAX_CORES];

	return find(die, "c", tiles);
}

uint32_t mesh_spread(enum mesh_die die, unsigned num)
{
	unsigned tiles = mesh_num_tiles(die), off = tiles - num;
	uint32_t on = UINT32_MAX >> (32 - tiles);

	for (unsigned i = 0; i < off; i++)
		on &= ~(UINT32_C(1) << (2 * i + 1) * tiles / (2 * off));
	return on;
}

struct mesh_layout mesh_layout(enum mesh_die die, uint32_t on)
{
	struct mesh_layout layout = {
		.columns = (unsigned)strlen(dies[die][0]),
	};
	uint8_t tiles[MESH_MAX_CORES];
	unsigned num = find(die, "c", tiles);

	while (dies[die][layout.rows])
		layout.rows++;
	for (unsigned i = 0; i < num; i++)
		if (on >> i & 1)
			layout.cores[layout.num_cores++] = tiles[i];
	layout.num_memory = find(die, "M", layout.memory);
	layout.num_io = find(die, "DPBO", layout.io);
	/* The two that share a stop come first. */
	layout.num_links = 1 + find(die, "ULB", &layout.links[1]);
	layout.links[0] = layout.links[1];
	layout.system = layout.io[0];
	return layout;
}
