/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Temperatures. Each core goes exponentially towards what its power would lead
 * to: ambient while it is halted, and `rise` above that in C0 at the nominal
 * clock, with the square of the clock (the voltage follows) and the share of
 * the time in which it runs. Neighbours do not warm each other.
 */
#include "model/box/heat.h"
#include "model/nehalem-ex/wbox_parts.h"

static uint64_t now_of(const struct wbox *wbox)
{
	return sim_now(wbox->socket->sim);
}

/* Where the temperature would end. */
static double destination(const struct wbox *wbox, const struct wbox_core *core)
{
	double clock = (double)wbox->ratio_hz[core->ratio] /
		       (double)wbox->ratio_hz[WBOX_NOMINAL];

	if (core->state != POWER_C0)
		return wbox->ambient;
	return wbox->ambient +
	       wbox->rise * clock * clock * wbox_duty(wbox, core);
}

double wbox_temperature(const struct wbox *wbox, const struct wbox_core *core)
{
	return heat_after(core->temperature, destination(wbox, core),
			  now_of(wbox) - core->heated_at, wbox->tau_cycles);
}

void wbox_heat(const struct wbox *wbox, struct wbox_core *core)
{
	core->temperature = wbox_temperature(wbox, core);
	core->heated_at = now_of(wbox);
}

static void cross(void *object, uint64_t argument)
{
	struct wbox *wbox = object;
	struct wbox_core *core = wbox_core_of(wbox, WBOX_CROSSING, argument);

	if (!core)
		return;
	wbox_heat(wbox, core);
	wbox_watch(wbox, core);
}

static struct heat_sensor warm_sensor(const struct wbox *wbox,
				      const struct wbox_core *core)
{
	return (struct heat_sensor){ wbox->turbo_limit, wbox->hysteresis,
				     core->is_warm };
}

static struct heat_sensor hot_sensor(const struct wbox *wbox,
				     const struct wbox_core *core)
{
	return (struct heat_sensor){ wbox->target, wbox->hysteresis,
				     core->is_hot };
}

/* The soonest time at which a sensor changes. */
static double next_crossing(const struct wbox *wbox,
			    const struct wbox_core *core)
{
	struct heat_sensor warm = warm_sensor(wbox, core);
	struct heat_sensor hot = hot_sensor(wbox, core);
	double end = destination(wbox, core);
	double soonest =
		heat_crossing(&hot, core->temperature, end, wbox->tau_cycles);
	double other;

	if (!wbox->has_turbo)
		return soonest;
	other = heat_crossing(&warm, core->temperature, end, wbox->tau_cycles);
	return other < soonest ? other : soonest;
}

void wbox_watch(struct wbox *wbox, struct wbox_core *core)
{
	struct heat_sensor warm_at = warm_sensor(wbox, core);
	struct heat_sensor hot_at = hot_sensor(wbox, core);
	bool warm = wbox->has_turbo && heat_feels(&warm_at, core->temperature);
	bool hot = heat_feels(&hot_at, core->temperature);
	double cycles;

	if (warm != core->is_warm || hot != core->is_hot) {
		core->is_warm = warm;
		wbox->num_hot += hot;
		wbox->num_hot -= core->is_hot;
		core->is_hot = hot;
		core->was_hot |= hot;
		wbox_decide(wbox);
		return; /* which has come back here */
	}
	cycles = next_crossing(wbox, core);
	if (cycles < heat_ever_cycles)
		wbox_ask(wbox, core, WBOX_CROSSING, (uint64_t)cycles + 1,
			 cross);
	else
		wbox_call_off(core, WBOX_CROSSING);
}
