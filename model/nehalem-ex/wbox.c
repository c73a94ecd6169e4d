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
 * halted before, the change is given up. A halted core forgets turbo. Nothing
 * happens here but at changes, so a cool machine without turbo costs nothing.
 *
 * Left out: voltages, power limits, C1E, coordination between sockets beyond
 * the messages that a change causes.
 */
#include "model/nehalem-ex/wbox.h"

#include <math.h>
#include <stdlib.h>

#include "model/nehalem-ex/sleep.h"
#include "model/nehalem-ex/wbox_parts.h"
#include "signals.h"

enum { INDEX_BITS = 8 };

static uint64_t now_of(const struct wbox *wbox)
{
	return sim_now(wbox->socket->sim);
}

/* Events */

void wbox_ask(struct wbox *wbox, struct wbox_core *core, enum wbox_event event,
	      uint64_t cycles, sim_fn *fn)
{
	sim_at(wbox->socket->sim, now_of(wbox) + cycles, fn, wbox,
	       core->index | (uint64_t)++core->latest[event] << INDEX_BITS);
}

void wbox_call_off(struct wbox_core *core, enum wbox_event event)
{
	core->latest[event]++;
}

struct wbox_core *wbox_core_of(struct wbox *wbox, enum wbox_event event,
			       uint64_t argument)
{
	struct wbox_core *core =
		&wbox->cores[argument & ((1u << INDEX_BITS) - 1)];

	return core->latest[event] == argument >> INDEX_BITS ? core : NULL;
}

/* What follows from a decision */

double wbox_duty(const struct wbox *wbox, const struct wbox_core *core)
{
	return core->is_modulated || wbox->is_forced ? wbox->duty : 1;
}

static void show(struct wbox *wbox, const struct wbox_core *core)
{
	bool c0 = core->state == POWER_C0;
	bool slow = core->ratio == WBOX_SLOW || core->is_modulated;
	bool modulated = core->is_modulated || wbox->is_forced;
	unsigned n = core->index;

	sig_set(wbox->bank, SIG_WBOX_C_THROTTLE_TMP + n, core->is_hot);
	sig_set(wbox->bank, SIG_WBOX_C_C0_THROTTLE_DIE + n, c0 && slow);
	sig_set(wbox->bank, SIG_WBOX_C_C0_THROTTLE_PROCHOT + n,
		c0 && wbox->is_forced);
	sig_set(wbox->bank, SIG_WBOX_C_CYCLES_TURBO + n,
		c0 && core->ratio == WBOX_TURBO);
	sig_set(wbox->bank, SIG_WBOX_TM1_ON + n, c0 && modulated);
}

static void set_clock(struct wbox *wbox, struct wbox_core *core)
{
	uint64_t nominal = wbox->ratio_hz[WBOX_NOMINAL];
	uint64_t hz = (uint64_t)llround((double)wbox->ratio_hz[core->ratio] *
					wbox_duty(wbox, core));
	uint64_t busy;

	if (hz == core->hz)
		return;
	busy = core_busy_cycles(core->core);
	core->clocked += (unsigned __int128)(busy - core->busy_at) * core->hz;
	core->busy_at = busy;
	core->hz = hz;
	core_set_clock(core->core, (double)nominal / (double)hz);
}

/* Ratios */

static enum wbox_ratio wanted_ratio(const struct wbox *wbox,
				    const struct wbox_core *core)
{
	if (core->is_hot)
		return WBOX_SLOW;
	if (wbox->has_turbo && wbox->num_c0 <= wbox->turbo_cores &&
	    !wbox->num_hot && !wbox->is_forced && !core->is_warm)
		return WBOX_TURBO;
	return WBOX_NOMINAL;
}

static void give_up(struct wbox *wbox, struct wbox_core *core)
{
	core->is_changing = false;
	wbox_call_off(core, WBOX_CHANGE);
	sig_pulse(wbox->bank, SIG_WBOX_RATIO_CHANGE_ABORT + core->index, 1);
}

static void change(void *object, uint64_t argument)
{
	struct wbox *wbox = object;
	struct wbox_core *core = wbox_core_of(wbox, WBOX_CHANGE, argument);

	if (!core)
		return;
	wbox_heat(wbox, core);
	core->is_changing = false;
	core->ratio = core->next_ratio;
	sleep_tell_news(wbox->socket->ex, wbox->socket->index);
	wbox_decide(wbox);
}

/* The core has no clock now. */
static void forget_ratio(struct wbox *wbox, struct wbox_core *core)
{
	if (core->is_changing)
		give_up(wbox, core);
	if (core->ratio == WBOX_TURBO)
		core->ratio = WBOX_NOMINAL;
}

static void choose_ratio(struct wbox *wbox, struct wbox_core *core)
{
	enum wbox_ratio wanted = wanted_ratio(wbox, core);

	if (core->state != POWER_C0)
		return;
	if (core->is_changing && core->next_ratio != wanted)
		give_up(wbox, core);
	if (core->is_changing || core->ratio == wanted)
		return;
	core->is_changing = true;
	core->next_ratio = wanted;
	wbox_ask(wbox, core, WBOX_CHANGE, wbox->change_cycles, change);
}

/* Thermal monitor 1 */

static void modulate(void *object, uint64_t argument)
{
	struct wbox *wbox = object;
	struct wbox_core *core = wbox_core_of(wbox, WBOX_MODULATION, argument);

	if (!core)
		return;
	wbox_heat(wbox, core);
	core->is_modulated = true;
	wbox_decide(wbox);
}

static void choose_modulation(struct wbox *wbox, struct wbox_core *core)
{
	if (core->is_hot == core->is_patient)
		return;
	core->is_patient = core->is_hot;
	if (core->is_hot) {
		wbox_ask(wbox, core, WBOX_MODULATION, wbox->modulation_cycles,
			 modulate);
	} else {
		core->is_modulated = false;
		wbox_call_off(core, WBOX_MODULATION);
	}
}

/* Decisions */

/* What is decided takes effect. */
static void follow(struct wbox *wbox, struct wbox_core *core)
{
	set_clock(wbox, core);
	show(wbox, core);
	wbox_watch(wbox, core);
}

static void decide_one(struct wbox *wbox, struct wbox_core *core)
{
	wbox_heat(wbox, core);
	choose_ratio(wbox, core);
	choose_modulation(wbox, core);
	follow(wbox, core);
}

void wbox_decide(struct wbox *wbox)
{
	sig_set(wbox->bank, SIG_WBOX_PROCHOT, wbox->num_hot > 0);
	for (unsigned i = 0; i < wbox->num_cores; i++)
		decide_one(wbox, &wbox->cores[i]);
}

/* What happens in one cycle is looked at together: cores that begin and end in
 * it wish for nothing. */
static void look_at_news(void *object, uint64_t unused)
{
	struct wbox *wbox = object;

	(void)unused;
	wbox->has_news = false;
	wbox_decide(wbox);
}

void wbox_core_state(struct wbox *wbox, unsigned index, enum power_state state)
{
	struct wbox_core *core = &wbox->cores[index];
	uint64_t now = now_of(wbox);

	if (core->state == state)
		return;
	wbox_heat(wbox, core);
	if (core->state == POWER_C6)
		core->c6_cycles += now - core->since;
	wbox->num_c0 -= core->state == POWER_C0;
	wbox->num_c0 += state == POWER_C0;
	core->state = state;
	core->since = now;
	if (state != POWER_C0)
		forget_ratio(wbox, core);
	follow(wbox, core);
	/* others may become faster or slower; this one may be hot, or was */
	if ((wbox->has_turbo || wbox->num_hot || core->ratio != WBOX_NOMINAL) &&
	    !wbox->has_news) {
		wbox->has_news = true;
		sim_at(wbox->socket->sim, now + 1, look_at_news, wbox, 0);
	}
}

/* FORCEPR */

static void force(struct wbox *wbox, bool is_forced)
{
	for (unsigned i = 0; i < wbox->num_cores; i++)
		wbox_heat(wbox, &wbox->cores[i]);
	wbox->is_forced = is_forced;
	wbox->was_forced |= is_forced;
	wbox_decide(wbox);
}

static void let_go(void *object, uint64_t unused)
{
	(void)unused;
	force(object, false);
}

static void look_for_fault(void *object, uint64_t unused)
{
	struct wbox *wbox = object;
	struct socket *socket = wbox->socket;
	uint64_t now = now_of(wbox);

	(void)unused;
	if (!wbox->is_forced &&
	    fault_strikes(&socket->faults, FAULT_PROCHOT, 0, now)) {
		sim_at(socket->sim, now + wbox->forcepr_cycles, let_go, wbox,
		       0);
		force(wbox, true);
	}
	sim_at(socket->sim, now + wbox->check_cycles, look_for_fault, wbox, 0);
}

/* Registers */

void wbox_read(struct wbox *wbox, unsigned index, struct power_reading *reading)
{
	struct wbox_core *core = &wbox->cores[index];
	uint64_t busy = core_busy_cycles(core->core);

	*reading = (struct power_reading){
		.clocks =
			(uint64_t)((core->clocked +
				    (unsigned __int128)(busy - core->busy_at) *
					    core->hz) /
				   wbox->uncore_hz),
		.c6_cycles =
			core->c6_cycles + (core->state == POWER_C6
						   ? now_of(wbox) - core->since
						   : 0),
		.clock_hz = (double)wbox->ratio_hz[core->ratio],
		.temperature = wbox_temperature(wbox, core),
		.is_hot = core->is_hot,
		.was_hot = core->was_hot,
		.is_forced = wbox->is_forced || wbox->num_hot,
		.was_forced = wbox->was_forced,
	};
}

void wbox_clear_log(struct wbox *wbox, unsigned index, bool hot, bool forced)
{
	struct wbox_core *core = &wbox->cores[index];

	if (hot)
		core->was_hot = core->is_hot;
	if (forced)
		wbox->was_forced = wbox->is_forced;
}

/* Construction */

static void configure(struct wbox *wbox)
{
	const double *p = wbox->socket->param;

	wbox->ambient = p[PARAM_HEAT_AMBIENT];
	wbox->rise = p[PARAM_HEAT_RISE];
	wbox->tau_cycles = p[PARAM_HEAT_TAU_CYCLES];
	wbox->hysteresis = p[PARAM_HEAT_HYSTERESIS];
	wbox->target = p[PARAM_HEAT_TARGET];
	wbox->turbo_limit = p[PARAM_CORE_TURBO_LIMIT];
	wbox->duty = p[PARAM_HEAT_DUTY] / 100;
	wbox->has_turbo = p[PARAM_CORE_TURBO] > p[PARAM_CORE_CLOCK];
	wbox->turbo_cores = (unsigned)p[PARAM_CORE_TURBO_CORES];
	wbox->change_cycles = (uint64_t)p[PARAM_CORE_RATIO_CYCLES];
	wbox->modulation_cycles = (uint64_t)p[PARAM_HEAT_TM1_CYCLES];
	wbox->forcepr_cycles = (uint64_t)p[PARAM_HEAT_FORCEPR_CYCLES];
	wbox->check_cycles = (uint64_t)p[PARAM_FAULT_CHECK_CYCLES];
	wbox->uncore_hz = (uint64_t)llround(p[PARAM_UNCORE_CLOCK] * 1e6);
	wbox->ratio_hz[WBOX_SLOW] = (uint64_t)llround(
		fmin(p[PARAM_CORE_SLOW_CLOCK], p[PARAM_CORE_CLOCK]) * 1e6);
	wbox->ratio_hz[WBOX_NOMINAL] =
		(uint64_t)llround(p[PARAM_CORE_CLOCK] * 1e6);
	wbox->ratio_hz[WBOX_TURBO] =
		(uint64_t)llround(p[PARAM_CORE_TURBO] * 1e6);
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
}

struct wbox *wbox_new(struct socket *socket, struct sigbank *bank)
{
	struct wbox *wbox = calloc(1, sizeof(*wbox));

	if (!wbox)
		return NULL;
	wbox->socket = socket;
	wbox->bank = bank;
	wbox->num_cores = socket->num_cores;
	configure(wbox);
	for (unsigned i = 0; i < wbox->num_cores; i++)
		wbox->cores[i] = (struct wbox_core){
			.core = &socket->cores[i],
			.index = i,
			.state = POWER_C1,
			.temperature = wbox->ambient,
			.ratio = WBOX_NOMINAL,
			.hz = wbox->ratio_hz[WBOX_NOMINAL],
		};
	drive_signals(bank);
	/* the fixed counter counts a level that is always 1 */
	sig_set(bank, SIG_WBOX_CLOCK, 1);
	if (fault_is_active(&socket->faults, FAULT_PROCHOT))
		sim_at(socket->sim, wbox->check_cycles, look_for_fault, wbox,
		       0);
	wbox_decide(wbox);
	return wbox;
}

void wbox_free(struct wbox *wbox)
{
	free(wbox);
}
