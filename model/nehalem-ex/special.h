/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Special requests: what a core asks of the C-Box at its own ring stop and no
 * slice can answer (guide 2.3.6, SPL_* and IGR_*). All of them come to the
 * C-Box alike (special.c), where those end that move a core's state to the SRAM
 * before C6 and back; what becomes of the others is in special_out.c (devices,
 * ports, registers), interrupt.c (messages to cores) and lock.c.
 */
#ifndef UNCORE_SPECIAL_H
#define UNCORE_SPECIAL_H

#include "model/nehalem-ex/access.h"

struct special {
	struct access access;
	struct packet packet;
	uint64_t acknowledged; /* by the pass, which gave it a MAF entry */
	unsigned maf, serial;  /* serial: of the S-Box's request table, */
	uint64_t taken;	       /* in which it is since then */
	bool is_open;	       /* its stays in both are shown by events */
};

static inline bool special_is_sram(unsigned kind)
{
	return kind == CORE_ACCESS_SRAM_READ || kind == CORE_ACCESS_SRAM_WRITE;
}

static inline bool special_is_read(unsigned kind)
{
	return kind == UNCORE_ACCESS_UC_READ || kind == UNCORE_ACCESS_IO_READ ||
	       kind == UNCORE_ACCESS_CFG_READ || kind == CORE_ACCESS_SRAM_READ;
}

/* A core's special request begins now. */
void special_start(struct ex *ex, unsigned socket, unsigned core,
		   unsigned entry);

/* An entry of the request table, that is there from `at` on, is kept for it. */
void special_take_entry(struct special *special, uint64_t at);

/* It leaves the slice for packet.dest, and is there in the cycle that is
 * returned. */
uint64_t special_send(struct special *special, uint64_t at);

/* Its answer is at the S-Box in the cycle `at`, and ends it. */
void special_end(struct special *special, const struct packet *answer,
		 uint64_t at);

/* What follows the pass that was in the cycle special->acknowledged. */
void uncached_go(struct special *special);   /* special_out.c */
void interrupt_go(struct special *special);  /* interrupt.c */
void lock_go(const struct special *special); /* lock.c */

#endif
