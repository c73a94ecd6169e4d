/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Limits of clients: a table that is looked through, since it is short.
 */
#include "export_clients.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

enum { NUM_PLACES = 2 * EXPORT_MOST_CLIENTS };

static const uint64_t second_ns = 1000000000;

void export_clients_init(struct export_clients *clients)
{
	*clients = (struct export_clients){ 0 };
	for (unsigned i = 0; i < NUM_PLACES; i++)
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

	for (unsigned i = 0; i < NUM_PLACES; i++)
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

/* Whether `a` is to go before `b`: never asked, then for longest. */
static bool goes_before(const struct export_client *a,
			const struct export_client *b)
{
	if (a->has_asked != b->has_asked)
		return !a->has_asked;
	return a->since_ns < b->since_ns;
}

/* Makes room by one that is silent, of an address or of all (NULL). */
static bool drop_silent(struct export_clients *clients,
			const unsigned char *address)
{
	struct export_client *found = NULL;

	for (unsigned i = 0; i < NUM_PLACES; i++) {
		struct export_client *client = &clients->list[i];

		if (!is_here(client) || client->is_busy)
			continue;
		if (address && memcmp(address, client->address, 16))
			continue;
		if (!found || goes_before(client, found))
			found = client;
	}
	if (found)
		drop(clients, found);
	return found;
}

static bool make_room(struct export_clients *clients,
		      const unsigned char *address)
{
	if (count(clients, address) >= EXPORT_MOST_OF_ADDRESS &&
	    !drop_silent(clients, address))
		return false;
	return count(clients, NULL) < EXPORT_MOST_CLIENTS ||
	       drop_silent(clients, NULL);
}

struct export_client *export_clients_add(struct export_clients *clients, int fd,
					 const struct sockaddr *address,
					 uint64_t now_ns)
{
	struct export_client new = { .fd = fd, .since_ns = now_ns };

	take_address(new.address, address);
	for (unsigned i = 0; i < NUM_PLACES && make_room(clients, new.address);
	     i++)
		if (clients->list[i].fd < 0) {
			clients->list[i] = new;
			return &clients->list[i];
		}
	shutdown(fd, SHUT_RDWR);
	clients->dropped++;
	return NULL;
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
	for (unsigned i = 0; i < NUM_PLACES; i++) {
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
