/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the parts of the M-Box share. A transaction is worked off in one go:
 * when it may be dispatched (memory_page.c), which commands it needs and when
 * they go (model/parts/memory), how long it was in which queue
 * (memory_queue.c).
 * Only writes may have to wait for something that is not known yet
 * (memory_write.c).
 *
 * Invariants
 * 1. Transactions of a bank are dispatched in the order in which they are
 *    worked off; those that need the same row in the same direction as the
 *    latest of the bank, before its last column command, join it.
 * 2. `moment` never goes back; nothing depends on `now` but what is published.
 *    `now` is engine_now() of the present call. What lies before it is
 *    published with sig_past(), the rest with its time.
 */
#ifndef UNCORE_MEMORY_PARTS_H
#define UNCORE_MEMORY_PARTS_H

#include "model/nehalem-ex/memory.h"
#include "model/parts/memory/mc.h"
#include "model/pmu/visit.h"
#include "model/station/calendar.h"
#include "model/station/occupancy.h"
#include "model/station/places.h"
#include "model/station/spans.h"
#include "signals.h"

enum {
	MEMORY_FVIDS = 64,
	MEMORY_PATROL_FVID = 63, /* in headers only */
	MEMORY_MAX_WRITES = 64,
	MEMORY_MAX_ATTEMPTS = 64,
	MEMORY_MAX_PAIRS = 4, /* of DIMMs */
};

/* What a transaction has found in its bank. */
enum memory_page { PAGE_HIT, PAGE_EMPTY, PAGE_MISS, PAGE_JOINED };

/* A transaction and what became of it. */
struct memory_txn {
	struct visit visit;		   /* when it is told, */
	struct memory *memory;		   /* for who tells it */
	struct mc_txn dram;		   /* its `entry` means nothing */
	uint64_t at, dispatched, answered; /* cycles */
	uint64_t left;			   /* cycle: the scheduler queue */
	uint64_t address;
	uint8_t fvid, command;
	uint8_t page, response; /* enum memory_page, enum mbox_response */
	bool is_patrol;		/* nobody is answered */
	bool was_lost;		/* a command was: the answer will be COR */
	bool is_fatal;		/* its data are lost */
	bool met_refresh, met_heat;
	/* Parts of it that are to be published: */
	bool has_arrival, has_dispatch, has_commands;
};

struct memory_bank {
	int64_t row;	     /* of the latest transaction, or -1 */
	uint64_t dispatched; /* cycle, of the latest transaction */
	bool is_write;
	uint8_t num_parked; /* writes without a time */
	bool has_line;	    /* the latest transaction waited */
	/* Its last column command closes the page, unless another follows: the
	 * packet is still to be told. */
	bool tells;
	uint8_t fvid; /* of that packet */
	uint64_t address, requester;
};

/* A write whose commands have no time yet. */
struct memory_write {
	struct memory_txn txn;
	uint64_t start, data; /* clocks: first for its row, its column */
	uint64_t shown;	      /* cycle: published to be in the queue until */
	uint64_t requester;
	unsigned place; /* in its queue */
	bool has_index; /* that still stands for it */
};

/* A retry in a cycle that is not past, and what it has been counted as. */
struct memory_attempt {
	uint64_t cycle;
	bool is_starved, is_full;
};

/* An index and how long its write is published to be in the scheduler queue. */
struct memory_held {
	uint64_t from, until, answered;
	uint8_t command;
	bool is_parked;
};

/* Trip points that a DIMM is above of; codes of Table 2-77. */
enum memory_trip { TRIP_BELOW_LO, TRIP_LO, TRIP_MID_FALL, TRIP_MID_RISE };

/* A pair of DIMMs, one on each channel. */
struct memory_dimm {
	double rise_k;	  /* above the ambient temperature, */
	double extra_k;	  /* and what an injected fault adds */
	double energy_nj; /* of commands since the last look */
	double last_c;
	uint8_t trip;	 /* enum memory_trip */
	bool is_heating; /* by a fault */
};

struct memory_heat {
	bool is_watched;  /* a trip point may be reached */
	unsigned num_hot; /* pairs that are throttled */
	unsigned num_pairs, ranks_of_pair, num_strikes;
	uint64_t looked, next_look; /* cycles */
	struct memory_dimm pairs[MEMORY_MAX_PAIRS];
};

/* The copying of a rank, see memory_spare.c. */
struct memory_spare {
	uint64_t next; /* line of the rank */
	unsigned rank, num_copied;
	bool is_busy;
};

/* Some that are counted, as long as there are some left. */
struct memory_window {
	unsigned left, hits;
};

static inline struct memory_window memory_window(unsigned num)
{
	return (struct memory_window){ .left = num ? num : 1 };
}

struct memory {
	struct mc mc; /* the DRAM and what is done to it */
	struct ex *ex;
	struct sim *sim;
	struct sigbank *signals;
	struct visits *visits;
	uint64_t now;
	uint64_t moment; /* that is worked off: now, or what was due before */
	struct calendar translator; /* of PGT: one transaction a cycle */
	struct calendar buffers;    /* of FVC: one line at a time */
	uint64_t last_answer;	    /* cycle */

	/* Queues */
	struct places queues[2];	 /* dispatched, by direction */
	struct occupancy occupancies[2]; /* the same */
	struct occupancy retries;
	unsigned num_attempts;
	struct memory_attempt attempts[MEMORY_MAX_ATTEMPTS];
	struct spans full; /* it takes nothing from the B-Box */

	/* Pages */
	bool is_closed_policy;
	struct memory_window page_window; /* translations, row hits */

	/* Writes and turns */
	unsigned high, low;		  /* write watermarks in force */
	enum mbox_sched mode;		  /* in force; never adaptive */
	struct memory_window mode_window; /* transactions, writes */
	uint64_t reads_until; /* cycle: last column command of a read */
	uint64_t turn_until;  /* cycle: last column command of the turn */
	uint64_t owed_until;  /* and of the reads that waited for its end */
	unsigned turn_writes; /* that it has left */
	uint64_t write_alarm; /* cycle: they look for reads; SIM_NEVER: none */
	unsigned num_writes;
	struct memory_write writes[MEMORY_MAX_WRITES];
	struct memory_held held[MEMORY_FVIDS];

	/* What comes due by itself */
	uint64_t patrol_cycle, patrol_line;
	uint64_t cycles_passed; /* of stretches, since its latest read there */

	/* Frames: all before the clock `frames` are counted */
	uint64_t frames, frame_alarm;
	bool has_sync;	  /* the period of `frames` has had its SYNC */
	bool shows_frame; /* it is the present one that is counted */

	/* Errors, heat, sparing */
	uint32_t command_faults, read_faults; /* asked for: bits */
	uint64_t rolled_clock; /* the last frame that could be damaged */
	uint64_t init_until;   /* cycle */
	bool is_pbox_down;
	struct memory_spare spare;
	struct memory_heat heat;

	struct memory_bank pages[DRAM_MAX_BANKS];
	struct mbox_config config;
};

/* memory.c: a transaction, from its arrival on. */
void memory_patrol(struct memory *memory, uint64_t line, uint64_t at);
uint64_t memory_read_again(struct memory *memory,
			   const struct memory_txn *first, uint64_t at);
void memory_enter(struct memory *memory, uint64_t now);

/* The row commands not before the clock `start`, the column command, whose
 * cycle is returned, not before `data`. */
uint64_t memory_issue(struct memory *memory, struct memory_txn *txn,
		      uint64_t start, uint64_t data);

/* memory_page.c: the page table; a transaction while time stands. */
void memory_page_start(struct memory *memory);
uint64_t memory_dispatch(struct memory *memory, struct memory_txn *txn,
			 uint64_t at);
void memory_watch_pages(struct memory *memory, bool same_row, uint64_t cycle);
void memory_page_pass(struct memory *memory, struct dram_place place,
		      bool is_write);

/* memory_queue.c: how many are where. */
void memory_queue_start(struct memory *memory);
void memory_queue_forget(struct memory *memory, uint64_t cycle);
void memory_queue_leave(struct memory *memory, const struct memory_txn *txn,
			unsigned place, uint64_t shown, uint64_t until);
unsigned memory_queue_take(struct memory *memory, const struct memory_txn *txn);
uint64_t memory_queue_from(struct memory *memory, bool is_write,
			   uint64_t cycle);
void memory_queue_change(struct memory *memory, bool is_write, uint64_t from,
			 uint64_t until);
uint64_t memory_full_until(const struct memory *memory, uint64_t cycle);
void memory_queue_retry(struct memory *memory, uint64_t from, uint64_t until);
void memory_retry_count(struct memory *memory, const struct memory_txn *txn,
			uint64_t cycle);

/* memory_signal.c: a pulse, or a level from a cycle on or for a while, which
 * may be past or to come; what is published of transactions and commands, and
 * the facts of a command while time stands. */
void memory_pulse(struct memory *memory, unsigned id, uint64_t cycle);
void memory_span(struct memory *memory, unsigned id, uint64_t from,
		 uint64_t until, int n);
void memory_level(struct memory *memory, unsigned id, uint64_t cycle,
		  int64_t value);
struct sig_header memory_header(const struct memory *memory, enum dram_cmd cmd);
void memory_tell(struct memory *memory, const struct memory_txn *txn);
void memory_tell_column(struct mc *mc, unsigned bank, bool closes);
void memory_tell_columns(struct memory *memory);
void memory_follow_column(struct memory *memory, unsigned bank);
void memory_tell_command(struct mc *mc, enum dram_cmd cmd, unsigned bank,
			 uint64_t clock);
void memory_tell_past(struct mc *mc, enum dram_cmd cmd, uint64_t num);
void memory_past_commands(struct memory *memory, uint64_t num);
void memory_hold(struct memory *memory, unsigned command, unsigned fvid,
		 uint64_t from, uint64_t until);
void memory_count(struct memory *memory, unsigned command, uint64_t address,
		  enum mbox_response response);

/* memory_write.c: writes and turns. */
void memory_write_start(struct memory *memory);
uint64_t memory_write(struct memory *memory, struct memory_txn *txn,
		      uint64_t at);
void memory_write_bank(struct memory *memory, unsigned bank, uint64_t cycle);
void memory_write_due(struct memory *memory, uint64_t cycle);
void memory_write_rank(struct mc *mc, unsigned rank, uint64_t clock);
void memory_release(struct memory *memory, unsigned fvid, uint64_t cycle);
void memory_watch_modes(struct memory *memory, bool is_write, uint64_t cycle);

/* memory_patrol.c: what comes due by itself but for refresh and sleep. */
void memory_patrol_start(struct memory *memory);
uint64_t memory_patrol_line(struct memory *memory);
uint64_t memory_next(const struct mc *mc);
void memory_work_off(struct mc *mc, uint64_t clock);

/* memory_rest.c: scrubs of a rest up to a clock; the clock of what comes due
 * next, 0: ranks do not rest. */
uint64_t memory_rest(struct mc *mc, uint64_t until);

/* memory_link.c: the link to the memory buffers, and initialisation. */
void memory_init_ranks(struct memory *memory, uint64_t clock, bool is_first);
void memory_link_stop(struct memory *memory, uint64_t clock, uint64_t until);
void memory_link_debug(struct memory *memory, uint64_t clock);

/* memory_frame.c: what the link sends without being asked, and who listens. */
void memory_frame_start(struct memory *memory);
void memory_frames_until(struct memory *memory, uint64_t clock);

/* memory_error.c, memory_spare.c */
void memory_error_start(struct memory *memory);
uint64_t memory_error_command(struct mc *mc, struct mc_txn *dram,
			      uint64_t clock);
uint64_t memory_error_read(struct memory *memory, struct memory_txn *txn,
			   uint64_t cycle, enum mbox_response *response);
bool memory_spare_may_begin(const struct memory *memory);
void memory_spare_begin(struct memory *memory);
enum mbox_response memory_spare_response(const struct memory *memory,
					 const struct memory_txn *txn,
					 enum mbox_response response);

/* memory_heat.c */
void memory_heat_start(struct memory *memory);
void memory_heat_add(struct memory *memory, enum dram_cmd cmd, unsigned bank);
bool memory_heat_can_strike(const struct memory *memory);
void memory_heat_strike(struct memory *memory);
uint64_t memory_heat_rest(const struct memory *memory, unsigned rank,
			  uint64_t cycle);
void memory_heat_look(struct memory *memory, uint64_t cycle);

static inline uint64_t memory_cycle(const struct memory *memory, uint64_t clock)
{
	return clock * memory->config.dram.cycles_per_clock;
}

static inline uint64_t memory_clock(const struct memory *memory, uint64_t cycle)
{
	return cycle / memory->config.dram.cycles_per_clock;
}

/* The first clock that begins at or after a cycle. */
static inline uint64_t memory_clock_after(const struct memory *memory,
					  uint64_t cycle)
{
	return memory_clock(memory,
			    cycle + memory->config.dram.cycles_per_clock - 1);
}

/* The same request once more. */
static inline struct mc_txn memory_again(const struct mc_txn *first)
{
	struct mc_txn txn = *first;

	txn.activate = txn.precharge = txn.column = MC_NEVER;
	txn.closes = false;
	return txn;
}

static inline unsigned memory_bus(const struct memory *memory, unsigned rank)
{
	return rank >> memory->mc.banks->rank_bits;
}

/* The index that events know a command by: where they have 32, that of
 * sparing is one of the B-Box's, too. */
static inline unsigned memory_named(const struct memory *memory, unsigned fvid)
{
	return fvid & (memory->config.num_fvids - 1);
}

#endif
