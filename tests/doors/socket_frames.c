/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Frames, right and wrong: a right one is answered in its turn, a wrong one
 * ends its own connection with a sentence and nobody else's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "socket_rig.h"
#include "uncore/error.h"

enum {
	BATCH_BYTES = sizeof(struct uncore_wire_batch),
	OP_BYTES = sizeof(struct uncore_wire_op)
};

struct full_batch {
	struct uncore_wire_batch head;
	struct uncore_wire_op ops[UNCORE_WIRE_MAX_OPS];
};

static struct rig rig;

static int open_rig(void **state)
{
	(void)state;
	rig_open(&rig, 2, NULL, UNCORE_LIVE_STEP);
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

/* A greeted client sends these bytes. */
static void refused(const void *data, size_t size_bytes)
{
	int client = rig_client(&rig);

	rig_send(client, data, size_bytes);
	rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	rig_expect_alive(&rig);
}

static void headers_that_cannot_be_are_refused(void **state)
{
	static const struct uncore_wire_header rows[] = {
		{ .size_bytes = 0, .type = UNCORE_WIRE_STATUS },
		{ .size_bytes = 15, .type = UNCORE_WIRE_STATUS },
		{ .size_bytes = 1 << 20, .type = UNCORE_WIRE_BATCH },
		{ .size_bytes = UINT32_MAX, .type = UNCORE_WIRE_BATCH },
		{ .size_bytes = 16, .type = 0 },
		{ .size_bytes = 16, .type = 99 },
		{ .size_bytes = 16, .type = UINT16_MAX },
		{ .size_bytes = 16, .type = UNCORE_WIRE_PMI },
		{ .size_bytes = 16, .type = UNCORE_WIRE_ERROR },
		{ .size_bytes = 16, .type = UNCORE_WIRE_HELLO },
		{ .size_bytes = 16, .type = UNCORE_WIRE_BATCH },
		{ .size_bytes = 16, .type = UNCORE_WIRE_STEP },
		{ .size_bytes = 16, .type = UNCORE_WIRE_COUNTS },
		{ .size_bytes = 16, .type = UNCORE_WIRE_SUBSCRIBE },
		{ .size_bytes = 16, .type = UNCORE_WIRE_STATUS, .reserved = 1 },
		{ .size_bytes = 16, .type = UNCORE_WIRE_STATUS, .code = -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		refused(&rows[i], sizeof(rows[i]));
}

static void frames_of_another_size_are_refused(void **state)
{
	unsigned char frame[64] = { 0 };
	static const struct {
		enum uncore_wire_type type;
		uint32_t size_bytes;
	} rows[] = {
		{ UNCORE_WIRE_STATUS, 24 },
		{ UNCORE_WIRE_STEP, 23 },
		{ UNCORE_WIRE_STEP, 32 },
		{ UNCORE_WIRE_COUNTS, 64 },
		{ UNCORE_WIRE_SUBSCRIBE, 64 },
		{ UNCORE_WIRE_BATCH, BATCH_BYTES + 1 },
		{ UNCORE_WIRE_BATCH, BATCH_BYTES + OP_BYTES },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uncore_wire_header header = {
			.size_bytes = rows[i].size_bytes,
			.type = (uint16_t)rows[i].type,
		};

		memcpy(frame, &header, sizeof(header));
		refused(frame, rows[i].size_bytes);
	}
}

static void batches_that_lie_about_their_size_are_refused(void **state)
{
	static const uint32_t nums[] = { 0,	     1,
					 3,	     UNCORE_WIRE_MAX_OPS + 1,
					 0x0aaaaaac, UINT32_MAX };
	struct {
		struct uncore_wire_batch head;
		struct uncore_wire_op ops[2];
	} frame = { .head = { .num = 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(nums) / sizeof(nums[0]); i++) {
		int client = rig_client(&rig);

		frame.head.num = nums[i];
		rig_request(client, UNCORE_WIRE_BATCH, 5, &frame,
			    sizeof(frame));
		rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	}
	rig_expect_alive(&rig);
}

/* Nothing of a refused batch happens. */
static void a_batch_with_a_bad_access_is_not_begun(void **state)
{
	uint32_t address = rig_address("BB0_CR_B_MSR_MATCH");
	struct {
		struct uncore_wire_batch head;
		struct uncore_wire_op ops[2];
	} frame = { .head = { .num = 2 } };
	int client = rig_client(&rig);
	uint64_t value = 0;

	(void)state;
	frame.ops[0] = (struct uncore_wire_op){ .address = address,
						.is_write = 1,
						.value = 0x77 };
	frame.ops[1] =
		(struct uncore_wire_op){ .address = address, .is_write = 2 };
	rig_request(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame));
	rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	client = rig_client(&rig);
	assert_int_equal(rig_access(client, false, 0, address, &value), 0);
	assert_int_equal(value, 0);
	close(client);
}

static void names_that_do_not_end_are_refused(void **state)
{
	struct uncore_wire_counts frame = { .port = 0 };
	char *names[] = { frame.box, frame.event, frame.unit_mask };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		int client = rig_client(&rig);

		memset(&frame, 0, sizeof(frame));
		memset(names[i], 'X', UNCORE_WIRE_NAME_BYTES);
		rig_request(client, UNCORE_WIRE_COUNTS, 5, &frame,
			    sizeof(frame));
		rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	}
}

static void frames_cut_short_are_refused(void **state)
{
	struct uncore_wire_step step = { .cycles = 1000 };
	struct uncore_wire_status status;

	(void)state;
	for (size_t size = 1; size < sizeof(step); size += 5) {
		int client = rig_client(&rig);

		step.header = (struct uncore_wire_header){
			.size_bytes = sizeof(step),
			.type = UNCORE_WIRE_STEP,
		};
		rig_send(client, &step, size);
		shutdown(client, SHUT_WR);
		rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	}
	int client = rig_client(&rig);

	rig_request(client, UNCORE_WIRE_STATUS, 5, &status,
		    sizeof(status.header));
	assert_int_equal(rig_answer(client, UNCORE_WIRE_STATUS, 5, &status,
				    sizeof(status)),
			 0);
	assert_int_equal(status.cycle, 0);
	close(client);
}

static void other_protocols_are_refused(void **state)
{
	static const char text[] = "GET / HTTP/1.1\r\nHost: uncore\r\n\r\n";
	int client = rig_connect(&rig);

	(void)state;
	rig_send(client, text, sizeof(text) - 1);
	rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	client = rig_connect(&rig);
	shutdown(client, SHUT_WR);
	assert_int_equal(rig_receive(client, (char[64]){ 0 }, 64), 0);
	close(client);
}

static int greet(const char *magic, unsigned first, unsigned last,
		 struct uncore_wire_welcome *welcome)
{
	struct uncore_wire_hello hello = { .first_version = (uint16_t)first,
					   .last_version = (uint16_t)last };
	int client = rig_connect(&rig);

	memcpy(hello.magic, magic, sizeof(hello.magic));
	rig_request(client, UNCORE_WIRE_HELLO, 6, &hello, sizeof(hello));
	if (!welcome)
		return client;
	assert_int_equal(rig_answer(client, UNCORE_WIRE_HELLO, 6, welcome,
				    sizeof(*welcome)),
			 0);
	close(client);
	return -1;
}

static void versions_are_negotiated(void **state)
{
	struct uncore_wire_welcome welcome;

	(void)state;
	greet(UNCORE_WIRE_MAGIC, 1, 1, &welcome);
	assert_int_equal(welcome.version, 1);
	assert_memory_equal(welcome.magic, UNCORE_WIRE_MAGIC, 8);
	assert_string_equal(welcome.machine, "xeon-e7");
	assert_string_equal(welcome.family, "xeon-e7");
	assert_int_equal(welcome.sockets, 2);
	assert_int_equal(welcome.cores_per_socket, 10);
	assert_int_equal(welcome.clock, UNCORE_WIRE_CLOCK_STEP);
	assert_int_equal(welcome.clock_hz,
			 (uint64_t)uncore_model_clock_hz(rig.model));
	greet(UNCORE_WIRE_MAGIC, 1, 900, &welcome);
	assert_int_equal(welcome.version, 2);
	greet(UNCORE_WIRE_MAGIC, 0, 1, &welcome);
	assert_int_equal(welcome.version, 1);
	rig_expect_error(greet(UNCORE_WIRE_MAGIC, 3, 4, NULL),
			 UNCORE_ERR_BAD_OPTION);
	rig_expect_error(greet(UNCORE_WIRE_MAGIC, 0, 0, NULL),
			 UNCORE_ERR_BAD_OPTION);
	rig_expect_error(greet(UNCORE_WIRE_MAGIC, 1, 0, NULL),
			 UNCORE_ERR_BAD_OPTION);
	rig_expect_error(greet("uncore\n\n", 1, 1, NULL),
			 UNCORE_ERR_BAD_SYNTAX);
}

static void hello_comes_first_and_once(void **state)
{
	struct uncore_wire_hello hello = { .first_version = 1,
					   .last_version = 1 };
	struct uncore_wire_status status;
	int client = rig_connect(&rig);

	(void)state;
	rig_request(client, UNCORE_WIRE_STATUS, 1, &status,
		    sizeof(status.header));
	rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
	client = rig_client(&rig);
	memcpy(hello.magic, UNCORE_WIRE_MAGIC, sizeof(hello.magic));
	rig_request(client, UNCORE_WIRE_HELLO, 1, &hello, sizeof(hello));
	rig_expect_error(client, UNCORE_ERR_BAD_SYNTAX);
}

/* A client of version 1 is answered in its own layout. */
static void the_first_version_is_still_spoken(void **state)
{
	struct {
		struct uncore_wire_batch head;
		struct uncore_wire_op_1 ops[2];
	} frame = { .head = { .num = 2 } };
	struct uncore_wire_hello hello = { .first_version = 1,
					   .last_version = 1 };
	struct uncore_wire_welcome welcome;
	uint32_t address = rig_address("BB0_CR_B_MSR_MATCH");
	int client = rig_connect(&rig);

	(void)state;
	memcpy(hello.magic, UNCORE_WIRE_MAGIC, sizeof(hello.magic));
	rig_request(client, UNCORE_WIRE_HELLO, 1, &hello, sizeof(hello));
	rig_answer(client, UNCORE_WIRE_HELLO, 1, &welcome, sizeof(welcome));
	assert_int_equal(welcome.version, 1);
	frame.ops[0] = (struct uncore_wire_op_1){ .address = address,
						  .is_write = 1,
						  .value = 0x456 };
	frame.ops[1] = (struct uncore_wire_op_1){ .address = address };
	rig_request(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame));
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame)),
		0);
	assert_int_equal(frame.ops[0].code, 0);
	assert_int_equal(frame.ops[1].address, address);
	assert_int_equal(frame.ops[1].value, 0x456);
	close(client);
}

static void every_access_has_its_own_code(void **state)
{
	uint32_t address = rig_address("BB0_CR_B_MSR_MATCH");
	struct {
		struct uncore_wire_batch head;
		struct uncore_wire_op ops[5];
	} frame = { .head = { .num = 5, .cycle = 99 } };
	int client = rig_client(&rig);

	(void)state;
	frame.ops[0] = (struct uncore_wire_op){
		.cpu = 10, .address = address, .is_write = 1, .value = 0x123
	};
	frame.ops[1] = (struct uncore_wire_op){ .cpu = 20, .address = address };
	frame.ops[2] = (struct uncore_wire_op){ .cpu = UINT32_MAX,
						.address = address };
	frame.ops[3] = (struct uncore_wire_op){ .address = UINT32_MAX };
	frame.ops[4] = (struct uncore_wire_op){ .cpu = 19, .address = address };
	rig_request(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame));
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame)),
		0);
	assert_int_equal(frame.head.num, 5);
	assert_int_equal(frame.head.cycle, 0);
	assert_int_equal(frame.ops[0].code, 0);
	assert_int_equal(frame.ops[1].code, UNCORE_ERR_SOCKET);
	assert_int_equal(frame.ops[2].code, UNCORE_ERR_SOCKET);
	assert_int_equal(frame.ops[3].code, UNCORE_ERR_GP);
	assert_int_equal(frame.ops[4].code, 0);
	assert_int_equal(frame.ops[4].value, 0x123);
	close(client);
}

static void the_largest_and_the_smallest_batch_fit(void **state)
{
	static struct full_batch frame;
	uint32_t address = rig_address("BB0_CR_B_MSR_MATCH");
	int client = rig_client(&rig);

	(void)state;
	memset(&frame, 0, sizeof(frame));
	frame.head.num = UNCORE_WIRE_MAX_OPS;
	for (uint32_t i = 0; i < UNCORE_WIRE_MAX_OPS; i++) {
		frame.ops[i].address = address;
		frame.ops[i].is_write = i % 2 == 0;
		frame.ops[i].value = i % 2 == 0 ? i : 0;
	}
	rig_request(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame));
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_BATCH, 5, &frame, sizeof(frame)),
		0);
	for (uint32_t i = 1; i < UNCORE_WIRE_MAX_OPS; i += 2)
		assert_int_equal(frame.ops[i].value, i - 1);
	frame.head.num = 0;
	rig_request(client, UNCORE_WIRE_BATCH, 6, &frame, BATCH_BYTES);
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_BATCH, 6, &frame, BATCH_BYTES),
		0);
	close(client);
}

/* Byte by byte, and several at a time: frames have no other borders than their
 * size, and answers keep the order. */
static void frames_come_in_any_portions(void **state)
{
	struct uncore_wire_step steps[20];
	int client = rig_client(&rig);
	uint64_t first = rig_step(client, 0);

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		steps[i] = (struct uncore_wire_step){
			.header = { .size_bytes = sizeof(steps[0]),
				    .type = UNCORE_WIRE_STEP,
				    .id = 100 + i },
			.cycles = i,
		};
	for (size_t i = 0; i < 2 * sizeof(steps[0]); i++)
		rig_send(client, (char *)steps + i, 1);
	rig_send(client, &steps[2], 18 * sizeof(steps[0]));
	shutdown(client, SHUT_WR);
	for (uint32_t i = 0; i < 20; i++) {
		struct uncore_wire_step step;

		assert_int_equal(rig_answer(client, UNCORE_WIRE_STEP, 100 + i,
					    &step, sizeof(step)),
				 0);
		assert_int_equal(step.cycles, first + i * (i + 1) / 2);
	}
	assert_int_equal(rig_receive(client, &(char[64]){ 0 }, 64), 0);
	close(client);
}

/* 1, 0, or the answer's code. */
static int counts(int client, const char *box, const char *event,
		  const char *unit_mask, unsigned port)
{
	struct uncore_wire_counts frame = { .port = port };
	int code;

	snprintf(frame.box, sizeof(frame.box), "%s", box);
	snprintf(frame.event, sizeof(frame.event), "%s", event);
	snprintf(frame.unit_mask, sizeof(frame.unit_mask), "%s", unit_mask);
	rig_request(client, UNCORE_WIRE_COUNTS, 5, &frame, sizeof(frame));
	code = rig_answer(client, UNCORE_WIRE_COUNTS, 5, &frame, sizeof(frame));
	return code ? code : (int)frame.counts;
}

static void what_is_modelled_is_told(void **state)
{
	int client = rig_client(&rig);

	(void)state;
	assert_int_equal(counts(client, "cbox", "LLC_MISSES", "ALL", 0), 1);
	assert_int_equal(counts(client, "cbox", "OCCUPANCY_IRQ", "", 0), 1);
	assert_int_equal(counts(client, "mbox", "FVID_RACE", "", 0), 0);
	assert_int_equal(counts(client, "CBOX", "llc_misses", "all", 0), 1);
	assert_int_equal(counts(client, "cbox", "NOTHING", "", 0),
			 UNCORE_ERR_UNKNOWN_EVENT);
	assert_int_equal(counts(client, "cbox", "LLC_MISSES", "X", 0),
			 UNCORE_ERR_BAD_UMASK);
	assert_int_equal(counts(client, "cbo", "LLC_MISSES", "ALL", 0),
			 UNCORE_ERR_UNKNOWN_BOX);
	assert_int_equal(counts(client, "", "", "", UINT32_MAX),
			 UNCORE_ERR_UNKNOWN_BOX);
	close(client);
}

static void events_that_do_not_exist_are_no_options(void **state)
{
	struct uncore_wire_subscribe frame = { .events = 4 };
	int client = rig_client(&rig);

	(void)state;
	rig_request(client, UNCORE_WIRE_SUBSCRIBE, 5, &frame, sizeof(frame));
	assert_int_equal(rig_answer(client, UNCORE_WIRE_SUBSCRIBE, 5, &frame,
				    sizeof(frame)),
			 UNCORE_ERR_BAD_OPTION);
	rig_subscribe(client, UNCORE_WIRE_WANTS_PMI);
	close(client);
}

static void a_clock_that_runs_is_not_stepped(void **state)
{
	struct uncore_wire_step step = { .cycles = 5 };
	struct rig free_rig;
	int client;

	(void)state;
	rig_open(&free_rig, 1, NULL, UNCORE_LIVE_FREE);
	client = rig_client(&free_rig);
	rig_request(client, UNCORE_WIRE_STEP, 5, &step, sizeof(step));
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_STEP, 5, &step, sizeof(step)),
		UNCORE_ERR_STATE);
	close(client);
	rig_close(&free_rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_that_cannot_be_are_refused),
		cmocka_unit_test(frames_of_another_size_are_refused),
		cmocka_unit_test(batches_that_lie_about_their_size_are_refused),
		cmocka_unit_test(a_batch_with_a_bad_access_is_not_begun),
		cmocka_unit_test(names_that_do_not_end_are_refused),
		cmocka_unit_test(frames_cut_short_are_refused),
		cmocka_unit_test(other_protocols_are_refused),
		cmocka_unit_test(versions_are_negotiated),
		cmocka_unit_test(the_first_version_is_still_spoken),
		cmocka_unit_test(hello_comes_first_and_once),
		cmocka_unit_test(every_access_has_its_own_code),
		cmocka_unit_test(the_largest_and_the_smallest_batch_fit),
		cmocka_unit_test(frames_come_in_any_portions),
		cmocka_unit_test(what_is_modelled_is_told),
		cmocka_unit_test(events_that_do_not_exist_are_no_options),
		cmocka_unit_test(a_clock_that_runs_is_not_stepped),
	};

	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
