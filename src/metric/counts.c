/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session counted, gathered for one metric. A metric is made from counts
 * of the same time only.
 */
#include "metric/metric.h"

#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"
#include "uncore/event.h"
#include "uncore/session.h"

/* The event of the metric with this text, or -1. */
static long event_of(const struct metric_row *row, const char *text)
{
	for (size_t i = 0; i < row->num_events; i++)
		if (!strcmp(row->events[i].text, text))
			return (long)i;
	return -1;
}

int uncore_metrics_session_counts(const struct uncore_metrics *metrics,
				  size_t index,
				  const struct uncore_session *session,
				  const struct uncore_metric_run *run,
				  unsigned num_sockets,
				  struct uncore_metric_counts *counts)
{
	const struct metric_row *row = &metrics->rows[index];
	struct uncore_metric_count *rows = NULL;
	struct uncore_count count;
	size_t num = 0;

	*counts = (struct uncore_metric_counts){ .num_sockets = num_sockets,
						 .seconds = run->seconds,
						 .cycles = run->cycles,
						 .whole = 1 };
	for (size_t i = 0; session && uncore_session_count(session, i, &count);
	     i++) {
		long event = event_of(row, uncore_event_text(count.event));
		struct uncore_metric_count *more;

		if (event < 0)
			continue;
		more = reallocarray(rows, num + 1, sizeof(*rows));
		if (!more) {
			free(rows);
			return UNCORE_ERR_NO_MEMORY;
		}
		rows = more;
		rows[num++] = (struct uncore_metric_count){
			.event = (size_t)event,
			.socket = count.socket,
			.instance = count.instance,
			.value = (double)count.value,
			.reason = count.valid ? NULL : count.reason,
		};
	}
	counts->counts = rows;
	counts->num = num;
	return 0;
}
