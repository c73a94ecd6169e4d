/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The value of a metric from counts, and whether it can be right. An event
 * stands for the sum of its counts in the scope: all boxes of all sockets, of
 * one socket, or one box. Where the scope is one box, events of other boxes
 * stand for their whole socket.
 */
#include "metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Evaluates one tree; reason is set by the first thing that goes wrong. */
struct evaluation {
	const struct uncore_metrics *metrics;
	const struct metric_row *row;
	const struct metric_tree *tree;
	const struct uncore_metric_counts *counts;
	int socket;	 /* -1: all */
	int instance;	 /* -1: all */
	const char *box; /* that instance is of */
	char *reason;
	size_t reason_size;
	bool *is_empty;
};

static double value_of(struct evaluation *evaluation, int index);

static double fail(struct evaluation *evaluation, const char *why,
		   const char *what)
{
	if (!*evaluation->reason)
		snprintf(evaluation->reason, evaluation->reason_size, "%s%s%s",
			 why, *what ? ": " : "", what);
	return NAN;
}

static bool in_scope(const struct evaluation *evaluation, const char *box,
		     const struct uncore_metric_count *count)
{
	if (evaluation->socket >= 0 &&
	    (unsigned)evaluation->socket != count->socket)
		return false;
	return evaluation->instance < 0 || strcmp(box, evaluation->box) ||
	       (unsigned)evaluation->instance == count->instance;
}

static double event_sum(struct evaluation *evaluation, size_t event)
{
	const struct metric_event *row = &evaluation->row->events[event];
	bool found = false;
	double total = 0;

	for (size_t i = 0; i < evaluation->counts->num; i++) {
		const struct uncore_metric_count *count =
			&evaluation->counts->counts[i];

		if (count->event != event)
			continue;
		found = true;
		if (!in_scope(evaluation, row->box, count))
			continue;
		if (count->reason)
			return fail(evaluation, count->reason, row->text);
		total += count->value;
	}
	return found ? total
		     : fail(evaluation,
			    "an event that it needs was not counted",
			    row->text);
}

/* Whether an event of this box was counted in an instance of a socket. */
static bool has_box(const struct evaluation *evaluation, const char *box,
		    unsigned socket, unsigned instance)
{
	for (size_t i = 0; i < evaluation->counts->num; i++) {
		const struct uncore_metric_count *count =
			&evaluation->counts->counts[i];

		if (count->socket == socket && count->instance == instance &&
		    !strcmp(evaluation->row->events[count->event].box, box))
			return true;
	}
	return false;
}

/* What goes over boxes knows after them. */
struct boxes {
	double least, most, total;
	unsigned num;
};

static void add_box(struct boxes *boxes, double value)
{
	if (!boxes->num || value < boxes->least)
		boxes->least = value;
	if (!boxes->num || value > boxes->most)
		boxes->most = value;
	boxes->total += value;
	boxes->num++;
}

enum { MAX_INSTANCES = 64 };

static double over_boxes(struct evaluation *evaluation,
			 const struct metric_node *node)
{
	struct evaluation one = *evaluation;
	struct boxes boxes = { 0 };

	for (unsigned socket = 0; socket < evaluation->counts->num_sockets;
	     socket++) {
		if (evaluation->socket >= 0 &&
		    (unsigned)evaluation->socket != socket)
			continue;
		for (unsigned i = 0; i < MAX_INSTANCES; i++) {
			if (evaluation->instance >= 0 &&
			    !strcmp(evaluation->box, node->box) &&
			    (unsigned)evaluation->instance != i)
				continue;
			if (!has_box(evaluation, node->box, socket, i))
				continue;
			one.socket = (int)socket;
			one.instance = (int)i;
			one.box = node->box;
			add_box(&boxes, value_of(&one, node->first));
		}
	}
	if (!boxes.num)
		return fail(evaluation, "no box was counted in", "");
	return node->op == OP_MAX   ? boxes.most
	       : node->op == OP_MIN ? boxes.least
				    : boxes.total / boxes.num;
}

static double over_sockets(struct evaluation *evaluation,
			   const struct metric_node *node)
{
	struct evaluation one = *evaluation;
	double total = 0;

	for (unsigned socket = 0; socket < evaluation->counts->num_sockets;
	     socket++) {
		if (evaluation->socket >= 0 &&
		    (unsigned)evaluation->socket != socket)
			continue;
		one.socket = (int)socket;
		total += value_of(&one, node->first);
	}
	return total;
}

static double sockets(const struct evaluation *evaluation)
{
	return evaluation->socket >= 0 ? 1 : evaluation->counts->num_sockets;
}

static double box_number(const struct evaluation *evaluation,
			 const struct metric_node *node)
{
	if (evaluation->instance >= 0 && !strcmp(evaluation->box, node->box))
		return 1;
	return sockets(evaluation) * node->number;
}

static double divide(struct evaluation *evaluation, double a, double b)
{
	if (b)
		return a / b;
	*evaluation->is_empty |= !*evaluation->reason;
	return fail(evaluation, "there was nothing to divide by", "");
}

static double binary(struct evaluation *evaluation,
		     const struct metric_node *node)
{
	double a = value_of(evaluation, node->first);
	double b = value_of(evaluation, node->second);

	switch (node->op) {
	case OP_ADD: return a + b;
	case OP_SUBTRACT: return a - b;
	case OP_MULTIPLY: return a * b;
	case OP_DIVIDE: return divide(evaluation, a, b);
	case OP_LARGER: return a > b ? a : b;
	default: return a < b ? a : b;
	}
}

/* Nobody knows on which socket they ran, nor in which turn. */
static double instructions(struct evaluation *evaluation)
{
	const struct uncore_metric_counts *counts = evaluation->counts;

	if (!(counts->instructions > 0)) {
		*evaluation->is_empty |= !*evaluation->reason;
		return fail(evaluation, "no instructions are known here", "");
	}
	if (evaluation->socket >= 0)
		return fail(evaluation,
			    "instructions are known of the whole machine", "");
	return counts->instructions / counts->whole;
}

static double value_of(struct evaluation *evaluation, int index)
{
	const struct metric_node *node = &evaluation->tree->nodes[index];
	const struct uncore_metric_counts *counts = evaluation->counts;

	switch (node->op) {
	case OP_NUMBER: return node->number;
	case OP_FACT: return evaluation->metrics->keys[node->first].value;
	case OP_BOXES: return box_number(evaluation, node);
	case OP_SOCKETS: return sockets(evaluation);
	case OP_SECONDS: return counts->seconds;
	case OP_CYCLES: return counts->cycles;
	case OP_CLOCK:
		return divide(evaluation, counts->cycles, counts->seconds);
	case OP_INSTRUCTIONS: return instructions(evaluation);
	case OP_EVENT: return event_sum(evaluation, (size_t)node->first);
	case OP_NEGATE: return -value_of(evaluation, node->first);
	case OP_MAX:
	case OP_MIN:
	case OP_MEAN: return over_boxes(evaluation, node);
	case OP_SOCKET_SUM: return over_sockets(evaluation, node);
	default: return binary(evaluation, node);
	}
}

/* A tree's value; its failures are put into a reason of its own. */
static double other_tree(struct evaluation evaluation,
			 const struct metric_tree *tree)
{
	bool is_empty = false;
	char reason[8] = "";

	evaluation.tree = tree;
	evaluation.reason = reason;
	evaluation.reason_size = sizeof(reason);
	evaluation.is_empty = &is_empty;
	return value_of(&evaluation, tree->root);
}

/* Room for what doubles lose. */
#define SLACK 1e-9

static void judge(const struct evaluation *evaluation,
		  struct uncore_metric_value *value)
{
	const struct metric_row *row = evaluation->row;
	double least = other_tree(*evaluation, &row->minimum_tree);
	double most = row->maximum.text
			      ? other_tree(*evaluation, &row->maximum_tree)
			      : INFINITY;

	if (!isfinite(value->value)) {
		value->valid = false;
		snprintf(value->reason, sizeof(value->reason),
			 "it is no number");
	} else if (value->value < least - SLACK * fabs(least)) {
		value->valid = false;
		snprintf(value->reason, sizeof(value->reason),
			 "%.6g cannot be right: the least is %.6g",
			 value->value, least);
	} else if (value->value > most + SLACK * fabs(most)) {
		value->valid = false;
		snprintf(value->reason, sizeof(value->reason),
			 "%.6g cannot be right: the most is %.6g", value->value,
			 most);
	}
	for (size_t i = 0; i < row->num_doubts && value->valid; i++) {
		const struct metric_doubt *doubt = &row->doubts[i];

		if (!*value->reason &&
		    other_tree(*evaluation, &doubt->left_tree) >
			    other_tree(*evaluation, &doubt->right_tree))
			snprintf(value->reason, sizeof(value->reason),
				 "doubtful: %s", doubt->why);
	}
}

void uncore_metrics_value(const struct uncore_metrics *metrics, size_t index,
			  const struct uncore_metric_counts *counts,
			  const struct uncore_metric_scope *scope,
			  struct uncore_metric_value *value)
{
	const struct metric_row *row = &metrics->rows[index];
	struct evaluation evaluation = {
		.metrics = metrics,
		.row = row,
		.tree = &row->tree,
		.counts = counts,
		.socket = scope->socket,
		.instance = scope->instance,
		.box = row->box ? row->box : "",
		.reason = value->reason,
		.reason_size = sizeof(value->reason),
		.is_empty = &value->is_empty,
	};

	*value = (struct uncore_metric_value){ .valid = true };
	value->value = value_of(&evaluation, row->tree.root);
	if (*value->reason) {
		value->valid = false;
		value->value = NAN;
		return;
	}
	judge(&evaluation, value);
	if (row->kind == UNCORE_METRIC_TOTAL)
		value->value *= counts->whole;
}
