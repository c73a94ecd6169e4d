/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The door of the M-Box: FVC, which takes the commands of the B-Box and answers
 * them, and the payload queue, which holds them meanwhile (guide 2.7.4.4).
 *
 * Left out: buffer maintenance commands (MRG, F2V, V2V, V2F, F2B), sparing and
 * mirroring, errors and what follows from them (retry, corrected and
 * uncorrectable responses, alert frames, fast reset), speculative
 * acknowledgements, thermal throttling. docs/model-mbox.md lists the events
 * that are therefore not modelled.
 *
 * Choices: a write is acknowledged once it has its place in the dispatch queue,
 * since nothing can go wrong afterwards and order per bank is kept. Reads of
 * the patrol scrubber count as B-Box reads, as a footnote to Table 2-89 says,
 * but nobody is answered.
 */
#include "model/box/mbox.h"

#include <assert.h>
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
	{ SIG_MBOX_RSP_ACK, 1 },
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

static struct mbox_txn *take_txn(struct mbox *mbox, uint64_t line,
				 unsigned direction)
{
	struct mbox_txn *txn = mbox->free_txns;

	mbox->free_txns = txn->next;
	txn->place = dram_place_of(&mbox->dram, line);
	txn->direction = (uint8_t)direction;
	txn->is_patrol = false;
	txn->met_refresh = false;
	txn->done = NULL;
	return txn;
}

/* The transaction has given its column command and is forgotten. */
void mbox_txn_free(struct mbox *mbox, struct mbox_txn *txn)
{
	static const uint16_t occupancy[] = { SIG_MBOX_SCHEDQ_READS,
					      SIG_MBOX_SCHEDQ_WRITES };

	if (!txn->is_patrol) {
		mbox->num_txns--;
		sig_add(mbox->signals, occupancy[txn->direction] + txn->fvid,
			-1);
		sig_add(mbox->signals, SIG_MBOX_SCHEDQ_ALL + txn->fvid, -1);
	}
	txn->next = mbox->free_txns;
	mbox->free_txns = txn;
}

static void accept(struct mbox *mbox, uint64_t line, uint64_t address,
		   unsigned fvid, unsigned direction, sim_fn *done,
		   void *object, uint64_t argument)
{
	struct mbox_txn *txn = take_txn(mbox, line, direction);

	txn->address = address;
	txn->fvid = fvid & 63;
	txn->done = done;
	txn->object = object;
	txn->argument = argument;
	mbox->num_txns++;
	sig_pulse(mbox->signals, SIG_MBOX_BBOX_CMDS_ALL, 1);
	sig_pulse(mbox->signals, SIG_MBOX_INFLIGHT_CMDS, 1);
	sig_add(mbox->signals, SIG_MBOX_SCHEDQ_ALL + txn->fvid, 1);
	mbox_enter(mbox, txn);
}

void mbox_read(struct mbox *mbox, uint64_t line, uint64_t address,
	       unsigned fvid, sim_fn *done, void *object, uint64_t argument)
{
	assert(mbox_ready(mbox));
	sig_pulse(mbox->signals, SIG_MBOX_BCMD_READS, 1);
	sig_add(mbox->signals, SIG_MBOX_SCHEDQ_READS + (fvid & 63), 1);
	accept(mbox, line, address, fvid, MBOX_READ, done, object, argument);
}

void mbox_write(struct mbox *mbox, uint64_t line, uint64_t address,
		unsigned fvid, sim_fn *done, void *object, uint64_t argument)
{
	assert(mbox_ready(mbox));
	sig_pulse(mbox->signals, SIG_MBOX_BCMD_WRITES, 1);
	sig_add(mbox->signals, SIG_MBOX_SCHEDQ_WRITES + (fvid & 63), 1);
	accept(mbox, line, address, fvid, MBOX_WRITE, done, object, argument);
}

/* A read of the patrol scrubber: like one of the B-Box, but without FVID. */
void mbox_patrol(struct mbox *mbox, uint64_t line)
{
	struct mbox_txn *txn = take_txn(mbox, line, MBOX_READ);

	txn->address = line * 64;
	txn->fvid = MBOX_PATROL_FVID;
	txn->is_patrol = true;
	sig_pulse(mbox->signals, SIG_MBOX_PATROL_TXNS, 1);
	sig_pulse(mbox->signals, SIG_MBOX_BCMD_READS, 1);
	sig_pulse(mbox->signals, SIG_MBOX_BBOX_CMDS_ALL, 1);
	sig_pulse(mbox->signals, SIG_MBOX_INFLIGHT_CMDS, 1);
	mbox_enter(mbox, txn);
}

/* The B-Box hears of its command in the given cycle. */
void mbox_answer(struct mbox *mbox, const struct mbox_txn *txn, uint64_t cycle)
{
	if (txn->is_patrol)
		return;
	mbox_pulse(mbox, SIG_MBOX_RSP_ACK, cycle);
	if (mbox->last_answer < cycle)
		mbox->last_answer = cycle;
	if (txn->done)
		sim_at(mbox->sim, cycle, txn->done, txn->object, txn->argument);
}
