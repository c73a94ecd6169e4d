/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The C-Box's pipeline, guide 2.3. A request passes it until it is
 * acknowledged; hits end here, the other results have files of their own:
 * cbox_miss.c, cbox_flush.c, cbox_special.c. Fills (cbox_fill.c) and snoops of
 * other sockets (cbox_probe.c) take passes, too.
 *
 * Left out: IDQ, ICQ, SRQ and IGQ, which the guide maps 1:1 to the MAF.
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

void cbox_answer(struct cbox *cbox, const struct cbox_maf *maf)
{
	struct core *core = &cbox->socket->cores[maf->core];

	core_answered(core, maf->entry, maf->answer);
	if (!maf->needs_data) {
		core_grant(core, maf->entry);
		return;
	}
	core_filled(core, maf->is_alone);
	cbox_send_data(cbox, maf->core, maf->entry);
}

/* A hit is answered: data, or only the permission to go on. */
static void answer(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct cbox_maf *maf = &cbox->maf[index];

	if (cbox->socket->values)
		cbox_value_read(cbox, maf);
	cbox_answer(cbox, maf);
	cbox_send_go(cbox, maf->core);
	cbox_maf_free(cbox, maf);
}

void cbox_maf_snooped(struct cbox *cbox, unsigned index, bool is_dirty)
{
	struct cbox_maf *maf = &cbox->maf[index];
	struct llc_way *way = llc_find(&cbox->llc, maf->line);

	if (is_dirty && way && maf->kind != UNCORE_ACCESS_OWN)
		way->state = LLC_M;
	if (maf->answer != ANSWER_CORE_MODIFIED)
		maf->answer = is_dirty ? ANSWER_CORE_MODIFIED : ANSWER_CORE;
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
	core_answered(&cbox->socket->cores[request->core], request->entry,
		      ANSWER_SLICE);
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
	maf->is_alone = may_be_dirty && way->cores == own;
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

/* The result of a pass through the pipeline. */
void cbox_pass(void *object, uint64_t slot)
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
		cbox_try_miss(cbox, request, way);
	else
		hit(cbox, request, way);
}
