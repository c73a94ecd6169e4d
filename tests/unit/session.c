/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A session on registers made of plain memory: what is written and when, what
 * becomes of the values read, and that everything is put back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "uncore/uncore.h"

enum { NUM_ADDRESSES = 0x1000, NUM_SOCKETS = 2 };

struct memory {
	uint64_t value[NUM_SOCKETS][NUM_ADDRESSES];
	unsigned num_writes;
	uint32_t refuse; /* a write to this address raises #GP */
};

static int read_memory(void *context, unsigned socket, uint64_t address,
		       uint64_t *value)
{
	struct memory *memory = context;

	*value = memory->value[socket][address];
	return 0;
}

static int write_memory(void *context, unsigned socket, uint64_t address,
			uint64_t value)
{
	struct memory *memory = context;

	if (address == memory->refuse)
		return UNCORE_ERR_GP;
	memory->num_writes++;
	memory->value[socket][address] = value;
	return 0;
}

static bool counts_no_woken(void *context, const char *box, const char *event,
			    const char *unit_mask, unsigned port)
{
	(void)context;
	(void)box;
	(void)unit_mask;
	(void)port;
	return strcmp(event, "WOKEN");
}

static const struct access_ops ops = {
	.name = "memory",
	.read = read_memory,
	.write = write_memory,
	.counts = counts_no_woken,
};

struct rig {
	struct memory *memory;
	struct uncore_target *target;
	struct uncore_event *event;
	struct uncore_session *session;
};

static int open_text(struct rig *rig, const char *text, char **error)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");

	rig->memory = calloc(1, sizeof(*rig->memory));
	rig->target = uc_access_new(&ops, rig->memory, family, NUM_SOCKETS);
	rig->session = NULL;
	assert_int_equal(uncore_event_parse(family, text, &rig->event, NULL),
			 0);
	return uncore_session_open(rig->target, &rig->event, 1, &rig->session,
				   error);
}

static void close_rig(struct rig *rig)
{
	uncore_session_close(rig->session);
	uncore_target_free(rig->target);
	uncore_event_free(rig->event);
	free(rig->memory);
}

static uint64_t counted(struct rig *rig, size_t index)
{
	struct uncore_count count;

	assert_true(uncore_session_count(rig->session, index, &count));
	assert_true(count.valid);
	return count.value;
}

/* C-Box 0: control 0xd10, counter 0xd11. U-Box global control: 0xc00. */

static void a_session_counts_on_every_socket_from_the_start(void **state)
{
	struct rig rig;

	(void)state;
	assert_int_equal(open_text(&rig, "cbox0/LLC_MISSES.ALL/", NULL), 0);
	assert_int_equal(rig.memory->num_writes, 0);
	rig.memory->value[1][0xd11] = 500; /* somebody else's, not reset here */
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	for (unsigned s = 0; s < NUM_SOCKETS; s++) {
		assert_int_equal(rig.memory->value[s][0xd10], 0x400714);
		assert_int_equal(rig.memory->value[s][0xd00], 1);
		assert_int_equal(rig.memory->value[s][0xc00], 0x10000000);
	}
	rig.memory->value[0][0xd11] = 7;
	rig.memory->value[1][0xd11] = 511;
	assert_int_equal(uncore_session_read(rig.session, NULL), 0);
	assert_int_equal(counted(&rig, 0), 7);
	assert_int_equal(counted(&rig, 1), 11);
	assert_int_equal(uncore_session_stop(rig.session, NULL), 0);
	assert_int_equal(rig.memory->value[0][0xc00], 0);
	close_rig(&rig);
}

static void a_wrap_between_two_reads_is_no_loss(void **state)
{
	struct rig rig;

	(void)state;
	assert_int_equal(open_text(&rig, "cbox0/LLC_MISSES.ALL/", NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	/* 2^48 - 10, then 20 further: 10 past the wrap. */
	rig.memory->value[0][0xd11] = (UINT64_C(1) << 48) - 10;
	uncore_session_read(rig.session, NULL);
	rig.memory->value[0][0xd11] = 10;
	uncore_session_read(rig.session, NULL);
	assert_true(counted(&rig, 0) == (UINT64_C(1) << 48) + 10);
	close_rig(&rig);
}

static void the_w_box_reads_too_high_after_a_carry(void **state)
{
	struct rig rig;

	(void)state;
	assert_int_equal(open_text(&rig, "wbox/FIXED_CTR/", NULL), 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	/* 0x2000001 is read where 0x1000001 was counted. */
	rig.memory->value[0][0x394] = 0x2000001;
	rig.memory->value[1][0x394] = 0x2000002;
	uncore_session_read(rig.session, NULL);
	assert_int_equal(counted(&rig, 0), 0x1000001);
	assert_int_equal(counted(&rig, 1), 0x2000002);
	close_rig(&rig);
}

static void a_sub_counter_is_multiplied_by_its_modulus(void **state)
{
	struct uncore_count count;
	struct rig rig;

	(void)state;
	assert_int_equal(open_text(&rig, "bbox1/IMT_VALID_OCCUPANCY/", NULL),
			 0);
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	rig.memory->value[0][0xc71] = 3;
	uncore_session_read(rig.session, NULL);
	assert_int_equal(counted(&rig, 0), 3 * 32);
	uncore_session_count(rig.session, 0, &count);
	assert_non_null(strstr(count.note, "32"));
	close_rig(&rig);
}

static void closing_puts_the_registers_back(void **state)
{
	struct rig rig;
	struct memory before;

	(void)state;
	assert_int_equal(open_text(&rig, "sbox0/TO_R_PROG_EV,addr=1/", NULL),
			 0);
	for (unsigned i = 0; i < NUM_ADDRESSES; i++)
		rig.memory->value[0][i] = rig.memory->value[1][i] = i * 3;
	before = *rig.memory;
	assert_int_equal(uncore_session_start(rig.session, NULL), 0);
	assert_true(rig.memory->value[0][0xe49] != before.value[0][0xe49]);
	uncore_session_stop(rig.session, NULL);
	uncore_session_close(rig.session);
	rig.session = NULL;
	assert_memory_equal(rig.memory->value, before.value,
			    sizeof(before.value));
	close_rig(&rig);
}

static void a_refused_write_is_named(void **state)
{
	char *error = NULL;
	struct rig rig;

	(void)state;
	assert_int_equal(open_text(&rig, "cbox0/LLC_MISSES.ALL/", NULL), 0);
	rig.memory->refuse = 0xd10;
	assert_int_equal(uncore_session_start(rig.session, &error),
			 UNCORE_ERR_GP);
	assert_non_null(strstr(error, "CB0_CR_C_MSR_PMON_EVT_SEL_0"));
	free(error);
	close_rig(&rig);
}

static void what_cannot_count_is_refused_not_shown_as_zero(void **state)
{
	static const char *const texts[] = { "ubox/WOKEN/", "ubox/event=0xf8/",
					     "ubox/event=0x77/" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		char *error = NULL;
		struct rig rig;

		assert_int_equal(open_text(&rig, texts[i], &error),
				 UNCORE_ERR_NOT_MODELLED);
		assert_non_null(strstr(error, texts[i]));
		assert_non_null(strstr(error, "not modelled"));
		assert_int_equal(rig.memory->num_writes, 0);
		free(error);
		close_rig(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_session_counts_on_every_socket_from_the_start),
		cmocka_unit_test(a_wrap_between_two_reads_is_no_loss),
		cmocka_unit_test(the_w_box_reads_too_high_after_a_carry),
		cmocka_unit_test(a_sub_counter_is_multiplied_by_its_modulus),
		cmocka_unit_test(closing_puts_the_registers_back),
		cmocka_unit_test(a_refused_write_is_named),
		cmocka_unit_test(
			what_cannot_count_is_refused_not_shown_as_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
