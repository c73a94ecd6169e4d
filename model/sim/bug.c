/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/sim/bug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bug(const char *what, const char *file, int line)
{
	const char *name = strrchr(file, '/');

	fprintf(stderr,
		"uncore: the model cannot go on: %s (%s:%d): please report "
		"this fault of uncore\n",
		what, name ? name + 1 : file, line);
	abort();
}

void bug_no_memory(void)
{
	fputs("uncore: the model cannot go on: out of memory\n", stderr);
	abort();
}
