/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Mistakes on purpose, one of each kind, never built: checker.sh demands that
 * the checker finds them all.
 */
#include <stdlib.h>

int planted_null(int *cell);
int planted_leak(void);
int planted_uninitialised(int choice);
int planted_bounds(void);

int planted_null(int *cell)
{
	*cell = 1;
	return cell ? *cell : *(int *)NULL;
}

int planted_leak(void)
{
	char *text = malloc(16);

	if (!text)
		return -1;
	text[0] = 'a';
	return text[0];
}

int planted_uninitialised(int choice)
{
	int value;

	if (choice)
		return choice;
	return value;
}

int planted_bounds(void)
{
	int cells[4] = { 0 };

	return cells[4];
}
