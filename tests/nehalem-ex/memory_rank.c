/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is done to whole ranks: the initialisation that JEDEC JESD79-3, 3.3
 * prescribes, power-down and self-refresh. The checker of DRAM commands knows
 * the rules, too, and every test demands that it saw none broken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory_rig.h"

enum {
	RANKS = 8, /* of both buses */
	READ_CLOSED = 162,
	LINK = 400, /* frames of the link's initialisation, from frame 1 on */
	XP = 13,
	XS = 92,
	DLLK = 512,
	INIT_CLOCKS = 1 + XS + 3 * 4 + 12 + 512 + 12,
};

static void ranks_are_initialised_in_jedec_order(void **state)
{
	static const uint8_t order[] = { DRAM_NOP,   DRAM_CKEH,	 DRAM_EMRS2,
					 DRAM_EMRS3, DRAM_EMRS,	 DRAM_MRS,
					 DRAM_ZQCAL, DRAM_GENDRM };
	struct mbox_config config = rig_config();
	unsigned next[2][4] = { { 0 } };

	(void)state;
	config.has_init = true;
	rig_start(config, NULL, true);
	rig_run(20000);
	for (unsigned i = 0; i < rig.num_commands; i++) {
		const struct dram_command *c = &rig.commands[i];

		if (c->clock <= LINK)
			continue;
		assert_in_range(next[c->bus][c->rank], 0, 7);
		assert_int_equal(c->cmd, order[next[c->bus][c->rank]++]);
	}
	for (unsigned i = 0; i < RANKS; i++)
		assert_int_equal(next[i / 4][i % 4], 8);
	rig_stop();
}

static void link_is_initialised_first(void **state)
{
	static const uint8_t order[] = { DRAM_SFT_RST, DRAM_POLL, DRAM_WCR,
					 DRAM_RCR };
	struct mbox_config config = rig_config();

	(void)state;
	config.has_init = true;
	rig_start(config, NULL, true);
	rig_run(20000);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(rig.commands[i].cmd, order[i]);
		assert_int_equal(rig.commands[i].clock, 1 + i * LINK / 4);
	}
	assert_int_equal(rig.commands[4].cmd, DRAM_NOP);
	assert_int_equal(rig.commands[4].clock, 1 + LINK);
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_CHNL), 4);
	rig_stop();
}

/* The first rank of a bus is ready first, and the second takes its steps one
 * clock later: a command a clock. */
static void read_waits_for_its_rank(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.has_init = true;
	rig_start(config, NULL, true);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_send(MBOX_CMD_READ, rig_line(32, 5, 0), 2);
	rig_run(20000);
	assert_int_equal(rig.answers[1],
			 (1 + LINK + INIT_CLOCKS) * RIG_CLOCK + READ_CLOSED);
	/* The way back is shared: a burst of two clocks later. */
	assert_int_equal(rig.answers[2], rig.answers[1] + 2 * RIG_CLOCK);
	assert_int_equal(rig_sum(SIG_MBOX_REFRESH_CONFLICT), 0);
	rig_stop();
}

/* Mode register 0 resets the DLL: where it takes longer to lock than all that
 * follows, the rank waits for it. */
static void read_waits_for_the_dll(void **state)
{
	enum { LOCK = 2000, MODE_REGISTER = 1 + XS + 3 * 4 };
	struct mbox_config config = rig_config();

	(void)state;
	config.has_init = true;
	config.dram.tdllk_clocks = LOCK;
	rig_start(config, NULL, true);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(20000);
	assert_int_equal(rig.answers[1],
			 (1 + LINK + MODE_REGISTER + LOCK) * RIG_CLOCK +
				 READ_CLOSED);
	rig_stop();
}

/* Idle since cycle 0: down at 1000; a read at 5000 has to wake the rank, which
 * takes CKE high, a NOP and tXP. */
static void power_down_costs_its_exit(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.power_down_cycles = 1000;
	rig_start(config, NULL, true);
	rig_run(5000);
	assert_int_equal(rig_count(DRAM_NOWPE), RANKS);
	assert_int_equal(rig_count(DRAM_CKEL), RANKS);
	assert_int_equal(rig_clock_of(DRAM_NOWPE, 0), 1000 / RIG_CLOCK);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(900);
	assert_int_equal(rig_count(DRAM_CKEH), 1);
	assert_int_equal(rig_clock_of(DRAM_CKEH, 0), 1000);
	assert_int_equal(rig_clock_of(DRAM_NOP, 0), 1001);
	assert_int_equal(rig.answers[1],
			 5000 + (1 + XP) * RIG_CLOCK + READ_CLOSED);
	rig_run(5000);
	assert_int_equal(rig_count(DRAM_NOWPE), RANKS + 1);
	rig_stop();
}

/* In power-down a rank still has to be woken for each refresh. */
static void power_down_ends_for_a_refresh(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.power_down_cycles = 1000;
	config.dram.trefi_clocks = 4160;
	rig_start(config, NULL, true);
	rig_run(4160 * 10 * RIG_CLOCK + 2000);
	assert_int_equal(rig_sum(SIG_MBOX_REFRESH), 10 * RANKS);
	assert_int_equal(rig_count(DRAM_CKEH), 10 * RANKS);
	assert_int_equal(rig_count(DRAM_NOWPE), 11 * RANKS);
	rig_stop();
}

/* In self-refresh it is not, and leaving takes tXS and a locked DLL. */
static void self_refresh_needs_no_refresh(void **state)
{
	struct mbox_config config = rig_config();
	uint64_t now;

	(void)state;
	config.self_refresh_cycles = 1000;
	config.dram.trefi_clocks = 4160;
	rig_start(config, NULL, true);
	/* The turn of rank 0 has just been, at 520 clocks of the interval. */
	rig_run((4160 * 20 + 521) * RIG_CLOCK);
	assert_int_equal(rig_sum(SIG_MBOX_REFRESH), 0);
	assert_int_equal(rig_count(DRAM_ENSR), RANKS);
	now = rig_now();
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(8000);
	assert_int_equal(rig_count(DRAM_EXSR), 1);
	assert_int_equal(rig_clock_of(DRAM_CKEH, 0), now / RIG_CLOCK);
	assert_int_equal(rig.answers[1],
			 now + (1 + XS + DLLK) * RIG_CLOCK + READ_CLOSED);
	rig_stop();
}

static void sleep_gets_deeper(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.power_down_cycles = 1000;
	config.self_refresh_cycles = 5000;
	rig_start(config, NULL, true);
	rig_run(4000);
	assert_int_equal(rig_count(DRAM_NOWPE), RANKS);
	assert_int_equal(rig_count(DRAM_ENSR), 0);
	rig_run(4000);
	assert_int_equal(rig_count(DRAM_ENSR), RANKS);
	assert_int_equal(rig_count(DRAM_CKEL),
			 rig_count(DRAM_NOWPE) + rig_count(DRAM_ENSR));
	rig_stop();
}

/* An open page is closed before its rank sleeps. */
static void pages_are_closed_before_sleep(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.self_refresh_cycles = 1000;
	rig_start(config, NULL, true);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(3000);
	assert_int_equal(rig_count(DRAM_PREALL), 1);
	assert_int_equal(rig_count(DRAM_ENSR), RANKS);
	rig_stop();
}

/* Bank 1 is left open, bank 0 is closed by its column command just before the
 * refresh of the rank comes due: its own precharge comes tRAS after its
 * activate, and the PREALL not before that. */
static void preall_waits_for_a_precharge_to_come(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.dram.trefi_clocks = 4160;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	config.page_window = 1; /* open after a hit, closed after others */
	config.page_idle_cycles = 0;
	rig_start(config, NULL, true);
	rig_send(MBOX_CMD_READ, rig_line(1, 5, 0), 1);
	rig_run(1000);
	rig_send(MBOX_CMD_READ, rig_line(1, 5, 1), 2);
	rig_run(505 * RIG_CLOCK - 1000);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 3);
	rig_run(2000);
	assert_int_equal(rig_count(DRAM_CASPRE_RD), 2);
	assert_int_equal(rig_clock_of(DRAM_RAS, 2), 505 + 4);
	assert_int_equal(rig_clock_of(DRAM_PREALL, 0), 505 + 4 + 20);
	rig_stop();
}

/* Whatever sleep and traffic do to each other, nobody waits for ever. */
static void sleep_and_traffic_get_along(void **state)
{
	struct mbox_config config = rig_config();
	uint64_t seed = 7;
	unsigned sent = 0;

	(void)state;
	config.power_down_cycles = 60;
	config.self_refresh_cycles = 400;
	config.dram.trefi_clocks = 1000;
	config.dram.zqcal_refreshes = 3;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	config.page_idle_cycles = 300;
	rig_start(config, NULL, true);
	while (sent < 4000) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (rig_is_ready()) {
			uint64_t line = (seed >> 20) % 1000000;

			rig_send(seed >> 60 ? MBOX_CMD_READ : MBOX_CMD_WRITE,
				 line, sent++ % 64);
		}
		rig_run(1 + (seed >> 40) % (sent % 100 < 90 ? 20 : 3000));
	}
	rig_run(30000);
	assert_int_equal(rig_num_answers(), sent);
	assert_true(memory_is_idle(rig.memory, rig_now()));
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(ranks_are_initialised_in_jedec_order),
		cmocka_unit_test(link_is_initialised_first),
		cmocka_unit_test(read_waits_for_its_rank),
		cmocka_unit_test(read_waits_for_the_dll),
		cmocka_unit_test(power_down_costs_its_exit),
		cmocka_unit_test(power_down_ends_for_a_refresh),
		cmocka_unit_test(self_refresh_needs_no_refresh),
		cmocka_unit_test(sleep_gets_deeper),
		cmocka_unit_test(pages_are_closed_before_sleep),
		cmocka_unit_test(preall_waits_for_a_precharge_to_come),
		cmocka_unit_test(sleep_and_traffic_get_along),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
