/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a live model at a Unix socket: who may connect, and the
 * thread that goes round. In each round, what has happened in the model goes
 * out before the answers of steps that are over, so that a client that has its
 * answer has every event before it.
 */
#include "server_inside.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

enum {
	/* poll()'s first two files; connections follow. */
	POLL_WAKE = 0,
	POLL_LISTENER = 1,
	POLL_FIRST = 2,
	/* How often somebody who waits for the end of traffic is served. */
	ENDED_MS = 20,
	/* Rest after accept() found no file left. */
	FULL_MS = 100,
};

/* Called with the live model's lock held. */
static void hear(void *context, const struct uncore_model_pmi *pmi)
{
	struct uncore_server *server = context;
	bool is_first;

	pthread_mutex_lock(&server->lock);
	is_first = server->is_pmi_wanted && !server->num_pmis;
	if (server->is_pmi_wanted && server->num_pmis < MAX_WAITING_PMIS)
		server->pmis[server->num_pmis++] = *pmi;
	else if (server->is_pmi_wanted)
		server->lost_pmis++;
	pthread_mutex_unlock(&server->lock);
	if (is_first)
		server_wake(server);
}

static void put_pmis(struct uncore_server *server)
{
	struct uncore_model_pmi pmis[MAX_WAITING_PMIS];
	unsigned num;
	uint64_t lost;

	pthread_mutex_lock(&server->lock);
	num = server->num_pmis;
	lost = server->lost_pmis;
	memcpy(pmis, server->pmis, num * sizeof(pmis[0]));
	server->num_pmis = 0;
	server->lost_pmis = 0;
	pthread_mutex_unlock(&server->lock);
	for (unsigned c = 0; c < MAX_CONNECTIONS; c++) {
		struct connection *connection = server->connections[c];

		if (!connection ||
		    !(connection->events & UNCORE_WIRE_WANTS_PMI))
			continue;
		for (unsigned i = 0; i < num; i++)
			connection_put_event(connection, UNCORE_WIRE_PMI,
					     &pmis[i]);
		connection->lost += lost; /* after those that fitted */
	}
}

static bool wants_end(const struct connection *connection)
{
	return connection && !connection->is_told_end &&
	       (connection->events & UNCORE_WIRE_WANTS_ENDED);
}

static bool anybody_wants_end(const struct uncore_server *server)
{
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (wants_end(server->connections[i]))
			return true;
	return false;
}

static void put_end(struct uncore_server *server)
{
	struct uncore_model_pmi at = { 0 };
	struct uncore_live_status status;

	if (!anybody_wants_end(server))
		return;
	uncore_live_status(server->live, &status);
	at.cycle = status.cycle;
	for (unsigned i = 0; i < MAX_CONNECTIONS && status.traffic_ended; i++)
		if (wants_end(server->connections[i])) {
			connection_put_event(server->connections[i],
					     UNCORE_WIRE_ENDED, &at);
			server->connections[i]->is_told_end = true;
		}
}

void server_wish(struct uncore_server *server, struct connection *connection,
		 uint32_t events)
{
	connection->events = events;
	pthread_mutex_lock(&server->lock);
	if (events & UNCORE_WIRE_WANTS_PMI)
		server->is_pmi_wanted = true;
	pthread_mutex_unlock(&server->lock);
}

/* A wish is noted with the request, and forgotten here. */
static void forget_wishes(struct uncore_server *server)
{
	bool is_wanted = false;

	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (server->connections[i])
			is_wanted |= server->connections[i]->events &
				     UNCORE_WIRE_WANTS_PMI;
	pthread_mutex_lock(&server->lock);
	server->is_pmi_wanted = is_wanted;
	pthread_mutex_unlock(&server->lock);
}

/* Only the owner and root. */
static bool may_connect(int file)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       (peer.uid == geteuid() || !peer.uid);
}

static void keep(struct uncore_server *server, struct connection *connection)
{
	unsigned at = 0;

	while (at < MAX_CONNECTIONS && server->connections[at])
		at++;
	if (!may_connect(connection->file)) {
		connection_end(connection, 0, UNCORE_ERR_NO_PERMISSION,
			       "this server is its owner's alone");
	} else if (at == MAX_CONNECTIONS) {
		connection_end(connection, 0, UNCORE_ERR_STATE,
			       "the server has %d clients, and no room for "
			       "more",
			       MAX_CONNECTIONS);
	} else {
		pthread_mutex_lock(&server->lock);
		server->connections[at] = connection;
		pthread_mutex_unlock(&server->lock);
		server->num_connections++;
		return;
	}
	connection_send(connection);
	connection_free(connection);
}

/* False when there is no file for another connection. */
static bool accept_all(struct uncore_server *server)
{
	struct connection *connection;
	int file;

	for (;;) {
		struct sockaddr_storage peer;
		socklen_t size = sizeof(peer);

		file = accept4(server->listener, (struct sockaddr *)&peer,
			       &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (file < 0)
			return errno == EAGAIN || errno == EINTR ||
			       errno == ECONNABORTED;
		connection = connection_new(file);
		if (connection)
			keep(server, connection);
		else
			close(file);
	}
}

/* Frees a connection, unless the stepper still works for it. */
static void drop(struct uncore_server *server, unsigned at)
{
	struct connection *connection = server->connections[at];

	if (connection->step.is_active) {
		__atomic_store_n(&connection->step.cancel, 1, __ATOMIC_RELAXED);
		return;
	}
	pthread_mutex_lock(&server->lock);
	server->connections[at] = NULL;
	pthread_mutex_unlock(&server->lock);
	server->num_connections--;
	connection_free(connection);
}

static void serve(struct uncore_server *server, unsigned at)
{
	struct connection *connection = server->connections[at];
	bool any;

	do {
		any = server_requests(server, connection);
		connection_send(connection);
	} while (any);
	if (connection->is_dead ||
	    (connection->is_ending && !connection->out_end &&
	     !connection->step.is_active))
		drop(server, at);
}

/* What has come on one connection's file. */
static void take(struct connection *connection, short found)
{
	/* The other side is gone: nobody will read an answer. */
	if ((found & (POLLERR | POLLNVAL)) ||
	    ((found & POLLHUP) && !(found & POLLIN)))
		connection->is_dead = true;
	else if ((found & POLLIN) && !connection_receive(connection))
		connection_finish(connection);
}

static short wanted(const struct connection *connection)
{
	short events = 0;

	if (!connection->is_ending && !connection->step.is_active &&
	    connection->in_bytes < sizeof(connection->in) &&
	    connection_has_room(connection))
		events |= POLLIN;
	if (connection->out_end)
		events |= POLLOUT;
	return events;
}

/* After a wake: false if it was the last one. */
static bool is_awake(struct uncore_server *server)
{
	bool is_stopping;
	uint64_t wakes;
	ssize_t size = read(server->wake, &wakes, sizeof(wakes));

	(void)size; /* the number of wakes is of no interest */
	pthread_mutex_lock(&server->lock);
	is_stopping = server->is_stopping;
	pthread_mutex_unlock(&server->lock);
	return !is_stopping;
}

/* One round; false when the server is to end. */
static bool go_round(struct uncore_server *server, bool *is_full)
{
	struct pollfd files[POLL_FIRST + MAX_CONNECTIONS];
	unsigned places[MAX_CONNECTIONS], num = 0;
	int timeout_ms = anybody_wants_end(server) ? ENDED_MS : -1;

	files[POLL_WAKE] =
		(struct pollfd){ .fd = server->wake, .events = POLLIN };
	files[POLL_LISTENER] =
		(struct pollfd){ .fd = server->listener, .events = POLLIN };
	if (*is_full) {
		files[POLL_LISTENER].fd = -1;
		timeout_ms = FULL_MS;
	}
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (server->connections[i]) {
			places[num] = i;
			files[POLL_FIRST + num++] = (struct pollfd){
				.fd = server->connections[i]->is_dead
					      ? -1
					      : server->connections[i]->file,
				.events = wanted(server->connections[i]),
			};
		}
	poll(files, POLL_FIRST + num, timeout_ms);
	if ((files[POLL_WAKE].revents & POLLIN) && !is_awake(server))
		return false;
	*is_full = *is_full || (files[POLL_LISTENER].revents & POLLIN)
			   ? !accept_all(server)
			   : false;
	for (unsigned i = 0; i < num; i++)
		take(server->connections[places[i]],
		     files[POLL_FIRST + i].revents);
	server_step_collect(server);
	put_pmis(server);
	put_end(server);
	server_step_answer(server);
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (server->connections[i])
			serve(server, i);
	forget_wishes(server);
	return true;
}

static void *run_rounds(void *argument)
{
	bool is_full = false;

	while (go_round(argument, &is_full))
		;
	return NULL;
}

static void describe(struct uncore_server *server)
{
	struct uncore_wire_welcome *welcome = &server->welcome;
	struct uncore_live_status status;
	const struct uncore_model *model;

	uncore_live_status(server->live, &status);
	model = uncore_live_enter(server->live);
	memcpy(welcome->magic, UNCORE_WIRE_MAGIC, sizeof(welcome->magic));
	welcome->clock = htole16((uint16_t)status.clock);
	welcome->max_ops = htole32(UNCORE_WIRE_MAX_OPS);
	welcome->sockets = htole32(uncore_model_sockets(model));
	welcome->cores_per_socket = htole32(uncore_model_cores(model));
	welcome->clock_hz = htole64((uint64_t)(status.clock_hz + 0.5));
	snprintf(welcome->machine, sizeof(welcome->machine), "%s",
		 uncore_model_machine(model));
	snprintf(welcome->family, sizeof(welcome->family), "%s",
		 uncore_model_family(model));
	uncore_live_leave(server->live);
}

/* Signals are for the caller's threads. */
static int start(struct uncore_server *server)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = server_step_start(server);
	if (!failed)
		failed = pthread_create(&server->thread, NULL, run_rounds,
					server);
	server->is_running = !failed;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

int uncore_server_new(struct uncore_live *live, const char *path,
		      struct uncore_server **server, char **error)
{
	struct uncore_server *new = calloc(1, sizeof(*new));
	int code;

	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->live = live;
	new->listener = -1;
	pthread_mutex_init(&new->lock, NULL);
	pthread_cond_init(&new->work, NULL);
	new->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	code = server_path_listen(&new->path, path, &new->listener, error);
	if (!code) {
		describe(new);
		new->ears = uncore_live_listen(live, hear, new);
		if (new->wake < 0 || !new->ears || start(new))
			code = text_error(UNCORE_ERR_NO_MEMORY, error,
					  "cannot start a server at %s: out "
					  "of memory, files or threads",
					  path);
	}
	if (code)
		uncore_server_free(new);
	else
		*server = new;
	return code;
}

void uncore_server_free(struct uncore_server *server)
{
	if (!server)
		return;
	/* First of all nobody new finds it. */
	server_path_free(&server->path);
	if (server->ears)
		uncore_live_unlisten(server->live, server->ears);
	server_step_stop(server);
	if (server->is_running) {
		server_wake(server);
		pthread_join(server->thread, NULL);
	}
	for (unsigned i = 0; i < MAX_CONNECTIONS; i++)
		if (server->connections[i])
			connection_free(server->connections[i]);
	if (server->listener >= 0)
		close(server->listener);
	if (server->wake >= 0)
		close(server->wake);
	pthread_cond_destroy(&server->work);
	pthread_mutex_destroy(&server->lock);
	free(server);
}
