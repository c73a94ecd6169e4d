/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is here libmicrohttpd calls, in the thread that counts. Its limits are
 * those of clients: how much they may send, for how long they may be silent,
 * how many there are. But at that number it would let nobody in until somebody
 * leaves; so there are never so many: whose last request is longest ago goes
 * when one comes for whom there is no place.
 */
#include "export_http.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tool/native.h"
#include "tool/tool.h"
#include "uncore/error.h"

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
	int fd;
	bool is_gone; /* shut down: not in the list */
	TAILQ_ENTRY(client) link;
};

struct export_http {
	const struct export_site *site;
	struct MHD_Daemon *daemon;
	char own_name[HOST_NAME_MAX + 1]; /* "": not to be asked by it */
	/* whose last request is longest ago is first */
	TAILQ_HEAD(client_list, client) clients;
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
			   const char *text, size_t size, const char *type)
{
	const char *const headers[][2] = {
		{ "Content-Type", type },
		{ "Cache-Control", "no-store" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Allow", "GET, HEAD" },
	};
	unsigned num = code == MHD_HTTP_METHOD_NOT_ALLOWED ? 4 : 3;
	struct MHD_Response *response = MHD_create_response_from_buffer(
		size, (void *)text, MHD_RESPMEM_MUST_COPY);
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

static struct client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* Has just said something. */
static void touch(struct export_http *http, struct MHD_Connection *connection)
{
	struct client *client = client_of(connection);

	if (!client || client->is_gone)
		return;
	TAILQ_REMOVE(&http->clients, client, link);
	TAILQ_INSERT_TAIL(&http->clients, client, link);
}

static void add_client(struct export_http *http, struct client *client)
{
	struct client *first = TAILQ_FIRST(&http->clients);

	TAILQ_INSERT_TAIL(&http->clients, client, link);
	if (++http->stats.clients <= MOST_CLIENTS)
		return;
	http->stats.clients--;
	http->stats.dropped++;
	TAILQ_REMOVE(&http->clients, first, link);
	first->is_gone = true;
	shutdown(first->fd, SHUT_RDWR); /* which the library notices */
}

static void end_client(struct export_http *http, struct client *client)
{
	if (!client->is_gone) {
		TAILQ_REMOVE(&http->clients, client, link);
		http->stats.clients--;
	}
	free(client);
}

static void connect_or_not(void *context, struct MHD_Connection *connection,
			   void **of_connection,
			   enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *client = *of_connection;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (client)
			end_client(context, client);
		return;
	}
	client = info ? calloc(1, sizeof(*client)) : NULL;
	if (!client) /* it is one that never goes by itself */
		return;
	*of_connection = client;
	client->fd = info->connect_fd;
	add_client(context, client);
}

/* Whether OpenMetrics is among what the client accepts. Who names it can read
 * it; a weight of 0 nobody gives to what he would not name. */
static bool accepts_open_metrics(struct MHD_Connection *connection)
{
	const char *accepts = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, "Accept");

	return accepts && strcasestr(accepts, OPEN_METRICS);
}

/* Of a path; false if there is none. */
static bool find_page(struct MHD_Connection *connection, const char *path,
		      enum export_page *page)
{
	if (!strcmp(path, "/metrics"))
		*page = accepts_open_metrics(connection) ? EXPORT_OPEN_METRICS
							 : EXPORT_PLAIN;
	else
		*page = EXPORT_HEALTH;
	return *page != EXPORT_HEALTH || !strcmp(path, "/healthz");
}

static enum MHD_Result refuse(struct export_http *http,
			      struct MHD_Connection *connection, unsigned code,
			      const char *why)
{
	http->stats.refused++;
	return say(connection, code, why, strlen(why), PLAIN);
}

/* A scrape of counters that cannot be read is no success, either. */
static enum MHD_Result answer(struct export_http *http,
			      struct MHD_Connection *connection,
			      const char *path)
{
	static const char unwell[] = "the counters could not be read\n";
	const struct export_site *site = http->site;
	enum MHD_Result result = MHD_NO;
	enum export_page page;
	char *bytes = NULL;
	bool is_well;
	size_t size;
	FILE *file;

	if (!find_page(connection, path, &page))
		return refuse(http, connection, MHD_HTTP_NOT_FOUND,
			      "there are /metrics and /healthz; what the page "
			      "here drew is in /metrics ('uncore export -M "
			      "busy:all'), and in the page that 'uncore stat "
			      "--html=FILE' writes\n");
	file = open_memstream(&bytes, &size);
	if (!file)
		return MHD_NO;
	is_well = site->page(site->context, page, file);
	http->stats.scrapes += page != EXPORT_HEALTH;
	if (fclose(file) == 0 && is_well)
		result = say(connection, MHD_HTTP_OK, bytes, size, types[page]);
	else if (!is_well)
		result = say(connection, MHD_HTTP_SERVICE_UNAVAILABLE, unwell,
			     strlen(unwell), PLAIN);
	free(bytes);
	return result;
}

static bool is_read_only(const char *method)
{
	return !strcmp(method, MHD_HTTP_METHOD_GET) ||
	       !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

/* Without the header, as HTTP/1.0 may be, no browser has asked. */
static bool is_for_us(const struct export_http *http,
		      struct MHD_Connection *connection)
{
	const char *own = http->own_name;
	const char *host = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	const union MHD_ConnectionInfo *fd = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return !host || !fd ||
	       export_is_for_us(host, fd->connect_fd, http->site->names,
				http->site->num_names) ||
	       (*own && export_is_for_us(host, fd->connect_fd, &own, 1));
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
	if (is_read_only(method))
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
	struct export_http *http = *out = calloc(1, sizeof(*http));
	int status, listening;

	if (!http)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	http->site = site;
	TAILQ_INIT(&http->clients);
	status = export_listen(site->where, &listening, url, is_open);
	if (!status && *is_open)
		gethostname(http->own_name, sizeof(http->own_name) - 1);
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
