/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Machine checks of cores, injected: every fault.check_cycles each core may
 * report an error of each severity that is asked for. The modelled cores have
 * no parts that could fail by themselves, and nobody handles the exception, so
 * an error is reported, counted once, and the core goes on; a fatal one brings
 * the Shutdown cycle of ubox_error(). Without such faults there are no events.
 */
#include "model/box/socket.h"
#include "model/box/ubox_parts.h"

static const struct {
	enum fault fault;
	enum ubox_error error;
} checks[] = {
	{ FAULT_MC_RECOVERABLE, UBOX_RECOVERABLE },
	{ FAULT_MC_CORRECTED, UBOX_CORRECTED },
	{ FAULT_MC_UNCORRECTED, UBOX_UNCORRECTED },
	{ FAULT_MC_FATAL, UBOX_FATAL },
};

enum { NUM_CHECKS = sizeof(checks) / sizeof(checks[0]) };

static void look(void *object, uint64_t unused)
{
	struct ubox *ubox = object;
	struct socket *socket = ubox->socket;
	uint64_t now = sim_now(socket->sim);

	(void)unused;
	for (unsigned i = 0; i < NUM_CHECKS; i++)
		for (unsigned core = 0; core < socket->num_cores; core++)
			if (fault_strikes(&socket->faults, checks[i].fault,
					  core, now))
				ubox_error(ubox, checks[i].error);
	sim_at(socket->sim, now + ubox->check_cycles, look, ubox, 0);
}

void ubox_check_start(struct ubox *ubox)
{
	struct socket *socket = ubox->socket;

	ubox->check_cycles =
		(uint64_t)socket->param[PARAM_FAULT_CHECK_CYCLES];
	for (unsigned i = 0; i < NUM_CHECKS; i++)
		if (fault_is_active(&socket->faults, checks[i].fault)) {
			sim_at(socket->sim, ubox->check_cycles, look, ubox, 0);
			return;
		}
}
