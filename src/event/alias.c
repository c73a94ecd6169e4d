/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events in the words of others, turned into ours and read as such: the
 * kernel's and PCM's (alias_kernel.c), libpfm4's (alias_libpfm.c), LIKWID's
 * (alias_likwid.c), and names of perf's lists. Those for events of cores are
 * answered with what an uncore has instead.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/alias.h"
#include "uncore/error.h"

const char *alias_option(const struct uc_family *family, unsigned box,
			 const char *kernel, const char *ours)
{
	const struct uc_alias *row = uc_alias_find(
		family, UC_ALIAS_KERNEL_OPTION, box, kernel, strlen(kernel));

	return row ? row->ours : ours;
}

bool alias_begins(const char *text, const char *start)
{
	return !strncasecmp(text, start, strlen(start));
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
		     struct text *ours, char **error)
{
	if (strchr(text, '/'))
		return 0;
	for (unsigned i = 0; i < family->num_aliases; i++) {
		const struct uc_alias *row = &family->aliases[i];

		if (row->kind != UC_ALIAS_PERF || strcasecmp(row->name, text))
			continue;
		text_add(ours, "%s/%s/", family->boxes[row->box].name,
			 row->ours);
		return ours->failed ? UNCORE_ERR_NO_MEMORY : 0;
	}
	for (unsigned i = 0; i < family->num_aliases; i++)
		if (family->aliases[i].kind == UC_ALIAS_CORE &&
		    is_called(text, family->aliases[i].name))
			return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
					  "'%s' is perf's name for an event of "
					  "cores; an uncore has: %s",
					  text, family->aliases[i].ours);
	for (size_t i = 0; i < sizeof(of_cores) / sizeof(of_cores[0]); i++)
		if (is_called(text, of_cores[i]))
			return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
					  "'%s' is perf's name for what cores "
					  "or the kernel count; 'perf stat' "
					  "counts it, an uncore does not",
					  text);
	return 0;
}

/* What is before perf's modifiers, which choose what cores do (:u, :kpp, and of
 * box/event/u the second slash), or NULL. */
static const char *modifiers(const char *text)
{
	const char *slash = strchr(text, '/');
	const char *colon = slash ? strchr(slash + 1, '/') : strchr(text, ':');
	size_t length = colon ? strspn(colon + 1, "ukhGHpPSDWeb") : 0;

	return length && !colon[1 + length] ? colon : NULL;
}

static int from_modified(const struct uc_family *family, const char *text,
			 const char *colon, char **error)
{
	char *stem = strndup(text, (size_t)(colon - text));
	struct text ours = { 0 };
	int result = stem ? from_perf(family, stem, &ours, error)
			  : UNCORE_ERR_NO_MEMORY;

	text_free(&ours);
	free(stem);
	return result ? result
		      : text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				   "'%s' ends in perf's '%s', which chooses "
				   "what cores do; an uncore cannot tell that "
				   "apart: leave it out",
				   text, colon + (*colon == '/'));
}

int event_alias(const struct uc_family *family, const char *text, char **ours,
		char **error)
{
	struct text made = { 0 };
	int result;

	*ours = NULL;
	/* :e is perf's, and libpfm4's for edges */
	if (modifiers(text) &&
	    !(alias_is_libpfm(text) && !strcasecmp(modifiers(text), ":e")))
		return from_modified(family, text, modifiers(text), error);
	if (alias_is_kernel(family, text))
		result = alias_kernel(family, text, &made);
	else if (alias_is_libpfm(text))
		result = alias_libpfm(family, text, &made, error);
	else if (strchr(text, ':') && !strchr(text, '/'))
		result = alias_likwid(family, text, &made, error);
	else
		result = from_perf(family, text, &made, error);
	if (!result && made.data)
		*ours = text_take(&made);
	text_free(&made);
	return result;
}
