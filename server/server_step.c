/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The stepper: a thread that advances the clock for whoever asked, so that
 * nobody else waits. Where several ask, they take turns in long slices; a STEP
 * no longer than a slice is done in one go.
 */
#include "server_inside.h"

#include <endian.h>
#include <unistd.h>

#include "uncore/error.h"

enum { SLICE_CYCLES = 1 << 20 };

void server_wake(struct uncore_server *server)
{
	const uint64_t one = 1;
	ssize_t size = write(server->wake, &one, sizeof(one));

	(void)size; /* it is awake already where this would not fit */
}

/* The next one that has work, after `last` in turn; under the lock. */
static struct connection *next(const struct uncore_server *server,
			       unsigned *last)
{
	for (unsigned i = 1; i <= MAX_CONNECTIONS; i++) {
		unsigned at = (*last + i) % MAX_CONNECTIONS;
		struct connection *connection = server->connections[at];

		if (connection && connection->step.is_active &&
		    !connection->step.is_done) {
			*last = at;
			return connection;
		}
	}
	return NULL;
}

static void *run_steps(void *argument)
{
	struct uncore_server *server = argument;
	struct server_step *step;
	struct connection *connection;
	unsigned last = 0;

	pthread_mutex_lock(&server->lock);
	while (!server->is_stopping) {
		uint64_t cycles;
		int code;

		connection = next(server, &last);
		if (!connection) {
			pthread_cond_wait(&server->work, &server->lock);
			continue;
		}
		step = &connection->step;
		cycles = step->left_cycles;
		if (cycles > SLICE_CYCLES)
			cycles = SLICE_CYCLES;
		pthread_mutex_unlock(&server->lock);
		code = uncore_live_step(server->live, cycles, &step->cancel);
		pthread_mutex_lock(&server->lock);
		step->left_cycles -= cycles;
		step->code = code;
		step->is_done = code || step->cancel || !step->left_cycles;
		if (step->is_done)
			server_wake(server);
	}
	pthread_mutex_unlock(&server->lock);
	return NULL;
}

int server_step_start(struct uncore_server *server)
{
	if (pthread_create(&server->stepper, NULL, run_steps, server))
		return UNCORE_ERR_NO_MEMORY;
	server->is_stepping = true;
	return 0;
}

void server_step_stop(struct uncore_server *server)
{
	if (!server->is_stepping)
		return;
	pthread_mutex_lock(&server->lock);
	server->is_stopping = true;
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (server->connections[i])
			__atomic_store_n(&server->connections[i]->step.cancel,
					 1, __ATOMIC_RELAXED);
	pthread_cond_signal(&server->work);
	pthread_mutex_unlock(&server->lock);
	pthread_join(server->stepper, NULL);
}

void server_step_begin(struct uncore_server *server,
		       struct connection *connection, uint32_t id,
		       uint64_t cycles)
{
	pthread_mutex_lock(&server->lock);
	connection->step = (struct server_step){
		.is_active = true,
		.left_cycles = cycles,
		.id = id,
	};
	pthread_cond_signal(&server->work);
	pthread_mutex_unlock(&server->lock);
}

static void answer(struct uncore_server *server, struct connection *connection)
{
	struct uncore_wire_step frame = {
		.cycles = htole64(uncore_live_cycle(server->live)),
	};

	connection_put(connection, UNCORE_WIRE_STEP, connection->step.id,
		       connection->step.code, &frame, sizeof(frame));
}

void server_step_collect(struct uncore_server *server)
{
	pthread_mutex_lock(&server->lock);
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (server->connections[i])
			server->connections[i]->step.is_collected =
				server->connections[i]->step.is_done;
	pthread_mutex_unlock(&server->lock);
}

void server_step_answer(struct uncore_server *server)
{
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++) {
		struct connection *connection = server->connections[i];

		if (!connection || !connection->step.is_active ||
		    !connection->step.is_collected)
			continue;
		pthread_mutex_lock(&server->lock);
		connection->step.is_active = false;
		pthread_mutex_unlock(&server->lock);
		if (!connection->step.cancel)
			answer(server, connection);
	}
}
