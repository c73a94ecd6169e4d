/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TYPE "uncore_type_"

enum perf_kind perf_kind_of(const char *name)
{
	static const struct {
		const char *start;
		enum perf_kind kind;
	} kinds[] = {
		{ "arm_spe_", PERF_KIND_CORE },
		{ "cstate_core", PERF_KIND_CORE },
		{ "cstate_", PERF_KIND_POWER },
		{ "power", PERF_KIND_POWER },
		{ "i915", PERF_KIND_POWER },
		{ "xe_", PERF_KIND_POWER },
		{ "amdgpu_", PERF_KIND_POWER },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(name, kinds[i].start, strlen(kinds[i].start)))
			return kinds[i].kind;
	return PERF_KIND_UNCORE;
}

/* Where the address at the end of a name begins, as in arm_dmc620_10008c000, or
 * NULL. */
static const char *address_in(const char *name)
{
	const char *last = strrchr(name, '_');
	size_t length = last ? strlen(last + 1) : 0;

	if (length < 5 || strspn(last + 1, "0123456789abcdef") != length ||
	    strcspn(last + 1, "0123456789") == length)
		return NULL;
	return last + 1;
}

/* The length of a number that may be an instance's; mem0.1 has one. */
static size_t number_at(const char *name, const char *at)
{
	size_t length = strspn(at, "0123456789.");

	if (at == address_in(name))
		length = strlen(at);
	else if (at > name && isdigit((unsigned char)at[-1]))
		return 0;
	return at[length] && at[length] != '_' ? 0 : length;
}

/* Whether two names differ in their numbers only, and in this one. */
static bool differ_in(const char *one, const char *at, const char *other)
{
	const char *first = one;
	const char *second = other;
	bool differ = false;

	while (*first && *second) {
		size_t length = number_at(one, first);
		size_t its = number_at(other, second);

		if (!length != !its || (!length && *first != *second))
			return false;
		if (first == at)
			differ = length != its || strncmp(first, second, its);
		first += length ? length : 1;
		second += its ? its : 1;
	}
	return differ && !*first && !*second;
}

static bool is_instance(const char *name, const char *at, size_t length,
			const char *const *all, size_t num)
{
	bool is_apart = at > name && at[-1] == '_';

	if (at == name || (at - name == sizeof(TYPE) - 1 &&
			   !strncmp(name, TYPE, sizeof(TYPE) - 1)))
		return false;
	if (is_apart ? !at[length] : !strncmp(name, "hisi_", 5))
		return true;
	if (!is_apart && at[length])
		return false;
	if (strspn(at, "0.") == length)
		return true;
	for (size_t i = 0; i < num; i++)
		if (differ_in(name, at, all[i]))
			return true;
	return false;
}

char *perf_box_name(const char *name, const char *const *all, size_t num)
{
	char *box = malloc(strlen(name) + 1), *to = box;

	if (perf_kind_of(name) != PERF_KIND_UNCORE)
		return box ? strcpy(box, name) : NULL;
	for (const char *at = name; box && *at;) {
		size_t length = number_at(name, at);

		if (length && is_instance(name, at, length, all, num)) {
			at += length;
			if (to > box && to[-1] == '_')
				to--;
		} else {
			*to++ = *at++;
		}
	}
	if (box)
		*to = '\0';
	return box;
}

bool perf_name_number(const char *name, const char *box, unsigned *number)
{
	size_t length = strlen(box);
	char *end;

	*number = 0;
	if (!strcmp(name, box))
		return true;
	if (strncmp(name, box, length) || address_in(name))
		return false;
	length += name[length] == '_';
	if (!isdigit((unsigned char)name[length]))
		return false;
	*number = (unsigned)strtoul(name + length, &end, 10);
	return !*end;
}

int perf_name_order(const char *one, const char *other)
{
	const char *address = address_in(one), *its = address_in(other);

	if (address && its && strlen(address) != strlen(its))
		return strlen(address) < strlen(its) ? -1 : 1;
	return address && its ? strcmp(one, other) : strverscmp(one, other);
}
