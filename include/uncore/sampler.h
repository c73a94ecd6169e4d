/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Sampling: a counter that is set to run over after N events sends an
 * interrupt, the PMU freezes, all counters are read, the counter is set anew
 * and counting goes on. What was counted between the overflow and the freeze is
 * part of the next period: no event is lost.
 *
 * On a model in this process a sample is taken in the very cycle of the
 * interrupt. Elsewhere uncore_sampler_poll() takes it as soon as it hears of
 * it; the PMU stands still meanwhile, and how long is told.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`.
 */
#ifndef UNCORE_SAMPLER_H
#define UNCORE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/family.h"
#include "uncore/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_event;
struct uncore_sampler;
struct uncore_target;

/* An event, and how many of it make a sample; 0: it is read along. */
struct uncore_sampled {
	struct uncore_event *event;
	uint64_t period;
};

/* How to sample; all zero but the size is the default. */
struct uncore_sampler_options {
	size_t struct_size; /* sizeof, by the caller */
	bool no_freeze;	    /* counting goes on while a sample is taken */
	bool by_lot; /* stretches between samples are drawn by lot, a period
		      * in the mean, so that they keep step with nothing */
	bool once;   /* the first overflow of a socket freezes it for good */
	bool force;  /* as in struct uncore_session_options */
	const char *owner;
	double clock_hz; /* of the uncore; 0: not known */
	/* Called in the cycle of an interrupt, on the thread that runs the
	 * socket, for each counter that ran over: what is known of the program
	 * at this time, written to a place of note_bytes that comes back with
	 * the sample. Who asked for what made it run over is `requester`, as
	 * uncore_model_requester() has it; 0: not known. NULL: nothing. */
	void (*note)(void *context, uint64_t requester, void *note);
	size_t note_bytes;
	/* Called when a socket froze for good (`once`), in the same way. */
	void (*frozen)(void *context, unsigned socket, uint64_t cycle);
	void *context;
};

/* Whether overflows of a processor interrupt anybody: of the others nothing can
 * be sampled. */
bool uncore_sampler_has_interrupt(const struct uncore_family *family);

/* Whether an event can be sampled with a period; else *error names the nearest
 * that can. */
int uncore_sampler_check(const struct uncore_event *event, uint64_t period,
			 char **error);

/* Counters for all events on every socket; they must fit together. Target and
 * events must outlive the sampler. */
int uncore_sampler_open(struct uncore_target *target,
			const struct uncore_sampled *events, size_t num_events,
			const struct uncore_sampler_options *options,
			struct uncore_sampler **sampler, char **error);

/* Programs and starts the counters. */
int uncore_sampler_start(struct uncore_sampler *sampler, char **error);

/* Whether samples are taken without uncore_sampler_poll(). */
bool uncore_sampler_is_exact(const struct uncore_sampler *sampler);

/* Where it is not exact: looks for overflows in all sockets, or is told of an
 * interrupt and its cycle (UNCORE_TARGET_PMI), and takes the samples. Once
 * somebody else was seen to have changed what was set, the former fails with
 * UNCORE_ERR_IN_USE. */
int uncore_sampler_poll(struct uncore_sampler *sampler, char **error);
int uncore_sampler_serve(struct uncore_sampler *sampler, unsigned socket,
			 unsigned core, uint64_t cycle, char **error);

/* Another period of an event, from its next samples on; not while a model runs.
 */
void uncore_sampler_set_period(struct uncore_sampler *sampler, size_t event,
			       uint64_t period);

/* Stops counting on all sockets; the last samples are of kind END. What
 * somebody else has changed meanwhile is an error here, too. */
int uncore_sampler_stop(struct uncore_sampler *sampler, char **error);

/* The next sample in order of time, to be called while no model runs: 1, 0 when
 * there is none at present, or a negative UNCORE_ERR_*. Samples are handed over
 * only after registers were seen to be as they were set. Counts and note (NULL
 * unless there was an interrupt) are good until the next call; events are
 * numbered as in uncore_sampler_open(). */
int uncore_sampler_take(struct uncore_sampler *sampler,
			struct uncore_sample *sample,
			const struct uncore_sample_count **counts,
			size_t *num_counts, const void **note);

/* Cycles in which a socket counted nothing because a sample was being taken, as
 * far as they are known: since the interrupt, or where that was not heard of,
 * since its overflow was seen. */
uint64_t uncore_sampler_frozen(const struct uncore_sampler *sampler,
			       unsigned socket);

/* Of `once`: the cycle since the start at which a socket stopped, by freeze or
 * (is_freeze false) by uncore_sampler_stop(); false where it is not known. */
bool uncore_sampler_stopped(const struct uncore_sampler *sampler,
			    unsigned socket, bool *is_freeze, uint64_t *cycle);

/* Of `once`, after uncore_sampler_stop(): status registers that are not 0 and
 * what each counter has counted (multiplier applied), socket by socket. False
 * past the last one. Texts live as long as the events. */
bool uncore_sampler_state(const struct uncore_sampler *sampler, size_t index,
			  struct uncore_state *state);

/* Puts the registers back as they were before the start, and frees it. */
void uncore_sampler_close(struct uncore_sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif
