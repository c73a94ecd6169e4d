/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The answers to the snoops of a request, what they mean, and the implicit
 * write-backs that some announce (RspIWb, RspFwdSWb and such): their data come
 * as DRS and are written to memory, without a place in the order of the line.
 *
 * A peer that has a request of its own out for the line answers RspCnflt. Then
 * the reply is one that forces the requester to acknowledge (FrcAckCnflt), and
 * a rival that was completed meanwhile is asked again (Cmp_Fwd*): what it has
 * said before its completion is out of date. Who is to be asked knows the
 * transaction.
 */
#include "model/nehalem-ex/home_parts.h"
#include "signals.h"

void home_conflict(struct home *home, struct home_job *job, uint64_t at)
{
	const struct packet *request = &job->request;

	if (job->has_conflict)
		return;
	job->has_conflict = true;
	sig_later(home->bank, SIG_BBOX_CONFLICTS, at, 1);
	home_note_insert(home, request, home_is_write(request->opcode), at);
}

static void take_data(struct home *home, const struct home_answer *answer)
{
	unsigned opcode = answer->packet.opcode;
	bool stays_shared =
		opcode == HOM1_RSP_FWD_S_WB || opcode == HOM1_RSP_S_WB;

	home_take_data(home, answer->packet.line,
		       stays_shared ? DRS_WB_S_DATA : DRS_WB_I_DATA,
		       PACKET_FLITS_LINE, answer->data_at);
	engine_count(&home->ex->engine, home->bank, SIG_BBOX_IMPLICIT_WBS,
		     answer->data_at + home->cycles);
}

static void write_back(struct ex *ex, struct home *home, struct home_job *job,
		       const struct home_answer *answer)
{
	uint64_t at =
		answer->data_at + (ex->engine.is_quick ? 0 : home->cycles);
	struct home_work work = {
		.line = job->line,
		.local = job->local,
		.row = HOME_WRITE,
		.is_ioh = NODE_IS_IOH(job->request.requester),
		.is_poisoned = answer->packet.is_poisoned,
	};

	take_data(home, answer);
	home_note_poison(home, job->line, answer->packet.is_poisoned, false);
	job->written = sim_later(job->written, at);
	job->answered = sim_later(job->answered, at);
	home_write_later(ex, home, &work, at);
}

/* What answers mean. A rival may have a copy. */
static const uint8_t meanings[16] = {
	[HOM1_RSP_I] = HOME_GONE,
	[HOM1_RSP_S] = HOME_SHARER,
	[HOM1_RSP_CNFLT] = HOME_RIVAL | HOME_SHARER,
	[HOM1_RSP_FWD] = HOME_PEER_DATA,
	[HOM1_RSP_FWD_I] = HOME_PEER_DATA | HOME_GONE,
	[HOM1_RSP_FWD_S] = HOME_PEER_DATA,
	[HOM1_RSP_FWD_I_WB] = HOME_PEER_DATA | HOME_GONE,
	[HOM1_RSP_FWD_S_WB] = HOME_PEER_DATA,
	[HOM1_RSP_I_WB] = HOME_GONE,
	[HOM1_RSP_S_WB] = HOME_SHARER,
};

void home_hear(struct ex *ex, struct home *home, struct home_job *job,
	       const struct home_answer *answer)
{
	unsigned said = meanings[answer->packet.opcode];
	uint8_t socket = (uint8_t)(1u << NODE_SOCKET(answer->packet.source));
	uint64_t at = answer->at + home->cycles;

	home_take(home, &answer->packet, answer->at);
	job->answered = sim_later(job->answered, at);
	job->said |= (uint8_t)said;
	if (said & HOME_GONE)
		job->gone |= socket;
	if (said & HOME_RIVAL) {
		job->rivals |= socket;
		home_conflict(home, job, sim_later(at, job->entered));
	}
	if (answer->data_at)
		write_back(ex, home, job, answer);
}

uint64_t home_forward(const struct home *home, const struct home_job *job,
		      unsigned agent, struct packet *packet)
{
	home_complete(home, &job->request, agent, packet);
	switch (job->request.opcode) {
	case HOM0_RD_INV_OWN: packet->opcode = NDR_CMP_FWD_INV_OWN; break;
	case HOM0_INV_ITO_E:
	case HOM0_INV_XTO_I: packet->opcode = NDR_CMP_FWD_INV_ITO_E; break;
	default: packet->opcode = NDR_CMP_FWD_CODE; break;
	}
	return sim_later(job->begun, job->answered) + 1;
}
