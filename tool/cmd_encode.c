/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore encode EVENT...`: the register writes that count events; or with
 * --allowlist all that a machine's events may ever write.
 */
#include "tool.h"

#include <stdlib.h>

#include "allowlist.h"
#include "event_set.h"
#include "page.h"
#include "uncore/error.h"
#include "uncore/event.h"

struct settings {
	const char *machine;
	struct option_words events;
	bool json, is_verbose, allowlist;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	OPTION_MACHINE(AT(machine)),
	OPTION_JSON(AT(json)),
	{ "verbose", 'v', NULL,
	  "Show the event with every default spelled out, too",
	  AT(is_verbose) },
	{ "allowlist", 0, NULL,
	  "Instead of events: the MSRs of the machine's uncore, as the "
	  "allowlist of the kernel module msr-safe has them (address, bits "
	  "that may be written)",
	  AT(allowlist) },
	{ 0 },
};

static error_t take_words(int key, char *word, struct argp_state *state)
{
	struct settings *settings = state->input;

	(void)word;
	switch (key) {
	case ARGP_KEY_ARGS:
		options_keep_words(&settings->events, state);
		return 0;
	case ARGP_KEY_END:
		if (settings->allowlist && settings->events.num)
			argp_error(state, "--allowlist is of a machine, and "
					  "goes without events");
		if (!settings->allowlist && !settings->events.num)
			argp_error(state, "name at least one EVENT, for "
					  "instance cbox/LLC_MISSES.ALL/");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct options options = {
	.rows = rows,
	.words = "EVENT...\n--allowlist",
	.help = "Show the register writes that count events, in the order of "
		"the guide's set-up sequence, from the reset state to the "
		"global enable."
		"\vEVENT is BOX[N]/EVENT[.MASK...][,option=value...]/, for "
		"instance cbox3/LLC_MISSES.ALL,thresh=1,edge/. Several events "
		"get counters of their own; the writes of each build on those "
		"before it, so that applying all of them in order counts all "
		"events.",
	.more = take_words,
};

/* An event, its counter and the writes that set it up. */
struct encoded {
	const struct uncore_event *event;
	unsigned counter;
	struct uncore_write *writes;
	size_t num_writes;
	char *kernel; /* NULL: the kernel has no PMU for it */
};

static void put_write(struct page *page, const struct uncore_family *family,
		      const struct uncore_write *write)
{
	char address[UNCORE_ADDRESS_BYTES], id[TOOL_ID_BYTES];

	page_line(page, 2, "%s  0x%016llx  %s%s%s",
		  uncore_address_say(write->address, address),
		  (unsigned long long)write->value, write->name,
		  *tool_id(family, write->address, id) ? "  " : "", id);
	json_open(page->json, NULL, '{');
	json_string(page->json, "register", write->name);
	json_address(page->json, family, write->address);
	json_uint(page->json, "value", write->value);
	json_close(page->json);
}

static void put_event(struct page *page, const struct settings *settings,
		      const struct uncore_family *family,
		      const struct encoded *it)
{
	const char *text = uncore_event_text(it->event);

	page_line(page, 0, "%s on counter %u", text, it->counter);
	if (settings->is_verbose)
		page_line(page, 2, "in full: %s",
			  uncore_event_canonical(it->event));
	if (it->kernel)
		page_line(page, 2, "to the kernel: %s", it->kernel);
	json_open(page->json, NULL, '{');
	json_members(page->json, "event:%s kernel:%s? counter:%u", text,
		     it->kernel, it->counter);
	json_open(page->json, "writes", '[');
	for (size_t i = 0; i < it->num_writes; i++)
		put_write(page, family, &it->writes[i]);
	json_close(page->json);
	json_close(page->json);
}

/* Either all events are printed or none. */
static int print(const struct settings *settings,
		 const struct uncore_family *family,
		 const struct uncore_plan *plan,
		 struct uncore_event *const *events)
{
	struct json json = { .file = stdout };
	struct page page = { .file = stdout,
			     .json = settings->json ? &json : NULL };
	char *error = NULL;

	json_open(page.json, NULL, '[');
	for (size_t i = 0; i < settings->events.num; i++) {
		struct encoded it = {
			.event = events[i],
			.counter = uncore_plan_counter(plan, i, 0),
		};
		int code = uncore_plan_writes(plan, i, i, &it.writes,
					      &it.num_writes, &error);

		if (code)
			return tool_fail_with(code, error);
		it.kernel = uncore_event_kernel(it.event);
		put_event(&page, settings, family, &it);
		free(it.kernel);
		free(it.writes);
	}
	json_close(page.json);
	return TOOL_OK;
}

static int encode(const struct settings *settings, struct event_set *set)
{
	struct event_plan all;
	struct uncore_plan *plan = NULL;
	char *error = NULL;
	int code, status = TOOL_OK;

	for (size_t i = 0; i < settings->events.num; i++) {
		status = event_set_add(set, settings->events.list[i]);
		if (status)
			return status;
		event_warn(set->rows[i].event);
	}
	event_plan_make(&all, set);
	code = uncore_plan_new(set->family, all.events, all.num, &plan, &error);
	status = code ? tool_fail_with(code, error)
		      : print(settings, set->family, plan, all.events);
	uncore_plan_free(plan);
	event_plan_free(&all);
	return status;
}

int cmd_encode(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct event_set set = { 0 };
	int status;

	options_parse(&options, argc, argv, 0, &settings);
	set.family = tool_family(settings.machine);
	if (!set.family)
		return TOOL_USAGE;
	status = settings.allowlist
			 ? allowlist_print(set.family, settings.json, stdout)
			 : encode(&settings, &set);
	event_set_free(&set);
	return tool_finish(status, stdout, NULL);
}
