/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box: the crossbar of a socket with eight ports (guide 2.6), and the QPI
 * links that join sockets and I/O hubs.
 */
#ifndef UNCORE_ROUTER_H
#define UNCORE_ROUTER_H

#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/rbox.h" /* enum rbox_port, struct rbox_config */

struct router;

/* The R-Box of a socket, or NULL without memory or with a config that cannot
 * work. ex->num_sockets and the num_hubs of the socket have to be there;
 * element SIG * 8 + port of the bank is a signal of a port. */
struct router *router_new(struct ex *ex, unsigned socket,
			  const struct rbox_config *config,
			  struct sigbank *bank);
void router_free(struct router *router);

/* What a sender learns about its packet. */
struct router_ride {
	/* The first flit enters the input port (of a hub's packet: its link): a
	 * credit for the port's buffer was there and the wire was free. Until
	 * then the packet was in the sender's queue. */
	uint64_t entered;
	bool has_waited;      /* for a credit, from `ready` on, */
	uint64_t credit_wait; /* so many cycles; then perhaps for the wire */
	uint8_t vn;	      /* what carried it there: 0 VN0, 1 VN1, 2 VNA; */
	uint64_t credit_at;   /* that is free again from then on */
	/* The receiver has the packet, with its last flit. */
	uint64_t arrived;
};

/* Carries a packet from the box behind port `from` of a socket's R-Box to the
 * box of packet->dest, through one R-Box or several and the links in between.
 * A hub is behind RBOX_PORT_QPI3. It is ready to enter in the cycle `ready`,
 * not before engine_now(); the receiver has room for it from `room_from` on (0:
 * always). packet->network is the one that it may use where VNA has no room;
 * packet->vn becomes the credit that carried it last. Publishes all signals of
 * all R-Boxes on the way. */
struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from);

/* The same while time stands (ex.engine.is_quick): returns that. */
uint64_t router_pass(struct ex *ex, unsigned socket, enum rbox_port from,
		     struct packet *packet);

/* The link over which packets reach a node sleeps in a cycle (idle_cycles). */
bool router_link_sleeps(struct ex *ex, unsigned socket, unsigned node,
			uint64_t at);

/* An S-Box has sent an idle flit with credits (rbox_idle_flit()). */
void router_idle_flit(struct ex *ex, unsigned socket, enum rbox_port port,
		      uint64_t at);

#endif
