/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Threads of the host that run sockets side by side. Within a window no socket
 * looks at another, so who runs which socket, and when, changes nothing; what
 * they send one another is handed over between windows, by one thread.
 */
#ifndef MODEL_CREW_H
#define MODEL_CREW_H

#include <stdint.h>

struct crew;
struct socket;

/* num_threads - 1 threads besides the caller's for these sockets; NULL without
 * memory or threads. Ended by crew_free(). */
struct crew *crew_new(struct socket *const *sockets, unsigned num_sockets,
		      unsigned num_threads);
void crew_free(struct crew *crew);

/* Runs every socket until the cycle `end`. */
void crew_run(struct crew *crew, uint64_t end);

#endif
