/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a live model at a Unix socket, for programs of the same
 * user; wire.h and docs/protocol.md describe the protocol.
 */
#ifndef UNCORE_SERVER_H
#define UNCORE_SERVER_H

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_live;
struct uncore_server;

/* Listens at a path, which only the owner may use, and answers in a thread of
 * its own. A socket file whose server is dead is replaced, a living one
 * refused (UNCORE_ERR_STATE). On error *error (to be freed) is a sentence. */
int uncore_server_new(struct uncore_live *live, const char *path,
		      struct uncore_server **server, char **error);

/* Ends all connections and removes the file. NULL is allowed. */
void uncore_server_free(struct uncore_server *server);

#ifdef __cplusplus
}
#endif

#endif
