/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * FVC, fill and victim control (guide 2.7.4.4): takes the commands of the B-Box
 * (Table 2-83), moves lines between its buffers, and answers (Table 2-82).
 *
 * Reads and writes go on to the page table. The commands for buffers stay here:
 * one line at a time is moved, in the order of arrival.
 *
 * Choices: a write is acknowledged once it has its place in the dispatch queue,
 * since nothing that the B-Box could help with goes wrong afterwards and order
 * per bank is kept. Reads of the patrol scrubber count as B-Box reads, as a
 * footnote to Table 2-89 says, but nobody is answered. An index (FVID) of which
 * a command comes while the one before has not been answered is a race: the
 * B-Box's table would have used its entry again too early. It never does.
 */
#include <assert.h>
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/mbox_parts.h"

static const struct {
	uint16_t pulse, occupancy;
} commands[MBOX_NUM_COMMANDS] = {
	[MBOX_CMD_READ] = { SIG_MBOX_BCMD_READS, SIG_MBOX_SCHEDQ_READS },
	[MBOX_CMD_WRITE] = { SIG_MBOX_BCMD_WRITES, SIG_MBOX_SCHEDQ_WRITES },
	[MBOX_CMD_MERGE] = { SIG_MBOX_BCMD_MERGE, SIG_MBOX_SCHEDQ_MERGE },
	[MBOX_CMD_V2F] = { SIG_MBOX_BCMD_V2F, SIG_MBOX_SCHEDQ_V2F },
	[MBOX_CMD_V2V] = { SIG_MBOX_BCMD_V2V, SIG_MBOX_SCHEDQ_V2V },
	[MBOX_CMD_F2V] = { SIG_MBOX_BCMD_F2V, SIG_MBOX_SCHEDQ_F2V },
	[MBOX_CMD_F2B] = { SIG_MBOX_BCMD_F2B, SIG_MBOX_SCHEDQ_F2B },
	[MBOX_CMD_SPRWR] = { SIG_MBOX_BCMD_SPRWR, SIG_MBOX_SCHEDQ_SPRWR },
};

static const uint16_t responses[MBOX_NUM_RESPONSES] = {
	[MBOX_RSP_ACK] = SIG_MBOX_RSP_ACK,
	[MBOX_RSP_RETRY] = SIG_MBOX_RSP_RETRY,
	[MBOX_RSP_COR] = SIG_MBOX_RSP_COR,
	[MBOX_RSP_UNCOR] = SIG_MBOX_RSP_UNCOR,
	[MBOX_RSP_SPEC_ACK] = SIG_MBOX_RSP_SPEC_ACK,
	[MBOX_RSP_SPR_ACK] = SIG_MBOX_RSP_SPR_ACK,
	[MBOX_RSP_SPR_UNCOR] = SIG_MBOX_RSP_SPR_UNCOR,
};

void mbox_fvc_start(struct mbox *mbox)
{
	for (unsigned i = 0; i < MBOX_MAX_LATE; i++) {
		mbox->late[i].next = mbox->free_late;
		mbox->free_late = &mbox->late[i];
	}
}

/* A command is in the scheduler queue, or has left it. */
static void occupy(struct mbox *mbox, unsigned command, unsigned fvid, int by)
{
	unsigned index = mbox_named(&mbox->config, fvid);

	sig_add(mbox->signals, commands[command].occupancy + index, by);
	sig_add(mbox->signals, SIG_MBOX_SCHEDQ_ALL + index, by);
}

/* The transaction no longer stands for its index: its column command has been
 * given, or (a write that has been acknowledged) the index is used again. */
void mbox_fvc_leave(struct mbox *mbox, struct mbox_txn *txn)
{
	if (mbox->holder[txn->fvid] != txn)
		return;
	mbox->holder[txn->fvid] = NULL;
	occupy(mbox, txn->command, txn->fvid, -1);
}

void mbox_fvc_respond(struct mbox *mbox, enum mbox_response response,
		      uint64_t cycle)
{
	mbox_pulse(mbox, responses[response], cycle);
}

enum mbox_response mbox_response(const struct mbox *mbox)
{
	return mbox->response;
}

static void answer_late(void *object, uint64_t index)
{
	struct mbox *mbox = object;
	struct mbox_late late = mbox->late[index];

	mbox->late[index].next = mbox->free_late;
	mbox->free_late = &mbox->late[index];
	mbox->response = late.response;
	late.done(late.object, late.argument);
	mbox->response = MBOX_RSP_ACK;
}

/* The B-Box hears of a command that needs more words than ACK. */
static void tell(struct mbox *mbox, const struct mbox_txn *txn,
		 enum mbox_response response, uint64_t cycle)
{
	struct mbox_late *late = mbox->free_late;

	if (!late)
		BUG("more answers than transactions");
	mbox->free_late = late->next;
	*late = (struct mbox_late){
		.done = txn->done,
		.object = txn->object,
		.argument = txn->argument,
		.response = response,
	};
	sim_at(mbox->sim, cycle, answer_late, mbox,
	       (uint64_t)(late - mbox->late));
}

/* The B-Box hears of its command in the given cycle. */
void mbox_answer(struct mbox *mbox, const struct mbox_txn *txn, uint64_t cycle)
{
	enum mbox_response response = txn->response;

	if (txn->is_patrol)
		return;
	if (mbox_spare_has(mbox, txn->place.bank)) {
		response = response == MBOX_RSP_UNCOR ? MBOX_RSP_SPR_UNCOR
			   : response == MBOX_RSP_ACK ? MBOX_RSP_SPR_ACK
						      : response;
	}
	if (mbox->config.early_ack_cycles && response == MBOX_RSP_ACK &&
	    txn->direction == MBOX_READ) {
		response = MBOX_RSP_SPEC_ACK;
		cycle -= mbox->config.early_ack_cycles;
	}
	mbox_fvc_respond(mbox, response, cycle);
	if (mbox->last_answer < cycle)
		mbox->last_answer = cycle;
	mbox->answered[txn->fvid] = cycle;
	if (!txn->done)
		return;
	if (response == MBOX_RSP_ACK)
		sim_at(mbox->sim, cycle, txn->done, txn->object, txn->argument);
	else
		tell(mbox, txn, response, cycle);
}

/* What every command of the B-Box does at its arrival. */
static void arrive(struct mbox *mbox, unsigned command, unsigned fvid)
{
	assert(mbox_ready(mbox));
	mbox->num_txns++;
	sig_pulse(mbox->signals, commands[command].pulse, 1);
	sig_pulse(mbox->signals, SIG_MBOX_BBOX_CMDS_ALL, 1);
	if (mbox->answered[fvid] > sim_now(mbox->sim))
		sig_pulse(mbox->signals, SIG_MBOX_FVID_RACE, 1);
	mbox->answered[fvid] = SIM_NEVER;
	if (mbox->holder[fvid])
		mbox_fvc_leave(mbox, mbox->holder[fvid]);
	occupy(mbox, command, fvid, 1);
}

static void move_event(void *object, uint64_t argument)
{
	struct mbox *mbox = object;
	struct mbox_move move = mbox->moves[mbox->first_move];

	(void)argument;
	mbox->first_move = (mbox->first_move + 1) % MBOX_NUM_FVIDS;
	mbox->num_moves--;
	mbox->num_txns--;
	occupy(mbox, move.command, move.fvid, -1);
	mbox_fvc_respond(mbox, MBOX_RSP_ACK, sim_now(mbox->sim));
	mbox->answered[move.fvid] = sim_now(mbox->sim);
	if (move.done)
		move.done(move.object, move.argument);
}

static void start_move(struct mbox *mbox, const struct mbox_move *move)
{
	uint64_t start = sim_now(mbox->sim);

	assert(mbox->num_moves < MBOX_NUM_FVIDS);
	if (start < mbox->buffers_free)
		start = mbox->buffers_free;
	mbox->buffers_free = start + mbox->config.buffer_cycles;
	mbox->moves[(mbox->first_move + mbox->num_moves++) % MBOX_NUM_FVIDS] =
		*move;
	sim_at(mbox->sim, mbox->buffers_free, move_event, mbox, 0);
}

void mbox_command(struct mbox *mbox, unsigned command, uint64_t line,
		  uint64_t address, unsigned fvid, sim_fn *done, void *object,
		  uint64_t argument)
{
	unsigned kind = command & ~(unsigned)MBOX_POISONED;
	struct mbox_txn *txn;

	fvid %= MBOX_NUM_FVIDS;
	arrive(mbox, kind, fvid);
	if (kind != MBOX_CMD_READ && kind != MBOX_CMD_WRITE &&
	    kind != MBOX_CMD_SPRWR) {
		start_move(mbox,
			   &(struct mbox_move){ done, object, argument,
						(uint8_t)fvid, (uint8_t)kind });
		return;
	}
	if (command & MBOX_POISONED)
		sig_pulse(mbox->signals, SIG_MBOX_POISON_TXN, 1);
	txn = mbox_txn_take(mbox, line, kind);
	txn->address = address;
	txn->fvid = (uint8_t)fvid;
	txn->done = done;
	txn->object = object;
	txn->argument = argument;
	mbox->holder[fvid] = txn;
	sig_pulse(mbox->signals, SIG_MBOX_INFLIGHT_CMDS, 1);
	mbox_enter(mbox, txn);
}

void mbox_read(struct mbox *mbox, uint64_t line, uint64_t address,
	       unsigned fvid, sim_fn *done, void *object, uint64_t argument)
{
	mbox_command(mbox, MBOX_CMD_READ, line, address, fvid, done, object,
		     argument);
}

void mbox_write(struct mbox *mbox, uint64_t line, uint64_t address,
		unsigned fvid, sim_fn *done, void *object, uint64_t argument)
{
	mbox_command(mbox, MBOX_CMD_WRITE, line, address, fvid, done, object,
		     argument);
}

/* A read of the patrol scrubber: like one of the B-Box, but without FVID. */
void mbox_patrol(struct mbox *mbox, uint64_t line)
{
	struct mbox_txn *txn = mbox_txn_take(mbox, line, MBOX_CMD_READ);

	txn->address = line * 64;
	txn->fvid = MBOX_PATROL_FVID;
	txn->is_patrol = true;
	sig_pulse(mbox->signals, SIG_MBOX_PATROL_TXNS, 1);
	sig_pulse(mbox->signals, SIG_MBOX_BCMD_READS, 1);
	sig_pulse(mbox->signals, SIG_MBOX_BBOX_CMDS_ALL, 1);
	sig_pulse(mbox->signals, SIG_MBOX_INFLIGHT_CMDS, 1);
	mbox_enter(mbox, txn);
}
