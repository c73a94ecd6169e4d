/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Limits of clients: a table that is looked through, since it is short.
 */
#include "export_clients.h"

#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>

static const uint64_t second_ns = 1000000000;

void export_clients_init(struct export_clients *clients)
{
	*clients = (struct export_clients){ 0 };
	for (unsigned i = 0; i < EXPORT_PLACES; i++)
		clients->list[i].fd = -1;
}

static bool is_here(const struct export_client *client)
{
	return client->fd >= 0 && !client->is_gone;
}

static void take_address(unsigned char to[16], const struct sockaddr *from)
{
	memset(to, 0, 16);
	if (from->sa_family == AF_INET)
		memcpy(to, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else if (from->sa_family == AF_INET6)
		memcpy(to, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
}

/* Those of an address, or of all (NULL). */
static unsigned count(const struct export_clients *clients,
		      const unsigned char *address)
{
	unsigned num = 0;

	for (unsigned i = 0; i < EXPORT_PLACES; i++)
		num += is_here(&clients->list[i]) &&
		       (!address ||
			!memcmp(address, clients->list[i].address, 16));
	return num;
}

static void drop(struct export_clients *clients, struct export_client *client)
{
	shutdown(client->fd, SHUT_RDWR);
	client->is_gone = true;
	clients->dropped++;
}

/* Who goes first: has left, never said anything, is silent, is at work. */
enum rank { LEFT, NEVER_ASKED, SILENT, AT_WORK };

/* Given what poll() finds: what is there has not been read yet. */
static enum rank rank_of(const struct export_client *client, short found)
{
	if (found & (POLLRDHUP | POLLHUP | POLLERR))
		return LEFT;
	if (client->is_busy || found & POLLIN)
		return AT_WORK;
	return client->has_asked ? SILENT : NEVER_ASKED;
}

bool export_clients_drop_one(struct export_clients *clients,
			     const unsigned char *address)
{
	struct pollfd polled[EXPORT_PLACES];
	struct export_client *worst = NULL;
	enum rank worst_rank = LEFT;

	for (unsigned i = 0; i < EXPORT_PLACES; i++) {
		const struct export_client *client = &clients->list[i];

		polled[i] = (struct pollfd){ .fd = is_here(client) ? client->fd
								   : -1,
					     .events = POLLIN | POLLRDHUP };
	}
	if (poll(polled, EXPORT_PLACES, 0) < 0)
		return false;
	for (unsigned i = 0; i < EXPORT_PLACES; i++) {
		struct export_client *client = &clients->list[i];
		enum rank rank = rank_of(client, polled[i].revents);

		if (polled[i].fd < 0 ||
		    (address && memcmp(address, client->address, 16)))
			continue;
		if (worst && (rank > worst_rank ||
			      (rank == worst_rank &&
			       client->since_ns >= worst->since_ns)))
			continue;
		worst = client;
		worst_rank = rank;
	}
	if (worst)
		drop(clients, worst);
	return worst;
}

struct export_client *export_clients_find(struct export_clients *clients,
					  int fd)
{
	for (unsigned i = 0; i < EXPORT_PLACES; i++)
		if (clients->list[i].fd == fd)
			return &clients->list[i];
	return NULL;
}

struct export_client *export_clients_add(struct export_clients *clients, int fd,
					 const struct sockaddr *address,
					 uint64_t now_ns)
{
	struct export_client *client = export_clients_find(clients, -1);
	struct export_client new = { .fd = fd, .since_ns = now_ns };

	take_address(new.address, address);
	if (count(clients, new.address) >= EXPORT_MOST_OF_ADDRESS)
		export_clients_drop_one(clients, new.address);
	if (count(clients, NULL) >= EXPORT_MOST_CLIENTS)
		export_clients_drop_one(clients, NULL);
	*client = new;
	return client;
}

void export_client_asks(struct export_client *client, uint64_t now_ns)
{
	if (!client)
		return;
	client->is_busy = client->has_asked = true;
	client->since_ns = now_ns;
}

void export_client_rests(struct export_client *client, uint64_t now_ns)
{
	if (!client)
		return;
	client->is_busy = false;
	client->since_ns = now_ns;
}

void export_client_ends(struct export_client *client)
{
	if (client)
		client->fd = -1;
}

void export_clients_look(struct export_clients *clients, uint64_t now_ns)
{
	for (unsigned i = 0; i < EXPORT_PLACES; i++) {
		struct export_client *client = &clients->list[i];
		unsigned limit_s = client->is_busy     ? EXPORT_ANSWER_S
				   : client->has_asked ? EXPORT_SILENT_S
						       : EXPORT_FIRST_REQUEST_S;

		if (is_here(client) &&
		    now_ns - client->since_ns > limit_s * second_ns)
			drop(clients, client);
	}
}

unsigned export_clients_num(const struct export_clients *clients)
{
	return count(clients, NULL);
}
