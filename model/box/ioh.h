/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An I/O hub at the far end of a QPI port: devices that read and write memory
 * (DMA) and send interrupts, and that answer uncached, port and configuration
 * accesses of cores. It caches nothing: a line that it writes is its own from
 * the grant of its InvItoE until its WbMtoI, and the home keeps others waiting.
 */
#ifndef UNCORE_IOH_H
#define UNCORE_IOH_H

#include <stdbool.h>
#include <stdint.h>

struct socket;
struct ioh;

/* The hub of a socket (NODE_IOH(socket->index)), attached to its R-Box port, or
 * NULL without memory. */
struct ioh *ioh_new(struct socket *socket);
void ioh_free(struct ioh *ioh);
bool ioh_is_idle(const struct ioh *ioh);

/* Traffic has been set: begin to take it from the present cycle on. */
void ioh_start(struct ioh *ioh);

/* Requests for memory that the devices have made; lines read and written. */
uint64_t ioh_num_reads(const struct ioh *ioh);
uint64_t ioh_num_writes(const struct ioh *ioh);

#endif
