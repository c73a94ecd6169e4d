/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is so of every live family: each box, register and event has a name, and
 * an event that has one and a box is taken by it or refused with a sentence.
 */
#include "tests/fuzz/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/family.h"
#include "perf/live.h"
#include "tests/fuzz/identity.h"
#include "uncore/family.h"

/* As many events are parsed of a family: those of a kind are alike. */
enum { MAX_EVENTS = 24, MAX_REGISTERS = 64 };

/* What is said where uc_family_add() has no room, as it has none here. */
#define TOO_MANY "there are too many live families"

static const struct uc_family *at_hand;
static bool was_made;

static void look_at_event(const struct uncore_family *family,
			  const struct uncore_event_info *info)
{
	struct uncore_event *event;
	char text[1200];

	fuzz_must(info->name && *info->box && info->brief && info->note,
		  "an event of %s without texts", info->box);
	if ((size_t)snprintf(text, sizeof(text), "%s/%s/", info->box,
			     info->name) >= sizeof(text))
		return;
	event = identity_parse(family, text, true);
	if (event) {
		fuzz_must(uncore_event_canonical(event),
			  "'%s' has no canonical text", text);
		uncore_event_free(event);
	}
}

static void look(const struct uncore_family *family)
{
	struct uncore_event_info info;
	struct uncore_register reg;
	struct uncore_field field;
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		fuzz_must(box.name && box.num_counters,
			  "box %zu has no name or counters", i);
	for (size_t i = 0;
	     i < MAX_REGISTERS && uncore_family_register(family, i, &reg); i++)
		for (size_t f = 0; uncore_register_field(&reg, f, &field); f++)
			fuzz_must(field.name && field.high < 64 &&
					  field.low <= field.high,
				  "a field of %s is wrong", reg.name);
	for (size_t i = 0;
	     i < MAX_EVENTS && uncore_family_event(family, i, &info); i++)
		look_at_event(family, &info);
}

/* What a thread remembers of its latest two families (event/index.c) must not
 * be taken for the next one's, which may lie in the same place. */
static void forget(void)
{
	static const char *const others[] = { "xeon-e7", "xeon-7500",
					      "xeon-e7" };

	for (unsigned i = 0; i < 3; i++)
		uncore_event_free(identity_parse(uncore_family_find(others[i]),
						 "cbox/LLC_MISSES.ALL/",
						 false));
}

bool __wrap_uc_family_add(const struct uc_family *family);
bool __wrap_uc_family_add(const struct uc_family *family)
{
	at_hand = family;
	was_made = true;
	look((const struct uncore_family *)family);
	forget();
	at_hand = NULL;
	return false;
}

/* The family is the first member of what it is made in. */
const struct perf_pmus *__wrap_perf_family_pmus(const struct uc_family *family);
const struct perf_pmus *__wrap_perf_family_pmus(const struct uc_family *family)
{
	return family == at_hand ? &((const struct live *)family)->pmus : NULL;
}

void live_try(const char *name, const char *capture)
{
	char *error = NULL;
	const struct uc_family *family =
		capture ? perf_family_of_capture(capture, &error)
			: perf_family_open(name, &error);

	fuzz_must(!family && error && *error,
		  "a family is refused without a sentence");
	fuzz_must(was_made == !strcmp(error, TOO_MANY),
		  "a family was made, and there is another error: %s", error);
	was_made = false;
	free(error);
}
