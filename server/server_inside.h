/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of the socket server, shared by its files. Two threads: the first
 * one owns the connections and answers requests, the second one steps the
 * clock, which may take long. Where both need something it is under the lock,
 * and nobody who holds the lock calls the live model (which calls back with a
 * lock of its own held).
 */
#ifndef UNCORE_SERVER_INSIDE_H
#define UNCORE_SERVER_INSIDE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "uncore/live.h"
#include "uncore/model.h"
#include "uncore/wire.h"

enum {
	MAX_CONNECTIONS = 128,
	MAX_FRAME_BYTES = sizeof(struct uncore_wire_batch) +
			  UNCORE_WIRE_MAX_OPS * sizeof(struct uncore_wire_op),
	/* Of what is to be sent, this much is kept for one answer and one
	 * error; events have the rest, and are thrown away beyond. */
	ANSWER_BYTES = MAX_FRAME_BYTES + sizeof(struct uncore_wire_error),
	OUT_BYTES = 4 * MAX_FRAME_BYTES,
	MAX_WAITING_PMIS = 1024,
};

/* A STEP under way; under the lock, but for `cancel`. */
struct server_step {
	bool is_active;	     /* the stepper has it */
	bool is_done;	     /* and has given it back */
	bool is_collected;   /* and this has been seen */
	volatile int cancel; /* nobody waits for it any more */
	uint64_t left_cycles;
	int code;
	uint32_t id;
};

struct connection {
	int file;
	unsigned version; /* that both speak; 0: not greeted yet */
	bool is_ending;	  /* to be closed when all is sent */
	bool is_dead;	  /* to be closed now */
	bool is_told_end;
	uint32_t events; /* that are wanted */
	uint64_t lost;	 /* events thrown away since the last one sent */
	struct server_step step;
	size_t in_bytes;
	size_t out_first, out_end; /* what is to be sent */
	unsigned char in[MAX_FRAME_BYTES];
	unsigned char out[OUT_BYTES];
};

/* A socket file that is ours. */
struct server_path {
	char *path; /* NULL: none */
	dev_t device;
	ino_t inode;
};

struct uncore_server {
	struct uncore_live *live;
	struct server_path path;
	struct uncore_wire_welcome welcome; /* but for the cycle */
	int listener;
	int wake; /* an eventfd: something happened that poll() cannot see */
	pthread_t thread, stepper;
	bool is_running, is_stepping; /* these threads exist */
	struct uncore_live_listener *ears;
	struct connection *connections[MAX_CONNECTIONS];
	unsigned num_connections;
	struct uncore_live_op ops[UNCORE_WIRE_MAX_OPS];

	pthread_mutex_t lock; /* of what follows, and of each step */
	pthread_cond_t work;  /* for the stepper */
	bool is_stopping;
	bool is_pmi_wanted;
	struct uncore_model_pmi pmis[MAX_WAITING_PMIS];
	unsigned num_pmis;
	uint64_t lost_pmis;
};

/* server_path.c */

/* A listening socket at a path; or an error, and *error a sentence. */
int server_path_listen(struct server_path *path, const char *name,
		       int *listener, char **error);
/* Removes the file if it is still ours. */
void server_path_free(struct server_path *path);
/* server_connection.c */

struct connection *connection_new(int file);
void connection_free(struct connection *connection);
/* Takes what has come; false: nothing will come any more. */
bool connection_receive(struct connection *connection);
/* After that: sends what is left, then ends. */
void connection_finish(struct connection *connection);
/* Sends as much as goes without waiting. */
void connection_send(struct connection *connection);
/* Whether a request may be answered now. */
bool connection_has_room(const struct connection *connection);
/* Queues a frame; `size_bytes` is filled in. */
void connection_put(struct connection *connection, enum uncore_wire_type type,
		    uint32_t id, int code, void *frame, size_t size_bytes);
void connection_put_event(struct connection *connection,
			  enum uncore_wire_type type,
			  const struct uncore_model_pmi *pmi);
/* Queues an ERROR, after which the connection ends. */
void connection_end(struct connection *connection, uint32_t id, int code,
		    const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* server_request.c */

/* Answers what can be answered of what has come; whether there was any. */
bool server_requests(struct uncore_server *server,
		     struct connection *connection);

/* server.c */

/* Notes which events are wanted, from this moment on. */
void server_wish(struct uncore_server *server, struct connection *connection,
		 uint32_t events);

/* server_step.c */

int server_step_start(struct uncore_server *server);
void server_step_stop(struct uncore_server *server);
void server_step_begin(struct uncore_server *server,
		       struct connection *connection, uint32_t id,
		       uint64_t cycles);
/* Steps that are over: collected first, answered when everything that happened
 * in them has been sent. */
void server_step_collect(struct uncore_server *server);
void server_step_answer(struct uncore_server *server);
/* Makes the first thread look. */
void server_wake(struct uncore_server *server);

#endif
