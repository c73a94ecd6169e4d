/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A memory channel under random traffic, whose requests come in an order that
 * is not that of their times: laws that hold whatever the scheduler does,
 * between what was asked, the DRAM commands as the checker sees them, and the
 * events. And how much of its bandwidth streams get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "imc_rig.h"

#define SUM(name) rig_sum(SIG_IMC_##name)

enum {
	TREFI = 6240,
	REQUESTS = 6000,
	FRONT = 4,
	AFTER_COLUMN = 11 + 4 + 4, /* CL, burst, way back */
	MOST_CLOCKS = 40000,
};

static struct {
	unsigned reads, writes;
	uint64_t stays; /* clocks between entry and column command of reads */
} asked;

static void all_on(unsigned policy)
{
	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = TREFI;
	rig.param[PARAM_DRAM_BANK_HASH] = 1;
	rig.param[PARAM_IMC_PAGE_POLICY] = policy;
	rig.param[PARAM_IMC_PAGE_IDLE] = 200;
	rig.param[PARAM_IMC_POWER_DOWN] = 1 + policy % 2;
	rig.param[PARAM_IMC_POWER_DOWN_IDLE] = 300;
	rig.param[PARAM_IMC_SELF_REFRESH] = 3000;
	memset(&asked, 0, sizeof(asked));
}

/* Lines of few rows, so that there are hits, misses and the same line again;
 * those of reads and writes are others where `apart`. */
static uint64_t any_line(bool is_write, bool apart)
{
	unsigned row = (unsigned)rig_random(3) * 2 + (apart && is_write);

	return rig_line((unsigned)rig_random(4), (unsigned)rig_random(3), row,
			(unsigned)rig_random(6));
}

static void ask(unsigned share, bool apart)
{
	bool is_write = rig_random(100) < share;
	uint64_t at = engine_now(&rig.ep.engine) + rig_random(120);
	uint64_t line = any_line(is_write, apart), back;
	unsigned kind = (unsigned)rig_random(apart ? 1 : 20);

	if (is_write) {
		asked.writes++;
		rig_write(line, at);
		return;
	}
	asked.reads++;
	at = imc_read_from(rig.imc, at);
	back = kind == 1   ? rig_isoch(line, at)
	       : kind == 2 ? rig_underfill(line, at)
			   : rig_read(line, at);
	asked.stays += back - AFTER_COLUMN - at;
}

/* Requests in occupancies, with times in which nobody comes. */
static void traffic(unsigned requests, bool apart)
{
	for (unsigned i = 0; i < requests; i++) {
		uint64_t pause = i % 100 ? rig_random(24) : rig_random(9000);

		rig_run_to(engine_now(&rig.ep.engine) + pause);
		ask(i / 500 % 2 ? 60 : 20, apart);
	}
}

static bool is_column(const struct dram_command *command)
{
	return command->cmd == DRAM_CAS_RD || command->cmd == DRAM_CAS_WR;
}

/* The commands again, and how many rows were closed, and how. */
static void replay(unsigned *closed, unsigned *open)
{
	bool is_open[4][8] = { { 0 } };

	for (unsigned i = 0; i < rig.num_commands; i++) {
		const struct dram_command *c = &rig.commands[i];
		bool *rank = is_open[c->rank];

		switch (c->cmd) {
		case DRAM_RAS: rank[c->bank] = true; break;
		case DRAM_PRE:
		case DRAM_CASPRE_RD:
		case DRAM_CASPRE_WR:
			rank[c->bank] = false;
			++*closed;
			break;
		case DRAM_PREALL:
			for (unsigned b = 0; b < 8; b++)
				*closed += rank[b];
			memset(rank, 0, sizeof(is_open[0]));
		}
	}
	for (unsigned b = 0; b < 32; b++)
		*open += is_open[b / 8][b % 8];
}

static void commands_are_counted(void)
{
	unsigned closed = 0, open = 0;

	replay(&closed, &open);
	assert_int_equal(SUM(ACT_COUNT_RD) + SUM(ACT_COUNT_WR), closed + open);
	assert_int_equal(SUM(ACT_COUNT_RD) + SUM(ACT_COUNT_WR),
			 rig_count(DRAM_RAS));
	assert_int_equal(SUM(PRE_COUNT_PAGE_MISS) + SUM(PRE_COUNT_PAGE_CLOSE),
			 rig_count(DRAM_PRE));
	assert_int_equal(SUM(DRAM_PRE_ALL), rig_count(DRAM_PREALL));
	assert_int_equal(SUM(CAS_COUNT_RD_REG) + SUM(CAS_COUNT_RD_UNDERFILL),
			 rig_count(DRAM_CAS_RD) + rig_count(DRAM_CASPRE_RD));
	assert_int_equal(SUM(CAS_COUNT_WR_RMM) + SUM(CAS_COUNT_WR_WMM),
			 rig_count(DRAM_CAS_WR) + rig_count(DRAM_CASPRE_WR));
}

static void requests_are_counted(void)
{
	assert_int_equal(SUM(RPQ_INSERTS), asked.reads);
	assert_int_equal(SUM(CAS_COUNT_RD_REG) + SUM(CAS_COUNT_RD_UNDERFILL) +
				 SUM(WPQ_READ_HIT),
			 asked.reads);
	assert_int_equal(SUM(WPQ_INSERTS) + SUM(WPQ_WRITE_HIT), asked.writes);
	assert_int_equal(SUM(CAS_COUNT_WR_RMM) + SUM(CAS_COUNT_WR_WMM),
			 SUM(WPQ_INSERTS));
	assert_int_equal(SUM(MAJOR_MODES_READ) + SUM(MAJOR_MODES_WRITE) +
				 SUM(MAJOR_MODES_PARTIAL) +
				 SUM(MAJOR_MODES_ISOCH),
			 SUM(CLOCKTICKS));
	assert_true(SUM(CAS_COUNT_WR_WMM) > 0);
	assert_true(SUM(WPQ_READ_HIT) > 0);
	assert_true(SUM(WPQ_WRITE_HIT) > 0);
	assert_true(SUM(MAJOR_MODES_ISOCH) > 0);
	assert_true(SUM(CAS_COUNT_RD_UNDERFILL) > 0);
}

static void what_is_asked_is_done(void **state)
{
	for (unsigned policy = 0; policy < 3; policy++) {
		all_on(policy);
		rig.param[PARAM_UNCORE_CLOCK] = policy ? 2900 : 800;
		rig_start(NULL);
		traffic(REQUESTS, false);
		rig_run_to(engine_now(&rig.ep.engine) + 2000);
		commands_are_counted();
		requests_are_counted();
		rig_stop();
	}
	(void)state;
}

/* No read hits the write queue: then a read's stay in RPQ ends a known time
 * before its answer, and that of a write with its column command. */
static void stays_add_up(void **state)
{
	(void)state;
	all_on(2);
	rig_start(NULL);
	traffic(REQUESTS, true);
	rig_run_to(engine_now(&rig.ep.engine) + 2000);
	assert_int_equal(SUM(WPQ_READ_HIT), 0);
	assert_int_equal(SUM(RPQ_OCCUPANCY), asked.stays);
	rig_stop();
}

/* Clock by clock: no regular read has its column command in write mode, all
 * writes of write mode have theirs there, the queues never hold more than they
 * can, and one mode holds at a time. */
static struct {
	uint8_t write[MOST_CLOCKS];
	uint64_t before[5];
} seen;

static void see(uint64_t clock)
{
	static const uint16_t ids[] = {
		SIG_IMC_MAJOR_MODES_WRITE, SIG_IMC_MAJOR_MODES_READ,
		SIG_IMC_RPQ_OCCUPANCY,	   SIG_IMC_WPQ_OCCUPANCY,
		SIG_IMC_CLOCKTICKS,
	};
	uint64_t level[5];

	for (unsigned i = 0; i < 5; i++) {
		uint64_t sum = rig_sum(ids[i]);

		level[i] = sum - seen.before[i];
		seen.before[i] = sum;
	}
	seen.write[clock] = (uint8_t)level[0];
	assert_int_equal(level[0] + level[1], 1);
	assert_true(level[2] <= 22);
	assert_true(level[3] <= 32);
	assert_int_equal(level[4], 1);
}

static void write_mode_is_for_writes(void **state)
{
	unsigned num = 0;

	(void)state;
	all_on(0);
	memset(&seen, 0, sizeof(seen));
	rig_start(NULL);
	for (uint64_t clock = 0; clock < MOST_CLOCKS; clock++) {
		if (clock < MOST_CLOCKS - 4000 && rig_random(8) == 0)
			ask(clock / 4000 % 2 ? 60 : 30, true);
		rig_run_to(clock + 1);
		see(clock);
	}
	for (unsigned i = 0; i < rig.num_commands; i++) {
		const struct dram_command *c = &rig.commands[i];

		if (c->clock >= MOST_CLOCKS || !seen.write[c->clock])
			continue;
		assert_int_not_equal(c->cmd, DRAM_CAS_RD);
		num += c->cmd == DRAM_CAS_WR;
	}
	assert_int_equal(num, SUM(CAS_COUNT_WR_WMM));
	assert_true(num > 100);
	rig_stop();
}

/* The same traffic, with a look in every clock, without, and with nobody who
 * wants more than totals: then all that happens by itself is worked off when
 * the next request comes. */
static void looking_changes_nothing(void **state)
{
	uint64_t sums[3][NUM_SIG_IMC];

	(void)state;
	for (unsigned how = 0; how < 3; how++) {
		all_on(2);
		rig.param[PARAM_UNCORE_CLOCK] = 2900;
		rig.wants_totals_only = how == 2;
		rig_start(NULL);
		for (unsigned i = 0; i < 300; i++) {
			uint64_t end = engine_now(&rig.ep.engine) +
				       (i % 20 ? rig_random(60) : 7000);

			while (how == 0 && engine_now(&rig.ep.engine) < end)
				rig_run_to(engine_now(&rig.ep.engine) + 1);
			sim_run_until(rig.ep.engine.sim, end);
			ask(40, false);
		}
		rig_run_to(engine_now(&rig.ep.engine) + 9000);
		for (unsigned id = 0; id < NUM_SIG_IMC; id++)
			sums[how][id] = rig_sum(id);
		rig_stop();
	}
	assert_memory_equal(sums[0], sums[1], sizeof(sums[0]));
	assert_memory_equal(sums[0], sums[2], sizeof(sums[0]));
}

/* So many programs read or write lines one after the other, in turns, every
 * n-th request being a write to lines further on (0: none); as soon as the
 * queues have room. Percent of the bursts that would fit. */
static unsigned stream(unsigned programs, unsigned nth)
{
	enum { LINES = 20000, APART = 1000003 };
	uint64_t far = rig_line(0, 0, 512, 0), at = 0, last;

	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = TREFI;
	rig.param[PARAM_DRAM_BANK_HASH] = 1;
	rig_start(NULL);
	for (unsigned i = 0; i < LINES; i++) {
		bool is_write = nth && i % nth == 0;
		uint64_t line = (uint64_t)(i % programs) * APART + i / programs;

		at = is_write ? imc_write_from(rig.imc, at)
			      : imc_read_from(rig.imc, at);
		if (at > engine_now(&rig.ep.engine) + 50)
			rig_run_to(at - 50);
		if (is_write)
			rig_write(far + i / nth, at);
		else
			rig_read(line, at);
	}
	rig_run_to(engine_now(&rig.ep.engine) + 4000);
	last = rig.num_commands - 1;
	while (!is_column(&rig.commands[last]))
		last--;
	last = rig.commands[last].clock;
	rig_stop();
	return (unsigned)(LINES * 400 / last);
}

static void streams(void **state)
{
	(void)state;
	assert_in_range(stream(1, 0), 85, 99);
	assert_in_range(stream(1, 1), 85, 99);
	/* 16 writes, 32 reads: 192 clocks, 5 more to turn, 2 less back */
	assert_in_range(stream(1, 3), 85, 98);
	assert_in_range(stream(1, 2), 85, 98);
	assert_in_range(stream(2, 0), 75, 95);
	assert_in_range(stream(8, 0), 60, 95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_is_done),
		cmocka_unit_test(stays_add_up),
		cmocka_unit_test(write_mode_is_for_writes),
		cmocka_unit_test(looking_changes_nothing),
		cmocka_unit_test(streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
