/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The thread of libmicrohttpd, which answers, calls what is here. Its limits
 * are those of clients: how much they may send, for how long they may be
 * silent, how many there are. But at that number it would let nobody in until
 * somebody leaves; so there are never so many: whose last request is longest
 * ago goes when one comes for whom there is no place. What is shared with who
 * counts is behind `lock`. A request that wants newer pages than there are is
 * suspended until the next are published.
 */
#include "export_http.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "export_address.h"
#include "tool/span.h"
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

/* A request that has begun. */
struct request {
	struct MHD_Connection *connection;
	struct request *next; /* that waits, too */
	bool has_waited;
};

struct export_http {
	const struct export_site *site;
	struct MHD_Daemon *daemon;
	struct MHD_Response *refusal, *astray, *unknown, *unwell;
	char url[EXPORT_URL_BYTES];
	char own_name[HOST_NAME_MAX + 1]; /* "": not to be asked by it */
	bool is_open;
	int wanted; /* eventfd, to who counts */
	/* whose last request is longest ago is first; of the thread */
	TAILQ_HEAD(client_list, client) clients;
	/* behind the lock */
	pthread_mutex_t lock;
	bool is_over;
	struct request *waiting;
	struct MHD_Response *pages[NUM_EXPORT_PAGES];
	bool is_well;
	uint64_t swept_ns;
	bool is_wanted;
	struct export_http_stats stats;
};

#define OPEN_METRICS "application/openmetrics-text"
#define PLAIN	     "text/plain; charset=utf-8"

static const char *const types[NUM_EXPORT_PAGES] = {
	[EXPORT_OPEN_METRICS] = OPEN_METRICS "; version=1.0.0; charset=utf-8",
	[EXPORT_PLAIN] = "text/plain; version=0.0.4; charset=utf-8",
	[EXPORT_HEALTH] = PLAIN,
};

static bool add_header(struct MHD_Response *response, const char *name,
		       const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* Takes over the bytes. NULL without memory. */
static struct MHD_Response *make_response(struct export_content *content,
					  const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		content->size, content->bytes, MHD_RESPMEM_MUST_FREE);

	if (!response)
		free(content->bytes);
	*content = (struct export_content){ 0 };
	if (response)
		add_header(response, "Content-Type", type);
	if (response)
		add_header(response, "Cache-Control", "no-store");
	if (response)
		add_header(response, "X-Content-Type-Options", "nosniff");
	return response;
}

static struct MHD_Response *make_text(const char *text)
{
	char *copy = strdup(text);
	struct export_content content = { copy, copy ? strlen(copy) : 0 };

	/* the response owns the copy, or it is freed there */
	/* cppcheck-suppress memleak */
	return copy ? make_response(&content, PLAIN) : NULL;
}

static bool make_answers(struct export_http *http)
{
	http->refusal =
		make_text("only GET and HEAD: nothing can be changed here\n");
	http->astray = make_text(
		"this request is for another name than those of this exporter: "
		"ask by its address, or start it with --host NAME\n");
	http->unknown = make_text(
		"there are /metrics and /healthz; what the page here drew is "
		"in /metrics ('uncore export -M busy:all'), and a page of HTML "
		"takes its place in the next version\n");
	http->unwell = make_text("the counters could not be read\n");
	if (http->refusal)
		add_header(http->refusal, "Allow", "GET, HEAD");
	return http->refusal && http->astray && http->unknown && http->unwell;
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
	struct client *first = NULL;

	TAILQ_INSERT_TAIL(&http->clients, client, link);
	pthread_mutex_lock(&http->lock);
	if (++http->stats.clients > MOST_CLIENTS) {
		first = TAILQ_FIRST(&http->clients);
		http->stats.clients--;
		http->stats.dropped++;
	}
	pthread_mutex_unlock(&http->lock);
	if (!first)
		return;
	TAILQ_REMOVE(&http->clients, first, link);
	first->is_gone = true;
	shutdown(first->fd, SHUT_RDWR); /* which the library notices */
}

static void end_client(struct export_http *http, struct client *client)
{
	if (!client->is_gone) {
		TAILQ_REMOVE(&http->clients, client, link);
		pthread_mutex_lock(&http->lock);
		http->stats.clients--;
		pthread_mutex_unlock(&http->lock);
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

static void count(struct export_http *http, uint64_t *number)
{
	pthread_mutex_lock(&http->lock);
	++*number;
	pthread_mutex_unlock(&http->lock);
}

/* Whether the pages are too old: then new ones are on their way, and the
 * request waits for them. */
static bool waits(struct export_http *http, struct request *request)
{
	static const uint64_t one = 1;
	bool is_old;

	pthread_mutex_lock(&http->lock);
	is_old = !request->has_waited && !http->is_over &&
		 (double)(span_now_ns() - http->swept_ns) >
			 http->site->oldest_seconds * 1e9;
	if (is_old) {
		MHD_suspend_connection(request->connection);
		request->has_waited = true;
		request->next = http->waiting;
		http->waiting = request;
	}
	if (is_old && !http->is_wanted)
		http->is_wanted =
			write(http->wanted, &one, sizeof(one)) == sizeof(one);
	pthread_mutex_unlock(&http->lock);
	return is_old;
}

/* Those who wait, with the lock. */
static void resume_all(struct export_http *http)
{
	struct request *next;

	for (struct request *it = http->waiting; it; it = next) {
		next = it->next;
		MHD_resume_connection(it->connection);
	}
	http->waiting = NULL;
}

static enum MHD_Result answer_with(struct export_http *http,
				   struct MHD_Connection *connection,
				   enum export_page page)
{
	bool is_scrape = page == EXPORT_PLAIN || page == EXPORT_OPEN_METRICS;
	enum MHD_Result result;

	pthread_mutex_lock(&http->lock);
	http->stats.scrapes += is_scrape;
	/* A scrape of counters that cannot be read is no success, either. */
	if (http->is_well)
		result = MHD_queue_response(connection, MHD_HTTP_OK,
					    http->pages[page]);
	else
		result = MHD_queue_response(
			connection, MHD_HTTP_SERVICE_UNAVAILABLE, http->unwell);
	pthread_mutex_unlock(&http->lock);
	return result;
}

static enum MHD_Result answer(struct export_http *http, struct request *request,
			      const char *path)
{
	struct MHD_Connection *connection = request->connection;
	enum export_page page;

	if (!find_page(connection, path, &page)) {
		count(http, &http->stats.refused);
		return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND,
					  http->unknown);
	}
	return waits(http, request) ? MHD_YES
				    : answer_with(http, connection, page);
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
				     const char *method, void **of_request)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request)
		return MHD_NO;
	request->connection = connection;
	*of_request = request;
	touch(http, connection);
	if (!is_for_us(http, connection)) {
		count(http, &http->stats.refused);
		return MHD_queue_response(
			connection, MHD_HTTP_MISDIRECTED_REQUEST, http->astray);
	}
	if (is_read_only(method))
		return MHD_YES;
	count(http, &http->stats.refused);
	return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				  http->refusal);
}

/* Called when the head of a request is there, when all of it is, and again
 * after a suspension. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection,
			      const char *path, const char *method,
			      const char *version, const char *body,
			      size_t *body_bytes, void **of_request)
{
	(void)version;
	(void)body;
	if (!*of_request)
		return begin_request(context, connection, method, of_request);
	if (*body_bytes) /* of a GET: nobody wants it */
		return MHD_NO;
	return answer(context, *of_request, path);
}

static void complete(void *context, struct MHD_Connection *connection,
		     void **of_request, enum MHD_RequestTerminationCode how)
{
	(void)how;
	free(*of_request);
	*of_request = NULL;
	touch(context, connection);
}

/* In a thread of the library's. Signals are for who counts. */
static int start_daemon(struct export_http *http, int listening)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
		NULL, NULL, handle, http, MHD_OPTION_LISTEN_SOCKET, listening,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION,
		connect_or_not, http, MHD_OPTION_NOTIFY_COMPLETED, complete,
		http, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return http->daemon
		       ? TOOL_OK
		       : tool_fail(TOOL_FAILED,
				   "--listen=%s: the HTTP server cannot be "
				   "started: %s",
				   http->site->where, strerror(errno));
}

int export_http_open(const struct export_site *site, struct export_pages *pages,
		     struct export_http **out)
{
	struct export_http *http = *out = calloc(1, sizeof(*http));
	int status, listening;

	if (!http)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	http->site = site;
	pthread_mutex_init(&http->lock, NULL);
	TAILQ_INIT(&http->clients);
	http->wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (http->wanted < 0)
		return tool_fail(TOOL_FAILED, "cannot make an eventfd: %s",
				 strerror(errno));
	if (!make_answers(http))
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	export_http_publish(http, pages);
	status = export_listen(site->where, &listening, http->url,
			       &http->is_open);
	if (!status && http->is_open)
		gethostname(http->own_name, sizeof(http->own_name) - 1);
	return status ? status : start_daemon(http, listening);
}

static void free_response(struct MHD_Response *response)
{
	if (response)
		MHD_destroy_response(response);
}

void export_http_close(struct export_http *http)
{
	if (!http)
		return;
	pthread_mutex_lock(&http->lock);
	http->is_over = true;
	resume_all(http);
	pthread_mutex_unlock(&http->lock);
	if (http->daemon)
		MHD_stop_daemon(http->daemon); /* and what it listens at */
	free_response(http->refusal);
	free_response(http->astray);
	free_response(http->unknown);
	free_response(http->unwell);
	for (unsigned i = 0; i < NUM_EXPORT_PAGES; i++)
		free_response(http->pages[i]);
	close(http->wanted);
	pthread_mutex_destroy(&http->lock);
	free(http);
}

const char *export_http_address(const struct export_http *http)
{
	return http->url;
}

bool export_http_is_open_to_others(const struct export_http *http)
{
	return http->is_open;
}

/* What was signalled. */
static void take(int event)
{
	uint64_t count;

	if (read(event, &count, sizeof(count)) < 0)
		return;
}

bool export_http_wait(struct export_http *http, double seconds)
{
	struct pollfd polled = { .fd = http ? http->wanted : -1,
				 .events = POLLIN };
	struct timespec time = span_timespec((uint64_t)(seconds * 1e9));

	if (ppoll(&polled, 1, &time, NULL) <= 0 || !http)
		return false;
	take(http->wanted);
	return true;
}

/* A page that there is no memory for stays the one before. */
static void replace(struct export_http *http, enum export_page page,
		    struct export_content *content)
{
	struct MHD_Response *new = make_response(content, types[page]);

	if (!new)
		return;
	free_response(http->pages[page]);
	http->pages[page] = new;
}

void export_http_publish(struct export_http *http, struct export_pages *pages)
{
	pthread_mutex_lock(&http->lock);
	http->is_well = pages->list[EXPORT_HEALTH].size > 0;
	for (unsigned i = 0; i < NUM_EXPORT_PAGES; i++)
		if (pages->list[i].bytes)
			replace(http, (enum export_page)i, &pages->list[i]);
	http->swept_ns = pages->swept_ns;
	http->is_wanted = false; /* who waits shares this one */
	take(http->wanted);
	resume_all(http);
	pthread_mutex_unlock(&http->lock);
}

void export_http_stats(struct export_http *http,
		       struct export_http_stats *stats)
{
	pthread_mutex_lock(&http->lock);
	*stats = http->stats;
	pthread_mutex_unlock(&http->lock);
}
