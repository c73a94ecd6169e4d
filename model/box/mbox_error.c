/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What goes wrong when somebody asks for it (model/fault), and what the M-Box
 * does then. Every fault is found once and counts once.
 *
 *  - SMI CRC: a memory buffer gets a damaged frame and answers with an alert.
 *    The command in it has not happened; the link has a fast reset, the buffer
 *    tells about it in its status (NBDE), is asked for its debug event (IBD),
 *    and the command is given again.
 *  - Address parity: a DIMM refuses a command; it is given again.
 *  - ECC: a read comes back wrong and is done again, then it is right. What the
 *    scrubber has found is written back.
 *  - Uncorrectable ECC: all `error_trials` repetitions are wrong, too. The line
 *    is poisoned in memory.
 *  - P-Box reset: the link and then the registers of all DRAMs are initialised
 *    again, with what is dispatched waiting.
 *
 * To the B-Box every repetition of a read is a RETRY, the end COR or UNCOR. A
 * write has been acknowledged before, so nothing is said of it.
 *
 * Choices: a read that is done again is right, unless the error is fatal. A
 * command that was lost `loss_limit` times in a row gets through. The P-Box of
 * an M-Box has the number 8 or 9 among those of a socket (box=), behind the
 * ports of the R-Box.
 */
#include "model/box/mbox_parts.h"

enum { LOOK_CYCLES = 1024, FIRST_PBOX = 8 };

#define BIT(fault) (UINT32_C(1) << (fault))

#define AT_COMMANDS (BIT(FAULT_SMI_CRC) | BIT(FAULT_ADDRESS_PARITY))
#define AT_READS    (BIT(FAULT_ECC) | BIT(FAULT_ECC_FATAL))
#define AT_ANY_TIME                                                            \
	(BIT(FAULT_PBOX_RESET) | BIT(FAULT_SPARING) | BIT(FAULT_HEAT))

static bool strikes(struct mbox *mbox, enum fault fault)
{
	return fault_strikes(mbox->config.faults, fault, mbox->config.instance,
			     sim_now(mbox->sim));
}

static void report(struct mbox *mbox, enum mbox_error error)
{
	if (mbox->config.on_error)
		mbox->config.on_error(mbox->config.on_error_object, error);
}

static void look_event(void *object, uint64_t argument);

void mbox_error_start(struct mbox *mbox)
{
	const struct faults *faults = mbox->config.faults;
	uint32_t active = faults ? faults->plan->is_active : 0;

	mbox->command_faults = active & AT_COMMANDS;
	mbox->read_faults = active & AT_READS;
	mbox->rolled_clock = MBOX_NO_CLOCK;
	if (active & AT_ANY_TIME)
		sim_at(mbox->sim, LOOK_CYCLES, look_event, mbox, 0);
}

/* Entries of the payload queue for reads that have to be done again. */
unsigned mbox_error_entries(const struct mbox *mbox)
{
	const struct mbox_config *c = &mbox->config;
	const struct dram_config *d = &c->dram;
	unsigned way = 2 * c->smi_cycles + c->response_cycles +
		       (d->cl_clocks + d->burst_clocks) * d->cycles_per_clock;

	if (!mbox->read_faults)
		return 0;
	return 16 + 2 * way / (d->burst_clocks * d->cycles_per_clock);
}

/* The B-Box, if it waits, hears that it has to go on waiting. */
static void say_retry(struct mbox *mbox, struct mbox_txn *txn, uint64_t cycle)
{
	mbox_retry_count(mbox, txn);
	if (txn->is_patrol || txn->direction != MBOX_READ)
		return;
	txn->response = MBOX_RSP_COR;
	mbox_fvc_respond(mbox, MBOX_RSP_RETRY, cycle);
}

/* The command has not happened; again in a later clock. */
static void give_again(struct mbox *mbox, unsigned bank, struct mbox_txn *txn,
		       uint64_t clock)
{
	txn->losses++;
	txn->start_clock = clock;
	if (txn->data_clock < clock)
		txn->data_clock = clock;
	say_retry(mbox, txn, sim_now(mbox->sim));
	report(mbox, MBOX_ERROR_CORRECTED);
	mbox_dsp_offer(mbox, bank);
}

static unsigned round_trip_clocks(const struct mbox *mbox)
{
	return (unsigned)mbox_clock_after(mbox, 2 * mbox->config.smi_cycles);
}

static void damage_frame(struct mbox *mbox, unsigned bank, struct mbox_txn *txn,
			 uint64_t clock)
{
	uint64_t alert = clock + 1 + round_trip_clocks(mbox);
	uint64_t end = alert + mbox->config.fast_reset_frames;

	sig_pulse(mbox->signals, SIG_MBOX_SMI_CRC_ERR, 1);
	mbox_pulse(mbox, SIG_MBOX_ALERT_FRAMES, mbox_cycle_of(mbox, alert));
	mbox_pulse(mbox, SIG_MBOX_FAST_RESET, mbox_cycle_of(mbox, alert));
	mbox_link_stop(mbox, clock + 1, end);
	mbox_link_debug(mbox, end);
	give_again(mbox, bank, txn, end);
}

static void refuse_command(struct mbox *mbox, unsigned bank,
			   struct mbox_txn *txn, uint64_t clock)
{
	sig_pulse(mbox->signals, SIG_MBOX_MA_PAR_ERR, 1);
	give_again(mbox, bank, txn, clock + 1 + round_trip_clocks(mbox));
}

/* A command of a transaction is about to be given. True if it is lost. */
bool mbox_error_command(struct mbox *mbox, unsigned bank, uint64_t clock)
{
	struct mbox_txn *txn = mbox->banks[bank].dispatched.first;
	bool is_first = mbox->rolled_clock != clock; /* of its frame */

	mbox->rolled_clock = clock;
	if (txn->losses < mbox->config.loss_limit) {
		if (is_first && strikes(mbox, FAULT_SMI_CRC)) {
			damage_frame(mbox, bank, txn, clock);
			return true;
		}
		if (strikes(mbox, FAULT_ADDRESS_PARITY)) {
			refuse_command(mbox, bank, txn, clock);
			return true;
		}
	}
	txn->losses = 0;
	return false;
}

/* The read was the scrubber's, or its line is lost: it is written to memory,
 * and nobody hears of that. */
static void turn_into_write(struct mbox *mbox, struct mbox_txn *txn)
{
	if (txn->is_patrol) {
		sig_pulse(mbox->signals, SIG_MBOX_PATROL_TXNS, 1);
	} else {
		mbox->num_txns--;
		mbox_fvc_leave(mbox, txn);
		txn->is_patrol = true;
	}
	if (txn->is_fatal)
		sig_pulse(mbox->signals, SIG_MBOX_POISON_TXN, 1);
	txn->command = MBOX_CMD_WRITE;
	txn->direction = MBOX_WRITE;
}

static void again_event(void *object, uint64_t index)
{
	struct mbox *mbox = object;
	struct mbox_txn *txn = &mbox->pool[index];

	if (txn->fate == MBOX_FATE_WRITE)
		turn_into_write(mbox, txn);
	txn->fate = MBOX_FATE_NONE;
	mbox_enter(mbox, txn);
}

/* Not forgotten with its column command, but done again when the data are here
 * and seen to be wrong. */
static void keep(struct mbox *mbox, struct mbox_txn *txn, enum mbox_fate fate,
		 uint64_t cycle)
{
	txn->fate = (uint8_t)fate;
	sim_at(mbox->sim, cycle, again_event, mbox,
	       (uint64_t)(txn - mbox->pool));
}

/* The data of a read will be wrong; true if it has to be done again. */
static bool is_retried(struct mbox *mbox, struct mbox_txn *txn, uint64_t cycle)
{
	mbox_pulse(mbox, SIG_MBOX_MEM_ECC_ERR, cycle);
	if (txn->trials == (txn->is_fatal ? mbox->config.error_trials : 1)) {
		txn->response = MBOX_RSP_UNCOR;
		report(mbox, MBOX_ERROR_UNCORRECTED);
		return false;
	}
	txn->trials++;
	say_retry(mbox, txn, cycle);
	if (!txn->is_fatal)
		report(mbox, MBOX_ERROR_CORRECTED);
	keep(mbox, txn, MBOX_FATE_AGAIN, cycle);
	return true;
}

/* The column command of a read has been given; its data are checked in a cycle
 * to come. True if there is no answer yet. */
bool mbox_error_read(struct mbox *mbox, struct mbox_txn *txn, uint64_t cycle)
{
	bool is_bad = txn->is_fatal;

	if (!txn->trials && strikes(mbox, FAULT_ECC_FATAL))
		is_bad = txn->is_fatal = true;
	else if (!txn->trials && strikes(mbox, FAULT_ECC))
		is_bad = true;
	if (is_bad && is_retried(mbox, txn, cycle))
		return true;
	if (txn->is_fatal || (txn->trials && txn->is_patrol))
		keep(mbox, txn, MBOX_FATE_WRITE, cycle);
	return false;
}

static void reset_pbox(struct mbox *mbox)
{
	uint64_t clock = mbox_clock_after(mbox, sim_now(mbox->sim));

	sig_pulse(mbox->signals, SIG_MBOX_PBOX_INIT_ERR, 1);
	report(mbox, MBOX_ERROR_CORRECTED);
	if (clock < mbox->next_frame)
		clock = mbox->next_frame;
	mbox_rank_init(mbox, clock);
}

/* What is being initialised is not reset again, nor before it could do
 * something. */
static void look_for_reset(struct mbox *mbox, uint64_t now)
{
	bool was_down = mbox->is_pbox_down;

	mbox->is_pbox_down = mbox_is_initialising(mbox);
	if (was_down || mbox->is_pbox_down)
		return;
	if (fault_strikes(mbox->config.faults, FAULT_PBOX_RESET,
			  FIRST_PBOX + mbox->config.instance, now)) {
		reset_pbox(mbox);
		mbox->is_pbox_down = true;
	}
}

/* Faults that no transaction is the reason of. */
static void look_event(void *object, uint64_t argument)
{
	struct mbox *mbox = object;
	uint64_t now = sim_now(mbox->sim);

	(void)argument;
	look_for_reset(mbox, now);
	if (mbox_spare_may_begin(mbox) && strikes(mbox, FAULT_SPARING))
		mbox_spare_begin(mbox);
	if (mbox_heat_can_strike(mbox) && strikes(mbox, FAULT_HEAT))
		mbox_heat_strike(mbox);
	sim_at(mbox->sim, now + LOOK_CYCLES, look_event, mbox, 0);
}
