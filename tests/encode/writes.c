/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The register writes of every event of the Xeon E7 and the Xeon 7500, as they
 * were recorded before selection and domains became data: a sum of each list of
 * addresses and values, in tests/encode/writes.txt. Whoever changes what is
 * written, because the guide says so, records anew:
 *
 *     build/tests-encode-writes --record >tests/encode/writes.txt
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "uncore/event.h"

#define RECORDED "tests/encode/writes.txt"

enum { LINE_BYTES = 256 };

static char lines[4096][LINE_BYTES];
static size_t num_lines;

/* The sum of what is written for an event alone; false: it cannot be had. */
static bool sum_of(const struct uncore_family *family, const char *text,
		   uint64_t *sum)
{
	struct uncore_event *event;
	struct uncore_plan *plan = NULL;
	struct uncore_write *writes = NULL;
	size_t num = 0;

	if (uncore_event_parse(family, text, &event, NULL))
		return false;
	*sum = TEXT_HASH;
	if (!uncore_plan_new(family, &event, 1, &plan, NULL) &&
	    !uncore_plan_writes(plan, 0, 0, &writes, &num, NULL))
		for (size_t i = 0; i < num; i++) {
			*sum = text_hash(*sum, &writes[i].address, 8);
			*sum = text_hash(*sum, &writes[i].value, 8);
		}
	free(writes);
	uncore_plan_free(plan);
	uncore_event_free(event);
	return num;
}

static void add(const struct uncore_family *family, const char *box,
		const char *event, const char *mask)
{
	static const char *const more[] = { "", ",port=qpi1" };
	char text[LINE_BYTES / 2];
	uint64_t sum;

	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s/%s%s%s%s/", box, event,
			 *mask ? "." : "", mask, more[i]);
		if (!sum_of(family, text, &sum))
			continue;
		snprintf(lines[num_lines++], LINE_BYTES, "%s %s %016" PRIx64,
			 uncore_family_name(family), text, sum);
		return;
	}
}

/* What the others write is compared with lists that were not made by this
 * program: tests/family. */
static bool is_recorded(const struct uncore_family *family)
{
	const char *name = uncore_family_name(family);

	return !strcmp(name, "xeon-e7") || !strcmp(name, "xeon-7500");
}

static void list_all(void)
{
	const struct uncore_family *family;
	struct uncore_event_info event;
	struct uncore_unit_mask mask;

	for (size_t f = 0; (family = uncore_family_at(f)); f++)
		for (size_t i = 0; is_recorded(family) &&
				   uncore_family_event(family, i, &event);
		     i++) {
			if (!event.num_unit_masks)
				add(family, event.box, event.name, "");
			for (size_t m = 0;
			     uncore_event_info_unit_mask(&event, m, &mask); m++)
				add(family, event.box, event.name, mask.name);
		}
}

static void events_write_what_they_wrote(void **state)
{
	FILE *file = fopen(RECORDED, "r");
	char line[LINE_BYTES];
	size_t i = 0;

	(void)state;
	assert_non_null(file);
	list_all();
	assert_true(num_lines > 1500);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		assert_true(i < num_lines);
		assert_string_equal(lines[i++], line);
	}
	assert_int_equal(i, num_lines);
	fclose(file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_write_what_they_wrote),
	};

	if (argc == 2 && !strcmp(argv[1], "--record")) {
		list_all();
		for (size_t i = 0; i < num_lines; i++)
			puts(lines[i]);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
