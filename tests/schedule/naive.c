/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The feasibility of a set by brute force.
 */
#include "naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* State of the search: what is chosen for the events so far. */
struct trial {
	struct naive *naive;
	unsigned set;
	const struct naive_way *way[NAIVE_MAX_EVENTS];
	unsigned counter[NAIVE_MAX_EVENTS];
};

static void look(struct naive *naive, const struct naive_way *way,
		 struct expression *expression)
{
	struct decode_place place = { .registers = &naive->registers,
				      .box = (uint8_t)naive->box,
				      .instance = (uint8_t)naive->instance,
				      .counter = (uint8_t)way->counter };

	decode_find_control(&place);
	decode(&place, expression);
}

static void put(struct naive *naive, uint64_t address, uint64_t value, bool or)
{
	const struct uc_register *reg =
		uc_register_at(naive->registers.family, address);
	uint64_t *place = register_place(&naive->registers, reg);

	*place = or ? *place | value : value;
}

static void wipe(struct naive *naive)
{
	for (unsigned i = 0; i < naive->num_places; i++)
		*naive->places[i] = 0;
}

/* The registers of this instance. */
static void find_places(struct naive *naive)
{
	const struct uc_family *family = naive->registers.family;

	for (size_t i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (reg->box != naive->box || reg->instance != naive->instance)
			continue;
		assert_in_range(naive->num_places, 0, NAIVE_MAX_PLACES - 1);
		naive->places[naive->num_places++] =
			register_place(&naive->registers, reg);
	}
}

/* The last values that a plan of the event alone leaves in this instance. */
static void take_writes(struct naive *naive, const struct uncore_plan *plan,
			struct naive_way *way)
{
	struct uncore_write *writes;
	size_t num;

	way->counter = uncore_plan_counter(plan, 0, naive->instance);
	if (uncore_plan_writes(plan, 0, 0, &writes, &num, NULL))
		fail_msg("no writes");
	for (size_t i = 0; i < num; i++) {
		const struct uc_register *reg = uc_register_at(
			naive->registers.family, writes[i].address);
		unsigned w = 0;

		if (reg->box != naive->box ||
		    reg->instance != naive->instance ||
		    reg->role == UC_ROLE_GLOBAL_CTL)
			continue;
		if (reg->role == UC_ROLE_CONTROL ||
		    reg->role == UC_ROLE_FIXED_CTL) {
			way->control_address = reg->address;
			way->control = writes[i].value;
			continue;
		}
		while (w < way->num_writes && way->address[w] != reg->address)
			w++;
		way->address[w] = reg->address;
		way->value[w] = writes[i].value;
		way->num_writes += w == way->num_writes;
		assert_in_range(way->num_writes, 0, NAIVE_MAX_WRITES - 1);
	}
	free(writes);
}

static void add_way(struct naive *naive, struct naive_event *event,
		    const char *text)
{
	struct naive_way *way = &event->ways[event->num_ways];
	const struct uc_box *box = &naive->registers.family->boxes[naive->box];
	struct uncore_event *parsed;
	struct uncore_plan *plan;

	if (uncore_event_parse(naive->rig->family, text, &parsed, NULL))
		return;
	if (uncore_plan_new(naive->rig->family, &parsed, 1, &plan, NULL))
		fail_msg("%s alone has no plan", text);
	memset(way, 0, sizeof(*way));
	take_writes(naive, plan, way);
	way->alone.max_terms = decode_max_terms(box);
	way->alone.terms =
		calloc(way->alone.max_terms + 1, sizeof(*way->alone.terms));
	wipe(naive);
	for (unsigned w = 0; w < way->num_writes; w++)
		put(naive, way->address[w], way->value[w], false);
	put(naive, way->control_address, way->control, false);
	look(naive, way, &way->alone);
	event->num_ways++;
	uncore_plan_free(plan);
	uncore_event_free(parsed);
}

/* The text with an option more: before the last '/'. */
static void with(const char *text, const char *option, unsigned n, char *out)
{
	size_t length = strlen(text) - 1;

	memcpy(out, text, length);
	snprintf(out + length, RIG_MAX_TEXT - length, ",%s=%u/", option, n);
}

/* All four bands of the PCU, each with the value that is given for one. */
static void add_bands(struct naive *naive, struct naive_event *event,
		      const char *text)
{
	char other[RIG_MAX_TEXT];
	char *name, *word;

	for (char n = '0'; n < '4'; n++) {
		snprintf(other, sizeof(other), "%s", text);
		name = strstr(other, "FREQ_BAND");
		name[strlen("FREQ_BAND")] = n;
		word = strstr(other, ",band");
		if (word)
			word[strlen(",band")] = n;
		add_way(naive, event, other);
	}
}

/* All ways to write an event: slots of a port, the four FVC events, the four
 * bands. */
static void add_ways(struct naive *naive, struct naive_event *event,
		     const char *text)
{
	char other[RIG_MAX_TEXT], *name;

	snprintf(other, sizeof(other), "%s", text);
	name = strstr(other, "FVC_EV");
	if (name && !strstr(text, "fvc")) {
		for (char n = '0'; n < '4'; n++) {
			name[strlen("FVC_EV")] = n;
			add_way(naive, event, other);
		}
	} else if (strstr(text, "FREQ_BAND")) {
		add_bands(naive, event, text);
	} else if (strstr(text, "port=") && !strstr(text, "slot=")) {
		for (unsigned n = 0; n < 2; n++) {
			with(text, "slot", n, other);
			add_way(naive, event, other);
		}
	} else {
		add_way(naive, event, text);
	}
}

/* Which counters take the event, by asking for each. */
static uint32_t counters_of(const struct naive *naive, const char *text)
{
	const struct uc_box *box = &naive->registers.family->boxes[naive->box];
	const char *fixed = strstr(text, "counter=");
	uint32_t counters = 0;

	if (fixed)
		return UINT32_C(1) << atoi(fixed + strlen("counter="));
	for (unsigned c = 0; c < box->num_counters; c++) {
		struct uncore_event *event;
		char asked[RIG_MAX_TEXT];

		with(text, "counter", c, asked);
		if (uncore_event_parse(naive->rig->family, asked, &event, NULL))
			continue;
		counters |= UINT32_C(1) << c;
		uncore_event_free(event);
	}
	return counters ? counters : UINT32_C(1) << box->num_counters;
}

void naive_start(struct naive *naive, const struct rig *rig, unsigned box,
		 unsigned instance)
{
	const struct uc_family *family =
		uc_family_find(uncore_family_name(rig->family));

	memset(naive, 0, sizeof(*naive));
	naive->rig = rig;
	naive->box = box;
	naive->instance = instance;
	if (!register_file_init(&naive->registers, family))
		fail_msg("no memory");
	find_places(naive);
	naive->scratch.max_terms = decode_max_terms(&family->boxes[box]);
	naive->scratch.terms = calloc(naive->scratch.max_terms + 1,
				      sizeof(*naive->scratch.terms));
	for (size_t e = 0; e < rig->num_events; e++) {
		const char *text = uncore_event_text(rig->events[e]);
		int of = uncore_event_instance(rig->events[e]);
		struct naive_event *event = &naive->events[e];

		event->box = -1;
		if (strcmp(uncore_event_box(rig->events[e]),
			   family->boxes[box].name) ||
		    (of >= 0 && (unsigned)of != instance))
			continue;
		event->box = (int)box;
		event->counters = counters_of(naive, text);
		add_ways(naive, event, text);
		assert_true(event->num_ways > 0);
	}
}

void naive_end(struct naive *naive)
{
	for (unsigned e = 0; e < NAIVE_MAX_EVENTS; e++)
		for (unsigned w = 0; w < naive->events[e].num_ways; w++)
			free(naive->events[e].ways[w].alone.terms);
	free(naive->scratch.terms);
	register_file_free(&naive->registers);
}

static bool same(const struct expression *a, const struct expression *b)
{
	return a->num_terms == b->num_terms &&
	       !memcmp(&a->options, &b->options, sizeof(a->options)) &&
	       !memcmp(a->terms, b->terms, a->num_terms * sizeof(*a->terms));
}

/* Whether all events chosen so far count what they count alone. */
static bool is_right(struct trial *trial, unsigned num)
{
	struct naive *naive = trial->naive;

	wipe(naive);
	for (unsigned e = 0; e < num; e++) {
		const struct naive_way *way = trial->way[e];

		for (unsigned w = 0; way && w < way->num_writes; w++)
			put(naive, way->address[w], way->value[w], true);
	}
	for (unsigned e = 0; e < num; e++) {
		const struct naive_way *way = trial->way[e];

		if (!way)
			continue;
		put(naive, way->control_address, way->control, false);
		look(naive, way, &naive->scratch);
		if (!same(&naive->scratch, &way->alone))
			return false;
	}
	return true;
}

/* A counter holds one control. */
static bool counter_takes(const struct trial *trial, unsigned e, unsigned c)
{
	if (!(trial->naive->events[e].counters >> c & 1))
		return false;
	for (unsigned o = 0; o < e; o++)
		if (trial->way[o] && trial->counter[o] == c &&
		    trial->way[o]->control != trial->way[e]->control)
			return false;
	return true;
}

static bool place(struct trial *trial, unsigned e);

static bool is_taken(const struct trial *trial, unsigned e, unsigned c)
{
	for (unsigned o = 0; o < e; o++)
		if (trial->way[o] && trial->counter[o] == c)
			return true;
	return false;
}

/* Whether a free counter before this one is as good for every event. */
static bool is_like_another(const struct trial *trial, unsigned e, unsigned c)
{
	const struct naive *naive = trial->naive;

	for (unsigned b = 0; b < c; b++) {
		bool like = !is_taken(trial, e, b);

		for (size_t o = 0; o < naive->rig->num_events && like; o++)
			like = (naive->events[o].counters >> b & 1) ==
			       (naive->events[o].counters >> c & 1);
		if (like)
			return true;
	}
	return false;
}

static bool place_counter(struct trial *trial, unsigned e)
{
	/* first the counters that count the same already */
	for (unsigned round = 0; round < 2; round++)
		for (unsigned c = 0; c < 32; c++) {
			if (is_taken(trial, e, c) != !round ||
			    !counter_takes(trial, e, c) ||
			    (round && is_like_another(trial, e, c)))
				continue;
			trial->counter[e] = c;
			if (place(trial, e + 1))
				return true;
		}
	return false;
}

static bool place(struct trial *trial, unsigned e)
{
	const struct naive *naive = trial->naive;

	if (e == naive->rig->num_events)
		return true;
	trial->way[e] = NULL;
	if (!(trial->set >> e & 1) || naive->events[e].box < 0)
		return place(trial, e + 1);
	for (unsigned w = 0; w < naive->events[e].num_ways; w++) {
		trial->way[e] = &naive->events[e].ways[w];
		if (is_right(trial, e + 1) && place_counter(trial, e))
			return true;
	}
	trial->way[e] = NULL;
	return false;
}

bool naive_fits(struct naive *naive, unsigned set)
{
	struct trial trial = { .naive = naive, .set = set };

	return place(&trial, 0);
}
