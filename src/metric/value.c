/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The value of a metric from counts, and whether it can be right. An event
 * stands for the sum of its counts in the scope: all boxes of all sockets, of
 * one socket, or one box. Where the scope is one box, events of other boxes
 * stand for their whole socket.
 *
 * Where events took turns a value carries its slopes with it: how much it moves
 * with what each cell of the run has beyond its part, and with what the cells
 * do not show of each event. The rules of derivatives make those of a formula
 * from those of its parts (the delta method), and as events of one slice share
 * their cells, what they have in common is in it.
 */
#include "metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session/spread.h"
#include "uncore/session.h"

enum { NUM_SLOPES = UNCORE_MAX_CELLS + METRIC_MAX_EVENTS };

/* A value, and how it moves; the slopes are not set where nothing is an
 * estimate. */
struct moving {
	double value;
	double slopes[NUM_SLOPES];
};

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
	size_t num_slopes;  /* 0, or all */
	double missed;	    /* part of the run that was not seen */
	size_t num_cells;   /* of the event with fewest */
	double level;	    /* how often the interval is to hold */
	size_t num_windows; /* 0: of turns */
	const char *unseen; /* an event that was not seen in its turns */
	bool takes_most;    /* for those, as many as may have been */
	double unseen_most; /* how often it may have been, 95 of 100 */
	double unseen_share;
	bool *is_empty;
	const char *burst; /* one that was seen in a stretch or two only */
};

static void value_of(struct evaluation *evaluation, int index,
		     struct moving *result);

static void constant(const struct evaluation *evaluation, double value,
		     struct moving *result)
{
	result->value = value;
	for (size_t i = 0; i < evaluation->num_slopes; i++)
		result->slopes[i] = 0;
}

/* result = value, moving as a times `by_a` and b times `by_b` do */
static void combine(const struct evaluation *evaluation, double value,
		    const struct moving *a, double by_a, const struct moving *b,
		    double by_b, struct moving *result)
{
	result->value = value;
	for (size_t i = 0; i < evaluation->num_slopes; i++)
		result->slopes[i] = by_a * a->slopes[i] + by_b * b->slopes[i];
}

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

static void add_estimate(struct uncore_estimate *sum,
			 const struct uncore_estimate *one)
{
	double steps = sum->num_cells ? sum->step : 0;

	sum->value += one->value;
	sum->seen += one->seen;
	sum->lost += one->lost;
	sum->hidden += one->hidden;
	sum->share = one->share;
	sum->level = one->level;
	sum->num_windows = one->num_windows;
	sum->step = fmax(steps, one->step);
	sum->num_cells = one->num_cells;
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++) {
		sum->parts[i] += one->parts[i];
		sum->rests[i] += one->rests[i];
	}
}

/* How many there may have been, 95 times in 100, of what nobody saw. */
static double most_unseen(const struct uncore_estimate *sum)
{
	return ceil(SPREAD_UNSEEN * sum->step + sum->hidden);
}

static void set_slopes(struct evaluation *evaluation, size_t event,
		       const struct uncore_estimate *sum, struct moving *result)
{
	double variance, unshown;

	if (sum->num_cells < evaluation->num_cells)
		evaluation->num_cells = sum->num_cells;
	evaluation->level = sum->level;
	evaluation->num_windows = sum->num_windows;
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		result->slopes[i] = sum->rests[i];
	variance =
		spread_variance(result->slopes, sum->num_cells, 1 - sum->share);
	unshown = spread_unshown(sum, variance);
	result->slopes[UNCORE_MAX_CELLS + event] =
		sqrt(unshown + sum->hidden * sum->hidden / 4);
	if (spread_is_burst(sum))
		evaluation->burst = evaluation->row->events[event].text;
	if (sum->seen > 0 || sum->share >= 1)
		return;
	evaluation->unseen = evaluation->row->events[event].text;
	evaluation->unseen_share = sum->share;
	evaluation->unseen_most = most_unseen(sum);
}

static void event_sum(struct evaluation *evaluation, size_t event,
		      struct moving *result)
{
	const struct metric_event *row = &evaluation->row->events[event];
	struct uncore_estimate sum;
	bool found = false, moves = false;
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
			total = fail(evaluation, count->reason, row->text);
		total += count->value;
		if (!count->estimate)
			continue;
		if (!moves)
			sum = (struct uncore_estimate){ 0 };
		moves = true;
		add_estimate(&sum, count->estimate);
	}
	if (!found)
		total = fail(evaluation,
			     "an event that it needs was not counted",
			     row->text);
	if (moves && evaluation->takes_most && sum.seen <= 0 && sum.share < 1)
		total = most_unseen(&sum);
	constant(evaluation, total, result);
	if (moves && evaluation->num_slopes)
		set_slopes(evaluation, event, &sum, result);
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
	enum metric_op op;
	struct moving *result; /* of the boxes so far: best, or sum */
	unsigned num;
};

static void add_box(const struct evaluation *evaluation, struct boxes *boxes,
		    const struct moving *one)
{
	struct moving *result = boxes->result;
	bool is_best = boxes->op == OP_MAX ? one->value > result->value
					   : one->value < result->value;

	if (!boxes->num++)
		combine(evaluation, one->value, one, 1, one, 0, result);
	else if (boxes->op == OP_MEAN)
		combine(evaluation, result->value + one->value, result, 1, one,
			1, result);
	else if (is_best)
		combine(evaluation, one->value, one, 1, one, 0, result);
}

enum { MAX_INSTANCES = 64 };

/* What an evaluation of a part has found out is known of the whole. */
static void learn(struct evaluation *evaluation, const struct evaluation *part)
{
	evaluation->num_cells = part->num_cells;
	evaluation->level = part->level;
	evaluation->num_windows = part->num_windows;
	evaluation->unseen = part->unseen;
	evaluation->unseen_share = part->unseen_share;
	evaluation->unseen_most = part->unseen_most;
	evaluation->burst = part->burst;
}

static void over_boxes(struct evaluation *evaluation,
		       const struct metric_node *node, struct moving *result)
{
	struct evaluation one = *evaluation;
	struct boxes boxes = { .op = node->op, .result = result };
	struct moving value;

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
			value_of(&one, node->first, &value);
			add_box(evaluation, &boxes, &value);
		}
	}
	learn(evaluation, &one);
	if (!boxes.num)
		constant(evaluation,
			 fail(evaluation, "no box was counted in", ""), result);
	else if (node->op == OP_MEAN)
		combine(evaluation, result->value / boxes.num, result,
			1.0 / boxes.num, result, 0, result);
}

static void over_sockets(struct evaluation *evaluation,
			 const struct metric_node *node, struct moving *result)
{
	struct evaluation one = *evaluation;
	struct moving value;

	constant(evaluation, 0, result);
	for (unsigned socket = 0; socket < evaluation->counts->num_sockets;
	     socket++) {
		if (evaluation->socket >= 0 &&
		    (unsigned)evaluation->socket != socket)
			continue;
		one.socket = (int)socket;
		value_of(&one, node->first, &value);
		combine(evaluation, result->value + value.value, result, 1,
			&value, 1, result);
	}
	learn(evaluation, &one);
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

static void binary(struct evaluation *evaluation,
		   const struct metric_node *node, struct moving *result)
{
	struct moving a, b;
	double ratio;

	value_of(evaluation, node->first, &a);
	value_of(evaluation, node->second, &b);
	switch (node->op) {
	case OP_ADD:
		combine(evaluation, a.value + b.value, &a, 1, &b, 1, result);
		return;
	case OP_SUBTRACT:
		combine(evaluation, a.value - b.value, &a, 1, &b, -1, result);
		return;
	case OP_MULTIPLY:
		combine(evaluation, a.value * b.value, &a, b.value, &b, a.value,
			result);
		return;
	case OP_DIVIDE:
		ratio = divide(evaluation, a.value, b.value);
		combine(evaluation, ratio, &a, 1 / b.value, &b,
			-ratio / b.value, result);
		return;
	default:
		if ((node->op == OP_LARGER) == (a.value > b.value))
			combine(evaluation, a.value, &a, 1, &b, 0, result);
		else
			combine(evaluation, b.value, &a, 0, &b, 1, result);
	}
}

/* Nobody knows on which socket they ran. */
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
	return counts->instructions;
}

/* What does not move. */
static double fixed_of(struct evaluation *evaluation,
		       const struct metric_node *node)
{
	const struct uncore_metric_counts *counts = evaluation->counts;

	switch (node->op) {
	case OP_NUMBER: return node->number;
	case OP_FACT: return evaluation->metrics->keys[node->first].value;
	case OP_BOXES: return box_number(evaluation, node);
	case OP_SOCKETS: return sockets(evaluation);
	case OP_INSTRUCTIONS: return instructions(evaluation);
	default: return divide(evaluation, counts->cycles, counts->seconds);
	}
}

/* Seconds or cycles, which are estimates where the run was sampled. */
static void time_of(struct evaluation *evaluation, double value,
		    struct moving *result)
{
	const struct uncore_estimate *time = evaluation->counts->time;

	constant(evaluation, value, result);
	if (evaluation->counts->lacks_time)
		result->value = fail(evaluation,
				     "too few windows were looked at in detail "
				     "to tell the time",
				     "");
	if (!evaluation->num_slopes || !time || time->value <= 0)
		return;
	if (time->num_cells < evaluation->num_cells)
		evaluation->num_cells = time->num_cells;
	evaluation->level = time->level;
	evaluation->num_windows = time->num_windows;
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		result->slopes[i] = time->rests[i] / time->value * value;
}

static void value_of(struct evaluation *evaluation, int index,
		     struct moving *result)
{
	const struct metric_node *node = &evaluation->tree->nodes[index];

	switch (node->op) {
	case OP_EVENT:
		event_sum(evaluation, (size_t)node->first, result);
		return;
	case OP_SECONDS:
		time_of(evaluation, evaluation->counts->seconds, result);
		return;
	case OP_CYCLES:
		time_of(evaluation, evaluation->counts->cycles, result);
		return;
	case OP_NEGATE:
		value_of(evaluation, node->first, result);
		combine(evaluation, -result->value, result, -1, result, 0,
			result);
		return;
	case OP_MAX:
	case OP_MIN:
	case OP_MEAN: over_boxes(evaluation, node, result); return;
	case OP_SOCKET_SUM: over_sockets(evaluation, node, result); return;
	case OP_ADD:
	case OP_SUBTRACT:
	case OP_MULTIPLY:
	case OP_DIVIDE:
	case OP_LARGER:
	case OP_SMALLER: binary(evaluation, node, result); return;
	default: constant(evaluation, fixed_of(evaluation, node), result);
	}
}

/* The standard error of a value that moves; NAN: too few turns to tell. */
static double standard_error(const struct evaluation *evaluation,
			     const struct moving *value)
{
	double variance;

	if (!evaluation->num_slopes)
		return 0;
	variance = spread_variance(value->slopes, evaluation->num_cells,
				   evaluation->missed);
	for (size_t i = UNCORE_MAX_CELLS; i < NUM_SLOPES; i++)
		variance += value->slopes[i] * value->slopes[i];
	return sqrt(variance);
}

/* A tree's value; its failures are put into a reason of its own. */
static double other_tree(struct evaluation evaluation,
			 const struct metric_tree *tree)
{
	bool is_empty = false;
	struct moving value;
	char reason[8] = "";

	evaluation.tree = tree;
	evaluation.reason = reason;
	evaluation.reason_size = sizeof(reason);
	evaluation.is_empty = &is_empty;
	evaluation.num_slopes = 0;
	value_of(&evaluation, tree->root, &value);
	return value.value;
}

static double most_of(const struct evaluation *evaluation)
{
	const struct metric_row *row = evaluation->row;

	return row->maximum.text ? other_tree(*evaluation, &row->maximum_tree)
				 : INFINITY;
}

/* How much larger the left side of a doubt is than chance makes it. */
static bool is_larger(struct evaluation evaluation,
		      const struct metric_doubt *doubt)
{
	struct moving left, right;
	char reason[8] = "";
	bool is_empty = false;

	evaluation.reason = reason;
	evaluation.reason_size = sizeof(reason);
	evaluation.is_empty = &is_empty;
	evaluation.tree = &doubt->left_tree;
	value_of(&evaluation, doubt->left_tree.root, &left);
	evaluation.tree = &doubt->right_tree;
	value_of(&evaluation, doubt->right_tree.root, &right);
	combine(&evaluation, left.value - right.value, &left, 1, &right, -1,
		&left);
	return left.value > 3 * standard_error(&evaluation, &left);
}

/* Room for what doubles lose. */
#define SLACK 1e-9

/* A value that is only by chance outside what can be is at its border. */
static void judge(const struct evaluation *evaluation,
		  struct uncore_metric_value *value)
{
	const struct metric_row *row = evaluation->row;
	double least = other_tree(*evaluation, &row->minimum_tree);
	double most = most_of(evaluation);

	if (value->value < least && value->value + value->error >= least)
		value->value = least;
	if (value->value > most && value->value - value->error <= most)
		value->value = most;
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

		if (!*value->reason && is_larger(*evaluation, doubt))
			snprintf(value->reason, sizeof(value->reason),
				 "doubtful: %s", doubt->why);
	}
}

/* Whether an event took turns, or the run was sampled. */
static bool is_sample(const struct uncore_metric_counts *counts)
{
	if (counts->time)
		return true;
	for (size_t i = 0; i < counts->num; i++)
		if (counts->counts[i].estimate)
			return true;
	return false;
}

/* The part of the run that was not seen. */
static double missed(const struct uncore_metric_counts *counts)
{
	double share = counts->time ? counts->time->share : 1;

	return counts->is_apart ? 1 : 1 - fmin(share, counts->share);
}

/* Not seen in a part of the time is not the same as none. */
static void refuse_unseen(const struct evaluation *evaluation,
			  struct uncore_metric_value *value)
{
	char where[40] = "the windows";

	value->is_empty = false;
	if (!evaluation->num_windows)
		snprintf(where, sizeof(where), "its %.2g %% of the time",
			 100 * evaluation->unseen_share);
	snprintf(value->reason, sizeof(value->reason),
		 "not seen in %s: none, or few (some %.0f at most if they come "
		 "at random): %s",
		 where, evaluation->unseen_most, evaluation->unseen);
}

/* Of a sampled run: 0, and how much it is if what was not seen came as often as
 * it may have; false if that is no number. */
static bool bound(const struct evaluation *evaluation,
		  struct uncore_metric_value *value)
{
	struct evaluation most = *evaluation;

	most.takes_most = true;
	value->error = fabs(other_tree(most, evaluation->tree));
	value->standard_error = value->error / SPREAD_UNSEEN;
	value->telling = UNCORE_TELL_FEWER;
	value->valid = isfinite(value->error);
	return value->valid;
}

/* Sets value, error, and why it is none. */
static void take(struct evaluation *evaluation, const struct moving *moving,
		 struct uncore_metric_value *value)
{
	value->value = moving->value;
	value->standard_error = standard_error(evaluation, moving);
	if (evaluation->unseen && evaluation->num_windows &&
	    moving->value == 0 && !*value->reason && bound(evaluation, value))
		return;
	if (evaluation->unseen && (moving->value == 0 || *value->reason))
		refuse_unseen(evaluation, value);
	else if (!*value->reason && isnan(value->standard_error))
		snprintf(value->reason, sizeof(value->reason),
			 evaluation->num_windows
				 ? "too few windows were looked at in detail"
				 : "too few turns to tell how far off it is: "
				   "the run was too short, or too much was "
				   "asked for");
	else if (!*value->reason && evaluation->burst)
		snprintf(value->reason, sizeof(value->reason),
			 "seen in a short part of the run only, so nobody "
			 "knows how much was missed: %s",
			 evaluation->burst);
	value->error = evaluation->num_slopes
			       ? spread_student(evaluation->num_cells - 1,
						evaluation->level) *
					 value->standard_error
			       : 0;
	value->telling = spread_telling(value->value, value->error,
					evaluation->num_windows);
	if (!*value->reason && value->telling == UNCORE_TELL_FEWER)
		snprintf(value->reason, sizeof(value->reason), SPREAD_UNEVEN);
	value->valid = !*value->reason;
	if (!value->valid)
		value->value = value->standard_error = value->error = NAN;
}

/* Of one metric in one scope; reason and is_empty are still to be set. */
static struct evaluation begin(const struct uncore_metrics *metrics,
			       size_t index,
			       const struct uncore_metric_counts *counts,
			       const struct uncore_metric_scope *scope)
{
	const struct metric_row *row = metrics->rows[index];

	return (struct evaluation){
		.metrics = metrics,
		.row = row,
		.tree = &row->tree,
		.counts = counts,
		.socket = scope->socket,
		.instance = scope->instance,
		.box = row->box ? row->box : "",
		.num_slopes = is_sample(counts) ? NUM_SLOPES : 0,
		.missed = missed(counts),
		.num_cells = UNCORE_MAX_CELLS,
		.level = SPREAD_TURNS, /* until an event says so */
	};
}

void uncore_metrics_value(const struct uncore_metrics *metrics, size_t index,
			  const struct uncore_metric_counts *counts,
			  const struct uncore_metric_scope *scope,
			  struct uncore_metric_value *value)
{
	struct evaluation evaluation = begin(metrics, index, counts, scope);
	struct moving moving;

	evaluation.reason = value->reason;
	evaluation.reason_size = sizeof(value->reason);
	evaluation.is_empty = &value->is_empty;
	*value = (struct uncore_metric_value){ .valid = true };
	value_of(&evaluation, evaluation.tree->root, &moving);
	take(&evaluation, &moving, value);
	if (value->valid)
		judge(&evaluation, value);
}

double uncore_metrics_most(const struct uncore_metrics *metrics, size_t index,
			   const struct uncore_metric_counts *counts,
			   const struct uncore_metric_scope *scope)
{
	const struct evaluation evaluation =
		begin(metrics, index, counts, scope);
	double most = most_of(&evaluation);

	return isfinite(most) ? most : NAN;
}
