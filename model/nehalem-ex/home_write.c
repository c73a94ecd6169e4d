/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Write-backs, and writes without snoops. They have no place in the order of
 * requests for a line; what they have written is known to those who read it. A
 * hub's WbMtoI sets the line free that was granted to it.
 */
#include "model/nehalem-ex/home_parts.h"

void home_take_write_data(struct home *home, const struct home_job *job)
{
	static const uint8_t opcodes[][2] = {
		[HOM0_NON_SNP_WR] = { DRS_NON_SNP_WR_DATA,
				      DRS_NON_SNP_WR_DATA_PTL },
		[HOM0_WB_MTO_I] = { DRS_WB_I_DATA, DRS_WB_I_DATA_PTL },
		[HOM0_WB_MTO_E] = { DRS_WB_E_DATA, DRS_WB_E_DATA_PTL },
		[HOM0_WB_MTO_S] = { DRS_WB_S_DATA, DRS_WB_S_DATA },
	};
	home_take_data(
		home, job->line, opcodes[job->request.opcode][job->is_partial],
		job->is_partial ? PACKET_FLITS_PARTIAL : PACKET_FLITS_LINE,
		job->data_at);
	home_note_poison(home, job->line, job->is_poisoned, job->is_partial);
}

/* Request and data are there and are acted on. */
static uint64_t write_from(const struct home *home, const struct home_job *job)
{
	return sim_later(job->entered, job->data_at + home->cycles);
}

static void data_are_there(void *object, uint64_t unused)
{
	struct home_job *job = object;

	(void)unused;
	job->go_on(job);
}

bool home_wait_for_data(struct ex *ex, struct home *home, struct home_job *job)
{
	uint64_t at = write_from(home, job);

	if (ex->engine.is_quick || home_is_soon(ex, at))
		return false;
	home_show_tracker(home, job, at);
	job->waits(job, at);
	sim_at(ex->engine.sim, at, data_are_there, job, 0);
	return true;
}

void home_end_write(struct ex *ex, struct home *home, struct home_job *job)
{
	struct home_work work = {
		.line = job->line,
		.local = job->local,
		.row = job->is_partial ? HOME_PARTIAL : HOME_WRITE,
		.opcode = job->request.opcode,
		.is_ioh = NODE_IS_IOH(job->request.requester),
		.is_poisoned = job->is_poisoned,
	};
	uint64_t done = home_write(ex, home, &work, write_from(home, job));

	job->reply_at = done + 1;
	if (ex->engine.is_quick)
		return;
	home_show_tracker(home, job, done);
	if (work.is_ioh && work.opcode == HOM0_WB_MTO_I)
		home_keep(home, job, done);
}

void home_keep(struct home *home, const struct home_job *job, uint64_t until)
{
	struct home_line *line = home_line_of(home, job);

	line->until = sim_later(line->until, until);
}
