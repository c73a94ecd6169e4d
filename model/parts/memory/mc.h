/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The part of a memory controller that faces the DRAM, of every kind of
 * processor: pages, the commands of a request, refresh and sleep of ranks, and
 * what comes due by itself. Queues, and who is chosen from them, are the
 * owner's: he asks when a rank takes commands (mc_rank_pass()), then for all
 * commands of a request (mc_issue()). All times are DRAM clocks.
 *
 * Invariants
 * 1. A bank is given out in the order of asking; column commands of an open
 *    row, and other banks, may overtake each other (model/station/bank.h).
 * 2. What comes due by itself is worked off up to the present clock before
 *    anything else is, in the order of time; nothing of it is due before
 *    `next_due`.
 * 3. Commands that belong to no request are told (`tell`) when they have their
 *    clock, those of a request by its owner.
 */
#ifndef UNCORE_MC_H
#define UNCORE_MC_H

#include <stddef.h>

#include "model/pmu/signal.h"
#include "model/station/bank.h"
#include "model/station/dram_trace.h"

#define MC_NEVER UINT64_MAX

struct mc;

/* A request, and what becomes of it. */
struct mc_txn {
	struct dram_place place;
	uint8_t rank; /* of all buses */
	bool is_write;
	bool closes;	/* its column command closes the page, as known then */
	uint64_t entry; /* it is in its queue from then on */
	uint64_t activate, precharge, column; /* MC_NEVER: none */
};

/* Commands for a whole rank, each with a time after it; up to a 0. */
enum mc_wait {
	MC_ONE,
	MC_MRD,
	MC_MOD,
	MC_ZQINIT,
	MC_DLLK,
	MC_XS,
	MC_XP,
	MC_CKE
};
struct mc_step {
	uint8_t cmd, wait; /* enum dram_cmd, enum mc_wait */
};

/* What a kind of controller is; functions that it can do without: NULL. */
struct mc_kind {
	const struct mc_step *power_down, *power_up;
	/* The cycle of the uncore in which a clock begins; whatever somebody
	 * asks for begins with mc_enter(), which this does for an event. */
	uint64_t (*cycle)(const struct mc *mc, uint64_t clock);
	void (*enter)(struct mc *mc, uint64_t cycle);
	/* A command that is no request's, or num refreshes (calibrations) of a
	 * rest, which were not put off. */
	void (*tell)(struct mc *mc, enum dram_cmd cmd, unsigned bank,
		     uint64_t clock);
	void (*tell_past)(struct mc *mc, enum dram_cmd cmd, uint64_t num);
	/* The owner's own things: the clock of the next, and doing it. */
	uint64_t (*next)(const struct mc *mc);
	void (*work_off)(struct mc *mc, uint64_t clock);
	/* The same in a rest: those before a clock, as far as they follow from
	 * their clocks, and the clock of the next. Each is over, its page
	 * closed, MC_REST_ROUNDS times tREFI later. */
	uint64_t (*rest)(struct mc *mc, uint64_t until);
	/* No clock before this is of interest any more. */
	void (*slide)(struct mc *mc, uint64_t clock);
	/* A request opens its row; that of another is still open, or not. */
	void (*open)(struct mc *mc, const struct mc_txn *txn);
	/* The pages of a rank are about to be closed. */
	void (*close)(struct mc *mc, unsigned rank, uint64_t clock);
	/* From which clock on a command of a request gets through. */
	uint64_t (*ready)(struct mc *mc, struct mc_txn *txn, uint64_t clock);
	/* Whether a bank's last column command closes the page is certain. */
	void (*decide)(struct mc *mc, unsigned bank, bool closes);
};

struct mc_config {
	struct dram_config dram;
	uint64_t page_idle_clocks; /* 0: never */
	/* Refreshes that may be owed until one goes before a request for
	 * another row, and as soon as it can; an idle rank gets all. */
	unsigned refresh_high, refresh_panic, refresh_idle_clocks;
	bool has_power_down;
	uint64_t power_down_clocks, self_refresh_clocks; /* 0: never */
	bool has_check;
};

enum { MC_REST_ROUNDS = 4 };

enum mc_sleep { MC_AWAKE, MC_POWER_DOWN, MC_SELF_REFRESH };

struct mc_rank {
	uint64_t refresh;    /* the next comes due */
	uint64_t busy_until; /* refreshed, or a script runs */
	uint64_t last_use;   /* latest column command */
	unsigned owed;	     /* refreshes that are put off */
	unsigned num_done;   /* refreshes */
	uint8_t sleep;	     /* enum mc_sleep; while a script runs the one that
				it leads to, or out of */
	bool is_script;	     /* what it is busy with is no refresh */
};

struct mc_bank {
	uint64_t last_column;
	uint64_t idle_until; /* if its bit is set: then it is closed */
	uint64_t closed;     /* when a request closed the page of another, */
	int64_t closed_row;  /* whose row this was, or -1 */
	int64_t timed_row;   /* closed for being idle, or -1 */
	bool closes;	     /* its last column command does, as things stand */
};

enum { MC_BANK_WORDS = DRAM_MAX_BANKS / 64 };

struct mc {
	const struct mc_kind *kind;
	void *owner;
	struct sim *sim;
	struct sigbank *signals;
	bool is_timely;	  /* what comes due is worked off in its cycle */
	uint64_t present; /* the clock of the present call */
	uint64_t next_due, alarm_cycle, next_slide;
	uint64_t ranks_due; /* no rank does anything by itself before */
	uint64_t last_use;  /* of any rank */
	struct banks *banks;
	struct dram_trace *trace;     /* NULL: nobody wants it */
	uint64_t idle[MC_BANK_WORDS]; /* open pages that a timer closes: bits */
	uint64_t idle_due;
	uint64_t page_idle; /* the time in force; 0: never */
	bool is_closed;	    /* policy in force: column commands close pages */
	struct mc_rank ranks[DRAM_MAX_RANKS];
	struct mc_bank pages[DRAM_MAX_BANKS];
	struct dram map; /* where a line is, and nothing else */
	struct mc_config config;
};

struct socket;

/* A parameter of the machine (enum param) that is a member of some settings:
 * taken as it is, or where that is no `double` to the nearest number. */
enum mc_type { MC_UNSIGNED, MC_LONG, MC_REAL };
struct mc_setting {
	uint16_t offset, param;
	uint8_t type; /* enum mc_type */
};
#define MC_SETTING(owner, member, param)                                       \
	{                                                                      \
		offsetof(owner, member), param,                                \
			_Generic(((owner *)0)->member, unsigned                \
				 : MC_UNSIGNED, uint64_t                       \
				 : MC_LONG, double                             \
				 : MC_REAL)                                    \
	}
void mc_take(const struct socket *socket, const struct mc_setting *settings,
	     size_t num, void *owner);

/* The parameters of the DRAM of one of so many controllers of a socket. */
void mc_configure(const struct socket *socket, unsigned controllers,
		  struct dram_config *dram);

/* kind, owner, sim, signals and config are set, all else is 0. False without
 * memory. mc_start(): the owner's own things have their times, too. */
bool mc_init(struct mc *mc);
void mc_start(struct mc *mc);
void mc_fini(struct mc *mc);

/* Before whatever somebody asks for, in the clock of the present cycle. */
void mc_enter(struct mc *mc, uint64_t present);

/* Something comes due in a clock; somebody begins to listen. */
void mc_due_by(struct mc *mc, uint64_t clock);
void mc_listen(struct mc *mc);

/* A request for a line. */
struct mc_txn mc_txn(const struct mc *mc, uint64_t line, bool is_write,
		     uint64_t entry);

/* mc_page.c: all commands of a request, its first not before a clock, the
 * column command, whose clock is returned, not before another. A page that is
 * to be closed by a column command not before `joins` stays open for it. */
uint64_t mc_issue(struct mc *mc, struct mc_txn *txn, uint64_t start,
		  uint64_t data, uint64_t joins);
bool mc_is_hit(const struct mc *mc, const struct mc_txn *txn);

/* When the column command of a request would go, its first command not before a
 * clock, itself not before another, as far as bank and buses have a say. */
uint64_t mc_column_from(const struct mc *mc, const struct mc_txn *txn,
			uint64_t start, uint64_t data);

/* What has become of the bank's page by a clock, if nobody else comes. */
void mc_page_settle(struct mc *mc, unsigned bank, uint64_t clock);
void mc_page_touch(struct mc *mc, unsigned bank);
void mc_page_forget(struct mc *mc, unsigned bank);
void mc_close_idle(struct mc *mc, uint64_t clock);
void mc_close_rank(struct mc *mc, unsigned rank, uint64_t clock);
void mc_keep_open(struct mc *mc, unsigned bank);

/* mc_rank.c: the clock in which a rank does something by itself; all that it
 * does so up to a clock, which may lie ahead. */
void mc_rank_start(struct mc *mc);
uint64_t mc_rank_next(const struct mc *mc, unsigned rank);
static inline void mc_rank_due(struct mc *mc, unsigned rank)
{
	uint64_t next = mc_rank_next(mc, rank);

	mc->ranks_due = next < mc->ranks_due ? next : mc->ranks_due;
}
void mc_rank_until(struct mc *mc, unsigned rank, uint64_t clock);

/* The first clock from one on in which the rank takes the request; it is in use
 * from then on. */
uint64_t mc_rank_pass(struct mc *mc, const struct mc_txn *txn, uint64_t clock);

/* The rank is in use in a clock; has not been for so many clocks, the latest of
 * which the engine does not know of. */
void mc_rank_use(struct mc *mc, unsigned rank, uint64_t clock);
void mc_rank_age(struct mc *mc, unsigned rank, uint64_t clocks);
void mc_rank_wake(struct mc *mc, unsigned rank, uint64_t clock);
void mc_rank_run(struct mc *mc, unsigned rank, const struct mc_step *step,
		 uint64_t clock);

/* What comes due before a clock in a rest, in which ranks get their refreshes
 * and nothing else but what the owner's `rest` knows of: at once. */
void mc_rest(struct mc *mc, uint64_t until);

/* A command for those who watch; each from now on is shown to fn, in the order
 * of their clocks, once no earlier one can come: 0, or -1 without memory. What
 * is wrong with those so far, or NULL. */
void mc_show(struct mc *mc, enum dram_cmd cmd, unsigned bank,
	     const struct mc_txn *txn, uint64_t clock);
int mc_trace(struct mc *mc, dram_trace_fn *fn, void *object);
const char *mc_check(const struct mc *mc);

static inline unsigned mc_first_bank(const struct mc *mc, unsigned rank)
{
	return rank << mc->banks->bank_bits;
}

static inline bool mc_is_set(const uint64_t *bits, unsigned bank)
{
	return bits[bank / 64] >> bank % 64 & 1;
}

#endif
