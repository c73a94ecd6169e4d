/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A bench for R-Boxes without the rest of the machine: sockets with their banks
 * in one sim, packets that go from node to node, sums of signals.
 */
#ifndef UNCORE_ROUTER_RIG_H
#define UNCORE_ROUTER_RIG_H

#include "model/fault/fault.h"
#include "model/nehalem-ex/router.h"

struct rig {
	struct rbox_config config;
	struct fault_plan plan;
	struct faults faults[EX_MAX_SOCKETS];
	uint64_t num_corrected;
	struct ex ex;
	struct sigbank *banks[EX_MAX_SOCKETS];
	uint64_t random;
};

/* Faults ("NAME:rate=...", or NULL) are known from the start. */
struct rig *rig_new(unsigned num_sockets, unsigned num_hubs,
		    const struct rbox_config *config, const char *fault);
void rig_free(struct rig *rig);

/* A packet of a class; how long it is, and where the node sends it from. */
struct packet rig_packet(unsigned from, unsigned to, unsigned cls);
unsigned rig_flits(unsigned cls);
enum rbox_port rig_port(unsigned node);

/* Sends it; it is ready at `ready`, and there is room for it from `room`. */
struct router_ride rig_send(struct rig *rig, unsigned from, unsigned to,
			    unsigned cls, uint64_t ready, uint64_t room);

/* Lets time pass. */
void rig_run(struct rig *rig, uint64_t until);
unsigned rig_below(struct rig *rig, unsigned limit);

/* The same of a bank alone: begins to listen to all signals of it; the sum of
 * one over all cycles so far, and the cycles in which there was any. */
void rig_listen_to(struct sigbank *bank);
uint64_t rig_total(struct sigbank *bank, unsigned id);
uint64_t rig_cycles(struct sigbank *bank, unsigned id);

/* Begins to listen to all signals; the sum of one over all cycles so far, and
 * the cycles in which there was any. */
void rig_listen(struct rig *rig);
uint64_t rig_sum(struct rig *rig, unsigned socket, unsigned signal,
		 unsigned port);
uint64_t rig_busy(struct rig *rig, unsigned socket, unsigned signal,
		  unsigned port);
/* Over all ports and sockets of num signals in a row. */
uint64_t rig_sum_all(struct rig *rig, unsigned first, unsigned num);

#endif
