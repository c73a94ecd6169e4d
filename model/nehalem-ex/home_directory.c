/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The directory (`bbox.directory`): for each line of this memory a bit per
 * socket that may have it, kept in the spare bits of memory's ECC. So they come
 * with the data of the read that each request makes anyway: until then it waits
 * in the DIRQ. Then snoops go only to the sockets that are marked, but not to
 * the requester's own. A clean line leaves a cache without a word, so a mark
 * may be out of date: the answer to the next snoop clears it.
 *
 * The bits are written with the data, so their changes cost no memory commands
 * of their own here. Requesters send no snoops; that homes and requesters agree
 * is in one parameter for all.
 */
#include "model/nehalem-ex/home_parts.h"
#include "signals.h"

static unsigned socket_bit(const struct home_job *job)
{
	unsigned requester = job->request.requester;

	return NODE_IS_IOH(requester) ? 0 : 1u << NODE_SOCKET(requester);
}

static uint8_t snoop_opcode(unsigned opcode)
{
	switch (opcode) {
	case HOM0_RD_CUR: return SNP_CUR;
	case HOM0_RD_CODE: return SNP_CODE;
	case HOM0_RD_DATA: return SNP_DATA;
	case HOM0_RD_INV_OWN: return SNP_INV_OWN;
	case HOM0_INV_XTO_I: return SNP_INV_XTO_I;
	default: return SNP_INV_ITO_E;
	}
}

struct packet home_snoop(const struct home *home, const struct home_job *job,
			 unsigned socket)
{
	unsigned side = job->request.cbox >= home->half_cores;
	struct packet packet;

	home_complete(home, &job->request, NODE_SBOX(socket, side), &packet);
	packet.cls = PACKET_SNP;
	packet.mc = MC_SNP;
	packet.opcode = snoop_opcode(job->request.opcode);
	return packet;
}

/* The request leaves the DIRQ when there is room for its snoops. */
void home_directory_look_up(struct home *home, struct home_job *job)
{
	unsigned num;
	uint64_t at;

	job->snoop_sockets =
		directory_get(&home->directory, job->local) & ~socket_bit(job);
	if (home->ex->engine.is_quick) {
		facts_tell(&home->ex->engine.facts, home->bank,
			   SIG_BBOX_DIRQ_INSERTS, 1);
		job->snoop_at = job->memory_at;
		return;
	}
	num = (unsigned)__builtin_popcount(job->snoop_sockets);
	at = home_window_from(&home->snpoq, num, job->memory_at);
	sig_later(home->bank, SIG_BBOX_DIRQ_INSERTS, job->begun, 1);
	sig_span(home->bank, SIG_BBOX_DIRQ_OCCUPANCY, job->begun, at, 1);
	job->snoop_at = at + 1;
}

void home_directory_update(struct home *home, const struct home_job *job)
{
	unsigned sharers = directory_get(&home->directory, job->local);
	unsigned requester = socket_bit(job), gone = job->gone;

	switch (job->request.opcode) {
	case HOM0_RD_DATA:
	case HOM0_RD_CODE: sharers = (sharers & ~gone) | requester; break;
	case HOM0_RD_INV_OWN:
	case HOM0_INV_ITO_E: sharers = requester; break;
	case HOM0_INV_XTO_I: sharers = 0; break;
	case HOM0_RD_CUR: sharers &= ~gone; break;
	case HOM0_WB_MTO_I:
	case HOM0_EVCT_CLN: sharers &= ~requester; break;
	default: return;
	}
	directory_set(&home->directory, job->local, (uint8_t)sharers);
}
