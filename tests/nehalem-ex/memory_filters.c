/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What filters count of the DRAM commands of an M-Box that nobody asks anything
 * of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "memory_rig.h"

/* The DRAM commands by code, as filters tell them apart. */
static const uint8_t codes[] = {
	DRAM_PREALL,	DRAM_RAS, DRAM_CAS_RD, DRAM_RFR,
	DRAM_CASPRE_RD, DRAM_PRE, DRAM_ZQCAL,  DRAM_SYNC,
};

enum { NUM_CODES = sizeof(codes) };

static struct filter filters[NUM_CODES];

static struct tap_wish wish_for(unsigned i)
{
	filters[i].care.dram_cmd = UINT8_MAX;
	filters[i].match.dram_cmd = codes[i];
	filters[i].states = UINT16_MAX;
	memset(filters[i].opcodes, 0xff, sizeof(filters[i].opcodes));
	return (struct tap_wish){
		.filter = &filters[i],
		.signal = codes[i] == DRAM_SYNC ? SIG_MBOX_DRAM_CMD_OTHER
						: SIG_MBOX_DRAM_CMD,
	};
}

static void begin_codes(void)
{
	for (unsigned i = 0; i < NUM_CODES; i++) {
		struct tap_wish wish = wish_for(i);

		assert_true(tap_sums_begin(rig.bank, &wish));
	}
}

static void look_at_codes(uint64_t *sums)
{
	tap_look(rig.bank);
	for (unsigned i = 0; i < NUM_CODES; i++) {
		struct tap_wish wish = wish_for(i);

		sums[i] = tap_sums(rig.bank, &wish).total;
	}
}

/* Each is of one code, and the signals say how many of some there are. */
static void demand_codes(const uint64_t *sums)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < NUM_CODES - 1; i++)
		all += sums[i];
	assert_int_equal(all, rig_sum(SIG_MBOX_DRAM_CMD));
	assert_int_equal(sums[1], rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY));
	assert_int_equal(sums[2] + sums[4], rig_sum(SIG_MBOX_PATROL_TXNS));
	assert_int_equal(sums[3], rig_sum(SIG_MBOX_REFRESH));
	assert_int_equal(sums[5], rig_sum(SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS));
	assert_int_equal(sums[7], rig_sum(SIG_MBOX_FRM_TYPE_SYNC));
}

/* The same commands are told in a skip, in short steps, to who looks late. */
static void filters_hear_of_idle_stretches(void **state)
{
	uint64_t long_step[NUM_CODES], short_steps[NUM_CODES];

	(void)state;
	for (unsigned policy = 0; policy < 3; policy++) {
		struct mbox_config config;

		mbox_config_default(&config);
		config.has_check = false;
		config.page_policy = policy;
		config.dram.zqcal_refreshes = 100;
		config.patrol_interval_cycles = 29001;
		rig_start(config, NULL, true);
		begin_codes();
		rig_run_to(100000000);
		look_at_codes(long_step);
		demand_codes(long_step);
		rig_stop();
		rig_start(config, NULL, true);
		begin_codes();
		for (uint64_t at = 0; at < 100000000; at += 1000000)
			rig_run_to(at + 1000000);
		look_at_codes(short_steps);
		demand_codes(short_steps);
		rig_stop();
		for (unsigned i = 0; i < NUM_CODES; i++)
			assert_int_equal(long_step[i], short_steps[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_hear_of_idle_stretches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
