/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From a text to a target.
 */
#include "where.h"

#include <string.h>

#include "uncore/target.h"

/* What follows "name:", or NULL. */
static const char *after(const char *where, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(where, name, length) || where[length] != ':' ||
	    !where[length + 1])
		return NULL;
	return where + length + 1;
}

bool where_is_known(const char *where)
{
	return !strcmp(where, "model") || !strcmp(where, "msr") ||
	       after(where, "msr") || after(where, "socket");
}

struct uncore_target *where_open(const char *where, char **error)
{
	if (after(where, "socket"))
		return uncore_target_socket(after(where, "socket"), error);
	if (after(where, "msr"))
		return uncore_target_msr_at(after(where, "msr"), error);
	return uncore_target_msr(error);
}
