/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Clients that misbehave, die or sleep beside clients that do not; events; and
 * who may connect.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "socket_rig.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { NUM_CLIENTS = 8, NUM_ROUNDS = 200, NOBODY = 65534 };

#define FIRST "BB0_CR_B_MSR_MATCH" /* any register that can be written */
#define CLEAR "W_MSR_PMON_GLOBAL_OVERFLOW_CTL"
#define EVENT "wbox/FIXED_CTR,pmi_en=1/"

static unsigned num_open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned num = 0;

	assert_non_null(folder);
	while (readdir(folder))
		num++;
	closedir(folder);
	return num;
}

/* The server closes what a client has closed, a little later. */
static void expect_files(int client, unsigned num)
{
	uint64_t value;

	for (unsigned i = 0; num_open_files() != num && i < 10000; i++)
		rig_access(client, false, 0, rig_address(FIRST), &value);
	assert_int_equal(num_open_files(), num);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Bytes without sense, some behind a good beginning. */
static void babble(const struct rig *rig, uint64_t *seed)
{
	unsigned char bytes[512];
	int client = next_random(seed) % 2 ? rig_client(rig) : rig_connect(rig);
	size_t size = next_random(seed) % sizeof(bytes);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)next_random(seed);
	if (size >= sizeof(struct uncore_wire_header) &&
	    next_random(seed) % 4) {
		struct uncore_wire_header header = {
			.size_bytes = (uint32_t)(next_random(seed) % 300),
			.type = (uint16_t)(next_random(seed) % 8),
		};

		/* A STEP of 2^63 cycles is in order, but not wanted here. */
		if (header.type == UNCORE_WIRE_STEP)
			header.type = UNCORE_WIRE_BATCH;
		memcpy(bytes, &header, sizeof(header));
	}
	rig_send(client, bytes, size);
	close(client);
}

static void any_bytes_harm_nobody(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	struct rig rig;
	unsigned files;
	int good;

	(void)state;
	rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
	good = rig_client(&rig);
	files = num_open_files();
	for (unsigned i = 0; i < 2000; i++) {
		babble(&rig, &seed);
		if (i % 100 == 0)
			rig_step(good, 10);
	}
	assert_int_equal(rig_step(good, 10), 210);
	rig_expect_alive(&rig);
	expect_files(good, files);
	close(good);
	rig_close(&rig);
}

static void *hammer(void *argument)
{
	const struct rig *rig = argument;
	uint32_t address = rig_address(FIRST);
	int client = rig_client(rig);
	uint64_t own = (uint64_t)(uintptr_t)&client >> 4 & 0xffff;

	for (unsigned i = 0; i < NUM_ROUNDS; i++) {
		struct {
			struct uncore_wire_batch head;
			struct uncore_wire_op ops[2];
		} frame = { .head = { .num = 2 } };

		/* A batch is one cycle: nobody writes in between. */
		frame.ops[0] = (struct uncore_wire_op){ .address = address,
							.is_write = 1,
							.value = own + i };
		frame.ops[1].address = address;
		rig_request(client, UNCORE_WIRE_BATCH, i, &frame,
			    sizeof(frame));
		rig_answer(client, UNCORE_WIRE_BATCH, i, &frame, sizeof(frame));
		if (frame.ops[1].value != own + i)
			fail_msg("a batch was torn");
		if (i % 50 == 0) {
			close(client);
			client = rig_client(rig);
		}
	}
	close(client);
	return NULL;
}

static void eight_clients_at_a_time(void **state)
{
	pthread_t threads[NUM_CLIENTS];
	struct rig rig;
	unsigned files;
	int quiet;

	(void)state;
	rig_open(&rig, 1, "random:threads=4,count=1000000000",
		 UNCORE_LIVE_FREE);
	quiet = rig_client(&rig);
	files = num_open_files();
	for (unsigned i = 0; i < NUM_CLIENTS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, hammer, &rig), 0);
	for (unsigned i = 0; i < NUM_CLIENTS; i++)
		pthread_join(threads[i], NULL);
	rig_expect_alive(&rig);
	expect_files(quiet, files);
	close(quiet);
	rig_close(&rig);
}

/* The other side of a child is gone without a word. */
static void killed_child(const struct rig *rig, const void *data,
			 size_t size_bytes)
{
	int pipes[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		rig_send(rig_client(rig), data, size_bytes);
		if (write(pipes[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(pipes[0]);
	close(pipes[1]);
}

static void a_client_killed_in_a_frame_leaves_nothing(void **state)
{
	struct uncore_wire_batch half = {
		.header = { .size_bytes = sizeof(half) + 24,
			    .type = UNCORE_WIRE_BATCH },
		.num = 1,
	};
	struct uncore_wire_step endless = {
		.header = { .size_bytes = sizeof(endless),
			    .type = UNCORE_WIRE_STEP },
		.cycles = UINT64_MAX,
	};
	uint64_t before, after;
	struct rig rig;
	int client;

	(void)state;
	rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
	killed_child(&rig, &half, sizeof(half));
	rig_expect_alive(&rig);
	/* Its step ends with it; until then others have their turns. */
	killed_child(&rig, &endless, sizeof(endless));
	client = rig_client(&rig);
	before = rig_step(client, 1);
	do {
		before = rig_step(client, 0);
		usleep(1000);
		after = rig_step(client, 5);
	} while (after != before + 5);
	close(client);
	rig_close(&rig);
}

/* While one client steps for ever, another one works; a STEP is no obstacle to
 * the end of the server either. */
static void a_long_step_blocks_nobody(void **state)
{
	struct uncore_wire_step endless = { .cycles = UINT64_MAX };
	uint64_t value;
	struct rig rig;
	int slow, quick;

	(void)state;
	rig_open(&rig, 2, "random:threads=4,count=1000000000",
		 UNCORE_LIVE_STEP);
	slow = rig_client(&rig);
	quick = rig_client(&rig);
	rig_request(slow, UNCORE_WIRE_STEP, 1, &endless, sizeof(endless));
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(
			rig_access(quick, false, 0, rig_address(FIRST), &value),
			0);
	assert_true(rig_step(quick, 100) >= 100);
	rig_close(&rig);
	assert_int_equal(rig_receive(slow, &endless, sizeof(endless)), 0);
	close(slow);
	close(quick);
}

/* A batch that lets the fixed counter of socket 0 overflow after some cycles,
 * with a PMI to core 3. */
struct armed {
	struct uncore_wire_batch head;
	struct uncore_wire_op ops[16];
};

static void put_write(struct armed *armed, uint32_t address, uint64_t value)
{
	assert_in_range(armed->head.num, 0, 15);
	armed->ops[armed->head.num++] = (struct uncore_wire_op){
		.address = address,
		.is_write = 1,
		.value = value,
	};
}

static uint64_t field(const char *name, const char *field_name, uint64_t value)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_register found;
	struct uncore_field row;

	uncore_family_register_at(family, rig_address(name), &found);
	for (size_t i = 0; uncore_register_field(&found, i, &row); i++)
		if (!strcmp(row.name, field_name))
			return value << row.low;
	fail_msg("%s has no %s", name, field_name);
	return 0;
}

static void make_armed(struct armed *armed, uint64_t cycles)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_event *event;
	struct uncore_plan *plan;
	struct uncore_write *writes;
	size_t num;

	memset(armed, 0, sizeof(*armed));
	assert_int_equal(uncore_event_parse(family, EVENT, &event, NULL), 0);
	assert_int_equal(uncore_plan_new(family, &event, 1, &plan, NULL), 0);
	assert_int_equal(uncore_plan_writes(plan, 0, 0, &writes, &num, NULL),
			 0);
	put_write(armed, rig_address(CLEAR), field(CLEAR, "clr_ov_fixed", 1));
	for (size_t i = 0; i < num - 1; i++)
		put_write(armed, writes[i].address, writes[i].value);
	put_write(armed, uncore_plan_counter_address(plan, 0, 0),
		  (UINT64_C(1) << 48) - cycles);
	put_write(armed, writes[num - 1].address,
		  writes[num - 1].value |
			  field(writes[num - 1].name, "pmi_core_sel", 1 << 3));
	free(writes);
	uncore_plan_free(plan);
	uncore_event_free(event);
}

static void arm(int client, uint64_t cycles)
{
	struct armed armed;
	size_t size;

	make_armed(&armed, cycles);
	size = sizeof(armed.head) + armed.head.num * sizeof(armed.ops[0]);
	rig_request(client, UNCORE_WIRE_BATCH, 2, &armed, size);
	assert_int_equal(rig_answer(client, UNCORE_WIRE_BATCH, 2, &armed, size),
			 0);
	for (uint32_t i = 0; i < armed.head.num; i++)
		assert_int_equal(armed.ops[i].code, 0);
}

static struct uncore_wire_event next_event(int client)
{
	struct uncore_wire_event event;

	assert_int_equal(rig_receive(client, &event, sizeof(event)),
			 sizeof(event));
	assert_int_equal(event.header.id, 0);
	return event;
}

/* Everything that happened in a step comes before its answer; only those who
 * asked for it hear of it. */
static void pmis_come_with_their_cycle(void **state)
{
	struct uncore_wire_event first, other;
	struct uncore_wire_step step = { .cycles = 5000 };
	struct uncore_model_pmi pmi;
	struct rig rig;
	int stepping, listening, deaf;

	(void)state;
	rig_open(&rig, 2, NULL, UNCORE_LIVE_STEP);
	stepping = rig_client(&rig);
	listening = rig_client(&rig);
	deaf = rig_client(&rig);
	rig_subscribe(stepping, UNCORE_WIRE_WANTS_PMI);
	rig_subscribe(listening, UNCORE_WIRE_WANTS_PMI);
	arm(stepping, 1000);
	rig_request(stepping, UNCORE_WIRE_STEP, 4, &step, sizeof(step));
	first = next_event(stepping);
	assert_int_equal(first.header.type, UNCORE_WIRE_PMI);
	assert_int_equal(first.socket, 0);
	assert_int_equal(first.lost, 0);
	other = next_event(listening);
	assert_memory_equal(&first, &other, sizeof(first));
	assert_int_equal(
		rig_answer(stepping, UNCORE_WIRE_STEP, 4, &step, sizeof(step)),
		0);
	assert_int_equal(step.cycles, 5000);
	assert_int_equal(rig_step(deaf, 0), 5000);
	assert_int_equal(first.core, 3);
	assert_in_range(first.cycle, 1000, 1100);
	close(stepping);
	close(listening);
	close(deaf);
	rig_close(&rig);
	/* The same cycle where the model is asked itself. */
	rig_open(&rig, 2, NULL, UNCORE_LIVE_STEP);
	stepping = rig_client(&rig);
	arm(stepping, 1000);
	uncore_model_run(uncore_live_enter(rig.live), 5000);
	assert_true(uncore_model_take_pmi(rig.model, &pmi));
	uncore_live_leave(rig.live);
	assert_int_equal(pmi.cycle, first.cycle);
	assert_int_equal(pmi.core, first.core);
	close(stepping);
	rig_close(&rig);
}

static void the_end_of_traffic_is_told_once(void **state)
{
	struct uncore_wire_event event;
	struct rig rig;
	int early, late;

	(void)state;
	rig_open(&rig, 1, "random:threads=1,size=1M,count=100",
		 UNCORE_LIVE_STEP);
	early = rig_client(&rig);
	rig_subscribe(early, UNCORE_WIRE_WANTS_ENDED);
	rig_step(early, 1);
	late = rig_client(&rig);
	rig_step(late, 100000);
	event = next_event(early);
	assert_int_equal(event.header.type, UNCORE_WIRE_ENDED);
	assert_in_range(event.cycle, 100, 100001);
	rig_subscribe(late, UNCORE_WIRE_WANTS_ENDED);
	event = next_event(late);
	assert_int_equal(event.header.type, UNCORE_WIRE_ENDED);
	/* Nothing more: the next frame is the answer. */
	rig_subscribe(early, UNCORE_WIRE_WANTS_ENDED);
	rig_step(early, 1000);
	close(early);
	close(late);
	rig_close(&rig);
}

/* More PMIs than a client that sleeps has room for: it loses some and is told
 * how many, and others go on. */
static void a_client_that_does_not_read_loses_events(void **state)
{
	enum { NUM_PMIS = 4000 };
	struct uncore_wire_event event;
	uint64_t received = 0, lost = 0, last = 0;
	struct rig rig;
	int asleep, awake;

	(void)state;
	rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
	asleep = rig_client(&rig);
	awake = rig_client(&rig);
	rig_subscribe(asleep, UNCORE_WIRE_WANTS_PMI);
	for (unsigned i = 0; i < NUM_PMIS; i++) {
		arm(awake, 10);
		rig_step(awake, 50);
	}
	/* It wakes up, and has room when the next one comes. */
	for (unsigned i = 0; received + lost < NUM_PMIS + 1; i++) {
		event = next_event(asleep);
		assert_int_equal(event.header.type, UNCORE_WIRE_PMI);
		assert_true(event.cycle > last);
		last = event.cycle;
		received++;
		lost += event.lost;
		if (i == 1000) {
			arm(awake, 10);
			rig_step(awake, 100);
		}
	}
	assert_int_equal(received + lost, NUM_PMIS + 1);
	assert_true(lost > 0);
	close(asleep);
	close(awake);
	rig_close(&rig);
}

static void connect_as_nobody(const char *path, int *status)
{
	pid_t child = fork();

	if (!child) {
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		int file = socket(AF_UNIX, SOCK_STREAM, 0);

		strcpy(address.sun_path, path);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(99);
		if (connect(file, (struct sockaddr *)&address, sizeof(address)))
			_exit(errno == EACCES ? 1 : 2);
		/* The file would let it in: the server does not. */
		struct uncore_wire_error error;

		if (recv(file, &error, sizeof(error), MSG_WAITALL) !=
			    (ssize_t)sizeof(error) ||
		    error.header.type != UNCORE_WIRE_ERROR ||
		    error.header.code != UNCORE_ERR_NO_PERMISSION)
			_exit(3);
		_exit(recv(file, &error, 1, 0) ? 4 : 0);
	}
	waitpid(child, status, 0);
	*status = WEXITSTATUS(*status);
}

static void others_have_no_access(void **state)
{
	struct stat found;
	struct rig rig;
	int status;

	(void)state;
	rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
	assert_int_equal(stat(rig.path, &found), 0);
	assert_int_equal(found.st_mode & 07777, 0600);
	if (!geteuid()) {
		chmod(rig.folder, 0755);
		connect_as_nobody(rig.path, &status);
		assert_int_equal(status, 1);
		chmod(rig.path, 0666);
		connect_as_nobody(rig.path, &status);
		assert_int_equal(status, 0);
	}
	rig_expect_alive(&rig);
	rig_close(&rig);
}

static void make_dead_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, path);
	assert_int_equal(
		bind(file, (struct sockaddr *)&address, sizeof(address)), 0);
	close(file);
}

static void only_a_dead_socket_is_replaced(void **state)
{
	struct uncore_server *second = NULL;
	char *error = NULL;
	char long_path[200] = { 0 };
	struct stat before, after;
	struct rig rig;
	int file;

	(void)state;
	rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
	stat(rig.path, &before);
	assert_int_equal(uncore_server_new(rig.live, rig.path, &second, &error),
			 UNCORE_ERR_STATE);
	assert_non_null(strstr(error, rig.path));
	free(error);
	stat(rig.path, &after);
	assert_int_equal(before.st_ino, after.st_ino);
	rig_expect_alive(&rig);
	uncore_server_free(rig.server);
	assert_int_equal(access(rig.path, F_OK), -1);

	make_dead_socket(rig.path);
	assert_int_equal(
		uncore_server_new(rig.live, rig.path, &rig.server, &error), 0);
	rig_expect_alive(&rig);
	uncore_server_free(rig.server);

	file = open(rig.path, O_CREAT | O_WRONLY, 0600);
	close(file);
	assert_int_equal(uncore_server_new(rig.live, rig.path, &second, &error),
			 UNCORE_ERR_STATE);
	free(error);
	unlink(rig.path);
	memset(long_path, 'x', sizeof(long_path) - 1);
	assert_int_equal(
		uncore_server_new(rig.live, long_path, &second, &error),
		UNCORE_ERR_BAD_PARAMETER);
	free(error);
	assert_int_equal(
		uncore_server_new(rig.live, "/nowhere/at/all", &second, &error),
		UNCORE_ERR_IO);
	free(error);
	rig.server = NULL;
	rig_close(&rig);
}

/* A server that ends, however it ends, leaves its file to its successor. */
static void the_file_of_another_is_not_removed(void **state)
{
	struct uncore_server *second = NULL;
	char *error = NULL;
	struct rig rig;

	(void)state;
	rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
	unlink(rig.path);
	assert_int_equal(uncore_server_new(rig.live, rig.path, &second, &error),
			 0);
	uncore_server_free(rig.server);
	rig.server = second;
	rig_expect_alive(&rig);
	rig_close(&rig);
}

/* The server in a process of its own, which is killed. */
static void a_dead_server_is_one_sentence(void **state)
{
	struct uncore_target_event event;
	struct uncore_target *target;
	char *error = NULL;
	struct rig rig;
	uint64_t value;
	int pipes[2], child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		rig_open(&rig, 1, NULL, UNCORE_LIVE_STEP);
		if (write(pipes[1], rig.path, sizeof(rig.path)) > 0)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], rig.path, sizeof(rig.path)),
			 sizeof(rig.path));
	target = uncore_target_socket(rig.path, &error);
	assert_non_null(target);
	assert_string_equal(uncore_target_error(target), "");
	kill(child, SIGKILL);
	assert_int_equal(uncore_target_wait(target, -1, &event),
			 UNCORE_ERR_DIED);
	assert_int_equal(
		uncore_target_read(target, 0, rig_address(FIRST), &value),
		UNCORE_ERR_DIED);
	assert_int_equal(uncore_target_step(target, 1), UNCORE_ERR_DIED);
	assert_non_null(strstr(uncore_target_error(target), rig.path));
	uncore_target_free(target);
	waitpid(child, NULL, 0);
	assert_null(uncore_target_socket(rig.path, &error));
	assert_non_null(strstr(error, "dead"));
	free(error);
	unlink(rig.path);
	*strrchr(rig.path, '/') = 0;
	assert_int_equal(rmdir(rig.path), 0);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes_harm_nobody),
		cmocka_unit_test(eight_clients_at_a_time),
		cmocka_unit_test(a_client_killed_in_a_frame_leaves_nothing),
		cmocka_unit_test(a_long_step_blocks_nobody),
		cmocka_unit_test(pmis_come_with_their_cycle),
		cmocka_unit_test(the_end_of_traffic_is_told_once),
		cmocka_unit_test(a_client_that_does_not_read_loses_events),
		cmocka_unit_test(others_have_no_access),
		cmocka_unit_test(only_a_dead_socket_is_replaced),
		cmocka_unit_test(the_file_of_another_is_not_removed),
		cmocka_unit_test(a_dead_server_is_one_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
