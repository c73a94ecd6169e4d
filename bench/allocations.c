/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Blocks of several sizes that are made and freed, some alive at a time:
 * `allocations NUMBER`.
 */
#include <stdlib.h>

enum { KEPT = 64 };
static char *kept[KEPT];

int main(int argc, char **argv)
{
	unsigned long num = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned drawn = 1;

	for (unsigned long i = 0; i < num; i++) {
		char **at = &kept[(drawn >> 16) % KEPT];

		drawn = drawn * 1664525 + 1013904223;
		free(*at);
		*at = malloc(16 + drawn % 64 * 16);
		**at = 1;
	}
	return 0;
}
