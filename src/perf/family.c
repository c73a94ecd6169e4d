/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/family.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "perf/json.h"
#include "perf/kernel.h"
#include "perf/live.h"
#include "uncore/error.h"

#define SYSFS "/sys"

/* How many counters a PMU has the kernel does not say: it is tried, or where
 * that cannot be, taken to be as many as most have. What does not fit in the
 * end it refuses in a group, or lets take turns, and says how long each was
 * on. */
enum { USUAL_COUNTERS = 4, MOST_COUNTERS = 8 };

enum { MAX_BOXES = UC_BOX_NONE };

/* What a name has before the place of a vendor's list. */
#define EVENTS ",events="

/* What a family of a recording is called, with a number of its text behind. */
#define RECORDED "perf:recording-"

static struct live *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void make_boxes(struct live *live)
{
	struct uc_family *family = &live->family;
	struct uc_box *boxes =
		arena_room(&live->arena, live->pmus.num_boxes, sizeof(*boxes));
	struct uc_register *registers;
	size_t num = 0;

	for (unsigned i = 0; i < live->pmus.num_boxes; i++)
		num += (size_t)live->pmus.boxes[i].num_instances *
		       live->pmus.boxes[i].num_counters * LIVE_REGISTERS;
	registers = arena_room(&live->arena, num, sizeof(*registers));
	for (unsigned i = 0; boxes && registers && i < live->pmus.num_boxes;
	     i++) {
		struct perf_box *box = &live->pmus.boxes[i];

		live_place_terms(box);
		boxes[i] = (struct uc_box){
			.name = box->name,
			.guide_name = box->name,
			.source = "sysfs",
			.num_instances = (uint8_t)box->num_instances,
			.num_counters = (uint8_t)box->num_counters,
			.width_bits = 64,
			.num_ports = 1,
		};
		live_add_events(live, i, &boxes[i]);
		live_add_registers(live, i, &boxes[i], registers);
	}
	family->boxes = boxes;
	family->num_boxes = (uint16_t)live->pmus.num_boxes;
	family->registers = registers;
}

/* As many as run of an event with code 0, which most PMUs have and let any
 * counter count. */
static void find_counters(struct perf_box *box, bool is_here)
{
	const uint64_t words[PERF_NUM_WORDS] = { 0 };
	const struct perf_place *place = box->places;

	while (is_here && !place->pmu)
		place++;
	box->num_counters =
		is_here ? perf_probe(place, words, MOST_COUNTERS) : 0;
	if (!box->num_counters)
		box->num_counters = USUAL_COUNTERS;
}

/* Boxes beyond what tables have room for are left out, and named. */
static int leave_out(struct live *live)
{
	struct perf_pmus *pmus = &live->pmus;
	struct text text = { 0 };
	unsigned num = 0;
	size_t used = 0;

	if (pmus->left_out) /* names that are too long */
		text_add(&text, "%s", pmus->left_out);
	free(pmus->left_out);
	pmus->left_out = NULL;
	for (unsigned i = 0; i < pmus->num_boxes; i++) {
		struct perf_box box = pmus->boxes[i];
		size_t registers = (size_t)box.num_instances *
				   box.num_counters * LIVE_REGISTERS;

		if (num < MAX_BOXES && used + registers <= UINT16_MAX) {
			pmus->boxes[num++] = box;
			used += registers;
		} else {
			text_add(&text, "%s%s", text.length ? ", " : "",
				 box.name);
			perf_box_free(&box);
		}
	}
	pmus->num_boxes = num;
	for (unsigned i = 0; i < num; i++)
		if (pmus->boxes[i].num_there > pmus->boxes[i].num_instances)
			text_add(&text, "%s%s from %u on",
				 text.length ? ", " : "", pmus->boxes[i].name,
				 pmus->boxes[i].num_instances);
	if (!text.length)
		return 0;
	pmus->left_out = text_take(&text);
	return pmus->left_out ? 0 : UNCORE_ERR_NO_MEMORY;
}

/* The tables, once the PMUs are known. */
static int fill(struct live *live, const char *name)
{
	static const struct uc_select selects[] = {
		[UC_SELECT_EV_SEL] = { .name = "ev_sel",
				       .title = "event",
				       .box = UC_BOX_NONE },
		[UC_SELECT_FIXED] = { .name = "fixed",
				      .title = "fixed",
				      .box = UC_BOX_NONE },
	};

	live->family = (struct uc_family){
		.name = arena_say(&live->arena, "%s", name),
		.title = "set of PMUs of this machine's kernel",
		.guide = "sysfs",
		.selects = selects,
		.num_selects = 2,
	};
	make_boxes(live);
	if (live->arena.failed)
		return UNCORE_ERR_NO_MEMORY;
	return 0;
}

/* The PMUs of a place, or of a capture's text. */
static int read_pmus(struct live *live, const char *place, const char *text,
		     bool is_tried, char **error)
{
	int code = text ? perf_pmus_of_text(&live->pmus, text, error)
			: perf_pmus_read(&live->pmus, place, error);

	for (unsigned i = 0; i < live->pmus.num_boxes && !code; i++)
		find_counters(&live->pmus.boxes[i],
			      is_tried && !strcmp(place, SYSFS));
	return code ? code : leave_out(live);
}

/* How many events of a list cannot be used. */
static void make_note(struct live *live, const char *list)
{
	const struct uc_event *first = NULL;
	unsigned num = 0, total = 0;

	for (unsigned b = 0; b < live->pmus.num_boxes; b++)
		for (unsigned i = 0; i < live->pmus.boxes[b].num_aliases; i++) {
			const struct uc_event *row =
				&live->family.boxes[b].events[i];

			total += live->pmus.boxes[b].aliases[i].brief != NULL;
			if (!live->pmus.boxes[b].aliases[i].why)
				continue;
			first = first ? first : row;
			num++;
		}
	if (first)
		live->note = arena_say(
			&live->arena,
			"%u of the %u events of %s cannot be counted by their "
			"names; the first is %s/%s/: %s",
			num, total, list, live->family.boxes[first->box].name,
			first->name, first->excluded);
}

/* perf[:PLACE][,events=PLACE] */
static int read_named(struct live *live, const char *name, bool is_tried,
		      char **error)
{
	const char *events = strstr(name, EVENTS);
	const char *place = strchr(name, ':');
	char folder[PATH_MAX] = SYSFS;
	int code;

	if (place && (!events || place < events))
		snprintf(folder, sizeof(folder), "%.*s",
			 events ? (int)(events - place - 1) : PATH_MAX - 1,
			 place + 1);
	code = read_pmus(live, folder, NULL, is_tried, error);
	if (!code && events)
		code = perf_json_read(&live->pmus, events + strlen(EVENTS),
				      error);
	return code;
}

bool perf_family_is(const char *name)
{
	return !strncmp(name, "perf", 4) &&
	       (!name[4] || name[4] == ':' || name[4] == ',');
}

/* `capture` NULL: from where the name says. */
static const struct uc_family *make(const char *name, const char *capture,
				    bool is_tried, char **error)
{
	struct live *live = calloc(1, sizeof(*live));
	int code;

	if (!live)
		return NULL;
	code = capture ? read_pmus(live, "the recording", capture, false, error)
		       : read_named(live, name, is_tried, error);
	if (!code)
		code = fill(live, name);
	if (!code && strstr(name, EVENTS))
		make_note(live, strstr(name, EVENTS) + strlen(EVENTS));
	if (!code && !uc_family_add(&live->family))
		code = text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "there are too many live families");
	if (code) {
		arena_free(&live->arena);
		perf_pmus_free(&live->pmus);
		free(live);
		return NULL;
	}
	live->next = all;
	all = live;
	return &live->family;
}

static const struct uc_family *
open_or_make(const char *name, const char *capture, bool is_tried, char **error)
{
	const struct uc_family *family;

	pthread_mutex_lock(&lock);
	family = uc_family_find(name);
	if (!family)
		family = make(name, capture, is_tried, error);
	pthread_mutex_unlock(&lock);
	return family;
}

const struct uc_family *perf_family_open(const char *name, char **error)
{
	return open_or_make(name, NULL, false, error);
}

const struct uc_family *perf_family_try(const char *name, char **error)
{
	return open_or_make(name, NULL, true, error);
}

const struct uc_family *perf_family_of_capture(const char *text, char **error)
{
	char name[sizeof(RECORDED) + 16];

	snprintf(name, sizeof(name), RECORDED "%016llx",
		 (unsigned long long)text_hash(TEXT_HASH, text, strlen(text)));
	return open_or_make(name, text, false, error);
}

static const struct live *live_of(const struct uc_family *family)
{
	const struct live *live;

	pthread_mutex_lock(&lock);
	live = all;
	while (live && &live->family != family)
		live = live->next;
	pthread_mutex_unlock(&lock);
	return live;
}

const struct perf_pmus *perf_family_pmus(const struct uc_family *family)
{
	const struct live *live = live_of(family);

	return live ? &live->pmus : NULL;
}

const char *perf_family_note(const struct uc_family *family)
{
	const struct live *live = live_of(family);

	return live ? live->note : NULL;
}
