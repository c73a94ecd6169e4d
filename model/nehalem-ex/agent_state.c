/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An S-Box looked at: who is in its queues and its request table in a cycle, as
 * far as journeys have been worked off.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "signals.h"

static unsigned count_queues(const struct agent_queue *queues, unsigned num,
			     unsigned signal, uint64_t at)
{
	unsigned count = 0;

	for (unsigned i = 0; i < num; i++)
		if (queues[i].signal == signal)
			count += queue_count(&queues[i], at);
	return count;
}

static unsigned count_entries(const struct agent *agent, bool is_local,
			      uint64_t at)
{
	unsigned count = 0;

	for (unsigned i = 0; i < agent->table.used; i++) {
		const struct stay *stay = &agent->table.stays[i];

		count += agent->entries[i].is_local == is_local &&
			 stay->from <= at && at < stay->until;
	}
	return count;
}

unsigned agent_count(const struct agent *agent, unsigned signal, uint64_t at)
{
	if (signal == SIG_SBOX_REQ_TBL_LOCAL ||
	    signal == SIG_SBOX_REQ_TBL_REMOTE)
		return count_entries(agent, signal == SIG_SBOX_REQ_TBL_LOCAL,
				     at);
	return count_queues(agent->out, OUT_NUM, signal, at) +
	       count_queues(agent->in, IN_NUM, signal, at);
}

bool agent_is_idle(const struct agent *agent, uint64_t at)
{
	for (unsigned i = 0; i < OUT_NUM; i++)
		if (!queue_is_empty(&agent->out[i], at))
			return false;
	for (unsigned i = 0; i < IN_NUM; i++)
		if (!queue_is_empty(&agent->in[i], at))
			return false;
	return !queue_count(&agent->table, at);
}
