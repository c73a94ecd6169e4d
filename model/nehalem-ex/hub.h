/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An I/O hub at the far end of a QPI port: devices that read and write memory
 * (dma.c) and send interrupts, and that answer uncached, port and configuration
 * accesses of cores. It caches nothing: a line that it writes is its own from
 * the grant of its InvItoE until its WbMtoI, and the home keeps others waiting.
 */
#ifndef UNCORE_HUB_H
#define UNCORE_HUB_H

#include "model/nehalem-ex/ex.h"
#include "model/parts/io/devices.h"
#include "model/station/calendar.h"
#include "model/station/places.h"

enum { HUB_MAX_HOMES = EX_MAX_SOCKETS * EX_SIDES, HUB_REQUESTS = 24 };

/* An access of a device to memory, in its place of the requests. */
struct dma {
	uint64_t line;
	uint8_t home, credit;
	uint8_t writes_left; /* of a line that it has been granted */
};

struct hub {
	struct ex *ex;
	struct socket *socket; /* at whose R-Box it is */
	unsigned index, node, latency_cycles;
	struct calendar port;		      /* packets ready for the link */
	struct places credits[HUB_MAX_HOMES]; /* of the homes' trackers */
	struct dma dmas[HUB_REQUESTS];
	struct devices devices;
};

/* The hub of a socket; NULL without memory. */
struct hub *hub_new(struct ex *ex, unsigned socket);
void hub_free(struct hub *hub);

/* A packet that was made in the cycle `at` leaves; when packet->dest has it. */
uint64_t hub_send(struct hub *hub, struct packet *packet, uint64_t at);

/* A request of a core has come in the cycle `at`: the device answers; when the
 * answer is at the requester. */
uint64_t hub_answer(struct hub *hub, const struct packet *request, uint64_t at,
		    struct packet *answer);

/* dma.c, for the devices: from which cycle on the home of a line has a place of
 * its tracker; an access to memory begins now. */
uint64_t dma_room_from(void *hub, uint64_t line);
void dma_begin(void *hub, unsigned place, unsigned kind);

#endif
