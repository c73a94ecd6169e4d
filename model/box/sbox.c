/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.5. The S-Box's request table; what leaves the box for the system is
 * in sbox_out.c, what it brings to the ring in sbox_in.c. A request of a C-Box
 * holds an entry of the table and a tracker credit of its home from before it
 * leaves the C-Box until it is complete; so the home agent always has room for
 * it. HOM messages to the B-Box of the same side take the direct link, all
 * others the R-Box.
 *
 * Left out: NCS and NCB (uncached and interrupt traffic), system bound NDR,
 * the bypasses, credit-carrying idle flits, half-line bypass.
 */
#include "model/box/sbox.h"

#include <string.h>

#include "model/box/core.h"
#include "model/box/socket.h"
#include "signals.h"

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
	packet_queue_init(&sbox->out[SBOX_HOM_R], bank,
			  SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX, hom);
	packet_queue_init(&sbox->out[SBOX_HOM_B], bank,
			  SIG_SBOX_TO_R_B_HOM_MSGQ_BBOX, hom);
	packet_queue_init(&sbox->out[SBOX_SNP], bank, SIG_SBOX_TO_R_SNP_MSGQ,
			  socket_param(socket, PARAM_SBOX_SNP_QUEUE));
	for (unsigned i = 0; i < SBOX_CBOXES; i++)
		packet_queue_init(&sbox->out[SBOX_DRS + i], bank,
				  SIG_SBOX_TO_R_DRS_MSGQ + i, 4);
	packet_queue_init(&sbox->ring_snp, bank, SIG_SBOX_TO_RING_SNP_MSGQ,
			  socket_param(socket, PARAM_SBOX_RING_SNP_QUEUE));
	packet_queue_init(&sbox->ring_ndr, bank, SIG_SBOX_TO_RING_NDR_MSGQ,
			  socket_param(socket, PARAM_SBOX_RING_NDR_QUEUE));
	packet_queue_init(&sbox->ring_r2s, bank, SIG_SBOX_TO_RING_R2S_MSGQ,
			  socket_param(socket, PARAM_SBOX_RING_R2S_QUEUE));
	packet_queue_init(&sbox->ring_b2s, bank, SIG_SBOX_TO_RING_B2S_MSGQ,
			  socket_param(socket, PARAM_SBOX_RING_B2S_QUEUE));
}

unsigned sbox_port(const struct sbox *sbox)
{
	return sbox->side ? RBOX_PORT_SBOX1 : RBOX_PORT_SBOX0;
}

int sbox_init(struct sbox *sbox, struct socket *socket, unsigned side,
	      unsigned stop, struct sigbank *bank)
{
	struct rbox_client client = { sbox, sbox_from_rbox, sbox_rbox_credit };
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
	rbox_attach(socket->rbox, sbox_port(sbox), &client);
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

void sbox_free_request(struct sbox *sbox, struct sbox_request *request)
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

/* Pumps */

void sbox_start(struct sbox *sbox, bool *is_pumping, uint64_t free_at,
		sim_fn *pump)
{
	uint64_t time = sim_now(sbox->socket->sim) + sbox->cycles;

	if (*is_pumping)
		return;
	*is_pumping = true;
	sim_at(sbox->socket->sim, time > free_at ? time : free_at, pump, sbox,
	       0);
}

void sbox_go_on(struct sbox *sbox, bool *is_pumping, uint64_t free_at,
		sim_fn *pump, bool has_more)
{
	if (!has_more)
		return;
	*is_pumping = true;
	sim_at(sbox->socket->sim, free_at, pump, sbox, 0);
}
