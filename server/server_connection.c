/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One connection: bytes in, bytes out, and never more of either than fits into
 * its two buffers. Nothing here waits.
 */
#include "server_inside.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uncore/error.h"

struct connection *connection_new(int file)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (connection)
		connection->file = file;
	return connection;
}

void connection_free(struct connection *connection)
{
	close(connection->file);
	free(connection);
}

static bool is_passing(int reason)
{
	return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR;
}

bool connection_receive(struct connection *connection)
{
	size_t room = sizeof(connection->in) - connection->in_bytes;
	ssize_t size;

	if (!room)
		return true;
	size = recv(connection->file, connection->in + connection->in_bytes,
		    room, MSG_DONTWAIT);
	if (size > 0)
		connection->in_bytes += (size_t)size;
	return size > 0 || (size < 0 && is_passing(errno));
}

void connection_send(struct connection *connection)
{
	size_t waiting = connection->out_end - connection->out_first;
	ssize_t size = 0;

	if (waiting && !connection->is_dead)
		size = send(connection->file,
			    connection->out + connection->out_first, waiting,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	if (size < 0 && !is_passing(errno))
		connection->is_dead = true;
	if (size > 0)
		connection->out_first += (size_t)size;
	if (connection->out_first == connection->out_end)
		connection->out_first = connection->out_end = 0;
}

static size_t room(const struct connection *connection)
{
	return sizeof(connection->out) -
	       (connection->out_end - connection->out_first);
}

bool connection_has_room(const struct connection *connection)
{
	return room(connection) >= ANSWER_BYTES;
}

void connection_put(struct connection *connection, enum uncore_wire_type type,
		    uint32_t id, int code, void *frame, size_t size_bytes)
{
	struct uncore_wire_header header = {
		.size_bytes = htole32((uint32_t)size_bytes),
		.type = htole16((uint16_t)type),
		.id = htole32(id),
		.code = (int32_t)htole32((uint32_t)code),
	};

	if (size_bytes > room(connection)) { /* it was asked for before */
		connection->is_dead = true;
		return;
	}
	if (connection->out_end + size_bytes > sizeof(connection->out)) {
		connection->out_end -= connection->out_first;
		memmove(connection->out,
			connection->out + connection->out_first,
			connection->out_end);
		connection->out_first = 0;
	}
	memcpy(frame, &header, sizeof(header));
	memcpy(connection->out + connection->out_end, frame, size_bytes);
	connection->out_end += size_bytes;
}

void connection_put_event(struct connection *connection,
			  enum uncore_wire_type type,
			  const struct uncore_model_pmi *pmi)
{
	struct uncore_wire_event frame = {
		.socket = htole32(pmi->socket),
		.core = htole32(pmi->core),
		.cycle = htole64(pmi->cycle),
	};

	if (connection->is_ending || connection->is_dead)
		return;
	if (room(connection) < ANSWER_BYTES + sizeof(frame)) {
		connection->lost++;
		return;
	}
	frame.lost = htole64(connection->lost);
	connection->lost = 0;
	connection_put(connection, type, 0, 0, &frame, sizeof(frame));
}

void connection_end(struct connection *connection, uint32_t id, int code,
		    const char *format, ...)
{
	struct uncore_wire_error frame = { .header = { 0 } };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(frame.text, sizeof(frame.text), format, arguments);
	va_end(arguments);
	connection_put(connection, UNCORE_WIRE_ERROR, id, code, &frame,
		       sizeof(frame));
	connection->is_ending = true;
}

void connection_finish(struct connection *connection)
{
	if (connection->in_bytes && !connection->is_ending)
		connection_end(connection, 0, UNCORE_ERR_BAD_SYNTAX,
			       "the connection ends in the middle of a frame");
	connection->is_ending = true;
}
