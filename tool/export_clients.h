/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who is connected to `uncore export`, and for how long that is allowed.
 * Whoever comes gets in. When there are too many, of one address or of all, one
 * goes: first who has left, then who never said anything, then who asked and is
 * silent since, and at last who is at work; of equals the one for whom it is so
 * for longest. So no connections keep anybody out, whatever they do. Who sends
 * a request or takes an answer too slowly goes, too, however busy it looks.
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
	/* Also for those shut down and not yet closed. Fewer than 128: when so
	 * many have something to tell at once, libmicrohttpd 1.0.1 forgets all
	 * of them. */
	EXPORT_PLACES = 128,
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
	struct export_client list[EXPORT_PLACES];
	uint64_t dropped; /* so far */
};

void export_clients_init(struct export_clients *clients);

/* Whose connection it is; -1: a free place. NULL: there is none. */
struct export_client *export_clients_find(struct export_clients *clients,
					  int fd);
/* A new connection, for which there has to be a place. */
struct export_client *export_clients_add(struct export_clients *clients, int fd,
					 const struct sockaddr *address,
					 uint64_t now_ns);
/* Makes room by one, of an address or of all (NULL); false: there is none. */
bool export_clients_drop_one(struct export_clients *clients,
			     const unsigned char *address);
/* Its request is complete; has been answered; it is closed. NULL is allowed. */
void export_client_asks(struct export_client *client, uint64_t now_ns);
void export_client_rests(struct export_client *client, uint64_t now_ns);
void export_client_ends(struct export_client *client);

/* Shuts down who has been too slow. */
void export_clients_look(struct export_clients *clients, uint64_t now_ns);

unsigned export_clients_num(const struct export_clients *clients);

#endif
