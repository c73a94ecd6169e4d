/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * R2PCIe as a ring stop (iio_stop.c) and the devices (iio.c), for these two.
 */
#ifndef UNCORE_IIO_PARTS_H
#define UNCORE_IIO_PARTS_H

#include "model/sandy-bridge-ep/iio.h"
#include "model/station/calendar.h"
#include "model/station/occupancy.h"
#include "model/station/places.h"
#include "uncore/model.h"

enum { IIO_RINGS = RING_BL + 1 };

/* Classes of the ingress, as the unit masks have them. */
enum iio_class { IIO_DRS, IIO_NCB, IIO_NCS, IIO_NUM_CLASSES };

/* The queue of a ring. A message is in it from its insertion until the cycle in
 * which the last of it gets on the ring, a cycle for each slot at least. */
struct iio_egress {
	struct places room;
	struct occupancy inside, refused;
};

/* Messages of a class for the IIO, and the credits for it. Data of devices'
 * reads have room from the start. */
struct iio_ingress {
	struct places room, credits;
	unsigned place; /* of the message that is on its way */
	struct occupancy rejected;
};

enum iio_state { IIO_RUNS, IIO_WAITS, IIO_ENDED };

struct iio {
	struct ep *ep;
	struct socket *socket;
	struct sigbank *bank;
	unsigned index, latency, line_cycles, credit_cycles;
	/* The stop */
	struct iio_egress egress[IIO_RINGS];
	struct iio_ingress ingress[IIO_NUM_CLASSES];
	struct calendar inserts, grants;
	struct calendar port; /* into the IIO */
	/* Devices */
	struct places requests, interrupts;
	uint64_t lines[PLACES_MAX]; /* of the requests */
	unsigned num_twice;	    /* the first of two writes is under way */
	uint32_t number;
	uint64_t num_reads, num_writes;
	uint64_t busy_until; /* all others that were begun are over */
	/* Their traffic */
	enum iio_state state;
	struct uncore_access access; /* the next one */
	uint64_t ready, poll_cycles;
	uint64_t run_at; /* latest time asked for; others are void */
	bool has_access, is_stopped;
	bool holds;   /* the access is a PHOLD that has been asserted */
	sim_fn *then; /* who waits for what was begun; NULL: nobody */
	void *then_object;
};

void iio_stop_init(struct iio *iio);
void iio_stop_fini(struct iio *iio);

/* A message is in the ingress from a cycle on: when the IIO has it. */
uint64_t iio_hand_over(struct iio *iio, enum iio_class cls, uint64_t arrived);

#endif
