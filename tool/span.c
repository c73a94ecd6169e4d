/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Waiting, or stepping. A served workload is stepped to its end in the portions
 * in which a model in this process looks for the end, so that both stop at the
 * same cycle.
 */
#include "span.h"

#include <errno.h>
#include <time.h>

#include "tool.h"
#include "uncore/error.h"
#include "uncore/target.h"

enum {
	STEP_CYCLES = 1 << 20, /* between two looks at Ctrl-C */
	END_CYCLES = 1024,     /* between two looks for the end of traffic */
	LOOK_MS = 200,
	TICK_MS = 60 * 1000,
	SECOND_MS = 1000,
};

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

static unsigned long long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (unsigned long long)time.tv_sec * 1000 +
	       (unsigned long long)time.tv_nsec / 1000000;
}

static int pass_cycles(const struct span *span)
{
	uint64_t left = span->cycles;
	int code = 0;

	while (left && !code && !*span->stop) {
		uint64_t part = left < STEP_CYCLES ? left : STEP_CYCLES;

		code = uncore_target_step(span->target, part);
		left -= part;
	}
	return code;
}

/* Sleeps; less if a signal comes. */
static void nap(unsigned long long ms)
{
	struct timespec time = { .tv_sec = (time_t)(ms / SECOND_MS),
				 .tv_nsec = (long)(ms % SECOND_MS) * 1000000 };

	nanosleep(&time, NULL);
}

static int pass_seconds(const struct span *span)
{
	unsigned long long now = now_ms();
	unsigned long long end =
		now + (unsigned long long)(span->seconds * SECOND_MS + 0.5);
	unsigned long long tick = now + TICK_MS;

	for (; now < end && !*span->stop; now = now_ms()) {
		unsigned long long next = end < tick ? end : tick;

		nap(next - now < LOOK_MS ? next - now : LOOK_MS);
		if (now_ms() >= tick) {
			span->tick(span->context);
			tick += TICK_MS;
		}
	}
	return 0;
}

/* Where nobody tells it, by looking; real processors never end. */
static int look_for_end(const struct span *span, bool *has_ended)
{
	struct uncore_target_event event;
	struct uncore_target_status status;
	int code = uncore_target_wait(span->target, LOOK_MS, &event);

	if (code == UNCORE_ERR_STATE) {
		nap(LOOK_MS);
		code = uncore_target_status(span->target, &status);
		*has_ended = !code && status.traffic_ended;
		return code == UNCORE_ERR_STATE ? 0 : code;
	}
	*has_ended = code > 0 && event.kind == UNCORE_TARGET_ENDED;
	return code < 0 ? code : 0;
}

static int pass_traffic(const struct span *span)
{
	unsigned long long tick = now_ms() + TICK_MS;
	struct uncore_target_status status;
	bool has_ended = false;
	int code = uncore_target_status(span->target, &status);
	bool is_stepped = !code && status.is_stepped;

	if (!is_stepped)
		code = uncore_target_subscribe(span->target,
					       UNCORE_TARGET_ENDED);
	if (code == UNCORE_ERR_STATE)
		code = 0;
	while (!code && !has_ended && !*span->stop) {
		if (is_stepped) {
			code = uncore_target_step(span->target, END_CYCLES);
			if (!code)
				code = uncore_target_status(span->target,
							    &status);
			has_ended = !code && status.traffic_ended;
		} else {
			code = look_for_end(span, &has_ended);
		}
		if (now_ms() >= tick) {
			span->tick(span->context);
			tick += TICK_MS;
		}
	}
	return code;
}

int span_pass(const struct span *span)
{
	int code;

	switch (span->kind) {
	case SPAN_CYCLES: code = pass_cycles(span); break;
	case SPAN_SECONDS: code = pass_seconds(span); break;
	default: code = pass_traffic(span); break;
	}
	return code ? gone(span, code) : TOOL_OK;
}
