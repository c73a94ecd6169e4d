/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes a recording of accesses that tests make up (accesses.py), through the
 * public functions: `write_accesses FILE`, and on standard input
 *
 *     event TEXT PERIOD
 *     meta KEY VALUE
 *     sample TIMES EVENT USE ADDRESS LINE CORE HOME THREAD SYMBOL SOURCE
 *         DATUM STACK TOUCHED ANSWERED LATENCY_NS           (on one line)
 *
 * USE is a number of enum uncore_sampled_use, or -: a sample whose access is
 * not known. DATUM is KIND:SYMBOL:OFFSET[:STACK[:BYTES:OBJECTS]] or -, STACK is
 * SYMBOL,SYMBOL... (the innermost caller first) or -. TOUCHED is THREAD:CORE or
 * -.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/uncore.h"

#define WORD "%255s"

static struct uncore_recorder *recorder;
static unsigned num_samples;

static void must(int code, char *error)
{
	if (!code)
		return;
	fprintf(stderr, "%s\n", error ? error : "failed");
	exit(1);
}

static const char *known(const char *word)
{
	return strcmp(word, "-") ? word : NULL;
}

static long number(const char *word)
{
	return known(word) ? strtol(word, NULL, 0) : -1;
}

/* An address of its own for each name. */
static long add_position(const char *symbol, const char *source)
{
	struct uncore_position position = {
		.symbol = known(symbol),
		.source = known(source),
		.object = known(symbol) ? "/bin/x" : NULL,
	};
	char *error = NULL;
	long id;

	for (const char *at = symbol; *at; at++)
		position.address = 31 * position.address + (unsigned char)*at;
	for (const char *at = source; *at; at++)
		position.address = 31 * position.address + (unsigned char)*at;
	must(uncore_recorder_position(recorder, &position, &id, &error), error);
	return id;
}

/* The outermost caller is the last word, and written first. */
static long add_stack(char *words)
{
	char *error = NULL, *comma;
	long id = -1;

	if (!known(words))
		return -1;
	do {
		comma = strrchr(words, ',');
		must(uncore_recorder_stack(
			     recorder,
			     add_position(comma ? comma + 1 : words, "-"), id,
			     &id, &error),
		     error);
		if (comma)
			*comma = 0;
	} while (comma);
	return id;
}

static long add_datum(const char *text, uint64_t *offset)
{
	struct uncore_datum datum = { .object = "/bin/x",
				      .stack = -1,
				      .thread = -1 };
	char symbol[256] = "-", stack[256] = "-", *error = NULL;
	unsigned kind;
	long id;

	*offset = 0;
	if (!known(text))
		return -1;
	sscanf(text, "%u:%255[^:]:%lu:%255[^:]:%lu:%lu", &kind, symbol, offset,
	       stack, &datum.size_bytes, &datum.num_objects);
	datum.kind = kind;
	datum.stack = add_stack(stack);
	datum.symbol = known(symbol);
	must(uncore_recorder_datum(recorder, &datum, &id, &error), error);
	return id;
}

static long add_thread(const char *word)
{
	char *error = NULL;
	long id;

	must(uncore_recorder_thread(recorder, 100, number(word), NULL, &id,
				    &error),
	     error);
	return id;
}

static void add_sample(const char *line)
{
	char times[256], event[256], use[256], address[256], physical[256],
		core[256], home[256], thread[256], symbol[256], source[256],
		datum[256], stack[256], touched[256], answered[256],
		*error = NULL, *touch;
	double latency_ns;
	struct uncore_sample sample = { .kind = UNCORE_SAMPLE_PERIOD,
					.core = -1,
					.instance = 0 };

	if (sscanf(line,
		   "sample " WORD WORD WORD WORD WORD WORD WORD WORD WORD WORD
			   WORD WORD WORD WORD "%lf",
		   times, event, use, address, physical, core, home, thread,
		   symbol, source, datum, stack, touched, answered,
		   &latency_ns) != 15)
		must(-1, NULL);
	sample.event = number(event);
	sample.position = add_position(symbol, source);
	sample.thread = add_thread(thread);
	touch = strchr(touched, ':');
	sample.access = (struct uncore_sampled_access){
		.is_known = known(use),
		.use = known(use) ? (unsigned)number(use) : 0,
		.address = strtoull(address, NULL, 0),
		.line = strtoull(physical, NULL, 0),
		.core = number(core),
		.home = number(home),
		.stack = add_stack(stack),
		.answered = known(answered),
		.latency_seconds = latency_ns * 1e-9,
		.touch_core = touch ? number(touch + 1) : -1,
		.touch_thread = touch ? add_thread(touched) : -1,
	};
	sample.access.datum = add_datum(datum, &sample.access.offset);
	for (long i = number(times); i; i--) {
		sample.seconds = ++num_samples * 1e-6;
		must(uncore_recorder_sample(recorder, &sample, NULL, 0, &error),
		     error);
	}
}

static void add_event(const char *line)
{
	struct uncore_recorded_event event = { .box = "cbox", .multiplier = 1 };
	char text[256], *error = NULL;
	size_t id;

	if (sscanf(line, "event " WORD " %lu", text, &event.period) != 2)
		must(-1, NULL);
	event.text = event.canonical = text;
	must(uncore_recorder_event(recorder, &event, &id, &error), error);
}

static void add_meta(const char *line)
{
	char key[256], value[256], *error = NULL;

	if (sscanf(line, "meta " WORD " " WORD, key, value) != 2)
		must(-1, NULL);
	must(uncore_recorder_meta(recorder, key, value, &error), error);
}

int main(int argc, char **argv)
{
	char line[4096], *error = NULL;

	if (argc != 2)
		return 2;
	must(uncore_recorder_new(argv[1], true, NULL, &recorder, &error),
	     error);
	while (fgets(line, sizeof(line), stdin))
		switch (*line) {
		case 'e': add_event(line); break;
		case 'm': add_meta(line); break;
		default: add_sample(line); break;
		}
	must(uncore_recorder_finish(recorder, &error), error);
	return 0;
}
