/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * When requests were answered, and where: for somebody who asks soon after,
 * such as a sampler. It is a table by requester (sim.h) in which a newer answer
 * takes an older one's place, but for those that somebody waits for. A core
 * tells it of each request; nobody has it unless it was asked for.
 */
#ifndef UNCORE_ANSWERS_H
#define UNCORE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/model.h"

/* An overflow in a quick stretch may be told many accesses later: of 4,096 rows
 * 1 answer in 16 was gone by then. */
enum { ANSWERS_ROWS = 65536 };

struct answers {
	struct {
		uint64_t requester;
		struct uncore_answer answer;
		bool is_awaited;
	} rows[ANSWERS_ROWS];
};

/* Those of a core come one after the other. */
static inline unsigned answers_row(uint64_t requester)
{
	return (unsigned)(requester + 257 * (requester >> 48)) % ANSWERS_ROWS;
}

static inline void answers_tell(struct answers *answers, uint64_t requester,
				struct uncore_answer answer)
{
	unsigned row = answers_row(requester);

	if (answers->rows[row].is_awaited &&
	    answers->rows[row].requester != requester)
		return;
	answers->rows[row].requester = requester;
	answers->rows[row].answer = answer;
}

/* Somebody is going to ask. */
static inline void answers_await(struct answers *answers, uint64_t requester)
{
	unsigned row = answers_row(requester);

	if (answers->rows[row].requester != requester)
		answers->rows[row].answer = (struct uncore_answer){ 0 };
	answers->rows[row].requester = requester;
	answers->rows[row].is_awaited = true;
}

/* And asks; false: it is not known. */
static inline bool answers_take(struct answers *answers, uint64_t requester,
				struct uncore_answer *answer)
{
	unsigned row = answers_row(requester);

	if (answers->rows[row].requester != requester)
		return false;
	answers->rows[row].is_awaited = false;
	*answer = answers->rows[row].answer;
	return answer->from != UNCORE_ANSWER_UNKNOWN;
}

#endif
