/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a live family's events say of the bytes that memory moves. One rule for
 * all drivers: an event of a memory controller with a unit of bytes, whose name
 * says which way they go; its scale says how many. Where drivers give no units,
 * `facts` does. Of several boxes that one counts whose counters the kernel lets
 * choose, and that tells both ways.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "event/event.h"
#include "metric/metric.h"
#include "uncore/event.h"

enum way { NEITHER_WAY, READ, WRITTEN, BOTH_WAYS, NUM_WAYS };

/* Boxes that are memory controllers, or have events that speak of memory. */
static const char *const memory[] = { "imc*",  "*ddr*",	      "*dmc*",
				      "*umc*", "*drw*",	      "mc",
				      "hbm*",  "nvidia_scf*", "nvidia_ucf*" };

/* By the drivers' and vendors' documents. */
static const struct fact {
	const char *box, *event;
	double bytes;
	enum way way;
} facts[] = {
	{ "hisi_*ddrc*", "flux_rd", 32, READ },
	{ "hisi_*ddrc*", "flux_wr", 32, WRITTEN },
	{ "ali_drw*", "hif_rd", 64, READ },
	{ "ali_drw*", "hif_wr", 64, WRITTEN },
	{ "ali_drw*", "hif_rmw", 64, WRITTEN },
	{ "nvidia_*", "[cg]mem_rd_data", 32, READ },
	{ "nvidia_*", "[cg]mem_rd*_bytes", 1, READ },
	{ "nvidia_*", "[cg]mem_wr*_bytes", 1, WRITTEN },
	{ "imc*", "UNC_M_CAS_COUNT.RD", 64, READ },
	{ "imc*", "UNC_M_CAS_COUNT.WR", 64, WRITTEN },
};

static const struct {
	const char *name;
	double bytes;
} units[] = {
	{ "B", 1 },    { "Bytes", 1 },
	{ "KB", 1e3 }, { "KiB", 1024 },
	{ "MB", 1e6 }, { "MiB", 1024 * 1024 },
	{ "GB", 1e9 }, { "GiB", 1024.0 * 1024 * 1024 },
};

/* What the events of a box say, and how well. */
struct found {
	const struct uncore_family *family;
	struct text terms[NUM_WAYS]; /* of a formula, in bytes */
	unsigned rank;
};

static bool is_like(const char *name, const char *pattern)
{
	return !fnmatch(pattern, name, FNM_CASEFOLD);
}

static bool is_memory(const char *box)
{
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (is_like(box, memory[i]))
			return true;
	return false;
}

/* Bytes of one count by its unit and scale; 0: it counts no bytes. */
static double bytes_of(const struct uc_event *event)
{
	for (size_t i = 0; event->unit && i < sizeof(units) / sizeof(units[0]);
	     i++)
		if (!strcasecmp(event->unit, units[i].name) &&
		    isfinite(event->scale) && event->scale > 0)
			return event->scale * units[i].bytes;
	return 0;
}

/* Which way by the words of a name; memory of other kinds is another thing. */
static enum way way_of(const char *name)
{
	bool is_read = is_like(name, "*read*") || is_like(name, "*_rd*") ||
		       is_like(name, "rd*");
	bool is_written = is_like(name, "*writ*") || is_like(name, "*_wr*") ||
			  is_like(name, "wr*");

	if (is_like(name, "*ddrt*") || is_like(name, "*pmm*"))
		return NEITHER_WAY;
	if (is_read != is_written)
		return is_read ? READ : WRITTEN;
	return is_read || is_like(name, "*total*") || is_like(name, "*_rw*")
		       ? BOTH_WAYS
		       : NEITHER_WAY;
}

static const struct fact *fact_of(const struct uc_box *box,
				  const struct uc_event *event)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (is_like(box->name, facts[i].box) &&
		    is_like(event->name, facts[i].event))
			return &facts[i];
	return NULL;
}

/* Names come from a machine's files: what is no event in a formula is left
 * out. */
static bool is_event(const struct found *found, const struct uc_box *box,
		     const struct uc_event *event)
{
	struct uncore_event *parsed = NULL;
	struct text text = { 0 };
	bool is = !strpbrk(event->name, "{}$#\"'/ \t,");

	text_add(&text, "%s/%s/", box->name, event->name);
	is = is && text.data &&
	     !uncore_event_parse(found->family, text.data, &parsed, NULL);
	uncore_event_free(parsed);
	text_free(&text);
	return is;
}

static void add_term(struct found *found, enum way way, double bytes,
		     const struct uc_box *box, const struct uc_event *event)
{
	struct text *terms = &found->terms[way];

	if (way == NEITHER_WAY || !(bytes > 0) || event->num_params ||
	    !is_event(found, box, event))
		return;
	text_add(terms, "%s%.17g * {%s/%s/}", terms->length ? " + " : "", bytes,
		 box->name, event->name);
}

static void look_at(const struct uc_box *box, bool has_units,
		    struct found *found)
{
	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *event = &box->events[i];
		const struct fact *fact =
			has_units ? NULL : fact_of(box, event);

		if (event->excluded)
			continue;
		if (has_units)
			add_term(found, way_of(event->name), bytes_of(event),
				 box, event);
		else if (fact)
			add_term(found, fact->way, fact->bytes, box, event);
	}
}

static bool tells(const struct found *found)
{
	return found->terms[READ].length || found->terms[WRITTEN].length ||
	       found->terms[BOTH_WAYS].length;
}

static void found_free(struct found *found)
{
	for (unsigned way = 0; way < NUM_WAYS; way++)
		text_free(&found->terms[way]);
	*found = (struct found){ 0 };
}

static struct found look_at_box(const struct uncore_family *family,
				const struct uc_box *box)
{
	struct found found = { .family = family };

	if (is_memory(box->name))
		look_at(box, true, &found);
	if (!tells(&found))
		look_at(box, false, &found);
	if (!tells(&found))
		return found;
	found.rank =
		1u + !is_like(box->name, "*free_running*") +
		2u * (found.terms[READ].length && found.terms[WRITTEN].length);
	return found;
}

static struct found look_at_all(const struct uncore_family *family)
{
	const struct uc_family *row = family_row(family);
	struct found best = { 0 };

	for (unsigned b = 0; b < row->num_boxes; b++) {
		struct found found = look_at_box(family, &row->boxes[b]);

		if (found.rank > best.rank) {
			found_free(&best);
			best = found;
		} else {
			found_free(&found);
		}
	}
	return best;
}

static void say(struct text *text, const char *name, const char *title,
		const char *terms)
{
	text_add(text,
		 "metric memory_%s memory \"%s\" unit=bytes kind=total "
		 "source=\"sysfs\"\n  formula %s\n",
		 name, title, terms);
}

static void say_rate(struct text *text, const char *name, const char *title,
		     const char *terms)
{
	text_add(text,
		 "metric memory_%sbandwidth memory \"%s per second\" "
		 "unit=GB/s kind=rate source=\"sysfs\"\n"
		 "  formula 1e-9 * (%s) / seconds\n",
		 name, title, terms);
}

char *metric_of_memory(const struct uncore_family *family)
{
	struct found found = look_at_all(family);
	struct text *read = &found.terms[READ];
	struct text *written = &found.terms[WRITTEN];
	struct text *both = &found.terms[BOTH_WAYS];
	struct text text = { 0 };

	if (read->length && written->length) {
		text_free(both);
		text_add(both, "%s + %s", read->data, written->data);
	}
	if (read->length) {
		say(&text, "read", "Read from memory", read->data);
		say_rate(&text, "read_", "Read volume", read->data);
	}
	if (written->length) {
		say(&text, "write", "Written to memory", written->data);
		say_rate(&text, "write_", "Written volume", written->data);
	}
	if (both->length) {
		say(&text, "volume", "Read and written", both->data);
		say_rate(&text, "", "Volume read and written", both->data);
	}
	found_free(&found);
	return text_take(&text);
}
