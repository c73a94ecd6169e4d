/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random events.
 */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

unsigned rig_random(struct rig *rig, unsigned n)
{
	rig->random = rig->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(rig->random >> 33) % n;
}

void rig_start(struct rig *rig, const char *machine, uint64_t seed)
{
	*rig = (struct rig){ .family = uncore_family_find(machine),
			     .random = seed * 0x9E3779B97F4A7C15u + 1 };
	assert_non_null(rig->family);
	rig_random(rig, 2);
}

static unsigned count_events(const struct rig *rig)
{
	struct uncore_event_info info;
	unsigned n = 0;

	while (uncore_family_event(rig->family, n, &info))
		n++;
	return n;
}

static void add(char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, RIG_MAX_TEXT - used, format, args);
	va_end(args);
}

/* Options that some events have; others refuse them, and are drawn anew. */
static const char *const special[] = {
	"",	    "",	       "",	   ",fvid=1",  ",fvid=2", ",dimm=1",
	",mc=HOM0", ",mc=SNP", ",addr=64", ",mc=HOM0", ",addr=0", ",pmi",
};

/* Bands of the PCU, which may move. */
static void add_band(struct rig *rig, const char *event, char *text)
{
	const char *name = strstr(event, "FREQ_BAND");

	if (name)
		add(text, ",band%c=%u", name[strlen("FREQ_BAND")],
		    10 + rig_random(rig, 3));
}

static void write_event(struct rig *rig, const struct uncore_event_info *info,
			bool options, char *text)
{
	struct uncore_unit_mask mask;
	struct uncore_box box;
	const char *option;
	size_t b = 0;

	while (uncore_family_box(rig->family, b, &box) &&
	       strcmp(box.name, info->box))
		b++;
	*text = 0;
	add(text, "%s", info->box);
	if (options && !rig_random(rig, 3))
		add(text, "%u", rig_random(rig, box.num_instances));
	add(text, "/%s", info->name);
	if (info->num_unit_masks &&
	    uncore_event_info_unit_mask(
		    info, rig_random(rig, (unsigned)info->num_unit_masks),
		    &mask))
		add(text, ".%s", mask.name);
	if (box.num_ports > 1)
		add(text, ",port=%u", rig_random(rig, options ? 2 : 8));
	option = special[rig_random(rig, sizeof(special) / sizeof(special[0]))];
	/* an address makes another unit mask of an M-Box event hold than the
	 * one that is named, whose fields then are set in vain */
	if (strcmp(info->box, "mbox") || !strstr(option, "addr"))
		add(text, "%s", option);
	add_band(rig, info->name, text);
	if (options && !rig_random(rig, 8))
		add(text, ",counter=%u", rig_random(rig, 4));
	if (options && box.num_ports > 1 && !rig_random(rig, 6))
		add(text, ",slot=%u", rig_random(rig, 2));
	add(text, "/");
}

/* Events of a set are of few boxes: that of one of the first events again, or
 * any while there are not so many. */
static void choose_box(struct rig *rig, unsigned num_boxes, char *name)
{
	unsigned n = rig_random(rig, num_boxes);
	struct uncore_box box;
	unsigned boxes = 0;

	while (uncore_family_box(rig->family, boxes, &box))
		boxes++;
	uncore_family_box(rig->family, rig_random(rig, boxes), &box);
	snprintf(name, RIG_MAX_TEXT, "%s",
		 rig->num_events > n ? uncore_event_box(rig->events[n])
				     : box.name);
}

void rig_add(struct rig *rig, unsigned num_boxes, bool options)
{
	unsigned num = count_events(rig);
	char text[RIG_MAX_TEXT], box[RIG_MAX_TEXT];

	choose_box(rig, num_boxes, box);
	assert_in_range(rig->num_events, 0, RIG_MAX_EVENTS - 1);
	for (;;) {
		struct uncore_event **event = &rig->events[rig->num_events];
		struct uncore_event_info info;

		uncore_family_event(rig->family, rig_random(rig, num), &info);
		/* what that one counts hangs on the event of counter 0 */
		if (strcmp(info.box, box) || info.excluded ||
		    !strcmp(info.name, "COUNTER0_OCCUPANCY"))
			continue;
		write_event(rig, &info, options, text);
		if (uncore_event_parse(rig->family, text, event, NULL))
			continue;
		if (!uncore_event_excluded(*event))
			break;
		uncore_event_free(*event);
	}
	rig->num_events++;
}

void rig_add_text(struct rig *rig, const char *text)
{
	char *error = NULL;

	if (uncore_event_parse(rig->family, text, &rig->events[rig->num_events],
			       &error))
		fail_msg("%s", error);
	rig->num_events++;
}

void rig_end(struct rig *rig)
{
	for (size_t i = 0; i < rig->num_events; i++)
		uncore_event_free(rig->events[i]);
	rig->num_events = 0;
}
