/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A guest without QEMU: the test plays the plugin on the channel, while a
 * thread of its own serves the guest as `uncore guest` does.
 */
#ifndef UNCORE_TESTS_GUEST_RIG_H
#define UNCORE_TESTS_GUEST_RIG_H

#include <pthread.h>

#include "guest/server/guest.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { RIG_MAX_EVENTS = 8 };

struct guest_rig {
	struct uncore_model_config *machine;
	struct uncore_model *model;
	struct uncore_live *live;
	struct uncore_guest *guest;
	struct channel *channel;
	struct uncore_guest_status status;
	pthread_t thread;
	volatile int stop;
	int code; /* of uncore_guest_run() */
	char *error;
	unsigned round;			  /* that is being filled */
	uint64_t taken[CHANNEL_MAX_CPUS]; /* lines, from their caches */
	struct uncore_target *target;
	struct uncore_session *session;
	struct uncore_event *events[RIG_MAX_EVENTS];
	size_t num_events;
	unsigned complaints; /* of the model */
};

/* More settings of the machines that are made from here on, with blanks between
 * them; NULL: none. */
extern const char *rig_setting;

/* A machine with so many sockets, four cores each, and no traffic of its own.
 * `workload` and `record` may be NULL. */
void rig_start(struct guest_rig *rig, unsigned sockets,
	       enum uncore_guest_traffic traffic, const char *workload,
	       const char *record);

/* Stops the guest's thread; the counts can be read afterwards. */
void rig_stop(struct guest_rig *rig);
void rig_free(struct guest_rig *rig);

/* Counts one more event from here on. */
void rig_count(struct guest_rig *rig, const char *event);

/* After rig_stop(): event number index, over all boxes of a socket (all: -1).
 */
uint64_t rig_value(struct guest_rig *rig, size_t index, int socket);

/* Adds an access of a CPU to the round. */
void rig_access(struct guest_rig *rig, unsigned cpu, unsigned kind,
		uint64_t line);

/* Hands the round over, and waits until the other one, which is to be filled
 * next, is done; rig_drain() until both are. */
void rig_hand_over(struct guest_rig *rig);
void rig_drain(struct guest_rig *rig);

/* Asks, in the middle of a round; the request is in channel->request. */
void rig_request(struct guest_rig *rig, enum channel_request_kind kind,
		 unsigned cpu, uint32_t address, uint64_t value);

/* An address of the family's register of that name. */
uint32_t rig_register(const char *name);

#endif
