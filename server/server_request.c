/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What each request means: a row per type, with the size its frame must have. A
 * frame is carried out whole or not at all.
 */
#include "server_inside.h"

#include <endian.h>
#include <string.h>
#include <strings.h>

#include "uncore/error.h"
#include "uncore/family.h"

/* A frame as it came. */
struct request {
	struct uncore_server *server;
	struct connection *connection;
	const unsigned char *frame;
	size_t size_bytes;
	uint32_t id;
};

static void refuse(const struct request *request, const char *why)
{
	connection_end(request->connection, request->id, UNCORE_ERR_BAD_SYNTAX,
		       "the frame of %zu bytes is refused: %s",
		       request->size_bytes, why);
}

static void answer(const struct request *request, enum uncore_wire_type type,
		   int code, void *frame, size_t size_bytes)
{
	connection_put(request->connection, type, request->id, code, frame,
		       size_bytes);
}

static void do_hello(const struct request *request)
{
	struct uncore_wire_welcome welcome = request->server->welcome;
	struct uncore_wire_hello hello;
	unsigned first, last;

	memcpy(&hello, request->frame, sizeof(hello));
	first = le16toh(hello.first_version);
	last = le16toh(hello.last_version);
	if (memcmp(hello.magic, UNCORE_WIRE_MAGIC, sizeof(hello.magic))) {
		refuse(request, "its magic is not that of this protocol");
		return;
	}
	if (first > UNCORE_WIRE_VERSION || last < first || !last) {
		connection_end(request->connection, request->id,
			       UNCORE_ERR_BAD_OPTION,
			       "no version in common: the server speaks 1 to "
			       "%d, the client %u to %u",
			       UNCORE_WIRE_VERSION, first, last);
		return;
	}
	if (last > UNCORE_WIRE_VERSION)
		last = UNCORE_WIRE_VERSION;
	request->connection->version = last;
	welcome.version = htole16((uint16_t)last);
	welcome.cycle = htole64(uncore_live_cycle(request->server->live));
	answer(request, UNCORE_WIRE_HELLO, 0, &welcome, sizeof(welcome));
}

static bool is_first_version(const struct request *request)
{
	return request->connection->version == 1;
}

/* The access in a frame at `bytes`; false if it is malformed. */
static bool get_op(const struct request *request, const unsigned char *bytes,
		   struct uncore_wire_op *op)
{
	if (is_first_version(request)) {
		struct uncore_wire_op_1 old;

		memcpy(&old, bytes, sizeof(old));
		*op = (struct uncore_wire_op){
			.cpu = old.cpu,
			.is_write = old.is_write,
			.address = htole64(le32toh(old.address)),
			.value = old.value,
		};
	} else {
		memcpy(op, bytes, sizeof(*op));
	}
	return le32toh(op->is_write) <= 1 && !op->reserved;
}

static void put_op(const struct request *request, unsigned char *bytes,
		   const struct uncore_wire_op *op)
{
	struct uncore_wire_op_1 old = {
		.cpu = op->cpu,
		.address = htole32((uint32_t)le64toh(op->address)),
		.is_write = op->is_write,
		.code = op->code,
		.value = op->value,
	};

	if (is_first_version(request))
		memcpy(bytes, &old, sizeof(old));
	else
		memcpy(bytes, op, sizeof(*op));
}

/* From the frame to the server's accesses; false if it is malformed. */
static bool get_ops(const struct request *request, uint32_t num, size_t size)
{
	struct uncore_live_op *ops = request->server->ops;
	const unsigned char *first =
		request->frame + sizeof(struct uncore_wire_batch);
	struct uncore_wire_op op;

	for (uint32_t i = 0; i < num; i++) {
		if (!get_op(request, first + i * size, &op))
			return false;
		ops[i] = (struct uncore_live_op){
			.cpu = le32toh(op.cpu),
			.address = le64toh(op.address),
			.is_write = le32toh(op.is_write),
			.value = op.is_write ? le64toh(op.value) : 0,
		};
	}
	return true;
}

static void do_batch(const struct request *request)
{
	unsigned char frame[MAX_FRAME_BYTES];
	size_t size = is_first_version(request)
			      ? sizeof(struct uncore_wire_op_1)
			      : sizeof(struct uncore_wire_op);
	struct uncore_wire_batch batch;
	uint32_t num;

	memcpy(&batch, request->frame, sizeof(batch));
	num = le32toh(batch.num);
	if (num > UNCORE_WIRE_MAX_OPS || batch.reserved ||
	    request->size_bytes != sizeof(batch) + num * size) {
		refuse(request, "its size does not fit its number of accesses");
		return;
	}
	if (!get_ops(request, num, size)) {
		refuse(request, "an access is neither a read nor a write, or "
				"its reserved field is not 0");
		return;
	}
	batch.cycle = htole64(uncore_live_batch(request->server->live,
						request->server->ops, num));
	memcpy(frame, &batch, sizeof(batch));
	for (uint32_t i = 0; i < num; i++) {
		const struct uncore_live_op *done = &request->server->ops[i];
		struct uncore_wire_op op = {
			.cpu = htole32(done->cpu),
			.address = htole64(done->address),
			.is_write = htole32(done->is_write),
			.code = (int32_t)htole32((uint32_t)done->code),
			.value = htole64(done->value),
		};

		put_op(request, frame + sizeof(batch) + i * size, &op);
	}
	answer(request, UNCORE_WIRE_BATCH, 0, frame, request->size_bytes);
}

/* Answered when it is over; until then this connection asks nothing else. */
static void do_step(const struct request *request)
{
	struct uncore_wire_step step;

	memcpy(&step, request->frame, sizeof(step));
	server_step_begin(request->server, request->connection, request->id,
			  le64toh(step.cycles));
}

static uint64_t ns(double seconds)
{
	return htole64((uint64_t)(seconds * 1e9));
}

static void do_status(const struct request *request)
{
	struct uncore_live_status status;
	struct uncore_wire_status frame;

	uncore_live_status(request->server->live, &status);
	frame = (struct uncore_wire_status){
		.cycle = htole64(status.cycle),
		.accesses = htole64(status.accesses),
		.reads = htole64(status.reads),
		.writes = htole64(status.writes),
		.faults = htole64(status.faults),
		.modelled_ns = ns(status.modelled_seconds),
		.wall_ns = ns(status.wall_seconds),
		.clock = htole32((uint32_t)status.clock),
		.traffic_ended = htole32(status.traffic_ended),
	};
	answer(request, UNCORE_WIRE_STATUS, 0, &frame, sizeof(frame));
}

static bool is_name(const char *name)
{
	return memchr(name, 0, UNCORE_WIRE_NAME_BYTES);
}

static bool same(const char *a, const char *b)
{
	return !strcasecmp(a, b);
}

/* Whether the names are those of something. */
static int find_names(const struct uncore_family *family,
		      const struct uncore_wire_counts *frame)
{
	struct uncore_event_info event;
	struct uncore_unit_mask mask;
	bool has_box = false, has_event = false;

	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		has_box |= same(event.box, frame->box);
		if (!same(event.box, frame->box) ||
		    !same(event.name, frame->event))
			continue;
		has_event = true;
		if (!*frame->unit_mask)
			return 0;
		for (size_t m = 0;
		     uncore_event_info_unit_mask(&event, m, &mask); m++)
			if (same(mask.name, frame->unit_mask))
				return 0;
	}
	return has_event ? UNCORE_ERR_BAD_UMASK
	       : has_box ? UNCORE_ERR_UNKNOWN_EVENT
			 : UNCORE_ERR_UNKNOWN_BOX;
}

static void do_counts(const struct request *request)
{
	struct uncore_wire_counts frame;
	const struct uncore_model *model;
	bool counts;
	int code;

	memcpy(&frame, request->frame, sizeof(frame));
	if (!is_name(frame.box) || !is_name(frame.event) ||
	    !is_name(frame.unit_mask)) {
		refuse(request, "a name does not end");
		return;
	}
	model = uncore_live_enter(request->server->live);
	code = find_names(uncore_family_find(uncore_model_family(model)),
			  &frame);
	counts = uncore_model_is_modelled(
		model, frame.box, frame.event,
		*frame.unit_mask ? frame.unit_mask : NULL, le32toh(frame.port));
	uncore_live_leave(request->server->live);
	frame.counts = htole32(counts);
	answer(request, UNCORE_WIRE_COUNTS, code, &frame, sizeof(frame));
}

static void do_subscribe(const struct request *request)
{
	const uint32_t known = UNCORE_WIRE_WANTS_PMI | UNCORE_WIRE_WANTS_ENDED;
	struct uncore_wire_subscribe frame;
	uint32_t events;
	int code = 0;

	memcpy(&frame, request->frame, sizeof(frame));
	events = le32toh(frame.events);
	if (frame.reserved) {
		refuse(request, "a reserved field is not 0");
		return;
	}
	if (events & ~known)
		code = UNCORE_ERR_BAD_OPTION;
	else
		server_wish(request->server, request->connection, events);
	answer(request, UNCORE_WIRE_SUBSCRIBE, code, &frame, sizeof(frame));
}

static const struct {
	enum uncore_wire_type type;
	size_t size_bytes;
	bool may_grow;
	void (*run)(const struct request *request);
} rows[] = {
	{ UNCORE_WIRE_HELLO, sizeof(struct uncore_wire_hello), false,
	  do_hello },
	{ UNCORE_WIRE_BATCH, sizeof(struct uncore_wire_batch), true, do_batch },
	{ UNCORE_WIRE_STEP, sizeof(struct uncore_wire_step), false, do_step },
	{ UNCORE_WIRE_STATUS, sizeof(struct uncore_wire_header), false,
	  do_status },
	{ UNCORE_WIRE_COUNTS, sizeof(struct uncore_wire_counts), false,
	  do_counts },
	{ UNCORE_WIRE_SUBSCRIBE, sizeof(struct uncore_wire_subscribe), false,
	  do_subscribe },
};

static void do_frame(const struct request *request,
		     const struct uncore_wire_header *header)
{
	unsigned type = le16toh(header->type);
	size_t row = 0;

	while (row < sizeof(rows) / sizeof(rows[0]) && rows[row].type != type)
		row++;
	if (row == sizeof(rows) / sizeof(rows[0]))
		refuse(request, "no request has its type");
	else if (header->reserved || header->code)
		refuse(request, "a reserved field is not 0");
	else if (rows[row].may_grow
			 ? request->size_bytes < rows[row].size_bytes
			 : request->size_bytes != rows[row].size_bytes)
		refuse(request, "its size does not fit its type");
	else if ((type == UNCORE_WIRE_HELLO) ==
		 (request->connection->version != 0))
		refuse(request, "HELLO comes first, and once");
	else
		rows[row].run(request);
}

/* The first frame that has come in whole; false if there is none. */
static bool do_first(struct uncore_server *server,
		     struct connection *connection, size_t *at)
{
	struct request request = { .server = server,
				   .connection = connection,
				   .frame = connection->in + *at };
	size_t left = connection->in_bytes - *at;
	struct uncore_wire_header header;

	if (left < sizeof(header))
		return false;
	memcpy(&header, request.frame, sizeof(header));
	request.size_bytes = le32toh(header.size_bytes);
	request.id = le32toh(header.id);
	if (request.size_bytes < sizeof(header) ||
	    request.size_bytes > MAX_FRAME_BYTES) {
		refuse(&request, "no frame has this size");
		return true;
	}
	if (left < request.size_bytes)
		return false;
	*at += request.size_bytes;
	do_frame(&request, &header);
	return true;
}

bool server_requests(struct uncore_server *server,
		     struct connection *connection)
{
	size_t at = 0;
	bool any = false;

	while (!connection->is_ending && !connection->is_dead &&
	       !connection->step.is_active && connection_has_room(connection) &&
	       do_first(server, connection, &at))
		any = true;
	connection->in_bytes -= at;
	memmove(connection->in, connection->in + at, connection->in_bytes);
	return any;
}
