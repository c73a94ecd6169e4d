/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/box/growth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/box/costs.h"
#include "model/box/detail.h"
#include "model/box/socket.h"
#include "model/pmu/counter.h"

enum { NAME_BYTES = 96, LINE_BYTES = 256, FIXED_BITS = 16 };

/* So many accesses, about, are remembered for what came more or less often
 * than was thought. */
enum { REMEMBERED = 4096 };

/* Columns beside the classes. */
enum { COMPUTED = CORE_NUM_CLASSES, IDLE_CYCLES };

struct growing {
	struct counter *counter;
	const char *box;
	struct costs *costs;   /* NULL: none yet */
	double seen, expected; /* of late */
	double owed;	       /* less than one event */
	uint64_t before;       /* what it had counted when the look began */
	uint32_t num_programs, num_starts; /* the counter's, then */
	bool is_begun, is_noted;
};

struct grown {
	char name[NAME_BYTES];
	bool is_overflow_told;
};

struct growth {
	const struct detail *detail;
	struct growing *list;
	size_t num;
	bool is_begun; /* a look has */
	/* When the look began, or time stood still: */
	uint64_t columns[COSTS_COLUMNS];
	uint64_t cycle;
	uint64_t skipped; /* cycles << 16 that clocks have been given */
	uint64_t *busy;	  /* by core */
	struct grown *events;
	size_t num_events;
	void (*tell)(void *context, const char *text);
	void *context;
};

static const struct core *core_of(const struct growth *growth, unsigned number)
{
	return socket_any_core(growth->detail->sockets[0], number);
}

static size_t take_counters(const struct growth *growth, struct growing *list)
{
	const struct detail *detail = growth->detail;
	size_t num = 0;

	for (unsigned i = 0; i < detail->sockets[0]->num_sockets; i++) {
		struct pmu *pmu = detail->sockets[i]->pmu;
		size_t own = pmu_counters(pmu, NULL);
		struct pmu_counter *counters =
			list ? calloc(own + 1, sizeof(*counters)) : NULL;

		if (list && !counters)
			return 0;
		if (list)
			pmu_counters(pmu, counters);
		for (size_t n = 0; list && n < own; n++)
			list[num + n] = (struct growing){
				.counter = counters[n].counter,
				.box = counters[n].box,
			};
		free(counters);
		num += own;
	}
	return num;
}

struct growth *growth_new(const struct detail *detail,
			  void (*tell)(void *context, const char *text),
			  void *context)
{
	struct growth *growth = calloc(1, sizeof(*growth));

	if (!growth)
		return NULL;
	growth->detail = detail;
	growth->tell = tell;
	growth->context = context;
	growth->num = take_counters(growth, NULL);
	growth->list = calloc(growth->num + 1, sizeof(*growth->list));
	growth->busy = calloc(detail->num_cores, sizeof(*growth->busy));
	if (growth->list && growth->busy &&
	    take_counters(growth, growth->list) == growth->num)
		return growth;
	growth_free(growth);
	return NULL;
}

void growth_free(struct growth *growth)
{
	if (!growth)
		return;
	for (size_t i = 0; growth->list && i < growth->num; i++)
		free(growth->list[i].costs);
	free(growth->list);
	free(growth->busy);
	free(growth->events);
	free(growth);
}

/* What has passed */

static void take_columns(const struct growth *growth, uint64_t *columns)
{
	uint64_t classes[UNCORE_MODEL_CLASSES];

	detail_classes(growth->detail, classes);
	for (unsigned i = 0; i < CORE_NUM_CLASSES; i++)
		columns[i] = classes[2 + i];
	columns[COMPUTED] = classes[1];
	columns[IDLE_CYCLES] = 0;
}

static void start(struct growth *growth)
{
	take_columns(growth, growth->columns);
	growth->cycle = sim_now(growth->detail->sockets[0]->sim);
	for (unsigned i = 0; i < growth->detail->num_cores; i++)
		growth->busy[i] = core_busy_cycles(core_of(growth, i));
}

/* Cycles in which the core that had most to do had nothing. */
static uint64_t idle_cycles(const struct growth *growth)
{
	uint64_t cycles =
		sim_now(growth->detail->sockets[0]->sim) - growth->cycle;
	uint64_t most = 0;

	for (unsigned i = 0; i < growth->detail->num_cores; i++) {
		uint64_t busy =
			core_busy_cycles(core_of(growth, i)) - growth->busy[i];

		most = busy > most ? busy : most;
	}
	return cycles > most ? cycles - most : 0;
}

/* Since start(); the number of accesses. */
static uint64_t columns_since(const struct growth *growth, uint64_t *columns)
{
	uint64_t num = 0;

	take_columns(growth, columns);
	for (unsigned i = 0; i < COSTS_COLUMNS; i++)
		columns[i] -= growth->columns[i];
	for (unsigned i = 0; i < CORE_NUM_CLASSES; i++)
		num += columns[i];
	return num;
}

/* Looks */

static bool is_of_time(const struct counter *counter)
{
	return counter->active && !counter->stopped &&
	       counter->expression.options.sort == COUNTER_OF_TIME;
}

static void begin(struct growing *own)
{
	struct counter *counter = own->counter;

	own->is_begun = is_of_time(counter);
	if (!own->is_begun)
		return;
	own->before = counter_total(counter);
	if (own->costs && own->num_programs != counter->num_programs) {
		free(own->costs);
		own->costs = NULL;
		own->is_noted = false;
		own->owed = 0;
	}
	own->num_programs = counter->num_programs;
	own->num_starts = counter->num_starts;
}

static bool counted_all_the_time(const struct growing *own)
{
	return own->is_begun && is_of_time(own->counter) &&
	       own->num_starts == own->counter->num_starts;
}

static void learn(struct growing *own, const uint64_t *columns, uint64_t num)
{
	struct counter *counter = own->counter;
	double keep = fmax(1 - (double)num / REMEMBERED, 0);
	double seen, expected;

	if (!counted_all_the_time(own))
		return;
	if (!own->costs) {
		own->costs = calloc(1, sizeof(*own->costs));
		own->seen = own->expected = 0;
	}
	if (!own->costs)
		return;
	seen = (double)((counter_total(counter) - own->before) & counter->mask);
	expected = costs_of(own->costs, columns);
	if (expected > 0) {
		own->seen = own->seen * keep + seen;
		own->expected = own->expected * keep + expected;
	}
	costs_learn(own->costs, columns, seen);
}

static void look(struct growth *growth)
{
	uint64_t columns[COSTS_COLUMNS];
	uint64_t num = columns_since(growth, columns);

	columns[IDLE_CYCLES] = idle_cycles(growth);
	for (size_t i = 0; num && i < growth->num; i++)
		learn(&growth->list[i], columns, num);
}

void growth_begin(struct growth *growth)
{
	if (!growth)
		return;
	start(growth);
	for (size_t i = 0; i < growth->num; i++)
		begin(&growth->list[i]);
	growth->is_begun = true;
}

void growth_look(struct growth *growth)
{
	if (growth && growth->is_begun)
		look(growth);
	growth_begin(growth);
}

/* Stretches */

void growth_leave(struct growth *growth)
{
	if (!growth)
		return;
	if (growth->is_begun)
		look(growth);
	growth->is_begun = false;
	for (size_t i = 0; i < growth->num; i++)
		if (growth->list[i].costs)
			costs_fit(growth->list[i].costs);
}

void growth_stand(struct growth *growth)
{
	if (!growth)
		return;
	for (size_t i = 0; i < growth->num; i++)
		if (is_of_time(growth->list[i].counter))
			growth->list[i].before =
				counter_total(growth->list[i].counter);
	take_columns(growth, growth->columns);
}

static void name(char *text, const struct growing *own)
{
	const struct options *options = &own->counter->expression.options;
	const struct uc_unit_mask *unit_mask = options->unit_mask;

	snprintf(text, NAME_BYTES, "%s/%s%s%s", own->box, options->event->name,
		 unit_mask ? "." : "", unit_mask ? unit_mask->name : "");
}

static void tell(const struct growth *growth, const char *event,
		 const char *what)
{
	char text[LINE_BYTES];

	snprintf(text, sizeof(text), "--detail: %s is an event of time: %s",
		 event, what);
	growth->tell(growth->context, text);
}

/* The event of a counter, which is noted when it grows for the first time;
 * NULL: it has none, or there is no memory. */
static struct grown *event_of(struct growth *growth, const struct growing *own)
{
	struct grown *events;
	char text[NAME_BYTES];

	if (!own->counter->expression.options.event)
		return NULL;
	name(text, own);
	for (size_t i = 0; i < growth->num_events; i++)
		if (!strcmp(growth->events[i].name, text))
			return &growth->events[i];
	events = realloc(growth->events,
			 (growth->num_events + 1) * sizeof(*events));
	if (!events)
		return NULL;
	growth->events = events;
	events += growth->num_events++;
	memcpy(events->name, text, sizeof(text));
	events->is_overflow_told = false;
	tell(growth, text,
	     "between windows its counters grow by what the latest windows "
	     "say");
	return events;
}

static void tell_overflow(struct growth *growth, const struct growing *own)
{
	struct grown *event = event_of(growth, own);

	if (!event || event->is_overflow_told)
		return;
	event->is_overflow_told = true;
	tell(growth, event->name,
	     "a counter ran over between windows, of which neither status nor "
	     "PMI tells (--detail=full has them)");
}

static void grow(struct growth *growth, struct growing *own, double events)
{
	double whole;

	own->owed += events;
	whole = floor(own->owed);
	if (whole < 1)
		return;
	own->owed -= whole;
	if (counter_grow(own->counter, (uint64_t)whole))
		tell_overflow(growth, own);
}

/* Beside what it was told of them: some of it may be a fact of state. */
static double expect(const struct growing *own, const uint64_t *columns)
{
	struct counter *counter = own->counter;
	double events = costs_of(own->costs, columns);

	if (own->expected > 0)
		events *= own->seen / own->expected;
	return events -
	       (double)((counter_total(counter) - own->before) & counter->mask);
}

static void pass(struct growth *growth, struct growing *own,
		 const uint64_t *columns, double cycles)
{
	const struct counter *counter = own->counter;

	if (!counter->active)
		return;
	if (counter->expression.options.sort == COUNTER_OF_CLOCK)
		grow(growth, own, tap_cycles(counter->bank, cycles));
	if (!is_of_time(counter) || !own->costs ||
	    own->num_programs != counter->num_programs)
		return;
	if (!own->is_noted)
		own->is_noted = event_of(growth, own);
	grow(growth, own, expect(own, columns));
}

void growth_pass(struct growth *growth)
{
	const struct detail *detail;
	uint64_t columns[COSTS_COLUMNS];
	double cycles;

	if (!growth)
		return;
	detail = growth->detail;
	columns_since(growth, columns);
	cycles =
		(double)(detail->skipped - growth->skipped) / (1 << FIXED_BITS);
	for (size_t i = 0; i < growth->num; i++)
		pass(growth, &growth->list[i], columns, cycles);
	growth->skipped = detail->skipped;
	for (unsigned i = 0; i < detail->sockets[0]->num_sockets; i++)
		pmu_set_skipped(detail->sockets[i]->pmu,
				detail->skipped >> FIXED_BITS);
}

const char *growth_needs_detail(const struct growth *growth)
{
	for (size_t i = 0; growth && i < growth->num; i++) {
		const struct counter *counter = growth->list[i].counter;

		if (counter->active && !counter_hears_past(counter) &&
		    counter->expression.options.sort == COUNTER_OF_STATE)
			return "a counter is near to where it is to stop";
	}
	return NULL;
}

const char *growth_event(const struct growth *growth, size_t index)
{
	return growth && index < growth->num_events ? growth->events[index].name
						    : NULL;
}
