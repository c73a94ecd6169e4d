/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The link to the memory buffers, and the initialisation of DDR3.
 *
 * That begins with the link (soft reset, poll, write and read of the buffers'
 * configuration), then every rank gets what JEDEC JESD79-3, 3.3 asks for: clock
 * enable, mode registers 2, 3, 1 and 0, and a long calibration.
 *
 * Choices: codes of Table 2-79 that the guide does not explain. POLL asks
 * whether the buffers are there, GENDRM is the training of a rank, NOWPE is the
 * NOP with which DDR3 enters power-down. What has its clocks already is given
 * although the link goes down.
 */
#include "model/nehalem-ex/memory_parts.h"

static const struct mc_step init[] = {
	{ DRAM_NOP, MC_ONE },
	{ DRAM_CKEH, MC_XS },
	{ DRAM_EMRS2, MC_MRD },
	{ DRAM_EMRS3, MC_MRD },
	{ DRAM_EMRS, MC_MRD },
	{ DRAM_MRS, MC_MOD },
	{ DRAM_ZQCAL, MC_ZQINIT },
	{ DRAM_GENDRM, MC_MOD },
	{ 0 },
};

/* The clock never stopped, but nobody knows what the registers hold. */
static const struct mc_step init_again[] = {
	{ DRAM_EMRS2, MC_MRD },	   { DRAM_EMRS3, MC_MRD },
	{ DRAM_EMRS, MC_MRD },	   { DRAM_MRS, MC_MOD },
	{ DRAM_ZQCAL, MC_ZQINIT }, { 0 },
};

/* The link */

/* A command to the memory buffers, in a channel frame of its own. */
static void link_command(struct memory *memory, enum dram_cmd cmd,
			 uint64_t clock)
{
	memory_pulse(memory, SIG_MBOX_FRM_TYPE_CHNL,
		     memory_cycle(memory, clock));
	memory_tell_command(&memory->mc, cmd, 0, clock);
	mc_show(&memory->mc, cmd, 0, NULL, clock);
}

/* No frames from a clock until another. */
void memory_link_stop(struct memory *memory, uint64_t clock, uint64_t until)
{
	if (memory->mc.trace)
		dram_trace_excuse(memory->mc.trace, clock, until);
	banks_shut(memory->mc.banks, clock, until);
}

/* A status frame comes with the bit for a debug event set, and the memory
 * buffer is asked what it was. */
void memory_link_debug(struct memory *memory, uint64_t clock)
{
	memory_pulse(memory, SIG_MBOX_SMI_NB_TRIG, memory_cycle(memory, clock));
	clock = banks_frame(memory->mc.banks, clock + 1);
	memory_pulse(memory, SIG_MBOX_ISS_SCHED_FRAME_BEAT,
		     memory_cycle(memory, clock));
	link_command(memory, DRAM_IBD, clock);
}

/* Initialisation */

/* The link is trained, and then every rank gets its registers. */
void memory_init_ranks(struct memory *memory, uint64_t clock, bool is_first)
{
	static const uint8_t commands[] = { DRAM_SFT_RST, DRAM_POLL, DRAM_WCR,
					    DRAM_RCR };
	struct mc *mc = &memory->mc;
	unsigned frames = memory->config.link_init_frames;
	uint64_t up = clock + frames, last = 0;

	for (unsigned i = 0; i < 4; i++)
		link_command(memory, commands[i], clock + i * (frames / 4));
	memory_link_stop(memory, clock, up);
	for (unsigned i = 0; i < mc->map.num_ranks; i++) {
		if (mc->ranks[i].sleep)
			mc_rank_wake(mc, i, up);
		mc_rank_run(mc, i, is_first ? init : init_again, up);
		last = sim_later(last, mc->ranks[i].busy_until);
	}
	memory->init_until = memory_cycle(memory, last);
}
