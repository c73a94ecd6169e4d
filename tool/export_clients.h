/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who is connected to `uncore export`, and for how long that is allowed. When
 * there are too many, of one address or of all, the one goes that has been
 * silent for longest and never asked for anything, then whoever asked and is
 * silent since; so connections that only stay open keep nobody out. Who sends a
 * request or takes an answer too slowly goes, too, however busy it looks.
 *
 * A connection goes by being shut down; the library that reads from it notices.
 * For one thread. Times are of CLOCK_MONOTONIC, in ns.
 */
#ifndef UNCORE_TOOL_EXPORT_CLIENTS_H
#define UNCORE_TOOL_EXPORT_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
	EXPORT_MOST_CLIENTS = 64,
	EXPORT_MOST_OF_ADDRESS = 32,
	EXPORT_FIRST_REQUEST_S = 10, /* from the connection on */
	EXPORT_ANSWER_S = 20,	     /* from the request on */
	EXPORT_SILENT_S = 150,	     /* between two requests */
};

struct export_client {
	int fd;		   /* -1: the place is free */
	bool is_gone;	   /* shut down, not yet closed */
	bool is_busy;	   /* with a request */
	bool has_asked;	   /* ever */
	uint64_t since_ns; /* it is what it is */
	unsigned char address[16];
};

struct export_clients {
	/* Some are still there that have been shut down. */
	struct export_client list[2 * EXPORT_MOST_CLIENTS];
	uint64_t dropped; /* so far */
};

void export_clients_init(struct export_clients *clients);

/* A new connection; NULL, and it is shut down, if there is no place. */
struct export_client *export_clients_add(struct export_clients *clients, int fd,
					 const struct sockaddr *address,
					 uint64_t now_ns);
/* Its request is complete; has been answered; it is closed. NULL is allowed. */
void export_client_asks(struct export_client *client, uint64_t now_ns);
void export_client_rests(struct export_client *client, uint64_t now_ns);
void export_client_ends(struct export_client *client);

/* Shuts down who has been too slow. */
void export_clients_look(struct export_clients *clients, uint64_t now_ns);

unsigned export_clients_num(const struct export_clients *clients);

#endif
