/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is so of every event that is taken, whoever wrote its text.
 */
#ifndef TESTS_FUZZ_IDENTITY_H
#define TESTS_FUZZ_IDENTITY_H

#include "tests/fuzz/fuzz.h"
#include "uncore/event.h"

struct identity_writes {
	struct uncore_write *writes; /* to be freed */
	size_t num;
};

/* The event, or NULL; where a sentence is wanted there is one, or an event. */
struct uncore_event *identity_parse(const struct uncore_family *family,
				    const char *text, bool with_sentence);

/* The writes of a plan of all events; false where they do not fit together. */
bool identity_plan(const struct uncore_family *family,
		   struct uncore_event **events, size_t num,
		   struct identity_writes *writes);

/* The canonical text is taken and writes what the event writes; what the
 * registers of one box are decoded to contradicts none of them. */
void identity_check(const struct uncore_family *family,
		    struct uncore_event *event);

#endif
