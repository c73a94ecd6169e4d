/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the W-Box share with each other and with nobody else.
 */
#ifndef UNCORE_WBOX_PARTS_H
#define UNCORE_WBOX_PARTS_H

#include "model/box/socket.h"
#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/wbox.h"

enum wbox_ratio { WBOX_SLOW, WBOX_NOMINAL, WBOX_TURBO, WBOX_NUM_RATIOS };

/* Of events that something else has made void meanwhile: the number that they
 * were given is no longer the latest. */
enum wbox_event {
	WBOX_CROSSING,
	WBOX_CHANGE,
	WBOX_MODULATION,
	WBOX_NUM_EVENTS
};

struct wbox_core {
	struct core *core;
	unsigned index;
	enum power_state state;
	uint64_t since;	    /* the state began */
	uint64_t c6_cycles; /* of past stays */
	/* Heat */
	double temperature; /* degrees C, */
	uint64_t heated_at; /* in this cycle */
	bool is_warm;	    /* too warm for turbo */
	bool is_hot, was_hot;
	bool is_modulated; /* thermal monitor 1 */
	bool is_patient;   /* it will begin unless it gets cooler */
	/* Clock */
	enum wbox_ratio ratio, next_ratio;
	bool is_changing;
	uint64_t hz;	  /* as the duty cycle leaves it */
	uint64_t busy_at; /* busy cycles of the core when it got this clock */
	unsigned __int128 clocked; /* sum of busy cycles times hz up to then */
	uint32_t latest[WBOX_NUM_EVENTS];
};

struct wbox {
	struct socket *socket;
	struct sigbank *bank;
	struct wbox_core cores[EX_MAX_CORES];
	unsigned num_cores, num_c0, num_hot;
	double ambient, rise, tau_cycles, hysteresis, target, turbo_limit;
	double duty; /* share of the time in which a modulated clock runs */
	uint64_t ratio_hz[WBOX_NUM_RATIOS];
	uint64_t uncore_hz;
	unsigned turbo_cores;
	uint64_t change_cycles, modulation_cycles, forcepr_cycles, check_cycles;
	bool has_turbo, has_news, is_forced, was_forced;
};

/* An event about a core at a time to come; wbox_is_void(): it has been asked
 * for again or called off meanwhile. */
void wbox_ask(struct wbox *wbox, struct wbox_core *core, enum wbox_event event,
	      uint64_t cycles, sim_fn *fn);
void wbox_call_off(struct wbox_core *core, enum wbox_event event);
struct wbox_core *wbox_core_of(struct wbox *wbox, enum wbox_event event,
			       uint64_t argument);

/* wbox_heat.c: brings the temperature up to the present, before anything that
 * decides where it goes changes; wbox_watch() after that. Looking at it must
 * not do so: it would be rounded once more. */
double wbox_temperature(const struct wbox *wbox, const struct wbox_core *core);
void wbox_heat(const struct wbox *wbox, struct wbox_core *core);
void wbox_watch(struct wbox *wbox, struct wbox_core *core);

/* wbox.c: whatever decides about clocks has changed. */
void wbox_decide(struct wbox *wbox);
double wbox_duty(const struct wbox *wbox, const struct wbox_core *core);

#endif
