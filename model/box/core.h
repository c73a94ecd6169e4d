/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core as the uncore sees it: it sends what its private caches could not
 * answer, and is snooped. Between two misses its instructions take what the
 * traffic says, or a fixed time each; misses overlap as far as fill buffers and
 * the instruction window allow.
 */
#ifndef UNCORE_CORE_H
#define UNCORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "uncore/model.h"

struct socket;

/* CORE_QUICK: the entry of what is done while time stands. */
enum {
	CORE_MAX_OUTSTANDING = 64,
	CORE_QUICK = CORE_MAX_OUTSTANDING,
	CORE_LINE_SUMS = 64
};

/* Kinds of access that follow those of the traffic: a core makes them. */
enum core_access_kind {
	CORE_ACCESS_UNLOCK = UNCORE_NUM_ACCESS_KINDS,
	CORE_ACCESS_SRAM_WRITE, /* its state before C6 */
	CORE_ACCESS_SRAM_READ,	/* and after it */
	CORE_NUM_ACCESS_KINDS
};

/* Streaming stores, of a line or of some bytes of it. */
static inline bool core_streams(unsigned kind)
{
	return kind == UNCORE_ACCESS_NT_WRITE || kind == UNCORE_ACCESS_NT_PART;
}

/* Accesses that no slice answers: special requests to the C-Box at the core's
 * own ring stop (guide 2.3.6, SPL_NOT_CO). */
static inline bool core_is_special(unsigned kind)
{
	return kind > UNCORE_ACCESS_NONE && kind != UNCORE_ACCESS_FLUSH &&
	       !core_streams(kind);
}

/* What a core asks for, and who answered: bits 0 to 7 and 8 to 15 of
 * MSR_OFFCORE_RSP_0 in their order. What instructions load is data, too, and
 * counted by itself. */
enum core_request {
	REQUEST_DATA, /* prefetches of the L1D, page walks */
	REQUEST_OWN,
	REQUEST_CODE,
	REQUEST_WRITE_BACK,
	REQUEST_PREFETCH_DATA, /* by the L2 */
	REQUEST_PREFETCH_OWN,
	REQUEST_PREFETCH_CODE,
	REQUEST_OTHER,
	REQUEST_LOAD,
	CORE_NUM_REQUESTS
};

enum core_answer {
	ANSWER_SLICE,		/* without asking anybody */
	ANSWER_CORE,		/* another core was asked: not changed there; */
	ANSWER_CORE_MODIFIED,	/* changed there */
	ANSWER_REMOTE_MODIFIED, /* the cache of another socket, */
	ANSWER_REMOTE,		/* where it was not changed */
	ANSWER_REMOTE_DRAM,
	ANSWER_LOCAL_DRAM,
	ANSWER_IO, /* no memory */
	CORE_NUM_ANSWERS
};

/* Accesses that cost a core alike: who asks (loads; those that wait for another
 * load; stores; fetches; prefetches and walks), each by where the answer comes
 * from (enum core_answer, changed or not); all others. */
enum core_class {
	CLASS_LOAD = 0,
	CLASS_CHAINED = 5,
	CLASS_OWN = 10,
	CLASS_CODE = 15,
	CLASS_AHEAD = 20,
	CLASS_REST = 25,
	CORE_NUM_CLASSES
};
enum { NUM_FROM = CLASS_CHAINED };

/* What the core's own counters can be made to count, since the start of the
 * model; what the private caches count is the traffic's to tell. */
struct core_counts {
	uint64_t answers[CORE_NUM_REQUESTS][CORE_NUM_ANSWERS];
	/* First uses of prefetched lines that were under way, where the L2 had
	 * a place for the line and where the L1D had. */
	uint64_t late[2];
	uint64_t upgrades;   /* stores to the L1D that had to ask */
	uint64_t fills[2];   /* lines given to the L2: shared, exclusive */
	uint64_t slow_loads; /* that took more than slow_cycles */
};

/* A miss that the core waits for, or a line that it gives back. */
struct core_miss {
	uint64_t line;
	uint64_t instruction; /* its place in program order */
	uint32_t number;      /* among the core's accesses */
	uint8_t kind;	      /* enum uncore_access_kind */
	bool is_ahead;	      /* a prefetch: nobody waits for it yet */
	bool is_written;      /* one for which a store waits, */
	bool is_locked;	      /* and what follows for the store */
	bool is_near;	      /* as in struct uncore_access, */
	bool is_clean;	      /* too */
	bool to_llc;	      /* (a prefetch, always) */
	bool is_timed;	      /* the load of an instruction, since `started` */
	bool is_chained;      /* that another one had to be done for */
	bool is_answered;
	uint8_t told;	  /* the class it was counted as before that, plus 1 */
	uint8_t request;  /* enum core_request */
	uint8_t from;	  /* enum uncore_answer_from */
	uint16_t target;  /* of a special request */
	uint16_t writer;  /* core that wrote last, plus 1; 0: not known */
	uint32_t floor;	  /* the value to be read at least, for --check */
	uint64_t started; /* cycles << 16 */
	uint64_t asked;	  /* the cycle of the requester's request */
	uint64_t requester; /* see sim.h, */
	uint64_t store;	    /* and the store that waits */
};

/* No instruction behind `from` ran before: a load that they had to wait for was
 * done then. */
struct core_held {
	uint64_t from;
	uint64_t until; /* cycles << 16 */
};

enum core_state { CORE_RUNS, CORE_WAITS_FOR_TRAFFIC, CORE_ENDED };

/* What a core that is kept from starting accesses is doing; see
 * core_special.c. */
enum core_step {
	STEP_NONE,
	STEP_SPECIAL, /* one special request is out */
	STEP_LOCK,    /* the bus lock is asked for, */
	STEP_LOCKED,  /* held while the line is written, */
	STEP_UNLOCK,  /* and given back */
	STEP_SAVE,    /* the state goes to the SRAM before C6, */
	STEP_SLEEP,   /* stays there, */
	STEP_RESTORE, /* and comes back */
};

struct core {
	struct socket *socket;
	unsigned index;	 /* in the socket */
	unsigned number; /* in the system */
	enum core_state state;
	bool has_access;
	bool is_stuck; /* a completion or a free RWRF place has to wake it */
	struct uncore_access access; /* the next one */
	uint64_t instruction;	     /* of the next access */
	uint64_t ready;		     /* when it may start: cycles << 16 */
	uint64_t timer; /* of its timers those before this one are void */
	/* Where instructions still to come have to wait: both grow from one to
	 * the next. The first is at held[first_held % CORE_MAX_OUTSTANDING]. */
	struct core_held held[CORE_MAX_OUTSTANDING];
	unsigned first_held, num_held;
	/* << 16; of an instruction whose traffic says nothing, of one up to the
	 * next access, of a cycle of the core. */
	uint64_t cycles_per_instruction;
	uint64_t pace;
	uint64_t cycles_per_core_cycle;
	double nominal_cycles_per_instruction, nominal_cycles_per_core_cycle;
	unsigned max_uncached; /* see core.uncached */
	unsigned window, fill_buffers, super_queue, rwrf_room;
	/* Under way: what has a fill buffer; what has an entry of the super
	 * queue only. */
	unsigned num_misses, num_prefetches;
	uint32_t prefetchers; /* PREFETCH_* that software has on */
	unsigned rwrf;
	unsigned fill_cycles, snoop_cycles, poll_cycles;
	bool is_polled; /* while it waits for traffic: that is asked again */
	uint64_t poll;	/* number of the latest; those before it are void */
	uint64_t num_accesses;
	uint64_t num_taken; /* of all kinds, by which the traffic knows them */
	uint32_t num_started;	 /* of all kinds, see uncore_access.after */
	uint64_t num_requests;	 /* of data and code, without write-backs */
	uint64_t num_llc_misses; /* of these; the C-Box counts them here */
	struct core_counts counts;
	uint64_t classes[CORE_NUM_CLASSES]; /* accesses, by who answered them */
	/* << 16: what instructions take by themselves, and of these those up to
	 * the latest access. */
	uint64_t gap_cycles, latest_gap;
	uint8_t latest_class;
	/* Where the answer to the latest of each who asks came from. */
	uint8_t latest_from[CLASS_REST / NUM_FROM];
	uint64_t slow_cycles; /* of the uncore << 16, in which a load is slow */
	enum core_step step;
	bool is_stopped;     /* by StopReq1 */
	bool is_interrupted; /* since it began to go to sleep */
	bool special_turn;   /* ring direction of the next special request */
	uint8_t step_entry;  /* what the step waits for */
	unsigned sram_left;
	uint64_t num_sleeps;
	bool is_busy;
	uint64_t busy_cycles; /* see core_busy_cycles() */
	uint64_t waited;      /* cycles << 16, for traffic that came then */
	uint64_t passed;      /* << 16: of quick stretches, beside them */
	uint64_t oldest_load; /* instruction; none under way is before it */
	uint64_t used;	      /* bit n: misses[n] is in use, */
	uint64_t loads;	      /* and the instruction window waits for it */
	/* How many of these have a line with the same sum. */
	uint8_t num_like[CORE_LINE_SUMS];
	struct core_miss misses[CORE_MAX_OUTSTANDING + 1]; /* and CORE_QUICK */
};

/* A core of a socket, halted. */
void core_init(struct core *core, struct socket *socket, unsigned index);

/* Traffic has been set: begin to take it from the present cycle on. */
void core_start(struct core *core);

/* The traffic has an access again: if the core was told that there was none, it
 * asks in the present cycle. */
void core_wake(struct core *core);

/* sim_fn: the data of a miss (entry of the request) were at the core's ring
 * stop core->fill_cycles ago. */
void core_done(void *core, uint64_t entry);

/* Adds the core's accesses by class; those under way as if they were answered
 * from where the latest like them was, which they keep, or a window would have
 * fewer answers than accesses where more and more are under way. */
void core_add_classes(struct core *core, uint64_t *classes);

/* Who has answered a miss; the line has come from there, in a state. */
void core_answered(struct core *core, unsigned entry, enum core_answer answer);
static inline void core_filled(struct core *core, bool is_exclusive)
{
	core->counts.fills[is_exclusive]++;
}

/* Nothing outstanding. */
bool core_is_settled(const struct core *core);

/* Up to the present cycle: instructions that the core has retired, and uncore
 * cycles in which it was not halted. */
uint64_t core_instructions(const struct core *core);
uint64_t core_busy_cycles(const struct core *core);

/* Uncore cycles up to where the core is: what it starts next waits until then,
 * or longer. */
double core_time(const struct core *core);

/* The same, << 16. */
uint64_t core_later(const struct core *core);

/* Another clock, so many times as slow as core.clock, from the instructions on
 * that are still to come. */
void core_set_clock(struct core *core, double slower);

/* A message of the system arrives at the core (MESSAGE_INTERRUPT wakes it,
 * MESSAGE_STOP_REQ1 keeps it from starting accesses until MESSAGE_START_REQ2,
 * others change nothing). The S-Box answers for the core. */
void core_message(struct core *core, enum packet_message message);

/* Parts of the core used across its files. */

/* Whether there is a next access, in core->access then; and whether those who
 * had its line before are done with it. */
bool core_fetch(struct core *core);
bool core_is_its_turn(const struct core *core);

/* It waits for its next access to start; until then, whatever that was before.
 */
bool core_has_timer(const struct core *core);
void core_set_timer(struct core *core);
/* It does not start that, but waits for core_run(). */
void core_hold(struct core *core);

/* core->access while time stands (detail.h): false if it is of a kind that
 * needs time. */
bool core_pass(struct core *core);

/* Takes a place for a miss; the core may start accesses (again). */
unsigned core_take_entry(struct core *core, uint64_t line, unsigned kind);
void core_send_request(struct core *core, unsigned entry);
void core_run(struct core *core);
void core_keep_time(struct core *core);

/* Starts core->access, of a kind behind UNCORE_ACCESS_NONE; any access is done
 * during a step. */
void core_start_special(struct core *core);
void core_special_done(struct core *core, unsigned entry);

static inline bool core_is_load(unsigned kind)
{
	return kind == UNCORE_ACCESS_READ || kind == UNCORE_ACCESS_CODE;
}

static inline unsigned core_line_sum(uint64_t line)
{
	return (uint32_t)line * UINT32_C(0x9e3779b1) >> 26;
}

/* Whether a miss of the line is under way. */
static inline bool core_has_line(const struct core *core, uint64_t line)
{
	if (!core->num_like[core_line_sum(line)])
		return false;
	for (uint64_t used = core->used; used; used &= used - 1)
		if (core->misses[__builtin_ctzll(used)].line == line)
			return true;
	return false;
}

/* The same of one whose line comes to the core. A request for it may overtake a
 * prefetch into the LLC, which changes nothing where somebody has the line. */
static inline bool core_awaits_line(const struct core *core, uint64_t line)
{
	if (!core->num_like[core_line_sum(line)])
		return false;
	for (uint64_t used = core->used; used; used &= used - 1) {
		const struct core_miss *miss =
			&core->misses[__builtin_ctzll(used)];

		if (miss->line == line && !miss->to_llc)
			return true;
	}
	return false;
}

/* core->access is for the LLC alone. */
static inline bool core_asks_for_llc(const struct core *core)
{
	return core->access.prefetch == UNCORE_PREFETCH && core->access.to_llc;
}

/* One more load, the latest, is under way. */
static inline void core_add_load(struct core *core, unsigned entry)
{
	if (!core->loads)
		core->oldest_load = core->instruction;
	core->loads |= UINT64_C(1) << entry;
}

/* The load of an entry is done, if it is one: nobody waits for it any more. */
void core_end_load(struct core *core, unsigned entry);

/* Whether a load that is too old is under way for another one to start. */
bool core_has_old_load(struct core *core);
static inline bool core_is_window_full(struct core *core)
{
	return core->loads &&
	       core->instruction - core->oldest_load > core->window &&
	       core_has_old_load(core);
}

/* core->access, as uncore_model_requester() has it. */
static inline uint64_t core_requester(const struct core *core)
{
	return ((uint64_t)core->number + 1) << 48 | core->num_taken;
}

/* Whether a load is under way that core->access needs. */
bool core_needs_load(const struct core *core);

/* Whether core->access is a store to a line whose load or prefetch is under
 * way. It waits in the fill buffer of that, and what follows does not. */
bool core_joins_miss(struct core *core);

/* Time will stand, and what the core does next come before the lines under
 * way: the stores that wait for these are done, where the tags have the line.
 */
void core_write_joined(struct core *core);

/* The traffic is told of a read that starts. */
void core_tell_read(const struct core *core);

/* core->access has started: the next one may be asked for. */
static inline void core_end_access(struct core *core)
{
	if (core->access.is_read)
		core_tell_read(core);
	core->has_access = false;
	core->num_started++;
}

/* A request has its place of RWRF until then. */
void core_leaves_at(struct core *core, uint64_t time);

/* Whether all that may be outstanding is. */
static inline bool core_is_super_full(const struct core *core)
{
	return core->num_misses + core->num_prefetches >= core->super_queue;
}

/* What nobody waits for (core_prefetch.c). A miss that has just started is such
 * a one. */
void core_start_prefetch(struct core *core, unsigned entry);

/* Whether core->access is a prefetch or has to do with one under way; then
 * *wait says whether it cannot be yet. If it needs no request of its own, it is
 * done with (core->has_access). */
bool core_meets_prefetch(struct core *core, bool *wait);

/* The miss's requester has its answer. */
void core_tell_answer(struct core *core, const struct core_miss *miss);

/* The data of one are there: false if it is not done yet. */
bool core_prefetch_done(struct core *core, unsigned entry);

#endif
