/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The mesh of a socket: tiles in columns and rows with a stop each, and between
 * neighbours four rings in both directions, AD (requests), AK
 * (acknowledgements), BL (data, 32 bytes a slot) and IV (snoops of cores).
 *
 *	agent -> egress of the stop -> along its column
 *	      -> transgress buffer of the stop where it turns -> along that row
 *
 * Who stays in his column has no turn, who stays in his row has it at his own
 * stop. Each link between neighbours carries a slot of a ring in a cycle. A
 * slot moves on without a rest, so it gets on when all of its links are free
 * as it comes to them, and all that waits, waits in one of the two queues.
 *
 * Invariants
 * 1. A message leaves its egress for a turn only when a place of the transgress
 *    buffer there is promised to it: that is the credit of AD and BL.
 * 2. Whatever comes by a link is taken off in its cycle: a link brings one slot
 *    in a cycle, and a stop takes one from each link. So nothing bounces, and
 *    no sink starves; of what events tell of that nothing is told.
 *
 * Chosen, since no source says it: how many places there are, and that all of
 * a column share those of a turn; that a queue is no line, so who waits for one
 * turn holds up nobody behind; all cycles in the configuration.
 */
#ifndef UNCORE_MESH_H
#define UNCORE_MESH_H

#include "model/pmu/engine.h"

enum mesh_ring { MESH_AD, MESH_AK, MESH_BL, MESH_IV, MESH_NUM_RINGS };

enum mesh_axis { MESH_VERTICAL, MESH_HORIZONTAL, MESH_AXES };

enum {
	MESH_MAX_LENGTH = 8, /* columns, and rows */
	MESH_MAX_STOPS = MESH_MAX_LENGTH * MESH_MAX_LENGTH,
	MESH_AGENTS = 2, /* of a stop: the CHA is 0, the core is 1 */
	MESH_OWNERS = 2, /* boxes that count at a stop */
	MESH_MAX_SLOTS = 2,
	MESH_TRANSGRESSES = 6, /* that events know: of the first rows */
	MESH_NOT_TOLD = -1,
};

/* The first signal of each fact of a box, or MESH_NOT_TOLD. What is in
 * parentheses tells the signals of a fact apart, the last of it varies fastest.
 * Of queues all but inserts are levels. */
struct mesh_stop_kind {
	/* A slot passes or is taken off: by axis, then a fact each (ring,
	 * direction, parity of the slot); up and left come first. */
	int in_use[MESH_AXES];
	/* The egress (ring, agent), and the transgress buffer (ring). It is
	 * full; a try to get on is refused; one has waited for long. */
	struct mesh_queue_signals {
		int inserts, occupancy, full, nack, starved;
	} queues[MESH_AXES];
	/* Credits of AD and BL (agent, AD or BL, row): a pulse, and held and
	 * waited for, levels. */
	int acquired, held, stalled;
	/* Its tile has a core, which is agent 1 (others have agent 0 alone),
	 * and is the other way round in every second column: left is right
	 * there. */
	bool has_core;
};

struct mesh_config {
	unsigned columns, rows;
	unsigned vertical_cycles, horizontal_cycles; /* a hop, at least 1 */
	unsigned turn_cycles;	/* from the column, or the egress, to a row */
	unsigned egress;	/* places, of a ring and agent */
	unsigned transgress;	/* places, of a ring */
	unsigned starve_cycles; /* in a queue, until it counts as starved */
};

/* Of the stop in a column and row, both from 0: the north-west is 0, 0. */
static inline unsigned mesh_stop(const struct mesh_config *config,
				 unsigned column, unsigned row)
{
	return column * config->rows + row;
}

/* NULL without memory. The engine outlives it. */
struct mesh *mesh_new(const struct engine *engine,
		      const struct mesh_config *config);
void mesh_free(struct mesh *mesh);

/* The box counts at the stop, up to MESH_OWNERS of them; `kind` outlives the
 * mesh. False without memory. */
bool mesh_add_owner(struct mesh *mesh, unsigned stop, struct sigbank *bank,
		    const struct mesh_stop_kind *kind);

struct mesh_message {
	enum mesh_ring ring;
	unsigned agent;	   /* of `from` */
	unsigned from, to; /* stops */
	unsigned slots;	   /* in a row: 1; 2 for a line on BL */
	uint64_t ready;	   /* not before now */
};

struct mesh_ride {
	uint64_t injected, arrived; /* the last of its slots */
};

/* A message is ready for the egress; to its own stop it takes no way. Not while
 * time stands. */
struct mesh_ride mesh_carry(struct mesh *mesh,
			    const struct mesh_message *message);

#endif
