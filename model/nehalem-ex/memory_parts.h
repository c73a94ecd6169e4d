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
#include "model/nehalem-ex/memory_txn.h"
#include "model/station/calendar.h"
#include "model/station/occupancy.h"
#include "model/station/places.h"
#include "model/station/spans.h"
#include "signals.h"

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
	uint64_t reciprocal; /* of the cycles in a DRAM clock, see below */
	unsigned clock_cycles;
	/* From dispatch to the first command; from the column command of a read
	 * to its answer. */
	unsigned front_cycles, back_cycles;
	bool has_adaptive_pages, has_adaptive_modes;
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
void memory_turn_pages(struct memory *memory, uint64_t cycle);
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

/* memory_signal.c: what is published of transactions and commands, and the
 * facts of a command while time stands. */
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
void memory_turn_modes(struct memory *memory, uint64_t cycle);

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
	return clock * memory->clock_cycles;
}

/* The clock of a cycle. For a divisor d, n * (2^63 / d + 1) / 2^63 is n / d as
 * long as n * d < 2^63. */
static inline uint64_t memory_clock(const struct memory *memory, uint64_t cycle)
{
	return (uint64_t)((unsigned __int128)cycle * memory->reciprocal >> 63);
}

/* The first clock that begins at or after a cycle. */
static inline uint64_t memory_clock_after(const struct memory *memory,
					  uint64_t cycle)
{
	return memory_clock(memory, cycle + memory->clock_cycles - 1);
}

static inline void memory_pulse(struct memory *memory, unsigned id,
				uint64_t cycle)
{
	if (cycle >= memory->now)
		sig_later(memory->signals, id, cycle, 1);
	else
		sig_past(memory->signals, id, 1);
}

void memory_past_span(struct memory *memory, unsigned id, uint64_t from,
		      uint64_t until, int n);
static inline void memory_span(struct memory *memory, unsigned id,
			       uint64_t from, uint64_t until, int n)
{
	if (from >= memory->now)
		sig_span(memory->signals, id, from, until, n);
	else
		memory_past_span(memory, id, from, until, n);
}

/* The level of a signal from a cycle on. */
void memory_level(struct memory *memory, unsigned id, uint64_t cycle,
		  int64_t value);

/* The adaptive page policy follows the share of translations that find the row
 * of the one before, or would. */
static inline void memory_watch_pages(struct memory *memory, bool same_row,
				      uint64_t cycle)
{
	memory->page_window.hits += same_row;
	if (memory->has_adaptive_pages && !--memory->page_window.left)
		memory_turn_pages(memory, cycle);
}

/* The adaptive scheduling mode follows the share of writes. */
static inline void memory_watch_modes(struct memory *memory, bool is_write,
				      uint64_t cycle)
{
	memory->mode_window.hits += is_write;
	if (memory->has_adaptive_modes && !--memory->mode_window.left)
		memory_turn_modes(memory, cycle);
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
