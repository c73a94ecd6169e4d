/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the parts of the M-Box share: the guide's MAP, PGT, DSP, ISS, PLD and
 * FVC (2.7.4.4) work on one table of transactions and one of banks.
 *
 * A transaction is in one of two places until its column command is given: in
 * the dispatch queue (the list `dispatched` of its bank: same row, same
 * direction) or in the retry queue (the list `retries` of its bank).
 * Invariants:
 *
 *  1. transactions of a bank are dispatched in the order of their arrival;
 *  2. a bank with dispatched transactions is in exactly one of the two `active`
 *     sets of its bus; the other sets say what it needs next and whether its
 *     own timing allows that;
 *  3. a bank with retries either has dispatched transactions, or its rank is
 *     refreshing, or it waits for room in a dispatch queue: so whatever ends
 *     the conflict also wakes the retries;
 *  4. hits, empties and misses are counted at dispatch, once a transaction, and
 *     nothing but the transaction itself touches its bank until then.
 */
#ifndef UNCORE_MBOX_PARTS_H
#define UNCORE_MBOX_PARTS_H

#include <stddef.h>

#include "model/box/mbox.h"
#include "signals.h"

enum {
	MBOX_READ = 0,
	MBOX_WRITE = 1,
	MBOX_MAX_BUS_BANKS = 64,
	MBOX_MAX_ASKED = 4,
	MBOX_NO_BANK = 0xff,
	MBOX_PATROL_FVID = 63, /* in headers only */
	MBOX_NUM_FVIDS = 64,
	MBOX_MAX_LATE = 512,
	MBOX_MAX_PAIRS = 4, /* of DIMMs */
};

#define MBOX_NO_CLOCK UINT64_MAX

/* The index that events know a command by: where they have 32, that of
 * sparing is one of the B-Box's, too. */
static inline unsigned mbox_named(const struct mbox_config *config,
				  unsigned fvid)
{
	return fvid & (config->num_fvids - 1);
}

/* What becomes of a read after its column command. */
enum mbox_fate {
	MBOX_FATE_NONE,
	MBOX_FATE_AGAIN, /* its data are wrong: once more */
	MBOX_FATE_WRITE, /* the line is written back */
};

struct mbox_txn {
	struct mbox_txn *next;
	sim_fn *done;
	void *object;
	uint64_t argument;
	uint64_t address;
	uint64_t start_clock; /* first frame for its row commands */
	uint64_t data_clock;  /* first frame for its column command */
	uint64_t order;	      /* of dispatch */
	struct dram_place place;
	uint8_t fvid;
	uint8_t direction;
	uint8_t command;  /* enum mbox_command */
	uint8_t response; /* that it will get, enum mbox_response */
	uint8_t fate;	  /* enum mbox_fate */
	uint8_t trials;	  /* repetitions so far, after ECC errors */
	uint8_t losses;	  /* in a row, of its present command */
	bool is_patrol;
	bool is_fatal; /* its data are lost */
	bool met_refresh;
	bool met_heat;
};

/* Who is to hear of a command that is not simply acknowledged. */
struct mbox_late {
	struct mbox_late *next;
	sim_fn *done;
	void *object;
	uint64_t argument;
	enum mbox_response response;
};

/* A command for FVC's buffers, in the order of arrival. */
struct mbox_move {
	sim_fn *done;
	void *object;
	uint64_t argument;
	uint8_t fvid, command;
};

struct mbox_list {
	struct mbox_txn *first, *last;
};

struct mbox_bank {
	struct mbox_list dispatched, retries;
	int64_t last_row;	/* of the last transaction, or -1 */
	uint64_t idle_deadline; /* clock in which its idle page is closed */
	uint16_t num_retry_reads;
	bool is_idle;	    /* in the list of idle open pages */
	bool is_waiting[2]; /* for room in a dispatch queue, by direction */
	uint8_t waiting_next[2];
	uint8_t idle_next, idle_previous;
};

/* One bus as the issue logic sees it: sets of its banks, a bit each. */
struct mbox_bus {
	uint64_t active[2];  /* have dispatched transactions, by direction */
	uint64_t column;     /* of these: a column command is next, */
	uint64_t row;	     /* or an activate; else a precharge */
	uint64_t mature;     /* of these: the bank itself is ready for it */
	uint64_t held_reads; /* reads wait behind the dispatched ones */
	uint64_t refresh;    /* of ranks that are to be refreshed */
	uint64_t closing;    /* idle pages to be closed */
	uint64_t blocked;    /* of ranks that are being initialised */
	uint64_t ready[MBOX_MAX_BUS_BANKS]; /* clock of getting mature */
	uint64_t order[MBOX_MAX_BUS_BANKS]; /* of dispatch */
};

/* What keeps a rank from transactions. */
enum mbox_refresh {
	REFRESH_NONE,
	REFRESH_DUE,	 /* a refresh or a calibration is to be given */
	REFRESH_RUNNING, /* it, or the last command of a script, takes time */
	REFRESH_SCRIPT,	 /* a sequence of other commands is being given */
	REFRESH_ASLEEP,	 /* the clock enable is low */
};

struct mbox_rank {
	enum mbox_refresh refresh;
	const struct mbox_script *script; /* that runs or ran last */
	unsigned step;			  /* of the script, next one */
	uint64_t step_clock;		  /* not before */
	uint64_t dll_clock;		  /* a read not before */
	uint64_t idle_cycle;		  /* no transaction since */
	bool wants_init;		  /* once what runs is over */
	unsigned num_dispatched; /* banks with dispatched transactions */
	unsigned num_owed;	 /* refreshes that came due meanwhile */
	unsigned num_done;
	bool is_calibration; /* ZQCAL in place of a refresh */
	uint64_t end_clock;  /* of the refresh that runs */
};

/* The next cycle in which something is to be looked at, and those for which an
 * event has been asked: events cannot be taken back, but are used again. */
struct mbox_alarm {
	uint64_t cycle;
	uint64_t asked[MBOX_MAX_ASKED];
	unsigned num_asked;
};

/* The copying of a rank, see mbox_spare.c. */
struct mbox_spare {
	uint64_t next; /* line of the rank */
	unsigned rank, num_copied;
	bool is_busy;
};

/* Trip points that a DIMM is above of; codes of Table 2-77. */
enum mbox_trip { TRIP_BELOW_LO, TRIP_LO, TRIP_MID_FALL, TRIP_MID_RISE };

/* A pair of DIMMs, one on each channel. */
struct mbox_dimm {
	double rise_k;	  /* above the ambient temperature, */
	double extra_k;	  /* and what an injected fault adds */
	double energy_nj; /* of commands since the last look */
	double last_c;
	uint8_t trip;	 /* enum mbox_trip */
	bool is_heating; /* by a fault */
};

struct mbox_heat {
	bool is_watched;  /* a trip point may be reached */
	unsigned num_hot; /* pairs that are throttled */
	unsigned num_pairs, ranks_of_pair, num_strikes;
	uint64_t looked, next_look; /* cycles */
	struct mbox_alarm alarm;
	struct mbox_dimm pairs[MBOX_MAX_PAIRS];
};

/* Frames without an empty one between them. */
struct mbox_run {
	uint64_t start, end;
};

struct mbox {
	struct sim *sim;
	struct sigbank *signals;
	struct mbox_config config;
	struct dram dram;
	struct mbox_txn *pool, *free_txns;
	unsigned num_txns;    /* in use */
	uint64_t last_answer; /* cycle */
	sim_fn *on_ready;
	void *on_ready_object;
	uint64_t on_ready_argument;

	/* FVC */
	enum mbox_response response; /* of the `done` that runs */
	struct mbox_late *free_late;
	unsigned first_move, num_moves;
	uint64_t buffers_free;		   /* cycle */
	uint64_t answered[MBOX_NUM_FVIDS]; /* cycle; SIM_NEVER: not yet */
	struct mbox_txn *holder[MBOX_NUM_FVIDS]; /* in the scheduler queue */

	/* PGT */
	uint64_t translate_cycle; /* the translator is free again */
	uint64_t order;
	unsigned num_retries;
	bool is_full, is_starved;
	bool is_closed_policy;
	unsigned page_window, page_window_hits;
	uint8_t waiting_first[2], waiting_last[2];

	/* DSP and ISS */
	unsigned num_queued[2]; /* by direction */
	unsigned capacity[2];
	unsigned high, low;   /* write watermarks in force */
	enum mbox_sched mode; /* in force; never adaptive */
	unsigned mode_window, mode_window_writes;
	bool writes_first;
	unsigned turn_writes; /* left in this turn of the writes */
	unsigned owed_reads;  /* before the writes may have the next one */
	bool is_deciding;
	uint64_t wanted_clock;	/* asked for while deciding */
	uint64_t next_frame;	/* first clock that is not decided yet */
	uint64_t data_free;	/* clock after the last write data frame */
	uint64_t data_start;	/* of the present run of such frames */
	struct mbox_alarm wake; /* the next decision */

	/* Frames, see mbox_frame.c */
	struct mbox_run busy, was_busy;
	uint64_t command_clock;	     /* of the last frame with a command */
	uint64_t link_down, link_up; /* clocks: no frames in between */
	bool shows_frames;
	bool is_started; /* initialised, or taken to be */

	/* Refresh and patrol: rare things with one timer; idle pages */
	struct mbox_alarm timer;
	uint64_t refresh_number;
	unsigned num_refreshing; /* ranks: due or running */
	unsigned num_due;
	uint8_t idle_first, idle_last;
	uint64_t patrol_cycle, patrol_line;

	/* Errors and heat */
	uint32_t command_faults, read_faults; /* asked for: bits */
	uint64_t rolled_clock; /* the last frame that could be damaged */
	bool is_pbox_down;     /* at the last look for a reset */
	struct mbox_spare spare;
	struct mbox_heat heat;

	struct mbox_rank ranks[DRAM_MAX_RANKS];
	struct mbox_bank banks[DRAM_MAX_BANKS];
	struct mbox_bus buses[DRAM_MAX_BUSES];
	struct mbox_late late[MBOX_MAX_LATE];
	struct mbox_move moves[MBOX_NUM_FVIDS];
};

/* mbox.c: the payload queue. */
struct mbox_txn *mbox_txn_take(struct mbox *mbox, uint64_t line,
			       unsigned command);
void mbox_txn_free(struct mbox *mbox, struct mbox_txn *txn);

/* mbox_fvc.c: commands and responses. */
void mbox_fvc_start(struct mbox *mbox);
void mbox_fvc_leave(struct mbox *mbox, struct mbox_txn *txn);
void mbox_fvc_respond(struct mbox *mbox, enum mbox_response response,
		      uint64_t cycle);
void mbox_answer(struct mbox *mbox, const struct mbox_txn *txn, uint64_t cycle);
void mbox_patrol(struct mbox *mbox, uint64_t line);

/* mbox_retry.c: into the dispatch queue or the retry queue. */
void mbox_enter(struct mbox *mbox, struct mbox_txn *txn);
void mbox_retry_bank(struct mbox *mbox, unsigned bank);
void mbox_retry_room(struct mbox *mbox, unsigned direction);
void mbox_retry_rank(struct mbox *mbox, unsigned rank);

void mbox_retry_count(struct mbox *mbox, const struct mbox_txn *txn);

/* mbox_error.c: faults. */
void mbox_error_start(struct mbox *mbox);
unsigned mbox_error_entries(const struct mbox *mbox);
bool mbox_error_command(struct mbox *mbox, unsigned bank, uint64_t clock);
bool mbox_error_read(struct mbox *mbox, struct mbox_txn *txn, uint64_t cycle);

/* mbox_spare.c: DIMM sparing. */
void mbox_spare_begin(struct mbox *mbox);
bool mbox_spare_may_begin(const struct mbox *mbox);
bool mbox_spare_has(const struct mbox *mbox, unsigned bank);

/* mbox_heat.c: temperatures and throttling. */
void mbox_heat_start(struct mbox *mbox);
void mbox_heat_add(struct mbox *mbox, enum dram_cmd cmd, unsigned bank);
bool mbox_heat_can_strike(const struct mbox *mbox);
void mbox_heat_strike(struct mbox *mbox);
bool mbox_heat_throttles(const struct mbox *mbox, unsigned rank);

/* mbox_pgt.c: the page table. */
enum mbox_verdict {
	VERDICT_DISPATCHED,
	VERDICT_CONFLICT, /* the bank is at work for another row */
	VERDICT_NO_ROOM,
	VERDICT_REFRESH,
	VERDICT_HEAT,
};
void mbox_pgt_start(struct mbox *mbox);
enum mbox_verdict mbox_dispatch(struct mbox *mbox, struct mbox_txn *txn);

/* mbox_dsp.c: the dispatch queue. */
void mbox_dsp_start(struct mbox *mbox);
void mbox_dsp_add(struct mbox *mbox, struct mbox_txn *txn, uint64_t cycle);
void mbox_dsp_remove(struct mbox *mbox, unsigned bank);
void mbox_dsp_offer(struct mbox *mbox, unsigned bank);
enum dram_cmd mbox_dsp_next(const struct mbox *mbox, unsigned bank);

/* mbox_turn.c: whether reads or writes go first. */
void mbox_turn_start(struct mbox *mbox);
void mbox_turn_update(struct mbox *mbox);
void mbox_turn_mode(struct mbox *mbox, enum mbox_sched mode);

/* mbox_iss.c: the issue logic and the command frames. */
void mbox_iss_start(struct mbox *mbox);
void mbox_iss_wake(struct mbox *mbox, uint64_t clock);
uint64_t mbox_iss_send_data(struct mbox *mbox);
void mbox_iss_command(struct mbox *mbox, enum dram_cmd cmd, unsigned bank,
		      const struct mbox_txn *txn, uint64_t clock);

/* mbox_frame.c: what the link sends without being asked. */
void mbox_frame_start(struct mbox *mbox);
void mbox_frame_other(struct mbox *mbox, enum dram_cmd cmd);

/* mbox_link.c: the link itself. */
void mbox_link_command(struct mbox *mbox, enum dram_cmd cmd, uint64_t clock);
void mbox_link_stop(struct mbox *mbox, uint64_t clock, uint64_t end_clock);
void mbox_link_debug(struct mbox *mbox, uint64_t clock);

/* mbox_rank.c: initialisation, power-down, self-refresh. */
void mbox_rank_start(struct mbox *mbox);
bool mbox_is_initialising(const struct mbox *mbox);
void mbox_rank_init(struct mbox *mbox, uint64_t clock);
bool mbox_rank_step(struct mbox *mbox, unsigned rank, uint64_t clock);
uint64_t mbox_rank_earliest(const struct mbox *mbox, unsigned rank);
bool mbox_rank_is_over(struct mbox *mbox, unsigned rank);
void mbox_rank_wake(struct mbox *mbox, unsigned rank);
bool mbox_rank_is_urgent(const struct mbox_rank *rank);
bool mbox_rank_takes_refresh(struct mbox *mbox, unsigned rank);
void mbox_rank_idle(struct mbox *mbox, unsigned rank);
uint64_t mbox_rank_deadline(const struct mbox *mbox);
void mbox_rank_expire(struct mbox *mbox, uint64_t cycle);

/* mbox_alarm.c */
void mbox_alarm_start(struct mbox_alarm *alarm);
void mbox_alarm_set(struct mbox *mbox, struct mbox_alarm *alarm, uint64_t cycle,
		    sim_fn *fn);
bool mbox_alarm_rings(struct mbox_alarm *alarm, uint64_t cycle);

/* mbox_timer.c: refresh and patrol scrub. */
void mbox_timer_start(struct mbox *mbox);
void mbox_timer_arm(struct mbox *mbox, uint64_t cycle);
void mbox_timer_begin(struct mbox *mbox, unsigned rank,
		      enum mbox_refresh refresh);
void mbox_timer_run(struct mbox *mbox, unsigned rank, uint64_t end_clock);
bool mbox_refresh_step(struct mbox *mbox, unsigned bus, uint64_t clock);
uint64_t mbox_refresh_earliest(const struct mbox *mbox);

/* mbox_page.c: the closing of idle pages. */
void mbox_page_start(struct mbox *mbox);
void mbox_page_touch(struct mbox *mbox, unsigned bank, uint64_t clock);
void mbox_page_forget(struct mbox *mbox, unsigned bank);
uint64_t mbox_page_deadline(const struct mbox *mbox);
void mbox_page_expire(struct mbox *mbox, uint64_t clock);

static inline uint64_t mbox_cycle_of(const struct mbox *mbox, uint64_t clock)
{
	return clock * mbox->dram.config.cycles_per_clock;
}

static inline unsigned mbox_bus_bits(const struct mbox *mbox)
{
	return mbox->dram.bank_bits + mbox->dram.rank_bits;
}

static inline struct mbox_bus *mbox_bus_of(struct mbox *mbox, unsigned bank)
{
	return &mbox->buses[dram_bus_of(&mbox->dram, bank)];
}

/* The bank's bit in the sets of its bus. */
static inline uint64_t mbox_bit_of(const struct mbox *mbox, unsigned bank)
{
	return UINT64_C(1) << (bank & ((1u << mbox_bus_bits(mbox)) - 1));
}

/* The first clock that begins at or after a cycle. */
static inline uint64_t mbox_clock_after(const struct mbox *mbox, uint64_t cycle)
{
	unsigned length = mbox->dram.config.cycles_per_clock;

	return (cycle + length - 1) / length;
}

/* An event in a cycle that is not past. */
static inline void mbox_pulse(struct mbox *mbox, unsigned signal,
			      uint64_t cycle)
{
	if (cycle == sim_now(mbox->sim))
		sig_pulse(mbox->signals, signal, 1);
	else
		sig_later(mbox->signals, signal, cycle, 1);
}

/* The frames from `first` up to `end` are not empty. Called in order. */
static inline void mbox_frame_busy(struct mbox *mbox, uint64_t first,
				   uint64_t end)
{
	if (first > mbox->busy.end) {
		mbox->was_busy = mbox->busy;
		mbox->busy.start = first;
	}
	if (end > mbox->busy.end)
		mbox->busy.end = end;
}

static inline void mbox_append(struct mbox_list *list, struct mbox_txn *txn)
{
	txn->next = NULL;
	if (list->last)
		list->last->next = txn;
	else
		list->first = txn;
	list->last = txn;
}

static inline struct mbox_txn *mbox_take(struct mbox_list *list)
{
	struct mbox_txn *txn = list->first;

	list->first = txn->next;
	if (!list->first)
		list->last = NULL;
	return txn;
}

#endif
