/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The server's side of the wire: a byte for the size of the pieces in which the
 * rest comes in. Without sockets and threads; the harness is the stepper, and
 * looks at what is sent.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "server/server_inside.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_CYCLES = 20000 };

static struct uncore_live *live;
static struct connection *hearing;

static void hear(void *context, const struct uncore_model_pmi *pmi)
{
	(void)context;
	if (hearing && hearing->events & UNCORE_WIRE_WANTS_PMI)
		connection_put_event(hearing, UNCORE_WIRE_PMI, pmi);
}

static void forget(void)
{
	uncore_live_free(live);
	live = NULL;
}

static void need_live(void)
{
	struct uncore_model *model = fuzz_kept_model(forget);

	if (live)
		return;
	live = uncore_live_new(model, UNCORE_LIVE_STEP);
	fuzz_must(live && uncore_live_listen(live, hear, NULL), "no memory");
}

/* As the stepper does, but never for long. */
static void step(struct uncore_server *server, struct connection *connection)
{
	struct server_step *work = &connection->step;
	uint64_t cycles = work->left_cycles;

	work->code = uncore_live_step(
		live, cycles < MAX_CYCLES ? cycles : MAX_CYCLES, NULL);
	work->left_cycles = 0;
	work->is_done = true;
	server_step_collect(server);
	server_step_answer(server);
	fuzz_must(!work->is_active, "a step does not end");
}

/* What is sent are whole frames of known types, ERROR the last one. */
static void look(struct connection *connection)
{
	bool is_over = false;
	size_t at = connection->out_first;

	while (at < connection->out_end) {
		struct uncore_wire_header header;
		size_t left = connection->out_end - at;

		fuzz_must(left >= sizeof(header), "half a header is sent");
		memcpy(&header, connection->out + at, sizeof(header));
		fuzz_must(le32toh(header.size_bytes) >= sizeof(header) &&
				  le32toh(header.size_bytes) <= left,
			  "a frame of %u bytes is sent in %zu",
			  le32toh(header.size_bytes), left);
		fuzz_must(!is_over, "something is sent behind an ERROR");
		is_over = le16toh(header.type) == UNCORE_WIRE_ERROR;
		at += le32toh(header.size_bytes);
	}
	connection->out_first = connection->out_end = 0;
}

static void take(struct uncore_server *server, struct connection *connection)
{
	bool any;

	do {
		any = server_requests(server, connection);
		if (connection->step.is_active)
			step(server, connection);
		look(connection);
	} while (any && !connection->is_dead);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	size_t piece = 16 * fuzz_number(&bytes, 1) + 1;
	static struct uncore_server *server;
	struct connection *connection = connection_new(-1);

	if (!server) {
		server = calloc(1, sizeof(*server));
		fuzz_must(server, "no memory");
		server->wake = -1;
		pthread_mutex_init(&server->lock, NULL);
		pthread_cond_init(&server->work, NULL);
	}
	need_live();
	fuzz_must(connection, "no memory");
	server->live = live;
	server->connections[0] = hearing = connection;
	while (bytes.size && !connection->is_ending && !connection->is_dead) {
		size_t room = sizeof(connection->in) - connection->in_bytes;
		size_t length = piece < bytes.size ? piece : bytes.size;

		if (length > room)
			length = room;
		memcpy(connection->in + connection->in_bytes, bytes.data,
		       length);
		connection->in_bytes += length;
		bytes.data += length;
		bytes.size -= length;
		take(server, connection);
	}
	server->connections[0] = hearing = NULL;
	connection_free(connection);
	return 0;
}
