/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lists of settings, taken apart in place.
 */
#include "base/setting.h"

#include <stddef.h>
#include <string.h>

void setting_split(char *word, struct setting *setting)
{
	char *equals = strchr(word, '=');

	setting->name = word;
	setting->value = equals ? equals + 1 : NULL;
	if (equals)
		*equals = '\0';
}

bool setting_next(char **list, struct setting *setting)
{
	char *word;

	while ((word = strsep(list, ",")))
		if (*word) {
			setting_split(word, setting);
			return true;
		}
	return false;
}
