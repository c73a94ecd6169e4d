/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore export` of a command that was built without libmicrohttpd: it writes
 * files and prints, and who wants to be answered is told so.
 */
#include "export.h"

#include <poll.h>

#include "tool/native.h"
#include "tool/tool.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

int export_http_open(const struct export_site *site, struct export_http **http,
		     char url[EXPORT_URL_BYTES], bool *is_open)
{
	return tool_fail(TOOL_FAILED,
			 "--listen=%s: uncore was built without libmicrohttpd "
			 "(-Dhttp), so it cannot answer; --textfile and --once "
			 "work",
			 site->where);
}

void export_http_close(struct export_http *http)
{
}

void export_http_wait(struct export_http *http, double seconds)
{
	struct timespec time = wall_timespec((uint64_t)(seconds * 1e9));

	ppoll(NULL, 0, &time, NULL);
}

struct export_http_stats export_http_stats(const struct export_http *http)
{
	return (struct export_http_stats){ 0 };
}
