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
 * command that was lost `loss_limit` times in a row gets through. Commands that
 * have their clocks already go although the link is reset. The P-Box of an
 * M-Box has the number 8 or 9 among those of a socket (box=), behind the ports
 * of the R-Box.
 */
#include "model/nehalem-ex/memory_parts.h"

enum { LOOK_CYCLES = 1024, FIRST_PBOX = 8 };

#define BIT(fault) (UINT32_C(1) << (fault))

#define AT_COMMANDS (BIT(FAULT_SMI_CRC) | BIT(FAULT_ADDRESS_PARITY))
#define AT_READS    (BIT(FAULT_ECC) | BIT(FAULT_ECC_FATAL))
#define AT_ANY_TIME                                                            \
	(BIT(FAULT_PBOX_RESET) | BIT(FAULT_SPARING) | BIT(FAULT_HEAT))

static bool strikes(struct memory *memory, enum fault fault, uint64_t cycle)
{
	return fault_strikes(memory->config.faults, fault,
			     memory->config.instance, cycle);
}

static void report_event(void *object, uint64_t error)
{
	struct memory *memory = object;

	memory->config.on_error(memory->config.on_error_object,
				(enum mbox_error)error);
}

/* Whoever wants to know hears of an error in its cycle. */
static void report(struct memory *memory, enum mbox_error error, uint64_t cycle)
{
	if (memory->config.on_error)
		sim_at(memory->sim, cycle, report_event, memory, error);
}

static void look_event(void *object, uint64_t argument);

void memory_error_start(struct memory *memory)
{
	const struct faults *faults = memory->config.faults;
	uint32_t active = faults ? faults->plan->is_active : 0;

	memory->command_faults = active & AT_COMMANDS;
	memory->read_faults = active & AT_READS;
	memory->mc.is_timely = memory->command_faults || memory->read_faults;
	memory->rolled_clock = UINT64_MAX;
	if (active & AT_ANY_TIME)
		sim_at(memory->sim, LOOK_CYCLES, look_event, memory, 0);
}

/* The B-Box, if it waits, hears that it has to go on waiting. */
static void say_retry(struct memory *memory, struct memory_txn *txn,
		      uint64_t cycle)
{
	memory_retry_count(memory, txn, cycle);
	if (txn->is_patrol || txn->dram.is_write)
		return;
	txn->was_lost = true;
	memory_pulse(memory, SIG_MBOX_RSP_RETRY, cycle);
}

static unsigned round_trip_clocks(const struct memory *memory)
{
	return (unsigned)memory_clock_after(memory,
					    2 * memory->config.smi_cycles);
}

/* Each of these returns the clock from which the command may go again. */

static uint64_t damage_frame(struct memory *memory, uint64_t clock)
{
	uint64_t alert = clock + 1 + round_trip_clocks(memory);
	uint64_t end = alert + memory->config.fast_reset_frames;

	memory_pulse(memory, SIG_MBOX_SMI_CRC_ERR, memory_cycle(memory, clock));
	memory_pulse(memory, SIG_MBOX_ALERT_FRAMES,
		     memory_cycle(memory, alert));
	memory_pulse(memory, SIG_MBOX_FAST_RESET, memory_cycle(memory, alert));
	memory_link_stop(memory, clock + 1, end);
	memory_link_debug(memory, end);
	return end;
}

static uint64_t refuse_command(struct memory *memory, uint64_t clock)
{
	memory_pulse(memory, SIG_MBOX_MA_PAR_ERR, memory_cycle(memory, clock));
	return clock + 1 + round_trip_clocks(memory);
}

/* Which fault the command meets that may be given from a clock on, FAULT_NUM:
 * none. A frame is damaged once. */
static enum fault draw_loss(struct memory *memory, uint64_t clock)
{
	static const enum fault losses[] = { FAULT_SMI_CRC,
					     FAULT_ADDRESS_PARITY };
	bool is_same_frame = memory->rolled_clock == clock;

	memory->rolled_clock = clock;
	for (unsigned i = is_same_frame; i < 2; i++)
		if (memory->command_faults & BIT(losses[i]) &&
		    fault_draw(memory->config.faults, losses[i],
			       memory->config.instance,
			       memory_cycle(memory, clock)))
			return losses[i];
	return FAULT_NUM;
}

/* A command may be given from a clock on; the same after all losses. */
uint64_t memory_error_command(struct mc *mc, struct mc_txn *dram,
			      uint64_t clock)
{
	struct memory *memory = mc->owner;
	struct memory_txn *txn =
		(void *)((char *)dram - offsetof(struct memory_txn, dram));

	if (!memory->command_faults)
		return clock;
	for (unsigned i = 0; i < memory->config.loss_limit; i++) {
		enum fault loss = draw_loss(memory, clock);
		uint64_t cycle;

		if (loss == FAULT_NUM)
			break;
		clock = banks_command(mc->banks, memory_bus(memory, dram->rank),
				      clock);
		cycle = memory_cycle(memory, clock);
		fault_count(memory->config.faults, loss, cycle);
		say_retry(memory, txn, cycle);
		report(memory, MBOX_ERROR_CORRECTED, cycle);
		clock = loss == FAULT_SMI_CRC ? damage_frame(memory, clock)
					      : refuse_command(memory, clock);
	}
	return clock;
}

/* The read was the scrubber's, or its line is lost: it is written to memory,
 * and nobody hears of that. */
static void write_back(struct memory *memory, const struct memory_txn *read,
		       uint64_t cycle)
{
	struct memory_txn txn = {
		.dram = memory_again(&read->dram),
		.fvid = read->fvid,
		.address = read->address,
		.command = MBOX_CMD_WRITE,
		.is_patrol = true,
	};

	txn.dram.is_write = true;
	if (read->is_patrol)
		memory_pulse(memory, SIG_MBOX_PATROL_TXNS, cycle);
	if (read->is_fatal)
		memory_pulse(memory, SIG_MBOX_POISON_TXN, cycle);
	memory_write(memory, &txn, cycle);
	memory_tell(memory, &txn);
}

/* The data of a read come in a cycle and are checked; returns the one in which
 * those come that it ends with. */
uint64_t memory_error_read(struct memory *memory, struct memory_txn *txn,
			   uint64_t cycle, enum mbox_response *response)
{
	unsigned trials = 0, most = 1;
	bool is_bad;

	txn->is_fatal = strikes(memory, FAULT_ECC_FATAL, cycle);
	is_bad = txn->is_fatal || strikes(memory, FAULT_ECC, cycle);
	if (txn->is_fatal)
		most = memory->config.error_trials;
	for (; is_bad && trials < most; trials++) {
		memory_pulse(memory, SIG_MBOX_MEM_ECC_ERR, cycle);
		say_retry(memory, txn, cycle);
		if (!txn->is_fatal)
			report(memory, MBOX_ERROR_CORRECTED, cycle);
		*response = MBOX_RSP_COR;
		txn->met_refresh = txn->met_heat = false;
		cycle = memory_read_again(memory, txn, cycle);
		is_bad = txn->is_fatal;
	}
	if (is_bad) {
		memory_pulse(memory, SIG_MBOX_MEM_ECC_ERR, cycle);
		*response = MBOX_RSP_UNCOR;
		report(memory, MBOX_ERROR_UNCORRECTED, cycle);
	}
	if (txn->is_fatal || (trials && txn->is_patrol))
		write_back(memory, txn, cycle);
	return cycle;
}

static void reset_pbox(struct memory *memory)
{
	uint64_t clock = memory_clock_after(memory, memory->now);

	memory_pulse(memory, SIG_MBOX_PBOX_INIT_ERR, memory->now);
	report(memory, MBOX_ERROR_CORRECTED, memory->now);
	memory_init_ranks(memory, clock, false);
}

/* What is being initialised is not reset again, nor before it could do
 * something. */
static void look_for_reset(struct memory *memory)
{
	bool was_down = memory->is_pbox_down;

	memory->is_pbox_down = memory->init_until > memory->now;
	if (was_down || memory->is_pbox_down)
		return;
	if (fault_strikes(memory->config.faults, FAULT_PBOX_RESET,
			  FIRST_PBOX + memory->config.instance, memory->now)) {
		reset_pbox(memory);
		memory->is_pbox_down = true;
	}
}

/* Faults that no transaction is the reason of. */
static void look_event(void *object, uint64_t argument)
{
	struct memory *memory = object;
	uint64_t now = sim_now(memory->sim);

	(void)argument;
	memory_enter(memory, now);
	look_for_reset(memory);
	if (memory_spare_may_begin(memory) &&
	    strikes(memory, FAULT_SPARING, now))
		memory_spare_begin(memory);
	if (memory_heat_can_strike(memory) && strikes(memory, FAULT_HEAT, now))
		memory_heat_strike(memory);
	sim_at(memory->sim, now + LOOK_CYCLES, look_event, memory, 0);
}
