/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's ring bound side: snoops go to the C-Box when its IPQ has room,
 * data to the slice and the core, completions to the slice.
 */
#include <stdlib.h>

#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static struct egress *egress_to(struct sbox *sbox, struct egress egress[],
				unsigned stop)
{
	return &egress[ring_direction(&sbox->socket->ring, sbox->stop, stop)];
}

static bool probe_sink(void *object, uint64_t unused)
{
	struct packet_node *node = object;
	struct cbox *cbox = node->owner;

	(void)unused;
	cbox_probe(cbox, &node->packet);
	packet_give(&cbox->socket->packets, node);
	return true;
}

static void send_probe(struct sbox *sbox, const struct packet *packet)
{
	struct socket *socket = sbox->socket;
	struct cbox *cbox = &socket->cboxes[packet->cbox];

	egress_send(egress_to(sbox, sbox->ad, cbox->stop), probe_sink,
		    packet_take(&socket->packets, packet, cbox), 0, cbox->stop);
}

static void pump_snp(void *object, uint64_t unused)
{
	struct sbox *sbox = object;
	struct socket *socket = sbox->socket;
	const struct packet *packet = packet_queue_head(&sbox->ring_snp);
	unsigned place;

	(void)unused;
	sbox->snp_is_pumping = false;
	if (!packet)
		return;
	place = socket_place(socket, packet->cbox);
	if (!sbox->ipq_credits[place]) {
		sig_pulse(sbox->bank, SIG_SBOX_NO_CREDIT_IPQ, 1);
		return; /* sbox_ipq_credit() goes on */
	}
	sbox->ipq_credits[place]--;
	send_probe(sbox, packet);
	packet_queue_pop(&sbox->ring_snp);
	rbox_resume(socket->rbox, sbox_port(sbox), PACKET_SNP);
	sbox->snp_free_at = sim_now(socket->sim) + 1;
	sbox_go_on(sbox, &sbox->snp_is_pumping, sbox->snp_free_at, pump_snp,
		   sbox->ring_snp.count);
}

void sbox_ipq_credit(struct sbox *sbox, unsigned cbox)
{
	sbox->ipq_credits[socket_place(sbox->socket, cbox)]++;
	if (!sbox->snp_is_pumping && sbox->ring_snp.count) {
		sbox->snp_is_pumping = true;
		sim_at(sbox->socket->sim, sim_now(sbox->socket->sim) + 1,
		       pump_snp, sbox, 0);
	}
}

static bool complete_sink(void *object, uint64_t maf)
{
	struct cbox *cbox = object;

	sig_pulse(cbox->bank, SIG_CBOX_SINKS_S2C_AK, 1);
	cbox_complete(cbox, (unsigned)maf);
	return true;
}

/* Arguments of a fill: MAF entry, state, whether it also completes. */
static bool fill_sink(void *object, uint64_t argument)
{
	struct cbox *cbox = object;

	sig_pulse(cbox->bank, SIG_CBOX_SINKS_S2C_BL, 2);
	if (argument >> 16)
		cbox->maf[argument & 0xff].is_granted = true;
	cbox_fill(cbox, argument & 0xff, argument >> 8 & 0xff);
	return true;
}

static void request_done(struct sbox *sbox, struct sbox_request *request)
{
	if (request->is_complete &&
	    (request->has_data || request->is_write_back))
		sbox_free_request(sbox, request);
}

static void bring_data(struct sbox *sbox, const struct packet *packet)
{
	struct socket *socket = sbox->socket;
	struct sbox_request *request = &sbox->table[packet->serial];
	struct cbox *cbox = &socket->cboxes[request->cbox];
	struct core *core = &socket->cores[request->core];
	uint64_t completes = packet->opcode == DRS_DATA_C_CMP;

	if (!request->is_used || request->number != packet->number ||
	    request->has_data)
		return; /* a second forwarder in a conflict */
	request->has_data = true;
	if (socket->values)
		cbox_value_data(cbox, request->maf, packet->value);
	request->is_complete |= completes;
	egress_send(egress_to(sbox, sbox->bl, cbox->stop), fill_sink, cbox,
		    completes << 16 | (uint64_t)packet->state << 8 |
			    request->maf,
		    cbox->stop);
	egress_send_late(egress_to(sbox, sbox->bl, core->stop), core_done, core,
			 request->entry, core->stop, core->fill_cycles,
			 core->bank, SIG_CBOX_SINKS_S2P_BL);
	request_done(sbox, request);
}

static void bring_completion(struct sbox *sbox, const struct packet *packet)
{
	struct socket *socket = sbox->socket;
	struct sbox_request *request = &sbox->table[packet->serial];
	struct cbox *cbox = &socket->cboxes[request->cbox];

	if (packet->opcode == NDR_GNT_CMP)
		request->has_data = true; /* there are none to wait for */
	request->is_complete = true;
	if (!request->is_write_back)
		egress_send(egress_to(sbox, sbox->ak, cbox->stop),
			    complete_sink, cbox, request->maf, cbox->stop);
	request_done(sbox, request);
}

static void pump_ndr(void *object, uint64_t unused)
{
	struct sbox *sbox = object;
	struct socket *socket = sbox->socket;
	const struct packet *packet = packet_queue_head(&sbox->ring_ndr);
	struct packet copy;

	(void)unused;
	sbox->ndr_is_pumping = false;
	if (!packet)
		return;
	copy = *packet;
	packet_queue_pop(&sbox->ring_ndr);
	if (copy.opcode == NDR_CMP || copy.opcode == NDR_GNT_CMP)
		bring_completion(sbox, &copy);
	else
		send_probe(sbox, &copy);
	rbox_resume(socket->rbox, sbox_port(sbox), PACKET_NDR);
	bbox_sbox_has_room(&socket->bboxes[sbox->side]);
	sbox->ndr_free_at = sim_now(socket->sim) + 1;
	sbox_go_on(sbox, &sbox->ndr_is_pumping, sbox->ndr_free_at, pump_ndr,
		   sbox->ring_ndr.count);
}

/* Brings one line to the ring, from R-Box and B-Box in turn. */
static void pump_drs(void *object, uint64_t unused)
{
	struct sbox *sbox = object;
	struct socket *socket = sbox->socket;
	struct packet_queue *queues[] = { &sbox->ring_r2s, &sbox->ring_b2s };

	(void)unused;
	sbox->drs_is_pumping = false;
	for (unsigned i = 0; i < 2; i++) {
		unsigned which = (sbox->next_drs + i) % 2;
		const struct packet *packet = packet_queue_head(queues[which]);

		if (!packet)
			continue;
		bring_data(sbox, packet);
		packet_queue_pop(queues[which]);
		sbox->next_drs = !which;
		if (which)
			bbox_sbox_has_room(&socket->bboxes[sbox->side]);
		else
			rbox_resume(socket->rbox, sbox_port(sbox), PACKET_DRS);
		/* a line takes two slots to the slice and two to the core */
		sbox->drs_free_at = sim_now(socket->sim) + 2;
		sbox_go_on(sbox, &sbox->drs_is_pumping, sbox->drs_free_at,
			   pump_drs,
			   sbox->ring_r2s.count || sbox->ring_b2s.count);
		return;
	}
}

/* Takes a ring-bound packet, if there is room. */
static bool receive(struct sbox *sbox, const struct packet *packet,
		    struct packet_queue *drs, unsigned drs_signal)
{
	switch (packet->cls) {
	case PACKET_SNP:
		if (packet_queue_is_full(&sbox->ring_snp))
			return false;
		packet_queue_push(&sbox->ring_snp, packet);
		sig_pulse(sbox->bank, SIG_SBOX_PKTS_RCVD_SNP, 1);
		sbox_start(sbox, &sbox->snp_is_pumping, sbox->snp_free_at,
			   pump_snp);
		return true;
	case PACKET_NDR:
		if (packet_queue_is_full(&sbox->ring_ndr))
			return false;
		packet_queue_push(&sbox->ring_ndr, packet);
		sig_pulse(sbox->bank, SIG_SBOX_PKTS_RCVD_NDR, 1);
		sbox_start(sbox, &sbox->ndr_is_pumping, sbox->ndr_free_at,
			   pump_ndr);
		return true;
	case PACKET_DRS:
		if (packet_queue_is_full(drs))
			return false;
		packet_queue_push(drs, packet);
		sig_pulse(sbox->bank, drs_signal, 1);
		sbox_start(sbox, &sbox->drs_is_pumping, sbox->drs_free_at,
			   pump_drs);
		return true;
	default: /* nobody sends other classes to a caching agent */ abort();
	}
}

bool sbox_from_rbox(void *object, const struct packet *packet)
{
	struct sbox *sbox = object;

	return receive(sbox, packet, &sbox->ring_r2s,
		       SIG_SBOX_PKTS_RCVD_DRS_FROM_R);
}

bool sbox_from_bbox(struct sbox *sbox, const struct packet *packet)
{
	return receive(sbox, packet, &sbox->ring_b2s,
		       SIG_SBOX_PKTS_RCVD_DRS_FROM_B);
}
