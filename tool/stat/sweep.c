/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Goes over the points of a sweep, one or several (--jobs) at a time. Signals
 * are for the points that run, which end and print what they have; then the
 * sweep ends as well. They are blocked here and waited for, as ends of points
 * are.
 */
#include "stat.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/tool.h"

/* What is ignored stays so (nohup). */
static void block_signals(sigset_t *set, sigset_t *before)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaction(numbers[i], NULL, &action);
		if (action.sa_handler != SIG_IGN)
			sigaddset(set, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, set, before);
}

size_t sweep_index(const struct sweep *sweep, size_t number, size_t axis)
{
	for (size_t i = sweep->num_axes; --i > axis;)
		number /= sweep->axes[i].num;
	return number % sweep->axes[axis].num;
}

/* What a point is called: "llc.ways=4, place=compact". */
static void name_point(const struct sweep *sweep, size_t number, FILE *file)
{
	for (size_t i = 0; i < sweep->num_axes; i++)
		fprintf(file, "%s%s=%s", i ? ", " : "", sweep->axes[i].name,
			sweep->axes[i].values[sweep_index(sweep, number, i)]);
}

/* Nobody knows here when a program uses the terminal. */
static bool may_show(const struct target_settings *target)
{
	return isatty(STDERR_FILENO) && !target->program &&
	       !target->hides_progress;
}

static void show_progress(const struct sweep *sweep, size_t point)
{
	fprintf(stderr, "\r\033[K%zu of %zu: ", point + 1, sweep->num_points);
	name_point(sweep, sweep->points[point].number, stderr);
	fflush(stderr);
}

/* What the process of a point does: counts go to one file, sentences about
 * failures to another. Its end is the end of all that it has. */
static void count_and_exit(const struct sweep *sweep,
			   const struct sweep_point *point)
{
	struct stat_settings own = *sweep->settings;
	FILE *file = point->counts;
	int status;

	tool_keep_failures(point->sentences);
	sweep_settings_set(&own, sweep, point->number);
	status = stat_run(&own, &file);
	_exit(fflush(NULL) ? TOOL_FAILED : status);
}

static int start(const struct sweep *sweep, struct sweep_point *point,
		 const sigset_t *signals)
{
	point->counts = tmpfile();
	point->sentences = tmpfile();
	if (!point->counts || !point->sentences)
		return tool_fail(TOOL_FAILED,
				 "cannot make a file for the counts: %s",
				 strerror(errno));
	fflush(NULL);
	point->child = fork();
	if (!point->child) {
		sigprocmask(SIG_SETMASK, signals, NULL);
		count_and_exit(sweep, point);
	}
	return point->child > 0
		       ? TOOL_OK
		       : tool_fail(TOOL_FAILED, "cannot make a process: %s",
				   strerror(errno));
}

/* The last sentence; or what became of the process. */
static char *reason(const char *sentences, int status)
{
	size_t length = strlen(sentences), from;

	while (length && sentences[length - 1] == '\n')
		length--;
	for (from = length; from && sentences[from - 1] != '\n';)
		from--;
	if (length)
		return strndup(sentences + from, length - from);
	if (WIFSIGNALED(status))
		return tool_print("it was killed by signal %d (%s)",
				  WTERMSIG(status),
				  strsignal(WTERMSIG(status)));
	return status ? tool_print("it ended with status %d",
				   WEXITSTATUS(status))
		      : NULL;
}

static void close_files(struct sweep_point *point)
{
	if (point->counts)
		fclose(point->counts);
	if (point->sentences)
		fclose(point->sentences);
	point->counts = point->sentences = NULL;
}

/* Takes what a point has counted; an exit code. */
static int take(struct sweep_point *point, int status)
{
	char *result, *why;
	int code;

	point->child = 0;
	rewind(point->counts);
	rewind(point->sentences);
	point->results.path = "a point";
	result = results_text_of(point->counts, point->results.path);
	why = results_text_of(point->sentences, point->results.path);
	code = result && why ? TOOL_OK : TOOL_FAILED;
	if (!code && *result && !WIFSIGNALED(status))
		code = results_read_json(&point->results, result);
	point->status = WIFSIGNALED(status) ? TOOL_FAILED : WEXITSTATUS(status);
	if (!code)
		point->why = reason(why, status);
	point->has_run = !code;
	close_files(point);
	free(result);
	free(why);
	return code;
}

static struct sweep_point *running(const struct sweep *sweep, pid_t child)
{
	for (size_t i = 0; i < sweep->num_points; i++)
		if (sweep->points[i].child == child)
			return &sweep->points[i];
	return NULL;
}

/* Waits for a signal, and takes what points that have ended have counted; an
 * exit code. A terminal tells the whole group; others tell this process
 * alone. */
static int await(struct sweep *sweep, const sigset_t *signals)
{
	int status, code = TOOL_OK, number;
	struct sweep_point *point;
	siginfo_t info;
	pid_t child;

	number = sigwaitinfo(signals, &info);
	if (number > 0 && number != SIGCHLD) {
		sweep->is_interrupted = true;
		for (size_t i = 0; i < sweep->num_points; i++)
			if (sweep->points[i].child > 0 && info.si_code <= 0)
				kill(sweep->points[i].child, number);
	}
	while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
		point = running(sweep, child);
		if (point && !code)
			code = take(point, status);
		sweep->num_running--;
	}
	return code;
}

/* Those that did not run are left out. */
static void keep_run(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->num_points; i++) {
		struct sweep_point point = sweep->points[i];

		if (!point.has_run)
			continue;
		sweep->points[i] = sweep->points[sweep->num_run];
		sweep->points[sweep->num_run++] = point;
	}
}

static int run_all_points(struct sweep *sweep)
{
	bool shows = may_show(&sweep->settings->target), goes_on;
	sigset_t signals, before;
	int status = TOOL_OK;
	size_t next = 0;

	block_signals(&signals, &before);
	do {
		goes_on = next < sweep->num_points && !status &&
			  !sweep->is_interrupted;
		if (goes_on && sweep->num_running < sweep->settings->num_jobs) {
			if (shows)
				show_progress(sweep, next);
			status = start(sweep, &sweep->points[next++], &before);
			sweep->num_running += !status;
		} else if (sweep->num_running) {
			int code = await(sweep, &signals);

			status = status ? status : code;
		}
	} while (goes_on || sweep->num_running);
	if (shows)
		fprintf(stderr, "\r\033[K");
	keep_run(sweep);
	return status;
}

static int read_axes(struct sweep *sweep)
{
	const struct option_texts *texts = &sweep->settings->sweeps;
	double num = 1; /* more than fit into a whole number, perhaps */
	int status = TOOL_OK;

	sweep->axes = tool_new(texts->num, sizeof(*sweep->axes));
	for (size_t i = 0; i < texts->num && !status; i++) {
		struct sweep_axis *axis = &sweep->axes[sweep->num_axes++];

		status = sweep_axis_read(texts->list[i], axis);
		for (size_t j = 0; j < i && !status; j++)
			if (!strcmp(sweep->axes[j].name, axis->name))
				status = tool_fail(TOOL_USAGE,
						   "--sweep=%s: its values "
						   "are given twice",
						   axis->name);
		num *= (double)axis->num;
	}
	if (!status && num > SWEEP_MOST_POINTS)
		return tool_fail(TOOL_USAGE,
				 "--sweep: %.0f points are more than %d: take "
				 "bigger steps, or fewer values",
				 num, SWEEP_MOST_POINTS);
	sweep->num_grid = (size_t)num;
	return status ? status : sweep_settings_check(sweep);
}

/* Prints what was counted; where that is nothing, there is nothing to show but
 * why. A point that failed is a failure of the sweep; else it is the first exit
 * status of the program that is not 0. */
static int finish(const struct sweep *sweep, FILE *file)
{
	size_t failed = 0, missing = sweep->num_points - sweep->num_run;
	int status = TOOL_OK;

	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct sweep_point *point = &sweep->points[i];

		failed += !point->results.runs;
		status = status ? status : point->status;
	}
	if (failed == sweep->num_run && failed)
		return tool_fail(status,
				 "no point of the sweep was counted: %s",
				 sweep->points[0].why);
	if (sweep->num_run)
		sweep_print(sweep, file);
	if (missing)
		tool_warn("the sweep was interrupted: %zu of %zu points are "
			  "missing",
			  missing, sweep->num_points);
	return failed || missing ? TOOL_FAILED : status;
}

static void free_sweep(struct sweep *sweep)
{
	for (size_t i = 0; sweep->points && i < sweep->num_points; i++) {
		struct sweep_point *point = &sweep->points[i];

		results_free(&point->results);
		free(point->why);
		close_files(point);
	}
	for (size_t i = 0; i < sweep->num_axes; i++)
		sweep_axis_free(&sweep->axes[i]);
	free(sweep->points);
	free(sweep->axes);
}

/* The points of the shard; an exit code. */
static int choose_points(struct sweep *sweep)
{
	size_t index = sweep->settings->shard_index;
	size_t of = sweep->settings->shard_of;

	if (index > sweep->num_grid)
		return tool_fail(TOOL_USAGE,
				 "--shard=%zu/%zu: the sweep has %zu points",
				 index, of, sweep->num_grid);
	sweep->num_points = (sweep->num_grid - index) / of + 1;
	sweep->points = tool_new(sweep->num_points, sizeof(*sweep->points));
	for (size_t i = 0; i < sweep->num_points; i++)
		sweep->points[i].number = index - 1 + i * of;
	return TOOL_OK;
}

int sweep_run(const struct stat_settings *settings, FILE *file)
{
	struct sweep sweep = { .settings = settings };
	int status = read_axes(&sweep);

	if (!status)
		status = choose_points(&sweep);
	if (!status)
		status = run_all_points(&sweep);
	if (!status)
		status = finish(&sweep, file);
	free_sweep(&sweep);
	return status;
}
