/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's system bound side: requests become HOM messages and snoops, and
 * leave with responses and data for the B-Box of the side or the R-Box.
 */
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static void pump_r(void *object, uint64_t unused);
static void pump_b(void *object, uint64_t unused);

static bool is_direct(const struct sbox *sbox, unsigned dest)
{
	return dest == NODE_BBOX(sbox->socket->index, sbox->side);
}

static void kick_r(struct sbox *sbox, bool is_first)
{
	if (is_first)
		sbox->r_waits_for_credit = false;
	if (!sbox->r_waits_for_credit)
		sbox_start(sbox, &sbox->r_is_pumping, sbox->r_free_at, pump_r);
}

static void kick_b(struct sbox *sbox)
{
	sbox_start(sbox, &sbox->b_is_pumping, sbox->b_free_at, pump_b);
}

static bool hom_is_full(const struct sbox *sbox)
{
	return sbox->out[SBOX_HOM_R].count + sbox->out[SBOX_HOM_B].count >=
	       sbox->out[SBOX_HOM_R].room;
}

bool sbox_send(struct sbox *sbox, const struct packet *packet)
{
	bool direct = is_direct(sbox, packet->dest), is_first;
	struct packet_queue *queue;

	if (packet->cls == PACKET_HOM) {
		if (hom_is_full(sbox))
			return false;
		queue = &sbox->out[direct ? SBOX_HOM_B : SBOX_HOM_R];
	} else {
		queue = &sbox->out[SBOX_DRS +
				   socket_place(sbox->socket, packet->cbox)];
		if (packet_queue_is_full(queue))
			return false;
	}
	is_first = !queue->count;
	packet_queue_push(queue, packet);
	if (direct) {
		sbox->num_b++;
		kick_b(sbox);
	} else {
		sbox->num_r++;
		kick_r(sbox, is_first);
	}
	return true;
}

static unsigned snoop_opcode(unsigned opcode)
{
	switch (opcode) {
	case HOM0_RD_CODE: return SNP_CODE;
	case HOM0_RD_DATA: return SNP_DATA;
	case HOM0_RD_INV_OWN: return SNP_INV_OWN;
	default: return SNP_INV_ITO_E;
	}
}

/* One snoop to the caching agent of this side in every other socket. */
static void send_snoops(struct sbox *sbox, struct packet packet)
{
	struct socket *socket = sbox->socket;
	bool is_first = !sbox->out[SBOX_SNP].count;

	packet.opcode = (uint8_t)snoop_opcode(packet.opcode);
	packet.cls = PACKET_SNP;
	packet.mc = MC_SNP;
	for (unsigned i = 1; i < socket->num_sockets; i++) {
		unsigned peer = (socket->index + i) % socket->num_sockets;

		packet.dest = NODE_SBOX(peer, sbox->side);
		packet_queue_push(&sbox->out[SBOX_SNP], &packet);
		sbox->num_r++;
	}
	if (socket->num_sockets > 1)
		kick_r(sbox, is_first);
}

bool sbox_request(struct sbox *sbox, unsigned serial, unsigned opcode)
{
	struct socket *socket = sbox->socket;
	struct sbox_request *request = &sbox->table[serial];
	bool snoops = opcode != HOM0_WB_MTO_I;
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
	sig_pulse(sbox->bank,
		  is_local ? SIG_SBOX_TO_R_B_REQUESTS_LOCAL
			   : SIG_SBOX_TO_R_B_REQUESTS_REMOTE,
		  1);
	sbox_send(sbox, &packet);
	if (snoops)
		send_snoops(sbox, packet);
	return true;
}

/* Counts a packet that leaves for R-Box or B-Box. */
static void count_sent(struct sbox *sbox, const struct packet *packet,
		       bool to_rbox)
{
	struct socket *socket = sbox->socket;
	uint64_t now = sim_now(socket->sim);
	unsigned next = (socket->index + 1) % socket->num_sockets;

	switch (packet->cls) {
	case PACKET_HOM:
		sig_pulse(sbox->bank,
			  to_rbox ? SIG_SBOX_PKTS_SENT_HOM_RBOX
				  : SIG_SBOX_PKTS_SENT_HOM_BBOX,
			  1);
		break;
	case PACKET_SNP: /* the guide counts the first of a broadcast */
		if (NODE_SOCKET(packet->dest) == next)
			sig_pulse(sbox->bank, SIG_SBOX_PKTS_SENT_SNP, 1);
		break;
	default:
		sig_pulse(sbox->bank,
			  SIG_SBOX_PKTS_SENT_DRS +
				  socket_place(socket, packet->cbox),
			  1);
		sig_busy(sbox->bank, SIG_SBOX_FLITS_SENT_DRS,
			 now + packet->flits);
		break;
	}
	if (to_rbox)
		packet_show(sbox->bank, SIG_SBOX_TO_R_PKT, packet);
}

static void count_refused(struct sbox *sbox, const struct packet *packet)
{
	unsigned signal = packet->cls == PACKET_HOM   ? SIG_SBOX_NO_CREDIT_HOM
			  : packet->cls == PACKET_SNP ? SIG_SBOX_NO_CREDIT_SNP
						      : SIG_SBOX_NO_CREDIT_DRS;

	sig_pulse(sbox->bank, signal, 1);
	if (!rbox_vna_free(sbox->socket->rbox, sbox_port(sbox)))
		sig_pulse(sbox->bank, SIG_SBOX_NO_CREDIT_VNA_RBOX, 1);
}

static bool goes_to_rbox(const struct sbox *sbox, const struct packet *packet)
{
	return packet && !is_direct(sbox, packet->dest);
}

/* Sends one packet to the R-Box, the queues in turn. */
static void pump_r(void *object, uint64_t unused)
{
	struct sbox *sbox = object;
	struct socket *socket = sbox->socket;
	bool was_refused = false;

	(void)unused;
	sbox->r_is_pumping = false;
	for (unsigned i = 0; i < SBOX_NUM_QUEUES; i++) {
		unsigned which = (sbox->next_r + i) % SBOX_NUM_QUEUES;
		struct packet_queue *queue = &sbox->out[which];
		const struct packet *packet = packet_queue_head(queue);
		unsigned flits;

		if (!goes_to_rbox(sbox, packet))
			continue;
		flits = packet->flits;
		if (!rbox_send(socket->rbox, sbox_port(sbox), packet)) {
			count_refused(sbox, packet);
			was_refused = true;
			continue;
		}
		count_sent(sbox, packet, true);
		packet_queue_pop(queue);
		sbox->next_r = (which + 1) % SBOX_NUM_QUEUES;
		sbox->r_free_at = sim_now(socket->sim) + flits;
		sbox_go_on(sbox, &sbox->r_is_pumping, sbox->r_free_at, pump_r,
			   --sbox->num_r);
		if (packet_queue_head(queue) &&
		    is_direct(sbox, packet_queue_head(queue)->dest))
			kick_b(sbox);
		return;
	}
	sbox->r_waits_for_credit = was_refused;
}

void sbox_rbox_credit(void *object, enum packet_class cls, unsigned vn,
		      unsigned flits)
{
	struct sbox *sbox = object;

	(void)cls, (void)vn, (void)flits;
	if (!sbox->r_waits_for_credit)
		return;
	sbox->r_waits_for_credit = false;
	sbox->r_is_pumping = true;
	sim_at(sbox->socket->sim, sim_now(sbox->socket->sim) + 1, pump_r, sbox,
	       0);
}

/* Sends one packet to the B-Box of this side, the queues in turn. */
static void pump_b(void *object, uint64_t unused)
{
	struct sbox *sbox = object;
	struct socket *socket = sbox->socket;

	(void)unused;
	sbox->b_is_pumping = false;
	for (unsigned i = 0; i < SBOX_NUM_QUEUES; i++) {
		unsigned which = (sbox->next_b + i) % SBOX_NUM_QUEUES;
		struct packet_queue *queue = &sbox->out[which];
		const struct packet *packet = packet_queue_head(queue);

		if (!packet || !is_direct(sbox, packet->dest))
			continue;
		count_sent(sbox, packet, false);
		sbox->b_free_at = sim_now(socket->sim) + packet->flits;
		sbox_go_on(sbox, &sbox->b_is_pumping, sbox->b_free_at, pump_b,
			   --sbox->num_b);
		bbox_from_sbox(&socket->bboxes[sbox->side], packet);
		packet_queue_pop(queue);
		sbox->next_b = (which + 1) % SBOX_NUM_QUEUES;
		if (goes_to_rbox(sbox, packet_queue_head(queue)))
			kick_r(sbox, true);
		return;
	}
}
