/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's prefetch into the LLC alone (core.llc_prefetch). By Intel's
 * optimisation manual the streamer does so with lines that are far ahead, and
 * libpfm4's text of the opcodes has it that the L2 gets nothing. Choices, as no
 * source says more: where the socket has the line, in the LLC or in a core,
 * nobody is asked and nothing moves; the same of one to be written to that the
 * socket owns. Else the home is asked as for the core, and the slice has the
 * line, unchanged unless another socket had changed it. The core hears that it
 * is over.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

static void end(struct cbo_job *job, struct core *core, unsigned entry,
		uint64_t at, uint64_t home_done)
{
	core_answered(core, entry, ANSWER_SLICE);
	cbo_done(job->cbo, core, entry, cbo_send_go(job->cbo, core->index, at),
		 false);
	cbo_end(job, at, home_done);
}

/* The right to write to a line that the socket shares. */
static void upgrade(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	uint64_t done;

	engine_count(&cbo->ep->engine, cbo->bank, SIG_CBO_MISC_RFO_HIT_S,
		     job->passed);
	done = cbo_ask_home(job, HOM0_INV_ITO_E, -1, job->passed).done;
	job->way->state = LLC_E;
	end(job, core, entry, done, done);
}

void cbo_ahead(struct cbo_job *job, struct core *core, unsigned entry)
{
	if (!job->way) {
		cbo_miss(job, core, entry);
		return;
	}
	llc_touch(&job->cbo->llc, job->way);
	if (job->needs_home)
		upgrade(job, core, entry);
	else
		end(job, core, entry, job->passed, 0);
}

void cbo_ahead_fill(struct cbo_job *job, struct llc_way *way, struct core *core,
		    unsigned entry, const struct cbo_grant *grant)
{
	struct copies_access access = cbo_access(job->cbo, way, core, entry);

	way->state = job->kind != UNCORE_ACCESS_OWN ? grant->state
		     : grant->is_modified	    ? LLC_M
						    : LLC_E;
	llc_set_cores(way, 0);
	way->is_core_dirty = false;
	if (job->kind == UNCORE_ACCESS_OWN)
		access.kind = UNCORE_ACCESS_NONE; /* nobody writes to it yet */
	copies_fill(access, grant->value);
}
