/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Goes over the points of a sweep. Signals are for the point that runs, which
 * ends and prints what it has; then the sweep ends as well.
 */
#include "sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stat_settings.h"
#include "tool/tool.h"
#include "uncore/error.h"

static volatile sig_atomic_t interrupted;
static volatile pid_t running;

/* A terminal tells the whole group; others tell this process alone. */
static void interrupt(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	interrupted = number;
	if (running && info->si_code <= 0)
		kill(running, number);
	errno = saved;
}

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
enum { NUM_SIGNALS = sizeof(numbers) / sizeof(numbers[0]) };

/* What is ignored stays so (nohup). */
static void catch_signals(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction before;

	action.sa_sigaction = interrupt;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < NUM_SIGNALS; i++) {
		sigaction(numbers[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

/* A point that has not begun yet just dies of them. */
static void leave_signals(void)
{
	struct sigaction before;

	for (size_t i = 0; i < NUM_SIGNALS; i++) {
		sigaction(numbers[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			signal(numbers[i], SIG_DFL);
	}
}

/* From before a process is made until it is known whom to tell, they wait. */
static void hold_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < NUM_SIGNALS; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

size_t sweep_index(const struct sweep *sweep, size_t point, size_t axis)
{
	for (size_t i = sweep->num_axes; --i > axis;)
		point /= sweep->axes[i].num;
	return point % sweep->axes[axis].num;
}

/* What a point is called: "llc.ways=4, place=compact". */
static void name_point(const struct sweep *sweep, size_t point, FILE *file)
{
	for (size_t i = 0; i < sweep->num_axes; i++)
		fprintf(file, "%s%s=%s", i ? ", " : "", sweep->axes[i].name,
			sweep->axes[i].values[sweep_index(sweep, point, i)]);
}

/* Nobody knows here when a program uses the terminal. */
static bool may_show(const struct subject_settings *subject)
{
	return isatty(STDERR_FILENO) && !subject->program &&
	       !subject->hides_progress;
}

static void show_progress(const struct sweep *sweep, size_t point)
{
	fprintf(stderr, "\r\033[K%zu of %zu: ", point + 1, sweep->num_points);
	name_point(sweep, point, stderr);
	fflush(stderr);
}

/* All of a file that was written to by another process, to be freed; NULL
 * without memory, or if it cannot be read. */
static char *read_back(FILE *file)
{
	long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
	char *text = size < 0 ? NULL : malloc((size_t)size + 1);
	size_t got;

	if (!text)
		return NULL;
	rewind(file);
	got = fread(text, 1, (size_t)size, file);
	text[got] = 0;
	return text;
}

/* What the process of a point does: counts go to one file, sentences about
 * failures to another. Its end is the end of all that it has. */
static void count_and_exit(const struct stat_settings *settings,
			   sweep_count *count, FILE *counts, FILE *sentences)
{
	int status;

	tool_keep_failures(sentences);
	status = count(settings, counts);
	_exit(fflush(NULL) ? TOOL_FAILED : status);
}

static pid_t start(const struct stat_settings *settings, sweep_count *count,
		   FILE *counts, FILE *sentences)
{
	sigset_t before;
	pid_t child;

	fflush(NULL);
	hold_signals(&before);
	child = fork();
	if (!child) {
		leave_signals();
		sigprocmask(SIG_SETMASK, &before, NULL);
		count_and_exit(settings, count, counts, sentences);
	}
	running = child > 0 ? child : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return child;
}

static int await(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	running = 0;
	return status;
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

static int take(struct sweep_point *point, FILE *counts, FILE *sentences,
		int status)
{
	char *result = read_back(counts), *why = read_back(sentences);
	int code = TOOL_OK;

	if (!result || !why)
		code = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	point->figures.path = "a point";
	if (!code && *result && !WIFSIGNALED(status))
		code = figures_read_json(&point->figures, result);
	point->status = WIFSIGNALED(status) ? TOOL_FAILED : WEXITSTATUS(status);
	if (!code)
		point->why = reason(why, status);
	if (!code && point->figures.failed)
		code = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	free(result);
	free(why);
	return code;
}

static int run_in(const struct stat_settings *settings, sweep_count *count,
		  struct sweep_point *point, FILE *counts, FILE *sentences)
{
	pid_t child = start(settings, count, counts, sentences);

	if (child < 0)
		return tool_fail(TOOL_FAILED, "cannot make a process: %s",
				 strerror(errno));
	return take(point, counts, sentences, await(child));
}

static int run_point(const struct stat_settings *settings, sweep_count *count,
		     struct sweep_point *point)
{
	FILE *counts = tmpfile(), *sentences = tmpfile();
	int status;

	if (counts && sentences)
		status = run_in(settings, count, point, counts, sentences);
	else
		status = tool_fail(TOOL_FAILED,
				   "cannot make a file for the counts: %s",
				   strerror(errno));
	if (counts)
		fclose(counts);
	if (sentences)
		fclose(sentences);
	return status;
}

static int run_all_points(const struct stat_settings *settings,
			  struct sweep *sweep, sweep_count *count)
{
	int status = TOOL_OK;

	catch_signals();
	for (size_t i = 0; i < sweep->num_points && !status && !interrupted;
	     i++) {
		struct sweep_settings *made;

		if (may_show(&settings->subject))
			show_progress(sweep, i);
		status = sweep_settings_make(settings, sweep, i, &made);
		if (!status)
			status = run_point(sweep_settings_of(made), count,
					   &sweep->points[i]);
		sweep_settings_free(made);
		sweep->num_run += !status;
	}
	if (may_show(&settings->subject))
		fprintf(stderr, "\r\033[K");
	return status;
}

static int too_many(const struct sweep *sweep)
{
	double num = 1;

	for (size_t i = 0; i < sweep->num_axes; i++)
		num *= (double)sweep->axes[i].num;
	return tool_fail(TOOL_USAGE,
			 "--sweep: %.0f points are more than %d: take bigger "
			 "steps, or fewer values",
			 num, SWEEP_MOST_POINTS);
}

static int read_axes(const struct stat_settings *settings, struct sweep *sweep)
{
	int status = TOOL_OK;

	sweep->axes = calloc(settings->sweeps.num, sizeof(*sweep->axes));
	if (!sweep->axes)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	sweep->num_points = 1;
	for (size_t i = 0; i < settings->sweeps.num && !status; i++) {
		struct sweep_axis *axis = &sweep->axes[sweep->num_axes++];

		status = sweep_axis_read(settings->sweeps.list[i], axis);
		for (size_t j = 0; j < i && !status; j++)
			if (!strcmp(sweep->axes[j].name, axis->name))
				status = tool_fail(TOOL_USAGE,
						   "--sweep=%s: its values "
						   "are given twice",
						   axis->name);
		/* the product of small numbers, looked at each time */
		if (!status && sweep->num_points <= SWEEP_MOST_POINTS)
			sweep->num_points *= axis->num;
	}
	if (!status && sweep->num_points > SWEEP_MOST_POINTS)
		return too_many(sweep);
	if (!status)
		status = sweep_settings_check(settings, sweep);
	return status;
}

/* A point that failed is a failure of the sweep; else the first exit status of
 * the program that is not 0. Where nothing could be counted there is nothing to
 * show but why. */
static int result_of(const struct sweep *sweep)
{
	int status = TOOL_OK;
	size_t failed = 0;

	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct sweep_point *point = &sweep->points[i];

		failed += !point->figures.runs;
		status = status ? status : point->status;
	}
	if (failed == sweep->num_run && failed)
		return tool_fail(status,
				 "no point of the sweep was counted: "
				 "%s",
				 sweep->points[0].why);
	if (sweep->num_run < sweep->num_points)
		tool_warn("the sweep was interrupted: %zu of %zu points are "
			  "missing",
			  sweep->num_points - sweep->num_run,
			  sweep->num_points);
	return failed || sweep->num_run < sweep->num_points ? TOOL_FAILED
							    : status;
}

static bool has_counts(const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->num_run; i++)
		if (sweep->points[i].figures.runs)
			return true;
	return false;
}

static void free_sweep(struct sweep *sweep)
{
	for (size_t i = 0; sweep->points && i < sweep->num_points; i++) {
		figures_free(&sweep->points[i].figures);
		free(sweep->points[i].why);
	}
	for (size_t i = 0; i < sweep->num_axes; i++)
		sweep_axis_free(&sweep->axes[i]);
	free(sweep->points);
	free(sweep->axes);
}

int sweep_run(const struct stat_settings *settings, sweep_count *count,
	      FILE *file)
{
	struct sweep sweep = { 0 };
	int status = read_axes(settings, &sweep);

	if (!status) {
		sweep.points = calloc(sweep.num_points, sizeof(*sweep.points));
		status = sweep.points
				 ? run_all_points(settings, &sweep, count)
				 : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	if (!status && has_counts(&sweep))
		status = sweep_print(settings, &sweep, file);
	if (!status)
		status = result_of(&sweep);
	free_sweep(&sweep);
	return status;
}
