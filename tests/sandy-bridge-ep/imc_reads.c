/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads that wait in RPQ until the channel chooses them: which goes first, and
 * when, by hand from the parameters (see imc.c); and of random ones that each
 * is answered once, and that what was told while it waited is what came of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "imc_rig.h"

enum {
	BURST = 4,
	AFTER_COLUMN = 11 + BURST + 4, /* CL, the burst, the way back */
	PATIENCE = 16,		       /* others that may pass a read */
	MAX_ASKED = 4000
};

static struct asked {
	uint64_t entry, told, data; /* told: not there before */
	unsigned number;	    /* of those that have come, from 1 */
} asked[MAX_ASKED];
static unsigned num_asked, num_come;

static void comes(void *object, uint64_t data)
{
	struct asked *one = object;

	assert_int_equal(one->number, 0);
	one->number = ++num_come;
	one->data = data;
	assert_true(data >= one->told);
	assert_true(data >= engine_now(&rig.ep.engine));
}

static void waits(void *object, uint64_t until)
{
	struct asked *one = object;

	assert_int_equal(one->number, 0);
	assert_true(until > one->told);
	assert_true(one->told >= engine_now(&rig.ep.engine));
	one->told = until;
}

static struct asked *ask(uint64_t line, uint64_t at)
{
	static const struct imc_owner owner = { comes, waits };
	struct asked *one = &asked[num_asked++];

	*one = (struct asked){ .entry = imc_read_from(rig.imc, at) };
	one->data = imc_read_later(rig.imc, line, one->entry, &owner, one,
				   &one->told);
	assert_int_equal(one->data, 0);
	return one;
}

static void start(void)
{
	num_asked = num_come = 0;
	rig_defaults();
	rig_start(NULL);
}

/* Where nobody else is it is as if nobody chose. */
static void a_read_alone(void **state)
{
	struct asked *one;

	(void)state;
	start();
	one = ask(rig_line(0, 0, 5, 0), 10);
	assert_false(imc_is_idle(rig.imc, 0));
	rig_run_to(100);
	assert_int_equal(one->data, 44);
	assert_int_equal(rig_clock_of(DRAM_RAS, 0), 14);
	assert_int_equal(rig_clock_of(DRAM_CAS_RD, 0), 25);
	assert_int_equal(rig_sum(SIG_IMC_RPQ_OCCUPANCY), 15);
	rig_stop();
}

/* Row 5 is open; of two that arrive in 100 the later one wants it. */
static void an_open_row_goes_first(void **state)
{
	struct asked *other, *open;

	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_run_to(90);
	other = ask(rig_line(0, 0, 6, 0), 100);
	open = ask(rig_line(0, 0, 5, 1), 100);
	rig_run_to(200);
	assert_int_equal(open->data, 104 + AFTER_COLUMN);
	/* PRE tRTP after the column command, then ACT and RD. */
	assert_int_equal(other->data,
			 104 + (uint64_t)rig.param[PARAM_DRAM_TRTP] + 22 +
				 AFTER_COLUMN);
	assert_int_equal(rig_count(DRAM_RAS), 2);
	rig_stop();
}

/* Eight for two ranks in turns: one turn of the bus, where seven would be. */
static void reads_of_a_rank_go_together(void **state)
{
	uint64_t turn;

	(void)state;
	start();
	turn = (uint64_t)rig.param[PARAM_DRAM_TRTRS];
	assert_true(turn > 0);
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_read(rig_line(1, 0, 5, 0), 0);
	rig_run_to(90);
	for (unsigned i = 0; i < 8; i++)
		ask(rig_line(i % 2, 0, 5, 1 + i), 100);
	rig_run_to(300);
	assert_int_equal(num_come, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(asked[i].data,
				 104 + i / 2 * BURST + AFTER_COLUMN +
					 i % 2 * (4 * BURST + turn));
	rig_stop();
}

/* A read for another row in front of twenty for the open one. */
static void none_is_passed_for_ever(void **state)
{
	struct asked *other;

	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_run_to(90);
	other = ask(rig_line(0, 0, 6, 0), 100);
	for (unsigned i = 0; i < 20; i++)
		ask(rig_line(0, 0, 5, 1 + i), 100);
	rig_run_to(400);
	assert_int_equal(num_come, 21);
	assert_int_equal(other->number, PATIENCE + 1);
	rig_stop();
}

/* Those who would have gone before go now, too; no others. */
static void who_cannot_wait_has_it_chosen(void **state)
{
	struct asked *first, *last, *other;

	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_run_to(90);
	other = ask(rig_line(0, 0, 6, 0), 100);
	first = ask(rig_line(0, 0, 5, 1), 100);
	last = ask(rig_line(0, 0, 5, 2), 100);
	imc_choose_for(rig.imc, last);
	assert_int_equal(first->data, 104 + AFTER_COLUMN);
	assert_int_equal(last->data, 104 + BURST + AFTER_COLUMN);
	assert_int_equal(other->number, 0);
	imc_choose_for(rig.imc, first);
	assert_int_equal(num_come, 2);
	rig_run_to(300);
	assert_int_equal(num_come, 3);
	rig_stop();
}

static void all_are_answered(void **state)
{
	uint64_t stays = 0;

	(void)state;
	num_asked = num_come = 0;
	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = 900;
	rig.param[PARAM_IMC_PAGE_IDLE] = 200;
	rig.param[PARAM_IMC_POWER_DOWN] = 1;
	rig.param[PARAM_IMC_POWER_DOWN_IDLE] = 300;
	rig_start(NULL);
	while (num_asked < MAX_ASKED) {
		uint64_t now = engine_now(&rig.ep.engine);
		unsigned line = (unsigned)rig_random(9);

		ask(rig_line((unsigned)rig_random(4), line / 3, line % 3, line),
		    now + rig_random(60));
		if (!rig_random(5))
			rig_write(rig_line(0, line / 3, 7, num_asked % 64),
				  now + rig_random(60));
		if (!rig_random(50))
			imc_choose_for(rig.imc, &asked[num_asked - 1]);
		rig_run_to(now + rig_random(num_asked % 100 ? 10 : 3000));
	}
	rig_run_to(engine_now(&rig.ep.engine) + 2000);
	assert_int_equal(num_come, MAX_ASKED);
	for (unsigned i = 0; i < MAX_ASKED; i++) {
		uint64_t column = asked[i].data - AFTER_COLUMN;

		assert_true(column >= asked[i].entry + 4);
		stays += column - asked[i].entry;
	}
	assert_int_equal(rig_sum(SIG_IMC_RPQ_INSERTS), MAX_ASKED);
	assert_int_equal(rig_sum(SIG_IMC_RPQ_OCCUPANCY), stays);
	assert_int_equal(rig_count(DRAM_CAS_RD), MAX_ASKED);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_alone),
		cmocka_unit_test(an_open_row_goes_first),
		cmocka_unit_test(reads_of_a_rank_go_together),
		cmocka_unit_test(none_is_passed_for_ever),
		cmocka_unit_test(who_cannot_wait_has_it_chosen),
		cmocka_unit_test(all_are_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
