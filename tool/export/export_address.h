/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where `uncore export` listens: from a text to a socket; and which requests
 * are meant for it. A page of anybody's may give its own name the address of
 * this machine and then ask here as if it asked at home (DNS rebinding): it is
 * told by the name that the request is for.
 */
#ifndef UNCORE_TOOL_EXPORT_ADDRESS_H
#define UNCORE_TOOL_EXPORT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

enum { EXPORT_URL_BYTES = 80 };

/* Listens at "ADDRESS:PORT", "[ADDRESS]:PORT" or at a port of 127.0.0.1; port 0
 * is a free one. *url is "http://127.0.0.1:9300" then; *is_open tells whether
 * other machines can reach it. An exit code, after a sentence; *fd is to be
 * closed. */
int export_listen(const char *where, int *fd, char url[EXPORT_URL_BYTES],
		  bool *is_open);

/* Whether a request is for us by its header Host: for the address at which the
 * connection came in, for localhost, or for one of the names, with any port. */
bool export_is_for_us(const char *host, int connection,
		      const char *const *names, size_t num_names);

#endif
