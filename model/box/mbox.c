/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The M-Box as a whole, and its payload queue, which holds the transactions
 * until their column command is given (guide 2.7.4.4).
 */
#include "model/box/mbox.h"

#include <stdlib.h>

#include "model/box/mbox_parts.h"

/* What this model has a mechanism for. */
static const struct {
	uint16_t first, num;
} drives[] = {
	{ SIG_MBOX_DSP_RDQ_FULL, 1 },
	{ SIG_MBOX_DSP_WRQ_FULL, 1 },
	{ SIG_MBOX_DSP_RDQ_EMPTY, 1 },
	{ SIG_MBOX_DSP_WRQ_EMPTY, 1 },
	{ SIG_MBOX_MFULL, 1 },
	{ SIG_MBOX_RETRY_MFULL, 1 },
	{ SIG_MBOX_RETRY_STARVE, 1 },
	{ SIG_MBOX_RETRYQ_STARVED, 1 },
	{ SIG_MBOX_REFRESH, 1 },
	{ SIG_MBOX_REFRESH_CONFLICT, 1 },
	{ SIG_MBOX_ISS_SCHED_CHANGES, 1 },
	{ SIG_MBOX_FRM_TYPE_3CMD, 1 },
	{ SIG_MBOX_FRM_TYPE_WDAT, 1 },
	{ SIG_MBOX_FRM_TYPE_1CMD, 1 },
	{ SIG_MBOX_DRAM_CMD, 1 },
	{ SIG_MBOX_DRAM_MISC_VALID, 1 },
	{ SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, 1 },
	{ SIG_MBOX_RETRIES, 1 },
	{ SIG_MBOX_RETRIES_FVID, 64 },
	{ SIG_MBOX_BCMD_READS, 1 },
	{ SIG_MBOX_BCMD_WRITES, 1 },
	{ SIG_MBOX_BCMD_MERGE, 1 },
	{ SIG_MBOX_BCMD_V2F, 1 },
	{ SIG_MBOX_BCMD_V2V, 1 },
	{ SIG_MBOX_BCMD_F2V, 1 },
	{ SIG_MBOX_BCMD_F2B, 1 },
	{ SIG_MBOX_BCMD_SPRWR, 1 },
	{ SIG_MBOX_RSP_ACK, 1 },
	{ SIG_MBOX_RSP_SPEC_ACK, 1 },
	{ SIG_MBOX_FVID_RACE, 1 },
	{ SIG_MBOX_PATROL_TXNS, 1 },
	{ SIG_MBOX_TRANS_CMDS, 1 },
	{ SIG_MBOX_PAGE_MISS, 1 },
	{ SIG_MBOX_PAGE_HIT, 1 },
	{ SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, 1 },
	{ SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY, 1 },
	{ SIG_MBOX_PGT_PAGE_EV_OPN2CLS, 1 },
	{ SIG_MBOX_PGT_PAGE_EV_CLS2OPN, 1 },
	{ SIG_MBOX_MULTICAS, 1 },
	{ SIG_MBOX_BBOX_CMDS_ALL, 1 },
	{ SIG_MBOX_CYCLES, 1 },
	{ SIG_MBOX_SCHED_INFLIGHT_CMDS, 1 },
	{ SIG_MBOX_INFLIGHT_CMDS, 1 },
	{ SIG_MBOX_SCHED_MODE_TRADEOFF, 1 },
	{ SIG_MBOX_SCHED_MODE_RDPRIO, 1 },
	{ SIG_MBOX_SCHED_MODE_WRPRIO, 1 },
	{ SIG_MBOX_SCHED_MODE_ADAPTIVE, 1 },
	{ SIG_MBOX_PGT_STATE_CLOSED, 1 },
	{ SIG_MBOX_PGT_STATE_OPEN, 1 },
	{ SIG_MBOX_SCHEDQ_READS, 64 },
	{ SIG_MBOX_SCHEDQ_WRITES, 64 },
	{ SIG_MBOX_SCHEDQ_MERGE, 64 },
	{ SIG_MBOX_SCHEDQ_V2F, 64 },
	{ SIG_MBOX_SCHEDQ_V2V, 64 },
	{ SIG_MBOX_SCHEDQ_F2V, 64 },
	{ SIG_MBOX_SCHEDQ_F2B, 64 },
	{ SIG_MBOX_SCHEDQ_SPRWR, 64 },
	{ SIG_MBOX_SCHEDQ_ALL, 64 },
};

static bool make_pool(struct mbox *mbox)
{
	const struct mbox_config *c = &mbox->config;
	unsigned num = c->read_queue_entries + c->write_queue_entries +
		       c->retry_queue_entries;

	mbox->pool = calloc(num, sizeof(*mbox->pool));
	if (!mbox->pool)
		return false;
	for (unsigned i = 0; i < num; i++) {
		mbox->pool[i].next = mbox->free_txns;
		mbox->free_txns = &mbox->pool[i];
	}
	return true;
}

struct mbox *mbox_new(struct sim *sim, struct sigbank *bank,
		      const struct mbox_config *config)
{
	struct mbox *mbox = calloc(1, sizeof(*mbox));

	if (!mbox)
		return NULL;
	mbox->sim = sim;
	mbox->signals = bank;
	mbox->config = *config;
	if (!make_pool(mbox)) {
		free(mbox);
		return NULL;
	}
	dram_init(&mbox->dram, &config->dram);
	for (unsigned i = 0; i < sizeof(drives) / sizeof(drives[0]); i++)
		sig_drives(bank, drives[i].first, drives[i].num);
	sig_set(bank, SIG_MBOX_CYCLES, 1);
	mbox_fvc_start(mbox);
	mbox_pgt_start(mbox);
	mbox_dsp_start(mbox);
	mbox_turn_start(mbox);
	mbox_iss_start(mbox);
	mbox_page_start(mbox);
	mbox_timer_start(mbox);
	return mbox;
}

void mbox_free(struct mbox *mbox)
{
	if (!mbox)
		return;
	free(mbox->pool);
	free(mbox);
}

bool mbox_ready(const struct mbox *mbox)
{
	return !mbox->is_full;
}

void mbox_on_ready(struct mbox *mbox, sim_fn *fn, void *object,
		   uint64_t argument)
{
	mbox->on_ready = fn;
	mbox->on_ready_object = object;
	mbox->on_ready_argument = argument;
}

bool mbox_idle(const struct mbox *mbox)
{
	return !mbox->num_txns && mbox->last_answer <= sim_now(mbox->sim);
}

uint64_t mbox_num_lines(const struct mbox *mbox)
{
	return mbox->dram.num_lines;
}

void mbox_trace(struct mbox *mbox, dram_trace_fn *trace, void *object)
{
	mbox->dram.trace = trace;
	mbox->dram.trace_object = object;
}

struct mbox_txn *mbox_txn_take(struct mbox *mbox, uint64_t line,
			       unsigned command)
{
	struct mbox_txn *txn = mbox->free_txns;

	mbox->free_txns = txn->next;
	txn->place = dram_place_of(&mbox->dram, line);
	txn->direction = command == MBOX_CMD_READ ? MBOX_READ : MBOX_WRITE;
	txn->command = (uint8_t)command;
	txn->response = MBOX_RSP_ACK;
	txn->is_patrol = false;
	txn->met_refresh = false;
	txn->done = NULL;
	return txn;
}

/* The transaction has given its column command and is forgotten. */
void mbox_txn_free(struct mbox *mbox, struct mbox_txn *txn)
{
	if (!txn->is_patrol) {
		mbox->num_txns--;
		mbox_fvc_occupy(mbox, txn->command, txn->fvid, -1);
	}
	txn->next = mbox->free_txns;
	mbox->free_txns = txn;
}
