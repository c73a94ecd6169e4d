/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Texts of events: a byte that chooses the family and whether sentences are
 * wanted, then texts, one a line, which are planned one by one and together.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/identity.h"

enum { MAX_EVENTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	bool with_sentence = size && data[0] & 2;
	const struct uncore_family *family = fuzz_family(&bytes);
	struct uncore_event *events[MAX_EVENTS];
	struct identity_writes writes;
	char *text = fuzz_text(&bytes), *rest = text, *line;
	size_t num = 0;

	for (unsigned i = 0; i < MAX_EVENTS && (line = strsep(&rest, "\n"));
	     i++) {
		events[num] = identity_parse(family, line, with_sentence);
		num += !!events[num];
	}
	for (size_t i = 0; i < num; i++)
		identity_check(family, events[i]);
	if (num > 1 && identity_plan(family, events, num, &writes))
		free(writes.writes);
	for (size_t i = 0; i < num; i++)
		uncore_event_free(events[i]);
	free(text);
	return 0;
}
