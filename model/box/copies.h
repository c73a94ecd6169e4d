/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the copies of a slice of the LLC and of its cores hold, for --check (see
 * model/truth/values.h), and whom the traffic is told to have lost a line. A
 * slice's copy keeps the version that it was filled with or that a core gave
 * back; a core's copy is the slice's, or, once the core has written to it, the
 * one that it made itself. Without --check these do nothing, which is cheap;
 * the _checked ones are for here only.
 */
#ifndef UNCORE_COPIES_H
#define UNCORE_COPIES_H

#include "model/box/socket.h"

/* A line in a way of a slice of a socket. */
struct copies_line {
	struct socket *socket;
	struct llc *llc;
	const struct llc_way *way;
	uint64_t line;
};

/* Somebody's access of the line: a core's of a kind (enum uncore_access_kind);
 * `oldest` is the version that it may read. */
struct copies_access {
	struct copies_line at;
	unsigned kind, core; /* core: its number in the system */
	uint32_t oldest;
};

/* What the slice holds, once a core that wrote has given it back. */
uint32_t copies_recall_checked(struct copies_line line);
static inline uint32_t copies_recall(struct copies_line line)
{
	return line.socket->values ? copies_recall_checked(line) : 0;
}

/* The core writes to its copy, which it is about to be alone with. */
void copies_write_checked(struct copies_access access);
static inline void copies_write(struct copies_access access)
{
	if (access.at.socket->values)
		copies_write_checked(access);
}

/* A read has got a version. */
void copies_read_checked(struct copies_access access, uint32_t value);
static inline void copies_read(struct copies_access access, uint32_t value)
{
	if (access.at.socket->values && core_is_load(access.kind))
		copies_read_checked(access, value);
}

/* A miss is put into its way. */
void copies_fill_checked(struct copies_access access, uint32_t value);
static inline void copies_fill(struct copies_access access, uint32_t value)
{
	if (access.at.socket->values)
		copies_fill_checked(access, value);
}

/* Cores of the socket (a bit each) lose a line, or are to keep a clean copy
 * (downgrade). is_victim: since the LLC gives it up, of which the traffic
 * always hears. */
void copies_take(const struct socket *socket, unsigned cores, uint64_t line,
		 bool downgrade, bool is_victim);

/* The slice's versions, all 0; false without memory. */
bool copies_init(const struct socket *socket, struct llc *llc);

#endif
