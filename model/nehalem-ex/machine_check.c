/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Machine checks of cores, injected: every fault.check_cycles each core may
 * report an error of each severity that is asked for. The modelled cores have
 * no parts that could fail by themselves, and nobody handles the exception, so
 * an error is reported, counted once, and the core goes on; a fatal one brings
 * the Shutdown cycle of system_error(). Without such faults there are no
 * events.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/system.h"

static const struct {
	enum fault fault;
	enum system_error error;
} checks[] = {
	{ FAULT_MC_RECOVERABLE, SYSTEM_RECOVERABLE },
	{ FAULT_MC_CORRECTED, SYSTEM_CORRECTED },
	{ FAULT_MC_UNCORRECTED, SYSTEM_UNCORRECTED },
	{ FAULT_MC_FATAL, SYSTEM_FATAL },
};

enum { NUM_CHECKS = sizeof(checks) / sizeof(checks[0]) };

static void look(void *object, uint64_t index);

static void look_later(struct ex *ex, unsigned index)
{
	const struct socket *socket = ex->sockets[index].socket;
	uint64_t cycles = (uint64_t)socket->param[PARAM_FAULT_CHECK_CYCLES];

	sim_at(ex->engine.sim, engine_now(&ex->engine) + cycles, look, ex,
	       index);
}

static void look(void *object, uint64_t index)
{
	struct ex *ex = object;
	struct socket *socket = ex->sockets[index].socket;

	for (unsigned i = 0; i < NUM_CHECKS; i++)
		for (unsigned core = 0; core < socket->num_cores; core++)
			if (fault_strikes(&socket->faults, checks[i].fault,
					  core, engine_now(&ex->engine)))
				system_error(ex, (unsigned)index,
					     checks[i].error);
	look_later(ex, (unsigned)index);
}

void machine_check_start(struct ex *ex, unsigned socket)
{
	for (unsigned i = 0; i < NUM_CHECKS; i++)
		if (fault_is_active(&ex->sockets[socket].socket->faults,
				    checks[i].fault)) {
			look_later(ex, socket);
			return;
		}
}
