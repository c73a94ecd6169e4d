/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See demangle.h.
 */
#include "record/demangle.h"

#include <libiberty/demangle.h>
#include <stddef.h>
#include <string.h>

/* Names come out of anybody's files, and the demangler follows their nesting by
 * recursion. */
enum { MOST_BYTES = 4096 };

char *demangle(const char *name)
{
	if (!name || name[0] != '_' || strlen(name) > MOST_BYTES)
		return NULL;
	return cplus_demangle(name, DMGL_AUTO);
}
