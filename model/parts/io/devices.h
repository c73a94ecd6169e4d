/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The devices of a socket, which are no more than their traffic
 * (uncore_traffic.next_io): when an access of theirs begins, how many are under
 * way, and that they stand while somebody has the lock of the machine. What an
 * access does, the kind of processor knows.
 *
 * Each access begins by an event. Of one line a socket's devices have one
 * access under way. An access of the bus (PHOLD) begins when all others are
 * over, and nothing else begins until it is.
 */
#ifndef UNCORE_DEVICES_H
#define UNCORE_DEVICES_H

#include "model/sim/sim.h"
#include "model/station/places.h"
#include "uncore/model.h"

struct socket;

struct devices_kind {
	/* From when on an access to a line may begin, as far as that does not
	 * hang on the devices alone; NULL: it does. */
	uint64_t (*room_from)(void *object, uint64_t line);
	/* An access to memory (enum uncore_access_kind) begins now, in a place
	 * of the requests; devices_end() of it follows, at once or later. */
	void (*begin)(void *object, unsigned place, unsigned kind);
	/* An interrupt or door bell for a target leaves now; when it is over.
	 */
	uint64_t (*interrupt)(void *object, unsigned target);
	/* The bus is asked for; devices_give_back() follows. NULL: there is no
	 * such bus. */
	void (*hold)(void *object);
};

/* All that devices had begun is over in the cycle `at`. */
typedef void devices_stand_fn(void *object, unsigned socket, uint64_t at);

enum devices_state { DEVICES_RUN, DEVICES_WAIT, DEVICES_ENDED };

struct devices {
	struct socket *socket;
	const struct devices_kind *kind;
	void *object;
	/* What is under way */
	struct places requests, interrupts;
	uint64_t lines[PLACES_MAX]; /* of the requests */
	uint16_t targets[PLACES_MAX];
	uint64_t busy_until; /* of those whose end is known */
	uint32_t number;     /* of the latest */
	uint64_t num_reads, num_writes;
	/* Traffic */
	enum devices_state state;
	struct uncore_access access; /* the next one */
	uint64_t ready, poll_cycles;
	uint64_t run_at; /* latest time asked for; others are void */
	bool has_access, begins, holds;
	bool is_stopped;
	devices_stand_fn *then; /* who waits for that; NULL: nobody */
	void *then_object;
};

void devices_init(struct devices *devices, struct socket *socket,
		  const struct devices_kind *kind, void *object,
		  unsigned requests, unsigned interrupts);

/* Traffic has been set: begin to take it from the present cycle on. */
void devices_start(struct devices *devices);

/* The request in a place is over in the cycle `at`; the bus is given back then.
 */
void devices_end(struct devices *devices, unsigned place, uint64_t at);
void devices_give_back(struct devices *devices, uint64_t at);

/* By an event: nothing begins any more, until they may go on; then() is told as
 * soon as it is known when all that they have begun is over. */
void devices_stop(struct devices *devices, devices_stand_fn *then,
		  void *object);
void devices_go_on(struct devices *devices);

/* Of some requests the end is not known yet. */
bool devices_are_open(const struct devices *devices);
bool devices_are_settled(const struct devices *devices, uint64_t now);

/* As kind->device: an access under way. */
bool devices_any(const struct devices *devices, uint64_t *latest,
		 uint64_t *line);

/* With a machine at rest: whether an access is held for ever. */
bool devices_have_lost(const struct devices *devices, uint64_t late);

#endif
