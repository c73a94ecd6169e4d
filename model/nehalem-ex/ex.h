/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A machine of the kind of Nehalem-EX (Xeon 7500) and Westmere-EX (Xeon E7):
 * what its sockets consist of, and the conventions of all files here.
 *
 * An access that leaves the private caches is a transaction. It is worked off
 * in one call, in the order of the starts; the call passes from station to
 * station and carries the time along. So a function here takes the cycle in
 * which something arrives and returns the cycle in which it is done, and
 * publishes with their exact times the signals of all that happens in between.
 * A box knows its own stations and nothing of its neighbours; where a message
 * goes next stands in the transaction.
 *
 * Every time is in uncore cycles. `now` is the start of the present transaction

 * (engine_now()); nobody asks a station for an earlier cycle and nothing is
 * published for one.
 */
#ifndef UNCORE_EX_H
#define UNCORE_EX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "model/pmu/engine.h"
#include "model/station/pool.h"

struct socket; /* model/box/socket.h: parameters, cores, signal banks */

enum { EX_MAX_SOCKETS = 8, EX_MAX_CORES = 10, EX_SIDES = 2 };

struct ex_socket {
	struct socket *socket;
	struct floor *floor;		   /* ring stops and slices */
	struct agent *agents[EX_SIDES];	   /* S-Boxes */
	struct home *homes[EX_SIDES];	   /* B-Boxes */
	struct memory *memories[EX_SIDES]; /* M-Boxes and their DRAM */
	struct router *router;		   /* R-Box */
	struct system *system;		   /* U-Box */
	struct wbox *wbox;
	struct hub *hub;     /* NULL where there is none */
	struct quick *quick; /* the same where all is detailed */
};

struct ex {
	struct engine engine;
	unsigned num_sockets, num_cores;
	bool has_directory;   /* homes send the snoops */
	struct pool requests; /* that wait or not, see out.h */
	struct ex_socket sockets[EX_MAX_SOCKETS];
};

struct ex_wiring; /* wiring.h */

/* The machine of some sockets, each with its wiring; NULL without memory. */
struct ex *ex_new(struct sim *sim, struct socket *const *sockets,
		  unsigned num_sockets, struct ex_wiring *wiring);
void ex_free(struct ex *ex);

/* No access is under way; and nothing else is, writes that wait in the memory's
 * queues included. */
bool ex_is_over(const struct ex *ex);
bool ex_is_settled(const struct ex *ex);

#endif
