/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of `uncore record`, shared by its files:
 *
 *     cmd_record.c       from the command line to the last sentence, with an
 *                        event's text and its period
 *     record_settings.c  options
 *     record_file.c      the recording: what it is of, samples, what is written
 *     record_place.c     the program's position and access of a sample
 *     record_sample.c    samples that overflows take
 *     record_interval.c  samples that time takes
 *     record_state.c     what boxes held when everything froze
 */
#ifndef UNCORE_TOOL_RECORD_H
#define UNCORE_TOOL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/event_set.h"
#include "tool/monitor.h"
#include "tool/target.h"
#include "uncore/sampler.h"

/* Of events whose period is found: what it begins with. */
enum { RECORD_FIRST_PERIOD = 16 };

struct record_settings {
	struct target_settings target;
	struct event_list events;
	const char *metrics; /* whose events are recorded, too */
	struct option_texts metric_files;
	const char *output;
	const char *interval;
	const char *period;
	const char *freeze_after;
	const char *progress_fd;
	const char *write_every;
	bool no_freeze, no_multiplex, takes_turns, replace, force, quiet;
	bool has_recorded; /* in the end: there is a recording */
	bool has_default;  /* no event was given: what misses is sampled */
	bool adapts;	   /* no period was given: it is found */
	bool is_detailed;  /* not a word of the user's: in full detail */
	/* made of these */
	double interval_seconds, write_seconds;
	uint64_t freeze_events, event_period; /* 0: none */
	int progress_file;		      /* -1: none */
};

/* Fills in a struct record_settings. */
extern const struct options record_options;
extern const struct options record_c2c_options; /* of `uncore c2c` */

/* Whether the options go together; an exit code. */
int record_settings_check(struct record_settings *settings);

struct record {
	struct record_settings *settings;
	const struct record_way *way;
	struct monitor monitor;
	struct target *target; /* of that, as the set */
	struct event_set *set;
	struct uncore_recorder *recorder;
	struct uncore_sampler *sampler; /* or: */
	struct record_interval *interval;
	struct record_state *state; /* of --freeze-after */
	struct uncore_symbols *symbols;
	struct record_stack *stacks; /* some that were written */
	long *sites;		     /* the datum of each, plus 1, by number */
	size_t num_sites;
	bool has_frozen, has_run, has_progress;
	bool is_aside;	      /* the run goes on without it */
	double turn_seconds;  /* the same: between two looks */
	unsigned quiet_turns; /* in which no interrupt was heard of */
	uint64_t num_samples;
	uint64_t num_of_period; /* that are left, of all events */
	uint64_t told;		/* samples that were reported as written */
	uint64_t lost;		/* periods without a sample of their own */
	uint64_t last_write;	/* wall time */
	double clock_hz;	/* 0: not known */
	int status;		/* an exit code, once something has failed */
};

/* record_file.c */

/* Opens the recording and describes what is recorded. */
int record_file_open(struct record *record);

/* Adds a sample; commits what is old enough, and says so. A failure ends the
 * run. */
void record_file_add(struct record *record, const struct uncore_sample *sample,
		     const struct uncore_sample_count *counts,
		     size_t num_counts);
void record_file_pass(struct record *record);

/* What is known of it besides; and of random bytes at the end. */
void record_meta(struct record *record, const char *key, const char *format,
		 double value);
void record_random(struct record *record);

/* The end, with the sentence on what was written; an exit code. */
int record_file_close(struct record *record, int status);

/* The first failure (code 0: none) is said and kept; the run is to end. The
 * same of one that was said (TOOL_OK: none). */
void record_failed(struct record *record, int code, char *error);
void record_ended(struct record *record, int status);

/* record_place.c: in an interrupt, what is known of the program; and later, in
 * which thread and function that is, who called it, and what it accessed. */
size_t record_place_bytes(void);
void record_place_note(void *context, uint64_t requester, void *note);
void record_place_find(struct record *record, const void *note,
		       struct uncore_sample *sample);
void record_place_end(struct record *record); /* of the run */
void record_place_close(struct record *record);

/* record_sample.c, record_interval.c: the two ways. Exit codes; `turn` as in
 * struct run. */
struct record_way {
	int (*open)(struct record *record);
	int (*start)(struct record *record);
	double (*turn)(void *record);
	int (*stop)(struct record *record);
	void (*close)(struct record *record);
};
extern const struct record_way record_samples, record_intervals;

/* The sample of a socket at the last sweep of what is watched, with its counts
 * (room for all); the number of these. */
size_t record_sweep(const struct monitor *monitor, unsigned socket,
		    struct uncore_sample *sample,
		    struct uncore_sample_count *counts);

/* record_state.c, for --freeze-after: a socket's boxes at this moment; a socket
 * froze; and in the end what all boxes held, on standard output and in the
 * recording. */
void record_state_open(struct record *record);
void record_state_take(struct record *record, unsigned socket);
void record_state_freeze(struct record *record,
			 const struct uncore_sample *sample);
int record_state_show(struct record *record);
void record_state_close(struct record *record);

#endif
