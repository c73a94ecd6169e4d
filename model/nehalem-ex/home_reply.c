/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the requester is told: all is done, or (it is forced to acknowledge a
 * conflict first) all but that; with the data, unless a peer has sent them. And
 * the tracker file, which held the request until then.
 */
#include "model/nehalem-ex/home_parts.h"

static uint8_t state_granted(const struct home *home, unsigned opcode,
			     bool has_sharer)
{
	switch (opcode) {
	case HOM0_RD_CUR:
	case HOM0_NON_SNP_RD: return RDS_I;
	case HOM0_RD_INV_OWN: return RDS_E;
	case HOM0_RD_CODE: return home->shared_state;
	default: return has_sharer ? home->shared_state : RDS_E;
	}
}

void home_reply(const struct home *home, struct home_job *job)
{
	struct packet *reply = &job->reply;
	unsigned opcode = job->request.opcode;
	bool is_forced = job->is_forced;

	home_complete(home, &job->request, job->request.requester, reply);
	if (home_is_grant(opcode)) {
		reply->opcode = is_forced ? NDR_GNT_FRC_ACK_CNFLT : NDR_GNT_CMP;
		return;
	}
	if (job->said & HOME_PEER_DATA) {
		reply->opcode = is_forced ? NDR_FRC_ACK_CNFLT : NDR_CMP;
		return;
	}
	reply->cls = PACKET_DRS;
	reply->mc = MC_DRS;
	reply->opcode = is_forced ? DRS_DATA_C_FRC_ACK_CNFLT : DRS_DATA_C_CMP;
	reply->flits = PACKET_FLITS_LINE;
	reply->state = state_granted(home, opcode, job->said & HOME_SHARER);
	reply->is_poisoned = job->is_bad;
}

void home_show_tracker(const struct home *home, struct home_job *job,
		       uint64_t until)
{
	unsigned opcode = job->request.opcode;
	struct home_held *held = visits_next(home->visits);

	held->visit.tell = tell_held;
	held->visit.last = held->until = until;
	held->from = job->shown;
	held->kind = home_kind(opcode, home_is_write(opcode));
	held->is_ioh = NODE_IS_IOH(job->request.requester);
	visits_keep(home->visits);
	job->shown = until;
}
