/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * DDR3 banks against a slow second way: all commands so far are kept, and the
 * first clock of a new one is found by trying one clock after the other against
 * each of them, rule by rule. The rules are written out here once more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mbox_defaults.h"
#include "model/station/bank.h"

enum { MAX = 4096, MOST_CLOCKS = BANKS_MOST_WORDS * 64 };

struct given {
	uint64_t clock;
	enum dram_cmd cmd; /* TRKL: a frame of data */
	unsigned bus, rank, bank;
};

static struct given given[MAX];
static unsigned num_given;
static struct banks *banks;
static struct dram_config config;
static uint64_t seed;
static bool is_far; /* commands may lie beyond the view */

static unsigned dice(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Clocks that have to lie between the first and the second, where the first
 * is the earlier. */
static unsigned gap(const struct given *a, const struct given *b)
{
	const struct dram_config *c = &config;
	bool is_rank = a->bus == b->bus && a->rank == b->rank;
	bool is_group = is_rank && a->bank % c->groups == b->bank % c->groups;
	unsigned group = c->groups > 1 && is_group;
	bool a_reads = a->cmd == DRAM_CAS_RD, a_writes = a->cmd == DRAM_CAS_WR;
	bool b_reads = b->cmd == DRAM_CAS_RD, b_writes = b->cmd == DRAM_CAS_WR;

	if (a->cmd == DRAM_TRKL || b->cmd == DRAM_TRKL)
		return a->cmd == b->cmd;
	if (a_reads && b_reads && a->bus != b->bus)
		return c->burst_clocks;
	if (a->bus != b->bus)
		return 0;
	if (a->cmd == DRAM_RAS && b->cmd == DRAM_RAS && is_rank)
		return most(c->trrd_clocks, group * c->trrd_l_clocks);
	if ((a_reads && b_reads) || (a_writes && b_writes))
		return is_rank ? most(c->tccd_clocks, group * c->tccd_l_clocks)
			       : c->burst_clocks + c->trtrs_clocks;
	if (a_reads && b_writes)
		return c->cl_clocks + c->burst_clocks + 2 - c->cwl_clocks;
	if (a_writes && b_reads && is_rank)
		return c->cwl_clocks + c->burst_clocks +
		       most(c->twtr_clocks, group * c->twtr_l_clocks);
	if (a_writes && b_reads) {
		int other = (int)(c->cwl_clocks + c->burst_clocks +
				  c->trtrs_clocks) -
			    (int)c->cl_clocks;

		return other < 1 ? 1 : (unsigned)other;
	}
	return 1;
}

/* No five activates of the rank within tFAW, with a new one. */
static bool fits_four(const struct given *new)
{
	uint64_t faw = config.tfaw_clocks;

	for (uint64_t start = new->clock < faw ? 0 : new->clock - faw + 1;
	     start <= new->clock; start++) {
		unsigned num = 1;

		for (unsigned i = 0; i < num_given; i++)
			num += given[i].cmd == DRAM_RAS &&
			       given[i].bus == new->bus &&given[i].rank ==
				       new->rank &&given[i].clock >=
					       start &&given[i].clock <
					       start + faw;
		if (num > 4)
			return false;
	}
	return true;
}

/* A frame with data has one command, any other one for each bus. */
static bool fits_frame(const struct given *new)
{
	unsigned num = new->cmd != DRAM_TRKL, data = new->cmd == DRAM_TRKL;

	for (unsigned i = 0; i < num_given; i++) {
		if (given[i].clock != new->clock)
			continue;
		num += given[i].cmd != DRAM_TRKL;
		data += given[i].cmd == DRAM_TRKL;
	}
	return !data || num <= 1;
}

static bool fits(const struct given *new)
{
	for (unsigned i = 0; i < num_given; i++) {
		const struct given *old = &given[i];
		bool is_first = old->clock <= new->clock;
		uint64_t distance = is_first ? new->clock - old->clock
					     : old->clock - new->clock;

		if (distance < gap(is_first ? old : new, is_first ? new : old))
			return false;
		if (!distance && distance < gap(new, old))
			return false;
	}
	return fits_frame(new) && (new->cmd != DRAM_RAS || fits_four(new));
}

static uint64_t give(struct given new)
{
	while (!fits(&new))
		new.clock++;
	given[num_given++] = new;
	return new.clock;
}

/* A command got a clock: a lawful one, and the first of them where everything
 * lies in the view. */
static void check(enum dram_cmd cmd, unsigned bank, uint64_t from,
		  uint64_t clock)
{
	unsigned rank = bank / config.banks;
	struct given new = { clock, cmd, rank / config.ranks,
			     rank % config.ranks, bank % config.banks };

	assert_true(clock >= from);
	assert_true(fits(&new));
	if (!is_far)
		new.clock = from;
	assert_int_equal(give(new), clock);
}

static void forget(uint64_t clock)
{
	unsigned num = 0;

	for (unsigned i = 0; i < num_given; i++)
		if (given[i].clock + 300 > clock)
			given[num++] = given[i];
	num_given = num;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* One access as a controller makes it; a bank's own times are the station's,
 * they are plain sums. */
static void access_bank(unsigned index, uint32_t row, bool is_write,
			uint64_t from)
{
	struct bank *bank = &banks->banks[index];
	uint64_t first = later(from, bank->pre);

	if (bank->row != row && bank->row >= 0)
		check(DRAM_PRE, index, first,
		      banks_precharge(banks, index, from));
	first = later(from, bank->act);
	if (bank->row != row)
		check(DRAM_RAS, index, first,
		      banks_activate(banks, index, row, from));
	first = later(from, bank->cas);
	check(is_write ? DRAM_CAS_WR : DRAM_CAS_RD, index, first,
	      banks_column(banks, index, is_write, from));
}

static void send_data(uint64_t from)
{
	unsigned frames = 1 + dice(4);
	uint64_t end = from;

	for (unsigned k = 0; k < frames; k++)
		end = give((struct given){ end, DRAM_TRKL, 0, 0, 0 }) + 1;
	assert_int_equal(banks_send(banks, from, frames), end);
}

/* Streams of a density: some are early, some late, some to the same row. */
static void stream(unsigned steps, unsigned spread, unsigned step)
{
	unsigned num = config.buses * config.ranks * config.banks;
	uint64_t now = 1000;

	banks = banks_new(&config);
	assert_non_null(banks);
	num_given = 0;
	for (unsigned i = 0; i < steps; i++) {
		uint64_t from = now + dice(spread);

		if (is_far || dice(8))
			access_bank(dice(num), dice(3), dice(4) == 0, from);
		else
			send_data(from);
		now += dice(step);
		banks_forget(banks, now - banks->gap);
		forget(now);
	}
	banks_free(banks);
}

static void equals_brute_force(void **state)
{
	(void)state;
	dram_config_default(&config);
	for (seed = 1; seed < 20; seed++) {
		stream(1500, 40, 12);
		stream(1500, 200, 30);
		stream(400, 1000, 200);
	}
}

static void equals_brute_force_with_any_timing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		seed = 1000 + i;
		dram_config_default(&config);
		config.buses = 1 + dice(2);
		config.ranks = 1u << dice(3);
		config.tfaw_clocks = 1 + dice(60);
		config.trrd_clocks = 1 + dice(8);
		config.burst_clocks = 1 + dice(6);
		config.tccd_clocks = config.burst_clocks + dice(4);
		config.twtr_clocks = 1 + dice(32);
		config.trtrs_clocks = dice(10);
		config.cwl_clocks = 1 + dice(8);
		config.cl_clocks = config.cwl_clocks + dice(3);
		if (i % 2) {
			config.groups = 1u << dice(3);
			config.trrd_l_clocks = dice(12);
			config.tccd_l_clocks = dice(12);
			config.twtr_l_clocks = dice(40);
		}
		assert_null(dram_config_check(&config));
		stream(1000, 60, 30);
	}
}

/* Columns of a row before the end of the view, and behind it when that is in
 * view. */
static void straddle(void)
{
	banks = banks_new(&config);
	assert_non_null(banks);
	num_given = 0;
	for (unsigned i = 0; i < 200; i++) {
		uint64_t end = banks->base + 64 * banks->words;

		access_bank(dice(2), 0, dice(2), end - 1 - dice(20));
		banks_forget(banks, banks->base + 64);
		access_bank(dice(2), 0, dice(2), end + dice(20));
		banks_forget(banks, banks->base + 192);
		forget(banks->base);
	}
	banks_free(banks);
}

static void what_is_near_the_end_of_the_view_is_lawful(void **state)
{
	(void)state;
	dram_config_default(&config);
	is_far = true;
	for (seed = 1; seed < 10; seed++) {
		straddle();
		stream(300, MOST_CLOCKS, 30);
		stream(300, MOST_CLOCKS * 2, 100);
		stream(600, 200, 2); /* more than there is room for */
	}
	is_far = false;
}

/* Beyond the view one goes after the other, and nobody comes in between. */
static void what_is_far_is_lawful(void **state)
{
	uint64_t first, second;

	(void)state;
	dram_config_default(&config);
	banks = banks_new(&config);
	assert_non_null(banks);
	first = banks_activate(banks, 0, 1, MOST_CLOCKS);
	second = banks_activate(banks, 1, 1, MOST_CLOCKS);
	assert_true(first >= MOST_CLOCKS);
	assert_true(second >= first + config.tfaw_clocks);
	assert_true(banks_column(banks, 1, false, 0) >= second + 7);
	banks_forget(banks, MOST_CLOCKS - 100);
	assert_true(banks_activate(banks, 2, 1, MOST_CLOCKS - 50) >=
		    second + 20);
	banks_free(banks);
}

static void a_shut_link_sends_nothing(void **state)
{
	(void)state;
	dram_config_default(&config);
	banks = banks_new(&config);
	assert_non_null(banks);
	banks_shut(banks, 10, 3000);
	assert_int_equal(banks_activate(banks, 0, 1, 9), 9);
	assert_true(banks_activate(banks, 8, 1, 9) >= 3000);
	banks_forget(banks, 2900);
	assert_true(banks_send(banks, 2950, 1) >= 3000);
	banks_free(banks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_brute_force),
		cmocka_unit_test(equals_brute_force_with_any_timing),
		cmocka_unit_test(what_is_near_the_end_of_the_view_is_lawful),
		cmocka_unit_test(what_is_far_is_lawful),
		cmocka_unit_test(a_shut_link_sends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
