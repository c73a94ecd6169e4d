/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What can never be, whatever traffic and software do. It is looked for in the
 * machine's state, from outside the code that makes it:
 *
 *  - a line that one node's slices own is in no other node's; one node at
 *    most forwards it; what a core has written to is that core's alone
 *  - a slice holds its own lines, for cores that are there
 *  - a copy holds the last value written; at rest, a line that no slice holds
 *    as modified has it in memory (reads and writes are looked at as they
 *    happen, see model/truth/values.h)
 *  - at rest every credit is back and no box has anything left (check_rest.c)
 *  - every request completes (check_watch.c), every DRAM command keeps its
 *    times (model/station/dram_check.c)
 *  - counters agree with the signals they listen to (model/pmu/check.c)
 */
#include "model/check.h"
#include "base/text.h"

#include <stdlib.h>

#include "model/model.h"

static bool is_alone(const struct llc_way *way)
{
	return way->state == LLC_E || way->state == LLC_M;
}

void model_violate(struct uncore_model *model, char *text)
{
	if (model->violation) {
		free(text);
		return;
	}
	model->violation = text;
	if (model->log && text)
		model->log(model->log_context, text);
}

bool model_is_modified(const struct llc_way *way)
{
	return way->state == LLC_M || way->is_core_dirty;
}

/* Of a line that a core has written to the slice's copy may be old. */
static bool is_old(const struct uncore_model *model, const struct llc *llc,
		   uint64_t line, const struct llc_way *way)
{
	return model->values && !way->is_core_dirty &&
	       llc->values[llc_entry(llc, way)] !=
		       values_latest(model->values, line);
}

struct llc_way *model_way(const struct uncore_model *model, unsigned node,
			  uint64_t line)
{
	unsigned num = model->sockets[0]->num_nodes, socket = node / num;
	unsigned slice =
		socket_node_slice(model->sockets[socket], node % num, line);

	return llc_find(model_llc(model, socket, slice), line);
}

static const char *check_way(const struct uncore_model *model, unsigned socket,
			     unsigned slice, uint64_t line,
			     const struct llc_way *way)
{
	const struct socket *own = model->sockets[socket];
	unsigned node = slice * own->num_nodes / own->num_slices;

	if (socket_node_slice(own, node, line) != slice)
		return "a slice holds a line of another one";
	if (way->cores >> model->num_cores)
		return "a slice knows of cores that are not there";
	if (way->is_core_dirty &&
	    (!is_alone(way) || way->cores & (way->cores - 1)))
		return "a core wrote to a line that others may have";
	if (is_old(model, model_llc(model, socket, slice), line, way))
		return "a slice holds an old value";
	if (!is_alone(way) && way->state != LLC_F)
		return NULL;
	for (unsigned i = 0; i < model->num_sockets * own->num_nodes; i++) {
		const struct llc_way *other = model_way(model, i, line);

		if (!other || other == way)
			continue;
		if (is_alone(way))
			return "a line that one node owns is in another";
		if (other->state == LLC_F)
			return "two nodes forward one line";
	}
	return NULL;
}

static void check_slice(struct uncore_model *model, unsigned socket,
			unsigned slice)
{
	const struct llc *llc = model_llc(model, socket, slice);
	unsigned in_node = slice % llc->num_slices;
	size_t entries = llc_num_entries(llc);

	for (size_t i = 0; i < entries; i++) {
		const char *wrong;
		uint64_t line;

		if (!llc_line(llc, i, in_node, &line))
			continue;
		wrong = check_way(model, socket, slice, line, llc_way(llc, i));
		if (!wrong)
			continue;
		model_violate(model,
			      text_format("check: %s: line 0x%llx, socket %u, "
					  "C-Box %u, cycle %llu",
					  wrong, (unsigned long long)line,
					  socket, slice,
					  (unsigned long long)model->now));
		return;
	}
}

/* Every DRAM command so far has kept the rules. */
static void check_dram(struct uncore_model *model, unsigned socket)
{
	unsigned number;
	const char *wrong =
		model->kind->check_dram(model->sockets[socket], &number);

	if (wrong)
		model_violate(model, text_format("check: %s: socket %u, memory "
						 "controller %u",
						 wrong, socket, number));
}

static void check_pmus(struct uncore_model *model, unsigned socket)
{
	const struct socket *s = model->sockets[socket];

	for (unsigned i = 0; i < s->num_pmus; i++) {
		const char *box;
		const char *wrong = pmu_check(s->pmus[i], &box);

		if (wrong)
			model_violate(
				model,
				text_format("check: %s: socket %u, PMU %u, "
					    "%s, cycle %llu",
					    wrong, socket, i, box,
					    (unsigned long long)model->now));
	}
}

void model_check(struct uncore_model *model)
{
	if (values_violation(model->values))
		model_violate(model, text_format("%s", values_violation(
							       model->values)));
	for (unsigned i = 0; i < model->num_sockets; i++) {
		check_pmus(model, i);
		for (unsigned slice = 0; slice < model->num_slices; slice++)
			check_slice(model, i, slice);
		check_dram(model, i);
	}
	watch_look(model->watch, model);
	model_check_rest(model);
}
