/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Numeric addresses only: a name may mean several, and others tomorrow.
 */
#include "export.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tool/tool.h"

enum { BACKLOG = 128, NAME_BYTES = 256 };

/* Cuts a copy of the text into its two parts; false: it has none. */
static bool split(char *text, const char **host, const char **port)
{
	char *colon = strrchr(text, ':');

	*host = "127.0.0.1";
	*port = text;
	if (!colon)
		return *text;
	*colon = '\0';
	*port = colon + 1;
	*host = text;
	if (*text == '[' && colon > text && colon[-1] == ']') {
		colon[-1] = '\0';
		*host = text + 1;
	} else if (strchr(text, ':')) {
		return false;
	}
	return **host && **port;
}

static int find_address(const char *where, struct addrinfo **found)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
	};
	const char *host, *port;
	char *copy = tool_copy(where), *end = NULL;
	bool is_right;

	is_right = split(copy, &host, &port) &&
		   strtoul(port, &end, 10) <= 65535 && !*end && *port >= '0' &&
		   *port <= '9' && !getaddrinfo(host, port, &hints, found);
	free(copy);
	return is_right ? TOOL_OK
			: tool_fail(TOOL_USAGE,
				    "--listen=%s: that is no address and port; "
				    "try 127.0.0.1:9300 for this machine "
				    "alone, or 0.0.0.0:9300 for everybody who "
				    "can reach it",
				    where);
}

/* Where it listens, with the port that it got. */
static void name(int fd, char url[EXPORT_URL_BYTES], bool *is_open)
{
	struct sockaddr_storage address = { 0 };
	const struct sockaddr_in6 *v6 = (const void *)&address;
	socklen_t size = sizeof(address);
	char host[48] = "", port[8] = "";
	bool is_v6;

	getsockname(fd, (struct sockaddr *)&address, &size);
	getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	is_v6 = address.ss_family == AF_INET6;
	snprintf(url, EXPORT_URL_BYTES,
		 is_v6 ? "http://[%s]:%s" : "http://%s:%s", host, port);
	*is_open = is_v6 ? !IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr)
			 : strncmp(host, "127.", 4) != 0;
}

static int fail(const char *where, int reason)
{
	if (reason == EADDRINUSE)
		return tool_fail(TOOL_FAILED,
				 "--listen=%s: another program, perhaps "
				 "another 'uncore export', listens there; give "
				 "another port",
				 where);
	return tool_fail(reason == EADDRNOTAVAIL ? TOOL_USAGE : TOOL_FAILED,
			 "--listen=%s: cannot listen there: %s", where,
			 strerror(reason));
}

int export_listen(const char *where, int *fd, char url[EXPORT_URL_BYTES],
		  bool *is_open)
{
	struct addrinfo *found = NULL;
	const int one = 1;
	int status = find_address(where, &found);

	*fd = -1;
	if (status)
		return status;
	*fd = socket(found->ai_family,
		     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* a port that was just left can be taken again */
	if (*fd >= 0)
		setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (*fd >= 0 && found->ai_family == AF_INET6)
		setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (*fd < 0 || bind(*fd, found->ai_addr, found->ai_addrlen) ||
	    listen(*fd, BACKLOG))
		status = fail(where, errno);
	freeaddrinfo(found);
	if (!status)
		name(*fd, url, is_open);
	return status;
}

/* Whether nothing but a port is left behind a name. */
static bool is_port(const char *rest)
{
	return !*rest ||
	       (*rest == ':' && !rest[1 + strspn(rest + 1, "0123456789")]);
}

/* The name or address alone, without a port, brackets and a dot at the end. */
static bool take_name(const char *host, char name[NAME_BYTES])
{
	bool has_bracket = *host == '[';
	size_t length;

	host += has_bracket;
	length = strcspn(host, has_bracket ? "]" : ":");
	if ((has_bracket && !host[length]) ||
	    !is_port(host + length + has_bracket))
		return false;
	if (!has_bracket && length && host[length - 1] == '.')
		length--;
	if (!length || length >= NAME_BYTES)
		return false;
	memcpy(name, host, length);
	name[length] = '\0';
	return true;
}

static bool is_address_of(const char *name, int connection)
{
	struct sockaddr_storage address = { 0 };
	const struct sockaddr_in *v4 = (const void *)&address;
	const struct sockaddr_in6 *v6 = (const void *)&address;
	unsigned char bytes[sizeof(struct in6_addr)];
	socklen_t size = sizeof(address);

	if (getsockname(connection, (struct sockaddr *)&address, &size) ||
	    inet_pton(address.ss_family, name, bytes) != 1)
		return false;
	return address.ss_family == AF_INET
		       ? !memcmp(bytes, &v4->sin_addr, sizeof(v4->sin_addr))
		       : !memcmp(bytes, &v6->sin6_addr, sizeof(v6->sin6_addr));
}

bool export_is_for_us(const char *host, int connection,
		      const char *const *names, size_t num_names)
{
	char name[NAME_BYTES];

	if (!take_name(host, name))
		return false;
	for (size_t i = 0; i < num_names; i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return !strcasecmp(name, "localhost") ||
	       is_address_of(name, connection);
}
