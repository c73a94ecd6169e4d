/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counters that count: a step for each sweep. Sweeps are told from the start,
 * by the clock on the wall also where the model's time is another one: somebody
 * looks at them.
 */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tool/monitor.h"
#include "tool/tool.h"
#include "top.h"
#include "uncore/target.h"

struct live {
	struct top *top;
	struct monitor monitor;
	double next;		       /* sweep, of wall time */
	double start;		       /* of wall time */
	double last_sweep, last_spent; /* of wall time, of the CPU */
	int status;		       /* of a sweep */
	bool waits;		       /* a table is made when it is over */
	bool leaves;		       /* the user does */
};

/* What it costs to look. */
static void say_cost(struct live *live)
{
	struct top *top = live->top;
	double now = wall_seconds(), spent = tool_cpu_seconds();
	double share = 100 * (spent - live->last_spent) /
		       fmax(now - live->last_sweep, 1e-6);

	live->last_sweep = now;
	live->last_spent = spent;
	snprintf(top->line, sizeof(top->line),
		 "every %g s; this takes %.2f %% of a CPU%s, a sweep %.2f ms",
		 top->settings->interval_seconds, share,
		 live->monitor.counting.target.model ? " with the model" : "",
		 1e3 * live->monitor.sweep_seconds);
}

/* Time that passed and what was executed, which no event tells, are no figures
 * unless they are asked for. */
static void leave_out(struct metric_list *list)
{
	struct uncore_metric metric;
	size_t kept = 0;

	for (size_t i = 0; i < list->num; i++)
		if (uncore_metrics_at(list->set, list->chosen[i], &metric) &&
		    metric.num_events)
			list->chosen[kept++] = list->chosen[i];
	list->num = kept;
}

static int open_figures(struct live *live)
{
	struct top *top = live->top;
	struct counting *counting = &live->monitor.counting;
	struct metric_list *list = &counting->set.metrics;

	if (!top->settings->metrics)
		leave_out(list);
	top->monitor = &live->monitor;
	top->list = list;
	top->family = counting->set.family;
	top->minute = (size_t)fmin(
		fmax(60 / top->settings->interval_seconds, 10), 600);
	top->title = top_title(uncore_family_name(top->family),
			       uncore_target_origin(counting->target.registers),
			       counting->target.what);
	top_past_open(&top->past, list,
		      uncore_target_sockets(counting->target.registers));
	for (size_t i = 0; i < list->num; i++)
		top->past.figures[i].takes_turns =
			monitor_takes_turns(&live->monitor, i);
	return list->num
		       ? TOOL_OK
		       : tool_fail(TOOL_USAGE, "there are no metrics to show; "
					       "-M names some");
}

static int open_live(struct live *live)
{
	const struct top_settings *settings = live->top->settings;
	const struct counting_settings counting = COUNTING_OF(settings);
	int status = monitor_open(&live->monitor, &counting, "uncore top");

	return status ? status : open_figures(live);
}

static void put_figure(struct live *live, size_t figure)
{
	struct top_past *past = &live->top->past;
	struct uncore_metric_value value;

	for (size_t c = 0; c < past->num_columns; c++) {
		if (c && !past->figures[figure].is_split)
			break;
		monitor_metric(&live->monitor, figure, MONITOR_SINCE,
			       (int)c - 1, &value);
		if (value.valid)
			top_past_put(past, past->num_steps - 1, figure, c,
				     value.value);
		if (!c)
			snprintf(past->figures[figure].reason,
				 sizeof(past->figures[figure].reason), "%s",
				 value.valid ? "" : value.reason);
	}
}

static double most(const void *of, size_t figure, int socket, double seconds)
{
	const struct monitor *monitor = of;

	return monitor_most(monitor, figure, socket,
			    seconds / monitor->since.seconds);
}

/* The counters were read: with the first counts limits are known, too. */
static void add_step(struct live *live)
{
	struct monitor *monitor = &live->monitor;
	struct top *top = live->top;

	if (monitor->since.seconds <= 0)
		return;
	if (!top->past.num_steps)
		top_past_limit(&top->past, most, monitor);
	top_past_add(&top->past, monitor->whole.seconds,
		     monitor->since.seconds);
	for (size_t i = 0; i < top->past.num_figures; i++)
		put_figure(live, i);
	top_record_sweep(top);
	say_cost(live);
}

static int start(struct live *live)
{
	live->last_spent = tool_cpu_seconds();
	live->start = live->last_sweep = wall_seconds();
	live->next = live->start + live->top->settings->interval_seconds;
	return monitor_start(&live->monitor);
}

static int sweep(struct live *live, double now)
{
	double interval = live->top->settings->interval_seconds;
	int status = monitor_sweep(&live->monitor);

	live->next =
		live->start +
		(floor((now - live->start) / interval + 1e-9) + 1) * interval;
	if (!status)
		add_step(live);
	return status;
}

/* Whatever comes first: its end, or (where it has none that is waited for) that
 * of the interval. */
static bool wait_once(void *context, double seconds)
{
	const struct live *live = context;
	double rest = live->next - wall_seconds();

	if (!live->waits)
		seconds = fmin(seconds, rest);
	if (seconds > 0)
		poll(NULL, 0, (int)(1e3 * seconds));
	return live->waits || wall_seconds() < live->next;
}

/* Its last step, where anything was counted since the one before. */
static int stop(struct live *live)
{
	int status = monitor_stop(&live->monitor);

	if (!status)
		add_step(live);
	return status;
}

/* All has ended; what it was stays on the screen until it is left. */
static int look_back(struct live *live)
{
	struct top *top = live->top;
	int status = stop(live);

	snprintf(top->screen.message, sizeof(top->screen.message),
		 "all has ended; q leaves");
	if (!status)
		top_look(top);
	return status;
}

/* A sweep, if one is due; and keys until the next one is. */
static bool show(void *context, double seconds)
{
	struct live *live = context;
	double now = wall_seconds();
	bool is_changed = now >= live->next;
	int key;

	if (is_changed)
		live->status = sweep(live, now);
	now = wall_seconds();
	for (key = top_term_key(fmax(fmin(seconds, live->next - now), 0));
	     key >= 0 && !live->leaves; key = top_term_key(0)) {
		live->leaves = !top_answer(live->top, key);
		is_changed = true;
	}
	if (is_changed && !live->status && !live->leaves)
		top_draw(live->top);
	return !live->status && !live->leaves;
}

/* Until the user has enough, or it is over. */
static int count_on(struct live *live)
{
	int status;

	top_draw(live->top);
	status = monitor_drive(&live->monitor, show, live);
	status = status ? status : live->status;
	return status || live->leaves || run_was_interrupted()
		       ? status
		       : look_back(live);
}

static int show_screen(struct live *live)
{
	struct top *top = live->top;
	int status = top_term_open(&top->screen), stopped, closed;

	if (!status)
		status = start(live);
	if (!status)
		status = count_on(live);
	stopped = live->monitor.has_started ? stop(live) : TOOL_OK;
	status = status ? status : stopped;
	top_page_close();
	closed = top_record_close(top);
	top_term_close();
	return status ? status : closed;
}

static int show_table(struct live *live)
{
	bool is_program = live->top->settings->target.program;
	int status = start(live);

	live->waits = (live->monitor.counting.target.model || is_program) &&
		      !live->top->settings->interval;
	if (!status)
		status = monitor_drive(&live->monitor, wait_once, live);
	if (!status)
		status = stop(live);
	return status ? status
		      : top_table(live->top, is_program ? stderr : stdout);
}

int top_live(struct top *top, bool is_table)
{
	struct live live = { .top = top };
	int status = open_live(&live);
	bool has_ended;

	if (!status)
		status = is_table ? show_table(&live) : show_screen(&live);
	top_past_free(&top->past);
	free(top->title);
	has_ended = live.monitor.counting.target.run.has_ended;
	status = monitor_close(&live.monitor, status);
	return status || !has_ended ? status : live.monitor.exit_status;
}
