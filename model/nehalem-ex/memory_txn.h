/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the M-Box knows of a transaction, and of each bank and rank.
 */
#ifndef UNCORE_MEMORY_TXN_H
#define UNCORE_MEMORY_TXN_H

#include "model/nehalem-ex/mbox.h"
#include "model/pmu/visit.h"

enum {
	MEMORY_READ = 0,
	MEMORY_WRITE = 1,
	MEMORY_FVIDS = 64,
	MEMORY_PATROL_FVID = 63, /* in headers only */
	MEMORY_MAX_WRITES = 64,
	MEMORY_STAYS = 64,
	MEMORY_MAX_ATTEMPTS = 64,
	MEMORY_MAX_PAIRS = 4, /* of DIMMs */
};

/* What a transaction has found in its bank. */
enum memory_page { PAGE_HIT, PAGE_EMPTY, PAGE_MISS, PAGE_JOINED };

enum { MEMORY_PRE, MEMORY_RAS, MEMORY_CAS, MEMORY_COMMANDS };

/* A transaction and what became of it. */
struct memory_txn {
	struct visit visit;		    /* when it is told, */
	struct memory *memory;		    /* for who tells it */
	uint64_t at, dispatched, answered;  /* cycles */
	uint64_t commands[MEMORY_COMMANDS]; /* cycles; 0: not needed */
	uint64_t address;
	struct dram_place place;
	uint8_t rank; /* of all buses */
	uint8_t fvid, direction, command;
	uint8_t page, response; /* enum memory_page, enum mbox_response */
	bool is_patrol;		/* nobody is answered */
	bool was_lost;		/* a command was: the answer will be COR */
	bool is_fatal;		/* its data are lost */
	bool met_refresh, met_heat;
	/* Parts of it that are to be published: */
	bool has_arrival, has_dispatch, has_commands;
	bool closes; /* the column command closes the page */
};

struct memory_bank {
	int64_t row;	      /* of the latest transaction, or -1 */
	uint64_t dispatched;  /* cycle, of the latest transaction */
	uint64_t last_column; /* clock, of all with its row and direction */
	uint8_t direction;
	uint8_t num_parked; /* writes without a time */
	bool has_line;	    /* the latest transaction waited */
	/* The column command at last_column closes the page, unless another
	 * one follows; so its packet is still to be told. */
	bool closes, tells;
	uint8_t fvid; /* of that packet */
	uint64_t address, requester;
};

/* How a rank sleeps. */
enum memory_sleep { MEMORY_AWAKE, MEMORY_POWER_DOWN, MEMORY_SELF_REFRESH };

struct memory_rank {
	uint64_t busy_until;	/* cycle: a refresh, a calibration, a script */
	uint64_t refresh_cycle; /* the next one comes due */
	uint64_t idle_cycle;	/* no transaction since */
	unsigned num_done;	/* refreshes */
	uint8_t sleep;		/* enum memory_sleep */
	bool is_script;		/* what it is busy with is no refresh */
};

/* A transaction is in its queue. */
struct memory_stay {
	uint64_t from, until;
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

#endif
