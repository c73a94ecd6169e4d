/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page of an event: what it counts, where, from what, and what to beware
 * of.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "uncore/event.h"
#include "uncore/family.h"

enum { MAX_MASKS = 12 };

static bool has_mask(const struct explain_subject *subject, const char *name)
{
	const char *mask;

	for (size_t i = 0; (mask = uncore_event_unit_mask(subject->event, i));
	     i++)
		if (!strcmp(mask, name))
			return true;
	return false;
}

static void say_meaning(struct explain *explain,
			const struct explain_subject *subject)
{
	const struct uncore_event_info *info = &subject->info;
	struct page *page = &explain->page;
	struct uncore_unit_mask mask;
	size_t more;

	page_text(page, "brief", "What it counts", "%s", info->brief);
	page_list(page, "unit_masks", "Unit masks of this event text");
	for (size_t i = 0; uncore_event_info_unit_mask(info, i, &mask); i++)
		if (has_mask(subject, mask.name))
			page_pair(page, "name", mask.name, mask.brief);
	page_list_end(page, "none");
	page_list(page, "other_unit_masks", "Its other unit masks");
	page->most = MAX_MASKS;
	for (size_t i = 0; uncore_event_info_unit_mask(info, i, &mask); i++)
		if (!has_mask(subject, mask.name))
			page_pair(page, "name", mask.name, mask.brief);
	more = page_list_end(page, NULL);
	if (more)
		page_line(page, PAGE_INDENT,
			  "and %zu more: uncore list '%s/%s'", more, info->box,
			  info->name);
}

static void say_place(struct explain *explain,
		      const struct explain_subject *subject)
{
	const struct uncore_box *box = &subject->box;
	char counters[128] = "";
	size_t length = 0;

	for (unsigned i = 0; i < 32; i++)
		if (subject->info.counters >> i & 1)
			length += (size_t)snprintf(
				counters + length, sizeof(counters) - length,
				"%s%u", length ? ", " : "", i);
	page_text(
		&explain->page, "box", "Where",
		"%s (%s), %u per socket; %u counter%s%s of %u bits in each, of "
		"which these can count it: %s.%s",
		box->guide_name, box->name, box->num_instances,
		box->num_counters, box->num_counters == 1 ? "" : "s",
		box->num_fixed ? " and a fixed one" : "", box->width_bits,
		counters,
		box->num_ports > 1
			? " It exists once per port; port=NAME says which."
			: "");
	json_uint(explain->page.json, "instances", box->num_instances);
}

static void say_signal(struct explain *explain,
		       const struct explain_subject *subject,
		       const struct uncore_unit_mask *mask)
{
	char *names = uncore_event_info_signals(explain->family, &subject->info,
						mask);

	page_pair(&explain->page, "unit_mask", mask ? mask->name : "",
		  names && *names ? names
				  : "none: there is no mechanism for it");
	free(names);
}

/* What a model has of it. */
static void say_signals(struct explain *explain,
			const struct explain_subject *subject)
{
	const struct uncore_event_info *info = &subject->info;
	struct page *page = &explain->page;
	struct uncore_unit_mask mask;

	page_list(page, "signals", "Signals of the model behind it");
	for (size_t i = 0; uncore_event_info_unit_mask(info, i, &mask); i++)
		if (has_mask(subject, mask.name))
			say_signal(explain, subject, &mask);
	if (!page->num_items)
		say_signal(explain, subject, NULL);
	page_list_end(page, NULL);
	page_text(page, "combination", "How they make a count",
		  info->at_least
			  ? "A cycle counts 1 when the signals add up to at "
			    "least %u in it."
			  : "The values of the signals are added in every "
			    "cycle.",
		  info->at_least);
}

static void say_increment(struct page *page,
			  const struct explain_subject *subject)
{
	const struct uncore_event_info *info = &subject->info;

	json_members(page->json, "max_increment:%u multiplier:%u",
		     info->max_increment, subject->multiplier);
	if (!info->max_increment)
		page_text(page, "increment", "How fast it grows",
			  "Not published for this processor.");
	else
		page_text(page, "increment", "How fast it grows",
			  subject->multiplier > 1
				  ? "By at most %u in a cycle, through a "
				    "sub-counter: the counter gets one for "
				    "every %u, and uncore multiplies what it "
				    "reads by that."
				  : "By at most %u in a cycle.",
			  info->max_increment, subject->multiplier);
}

/* What a filter compares, and the names that its value may have. */
static void say_filter(struct page *page, const struct uncore_filter *filter)
{
	const char *choice;
	char *text = NULL;
	FILE *file = tool_text(&text);

	fprintf(file, "%s", filter->brief);
	if (filter->alias)
		fprintf(file, " (also %s=)", filter->alias);
	for (size_t i = 0; (choice = uncore_filter_choice(filter, i)); i++)
		fprintf(file, "%s%s", i ? ", " : ": ", choice);
	fclose(file);
	page_pair(page, "name", filter->name, text);
	free(text);
}

static void say_filters(struct explain *explain,
			const struct explain_subject *subject)
{
	struct uncore_filter filter;

	page_list(&explain->page, "filters", "Filter options (docs/events.md)");
	for (size_t i = 0; uncore_event_filter(subject->event, i, &filter); i++)
		say_filter(&explain->page, &filter);
	page_list_end(&explain->page, NULL);
}

static void say_caution(struct page *page, const char *note,
			const char *excluded)
{
	if (*note)
		page_item(page, "%s", note);
	if (excluded && *excluded)
		page_item(page, "Do not use: %s", excluded);
}

static void say_cautions(struct explain *explain,
			 const struct explain_subject *subject)
{
	const struct uncore_event_info *info = &subject->info;
	struct uncore_unit_mask mask;

	page_list(&explain->page, "cautions", "Beware");
	say_caution(&explain->page, info->note, info->excluded);
	for (size_t i = 0; uncore_event_info_unit_mask(info, i, &mask); i++)
		if (has_mask(subject, mask.name))
			say_caution(&explain->page, mask.note, mask.excluded);
	page_list_end(&explain->page, NULL);
}

/* By a row about the event, or about one of its unit masks. */
static bool is_named(const struct explain_subject *subject,
		     const struct uncore_erratum *erratum)
{
	bool named = false;

	for (size_t i = 0; !named && i <= subject->num_masks; i++) {
		const char *mask = uncore_event_unit_mask(subject->event, i);

		if (mask || !subject->num_masks)
			named = uncore_erratum_names_event(
				erratum, &subject->info, mask);
	}
	return named;
}

static unsigned first_instance(const struct explain_subject *subject)
{
	int instance = uncore_event_instance(subject->event);

	return instance < 0 ? 0 : (unsigned)instance;
}

/* By a row about a register that it sets, such as a filter's. */
static bool is_set(const struct explain *explain,
		   const struct explain_subject *subject,
		   const struct uncore_erratum *erratum)
{
	struct uncore_register reg;

	for (size_t i = 0; i < subject->num_writes; i++)
		if (uncore_family_register_at(explain->family,
					      subject->writes[i].address,
					      &reg) &&
		    reg.instance == first_instance(subject) &&
		    uncore_erratum_names_setting(erratum, &reg,
						 subject->writes[i].value))
			return true;
	return false;
}

static bool concerns(const struct explain *explain, const void *about,
		     const struct uncore_erratum *erratum)
{
	return is_named(about, erratum) || is_set(explain, about, erratum);
}

static void say_aliases(struct explain *explain,
			const struct explain_subject *subject)
{
	const char *alias;

	page_list(&explain->page, "aliases", "Also called");
	for (size_t i = 0; (alias = uncore_event_info_alias(&subject->info, i));
	     i++)
		page_item(&explain->page, "%s", alias);
	page_list_end(&explain->page, NULL);
}

void explain_event_page(struct explain *explain,
			const struct explain_subject *subject)
{
	struct page *page = &explain->page;

	page_begin(page, "event", uncore_event_text(subject->event));
	json_string(page->json, "event", subject->info.name);
	say_aliases(explain, subject);
	say_meaning(explain, subject);
	say_place(explain, subject);
	if (uncore_family_has_model(explain->family))
		say_signals(explain, subject);
	say_increment(page, subject);
	say_filters(explain, subject);
	say_cautions(explain, subject);
	explain_errata(explain, concerns, subject);
	explain_event_registers(explain, subject);
	explain_event_related(explain, subject);
	explain_metrics_of(explain, subject->info.box, subject->info.name);
	explain_event_command(explain, subject);
	page_text(page, "canonical", "With every default spelled out", "%s",
		  uncore_event_canonical(subject->event));
	page_text(page, "source", "In the guide", "%s (%s)",
		  subject->info.source, uncore_family_guide(explain->family));
	page_end(page);
}

void explain_event_raw(struct explain *explain,
		       const struct explain_subject *subject)
{
	struct page *page = &explain->page;

	page_begin(page, "event", uncore_event_text(subject->event));
	page_text(page, "brief", "What it counts",
		  "Raw codes, which are written as they stand; 'uncore decode' "
		  "says what they select.");
	explain_event_registers(explain, subject);
	page_end(page);
}
