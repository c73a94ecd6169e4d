/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Signals published for cycles to come, against a table: what is published is
 * added to every cycle of the table that it is for, and counters that visit the
 * table cycle by cycle have to agree with those that listen. Little happens, so
 * that there are long stretches in which nobody is told of anything, and times
 * reach further than any window.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/pmu/counter.h"

enum {
	NUM_SIGNALS = 4, /* the last one has packets */
	PACKETS = NUM_SIGNALS - 1,
	NUM_CODES = 3,
	NUM_COUNTERS = 5,
	CYCLES = 30000,
	NUM_ACTS = 2000,
	NUM_RUNS = 400
};

#define WRAP (UINT64_C(1) << 48)

struct model { /* of a counter, cycle by cycle */
	uint64_t count, done, sub, overflow_cycle;
	bool previous, stopped, active;
};

struct world {
	struct sim *sim;
	struct sigbank *bank;
	int64_t level[NUM_SIGNALS][CYCLES];
	int64_t pulses[NUM_SIGNALS][CYCLES];
	int64_t packets[NUM_CODES][CYCLES];
	struct counter counters[NUM_COUNTERS];
	struct expression expressions[NUM_COUNTERS];
	struct term terms[NUM_COUNTERS][2];
	struct model models[NUM_COUNTERS];
	uint64_t overflow_cycle[NUM_COUNTERS];
	uint64_t random, seed;
	unsigned ahead;	 /* of 8 */
	uint64_t pulsed; /* the cycle of the latest pulse that came at once */
};

static struct world world;

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

/* The table's way */

static int64_t seen(const struct term *term, uint64_t cycle, bool with_pulses)
{
	int64_t sum = world.level[term->signal][cycle];

	if (!with_pulses)
		return sum;
	if (!term->filtered)
		return sum + world.pulses[term->signal][cycle];
	return sum + world.packets[term->filter.match.opcode][cycle];
}

static uint64_t value_at(unsigned n, uint64_t cycle, bool with_pulses)
{
	const struct expression *e = &world.expressions[n];
	int64_t sum[2] = { 0, 0 };

	for (unsigned i = 0; i < e->num_terms; i++)
		sum[e->terms[i].input] +=
			seen(&e->terms[i], cycle, with_pulses);
	if (e->options.at_least[0])
		sum[0] = sum[0] >= e->options.at_least[0];
	if (e->options.gated && sum[1] <= 0)
		return 0;
	return sum[0] > 0 ? (uint64_t)sum[0] : 0;
}

static bool condition(const struct options *o, uint64_t value)
{
	return o->threshold ? (value >= o->threshold) != o->invert : value > 0;
}

static void visit(unsigned n, uint64_t cycle)
{
	const struct options *o = &world.expressions[n].options;
	struct model *m = &world.models[n];
	uint64_t value = value_at(n, cycle, true);
	bool is = condition(o, value), was = m->previous;

	m->previous = is;
	if (o->accumulate) {
		m->sub += value;
		value = m->sub / o->accumulate;
		m->sub %= o->accumulate;
	} else if (o->edge_detect) {
		value = is && !was;
	} else if (o->threshold) {
		value = is;
	}
	m->count += value;
	if (m->count < WRAP)
		return;
	m->count -= WRAP;
	m->stopped = o->stops;
	m->overflow_cycle = cycle + 1;
}

static void catch_up(unsigned n)
{
	struct model *m = &world.models[n];

	for (; m->done < now_(); m->done++)
		if (m->active && !m->stopped)
			visit(n, m->done);
}

/* Both ways */

static void note_overflow(void *context, struct counter *counter)
{
	(void)context;
	world.overflow_cycle[counter - world.counters] = now_();
}

static void compare(unsigned n)
{
	const struct model *m = &world.models[n];
	uint64_t count = counter_read(&world.counters[n]);

	catch_up(n);
	if (count != m->count)
		fail_msg("seed %llu, cycle %llu, counter %u: %llu, not %llu",
			 (unsigned long long)world.seed,
			 (unsigned long long)now_(), n,
			 (unsigned long long)count,
			 (unsigned long long)m->count);
	if (!world.expressions[n].options.pmi)
		return;
	if (m->overflow_cycle != world.overflow_cycle[n])
		fail_msg("seed %llu, cycle %llu, counter %u: overflow in %llu, "
			 "not %llu",
			 (unsigned long long)world.seed,
			 (unsigned long long)now_(), n,
			 (unsigned long long)world.overflow_cycle[n],
			 (unsigned long long)m->overflow_cycle);
}

static uint64_t some_time(void)
{
	static const unsigned reaches[] = { 1, 2, 40, 400, 5000 };
	uint64_t time = now_() + below(reaches[below(5)]);

	return time < CYCLES ? time : CYCLES - 1;
}

static void add_from(int64_t *row, uint64_t from, uint64_t to, int64_t n)
{
	for (; from < to; from++)
		row[from] += n;
}

static void move_level(unsigned id)
{
	int64_t level = world.bank->signals[id].level;
	int64_t delta = level && below(2) ? -level : (int64_t)below(3);

	sig_add(world.bank, id, delta);
	add_from(world.level[id], now_(), CYCLES, delta);
}

static void make_span(unsigned id)
{
	uint64_t from = some_time(), to = from + below(300);
	int n = 1 + (int)below(3);

	if (to >= CYCLES)
		to = CYCLES - 1;
	sig_span(world.bank, id, from, to, n);
	add_from(world.level[id], from, to, n);
}

static void make_pulses(unsigned id)
{
	uint64_t first = some_time(), period = 1 + below(900);
	unsigned num = below(40), n = 1 + below(2);

	for (; num-- && first < CYCLES; first += period) {
		sig_later(world.bank, id, first, n);
		world.pulses[id][first] += n;
	}
}

static void make_pulse(unsigned id)
{
	bool is_ahead = below(8) < world.ahead;
	uint64_t time = is_ahead ? some_time() : now_();
	unsigned n = 1 + below(4);

	if (is_ahead)
		sig_later(world.bank, id, time, n);
	else
		sig_pulse(world.bank, id, n);
	if (!is_ahead)
		world.pulsed = now_();
	world.pulses[id][time] += n;
}

static void make_packet(void)
{
	bool is_ahead = below(8) < world.ahead;
	uint64_t time = is_ahead ? some_time() : now_();
	struct sig_header header = { .opcode = (uint8_t)below(NUM_CODES),
				     .flits = 1 };

	if (is_ahead)
		sig_packet_at(world.bank, PACKETS, time, &header);
	else
		sig_packet(world.bank, PACKETS, &header);
	if (!is_ahead)
		world.pulsed = now_();
	world.pulses[PACKETS][time]++;
	world.packets[header.opcode][time]++;
}

static void publish(void)
{
	unsigned id = below(PACKETS);

	switch (below(5)) {
	case 0: make_pulse(id); break;
	case 1: make_packet(); break;
	case 2:
		if (!below(4))
			make_pulses(id);
		break;
	default:
		if (below(8) < world.ahead)
			make_span(id);
		else
			move_level(id);
		break;
	}
}

static void choose_options(unsigned n)
{
	struct options *o = &world.expressions[n].options;

	memset(o, 0, sizeof(*o));
	if (!below(3))
		o->at_least[TAP_COUNTED] = (uint16_t)(1 + below(2));
	o->gated = n == 4;
	if (!below(6)) {
		o->accumulate = 7;
	} else if (below(2)) {
		o->threshold = (uint8_t)below(4);
		o->invert = o->threshold && below(2);
		o->edge_detect = below(2);
	}
	o->stops = !below(5) && !o->accumulate; /* no box has both */
	o->pmi = below(2);
}

static void configure(unsigned n)
{
	struct model *m = &world.models[n];
	bool active = below(4);

	if (world.pulsed == now_() && now_())
		return; /* some would have heard it and others not */
	compare(n);
	choose_options(n);
	counter_configure(&world.counters[n], &world.expressions[n], active);
	if (active && !m->active)
		m->previous = condition(&world.expressions[n].options,
					value_at(n, now_(), false));
	if (!world.expressions[n].options.stops)
		m->stopped = false;
	m->active = active;
	world.overflow_cycle[n] = m->overflow_cycle = 0;
}

/* Software that stops it and lets it go on in no time changes nothing. */
static void pause(unsigned n)
{
	bool active = world.counters[n].active;

	counter_configure(&world.counters[n], &world.expressions[n], false);
	counter_configure(&world.counters[n], &world.expressions[n], active);
}

static void write_count(unsigned n)
{
	static const unsigned rooms[] = { 5, 300, 20000 };
	uint64_t value = WRAP - 1 - below(rooms[below(3)]);

	compare(n);
	counter_write(&world.counters[n], value);
	world.models[n].count = value;
	world.models[n].stopped = false;
}

static void set_up(uint64_t seed)
{
	memset(&world, 0, sizeof(world));
	world.seed = seed;
	world.random = seed * 2654435761u + 88172645463325252u;
	world.ahead = below(9);
	world.sim = sim_new();
	world.bank = tap_bank_new(world.sim, NUM_SIGNALS);
	for (unsigned n = 0; n < NUM_COUNTERS; n++) {
		struct expression *e = &world.expressions[n];

		e->terms = world.terms[n];
		e->num_terms = n < 3 ? 1 : 2;
		e->terms[0].signal = (uint16_t)below(NUM_SIGNALS);
		e->terms[1].signal = (uint16_t)below(NUM_SIGNALS);
		e->terms[1].input = n == 4 ? TAP_GATE : TAP_COUNTED;
		if (e->terms[0].signal == PACKETS && below(2)) {
			memset(e->terms[0].filter.opcodes, 0xff,
			       sizeof(e->terms[0].filter.opcodes));
			e->terms[0].filter.states = UINT16_MAX;
			e->terms[0].filtered = true;
			e->terms[0].filter.care.opcode = 15;
			e->terms[0].filter.match.opcode =
				(uint8_t)below(NUM_CODES);
		}
		assert_true(counter_init(&world.counters[n], world.bank, 2));
		world.counters[n].overflow = note_overflow;
	}
}

static void tear_down(void)
{
	for (unsigned n = 0; n < NUM_COUNTERS; n++)
		counter_free(&world.counters[n]);
	tap_bank_free(world.bank);
	sim_free(world.sim);
}

static void act(void)
{
	unsigned n = below(NUM_COUNTERS);

	switch (below(24)) {
	case 0: configure(n); break;
	case 1: write_count(n); break;
	case 2: compare(n); break;
	case 3: pause(n); break;
	default: publish(); break;
	}
}

static void run(uint64_t seed)
{
	static const unsigned gaps[] = { 2, 5, 50, 2500 };
	unsigned dense;

	set_up(seed);
	dense = 1 + below(4);
	for (unsigned n = 0; n < NUM_COUNTERS; n++) {
		configure(n);
		write_count(n);
	}
	for (unsigned i = 0; i < NUM_ACTS && now_() < CYCLES - 3000; i++) {
		act();
		sim_run_until(world.sim, now_() + below(gaps[below(dense)]));
	}
	for (unsigned n = 0; n < NUM_COUNTERS; n++)
		compare(n);
	tear_down();
}

static void counters_agree_with_a_table(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_agree_with_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
