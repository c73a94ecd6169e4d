/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A model with a socket server in this process, and a client that speaks the
 * protocol byte by byte, so that it can also speak it wrongly.
 */
#ifndef TESTS_DOORS_SOCKET_RIG_H
#define TESTS_DOORS_SOCKET_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/live.h"
#include "uncore/model.h"
#include "uncore/wire.h"

struct rig {
	char folder[32], path[64];
	struct uncore_model *model;
	struct uncore_live *live;
	struct uncore_server *server;
};

/* workload may be NULL. A clock that runs by itself is started. */
void rig_open(struct rig *rig, unsigned sockets, const char *workload,
	      enum uncore_live_clock clock);
void rig_close(struct rig *rig);

/* A model like the one behind the server. */
struct uncore_model *rig_model(unsigned sockets, const char *workload);

/* The address of a register by its name. */
uint32_t rig_address(const char *name);

/* A connection; nothing said yet. */
int rig_connect(const struct rig *rig);
/* The same, and greeted. */
int rig_client(const struct rig *rig);

void rig_send(int client, const void *data, size_t size_bytes);
/* One frame, header filled in. */
void rig_request(int client, enum uncore_wire_type type, uint32_t id,
		 void *frame, size_t size_bytes);
/* The next frame; its size, or 0 when the connection has ended. Fails if
 * nothing comes for long. */
size_t rig_receive(int client, void *frame, size_t room_bytes);
/* The next frame must be the answer, events in between are dropped; its
 * code. */
int rig_answer(int client, enum uncore_wire_type type, uint32_t id, void *frame,
	       size_t size_bytes);
/* Nothing comes any more but an ERROR with this code, and the end. */
void rig_expect_error(int client, int code);

/* One access; its code. */
int rig_access(int client, bool is_write, unsigned cpu, uint32_t address,
	       uint64_t *value);
/* Steps and returns the cycle. */
uint64_t rig_step(int client, uint64_t cycles);
void rig_subscribe(int client, uint32_t events);

/* Whether the server still answers. */
void rig_expect_alive(const struct rig *rig);

#endif
