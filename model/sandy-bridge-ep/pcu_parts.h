/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the PCU share with each other and with nobody else. A ratio
 * is a frequency in units of 100 MHz.
 */
#ifndef UNCORE_PCU_PARTS_H
#define UNCORE_PCU_PARTS_H

#include "model/parts/power/power.h"
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

struct pcu_core {
	uint64_t last_sleep; /* how long the latest one was; NEVER: none yet */
	bool is_asleep, is_moving;
};

struct pcu {
	struct power power;
	struct ep *ep;
	struct pcu_core cores[EP_MAX_CORES];

	/* Ratios: of the parameters .. */
	unsigned slow, nominal, top, os, io, peers;
	unsigned most[PCU_NUM_LIMITS + 1]
		     [EP_MAX_CORES + 1]; /* by cores in C0 */
	double volts[PCU_MAX_RATIO + 1];
	double power_of[PCU_MAX_RATIO + 1]; /* of a core; 1 at the nominal */
	/* .. and present ones */
	unsigned ratio, next, steps, thermal;
	struct pcu_verdict verdict; /* the latest */
	enum pcu_phase phase;

	double regulator_rise, core_watts, current_limit;
	double rest_watts, memory_watts, column_joules;
	double joules; /* of the cores, up to the cycle `charged` */
	uint64_t charged;
	uint64_t volt_cycles, switch_cycles, step_cycles, idle_cycles;
	uint64_t c3_cycles, c6_cycles;
	uint64_t shed_cycles;
	uint64_t io_until;
	uint32_t idle_number; /* of the latest wait for idleness */
	bool has_io, is_idle, is_stepping;
	bool is_ring_with_cores;
	bool was_quiet; /* no memory access was under way at the last look */
};

static inline uint64_t pcu_now(const struct pcu *pcu)
{
	return power_now(&pcu->power);
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

/* pcu_change.c: the cores have the clock of the present ratio from now on; it
 * goes where the verdict has it. */
void pcu_set_clock(struct pcu *pcu);
void pcu_change(struct pcu *pcu);

/* pcu_states.c: the cores, halted. */
void pcu_states_begin(struct pcu *pcu);

/* pcu.c: what decides about the frequency has changed. */
void pcu_decide(struct pcu *pcu);

#endif
