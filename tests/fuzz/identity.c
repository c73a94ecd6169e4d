/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tests/fuzz/identity.h"

#include <stdlib.h>
#include <string.h>

struct uncore_event *identity_parse(const struct uncore_family *family,
				    const char *text, bool with_sentence)
{
	struct uncore_event *event = NULL;
	char *error = NULL;
	int code = uncore_event_parse(family, text, &event,
				      with_sentence ? &error : NULL);

	fuzz_must(!code == !!event && (!with_sentence || !code == !error),
		  "'%s': code %d, and %s", text, code,
		  error ? error : "no sentence");
	free(error);
	return event;
}

bool identity_plan(const struct uncore_family *family,
		   struct uncore_event **events, size_t num,
		   struct identity_writes *writes)
{
	struct uncore_plan *plan = NULL;
	char *error = NULL;
	int code = uncore_plan_new(family, events, num, &plan, &error);

	*writes = (struct identity_writes){ 0 };
	fuzz_must(!code == !error, "'%s': a plan has code %d, and %s",
		  uncore_event_text(events[0]), code,
		  error ? error : "no sentence");
	if (!code)
		fuzz_must(!uncore_plan_writes(plan, 0, num - 1, &writes->writes,
					      &writes->num, &error),
			  "'%s': %s", uncore_event_text(events[0]), error);
	uncore_plan_free(plan);
	free(error);
	return !code;
}

/* The value that a register is written, or 0, which is what it holds before. */
static uint64_t value_at(const struct identity_writes *all, uint32_t address)
{
	for (size_t i = 0; i < all->num; i++)
		if (all->writes[i].address == address)
			return all->writes[i].value;
	return 0;
}

/* What a text writes that an event became: all that the event writes; or, where
 * the event sets registers that mean nothing to it, no other values. */
static void compare(const struct uncore_family *family,
		    const struct identity_writes *writes, const char *from,
		    const char *text, bool all)
{
	struct uncore_event *event = identity_parse(family, text, false);
	const struct identity_writes *asked = writes;
	struct identity_writes again;

	fuzz_must(event, "'%s' became '%s', which is refused", from, text);
	fuzz_must(identity_plan(family, &event, 1, &again),
		  "'%s' became '%s', which has no plan", from, text);
	if (!all)
		asked = &again;
	for (size_t i = 0; i < asked->num; i++) {
		uint32_t address = asked->writes[i].address;

		fuzz_must(value_at(&again, address) ==
				  value_at(writes, address),
			  "'%s' became '%s', and %s became 0x%llx", from, text,
			  asked->writes[i].name,
			  (unsigned long long)value_at(&again, address));
	}
	free(again.writes);
	uncore_event_free(event);
}

/* The control register first, as decoding wants it. */
static char *decode(const struct uncore_family *family,
		    struct identity_writes *writes)
{
	char *text = NULL;

	for (size_t i = 0; i < writes->num && !text; i++) {
		struct uncore_write first = writes->writes[0];

		writes->writes[0] = writes->writes[i];
		writes->writes[i] = first;
		uncore_event_decode(family, writes->writes, writes->num, &text,
				    NULL);
	}
	return text;
}

void identity_check(const struct uncore_family *family,
		    struct uncore_event *event)
{
	const char *canonical = uncore_event_canonical(event);
	struct uncore_event *again = identity_parse(family, canonical, false);
	struct identity_writes writes;
	char *text;

	fuzz_must(again, "'%s' is canonical, and refused", canonical);
	uncore_event_free(again);
	if (!identity_plan(family, &event, 1, &writes))
		return;
	compare(family, &writes, uncore_event_text(event), canonical, true);
	/* else registers of several instances are written */
	text = uncore_event_instance(event) < 0 ? strdup(canonical)
						: decode(family, &writes);
	fuzz_must(text, "'%s' cannot be decoded", canonical);
	compare(family, &writes, uncore_event_text(event), text, false);
	free(text);
	free(writes.writes);
}
