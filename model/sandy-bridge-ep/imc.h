/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The memory controller of one channel (iMC) and its DRAM: read and write
 * queues (RPQ, WPQ), major modes, pages, refresh, power. It thinks in cycles of
 * DCLK.
 */
#ifndef UNCORE_IMC_H
#define UNCORE_IMC_H

#include "model/sandy-bridge-ep/ep.h"
#include "model/station/dram.h"

enum imc_request {
	IMC_READ,
	IMC_UNDERFILL, /* the read of a partial write */
	IMC_READ_ISOCH,
	IMC_WRITE,
	IMC_WRITE_ISOCH,
};

/* NULL without memory. */
struct imc *imc_new(struct ep *ep, unsigned socket, unsigned channel,
		    const struct uc_family *family);
void imc_free(struct imc *imc);

/* The same, which publishes on a bank with signals of `imc`. */
struct imc *imc_new_on(struct ep *ep, unsigned socket, unsigned channel,
		       struct sigbank *bank);

/* What does not go together in the settings, or NULL. */
const char *imc_config_check(const struct socket *socket);

/* The first cycle from `at` (not before now) on in which a queue has a place:
 * the home agent's credits for it. SIM_NEVER: that depends on requests that
 * have not been worked off yet; it is worth a try some cycles later. */
uint64_t imc_read_from(struct imc *imc, uint64_t at);
uint64_t imc_write_from(struct imc *imc, uint64_t at);

/* A read of the channel's line `local` enters the RPQ in the cycle `at`, which
 * imc_read_from() has named: returns the cycle in which the line is at the home
 * agent. */
uint64_t imc_read(struct imc *imc, enum imc_request kind, uint64_t local,
		  uint64_t at);

/* Who can wait until the channel chooses his read. He is told the cycle in
 * which the line is at the home agent, or while that is not known one before
 * which it is not. */
struct imc_owner {
	void (*comes)(void *object, uint64_t data);
	void (*waits)(void *object, uint64_t until);
};

/* The same of an IMC_READ: 0, and the owner will be told, the line is not there
 * before *shown; or the cycle, if there was nothing to choose. */
uint64_t imc_read_later(struct imc *imc, uint64_t local, uint64_t at,
			const struct imc_owner *owner, void *object,
			uint64_t *shown);

/* Reads that wait are chosen now: one of them, of which there is one; up to the
 * object's. */
void imc_choose(struct imc *imc);
void imc_choose_for(struct imc *imc, const void *object);

/* A write enters the WPQ in the cycle `at`, which imc_write_from() has named;
 * it is complete for all others then. */
void imc_write(struct imc *imc, enum imc_request kind, uint64_t local,
	       uint64_t at);

/* A request while time stands (engine.is_quick): its row is open behind it, and
 * it is told; whether that was a miss is a matter of time. Returns `at`. */
uint64_t imc_pass(struct imc *imc, enum imc_request kind, uint64_t local,
		  uint64_t at);

/* Time goes on where it stood; but pages that would have been idle for too long
 * by ep.quick_cycle are closed, and ranks as idle as they would be. */
void imc_go_on(struct imc *imc);

/* Column commands so far, some of which may still be to come. */
uint64_t imc_columns(const struct imc *imc);

/* No queue holds anything. */
bool imc_is_idle(const struct imc *imc, uint64_t now);

/* What is wrong with the commands to the DRAM so far, or NULL: of those before
 * the last call, and if the machine is checked. */
const char *imc_check(const struct imc *imc);

/* Every command to the DRAM from now on is shown to fn, in the order of their
 * clocks, once no earlier one can come; 0, or -1 without memory. */
int imc_trace(struct imc *imc, dram_trace_fn *fn, void *object);

#endif
