/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The M-Box in cases small enough to be worked out by hand. Default timing: a
 * DRAM clock is 5 cycles; tRCD = tRP = CL = 7, a burst 2, tCCD 4 and tRAS 20
 * clocks; front 20, SMI 2 * 26, response 10 cycles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mbox_probe.h"

enum {
	CLOCK = 5,
	OVERHEAD = 20 + 2 * 26 + 10,
	READ_OPEN = OVERHEAD + (7 + 2) * CLOCK,	      /* 127 cycles */
	READ_CLOSED = OVERHEAD + (7 + 7 + 2) * CLOCK, /* 162 */
	READ_MISS = OVERHEAD + (7 + 7 + 7 + 2) * CLOCK,
	START = 1000,
	MAX_COMMANDS = 100000,
};

static struct mbox_probe probe;
static uint64_t answers[65536]; /* cycle by argument; 0: none yet */
static uint64_t num_answers;
static struct dram_command commands[MAX_COMMANDS];
static unsigned num_commands;
static bool is_deaf; /* nobody taps the signals */

static void record(void *object, const struct dram_command *command)
{
	(void)object;
	if (num_commands < MAX_COMMANDS)
		commands[num_commands++] = *command;
}

static void answered(void *object, uint64_t argument)
{
	(void)object;
	answers[argument] = sim_now(probe.sim);
	num_answers++;
}

/* No refresh, no scrub, pages stay open: nothing but what the test asks for. */
static struct mbox_config quiet(void)
{
	struct mbox_config config;

	mbox_config_default(&config);
	config.dram.trefi_clocks = 0;
	config.patrol_interval_cycles = 0;
	config.page_policy = MBOX_PAGE_OPEN;
	config.sched = MBOX_SCHED_TRADEOFF;
	return config;
}

static void start(const struct mbox_config *config)
{
	assert_null(mbox_config_check(config));
	memset(answers, 0, sizeof(answers));
	num_answers = 0;
	num_commands = 0;
	mbox_probe_start(&probe, config);
	assert_non_null(probe.mbox);
	for (unsigned i = 0; is_deaf && i < NUM_SIG_MBOX; i++)
		probe.signals[i].taps = NULL;
	mbox_trace(probe.mbox, record, NULL);
	sim_run_until(probe.sim, START);
}

static uint64_t line_at(unsigned bank, unsigned row, unsigned column)
{
	struct dram dram;

	dram_init(&dram, &(struct mbox_config[]){ quiet() }[0].dram);
	return dram_line_at(&dram, (struct dram_place){
					   .bank = (uint8_t)bank,
					   .row = row,
					   .column = (uint16_t)column,
				   });
}

static void read_line(uint64_t line, unsigned number)
{
	mbox_read(probe.mbox, line, line * 64, number & 63, answered, NULL,
		  number);
}

static void write_line(uint64_t line, unsigned number)
{
	mbox_write(probe.mbox, line, line * 64, number & 63, answered, NULL,
		   number);
}

static void run_for(uint64_t cycles)
{
	sim_run_until(probe.sim, sim_now(probe.sim) + cycles);
}

static unsigned count_commands(enum dram_cmd cmd)
{
	unsigned num = 0;

	for (unsigned i = 0; i < num_commands; i++)
		num += commands[i].cmd == cmd;
	return num;
}

static void idle_read_takes_activate_column_and_burst(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	run_for(1000);
	assert_int_equal(answers[1], START + READ_CLOSED);
	assert_int_equal(mbox_idle_read_cycles(&config, false), READ_CLOSED);
	assert_int_equal(probe.pulses[SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY], 1);
	assert_true(mbox_idle(probe.mbox));
	mbox_probe_stop(&probe);
}

static void page_hit_saves_the_activate(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	run_for(1000);
	read_line(line_at(0, 5, 9), 2);
	run_for(1000);
	assert_int_equal(answers[2], START + 1000 + READ_OPEN);
	assert_int_equal(mbox_idle_read_cycles(&config, true), READ_OPEN);
	assert_int_equal(probe.pulses[SIG_MBOX_PAGE_HIT], 1);
	mbox_probe_stop(&probe);
}

static void page_miss_adds_the_precharge(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	run_for(1000);
	read_line(line_at(0, 6, 0), 2);
	run_for(1000);
	assert_int_equal(answers[2], START + 1000 + READ_MISS);
	assert_int_equal(probe.pulses[SIG_MBOX_PAGE_MISS], 1);
	assert_int_equal(count_commands(DRAM_PRE), 1);
	mbox_probe_stop(&probe);
}

/* A request between two frames waits for the next: 1 cycle late is 4 more. */
static void commands_go_with_frames(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	run_for(1);
	read_line(line_at(0, 5, 0), 1);
	run_for(1000);
	assert_int_equal(answers[1], START + 5 + READ_CLOSED);
	mbox_probe_stop(&probe);
}

static void hits_on_one_bus_follow_at_tccd(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	for (unsigned i = 0; i < 10; i++)
		read_line(line_at(0, 5, i), i + 1);
	run_for(1000);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(answers[i + 1],
				 START + READ_CLOSED + i * 4 * CLOCK);
	assert_int_equal(probe.pulses[SIG_MBOX_MULTICAS], 9);
	assert_int_equal(probe.pulses[SIG_MBOX_PAGE_HIT], 9);
	assert_int_equal(count_commands(DRAM_RAS), 1);
	mbox_probe_stop(&probe);
}

/* Bank 32 is the first of the other bus. The buses share the way back: the
 * bursts of two clocks follow each other without a gap. */
static void two_buses_fill_the_link(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	for (unsigned i = 0; i < 20; i++)
		read_line(line_at(i % 2 ? 32 : 0, 5, i / 2), i + 1);
	run_for(1000);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(answers[i + 1],
				 START + READ_CLOSED + i * 2 * CLOCK);
	mbox_probe_stop(&probe);
}

/* Activate at clock t, precharge at t + tRAS, activate at + tRP: 27 clocks. */
static void other_row_of_a_busy_bank_waits_for_the_row_cycle(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	read_line(line_at(0, 6, 0), 2);
	run_for(1000);
	assert_int_equal(answers[2] - answers[1], 27 * CLOCK);
	assert_int_equal(probe.pulses[SIG_MBOX_RETRIES], 1);
	assert_int_equal(probe.pulses[SIG_MBOX_RETRIES_FVID + 2], 1);
	mbox_probe_stop(&probe);
}

/* Banks of one rank: activates at 0, 4, 8, 12 (tRRD), then 20 (tFAW). */
static void fifth_activate_waits_for_the_first(void **state)
{
	static const unsigned clocks[] = { 0, 4, 8, 12, 20 };
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	for (unsigned i = 0; i < 5; i++)
		read_line(line_at(i, 5, 0), i + 1);
	run_for(1000);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(answers[i + 1],
				 START + READ_CLOSED + clocks[i] * CLOCK);
	mbox_probe_stop(&probe);
}

/* A stream as fast as the M-Box takes it. */
struct stream {
	unsigned num, sent, max_out;
	bool is_write;
};

static void push(void *object, uint64_t argument)
{
	struct stream *stream = object;

	(void)argument;
	while (stream->sent < stream->num && mbox_ready(probe.mbox) &&
	       stream->sent - num_answers < stream->max_out) {
		unsigned number = stream->sent++;

		if (stream->is_write)
			write_line(number, number);
		else
			read_line(number, number);
	}
	if (stream->sent < stream->num)
		sim_at(probe.sim, sim_now(probe.sim) + 5, push, stream, 0);
}

static uint64_t stream_cycles(const struct mbox_config *config, unsigned num,
			      bool is_write)
{
	struct stream stream = { num, 0, 32, is_write };
	uint64_t cycles;

	start(config);
	push(&stream, 0);
	while (!mbox_idle(probe.mbox) || stream.sent < num)
		run_for(10);
	cycles = sim_now(probe.sim) - START;
	mbox_probe_stop(&probe);
	return cycles;
}

/* A line is two frames northbound: 10 cycles, 17.07 GB/s. */
static void reads_reach_the_peak_of_the_link(void **state)
{
	struct mbox_config config = quiet();
	uint64_t cycles;

	(void)state;
	cycles = stream_cycles(&config, 20000, false);
	assert_in_range(cycles, 20000 * 10, 20000 * 10 * 102 / 100);
}

/* A line is four frames southbound: 20 cycles, half of that. */
static void writes_reach_half_of_it(void **state)
{
	struct mbox_config config = quiet();
	uint64_t cycles;

	(void)state;
	cycles = stream_cycles(&config, 20000, true);
	assert_in_range(cycles, 20000 * 20, 20000 * 20 * 102 / 100);
}

/* The same traffic, heard by all taps or by none. */
static void listening_changes_nothing(void **state)
{
	static struct dram_command heard[MAX_COMMANDS];
	struct mbox_config config;
	unsigned num_heard;

	(void)state;
	mbox_config_default(&config);
	stream_cycles(&config, 5000, false);
	num_heard = num_commands;
	memcpy(heard, commands, sizeof(heard));
	is_deaf = true;
	stream_cycles(&config, 5000, false);
	is_deaf = false;
	assert_int_equal(num_commands, num_heard);
	for (unsigned i = 0; i < num_heard; i++) {
		assert_int_equal(heard[i].clock, commands[i].clock);
		assert_int_equal(heard[i].cmd, commands[i].cmd);
		assert_int_equal(heard[i].row, commands[i].row);
		assert_int_equal(heard[i].column, commands[i].column);
	}
}

static void every_rank_is_refreshed_once_in_trefi(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.dram.trefi_clocks = 4160;
	start(&config);
	sim_run_until(probe.sim, 10 * 4160 * CLOCK + 10);
	/* 8 ranks; the last one came due just now. */
	assert_int_equal(probe.pulses[SIG_MBOX_REFRESH], 80);
	assert_int_equal(count_commands(DRAM_PREALL), 0);
	mbox_probe_stop(&probe);
}

/* The refresh of rank 0 comes due at clock 4160 / 8 = 520 and lasts 86. A read
 * that comes in between is put off to its end. */
static void read_meets_a_refresh(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.dram.trefi_clocks = 4160;
	start(&config);
	sim_run_until(probe.sim, 560 * CLOCK);
	read_line(line_at(0, 5, 0), 1);
	read_line(line_at(8, 5, 0), 2); /* another rank: not held up */
	run_for(1000);
	assert_int_equal(answers[1], (520 + 86) * CLOCK + READ_CLOSED);
	assert_int_equal(answers[2], 560 * CLOCK + READ_CLOSED);
	assert_int_equal(probe.pulses[SIG_MBOX_REFRESH_CONFLICT], 1);
	mbox_probe_stop(&probe);
}

static void refresh_closes_open_pages_first(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.dram.trefi_clocks = 4160;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	read_line(line_at(1, 5, 0), 2);
	run_for(520 * CLOCK);
	assert_int_equal(count_commands(DRAM_PREALL), 1);
	assert_int_equal(count_commands(DRAM_RFR), 1);
	assert_int_equal(commands[4].cmd, DRAM_PREALL);
	assert_int_equal(commands[4].clock, 520);
	assert_int_equal(commands[5].clock, 520 + 7); /* tRP */
	mbox_probe_stop(&probe);
}

static void calibration_follows_a_number_of_refreshes(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.dram.trefi_clocks = 4160;
	config.dram.zqcal_refreshes = 4;
	start(&config);
	sim_run_until(probe.sim, 8 * 4160 * CLOCK + 2000);
	assert_int_equal(count_commands(DRAM_ZQCAL), 2 * 8);
	mbox_probe_stop(&probe);
}

/* Last column command at clock (1000 + 20) / 5 + 7 = 211; 1000 cycles later. */
static void idle_page_is_closed(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	run_for(2000);
	assert_int_equal(num_commands, 3);
	assert_int_equal(commands[2].cmd, DRAM_PRE);
	assert_int_equal(commands[2].clock, 211 + 1000 / CLOCK);
	assert_int_equal(probe.pulses[SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS], 1);
	read_line(line_at(0, 5, 1), 2);
	run_for(1000);
	assert_int_equal(probe.pulses[SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY], 2);
	mbox_probe_stop(&probe);
}

static void closed_policy_closes_with_the_last_column(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.page_policy = MBOX_PAGE_CLOSED;
	start(&config);
	read_line(line_at(0, 5, 0), 1);
	read_line(line_at(0, 5, 1), 2);
	write_line(line_at(1, 5, 1), 3);
	run_for(1000);
	assert_int_equal(count_commands(DRAM_CAS_RD), 1);
	assert_int_equal(count_commands(DRAM_CASPRE_RD), 1);
	assert_int_equal(count_commands(DRAM_CASPRE_WR), 1);
	assert_int_equal(probe.signals[SIG_MBOX_PGT_STATE_CLOSED].level, 1);
	mbox_probe_stop(&probe);
}

static void adaptive_policy_follows_the_rows(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	start(&config);
	for (unsigned i = 0; i < 128; i++) {
		read_line(line_at(0, i, 0), i);
		run_for(300);
	}
	assert_int_equal(probe.pulses[SIG_MBOX_PGT_PAGE_EV_OPN2CLS], 1);
	assert_int_equal(probe.signals[SIG_MBOX_PGT_STATE_CLOSED].level, 1);
	for (unsigned i = 0; i < 128; i++) {
		read_line(line_at(0, 5, i), i);
		run_for(300);
	}
	assert_int_equal(probe.pulses[SIG_MBOX_PGT_PAGE_EV_CLS2OPN], 1);
	assert_int_equal(probe.signals[SIG_MBOX_PGT_STATE_OPEN].level, 1);
	mbox_probe_stop(&probe);
}

/* Acknowledged when it has its place: translated at once, response 10. Its four
 * data frames go before the column command; the next frame is 200, so the data
 * end with 203 and the command may go at 204 + 7 (activate at 204). */
static void write_is_acknowledged_and_done_later(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	write_line(line_at(0, 5, 0), 1);
	run_for(15);
	assert_int_equal(answers[1], START + 10);
	assert_false(mbox_idle(probe.mbox));
	run_for(1000);
	assert_int_equal(commands[1].cmd, DRAM_CAS_WR);
	assert_int_equal(commands[1].clock, 204 + 7);
	assert_int_equal(probe.pulses[SIG_MBOX_FRM_TYPE_WDAT], 4);
	assert_true(mbox_idle(probe.mbox));
	mbox_probe_stop(&probe);
}

static void commands_to_a_line_keep_their_order(void **state)
{
	static const uint8_t expected[] = { DRAM_RAS, DRAM_CAS_WR, DRAM_CAS_RD,
					    DRAM_CAS_WR, DRAM_CAS_RD };
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	write_line(line_at(0, 5, 0), 1);
	read_line(line_at(0, 5, 0), 2);
	write_line(line_at(0, 5, 0), 3);
	read_line(line_at(0, 5, 0), 4);
	run_for(2000);
	assert_int_equal(num_commands, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(commands[i].cmd, expected[i]);
	mbox_probe_stop(&probe);
}

/* In read priority mode reads overtake writes to other banks; in write priority
 * mode it is the other way round. */
static void mode_decides_who_is_first(void **state)
{
	static const struct {
		enum mbox_sched sched;
		unsigned level, first;
	} cases[] = {
		{ MBOX_SCHED_RDPRIO, SIG_MBOX_SCHED_MODE_RDPRIO, DRAM_CAS_RD },
		{ MBOX_SCHED_WRPRIO, SIG_MBOX_SCHED_MODE_WRPRIO, DRAM_CAS_WR },
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct mbox_config config = quiet();
		unsigned at = 0;

		config.sched = cases[i].sched;
		start(&config);
		assert_int_equal(probe.signals[cases[i].level].level, 1);
		for (unsigned j = 0; j < 4; j++) {
			write_line(line_at(j, 5, 0), j);
			read_line(line_at(8 + j, 5, 0), 8 + j);
		}
		run_for(2000);
		for (unsigned j = 0; j < num_commands; j++) {
			if (commands[j].cmd != DRAM_CAS_RD &&
			    commands[j].cmd != DRAM_CAS_WR)
				continue;
			assert_int_equal(commands[j].cmd == cases[i].first,
					 at++ < 4);
		}
		assert_int_equal(at, 8);
		mbox_probe_stop(&probe);
	}
}

static void ready_again(void *object, uint64_t argument)
{
	(void)argument;
	assert_true(mbox_ready(probe.mbox));
	++*(unsigned *)object;
}

/* Every read wants another row of one bank: one is dispatched, the others wait
 * until the retry queue of 16 is full; it takes commands again at 12. */
static void full_retry_queue_stops_the_bbox(void **state)
{
	struct mbox_config config = quiet();
	unsigned num = 0, resumed = 0;

	(void)state;
	start(&config);
	mbox_on_ready(probe.mbox, ready_again, &resumed, 0);
	while (mbox_ready(probe.mbox)) {
		read_line(line_at(0, num, 0), num);
		num++;
	}
	assert_int_equal(num, 17);
	assert_int_equal(probe.signals[SIG_MBOX_MFULL].level, 1);
	assert_int_equal(probe.signals[SIG_MBOX_RETRYQ_STARVED].level, 1);
	assert_int_equal(probe.pulses[SIG_MBOX_RETRY_MFULL], 1);
	/* The one that made it starved, and eight more. */
	assert_int_equal(probe.pulses[SIG_MBOX_RETRY_STARVE], 9);
	run_for(10000);
	assert_int_equal(resumed, 1);
	assert_int_equal(num_answers, 17);
	assert_int_equal(probe.signals[SIG_MBOX_MFULL].level, 0);
	/* Full from the 17th on until four have left: a row cycle each. */
	assert_int_equal(mbox_probe_area(&probe, SIG_MBOX_MFULL),
			 20 + 7 * CLOCK + 3 * 27 * CLOCK);
	mbox_probe_stop(&probe);
}

static void dispatch_queue_shows_full_and_empty(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.read_queue_entries = 4;
	start(&config);
	assert_int_equal(probe.signals[SIG_MBOX_DSP_RDQ_EMPTY].level, 1);
	assert_int_equal(probe.signals[SIG_MBOX_DSP_WRQ_EMPTY].level, 1);
	for (unsigned i = 0; i < 6; i++)
		read_line(line_at(i, 5, 0), i);
	assert_int_equal(probe.signals[SIG_MBOX_DSP_RDQ_FULL].level, 1);
	assert_int_equal(probe.signals[SIG_MBOX_DSP_RDQ_EMPTY].level, 0);
	assert_int_equal(probe.pulses[SIG_MBOX_RETRIES], 2);
	run_for(2000);
	assert_int_equal(num_answers, 6);
	assert_int_equal(probe.signals[SIG_MBOX_DSP_RDQ_EMPTY].level, 1);
	mbox_probe_stop(&probe);
}

/* From acceptance to the column command: front 20 and tRCD. */
static void occupancy_of_an_fvid_is_its_time_in_the_scheduler(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	start(&config);
	read_line(line_at(0, 5, 0), 7);
	run_for(1000);
	assert_int_equal(mbox_probe_area(&probe, SIG_MBOX_SCHEDQ_READS + 7),
			 20 + 7 * CLOCK);
	assert_int_equal(mbox_probe_area(&probe, SIG_MBOX_SCHEDQ_ALL + 7),
			 20 + 7 * CLOCK);
	assert_int_equal(mbox_probe_area(&probe, SIG_MBOX_SCHEDQ_READS + 6), 0);
	mbox_probe_stop(&probe);
}

static void patrol_scrub_reads_one_line_an_interval(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	config.patrol_interval_cycles = 500;
	start(&config);
	sim_run_until(probe.sim, 10 * 500 + 400);
	assert_int_equal(probe.pulses[SIG_MBOX_PATROL_TXNS], 10);
	assert_int_equal(probe.pulses[SIG_MBOX_BCMD_READS], 10);
	assert_int_equal(probe.pulses[SIG_MBOX_BBOX_CMDS_ALL], 10);
	assert_int_equal(probe.pulses[SIG_MBOX_RSP_ACK], 0);
	assert_int_equal(count_commands(DRAM_CAS_RD), 10);
	assert_true(mbox_idle(probe.mbox));
	mbox_probe_stop(&probe);
}

static void place_and_line_are_inverse(void **state)
{
	struct dram_config config;
	struct dram dram;
	uint64_t seed = 1;

	(void)state;
	dram_config_default(&config);
	for (unsigned i = 0; i < 4; i++) {
		config.buses = i & 1 ? 1 : 2;
		config.ranks = i & 2 ? 8 : 2;
		config.bank_hash = i & 1;
		dram_init(&dram, &config);
		for (unsigned j = 0; j < 10000; j++) {
			uint64_t line;

			seed = seed * 6364136223846793005u +
			       1442695040888963407u;
			line = (seed >> 20) % dram.num_lines;
			assert_int_equal(
				dram_line_at(&dram, dram_place_of(&dram, line)),
				line);
		}
	}
}

static void bad_settings_are_named(void **state)
{
	struct mbox_config config = quiet();

	(void)state;
	assert_null(mbox_config_check(&config));
	config.dram.ranks = 3;
	assert_string_equal(mbox_config_check(&config),
			    "a DDR3 bus has 1, 2, 4 or 8 ranks");
	config = quiet();
	config.write_low_entries = config.write_high_entries;
	assert_non_null(mbox_config_check(&config));
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(idle_read_takes_activate_column_and_burst),
		cmocka_unit_test(page_hit_saves_the_activate),
		cmocka_unit_test(page_miss_adds_the_precharge),
		cmocka_unit_test(commands_go_with_frames),
		cmocka_unit_test(hits_on_one_bus_follow_at_tccd),
		cmocka_unit_test(two_buses_fill_the_link),
		cmocka_unit_test(
			other_row_of_a_busy_bank_waits_for_the_row_cycle),
		cmocka_unit_test(fifth_activate_waits_for_the_first),
		cmocka_unit_test(reads_reach_the_peak_of_the_link),
		cmocka_unit_test(writes_reach_half_of_it),
		cmocka_unit_test(listening_changes_nothing),
		cmocka_unit_test(every_rank_is_refreshed_once_in_trefi),
		cmocka_unit_test(read_meets_a_refresh),
		cmocka_unit_test(refresh_closes_open_pages_first),
		cmocka_unit_test(calibration_follows_a_number_of_refreshes),
		cmocka_unit_test(idle_page_is_closed),
		cmocka_unit_test(closed_policy_closes_with_the_last_column),
		cmocka_unit_test(adaptive_policy_follows_the_rows),
		cmocka_unit_test(write_is_acknowledged_and_done_later),
		cmocka_unit_test(commands_to_a_line_keep_their_order),
		cmocka_unit_test(mode_decides_who_is_first),
		cmocka_unit_test(full_retry_queue_stops_the_bbox),
		cmocka_unit_test(dispatch_queue_shows_full_and_empty),
		cmocka_unit_test(
			occupancy_of_an_fvid_is_its_time_in_the_scheduler),
		cmocka_unit_test(patrol_scrub_reads_one_line_an_interval),
		cmocka_unit_test(place_and_line_are_inverse),
		cmocka_unit_test(bad_settings_are_named),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
