/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which QPI ports are joined in a machine of 1 to 8 sockets, and which port a
 * packet for another socket leaves by. At most two hops, free of deadlock.
 */
#ifndef UNCORE_QPI_MAP_H
#define UNCORE_QPI_MAP_H

#include "model/nehalem-ex/rbox.h"

/* The socket at the other end of a socket's QPI port and the port there, or -1
 * where nothing is connected (or the port is not a QPI port). */
int qpi_peer(unsigned num_sockets, unsigned socket, enum rbox_port port,
	     enum rbox_port *peer_port);

/* The port by which a packet in socket `from` goes on to socket `to`. */
enum rbox_port qpi_route(unsigned num_sockets, unsigned from, unsigned to);

/* Links between two sockets: 1 or 2 (0: the same socket). */
unsigned qpi_hops(unsigned num_sockets, unsigned from, unsigned to);

#endif
