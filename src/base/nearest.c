/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which names look most like one that was mistyped, so that an error can
 * name them.
 */
#include "uncore/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_LENGTH = 63 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Changes of one letter that turn a into b, case ignored. */
static unsigned distance_of(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	unsigned row[MAX_LENGTH + 1];

	na = na < MAX_LENGTH ? na : MAX_LENGTH;
	nb = nb < MAX_LENGTH ? nb : MAX_LENGTH;
	for (size_t j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned above = row[j];
			bool same = toupper((unsigned char)a[i - 1]) ==
				    toupper((unsigned char)b[j - 1]);

			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + !same);
			diagonal = above;
		}
	}
	return row[nb];
}

/* How far a name is from what was wanted; false where it is too far. A name
 * that holds the other one is near whatever its length: LLC_MISS for
 * LLC_MISSES, CREDIT for NO_CREDIT_HOM; of several such the shortest comes
 * first. */
static bool is_near(const char *wanted, const char *name, unsigned *distance)
{
	size_t length = strlen(wanted), other = strlen(name);
	size_t least = length > other ? length - other : other - length;
	size_t most = 2 + length / 4;
	bool is_part = length >= 3 && strcasestr(name, wanted);

	if (least > most && !is_part)
		return false; /* most names: nothing is compared */
	*distance = distance_of(wanted, name);
	return *distance <= most || is_part;
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	unsigned distance, place;

	if (!is_near(nearest->wanted, name, &distance))
		return;
	for (unsigned i = 0; i < nearest->num; i++)
		if (!strcasecmp(nearest->names[i], name))
			return;
	for (place = 0; place < nearest->num; place++)
		if (distance < nearest->distances[place])
			break;
	if (place == NEAREST_MAX)
		return;
	if (nearest->num < NEAREST_MAX)
		nearest->num++;
	for (unsigned i = nearest->num - 1; i > place; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[place] = name;
	nearest->distances[place] = distance;
}

void nearest_say(const struct nearest *nearest, struct text *text)
{
	for (unsigned i = 0; i < nearest->num; i++)
		text_add(text, "%s%s",
			 i == 0			? "; did you mean "
			 : i + 1 < nearest->num ? ", "
						: " or ",
			 nearest->names[i]);
	if (nearest->num)
		text_add(text, "?");
}

char *nearest_text(const struct nearest *nearest)
{
	struct text text = { 0 };

	nearest_say(nearest, &text);
	return text_take(&text);
}

/* For those who see public headers only */

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
	char *said = nearest_text(&closest->nearest);

	free(closest);
	return said;
}
