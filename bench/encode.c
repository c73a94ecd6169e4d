/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How many texts of events a second become register writes, in this process:
 *
 *   bench-encode [ROUNDS [MACHINE]]
 *
 * Each event of the family, with each of its unit masks, instance 0 of its box.
 * "text" is from the text to the event, "writes" the whole way: event, counter,
 * writes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "uncore/uncore.h"

enum { MAX_TEXTS = 4096, TEXT_SIZE = 160 };

static char texts[MAX_TEXTS][TEXT_SIZE];
static size_t num_texts;

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int to_writes(const struct uncore_family *family, const char *text,
		     int only_text)
{
	struct uncore_event *event;
	struct uncore_plan *plan = NULL;
	struct uncore_write *writes = NULL;
	size_t num = 0;
	int code = uncore_event_parse(family, text, &event, NULL);

	if (code)
		return code;
	if (!only_text)
		code = uncore_plan_new(family, &event, 1, &plan, NULL);
	if (!only_text && !code)
		code = uncore_plan_writes(plan, 0, 0, &writes, &num, NULL);
	free(writes);
	uncore_plan_free(plan);
	uncore_event_free(event);
	return code ? code : only_text ? 0 : num ? 0 : -1;
}

static void add(const struct uncore_family *family, const char *box,
		const char *name, const char *mask)
{
	char *text;

	if (num_texts == MAX_TEXTS)
		return;
	text = texts[num_texts];
	snprintf(text, TEXT_SIZE, "%s0/%s%s%s%s/", box, name, *mask ? "." : "",
		 mask, strcmp(box, "rbox") ? "" : ",port=qpi0");
	num_texts += !to_writes(family, text, 0);
}

static void add_all(const struct uncore_family *family)
{
	struct uncore_event_info info;
	struct uncore_unit_mask mask;

	for (size_t i = 0; uncore_family_event(family, i, &info); i++) {
		if (!info.num_unit_masks)
			add(family, info.box, info.name, "");
		for (size_t m = 0; uncore_event_info_unit_mask(&info, m, &mask);
		     m++)
			add(family, info.box, info.name, mask.name);
	}
}

static void measure(const struct uncore_family *family, unsigned long rounds,
		    int only_text)
{
	double start = now_seconds(), seconds;

	for (unsigned long n = 0; n < rounds; n++)
		for (size_t i = 0; i < num_texts; i++)
			if (to_writes(family, texts[i], only_text))
				abort();
	seconds = now_seconds() - start;
	printf("%s %.0f a second\n", only_text ? "text" : "writes",
	       (double)rounds * (double)num_texts / seconds);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	const struct uncore_family *family =
		uncore_family_find(argc > 2 ? argv[2] : "xeon-e7");

	if (!family)
		return 2;
	add_all(family);
	printf("%zu texts\n", num_texts);
	measure(family, rounds, 1);
	measure(family, rounds, 0);
	return 0;
}
