/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is seen of a B-Box: its messages, the IMT and the tracker file.
 */
#include "model/nehalem-ex/home_parts.h"
#include "signals.h"

void tell_came(struct sigbank *bank, const struct home_came *came)
{
	/* the filters of a B-Box compare class, opcode and address */
	struct sig_header header = {
		.address = came->line * 64,
		.message_class = came->mc,
		.opcode = came->opcode,
		.state = came->state,
		.flits = came->flits,
	};

	sig_later(bank, SIG_BBOX_MSG_IN_NON_SNP, came->at, 1);
	sig_packet_at(bank, SIG_BBOX_MSG_IN, came->at, &header);
	if (came->is_direct)
		sig_later(bank, SIG_BBOX_MSG_S_TO_B, came->at, 1);
}

/* A snoop that waited for the link came before it was ready to leave. */
static void tell_snpoq(struct sigbank *bank, const struct home_left *left)
{
	uint64_t from = left->ready - (left->slot > left->ready);

	if (left->sent == left->ready)
		return;
	sig_later(bank, SIG_BBOX_SNPOQ_INSERTS, from, 1);
	sig_span(bank, SIG_BBOX_SNPOQ_OCCUPANCY, from, left->sent, 1);
}

void tell_left(struct sigbank *bank, const struct home_left *left)
{
	struct sig_header header = {
		.address = left->line * 64,
		.message_class = left->mc,
		.opcode = left->opcode,
		.state = left->state,
		.flits = left->flits,
	};
	unsigned flags = left->flags;

	sig_packet_at(bank, SIG_BBOX_MSG_OUT, left->sent, &header);
	if (flags & LEFT_DIRECT)
		sig_later(bank, SIG_BBOX_MSG_B_TO_S, left->sent, 1);
	if (flags & LEFT_NO_ROOM)
		sig_later(bank,
			  flags & LEFT_DIRECT ? SIG_BBOX_SBOX_VN0_UNAVAIL
					      : SIG_BBOX_RBOX_VNA_UNAVAIL,
			  left->slot, 1);
	if (flags & LEFT_SNPOQ)
		tell_snpoq(bank, left);
	if (!(flags & LEFT_DRSQ))
		return;
	sig_later(bank, SIG_BBOX_DRSQ_INSERTS, left->ready - 1, 1);
	sig_span(bank, SIG_BBOX_DRSQ_OCCUPANCY, left->ready - 1, left->sent, 1);
}

/* Of all, of S-Boxes, of I/O hubs; the guide has no event for the reads of
 * hubs: none. */
static void tell_insert(struct sigbank *bank, unsigned kind, bool is_ioh,
			uint64_t at)
{
	static const uint16_t of_kind[] = {
		[HOME_KIND_READ] = SIG_BBOX_IMT_INSERTS_RD,
		[HOME_KIND_WRITE] = SIG_BBOX_IMT_INSERTS_WR,
		[HOME_KIND_INVITOE] = SIG_BBOX_IMT_INSERTS_INVITOE,
	};
	static const uint16_t of_agents[][2] = {
		[HOME_KIND_READ] = { SIG_BBOX_IMT_INSERTS_NON_IOH_RD,
				     NUM_SIG_BBOX },
		[HOME_KIND_WRITE] = { SIG_BBOX_IMT_INSERTS_NON_IOH_WR,
				      SIG_BBOX_IMT_INSERTS_IOH_WR },
		[HOME_KIND_INVITOE] = { SIG_BBOX_IMT_INSERTS_NON_IOH_INVITOE,
					SIG_BBOX_IMT_INSERTS_IOH_INVITOE },
	};
	unsigned own = of_agents[kind][is_ioh];

	sig_later(bank, SIG_BBOX_IMT_INSERTS_ALL, at, 1);
	sig_later(bank,
		  is_ioh ? SIG_BBOX_IMT_INSERTS_IOH
			 : SIG_BBOX_IMT_INSERTS_NON_IOH,
		  at, 1);
	sig_later(bank, of_kind[kind], at, 1);
	if (own != NUM_SIG_BBOX)
		sig_later(bank, own, at, 1);
}

void home_note_insert(struct home *home, const struct packet *request,
		      bool is_write, uint64_t at)
{
	tell_insert(home->bank, home_kind(request->opcode, is_write),
		    NODE_IS_IOH(request->requester), at);
}

void tell_worked(struct sigbank *bank, const struct home_worked *worked)
{
	if (worked->begun > worked->asked)
		sig_later(bank, SIG_BBOX_IMT_FULL, worked->asked, 1);
	tell_insert(bank, worked->kind, worked->is_ioh, worked->begun);
	sig_span(bank, SIG_BBOX_IMT_VALID_OCCUPANCY, worked->begun,
		 worked->done, 1);
}

void tell_held(struct sigbank *bank, const struct home_held *held)
{
	static const uint16_t of_kind[] = {
		[HOME_KIND_READ] = NUM_SIG_BBOX,
		[HOME_KIND_WRITE] = SIG_BBOX_TF_WR,
		[HOME_KIND_INVITOE] = SIG_BBOX_TF_INVITOE,
	};
	static const uint16_t of_hubs[] = {
		[HOME_KIND_READ] = SIG_BBOX_TF_IOH_NON_INVITOE_RD,
		[HOME_KIND_WRITE] = SIG_BBOX_TF_IOH_WR,
		[HOME_KIND_INVITOE] = SIG_BBOX_TF_IOH_INVITOE,
	};
	unsigned own = of_kind[held->kind];

	sig_span(bank, SIG_BBOX_TF_ALL, held->from, held->until, 1);
	if (own != NUM_SIG_BBOX)
		sig_span(bank, own, held->from, held->until, 1);
	if (!held->is_ioh)
		return;
	sig_span(bank, SIG_BBOX_TF_IOH, held->from, held->until, 1);
	sig_span(bank, of_hubs[held->kind], held->from, held->until, 1);
}
