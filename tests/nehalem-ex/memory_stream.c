/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random streams, in every mode and with everything that can go wrong: no DRAM
 * command breaks a rule of JEDEC's, and nothing is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "memory_rig.h"

enum { CLOCK = RIG_CLOCK, NUM_FVIDS = 48, COMMANDS = 4000 };

/* A stream: commands that arrive up to `spread` cycles ahead, each index used
 * again some time after its answer. */
static struct {
	uint64_t seed;
	unsigned spread, think, writes, near; /* shares in percent */
	uint64_t lines[NUM_FVIDS];
	unsigned num, num_reads, num_writes, num_moves;
	uint64_t waited; /* of all reads, arrival to column command */
	uint64_t last;	 /* answer */
	uint64_t times;	 /* of all answers, in one number */
} stream;

/* Who listens to all signals: nobody, who wants their sums, or who wants every
 * cycle. */
static enum { NOBODY, SUMMED, FOLLOWED } listener = SUMMED;

static unsigned dice(unsigned n)
{
	stream.seed = stream.seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(stream.seed >> 33) % n;
}

/* From the column command of an idle read to its answer. */
static unsigned way_back(void)
{
	struct mbox_config c = rig_config();

	return (c.dram.cl_clocks + c.dram.burst_clocks) * CLOCK +
	       2 * c.smi_cycles + c.response_cycles;
}

static void send(void *object, uint64_t fvid)
{
	uint64_t now = rig_now(), done;
	uint64_t at = memory_ready_from(&rig.ex, rig.memory,
					now + dice(stream.spread));
	unsigned command = MBOX_CMD_READ;

	(void)object;
	if (stream.num == COMMANDS)
		return;
	stream.num++;
	if (dice(100) < stream.near)
		stream.lines[fvid]++;
	else
		stream.lines[fvid] = dice(1 << 22);
	if (dice(100) < stream.writes)
		command = MBOX_CMD_WRITE;
	else if (dice(50) == 0)
		command = MBOX_CMD_MERGE + dice(5);
	done = rig_command(command, stream.lines[fvid], (unsigned)fvid, at);
	assert_true(done > at);
	if (command == MBOX_CMD_READ) {
		stream.num_reads++;
		stream.waited += done - at - way_back();
	}
	stream.num_writes += command == MBOX_CMD_WRITE;
	stream.num_moves += command > MBOX_CMD_WRITE;
	if (done > stream.last)
		stream.last = done;
	stream.times = (stream.times + done) * 6364136223846793005u;
	sim_at(rig.ex.engine.sim, done + dice(stream.think), send, NULL, fvid);
}

static void follow_all(void)
{
	for (unsigned id = 0; id < NUM_SIG_MBOX; id++) {
		struct tap_wish wish = { .signal = (uint16_t)id, .busy = true };

		assert_true(tap_sums_begin(rig.bank, &wish));
	}
}

static void run(struct mbox_config config, const char *faults, unsigned out)
{
	uint64_t seed = stream.seed;
	unsigned think = stream.think, spread = stream.spread;
	unsigned writes = stream.writes, near = stream.near;

	memset(&stream, 0, sizeof(stream));
	stream.seed = seed;
	stream.think = think;
	stream.spread = spread;
	stream.writes = writes;
	stream.near = near;
	rig_start(config, faults, listener == SUMMED);
	if (listener == FOLLOWED)
		follow_all();
	for (unsigned i = 0; i < out; i++)
		sim_at(rig.ex.engine.sim, 2000 + i, send, NULL, i);
	while (stream.num < COMMANDS || !memory_is_idle(rig.memory, rig_now()))
		if (listener == NOBODY)
			sim_run_until(rig.ex.engine.sim, rig_now() + 1000);
		else
			rig_run_to(rig_now() + 1000);
	rig_run_to((rig_now() + 2000) / CLOCK * CLOCK);
}

static uint64_t sum_of(unsigned first, unsigned num)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < num; i++)
		sum += rig_sum(first + i);
	return sum;
}

/* What goes in comes out, and is seen for as long as it is there. */
static void demand_conservation(void)
{
	uint64_t frames = rig_sum(SIG_MBOX_FRM_TYPE_NOP) +
			  rig_sum(SIG_MBOX_FRM_TYPE_1CMD) +
			  rig_sum(SIG_MBOX_FRM_TYPE_3CMD) +
			  rig_sum(SIG_MBOX_FRM_TYPE_WDAT);

	assert_int_equal(rig_sum(SIG_MBOX_BCMD_WRITES), stream.num_writes);
	assert_int_equal(rig_sum(SIG_MBOX_RSP_ACK), COMMANDS);
	assert_int_equal(rig_count(DRAM_CAS_RD) + rig_count(DRAM_CASPRE_RD),
			 rig_sum(SIG_MBOX_BCMD_READS));
	assert_int_equal(rig_count(DRAM_CAS_WR) + rig_count(DRAM_CASPRE_WR),
			 stream.num_writes);
	assert_int_equal(rig_count(DRAM_RAS),
			 rig_sum(SIG_MBOX_PAGE_MISS) +
				 rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY));
	assert_int_equal(rig_sum(SIG_MBOX_DRAM_CMD), rig.num_commands);
	/* a SYNC goes with data where its period has no empty frame */
	assert_in_range(4 * stream.num_writes - rig_sum(SIG_MBOX_FRM_TYPE_WDAT),
			0, rig_sum(SIG_MBOX_FRM_TYPE_SYNC));
	assert_int_equal(sum_of(SIG_MBOX_SCHEDQ_READS, NUM_FVIDS),
			 stream.waited);
	assert_int_equal(rig_sum(SIG_MBOX_PAGE_HIT) +
				 rig_sum(SIG_MBOX_PAGE_MISS) +
				 rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY),
			 rig_sum(SIG_MBOX_TRANS_CMDS));
	assert_int_equal(rig_sum(SIG_MBOX_ISS_SCHED_FRAME_BEAT),
			 rig_now() / CLOCK);
	/* every frame is of one type */
	assert_int_equal(rig_sum(SIG_MBOX_ISS_SCHED_FRAME_BEAT),
			 frames + rig_sum(SIG_MBOX_FRM_TYPE_SYNC));
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_SYNC),
			 (rig_now() / CLOCK + 41) / 42);
	assert_true(rig_sum(SIG_MBOX_DSP_RDQ_EMPTY) <= rig_now());
	assert_true(rig_sum(SIG_MBOX_DSP_WRQ_EMPTY) <= rig_now());
	assert_true(rig_sum(SIG_MBOX_DSP_WRQ_FULL) +
			    rig_sum(SIG_MBOX_DSP_WRQ_EMPTY) <=
		    rig_now());
	assert_true(rig_sum(SIG_MBOX_RETRYQ_STARVED) >=
		    rig_sum(SIG_MBOX_MFULL));
}

static void nothing_is_lost(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 48; i++) {
		struct mbox_config config = rig_config();

		config.dram.trefi_clocks = i % 5 ? 4160 : 0;
		config.patrol_interval_cycles = i % 7 ? 20011 : 0;
		config.page_policy = i % 3;
		config.sched = i / 3 % 4;
		config.read_queue_entries = i % 11 ? 32 : 4;
		config.write_queue_entries = i % 13 ? 32 : 6;
		config.write_high_entries = i % 13 ? 24 : 5;
		config.write_low_entries = i % 13 ? 8 : 2;
		stream.seed = i + 1;
		stream.spread = i % 2 ? 300 : 1;
		stream.think = i % 4 ? 200 : 1;
		stream.writes = i * 17 % 70;
		stream.near = i * 29 % 100;
		run(config, NULL, 1 + i % NUM_FVIDS);
		demand_conservation();
		rig_stop();
	}
}

/* A retry queue that starves with as many as it holds, and takes commands again
 * with one less, is starved while the M-Box is full. */
static void who_is_full_starves(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.retry_queue_entries = config.retry_starve_entries = 4;
	config.retry_resume_entries = 3;
	config.read_queue_entries = 4;
	stream.seed = stream.spread = stream.think = 1;
	stream.writes = stream.near = 0;
	run(config, NULL, NUM_FVIDS);
	assert_true(rig_sum(SIG_MBOX_MFULL) > 0);
	assert_int_equal(rig_sum(SIG_MBOX_MFULL),
			 rig_sum(SIG_MBOX_RETRYQ_STARVED));
	rig_stop();
}

/* Much goes wrong; the times of all answers. */
static uint64_t run_wrong(unsigned i)
{
	static const char *const faults[] = {
		"smi-crc:rate=0.01",  "address-parity:rate=0.01",
		"ecc:rate=0.02",      "ecc-uncorrectable:rate=0.01",
		"pbox-reset:count=3", "sparing:count=2",
		"heat:rate=0.1",
	};
	struct mbox_config config = rig_config();

	config.dram.trefi_clocks = 4160;
	config.patrol_interval_cycles = 3011;
	config.page_policy = i % 3;
	config.sched = i % 4;
	config.has_init = i % 2;
	config.power_down_cycles = i % 3 ? 0 : 700;
	config.self_refresh_cycles = i % 4 ? 0 : 9000;
	config.spare_lines = 64;
	config.fast_reset_frames = 30;
	stream.seed = i + 1;
	stream.spread = i % 2 ? 300 : 1;
	stream.think = i % 4 ? 200 : 3000;
	stream.writes = 30;
	stream.near = 50;
	run(config, faults[i / 4], 1 + i % 20);
	rig_stop();
	return stream.times;
}

/* A count never changes what is counted. */
static void what_goes_wrong_is_lawful_and_the_same_for_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 28; i++) {
		uint64_t times = run_wrong(i);

		listener = NOBODY;
		assert_int_equal(run_wrong(i), times);
		listener = FOLLOWED;
		assert_int_equal(run_wrong(i), times);
		listener = SUMMED;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(who_is_full_starves),
		cmocka_unit_test(
			what_goes_wrong_is_lawful_and_the_same_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
