/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Home agents by themselves: an M-Box that answers after so many cycles, an
 * R-Box that everything takes so many cycles through, and what each signal was
 * in each cycle.
 */
#ifndef UNCORE_TESTS_HOME_RIG_H
#define UNCORE_TESTS_HOME_RIG_H

/* Not those of the model, which may be linked as well. */
#define memory_ready_from rig_memory_ready_from
#define memory_command	  rig_memory_command
#define router_carry	  rig_router_carry

#include "model/nehalem-ex/home.h"
#include "model/nehalem-ex/memory.h"
#include "model/nehalem-ex/router.h"
#include "signals.h"

enum { RIG_CYCLES = 20000, RIG_COMMANDS = 4096, RIG_LISTENERS = 8 };

struct rig_command {
	unsigned command, fvid;
	uint64_t line, at, done;
};

/* The stubs. */
struct memory {
	uint64_t cycles[MBOX_NUM_COMMANDS];
	uint64_t ready_from;
	enum mbox_response response; /* of reads */
	/* NULL, or in their stead how long each piece of work takes. */
	const uint64_t *script;
	unsigned num_script;
	uint64_t left;
	unsigned num; /* of commands */
	struct rig_command commands[RIG_COMMANDS];
};

struct router {
	uint64_t cycles; /* besides the packet's flits */
	uint64_t credit_from;
	unsigned num;
	struct packet last;
};

/* All signals of a box in one cycle. */
struct rig_moment {
	int16_t value[NUM_SIG_BBOX];
};

struct home_rig {
	double param[64 * 8];
	struct sim *sim;
	struct ex ex;
	struct socket *all[EX_MAX_SOCKETS];
	struct memory memories[EX_MAX_SOCKETS][EX_SIDES];
	struct router routers[EX_MAX_SOCKETS];
	struct sigbank *banks[EX_MAX_SOCKETS][EX_SIDES];
	struct rig_moment *traces[EX_MAX_SOCKETS][EX_SIDES];
	struct counter *listeners[RIG_LISTENERS];
	unsigned num_listeners;
};

/* With settings ("bbox.imt=1") up to a NULL. */
struct home_rig *rig_new(unsigned sockets, const char *const *settings);
void rig_free(struct home_rig *rig);

struct home *rig_home(struct home_rig *rig, unsigned socket, unsigned side);

/* Counts packets of one class and opcode from now on. */
unsigned rig_listen(struct home_rig *rig, unsigned socket, unsigned side,
		    unsigned signal, unsigned mc, unsigned opcode);
uint64_t rig_heard(struct home_rig *rig, unsigned listener);

/* Lets time go on to a cycle. */
void rig_run(struct home_rig *rig, uint64_t until);

/* The value of a signal of home 0 of socket 0 in a cycle that has been. */
int rig_at(const struct home_rig *rig, unsigned signal, uint64_t cycle);
/* It is n in exactly these cycles, from .. to - 1, and else 0. */
void rig_check(const struct home_rig *rig, unsigned signal, uint64_t from,
	       uint64_t to, int n);
/* Over all cycles that have been. */
uint64_t rig_sum(const struct home_rig *rig, unsigned signal);

/* A request of an S-Box or a hub for a line whose home is B-Box 0 of socket 0;
 * it is there in the cycle `arrived`. */
struct home_job rig_job(unsigned opcode, unsigned requester, uint64_t line,
			uint64_t arrived);
/* It comes in, if it has not yet, and begins. */
void rig_begin(struct home_rig *rig, struct home_job *job);
/* One more answer to it, which comes in if it has not yet; data_at: 0, there
 * are none. */
void rig_answer(struct home_rig *rig, struct home_job *job, unsigned opcode,
		unsigned source, uint64_t at, uint64_t data_at);

#endif
