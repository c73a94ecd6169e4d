/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.5. System bound: a request of a C-Box holds an entry of the request
 * table and a tracker credit of its home from before it leaves the C-Box until
 * it is complete; so the home agent always has room for it. HOM messages to the
 * B-Box of the same side take the direct link, all others the R-Box.
 *
 * Left out: NCS and NCB (uncached and interrupt traffic), system bound NDR,
 * the bypasses, credit-carrying idle flits, half-line bypass.
 */
#include "model/box/sbox.h"

#include <stdlib.h>
#include <string.h>

#include "model/box/core.h"
#include "model/box/socket.h"
#include "signals.h"

static void pump_r(void *object, uint64_t unused);
static void pump_b(void *object, uint64_t unused);

/* Queues */

static void queue_init(struct packet_queue *queue, struct sigbank *bank,
		       unsigned signal, unsigned room)
{
	queue->bank = bank;
	queue->signal = signal;
	queue->room = room;
}

static bool queue_is_full(const struct packet_queue *queue)
{
	return queue->count >= queue->room;
}

static void queue_push(struct packet_queue *queue, const struct packet *packet)
{
	unsigned last = (queue->first + queue->count) % SBOX_QUEUE_ROOM;

	queue->packets[last] = *packet;
	queue->count++;
	sig_add(queue->bank, queue->signal, 1);
}

static const struct packet *queue_head(const struct packet_queue *queue)
{
	return queue->count ? &queue->packets[queue->first] : NULL;
}

static void queue_pop(struct packet_queue *queue)
{
	queue->count--;
	/* an empty queue begins anew, where the host's cache has it */
	queue->first = queue->count ? (queue->first + 1) % SBOX_QUEUE_ROOM : 0;
	sig_add(queue->bank, queue->signal, -1);
}

/* Construction */

static void drive_signals(struct sbox *sbox)
{
	struct sigbank *bank = sbox->bank;

	sig_drives(bank, SIG_SBOX_TO_R_PKT, 4);
	sig_drives(bank, SIG_SBOX_TO_R_DRS_MSGQ, SBOX_CBOXES);
	sig_drives(bank, SIG_SBOX_TO_RING_SNP_MSGQ, 1);
	sig_drives(bank, SIG_SBOX_TO_RING_NDR_MSGQ, 3);
	sig_drives(bank, SIG_SBOX_REQ_TBL_LOCAL, 2);
	sig_drives(bank, SIG_SBOX_EGRESS_BYPASS_AD_CW, 24);
	sig_drives(bank, SIG_SBOX_PKTS_SENT_HOM_RBOX, 3);
	sig_drives(bank, SIG_SBOX_PKTS_SENT_DRS, SBOX_CBOXES + 1);
	sig_drives(bank, SIG_SBOX_TO_R_B_REQUESTS_LOCAL, 6);
	sig_drives(bank, SIG_SBOX_NO_CREDIT_HOM, 3);
	sig_drives(bank, SIG_SBOX_NO_CREDIT_VNA_RBOX, 1);
	sig_drives(bank, SIG_SBOX_NO_CREDIT_IPQ, 1);
}

static int init_egresses(struct sbox *sbox)
{
	struct socket *socket = sbox->socket;
	unsigned starve = socket_param(socket, PARAM_RING_STARVE_CYCLES);

	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		struct egress *all[] = { &sbox->ad[d], &sbox->ak[d],
					 &sbox->bl[d] };

		for (unsigned kind = RING_AD; kind <= RING_BL; kind++) {
			struct egress_signals *s = &all[kind]->signals;
			unsigned place = kind * 2 + d;

			if (egress_init(all[kind], &socket->ring, socket->sim,
					kind, d, sbox->stop, starve))
				return -1;
			s->bank = sbox->bank;
			s->bypass0 = SIG_SBOX_EGRESS_BYPASS_AD_CW + place;
			s->win = SIG_SBOX_EGRESS_ARB_WINS_AD_CW + place;
			s->loss = SIG_SBOX_EGRESS_ARB_LOSSES_AD_CW + place;
			s->starved = SIG_SBOX_EGRESS_STARVED_AD_CW + place;
		}
	}
	return 0;
}

static void init_queues(struct sbox *sbox)
{
	struct socket *socket = sbox->socket;
	struct sigbank *bank = sbox->bank;
	unsigned hom = socket_param(socket, PARAM_SBOX_HOM_QUEUE);

	/* each half of the HOM buffer may take all of it; the sum is bounded */
	queue_init(&sbox->out[SBOX_HOM_R], bank, SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX,
		   hom);
	queue_init(&sbox->out[SBOX_HOM_B], bank, SIG_SBOX_TO_R_B_HOM_MSGQ_BBOX,
		   hom);
	queue_init(&sbox->out[SBOX_SNP], bank, SIG_SBOX_TO_R_SNP_MSGQ,
		   socket_param(socket, PARAM_SBOX_SNP_QUEUE));
	for (unsigned i = 0; i < SBOX_CBOXES; i++)
		queue_init(&sbox->out[SBOX_DRS + i], bank,
			   SIG_SBOX_TO_R_DRS_MSGQ + i, 4);
	queue_init(&sbox->ring_snp, bank, SIG_SBOX_TO_RING_SNP_MSGQ,
		   socket_param(socket, PARAM_SBOX_RING_SNP_QUEUE));
	queue_init(&sbox->ring_ndr, bank, SIG_SBOX_TO_RING_NDR_MSGQ,
		   socket_param(socket, PARAM_SBOX_RING_NDR_QUEUE));
	queue_init(&sbox->ring_r2s, bank, SIG_SBOX_TO_RING_R2S_MSGQ,
		   socket_param(socket, PARAM_SBOX_RING_R2S_QUEUE));
	queue_init(&sbox->ring_b2s, bank, SIG_SBOX_TO_RING_B2S_MSGQ,
		   socket_param(socket, PARAM_SBOX_RING_B2S_QUEUE));
}

static enum rbox_port port_of(const struct sbox *sbox)
{
	return sbox->side ? RBOX_PORT_SBOX1 : RBOX_PORT_SBOX0;
}

static bool from_rbox(void *object, const struct packet *packet);
static void rbox_credit(void *object, enum packet_class cls, unsigned vn,
			unsigned flits);

int sbox_init(struct sbox *sbox, struct socket *socket, unsigned side,
	      unsigned stop, struct sigbank *bank)
{
	struct rbox_client client = { sbox, from_rbox, rbox_credit };
	unsigned tracker = socket_param(socket, PARAM_BBOX_TRACKER);

	memset(sbox, 0, sizeof(*sbox));
	sbox->socket = socket;
	sbox->bank = bank;
	sbox->side = side;
	sbox->stop = stop;
	sbox->node = NODE_SBOX(socket->index, side);
	sbox->cycles = socket_param(socket, PARAM_SBOX_CYCLES);
	sbox->table_room = socket_param(socket, PARAM_SBOX_REQUEST_TABLE);
	sbox->tracker_room = tracker / (SOCKET_SIDES * socket->num_sockets);
	for (unsigned i = 0; i < SBOX_MAX_NODES; i++)
		sbox->tracker_credits[i] = sbox->tracker_room;
	for (unsigned i = 0; i < SBOX_CBOXES; i++)
		sbox->ipq_credits[i] = socket_param(socket, PARAM_CBOX_IPQ);
	init_queues(sbox);
	if (init_egresses(sbox))
		return -1;
	rbox_attach(socket->rbox, port_of(sbox), &client);
	drive_signals(sbox);
	return 0;
}

void sbox_fini(struct sbox *sbox)
{
	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		egress_fini(&sbox->ad[d]);
		egress_fini(&sbox->ak[d]);
		egress_fini(&sbox->bl[d]);
	}
}

bool sbox_is_idle(const struct sbox *sbox)
{
	for (unsigned i = 0; i < SBOX_NUM_QUEUES; i++)
		if (sbox->out[i].count)
			return false;
	return !sbox->num_requests && !sbox->ring_snp.count &&
	       !sbox->ring_ndr.count && !sbox->ring_r2s.count &&
	       !sbox->ring_b2s.count;
}

/* The request table */

/* Kept back from misses. A write-back waits for nobody, but a miss may wait
 * for a slice elsewhere that has to write back first; so the last entry and
 * the last credit are for write-backs, where there is more than one. */
static unsigned kept_back(unsigned maf, unsigned room)
{
	return maf != CBOX_NONE && room > 1;
}

enum sbox_refusal sbox_reserve(struct sbox *sbox, uint64_t line, unsigned cbox,
			       unsigned maf, unsigned *serial)
{
	uint64_t local;
	unsigned home = socket_home(sbox->socket, line, &local), i = 0;

	if (sbox->num_requests + kept_back(maf, sbox->table_room) >=
	    sbox->table_room)
		return SBOX_NO_ENTRY;
	if (sbox->tracker_credits[home] <= kept_back(maf, sbox->tracker_room))
		return SBOX_NO_TRACKER;
	while (sbox->table[i].is_used)
		i++;
	sbox->table[i] = (struct sbox_request){
		.line = line,
		.number = ++sbox->number,
		.cbox = (uint8_t)cbox,
		.maf = (uint8_t)maf,
		.home = (uint8_t)home,
		.is_used = true,
		.is_write_back = maf == CBOX_NONE,
	};
	sbox->num_requests++;
	sbox->tracker_credits[home]--;
	sig_add(sbox->bank,
		NODE_SOCKET(home) == sbox->socket->index
			? SIG_SBOX_REQ_TBL_LOCAL
			: SIG_SBOX_REQ_TBL_REMOTE,
		1);
	*serial = i;
	return SBOX_OK;
}

void sbox_set_core(struct sbox *sbox, unsigned serial, unsigned core,
		   unsigned entry)
{
	sbox->table[serial].core = (uint8_t)core;
	sbox->table[serial].entry = (uint8_t)entry;
	sbox->table[serial].sends_to_core = true;
}

uint32_t sbox_number(const struct sbox *sbox, unsigned serial)
{
	return sbox->table[serial].number;
}

static void free_request(struct sbox *sbox, struct sbox_request *request)
{
	struct socket *socket = sbox->socket;
	unsigned first = sbox->side * (socket->num_cores / 2);
	unsigned num =
		sbox->side ? socket->num_cores - first : socket->num_cores / 2;

	request->is_used = false;
	sbox->num_requests--;
	sbox->tracker_credits[request->home]++;
	sig_add(sbox->bank,
		NODE_SOCKET(request->home) == socket->index
			? SIG_SBOX_REQ_TBL_LOCAL
			: SIG_SBOX_REQ_TBL_REMOTE,
		-1);
	for (unsigned i = 0; i < num; i++)
		cbox_credit(&socket->cboxes[first + i]);
}

/* System bound */

static bool is_direct(const struct sbox *sbox, unsigned dest)
{
	return dest == NODE_BBOX(sbox->socket->index, sbox->side);
}

/* Sees to it that a pump runs: not before what came last is through the box,
 * and not before the link is free. */
static void start(struct sbox *sbox, bool *is_pumping, uint64_t free_at,
		  sim_fn *pump)
{
	uint64_t time = sim_now(sbox->socket->sim) + sbox->cycles;

	if (*is_pumping)
		return;
	*is_pumping = true;
	sim_at(sbox->socket->sim, time > free_at ? time : free_at, pump, sbox,
	       0);
}

/* A pump has sent something and the link is busy; it runs again if there is
 * more. */
static void go_on(struct sbox *sbox, bool *is_pumping, uint64_t free_at,
		  sim_fn *pump, bool has_more)
{
	if (!has_more)
		return;
	*is_pumping = true;
	sim_at(sbox->socket->sim, free_at, pump, sbox, 0);
}

/* What is first of its class may have a credit though others wait for one. */
static void kick_r(struct sbox *sbox, bool is_first)
{
	if (is_first)
		sbox->r_waits_for_credit = false;
	if (!sbox->r_waits_for_credit)
		start(sbox, &sbox->r_is_pumping, sbox->r_free_at, pump_r);
}

static void kick_b(struct sbox *sbox)
{
	start(sbox, &sbox->b_is_pumping, sbox->b_free_at, pump_b);
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
		if (queue_is_full(queue))
			return false;
	}
	is_first = !queue->count;
	queue_push(queue, packet);
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
		queue_push(&sbox->out[SBOX_SNP], &packet);
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
	if (!rbox_vna_free(sbox->socket->rbox, port_of(sbox)))
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
		const struct packet *packet = queue_head(queue);
		unsigned flits;

		if (!goes_to_rbox(sbox, packet))
			continue;
		flits = packet->flits;
		if (!rbox_send(socket->rbox, port_of(sbox), packet)) {
			count_refused(sbox, packet);
			was_refused = true;
			continue;
		}
		count_sent(sbox, packet, true);
		queue_pop(queue);
		sbox->next_r = (which + 1) % SBOX_NUM_QUEUES;
		sbox->r_free_at = sim_now(socket->sim) + flits;
		go_on(sbox, &sbox->r_is_pumping, sbox->r_free_at, pump_r,
		      --sbox->num_r);
		if (queue_head(queue) &&
		    is_direct(sbox, queue_head(queue)->dest))
			kick_b(sbox);
		return;
	}
	sbox->r_waits_for_credit = was_refused;
}

static void rbox_credit(void *object, enum packet_class cls, unsigned vn,
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
		const struct packet *packet = queue_head(queue);

		if (!packet || !is_direct(sbox, packet->dest))
			continue;
		count_sent(sbox, packet, false);
		sbox->b_free_at = sim_now(socket->sim) + packet->flits;
		go_on(sbox, &sbox->b_is_pumping, sbox->b_free_at, pump_b,
		      --sbox->num_b);
		bbox_from_sbox(&socket->bboxes[sbox->side], packet);
		queue_pop(queue);
		sbox->next_b = (which + 1) % SBOX_NUM_QUEUES;
		if (goes_to_rbox(sbox, queue_head(queue)))
			kick_r(sbox, true);
		return;
	}
}

/* Ring bound */

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
	const struct packet *packet = queue_head(&sbox->ring_snp);
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
	queue_pop(&sbox->ring_snp);
	rbox_resume(socket->rbox, port_of(sbox), PACKET_SNP);
	sbox->snp_free_at = sim_now(socket->sim) + 1;
	go_on(sbox, &sbox->snp_is_pumping, sbox->snp_free_at, pump_snp,
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
		free_request(sbox, request);
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
	const struct packet *packet = queue_head(&sbox->ring_ndr);
	struct packet copy;

	(void)unused;
	sbox->ndr_is_pumping = false;
	if (!packet)
		return;
	copy = *packet;
	queue_pop(&sbox->ring_ndr);
	if (copy.opcode == NDR_CMP || copy.opcode == NDR_GNT_CMP)
		bring_completion(sbox, &copy);
	else
		send_probe(sbox, &copy);
	rbox_resume(socket->rbox, port_of(sbox), PACKET_NDR);
	bbox_sbox_has_room(&socket->bboxes[sbox->side]);
	sbox->ndr_free_at = sim_now(socket->sim) + 1;
	go_on(sbox, &sbox->ndr_is_pumping, sbox->ndr_free_at, pump_ndr,
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
		const struct packet *packet = queue_head(queues[which]);

		if (!packet)
			continue;
		bring_data(sbox, packet);
		queue_pop(queues[which]);
		sbox->next_drs = !which;
		if (which)
			bbox_sbox_has_room(&socket->bboxes[sbox->side]);
		else
			rbox_resume(socket->rbox, port_of(sbox), PACKET_DRS);
		/* a line takes two slots to the slice and two to the core */
		sbox->drs_free_at = sim_now(socket->sim) + 2;
		go_on(sbox, &sbox->drs_is_pumping, sbox->drs_free_at, pump_drs,
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
		if (queue_is_full(&sbox->ring_snp))
			return false;
		queue_push(&sbox->ring_snp, packet);
		sig_pulse(sbox->bank, SIG_SBOX_PKTS_RCVD_SNP, 1);
		start(sbox, &sbox->snp_is_pumping, sbox->snp_free_at, pump_snp);
		return true;
	case PACKET_NDR:
		if (queue_is_full(&sbox->ring_ndr))
			return false;
		queue_push(&sbox->ring_ndr, packet);
		sig_pulse(sbox->bank, SIG_SBOX_PKTS_RCVD_NDR, 1);
		start(sbox, &sbox->ndr_is_pumping, sbox->ndr_free_at, pump_ndr);
		return true;
	case PACKET_DRS:
		if (queue_is_full(drs))
			return false;
		queue_push(drs, packet);
		sig_pulse(sbox->bank, drs_signal, 1);
		start(sbox, &sbox->drs_is_pumping, sbox->drs_free_at, pump_drs);
		return true;
	default: /* nobody sends other classes to a caching agent */ abort();
	}
}

static bool from_rbox(void *object, const struct packet *packet)
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
