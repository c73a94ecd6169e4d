/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * S-Boxes alone: in the place of the R-Boxes there is a wire for each port and
 * a fixed way behind it, in that of the rings a slot stream for each direction.
 */
#ifndef UNCORE_TESTS_AGENT_RIG_H
#define UNCORE_TESTS_AGENT_RIG_H

/* The S-Box is made to call these, see agent_stubbed.c. */
#define router_carry	 rig_router_carry
#define router_idle_flit rig_router_idle_flit
#define floor_ride	 rig_floor_ride

#include "model/box/socket.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/router.h"
#include "model/station/calendar.h"

enum {
	RIG_ROUTE_CYCLES = 40, /* from the last flit in to the receiver */
	RIG_PORT_CYCLES = 8,   /* until the credit of the port is back */
	RIG_RING_CYCLES = 3,
};

struct rig {
	struct sim *sim;
	struct ex ex;
	double param[NUM_PARAMS];
	struct socket *sockets[EX_MAX_SOCKETS];
	struct floor *floors[EX_MAX_SOCKETS]; /* with routes that say nothing */
	struct sigbank *banks[EX_MAX_SOCKETS][EX_SIDES];
	/* What the R-Box says of the next packets. */
	unsigned credit_wait;
	uint8_t vn;
	unsigned ring_wait; /* what passes on a ring holds them up */
	/* What it and the rings saw. */
	struct router_ride ride; /* the last one */
	unsigned num_rides, num_idle_flits;
	uint64_t idle_flit_at;
	struct calendar wires[EX_MAX_SOCKETS][EX_SIDES];
	struct calendar slots[EX_MAX_SOCKETS][EX_SIDES][NUM_RINGS]
			     [NUM_RING_DIRECTIONS];
	uint64_t injected; /* the first slot of the last message */
};

/* The rig that the stand-ins look at. */
extern struct rig rig;

/* A machine with the default parameters but for those given, ended by NULL:
 * "name=value". All signals are listened to where `listens`. */
void rig_start(unsigned num_sockets, const char *const *settings, bool listens);
void rig_end(void);

unsigned rig_param(const char *name);

/* A transaction starts in this cycle, not before the cycle of the last. */
void rig_at(uint64_t cycle);

struct agent *rig_agent(unsigned socket, unsigned side);

/* What a signal of the S-Box 0 of socket 0 has come to; and in how many cycles
 * there was any of it. To be asked after all, in a cycle of rig_at(). */
uint64_t rig_sum(unsigned signal);
uint64_t rig_busy(unsigned signal);

#define SUM(name, n) assert_int_equal(rig_sum(SIG_SBOX_##name), n)

/* One of so many sides; begins anew with a seed. */
void rig_seed(uint64_t seed);
unsigned dice(unsigned sides);

/* Packets of a request of socket 0, side 0. */
struct packet rig_request(unsigned dest);
struct packet rig_line(unsigned source, unsigned serial);

/* The way round the ring to a core; 10 cores. */
enum ring_direction rig_direction(unsigned side, unsigned core);

#endif
