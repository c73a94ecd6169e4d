/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The metrics of a family, looked up in its table.
 */
#include "metric/metric.h"

#include <string.h>

#include "uncore/family.h"

static const struct metric_table *find(const struct uncore_family *family)
{
	const struct metric_table *table = metric_tables;

	for (; table->family; table++)
		if (!strcmp(table->family, uncore_family_name(family)))
			return table;
	return NULL;
}

const char *uncore_metric_event(const struct uncore_family *family,
				size_t index)
{
	const struct metric_table *table = find(family);

	for (size_t i = 0; table && i < index; i++)
		if (!table->events[i].key)
			return NULL;
	return table ? table->events[index].text : NULL;
}

bool uncore_metric_at(const struct uncore_family *family, size_t index,
		      struct uncore_metric *metric)
{
	const struct metric_table *table = find(family);

	if (!table)
		return false;
	for (size_t i = 0; i <= index; i++)
		if (!table->metrics[i].name)
			return false;
	*metric = table->metrics[index];
	return true;
}

bool uncore_metric_value(const struct uncore_family *family, size_t index,
			 const struct uncore_session *session,
			 const struct uncore_metric_run *run, int socket,
			 double *value, const char **reason)
{
	struct formula_scope scope = {
		.table = find(family),
		.session = session,
		.run = run,
		.socket = socket,
		.instance = -1,
	};
	struct uncore_metric metric;

	*reason = "there is no such metric";
	if (!uncore_metric_at(family, index, &metric))
		return false;
	return formula_value(&scope, metric.formula, value, reason);
}
