/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.5. The S-Box's request table; what leaves the box for the system is
 * in sbox_out.c, what it brings to the ring in sbox_in.c, the non-coherent
 * classes in sbox_nc.c, credits in sbox_credit.c. A request of a C-Box for
 * memory holds an entry of the table and a tracker credit of its home from
 * before it leaves the C-Box until it is complete; so the home agent always has
 * room for it. HOM messages to the B-Box of the same side take the direct link,
 * all others the R-Box.
 *
 * Choices where the guide names a thing and no more: a bypass is taken by what
 * finds its queue empty and the link behind it free, and saves
 * sbox.bypass_cycles; see sbox_put() and receive().
 */
#include "model/box/sbox.h"

#include <string.h>

#include "model/box/core.h"
#include "model/box/socket.h"
#include "signals.h"

/* Construction */

/* A lock that waits for an entry of the table keeps a credit of its C-Box. If
 * that is the only one, the core that has the bus may never get to write: so
 * then each core's lock needs an entry, beside a miss and a write-back. */
const char *sbox_config_check(const struct socket *socket)
{
	unsigned locks = socket->num_cores / SOCKET_SIDES;

	if (socket_param(socket, PARAM_CBOX_S_CREDITS) < 2 &&
	    socket_param(socket, PARAM_SBOX_REQUEST_TABLE) < locks + 2)
		return "with cbox.s_credits=1 a request table "
		       "(sbox.request_table) needs an entry for each core of "
		       "its side and two more";
	return NULL;
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

/* Where its length is seen, and what bounds it. */
struct queue_kind {
	uint16_t which, instances, signal, full_signal;
	enum param room;
};

#define SIGNALS(name) SIG_SBOX_##name, SIG_SBOX_##name##_FULL

static const struct queue_kind out_kinds[] = {
	/* each half of the HOM buffer may take all of it; the sum is bounded */
	{ SBOX_HOM_R, 1, SIGNALS(TO_R_B_HOM_MSGQ_RBOX), PARAM_SBOX_HOM_QUEUE },
	{ SBOX_HOM_B, 1, SIGNALS(TO_R_B_HOM_MSGQ_BBOX), PARAM_SBOX_HOM_QUEUE },
	{ SBOX_SNP, 1, SIGNALS(TO_R_SNP_MSGQ), PARAM_SBOX_SNP_QUEUE },
	{ SBOX_NDR, 1, SIGNALS(TO_R_NDR_MSGQ), PARAM_SBOX_NDR_QUEUE },
	{ SBOX_DRS, SBOX_CBOXES, SIGNALS(TO_R_DRS_MSGQ), PARAM_SBOX_DRS_QUEUE },
	{ SBOX_NCB, SBOX_CBOXES, SIGNALS(TO_R_NCB_MSGQ), PARAM_SBOX_NCB_QUEUE },
	{ SBOX_NCS, SBOX_CBOXES, SIGNALS(TO_R_NCS_MSGQ), PARAM_SBOX_NCS_QUEUE },
	{ SBOX_LOC_NCS, SBOX_CBOXES, SIGNALS(TO_R_LOC_NCS_MSGQ),
	  PARAM_SBOX_NCS_QUEUE },
};

static const struct queue_kind ring_kinds[] = {
	{ SBOX_RING_SNP, 1, SIGNALS(TO_RING_SNP_MSGQ),
	  PARAM_SBOX_RING_SNP_QUEUE },
	{ SBOX_RING_NCS, 1, SIGNALS(TO_RING_NCS_MSGQ),
	  PARAM_SBOX_RING_NC_QUEUE },
	{ SBOX_RING_NCB, 1, SIGNALS(TO_RING_NCB_MSGQ),
	  PARAM_SBOX_RING_NC_QUEUE },
	{ SBOX_RING_NDR, 1, SIGNALS(TO_RING_NDR_MSGQ),
	  PARAM_SBOX_RING_NDR_QUEUE },
	{ SBOX_RING_R2S, 1, SIGNALS(TO_RING_R2S_MSGQ),
	  PARAM_SBOX_RING_R2S_QUEUE },
	{ SBOX_RING_B2S, 1, SIGNALS(TO_RING_B2S_MSGQ),
	  PARAM_SBOX_RING_B2S_QUEUE },
};

static void init_kind(struct sbox *sbox, struct packet_queue *queues,
		      const struct queue_kind *kind)
{
	for (unsigned i = 0; i < kind->instances; i++)
		packet_queue_init(&queues[kind->which + i], sbox->bank,
				  kind->signal + i, kind->full_signal + i,
				  socket_param(sbox->socket, kind->room));
}

static void init_queues(struct sbox *sbox)
{
	for (unsigned i = 0; i < sizeof(out_kinds) / sizeof(*out_kinds); i++)
		init_kind(sbox, sbox->out, &out_kinds[i]);
	for (unsigned i = 0; i < sizeof(ring_kinds) / sizeof(*ring_kinds); i++)
		init_kind(sbox, sbox->in, &ring_kinds[i]);
	for (unsigned i = 0; i < SBOX_NUM_PUMPS; i++)
		sbox->pumps[i].at = SIM_NEVER;
}

static void init_credits(struct sbox *sbox)
{
	struct socket *socket = sbox->socket;
	unsigned tracker = socket_param(socket, PARAM_BBOX_TRACKER);

	sbox->tracker_room = tracker / (SOCKET_SIDES * socket->num_sockets);
	for (unsigned i = 0; i < SBOX_MAX_NODES; i++)
		sbox->tracker_credits[i] = sbox->tracker_room;
	for (unsigned i = 0; i < SBOX_CBOXES; i++)
		sbox->ipq_credits[i] = socket_param(socket, PARAM_CBOX_IPQ);
	sbox->b_vna_free = socket_param(socket, PARAM_SBOX_BBOX_VNA);
}

unsigned sbox_port(const struct sbox *sbox)
{
	return sbox->side ? RBOX_PORT_SBOX1 : RBOX_PORT_SBOX0;
}

int sbox_init(struct sbox *sbox, struct socket *socket, unsigned side,
	      unsigned stop, struct sigbank *bank)
{
	struct rbox_client client = { sbox, sbox_from_rbox, sbox_rbox_credit };

	memset(sbox, 0, sizeof(*sbox));
	sbox->socket = socket;
	sbox->bank = bank;
	sbox->side = side;
	sbox->stop = stop;
	sbox->node = NODE_SBOX(socket->index, side);
	sbox->cycles = socket_param(socket, PARAM_SBOX_CYCLES);
	sbox->bypass_cycles = socket_param(socket, PARAM_SBOX_BYPASS_CYCLES);
	if (sbox->bypass_cycles > sbox->cycles)
		sbox->bypass_cycles = sbox->cycles;
	sbox->egress_room = socket_param(socket, PARAM_SBOX_EGRESS);
	sbox->table_room = socket_param(socket, PARAM_SBOX_REQUEST_TABLE);
	sbox->shared_room = socket_param(socket, PARAM_SBOX_RING_QUEUE);
	sbox->sends_snoops = !socket_param(socket, PARAM_BBOX_DIRECTORY);
	init_credits(sbox);
	init_queues(sbox);
	if (init_egresses(sbox))
		return -1;
	rbox_attach(socket->rbox, sbox_port(sbox), &client);
	sig_drives(bank, 0, NUM_SIG_SBOX);
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
	for (unsigned i = 0; i < SBOX_NUM_RING_QUEUES; i++)
		if (sbox->in[i].count)
			return false;
	return !sbox->num_requests && !sbox->num_deliveries;
}

/* The request table */

/* Kept back from misses. A write-back waits for nobody, but a miss may wait
 * for a slice elsewhere that has to write back first; so the last entry and
 * the last credit are for write-backs, where there is more than one. */
static unsigned kept_back(unsigned maf, unsigned room)
{
	return maf != CBOX_NONE && room > 1;
}

static unsigned table_signal(const struct sbox *sbox,
			     const struct sbox_request *request)
{
	/* the guide: the U-Box of the same socket is remote */
	return !request->is_nc &&
			       NODE_SOCKET(request->home) == sbox->socket->index
		       ? SIG_SBOX_REQ_TBL_LOCAL
		       : SIG_SBOX_REQ_TBL_REMOTE;
}

struct sbox_request *sbox_take_entry(struct sbox *sbox,
				     const struct sbox_request *request)
{
	struct sbox_request *entry = sbox->table;

	while (entry->is_used)
		entry++;
	*entry = *request;
	entry->number = ++sbox->number;
	entry->is_used = true;
	sbox->num_requests++;
	sig_add(sbox->bank, table_signal(sbox, entry), 1);
	return entry;
}

bool sbox_table_is_full(const struct sbox *sbox, unsigned maf)
{
	return sbox->num_requests + kept_back(maf, sbox->table_room) >=
	       sbox->table_room;
}

enum sbox_refusal sbox_reserve(struct sbox *sbox, uint64_t line, unsigned cbox,
			       unsigned maf, unsigned *serial)
{
	uint64_t local;
	unsigned home = socket_home(sbox->socket, line, &local);
	struct sbox_request request = {
		.line = line,
		.cbox = (uint8_t)cbox,
		.maf = (uint8_t)maf,
		.home = (uint8_t)home,
		.is_write_back = maf == CBOX_NONE,
	};

	if (sbox_table_is_full(sbox, maf))
		return SBOX_NO_ENTRY;
	if (sbox->tracker_credits[home] <= kept_back(maf, sbox->tracker_room))
		return SBOX_NO_TRACKER;
	sbox->tracker_credits[home]--;
	*serial = (unsigned)(sbox_take_entry(sbox, &request) - sbox->table);
	return SBOX_OK;
}

void sbox_set_core(struct sbox *sbox, unsigned serial, unsigned core,
		   unsigned entry)
{
	sbox->table[serial].core = (uint8_t)core;
	sbox->table[serial].entry = (uint8_t)entry;
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
	if (!request->is_nc)
		sbox->tracker_credits[request->home]++;
	sig_add(sbox->bank, table_signal(sbox, request), -1);
	for (unsigned i = 0; i < num; i++)
		cbox_credit(&socket->cboxes[first + i]);
}

/* Pumps */

static void run(void *object, uint64_t kind)
{
	struct sbox *sbox = object;
	struct sbox_pump *pump = &sbox->pumps[kind];

	if (pump->at != sim_now(sbox->socket->sim))
		return; /* it was called for an earlier cycle meanwhile */
	pump->at = SIM_NEVER;
	switch (kind) {
	case SBOX_PUMP_SNP: sbox_pump_snp(sbox); break;
	case SBOX_PUMP_NDR: sbox_pump_ndr(sbox); break;
	case SBOX_PUMP_DRS: sbox_pump_drs(sbox); break;
	case SBOX_PUMP_NC: sbox_pump_nc(sbox); break;
	default: sbox_pump_out(sbox, (enum sbox_pump_kind)kind); break;
	}
}

void sbox_run_at(struct sbox *sbox, enum sbox_pump_kind kind, uint64_t time)
{
	struct sbox_pump *pump = &sbox->pumps[kind];
	uint64_t now = sim_now(sbox->socket->sim);

	if (time < pump->free_at)
		time = pump->free_at;
	if (time < now)
		time = now;
	if (time >= pump->at)
		return;
	pump->at = time;
	sim_at(sbox->socket->sim, time, run, sbox, kind);
}
