/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs traffic in slices of model time, so that progress can be shown. The
 * first Ctrl-C is for the program, which a terminal sends it as well; a
 * workload ends at once. The second one kills. Either way the counts are
 * printed.
 */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target.h"
#include "tool.h"
#include "uncore/guest.h"
#include "uncore/model.h"
#include "uncore/program.h"

enum {
	SLICE_CYCLES = 1 << 20, /* between two looks at Ctrl-C */
	MAX_STEP_CYCLES = 1 << 30,
	PATIENCE_SECONDS = 2, /* between SIGTERM and SIGKILL */
};

/* Between two looks at what else there is to do. */
#define PROGRESS_SECONDS 0.5

static struct run *running; /* for the signal handler */
static volatile int stop;
static volatile sig_atomic_t interrupts;

static void interrupt(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	interrupts++;
	if (!running->program && !running->native.child)
		stop = 1;
	/* A terminal has told the whole group already. */
	if (running->program && info->si_code <= 0)
		uncore_program_signal(running->program, number);
	else if (running->native.child && info->si_code <= 0)
		kill(running->native.child, number);
	if (interrupts > 1 && running->program) {
		uncore_program_signal(running->program, SIGKILL);
		stop = 1;
	}
	errno = saved;
}

void run_catch_signals(struct run *run)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction hangup;

	running = run;
	action.sa_sigaction = interrupt;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN) /* nohup */
		sigaction(SIGHUP, &action, NULL);
}

bool run_may_show(struct run *run)
{
	if (run->hides_progress || !isatty(STDERR_FILENO))
		return false;
	return !run->program || uncore_program_may_show(run->program);
}

static void show_progress(struct run *run)
{
	double seconds = (double)uncore_model_cycle(run->model) /
			 uncore_model_clock_hz(run->model);

	if (!run_may_show(run))
		return;
	fprintf(stderr, "\r\033[K%.3f ms simulated, %llu memory accesses%s",
		seconds * 1e3,
		(unsigned long long)uncore_model_num_accesses(run->model),
		run->remark);
	fflush(stderr);
	run->has_progress = true;
}

/* What the program has written since is not ours to take away. */
static void end_progress(struct run *run)
{
	if (run->has_progress && run_may_show(run)) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
	run->has_progress = false;
}

/* Ends a turn that is over, and says when the next one will be. Where the end
 * of the traffic is looked for, turns end in cycles in which that is done
 * anyway: with and without turns the run is the same. */
static void take_turn(void *context)
{
	struct run *run = context;
	uint64_t now = uncore_model_cycle(run->model);
	uint64_t cycles;

	if (!run->turn || now < run->next_turn)
		return;
	cycles = native_turn(run->turn, run->context,
			     uncore_model_clock_hz(run->model));
	if (run->native.kind != NATIVE_CYCLES)
		cycles = (cycles + NATIVE_END_CYCLES - 1) / NATIVE_END_CYCLES *
			 NATIVE_END_CYCLES;
	run->next_turn = now + cycles;
}

/* Cycles until something is to be done beside running. After a mark that is at
 * the longest until a cycle in which the end of the traffic is looked for
 * without it: with and without turns the run is the same. */
static uint64_t portion(const struct run *run)
{
	uint64_t off = (uncore_model_cycle(run->model) - run->start) %
		       NATIVE_END_CYCLES;
	uint64_t left = run->step > SLICE_CYCLES ? run->step : SLICE_CYCLES;

	if (run->program && off)
		left = NATIVE_END_CYCLES - off;
	if (run->turn && run->next_turn - uncore_model_cycle(run->model) < left)
		left = run->next_turn - uncore_model_cycle(run->model);
	if (run->native.kind == NATIVE_CYCLES && run->native.cycles < left)
		left = run->native.cycles;
	return left;
}

/* Runs a portion; whether it was the last one. */
static bool run_portion(struct run *run)
{
	uint64_t cycles = portion(run);

	if (run->program)
		uncore_program_look(run->program);
	if (run->native.kind != NATIVE_CYCLES)
		return uncore_model_finish(run->model, cycles, &stop);
	while (cycles && !stop) {
		uint64_t events = uncore_model_num_events(run->model);
		uint64_t part = cycles < run->step ? cycles : run->step;

		uncore_model_run(run->model, part);
		run->native.cycles -= part;
		cycles -= part;
		/* longer steps where nothing happens that could end the run */
		if (uncore_model_num_events(run->model) != events)
			run->step = NATIVE_END_CYCLES;
		else if (run->step < MAX_STEP_CYCLES)
			run->step *= 2;
	}
	return !run->native.cycles;
}

/* The model has stopped at some, or there are none. */
static void take_marks(struct run *run)
{
	struct uncore_program_mark mark;

	while (run->program && uncore_program_mark(run->program, &mark)) {
		run->num_marks++;
		if (run->mark)
			run->mark(run->context, &mark);
	}
}

/* On registers elsewhere the program runs as it is. */
static int start_child(struct run *run)
{
	sigset_t signals;
	pid_t child;

	run->native.kind = NATIVE_PROGRAM;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &run->unblocked);
	if (stop) { /* before it began */
		run->native.child_status = SIGINT;
		return TOOL_OK;
	}
	fflush(NULL);
	child = fork();
	if (child < 0)
		return tool_fail(TOOL_FAILED, "cannot make a process: %s",
				 strerror(errno));
	if (!child) {
		sigprocmask(SIG_SETMASK, &run->unblocked, NULL);
		signal(SIGPIPE, SIG_DFL);
		execvp(run->argv[0], run->argv);
		fprintf(stderr, "uncore: cannot run '%s': %s\n", run->argv[0],
			strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	run->native.child = child;
	return TOOL_OK;
}

int run_begin(struct run *run)
{
	int status = TOOL_OK;

	if (!interrupts) /* what ended the run before is past */
		stop = 0;
	run->native.stop = &stop;
	run->native.turn = run->turn;
	run->native.context = run->context;
	run->step = NATIVE_END_CYCLES;
	run_catch_signals(run);
	if (run->model) {
		run->start = uncore_model_cycle(run->model);
		return TOOL_OK;
	}
	if (run->argv)
		status = start_child(run);
	return status ? status : native_begin(&run->native);
}

/* All of it at once. */
static void run_replay(struct run *run)
{
	take_turn(run);
	uncore_replay_on_portion(run->replay, take_turn, run);
	replay_run(run->replay, run->region, &stop);
}

int run_go_on(struct run *run, double seconds, bool *is_over)
{
	double until = wall_seconds() + seconds;
	int status = TOOL_OK;

	*is_over = run->replay;
	if (run->replay)
		run_replay(run);
	else if (!run->model)
		status = native_go_on(&run->native, seconds, is_over);
	while (run->model && !*is_over && !stop && wall_seconds() < until) {
		take_turn(run);
		*is_over = run_portion(run);
		take_marks(run);
	}
	run->has_ended = *is_over;
	*is_over |= stop && !run->native.child;
	return status;
}

int run_finish(struct run *run, int *status)
{
	struct native *native = &run->native;

	*status = 0;
	if (!run->has_ended)
		run_end(run);
	if (run->program)
		return run_finish_program(run, status);
	if (native->child)
		waitpid(native->child, &native->child_status, 0);
	if (native->kind == NATIVE_PROGRAM)
		sigprocmask(SIG_SETMASK, &run->unblocked, NULL);
	native->child = 0;
	*status = WIFSIGNALED(native->child_status)
			  ? 128 + WTERMSIG(native->child_status)
			  : WEXITSTATUS(native->child_status);
	return TOOL_OK;
}

int run_all(struct run *run, int *status, double *seconds)
{
	uint64_t start = wall_ns();
	bool is_over = false;
	int result, ended;

	run->native.waits = true;
	result = run_begin(run);
	while (!result && !is_over) {
		result = run_go_on(run, PROGRESS_SECONDS, &is_over);
		if (run->model && !is_over)
			show_progress(run);
	}
	end_progress(run);
	run->has_ended = true; /* what still runs, runs on uncounted */
	ended = run_finish(run, status);
	*seconds = (double)((wall_ns() - start) / 1000000) / 1e3;
	return result ? result : ended;
}

bool run_was_interrupted(void)
{
	return interrupts;
}

void run_stop(void)
{
	stop = 1;
}

/* Who does not hear SIGTERM. */
static void kill_it(int number)
{
	(void)number;
	if (running->program)
		uncore_program_signal(running->program, SIGKILL);
	else if (running->native.child)
		kill(running->native.child, SIGKILL);
}

void run_end(struct run *run)
{
	struct sigaction action = { .sa_handler = kill_it,
				    .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	alarm(PATIENCE_SECONDS);
	if (run->program)
		uncore_program_signal(run->program, SIGTERM);
	else if (run->native.child)
		kill(run->native.child, SIGTERM);
	stop = 1;
}

void run_free(struct run *run)
{
	alarm(0);
	uncore_program_free(run->program);
	run->program = NULL;
	uncore_replay_free(run->replay);
	run->replay = NULL;
}
