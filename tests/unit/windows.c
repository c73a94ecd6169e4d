/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What windows tell of a whole run, beside the whole run: closed forms worked
 * out by hand, leaving windows out really, identities between events, and made
 * up programs whose totals are known, two hundred placings of windows each.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "session/spread.h"
#include "session/windows.h"
#include "uncore/uncore.h"

#ifdef __SANITIZE_ADDRESS__
enum { NUM_SEEDS = 50 };
#else
enum { NUM_SEEDS = 200 };
#endif

static struct windows *new_windows(size_t num_classes, size_t num_events)
{
	struct windows *windows = windows_new(num_classes, num_events);

	assert_non_null(windows);
	return windows;
}

static void add(struct windows *windows, const uint64_t *classes,
		const uint64_t *events)
{
	assert_int_equal(windows_add(windows, classes, events), 0);
}

static void weigh(struct windows *windows)
{
	assert_int_equal(windows_weigh(windows), 0);
}

/* How a count is told: exactly, well, "about", "fewer than", not at all. */
enum told { EXACT, WELL, ABOUT, FEWER, NOT };

static enum told told(const struct uncore_count *count)
{
	if (!count->is_estimate || !count->valid)
		return count->valid ? EXACT : NOT;
	return WELL + count->telling;
}

static enum told count_one(const struct windows *windows, size_t event,
			   struct uncore_count *count)
{
	*count = (struct uncore_count){ 0 };
	windows_count(windows, &event, 1, count);
	return told(count);
}

static double value_of(const struct windows *windows, size_t event)
{
	struct uncore_estimate estimate;

	windows_estimate(windows, &event, 1, &estimate);
	return estimate.value;
}

/* Published tables have these, to so many digits. */
static void student_is_that_of_tables(void **state)
{
	static const struct {
		size_t freedom;
		double level, value, digit;
	} rows[] = {
		{ 1, 0.95, 12.706, 1e-3 },
		{ 2, 0.95, 4.303, 1e-3 },
		{ 3, 0.95, 3.182, 1e-3 },
		{ 4, 0.95, 2.776, 1e-3 },
		{ 5, 0.95, 2.571, 1e-3 },
		{ 10, 0.95, 2.228, 1e-3 },
		{ 20, 0.95, 2.086, 1e-3 },
		{ 30, 0.95, 2.042, 1e-3 },
		{ 60, 0.95, 2.000, 1e-3 },
		{ 120, 0.95, 1.980, 1e-3 },
		{ 1, 0.99, 63.657, 1e-3 },
		{ 2, 0.99, 9.925, 1e-3 },
		{ 3, 0.99, 5.841, 1e-3 },
		{ 9, 0.99, 3.250, 1e-3 },
		{ 30, 0.99, 2.750, 1e-3 },
		{ 120, 0.99, 2.617, 1e-3 },
		{ 1u << 30, 0.95, 1.95996, 1e-4 },
		{ 1u << 30, 0.99, 2.57583, 1e-4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_float_equal(
			spread_student(rows[i].freedom, rows[i].level),
			rows[i].value, rows[i].digit);
	assert_true(isinf(spread_student(0, 0.95)));
}

/* Accesses a, an event y, and 900 accesses in between. The ratio is 100/100, so
 * each window stands for 9 besides itself: 1,000. Residuals are 2, -2, 3, -3;
 * leverages a/100. Without the last window the ratio would be 63/60 and the
 * total between windows 945: 45 more, which is 9 * 3 / (1 - 0.4). */
static void ratio_by_hand(void **state)
{
	static const uint64_t a[] = { 10, 20, 30, 40 },
			      y[] = { 12, 18, 33, 37 };
	static const double moves[] = { 2 / 0.9, 2 / 0.8, 3 / 0.7, 3 / 0.6 };
	static const uint64_t between = 900, none = 0;
	struct windows *windows = new_windows(1, 1);
	struct uncore_count count;
	double variance = 0;

	(void)state;
	windows_start(windows, &none, &none);
	for (size_t i = 0; i < 4; i++) {
		add(windows, &a[i], &y[i]);
		variance += moves[i] * moves[i];
	}
	windows_rest(windows, &between);
	weigh(windows);
	for (size_t i = 0; i < 4; i++)
		assert_float_equal(windows_weight(windows, i), 9, 1e-12);
	assert_int_equal(count_one(windows, 0, &count), ABOUT);
	assert_int_equal(count.value, 1000);
	assert_int_equal(count.seen, 100);
	assert_float_equal(count.share, 0.1, 1e-12);
	/* the error of 900, seen 100 of 1,000: 81 and as much as 9 again;
	 * three may have come that were not seen: 3 (1 - 0.1) 10^2 */
	variance = 1.5 * 1.5 * 3 / 4 * (81 + 9) * variance + 270;
	assert_float_equal(count.standard_error, sqrt(variance), 1e-9);
	assert_float_equal(count.error, 3.182446305 * sqrt(variance), 1e-6);
	windows_free(windows);
}

/* Numbers of a generator: even between 0 and 1; and the sum of twelve of them,
 * which is as good as normal. */
static double even(uint64_t *random)
{
	return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *random)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += even(random);
	return sum;
}

/* Leaving a window out really, by giving it nothing to stand for, moves the
 * total between windows as far as its influence says. */
static void expect_influences(size_t num_classes, double tolerance)
{
	enum { NUM = 30 };
	double classes[2 * NUM], near[NUM], values[NUM],
		influences[NUM + WEIGHTS_BEYOND];
	const double totals[] = { 17000, 70000 };
	struct weights_counts counts = { NUM, num_classes, classes, near,
					 totals };
	struct weights all, without;
	uint64_t random = 7;

	for (size_t i = 0; i < NUM; i++) {
		classes[num_classes * i] = 900 + 200 * even(&random);
		if (num_classes > 1)
			classes[2 * i + 1] = 4000 + 400 * even(&random);
		near[i] = 500 + 200 * even(&random);
		values[i] = 50 + 20 * even(&random);
	}
	assert_int_equal(weights_make(&counts, &all), 0);
	assert_int_equal(all.num_columns, num_classes);
	weights_influences(&all, values, influences);
	for (size_t out = 0; out < NUM; out++) {
		double kept = near[out], change = 0, weight = all.weights[out];

		near[out] = 0;
		assert_int_equal(weights_make(&counts, &without), 0);
		near[out] = kept;
		for (size_t i = 0; i < NUM; i++)
			change += (all.weights[i] - without.weights[i]) *
				  values[i];
		assert_float_equal(without.weights[out], 0, 0);
		/* which has the error of what was not seen in it, too */
		assert_float_equal(change * sqrt(1 + 1 / weight),
				   influences[out],
				   tolerance * fmax(1, fabs(influences[out])));
		weights_clear(&without);
	}
	weights_clear(&all);
}

/* With computing there is a penalty, which changes with what is left. */
static void leaving_out_is_what_it_says(void **state)
{
	(void)state;
	expect_influences(1, 1e-9);
	expect_influences(2, 0.05);
}

/* A tenth of the accesses is of a class that no window saw. They may cost
 * nothing, or twice what others do: the interval has both. */
static void what_no_window_saw_is_not_known(void **state)
{
	enum { NUM = 20, OTHERS = 90000, UNSEEN = 10000, COST = 10 };
	const uint64_t none[4] = { 0 };
	const uint64_t between[] = { OTHERS + UNSEEN, 4 * (OTHERS + UNSEEN),
				     OTHERS, UNSEEN };
	struct windows *windows = new_windows(4, 1);
	struct uncore_count count;

	(void)state;
	windows_start(windows, none, none);
	for (uint64_t i = 0; i < NUM; i++) {
		uint64_t num = 1000 + i % 3, cost = COST * num;
		uint64_t classes[] = { num, 4 * num, num, 0 };

		add(windows, classes, &cost);
	}
	windows_rest(windows, between);
	weigh(windows);
	count_one(windows, 0, &count);
	assert_true(count.error >= COST * UNSEEN);
	assert_true(count.error <= 1.2 * COST * UNSEEN);
	windows_free(windows);
}

/* An access computes 4 cycles in windows, and 8 between them: an event of which
 * one comes with each such cycle is told half too low, and its error says so.
 * So it does where somebody else knows the total. */
static void computing_that_no_window_saw_is_not_known(void **state)
{
	enum { NUM = 20, BETWEEN = 100000 };
	const uint64_t none[2] = { 0 };
	uint64_t between[] = { BETWEEN, 8 * BETWEEN };
	struct windows *windows;
	struct uncore_count count;

	(void)state;
	for (unsigned known = 0; known < 2; known++) {
		windows = new_windows(2, 1);
		between[1] = (known ? 4 : 8) * BETWEEN;
		windows_start(windows, none, none);
		for (uint64_t i = 0; i < NUM; i++) {
			uint64_t num = 1000 + i % 3, events = 4 * num;
			uint64_t classes[] = { num, events };

			add(windows, classes, &events);
		}
		windows_rest(windows, between);
		weigh(windows);
		if (known)
			windows_doubt(windows, 0, 4 * BETWEEN);
		count_one(windows, 0, &count);
		assert_true(count.error >= 4 * BETWEEN);
		assert_true(count.error <= 1.2 * 4 * BETWEEN);
		windows_free(windows);
	}
}

static double error_of(const char *signs)
{
	const uint64_t accesses = 100000, between = 7200000, none = 0;
	struct windows *windows = new_windows(1, 1);
	struct uncore_count count;

	windows_start(windows, &none, &none);
	for (; *signs; signs++) {
		uint64_t events = *signs == '+' ? 110000 : 90000;

		add(windows, &accesses, &events);
	}
	windows_rest(windows, &between);
	weigh(windows);
	count_one(windows, 0, &count);
	windows_free(windows);
	return count.standard_error;
}

/* Of eight windows one and two behind each other count, by 2/3 and 1/3: of four
 * more and then four less 5 and 2 products of 8, so twice the variance. */
static void neighbours_that_are_alike_tell_less(void **state)
{
	(void)state;
	assert_float_equal(error_of("++++----") / error_of("+-+-+-+-"), sqrt(2),
			   1e-3);
	assert_float_equal(error_of("+--+-++-") / error_of("+-+-+-+-"), 1,
			   1e-3);
}

/* A program: units of some thousand accesses, one after another. */
enum {
	NUM_UNITS = 4000,
	START_UNITS = 40,
	APART = 20, /* units from window to window, on average */
	FAR_APART = 100,
	NUM_KINDS = 8,
	NUM_CLASSES = 2 + NUM_KINDS + 2, /* and a sum, and one that is empty */
};

/* The events of a unit. */
enum {
	EVENT_TIME,   /* what its classes cost, with noise */
	EVENT_SQUARE, /* grows faster than what causes it, as a queue does */
	EVENT_FEW,    /* a tenth of a class, by chance */
	EVENT_PART,   /* two parts and their sum */
	EVENT_OTHER,
	EVENT_SUM,
	EVENT_LINEAR, /* three times the accesses and the computing */
	NUM_EVENTS,
};

struct unit {
	uint64_t classes[NUM_CLASSES];
	uint64_t events[NUM_EVENTS];
};

/* How a program behaves in unit number i: the parts of its kinds of access
 * (any sum), and what its accesses cost beside what is normal. */
struct program {
	const char *name;
	void (*behave)(size_t i, uint64_t *random, double *parts, double *cost);
};

static void steady(size_t i, uint64_t *random, double *parts, double *cost)
{
	(void)i, (void)random, (void)parts, (void)cost;
}

static void phases(size_t i, uint64_t *random, double *parts, double *cost)
{
	(void)random, (void)cost;
	parts[0] *= i / 130 % 2 ? 4 : 1;
	parts[3] *= i / 130 % 3 ? 1 : 6;
}

static void costly_phases(size_t i, uint64_t *random, double *parts,
			  double *cost)
{
	phases(i, random, parts, cost);
	*cost = i / 310 % 2 ? 1.3 : 1;
}

static void drift(size_t i, uint64_t *random, double *parts, double *cost)
{
	(void)random;
	parts[1] *= 1 + 3.0 * (double)i / NUM_UNITS;
	*cost = 1 + 0.15 * (double)i / NUM_UNITS;
}

static void heavy_tails(size_t i, uint64_t *random, double *parts, double *cost)
{
	(void)i;
	parts[2] *= exp(normal(random));
	*cost = exp(0.5 * normal(random));
}

static void wandering(size_t i, uint64_t *random, double *parts, double *cost)
{
	static double level;

	level = i ? 0.95 * level + 0.08 * normal(random) : 0;
	parts[4] *= exp(level);
	*cost = exp(level / 2);
}

static void in_step(size_t i, uint64_t *random, double *parts, double *cost)
{
	(void)random;
	parts[0] *= i % 2 ? 3 : 1;
	*cost = 1 + 0.4 * sin((double)i * 2 * 3.14159265 / APART);
}

static const struct program programs[] = {
	{ "steady", steady },
	{ "phases", phases },
	{ "phases that cost", costly_phases },
	{ "drift", drift },
	{ "heavy tails", heavy_tails },
	{ "wandering", wandering },
	{ "in step with windows", in_step },
};
enum { NUM_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static const double usual_parts[NUM_KINDS] = { 60, 20, 10, 5, 3, 1, 0.5, 0.05 };
static const double usual_costs[NUM_KINDS] = {
	20, 45, 80, 120, 200, 60, 30, 300
};

static void make_classes(uint64_t *random, const double *parts,
			 struct unit *unit)
{
	double sum = 0;

	for (size_t k = 0; k < NUM_KINDS; k++)
		sum += parts[k];
	for (size_t k = 0; k < NUM_KINDS; k++) {
		double mean = parts[k] / sum * (950 + 100 * even(random));
		double num = mean + sqrt(mean) * normal(random);

		unit->classes[2 + k] = (uint64_t)fmax(0, floor(num + 0.5));
		unit->classes[WEIGHTS_ACCESSES] += unit->classes[2 + k];
	}
	unit->classes[WEIGHTS_COMPUTED] =
		(uint64_t)((double)unit->classes[WEIGHTS_ACCESSES] *
			   (8 + even(random)));
	unit->classes[2 + NUM_KINDS] = unit->classes[2] + unit->classes[3];
}

static void make_events(uint64_t *random, double cost, struct unit *unit)
{
	const uint64_t *classes = unit->classes;
	uint64_t *events = unit->events;
	double time = 0, load = (double)(classes[4] + classes[5]);

	for (size_t k = 0; k < NUM_KINDS; k++)
		time += usual_costs[k] * (double)classes[2 + k];
	time *= cost * exp(0.05 * normal(random));
	events[EVENT_TIME] = (uint64_t)time;
	events[EVENT_SQUARE] = (uint64_t)(cost * load * load);
	for (uint64_t i = 0; i < classes[6]; i++)
		events[EVENT_FEW] += even(random) < 0.1 * cost;
	events[EVENT_PART] = (uint64_t)(time * even(random));
	events[EVENT_OTHER] = (uint64_t)time - events[EVENT_PART];
	events[EVENT_SUM] = (uint64_t)time;
	events[EVENT_LINEAR] =
		3 * classes[WEIGHTS_ACCESSES] + classes[WEIGHTS_COMPUTED];
}

static void make_program(const struct program *program, uint64_t seed,
			 struct unit *units)
{
	uint64_t random = seed;

	for (size_t i = 0; i < NUM_UNITS; i++) {
		double parts[NUM_KINDS], cost = 1;

		memcpy(parts, usual_parts, sizeof(parts));
		program->behave(i, &random, parts, &cost);
		units[i] = (struct unit){ 0 };
		make_classes(&random, parts, &units[i]);
		make_events(&random, cost, &units[i]);
	}
}

static bool is_window[NUM_UNITS]; /* by the last sample() */

/* Windows of a unit, so many apart, up to 40 per cent more or less. */
static struct windows *sample(const struct unit *units, uint64_t seed,
			      size_t apart, size_t num_events)
{
	struct windows *windows = new_windows(NUM_CLASSES, num_events);
	uint64_t random = seed;
	size_t next = START_UNITS + apart / 2;

	for (size_t i = 0; i < NUM_UNITS; i++) {
		is_window[i] = i >= START_UNITS && i >= next;
		if (i < START_UNITS) {
			windows_start(windows, units[i].classes,
				      units[i].events);
		} else if (!is_window[i]) {
			windows_quick(windows, units[i].classes);
		} else {
			add(windows, units[i].classes, units[i].events);
			next += (size_t)((double)apart *
						 (0.6 + 0.8 * even(&random)) +
					 0.5);
		}
	}
	weigh(windows);
	return windows;
}

static double total_of(const struct unit *units, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < NUM_UNITS; i++)
		sum += (double)units[i].events[event];
	return sum;
}

struct coverage {
	unsigned num, held;
	double squares, errors; /* of what was off, of what was told */
};

static void look(const struct windows *windows, size_t event, double total,
		 struct coverage *coverage)
{
	struct uncore_count count;
	enum told telling = count_one(windows, event, &count);
	double off = (double)count.value - total;

	if (telling != WELL && telling != ABOUT)
		return;
	coverage->num++;
	coverage->held += fabs(off) <= count.error;
	coverage->squares += off * off;
	coverage->errors += count.error;
}

/* Squares for each bit of time, as a metric takes it: by the delta method, from
 * cells. */
static void look_at_ratio(const struct windows *windows, double ratio,
			  struct coverage *coverage)
{
	const size_t above = EVENT_SQUARE, below = EVENT_TIME;
	struct uncore_estimate a, b;
	double rests[UNCORE_MAX_CELLS], value, variance, error;

	assert_true(windows_estimate(windows, &above, 1, &a));
	assert_true(windows_estimate(windows, &below, 1, &b));
	value = a.value / b.value;
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		rests[i] = (a.rests[i] - value * b.rests[i]) / b.value;
	variance = spread_variance(rests, a.num_cells, 1 - a.share);
	error = spread_student(a.num_cells - 1, a.level) * sqrt(variance);
	coverage->num++;
	coverage->held += fabs(value - ratio) <= error;
	coverage->squares += (value - ratio) * (value - ratio);
	coverage->errors += error;
}

/* What is promised 95 times in 100, and told in half of the runs or more, holds
 * at least 90 times, and is not ten times as wide as what would hold so
 * often. */
static void judge(const struct program *program, size_t event, double total,
		  const struct coverage *coverage)
{
	double num = coverage->num,
	       wide = coverage->errors / num /
		      (1.96 * sqrt(coverage->squares / num));

	print_message("%-20s event %zu: holds %5.1f %%, off %.3f %%, "
		      "told %.3f %%, wide %.2f\n",
		      program->name, event, 100 * coverage->held / num,
		      100 * sqrt(coverage->squares / num) / total,
		      100 * coverage->errors / num / total, wide);
	assert_true(num > NUM_SEEDS / 2);
	assert_true(coverage->held >= 0.9 * num);
	assert_true(wide < 10);
}

static void sample_often(const struct program *program, uint64_t number,
			 size_t apart)
{
	static struct unit units[NUM_UNITS];
	struct coverage coverage[NUM_EVENTS] = { 0 }, of_ratio = { 0 };
	double totals[NUM_EVENTS], ratio;

	make_program(program, number, units);
	for (size_t e = 0; e < NUM_EVENTS; e++)
		totals[e] = total_of(units, e);
	ratio = totals[EVENT_SQUARE] / totals[EVENT_TIME];
	for (uint64_t seed = 1; seed <= NUM_SEEDS; seed++) {
		struct windows *windows =
			sample(units, seed, apart, NUM_EVENTS);

		for (size_t e = 0; e < EVENT_SUM; e++)
			look(windows, e, totals[e], &coverage[e]);
		look_at_ratio(windows, ratio, &of_ratio);
		windows_free(windows);
	}
	for (size_t e = 0; e < EVENT_SUM; e++)
		judge(program, e, totals[e], &coverage[e]);
	judge(program, NUM_EVENTS, ratio, &of_ratio);
}

static void intervals_hold(void **state)
{
	(void)state;
	for (size_t p = 0; p < NUM_PROGRAMS; p++)
		sample_often(&programs[p], 1 + p, APART);
}

/* Forty windows, not two hundred; what is not told then promises nothing. */
static void intervals_of_few_windows_hold(void **state)
{
	(void)state;
	for (size_t p = 0; p < NUM_PROGRAMS; p++)
		sample_often(&programs[p], 1 + p, FAR_APART);
}

/* Of the whole of a program, in windows of what was seen of it. */
static struct windows *sample_of(const struct program *program, uint64_t seed,
				 struct unit *units)
{
	make_program(program, seed, units);
	return sample(units, seed, APART, NUM_EVENTS);
}

/* Whoever adds up weighted windows finds as many accesses and cycles as
 * there were, to what doubles hold, and nearly as many of each frequent class;
 * no window stands for less than nothing. */
static void classes_are_reproduced(void **state)
{
	static struct unit units[NUM_UNITS];

	(void)state;
	for (size_t p = 0; p < NUM_PROGRAMS; p++) {
		struct windows *windows = sample_of(&programs[p], 3, units);
		double sums[NUM_CLASSES] = { 0 }, totals[NUM_CLASSES] = { 0 };
		size_t window = 0;

		for (size_t i = START_UNITS; i < NUM_UNITS; i++) {
			double weight = 0;

			if (is_window[i])
				weight = windows_weight(windows, window++);
			assert_true(weight >= 0);
			for (size_t c = 0; c < NUM_CLASSES; c++) {
				double num = (double)units[i].classes[c];

				if (is_window[i])
					sums[c] += weight * num;
				else
					totals[c] += num;
			}
		}
		assert_int_equal(window, windows_num(windows));
		assert_float_equal(sums[WEIGHTS_ACCESSES] /
					   totals[WEIGHTS_ACCESSES],
				   1, 1e-12);
		assert_float_equal(sums[WEIGHTS_COMPUTED] /
					   totals[WEIGHTS_COMPUTED],
				   1, 1e-3);
		for (size_t c = WEIGHTS_COMMON; c < NUM_CLASSES - 1; c++)
			assert_float_equal(sums[c] / totals[c], 1, 0.01);
		windows_free(windows);
	}
}

/* A part and another make a sum, and so do their estimates; what is made of
 * accesses and computing is known but for what is under way at the windows'
 * edges. */
static void identities_hold(void **state)
{
	static struct unit units[NUM_UNITS];

	(void)state;
	for (size_t p = 0; p < NUM_PROGRAMS; p++) {
		struct windows *windows = sample_of(&programs[p], 4, units);
		const size_t parts[] = { EVENT_PART, EVENT_OTHER };
		double sum = value_of(windows, EVENT_SUM);
		double total = total_of(units, EVENT_LINEAR);
		struct uncore_count count, both;

		assert_float_equal(value_of(windows, EVENT_PART) +
					   value_of(windows, EVENT_OTHER),
				   sum, 1e-12 * sum);
		windows_count(windows, parts, 2, &both);
		assert_int_equal(count_one(windows, EVENT_SUM, &count),
				 told(&both));
		assert_int_equal(count.value, both.value);
		assert_float_equal(count.error, both.error, 1e-9 * count.error);
		assert_int_equal(count_one(windows, EVENT_LINEAR, &count),
				 WELL);
		assert_float_equal(value_of(windows, EVENT_LINEAR), total,
				   1e-3 * total);
		assert_true(count.error < 2e-3 * total);
		windows_free(windows);
	}
}

/* With one event, or with all of them: the same, to the last bit. */
static void one_more_changes_nothing(void **state)
{
	static struct unit units[NUM_UNITS];
	struct windows *all = sample_of(&programs[2], 5, units), *one;
	struct uncore_count with, without;
	size_t first = 0;

	(void)state;
	one = sample(units, 5, APART, 1);
	assert_int_equal(windows_num(one), windows_num(all));
	for (size_t i = 0; i < windows_num(one); i++)
		assert_true(windows_weight(one, i) == windows_weight(all, i));
	assert_int_equal(count_one(one, first, &without),
			 count_one(all, first, &with));
	assert_true(value_of(one, first) == value_of(all, first));
	assert_true(with.standard_error == without.standard_error);
	assert_true(with.error == without.error);
	windows_free(one);
	windows_free(all);
}

/* The cells that metrics get show the same variance where nothing is left over
 * from cell to cell, and their parts are the estimate. */
static void cells_tell_the_same(void **state)
{
	static struct unit units[NUM_UNITS];
	struct windows *windows = sample_of(&programs[0], 6, units);
	struct uncore_estimate estimate;
	struct uncore_count count;
	size_t event = EVENT_PART;
	double variance, sum = 0;

	(void)state;
	count_one(windows, event, &count);
	assert_true(windows_estimate(windows, &event, 1, &estimate));
	assert_int_equal(estimate.num_cells, UNCORE_MAX_CELLS);
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		sum += estimate.parts[i];
	for (size_t i = 0; i < START_UNITS; i++)
		sum += (double)units[i].events[event];
	assert_float_equal(sum, estimate.value, 1e-12 * sum);
	variance = spread_variance(estimate.rests, estimate.num_cells,
				   1 - estimate.share);
	/* chi-square with 31 degrees of freedom: 0.46 to 1.8 */
	assert_in_range((int)(100 * variance / count.standard_error /
			      count.standard_error),
			46, 180);
	windows_free(windows);
}

/* What every run must bear: numbers, and no promise that nobody can keep. */
static void expect_numbers(const struct windows *windows, size_t event)
{
	struct uncore_count count;
	enum told telling = count_one(windows, event, &count);
	double value = value_of(windows, event);

	assert_true(isfinite(value) && value >= (double)count.seen);
	if (telling != NOT)
		assert_true(isfinite(count.error) && count.error >= 0 &&
			    count.valid);
	else
		assert_true(!count.valid && *count.reason);
}

static void nothing_quick_is_exact(void **state)
{
	const uint64_t classes[] = { 1000, 4000, 7 }, events[] = { 12 };
	const uint64_t none[] = { 0, 0, 0 };
	struct windows *windows = new_windows(3, 1);
	struct uncore_count count;

	(void)state;
	weigh(windows);
	assert_int_equal(count_one(windows, 0, &count), EXACT);
	assert_int_equal(count.value, 0);
	windows_start(windows, classes, events);
	for (size_t i = 0; i < 30; i++) {
		windows_quick(windows, none);
		add(windows, classes, events);
	}
	weigh(windows);
	assert_int_equal(count_one(windows, 0, &count), EXACT);
	assert_int_equal(count.value, 31 * 12);
	assert_false(count.is_estimate);
	assert_true(count.error == 0 && count.share == 1);
	windows_free(windows);
}

static void no_window_no_estimate(void **state)
{
	const uint64_t classes[] = { 1000, 4000 }, events[] = { 12 };
	const uint64_t quick[] = { 6000, 24000 };
	struct windows *windows = new_windows(2, 1);
	struct uncore_count count;

	(void)state;
	windows_start(windows, classes, events);
	windows_quick(windows, quick);
	for (size_t i = 0; i < 3; i++) {
		weigh(windows);
		assert_int_equal(count_one(windows, 0, &count), NOT);
		assert_false(count.valid);
		assert_true(isnan(count.error) || i > 0);
		add(windows, classes, events);
	}
	windows_free(windows);
}

/* 90 of 100 accesses, 90 events: some 100, if the rest has any. */
static void most_of_a_run_is_known(void **state)
{
	const uint64_t start[] = { 9000, 36000 }, quick[] = { 1000, 4000 };
	const uint64_t events[] = { 9000 };
	struct windows *windows = new_windows(2, 1);
	struct uncore_count count;

	(void)state;
	windows_start(windows, start, events);
	windows_quick(windows, quick);
	weigh(windows);
	assert_int_equal(count_one(windows, 0, &count), ABOUT);
	assert_int_equal(count.value, 10000);
	assert_true(count.is_estimate && count.error == 1000);
	windows_free(windows);
}

/* Windows that are all the same, with a class that only the start has, one
 * that only stretches have, and one that is twice another. */
static void alike(size_t num, uint64_t scale, enum told telling)
{
	const uint64_t start[] = { 10 * scale, scale, 5, 0, 0, 0 };
	const uint64_t quick[] = { 19 * scale, 38 * scale, 0,
				   9,	       scale,	   2 * scale };
	const uint64_t classes[] = { scale, 2 * scale, 0,
				     0,	    scale / 4, scale / 2 };
	const uint64_t events[] = { 3 * scale, 0, scale / 2 };
	struct windows *windows = new_windows(6, 3);
	struct uncore_count count;
	double total = (double)(3 * scale) * (double)(20 * num + 1);
	double unseen = 9 / (double)(19 * scale);

	windows_start(windows, start, events);
	for (size_t i = 0; i < num; i++) {
		windows_quick(windows, quick);
		add(windows, classes, events);
	}
	weigh(windows);
	for (size_t i = 0; i < 3; i++)
		expect_numbers(windows, i);
	assert_int_equal(count_one(windows, 0, &count), telling);
	assert_float_equal(value_of(windows, 0) / total, 1, 1e-12);
	assert_true(count.error <
		    (1e-9 + 1.1 * unseen) * total + 3.2 * sqrt(3) * 20);
	windows_free(windows);
}

static void windows_all_the_same(void **state)
{
	(void)state;
	alike(20, 1000, WELL);
	alike(19, 1000, ABOUT);
	alike(2000, 1000, WELL);
	/* the totals are some 2^53 */
	alike(100, UINT64_C(1) << 40, WELL);
}

/* Numbers without any sense: nothing may break. */
static void anything_goes(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (unsigned run = 0; run < 300; run++) {
		size_t num_classes = 1 + random_next(&random) % 40;
		size_t num = random_next(&random) % 90;
		struct windows *windows = new_windows(num_classes, 2);

		for (size_t i = 0; i < num; i++) {
			uint64_t classes[40], quick[40], events[2];

			for (size_t c = 0; c < 40; c++) {
				unsigned bits = random_next(&random) % 30;

				classes[c] = random_next(&random) >> 34 >> bits;
				quick[c] = random_next(&random) >> 34 >> bits;
				if (random_next(&random) % 4 == 0)
					classes[c] = 0;
			}
			events[0] = random_next(&random) >> 44;
			events[1] = random_next(&random) % 1000 == 0;
			if (random_next(&random) % 3)
				windows_quick(windows, quick);
			if (random_next(&random) % 50 == 0)
				windows_rest(windows, quick);
			add(windows, classes, events);
		}
		weigh(windows);
		for (size_t i = 0; i < windows_num(windows); i++)
			assert_true(windows_weight(windows, i) >= 0);
		expect_numbers(windows, 0);
		expect_numbers(windows, 1);
		windows_free(windows);
	}
}

/* More than are kept: they come in pairs, in fours, and nothing is lost. */
static void many_windows_become_few(void **state)
{
	enum { MANY = 2 * WINDOWS_MAX + 5 };
	struct windows *windows = new_windows(2, 1);
	uint64_t total = 0, random = 13;
	struct uncore_count count;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		const uint64_t classes[] = { 1000, 4000 };
		const uint64_t quick[] = { 19000, 76000 };
		uint64_t event = 90 + random_next(&random) % 21;

		windows_quick(windows, quick);
		add(windows, classes, &event);
		total += event;
	}
	weigh(windows);
	assert_int_equal(windows_num(windows), WINDOWS_MAX / 2 + 2);
	assert_int_equal(count_one(windows, 0, &count), WELL);
	assert_int_equal(count.seen, total);
	assert_float_equal((double)count.value, 20.0 * (double)total,
			   0.001 * 20 * (double)total);
	windows_free(windows);
}

/* What is told of events that are rare, come in one burst, or vary wildly. */
static void little_is_told_of_little(void **state)
{
	struct windows *windows = new_windows(2, 4);
	const size_t all[] = { 0, 1, 2, 3 };
	uint64_t random = 17;
	struct uncore_count count;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		const uint64_t classes[] = { 1000, 4000 };
		const uint64_t quick[] = { 19000, 76000 };
		const uint64_t events[] = {
			0,		    /* never */
			i == 40 ? 5000 : 0, /* once */
			i % 33 == 5,	    /* three times */
			(i % 20 == 3) * (random_next(&random) % 100000),
		};

		windows_quick(windows, quick);
		add(windows, classes, events);
	}
	weigh(windows);
	/* none in a twentieth: 95 times in 100 no more than 3 * 19 else */
	assert_int_equal(count_one(windows, all[0], &count), FEWER);
	assert_int_equal(count.value, 0);
	assert_float_equal(count.error, 57, 1e-9);
	assert_int_equal(count_one(windows, all[1], &count), NOT);
	assert_non_null(strstr(count.reason, "short part of the run"));
	assert_int_equal(count_one(windows, all[2], &count), FEWER);
	assert_true(count.value + count.error < 1000);
	assert_int_equal(count_one(windows, all[3], &count), NOT);
	windows_free(windows);
}

/* What comes in five windows of a hundred: known well if a class came with it,
 * three for each, whose total is known; of the same without the class nobody
 * knows how much of it there was elsewhere. */
static void classes_explain_bursts(void **state)
{
	struct uncore_count with, without;
	double total = 0;

	(void)state;
	for (size_t num_classes = 2; num_classes <= 3; num_classes++) {
		struct windows *windows = new_windows(num_classes, 1);
		uint64_t random = 19;

		total = 0;
		for (size_t i = 0; i < 100; i++) {
			bool is_now = i >= 40 && i < 45;
			const uint64_t classes[] = { 1000, 4000, is_now * 300 };
			const uint64_t quick[] = { 19000, 76000,
						   is_now * 19 * 300 };
			uint64_t event =
				is_now * (880 + (uint64_t)(40 * even(&random)));

			windows_quick(windows, quick);
			add(windows, classes, &event);
			total += is_now * 20.0 * 900;
		}
		weigh(windows);
		count_one(windows, 0, num_classes == 3 ? &with : &without);
		windows_free(windows);
	}
	assert_int_equal(told(&with), WELL);
	assert_true(with.error < 0.05 * total);
	assert_true(fabs((double)with.value - total) < with.error);
	assert_int_not_equal(told(&without), WELL);
}

/* A metric of examples/metrics.txt from two events and the time: its value, and
 * the error that the derivatives of a rate give. */
static struct uncore_metric_value rate(const struct uncore_estimate *a,
				       const struct uncore_estimate *b,
				       const struct uncore_estimate *time)
{
	const struct uncore_metric_scope scope = { -1, -1 };
	const struct uncore_metric_count events[] = {
		{ .event = 0, .value = a->value, .estimate = a },
		{ .event = 1, .value = b->value, .estimate = b },
	};
	struct uncore_metric_counts counts = {
		.counts = events,
		.num = 2,
		.num_sockets = 1,
		.seconds = 1e-9 * time->value,
		.cycles = time->value,
		.share = a->share,
		.time = time,
	};
	struct uncore_metrics *metrics;
	struct uncore_metric_value value;
	size_t *chosen, num;

	assert_int_equal(uncore_metrics_new(uncore_family_find("xeon-e7"),
					    &metrics, NULL),
			 0);
	assert_int_equal(
		uncore_metrics_read(metrics, "examples/metrics.txt", NULL), 0);
	assert_int_equal(uncore_metrics_choose(metrics, "miss_rate", &chosen,
					       &num, NULL),
			 0);
	uncore_metrics_value(metrics, chosen[0], &counts, &scope, &value);
	free(chosen);
	uncore_metrics_free(metrics);
	return value;
}

/* (a + b) / t moves by (a' + b') / t - (a + b) t' / t^2, and holds 95 times in
 * 100, not 99. */
static void rates_move_with_time(void **state)
{
	static struct unit units[NUM_UNITS];
	struct windows *windows = sample_of(&programs[2], 8, units);
	static const size_t events[] = { EVENT_FEW, EVENT_PART, EVENT_TIME };
	struct uncore_estimate estimates[3];
	struct uncore_metric_value value;
	double rests[UNCORE_MAX_CELLS], wanted, variance, sum, time;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_true(windows_estimate(windows, &events[i], 1,
					     &estimates[i]));
	value = rate(&estimates[0], &estimates[1], &estimates[2]);
	sum = estimates[0].value + estimates[1].value;
	time = 1e-9 * estimates[2].value;
	wanted = 1e-6 * sum / time;
	assert_true(value.valid);
	assert_float_equal(value.value, wanted, 1e-9 * wanted);
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		rests[i] =
			(estimates[0].rests[i] + estimates[1].rests[i]) / sum -
			estimates[2].rests[i] / estimates[2].value;
	variance = spread_variance(rests, UNCORE_MAX_CELLS,
				   1 - estimates[0].share);
	/* beside which what nobody saw of the two events is little */
	assert_true(value.standard_error >= wanted * sqrt(variance));
	assert_float_equal(value.standard_error, wanted * sqrt(variance),
			   0.01 * value.standard_error);
	assert_float_equal(value.error / value.standard_error, 2.0395, 1e-4);
	assert_int_equal(value.telling, UNCORE_TELL_VALUE);
	/* of 19 windows nothing is more than "about"; with a large error n/a */
	estimates[0].num_windows = estimates[1].num_windows =
		estimates[2].num_windows = 19;
	value = rate(&estimates[0], &estimates[1], &estimates[2]);
	assert_true(value.valid && value.telling == UNCORE_TELL_ABOUT);
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		estimates[1].rests[i] *= 100;
	value = rate(&estimates[0], &estimates[1], &estimates[2]);
	assert_false(value.valid);
	assert_non_null(strstr(value.reason, "unevenly"));
	windows_free(windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_is_that_of_tables),
		cmocka_unit_test(ratio_by_hand),
		cmocka_unit_test(leaving_out_is_what_it_says),
		cmocka_unit_test(what_no_window_saw_is_not_known),
		cmocka_unit_test(computing_that_no_window_saw_is_not_known),
		cmocka_unit_test(neighbours_that_are_alike_tell_less),
		cmocka_unit_test(classes_are_reproduced),
		cmocka_unit_test(identities_hold),
		cmocka_unit_test(one_more_changes_nothing),
		cmocka_unit_test(cells_tell_the_same),
		cmocka_unit_test(nothing_quick_is_exact),
		cmocka_unit_test(no_window_no_estimate),
		cmocka_unit_test(most_of_a_run_is_known),
		cmocka_unit_test(windows_all_the_same),
		cmocka_unit_test(anything_goes),
		cmocka_unit_test(many_windows_become_few),
		cmocka_unit_test(little_is_told_of_little),
		cmocka_unit_test(classes_explain_bursts),
		cmocka_unit_test(rates_move_with_time),
		cmocka_unit_test(intervals_hold),
		cmocka_unit_test(intervals_of_few_windows_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
