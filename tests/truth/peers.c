/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a load pays for a line that another core has: by how much each parameter
 * on its way makes it dearer. Core 1 reads or writes 128 KB, which its L2
 * holds; core 0 follows pointers through it, and only its last 1000 loads are
 * timed, when core 1 has done. A run ends up to 1023 cycles late, so where n
 * cycles a load are due, 1000 n are, but for two such ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lab.h"

enum { LOADS = 1000, MORE = 64, END = 2 * 1023 };

static int64_t cycles_of(const char *op, unsigned loads, const char *setting)
{
	char workload[160];
	struct lab lab = { .sockets = 1,
			   .workload = workload,
			   .settings = { setting } };
	struct uncore_model *model = lab_model(&lab);
	int64_t cycles;

	snprintf(workload, sizeof(workload),
		 "stream:op=%s,threads=1,cpu=1,offset=0,size=128K,gap=1+"
		 "chase:threads=1,cpu=0,offset=0,size=128K,gap=1,count=%u",
		 op, loads);
	lab_run(&lab, model);
	cycles = (int64_t)uncore_model_cycle(model);
	uncore_model_free(model);
	return cycles;
}

static int64_t loads_take(const char *op, const char *setting)
{
	return cycles_of(op, 1024 + LOADS, setting) -
	       cycles_of(op, 1024, setting);
}

/* The parameter is at `base` and at 64 cycles more: a load takes so many times
 * 64 cycles more. */
static void check(const char *op, const char *name, unsigned base, int times)
{
	char low[64], high[64];
	int64_t more;

	snprintf(low, sizeof(low), "%s=%u", name, base);
	snprintf(high, sizeof(high), "%s=%u", name, base + MORE);
	more = loads_take(op, high) - loads_take(op, low);
	assert_true(more >= times * LOADS * MORE - END);
	assert_true(more <= times * LOADS * MORE + END);
}

/* Request, look-up, the core's answer, look-up, data. */
static void a_clean_line_waits_for_the_answer(void **state)
{
	(void)state;
	check("read", "core.snoop_cycles", 6, 1);
	check("read", "llc.lookup_cycles", 10, 2);
	check("read", "llc.data_cycles", 14, 1);
	check("read", "core.idf_cycles", 8, 0);
}

/* It comes over BL, after it has been read out. */
static void a_changed_line_waits_for_its_data(void **state)
{
	(void)state;
	check("write", "core.snoop_cycles", 6, 1);
	check("write", "llc.lookup_cycles", 10, 2);
	check("write", "llc.data_cycles", 14, 1);
	check("write", "core.idf_cycles", 8, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_line_waits_for_the_answer),
		cmocka_unit_test(a_changed_line_waits_for_its_data),
	};

	return LAB_RUN(tests);
}
