/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Write-backs, and writes without snoops. They have no place in the order of
 * requests for a line; what they have written is known to those who read it. A
 * hub's WbMtoI sets the line free that was granted to it.
 */
#include "model/nehalem-ex/home_parts.h"

static void take_data(struct home *home, const struct home_job *job)
{
	static const uint8_t opcodes[][2] = {
		[HOM0_NON_SNP_WR] = { DRS_NON_SNP_WR_DATA,
				      DRS_NON_SNP_WR_DATA_PTL },
		[HOM0_WB_MTO_I] = { DRS_WB_I_DATA, DRS_WB_I_DATA_PTL },
		[HOM0_WB_MTO_E] = { DRS_WB_E_DATA, DRS_WB_E_DATA_PTL },
		[HOM0_WB_MTO_S] = { DRS_WB_S_DATA, DRS_WB_S_DATA },
	};
	home_take_data(home, job->line,
		       opcodes[job->request.opcode][job->is_partial],
		       job->is_partial ? PACKET_FLITS_PARTIAL
				       : PACKET_FLITS_LINE,
		       job->data_at);
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
	struct home_line *line = home_line_of(home, job);
	uint64_t data = job->data_at + home->cycles, done;

	take_data(home, job);
	done = home_write(ex, home, &work, ex_later(job->entered, data));
	job->reply_at = done + 1;
	home_show_tracker(home, job, done);
	if (work.is_ioh && work.opcode == HOM0_WB_MTO_I)
		line->until = ex_later(line->until, done);
}

void home_keep(struct home *home, const struct home_job *job, uint64_t until)
{
	struct home_line *line = home_line_of(home, job);

	line->until = ex_later(line->until, until);
}
