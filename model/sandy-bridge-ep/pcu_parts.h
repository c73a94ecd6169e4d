/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the PCU share with each other and with nobody else. A ratio
 * is a frequency in units of 100 MHz.
 */
#ifndef UNCORE_PCU_PARTS_H
#define UNCORE_PCU_PARTS_H

#include "model/box/heat.h"
#include "model/sandy-bridge-ep/pcu.h"

enum { PCU_MAX_RATIO = 100 };

/* What keeps the frequency from being higher. */
enum pcu_limit {
	PCU_LIMIT_OS,
	PCU_LIMIT_THERMAL,
	PCU_LIMIT_POWER,
	PCU_LIMIT_CURRENT,
	PCU_NUM_LIMITS,			 /* that events count, */
	PCU_LIMIT_OTHER = PCU_NUM_LIMITS /* and what none does */
};

/* What comes of all wishes and limits. */
struct pcu_verdict {
	unsigned ratio;
	enum pcu_limit limit;
	bool for_io, for_peers; /* it would be lower but for these */
};

enum pcu_phase { PCU_STEADY, PCU_RAISING, PCU_SWITCHING, PCU_LOWERING };

/* What gets warm, by number: the cores, and the regulator of their voltage. */
enum { PCU_REGULATOR = EP_MAX_CORES, PCU_MAX_BODIES };

struct pcu_body {
	struct heat_sensor sensor;
	double degrees; /* in the cycle `at` */
	uint64_t at;
	double tau_cycles;
	uint32_t latest; /* number of its next crossing; others are void */
};

struct pcu_core {
	struct core *core;
	unsigned index;
	enum power_state state;
	uint64_t since;	     /* the state began */
	uint64_t last_sleep; /* how long the latest one was; NEVER: none yet */
	uint64_t c6_cycles;  /* of past stays */
	bool is_asleep, is_moving;
	bool was_hot;
	uint64_t busy_at; /* busy cycles of the core when it got its clock */
	unsigned __int128 clocked; /* sum of busy cycles times hz up to then */
};

struct pcu {
	struct ep *ep;
	struct socket *socket;
	struct sigbank *bank;
	unsigned num_cores;
	struct pcu_core cores[EP_MAX_CORES];
	unsigned num_in[POWER_C6 + 1]; /* cores in each state */
	unsigned num_hot;

	/* Ratios: of the parameters .. */
	unsigned slow, nominal, top, os, io, peers;
	uint64_t nominal_hz, uncore_hz;
	unsigned most[PCU_NUM_LIMITS + 1]
		     [EP_MAX_CORES + 1]; /* by cores in C0 */
	double volts[PCU_MAX_RATIO + 1];
	double power[PCU_MAX_RATIO + 1]; /* of a core; 1 at the nominal */
	/* .. and present ones */
	unsigned ratio, next, steps, thermal;
	struct pcu_verdict verdict; /* the latest */
	enum pcu_phase phase;

	double ambient, rise, regulator_rise, core_watts, current_limit;
	double rest_watts, memory_watts, column_joules;
	double joules; /* of the cores, up to the cycle `charged` */
	uint64_t charged;
	struct pcu_body bodies[PCU_MAX_BODIES];
	uint64_t volt_cycles, switch_cycles, step_cycles, idle_cycles;
	uint64_t c3_cycles, c6_cycles;
	uint64_t shed_cycles, prochot_cycles, check_cycles;
	uint64_t io_until;
	uint32_t idle_number; /* of the latest wait for idleness */
	bool has_io, is_idle, is_stepping, has_news, is_forced, was_forced;
	bool is_ring_with_cores;
	bool was_quiet; /* no memory access was under way at the last look */
};

static inline uint64_t pcu_now(const struct pcu *pcu)
{
	return engine_now(&pcu->ep->engine);
}

/* pcu_limits.c: fills in what each limit allows; what is to be now. */
void pcu_limits_init(struct pcu *pcu);
struct pcu_verdict pcu_judge(const struct pcu *pcu);
uint64_t pcu_hz(const struct pcu *pcu, unsigned ratio);
/* Amperes that the cores draw. */
double pcu_current(const struct pcu *pcu);

/* What the cores have taken up to now; pcu_charge() notes it, before what they
 * draw changes. */
double pcu_joules(const struct pcu *pcu);
void pcu_charge(struct pcu *pcu);

/* pcu_heat.c: brings a body's temperature up to the present, before anything
 * that decides where it goes changes; pcu_watch() after that, which says
 * whether its sensor has changed. */
void pcu_heat_init(struct pcu *pcu);
double pcu_temperature(const struct pcu *pcu, unsigned body);
void pcu_heat(struct pcu *pcu, unsigned body);
bool pcu_watch(struct pcu *pcu, unsigned body);

/* pcu_change.c: the cores have the clock of the present ratio from now on; it
 * goes where the verdict has it. */
void pcu_set_clock(struct pcu *pcu);
void pcu_change(struct pcu *pcu);
/* Cycles of its clock in which a core was not halted. */
uint64_t pcu_clocks(const struct pcu *pcu, const struct pcu_core *core);

/* pcu_states.c: the cores, halted. */
void pcu_states_begin(struct pcu *pcu);

/* pcu.c: what decides about the frequency has changed; or does so in this
 * cycle. */
void pcu_decide(struct pcu *pcu);
void pcu_expect_news(struct pcu *pcu);

#endif
