/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The listeners' side of a bank of signals, shared by tap.c (who listens, what
 * happens in the present cycle) and log.c (what was published for cycles to
 * come). What is published goes one of three ways:
 *
 *   the present cycle (sig_pulse, sig_add ..)   to taps and sums, at once
 *   cycles to come, only sums wanted            log -> `late`, in any order
 *   cycles to come, order wanted                log -> timeline -> taps, sums
 *
 * Invariants
 * 1. An entry of a signal with `num_ordered` of 0 stays in the log until the
 *    cycle after its last; then it goes into late[]. Before, whoever looks adds
 *    up what is past of it.
 * 2. Entries before `seen` are of such signals. Those of others go into the
 *    timeline before anybody looks and before anything is published for the
 *    present cycle, and what is due goes to taps and sums.
 * 3. Each entry is in the log, in the timeline, or gone; so it counts once.
 * 4. Nobody has seen a cycle that is not before the present one.
 * 5. All cycles here are those of the box's clock, but those of visits, which
 *    are the uncore's, and those of entries and packets from `fresh` on, which
 *    still are.
 */
#ifndef UNCORE_TAP_BANK_H
#define UNCORE_TAP_BANK_H

#include "model/pmu/tap.h"
#include "model/pmu/timeline.h"

/* A sum that is kept in order. All cycles before `at` are in; from `at` on the
 * level is to be added, in cycle `at` alone the pulses. */
struct kept {
	struct tap_sums sums;
	uint64_t at;
	int64_t level, pulses;
	unsigned num_users;
};

/* The same of the packets of a signal that pass a filter. */
struct filter_sum {
	struct filter_sum *next;
	struct filter filter;
	struct kept kept;
	uint64_t late; /* of packets that have left the log */
};

/* What a signal has in the timeline. */
struct ordered {
	int64_t level;	 /* of what has begun */
	uint64_t weight; /* bound on what the rest can still add to a counter */
};

/* Of the entries in the log, at a look. */
struct part {
	uint64_t total; /* over all cycles before */
	int64_t last;	/* in the last of them */
	int64_t level;	/* at present */
};

/* What was published with a header: a packet, or a level for a while. */
struct packet_entry {
	uint64_t from, to;
	uint64_t requester;
	struct sig_header header;
	int32_t n; /* of a level; 0: a packet */
	uint16_t id;
	bool is_ordered; /* it is in the timeline too */
};

struct tap_bank {
	struct sigbank bank; /* first: boxes only see this part */
	uint32_t num, den; /* cycles of the box in cycles of the uncore; 0 in 0:
			    * they are the same */
	struct sig_tap **taps;		 /* a list for each signal */
	struct kept *kept;		 /* NULL: nobody has wanted sums yet */
	struct filter_sum **filter_sums; /* a list for each signal */
	unsigned num_sums;		 /* that have users */

	struct sig_entry *log, *seen, *fresh;
	unsigned log_room;
	struct packet_entry *packets;
	unsigned num_packets, seen_packets, fresh_packets, packet_room;
	uint64_t *late;	    /* total of what has left the log, and sig_past() */
	struct part *parts; /* NULL: nobody has looked yet */
	uint64_t parts_at;  /* the cycle they are of, or SIM_NEVER */
	const struct sig_entry *parts_end;

	uint16_t *num_ordered; /* listeners to a signal that want order */
	unsigned total_ordered;
	unsigned num_urgent; /* taps of counters with PMIs */
	struct ordered *ordered;
	struct timeline timeline;  /* of those who want order */
	struct visits_seat *seats; /* visits that are told here */
	bool *heard;		   /* by signal: somebody listens */
	bool *only;		   /* see visit.c; all false */
	uint64_t settled; /* the cycle of the last settle(), or NEVER */
};

static inline struct tap_bank *own_of(struct sigbank *bank)
{
	return (struct tap_bank *)bank;
}

/* The box's cycle at a time of the uncore, and the first time in a cycle. */
static inline uint64_t bank_cycle(const struct tap_bank *own, uint64_t time)
{
	if (!own->den)
		return time;
	return time / own->den * own->num +
	       time % own->den * own->num / own->den;
}

static inline uint64_t bank_time(const struct tap_bank *own, uint64_t cycle)
{
	if (!own->den)
		return cycle;
	return cycle / own->num * own->den +
	       (cycle % own->num * own->den + own->num - 1) / own->num;
}

/* The present cycle. */
static inline uint64_t bank_now(const struct tap_bank *own)
{
	return bank_cycle(own, sim_now(own->bank.sim));
}

static inline struct kept *kept_at(const struct tap_bank *own, unsigned id)
{
	return own->kept ? &own->kept[id] : NULL;
}

/* log.c */
bool log_init(struct tap_bank *own);
void log_free(struct tap_bank *own);
/* Who is listening has changed: so has where the log is to be called full. */
void log_set_end(struct tap_bank *own);

void log_convert(struct tap_bank *own);

/* What has been published since is brought into cycles of the box. */
static inline void log_to_cycles(struct tap_bank *own)
{
	if (own->den && own->fresh != own->bank.log_next)
		log_convert(own);
}

/* log_order.c */
/* What is new in the log goes into the timeline where order is wanted. */
void log_see(struct tap_bank *own);
/* That, and what is due up to the present cycle goes to who wants order. */
void log_work_off(struct tap_bank *own);
/* One who wants order begins to listen, or ceases to. */
void log_order_begin(struct tap_bank *own, unsigned id);
void log_order_end(struct tap_bank *own, unsigned id);

/* log_sum.c: what is in the log of a signal, at present. */
const struct part *log_part(struct tap_bank *own, unsigned id);
struct part log_filtered_part(struct tap_bank *own, unsigned id,
			      const struct filter *filter);
/* Of one entry. */
void log_add_entry(struct part *part, const struct sig_entry *entry,
		   uint64_t now);
/* What something with a header is to a filter: n in each cycle pass. */
struct sig_entry log_filtered(const struct packet_entry *packet,
			      const struct filter *filter);

/* Somebody wants order, or did and has not been told everything. */
static inline bool log_is_ordered(const struct tap_bank *own)
{
	return own->total_ordered || own->timeline.num;
}

/* Before anything is published for the present cycle. */
static inline void log_catch_up(struct tap_bank *own)
{
	if (log_is_ordered(own) &&
	    (own->seen != own->bank.log_next ||
	     timeline_first(&own->timeline) <= bank_now(own)))
		log_work_off(own);
}

/* tap.c: a change that is due goes to all who want order. */
void tap_change(struct tap_bank *own, const struct change *change);
/* Counters with PMIs hear that something more will come. */
void tap_expect(struct tap_bank *own, unsigned id);

/* Somebody has begun to listen, or has ceased to. */
void tap_show(struct sigbank *bank, unsigned id, bool begins);

/* visit.c: a signal that nobody has listened to hears of all visits that are
 * kept; if so, others of the bank, too, which will be asked for as well. */
void visits_bring(struct tap_bank *own, unsigned id, bool with_others);
/* Somebody listens to a signal, or nobody does any more. */
void visits_hear(struct tap_bank *own, unsigned id, bool is_heard);
/* The bank goes. */
void visits_leave(struct tap_bank *own);

/* tap_sum.c */
void tap_sums_free(struct tap_bank *own);
/* Brings it to a cycle. */
void kept_pass(struct kept *kept, uint64_t now);

#endif
