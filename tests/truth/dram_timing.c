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

#include "model/box/dram_check.h"
#include "tests/model/mbox_probe.h"

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
enum { MAX_ASKED = 256, PATROL_LINES = 1 << 14 };

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

/* Random traffic that a B-Box could send: up to `outstanding` commands, some
 * of them near the last one, some for a few banks only. */
struct traffic {
	struct mbox_probe *probe;
	uint64_t seed;
	uint64_t line;
	unsigned outstanding, num_left, num_out;
	unsigned write_percent, near_percent;
	unsigned max_gap_cycles;
	uint64_t num_answers, num_reads, num_writes;
	bool is_asleep;
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
	traffic->line %= mbox_num_lines(traffic->probe->mbox);
	traffic->line |= PATROL_LINES;
}

static void send_next(void *object, uint64_t argument)
{
	struct traffic *traffic = object;
	struct mbox *mbox = traffic->probe->mbox;
	unsigned fvid = traffic->num_left % 64;

	(void)argument;
	if (!traffic->num_left)
		return;
	if (traffic->num_out == traffic->outstanding || !mbox_ready(mbox)) {
		traffic->is_asleep = true;
		return;
	}
	pick_line(traffic);
	traffic->num_left--;
	traffic->num_out++;
	if (draw(traffic) % 100 < traffic->write_percent) {
		traffic->num_writes++;
		order_ask(traffic->line, true);
		mbox_write(mbox, traffic->line, traffic->line * 64, fvid,
			   answered, traffic, 0);
	} else {
		traffic->num_reads++;
		order_ask(traffic->line, false);
		mbox_read(mbox, traffic->line, traffic->line * 64, fvid,
			  answered, traffic, 0);
	}
	sim_at(traffic->probe->sim,
	       sim_now(traffic->probe->sim) + 1 +
		       draw(traffic) % traffic->max_gap_cycles,
	       send_next, traffic, 0);
}

static void woken(void *object, uint64_t argument)
{
	struct traffic *traffic = object;

	(void)argument;
	if (!traffic->is_asleep)
		return;
	traffic->is_asleep = false;
	send_next(traffic, 0);
}

static void check_laws(const struct mbox_probe *probe,
		       const struct traffic *traffic)
{
	const uint64_t *n = probe->pulses, *cmd = probe->commands;
	uint64_t columns = cmd[DRAM_CAS_RD] + cmd[DRAM_CAS_WR] +
			   cmd[DRAM_CASPRE_RD] + cmd[DRAM_CASPRE_WR];
	uint64_t reads = cmd[DRAM_CAS_RD] + cmd[DRAM_CASPRE_RD];
	uint64_t patrols = n[SIG_MBOX_PATROL_TXNS];

	assert_int_equal(traffic->num_answers,
			 traffic->num_reads + traffic->num_writes);
	assert_int_equal(n[SIG_MBOX_RSP_ACK], traffic->num_answers);
	assert_int_equal(n[SIG_MBOX_BCMD_READS], traffic->num_reads + patrols);
	assert_int_equal(n[SIG_MBOX_BCMD_WRITES], traffic->num_writes);
	assert_int_equal(n[SIG_MBOX_BBOX_CMDS_ALL],
			 n[SIG_MBOX_BCMD_READS] + n[SIG_MBOX_BCMD_WRITES]);
	assert_int_equal(reads, n[SIG_MBOX_BCMD_READS]);
	assert_int_equal(columns, n[SIG_MBOX_BBOX_CMDS_ALL]);
	assert_int_equal(columns, n[SIG_MBOX_PAGE_HIT] + n[SIG_MBOX_PAGE_MISS] +
					  n[SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY]);
	assert_int_equal(cmd[DRAM_RAS],
			 n[SIG_MBOX_PAGE_MISS] +
				 n[SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY]);
	assert_int_equal(cmd[DRAM_PRE],
			 n[SIG_MBOX_PAGE_MISS] +
				 n[SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS]);
	assert_int_equal(cmd[DRAM_RFR], n[SIG_MBOX_REFRESH]);
	assert_int_equal(n[SIG_MBOX_TRANS_CMDS], columns);
	assert_int_equal(n[SIG_MBOX_FRM_TYPE_WDAT], 4 * traffic->num_writes);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(probe->signals[SIG_MBOX_SCHEDQ_ALL + i].level,
				 0);
}

struct setting {
	enum mbox_page_policy policy;
	enum mbox_sched sched;
	unsigned write_percent, near_percent, max_gap_cycles, outstanding;
};

static void run_config(const struct setting *setting, unsigned num,
		       struct mbox_config config)
{
	static struct mbox_probe probe;
	static struct checker checker;
	struct traffic traffic = {
		.probe = &probe,
		.seed = 88172645463325252u + setting->write_percent,
		.outstanding = setting->outstanding,
		.num_left = num,
		.write_percent = setting->write_percent,
		.near_percent = setting->near_percent,
		.max_gap_cycles = setting->max_gap_cycles,
	};

	config.page_policy = setting->policy;
	config.sched = setting->sched;
	config.patrol_interval_cycles = 5000;
	assert_null(mbox_config_check(&config));
	mbox_probe_start(&probe, &config);
	checker_start(&checker, &config.dram);
	dram_init(&order.dram, &config.dram);
	order.num = 0;
	mbox_trace(probe.mbox, check_with_order, &checker);
	mbox_on_ready(probe.mbox, woken, &traffic, 0);
	sim_at(probe.sim, 1, send_next, &traffic, 0);
	while (traffic.num_left || !mbox_idle(probe.mbox)) {
		uint64_t before = traffic.num_answers;

		sim_run_until(probe.sim, sim_now(probe.sim) + 1000000);
		if (traffic.num_answers == before)
			fail_msg("nothing moves: %u left", traffic.num_left);
	}
	/* The last scrub may be under way: stop between two of them. */
	while (sim_now(probe.sim) % 5000 != 4000)
		sim_run_until(probe.sim, sim_now(probe.sim) + 1);
	if (checker.fault[0])
		fail_msg("%s", checker.fault);
	assert_in_range(checker.num_commands, num, UINT64_MAX);
	if (config.dram.trefi_clocks) {
		assert_in_range(checker.num_kinds[DRAM_RFR], 1, UINT64_MAX);
		assert_in_range(checker.num_kinds[DRAM_ZQCAL], 1, UINT64_MAX);
	}
	assert_int_equal(order.num, 0);
	check_laws(&probe, &traffic);
	mbox_probe_stop(&probe);
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

int main(void)
{
	const struct CMUnitTest all[] = {
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
