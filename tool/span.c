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

uint64_t span_turn_cycles(double seconds, double clock_hz)
{
	double cycles = ceil(seconds * clock_hz);

	if (!(seconds > 0) || cycles > LONGEST_TURN)
		return (uint64_t)LONGEST_TURN;
	return (uint64_t)fmax(cycles, 1);
}

uint64_t span_turn_ns(double (*turn)(void *context), void *context)
{
	return turn ? span_turn_cycles(turn(context), 1e9)
		    : (uint64_t)LONGEST_TURN;
}

/* The same for a stepped clock. */
static uint64_t turn_cycles(const struct span *span, double clock_hz)
{
	if (!span->turn)
		return (uint64_t)LONGEST_TURN;
	return span_turn_cycles(span->turn(span->context), clock_hz);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int pass_cycles(const struct span *span, double clock_hz)
{
	uint64_t left = span->cycles, turn = turn_cycles(span, clock_hz);
	int code = 0;

	while (left && !code && !*span->stop) {
		uint64_t part = least(turn, least(left, STEP_CYCLES));

		code = uncore_target_step(span->target, part);
		left -= part;
		turn -= part;
		if (!turn)
			turn = turn_cycles(span, clock_hz);
	}
	return code;
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

static int pass_seconds(const struct span *span)
{
	uint64_t now = span_now_ns();
	uint64_t end = now + (uint64_t)(span->seconds * (double)SECOND_NS);
	uint64_t turn = now + span_turn_ns(span->turn, span->context);
	uint64_t look = now + LOOK_NS;
	struct uncore_target_status status;
	int code;

	for (; now < end && !*span->stop; now = span_now_ns()) {
		nap_or_serve(span, least(least(end, turn) - now, LOOK_NS));
		now = span_now_ns();
		if (now >= turn)
			turn = now + span_turn_ns(span->turn, span->context);
		if (now < look)
			continue;
		/* whether it is still there */
		look = now + LOOK_NS;
		code = uncore_target_status(span->target, &status);
		if (code && code != UNCORE_ERR_STATE)
			return code;
	}
	return 0;
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

static int pass_traffic(const struct span *span)
{
	uint64_t now = span_now_ns();
	uint64_t turn = now + span_turn_ns(span->turn, span->context);
	bool has_ended = false;
	unsigned kinds =
		UNCORE_TARGET_ENDED | (span->pmi ? UNCORE_TARGET_PMI : 0);
	int code = uncore_target_subscribe(span->target, kinds);

	if (code == UNCORE_ERR_STATE)
		code = 0;
	while (!code && !has_ended && !*span->stop) {
		code = look_for_end(span, turn - now, &has_ended);
		now = span_now_ns();
		if (now < turn || has_ended)
			continue;
		turn = now + span_turn_ns(span->turn, span->context);
		now = span_now_ns();
		turn = turn > now ? turn : now + 1;
	}
	return code;
}

/* Stepped to its end. */
static int step_traffic(const struct span *span, double clock_hz)
{
	uint64_t passed = 0, turn = turn_cycles(span, clock_hz);
	struct uncore_target_status status = { 0 };
	int code = 0;

	while (!code && !status.traffic_ended && !*span->stop) {
		code = uncore_target_step(span->target, SPAN_END_CYCLES);
		if (!code)
			code = uncore_target_status(span->target, &status);
		passed += SPAN_END_CYCLES;
		if (code || passed < turn)
			continue;
		passed = 0;
		turn = turn_cycles(span, clock_hz);
	}
	return code;
}

bool span_tells_pmis(const struct span *span)
{
	struct uncore_target_status status;

	return uncore_target_status(span->target, &status) ||
	       !status.is_stepped;
}

int span_pass(const struct span *span)
{
	struct uncore_target_status status = { 0 };
	int code = uncore_target_status(span->target, &status);

	if (span->kind == SPAN_CYCLES)
		code = pass_cycles(span, status.clock_hz);
	else if (span->kind == SPAN_SECONDS)
		code = pass_seconds(span);
	else if (!code && status.is_stepped)
		code = step_traffic(span, status.clock_hz);
	else
		code = pass_traffic(span);
	return code ? gone(span, code) : TOOL_OK;
}

void span_begin(struct span *span)
{
	span->end_ns =
		span_now_ns() + (uint64_t)(span->seconds * (double)SECOND_NS);
}

/* Steps until the time is up, the traffic ends, or so many cycles passed as it
 * was to have. */
static int step_on(struct span *span, uint64_t until_ns, bool *is_over)
{
	struct uncore_target_status status = { 0 };
	bool has_end = span->kind == SPAN_CYCLES;
	int code = 0;

	while (!code && !*is_over && !*span->stop && span_now_ns() < until_ns) {
		uint64_t part = has_end ? least(span->cycles, SPAN_END_CYCLES)
					: SPAN_END_CYCLES;

		code = uncore_target_step(span->target, part);
		span->cycles -= has_end ? part : 0;
		if (!code && !has_end)
			code = uncore_target_status(span->target, &status);
		*is_over = has_end ? !span->cycles : status.traffic_ended;
	}
	return code;
}

int span_go_on(struct span *span, double seconds, bool *is_over)
{
	uint64_t until_ns =
		span_now_ns() + (uint64_t)(seconds * (double)SECOND_NS);
	struct uncore_target_status status = { 0 };
	int code = uncore_target_status(span->target, &status);

	*is_over = span->kind == SPAN_SECONDS ? span_now_ns() >= span->end_ns
					      : status.traffic_ended;
	if (code == UNCORE_ERR_STATE) /* a processor */
		code = 0;
	else if (!code && status.is_stepped)
		code = step_on(span, until_ns, is_over);
	return code ? gone(span, code) : TOOL_OK;
}
