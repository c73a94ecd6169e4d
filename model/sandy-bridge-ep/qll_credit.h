/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The credits of a link's sender for the far receive queue: flits of VNA that
 * all classes share, and one packet of each class on VN0. A packet takes VNA
 * for all of its flits, else its class's VN0, else it waits for the first of
 * the two.
 *
 * Invariants
 * 1. Who has VNA is a list of stays. `held` is the sum of their flits, so it is
 *    not less than what is held in any cycle from the present one on.
 * 2. A stay counts as held before it begins, too, so that no cycle ever has
 *    more than there is.
 */
#ifndef UNCORE_QLL_CREDIT_H
#define UNCORE_QLL_CREDIT_H

#include "model/box/packet.h"
#include "model/station/stays.h"

struct qll_credits {
	unsigned vna; /* flits, in all */
	unsigned held, num, room;
	struct stay *stays; /* of flits */
	uint64_t vn0_until[PACKET_NUM_CLASSES];
};

/* What a packet has got. */
struct qll_grant {
	uint64_t at;
	bool is_vna;
	bool lacked_vna, lacked_vn0; /* when it asked */
};

/* All are there. */
void qll_credits_init(struct qll_credits *credits, unsigned vna);
void qll_credits_free(struct qll_credits *credits);

/* Asks in the cycle `from`, which is not before `now`. qll_credits_hold()
 * follows, before anybody else asks. */
struct qll_grant qll_credits_ask(struct qll_credits *credits, uint64_t now,
				 uint64_t from, unsigned cls, unsigned flits);

/* The credits of a grant are back from a cycle on. */
void qll_credits_hold(struct qll_credits *credits,
		      const struct qll_grant *grant, unsigned cls,
		      unsigned flits, uint64_t until);

/* Told of cycles from .. to - 1, in which no flit of VNA was left and which it
 * has not been told of before. */
typedef void qll_credits_out_fn(void *object, uint64_t from, uint64_t to);

/* After qll_credits_hold() of VNA. */
void qll_credits_tell_out(const struct qll_credits *credits,
			  qll_credits_out_fn *tell, void *object);

/* All are back in a cycle. */
bool qll_credits_are_back(const struct qll_credits *credits, uint64_t at);

#endif
