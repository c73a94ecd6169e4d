/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How an event is set up and tried: its register writes, its neighbours, and a
 * command with traffic that makes it count, from the catalogue of `uncore model
 * coverage`.
 */
#include "explain_event.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"
#include "tool.h"
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
	char fields[256] = "";

	if (uncore_family_register_at(explain->family, write->address, &reg))
		fields_text(&reg, write->value, fields, sizeof(fields));
	if (!page->json) {
		page_line(page, "0x%03X  0x%016llx  %s", write->address,
			  (unsigned long long)write->value, write->name);
		if (*fields && !reg.instance)
			page_line(page, "%27s%s", "", fields);
		return;
	}
	json_open(page->json, NULL, '{');
	json_string(page->json, "register", write->name);
	json_uint(page->json, "address", write->address);
	json_uint(page->json, "value", write->value);
	json_string(page->json, "fields", fields);
	json_close(page->json, '}');
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

static const struct coverage_law *find_law(const char *name)
{
	for (unsigned i = 0; coverage_laws[i]; i++)
		for (const struct coverage_law *law = coverage_laws[i];
		     law->pattern; law++)
			if (!fnmatch(law->pattern, name, 0))
				return law;
	return NULL;
}

/* BOX/EVENT.MASK of the first unit mask, as the catalogue has them. */
static const struct coverage_scene *
find_scene(const struct explain_subject *subject)
{
	const char *mask = uncore_event_unit_mask(subject->event, 0);
	const struct coverage_law *law;
	char name[192];

	snprintf(name, sizeof(name), "%s/%s%s%s", subject->info.box,
		 subject->info.name, mask ? "." : "", mask ? mask : "");
	law = find_law(name);
	return law ? coverage_scene(law->scenes, strcspn(law->scenes, " "))
		   : NULL;
}

/* Words with a blank or a byte that the shell reads otherwise, which is only
 * the list of traffic, are quoted. */
static char *quoted(const char *options)
{
	const char *workload = strstr(options, "-w ");
	char *text;

	if (!workload)
		return strdup(options);
	if (asprintf(&text, "%.*s-w '%s'", (int)(workload - options), options,
		     workload + 3) < 0)
		return NULL;
	return text;
}

/* The options of traffic that makes it count. */
static char *traffic_of(const struct explain *explain,
			const struct explain_subject *subject)
{
	const struct coverage_scene *scene = find_scene(subject);
	char *options, *traffic;

	if (!scene)
		return strdup("-w stream:size=1M");
	options = coverage_command(scene, explain->family);
	traffic = options ? quoted(options) : NULL;
	free(options);
	return traffic;
}

void explain_command(struct explain *explain, const char *option,
		     const char *value, const char *traffic)
{
	bool is_default = !strcmp(explain->machine, TOOL_DEFAULT_MACHINE);
	char *command = NULL;

	if (asprintf(&command, "uncore stat%s%s %s '%s' %s",
		     is_default ? "" : " -m ",
		     is_default ? "" : explain->machine, option, value,
		     traffic) < 0)
		command = NULL;
	if (command && explain->page.json) {
		json_string(explain->page.json, "command", command);
	} else if (command) {
		fprintf(explain->page.file, "\nTo try it\n");
		page_line(&explain->page, "%s", command);
	}
	free(command);
}

void explain_event_command(struct explain *explain,
			   const struct explain_subject *subject)
{
	char *traffic = traffic_of(explain, subject);

	if (traffic)
		explain_command(explain, "-e",
				uncore_event_text(subject->event), traffic);
	free(traffic);
}
