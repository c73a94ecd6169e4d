/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The dies of the Xeon Scalable: what is at which stop of the mesh.
 *
 * Known: they have 10, 18 and 28 cores; the row in the north is that of links
 * and I/O; a memory controller is at each end of another row; the largest one
 * has 36 stops in six columns, of which two links share one; the medium one
 * has cores and controllers in four columns of five.
 *
 * Assumed: the columns of the smallest one, what is where in the north and
 * which row has the controllers; how cores and CHAs are numbered, as it was
 * measured on some parts; which tiles are off in a part with fewer cores.
 */
#ifndef UNCORE_MESH_DIE_H
#define UNCORE_MESH_DIE_H

#include <stdint.h>

enum mesh_die { MESH_LCC, MESH_HCC, MESH_XCC, MESH_NUM_DIES };

enum {
	MESH_MAX_CORES = 28,
	MESH_MAX_MEMORY = 2,
	MESH_MAX_LINKS = 3,
	MESH_MAX_IO = 4,
};

/* Stops, numbered as mesh_stop() does. */
struct mesh_layout {
	unsigned columns, rows;
	unsigned num_cores, num_memory, num_links, num_io;
	uint8_t cores[MESH_MAX_CORES];	 /* and CHAs */
	uint8_t memory[MESH_MAX_MEMORY]; /* M2M, 0 in the west */
	uint8_t links[MESH_MAX_LINKS];	 /* M3UPI; 0 and 1 share theirs */
	uint8_t io[MESH_MAX_IO]; /* M2PCIe: the chip set's, PCIe, on package */
	uint8_t system;		 /* U-Box and PCU: with the chip set */
};

/* Tiles that can have a core: numbered by columns from the west, in each from
 * the north. */
unsigned mesh_num_tiles(enum mesh_die die);

/* `num` of them, at least one, are on, those that are off far apart: bit n is
 * tile n. */
uint32_t mesh_spread(enum mesh_die die, unsigned num);

/* Tiles that are off have a stop all the same. Cores and CHAs are numbered as
 * tiles are, without those. */
struct mesh_layout mesh_layout(enum mesh_die die, uint32_t on);

#endif
