/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.8: who may run how fast. Three things decide about a core's clock:
 *
 *  - Turbo, where the machine has it: while no more than core.turbo_cores are
 *    in C0, nobody is hot and the core itself is not warm.
 *  - Heat: a core at the target temperature goes to the slowest ratio; if that
 *    does not help in time, its clock is modulated, too (thermal monitor 1).
 *  - FORCEPR from outside the package: all clocks are modulated.
 *
 * A new ratio takes core.ratio_cycles; if the wish has gone or the core has
 * halted before, the change is given up. A halted core forgets turbo. A core
 * goes to ambient while it is halted, and to `rise` above that in C0 at the
 * nominal clock, with the square of the clock (the voltage follows) and the
 * share of the time in which it runs.
 *
 * Left out: voltages, power limits, C1E, coordination between sockets beyond
 * the messages that a change causes.
 */
#include "model/nehalem-ex/wbox.h"

#include <math.h>
#include <stdlib.h>

#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/system.h"
#include "model/parts/power/power.h"
#include "signals.h"

enum ratio { SLOW, NOMINAL, TURBO, NUM_RATIOS };

/* Of events that something else has made void meanwhile: the number that they
 * were given is no longer the latest. */
enum event { CHANGE, MODULATION, NUM_EVENTS };
enum { INDEX_BITS = 8 };

enum sensor { HOT, WARM };

struct wbox_core {
	enum ratio ratio, next_ratio;
	bool is_changing;
	bool is_modulated; /* thermal monitor 1 */
	bool is_patient;   /* it will begin unless it gets cooler */
	uint32_t latest[NUM_EVENTS];
};

struct wbox {
	struct power power;
	struct wbox_core cores[EX_MAX_CORES];
	double duty; /* share of the time in which a modulated clock runs */
	uint64_t ratio_hz[NUM_RATIOS];
	unsigned turbo_cores;
	uint64_t change_cycles, modulation_cycles;
	bool has_turbo;
};

/* Events */

static void ask(struct wbox *wbox, unsigned index, enum event event,
		uint64_t cycles, sim_fn *fn)
{
	struct power *power = &wbox->power;
	uint64_t number = ++wbox->cores[index].latest[event];

	sim_at(power->socket->sim, power_now(power) + cycles, fn, wbox,
	       index | number << INDEX_BITS);
}

/* *index: the core; false: the event is void. */
static bool is_latest(const struct wbox *wbox, enum event event,
		      uint64_t argument, unsigned *index)
{
	*index = argument & ((1u << INDEX_BITS) - 1);
	return wbox->cores[*index].latest[event] == argument >> INDEX_BITS;
}

/* What follows from a decision */

static bool is_in_c0(const struct wbox *wbox, unsigned index)
{
	return wbox->power.cores[index].state == POWER_C0;
}

static double duty_of(const struct wbox *wbox, unsigned index)
{
	return wbox->cores[index].is_modulated || wbox->power.is_forced
		       ? wbox->duty
		       : 1;
}

static double end_of(const void *object, unsigned index)
{
	const struct wbox *wbox = object;
	const struct power *power = &wbox->power;
	double clock = (double)wbox->ratio_hz[wbox->cores[index].ratio] /
		       (double)wbox->ratio_hz[NOMINAL];

	if (!is_in_c0(wbox, index))
		return power->ambient;
	return power->ambient +
	       power->rise * clock * clock * duty_of(wbox, index);
}

static void show(struct wbox *wbox, unsigned n)
{
	const struct wbox_core *core = &wbox->cores[n];
	struct sigbank *bank = wbox->power.bank;
	bool c0 = is_in_c0(wbox, n), forced = wbox->power.is_forced;
	bool slow = core->ratio == SLOW || core->is_modulated;

	sig_set(bank, SIG_WBOX_C_THROTTLE_TMP + n,
		power_is_above(&wbox->power, n, HOT));
	sig_set(bank, SIG_WBOX_C_C0_THROTTLE_DIE + n, c0 && slow);
	sig_set(bank, SIG_WBOX_C_C0_THROTTLE_PROCHOT + n, c0 && forced);
	sig_set(bank, SIG_WBOX_C_CYCLES_TURBO + n, c0 && core->ratio == TURBO);
	sig_set(bank, SIG_WBOX_TM1_ON + n,
		c0 && (core->is_modulated || forced));
}

/* What is decided takes effect; whether a sensor changes by that. */
static bool follow(struct wbox *wbox, unsigned index)
{
	double hz = (double)wbox->ratio_hz[wbox->cores[index].ratio];

	power_set_clock(&wbox->power, index,
			(uint64_t)llround(hz * duty_of(wbox, index)));
	show(wbox, index);
	return power_watch(&wbox->power, index);
}

/* Ratios */

static void decide(void *object);

static enum ratio wanted_ratio(const struct wbox *wbox, unsigned index)
{
	const struct power *power = &wbox->power;

	if (power_is_above(power, index, HOT))
		return SLOW;
	if (wbox->has_turbo && power->num_in[POWER_C0] <= wbox->turbo_cores &&
	    !power->num_hot && !power->is_forced &&
	    !power_is_above(power, index, WARM))
		return TURBO;
	return NOMINAL;
}

static void give_up(struct wbox *wbox, unsigned index)
{
	wbox->cores[index].is_changing = false;
	wbox->cores[index].latest[CHANGE]++;
	sig_pulse(wbox->power.bank, SIG_WBOX_RATIO_CHANGE_ABORT + index, 1);
}

static void change(void *object, uint64_t argument)
{
	struct wbox *wbox = object;
	const struct socket *socket = wbox->power.socket;
	unsigned index;

	if (!is_latest(wbox, CHANGE, argument, &index))
		return;
	power_heat(&wbox->power, index);
	wbox->cores[index].is_changing = false;
	wbox->cores[index].ratio = wbox->cores[index].next_ratio;
	sleep_tell_news(socket->ex, socket->index);
	decide(wbox);
}

/* The core has no clock now. */
static void forget_ratio(struct wbox *wbox, unsigned index)
{
	struct wbox_core *core = &wbox->cores[index];

	if (core->is_changing)
		give_up(wbox, index);
	if (core->ratio == TURBO)
		core->ratio = NOMINAL;
}

static void choose_ratio(struct wbox *wbox, unsigned index)
{
	struct wbox_core *core = &wbox->cores[index];
	enum ratio wanted = wanted_ratio(wbox, index);

	if (!is_in_c0(wbox, index))
		return;
	if (core->is_changing && core->next_ratio != wanted)
		give_up(wbox, index);
	if (core->is_changing || core->ratio == wanted)
		return;
	core->is_changing = true;
	core->next_ratio = wanted;
	ask(wbox, index, CHANGE, wbox->change_cycles, change);
}

/* Thermal monitor 1 */

static void modulate(void *object, uint64_t argument)
{
	struct wbox *wbox = object;
	unsigned index;

	if (!is_latest(wbox, MODULATION, argument, &index))
		return;
	power_heat(&wbox->power, index);
	wbox->cores[index].is_modulated = true;
	decide(wbox);
}

static void choose_modulation(struct wbox *wbox, unsigned index)
{
	struct wbox_core *core = &wbox->cores[index];
	bool is_hot = power_is_above(&wbox->power, index, HOT);

	if (is_hot == core->is_patient)
		return;
	core->is_patient = is_hot;
	if (is_hot) {
		ask(wbox, index, MODULATION, wbox->modulation_cycles, modulate);
	} else {
		core->is_modulated = false;
		core->latest[MODULATION]++;
	}
}

/* Decisions */

static void decide(void *object)
{
	struct wbox *wbox = object;
	struct power *power = &wbox->power;
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		sig_set(power->bank, SIG_WBOX_PROCHOT, power->num_hot > 0);
		for (unsigned i = 0; i < power->num_cores; i++) {
			power_heat(power, i);
			choose_ratio(wbox, i);
			choose_modulation(wbox, i);
			has_changed |= follow(wbox, i);
		}
	}
}

void wbox_core_state(struct wbox *wbox, unsigned index, enum power_state state)
{
	struct power *power = &wbox->power;

	if (power->cores[index].state == state)
		return;
	power_heat(power, index);
	power_enter(power, index, state);
	if (state != POWER_C0)
		forget_ratio(wbox, index);
	if (follow(wbox, index))
		decide(wbox);
	/* others may become faster or slower; this one may be hot, or was */
	if (wbox->has_turbo || power->num_hot ||
	    wbox->cores[index].ratio != NOMINAL)
		power_expect_news(power);
}

/* Registers */

void wbox_read(const struct wbox *wbox, unsigned index,
	       struct power_reading *reading)
{
	power_read(&wbox->power, index, reading);
	reading->clock_hz = (double)wbox->ratio_hz[wbox->cores[index].ratio];
}

void wbox_clear_log(struct wbox *wbox, unsigned index, bool hot, bool forced)
{
	power_clear_log(&wbox->power, index, hot, forced);
}

/* Construction */

static void configure(struct wbox *wbox, const double *p)
{
	double clock = p[PARAM_CORE_CLOCK];

	wbox->duty = p[PARAM_HEAT_DUTY] / 100;
	wbox->has_turbo = p[PARAM_CORE_TURBO] > clock;
	wbox->turbo_cores = (unsigned)p[PARAM_CORE_TURBO_CORES];
	wbox->change_cycles = (uint64_t)p[PARAM_CORE_RATIO_CYCLES];
	wbox->modulation_cycles = (uint64_t)p[PARAM_HEAT_TM1_CYCLES];
	wbox->ratio_hz[SLOW] =
		(uint64_t)llround(fmin(p[PARAM_CORE_SLOW_CLOCK], clock) * 1e6);
	wbox->ratio_hz[NOMINAL] = (uint64_t)llround(clock * 1e6);
	wbox->ratio_hz[TURBO] = (uint64_t)llround(p[PARAM_CORE_TURBO] * 1e6);
}

static void drive_signals(struct sigbank *bank)
{
	sig_drives(bank, SIG_WBOX_C_THROTTLE_TMP, EX_MAX_CORES);
	sig_drives(bank, SIG_WBOX_C_C0_THROTTLE_DIE, EX_MAX_CORES);
	sig_drives(bank, SIG_WBOX_PROCHOT, 1);
	sig_drives(bank, SIG_WBOX_C_C0_THROTTLE_PROCHOT, EX_MAX_CORES);
	sig_drives(bank, SIG_WBOX_C_CYCLES_TURBO, EX_MAX_CORES);
	sig_drives(bank, SIG_WBOX_TM1_ON, EX_MAX_CORES);
	sig_drives(bank, SIG_WBOX_RATIO_CHANGE_ABORT, EX_MAX_CORES);
	sig_drives(bank, SIG_WBOX_CLOCK, 1);
	/* the fixed counter counts a level that is always 1 */
	sig_set(bank, SIG_WBOX_CLOCK, 1);
}

static const struct power_kind by_core = { .end_of = end_of, .decide = decide };

struct wbox *wbox_new(struct socket *socket, struct sigbank *bank)
{
	struct wbox *wbox = calloc(1, sizeof(*wbox));
	const double *p = socket->param;

	if (!wbox)
		return NULL;
	configure(wbox, p);
	for (unsigned i = 0; i < EX_MAX_CORES; i++)
		wbox->cores[i].ratio = NOMINAL;
	drive_signals(bank);
	power_init(&wbox->power, socket, &by_core, wbox, bank);
	for (unsigned i = 0; wbox->has_turbo && i < socket->num_cores; i++)
		power_add_sensor(&wbox->power, i, p[PARAM_CORE_TURBO_LIMIT]);
	decide(wbox);
	return wbox;
}

void wbox_free(struct wbox *wbox)
{
	free(wbox);
}
