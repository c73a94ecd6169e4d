/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the M-Box knows of a transaction, and of each bank and rank.
 */
#ifndef UNCORE_MEMORY_TXN_H
#define UNCORE_MEMORY_TXN_H

#include "model/nehalem-ex/mbox.h"
#include "model/parts/memory/mc.h"
#include "model/pmu/visit.h"

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

#endif
