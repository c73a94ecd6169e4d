/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's ring bound side: snoops go to the C-Box when its IPQ has room,
 * data to the slice and the core, completions to the slice; messages to cores
 * are in sbox_nc.c. What the egress queue of a ring has no room for waits.
 *
 * Two bypasses for lines: that of the channel from the B-Box, and the half-line
 * bypass, by which the first half goes to the ring before the second is there.
 */
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

struct egress *sbox_egress(struct sbox *sbox, struct egress egress[],
			   unsigned stop)
{
	return &egress[ring_direction(&sbox->socket->ring, sbox->stop, stop)];
}

/* A place of an egress queue is free again. */
static void egress_moved(void *object)
{
	struct sbox *sbox = object;
	uint64_t next = sim_now(sbox->socket->sim) + 1;

	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		sbox->ad[d].injected = NULL;
		sbox->ak[d].injected = NULL;
		sbox->bl[d].injected = NULL;
	}
	if (sbox->in[SBOX_RING_SNP].count)
		sbox_run_at(sbox, SBOX_PUMP_SNP, next);
	if (sbox->in[SBOX_RING_NDR].count)
		sbox_run_at(sbox, SBOX_PUMP_NDR, next);
	if (sbox->in[SBOX_RING_R2S].count || sbox->in[SBOX_RING_B2S].count)
		sbox_run_at(sbox, SBOX_PUMP_DRS, next);
	if (sbox->in[SBOX_RING_NCS].count || sbox->in[SBOX_RING_NCB].count)
		sbox_run_at(sbox, SBOX_PUMP_NC, next);
}

bool sbox_egress_has_room(struct sbox *sbox, struct egress *egress)
{
	static const uint16_t signals[] = {
		[RING_AD] = SIG_SBOX_NO_CREDIT_AD,
		[RING_AK] = SIG_SBOX_NO_CREDIT_AK,
		[RING_BL] = SIG_SBOX_NO_CREDIT_BL,
	};

	if (egress->count < sbox->egress_room)
		return true;
	sig_pulse(sbox->bank, signals[egress->kind], 1);
	egress->injected = egress_moved;
	egress->injected_object = sbox;
	return false;
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

/* False: no room on the way to the ring. */
static bool send_probe(struct sbox *sbox, const struct packet *packet)
{
	struct socket *socket = sbox->socket;
	struct cbox *cbox = &socket->cboxes[packet->cbox];
	struct egress *egress = sbox_egress(sbox, sbox->ad, cbox->stop);

	if (!sbox_egress_has_room(sbox, egress))
		return false;
	egress_send(egress, probe_sink,
		    packet_take(&socket->packets, packet, cbox), 0, cbox->stop);
	return true;
}

/* The head of a queue, if it is through the box; NULL: the pump runs again when
 * it is, or when something comes. */
static struct queued_packet *head_of(struct sbox *sbox, unsigned which,
				     enum sbox_pump_kind kind)
{
	struct packet_queue *queue = &sbox->in[which];
	struct queued_packet *head = packet_queue_first(queue);

	if (!queue->count)
		return NULL;
	if (head->ready <= sim_now(sbox->socket->sim))
		return head;
	sbox_run_at(sbox, kind, head->ready);
	return NULL;
}

/* The head has gone: the next one follows when the ring side has room. */
static void pop(struct sbox *sbox, unsigned which, enum sbox_pump_kind kind)
{
	struct packet_queue *queue = &sbox->in[which];

	packet_queue_pop(queue);
	sbox->pumps[kind].free_at = sim_now(sbox->socket->sim) + 1;
	if (queue->count)
		sbox_run_at(sbox, kind, packet_queue_first(queue)->ready);
}

void sbox_pump_snp(struct sbox *sbox)
{
	const struct queued_packet *head =
		head_of(sbox, SBOX_RING_SNP, SBOX_PUMP_SNP);
	unsigned place;

	if (!head)
		return;
	place = socket_place(sbox->socket, head->packet.cbox);
	if (!sbox->ipq_credits[place]) {
		sig_pulse(sbox->bank, SIG_SBOX_NO_CREDIT_IPQ, 1);
		return; /* sbox_ipq_credit() goes on */
	}
	if (!send_probe(sbox, &head->packet))
		return;
	sbox->ipq_credits[place]--;
	pop(sbox, SBOX_RING_SNP, SBOX_PUMP_SNP);
	sbox_give_back(sbox, PACKET_SNP, false);
}

void sbox_ipq_credit(struct sbox *sbox, unsigned cbox)
{
	sbox->ipq_credits[socket_place(sbox->socket, cbox)]++;
	if (sbox->in[SBOX_RING_SNP].count)
		sbox_run_at(sbox, SBOX_PUMP_SNP,
			    sim_now(sbox->socket->sim) + 1);
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

/* How soon an AckCnflt that found the HOM queue full tries again. */
enum { ACKNOWLEDGE_RETRY_CYCLES = 4 };

static void acknowledge(void *object, uint64_t serial)
{
	struct sbox *sbox = object;
	struct sim *sim = sbox->socket->sim;
	const struct sbox_request *request = &sbox->table[serial];
	struct packet packet = {
		.line = request->line,
		.serial = (uint32_t)serial,
		.number = request->number,
		.cls = PACKET_HOM,
		.mc = MC_HOM0,
		.opcode = HOM0_ACK_CNFLT,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)sbox->node,
		.dest = request->home,
		.requester = (uint8_t)sbox->node,
		.home = request->home,
		.cbox = request->cbox,
	};

	if (!sbox_send(sbox, &packet))
		sim_at(sim, sim_now(sim) + ACKNOWLEDGE_RETRY_CYCLES,
		       acknowledge, sbox, serial);
}

/* The home forces an acknowledgement of a conflict, once data are here too. */
static void look_at_conflict(struct sbox *sbox, struct sbox_request *request)
{
	if (!request->is_forced || !request->has_data)
		return;
	request->is_forced = false;
	acknowledge(sbox, (uint64_t)(request - sbox->table));
}

/* The ways of data: to the core, and of a line to the slice; what is not
 * coherent completes there. */
struct data_way {
	struct cbox *cbox;
	struct core *core;
	struct egress *to_cbox, *to_core;
};

static struct data_way data_way(struct sbox *sbox,
				const struct sbox_request *request)
{
	struct cbox *cbox = &sbox->socket->cboxes[request->cbox];
	struct core *core = &sbox->socket->cores[request->core];

	return (struct data_way){
		.cbox = cbox,
		.core = core,
		.to_cbox = sbox_egress(sbox,
				       request->is_nc ? sbox->ak : sbox->bl,
				       cbox->stop),
		.to_core = sbox_egress(sbox, sbox->bl, core->stop),
	};
}

/* Who has sent a line to a core that needs it. */
static void count_answer(struct sbox *sbox, const struct sbox_request *request,
			 const struct packet *packet, struct core *core)
{
	unsigned kind = core->misses[request->entry].kind;
	bool is_local = (unsigned)NODE_AT(request->home) == sbox->socket->index;

	if (kind > UNCORE_ACCESS_NONE)
		return;
	core_answered(core, request->entry,
		      packet->opcode != DRS_DATA_C
			      ? (is_local ? ANSWER_LOCAL_DRAM
					  : ANSWER_REMOTE_DRAM)
		      : packet->is_modified ? ANSWER_REMOTE_MODIFIED
					    : ANSWER_REMOTE);
	core_filled(core, kind == UNCORE_ACCESS_OWN || packet->state == RDS_E ||
				  packet->state == RDS_M);
}

static void send_line(struct sbox *sbox, struct sbox_request *request,
		      const struct packet *packet, const struct data_way *way)
{
	uint64_t completes = packet->opcode == DRS_DATA_C_CMP;

	if (sbox->socket->values)
		cbox_value_data(way->cbox, request->maf, packet->value);
	request->is_complete |= completes;
	request->is_forced |= packet->opcode == DRS_DATA_C_FRC_ACK_CNFLT;
	egress_send(way->to_cbox, fill_sink, way->cbox,
		    completes << 16 | (uint64_t)packet->state << 8 |
			    request->maf,
		    way->cbox->stop);
}

/* False: no room on the way to the ring. */
static bool bring_data(struct sbox *sbox, const struct packet *packet)
{
	struct sbox_request *request = &sbox->table[packet->serial];
	struct data_way way = data_way(sbox, request);

	if (!request->is_used || request->number != packet->number ||
	    request->has_data)
		return true; /* a second forwarder in a conflict */
	if (!sbox_egress_has_room(sbox, way.to_cbox) ||
	    !sbox_egress_has_room(sbox, way.to_core))
		return false;
	request->has_data = true;
	if (request->is_nc) {
		request->is_complete = true;
		egress_send(way.to_cbox, complete_sink, way.cbox, request->maf,
			    way.cbox->stop);
	} else {
		send_line(sbox, request, packet, &way);
		count_answer(sbox, request, packet, way.core);
	}
	egress_send_line(way.to_core, core_done, way.core, request->entry,
			 way.core->stop, way.core->fill_cycles, way.core->bank,
			 SIG_CBOX_SINKS_S2P_BL, &way.core->bl_port);
	look_at_conflict(sbox, request);
	request_done(sbox, request);
	return true;
}

static bool bring_completion(struct sbox *sbox, const struct packet *packet)
{
	struct sbox_request *request = &sbox->table[packet->serial];
	struct cbox *cbox = &sbox->socket->cboxes[request->cbox];
	struct egress *egress = sbox_egress(sbox, sbox->ak, cbox->stop);

	if (!request->is_write_back) {
		if (!sbox_egress_has_room(sbox, egress))
			return false;
		egress_send(egress, complete_sink, cbox, request->maf,
			    cbox->stop);
	}
	/* where there are none to wait for */
	if (packet->opcode == NDR_GNT_CMP || request->is_nc)
		request->has_data = true;
	request->is_complete = true;
	request_done(sbox, request);
	return true;
}

/* All but a conflict is settled: the home wants to hear of it. */
static bool bring_demand(struct sbox *sbox, const struct packet *packet)
{
	struct sbox_request *request = &sbox->table[packet->serial];

	/* a grant comes without data */
	request->has_data |= packet->opcode == NDR_GNT_FRC_ACK_CNFLT;
	request->is_forced = true;
	look_at_conflict(sbox, request);
	return true;
}

static bool is_demand(unsigned opcode)
{
	return opcode == NDR_FRC_ACK_CNFLT || opcode == NDR_GNT_FRC_ACK_CNFLT;
}

static bool is_completion(unsigned opcode)
{
	return opcode == NDR_CMP || opcode == NDR_CMP_D ||
	       opcode == NDR_GNT_CMP;
}

void sbox_pump_ndr(struct sbox *sbox)
{
	const struct queued_packet *head =
		head_of(sbox, SBOX_RING_NDR, SBOX_PUMP_NDR);
	bool is_direct;

	if (!head)
		return;
	if (is_completion(head->packet.opcode)
		    ? !bring_completion(sbox, &head->packet)
	    : is_demand(head->packet.opcode)
		    ? !bring_demand(sbox, &head->packet)
		    : !send_probe(sbox, &head->packet))
		return;
	is_direct = head->is_direct;
	pop(sbox, SBOX_RING_NDR, SBOX_PUMP_NDR);
	sbox_give_back(sbox, PACKET_NDR, is_direct);
}

/* Brings a line to the ring, if it is through the box and has room there. */
static bool try_drs(struct sbox *sbox, unsigned which)
{
	struct packet_queue *queue = &sbox->in[which];
	struct queued_packet *head = packet_queue_first(queue);
	uint64_t now = sim_now(sbox->socket->sim);

	if (!queue->count || head->ready > now)
		return false;
	if (!bring_data(sbox, &head->packet)) {
		queue->is_bypassed = head->is_half_line = false;
		return false;
	}
	if (queue->is_bypassed)
		sig_busy(sbox->bank, SIG_SBOX_B2S_DRS_BYPASS,
			 now + head->packet.flits);
	if (head->is_half_line)
		sig_pulse(sbox->bank, SIG_SBOX_HALFLINE_BYPASS, 1);
	packet_queue_pop(queue);
	sbox->next_drs = which != SBOX_RING_B2S;
	sbox_give_back(sbox, PACKET_DRS, which == SBOX_RING_B2S);
	return true;
}

/* Brings one line to the ring, from R-Box and B-Box in turn. */
void sbox_pump_drs(struct sbox *sbox)
{
	uint64_t now = sim_now(sbox->socket->sim);
	unsigned first = sbox->next_drs ? SBOX_RING_B2S : SBOX_RING_R2S;
	unsigned second = sbox->next_drs ? SBOX_RING_R2S : SBOX_RING_B2S;
	bool has_sent = try_drs(sbox, first) || try_drs(sbox, second);

	/* a line takes two slots to the slice and two to the core */
	if (has_sent)
		sbox->pumps[SBOX_PUMP_DRS].free_at = now + 2;
	for (unsigned which = SBOX_RING_R2S; which <= SBOX_RING_B2S; which++) {
		struct packet_queue *queue = &sbox->in[which];

		if (queue->count &&
		    (has_sent || packet_queue_first(queue)->ready > now))
			sbox_run_at(sbox, SBOX_PUMP_DRS,
				    packet_queue_first(queue)->ready);
	}
}

/* Reception */

static const struct {
	uint16_t rcvd; /* signal */
	uint8_t pump;
} in_kinds[] = {
	[SBOX_RING_SNP] = { SIG_SBOX_PKTS_RCVD_SNP, SBOX_PUMP_SNP },
	[SBOX_RING_NCS] = { SIG_SBOX_PKTS_RCVD_NCS, SBOX_PUMP_NC },
	[SBOX_RING_NCB] = { SIG_SBOX_PKTS_RCVD_NCB, SBOX_PUMP_NC },
	[SBOX_RING_NDR] = { SIG_SBOX_PKTS_RCVD_NDR, SBOX_PUMP_NDR },
	[SBOX_RING_R2S] = { SIG_SBOX_PKTS_RCVD_DRS_FROM_R, SBOX_PUMP_DRS },
	[SBOX_RING_B2S] = { SIG_SBOX_PKTS_RCVD_DRS_FROM_B, SBOX_PUMP_DRS },
};

static unsigned queue_of(const struct packet *packet, bool is_direct)
{
	switch (packet->cls) {
	case PACKET_SNP: return SBOX_RING_SNP;
	case PACKET_NCS: return SBOX_RING_NCS;
	case PACKET_NCB: return SBOX_RING_NCB;
	case PACKET_NDR: return SBOX_RING_NDR;
	case PACKET_DRS: return is_direct ? SBOX_RING_B2S : SBOX_RING_R2S;
	default: BUG("HOM was sent to a caching agent");
	}
}

/* SNP, NCS and NCB share a buffer that is smaller than their queues. */
static bool has_room(struct sbox *sbox, unsigned which)
{
	const struct packet_queue *in = sbox->in;

	if (packet_queue_is_full(&in[which]))
		return false;
	if (which > SBOX_RING_NCB ||
	    in[SBOX_RING_SNP].count + in[SBOX_RING_NCS].count +
			    in[SBOX_RING_NCB].count <
		    sbox->shared_room)
		return true;
	sbox->was_shared_full = true;
	return false;
}

/* The bypasses that the first line in an idle box may take, and what that
 * saves. */
static unsigned bypass(struct sbox *sbox, unsigned which,
		       struct queued_packet *queued)
{
	struct data_way way;
	unsigned saved = 0;

	if (sbox->in[SBOX_RING_R2S].count + sbox->in[SBOX_RING_B2S].count > 1 ||
	    sbox->pumps[SBOX_PUMP_DRS].free_at > sim_now(sbox->socket->sim))
		return 0;
	way = data_way(sbox, &sbox->table[queued->packet.serial]);
	if (which == SBOX_RING_B2S) {
		sbox->in[which].is_bypassed = true;
		saved += sbox->bypass_cycles;
	}
	if (!way.to_cbox->count && !way.to_core->count) {
		queued->is_half_line = true;
		saved += sbox->bypass_cycles;
	}
	return saved < sbox->cycles ? saved : sbox->cycles;
}

static bool is_local_ncs(const struct sbox *sbox, const struct packet *packet)
{
	return packet->cls == PACKET_NCS &&
	       packet->source == NODE_UBOX(sbox->socket->index);
}

/* Takes a ring-bound packet, if there is room. */
static bool receive(struct sbox *sbox, const struct packet *packet,
		    bool is_direct)
{
	unsigned which = queue_of(packet, is_direct);
	struct queued_packet *queued;

	if (!has_room(sbox, which))
		return false;
	queued = packet_queue_push(&sbox->in[which], packet,
				   sim_now(sbox->socket->sim) + sbox->cycles);
	queued->is_direct = is_direct;
	if (which >= SBOX_RING_R2S)
		queued->ready -= bypass(sbox, which, queued);
	sig_pulse(sbox->bank,
		  is_local_ncs(sbox, packet) ? SIG_SBOX_PKTS_RCVD_LOC_NCS
					     : in_kinds[which].rcvd,
		  1);
	if (sbox->in[which].count == 1)
		sbox_run_at(sbox, in_kinds[which].pump, queued->ready);
	return true;
}

bool sbox_from_rbox(void *object, const struct packet *packet)
{
	return receive(object, packet, false);
}

bool sbox_from_bbox(struct sbox *sbox, const struct packet *packet)
{
	return receive(sbox, packet, true);
}
