/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Visits against signals that are always published: of two pairs of banks one
 * keeps records, of which only what is listened to is told, the other one is
 * told everything at once. Each counter has a twin on the other pair; they
 * begin to listen and cease to in mid-flight, and must never differ.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/pmu/counter.h"
#include "model/pmu/visit.h"

enum {
	NUM_BANKS = 2,
	NUM_SIGNALS = 4,
	PACKETS = NUM_SIGNALS - 1,
	NUM_COUNTERS = 6,
	NUM_CODES = 3,
	NUM_TOLD = 4,
	NUM_ACTS = 1500,
	NUM_RUNS = 300
};

#define WRAP (UINT64_C(1) << 48)

/* One thing that a visit tells. */
struct item {
	enum { SPAN, LATER, PACKET, PULSES } kind;
	unsigned bank, id, n, num, period;
	uint64_t from, to;
	struct sig_header header;
};

struct record {
	struct visit visit;
	unsigned num;
	struct item items[NUM_TOLD];
};

static struct {
	uint64_t random, seed, num_told, num_kept;
	struct sim *sim;
	struct sigbank *kept[NUM_BANKS], *always[NUM_BANKS];
	struct visits *one, *both; /* of bank 0; of both banks */
	struct counter counters[NUM_COUNTERS], twins[NUM_COUNTERS];
	struct term terms[NUM_COUNTERS];
	unsigned banks[NUM_COUNTERS];
	struct expression expressions[NUM_COUNTERS];
	unsigned num_overflows[2 * NUM_COUNTERS];
	uint64_t overflow_cycles[2 * NUM_COUNTERS];
} world;

static unsigned below(unsigned n)
{
	world.random ^= world.random >> 12;
	world.random ^= world.random << 25;
	world.random ^= world.random >> 27;
	return (unsigned)((world.random * UINT64_C(2685821657736338717) >> 33) %
			  n);
}

static uint64_t now_(void)
{
	return sim_now(world.sim);
}

/* Publishing */

static void tell_item(struct sigbank *bank, const struct item *i)
{
	switch (i->kind) {
	case SPAN: tell_span(bank, i->id, i->from, i->to, (int)i->n); break;
	case LATER: tell_later(bank, i->id, i->from, i->n); break;
	case PACKET: tell_packet_at(bank, i->id, i->from, &i->header); break;
	default:
		for (unsigned n = 0; n < i->num; n++)
			tell_later(bank, i->id, i->from + n * i->period, i->n);
	}
}

static void publish_item(struct sigbank *bank, const struct item *i)
{
	switch (i->kind) {
	case SPAN: sig_span(bank, i->id, i->from, i->to, (int)i->n); break;
	case LATER: sig_later(bank, i->id, i->from, i->n); break;
	case PACKET: sig_packet_at(bank, i->id, i->from, &i->header); break;
	default:
		for (unsigned n = 0; n < i->num; n++)
			sig_later(bank, i->id, i->from + n * i->period, i->n);
	}
}

static void tell(struct sigbank *bank, const void *visit)
{
	const struct record *record = visit;

	assert_ptr_equal(bank, world.kept[0]);
	world.num_told++;
	for (unsigned i = 0; i < record->num; i++)
		tell_item(world.kept[record->items[i].bank], &record->items[i]);
}

static uint64_t some_time(void)
{
	static const unsigned reaches[] = { 1, 2, 40, 400, 5000 };

	return now_() + below(reaches[below(5)]);
}

/* Draws it; the last cycle that it is for. */
static uint64_t draw(struct item *item, unsigned num_banks)
{
	static const uint8_t kinds[] = { SPAN, SPAN, LATER, LATER, PULSES };

	*item = (struct item){
		.bank = below(num_banks),
		.id = below(NUM_SIGNALS),
		.n = 1 + below(3),
		.from = some_time(),
		.num = 1 + below(9),
		.period = 1 + below(90),
		.header = { .opcode = (uint8_t)below(NUM_CODES), .flits = 1 },
	};
	item->kind = item->id == PACKETS ? PACKET : kinds[below(5)];
	item->to = item->from + below(300);
	if (item->kind == SPAN)
		return item->to;
	if (item->kind == PULSES)
		return item->from + (item->num - 1) * item->period;
	return item->from;
}

static void visit(void)
{
	bool for_both = below(2);
	struct visits *visits = for_both ? world.both : world.one;
	struct record record = { .num = below(NUM_TOLD + 1) };

	record.visit.tell = tell;
	for (unsigned i = 0; i < record.num; i++) {
		struct item *item = &record.items[i];
		uint64_t last = draw(item, for_both ? NUM_BANKS : 1);

		if (last > record.visit.last)
			record.visit.last = last;
		publish_item(world.always[item->bank], item);
	}
	*(struct record *)visits_next(visits) = record;
	visits_keep(visits);
	world.num_kept++;
}

/* What does not go into records goes on as it did. */
static void publish_directly(void)
{
	unsigned bank = below(NUM_BANKS), id = below(PACKETS);
	struct item item;

	switch (below(3)) {
	case 0:
		sig_add(world.kept[bank], id, 1);
		sig_add(world.always[bank], id, 1);
		break;
	case 1:
		if (!world.always[bank]->signals[id].level)
			break;
		sig_add(world.kept[bank], id, -1);
		sig_add(world.always[bank], id, -1);
		break;
	default:
		draw(&item, NUM_BANKS);
		publish_item(world.kept[item.bank], &item);
		publish_item(world.always[item.bank], &item);
		break;
	}
}

/* Listening */

static void note_overflow(void *context, struct counter *counter)
{
	unsigned n =
		counter >= world.twins && counter < world.twins + NUM_COUNTERS
			? (unsigned)(counter - world.twins) + NUM_COUNTERS
			: (unsigned)(counter - world.counters);

	(void)context;
	world.num_overflows[n]++;
	world.overflow_cycles[n] = now_();
}

static void compare(unsigned n)
{
	struct counter *counter = &world.counters[n];
	uint64_t count = counter_read(counter);
	uint64_t wanted = counter_read(&world.twins[n]);

	if (count != wanted)
		fail_msg("seed %llu, cycle %llu, counter %u: %llu, not %llu",
			 (unsigned long long)world.seed,
			 (unsigned long long)now_(), n,
			 (unsigned long long)count, (unsigned long long)wanted);
	if (!counter->expression.options.pmi)
		return;
	assert_int_equal(world.num_overflows[n],
			 world.num_overflows[NUM_COUNTERS + n]);
	assert_int_equal(world.overflow_cycles[n],
			 world.overflow_cycles[NUM_COUNTERS + n]);
}

static void compare_levels(void)
{
	unsigned bank = below(NUM_BANKS), id = below(PACKETS);

	tap_look(world.kept[bank]);
	tap_look(world.always[bank]);
	assert_int_equal(tap_level(world.kept[bank], id),
			 tap_level(world.always[bank], id));
}

static void choose_options(struct options *options)
{
	memset(options, 0, sizeof(*options));
	if (below(2))
		return; /* a sum */
	if (!below(3))
		options->at_least[TAP_COUNTED] = 1;
	if (below(2)) {
		options->threshold = (uint8_t)below(4);
		options->invert = options->threshold && below(2);
		options->edge_detect = below(2);
	}
	options->pmi = below(2);
}

static void choose_filter(struct term *term)
{
	memset(&term->filter, 0, sizeof(term->filter));
	term->filtered = term->signal == PACKETS && below(2);
	if (!term->filtered)
		return;
	memset(term->filter.opcodes, 0xff, sizeof(term->filter.opcodes));
	term->filter.states = UINT16_MAX;
	term->filter.care.opcode = 15;
	term->filter.match.opcode = (uint8_t)below(NUM_CODES);
}

static void configure(unsigned n)
{
	bool active = below(3);

	compare(n);
	choose_options(&world.expressions[n].options);
	world.terms[n].signal = (uint16_t)below(NUM_SIGNALS);
	choose_filter(&world.terms[n]);
	counter_configure(&world.counters[n], &world.expressions[n], active);
	counter_configure(&world.twins[n], &world.expressions[n], active);
	/* only one with PMIs has noted it in its cycle */
	world.num_overflows[n] = world.num_overflows[NUM_COUNTERS + n] = 0;
	world.overflow_cycles[n] = world.overflow_cycles[NUM_COUNTERS + n] = 0;
}

static void write_count(unsigned n)
{
	static const unsigned rooms[] = { 5, 300, 20000 };
	uint64_t value = WRAP - 1 - below(rooms[below(3)]);

	compare(n);
	counter_write(&world.counters[n], value);
	counter_write(&world.twins[n], value);
}

/* The world */

static void init_counter(struct counter *counter, struct sigbank *bank)
{
	assert_true(counter_init(counter, bank, 1));
	counter->overflow = note_overflow;
}

static void set_up(uint64_t seed)
{
	memset(&world, 0, sizeof(world));
	world.seed = seed;
	world.random = seed * 2654435761u + 88172645463325252u;
	world.sim = sim_new();
	for (unsigned i = 0; i < NUM_BANKS; i++) {
		world.kept[i] = tap_bank_new(world.sim, NUM_SIGNALS);
		world.always[i] = tap_bank_new(world.sim, NUM_SIGNALS);
	}
	world.one = visits_new(world.kept[0], sizeof(struct record));
	world.both = visits_new(world.kept[0], sizeof(struct record));
	assert_true(visits_join(world.both, world.kept[1]));
	for (unsigned n = 0; n < NUM_COUNTERS; n++) {
		world.banks[n] = below(NUM_BANKS);
		world.expressions[n].terms = &world.terms[n];
		world.expressions[n].num_terms = 1;
		init_counter(&world.counters[n], world.kept[world.banks[n]]);
		init_counter(&world.twins[n], world.always[world.banks[n]]);
	}
}

static void tear_down(void)
{
	for (unsigned n = 0; n < NUM_COUNTERS; n++) {
		counter_free(&world.counters[n]);
		counter_free(&world.twins[n]);
	}
	for (unsigned i = 0; i < NUM_BANKS; i++) {
		tap_bank_free(world.kept[i]);
		tap_bank_free(world.always[i]);
	}
	sim_free(world.sim);
}

static void act(unsigned rest)
{
	unsigned n = below(NUM_COUNTERS);

	switch (below(20 + rest)) {
	case 0:
	case 1: configure(n); break;
	case 2: write_count(n); break;
	case 3: compare(n); break;
	case 4: compare_levels(); break;
	case 5:
	case 6: publish_directly(); break;
	default: visit(); break;
	}
}

static void run(uint64_t seed)
{
	static const unsigned gaps[] = { 2, 5, 50, 2500 };
	unsigned dense, rest;

	set_up(seed);
	dense = 1 + below(4);
	rest = below(2) * 100;
	for (unsigned i = 0; i < NUM_ACTS; i++) {
		act(rest);
		sim_run_until(world.sim, now_() + below(gaps[below(dense)]));
	}
	for (unsigned n = 0; n < NUM_COUNTERS; n++)
		compare(n);
	tear_down();
}

static void twins_agree(void **state)
{
	const char *only = getenv("UNCORE_SEED");

	(void)state;
	if (only) {
		run(strtoull(only, NULL, 0));
		return;
	}
	for (uint64_t seed = 1; seed <= NUM_RUNS; seed++)
		run(seed);
}

/* A thousand visits that nobody listens to are not told; two that are not past
 * are, when somebody begins to. */
static void nothing_is_told_to_nobody(void **state)
{
	(void)state;
	set_up(1);
	for (unsigned i = 0; i < 1000; i++) {
		struct record *record = visits_next(world.one);

		*record = (struct record){
			.visit = { tell, now_() + 1 },
			.num = 1,
			.items = { { LATER, .n = 1, .from = now_() + 1 } },
		};
		visits_keep(world.one);
		sim_run_until(world.sim, now_() + 1);
	}
	assert_int_equal(world.num_told, 0);
	world.banks[0] = 0;
	counter_free(&world.counters[0]);
	init_counter(&world.counters[0], world.kept[0]);
	counter_configure(&world.counters[0], &world.expressions[0], true);
	assert_true(world.num_told >= 1 && world.num_told <= 2);
	sim_run_until(world.sim, now_() + 10);
	/* kept in cycle 999, for cycle 1000, in which it begins to listen */
	assert_int_equal(counter_read(&world.counters[0]), 1);
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twins_agree),
		cmocka_unit_test(nothing_is_told_to_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
