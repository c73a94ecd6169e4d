/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Waiting, or stepping. A served workload is stepped to its end in the portions
 * in which a model in this process looks for the end, so that both stop at the
 * same cycle.
 */
#include "span.h"

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

static int gone(const struct span *span, int code)
{
	const char *error = uncore_target_error(span->target);

	if (!*error)
		return tool_fail_with(code, NULL);
	return tool_fail(TOOL_FAILED, "%s", error);
}

int span_check(const struct span *span)
{
	struct uncore_target_status status;
	const char *where = uncore_target_origin(span->target);
	int code = uncore_target_status(span->target, &status);

	if (code && code != UNCORE_ERR_STATE)
		return gone(span, code);
	if (span->kind == SPAN_CYCLES && (code || !status.is_stepped))
		return tool_fail(
			TOOL_USAGE,
			"--cycles needs a stepped clock, and that of "
			"%s runs by itself; use --duration, or 'uncore "
			"model serve --clock=step'",
			where);
	if (span->kind == SPAN_SECONDS && !code && status.is_stepped)
		return tool_fail(TOOL_USAGE,
				 "--duration: the clock of %s stands still "
				 "unless it is stepped; use --cycles",
				 where);
	return TOOL_OK;
}

uint64_t span_now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

double span_now_seconds(void)
{
	return (double)span_now_ns() / 1e9;
}

struct timespec span_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS),
				  .tv_nsec = (long)(ns % SECOND_NS) };
}

uint64_t span_turn(double (*turn)(void *context), void *context,
		   double in_second)
{
	double units = turn ? ceil(turn(context) * in_second) : 0;

	if (!(units > 0) || units > LONGEST_TURN)
		return (uint64_t)LONGEST_TURN;
	return (uint64_t)units;
}

static uint64_t next_turn(const struct span *span)
{
	return span_turn(span->turn, span->context,
			 span->clock_hz > 0 ? span->clock_hz : 1e9);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Sleeps; less if a signal comes. */
static void nap(uint64_t ns)
{
	struct timespec time = span_timespec(ns);

	nanosleep(&time, NULL);
}

/* The same; less too if a PMI comes. */
static void nap_or_serve(const struct span *span, uint64_t ns)
{
	struct uncore_target_event event;
	int ms = (int)((ns + MS_NS - 1) / MS_NS);

	if (!span->pmi)
		nap(ns);
	else if (uncore_target_wait(span->target, ms, &event) > 0 &&
		 event.kind == UNCORE_TARGET_PMI)
		span->pmi(span->context, &event);
}

/* The same, and looks now and then whether it is still there. */
static int look_at_time(struct span *span, uint64_t patience_ns)
{
	struct uncore_target_status status;
	int code = 0;

	nap_or_serve(span, least(patience_ns, LOOK_NS));
	if (span_now_ns() >= span->look_ns) {
		span->look_ns = span_now_ns() + LOOK_NS;
		code = uncore_target_status(span->target, &status);
	}
	return code == UNCORE_ERR_STATE ? 0 : code;
}

/* Where nobody tells it, by looking; real processors never end. */
static int look_for_end(const struct span *span, uint64_t patience_ns,
			bool *has_ended)
{
	struct uncore_target_event event;
	struct uncore_target_status status;
	uint64_t ns = least(patience_ns, LOOK_NS);
	int code = uncore_target_wait(span->target,
				      (int)((ns + MS_NS - 1) / MS_NS), &event);

	if (code == UNCORE_ERR_STATE) {
		nap(ns);
		code = uncore_target_status(span->target, &status);
		*has_ended = !code && status.traffic_ended;
		return code == UNCORE_ERR_STATE ? 0 : code;
	}
	*has_ended = code > 0 && event.kind == UNCORE_TARGET_ENDED;
	if (code > 0 && event.kind == UNCORE_TARGET_PMI && span->pmi)
		span->pmi(span->context, &event);
	return code < 0 ? code : 0;
}

/* What came meanwhile. */
static void serve(const struct span *span)
{
	struct uncore_target_event event;

	while (span->pmi && uncore_target_wait(span->target, 0, &event) > 0)
		if (event.kind == UNCORE_TARGET_PMI)
			span->pmi(span->context, &event);
}

/* SIGCHLD is blocked, so that an end between the two calls is not missed. */
static void look_for_child(struct span *span, uint64_t patience_ns,
			   bool *has_ended)
{
	struct timespec time = span_timespec(patience_ns);
	sigset_t signals;
	pid_t ended;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (unsigned i = 0; i < 2 && span->child; i++) {
		ended = waitpid(span->child, &span->child_status, WNOHANG);
		if (ended == span->child || (ended < 0 && errno != EINTR))
			span->child = 0;
		else if (!i && patience_ns)
			sigtimedwait(&signals, NULL, &time);
	}
	*has_ended = !span->child;
	serve(span);
}

int span_begin(struct span *span)
{
	struct uncore_target_status status = { 0 };
	unsigned kinds =
		UNCORE_TARGET_ENDED | (span->pmi ? UNCORE_TARGET_PMI : 0);
	uint64_t now = span_now_ns();
	int code = 0;

	span->end_ns = UINT64_MAX;
	if (span->kind == SPAN_SECONDS)
		span->end_ns =
			now + (uint64_t)(span->seconds * (double)SECOND_NS);
	if (span->kind != SPAN_PROGRAM)
		code = uncore_target_status(span->target, &status);
	span->clock_hz = !code && status.is_stepped ? status.clock_hz : 0;
	if (span->kind == SPAN_TRAFFIC && !span->clock_hz)
		code = uncore_target_subscribe(span->target, kinds);
	if (code && code != UNCORE_ERR_STATE)
		return gone(span, code);
	span->look_ns = now + LOOK_NS;
	span->next_turn = span->clock_hz ? 0 : span_now_ns();
	span->next_turn += next_turn(span);
	return TOOL_OK;
}

/* A model elsewhere works. */
static int step_on(struct span *span, uint64_t until_ns, bool *is_over)
{
	struct uncore_target_status status = { 0 };
	bool has_end = span->kind == SPAN_CYCLES;
	uint64_t most = has_end && span->waits ? STEP_CYCLES : SPAN_END_CYCLES;
	int code = 0;

	while (!code && !*is_over && !*span->stop && span_now_ns() < until_ns) {
		uint64_t part = has_end ? least(least(span->cycles, most),
						span->next_turn - span->passed)
					: most;

		code = uncore_target_step(span->target, part);
		serve(span);
		span->passed += part;
		span->cycles -= has_end ? part : 0;
		if (!code && !has_end)
			code = uncore_target_status(span->target, &status);
		*is_over = has_end ? !span->cycles : status.traffic_ended;
		if (!code && span->passed >= span->next_turn)
			span->next_turn = span->passed + next_turn(span);
	}
	return code;
}

static int wait_on(struct span *span, uint64_t until_ns, bool *is_over)
{
	uint64_t now = span_now_ns(), next;
	int code = 0;

	do {
		next = least(least(span->end_ns, span->next_turn), until_ns);
		next = span->waits && next > now ? next - now : 0;
		if (span->kind == SPAN_PROGRAM)
			look_for_child(span, next, is_over);
		else if (span->kind == SPAN_SECONDS)
			code = look_at_time(span, next);
		else
			code = look_for_end(span, next, is_over);
		now = span_now_ns();
		if (!*is_over && now >= span->next_turn)
			span->next_turn = now + next_turn(span);
		now = span_now_ns();
		*is_over |= now >= span->end_ns;
	} while (!code && !*is_over && !*span->stop && now < until_ns);
	return code;
}

int span_go_on(struct span *span, double seconds, bool *is_over)
{
	uint64_t until_ns =
		span_now_ns() + (uint64_t)(seconds * (double)SECOND_NS);
	int code;

	if (span->clock_hz > 0)
		code = step_on(span, until_ns, is_over);
	else
		code = wait_on(span, span->waits ? until_ns : 0, is_over);
	return code ? gone(span, code) : TOOL_OK;
}
