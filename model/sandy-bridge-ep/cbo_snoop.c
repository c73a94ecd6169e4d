/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A snoop of another node at a slice, and what it answers: a changed line is
 * forwarded, and of a read it stays here as shared; who wants the right to
 * write alone (InvItoE) gets none, and it goes home (RspIWb). A clean one is
 * forwarded if it is the node's that has to (E, F). A home that is in the slice
 * looks up another node's request there in the same way; that is no snoop, and
 * not told as one.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

static bool takes_away(unsigned opcode)
{
	return opcode == SNP_INV_OWN || opcode == SNP_INV_ITO_E ||
	       opcode == SNP_INV_XTO_I;
}

/* Its data go to the home, too, or alone. */
static void write_back(const struct cbo_job *job,
		       const struct cbo_answer *answer)
{
	struct values *values = job->cbo->socket->values;

	if (answer->is_modified && values)
		values_memory_write(values, job->line, answer->value);
}

static void answer_hit(struct cbo_job *job, unsigned opcode,
		       struct cbo_answer *answer)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;
	unsigned cores = way->cores;
	bool was_core_dirty = way->is_core_dirty, takes = takes_away(opcode);
	bool is_exclusive = way->state == LLC_E || way->state == LLC_M;
	int dirty = cores && was_core_dirty ? __builtin_ctz(cores) : -1;

	if (dirty < 0 && way->state != LLC_S && !cbo_has_data(cbo, way))
		dirty = __builtin_ctz(cores); /* who sends the line */
	answer->is_modified = way->state == LLC_M || was_core_dirty;
	answer->value = copies_recall(cbo_copy(cbo, way, job->line));
	if (cores && (takes || is_exclusive) && opcode != SNP_CUR) {
		cbo_tell_asked(cbo, CAUSE_EXTERNAL, way, cores, takes,
			       job->passed);
		copies_take(cbo->socket, cores, job->line, !takes, false);
		answer->at = cbo_ask_cores(cbo, cores, job->passed, dirty);
	} else if (dirty >= 0) {
		cbo_tell_asked(cbo, CAUSE_EXTERNAL, way, cores, false,
			       job->passed);
		answer->at = cbo_ask_cores(cbo, cores, job->passed, dirty);
	}
	answer->has_data = is_exclusive || way->state == LLC_F;
	if (opcode == SNP_CUR) {
		answer->has_data = answer->is_modified;
		answer->response =
			answer->is_modified ? HOM1_RSP_FWD : HOM1_RSP_S;
		if (was_core_dirty && cores) {
			way->is_core_dirty = false;
			way->state = LLC_M;
			copies_take(cbo->socket, cores, job->line, true, false);
		}
		return;
	}
	if (opcode == SNP_INV_ITO_E)
		answer->has_data = false;
	if (takes) {
		answer->response = !answer->is_modified ? HOM1_RSP_I
				   : answer->has_data	? HOM1_RSP_FWD_I
							: HOM1_RSP_I_WB;
		llc_drop(&cbo->llc, way);
		if (!answer->has_data)
			write_back(job, answer);
		return;
	}
	answer->response = answer->is_modified ? HOM1_RSP_FWD_S_WB
			   : answer->has_data  ? HOM1_RSP_FWD_S
					       : HOM1_RSP_S;
	way->state = LLC_S;
	way->is_core_dirty = false;
	write_back(job, answer);
}

struct cbo_answer cbo_snoop(struct cbo *cbo, uint64_t line,
			    struct llc_spot spot, const struct ep_home *home,
			    unsigned opcode, uint64_t at)
{
	struct cbo_job job = {
		.cbo = cbo,
		.line = line,
		.spot = spot,
		.home = *home,
		.queue = QUEUE_IPQ,
		.lookup = LOOKUP_SNOOP,
		.opcode = OPCODE_NONE,
		.thread = UINT8_MAX,
	};
	struct cbo_answer answer = { .node = cbo->node,
				     .response = HOM1_RSP_I };

	job.is_homes = cbo_is_home(cbo->ep, cbo->node, home);
	cbo_take(&job, at);
	answer.at = job.passed;
	if (job.way) {
		bool was_clean =
			!job.way->is_core_dirty && job.way->state != LLC_M;

		answer_hit(&job, opcode, &answer);
		if (was_clean && answer.response == HOM1_RSP_I)
			engine_count(&cbo->ep->engine, cbo->bank,
				     SIG_CBO_MISC_RSPI_WAS_FSE, job.passed);
		if (answer.has_data || answer.is_modified)
			answer.at += cbo->data_cycles;
	}
	cbo_end(&job, answer.at, 0);
	return answer;
}
