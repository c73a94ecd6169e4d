/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session writes and when, on registers of plain memory that remember
 * it: turns touch what has to change and nothing else, neighbours are left
 * alone, reads that come too late are said to be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "table/table.h"
#include "uncore/schedule.h"
#include "uncore/uncore.h"

enum { NUM_ADDRESSES = 0x1000, MAX_WRITES = 4096, MAX_EVENTS = 16 };

struct memory {
	uint64_t value[NUM_ADDRESSES];
	uint32_t written[MAX_WRITES];
	uint64_t values[MAX_WRITES];
	unsigned num_writes;
	uint64_t cycle;
};

static int read_memory(void *context, unsigned socket, uint64_t address,
		       uint64_t *value)
{
	struct memory *memory = context;

	(void)socket;
	*value = memory->value[address];
	return 0;
}

static int write_memory(void *context, unsigned socket, uint64_t address,
			uint64_t value)
{
	struct memory *memory = context;

	(void)socket;
	assert_true(memory->num_writes < MAX_WRITES);
	memory->written[memory->num_writes] = address;
	memory->values[memory->num_writes++] = value;
	memory->value[address] = value;
	return 0;
}

static int batch_memory(void *context, struct uncore_target_op *ops, size_t num,
			uint64_t *cycle)
{
	struct memory *memory = context;

	for (size_t i = 0; i < num; i++)
		if (ops[i].is_write)
			write_memory(context, 0, ops[i].address, ops[i].value);
		else
			read_memory(context, 0, ops[i].address, &ops[i].value);
	*cycle = memory->cycle;
	return 0;
}

static int status_memory(void *context, struct uncore_target_status *status)
{
	struct memory *memory = context;

	*status = (struct uncore_target_status){
		.cycle = memory->cycle,
		.clock_hz = 1e9,
		.is_stepped = true,
	};
	return 0;
}

static const struct access_ops ops = {
	.name = "memory",
	.read = read_memory,
	.write = write_memory,
	.batch = batch_memory,
	.status = status_memory,
};

struct rig {
	struct memory *memory;
	struct uncore_target *target;
	struct uncore_event *events[MAX_EVENTS];
	size_t num_events;
	struct uncore_session *session;
};

/* Addresses by what they are for: no numbers here either. */
static uint32_t address_of(const char *box, unsigned instance,
			   enum uc_role role, unsigned index)
{
	const struct uc_family *family = uc_family_find("xeon-e7");
	const struct uc_register *reg;
	unsigned found;

	assert_non_null(uc_box_find(family, box, &found));
	reg = uc_register_of(family, found, instance, role, index);
	assert_non_null(reg);
	return reg->address;
}

static uint32_t master(void)
{
	return address_of("ubox", 0, UC_ROLE_GLOBAL_CTL, 0);
}

static uint64_t master_bit(const char *name)
{
	const struct uc_family *family = uc_family_find("xeon-e7");
	const struct uc_register *reg = uc_register_at(family, master());

	return uc_field_put(uc_field_find(reg->layout, name), 0, 1);
}

static void make_rig(struct rig *rig)
{
	*rig = (struct rig){ .memory = calloc(1, sizeof(*rig->memory)) };
	rig->target = uc_access_new(&ops, rig->memory,
				    uncore_family_find("xeon-e7"), 1);
}

static int open_events(struct rig *rig, const char *const *texts, bool force,
		       char **error)
{
	struct uncore_session_options options = {
		.struct_size = sizeof(options), .force = force, .seed = 7
	};

	for (; texts[rig->num_events]; rig->num_events++)
		assert_int_equal(
			uncore_event_parse(uncore_target_family(rig->target),
					   texts[rig->num_events],
					   &rig->events[rig->num_events], NULL),
			0);
	return uncore_session_open_with(rig->target, rig->events,
					rig->num_events, &options,
					&rig->session, error);
}

static void close_rig(struct rig *rig)
{
	uncore_session_close(rig->session);
	for (size_t i = 0; i < rig->num_events; i++)
		uncore_event_free(rig->events[i]);
	uncore_target_free(rig->target);
	free(rig->memory);
}

static bool was_written(const struct memory *memory, uint64_t address)
{
	for (unsigned i = 0; i < memory->num_writes; i++)
		if (memory->written[i] == address)
			return true;
	return false;
}

static const char *const one_slice[] = { "cbox/LLC_MISSES.ALL/",
					 "bbox/IMT_VALID_OCCUPANCY/",
					 "wbox/FIXED_CTR/", NULL };
static const char *const two_slices[] = {
	"cbox0/LLC_MISSES.ALL/", "cbox0/LLC_MISSES.S/",
	"cbox0/LLC_MISSES.F/",	 "cbox0/LLC_MISSES.I/",
	"cbox0/LLC_HITS.ALL/",	 "cbox0/LLC_HITS.E/",
	"cbox0/LLC_HITS.M/",	 "wbox/FIXED_CTR/",
	"cbox1/LLC_HITS.M/",	 NULL
};

static void between_samples_nothing_is_written(void **state)
{
	struct rig rig;

	(void)state;
	make_rig(&rig);
	assert_int_equal(open_events(&rig, one_slice, false, NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	rig.memory->num_writes = 0;
	for (unsigned i = 0; i < 100; i++) {
		rig.memory->cycle += 1000;
		assert_int_equal(uncore_session_rotate(rig.session, NULL), 0);
		assert_int_equal(uncore_session_read(rig.session, NULL), 0);
	}
	assert_int_equal(rig.memory->num_writes, 0);
	close_rig(&rig);
}

static void a_turn_touches_the_boxes_that_change(void **state)
{
	uint32_t enables, others;
	struct rig rig;

	(void)state;
	make_rig(&rig);
	enables = address_of("cbox", 0, UC_ROLE_GLOBAL_CTL, 0);
	others = address_of("cbox", 1, UC_ROLE_GLOBAL_CTL, 0);
	assert_int_equal(open_events(&rig, two_slices, false, NULL), 0);
	assert_int_equal(
		uncore_schedule_slices(uncore_session_schedule(rig.session)),
		2);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	for (unsigned i = 0; i < 50; i++) {
		rig.memory->num_writes = 0;
		rig.memory->cycle += 1000;
		assert_int_equal(uncore_session_rotate(rig.session, NULL), 0);
		assert_false(was_written(rig.memory, master()));
		assert_false(was_written(rig.memory, others));
		assert_false(was_written(
			rig.memory,
			address_of("wbox", 0, UC_ROLE_GLOBAL_CTL, 0)));
		if (!rig.memory->num_writes)
			continue; /* the same slice once more */
		/* The box stops first and goes on at last; in between, what
		 * differs of six controls. */
		assert_true(rig.memory->num_writes <= 8);
		assert_int_equal(rig.memory->written[0], enables);
		assert_int_equal(rig.memory->values[0], 0);
		assert_int_equal(
			rig.memory->written[rig.memory->num_writes - 1],
			enables);
	}
	close_rig(&rig);
}

static void what_did_not_take_turns_is_no_estimate(void **state)
{
	struct uncore_count count;
	struct rig rig;

	(void)state;
	make_rig(&rig);
	assert_int_equal(open_events(&rig, two_slices, false, NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	for (unsigned i = 0; i < 20; i++) {
		rig.memory->cycle += 1000;
		uncore_session_rotate(rig.session, NULL);
	}
	uncore_session_stop(rig.session, NULL);
	uncore_session_read(rig.session, NULL);
	for (size_t i = 0; uncore_session_count(rig.session, i, &count); i++) {
		bool is_free = count.event_index >= 7;

		if (is_free) {
			assert_false(count.is_estimate);
			assert_true(count.share == 1);
			assert_true(count.error == 0);
		}
		/* A box's own time is what its rates divide by. */
		assert_true(count.seconds > count.share * 20e-6 * 0.999 &&
			    count.seconds < count.share * 20e-6 * 1.001);
	}
	close_rig(&rig);
}

static void a_read_that_comes_too_late_is_said_to_be(void **state)
{
	struct uncore_count count;
	struct rig rig;
	double due;

	(void)state;
	make_rig(&rig);
	assert_int_equal(open_events(&rig, one_slice, false, NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	due = uncore_session_read_seconds(rig.session);
	assert_true(due > 60 && due < 1e6);
	assert_true(uncore_session_turn_seconds(rig.session) <= due);
	rig.memory->cycle += (uint64_t)(due * 1e9);
	uncore_session_read(rig.session, NULL);
	for (size_t i = 0; uncore_session_count(rig.session, i, &count); i++)
		assert_false(count.may_have_wrapped);
	rig.memory->cycle += UINT64_C(1) << 48;
	uncore_session_read(rig.session, NULL);
	for (size_t i = 0; uncore_session_count(rig.session, i, &count); i++) {
		assert_true(count.may_have_wrapped);
		assert_non_null(strstr(count.reason, "2^48"));
	}
	close_rig(&rig);
}

/* Somebody counts in C-Box 5 and, on another counter, in C-Box 0. */
static void add_neighbour(struct rig *rig)
{
	uint64_t control = 0x400714;

	for (unsigned i = 0; i <= 5; i += 5) {
		rig->memory->value[address_of("cbox", i, UC_ROLE_CONTROL, 5)] =
			control;
		rig->memory->value[address_of("cbox", i, UC_ROLE_COUNTER, 5)] =
			777;
		rig->memory
			->value[address_of("cbox", i, UC_ROLE_GLOBAL_CTL, 0)] =
			1u << 5;
	}
	rig->memory->value[master()] = master_bit("en_all");
}

static void counters_in_use_are_refused_in_words(void **state)
{
	char *error = NULL;
	struct rig rig;

	(void)state;
	make_rig(&rig);
	add_neighbour(&rig);
	assert_int_equal(open_events(&rig, one_slice, false, &error),
			 UNCORE_ERR_IN_USE);
	assert_non_null(strstr(error, "counter 5 of C-Box 0"));
	assert_non_null(strstr(error, "LLC_MISSES.ALL"));
	assert_int_equal(rig.memory->num_writes, 0);
	free(error);
	close_rig(&rig);
}

static void by_force_nothing_of_the_neighbour_changes(void **state)
{
	uint32_t enables = address_of("cbox", 0, UC_ROLE_GLOBAL_CTL, 0);
	static uint64_t before[NUM_ADDRESSES];
	struct rig rig;

	(void)state;
	make_rig(&rig);
	add_neighbour(&rig);
	memcpy(before, rig.memory->value, sizeof(before));
	assert_int_equal(open_events(&rig, two_slices, true, NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	for (unsigned i = 0; i < 20; i++)
		uncore_session_rotate(rig.session, NULL);
	uncore_session_stop(rig.session, NULL);
	uncore_session_close(rig.session);
	rig.session = NULL;
	for (unsigned i = 0; i < rig.memory->num_writes; i++) {
		if (rig.memory->written[i] == master())
			assert_true((rig.memory->values[i] &
				     (master_bit("en_all") |
				      master_bit("rst_all"))) ==
				    master_bit("en_all"));
		assert_true(rig.memory->written[i] !=
			    address_of("cbox", 5, UC_ROLE_GLOBAL_CTL, 0));
		assert_true(rig.memory->written[i] !=
			    address_of("cbox", 5, UC_ROLE_COUNTER, 5));
	}
	assert_true(was_written(rig.memory, enables));
	assert_memory_equal(rig.memory->value, before, sizeof(before));
	close_rig(&rig);
}

static void new_overflow_bits_are_cleared_old_ones_stay(void **state)
{
	uint32_t status = address_of("cbox", 0, UC_ROLE_GLOBAL_STATUS, 0);
	uint32_t clear = address_of("cbox", 0, UC_ROLE_OVF_CTL, 0);
	uint32_t counter = address_of("cbox", 3, UC_ROLE_COUNTER, 2);
	struct rig rig;

	(void)state;
	make_rig(&rig);
	rig.memory->value[status] = 1u << 4;
	rig.memory->value[counter] = 4242; /* not ours, but reset with all */
	assert_int_equal(open_events(&rig, one_slice, false, NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	rig.memory->value[status] |= 1u << 0;
	rig.memory->value[counter] = 0;
	uncore_session_stop(rig.session, NULL);
	uncore_session_close(rig.session);
	rig.session = NULL;
	assert_int_equal(rig.memory->value[clear], 1u << 0);
	assert_int_equal(rig.memory->value[counter], 4242);
	close_rig(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_samples_nothing_is_written),
		cmocka_unit_test(a_turn_touches_the_boxes_that_change),
		cmocka_unit_test(what_did_not_take_turns_is_no_estimate),
		cmocka_unit_test(a_read_that_comes_too_late_is_said_to_be),
		cmocka_unit_test(counters_in_use_are_refused_in_words),
		cmocka_unit_test(by_force_nothing_of_the_neighbour_changes),
		cmocka_unit_test(new_overflow_bits_are_cleared_old_ones_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
