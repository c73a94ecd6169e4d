/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where packets of an agent wait for its port of the R-Box: a queue for each
 * class, served in turn, so that no class holds up another.
 */
#ifndef UNCORE_OUTLET_H
#define UNCORE_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/rbox.h"

enum { OUTLET_ROOM = 128 };

struct outlet_queue {
	unsigned first, count;
	struct packet packets[OUTLET_ROOM];
};

struct outlet {
	struct sim *sim;
	struct rbox *rbox;
	enum rbox_port port;
	/* Told of each packet that has left, or NULL. */
	void (*sent)(void *object, const struct packet *packet);
	void *object;
	struct outlet_queue queues[PACKET_NUM_CLASSES];
	unsigned count; /* of all queues */
	unsigned next;	/* class whose turn it is */
	uint64_t free_at;
	bool is_pumping, waits_for_credit;
};

/* An empty one; what is not named here is 0. */
void outlet_init(struct outlet *outlet, struct sim *sim, struct rbox *rbox,
		 enum rbox_port port);

/* The packet leaves as soon as port and credits allow, not before the next
 * cycle. Senders see to it that there is room. */
void outlet_send(struct outlet *outlet, const struct packet *packet);

/* A credit of the port has come back. */
void outlet_credit(struct outlet *outlet);

#endif
