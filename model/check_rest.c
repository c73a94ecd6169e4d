/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What must be true of a machine at rest: nothing is under way in any box, so
 * every credit is back where it began, and what was written last is in a cache
 * or in memory.
 */
#include "base/text.h"
#include "model/check.h"

#include <stddef.h>

#include "model/model.h"

static bool is_modified_somewhere(const struct uncore_model *model,
				  uint64_t line)
{
	unsigned nodes = model->num_sockets * model->sockets[0]->num_nodes;

	for (unsigned i = 0; i < nodes; i++) {
		const struct llc_way *way = model_way(model, i, line);

		if (way && model_is_modified(way))
			return true;
	}
	return false;
}

static void check_memory(struct uncore_model *model)
{
	struct values_line line;
	size_t place = 0;

	while (values_next(model->values, &place, &line))
		if (line.memory != line.latest &&
		    !is_modified_somewhere(model, line.line))
			model_violate(
				model,
				text_format("check: version %u of line 0x%llx "
					    "is lost, memory has %u: cycle "
					    "%llu",
					    line.latest,
					    (unsigned long long)line.line,
					    line.memory,
					    (unsigned long long)model->now));
}

void model_check_rest(struct uncore_model *model)
{
	if (!model->kind->is_settled(model->sockets[0]))
		return;
	for (unsigned i = 0; i < model->num_sockets; i++) {
		const char *wrong = model->kind->check_rest(model->sockets[i]);

		if (wrong)
			model_violate(
				model,
				text_format("check: %s: socket %u, cycle "
					    "%llu",
					    wrong, i,
					    (unsigned long long)model->now));
	}
	check_memory(model);
}
