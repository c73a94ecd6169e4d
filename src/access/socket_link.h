/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A connection to a server of registers: requests, and the events that come in
 * between. Once it is dead it stays so, and every call says so.
 */
#ifndef UNCORE_ACCESS_SOCKET_LINK_H
#define UNCORE_ACCESS_SOCKET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/target.h"
#include "uncore/wire.h"

enum { LINK_MAX_EVENTS = 256 };

struct link {
	int file; /* -1: dead */
	char *path;
	char *error; /* why it is dead */
	uint32_t last_id;
	struct uncore_target_event events[LINK_MAX_EVENTS]; /* a ring */
	unsigned first_event, num_events;
	uint64_t lost; /* events that did not fit into it */
	size_t num_bytes;
	unsigned char
		bytes[sizeof(struct uncore_wire_batch) +
		      UNCORE_WIRE_MAX_OPS * sizeof(struct uncore_wire_op)];
};

/* Connects; NULL and *error when nobody answers there. */
struct link *link_new(const char *path, char **error);
void link_free(struct link *link);

/* Sends a frame, whose header is filled in, and waits for its answer, which
 * must have answer_bytes and is stored over it. Returns the answer's code, one
 * that the protocol has, or UNCORE_ERR_DIED. */
int link_ask(struct link *link, enum uncore_wire_type type, void *frame,
	     size_t frame_bytes, size_t answer_bytes);

/* Whether the protocol has an answer with this code. */
bool link_may_say(int code);

/* As uncore_target_wait(). */
int link_wait(struct link *link, int timeout_ms,
	      struct uncore_target_event *event);

/* It is of no use any more; UNCORE_ERR_DIED. */
int link_die(struct link *link, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* No answer in this time is an error; 0: as long as it takes. */
void link_patience(struct link *link, unsigned seconds);

#endif
