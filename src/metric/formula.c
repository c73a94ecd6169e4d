/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Evaluates the formula of a metric over the counts of a session. max() and
 * mean() evaluate their argument once for each box that counted the first event
 * in it.
 */
#include "metric/metric.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/event.h"

enum { MAX_SOCKETS = 8 };

struct evaluator {
	const struct formula_scope *scope;
	const char *at;
	const char *reason; /* NULL: all is well */
};

static double sum(struct evaluator *evaluator);

static void skip(struct evaluator *evaluator)
{
	while (isspace((unsigned char)*evaluator->at))
		evaluator->at++;
}

static bool take(struct evaluator *evaluator, char character)
{
	skip(evaluator);
	if (*evaluator->at != character)
		return false;
	evaluator->at++;
	return true;
}

static double fail(struct evaluator *evaluator, const char *reason)
{
	if (!evaluator->reason)
		evaluator->reason = reason;
	return 0;
}

static bool in_scope(const struct formula_scope *scope,
		     const struct uncore_count *count)
{
	return (scope->socket < 0 ||
		(unsigned)scope->socket == count->socket) &&
	       (scope->instance < 0 ||
		(unsigned)scope->instance == count->instance);
}

static const char *event_text(const struct formula_scope *scope,
			      const char *key, size_t length)
{
	const struct metric_event *event = scope->table->events;

	for (; event->key; event++)
		if (strlen(event->key) == length &&
		    !strncmp(event->key, key, length))
			return event->text;
	return NULL;
}

/* The sum of an event's counts in the scope. */
static double event_sum(struct evaluator *evaluator, const char *text)
{
	struct uncore_count count;
	bool found = false;
	double total = 0;

	for (size_t i = 0;
	     uncore_session_count(evaluator->scope->session, i, &count); i++) {
		if (strcmp(uncore_event_text(count.event), text))
			continue;
		found = true;
		if (!in_scope(evaluator->scope, &count))
			continue;
		if (!count.valid)
			return fail(evaluator, "a counter could not be read");
		total += (double)count.value;
	}
	if (!found)
		return fail(evaluator,
			    "an event that it needs was not counted");
	return total;
}

/* The first event in a formula, whose boxes max() and mean() go over. */
static const char *first_event(const struct evaluator *evaluator)
{
	const char *at = evaluator->at;

	while (*at) {
		size_t length = 0;
		const char *text;

		while (isalnum((unsigned char)at[length]) || at[length] == '_')
			length++;
		text = length ? event_text(evaluator->scope, at, length) : NULL;
		if (text)
			return text;
		at += length ? length : 1;
	}
	return NULL;
}

/* What max() and mean() know after going over boxes. */
struct boxes {
	double most, total;
	unsigned num;
};

/* The argument for each box of one socket; *end is set behind it. */
static struct boxes over_socket(struct evaluator *evaluator, unsigned socket,
				const char **end)
{
	const char *text = first_event(evaluator);
	struct boxes boxes = { 0 };
	struct uncore_count count;

	for (size_t i = 0;
	     text && uncore_session_count(evaluator->scope->session, i, &count);
	     i++) {
		struct formula_scope scope = *evaluator->scope;
		struct evaluator one = { &scope, evaluator->at, NULL };
		double value;

		if (strcmp(uncore_event_text(count.event), text) ||
		    count.socket != socket || !in_scope(&scope, &count))
			continue;
		scope.socket = (int)socket;
		scope.instance = (int)count.instance;
		value = sum(&one);
		*end = one.at;
		if (one.reason)
			fail(evaluator, one.reason);
		if (!boxes.num || value > boxes.most)
			boxes.most = value;
		boxes.total += value;
		boxes.num++;
	}
	return boxes;
}

/* Over several sockets the values of each are added, so that an idle socket
 * does not make the boxes of a busy one look uneven. */
static double over_boxes(struct evaluator *evaluator, bool want_max)
{
	const char *end = evaluator->at;
	double value = 0;
	unsigned num = 0;

	for (unsigned socket = 0; socket < MAX_SOCKETS; socket++) {
		struct boxes boxes = over_socket(evaluator, socket, &end);

		if (!boxes.num)
			continue;
		value += want_max ? boxes.most : boxes.total / boxes.num;
		num++;
	}
	if (!num)
		return fail(evaluator,
			    "an event that it needs was not counted");
	evaluator->at = end;
	return value;
}

static double name(struct evaluator *evaluator)
{
	const struct uncore_metric_run *run = evaluator->scope->run;
	const char *start = evaluator->at;
	size_t length = 0;
	const char *text;
	double value;

	while (isalnum((unsigned char)start[length]) || start[length] == '_')
		length++;
	evaluator->at += length;
	if (take(evaluator, '(')) {
		value = over_boxes(evaluator, !strncmp(start, "max", 3));
		if (!take(evaluator, ')'))
			fail(evaluator, "the formula is malformed");
		return value;
	}
	if (length == 7 && !strncmp(start, "seconds", length))
		return run->seconds;
	if (length == 6 && !strncmp(start, "cycles", length))
		return run->cycles;
	if (length == 8 && !strncmp(start, "clock_hz", length))
		return run->clock_hz;
	text = event_text(evaluator->scope, start, length);
	if (!text)
		return fail(evaluator, "the formula names no event");
	return event_sum(evaluator, text);
}

static double atom(struct evaluator *evaluator)
{
	double value;
	char *end;

	skip(evaluator);
	if (take(evaluator, '(')) {
		value = sum(evaluator);
		if (!take(evaluator, ')'))
			fail(evaluator, "the formula is malformed");
		return value;
	}
	if (isalpha((unsigned char)*evaluator->at))
		return name(evaluator);
	value = strtod(evaluator->at, &end);
	if (end == evaluator->at)
		return fail(evaluator, "the formula is malformed");
	evaluator->at = end;
	return value;
}

static double product(struct evaluator *evaluator)
{
	double value = atom(evaluator);

	while (!evaluator->reason) {
		if (take(evaluator, '*')) {
			value *= atom(evaluator);
		} else if (take(evaluator, '/')) {
			double divisor = atom(evaluator);

			if (divisor == 0)
				return fail(evaluator,
					    "there was nothing to divide by");
			value /= divisor;
		} else {
			break;
		}
	}
	return value;
}

static double sum(struct evaluator *evaluator)
{
	double value = product(evaluator);

	while (!evaluator->reason) {
		if (take(evaluator, '+'))
			value += product(evaluator);
		else if (take(evaluator, '-'))
			value -= product(evaluator);
		else
			break;
	}
	return value;
}

bool formula_value(const struct formula_scope *scope, const char *formula,
		   double *value, const char **reason)
{
	struct evaluator evaluator = { scope, formula, NULL };

	*value = sum(&evaluator);
	skip(&evaluator);
	if (*evaluator.at)
		fail(&evaluator, "the formula is malformed");
	*reason = evaluator.reason ? evaluator.reason : "";
	return !evaluator.reason;
}
