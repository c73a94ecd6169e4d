/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How an event is set up and tried: its register writes, its neighbours, and a
 * command with traffic that makes it count, from the catalogue of `uncore model
 * coverage`.
 */
#include "explain_event.h"

#include <stdlib.h>
#include <string.h>

#include "proof/coverage.h"
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
	if (!page->json) {
		page_line(page, "%s  0x%016llx  %s",
			  uncore_address_say(write->address, address),
			  (unsigned long long)write->value, write->name);
		if (*fields && !reg.instance)
			page_line(page, "%27s%s", "", fields);
		return;
	}
	json_open(page->json, NULL, '{');
	json_string(page->json, "register", write->name);
	json_address(page->json, explain->family, write->address);
	json_uint(page->json, "value", write->value);
	json_string(page->json, "fields", fields);
	json_close(page->json);
}

static char *sentence(int code, char *error)
{
	return error ? error : strdup(uncore_error_message(code));
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
		subject->refused = sentence(code, error);
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
	page_number(page, "counter", subject->counter);
	page_list(page, "writes",
		  "Register writes that set it up, in order: address, value, "
		  "register");
	page_line(page, "Alone it gets counter %u.", subject->counter);
	for (size_t i = 0; i < subject->num_writes; i++)
		say_write(explain, &subject->writes[i]);
	page_list_end(page);
}

static bool is_related(const struct explain_subject *subject,
		       const struct uncore_event_info *other)
{
	return !strcmp(other->box, subject->info.box) &&
	       !strcmp(other->category, subject->info.category) &&
	       strcmp(other->name, subject->info.name);
}

/* The events of its box that stand in the same category of the guide. */
void explain_event_related(struct explain *explain,
			   const struct explain_subject *subject)
{
	struct page *page = &explain->page;
	struct uncore_event_info other;
	unsigned num = 0;

	page_text(page, "category", "Category of the guide", "%s",
		  *subject->info.category ? subject->info.category : "none");
	page_list(page, "related", "Events of the same category");
	for (size_t i = 0; uncore_family_event(explain->family, i, &other); i++)
		if (is_related(subject, &other) && num++ < MAX_RELATED)
			page_pair(page, "event", other.name, other.brief);
	if (!num)
		page_line(page, "none");
	if (num > MAX_RELATED)
		page_line(page, "and %u more: uncore list '%s/*'",
			  num - MAX_RELATED, subject->info.box);
	page_list_end(page);
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
	law = coverage_law(name);
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
			const struct uncore_event *event, char *port,
			size_t size)
{
	struct trial trial = { 0 };

	if (uncore_event_name(event))
		trial = find_trial(explain, event);
	if (strncmp(trial.options, "port=", 5))
		return false;
	snprintf(port, size, "%s", trial.options + 5);
	return true;
}

/* Words with a blank or a byte that the shell reads otherwise, which is only
 * the list of traffic, are quoted. */
static char *quoted(const char *options)
{
	const char *workload = strstr(options, "-w ");

	if (!workload)
		return strdup(options);
	return tool_print("%.*s-w '%s'", (int)(workload - options), options,
			  workload + 3);
}

/* The options of the traffic. */
static char *traffic_of(const struct explain *explain,
			const struct coverage_scene *scene)
{
	char *options, *traffic;

	if (!scene)
		return strdup("-w stream:size=1M");
	options = coverage_command(scene, explain->family);
	traffic = options ? quoted(options) : NULL;
	free(options);
	return traffic;
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
				     explain->machine, option, value);
	if (command && explain->page.json) {
		json_string(explain->page.json, "command", command);
	} else if (command) {
		fprintf(explain->page.file, "\nTo try it\n");
		page_line(&explain->page, "%s", command);
	}
	free(command);
}

/* The text of the event; options that it needs to count are added where it has
 * none. To be freed. */
static char *text_with(const char *text, const char *options)
{
	size_t length = strlen(text);
	bool slash = length && text[length - 1] == '/';

	if (!*options || strchr(text, ','))
		return strdup(text);
	return tool_print("%.*s,%s%s", (int)(length - slash), text, options,
			  slash ? "/" : "");
}

void explain_event_command(struct explain *explain,
			   const struct explain_subject *subject)
{
	struct trial trial = find_trial(explain, subject->event);
	char *text =
		text_with(uncore_event_text(subject->event), trial.options);
	char *traffic = traffic_of(explain, trial.scene);

	if (text && traffic)
		explain_command(explain, "-e", text, traffic);
	free(traffic);
	free(text);
}
