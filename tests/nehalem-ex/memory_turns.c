/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A turn of writes ends, however many come: it has as many as the write queue
 * holds, which are all that can wait when it begins. Who comes then goes behind
 * the reads that waited for the end of the turn. Reads and writes are on two
 * buses and find their rows open, so nothing but the turns decides who goes
 * first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory_rig.h"

enum {
	CLOCK = RIG_CLOCK,
	BEGIN = 20000,
	NUM_WRITES = 7,
	NUM_READS = 4,
	WRITTEN = 0, /* bank */
	READ = 32,   /* of the other bus, as the next */
	CLOSED = 33,
};

static struct mbox_config with_room_for(unsigned writes)
{
	struct mbox_config config = rig_config();

	config.sched = MBOX_SCHED_WRPRIO;
	config.write_queue_entries = writes;
	config.write_high_entries = writes - 1;
	config.write_low_entries = 0;
	config.front_cycles = CLOCK;
	return config;
}

/* The clock of the n-th column command of a kind from the beginning on. */
static uint64_t column_clock(enum dram_cmd cmd, unsigned bus, unsigned n)
{
	for (unsigned i = 0; i < rig.num_commands; i++) {
		const struct dram_command *command = &rig.commands[i];

		if (command->cmd == cmd && command->bus == bus &&
		    command->clock * CLOCK >= BEGIN && !n--)
			return command->clock;
	}
	fail_msg("there is no such command");
	return 0;
}

/* A read whose row has to be opened, so that there is one to wait for; writes,
 * of which the first begins a turn; reads that come meanwhile. */
static void crowd(unsigned room)
{
	unsigned fvid = 0;

	rig_start(with_room_for(room), NULL, true);
	rig_write(rig_line(WRITTEN, 0, 0), fvid++, 1000);
	rig_read(rig_line(READ, 0, 0), fvid++, 2000);
	rig_run_to(BEGIN);
	rig_read(rig_line(CLOSED, 1, 0), fvid++, BEGIN);
	for (unsigned i = 0; i < NUM_WRITES - 1; i++)
		rig_write(rig_line(WRITTEN, 0, 1 + i), fvid++, BEGIN + 1 + i);
	for (unsigned i = 0; i < NUM_READS; i++)
		rig_read(rig_line(READ, 0, 1 + i), fvid++, BEGIN + 10 + i);
	rig_write(rig_line(WRITTEN, 0, NUM_WRITES), fvid++, BEGIN + 20);
	rig_run_to(BEGIN + 10000);
}

/* The buses may have their column commands in the same clock. */
static void who_comes_to_a_full_turn_goes_behind_its_reads(void **state)
{
	(void)state;
	crowd(NUM_WRITES - 1);
	/* the first read is that of the row that was closed */
	assert_true(column_clock(DRAM_CAS_RD, 1, NUM_READS) <=
		    column_clock(DRAM_CAS_WR, 0, NUM_WRITES - 1));
	rig_stop();
}

/* Else the other would say nothing. */
static void who_belongs_to_the_turn_goes_before_them(void **state)
{
	(void)state;
	crowd(NUM_WRITES);
	assert_true(column_clock(DRAM_CAS_RD, 1, NUM_READS) >
		    column_clock(DRAM_CAS_WR, 0, NUM_WRITES - 1));
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			who_comes_to_a_full_turn_goes_behind_its_reads),
		cmocka_unit_test(who_belongs_to_the_turn_goes_before_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
