/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The accesses of a recording's samples, equal ones added up: what the reports
 * by line, page and stack are made of.
 */
#ifndef UNCORE_TOOL_ACCESSES_H
#define UNCORE_TOOL_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history.h"

/* A function, or a line of source in it. */
struct place {
	char *symbol;	       /* or the address, where there is none */
	char *object, *source; /* "" if not known */
};

/* How often there was one access; what is not known is -1. */
struct access {
	uint64_t line; /* of physical memory */
	size_t event;
	uint64_t address; /* virtual */
	long place;	  /* in the list of places */
	long thread, core, socket, home;
	long stack, datum;
	uint64_t offset; /* in the datum */
	enum uncore_sampled_use use;
	bool is_known; /* else all the numbers above but event are 0 or -1 */
	uint64_t samples;
};

struct accesses {
	struct history *history;
	struct access *list;
	size_t num, room;
	struct place *places;
	size_t num_places;
	unsigned cores; /* of a socket; 0: not known */
	bool failed;	/* without memory */
};

/* Goes over the recording; the list is in the order of lines, events, and
 * everything else. An exit code; to be freed in any case. */
int accesses_gather(struct history *history, struct accesses *accesses);
void accesses_free(struct accesses *accesses);

/* A place of the list; of -1 one without names. */
const struct place *accesses_place(const struct accesses *accesses, long place);

/* Accesses of one event that belong together, such as those of a line: numbers
 * `first` to `end` - 1 of the list. */
struct access_group {
	size_t first, end;
	uint64_t samples;
};

/* The groups of accesses whose lines are the same but for the last `bits` bits,
 * those with most samples first; unknown accesses are in none. To be freed;
 * NULL without memory. */
struct access_group *accesses_group(const struct accesses *accesses,
				    unsigned bits, size_t *num);

/* How a group's samples are made up. */
struct access_sums {
	uint64_t samples, loads, stores, locks, prefetches, others;
	uint64_t remote, placed; /* from another socket than home; of so many */
	size_t cores, sockets;	 /* that were seen */
	long home;		 /* -1: not known */
};

void access_sums_add(struct access_sums *sums, const struct access *access);

/* All of them, with cores and sockets; false without memory. */
bool accesses_sum(const struct accesses *accesses,
		  const struct access_group *group, struct access_sums *sums);

/* "counters+0x8", "heap", "file /tmp/x": what an access was to; `offset` says
 * whether to tell how far into a variable. */
void accesses_datum(const struct accesses *accesses,
		    const struct access *access, bool offset, char *text,
		    size_t size);

/* Reads and writes of memory by instructions; not prefetches and the like. */
bool access_reads(const struct access *access);
bool access_writes(const struct access *access);

/* Columns 0 to 2 of a row: share, samples, events. */
void accesses_set_samples(const struct history_event *event, uint64_t samples,
			  struct sheet *sheet, size_t row);

/* Calls `add` for each group that is to be shown: it adds a row to the sheet,
 * which has a sheet below it, and there so many rows at most (0: all). */
void accesses_add_groups(const struct accesses *accesses, unsigned bits,
			 const struct history_limits *limits,
			 void (*add)(const struct accesses *accesses,
				     const struct access_group *group,
				     size_t limit, struct sheet *sheet),
			 struct sheet *sheet);

/* A row for the samples of each event that are not known to be any access, if
 * there are any. */
void accesses_add_unknown(const struct accesses *accesses, struct sheet *sheet,
			  size_t address_column, size_t event_column);

/* Gathers the accesses, and has `fill` make a sheet with the columns of
 * accesses_set_samples() of them. An exit code; the sheet is initialised. */
int accesses_report(struct history *history,
		    const struct history_limits *limits,
		    void (*fill)(const struct accesses *accesses,
				 struct sheet *sheet,
				 const struct history_limits *limits),
		    struct sheet *sheet);

#endif
