/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The thread that answers. It runs libmicrohttpd in a loop of its own, so all
 * connections are its affair alone. It accepts them itself, too, since versions
 * of the library differ in what they do at their limit. What it shares with who
 * counts is behind `lock`: the pages, and whether new ones are wanted. A
 * request that wants newer pages than there are is suspended until the next are
 * published.
 */
#include "export_http.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "export_address.h"
#include "export_clients.h"
#include "span.h"
#include "tool.h"
#include "uncore/error.h"

enum {
	REQUEST_BYTES = 16384, /* of a request's head, and what it is read to */
	LOOK_MS = 500,	       /* between two looks at slow clients */
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
	int listening; /* -1: not yet */
	pthread_t thread;
	bool has_thread;
	int published; /* eventfd, to the thread; also at the end */
	int wanted;    /* eventfd, to who counts */
	atomic_bool is_over;
	/* of the thread */
	struct export_clients clients;
	struct request *waiting;
	/* behind the lock */
	pthread_mutex_t lock;
	struct MHD_Response *pages[NUM_EXPORT_PAGES];
	bool is_well;
	uint64_t swept_ns;
	bool is_wanted;
	struct export_http_stats stats;
};

static const struct {
	const char *path, *type;
	enum export_page page;
} paths[] = {
	{ "/metrics", "text/plain; version=0.0.4; charset=utf-8",
	  EXPORT_PLAIN },
	{ "/healthz", "text/plain; charset=utf-8", EXPORT_HEALTH },
};
enum { NUM_PATHS = sizeof(paths) / sizeof(paths[0]) };

#define OPEN_METRICS "application/openmetrics-text"

static const char *type_of(enum export_page page)
{
	for (unsigned i = 0; i < NUM_PATHS; i++)
		if (paths[i].page == page)
			return paths[i].type;
	return OPEN_METRICS "; version=1.0.0; charset=utf-8";
}

static void signal_to(int event)
{
	const uint64_t one = 1;

	/* It fails only where it is signalled already. */
	if (write(event, &one, sizeof(one)) < 0)
		return;
}

static void clear(int event)
{
	uint64_t count;

	if (read(event, &count, sizeof(count)) < 0)
		return;
}

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

static struct MHD_Response *make_text(const char *text, const char *type)
{
	char *copy = strdup(text);
	struct export_content content = { copy, copy ? strlen(copy) : 0 };

	/* the response owns the copy, or it is freed there */
	/* cppcheck-suppress memleak */
	return copy ? make_response(&content, type) : NULL;
}

static bool make_answers(struct export_http *http)
{
	static const char plain[] = "text/plain; charset=utf-8";

	http->refusal = make_text("only GET and HEAD: nothing can be changed "
				  "here\n",
				  plain);
	http->astray = make_text(
		"this request is for another name than those of this exporter: "
		"ask by its address, or start it with --host NAME\n",
		plain);
	http->unknown = make_text(
		"there are /metrics and /healthz; what the page here drew is "
		"in /metrics ('uncore export -M busy'), and a page of HTML "
		"takes its place in the next version\n",
		plain);
	http->unwell = make_text("the counters could not be read\n", plain);
	if (http->refusal)
		add_header(http->refusal, "Allow", "GET, HEAD");
	return http->refusal && http->astray && http->unknown && http->unwell;
}

static struct export_client *client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
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
	for (unsigned i = 0; i < NUM_PATHS; i++) {
		if (strcmp(path, paths[i].path))
			continue;
		*page = paths[i].page;
		if (*page == EXPORT_PLAIN && accepts_open_metrics(connection))
			*page = EXPORT_OPEN_METRICS;
		return true;
	}
	return false;
}

static void count(struct export_http *http, uint64_t *number)
{
	pthread_mutex_lock(&http->lock);
	++*number;
	pthread_mutex_unlock(&http->lock);
}

/* Whether the pages are too old; then new ones are on their way. */
static bool wants_newer(struct export_http *http)
{
	bool is_old;

	pthread_mutex_lock(&http->lock);
	is_old = (double)(span_now_ns() - http->swept_ns) >
		 http->site->oldest_seconds * 1e9;
	if (is_old && !http->is_wanted) {
		http->is_wanted = true;
		signal_to(http->wanted);
	}
	pthread_mutex_unlock(&http->lock);
	return is_old;
}

static enum MHD_Result answer_with(struct export_http *http,
				   struct MHD_Connection *connection,
				   enum export_page page)
{
	bool is_scrape = page == EXPORT_PLAIN || page == EXPORT_OPEN_METRICS;
	enum MHD_Result result;

	pthread_mutex_lock(&http->lock);
	if (is_scrape)
		http->stats.scrapes++;
	else
		http->stats.pages++;
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
	if (!request->has_waited && !http->is_over && wants_newer(http)) {
		request->has_waited = true;
		request->next = http->waiting;
		http->waiting = request;
		MHD_suspend_connection(connection);
		return MHD_YES;
	}
	return answer_with(http, connection, page);
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
	export_client_asks(client_of(connection), span_now_ns());
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
	(void)context;
	(void)how;
	free(*of_request);
	*of_request = NULL;
	export_client_rests(client_of(connection), span_now_ns());
}

static void connect_or_not(void *context, struct MHD_Connection *connection,
			   void **of_connection,
			   enum MHD_ConnectionNotificationCode what)
{
	struct export_http *http = context;
	const union MHD_ConnectionInfo *fd;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		export_client_ends(*of_connection);
		return;
	}
	fd = MHD_get_connection_info(connection,
				     MHD_CONNECTION_INFO_CONNECTION_FD);
	if (fd)
		*of_connection =
			export_clients_find(&http->clients, fd->connect_fd);
}

static void resume_all(struct export_http *http)
{
	struct request *next;

	for (struct request *it = http->waiting; it; it = next) {
		next = it->next;
		MHD_resume_connection(it->connection);
	}
	http->waiting = NULL;
}

/* Who has been shut down waits for nothing: its place is wanted. */
static void resume_gone(struct export_http *http)
{
	struct request **link = &http->waiting;

	while (*link) {
		struct request *it = *link;
		const struct export_client *client = client_of(it->connection);

		if (client && client->is_gone) {
			*link = it->next;
			MHD_resume_connection(it->connection);
		} else {
			link = &it->next;
		}
	}
}

/* The connection is the library's, also where it fails. Some versions begin
 * with it at once, others later: it has its place before. */
static void add(struct export_http *http, int fd,
		const struct sockaddr *address, socklen_t size)
{
	struct export_client *client =
		export_clients_add(&http->clients, fd, address, span_now_ns());

	if (MHD_add_connection(http->daemon, fd, address, size) != MHD_YES)
		export_client_ends(client);
}

/* Those that have come, as far as there are places. False if there is no use in
 * trying again before something has changed: too many files are open, and none
 * by clients. */
static bool accept_all(struct export_http *http)
{
	while (export_clients_find(&http->clients, -1)) {
		struct sockaddr_storage address = { 0 };
		socklen_t size = sizeof(address);
		int fd = accept4(http->listening, (struct sockaddr *)&address,
				 &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			add(http, fd, (struct sockaddr *)&address, size);
		else if (errno == EAGAIN)
			return true;
		else if (errno != EINTR && errno != ECONNABORTED)
			return export_clients_drop_one(&http->clients, NULL);
	}
	return true;
}

static int patience_ms(struct export_http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(http->daemon, &ms) != MHD_YES || ms > LOOK_MS)
		return LOOK_MS;
	return (int)ms;
}

static void tell_clients(struct export_http *http)
{
	export_clients_look(&http->clients, span_now_ns());
	pthread_mutex_lock(&http->lock);
	http->stats.dropped = http->clients.dropped;
	http->stats.clients = export_clients_num(&http->clients);
	pthread_mutex_unlock(&http->lock);
}

static void *serve(void *context)
{
	struct export_http *http = context;
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd polled[] = {
		{ .fd = info->epoll_fd, .events = POLLIN },
		{ .fd = http->published, .events = POLLIN },
		{ .fd = http->listening, .events = POLLIN },
	};

	while (!http->is_over) {
		bool may_accept;

		poll(polled, 3, patience_ms(http));
		if (polled[1].revents) {
			clear(http->published);
			resume_all(http);
		}
		may_accept = accept_all(http);
		resume_gone(http);
		MHD_run(http->daemon);
		tell_clients(http);
		/* who cannot be taken now is no reason to wake up */
		may_accept &= export_clients_find(&http->clients, -1) != NULL;
		polled[2].fd = may_accept ? http->listening : -1;
	}
	resume_all(http);
	MHD_run(http->daemon);
	return NULL;
}

static int start_daemon(struct export_http *http)
{
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
			MHD_ALLOW_SUSPEND_RESUME,
		0, NULL, NULL, handle, http, MHD_OPTION_CONNECTION_LIMIT,
		2u * EXPORT_PLACES, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)EXPORT_SILENT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)REQUEST_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_NOTIFY_CONNECTION, connect_or_not, http,
		MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_END);
	return http->daemon
		       ? TOOL_OK
		       : tool_fail(TOOL_FAILED,
				   "--listen=%s: the HTTP server cannot be "
				   "started: %s",
				   http->site->where, strerror(errno));
}

/* Signals are for who counts. */
static int start_thread(struct export_http *http)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&http->thread, NULL, serve, http);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	http->has_thread = !code;
	return code ? tool_fail(TOOL_FAILED, "cannot start a thread: %s",
				strerror(code))
		    : TOOL_OK;
}

int export_http_open(const struct export_site *site, struct export_pages *pages,
		     struct export_http **out)
{
	struct export_http *http = *out = calloc(1, sizeof(*http));
	int status;

	if (!http)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	http->site = site;
	http->listening = -1;
	pthread_mutex_init(&http->lock, NULL);
	export_clients_init(&http->clients);
	http->published = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	http->wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (http->published < 0 || http->wanted < 0)
		return tool_fail(TOOL_FAILED, "cannot make an eventfd: %s",
				 strerror(errno));
	if (!make_answers(http))
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	export_http_publish(http, pages);
	status = export_listen(site->where, &http->listening, http->url,
			       &http->is_open);
	if (!status && http->is_open)
		gethostname(http->own_name, sizeof(http->own_name) - 1);
	if (!status)
		status = start_daemon(http);
	return status ? status : start_thread(http);
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
	http->is_over = true;
	signal_to(http->published);
	if (http->has_thread)
		pthread_join(http->thread, NULL);
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	if (http->listening >= 0)
		close(http->listening);
	free_response(http->refusal);
	free_response(http->astray);
	free_response(http->unknown);
	free_response(http->unwell);
	for (unsigned i = 0; i < NUM_EXPORT_PAGES; i++)
		free_response(http->pages[i]);
	close(http->published);
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

bool export_http_wait(struct export_http *http, double seconds)
{
	struct pollfd polled = { .fd = http ? http->wanted : -1,
				 .events = POLLIN };
	struct timespec time = span_timespec((uint64_t)(seconds * 1e9));

	if (ppoll(&polled, 1, &time, NULL) <= 0 || !http)
		return false;
	clear(http->wanted);
	return true;
}

/* A page that there is no memory for stays the one before. */
static void replace(struct export_http *http, enum export_page page,
		    struct export_content *content)
{
	struct MHD_Response *new = make_response(content, type_of(page));

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
	clear(http->wanted);
	pthread_mutex_unlock(&http->lock);
	signal_to(http->published);
}

void export_http_stats(struct export_http *http,
		       struct export_http_stats *stats)
{
	pthread_mutex_lock(&http->lock);
	*stats = http->stats;
	pthread_mutex_unlock(&http->lock);
}
