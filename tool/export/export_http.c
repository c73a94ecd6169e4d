/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is here libmicrohttpd calls, in the thread that counts. Its limits are
 * those of clients: how much they may send, for how long they may be silent,
 * how many there are. But at that number it would let nobody in until somebody
 * leaves; so there are never so many: whose last request is longest ago goes
 * when one comes for whom there is no place.
 */
#include "export.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tool/native.h"
#include "tool/options.h"
#include "tool/tool.h"

enum {
	REQUEST_BYTES = 16384, /* of a request's head, and what it is read to */
	SILENT_S = 150,	       /* between two requests */
	MOST_CLIENTS = 64,
	/* With those that are being shut down. Fewer than 128: when so many
	 * have something to tell at once, libmicrohttpd 1.0.1 forgets all of
	 * them. */
	MOST_CONNECTIONS = 120,
};

/* A connection. */
struct client {
	int fd;		   /* 0: there is none */
	uint64_t last_one; /* number of its last request */
};

struct export_http {
	const struct export_site *site;
	struct MHD_Daemon *daemon;
	/* those that it may be asked by, with its own */
	const char *names[OPTION_MOST_TEXTS + 1];
	size_t num_names;
	char own_name[HOST_NAME_MAX + 1];
	struct client clients[MOST_CLIENTS];
	uint64_t num_requests;
	struct export_http_stats stats;
};

#define OPEN_METRICS "application/openmetrics-text"
#define PLAIN	     "text/plain; charset=utf-8"

static const char *const types[NUM_EXPORT_PAGES] = {
	[EXPORT_OPEN_METRICS] = OPEN_METRICS "; version=1.0.0; charset=utf-8",
	[EXPORT_PLAIN] = "text/plain; version=0.0.4; charset=utf-8",
	[EXPORT_HEALTH] = PLAIN,
};

/* Answers with a text of some type; MHD_NO without memory. */
static enum MHD_Result say(struct MHD_Connection *connection, unsigned code,
			   const char *text, const char *type)
{
	const char *const headers[][2] = {
		{ "Content-Type", type },
		{ "Cache-Control", "no-store" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Allow", "GET, HEAD" },
	};
	unsigned num = code == MHD_HTTP_METHOD_NOT_ALLOWED ? 4 : 3;
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = response ? MHD_YES : MHD_NO;

	for (unsigned i = 0; i < num && result == MHD_YES; i++)
		result = MHD_add_response_header(response, headers[i][0],
						 headers[i][1]);
	if (result == MHD_YES)
		result = MHD_queue_response(connection, code, response);
	if (response)
		MHD_destroy_response(response);
	return result;
}

static int fd_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* The client of a connection, or (0) a place for one; NULL: there is none. */
static struct client *find_client(struct export_http *http, int fd)
{
	for (size_t i = 0; i < MOST_CLIENTS; i++)
		if (http->clients[i].fd == fd)
			return &http->clients[i];
	return NULL;
}

/* Has just said something. */
static void touch(struct export_http *http, struct MHD_Connection *connection)
{
	struct client *client = find_client(http, fd_of(connection));

	if (client)
		client->last_one = ++http->num_requests;
}

/* Shuts down whose last request is longest ago, which the library notices. */
static struct client *drop_client(struct export_http *http)
{
	struct client *first = http->clients;

	for (size_t i = 1; i < MOST_CLIENTS; i++)
		if (http->clients[i].last_one < first->last_one)
			first = &http->clients[i];
	shutdown(first->fd, SHUT_RDWR);
	http->stats.clients--;
	http->stats.dropped++;
	return first;
}

static void connect_or_not(void *context, struct MHD_Connection *connection,
			   void **of_connection,
			   enum MHD_ConnectionNotificationCode what)
{
	struct export_http *http = context;
	bool is_end = what == MHD_CONNECTION_NOTIFY_CLOSED;
	int fd = fd_of(connection);
	struct client *client = find_client(http, is_end ? fd : 0);

	(void)of_connection;
	if (is_end && client) {
		client->fd = 0;
		http->stats.clients--;
	} else if (!is_end && fd > 0) {
		if (!client)
			client = drop_client(http);
		*client = (struct client){ fd, ++http->num_requests };
		http->stats.clients++;
	}
}

/* Whether OpenMetrics is among what the client accepts. Who names it can read
 * it; a weight of 0 nobody gives to what he would not name. */
static bool accepts_open_metrics(struct MHD_Connection *connection)
{
	const char *accepts = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, "Accept");

	return accepts && strcasestr(accepts, OPEN_METRICS);
}

static enum MHD_Result refuse(struct export_http *http,
			      struct MHD_Connection *connection, unsigned code,
			      const char *why)
{
	http->stats.refused++;
	return say(connection, code, why, PLAIN);
}

/* A scrape of counters that cannot be read is no success, either. */
static enum MHD_Result answer(struct export_http *http,
			      struct MHD_Connection *connection,
			      const char *path)
{
	const struct export_site *site = http->site;
	enum MHD_Result result;
	bool is_health = !strcmp(path, "/healthz");
	enum export_page page = is_health ? EXPORT_HEALTH
				: accepts_open_metrics(connection)
					? EXPORT_OPEN_METRICS
					: EXPORT_PLAIN;
	char *bytes = NULL;
	bool is_well;
	FILE *file;

	if (!is_health && strcmp(path, "/metrics") != 0)
		return refuse(http, connection, MHD_HTTP_NOT_FOUND,
			      "there are /metrics and /healthz; what the page "
			      "here drew is in /metrics ('uncore export -M "
			      "busy:all'), and in the page that 'uncore stat "
			      "--html=FILE' writes\n");
	file = tool_text(&bytes);
	is_well = site->page(site->context, page, file);
	http->stats.scrapes += !is_health;
	fclose(file);
	if (is_well)
		result = say(connection, MHD_HTTP_OK, bytes, types[page]);
	else
		result = say(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			     "the counters could not be read\n", PLAIN);
	free(bytes);
	return result;
}

/* Without the header, as HTTP/1.0 may be, no browser has asked. */
static bool is_for_us(const struct export_http *http,
		      struct MHD_Connection *connection)
{
	const char *host = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return !host || export_is_for_us(host, fd_of(connection), http->names,
					 http->num_names);
}

/* The head of a request is there. One that is answered now ends its connection,
 * so those that may be asked for are answered when all of them is there. */
static enum MHD_Result begin_request(struct export_http *http,
				     struct MHD_Connection *connection,
				     const char *method)
{
	touch(http, connection);
	if (!is_for_us(http, connection))
		return refuse(http, connection, MHD_HTTP_MISDIRECTED_REQUEST,
			      "this request is for another name than those of "
			      "this exporter: ask by its address, or start it "
			      "with --host NAME\n");
	if (!strcmp(method, MHD_HTTP_METHOD_GET) ||
	    !strcmp(method, MHD_HTTP_METHOD_HEAD))
		return MHD_YES;
	return refuse(http, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
		      "only GET and HEAD: nothing can be changed here\n");
}

/* Called when the head of a request is there, and when all of it is. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
			      const char *path, const char *method,
			      const char *version, const char *body,
			      size_t *body_bytes, void **of_request)
{
	(void)version;
	(void)body;
	if (!*of_request) {
		*of_request = connection; /* not NULL: it has begun */
		return begin_request(context, connection, method);
	}
	if (*body_bytes) /* of a GET: nobody wants it */
		return MHD_NO;
	return answer(context, connection, path);
}

static void complete(void *context, struct MHD_Connection *connection,
		     void **of_request, enum MHD_RequestTerminationCode how)
{
	(void)how;
	(void)of_request;
	touch(context, connection);
}

static int start_daemon(struct export_http *http, int listening)
{
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, handle, http,
		MHD_OPTION_LISTEN_SOCKET, listening,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
		connect_or_not, http, MHD_OPTION_NOTIFY_COMPLETED, complete,
		http, MHD_OPTION_END);
	return http->daemon
		       ? TOOL_OK
		       : tool_fail(TOOL_FAILED,
				   "--listen=%s: the HTTP server cannot be "
				   "started: %s",
				   http->site->where, strerror(errno));
}

int export_http_open(const struct export_site *site, struct export_http **out,
		     char url[EXPORT_URL_BYTES], bool *is_open)
{
	struct export_http *http = *out = tool_new(1, sizeof(*http));
	int status, listening;

	http->site = site;
	for (size_t i = 0; i < site->num_names; i++)
		http->names[http->num_names++] = site->names[i];
	status = export_listen(site->where, &listening, url, is_open);
	if (!status && *is_open &&
	    !gethostname(http->own_name, sizeof(http->own_name) - 1))
		http->names[http->num_names++] = http->own_name;
	return status ? status : start_daemon(http, listening);
}

void export_http_close(struct export_http *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon); /* and what it listens at */
	free(http);
}

void export_http_wait(struct export_http *http, double seconds)
{
	const union MHD_DaemonInfo *info =
		http ? MHD_get_daemon_info(http->daemon,
					   MHD_DAEMON_INFO_EPOLL_FD)
		     : NULL;
	struct pollfd polled = { .fd = info ? info->epoll_fd : -1,
				 .events = POLLIN };
	struct timespec time = wall_timespec((uint64_t)(seconds * 1e9));
	MHD_UNSIGNED_LONG_LONG least; /* ms */

	if (http && MHD_get_timeout(http->daemon, &least) == MHD_YES &&
	    (double)least < seconds * 1e3)
		time = wall_timespec(least * 1000000);
	ppoll(&polled, 1, &time, NULL);
	if (http)
		MHD_run(http->daemon);
}

struct export_http_stats export_http_stats(const struct export_http *http)
{
	return http ? http->stats : (struct export_http_stats){ 0 };
}
