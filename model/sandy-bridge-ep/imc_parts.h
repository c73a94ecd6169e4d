/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the parts of the memory controller share. All times here are clocks
 * (DCLK) but where they are called cycles. A request is worked off in one go
 * (imc.c): when its rank takes commands (imc_rank.c, imc_heat.c), which it
 * needs and when they go (imc_issue.c). Only writes may have to wait for
 * something that is not known yet (imc_write.c).
 *
 * Invariants
 * 1. A bank is given out in the order of working off; column commands of an
 *    open row, and other banks, may overtake each other (model/station/bank.h).
 * 2. What comes due by itself (refresh, sleep, closing of idle pages, a look at
 *    the sensors) is worked off up to the present clock before anything else
 *    is, in the order of time; nothing of it is due before `next_due`.
 * 3. A write that waits has no clocks, and then an event is on its way for the
 *    clock in which the reads that are known have gone.
 * 4. What lies before the present cycle is published with sig_past(), the rest
 *    with its time.
 */
#ifndef UNCORE_IMC_PARTS_H
#define UNCORE_IMC_PARTS_H

#include "model/pmu/visit.h"
#include "model/sandy-bridge-ep/imc.h"
#include "model/station/bank.h"
#include "model/station/dram_trace.h"
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
};

#define IMC_NEVER UINT64_MAX

enum imc_pages { IMC_PAGES_OPEN, IMC_PAGES_CLOSED, IMC_PAGES_ADAPTIVE };
enum imc_power { IMC_POWER_OFF, IMC_POWER_FAST, IMC_POWER_SLOW };
enum imc_sleep { IMC_AWAKE, IMC_POWER_DOWN, IMC_SELF_REFRESH };

struct imc_heat_config {
	double ambient_c, hot_c, critical_c, fault_k;
	uint64_t fault_clocks, look_clocks, period_clocks;
	unsigned percent, hot_percent; /* of a period in which ranks rest */
};

struct imc_config {
	struct dram_config dram;
	unsigned front_clocks, back_clocks, forward_clocks, ecc_clocks;
	unsigned write_high, write_low; /* entries */
	unsigned write_idle;		/* clocks */
	unsigned underfill_clocks;
	enum imc_pages pages;
	uint64_t page_idle_clocks; /* 0: never */
	unsigned page_window;
	unsigned refresh_high, refresh_panic, refresh_idle_clocks;
	enum imc_power power;
	uint64_t power_down_clocks, self_refresh_clocks; /* 0: never */
	struct imc_heat_config heat;
	unsigned ranks_of_dimm;
	bool has_check;
};

/* A request, and what is to be told of it. */
struct imc_txn {
	struct dram_place place;
	uint8_t rank, kind; /* enum imc_request */
	bool is_drained;    /* a write of write mode */
	uint64_t entry;
	uint64_t activate, precharge, column; /* its commands, or IMC_NEVER */
};

/* A write that waits. */
struct imc_write {
	struct imc_txn txn;
	uint64_t start; /* its first command is not earlier */
	uint64_t shown; /* it has been told to be in the queue up to there */
	uint64_t requester;
	unsigned place;
};

struct imc_rank {
	uint64_t refresh;    /* the next comes due */
	uint64_t busy_until; /* refreshed, or put to sleep or woken */
	uint64_t last_use;   /* latest column command */
	uint64_t hot_from, hot_until;
	unsigned owed; /* refreshes that are put off */
	uint8_t sleep; /* enum imc_sleep */
};

struct imc_bank {
	uint64_t last_column;
	uint64_t passed;      /* cycle of the latest request while time stood */
	uint64_t idle_until;  /* if its bit is set: then it is closed */
	uint64_t closed;      /* when a read closed the page of another, */
	int64_t closed_row;   /* whose row this was, or -1 */
	int64_t timed_row;    /* closed for being idle, or -1 */
	unsigned num_waiting; /* writes */
	bool closes; /* its last column command does, as things stand */
};

struct imc {
	struct ep *ep;
	struct socket *socket;
	struct sigbank *signals;
	struct visits *visits;
	struct banks *banks;
	struct dram_trace *trace; /* NULL: nobody wants it */
	struct ep_clock rate;
	unsigned number; /* of the channel */

	uint64_t now;	   /* cycle of the present call, */
	uint64_t now_from; /* the first clock that begins then or later */
	uint64_t present;  /* and the one that it falls into */
	uint64_t next_due, alarm_cycle, last_slide;
	uint64_t busy_until; /* answers and column commands, cycles */
	uint64_t last_use;   /* of any rank */

	struct places rpq, wpq;
	struct lines lines; /* of WPQ; for ever while they wait */
	uint64_t entries[IMC_WPQ];
	uint64_t reads_until, writes_until; /* latest column commands */
	struct spans modes;		    /* other than read mode */

	uint64_t turn_from, turn_until; /* the latest time of write mode */
	unsigned turn_left;		/* writes that may still join it */
	bool has_alarm;
	uint64_t alarm; /* the writes that wait look for reads */
	unsigned num_waiting;
	struct imc_write waiting[IMC_WPQ]; /* in the order of entry */
	uint64_t passed_writes[IMC_WPQ]; /* lines, of imc_pass(), the latest */
	unsigned num_passed_writes;

	uint64_t idle; /* open pages that a timer closes: a bit for each bank */
	uint64_t passed; /* those of imc_pass(), the same */
	uint64_t idle_due;
	uint64_t delay; /* of late, from a read's start to its column command;
			   in parts of a clock */
	uint64_t page_idle; /* the time in force */
	unsigned too_late, too_early;

	uint64_t next_look, critical_from, critical_until;
	unsigned num_strikes;
	uint64_t num_columns; /* commands */

	struct imc_rank ranks[IMC_MAX_RANKS];
	struct imc_bank pages[IMC_MAX_BANKS];
	struct dram map;
	struct imc_config config;
};

/* imc_config.c: the parameters; NULL, or what does not go together. */
const char *imc_configure(const struct socket *socket,
			  struct imc_config *config);

/* imc.c: before whatever somebody asks for; nothing before a clock is of
 * interest any more. */
void imc_enter(struct imc *imc, uint64_t now);
void imc_slide(struct imc *imc, uint64_t clock);
struct imc_txn imc_txn(const struct imc *imc, enum imc_request kind,
		       uint64_t local, uint64_t at);
int imc_find_write(const struct imc *imc, uint64_t local, uint64_t entry);
void imc_reserve(struct imc *imc, unsigned id, uint64_t from, uint64_t column);
uint64_t imc_done(struct imc *imc, uint64_t clock);

/* imc_issue.c: all commands of a request, its first not before a clock, the
 * column command, whose clock is returned, not before another. */
uint64_t imc_issue(struct imc *imc, struct imc_txn *txn, uint64_t start,
		   uint64_t data);
bool imc_is_hit(const struct imc *imc, const struct imc_txn *txn);
void imc_page_settle(struct imc *imc, unsigned bank, uint64_t clock);
void imc_close_idle(struct imc *imc, uint64_t clock);

/* imc_write.c; a write while time stands: as many wait as before, and the one
 * that is returned goes to the DRAM. Those that wait then are the latest. */
void imc_write_alarm(struct imc *imc);
uint64_t imc_write_pass(struct imc *imc, uint64_t local);
void imc_write_go_on(struct imc *imc);

/* imc_rank.c: refresh and sleep. */
void imc_rank_start(struct imc *imc);
uint64_t imc_rank_next(const struct imc *imc, unsigned rank);
void imc_rank_until(struct imc *imc, unsigned rank, uint64_t clock);
/* The rank has not been used for so many clocks, the latest of which the engine
 * does not know of. */
void imc_rank_age(struct imc *imc, unsigned rank, uint64_t clocks);
uint64_t imc_rank_ready(struct imc *imc, const struct imc_txn *txn,
			uint64_t clock);

/* imc_due.c: what comes due by itself. */
void imc_due(struct imc *imc);
void imc_due_by(struct imc *imc, uint64_t clock);
void imc_due_listen(struct imc *imc);

/* imc_heat.c */
void imc_heat_start(struct imc *imc);
void imc_heat_look(struct imc *imc, uint64_t clock);
uint64_t imc_heat_rest(const struct imc *imc, unsigned rank, uint64_t clock);

/* imc_tell.c: what is published. */
struct visits *imc_visits(struct sigbank *bank);
void imc_pulse(struct imc *imc, unsigned id, uint64_t clock);
void imc_level(struct imc *imc, unsigned id, uint64_t clock, int by);
void imc_tell(struct imc *imc, const struct imc_txn *txn);
void imc_tell_pass(struct imc *imc, enum imc_request kind);
void imc_stay(struct imc *imc, unsigned id, uint64_t from, uint64_t until);
void imc_mode(struct imc *imc, unsigned id, uint64_t from, uint64_t until);
void imc_show(struct imc *imc, enum dram_cmd cmd, unsigned bank, uint32_t row,
	      uint64_t clock);

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
