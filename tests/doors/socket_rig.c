/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rig of the socket's tests.
 */
#include "socket_rig.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "uncore/family.h"

/* Nothing takes this long; the tests never wait for it to pass. */
enum { PATIENCE_SECONDS = 60 };

struct uncore_model *rig_model(unsigned sockets, const char *workload)
{
	struct uncore_model_config *config;
	struct uncore_model *model;
	char *error = NULL;

	config = uncore_model_config_new("xeon-e7", &error);
	assert_non_null(config);
	assert_int_equal(uncore_model_config_sockets(config, sockets, &error),
			 0);
	model = uncore_model_new(config, &error);
	assert_non_null(model);
	uncore_model_config_free(config);
	if (workload)
		assert_int_equal(
			uncore_model_set_workload(model, workload, &error), 0);
	return model;
}

void rig_open(struct rig *rig, unsigned sockets, const char *workload,
	      enum uncore_live_clock clock)
{
	char *error = NULL;

	*rig = (struct rig){ .folder = "/tmp/uncore-socket-XXXXXX" };
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->path, sizeof(rig->path), "%s/s", rig->folder);
	rig->model = rig_model(sockets, workload);
	rig->live = uncore_live_new(rig->model, clock);
	assert_non_null(rig->live);
	assert_int_equal(uncore_live_start(rig->live), 0);
	if (uncore_server_new(rig->live, rig->path, &rig->server, &error))
		fail_msg("%s", error);
}

void rig_close(struct rig *rig)
{
	uncore_server_free(rig->server);
	uncore_live_free(rig->live);
	uncore_model_free(rig->model);
	assert_int_equal(access(rig->path, F_OK), -1);
	assert_int_equal(rmdir(rig->folder), 0);
}

uint32_t rig_address(const char *name)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_register found;

	for (size_t i = 0; uncore_family_register(family, i, &found); i++)
		if (!strcmp(found.name, name))
			return found.address;
	fail_msg("there is no register %s", name);
	return 0;
}

int rig_connect(const struct rig *rig)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval time = { .tv_sec = PATIENCE_SECONDS };
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(client >= 0);
	strcpy(address.sun_path, rig->path);
	assert_int_equal(
		connect(client, (struct sockaddr *)&address, sizeof(address)),
		0);
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	return client;
}

int rig_client(const struct rig *rig)
{
	struct uncore_wire_hello hello = {
		.first_version = 1,
		.last_version = UNCORE_WIRE_VERSION,
	};
	struct uncore_wire_welcome welcome;
	int client = rig_connect(rig);

	memcpy(hello.magic, UNCORE_WIRE_MAGIC, sizeof(hello.magic));
	rig_request(client, UNCORE_WIRE_HELLO, 1, &hello, sizeof(hello));
	assert_int_equal(rig_answer(client, UNCORE_WIRE_HELLO, 1, &welcome,
				    sizeof(welcome)),
			 0);
	assert_int_equal(welcome.version, UNCORE_WIRE_VERSION);
	return client;
}

void rig_send(int client, const void *data, size_t size_bytes)
{
	const char *at = data;

	/* A server that has closed already is the test's business. */
	while (size_bytes) {
		ssize_t size = send(client, at, size_bytes, MSG_NOSIGNAL);

		if (size <= 0)
			return;
		at += size;
		size_bytes -= (size_t)size;
	}
}

void rig_request(int client, enum uncore_wire_type type, uint32_t id,
		 void *frame, size_t size_bytes)
{
	struct uncore_wire_header header = {
		.size_bytes = (uint32_t)size_bytes,
		.type = (uint16_t)type,
		.id = id,
	};

	memcpy(frame, &header, sizeof(header));
	rig_send(client, frame, size_bytes);
}

/* All of it; false at the end of the connection. */
static bool receive_all(int client, void *data, size_t size_bytes)
{
	char *at = data;

	while (size_bytes) {
		ssize_t size = recv(client, at, size_bytes, 0);

		if (size < 0 && errno == EAGAIN)
			fail_msg("the server does not answer");
		if (size <= 0)
			return false;
		at += size;
		size_bytes -= (size_t)size;
	}
	return true;
}

size_t rig_receive(int client, void *frame, size_t room_bytes)
{
	struct uncore_wire_header header;

	if (!receive_all(client, &header, sizeof(header)))
		return 0;
	assert_in_range(header.size_bytes, sizeof(header), room_bytes);
	memcpy(frame, &header, sizeof(header));
	assert_true(receive_all(client, (char *)frame + sizeof(header),
				header.size_bytes - sizeof(header)));
	return header.size_bytes;
}

int rig_answer(int client, enum uncore_wire_type type, uint32_t id, void *frame,
	       size_t size_bytes)
{
	unsigned char any[1 << 16];
	struct uncore_wire_header header;
	size_t size;

	do {
		size = rig_receive(client, any, sizeof(any));
		assert_true(size);
		memcpy(&header, any, sizeof(header));
	} while (header.type == UNCORE_WIRE_PMI ||
		 header.type == UNCORE_WIRE_ENDED);
	if (header.type == UNCORE_WIRE_ERROR)
		fail_msg("%s", (char *)any + sizeof(header));
	assert_int_equal(header.type, type);
	assert_int_equal(header.id, id);
	assert_int_equal(size, size_bytes);
	memcpy(frame, any, size);
	return header.code;
}

void rig_expect_error(int client, int code)
{
	struct uncore_wire_error error;

	assert_int_equal(rig_receive(client, &error, sizeof(error)),
			 sizeof(error));
	assert_int_equal(error.header.type, UNCORE_WIRE_ERROR);
	assert_int_equal(error.header.code, code);
	assert_true(strlen(error.text) > 10);
	assert_int_equal(rig_receive(client, &error, sizeof(error)), 0);
	close(client);
}

int rig_access(int client, bool is_write, unsigned cpu, uint32_t address,
	       uint64_t *value)
{
	struct {
		struct uncore_wire_batch head;
		struct uncore_wire_op op;
	} frame = { .head = { .num = 1 } };

	frame.op.cpu = cpu;
	frame.op.address = address;
	frame.op.is_write = is_write;
	frame.op.value = is_write ? *value : 0;
	rig_request(client, UNCORE_WIRE_BATCH, 7, &frame, sizeof(frame));
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_BATCH, 7, &frame, sizeof(frame)),
		0);
	*value = frame.op.value;
	return frame.op.code;
}

uint64_t rig_step(int client, uint64_t cycles)
{
	struct uncore_wire_step step = { .cycles = cycles };

	rig_request(client, UNCORE_WIRE_STEP, 8, &step, sizeof(step));
	assert_int_equal(
		rig_answer(client, UNCORE_WIRE_STEP, 8, &step, sizeof(step)),
		0);
	return step.cycles;
}

void rig_subscribe(int client, uint32_t events)
{
	struct uncore_wire_subscribe frame = { .events = events };

	rig_request(client, UNCORE_WIRE_SUBSCRIBE, 9, &frame, sizeof(frame));
	assert_int_equal(rig_answer(client, UNCORE_WIRE_SUBSCRIBE, 9, &frame,
				    sizeof(frame)),
			 0);
}

void rig_expect_alive(const struct rig *rig)
{
	struct uncore_wire_status status;
	int client = rig_client(rig);

	rig_request(client, UNCORE_WIRE_STATUS, 3, &status,
		    sizeof(status.header));
	assert_int_equal(rig_answer(client, UNCORE_WIRE_STATUS, 3, &status,
				    sizeof(status)),
			 0);
	close(client);
}
