/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events in the words of others, turned into ours and read as such: the
 * kernel's (alias_kernel.c) and LIKWID's (alias_likwid.c). perf's names for
 * events of cores are answered with what an uncore has instead.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/alias.h"
#include "uncore/error.h"

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
		     char **error)
{
	if (strchr(text, '/'))
		return 0;
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
	int result =
		stem ? from_perf(family, stem, error) : UNCORE_ERR_NO_MEMORY;

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
	if (modifiers(text))
		return from_modified(family, text, modifiers(text), error);
	if (alias_begins(text, ALIAS_KERNEL_PREFIX) && strchr(text, '/'))
		result = alias_kernel(family, text, &made);
	else if (strchr(text, ':') && !strchr(text, '/'))
		result = alias_likwid(family, text, &made, error);
	else
		return from_perf(family, text, error);
	if (!result)
		*ours = text_take(&made);
	text_free(&made);
	return result || *ours ? result : UNCORE_ERR_NO_MEMORY;
}
