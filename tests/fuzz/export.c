/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Requests to `uncore export`: what a client sends; then a good request, which
 * is answered. Linked with --wrap=export_listen: the socket has no address on
 * any network.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tool.h"
#include "tool/export/export.h"

/* How often the server is called for a begin of an answer: after what may be
 * half a request only, for which the server waits itself, and after a good
 * one. */
enum { ANSWER_BYTES = 4096, FEW_CALLS = 8, MANY_CALLS = 20000, GOOD_EACH = 64 };

static struct export_http *http;

static struct sockaddr_un place = { .sun_family = AF_UNIX };
static socklen_t place_bytes = sizeof(sa_family_t); /* the kernel names it */

int __wrap_export_listen(const char *where, int *fd, char url[EXPORT_URL_BYTES],
			 bool *is_open);
int __wrap_export_listen(const char *where, int *fd, char url[EXPORT_URL_BYTES],
			 bool *is_open)
{
	(void)where;
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	strcpy(url, "http://127.0.0.1:9300");
	*is_open = false;
	fuzz_must(*fd >= 0 &&
			  !bind(*fd, (struct sockaddr *)&place, place_bytes),
		  "no socket");
	place_bytes = sizeof(place);
	getsockname(*fd, (struct sockaddr *)&place, &place_bytes);
	fuzz_must(!listen(*fd, 8), "cannot listen");
	return TOOL_OK;
}

static bool write_page(void *context, enum export_page page, FILE *file)
{
	(void)context;
	(void)page;
	fputs("page\n", file);
	return true;
}

static void need_server(void)
{
	static const struct export_site site = { .where = "9300",
						 .page = write_page };
	char url[EXPORT_URL_BYTES];
	bool is_open;

	if (!http)
		fuzz_must(!export_http_open(&site, &http, url, &is_open),
			  "no server");
}

/* libFuzzer's alarm interrupts who waits for a server that is slow. */
static bool is_connected(int file)
{
	int result;

	do
		result = connect(file, (struct sockaddr *)&place, place_bytes);
	while (result && errno == EINTR);
	return !result;
}

static bool is_answered(int file, unsigned calls)
{
	struct pollfd polled = { .fd = file, .events = POLLIN };
	int result;

	do {
		export_http_wait(http, 1e-3);
		result = poll(&polled, 1, 0);
	} while (result <= 0 && --calls);
	return result == 1;
}

/* Sends so many bytes and no more, and takes what comes first. */
static size_t ask(const uint8_t *data, size_t size, unsigned calls,
		  char *answer)
{
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t got = 1;

	fuzz_must(file >= 0 && is_connected(file),
		  "the server takes no connection: %s", strerror(errno));
	/* it may have closed already: what it said is there all the same */
	while (size && (got = send(file, data, size, MSG_NOSIGNAL)) > 0) {
		data += got;
		size -= (size_t)got;
	}
	got = is_answered(file, calls) ? recv(file, answer, ANSWER_BYTES - 1, 0)
				       : 0;
	answer[got > 0 ? got : 0] = '\0';
	close(file);
	return strlen(answer);
}

/* libmicrohttpd ends a method at a blank, a tab or a byte of 0. */
static bool is_method(const uint8_t *data, size_t size, const char *name)
{
	size_t length = strlen(name);

	return size > length && !memcmp(data, name, length) &&
	       (data[length] == ' ' || data[length] == '\t' || !data[length]);
}

/* Empty lines before a request are nothing; to libmicrohttpd a line that begins
 * with a byte of 0 is one. */
static void skip_lines(const uint8_t **data, size_t *size)
{
	bool is_empty = false; /* the rest of this line is */

	while (*size &&
	       (is_empty || **data == '\r' || **data == '\n' || !**data)) {
		is_empty = **data != '\n' && (is_empty || !**data);
		(*data)++;
		(*size)--;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "GET /metrics HTTP/1.1\r\n"
				   "Host: localhost\r\n"
				   "Connection: close\r\n\r\n";
	static char answer[ANSWER_BYTES];
	static unsigned num;
	size_t length;

	need_server();
	length = ask(data, size, FEW_CALLS, answer);
	fuzz_must(!length || !strncmp(answer, "HTTP/1.", 7),
		  "an answer that is none: %.40s", answer);
	skip_lines(&data, &size);
	fuzz_must(!length || strncmp(answer + 8, " 2", 2) ||
			  is_method(data, size, "GET") ||
			  is_method(data, size, "HEAD"),
		  "what is neither GET nor HEAD had the answer %.40s", answer);
	if (num++ % GOOD_EACH)
		return 0;
	ask((const uint8_t *)good, sizeof(good) - 1, MANY_CALLS, answer);
	fuzz_must(!strncmp(answer, "HTTP/1.1 200", 12),
		  "then a good request had the answer %.40s", answer);
	return 0;
}
