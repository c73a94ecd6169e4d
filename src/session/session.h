/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a session, shared by its files:
 *
 *     session.c   open, start, read, stop, close
 *     program.c   what the slices write, and to which registers
 *     rows.c      which counters are read, and for whom
 *     change.c    what differs between two of them
 *     turn.c      from one slice to the next; rounds.c: when, and to which
 *     time.c      how long each box has counted
 *     count.c     from counters to counts
 *     estimate.c  what multiplexing did not see; spread.c: and how far off
 *     sampled.c   estimates where a model works out the time of windows only;
 *                 windows.c, weights.c: how
 *     guard.c     whether somebody else has changed what was set
 *     saved.c     registers as they were, and back again
 *     journal.c   the same after a crash; lock.c, neighbour.c: who else counts
 *
 * All sockets are programmed alike. A *place* is an instance of a box, a *unit*
 * is a place in one socket, a *row* is a count as the user sees it, a *cell* is
 * a stretch of the run: the turns of one or more rounds.
 *
 * Where there are as many PMUs as one likes (a model), nobody takes turns: each
 * slice has a PMU of its own and counts from the start to the stop.
 */
#ifndef UNCORE_SESSION_SESSION_H
#define UNCORE_SESSION_SESSION_H

#include "access/access.h"
#include "event/event.h"
#include "session/saved.h"
#include "uncore/schedule.h"
#include "uncore/session.h"
#include "uncore/target.h"

enum session_state { SESSION_OPEN, SESSION_RUNNING, SESSION_STOPPED };

/* What the time of a session is measured in. */
enum session_clock {
	SESSION_CYCLES, /* each batch says its cycle */
	SESSION_STEPS,	/* the target's status does; time stands meanwhile */
	SESSION_WALL,	/* nanoseconds of this machine */
};

/* A run has at most so many cells, and at least half of them once it has been
 * running for a while: when all are full, each two become one. */
enum { SESSION_MAX_CELLS = UNCORE_MAX_CELLS };

/* A register that some slice writes. */
struct session_register {
	const struct uc_register *reg;
	size_t place;
	uint64_t now;	/* what the session wrote last */
	bool is_known;	/* by then */
	bool is_enable; /* of a box, with this value it stands still */
	uint64_t off;
};

/* What starts and stops all boxes of a domain. */
struct session_switch {
	size_t reg;
	uint64_t en; /* the enable of its own box among its bits, or 0 */
};

/* One write of a slice. */
struct session_step {
	size_t reg;
	uint64_t value;
	bool is_final; /* no later step writes this register */
};

struct session_place {
	unsigned box, instance;
	/* In the transition at hand: */
	bool is_changed, is_refiltered;
};

struct session_unit {
	unsigned socket;
	size_t place;
	uint64_t since;	 /* the time it counts since */
	uint64_t *ticks; /* of each slice */
	/* guard.c: a counter that nobody uses, and what it holds (NULL: none);
	 * and what somebody else has done here (NULL: nothing was seen). */
	const struct uc_register *witness;
	uint64_t token;
	char *why;
};

/* A counter register in one socket. */
struct session_counter {
	const struct uc_register *reg;
	size_t event; /* that it counted last */
	unsigned socket;
	size_t place, unit;
	size_t pmu;
	uint64_t raw;	  /* at the last read */
	uint64_t read_at; /* the time of it */
	uint64_t delta;	  /* between the last two reads */
	bool is_fresh;	  /* given another event, and has counted nothing yet */
};

/* What one counter does for one row in one slice. */
struct session_entry {
	size_t slice, row, counter;
	bool is_first;	   /* of the slice's entries with this counter */
	uint64_t seen;	   /* before any multiplier */
	uint64_t *cells;   /* twice the growth, see count.c; NULL: one slice */
	uint64_t restarts; /* sub-counter set to 0 in a turn that counted */
	uint64_t silences; /* the same in a turn that counted nothing */
};

struct session_row {
	size_t event;
	unsigned socket;
	unsigned instance;
	size_t first_entry, num_entries;
	bool lost_tally; /* queue occupancy that began at 0 in mid-run */
	bool valid;
	bool may_have_wrapped;
};

struct session_slice {
	const struct uncore_plan *plan;
	struct uncore_plan *own_plan; /* to be freed; NULL: the schedule's */
	long *items; /* of each event: which of the plan it is, or -1 */
	struct session_step *steps;
	size_t num_steps;
	uint64_t *switches; /* the value of each that starts it */
	uint64_t *final;    /* of each register */
	bool *has;	    /* whether it writes it */
	size_t *counters;   /* that count in it */
	size_t num_counters;
	size_t *entries;
	size_t num_entries;
	uint64_t ticks; /* counted so far */
	uint64_t turns;
	uint64_t cells[SESSION_MAX_CELLS]; /* ticks */
};

/* Rounds in which each slice has one turn. */
struct session_rounds {
	size_t *order, *next_order;
	size_t at;	/* in the order */
	size_t present; /* the slice that counts */
	uint64_t random;
	size_t cell;	     /* that is being filled */
	uint64_t in_cell;    /* rounds in it so far */
	uint64_t per_cell;   /* rounds that fill one */
	double turn_seconds; /* how long a turn is to be at present */
	uint64_t cost_ns;    /* of the quickest change so far, wall time */
	uint64_t num_turns;
};

struct session_pmu {
	struct uncore_target *target; /* the first one's is the session's */
	struct saved saved;	      /* what its registers held before */
};

struct session_batch;
struct session_lock;

struct uncore_session {
	struct uncore_target *target;
	struct uncore_event **events;
	size_t num_events;
	struct uncore_schedule *schedule;
	char *owner;
	bool is_shared;	 /* others count besides: nothing of theirs is reset or
			 * stopped */
	bool is_forced;	 /* whoever has the counters */
	bool is_sampled; /* a sampler changes what was set */
	bool shows_all;	 /* and tells what all registers hold in the end */

	struct session_register *registers;
	size_t num_registers;
	struct session_switch *switches;
	size_t num_switches;
	struct session_place *places;
	size_t num_places;
	struct session_unit *units;
	size_t num_units;
	struct session_counter *counters;
	size_t num_counters;
	struct session_slice *slices;
	size_t num_slices;
	struct session_row *rows;
	size_t num_rows;
	struct session_entry *entries;
	size_t num_entries;
	uint64_t *cells; /* of all entries; NULL: nobody takes turns */
	uint64_t *keep;	 /* bits of others: of each socket, each register */

	struct session_rounds rounds;
	struct session_pmu *pmus; /* one for each slice, or for all */
	size_t num_pmus;
	struct session_pmu *pmu; /* of the slice that is at hand */
	struct session_lock *lock;
	char *reason;	/* why a count may have wrapped */
	bool has_burst; /* estimate_look() */

	struct session_sampled *sampled; /* NULL: all was in detail */
	bool skips_state; /* in a read, see session_read_estimated() */

	bool *are_state;      /* each event: whether it counts facts of state */
	double *wrap_seconds; /* in which a counter of each event can wrap */
	double least_wrap;    /* of all events */

	enum session_clock clock;
	double clock_hz;
	uint64_t start, last; /* ticks: of the start, of the last read */
	uint64_t start_cycle, stop_cycle; /* UNCORE_NO_CYCLE: not known */
	enum session_state state;
};

static inline const struct uc_family *
session_family(const struct uncore_session *session)
{
	return family_row(session->target->family);
}

/* program.c: places, registers, slices and rows of the schedule; a PMU for each
 * slice, or one for all. */
int program_make(struct uncore_session *session, bool has_pmus, char **error);
void program_free(struct uncore_session *session);
/* The place of a box, which is added if it is new; SIZE_MAX without memory. */
size_t program_place(struct uncore_session *session, unsigned box,
		     unsigned instance);

/* session.c: whether it is a status register that may change by what the
 * session does. */
bool session_tells(const struct uncore_session *session,
		   const struct uc_register *reg);

/* Calls for each PMU, whose slice is at hand meanwhile, as long as none fails.
 * Where one is for all, that is the slice whose turn it is. */
int program_each(struct uncore_session *session,
		 int (*call)(struct uncore_session *session, char **error),
		 char **error);

/* rows.c: counters, rows and their entries. */
int rows_make(struct uncore_session *session);

/* rounds.c: whose turn it is, and for how long. */
int rounds_init(struct uncore_session *session, uint64_t seed);
void rounds_free(struct uncore_session *session);
size_t rounds_peek(const struct uncore_session *session); /* the next slice */
void rounds_end_turn(struct uncore_session *session);
void rounds_cost(struct uncore_session *session, uint64_t cost_ns);

/* turn.c: begins to count on the PMU at hand; ends the turn and begins the next
 * one; stops all. */
int turn_start(struct uncore_session *session, char **error);
int turn_next(struct uncore_session *session, char **error);
int turn_stop(struct uncore_session *session, char **error);

/* time.c: which clock there is; the time of a batch and of one access in it;
 * and the time that has passed goes to the units and the slice that count. */
void time_init(struct uncore_session *session);
uint64_t time_of_batch(struct uncore_session *session,
		       const struct session_batch *batch);
uint64_t time_of_op(const struct uncore_session *session,
		    const struct session_batch *batch, size_t op,
		    uint64_t otherwise);
void time_pass(struct uncore_session *session, uint64_t now);

/* count.c: reads all counters once to know where they begin; reads those that
 * count. */
int count_base(struct uncore_session *session, char **error);
int count_read(struct uncore_session *session, char **error);
/* session.c: the same, of counters whose events windows tell; others are not
 * asked, and know what they have counted at the next read. */
int session_read_estimated(struct uncore_session *session, char **error);
/* The two halves of the latter: reads for a batch, and what became of them,
 * `first` being the first; then the slice begins or ends a turn. */
void count_ask(const struct uncore_session *session,
	       struct session_batch *batch);
void count_take(struct uncore_session *session,
		const struct session_batch *batch, size_t first, uint64_t now);
void count_begin_turn(struct uncore_session *session, uint64_t now);
void count_end_turn(struct uncore_session *session);

/* The events of a row that were counted really: `seen` of its count, and
 * nothing else of it. */
uint64_t count_seen(const struct uncore_session *session, size_t index);

/* What a counter that was given `written` and now reads `raw` holds: where a
 * carry shows early it reads 2^24 too high while the low 24 bits are 0 or 1
 * after a carry out of them (guide, 2.8.2, and the note in 2.8.3.2). */
uint64_t count_mask(const struct uncore_event *event);
uint64_t count_correct(const struct uncore_event *event, uint64_t raw,
		       uint64_t written);

/* Works out in what time counters can wrap; false without memory. */
bool count_init(struct uncore_session *session);

/* Ticks as seconds. */
double session_seconds(const struct uncore_session *session, uint64_t ticks);

/* estimate.c: sees, when all has been read, whether some event was seen in a
 * short part of the run only. */
void estimate_look(struct uncore_session *session);

/* Value, error and share of a sum of rows of one event. */
void estimate_sum(const struct uncore_session *session, const size_t *rows,
		  size_t num, struct uncore_count *count);

/* Whether an estimate means anything, of which the sum is n/a if not: what
 * happens in a turn or two is seen many times too high, or not at all. The
 * error of rare events is that of what comes at random, which nobody knows
 * where others came in a burst. */
void estimate_doubt(const struct uncore_session *session, const size_t *rows,
		    size_t num, struct uncore_count *sum);

#endif
