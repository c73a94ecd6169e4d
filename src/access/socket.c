/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a model behind a Unix socket; wire.h has the protocol. Each
 * socket's uncore is reached through its first CPU.
 */
#include "access/access.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "access/socket_link.h"
#include "base/text.h"
#include "uncore/error.h"
#include "uncore/family.h"

/* How long a server may take to say hello, while it is not known to be one. */
enum { HELLO_SECONDS = 10, MAX_SOCKETS = 64 };

struct remote {
	struct link *link;
	unsigned sockets, cores_per_socket;
	unsigned clock;
	double clock_hz;
	const struct uncore_family *family;
};

struct batch_frame {
	struct uncore_wire_batch head;
	struct uncore_wire_op ops[UNCORE_WIRE_MAX_OPS];
};

/* As many as fit into a frame. */
static int do_part(struct remote *remote, struct uncore_target_op *ops,
		   uint32_t num, uint64_t *cycle)
{
	struct batch_frame frame;
	size_t size = sizeof(frame.head) + num * sizeof(frame.ops[0]);
	int code;

	frame.head = (struct uncore_wire_batch){ .num = htole32(num) };
	for (uint32_t i = 0; i < num; i++)
		frame.ops[i] = (struct uncore_wire_op){
			.cpu = htole32(ops[i].socket *
				       remote->cores_per_socket),
			.address = htole64(ops[i].address),
			.is_write = htole32(ops[i].is_write),
			.value = ops[i].is_write ? htole64(ops[i].value) : 0,
		};
	code = link_ask(remote->link, UNCORE_WIRE_BATCH, &frame, size, size);
	for (uint32_t i = 0; i < num && !code; i++) {
		ops[i].code = (int32_t)le32toh((uint32_t)frame.ops[i].code);
		if (!link_may_say(ops[i].code))
			return link_die(remote->link,
					"%s speaks another protocol",
					remote->link->path);
		if (!ops[i].is_write && !ops[i].code)
			ops[i].value = le64toh(frame.ops[i].value);
	}
	*cycle = le64toh(frame.head.cycle);
	return code;
}

static int socket_batch(void *context, struct uncore_target_op *ops, size_t num,
			uint64_t *cycle)
{
	int code = 0;

	for (size_t i = 0; i < num && !code; i += UNCORE_WIRE_MAX_OPS) {
		size_t left = num - i;

		code = do_part(context, ops + i,
			       left < UNCORE_WIRE_MAX_OPS ? (uint32_t)left
							  : UNCORE_WIRE_MAX_OPS,
			       cycle);
	}
	return code;
}

static int one(void *context, struct uncore_target_op *op)
{
	uint64_t cycle;
	int code = socket_batch(context, op, 1, &cycle);

	return code ? code : op->code;
}

static int socket_read(void *context, unsigned socket, uint64_t address,
		       uint64_t *value)
{
	struct uncore_target_op op = { .socket = socket, .address = address };
	int code = one(context, &op);

	if (!code)
		*value = op.value;
	return code;
}

static int socket_write(void *context, unsigned socket, uint64_t address,
			uint64_t value)
{
	struct uncore_target_op op = { .socket = socket,
				       .address = address,
				       .is_write = true,
				       .value = value };

	return one(context, &op);
}

static int socket_status(void *context, struct uncore_target_status *status)
{
	const struct remote *remote = context;
	struct uncore_wire_status frame;
	int code = link_ask(remote->link, UNCORE_WIRE_STATUS, &frame,
			    sizeof(struct uncore_wire_header), sizeof(frame));

	if (code)
		return code;
	*status = (struct uncore_target_status){
		.cycle = le64toh(frame.cycle),
		.clock_hz = remote->clock_hz,
		.is_stepped = remote->clock == UNCORE_WIRE_CLOCK_STEP,
		.traffic_ended = le32toh(frame.traffic_ended),
	};
	return 0;
}

static int socket_step(void *context, uint64_t cycles)
{
	const struct remote *remote = context;
	struct uncore_wire_step frame = { .cycles = htole64(cycles) };

	return link_ask(remote->link, UNCORE_WIRE_STEP, &frame, sizeof(frame),
			sizeof(frame));
}

static int socket_subscribe(void *context, unsigned kinds)
{
	const struct remote *remote = context;
	struct uncore_wire_subscribe frame = { .events = 0 };
	uint32_t events = 0;

	if (kinds & UNCORE_TARGET_PMI)
		events |= UNCORE_WIRE_WANTS_PMI;
	if (kinds & UNCORE_TARGET_ENDED)
		events |= UNCORE_WIRE_WANTS_ENDED;
	frame.events = htole32(events);
	return link_ask(remote->link, UNCORE_WIRE_SUBSCRIBE, &frame,
			sizeof(frame), sizeof(frame));
}

static int socket_wait(void *context, int timeout_ms,
		       struct uncore_target_event *event)
{
	const struct remote *remote = context;

	return link_wait(remote->link, timeout_ms, event);
}

static const char *socket_error(void *context)
{
	const struct remote *remote = context;

	return remote->link->error;
}

static bool put_name(char *field, const char *name)
{
	size_t length = strlen(name);

	memset(field, 0, UNCORE_WIRE_NAME_BYTES);
	if (length >= UNCORE_WIRE_NAME_BYTES)
		return false;
	memcpy(field, name, length);
	return true;
}

static bool socket_counts(void *context, const char *box, const char *event,
			  const char *unit_mask, unsigned port)
{
	const struct remote *remote = context;
	struct uncore_wire_counts frame = { .port = htole32(port) };

	if (!put_name(frame.box, box) || !put_name(frame.event, event) ||
	    !put_name(frame.unit_mask, unit_mask ? unit_mask : ""))
		return false;
	return !link_ask(remote->link, UNCORE_WIRE_COUNTS, &frame,
			 sizeof(frame), sizeof(frame)) &&
	       le32toh(frame.counts);
}

static void socket_close(void *context)
{
	struct remote *remote = context;

	link_free(remote->link);
	free(remote);
}

static const struct access_ops socket_ops = {
	.name = "socket",
	.is_shared = true,
	.read = socket_read,
	.write = socket_write,
	.batch = socket_batch,
	.status = socket_status,
	.step = socket_step,
	.subscribe = socket_subscribe,
	.wait = socket_wait,
	.error = socket_error,
	.counts = socket_counts,
	.close = socket_close,
};

static int check_welcome(struct remote *remote,
			 struct uncore_wire_welcome *welcome)
{
	struct link *link = remote->link;

	welcome->family[sizeof(welcome->family) - 1] = 0;
	if (memcmp(welcome->magic, UNCORE_WIRE_MAGIC, sizeof(welcome->magic)))
		return link_die(link, "%s speaks another protocol", link->path);
	if (!remote->sockets || remote->sockets > MAX_SOCKETS ||
	    !remote->cores_per_socket)
		return link_die(link,
				"the machine at %s has %u sockets of %u "
				"cores",
				link->path, remote->sockets,
				remote->cores_per_socket);
	remote->family = uncore_family_find(welcome->family);
	if (!remote->family)
		return link_die(link,
				"the server of %s has a processor that "
				"is not known here ('%s')",
				link->path, welcome->family);
	return 0;
}

static int say_hello(struct remote *remote)
{
	union {
		struct uncore_wire_hello hello;
		struct uncore_wire_welcome welcome;
	} frame = { 0 };
	int code;

	memcpy(frame.hello.magic, UNCORE_WIRE_MAGIC, sizeof(frame.hello.magic));
	frame.hello.first_version = htole16(UNCORE_WIRE_VERSION);
	frame.hello.last_version = htole16(UNCORE_WIRE_VERSION);
	link_patience(remote->link, HELLO_SECONDS);
	code = link_ask(remote->link, UNCORE_WIRE_HELLO, &frame,
			sizeof(frame.hello), sizeof(frame.welcome));
	if (code == UNCORE_ERR_DIED)
		return code;
	if (code)
		return link_die(remote->link, "the server of %s says: %s",
				remote->link->path, uncore_error_message(code));
	link_patience(remote->link, 0);
	remote->sockets = le32toh(frame.welcome.sockets);
	remote->cores_per_socket = le32toh(frame.welcome.cores_per_socket);
	remote->clock = le16toh(frame.welcome.clock);
	remote->clock_hz = (double)le64toh(frame.welcome.clock_hz);
	return check_welcome(remote, &frame.welcome);
}

struct uncore_target *uncore_target_socket(const char *path, char **error)
{
	struct remote *remote = calloc(1, sizeof(*remote));
	struct uncore_target *target = NULL;

	if (!remote)
		return NULL;
	remote->link = link_new(path, error);
	if (remote->link && !say_hello(remote))
		target = access_new_at(&socket_ops, remote, remote->family,
				       remote->sockets, path);
	else if (remote->link && remote->link->error)
		text_error(UNCORE_ERR_DIED, error, "%s", remote->link->error);
	if (!target)
		socket_close(remote);
	return target;
}
