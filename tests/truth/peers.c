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

static int64_t cycles_of(const char *workload, const char *setting)
{
	struct lab lab = { .sockets = 1,
			   .workload = workload,
			   .settings = { setting } };
	struct uncore_model *model = lab_model(&lab);
	int64_t cycles;

	lab_run(&lab, model);
	cycles = (int64_t)uncore_model_cycle(model);
	uncore_model_free(model);
	return cycles;
}

/* Cycles of LOADS loads of a chase that has made so many in a region before. */
static int64_t chase_takes(const char *others, const char *size,
			   unsigned before, const char *setting)
{
	int64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		char workload[160];

		snprintf(workload, sizeof(workload),
			 "%schase:threads=1,cpu=0,offset=0,gap=1,size=%s,"
			 "count=%u",
			 others, size, before + i * LOADS);
		cycles[i] = cycles_of(workload, setting);
	}
	return cycles[1] - cycles[0];
}

static int64_t loads_take(const char *op, const char *setting)
{
	char peer[80];

	snprintf(peer, sizeof(peer),
		 "stream:op=%s,threads=1,cpu=1,offset=0,size=128K,gap=1+", op);
	return chase_takes(peer, "128K", 1024, setting);
}

/* From the LLC, in which the chase has brought them. */
static int64_t unshared_loads_take(void)
{
	return chase_takes("", "1M", 16384, NULL);
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

/* There the slice reads out its data meanwhile, and a changed line is passed on
 * as it comes. */
static void the_e5_reads_out_meanwhile(void **state)
{
	(void)state;
	check("read", "core.snoop_cycles", 12, 1);
	check("read", "llc.lookup_cycles", 10, 2);
	check("read", "core.idf_cycles", 17, 0);
	check("write", "core.snoop_cycles", 12, 1);
	check("write", "llc.lookup_cycles", 10, 2);
	check("write", "llc.data_cycles", 14, 0);
	check("write", "core.idf_cycles", 17, 1);
}

/* A load of a line that no core has, one has clean, one has changed. */
static void who_has_it_decides(void **state)
{
	int64_t clean = loads_take("read", NULL);

	(void)state;
	assert_true(unshared_loads_take() + END < clean);
	assert_true(clean + END < loads_take("write", NULL));
}

/* Core 0 reads 1 MB that the LLC holds, and so its 16,384 lines again for each
 * pass: it takes one in core.line_cycles where nothing else is slower. */
static int64_t passes_take(unsigned passes, const char *setting)
{
	char workload[80];

	snprintf(workload, sizeof(workload),
		 "stream:op=read,threads=1,size=1M,gap=1,passes=%u", passes);
	return cycles_of(workload, setting);
}

static void a_core_takes_a_line_at_a_time(void **state)
{
	static const char setting[] = "core.line_cycles=40";
	int64_t more = passes_take(3, setting) - passes_take(2, setting);

	(void)state;
	assert_true(more >= 16384 * 40 - END);
	assert_true(more <= 16384 * 40 + END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_line_waits_for_the_answer),
		cmocka_unit_test(a_changed_line_waits_for_its_data),
		cmocka_unit_test(who_has_it_decides),
	};
	const struct CMUnitTest e5[] = {
		cmocka_unit_test(the_e5_reads_out_meanwhile),
		cmocka_unit_test(a_core_takes_a_line_at_a_time),
		cmocka_unit_test(who_has_it_decides),
	};

	if (LAB_RUN(tests))
		return 1;
	lab_machine = "xeon-e5-2600";
	return cmocka_run_group_tests_name(lab_machine, e5, NULL, NULL);
}
