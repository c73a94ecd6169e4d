/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a sampler, shared by its files:
 *
 *     sampler.c        open, start, stop, close
 *     sampler_make.c   its counters
 *     sampler_arm.c    which registers a counter has, what is written to it
 *     sampler_take.c   from an overflow to a sample
 *     sampler_queue.c  samples on their way to the caller
 *     sampler_state.c  what is left of a PMU that froze for good
 *
 * It stands on a session, which has put the events on counters and puts all
 * registers back at the end. Each socket is on its own: nothing that is written
 * while a model runs is shared by two of them.
 */
#ifndef UNCORE_SESSION_SAMPLER_H
#define UNCORE_SESSION_SAMPLER_H

#include "event/event.h"
#include "session/batch.h"
#include "uncore/sampler.h"
#include "uncore/session.h"
#include "uncore/target.h"

/* A counter of one socket. All numbers are of the register; what users see is
 * multiplied. */
struct sampler_counter {
	const struct uncore_event *event;
	size_t event_index;
	unsigned instance;
	const struct uc_register *reg, *control;
	const struct uc_register *clear; /* what clears its overflow, */
	uint64_t clear_bit; /* by this bit; 0: the socket's does alone */
	uint64_t pmi_en, wrap_mode; /* in the control */
	uint64_t mask;		    /* of its width */
	unsigned multiplier;
	/* that of another event which samples; it is counted there */
	const struct sampler_counter *same;
	uint64_t period;  /* 0: read along */
	uint64_t written; /* last value that was written, 0 at the start */
	uint64_t raw;	  /* at the last read */
	uint64_t counted; /* since the start */
	uint64_t told;	  /* of it, in samples */
	uint64_t next;	  /* `counted` at which a sample is due */
	uint64_t lot;	  /* state of what is drawn */
	bool has_overflowed;
};

/* A sample that waits, with its place in `values`. */
struct sampler_waiting {
	struct uncore_sample sample;
	size_t first_value;
	bool has_values, has_note;
};

struct sampler_queue {
	struct sampler_waiting *samples;
	uint64_t *values; /* one per counter of the socket */
	char *notes;	  /* one per sample */
	size_t num, size, first;
	size_t num_values, size_values;
	bool is_checked; /* nobody had changed anything after the last one */
};

struct sampler_socket {
	struct uncore_sampler *sampler;
	unsigned socket;
	struct sampler_counter *counters;
	uint64_t master;	    /* the value that lets everything count */
	struct session_batch batch; /* that is being made, or was done last */
	struct sampler_queue queue;
	uint64_t last_cycle; /* of the last sample; since the start */
	double last_seconds;
	uint64_t frozen_cycles;
	uint64_t resumed;    /* the cycle of it; interrupts before it are old */
	uint64_t stop_cycle; /* since the start; UNCORE_NO_CYCLE: not known */
	bool is_frozen;	     /* for good */
	int failed;	     /* an UNCORE_ERR_*, to be told later */
};

struct uncore_sampler {
	struct uncore_target *target;
	struct uncore_sampler_options options;
	struct uncore_session *session;
	const struct uncore_plan *plan; /* the session's only slice */
	const struct uc_register *master, *master_status, *master_clear;
	uint64_t run, stop; /* bits of the master: counters go on, or not */
	uint64_t shows_run; /* which of them can be read */
	uint64_t frz_all, core_sel; /* in the master; one core */
	uint64_t clear_all;	    /* in its overflow control */
	uint64_t overflow_bits;	    /* in its status */
	struct sampler_socket *sockets;
	size_t num_sockets;
	size_t num_counters; /* of each socket */
	struct uncore_sample_count *counts;
	char *note;
	struct uncore_state *states; /* of `once`, after stop() */
	size_t num_states;
	uint64_t start_cycle; /* UNCORE_NO_CYCLE: not known */
	double start_seconds; /* wall time */
	double next_look;     /* wall time: at what others may have changed */
	bool is_exact, is_running;
};

/* Does the socket's batch, which is empty then; *cycle is that of it. */
int sampler_run(struct sampler_socket *socket, uint64_t *cycle);

/* The error where it was refused. */
int sampler_refused(const struct sampler_socket *socket, char **error);

/* sampler_make.c: the counters of all sockets. */
int sampler_make_sockets(struct uncore_sampler *sampler,
			 const struct uncore_sampled *events, size_t num_events,
			 char **error);

/* sampler_arm.c: the registers of a counter; the writes that begin a period, to
 * be done while the counter stands still. */
int sampler_find_registers(struct uncore_sampler *sampler,
			   struct sampler_counter *counter, char **error);
int sampler_find_master(struct uncore_sampler *sampler, char **error);
int sampler_arm_all(struct uncore_sampler *sampler, char **error);
void sampler_arm(struct sampler_socket *socket,
		 struct sampler_counter *counter);
void sampler_clear(struct sampler_socket *socket,
		   const struct sampler_counter *counter);

/* The value of the master by which everything stands still. */
uint64_t sampler_still(const struct sampler_socket *socket);

/* The length of the next stretch without a sample. */
uint64_t sampler_stretch(const struct uncore_sampler *sampler,
			 struct sampler_counter *counter);

/* sampler_take.c: reads all counters of a socket and takes what is due. `cycle`
 * is the interrupt's (UNCORE_NO_CYCLE: there was none). */
int sampler_take_overflows(struct sampler_socket *socket, long core,
			   uint64_t cycle);

/* After all has been stopped: what is due, and the rest. */
int sampler_take_rest(struct sampler_socket *socket);

/* sampler_queue.c: at the end of the queue a sample; with the growth of all
 * counters since the one before, unless it is of the same moment. */
int sampler_queue_add(struct sampler_socket *socket,
		      const struct uncore_sample *sample, bool has_values,
		      bool has_note, uint64_t requester);
void sampler_queue_free(struct sampler_queue *queue);

/* sampler_state.c: keeps what uncore_sampler_state() shows. */
int sampler_keep_state(struct uncore_sampler *sampler);

#endif
