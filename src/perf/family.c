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
#include "uncore/address.h"
#include "uncore/error.h"

#define SYSFS "/sys"

/* How many counters a PMU has the kernel does not say: it is tried, or where
 * that cannot be, taken to be as many as most have. What does not fit in the
 * end it refuses in a group, or lets take turns, and says how long each was
 * on. */
enum { USUAL_COUNTERS = 4, MOST_COUNTERS = 8 };

enum { MAX_BOXES = 32, COUNTER_BYTES = 32 };

enum { ENABLE_BIT = 63 };

/* A register beside a counter: what it is for, and where. */
static const struct part {
	const char *what;
	uint8_t role, offset;
} parts[] = {
	{ "control", UC_ROLE_CONTROL, 0 },
	{ "terms1", UC_ROLE_TERMS1, 8 },
	{ "terms2", UC_ROLE_TERMS2, 16 },
	{ "count", UC_ROLE_COUNTER, 24 },
};
enum { NUM_PARTS = 4, NUM_WITH_TERMS = 3 };

struct block {
	struct block *next;
	uint64_t data[];
};

struct live {
	struct uc_family family;
	struct perf_pmus pmus;
	struct block *blocks; /* that the tables are in */
	struct live *next;
	bool failed; /* memory ended */
};

static struct live *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *room(struct live *live, size_t num, size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + (num + 1) * size);

	if (!block) {
		live->failed = true;
		return NULL;
	}
	block->next = live->blocks;
	live->blocks = block;
	return block->data;
}

static const char *word(struct live *live, const char *format, ...)
{
	char text[512];
	va_list arguments;
	char *copy;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	copy = room(live, strlen(text), 1);
	if (copy)
		strcpy(copy, text);
	return copy;
}

static void live_free(struct live *live)
{
	struct block *next;

	for (struct block *block = live->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	perf_pmus_free(&live->pmus);
	free(live);
}

/* Layouts */

const char *perf_canonical(const char *term)
{
	static const char *const names[][2] = {
		{ "event", "ev_sel" },
		{ "thresh", "threshold" },
		{ "edge", "edge_detect" },
		{ "inv", "invert" },
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(term, names[i][0]))
			return names[i][1];
	return term;
}

/* A term goes where there is room for it, the control first; if there is none
 * it keeps UC_ROLE_NONE. */
static void place_term(struct perf_term *term, unsigned used[NUM_WITH_TERMS])
{
	unsigned width = (unsigned)__builtin_popcountll(term->bits);

	for (unsigned p = 0; p < NUM_WITH_TERMS && !term->role; p++) {
		if (used[p] + width > (p ? 64 : ENABLE_BIT))
			continue;
		term->role = parts[p].role;
		term->low = (uint8_t)used[p];
		term->high = (uint8_t)(used[p] + width - 1);
		used[p] += width;
	}
}

static bool is_code(const struct perf_term *term)
{
	return !strcmp(perf_canonical(term->name), "ev_sel");
}

/* The code first, which belongs into the control. */
static void place_terms(struct perf_box *box)
{
	unsigned used[NUM_WITH_TERMS] = { 0 };

	for (unsigned i = 0; i < box->num_terms; i++)
		if (is_code(&box->terms[i]))
			place_term(&box->terms[i], used);
	for (unsigned i = 0; i < box->num_terms; i++)
		place_term(&box->terms[i], used);
}

static const char *say_bits(struct live *live, const struct perf_term *term)
{
	struct text text = { 0 };
	const char *said;

	text_add(&text, "config%.0u", term->word);
	for (unsigned i = 0; i < 64; i++) {
		unsigned last = i;

		if (!(term->bits >> i & 1))
			continue;
		while (last < 63 && term->bits >> (last + 1) & 1)
			last++;
		text_add(&text, "%c%u",
			 strchr(text.data ? text.data : "", ':') ? ',' : ':',
			 i);
		if (last > i)
			text_add(&text, "-%u", last);
		i = last;
	}
	said = word(live, "bits %s of the kernel's words",
		    text.data ? text.data : "");
	text_free(&text);
	return said;
}

static const struct uc_layout *make_layout(struct live *live,
					   const struct perf_box *box,
					   const struct part *part)
{
	struct uc_layout *layout = room(live, 1, sizeof(*layout));
	struct uc_field *fields =
		room(live, box->num_terms + 1, sizeof(*fields));
	unsigned num = 0;

	if (!layout || !fields)
		return NULL;
	for (unsigned i = 0; i < box->num_terms; i++) {
		const struct perf_term *term = &box->terms[i];

		if (term->role != part->role)
			continue;
		fields[num++] = (struct uc_field){
			.name = term->name,
			.canonical = perf_canonical(term->name),
			.brief = say_bits(live, term),
			.high = term->high,
			.low = term->low,
			.kind = UC_KIND_RW,
		};
	}
	if (part->role == UC_ROLE_CONTROL)
		fields[num++] = (struct uc_field){
			.name = "en",
			.canonical = "en",
			.brief = "the kernel is asked to count",
			.high = ENABLE_BIT,
			.low = ENABLE_BIT,
			.kind = UC_KIND_RW,
		};
	if (part->role == UC_ROLE_COUNTER)
		fields[num++] = (struct uc_field){
			.name = "count",
			.canonical = "count",
			.brief = "what the kernel has counted",
			.high = 63,
			.kind = UC_KIND_RW,
		};
	*layout = (struct uc_layout){
		.name = word(live, "%s %s", box->name, part->what),
		.source = "sysfs",
		.fields = fields,
		.num_fields = (uint16_t)num,
	};
	for (unsigned i = 0; i < num; i++)
		layout->writable |= uc_bits(fields[i].high, fields[i].low);
	layout->reserved = ~layout->writable;
	return num ? layout : NULL;
}

/* Registers */

static void add_registers(struct live *live, unsigned box,
			  struct uc_register *registers)
{
	const struct perf_box *of = &live->pmus.boxes[box];
	const struct uc_layout *layouts[NUM_PARTS];
	struct uc_family *family = &live->family;

	for (unsigned p = 0; p < NUM_PARTS; p++)
		layouts[p] = make_layout(live, of, &parts[p]);
	for (unsigned i = 0; i < of->num_instances; i++)
		for (unsigned n = 0; n < of->num_counters * NUM_PARTS; n++) {
			const struct part *part = &parts[n % NUM_PARTS];
			unsigned counter = n / NUM_PARTS;

			if (!layouts[n % NUM_PARTS])
				continue;
			registers[family->num_registers++] =
				(struct uc_register){
					.name = word(live, "%s%u %s %u",
						     of->name, i, part->what,
						     counter),
					.brief = "a counter of the kernel's",
					.source = "sysfs",
					.access_text = "RW",
					.layout = layouts[n % NUM_PARTS],
					.address = uncore_address(
						UNCORE_SPACE_PERF, box << 8 | i,
						counter * COUNTER_BYTES +
							part->offset),
					.box = (uint8_t)box,
					.instance = (uint8_t)i,
					.role = part->role,
					.index = (uint8_t)counter,
					.width = 64,
					.part_bits = 64,
				};
		}
}

/* Events */

/* What an alias says of its terms; false if one of them is not there. */
static bool add_terms(struct live *live, const struct perf_box *box,
		      const char *terms, struct uc_event *event)
{
	struct uc_set *sets = room(live, box->num_terms, sizeof(*event->sets));
	struct uc_param *params =
		room(live, box->num_terms, sizeof(*event->params));
	const struct perf_term *term;
	uint64_t value;
	bool has_value;
	char name[64];

	event->sets = sets;
	event->params = params;
	while ((terms = perf_terms_next(terms, name, &value, &has_value))) {
		term = perf_term_find(box, name);
		if (!term || !term->role || !sets || !params ||
		    event->num_sets + event->num_params == box->num_terms)
			return false;
		if (has_value && is_code(term) && term->role == UC_ROLE_CONTROL)
			event->code = (uint32_t)value;
		else if (has_value)
			sets[event->num_sets++] = (struct uc_set){
				.field = term->name,
				.value = value,
				.role = term->role,
				.high = term->high,
				.low = term->low,
			};
		else
			params[event->num_params++] = (struct uc_param){
				.name = term->name,
				.role = term->role,
				.high = term->high,
				.low = term->low,
			};
	}
	return true;
}

static const char *note_of(struct live *live, const struct perf_alias *alias)
{
	if (!alias->unit && alias->scale == 1)
		return "";
	return word(live, "a count is %.12g %s", alias->scale,
		    alias->unit ? alias->unit : "");
}

/* Words of the kernel's name instead of a text that nobody has given. */
static const char *brief_of(struct live *live, const struct perf_box *box,
			    const struct perf_alias *alias)
{
	if (alias->brief)
		return alias->brief;
	return word(live, "The kernel's name for %s of %s", alias->terms,
		    box->pmu->name);
}

static const struct uc_event *make_events(struct live *live, unsigned box,
					  unsigned *num)
{
	const struct perf_box *of = &live->pmus.boxes[box];
	struct uc_event *events = room(live, of->num_aliases, sizeof(*events));

	*num = 0;
	for (unsigned i = 0; events && i < of->num_aliases; i++) {
		const struct perf_alias *alias = &of->aliases[i];
		struct uc_event event = {
			.name = alias->name,
			.brief = brief_of(live, of, alias),
			.note = note_of(live, alias),
			.category = alias->brief ? "Intel's list" : "sysfs",
			.source = alias->brief ? "Intel's list" : "sysfs",
			.counters = alias->counters &
				    ((1u << of->num_counters) - 1),
			.max_increment = 1,
			.box = (uint8_t)box,
			.select = UC_SELECT_EV_SEL,
			.unit = alias->unit,
			.scale = alias->scale,
		};

		if (add_terms(live, of, alias->terms, &event))
			events[(*num)++] = event;
	}
	return events;
}

/* Families */

static void make_boxes(struct live *live)
{
	struct uc_family *family = &live->family;
	struct uc_box *boxes = room(live, live->pmus.num_boxes, sizeof(*boxes));
	struct uc_register *registers;
	size_t num = 0;

	for (unsigned i = 0; i < live->pmus.num_boxes; i++)
		num += (size_t)live->pmus.boxes[i].num_instances *
		       live->pmus.boxes[i].num_counters * NUM_PARTS;
	registers = room(live, num, sizeof(*registers));
	for (unsigned i = 0; boxes && registers && i < live->pmus.num_boxes;
	     i++) {
		struct perf_box *box = &live->pmus.boxes[i];
		unsigned num_events;

		place_terms(box);
		add_registers(live, i, registers);
		boxes[i] = (struct uc_box){
			.name = box->name,
			.guide_name = box->name,
			.source = "sysfs",
			.events = make_events(live, i, &num_events),
			.num_instances = (uint8_t)box->num_instances,
			.num_counters = (uint8_t)box->num_counters,
			.width_bits = 64,
			.num_ports = 1,
		};
		boxes[i].num_events = (uint16_t)num_events;
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

static int check_size(const struct live *live, const char *place, char **error)
{
	size_t num = 0;

	for (unsigned i = 0; i < live->pmus.num_boxes; i++)
		num += (size_t)live->pmus.boxes[i].num_instances *
		       live->pmus.boxes[i].num_counters;
	if (live->pmus.num_boxes > MAX_BOXES || num * NUM_PARTS > UINT16_MAX)
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "%s shows %u kinds of PMUs with %zu "
				  "counters; %u and %u are the most that can "
				  "be counted",
				  place, live->pmus.num_boxes, num,
				  (unsigned)MAX_BOXES, UINT16_MAX / NUM_PARTS);
	return 0;
}

static int fill(struct live *live, const char *name, char **error)
{
	static const struct uc_select selects[] = {
		[UC_SELECT_EV_SEL] = { .name = "ev_sel",
				       .title = "event",
				       .box = UC_BOX_NONE },
		[UC_SELECT_FIXED] = { .name = "fixed",
				      .title = "fixed",
				      .box = UC_BOX_NONE },
	};
	const char *events = strstr(name, ",events=");
	const char *place = strchr(name, ':');
	char folder[PATH_MAX] = SYSFS;
	int code;

	if (place && (!events || place < events))
		snprintf(folder, sizeof(folder), "%.*s",
			 events ? (int)(events - place - 1) : PATH_MAX - 1,
			 place + 1);
	code = perf_pmus_read(&live->pmus, folder, error);
	for (unsigned i = 0; i < live->pmus.num_boxes && !code; i++)
		find_counters(&live->pmus.boxes[i], !strcmp(folder, SYSFS));
	if (!code)
		code = check_size(live, folder, error);
	if (!code && events)
		code = perf_json_read(&live->pmus, events + strlen(",events="),
				      error);
	if (code)
		return code;
	live->family = (struct uc_family){
		.name = word(live, "%s", name),
		.title = "This machine, through the kernel's PMUs",
		.guide = "sysfs",
		.selects = selects,
		.num_selects = 2,
	};
	make_boxes(live);
	return live->failed ? UNCORE_ERR_NO_MEMORY : 0;
}

bool perf_family_is(const char *name)
{
	return !strncmp(name, "perf", 4) &&
	       (!name[4] || name[4] == ':' || name[4] == ',');
}

static const struct uc_family *make(const char *name, char **error)
{
	struct live *live = calloc(1, sizeof(*live));
	int code = live ? fill(live, name, error) : UNCORE_ERR_NO_MEMORY;

	if (!code && !uc_family_add(&live->family))
		code = text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "there are too many live families");
	if (code) {
		if (live)
			live_free(live);
		return NULL;
	}
	live->next = all;
	all = live;
	return &live->family;
}

const struct uc_family *perf_family_open(const char *name, char **error)
{
	const struct uc_family *family;

	pthread_mutex_lock(&lock);
	family = uc_family_find(name);
	if (!family)
		family = make(name, error);
	pthread_mutex_unlock(&lock);
	return family;
}

const struct perf_pmus *perf_family_pmus(const struct uc_family *family)
{
	const struct perf_pmus *found = NULL;

	pthread_mutex_lock(&lock);
	for (struct live *live = all; live && !found; live = live->next)
		if (&live->family == family)
			found = &live->pmus;
	pthread_mutex_unlock(&lock);
	return found;
}
