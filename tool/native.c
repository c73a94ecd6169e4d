/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Waiting, or stepping. A served workload is stepped to its end in the portions
 * in which a model in this process looks for the end, so that both stop at the
 * same cycle.
 */
#include "native.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "tool.h"
#include "uncore/error.h"
#include "uncore/target.h"

enum {
	STEP_CYCLES = 1 << 20, /* between two looks at Ctrl-C */
	LOOK_MS = 200,
};

#define MS_NS	     UINT64_C(1000000)
#define SECOND_NS    UINT64_C(1000000000)
#define LOOK_NS	     (LOOK_MS * MS_NS)
#define LONGEST_TURN 1e18 /* ns or cycles: nobody waits so long */

static int gone(const struct native *native, int code)
{
	const char *error = uncore_target_error(native->target);

	if (!*error)
		return tool_fail_with(code, NULL);
	return tool_fail(TOOL_FAILED, "%s", error);
}

int native_check(const struct native *native)
{
	struct uncore_target_status status;
	const char *where = uncore_target_origin(native->target);
	int code = uncore_target_status(native->target, &status);

	if (code && code != UNCORE_ERR_STATE)
		return gone(native, code);
	if (native->kind == NATIVE_CYCLES && (code || !status.is_stepped))
		return tool_fail(
			TOOL_USAGE,
			"--cycles needs a stepped clock, and that of "
			"%s runs by itself; use --duration, or 'uncore "
			"model serve --clock=step'",
			where);
	if (native->kind == NATIVE_SECONDS && !code && status.is_stepped)
		return tool_fail(TOOL_USAGE,
				 "--duration: the clock of %s stands still "
				 "unless it is stepped; use --cycles",
				 where);
	return TOOL_OK;
}

uint64_t wall_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

double wall_seconds(void)
{
	return (double)wall_ns() / 1e9;
}

struct timespec wall_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS),
				  .tv_nsec = (long)(ns % SECOND_NS) };
}

uint64_t native_turn(double (*turn)(void *context), void *context,
		     double in_second)
{
	double units = turn ? ceil(turn(context) * in_second) : 0;

	if (!(units > 0) || units > LONGEST_TURN)
		return (uint64_t)LONGEST_TURN;
	return (uint64_t)units;
}

static uint64_t next_turn(const struct native *native)
{
	return native_turn(native->turn, native->context,
			   native->clock_hz > 0 ? native->clock_hz : 1e9);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Sleeps; less if a signal comes. */
static void nap(uint64_t ns)
{
	struct timespec time = wall_timespec(ns);

	nanosleep(&time, NULL);
}

/* The same; less too if a PMI comes. */
static void nap_or_serve(const struct native *native, uint64_t ns)
{
	struct uncore_target_event event;
	int ms = (int)((ns + MS_NS - 1) / MS_NS);

	if (!native->pmi)
		nap(ns);
	else if (uncore_target_wait(native->target, ms, &event) > 0 &&
		 event.kind == UNCORE_TARGET_PMI)
		native->pmi(native->context, &event);
}

/* The same, and looks now and then whether it is still there. */
static int look_at_time(struct native *native, uint64_t patience_ns)
{
	struct uncore_target_status status;
	int code = 0;

	nap_or_serve(native, least(patience_ns, LOOK_NS));
	if (wall_ns() >= native->look_ns) {
		native->look_ns = wall_ns() + LOOK_NS;
		code = uncore_target_status(native->target, &status);
	}
	return code == UNCORE_ERR_STATE ? 0 : code;
}

/* Where nobody tells it, by looking; real processors never end. */
static int look_for_end(const struct native *native, uint64_t patience_ns,
			bool *has_ended)
{
	struct uncore_target_event event;
	struct uncore_target_status status;
	uint64_t ns = least(patience_ns, LOOK_NS);
	int code = uncore_target_wait(native->target,
				      (int)((ns + MS_NS - 1) / MS_NS), &event);

	if (code == UNCORE_ERR_STATE) {
		nap(ns);
		code = uncore_target_status(native->target, &status);
		*has_ended = !code && status.traffic_ended;
		return code == UNCORE_ERR_STATE ? 0 : code;
	}
	*has_ended = code > 0 && event.kind == UNCORE_TARGET_ENDED;
	if (code > 0 && event.kind == UNCORE_TARGET_PMI && native->pmi)
		native->pmi(native->context, &event);
	return code < 0 ? code : 0;
}

/* What came meanwhile. */
static void serve(const struct native *native)
{
	struct uncore_target_event event;

	while (native->pmi && uncore_target_wait(native->target, 0, &event) > 0)
		if (event.kind == UNCORE_TARGET_PMI)
			native->pmi(native->context, &event);
}

/* SIGCHLD is blocked, so that an end between the two calls is not missed. */
static void look_for_child(struct native *native, uint64_t patience_ns,
			   bool *has_ended)
{
	struct timespec time = wall_timespec(patience_ns);
	sigset_t signals;
	pid_t ended;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (unsigned i = 0; i < 2 && native->child; i++) {
		ended = waitpid(native->child, &native->child_status, WNOHANG);
		if (ended == native->child || (ended < 0 && errno != EINTR))
			native->child = 0;
		else if (!i && patience_ns)
			sigtimedwait(&signals, NULL, &time);
	}
	*has_ended = !native->child;
	serve(native);
}

int native_begin(struct native *native)
{
	struct uncore_target_status status = { 0 };
	unsigned kinds =
		UNCORE_TARGET_ENDED | (native->pmi ? UNCORE_TARGET_PMI : 0);
	uint64_t now = wall_ns();
	int code = 0;

	native->end_ns = UINT64_MAX;
	if (native->kind == NATIVE_SECONDS)
		native->end_ns =
			now + (uint64_t)(native->seconds * (double)SECOND_NS);
	if (native->kind != NATIVE_PROGRAM)
		code = uncore_target_status(native->target, &status);
	native->clock_hz = !code && status.is_stepped ? status.clock_hz : 0;
	if (native->kind == NATIVE_TRAFFIC && !native->clock_hz)
		code = uncore_target_subscribe(native->target, kinds);
	if (code && code != UNCORE_ERR_STATE)
		return gone(native, code);
	native->look_ns = now + LOOK_NS;
	native->next_turn = native->clock_hz ? 0 : wall_ns();
	native->next_turn += next_turn(native);
	return TOOL_OK;
}

/* A model elsewhere works. */
static int step_on(struct native *native, uint64_t until_ns, bool *is_over)
{
	struct uncore_target_status status = { 0 };
	bool has_end = native->kind == NATIVE_CYCLES;
	uint64_t most =
		has_end && native->waits ? STEP_CYCLES : NATIVE_END_CYCLES;
	int code = 0;

	while (!code && !*is_over && !*native->stop && wall_ns() < until_ns) {
		uint64_t part =
			has_end ? least(least(native->cycles, most),
					native->next_turn - native->passed)
				: most;

		code = uncore_target_step(native->target, part);
		serve(native);
		native->passed += part;
		native->cycles -= has_end ? part : 0;
		if (!code && !has_end)
			code = uncore_target_status(native->target, &status);
		*is_over = has_end ? !native->cycles : status.traffic_ended;
		if (!code && native->passed >= native->next_turn)
			native->next_turn = native->passed + next_turn(native);
	}
	return code;
}

static int wait_on(struct native *native, uint64_t until_ns, bool *is_over)
{
	uint64_t now = wall_ns(), next;
	int code = 0;

	do {
		next = least(least(native->end_ns, native->next_turn),
			     until_ns);
		next = native->waits && next > now ? next - now : 0;
		if (native->kind == NATIVE_PROGRAM)
			look_for_child(native, next, is_over);
		else if (native->kind == NATIVE_SECONDS)
			code = look_at_time(native, next);
		else
			code = look_for_end(native, next, is_over);
		now = wall_ns();
		if (!*is_over && now >= native->next_turn)
			native->next_turn = now + next_turn(native);
		now = wall_ns();
		*is_over |= now >= native->end_ns;
	} while (!code && !*is_over && !*native->stop && now < until_ns);
	return code;
}

int native_go_on(struct native *native, double seconds, bool *is_over)
{
	uint64_t until_ns = wall_ns() + (uint64_t)(seconds * (double)SECOND_NS);
	int code;

	if (native->clock_hz > 0)
		code = step_on(native, until_ns, is_over);
	else
		code = wait_on(native, native->waits ? until_ns : 0, is_over);
	return code ? gone(native, code) : TOOL_OK;
}
