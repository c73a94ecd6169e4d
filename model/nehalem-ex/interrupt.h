/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Interrupts and special cycles: messages to cores.
 */
#ifndef UNCORE_INTERRUPT_H
#define UNCORE_INTERRUPT_H

#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/system.h"

/* A message or an interrupt is at the S-Box packet->dest in the cycle `at`: its
 * cores are told of it. Returns when the sender has the answer. */
uint64_t interrupt_tell(struct ex *ex, const struct packet *packet,
			uint64_t at);

/* The buffer of a U-Box for an interrupt to a CPU. */
enum system_buffer interrupt_buffer(const struct ex *ex, unsigned socket,
				    unsigned cpu);

/* An interrupt (packet->core: the CPU) is in the buffer of a U-Box: it goes to
 * that CPU. Returns when the requester, in *answer, has heard that it has. */
uint64_t interrupt_pass_on(struct ex *ex, struct system *system,
			   const struct system_visit *visit,
			   const struct packet *packet, struct packet *answer);

/* A fatal error: one Shutdown cycle at a time to the socket's cores. */
void interrupt_shut_down(struct ex *ex, unsigned socket);

#endif
