/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines that cores fight for take time from one to the other. Latency L is what
 * a request and the line together take:
 *
 *   request   reaches who has the line after L / 2; until then that core goes
 *             on using it. But not before the line has come to it; and where
 *             that core stood for it, not before the home (slice or home
 *             agent) has heard so and sent the request on: half a latency from
 *             the home.
 *   line      is there after another L / 2. Who loads or locks stands until
 *             then. Stores wait in the store buffer; once it is full, the core
 *             stands. A load of a word that the core has just stored gets it
 *             from the buffer (of a core that goes on storing the word there
 *             is always one), whatever others store to it meanwhile.
 *
 * The program runs in one order, so such a load may have brought another core's
 * value. That is none of its own where the core has looked at the word since it
 * stored it, and its store does not wait any more: so looks who waits for an
 * answer, again and again. Who only counts looks once; and who does something
 * else before it first looks, for less than two latencies, has an answer
 * without its way.
 *
 * With loops of c cycles, n threads do so many accesses of loads or locks from
 * one transfer to the next: L / 2 / c, rounded up. Stores of two threads take
 * c / (L + c) transfers each, of more of them c / (n * L / 2), but no fewer
 * than one for what the buffer takes, and the one with which the line comes.
 *
 * Times are core cycles, by which cores are compared here. No word of Valgrind
 * is in here. Choice: who asks first comes first, at whatever distance.
 */
#ifndef UNCORE_TRAVEL_H
#define UNCORE_TRAVEL_H

#include <stdbool.h>
#include <stdint.h>

#define TRAVEL_NEVER UINT64_MAX

enum travel_kind { TRAVEL_LOAD, TRAVEL_STORE, TRAVEL_LOCK };

struct travel_use {
	enum travel_kind kind;
	unsigned word;	/* of the line */
	uint64_t value; /* what the word is then */
};

enum { TRAVEL_CLAIMS = 4, TRAVEL_WORDS = 8 };

/* A core's claim to a line; all zero: a place for one. */
struct travel_claim {
	uint64_t line;	/* plus 1 */
	uint64_t asked; /* for it last */
	uint64_t from;	/* it is there, */
	uint64_t until; /* and has to be given away */
	uint64_t used;	/* the latest use while it was */
	struct {
		uint64_t stored; /* by this core */
		uint64_t value;
	} words[TRAVEL_WORDS];
	uint8_t looked_at; /* words that it has loaded since it stored them */
	uint32_t waiting;  /* stores in the buffer */
	bool stood;	   /* the core stood until it came */
	bool keeps_copy;   /* only the right to write is given away */
	bool is_asked;	   /* for, and not used yet */
};

/* Of a core; times move with its clock. */
struct travel {
	struct travel_claim claims[TRAVEL_CLAIMS];
	uint32_t num; /* of the places that were ever used */
};

/* The core's claim, or NULL. */
struct travel_claim *travel_find(struct travel *travel, uint64_t line);

/* The same, or a place for it (with that line, its `until` TRAVEL_NEVER); NULL
 * if all are needed. *lost is a line that was given away, plus 1, whose place
 * this was, or 0. `calm` cycles after it was had nobody wants a line. */
struct travel_claim *travel_claim(struct travel *travel, uint64_t line,
				  uint64_t now, uint64_t calm,
				  struct travel_claim *lost);

/* When a request of now reaches who has a line; `owner`: what that one has of a
 * claim, or NULL. Half of the latency between both, and of that between the
 * owner and the line's home. */
uint64_t travel_reaches(const struct travel_claim *owner, uint64_t now,
			uint64_t half, uint64_t half_home);

/* A core uses a line to which it has a claim. TRAVEL_ASKS: it has lost it, and
 * asks at *time; that is past where it had gone on for too long, since it could
 * not be told in time. TRAVEL_DONE: the load has its word from the buffer, of
 * so many stores. Else *time says until when the core stands. */
enum travel_next { TRAVEL_HAS, TRAVEL_DONE, TRAVEL_ASKS };
enum travel_next travel_use(struct travel_claim *claim, struct travel_use use,
			    uint64_t now, uint32_t buffer, uint64_t latency,
			    uint64_t *time);

/* Whether a load has what its core stored itself; and what the owner has stored
 * since it asked for the line: that cannot be in a copy that is older. */
bool travel_is_own(const struct travel_claim *claim, struct travel_use use,
		   uint64_t now);
bool travel_is_newer(const struct travel_claim *owner, struct travel_use use);

/* The core has asked for it, for such a use; it comes at `from`. Until when the
 * core stands. */
uint64_t travel_asked(struct travel_claim *claim, struct travel_use use,
		      uint64_t now, uint64_t from);

/* The core's clock is told from others' by so much more than before. */
void travel_shift(struct travel *travel, int64_t cycles);

#endif
