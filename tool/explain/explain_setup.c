/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How an event is set up and tried: its register writes, its neighbours, and a
 * command with traffic that makes it count, from the catalogue of `uncore model
 * coverage`.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "proof/coverage.h"
#include "tool/target.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/event.h"

enum { MAX_RELATED = 12 };

/* ev_sel=0x14 umask=0x7 en=1: the fields that are not 0. */
static void fields_text(const struct uncore_register *reg, uint64_t value,
			char *text, size_t size)
{
	struct uncore_field field;
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; uncore_register_field(reg, i, &field); i++) {
		unsigned width = field.high - field.low + 1;
		uint64_t content = value >> field.low;

		if (width < 64)
			content &= (UINT64_C(1) << width) - 1;
		if (!content || length >= size)
			continue;
		length += (size_t)snprintf(text + length, size - length,
					   "%s%s=0x%llx", length ? " " : "",
					   field.name,
					   (unsigned long long)content);
	}
}

static void say_write(struct explain *explain, const struct uncore_write *write)
{
	struct page *page = &explain->page;
	struct uncore_register reg;
	char fields[256] = "", address[UNCORE_ADDRESS_BYTES];

	if (uncore_family_register_at(explain->family, write->address, &reg))
		fields_text(&reg, write->value, fields, sizeof(fields));
	page_line(page, PAGE_INDENT, "%s  0x%016llx  %s",
		  uncore_address_say(write->address, address),
		  (unsigned long long)write->value, write->name);
	if (*fields && !reg.instance)
		page_line(page, PAGE_INDENT + 27, "%s", fields);
	json_open(page->json, NULL, '{');
	json_string(page->json, "register", write->name);
	json_address(page->json, explain->family, write->address);
	json_members(page->json, "value:%lu fields:%s", write->value, fields);
	json_close(page->json);
}

void explain_event_plan(const struct explain *explain,
			struct explain_subject *subject)
{
	struct uncore_event *events[] = { subject->event };
	struct uncore_plan *plan = NULL;
	char *error = NULL;
	int code = uncore_plan_new(explain->family, events, 1, &plan, &error);

	if (!code) {
		subject->counter = uncore_plan_counter(plan, 0, 0);
		code = uncore_plan_writes(plan, 0, 0, &subject->writes,
					  &subject->num_writes, &error);
		uncore_plan_free(plan);
	}
	if (code)
		subject->refused =
			error ? error : tool_copy(uncore_error_message(code));
}

void explain_event_registers(struct explain *explain,
			     const struct explain_subject *subject)
{
	struct page *page = &explain->page;

	if (subject->refused) {
		page_text(page, "refused", "Registers",
			  "It cannot be set up: %s", subject->refused);
		return;
	}
	json_uint(page->json, "counter", subject->counter);
	json_open(page->json, "writes", '[');
	page_heading(page, "Register writes that set it up, in order: address, "
			   "value, register");
	page_line(page, PAGE_INDENT, "Alone it gets counter %u.",
		  subject->counter);
	for (size_t i = 0; i < subject->num_writes; i++)
		say_write(explain, &subject->writes[i]);
	json_close(page->json);
}

/* The events of its box that stand in the same category of the guide. */
void explain_event_related(struct explain *explain,
			   const struct explain_subject *subject)
{
	const struct uncore_event_info *info = &subject->info;
	struct page *page = &explain->page;
	struct uncore_event_info other;
	unsigned num = 0;

	page_text(page, "category", "Category of the guide", "%s",
		  *info->category ? info->category : "none");
	page_list(page, "related", "Events of the same category");
	for (size_t i = 0; uncore_family_event(explain->family, i, &other); i++)
		if (!strcmp(other.box, info->box) &&
		    !strcmp(other.category, info->category) &&
		    strcmp(other.name, info->name) != 0 && num++ < MAX_RELATED)
			page_pair(page, "event", other.name, other.brief);
	page_list_end(page, "none");
	if (num > MAX_RELATED)
		page_line(page, PAGE_INDENT, "and %u more: uncore list '%s/*'",
			  num - MAX_RELATED, info->box);
}

/* A run in which an event counts, and the options that it needs there. */
struct trial {
	const struct coverage_scene *scene; /* NULL: none is known */
	char options[64];
	bool is_rare; /* not the first run that the catalogue names */
};

static size_t first_word(const char *words)
{
	return words ? strcspn(words, " ") : 0;
}

/* Of the first unit mask: the run in which it was seen to count, or else the
 * first one that the catalogue names. */
static struct trial find_trial(const struct explain *explain,
			       const struct uncore_event *event)
{
	const char *mask = uncore_event_unit_mask(event, 0);
	const char *family = uncore_family_name(explain->family);
	const struct coverage_found *row = coverage_found;
	const struct coverage_law *law;
	struct trial trial = { 0 };
	char name[192];

	snprintf(name, sizeof(name), "%s/%s%s%s", uncore_event_box(event),
		 uncore_event_name(event), mask ? "." : "", mask ? mask : "");
	while (row->name && (strcmp(row->name, name) ||
			     (row->family && strcmp(row->family, family))))
		row++;
	law = coverage_law(family, name);
	if (row->name) {
		trial.is_rare = true;
		trial.scene = coverage_scene(row->scene, strlen(row->scene));
		snprintf(trial.options, sizeof(trial.options), "%s",
			 row->options);
	} else if (law) {
		trial.scene =
			coverage_scene(law->scenes, first_word(law->scenes));
		snprintf(trial.options, sizeof(trial.options), "%.*s",
			 (int)first_word(law->options),
			 law->options ? law->options : "");
	}
	return trial;
}

bool explain_usual_port(const struct explain *explain,
			const struct uncore_event *event, char option[64])
{
	struct trial trial = { 0 };

	if (uncore_event_name(event))
		trial = find_trial(explain, event);
	memcpy(option, trial.options, sizeof(trial.options));
	return !strncmp(option, "port=", 5);
}

/* The options of the traffic. A list of traffic is quoted: it may have blanks,
 * or bytes that the shell reads otherwise. */
static char *traffic_of(const struct explain *explain,
			const struct coverage_scene *scene)
{
	char *options, *workload;

	if (!scene)
		return tool_copy("-w stream:size=1M");
	options = coverage_command(scene, coverage_cores(explain->machine));
	workload = options ? strstr(options, "-w ") : NULL;
	if (workload) {
		char *quoted =
			tool_print("%.*s-w '%s'", (int)(workload - options),
				   options, workload + 3);

		free(options);
		return quoted;
	}
	return options;
}

char *explain_traffic(const struct explain *explain, const char *text,
		      bool *is_rare)
{
	struct uncore_event *event = NULL;
	struct trial trial = { 0 };

	if (uncore_event_parse(explain->family, text, &event, NULL))
		return NULL;
	if (uncore_event_name(event))
		trial = find_trial(explain, event);
	uncore_event_free(event);
	*is_rare = trial.is_rare;
	return trial.scene ? traffic_of(explain, trial.scene) : NULL;
}

void explain_command(struct explain *explain, const char *option,
		     const char *value, const char *traffic)
{
	bool is_default = !strcmp(explain->machine, TOOL_DEFAULT_MACHINE);
	char *command;

	if (uncore_family_has_model(explain->family))
		command = tool_print("uncore stat%s%s %s '%s' %s",
				     is_default ? "" : " -m ",
				     is_default ? "" : explain->machine, option,
				     value, traffic);
	else
		command = tool_print("uncore stat --on %s %s '%s' sleep 1",
				     where_is_perf(explain->machine)
					     ? explain->machine
					     : "msr",
				     option, value);
	json_string(explain->page.json, "command", command);
	page_heading(&explain->page, "To try it");
	page_line(&explain->page, PAGE_INDENT, "%s", command);
	free(command);
}

/* Options that the event needs to count are added where its text has none. */
void explain_event_command(struct explain *explain,
			   const struct explain_subject *subject)
{
	struct trial trial = find_trial(explain, subject->event);
	const char *own = uncore_event_text(subject->event);
	bool adds = *trial.options && !strchr(own, ',');
	char *text = explain_extended(own, NULL, adds ? trial.options : NULL);
	char *traffic = traffic_of(explain, trial.scene);

	if (text && traffic)
		explain_command(explain, "-e", text, traffic);
	free(traffic);
	free(text);
}
