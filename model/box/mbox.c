/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The M-Box as a whole, and its payload queue, which holds the transactions
 * until their column command is given (guide 2.7.4.4).
 */
#include "model/box/mbox.h"

#include <stdlib.h>

#include "model/box/dram_check.h"
#include "model/box/mbox_parts.h"

static bool make_pool(struct mbox *mbox)
{
	const struct mbox_config *c = &mbox->config;
	unsigned num = c->read_queue_entries + c->write_queue_entries +
		       c->retry_queue_entries + mbox_error_entries(mbox);

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
	mbox_error_start(mbox);
	dram_init(&mbox->dram, &config->dram);
	if (config->has_check)
		mbox->dram.check = dram_check_new(&config->dram);
	if (!make_pool(mbox) || (config->has_check && !mbox->dram.check)) {
		mbox_free(mbox);
		return NULL;
	}
	mbox_heat_start(mbox);
	/* all but the one that the guide calls unobservable (errata E188) */
	sig_drives(bank, 0, SIG_MBOX_FVID_RACE);
	sig_drives(bank, SIG_MBOX_FVID_RACE + 1,
		   NUM_SIG_MBOX - SIG_MBOX_FVID_RACE - 1);
	sig_set(bank, SIG_MBOX_CYCLES, 1);
	mbox_fvc_start(mbox);
	mbox_pgt_start(mbox);
	mbox_dsp_start(mbox);
	mbox_turn_start(mbox);
	mbox_iss_start(mbox);
	mbox_frame_start(mbox);
	mbox_page_start(mbox);
	mbox_timer_start(mbox);
	mbox_rank_start(mbox);
	return mbox;
}

void mbox_free(struct mbox *mbox)
{
	if (!mbox)
		return;
	dram_check_free(mbox->dram.check);
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

const char *mbox_check(const struct mbox *mbox)
{
	if (!mbox->dram.check)
		return NULL;
	return dram_check_fault(mbox->dram.check);
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
	txn->met_heat = false;
	txn->is_fatal = false;
	txn->fate = MBOX_FATE_NONE;
	txn->trials = txn->losses = 0;
	txn->done = NULL;
	return txn;
}

/* The transaction has given its column command and is forgotten. */
void mbox_txn_free(struct mbox *mbox, struct mbox_txn *txn)
{
	if (!txn->is_patrol) {
		mbox->num_txns--;
		mbox_fvc_leave(mbox, txn);
	}
	txn->next = mbox->free_txns;
	mbox->free_txns = txn;
}
