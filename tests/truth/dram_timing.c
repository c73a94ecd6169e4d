/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Truth from outside: the checker of DDR3 commands, which shares nothing with
 * the scheduler, over random traffic for M-Boxes of many shapes; and laws
 * between what the M-Box was asked, the commands it gave and what it counted.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/station/dram_check.h"
#include "tests/nehalem-ex/memory_rig.h"

/* The checker, and what it was shown. */
struct checker {
	struct dram_config config;
	struct dram_check *rules;
	uint64_t num_commands;
	uint64_t num_kinds[32];
	char fault[256]; /* first one */
};

static bool is_write_command(unsigned cmd)
{
	return cmd == DRAM_CAS_WR || cmd == DRAM_CASPRE_WR;
}

static bool is_column_command(unsigned cmd)
{
	return is_write_command(cmd) || cmd == DRAM_CAS_RD ||
	       cmd == DRAM_CASPRE_RD;
}

static void fault(struct checker *checker, const char *what,
		  const struct dram_command *command)
{
	if (!checker->fault[0])
		snprintf(checker->fault, sizeof(checker->fault),
			 "%s: command 0x%x at clock %" PRIu64
			 " to bus %u rank %u bank %u row %u",
			 what, command->cmd, command->clock, command->bus,
			 command->rank, command->bank, command->row);
}

static void check(void *object, const struct dram_command *command)
{
	struct checker *checker = object;
	const char *wrong;

	dram_check_command(checker->rules, command);
	wrong = dram_check_fault(checker->rules);
	if (wrong && !checker->fault[0])
		snprintf(checker->fault, sizeof(checker->fault), "%s", wrong);
	checker->num_kinds[command->cmd & 31]++;
	checker->num_commands++;
}

static void checker_start(struct checker *checker,
			  const struct dram_config *config)
{
	memset(checker, 0, sizeof(*checker));
	checker->config = *config;
	checker->rules = dram_check_new(config);
	assert_non_null(checker->rules);
}

static void checker_stop(struct checker *checker)
{
	dram_check_free(checker->rules);
}

/* Column commands to a line come in the order in which the M-Box got the
 * transactions. */
enum { MAX_ASKED = 256, PATROL_LINES = 1 << 14, PATROL_CYCLES = 5000 };

static struct {
	struct dram dram; /* for its map of lines */
	struct {
		uint64_t line;
		bool is_write;
	} asked[MAX_ASKED];
	unsigned num;
} order;

static void order_ask(uint64_t line, bool is_write)
{
	assert_in_range(order.num, 0, MAX_ASKED - 1);
	order.asked[order.num].line = line;
	order.asked[order.num++].is_write = is_write;
}

static void order_check(struct checker *checker, const struct dram_command *b)
{
	const struct dram_config *c = &checker->config;
	unsigned bank = (b->bus * c->ranks + b->rank) * c->banks + b->bank;
	bool is_write = is_write_command(b->cmd);
	unsigned at = 0;
	uint64_t line = dram_line_at(
		&order.dram,
		(struct dram_place){ b->row, b->column, (uint8_t)bank });

	while (at < order.num && order.asked[at].line != line)
		at++;
	if (at == order.num) {
		if (is_write || line >= PATROL_LINES)
			fault(checker, "a transaction nobody asked for", b);
		return;
	}
	if (order.asked[at].is_write != is_write)
		fault(checker, "transactions of a line out of order", b);
	order.num--;
	memmove(&order.asked[at], &order.asked[at + 1],
		(order.num - at) * sizeof(order.asked[0]));
}

static void check_with_order(void *object, const struct dram_command *command)
{
	struct checker *checker = object;

	check(checker, command);
	if (is_column_command(command->cmd))
		order_check(checker, command);
}

/* The packets of DRAM_CMD by code, as a filter of the PMU tells them apart. */
static const uint8_t codes[] = {
	DRAM_RAS,	DRAM_PRE,	DRAM_CAS_RD, DRAM_CAS_WR,
	DRAM_CASPRE_RD, DRAM_CASPRE_WR, DRAM_RFR,
};

enum { NUM_CODES = sizeof(codes) };

static struct filter filters[NUM_CODES];

static struct tap_wish wish_for(unsigned i)
{
	filters[i].care.dram_cmd = UINT8_MAX;
	filters[i].match.dram_cmd = codes[i];
	filters[i].states = UINT16_MAX;
	memset(filters[i].opcodes, 0xff, sizeof(filters[i].opcodes));
	return (struct tap_wish){ .filter = &filters[i],
				  .signal = SIG_MBOX_DRAM_CMD };
}

static void codes_begin(void)
{
	for (unsigned i = 0; i < NUM_CODES; i++) {
		struct tap_wish wish = wish_for(i);

		assert_true(tap_sums_begin(rig.bank, &wish));
	}
}

static uint64_t packets(enum dram_cmd cmd)
{
	for (unsigned i = 0; i < NUM_CODES; i++) {
		struct tap_wish wish = wish_for(i);

		if (codes[i] == cmd)
			return tap_sums(rig.bank, &wish).total;
	}
	fail_msg("nobody asked for the packets of 0x%x", cmd);
	return 0;
}

/* Random traffic that a B-Box could send: up to `outstanding` commands, some
 * of them near the last one, some for a few banks only. */
struct traffic {
	uint64_t seed;
	uint64_t line;
	unsigned outstanding, num_left, num_out;
	unsigned write_percent, near_percent;
	unsigned max_gap_cycles;
	uint64_t num_answers, num_reads, num_writes;
	bool is_asleep; /* until an answer comes */
};

static uint64_t draw(struct traffic *traffic)
{
	traffic->seed ^= traffic->seed << 13;
	traffic->seed ^= traffic->seed >> 7;
	traffic->seed ^= traffic->seed << 17;
	return traffic->seed >> 11;
}

static void send_next(void *object, uint64_t argument);

static void answered(void *object, uint64_t argument)
{
	struct traffic *traffic = object;

	(void)argument;
	traffic->num_out--;
	traffic->num_answers++;
	if (traffic->is_asleep) {
		traffic->is_asleep = false;
		send_next(traffic, 0);
	}
}

static void pick_line(struct traffic *traffic)
{
	uint64_t kind = draw(traffic) % 100;

	if (kind < traffic->near_percent)
		traffic->line++;
	else if (kind % 4 == 0) /* few banks, many rows */
		traffic->line = (draw(traffic) % 64) << 20;
	else
		traffic->line = draw(traffic);
	/* The first lines are the scrubber's. */
	traffic->line %= memory_num_lines(rig.memory);
	traffic->line |= PATROL_LINES;
}

/* A command that arrives now; the cycle of its answer. */
static uint64_t ask(struct traffic *traffic, unsigned fvid)
{
	bool is_write = draw(traffic) % 100 < traffic->write_percent;

	traffic->num_writes += is_write;
	traffic->num_reads += !is_write;
	order_ask(traffic->line, is_write);
	return is_write ? rig_write(traffic->line, fvid, rig_now())
			: rig_read(traffic->line, fvid, rig_now());
}

static void send_next(void *object, uint64_t argument)
{
	struct traffic *traffic = object;
	uint64_t now = rig_now();
	uint64_t ready = memory_ready_from(&rig.ex, rig.memory, now);
	unsigned fvid = traffic->num_left % 64;
	uint64_t answer;

	(void)argument;
	if (!traffic->num_left)
		return;
	traffic->is_asleep = traffic->num_out == traffic->outstanding;
	if (traffic->is_asleep)
		return;
	if (ready > now) {
		sim_at(rig.ex.engine.sim, ready, send_next, traffic, 0);
		return;
	}
	pick_line(traffic);
	traffic->num_left--;
	traffic->num_out++;
	answer = ask(traffic, fvid);
	if (answer <= now)
		fail_msg("an answer comes in cycle %" PRIu64
			 " to what was asked in %" PRIu64,
			 answer, now);
	sim_at(rig.ex.engine.sim, answer, answered, traffic, 0);
	sim_at(rig.ex.engine.sim,
	       now + 1 + draw(traffic) % traffic->max_gap_cycles, send_next,
	       traffic, 0);
}

/* What was asked, what was counted and what the DIMMs were told agree. */
static void check_answers(const struct traffic *traffic)
{
	uint64_t patrols = rig_sum(SIG_MBOX_PATROL_TXNS);

	assert_int_equal(traffic->num_answers,
			 traffic->num_reads + traffic->num_writes);
	assert_int_equal(rig_sum(SIG_MBOX_RSP_ACK), traffic->num_answers);
	assert_int_equal(rig_sum(SIG_MBOX_BCMD_READS),
			 traffic->num_reads + patrols);
	assert_int_equal(rig_sum(SIG_MBOX_BCMD_WRITES), traffic->num_writes);
	assert_int_equal(rig_sum(SIG_MBOX_BBOX_CMDS_ALL),
			 rig_sum(SIG_MBOX_BCMD_READS) +
				 rig_sum(SIG_MBOX_BCMD_WRITES));
}

static void check_commands(const struct checker *checker)
{
	uint64_t reads = packets(DRAM_CAS_RD) + packets(DRAM_CASPRE_RD);
	uint64_t writes = packets(DRAM_CAS_WR) + packets(DRAM_CASPRE_WR);
	uint64_t empty = rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY);
	uint64_t missed = rig_sum(SIG_MBOX_PAGE_MISS);
	uint64_t closed = rig_sum(SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS);

	assert_int_equal(reads, rig_sum(SIG_MBOX_BCMD_READS));
	assert_int_equal(writes, rig_sum(SIG_MBOX_BCMD_WRITES));
	assert_int_equal(reads + writes,
			 rig_sum(SIG_MBOX_PAGE_HIT) + missed + empty);
	assert_int_equal(packets(DRAM_RAS), missed + empty);
	assert_int_equal(packets(DRAM_PRE), missed + closed);
	assert_int_equal(packets(DRAM_RFR), rig_sum(SIG_MBOX_REFRESH));
	assert_int_equal(rig_sum(SIG_MBOX_TRANS_CMDS), reads + writes);
	for (unsigned i = 0; i < NUM_CODES; i++)
		assert_int_equal(packets(codes[i]),
				 checker->num_kinds[codes[i]]);
	/* all but NOPs, of ranks that are initialised or wake up */
	assert_int_equal(rig_sum(SIG_MBOX_DRAM_CMD),
			 checker->num_commands - checker->num_kinds[DRAM_NOP]);
}

static void check_laws(const struct checker *checker,
		       const struct traffic *traffic)
{
	tap_look(rig.bank);
	check_answers(traffic);
	check_commands(checker);
	/* A frame of data in which a SYNC goes, where its period has no empty
	 * one, is a SYNC frame. */
	assert_in_range(4 * traffic->num_writes -
				rig_sum(SIG_MBOX_FRM_TYPE_WDAT),
			0, rig_sum(SIG_MBOX_FRM_TYPE_SYNC));
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(tap_level(rig.bank, SIG_MBOX_SCHEDQ_ALL + i),
				 0);
}

struct setting {
	enum mbox_page_policy policy;
	enum mbox_sched sched;
	unsigned write_percent, near_percent, max_gap_cycles, outstanding;
};

/* Until everything is done. Looks between two scrubs, since one may be under
 * way else, and stops at the beginning of a DRAM clock. */
static void run_out(const struct traffic *traffic,
		    const struct mbox_config *config)
{
	unsigned clock = config->dram.cycles_per_clock;

	rig_run(PATROL_CYCLES * 4 / 5);
	while (traffic->num_left || !memory_is_idle(rig.memory, rig_now())) {
		uint64_t before = traffic->num_answers;

		rig_run(200 * PATROL_CYCLES);
		if (traffic->num_answers == before)
			fail_msg("nothing moves: %u left", traffic->num_left);
	}
	rig_run_to((rig_now() + clock - 1) / clock * clock);
}

static void check_trace(const struct checker *checker,
			const struct mbox_config *config, unsigned num)
{
	if (checker->fault[0])
		fail_msg("%s", checker->fault);
	assert_in_range(checker->num_commands, num, UINT64_MAX);
	if (config->dram.trefi_clocks) {
		assert_in_range(checker->num_kinds[DRAM_RFR], 1, UINT64_MAX);
		assert_in_range(checker->num_kinds[DRAM_ZQCAL], 1, UINT64_MAX);
	}
	assert_int_equal(order.num, 0);
}

static void run_config(const struct setting *setting, unsigned num,
		       struct mbox_config config)
{
	static struct checker checker;
	struct traffic traffic = {
		.seed = 88172645463325252u + setting->write_percent,
		.outstanding = setting->outstanding,
		.num_left = num,
		.write_percent = setting->write_percent,
		.near_percent = setting->near_percent,
		.max_gap_cycles = setting->max_gap_cycles,
	};

	config.page_policy = setting->policy;
	config.sched = setting->sched;
	config.patrol_interval_cycles = PATROL_CYCLES;
	config.has_check = true; /* its trace begins with the first command */
	checker_start(&checker, &config.dram);
	dram_init(&order.dram, &config.dram);
	order.num = 0;
	rig_start(config, NULL, true);
	codes_begin();
	assert_int_equal(memory_trace(rig.memory, check_with_order, &checker),
			 0);
	sim_at(rig.ex.engine.sim, 1, send_next, &traffic, 0);
	run_out(&traffic, &config);
	check_trace(&checker, &config, num);
	check_laws(&checker, &traffic);
	rig_stop();
	checker_stop(&checker);
}

static void run_setting(const struct setting *setting, unsigned num)
{
	struct mbox_config config;

	mbox_config_default(&config);
	config.dram.zqcal_refreshes = 16;
	run_config(setting, num, config);
}

static void open_pages_reads_and_writes_keep_every_rule(void **state)
{
	(void)state;
	run_setting(&(struct setting){ MBOX_PAGE_OPEN, MBOX_SCHED_TRADEOFF, 33,
				       50, 20, 48 },
		    60000);
}

static void closed_pages_reads_and_writes_keep_every_rule(void **state)
{
	(void)state;
	run_setting(&(struct setting){ MBOX_PAGE_CLOSED, MBOX_SCHED_RDPRIO, 33,
				       30, 20, 48 },
		    60000);
}

static void adaptive_pages_light_load_keep_every_rule(void **state)
{
	(void)state;
	run_setting(&(struct setting){ MBOX_PAGE_ADAPTIVE, MBOX_SCHED_ADAPTIVE,
				       20, 60, 900, 8 },
		    20000);
}

static void adaptive_pages_heavy_load_keep_every_rule(void **state)
{
	(void)state;
	run_setting(&(struct setting){ MBOX_PAGE_ADAPTIVE, MBOX_SCHED_ADAPTIVE,
				       60, 10, 4, 64 },
		    60000);
}

static void writes_first_keep_every_rule(void **state)
{
	(void)state;
	run_setting(&(struct setting){ MBOX_PAGE_OPEN, MBOX_SCHED_WRPRIO, 50,
				       80, 4, 64 },
		    60000);
}

static void reads_only_keep_every_rule(void **state)
{
	(void)state;
	run_setting(&(struct setting){ MBOX_PAGE_OPEN, MBOX_SCHED_RDPRIO, 0, 90,
				       3, 64 },
		    60000);
}

/* Other machines: one bus or one rank, queues of a few entries, other timings.
 * Whatever the machine, nothing stops and no rule is broken. */
static void odd_machines_keep_every_rule(void **state)
{
	static const struct setting settings[] = {
		{ MBOX_PAGE_OPEN, MBOX_SCHED_RDPRIO, 50, 30, 5, 32 },
		{ MBOX_PAGE_CLOSED, MBOX_SCHED_WRPRIO, 40, 50, 9, 32 },
		{ MBOX_PAGE_ADAPTIVE, MBOX_SCHED_ADAPTIVE, 30, 70, 60, 32 },
		{ MBOX_PAGE_ADAPTIVE, MBOX_SCHED_TRADEOFF, 70, 20, 3, 64 },
	};

	(void)state;
	for (unsigned i = 0; i < 24; i++) {
		struct mbox_config config;
		struct dram_config *d = &config.dram;

		mbox_config_default(&config);
		d->buses = i & 1 ? 1 : 2;
		d->ranks = 1u << i % 4;
		d->rows = i % 3 ? 1000 : 32768;
		d->zqcal_refreshes = 2;
		d->trefi_clocks = i % 5 ? 1000 : 0;
		d->burst_clocks = i % 6 == 4 ? 4 : 2;
		d->trtrs_clocks = i % 3;
		d->cycles_per_clock = 3 + i % 4;
		config.read_queue_entries = 1 + i % 7;
		config.write_queue_entries = 1 + i % 5;
		config.write_high_entries = config.write_queue_entries;
		config.write_low_entries = config.write_queue_entries / 2;
		config.retry_queue_entries = 2 + i % 3;
		config.retry_resume_entries = i % 2;
		config.retry_starve_entries = 1;
		config.page_idle_cycles = i % 4 * 100;
		config.front_cycles = i % 3 * 7;
		config.power_down_cycles = i % 4 * 70;
		config.has_init = i % 8 > 3;
		run_config(&settings[i / 6], 3000, config);
	}
}

/* The checker itself: it has to see what is planted. */
static void checker_finds_planted_faults(void **state)
{
	static const struct {
		struct dram_command commands[3];
		const char *expected;
	} cases[] = {
		{ { { .clock = 10, .cmd = DRAM_RAS, .row = 1 },
		    { .clock = 16, .cmd = DRAM_CAS_RD, .row = 1 } },
		  "tRCD" },
		{ { { .clock = 10, .cmd = DRAM_RAS },
		    { .clock = 13, .cmd = DRAM_RAS, .bank = 1 } },
		  "tRRD" },
		{ { { .clock = 10, .cmd = DRAM_RAS, .row = 1 },
		    { .clock = 17, .cmd = DRAM_CAS_WR, .row = 1 },
		    { .clock = 28, .cmd = DRAM_CAS_RD, .row = 1 } },
		  "tWTR" },
		{ { { .clock = 10, .cmd = DRAM_RFR },
		    { .clock = 95, .cmd = DRAM_RAS } },
		  "tRFC" },
		{ { { .clock = 10, .cmd = DRAM_RAS, .row = 1 },
		    { .clock = 20, .cmd = DRAM_CAS_RD, .row = 2 } },
		  "column command to another row" },
	};
	static struct checker checker;
	struct dram_config config;

	(void)state;
	dram_config_default(&config);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		checker_start(&checker, &config);
		for (unsigned j = 0; j < 3 && cases[i].commands[j].cmd; j++)
			check(&checker, &cases[i].commands[j]);
		assert_memory_equal(checker.fault, cases[i].expected,
				    strlen(cases[i].expected));
		checker_stop(&checker);
	}
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
	struct mbox_config config = rig_config();

	(void)state;
	assert_null(mbox_config_check(&config));
	config.dram.ranks = 3;
	assert_string_equal(mbox_config_check(&config),
			    "a DDR3 bus has 1, 2, 4 or 8 ranks");
	config = rig_config();
	config.write_low_entries = config.write_high_entries;
	assert_non_null(mbox_config_check(&config));
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(place_and_line_are_inverse),
		cmocka_unit_test(bad_settings_are_named),
		cmocka_unit_test(checker_finds_planted_faults),
		cmocka_unit_test(open_pages_reads_and_writes_keep_every_rule),
		cmocka_unit_test(closed_pages_reads_and_writes_keep_every_rule),
		cmocka_unit_test(adaptive_pages_light_load_keep_every_rule),
		cmocka_unit_test(adaptive_pages_heavy_load_keep_every_rule),
		cmocka_unit_test(writes_first_keep_every_rule),
		cmocka_unit_test(reads_only_keep_every_rule),
		cmocka_unit_test(odd_machines_keep_every_rule),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
