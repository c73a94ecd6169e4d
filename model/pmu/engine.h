/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the boxes of all sockets have in common while they work: the clock,
 * until when something is under way, and whether time stands.
 */
#ifndef UNCORE_ENGINE_H
#define UNCORE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/facts.h"
#include "model/pmu/signal.h"
#include "model/sim/sim.h"

struct engine {
	struct sim *sim;     /* one for all sockets: the order of starts */
	uint64_t busy_until; /* see engine_busy_until() */
	/* Time stands, and nothing is under way: what is asked is done at once
	 * and takes no station's time or place. Transactions go their way and
	 * change tags, directory and rows as ever; stations answer with now,
	 * and facts of state alone are published, through `facts`. */
	bool is_quick;
	struct facts_book facts;
};

/* The start of the present transaction: nobody asks a station for an earlier
 * cycle and nothing is published for one. */
static inline uint64_t engine_now(const struct engine *engine)
{
	return sim_now(engine->sim);
}

/* All that was begun is over from this cycle on. */
static inline void engine_busy_until(struct engine *engine, uint64_t until)
{
	engine->busy_until = sim_later(engine->busy_until, until);
}

/* A fact of state: what is so whenever it happens, in the cycle `at`. */
static inline void engine_count(struct engine *engine, struct sigbank *bank,
				unsigned id, uint64_t at)
{
	if (engine->is_quick)
		facts_tell(&engine->facts, bank, id, 1);
	else
		sig_later(bank, id, at, 1);
}

/* The same with a header. */
static inline void engine_count_packet(struct engine *engine,
				       struct sigbank *bank, unsigned id,
				       uint64_t at,
				       const struct sig_header *header)
{
	if (engine->is_quick)
		facts_tell_packet(&engine->facts, bank, id, header);
	else
		sig_packet_at(bank, id, at, header);
}

/* Whether a header is worth filling in. */
static inline bool engine_tells(const struct engine *engine,
				const struct sigbank *bank, unsigned id)
{
	return !engine->is_quick || sig_is_tapped(bank, id);
}

#endif
