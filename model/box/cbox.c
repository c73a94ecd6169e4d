/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The C-Box's request path, guide 2.3. Each request passes the pipeline once
 * acknowledged; a refused pass (NACK) counts its reason and the request waits
 * in the IRQ until that reason is gone, while others go past it.
 *
 * Left out: IDQ, ICQ, SRQ and IGQ (the guide maps them 1:1 to the MAF), the
 * special (uncached, C6 SRAM) requests, and limits of the egress queues.
 */
#include "model/box/cbox.h"

#include <string.h>

#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static void drive_signals(struct cbox *cbox)
{
	struct sigbank *bank = cbox->bank;

	sig_drives(bank, SIG_CBOX_SINKS_P2C_AD, 3);
	sig_drives(bank, SIG_CBOX_ARB_WINS_AD_SB, 14); /* and losses */
	sig_drives(bank, SIG_CBOX_STARVED_EGRESS_P2C_AD_SB, 8);
	sig_drives(bank, SIG_CBOX_EGRESS_BYPASS_WINS_AD_BYP0, 8);
	sig_drives(bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0, 4);
	sig_drives(bank, SIG_CBOX_BOUNCES_C2P_AK_SB, 4);
	sig_drives(bank, SIG_CBOX_IGR_BID_BLOCKED, 1);
	sig_drives(bank, SIG_CBOX_MAF_ACK, 1);
	sig_drives(bank, SIG_CBOX_MAF_NACK1_GO_PENDING, 8);
	sig_drives(bank, SIG_CBOX_MAF_NACK2_MAF_FULL, 8);
	sig_drives(bank, SIG_CBOX_LLC_MISSES_S, 7); /* and hits */
	sig_drives(bank, SIG_CBOX_OCCUPANCY_IRQ, 2);
	sig_drives(bank, SIG_CBOX_OCCUPANCY_MAF, 2);
	cbox_drive_special_signals(cbox);
	cbox_drive_snoop_signals(cbox);
	cbox_drive_fill_signals(cbox);
	cbox_drive_probe_signals(cbox);
}

static int init_egresses(struct cbox *cbox)
{
	struct socket *socket = cbox->socket;
	unsigned starve = socket_param(socket, PARAM_RING_STARVE_CYCLES);
	unsigned room = socket_param(socket, PARAM_CBOX_EGRESS);
	unsigned to_sbox = ring_direction(&socket->ring, cbox->stop,
					  socket_sbox_stop(socket, cbox->side));

	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		unsigned away = d != to_sbox;
		struct egress *all[] = { &cbox->ad[d], &cbox->ak[d],
					 &cbox->bl[d] };

		for (unsigned kind = RING_AD; kind <= RING_BL; kind++) {
			struct egress_signals *s = &all[kind]->signals;

			if (egress_init(all[kind], &socket->ring, socket->sim,
					kind, d, cbox->stop, starve))
				return -1;
			s->bank = cbox->bank;
			s->win = SIG_CBOX_ARB_WINS_AD_SB + kind * 2 + away;
			s->loss = SIG_CBOX_ARB_LOSSES_AD_SB + kind * 2 + away;
			s->bypass0 =
				SIG_CBOX_EGRESS_BYPASS_WINS_AD_BYP0 + kind * 2;
			s->bypass1 = s->bypass0 + 1;
			all[kind]->limit = room;
			all[kind]->num_full = &cbox->num_full;
		}
		cbox->ak[d].signals.bounce = SIG_CBOX_BOUNCES_C2P_AK_SB + away;
		cbox->bl[d].signals.bounce = SIG_CBOX_BOUNCES_C2P_BL_SB + away;
		cbox->ad[d].signals.starved =
			away ? SIG_CBOX_STARVED_EGRESS_AD_NSB
			     : SIG_CBOX_STARVED_EGRESS_C2S_AD_SB;
		cbox->ak[d].signals.starved =
			SIG_CBOX_STARVED_EGRESS_AK_SB + away;
		cbox->bl[d].signals.starved =
			SIG_CBOX_STARVED_EGRESS_BL_SB + away;
	}
	return 0;
}

int cbox_init(struct cbox *cbox, struct socket *socket, unsigned index,
	      unsigned stop, struct sigbank *bank)
{
	memset(cbox, 0, sizeof(*cbox));
	cbox->socket = socket;
	cbox->bank = bank;
	cbox->index = index;
	cbox->stop = stop;
	cbox->side = socket_side(socket, index);
	cbox->has_forward = socket_param(socket, PARAM_LLC_FORWARD);
	cbox->irq_room = socket_param(socket, PARAM_CBOX_IRQ);
	cbox->ipq_room = socket_param(socket, PARAM_CBOX_IPQ);
	cbox->viq_room = socket_param(socket, PARAM_CBOX_VIQ);
	cbox->maf_room = socket_param(socket, PARAM_CBOX_MAF);
	cbox->pass_cycles = socket_param(socket, PARAM_CBOX_PASS_CYCLES);
	cbox->lookup_cycles = socket_param(socket, PARAM_LLC_LOOKUP_CYCLES);
	cbox->sram_cycles = socket_param(socket, PARAM_CBOX_SRAM_CYCLES);
	cbox->links_sleep = socket_param(socket, PARAM_QPI_IDLE_CYCLES);
	cbox->s_credits = (int)socket_param(socket, PARAM_CBOX_S_CREDITS);
	cbox->data_cycles = socket_param(socket, PARAM_LLC_DATA_CYCLES);
	if (llc_init(&cbox->llc, socket->num_cores,
		     (uint64_t)socket_param(socket, PARAM_LLC_SLICE) * 1024,
		     socket_param(socket, PARAM_LLC_WAYS)) ||
	    init_egresses(cbox) || (socket->values && cbox_values_init(cbox)))
		return -1;
	drive_signals(cbox);
	return 0;
}

void cbox_fini(struct cbox *cbox)
{
	llc_fini(&cbox->llc);
	for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++) {
		egress_fini(&cbox->ad[d]);
		egress_fini(&cbox->ak[d]);
		egress_fini(&cbox->bl[d]);
	}
}

bool cbox_is_idle(const struct cbox *cbox)
{
	return !cbox->num_irq && !cbox->num_ipq && !cbox->num_viq &&
	       !cbox->num_maf;
}

uint64_t cbox_next_pass(struct cbox *cbox)
{
	uint64_t now = sim_now(cbox->socket->sim);
	uint64_t start = cbox->next_pass > now ? cbox->next_pass : now;

	cbox->next_pass = start + cbox->pass_cycles;
	if (start > now)
		sig_busy(cbox->bank, SIG_CBOX_IGR_BID_BLOCKED, start);
	return start;
}

struct cbox_maf *cbox_maf_find(struct cbox *cbox, uint64_t line)
{
	if (cbox->num_maf)
		for (unsigned i = 0; i < cbox->maf_room; i++)
			if (cbox->maf[i].is_used && cbox->maf[i].line == line)
				return &cbox->maf[i];
	return NULL;
}

struct cbox_maf *cbox_maf_alloc(struct cbox *cbox,
				const struct cbox_request *request)
{
	struct cbox_maf *maf = cbox->maf;

	while (maf->is_used)
		maf++;
	*maf = (struct cbox_maf){
		.line = request->line,
		.kind = request->kind,
		.core = request->core,
		.entry = request->entry,
		.is_used = true,
	};
	cbox->num_maf++;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_MAF, 1);
	sig_pulse(cbox->bank, SIG_CBOX_TRANS_MAF, 1);
	return maf;
}

void cbox_maf_free(struct cbox *cbox, struct cbox_maf *maf)
{
	uint64_t line = maf->line;

	maf->is_used = false;
	cbox->num_maf--;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_MAF, -1);
	cbox_wake(cbox, BLOCK_LINE, line);
	cbox_wake(cbox, BLOCK_MAF, line);
	cbox_wake_probes(cbox, line);
}

static void pass(void *object, uint64_t slot);

/* The request tries the pipeline (again). */
void cbox_schedule(struct cbox *cbox, unsigned slot)
{
	uint64_t start = cbox_next_pass(cbox);

	sim_at(cbox->socket->sim, start + cbox->lookup_cycles, pass, cbox,
	       slot);
}

/* Entries of the IRQ that ordinary requests may take: one is kept for special
 * ones, or where there is but one, is there besides. */
static unsigned ordinary_room(const struct cbox *cbox)
{
	return cbox->irq_room > 1 ? cbox->irq_room - 1 : 1;
}

static unsigned irq_end(const struct cbox *cbox)
{
	return ordinary_room(cbox) + 1;
}

/* The place that a request takes, or CBOX_NONE. */
static unsigned take_place(struct cbox *cbox, bool is_special)
{
	unsigned slot = 0;

	if (cbox->num_irq >= ordinary_room(cbox) + is_special)
		return CBOX_NONE;
	while (cbox->irq[slot].is_used)
		slot++;
	cbox->num_irq++;
	return slot;
}

/* A request has been taken off the AD ring. */
static void count_arrival(struct cbox *cbox)
{
	uint64_t now = sim_now(cbox->socket->sim);

	sig_pulse(cbox->bank, SIG_CBOX_SINKS_P2C_AD, 1);
	sig_pulse(cbox->bank, SIG_CBOX_TRANS_IRQ, 1);
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_IRQ, 1);
	if (cbox->next_pass <= now)
		sig_pulse(cbox->bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0,
			  1);
	else if (cbox->next_pass == now + 1)
		sig_pulse(cbox->bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP1,
			  1);
}

static bool sink(struct cbox *cbox, const struct cbox_request *request)
{
	unsigned slot = take_place(cbox, request->is_special);

	if (slot == CBOX_NONE)
		return false;
	cbox->irq[slot] = *request;
	count_arrival(cbox);
	cbox_schedule(cbox, slot);
	return true;
}

bool cbox_request_sink(void *object, uint64_t argument)
{
	struct cbox *cbox = object;
	struct cbox_request request = {
		.line = CBOX_REQUEST_LINE(argument),
		.entry = CBOX_REQUEST_ENTRY(argument),
		.core = CBOX_REQUEST_CORE(argument),
		.kind = CBOX_REQUEST_KIND(argument),
		.is_used = true,
	};

	if (sink(cbox, &request))
		return true;
	cbox->bounced_until =
		sim_now(cbox->socket->sim) + cbox->socket->ring.num_stops;
	return false;
}

/* A special request has priority over what waits: it may take the entry that is
 * kept for it. */
bool cbox_special_sink(void *object, uint64_t argument)
{
	struct cbox *cbox = object;
	bool was_full = cbox->num_irq >= ordinary_room(cbox);
	struct cbox_request request = {
		.line = CBOX_NO_LINE,
		.entry = CBOX_REQUEST_ENTRY(argument),
		.core = CBOX_REQUEST_CORE(argument),
		.kind = CBOX_REQUEST_KIND(argument),
		.is_used = true,
		.is_special = true,
	};

	if (!sink(cbox, &request))
		return false;
	sig_pulse(cbox->bank, SIG_CBOX_SPL_CO_SB + (argument >> 15 & 1), 1);
	if (cbox->bounced_until >= sim_now(cbox->socket->sim))
		sig_pulse(cbox->bank, SIG_CBOX_SPL_DEAD, 1);
	if (was_full) {
		sig_pulse(cbox->bank, SIG_CBOX_SPL_ARB_PRI_SW, 1);
		if (!cbox->num_special)
			sig_pulse(cbox->bank, SIG_CBOX_SPL_IN_FULL_IRQ, 1);
	}
	cbox->num_special++;
	return true;
}

/* Acknowledged: the request leaves the IRQ. */
void cbox_ack(struct cbox *cbox, struct cbox_request *request)
{
	request->is_used = false;
	cbox->num_irq--;
	cbox->num_special -= request->is_special;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_IRQ, -1);
	sig_pulse(cbox->bank, SIG_CBOX_MAF_ACK, 1);
}

static void retry(void *cbox, uint64_t slot)
{
	cbox_schedule(cbox, (unsigned)slot);
}

void cbox_nack(struct cbox *cbox, struct cbox_request *request,
	       enum cbox_block block, unsigned signal)
{
	if (block == BLOCK_TIME) {
		sim_at(cbox->socket->sim,
		       sim_now(cbox->socket->sim) + CBOX_RETRY_CYCLES, retry,
		       cbox, (uint64_t)(request - cbox->irq));
	} else {
		request->block = block;
		cbox->num_blocked++;
	}
	sig_pulse(cbox->bank, signal, 1);
	if (signal >= SIG_CBOX_MAF_NACK2_MAF_FULL)
		sig_pulse(cbox->bank, SIG_CBOX_MAF_NACK1_ALL_MAF_NACK2, 1);
}

/* Tries again what waits for the reason. A MAF entry that became free can serve
 * one request; of line, table and tracker only the request itself can tell. */
void cbox_wake(struct cbox *cbox, enum cbox_block block, uint64_t line)
{
	if (!cbox->num_blocked)
		return;
	for (unsigned i = 0; i < irq_end(cbox); i++) {
		struct cbox_request *request = &cbox->irq[i];

		if (!request->is_used || request->block != block)
			continue;
		if (block == BLOCK_LINE && request->line != line)
			continue;
		request->block = BLOCK_NONE;
		cbox->num_blocked--;
		cbox_schedule(cbox, i);
		if (block == BLOCK_MAF)
			return;
	}
}

void cbox_credit(struct cbox *cbox)
{
	cbox_send_victims(cbox);
	cbox_wake(cbox, BLOCK_REQTBL, 0);
	cbox_wake(cbox, BLOCK_TRACKER, 0);
}

bool cbox_write_silently(struct cbox *cbox, uint64_t line, unsigned core)
{
	struct llc_way *way = llc_find(&cbox->llc, line);

	if (!way || way->cores != 1u << core ||
	    (way->state != LLC_E && way->state != LLC_M) ||
	    cbox_maf_find(cbox, line) || cbox_has_probe(cbox, line))
		return false;
	if (cbox->socket->values)
		cbox_value_write(cbox, way, line, core);
	way->is_core_dirty = true;
	return true;
}

static struct egress *egress_to(struct cbox *cbox, struct egress egress[],
				unsigned stop)
{
	return &egress[ring_direction(&cbox->socket->ring, cbox->stop, stop)];
}

void cbox_send_data(struct cbox *cbox, unsigned core, unsigned entry)
{
	struct core *target = &cbox->socket->cores[core];

	egress_send_line(egress_to(cbox, cbox->bl, target->stop), core_done,
			 target, entry, target->stop, target->fill_cycles,
			 target->bank, SIG_CBOX_SINKS_C2P_BL, &target->bl_port);
}

void cbox_send_go(struct cbox *cbox, unsigned core)
{
	struct core *target = &cbox->socket->cores[core];

	egress_send_shown(egress_to(cbox, cbox->ak, target->stop), target->bank,
			  SIG_CBOX_SINKS_C2P_AK, target->stop,
			  &target->ak_port);
}

/* A hit is answered: data, or only the permission to go on. */
static void answer(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct cbox_maf *maf = &cbox->maf[index];

	if (cbox->socket->values)
		cbox_value_read(cbox, maf);
	if (maf->needs_data)
		cbox_send_data(cbox, maf->core, maf->entry);
	else
		core_grant(&cbox->socket->cores[maf->core], maf->entry);
	cbox_send_go(cbox, maf->core);
	cbox_maf_free(cbox, maf);
}

void cbox_maf_snooped(struct cbox *cbox, unsigned index, bool is_dirty)
{
	struct cbox_maf *maf = &cbox->maf[index];
	struct llc_way *way = llc_find(&cbox->llc, maf->line);

	if (is_dirty && way && maf->kind != UNCORE_ACCESS_OWN)
		way->state = LLC_M;
	if (--maf->num_snoops)
		return;
	if (maf->at_home)
		cbox_maf_try_finish(cbox, maf);
	else if (maf->kind > UNCORE_ACCESS_NONE)
		cbox_flush_finish(cbox, maf);
	else
		answer(cbox, index);
}

static void count_hit(struct cbox *cbox, const struct llc_way *way)
{
	static const uint16_t signal[] = {
		[LLC_M] = SIG_CBOX_LLC_HITS_M,
		[LLC_E] = SIG_CBOX_LLC_HITS_E,
		[LLC_S] = SIG_CBOX_LLC_HITS_S,
		[LLC_F] = SIG_CBOX_LLC_HITS_F,
	};

	sig_pulse(cbox->bank, signal[way->state], 1);
}

/* A core's modified line comes back to the slice. */
static void write_back(struct cbox *cbox, struct cbox_request *request,
		       struct llc_way *way)
{
	/* What a snoop took meanwhile was written back then. */
	if (way && way->cores >> request->core & 1) {
		if (cbox->socket->values)
			cbox_value_recall(cbox, way, request->line);
		if (way->is_core_dirty)
			way->state = LLC_M;
		way->cores &= (uint16_t) ~(1u << request->core);
		way->is_core_dirty = false;
		llc_touch(&cbox->llc, way);
	}
	core_grant(&cbox->socket->cores[request->core], request->entry);
	cbox_send_go(cbox, request->core);
	cbox_ack(cbox, request);
}

/* A request that the slice can answer, perhaps after asking other cores. */
static void hit(struct cbox *cbox, struct cbox_request *request,
		struct llc_way *way)
{
	unsigned own = 1u << request->core, others = way->cores & ~own;
	bool wants_it_alone = request->kind == UNCORE_ACCESS_OWN;
	bool may_be_dirty = way->state == LLC_E || way->state == LLC_M;
	bool is_dirty = way->is_core_dirty;
	struct cbox_maf *maf = cbox_maf_alloc(cbox, request);
	uint64_t token = TOKEN(TOKEN_MAF, maf - cbox->maf);

	count_hit(cbox, way);
	llc_touch(&cbox->llc, way);
	if (cbox->socket->values)
		cbox_value_recall(cbox, way, request->line);
	maf->needs_data = !(wants_it_alone && way->cores & own);
	if (wants_it_alone) {
		if (cbox->socket->values)
			cbox_value_write(cbox, way, request->line,
					 request->core);
		way->cores = (uint16_t)own;
		way->is_core_dirty = true;
	} else {
		/* one possible writer has to be asked */
		if (!may_be_dirty || (others & (others - 1)))
			others = 0;
		way->cores |= (uint16_t)own;
		if (others)
			way->is_core_dirty = false;
	}
	if (others)
		maf->num_snoops = (uint8_t)cbox_snoop_cores(
			cbox, request->line, others, !wants_it_alone, is_dirty,
			token);
	else
		sim_at(cbox->socket->sim,
		       sim_now(cbox->socket->sim) + cbox->data_cycles, answer,
		       cbox, maf - cbox->maf);
	cbox_ack(cbox, request);
}

/* Arguments: the table entry, whose C-Box sends it, the opcode. */
static bool request_sink(void *object, uint64_t argument)
{
	struct sbox *sbox = object;

	if (!sbox_request(sbox, argument & 0xff, argument >> 16 & 0xff))
		return false;
	sbox->socket->cboxes[argument >> 8 & 0xff].s_credits++;
	return true;
}

void cbox_send_request(struct cbox *cbox, unsigned serial, unsigned opcode)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];

	cbox->s_credits--;
	egress_send(egress_to(cbox, cbox->ad, sbox->stop), request_sink, sbox,
		    serial | cbox->index << 8 | opcode << 16, sbox->stop);
}

static bool packet_sink(void *object, uint64_t unused)
{
	struct packet_node *node = object;
	struct cbox *cbox = node->owner;
	struct socket *socket = cbox->socket;

	(void)unused;
	if (!sbox_send(&socket->sboxes[cbox->side], &node->packet))
		return false;
	cbox->s_credits++;
	packet_give(&socket->packets, node);
	return true;
}

void cbox_send_packet(struct cbox *cbox, const struct packet *packet)
{
	struct socket *socket = cbox->socket;
	unsigned stop = socket->sboxes[cbox->side].stop;
	struct egress *egress = packet->cls == PACKET_DRS ? cbox->bl : cbox->ad;

	cbox->s_credits--;
	egress_send(egress_to(cbox, egress, stop), packet_sink,
		    packet_take(&socket->packets, packet, cbox), 0, stop);
}

static unsigned home_opcode(const struct cbox_maf *maf)
{
	if (maf->kind == UNCORE_ACCESS_FLUSH)
		return HOM0_INV_XTO_I;
	if (maf->kind == UNCORE_ACCESS_NT_WRITE)
		return HOM0_INV_ITO_E;
	if (maf->kind == UNCORE_ACCESS_CODE)
		return HOM0_RD_CODE;
	if (maf->kind == UNCORE_ACCESS_READ)
		return HOM0_RD_DATA;
	return maf->way_kept ? HOM0_INV_ITO_E : HOM0_RD_INV_OWN;
}

void cbox_send_to_home(struct cbox *cbox, struct cbox_maf *maf, unsigned serial)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];

	maf->at_home = true;
	maf->serial = (uint8_t)serial;
	maf->number = sbox_number(sbox, serial);
	sbox_set_core(sbox, serial, maf->core, maf->entry);
	cbox_send_request(cbox, serial, home_opcode(maf));
}

/* A request that the home agent has to answer; its entry is reserved. */
static void miss(struct cbox *cbox, struct cbox_request *request,
		 struct llc_way *way, struct cbox_maf *maf, unsigned serial)
{
	unsigned others;

	if (!way) {
		sig_pulse(cbox->bank, SIG_CBOX_LLC_MISSES_I, 1);
		cbox->socket->cores[request->core].num_llc_misses++;
	} else {
		sig_pulse(cbox->bank,
			  way->state == LLC_S ? SIG_CBOX_LLC_MISSES_S
					      : SIG_CBOX_LLC_MISSES_F,
			  1);
		maf->way_kept = true;
		maf->needs_data = !(way->cores >> request->core & 1);
		others = way->cores & ~(1u << request->core);
		way->cores &= (uint16_t)(1u << request->core);
		llc_touch(&cbox->llc, way);
		if (others)
			maf->num_snoops = (uint8_t)cbox_snoop_cores(
				cbox, request->line, others, false, false,
				TOKEN(TOKEN_MAF, maf - cbox->maf));
	}
	cbox_ack(cbox, request);
	cbox_send_to_home(cbox, maf, serial);
}

/* Whether the S-Box has room for a message of the request; else it is refused.
 * What is more than a credit away is not asked for: the message is sent in this
 * very pass. */
bool cbox_may_send(struct cbox *cbox, struct cbox_request *request)
{
	if (cbox->s_credits > 0)
		return true;
	cbox_nack(cbox, request, BLOCK_TIME,
		  SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS);
	return false;
}

/* A request for a home behind a link that sleeps is refused once. When it comes
 * again it is sent, and wakes the link. */
static bool is_link_idle(struct cbox *cbox, struct cbox_request *request)
{
	struct socket *socket = cbox->socket;
	uint64_t local;
	unsigned home;

	if (!cbox->links_sleep || request->has_waited)
		return false;
	home = socket_home(socket, request->line, &local);
	if (NODE_SOCKET(home) == socket->index ||
	    !rbox_link_sleeps(socket->rbox, home))
		return false;
	request->has_waited = true;
	cbox_nack(cbox, request, BLOCK_TIME, SIG_CBOX_MAF_NACK1_IDLE_QPI);
	return true;
}

struct cbox_maf *cbox_reserve(struct cbox *cbox, struct cbox_request *request,
			      unsigned *serial)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];
	struct cbox_maf *maf = cbox->maf;

	if (is_link_idle(cbox, request) || !cbox_may_send(cbox, request))
		return NULL;
	while (maf->is_used)
		maf++;
	switch (sbox_reserve(sbox, request->line, cbox->index,
			     (unsigned)(maf - cbox->maf), serial)) {
	case SBOX_NO_ENTRY:
		cbox_nack(cbox, request, BLOCK_REQTBL,
			  SIG_CBOX_MAF_NACK2_NO_S_REQTBL_ENTRIES);
		return NULL;
	case SBOX_NO_TRACKER:
		cbox_nack(cbox, request, BLOCK_TRACKER,
			  SIG_CBOX_MAF_NACK2_NO_TRACKER_CREDITS);
		return NULL;
	default: return cbox_maf_alloc(cbox, request);
	}
}

static void try_miss(struct cbox *cbox, struct cbox_request *request,
		     struct llc_way *way)
{
	unsigned serial;
	struct cbox_maf *maf = cbox_reserve(cbox, request, &serial);

	if (maf)
		miss(cbox, request, way, maf, serial);
}

/* The result of a pass through the pipeline. */
static void pass(void *object, uint64_t slot)
{
	struct cbox *cbox = object;
	struct cbox_request *request = &cbox->irq[slot];
	struct cbox_maf *busy;
	struct llc_way *way;

	if (cbox->num_full) {
		cbox_nack(cbox, request, BLOCK_TIME,
			  SIG_CBOX_MAF_NACK2_EGRESS_FULL);
		return;
	}
	if (request->is_special) {
		cbox_special_pass(cbox, request);
		return;
	}
	busy = cbox_maf_find(cbox, request->line);
	if (busy) {
		cbox_nack(cbox, request, BLOCK_LINE,
			  busy->num_snoops ? SIG_CBOX_MAF_NACK1_SNP_PENDING
			  : busy->at_home  ? SIG_CBOX_MAF_NACK1_PA_BLOCK
					   : SIG_CBOX_MAF_NACK1_GO_PENDING);
		return;
	}
	if (cbox_viq_find(cbox, request->line)) {
		cbox_nack(cbox, request, BLOCK_LINE,
			  SIG_CBOX_MAF_NACK1_VIC_PENDING);
		return;
	}
	if (cbox_is_probed(cbox, request->line)) {
		cbox_nack(cbox, request, BLOCK_LINE,
			  SIG_CBOX_MAF_NACK1_SNP_PENDING);
		return;
	}
	way = llc_find(&cbox->llc, request->line);
	if (request->kind == UNCORE_ACCESS_WRITEBACK) {
		write_back(cbox, request, way);
		return;
	}
	if (cbox->num_maf >= cbox->maf_room) {
		cbox_nack(cbox, request, BLOCK_MAF,
			  SIG_CBOX_MAF_NACK2_MAF_FULL);
		return;
	}
	if (request->kind > UNCORE_ACCESS_NONE)
		cbox_flush_pass(cbox, request, way);
	else if (!way || (request->kind == UNCORE_ACCESS_OWN &&
			  (way->state == LLC_S || way->state == LLC_F)))
		try_miss(cbox, request, way);
	else
		hit(cbox, request, way);
}

/* The home has completed an upgrade whose copy a snoop took meanwhile: the line
 * has to be fetched after all. The MAF entry stays. */
static void fetch_again(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct cbox_maf *maf = &cbox->maf[index];
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];
	unsigned serial;

	maf->is_refetching = true;
	if (sbox_reserve(sbox, maf->line, cbox->index, (unsigned)index,
			 &serial) != SBOX_OK) {
		sim_at(cbox->socket->sim, sim_now(cbox->socket->sim) + 16,
		       fetch_again, cbox, index);
		return;
	}
	maf->way_kept = false;
	maf->has_copy_lost = false;
	maf->is_refetching = false;
	maf->is_granted = false;
	maf->needs_data = false;
	cbox_send_to_home(cbox, maf, serial);
}

/* The right to write to a copy that is here. */
static void finish_upgrade(struct cbox *cbox, struct cbox_maf *maf)
{
	struct llc_way *way = llc_find(&cbox->llc, maf->line);

	if (cbox->socket->values)
		cbox_value_write(cbox, way, maf->line, maf->core);
	way->state = LLC_M;
	way->cores = (uint16_t)(1u << maf->core);
	way->is_core_dirty = true;
	if (maf->needs_data)
		cbox_send_data(cbox, maf->core, maf->entry);
	else
		core_grant(&cbox->socket->cores[maf->core], maf->entry);
}

/* Data of a peer may come before the home has ordered the request among its
 * rivals; the slice takes them only then. */
void cbox_maf_try_finish(struct cbox *cbox, struct cbox_maf *maf)
{
	uint64_t index = (uint64_t)(maf - cbox->maf);

	if (!maf->is_granted || maf->num_snoops || maf->is_filling ||
	    maf->is_refetching)
		return;
	if (maf->kind > UNCORE_ACCESS_NONE) {
		cbox_flush_finish(cbox, maf);
		return;
	}
	if (maf->has_copy_lost) {
		fetch_again(cbox, index);
		return;
	}
	if (maf->way_kept) {
		finish_upgrade(cbox, maf);
	} else if (!maf->is_filled) {
		if (maf->fill_state != LLC_I)
			cbox_start_fill(cbox, (unsigned)index);
		return;
	}
	cbox_send_go(cbox, maf->core);
	cbox_maf_free(cbox, maf);
}

void cbox_complete(struct cbox *cbox, unsigned index)
{
	if (core_is_special(cbox->maf[index].kind)) {
		cbox_special_complete(cbox, &cbox->maf[index]);
		return;
	}
	cbox->maf[index].is_granted = true;
	cbox_maf_try_finish(cbox, &cbox->maf[index]);
}
