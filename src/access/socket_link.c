/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Frames out and in. The server is trusted no further than it must be: sizes
 * are checked before they are used.
 */
#include "access/socket_link.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

static int say_connect(const char *path, char **error)
{
	switch (errno) {
	case ENOENT:
		return text_error(UNCORE_ERR_IO, error,
				  "there is no socket %s; 'uncore model serve "
				  "--socket %s' makes it",
				  path, path);
	case ECONNREFUSED:
		return text_error(UNCORE_ERR_DIED, error,
				  "the server of %s is dead; start it again",
				  path);
	case EACCES:
	case EPERM:
		return text_error(UNCORE_ERR_NO_PERMISSION, error,
				  "%s is for its owner alone", path);
	default:
		return text_error(UNCORE_ERR_IO, error,
				  "cannot connect to %s: %s", path,
				  strerror(errno));
	}
}

struct link *link_new(const char *path, char **error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct link *link;

	if (!*path || strlen(path) >= sizeof(address.sun_path)) {
		text_error(UNCORE_ERR_BAD_PARAMETER, error,
			   "'%s' is no path of a socket: that has 1 to %zu "
			   "bytes",
			   path, sizeof(address.sun_path) - 1);
		return NULL;
	}
	strcpy(address.sun_path, path);
	link = calloc(1, sizeof(*link));
	if (!link)
		return NULL;
	link->path = strdup(path);
	link->file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (link->path && link->file >= 0 &&
	    !connect(link->file, (struct sockaddr *)&address, sizeof(address)))
		return link;
	say_connect(path, error);
	link_free(link);
	return NULL;
}

static void hang_up(struct link *link)
{
	if (link->file >= 0)
		close(link->file);
	link->file = -1;
}

void link_free(struct link *link)
{
	if (!link)
		return;
	hang_up(link);
	free(link->path);
	free(link->error);
	free(link);
}

int link_die(struct link *link, const char *format, ...)
{
	struct text text = { 0 };
	va_list arguments;

	hang_up(link);
	if (link->error)
		return UNCORE_ERR_DIED;
	va_start(arguments, format);
	text_vadd(&text, format, arguments);
	va_end(arguments);
	link->error = text_take(&text);
	return UNCORE_ERR_DIED;
}

static int say_gone(struct link *link)
{
	return link_die(link, "the server of %s has ended", link->path);
}

void link_patience(struct link *link, unsigned seconds)
{
	struct timeval time = { .tv_sec = (time_t)seconds };

	setsockopt(link->file, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
}

static int send_all(struct link *link, const void *data, size_t size_bytes)
{
	const unsigned char *at = data;

	while (size_bytes) {
		ssize_t size = send(link->file, at, size_bytes, MSG_NOSIGNAL);

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return UNCORE_ERR_DIED;
		at += size;
		size_bytes -= (size_t)size;
	}
	return 0;
}

bool link_may_say(int code)
{
	switch (code) {
	case 0:
	case UNCORE_ERR_BAD_OPTION:
	case UNCORE_ERR_GP:
	case UNCORE_ERR_SOCKET:
	case UNCORE_ERR_STATE: return true;
	default: return false;
	}
}

static void get_header(const struct link *link,
		       struct uncore_wire_header *header)
{
	memcpy(header, link->bytes, sizeof(*header));
	header->size_bytes = le32toh(header->size_bytes);
	header->type = le16toh(header->type);
	header->id = le32toh(header->id);
	header->code = (int32_t)le32toh((uint32_t)header->code);
}

/* Takes more bytes: 1, 0 if none came in time, or dead. */
static int receive(struct link *link, int flags)
{
	ssize_t size = recv(link->file, link->bytes + link->num_bytes,
			    sizeof(link->bytes) - link->num_bytes, flags);

	if (size > 0) {
		link->num_bytes += (size_t)size;
		return 1;
	}
	if (size < 0 &&
	    (errno == EINTR || ((flags & MSG_DONTWAIT) && errno == EAGAIN)))
		return 0;
	if (size < 0 && errno == EAGAIN)
		return link_die(link,
				"nobody answers at %s; is it a socket of "
				"'uncore model serve'?",
				link->path);
	return say_gone(link);
}

/* Whether a whole frame is there: 1, 0, or dead. */
static int is_whole(struct link *link, struct uncore_wire_header *header)
{
	if (link->num_bytes < sizeof(*header))
		return 0;
	get_header(link, header);
	if (header->size_bytes < sizeof(*header) ||
	    header->size_bytes > sizeof(link->bytes))
		return link_die(link, "%s speaks another protocol", link->path);
	return link->num_bytes >= header->size_bytes;
}

static void drop_frame(struct link *link)
{
	struct uncore_wire_header header;

	get_header(link, &header);
	link->num_bytes -= header.size_bytes;
	memmove(link->bytes, link->bytes + header.size_bytes, link->num_bytes);
}

static void keep_event(struct link *link, unsigned type)
{
	struct uncore_wire_event frame;
	struct uncore_target_event *event;
	unsigned at = link->first_event + link->num_events;

	memcpy(&frame, link->bytes, sizeof(frame));
	if (link->num_events == LINK_MAX_EVENTS) {
		link->lost += 1 + le64toh(frame.lost);
		return;
	}
	event = &link->events[at % LINK_MAX_EVENTS];
	*event = (struct uncore_target_event){
		.kind = type == UNCORE_WIRE_PMI ? UNCORE_TARGET_PMI
						: UNCORE_TARGET_ENDED,
		.socket = le32toh(frame.socket),
		.core = le32toh(frame.core),
		.cycle = le64toh(frame.cycle),
		.lost = le64toh(frame.lost) + link->lost,
	};
	link->lost = 0;
	link->num_events++;
}

/* A frame that is no answer: 0, or dead. */
static int take_other(struct link *link,
		      const struct uncore_wire_header *header)
{
	struct uncore_wire_error error;

	if ((header->type == UNCORE_WIRE_PMI ||
	     header->type == UNCORE_WIRE_ENDED) &&
	    header->size_bytes == sizeof(struct uncore_wire_event)) {
		keep_event(link, header->type);
		drop_frame(link);
		return 0;
	}
	if (header->type != UNCORE_WIRE_ERROR ||
	    header->size_bytes != sizeof(error))
		return link_die(link, "%s speaks another protocol", link->path);
	memcpy(&error, link->bytes, sizeof(error));
	error.text[sizeof(error.text) - 1] = 0;
	return link_die(link, "the server of %s says: %s", link->path,
			error.text);
}

/* The answer to the request with the last id, into frame. */
static int take_answer(struct link *link, enum uncore_wire_type type,
		       void *frame, size_t answer_bytes)
{
	struct uncore_wire_header header;

	for (;;) {
		int code = is_whole(link, &header);

		if (code == 0)
			code = receive(link, 0);
		else if (code > 0 && header.type == type &&
			 header.id == link->last_id &&
			 header.size_bytes == answer_bytes)
			break;
		else if (code > 0)
			code = take_other(link, &header);
		if (code < 0)
			return code;
	}
	if (!link_may_say(header.code))
		return link_die(link, "%s speaks another protocol", link->path);
	memcpy(frame, link->bytes, answer_bytes);
	drop_frame(link);
	return header.code;
}

int link_ask(struct link *link, enum uncore_wire_type type, void *frame,
	     size_t frame_bytes, size_t answer_bytes)
{
	struct uncore_wire_header header = {
		.size_bytes = htole32((uint32_t)frame_bytes),
		.type = htole16((uint16_t)type),
		.id = htole32(++link->last_id),
	};
	int code;

	if (link->file < 0)
		return UNCORE_ERR_DIED;
	memcpy(frame, &header, sizeof(header));
	/* Before it died it may have said why. */
	send_all(link, frame, frame_bytes);
	code = take_answer(link, type, frame, answer_bytes);
	return link->file < 0 ? UNCORE_ERR_DIED : code;
}

static bool take_event(struct link *link, struct uncore_target_event *event)
{
	if (!link->num_events)
		return false;
	*event = link->events[link->first_event];
	link->first_event = (link->first_event + 1) % LINK_MAX_EVENTS;
	link->num_events--;
	return true;
}

int link_wait(struct link *link, int timeout_ms,
	      struct uncore_target_event *event)
{
	struct pollfd file = { .fd = link->file, .events = POLLIN };
	struct uncore_wire_header header;
	int code = 0;

	while (!take_event(link, event)) {
		if (link->file < 0)
			return UNCORE_ERR_DIED;
		code = is_whole(link, &header);
		if (code > 0)
			code = take_other(link, &header);
		else if (!code && poll(&file, 1, timeout_ms) <= 0)
			return 0;
		else if (!code)
			code = receive(link, MSG_DONTWAIT);
		if (code < 0)
			return code;
	}
	return 1;
}
