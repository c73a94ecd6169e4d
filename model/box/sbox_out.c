/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's system bound side: requests become HOM messages and snoops, and
 * leave with responses, data and non-coherent messages for the B-Box of the
 * side or the R-Box. Each queue's head waits until it is through the box, the
 * link is free and it has a credit; the queues take turns.
 *
 * Snoops that find their queue empty are a "big snoop" where they go to more
 * than one socket: the guide names the two bypasses and does not explain them.
 */
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

/* Kinds of queues: those of all C-Boxes are one kind. */
enum out_kind {
	OUT_HOM_R,
	OUT_HOM_B,
	OUT_SNP,
	OUT_NDR,
	OUT_DRS,
	OUT_NCB,
	OUT_NCS,
	OUT_LOC_NCS,
};

static enum out_kind kind_of(unsigned which)
{
	return which < SBOX_DRS ? which
				: OUT_DRS + (which - SBOX_DRS) / SBOX_CBOXES;
}

/* The direct link to the B-Box is for HOM alone; data go through the R-Box,
 * whoever they are for (2.5.6, TO_R_DRS_MSGQ_*). */
static enum sbox_pump_kind link_of(unsigned which)
{
	return which == SBOX_HOM_B ? SBOX_TO_B : SBOX_TO_R;
}

static bool has_bypass(unsigned which)
{
	return which <= SBOX_SNP;
}

static bool hom_is_full(const struct sbox *sbox)
{
	return sbox->out[SBOX_HOM_R].count + sbox->out[SBOX_HOM_B].count >=
	       sbox->out[SBOX_HOM_R].room;
}

void sbox_put(struct sbox *sbox, unsigned which, const struct packet *packet)
{
	struct packet_queue *queue = &sbox->out[which];
	uint64_t now = sim_now(sbox->socket->sim);
	bool is_first = !queue->count;
	enum sbox_pump_kind link = link_of(which);
	struct queued_packet *queued;

	queued = packet_queue_push(queue, packet, now + sbox->cycles);
	if (which <= SBOX_HOM_B && hom_is_full(sbox))
		sig_set(sbox->bank, SIG_SBOX_TO_R_B_HOM_MSGQ_FULL, 1);
	if (!is_first)
		return; /* the pump looks at it when it is the head */
	sbox->heads[link] |= UINT32_C(1) << which;
	if (has_bypass(which) && sbox->pumps[link].free_at <= now) {
		queue->is_bypassed = true;
		queued->ready -= sbox->bypass_cycles;
	}
	sbox_run_at(sbox, link, queued->ready);
}

bool sbox_send(struct sbox *sbox, const struct packet *packet)
{
	unsigned own = NODE_BBOX(sbox->socket->index, sbox->side);
	unsigned which;

	if (packet->cls == PACKET_HOM) {
		if (hom_is_full(sbox))
			return false;
		which = packet->dest == own ? SBOX_HOM_B : SBOX_HOM_R;
	} else {
		which = SBOX_DRS + socket_place(sbox->socket, packet->cbox);
		if (packet_queue_is_full(&sbox->out[which]))
			return false;
	}
	sbox_put(sbox, which, packet);
	return true;
}

/* The snoop that goes with a request; -1 where none does. */
static int snoop_opcode(unsigned opcode)
{
	switch (opcode) {
	case HOM0_RD_CUR: return SNP_CUR;
	case HOM0_RD_CODE: return SNP_CODE;
	case HOM0_RD_DATA: return SNP_DATA;
	case HOM0_RD_INV_OWN: return SNP_INV_OWN;
	case HOM0_INV_XTO_I: return SNP_INV_XTO_I;
	case HOM0_INV_ITO_E: return SNP_INV_ITO_E;
	default: return -1;
	}
}

/* No data will come for it, whoever answers. */
static bool is_without_data(unsigned opcode)
{
	return snoop_opcode(opcode) < 0 ? opcode != HOM0_NON_SNP_RD
					: opcode == HOM0_INV_XTO_I;
}

/* One snoop to the caching agent of this side in every other socket. */
static void send_snoops(struct sbox *sbox, struct packet packet)
{
	struct socket *socket = sbox->socket;

	packet.opcode = (uint8_t)snoop_opcode(packet.opcode);
	packet.cls = PACKET_SNP;
	packet.mc = MC_SNP;
	for (unsigned i = 1; i < socket->num_sockets; i++) {
		unsigned peer = (socket->index + i) % socket->num_sockets;

		packet.dest = NODE_SBOX(peer, sbox->side);
		sbox_put(sbox, SBOX_SNP, &packet);
	}
}

bool sbox_request(struct sbox *sbox, unsigned serial, unsigned opcode)
{
	struct socket *socket = sbox->socket;
	struct sbox_request *request = &sbox->table[serial];
	bool snoops = sbox->sends_snoops && snoop_opcode(opcode) >= 0;
	bool is_local = NODE_SOCKET(request->home) == socket->index;
	struct packet packet = {
		.line = request->line,
		.serial = serial,
		.number = request->number,
		.cls = PACKET_HOM,
		.mc = MC_HOM0,
		.opcode = (uint8_t)opcode,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)sbox->node,
		.dest = request->home,
		.requester = (uint8_t)sbox->node,
		.home = request->home,
		.cbox = request->cbox,
	};

	if (hom_is_full(sbox) ||
	    (snoops && sbox->out[SBOX_SNP].count + socket->num_sockets - 1 >
			       sbox->out[SBOX_SNP].room))
		return false;
	request->has_data = is_without_data(opcode);
	sig_pulse(sbox->bank,
		  is_local ? SIG_SBOX_TO_R_B_REQUESTS_LOCAL
			   : SIG_SBOX_TO_R_B_REQUESTS_REMOTE,
		  1);
	sbox_send(sbox, &packet);
	if (snoops)
		send_snoops(sbox, packet);
	return true;
}

/* Packets and flits of a class with a queue for each C-Box. */
static void count_cbox(struct sbox *sbox, const struct packet *packet,
		       int packets, unsigned flits)
{
	unsigned place = socket_place(sbox->socket, packet->cbox);

	if (packets >= 0)
		sig_pulse(sbox->bank, (unsigned)packets + place, 1);
	sig_busy(sbox->bank, flits,
		 sim_now(sbox->socket->sim) + packet->flits);
}

/* Where an answer goes to requester and home the guide counts the first. */
static void count_data(struct sbox *sbox, const struct packet *packet)
{
	unsigned place = socket_place(sbox->socket, packet->cbox);
	bool is_second = packet->requester != sbox->node &&
			 packet->requester == sbox->last_requester[place] &&
			 packet->number == sbox->last_number[place];

	count_cbox(sbox, packet, is_second ? -1 : SIG_SBOX_PKTS_SENT_DRS,
		   SIG_SBOX_FLITS_SENT_DRS);
	sbox->last_requester[place] = packet->requester;
	sbox->last_number[place] = packet->number;
}

/* Of a broadcast the guide counts the first. */
static void count_snoop(struct sbox *sbox, const struct packet *packet,
			bool is_bypassed)
{
	unsigned num = sbox->socket->num_sockets;

	if (NODE_SOCKET(packet->dest) == (sbox->socket->index + 1) % num)
		sig_pulse(sbox->bank, SIG_SBOX_PKTS_SENT_SNP, 1);
	if (is_bypassed)
		sig_pulse(sbox->bank,
			  num > 2 ? SIG_SBOX_RBOX_SNP_BYPASS_BIG_SNP
				  : SIG_SBOX_RBOX_SNP_BYPASS_SNP,
			  1);
}

static void count_home(struct sbox *sbox, enum out_kind kind, bool is_bypassed)
{
	bool to_rbox = kind == OUT_HOM_R;

	sig_pulse(sbox->bank,
		  to_rbox ? SIG_SBOX_PKTS_SENT_HOM_RBOX
			  : SIG_SBOX_PKTS_SENT_HOM_BBOX,
		  1);
	if (!is_bypassed)
		return;
	sig_pulse(sbox->bank,
		  to_rbox ? SIG_SBOX_RBOX_HOM_BYPASS : SIG_SBOX_BBOX_HOM_BYPASS,
		  1);
	if (!to_rbox)
		sig_busy(sbox->bank, SIG_SBOX_S2B_HOM_BYPASS,
			 sim_now(sbox->socket->sim) + 1);
}

/* Counts a packet that leaves for R-Box or B-Box. */
static void count_sent(struct sbox *sbox, unsigned which,
		       const struct packet *packet)
{
	enum out_kind kind = kind_of(which);
	bool is_bypassed = sbox->out[which].is_bypassed;

	switch (kind) {
	case OUT_HOM_R:
	case OUT_HOM_B: count_home(sbox, kind, is_bypassed); break;
	case OUT_SNP: count_snoop(sbox, packet, is_bypassed); break;
	case OUT_NDR: sig_pulse(sbox->bank, SIG_SBOX_PKTS_SENT_NDR, 1); break;
	case OUT_DRS: count_data(sbox, packet); break;
	case OUT_NCB:
		count_cbox(sbox, packet, SIG_SBOX_PKTS_SENT_NCB,
			   SIG_SBOX_FLITS_SENT_NCB);
		break;
	case OUT_NCS:
		count_cbox(sbox, packet, SIG_SBOX_PKTS_SENT_NCS,
			   SIG_SBOX_FLITS_SENT_NCS);
		break;
	default:
		count_cbox(sbox, packet, -1, SIG_SBOX_FLITS_SENT_LOC_NCS);
		break;
	}
}

static bool send_to_rbox(struct sbox *sbox, const struct packet *packet)
{
	struct rbox *rbox = sbox->socket->rbox;
	unsigned port = sbox_port(sbox);

	if (sig_is_tapped(sbox->bank, SIG_SBOX_NO_CREDIT_VNA_RBOX) &&
	    rbox_vna_free(rbox, port) < packet->flits)
		sig_pulse(sbox->bank, SIG_SBOX_NO_CREDIT_VNA_RBOX, 1);
	if (!rbox_send(rbox, port, packet))
		return false;
	packet_show(sbox->bank, SIG_SBOX_TO_R_PKT, packet);
	return true;
}

static bool send_to_bbox(struct sbox *sbox, const struct packet *packet)
{
	struct packet copy = *packet;

	if (!sbox_spend_bbox_credit(sbox, &copy))
		return false;
	bbox_from_sbox(&sbox->socket->bboxes[sbox->side], &copy);
	return true;
}

/* A queue was refused a credit: it tries again when one has come back. */
static void refuse(struct sbox *sbox, unsigned which)
{
	static const uint16_t signals[] = {
		[OUT_HOM_R] = SIG_SBOX_NO_CREDIT_HOM,
		[OUT_HOM_B] = SIG_SBOX_NO_CREDIT_HOM,
		[OUT_SNP] = SIG_SBOX_NO_CREDIT_SNP,
		[OUT_NDR] = SIG_SBOX_NO_CREDIT_NDR,
		[OUT_DRS] = SIG_SBOX_NO_CREDIT_DRS,
		[OUT_NCB] = SIG_SBOX_NO_CREDIT_NCB,
		[OUT_NCS] = SIG_SBOX_NO_CREDIT_NCS,
		[OUT_LOC_NCS] = SIG_SBOX_NO_CREDIT_LOC_NCS,
	};

	sig_pulse(sbox->bank, signals[kind_of(which)], 1);
	sbox->out[which].is_bypassed = false;
	sbox->refused |= UINT32_C(1) << which;
}

void sbox_try_again(struct sbox *sbox, enum sbox_pump_kind link)
{
	if (!(sbox->refused & sbox->heads[link]))
		return;
	sbox->refused &= ~sbox->heads[link];
	sbox_run_at(sbox, link, sim_now(sbox->socket->sim) + 1);
}

static bool try_send(struct sbox *sbox, enum sbox_pump_kind link,
		     unsigned which)
{
	struct packet_queue *queue = &sbox->out[which];
	const struct packet *packet = &packet_queue_first(queue)->packet;
	uint64_t now = sim_now(sbox->socket->sim);

	if (link == SBOX_TO_R ? !send_to_rbox(sbox, packet)
			      : !send_to_bbox(sbox, packet)) {
		refuse(sbox, which);
		return false;
	}
	count_sent(sbox, which, packet);
	sbox->pumps[link].free_at = now + packet->flits;
	sbox->next[link] = (which + 1) % SBOX_NUM_QUEUES;
	packet_queue_pop(queue);
	if (!queue->count)
		sbox->heads[link] &= ~(UINT32_C(1) << which);
	if (which <= SBOX_HOM_B && !hom_is_full(sbox))
		sig_set(sbox->bank, SIG_SBOX_TO_R_B_HOM_MSGQ_FULL, 0);
	if (which >= SBOX_NCB || which == SBOX_NDR)
		sbox_nc_has_room(sbox, which);
	return true;
}

/* The next queue whose head is through the box, from `first` on and round;
 * SBOX_NUM_QUEUES: none. */
static unsigned next_ready(struct sbox *sbox, uint32_t heads,
			   unsigned first)
{
	uint64_t now = sim_now(sbox->socket->sim);
	uint32_t turns[] = { heads >> first << first,
			     heads & ((UINT32_C(1) << first) - 1) };

	for (unsigned i = 0; i < 2; i++)
		for (; turns[i]; turns[i] &= turns[i] - 1) {
			unsigned which = (unsigned)__builtin_ctz(turns[i]);

			if (packet_queue_first(&sbox->out[which])->ready <= now)
				return which;
		}
	return SBOX_NUM_QUEUES;
}

static void go_on(struct sbox *sbox, enum sbox_pump_kind link)
{
	uint32_t heads = sbox->heads[link] & ~sbox->refused;
	uint64_t first = SIM_NEVER;

	for (; heads; heads &= heads - 1) {
		unsigned which = (unsigned)__builtin_ctz(heads);
		uint64_t ready = packet_queue_first(&sbox->out[which])->ready;

		if (ready < first)
			first = ready;
	}
	if (first != SIM_NEVER)
		sbox_run_at(sbox, link, first);
}

/* Sends one packet over a link. */
void sbox_pump_out(struct sbox *sbox, enum sbox_pump_kind link)
{
	unsigned which;

	do {
		which = next_ready(sbox, sbox->heads[link] & ~sbox->refused,
				   sbox->next[link]);
	} while (which != SBOX_NUM_QUEUES && !try_send(sbox, link, which));
	go_on(sbox, link);
}
