/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A bench for the links between two sockets that have nothing else. Sums are
 * of the uncore's cycles; where its clock is that of the links, as by default
 * here, they are of link cycles.
 */
#ifndef TESTS_QLL_RIG_H
#define TESTS_QLL_RIG_H

#include "model/sandy-bridge-ep/qll.h"
#include "signals.h"

enum { RIG_LINKS = 2 };

struct qll_rig {
	struct ep_kind kind;
	struct ep ep;
	double param[NUM_PARAMS];
	struct socket sockets[EP_MAX_SOCKETS];
	struct fault_plan plan;
	/* by socket and link */
	struct sigbank *qpi[EP_MAX_SOCKETS][RIG_LINKS];
	struct sigbank *r3qpi[EP_MAX_SOCKETS][RIG_LINKS];
	uint64_t random;
};

extern struct qll_rig rig;

/* The machine's defaults, but for a clock of 1 GHz and a flight of 15 cycles,
 * and no power states. Then, after changes of rig.param, the links; all signals
 * are listened to. Faults as for uncore_model_inject(), or NULL. */
void rig_defaults(void);
void rig_start(unsigned num_sockets, const char *faults);
void rig_stop(void);

void rig_run_to(uint64_t cycle);
unsigned rig_below(unsigned limit);

/* A packet of a class as this machine sends it; line 0 takes link 0, line 1
 * link 1. */
struct packet rig_packet(enum packet_class cls, uint64_t line);

/* Sends one from a socket that is at the ring stop in a cycle, and lets it
 * leave the far egress as soon as it can. */
struct qll_trip rig_send(unsigned socket, struct packet packet, uint64_t at);

/* One that has come to a socket, for a line of a link and ready since a cycle,
 * leaves the egress clockwise in another. */
void rig_leaves(unsigned socket, uint64_t line, enum packet_class cls,
		uint64_t arrived, uint64_t injected);

/* Sums over all cycles before the present one, of link 0 of a socket; cycles in
 * which there was any; what there was in the latest cycle. */
uint64_t rig_qpi(unsigned socket, unsigned id);
uint64_t rig_r3(unsigned socket, unsigned id);
uint64_t rig_qpi_busy(unsigned socket, unsigned id);
uint64_t rig_r3_busy(unsigned socket, unsigned id);
int64_t rig_qpi_last(unsigned socket, unsigned id);
/* Over all ids of a list; over those of a bank from one on. */
uint64_t rig_qpi_all(unsigned socket, const unsigned *ids, unsigned num);
uint64_t rig_sum(struct sigbank *bank, unsigned first, unsigned num);

#endif
