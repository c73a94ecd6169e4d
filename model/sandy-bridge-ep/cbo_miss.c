/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's miss: the home and the other nodes answer, the line goes to the
 * core and into the slice.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

static struct copies_access copy_of(struct cbo *cbo, const struct llc_way *way,
				    const struct core *core, unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];

	return (struct copies_access){
		.at = cbo_copy(cbo, way, miss->line),
		.kind = miss->kind,
		.core = core->number,
		.oldest = miss->floor,
	};
}

void cbo_fill(struct cbo *cbo, struct llc_way *way, struct core *core,
	      unsigned entry, enum llc_state state, uint32_t value)
{
	bool owns = core->misses[entry].kind == UNCORE_ACCESS_OWN;

	way->state = owns ? LLC_M : state;
	llc_set_cores(way, 1u << core->index);
	way->is_core_dirty = owns;
	copies_fill(copy_of(cbo, way, core, entry), value);
	core_filled(core, owns || state == LLC_E);
}

static unsigned home_opcode(const struct cbo_job *job)
{
	switch (job->kind) {
	case UNCORE_ACCESS_CODE: return HOM0_RD_CODE;
	case UNCORE_ACCESS_READ: return HOM0_RD_DATA;
	default: return job->way ? HOM0_INV_ITO_E : HOM0_RD_INV_OWN;
	}
}

static enum core_answer answer_of(const struct cbo_job *job,
				  const struct cbo_grant *grant)
{
	if (grant->from_peer)
		return grant->is_modified ? ANSWER_REMOTE_MODIFIED
					  : ANSWER_REMOTE;
	return job->home.node == job->cbo->node ? ANSWER_LOCAL_DRAM
						: ANSWER_REMOTE_DRAM;
}

/* The right to write to a copy that is here. */
static void upgrade(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;
	unsigned own = 1u << core->index, others = way->cores & ~own;
	bool needs_data = !(way->cores & own);
	uint64_t at = job->passed, done, home_done;

	engine_count(&cbo->ep->engine, cbo->bank, SIG_CBO_MISC_RFO_HIT_S, at);
	llc_touch(&cbo->llc, way);
	done = home_done = cbo_ask_home(job, HOM0_INV_ITO_E, -1, at).done;
	if (others) {
		copies_take(cbo->socket, others, job->line, false, false);
		done = sim_later(done, cbo_ask_cores(cbo, others, at, -1));
	}
	copies_write(copy_of(cbo, way, core, entry));
	way->state = LLC_M;
	llc_set_cores(way, own);
	way->is_core_dirty = true;
	core_answered(core, entry, ANSWER_SLICE);
	if (needs_data)
		core_filled(core, true);
	cbo_done(cbo, core, entry,
		 needs_data ? cbo_send_line(cbo, core->index, done)
			    : cbo_send_go(cbo, core->index, done),
		 needs_data);
	cbo_end(job, done, home_done);
}

void cbo_miss(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct cbo_grant grant;
	uint64_t at;

	if (job->way) {
		upgrade(job, core, entry);
		return;
	}
	core->num_llc_misses++;
	job->is_miss = true;
	grant = cbo_ask_home(job, home_opcode(job), (int)core->index,
			     job->passed);
	job->data_at = grant.data_at;
	at = cbo_pass(cbo, sim_later(grant.data_at, grant.done));
	cbo_fill(cbo, cbo_make_room(cbo, job->spot, at), core, entry,
		 grant.state, grant.value);
	core_answered(core, entry, answer_of(job, &grant));
	cbo_send_go(cbo, core->index, at);
	cbo_done(cbo, core, entry,
		 grant.core_at ? grant.core_at
			       : cbo_send_line(cbo, core->index, grant.data_at),
		 true);
	cbo_end(job, at, grant.done);
}
