/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the parts of the memory controller share. All times here are clocks
 * (DCLK) but where they are called cycles. A request waits in its queue until
 * it is chosen (imc_read.c, imc_write.c) and then is worked off in one go: when
 * its rank takes commands, which it needs and when they go (imc_issue.c,
 * model/parts/memory).
 *
 * Invariants
 * 1. A write that waits has no clocks, and then an event is on its way for the
 *    clock in which the reads that are known have gone.
 * 2. A read that waits has no clocks, and then an event is on its way
 *    (look_cycle) for a clock before the one up to which it is shown.
 * 3. What lies before the present cycle is published with sig_past(), the rest
 *    with its time.
 */
#ifndef UNCORE_IMC_PARTS_H
#define UNCORE_IMC_PARTS_H

#include "model/parts/memory/mc.h"
#include "model/pmu/visit.h"
#include "model/sandy-bridge-ep/imc.h"
#include "model/station/lines.h"
#include "model/station/places.h"
#include "model/station/spans.h"
#include "signals.h"

enum {
	IMC_RPQ = 22, /* entries: the largest increments of the guide, p. 70 */
	IMC_WPQ = 32, /* p. 71 */
	IMC_MAX_RANKS = 8,
	IMC_MAX_BANKS = DRAM_MAX_BANKS,
	IMC_DELAY_PARTS = 16,
	IMC_MOST_PASSED = 16, /* others go before a request at most */
};

#define IMC_NEVER UINT64_MAX

enum imc_pages { IMC_PAGES_OPEN, IMC_PAGES_CLOSED, IMC_PAGES_ADAPTIVE };
enum imc_power { IMC_POWER_OFF, IMC_POWER_FAST, IMC_POWER_SLOW };

struct imc_heat_config {
	double ambient_c, hot_c, critical_c, fault_k;
	uint64_t fault_clocks, look_clocks, period_clocks;
	unsigned percent, hot_percent; /* of a period in which ranks rest */
};

struct imc_config {
	struct mc_config mc;
	unsigned front_clocks, back_clocks, forward_clocks, ecc_clocks;
	unsigned write_high, write_low; /* entries */
	unsigned write_idle;		/* clocks */
	unsigned underfill_clocks;
	enum imc_pages pages;
	unsigned page_window;
	enum imc_power power;
	struct imc_heat_config heat;
	unsigned ranks_of_dimm;
};

/* A request, and what is to be told of it. */
struct imc_txn {
	struct mc_txn dram;
	uint8_t kind;	 /* enum imc_request */
	bool is_drained; /* a write of write mode */
};

/* A read that waits. */
struct imc_read {
	struct imc_txn txn;
	uint64_t start; /* its first command is not earlier */
	uint64_t shown; /* it has been told to be in the queue up to there */
	uint64_t begun; /* the clock in which it was asked for */
	uint64_t requester;
	unsigned place, num_passed; /* others that were chosen before it */
	const struct imc_owner *owner;
	void *object;
};

/* A write that waits. */
struct imc_write {
	struct imc_txn txn;
	uint64_t start; /* its first command is not earlier */
	uint64_t shown; /* it has been told to be in the queue up to there */
	uint64_t requester;
	unsigned place, num_passed; /* others that were chosen before it */
};

/* When a rank is above the DIMM's trip point. */
struct imc_rank {
	uint64_t hot_from, hot_until;
};

struct imc_bank {
	uint64_t passed;      /* cycle of the latest request while time stood */
	unsigned num_waiting; /* writes */
};

struct imc {
	struct mc mc; /* its clock is that of the present call */
	struct ep *ep;
	struct socket *socket;
	struct sigbank *signals;
	struct visits *visits;
	struct ep_clock rate;
	unsigned number; /* of the channel */

	uint64_t now;	     /* cycle of the present call, */
	uint64_t now_from;   /* the first clock that begins then or later */
	uint64_t busy_until; /* answers and column commands, cycles */

	struct places rpq, wpq;
	struct imc_read reads[IMC_RPQ]; /* in the order of asking */
	unsigned num_reads;
	uint64_t look_cycle; /* the next look at them; SIM_NEVER: none */
	struct lines lines;  /* of WPQ; for ever while they wait */
	uint64_t entries[IMC_WPQ];
	uint64_t reads_until, writes_until; /* latest column commands */
	struct spans modes;		    /* other than read mode */

	uint64_t turn_from, turn_until; /* the latest time of write mode */
	unsigned turn_left;		/* writes that may still join it */
	bool has_turn;			/* which is not over */
	bool has_alarm;
	uint64_t alarm; /* the writes that wait look for reads */
	unsigned num_waiting;
	struct imc_write waiting[IMC_WPQ]; /* in the order of entry */
	uint64_t passed_writes[IMC_WPQ]; /* lines, of imc_pass(), the latest */
	unsigned num_passed_writes;

	uint64_t passed[MC_BANK_WORDS]; /* pages of imc_pass(): bits */
	uint64_t delay; /* of late, from a read's start to its column command;
			   in parts of a clock */
	unsigned too_late, too_early;

	uint64_t next_look, critical_from, critical_until;
	unsigned num_strikes;
	uint64_t num_columns; /* commands */

	struct imc_rank ranks[IMC_MAX_RANKS];
	struct imc_bank pages[IMC_MAX_BANKS];
	struct imc_config config;
};

/* imc_config.c: the parameters; NULL, or what does not go together. */
const char *imc_configure(const struct socket *socket,
			  struct imc_config *config);

/* imc.c: before whatever somebody asks for. */
void imc_enter(struct imc *imc, uint64_t now);
struct imc_txn imc_txn(const struct imc *imc, enum imc_request kind,
		       uint64_t local, uint64_t at);
int imc_find_write(const struct imc *imc, uint64_t local, uint64_t entry);
uint64_t imc_done(struct imc *imc, uint64_t clock);

/* imc_read.c */
void imc_reserve(struct imc *imc, unsigned id, uint64_t from, uint64_t column);

/* imc_issue.c: all commands of a request, its first not before a clock, the
 * column command, whose clock is returned, not before another. */
uint64_t imc_issue(struct imc *imc, struct imc_txn *txn, uint64_t start,
		   uint64_t data);
void imc_open(struct mc *mc, const struct mc_txn *txn);

/* imc_write.c; a write while time stands: as many wait as before, and the one
 * that is returned goes to the DRAM. Those that wait then are the latest. */
void imc_write_alarm(struct imc *imc);
uint64_t imc_write_pass(struct imc *imc, uint64_t local);
void imc_write_go_on(struct imc *imc);

/* imc_heat.c */
void imc_heat_start(struct imc *imc);
void imc_heat_look(struct mc *mc, uint64_t clock);
uint64_t imc_heat_next(const struct mc *mc);
uint64_t imc_heat_rest(const struct imc *imc, unsigned rank, uint64_t clock);

/* imc_tell.c: what is published. */
struct visits *imc_visits(struct sigbank *bank);
void imc_pulse(struct imc *imc, unsigned id, uint64_t clock);
void imc_level(struct imc *imc, unsigned id, uint64_t clock, int by);
void imc_tell(struct imc *imc, const struct imc_txn *txn);
void imc_tell_pass(struct imc *imc, enum imc_request kind);
void imc_stay(struct imc *imc, unsigned id, uint64_t from, uint64_t until);
void imc_mode(struct imc *imc, unsigned id, uint64_t from, uint64_t until);
void imc_tell_read_mode(struct imc *imc, uint64_t clock);
void imc_tell_start(struct imc *imc);
void imc_tell_command(struct mc *mc, enum dram_cmd cmd, unsigned bank,
		      uint64_t clock);
void imc_tell_past(struct mc *mc, enum dram_cmd cmd, uint64_t num);

static inline uint64_t imc_cycle(const struct imc *imc, uint64_t clock)
{
	return ep_from_clock(imc->rate, clock);
}

/* The first clock that begins in a cycle or later. */
static inline uint64_t imc_clock(const struct imc *imc, uint64_t cycle)
{
	uint64_t clock = ep_to_clock(imc->rate, cycle);

	return clock + (imc_cycle(imc, clock) < cycle);
}

static inline bool imc_is_write(const struct imc_txn *txn)
{
	return txn->kind >= IMC_WRITE;
}

#endif
