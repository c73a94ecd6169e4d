/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The search for near names, for those who see public headers only.
 */
#include "uncore/error.h"

#include <stdlib.h>

#include "base/text.h"

struct uncore_closest {
	struct nearest nearest;
};

struct uncore_closest *uncore_closest_new(const char *wanted)
{
	struct uncore_closest *closest = calloc(1, sizeof(*closest));

	if (closest)
		closest->nearest.wanted = wanted;
	return closest;
}

void uncore_closest_offer(struct uncore_closest *closest, const char *name)
{
	nearest_offer(&closest->nearest, name);
}

char *uncore_closest_say(struct uncore_closest *closest)
{
	struct text text = { 0 };

	text_add(&text, "%s", "");
	nearest_say(&closest->nearest, &text);
	free(closest);
	return text_take(&text);
}
