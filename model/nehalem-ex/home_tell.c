/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is seen of a B-Box: its messages, the IMT and the tracker file.
 */
#include "model/nehalem-ex/home_parts.h"
#include "signals.h"

/* The filters of a B-Box compare class, opcode and address. */
static struct sig_header shown_of(uint64_t line, struct home_header header)
{
	return (struct sig_header){
		.address = line * 64,
		.message_class = header.mc,
		.opcode = header.opcode,
		.state = header.state,
		.flits = header.flits,
	};
}

static void show(struct sigbank *bank, unsigned signal, uint64_t at,
		 uint64_t line, struct home_header header)
{
	const struct sig_header shown = shown_of(line, header);

	tell_packet_at(bank, signal, at, &shown);
}

static void count(const struct home *home, unsigned signal, unsigned n)
{
	facts_tell(&home->ex->engine.facts, home->bank, signal, n);
}

static void count_packet(const struct home *home, unsigned signal,
			 uint64_t line, struct home_header header)
{
	struct sig_header shown;

	if (!home->bank->heard[signal])
		return;
	shown = shown_of(line, header);
	facts_tell_packet(&home->ex->engine.facts, home->bank, signal, &shown);
}

void home_count_came(const struct home *home, uint64_t line,
		     struct home_header header, bool is_direct)
{
	count(home, SIG_BBOX_MSG_IN_NON_SNP, 1);
	count(home, SIG_BBOX_MSG_S_TO_B, is_direct);
	count_packet(home, SIG_BBOX_MSG_IN, line, header);
}

void home_count_left(const struct home *home, const struct packet *packet,
		     bool is_direct, bool is_in_drsq)
{
	count(home, SIG_BBOX_MSG_B_TO_S, is_direct);
	count(home, SIG_BBOX_DRSQ_INSERTS, is_in_drsq);
	count_packet(home, SIG_BBOX_MSG_OUT, packet->line, home_header(packet));
}

void tell_came(struct sigbank *bank, const void *visit)
{
	const struct home_came *came = visit;

	tell_later(bank, SIG_BBOX_MSG_IN_NON_SNP, came->at, 1);
	if (came->is_direct)
		tell_later(bank, SIG_BBOX_MSG_S_TO_B, came->at, 1);
	if (bank->heard[SIG_BBOX_MSG_IN])
		show(bank, SIG_BBOX_MSG_IN, came->at, came->line, came->header);
}

/* A snoop that waited for the link came before it was ready to leave. */
static void tell_snpoq(struct sigbank *bank, const struct home_left *left)
{
	uint64_t from = left->ready - (left->slot > 0);

	if (!left->sent)
		return;
	tell_later(bank, SIG_BBOX_SNPOQ_INSERTS, from, 1);
	tell_span(bank, SIG_BBOX_SNPOQ_OCCUPANCY, from,
		  left->ready + left->sent, 1);
}

void tell_left(struct sigbank *bank, const void *visit)
{
	const struct home_left *left = visit;
	uint64_t sent = left->ready + left->sent;
	unsigned flags = left->flags;

	if (bank->heard[SIG_BBOX_MSG_OUT])
		show(bank, SIG_BBOX_MSG_OUT, sent, left->line, left->header);
	if (flags & LEFT_DIRECT)
		tell_later(bank, SIG_BBOX_MSG_B_TO_S, sent, 1);
	if (flags & LEFT_NO_ROOM)
		tell_later(bank,
			   flags & LEFT_DIRECT ? SIG_BBOX_SBOX_VN0_UNAVAIL
					       : SIG_BBOX_RBOX_VNA_UNAVAIL,
			   left->ready + left->slot, 1);
	if (flags & LEFT_SNPOQ)
		tell_snpoq(bank, left);
	if (!(flags & LEFT_DRSQ))
		return;
	tell_later(bank, SIG_BBOX_DRSQ_INSERTS, left->ready - 1, 1);
	tell_span(bank, SIG_BBOX_DRSQ_OCCUPANCY, left->ready - 1, sent, 1);
}

/* Of all, of S-Boxes, of I/O hubs; the guide has no event for the reads of
 * hubs: none. */
enum { MAX_INSERTS = 4 };

static unsigned inserts_of(unsigned kind, bool is_ioh,
			   uint16_t signals[MAX_INSERTS])
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

	signals[0] = SIG_BBOX_IMT_INSERTS_ALL;
	signals[1] = is_ioh ? SIG_BBOX_IMT_INSERTS_IOH
			    : SIG_BBOX_IMT_INSERTS_NON_IOH;
	signals[2] = of_kind[kind];
	signals[3] = of_agents[kind][is_ioh];
	return signals[3] == NUM_SIG_BBOX ? 3 : 4;
}

void home_count_worked(const struct home *home, unsigned kind, bool is_ioh)
{
	uint16_t signals[MAX_INSERTS];
	unsigned num = inserts_of(kind, is_ioh, signals);

	for (unsigned i = 0; i < num; i++)
		count(home, signals[i], 1);
}

static void tell_insert(struct sigbank *bank, unsigned kind, bool is_ioh,
			uint64_t at)
{
	uint16_t signals[MAX_INSERTS];
	unsigned num = inserts_of(kind, is_ioh, signals);

	for (unsigned i = 0; i < num; i++)
		tell_later(bank, signals[i], at, 1);
}

void tell_worked(struct sigbank *bank, const void *visit)
{
	const struct home_worked *worked = visit;
	uint64_t begun = worked->asked + worked->begun;

	if (worked->begun)
		tell_later(bank, SIG_BBOX_IMT_FULL, worked->asked, 1);
	tell_insert(bank, worked->kind, worked->is_ioh, begun);
	tell_span(bank, SIG_BBOX_IMT_VALID_OCCUPANCY, begun,
		  worked->asked + worked->done, 1);
}

void tell_held(struct sigbank *bank, const void *visit)
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
	const struct home_held *held = visit;
	unsigned own = of_kind[held->kind];

	tell_span(bank, SIG_BBOX_TF_ALL, held->from, held->until, 1);
	if (own != NUM_SIG_BBOX)
		tell_span(bank, own, held->from, held->until, 1);
	if (!held->is_ioh)
		return;
	tell_span(bank, SIG_BBOX_TF_IOH, held->from, held->until, 1);
	tell_span(bank, of_hubs[held->kind], held->from, held->until, 1);
}
