/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Goes over the points of a sweep, one or several (--jobs) at a time. Signals
 * are for the points that run, which end and print what they have; then the
 * sweep ends as well.
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
static volatile pid_t running[SWEEP_MOST_JOBS]; /* 0: none */

/* A terminal tells the whole group; others tell this process alone. */
static void interrupt(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	interrupted = number;
	for (size_t i = 0; i < SWEEP_MOST_JOBS; i++)
		if (running[i] && info->si_code <= 0)
			kill(running[i], number);
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
static bool may_show(const struct subject_settings *subject)
{
	return isatty(STDERR_FILENO) && !subject->program &&
	       !subject->hides_progress;
}

static void show_progress(const struct sweep *sweep, size_t point)
{
	fprintf(stderr, "\r\033[K%zu of %zu: ", point + 1, sweep->num_points);
	name_point(sweep, sweep->points[point].number, stderr);
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

/* A point whose process runs. */
struct job {
	pid_t child; /* 0: none */
	struct sweep_point *point;
	FILE *counts, *sentences;
};

static int start_process(const struct stat_settings *settings,
			 sweep_count *count, struct job *job,
			 volatile pid_t *told)
{
	sigset_t before;

	fflush(NULL);
	hold_signals(&before);
	job->child = fork();
	if (!job->child) {
		leave_signals();
		sigprocmask(SIG_SETMASK, &before, NULL);
		count_and_exit(settings, count, job->counts, job->sentences);
	}
	*told = job->child > 0 ? job->child : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return job->child > 0
		       ? TOOL_OK
		       : tool_fail(TOOL_FAILED, "cannot make a process: %s",
				   strerror(errno));
}

static void close_job(struct job *job)
{
	if (job->counts)
		fclose(job->counts);
	if (job->sentences)
		fclose(job->sentences);
	*job = (struct job){ 0 };
}

static int start(const struct stat_settings *settings, sweep_count *count,
		 struct sweep_point *point, struct job *job,
		 volatile pid_t *told)
{
	int status;

	*job = (struct job){ .point = point,
			     .counts = tmpfile(),
			     .sentences = tmpfile() };
	if (job->counts && job->sentences)
		status = start_process(settings, count, job, told);
	else
		status = tool_fail(TOOL_FAILED,
				   "cannot make a file for the counts: %s",
				   strerror(errno));
	if (status)
		close_job(job);
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

/* Waits until one of the points that run has ended, and takes what it counted;
 * an exit code. */
static int await(struct job *jobs)
{
	int status = 0, code = TOOL_OK;
	pid_t child;

	while ((child = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
		continue;
	for (size_t i = 0; i < SWEEP_MOST_JOBS && child > 0; i++)
		if (jobs[i].child == child) {
			running[i] = 0;
			code = take(jobs[i].point, jobs[i].counts,
				    jobs[i].sentences, status);
			jobs[i].point->has_run = !code;
			close_job(&jobs[i]);
		}
	return code;
}

static int begin(const struct stat_settings *settings, struct sweep *sweep,
		 size_t index, sweep_count *count, struct job *jobs)
{
	struct sweep_settings *made;
	size_t free = 0;
	int status = sweep_settings_make(settings, sweep,
					 sweep->points[index].number, &made);

	while (jobs[free].child)
		free++;
	if (!status)
		status = start(sweep_settings_of(made), count,
			       &sweep->points[index], &jobs[free],
			       &running[free]);
	sweep_settings_free(made);
	return status;
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

static int run_all_points(const struct stat_settings *settings,
			  struct sweep *sweep, sweep_count *count)
{
	static struct job jobs[SWEEP_MOST_JOBS];
	size_t next = 0, num_jobs = 0;
	int status = TOOL_OK;

	catch_signals();
	for (;;) {
		bool goes_on =
			next < sweep->num_points && !status && !interrupted;

		if (goes_on && num_jobs < settings->num_jobs) {
			if (may_show(&settings->subject))
				show_progress(sweep, next);
			status = begin(settings, sweep, next++, count, jobs);
			num_jobs += !status;
		} else if (num_jobs) {
			int code = await(jobs);

			num_jobs--;
			status = status ? status : code;
		} else if (!goes_on) {
			break;
		}
	}
	if (may_show(&settings->subject))
		fprintf(stderr, "\r\033[K");
	keep_run(sweep);
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
	sweep->num_grid = 1;
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
		if (!status && sweep->num_grid <= SWEEP_MOST_POINTS)
			sweep->num_grid *= axis->num;
	}
	if (!status && sweep->num_grid > SWEEP_MOST_POINTS)
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

/* The points of the shard; an exit code. */
static int choose_points(struct sweep *sweep)
{
	const struct sweep_shard *shard = &sweep->shard;

	if (shard->index > sweep->num_grid)
		return tool_fail(TOOL_USAGE,
				 "--shard=%zu/%zu: the sweep has %zu points",
				 shard->index, shard->of, sweep->num_grid);
	sweep->num_points = (sweep->num_grid - shard->index) / shard->of + 1;
	sweep->points = calloc(sweep->num_points, sizeof(*sweep->points));
	if (!sweep->points)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < sweep->num_points; i++)
		sweep->points[i].number = shard->index - 1 + i * shard->of;
	return TOOL_OK;
}

int sweep_run(const struct stat_settings *settings, sweep_count *count,
	      FILE *file)
{
	struct sweep sweep = { .shard = { settings->shard_index,
					  settings->shard_of } };
	int status = read_axes(settings, &sweep);

	if (!status)
		status = choose_points(&sweep);
	if (!status)
		status = run_all_points(settings, &sweep, count);
	if (!status && has_counts(&sweep))
		status = sweep_print(settings, &sweep, file);
	if (!status)
		status = result_of(&sweep);
	free_sweep(&sweep);
	return status;
}
