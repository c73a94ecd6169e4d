/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random packets from everybody to everybody.
 */
#ifndef UNCORE_ROUTER_TRAFFIC_H
#define UNCORE_ROUTER_TRAFFIC_H

#include "router_rig.h"

enum { TRAFFIC_BOXES = (RBOX_MAX_SOCKETS + 1) * 4 };

/* A packet, ready at a time. */
struct letter {
	uint64_t ready;
	unsigned from, to, cls;
};

/* Random packets: how many, at most so many cycles after each other, and how
 * long before they are ready a transaction may have started. */
struct plan {
	unsigned num_sockets, num_hubs, vna_flits;
	unsigned num, pace, ahead;
	unsigned idle_cycles; /* of links, until they sleep */
};

/* Who sends when, and what came of it. */
struct traffic {
	struct plan plan;
	struct rig *rig;
	struct letter *letters;
	uint64_t end;
	double latency;		      /* cycles in all */
	uint64_t last[TRAFFIC_BOXES]; /* a box sends its next one then */
};

/* With traffic->plan filled in and the rest 0. */
void traffic_start(struct traffic *traffic);
void traffic_finish(struct traffic *traffic);

/* Transactions in the order in which they start (`ready`), to be freed; `from`
 * is the letter. */
struct letter *traffic_starts(struct traffic *traffic);

/* Works off those that start before a cycle, from the n-th on, and lets time
 * pass until then; the first one that does not. */
unsigned traffic_run(struct traffic *traffic, const struct letter *starts,
		     unsigned n, uint64_t until);

/* All of them, while somebody listens. */
void traffic_run_all(struct traffic *traffic);

#endif
