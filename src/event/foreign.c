/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events in the words of others: the kernel's uncore_NAME_0/event=0x14/, as
 * sysfs shows them, and LIKWID's EVENT:NAME0C0. Both are turned into
 * our words and read as such. perf's names for events of cores are answered
 * with what an uncore has instead.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/event.h"
#include "uncore/error.h"

#define KERNEL_PREFIX "uncore_"

/* The first row of a kind and box with a name (NULL: any), or NULL. */
static const struct uc_foreign *row_of(const struct uc_family *family,
				       enum uc_foreign_kind kind, unsigned box,
				       const char *name, size_t length)
{
	for (unsigned i = 0; i < family->num_foreign; i++) {
		const struct uc_foreign *row = &family->foreign[i];

		if (row->kind == kind && row->box == box &&
		    (!name || text_same(name, length, row->name)))
			return row;
	}
	return NULL;
}

static bool begins(const char *text, const char *start)
{
	return !strncasecmp(text, start, strlen(start));
}

/* The row of the code of an event of the kernel's, or NULL. */
static const struct uc_foreign *row_of_code(const struct uc_family *family,
					    unsigned box, const char *words)
{
	const char *event = strstr(words, "event=");

	for (unsigned i = 0; event && i < family->num_foreign; i++) {
		const struct uc_foreign *row = &family->foreign[i];

		if (row->kind == UC_FOREIGN_KERNEL_CODE && row->box == box &&
		    strtoul(row->name, NULL, 0) ==
			    strtoul(event + strlen("event="), NULL, 0))
			return row;
	}
	return NULL;
}

/* A PMU of the kernel, box and number apart; `ports` if it is of so many. */
struct kernel_pmu {
	const struct uc_family *family;
	const struct uc_foreign *ports; /* or NULL */
	unsigned box;
	unsigned instance;
};

/* Slots of a kind follow each other. */
static void add_port(struct text *text, const struct kernel_pmu *pmu,
		     unsigned number)
{
	text_add(text, "port=%u,slot=%u",
		 number / pmu->ports->events +
			 pmu->ports->ports * pmu->instance,
		 number % pmu->ports->events % 2);
}

static void add_option(struct text *text, const struct kernel_pmu *pmu,
		       const char *word)
{
	size_t length = strcspn(word, "=");
	const struct uc_foreign *row = row_of(
		pmu->family, UC_FOREIGN_KERNEL_OPTION, pmu->box, word, length);

	if (pmu->ports && begins(word, "event="))
		add_port(text, pmu,
			 (unsigned)strtoul(word + strlen("event="), NULL, 0));
	else if (row)
		text_add(text, "%s%s", row->ours, word + length);
	else
		text_add(text, "%s", word);
}

static void add_options(struct text *text, const struct kernel_pmu *pmu,
			char *words)
{
	const struct uc_foreign *with = NULL;
	char *save = NULL;

	for (char *word = strtok_r(words, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		const struct uc_foreign *row =
			row_of(pmu->family, UC_FOREIGN_KERNEL_WITH, pmu->box,
			       word, strcspn(word, "="));

		if (text->data[text->length - 1] != '/')
			text_add(text, ",");
		add_option(text, pmu, word);
		with = row ? row : with;
	}
	if (with)
		text_add(text, ",%s", with->ours);
}

/* Finds the box of a PMU; its name here, or the kernel's if there is none. */
static const char *find_box(struct kernel_pmu *pmu, const char *name)
{
	const struct uc_family *family = pmu->family;

	for (unsigned i = 0; i < family->num_foreign; i++)
		if (family->foreign[i].kind == UC_FOREIGN_KERNEL_NAME &&
		    !strcasecmp(family->foreign[i].name, name))
			name = family->boxes[family->foreign[i].box].name;
	if (uc_box_find(family, name, &pmu->box))
		pmu->ports = row_of(family, UC_FOREIGN_KERNEL_PORTS, pmu->box,
				    NULL, 0);
	return name;
}

/* uncore_BOX[_N]/WORDS/ */
static int from_kernel(const struct uc_family *family, const char *text,
		       struct text *ours)
{
	struct kernel_pmu pmu = { .family = family, .box = UC_BOX_NONE };
	char *box = strdup(text + strlen(KERNEL_PREFIX));
	char *slash = box ? strchr(box, '/') : NULL, *words = NULL, *end;
	const struct uc_foreign *row;
	const char *name = NULL;
	bool has_instance = false;

	if (slash) {
		*slash++ = 0;
		slash[strcspn(slash, "/")] = 0;
	}
	end = box ? strrchr(box, '_') : NULL;
	if (end && isdigit((unsigned char)end[1])) {
		pmu.instance = (unsigned)strtoul(end + 1, NULL, 10);
		has_instance = true;
		*end = 0;
	}
	if (box)
		name = find_box(&pmu, box);
	if (slash) {
		row = row_of(family, UC_FOREIGN_KERNEL, pmu.box, slash,
			     strlen(slash));
		if (!row)
			row = row_of_code(family, pmu.box, slash);
		words = strdup(row ? row->ours : slash);
	}
	if (name && (!slash || words)) {
		text_add(ours, "%s", name);
		if (has_instance && !pmu.ports)
			text_add(ours, "%u", pmu.instance);
		text_add(ours, "/");
		if (words)
			add_options(ours, &pmu, words);
		text_add(ours, "/");
	}
	free(words);
	free(box);
	return ours->data && !ours->failed ? 0 : UNCORE_ERR_NO_MEMORY;
}

/* Length of a name at the start of LIKWID's, in which dots are underscores; 0
 * if it is none. */
static size_t likwid_match(const char *name, const char *likwid)
{
	size_t i = 0;

	for (; name[i]; i++)
		if (toupper((unsigned char)name[i]) !=
			    toupper((unsigned char)likwid[i]) &&
		    !(name[i] == '.' && likwid[i] == '_'))
			return 0;
	return !likwid[i] || likwid[i] == '_' ? i : 0;
}

/* The unit masks, and ports with slots of a kind of sub-register, that follow
 * an event's name; false if something else does. */
static bool add_masks(const struct uc_event *row, const char *rest,
		      struct text *masks, struct text *options)
{
	while (*rest) {
		size_t best = 0;
		const char *name = NULL;
		unsigned port, slot;
		int used = 0;

		rest += *rest == '_';
		if (sscanf(rest, "PORT%u_%*[A-Z]%u%n", &port, &slot, &used) ==
		    2) {
			text_add(options, ",port=%u,slot=%u", port, slot);
			rest += used;
			continue;
		}
		for (unsigned i = 0; i < row->num_unit_masks; i++) {
			size_t length =
				likwid_match(row->unit_masks[i].name, rest);

			if (length > best) {
				best = length;
				name = row->unit_masks[i].name;
			}
		}
		if (!best)
			return false;
		text_add(masks, ".%s", name);
		rest += best;
	}
	return true;
}

static bool add_likwid_name(const struct uc_box *box, const char *likwid,
			    struct text *ours)
{
	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];
		size_t length = likwid_match(row->name, likwid);
		struct text masks = { 0 }, options = { 0 };
		bool fits = length &&
			    add_masks(row, likwid + length, &masks, &options);

		if (fits)
			text_add(ours, "%s%s%s", row->name,
				 masks.data ? masks.data : "",
				 options.data ? options.data : "");
		text_free(&masks);
		text_free(&options);
		if (fits)
			return true;
	}
	return false;
}

/* Options behind the counter. */
static bool add_likwid_options(char *words, struct text *ours)
{
	static const struct {
		const char *name, *ours;
	} rows[] = {
		{ "EDGEDETECT", "edge" },    { "INVERT", "inv" },
		{ "THRESHOLD=", "thresh=" }, { "MATCH0=", "match=" },
		{ "MASK0=", "mask=" },
	};
	char *save = NULL;

	for (char *word = strtok_r(words, ":", &save); word;
	     word = strtok_r(NULL, ":", &save)) {
		bool found = false;

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (!begins(word, rows[i].name))
				continue;
			text_add(ours, ",%s%s", rows[i].ours,
				 word + strlen(rows[i].name));
			found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

/* The box that a counter of LIKWID (NAME3C1) is in, and how many letters name
 * it and its instance; NULL: no such box. */
static const struct uc_box *likwid_box(const struct uc_family *family,
				       const char *counter)
{
	for (unsigned i = 0; i < family->num_boxes; i++)
		if (begins(counter, family->boxes[i].name))
			return &family->boxes[i];
	for (unsigned i = 0; i < family->num_foreign; i++)
		if (family->foreign[i].kind == UC_FOREIGN_LIKWID_COUNTER &&
		    begins(counter, family->foreign[i].name))
			return &family->boxes[family->foreign[i].box];
	return NULL;
}

/* NAME:COUNTER[:OPTION...] */
static int from_likwid(const struct uc_family *family, const char *text,
		       struct text *ours, char **error)
{
	char *name = strdup(text);
	char *counter = name ? strchr(name, ':') : NULL, *options, *digits;
	const struct uc_foreign *row;
	const struct uc_box *box;
	bool fits = false;

	if (!counter) {
		free(name);
		return UNCORE_ERR_NO_MEMORY;
	}
	*counter++ = 0;
	options = counter + strcspn(counter, ":");
	if (*options)
		*options++ = 0;
	box = likwid_box(family, counter);
	if (box) {
		digits = counter + strlen(box->name);
		text_add(ours, "%s", box->name);
		if (isdigit((unsigned char)*digits) && box->num_instances > 1)
			text_add(ours, "%lu", strtoul(digits, NULL, 10));
		text_add(ours, "/");
		row = row_of(family, UC_FOREIGN_LIKWID,
			     (unsigned)(box - family->boxes), name,
			     strlen(name));
		fits = row || add_likwid_name(box, name, ours);
		if (row)
			text_add(ours, "%s", row->ours);
		fits = fits && add_likwid_options(options, ours);
		text_add(ours, "/");
	}
	free(name);
	if (fits)
		return ours->failed ? UNCORE_ERR_NO_MEMORY : 0;
	return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
			  box ? "'%s' has the form of LIKWID's EVENT:COUNTER, "
				"but names no event that the box has, or an "
				"option that is not known here; 'uncore list' "
				"shows ours"
			      : "'%s' has the form of LIKWID's EVENT:COUNTER, "
				"but there is no such box",
			  text);
}

/* perf's names for what cores and the kernel alone count, by their
 * beginnings. */
static const char *const of_cores[] = {
	"L1-",
	"dTLB-",
	"iTLB-",
	"branch",
	"stalled-cycles",
	"topdown-",
	"task-clock",
	"cpu-clock",
	"page-faults",
	"context-switches",
	"cpu-migrations",
	"cycles",
	"cpu-cycles",
	"bus-cycles",
	"ref-cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"LLC-",
	"node-",
	"mem-",
};

/* One that ends in a dash is a beginning; the others are whole names. */
static bool is_called(const char *text, const char *begin)
{
	return begin[strlen(begin) - 1] == '-' || !strcmp(begin, "branch")
		       ? !strncmp(text, begin, strlen(begin))
		       : !strcmp(text, begin);
}

static int from_perf(const struct uc_family *family, const char *text,
		     char **error)
{
	if (strchr(text, '/'))
		return 0;
	for (unsigned i = 0; i < family->num_foreign; i++)
		if (family->foreign[i].kind == UC_FOREIGN_CORE &&
		    is_called(text, family->foreign[i].name))
			return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
					  "'%s' is perf's name for an event of "
					  "cores; an uncore has: %s",
					  text, family->foreign[i].ours);
	for (size_t i = 0; i < sizeof(of_cores) / sizeof(of_cores[0]); i++)
		if (is_called(text, of_cores[i]))
			return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
					  "'%s' is perf's name for what cores "
					  "or the kernel count; 'perf stat' "
					  "counts it, an uncore does not",
					  text);
	return 0;
}

int event_foreign(const struct uc_family *family, const char *text, char **ours,
		  char **error)
{
	struct text made = { 0 };
	int result;

	*ours = NULL;
	if (begins(text, KERNEL_PREFIX) && strchr(text, '/'))
		result = from_kernel(family, text, &made);
	else if (strchr(text, ':') && !strchr(text, '/'))
		result = from_likwid(family, text, &made, error);
	else
		return from_perf(family, text, error);
	if (!result)
		*ours = text_take(&made);
	text_free(&made);
	return result || *ours ? result : UNCORE_ERR_NO_MEMORY;
}
