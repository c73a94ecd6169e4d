/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the core's registers share with each other and with nobody
 * else.
 */
#ifndef UNCORE_CORE_INSIDE_H
#define UNCORE_CORE_INSIDE_H

#include "model/core/registers.h"

struct core;

enum { CPU_MAX_COUNTERS = 16 };

/* What governs a counter; the same for every CPU. Controls are numbers of
 * registers in the family's table. */
struct counter_place {
	unsigned reg;	       /* the counter itself */
	unsigned control;      /* its select register, or that of all fixed */
	uint64_t enable_bits;  /* in the control, at least one */
	uint64_t global_bit;   /* in the global control */
	uint64_t overflow_bit; /* in the global status */
	const struct uc_core_register *row;
};

/* A counter's register holds its value at the time of `since`. */
struct cpu_counter {
	uint64_t since;	 /* what its sources were then */
	uint64_t counts; /* bit per enum uc_core_counts */
	bool is_running;
};

struct cpu {
	struct cpus *cpus;
	struct core *core;
	unsigned number;
	uint64_t *values; /* one for each register of the table */
	struct cpu_counter counters[CPU_MAX_COUNTERS];
};

struct cpus {
	struct cpus_config config;
	struct cpu *cpus;
	unsigned num_cpus;
	uint64_t *values;
	uint64_t core_hz, uncore_hz;
	/* Numbers of the registers with these roles. */
	unsigned global_status, global_control, fixed_control;
	unsigned offcore[2], load_latency;
	bool has_traffic; /* that has been set */
	struct counter_place places[CPU_MAX_COUNTERS];
	unsigned num_places;
};

/* registers.c */
void cpu_complain(const struct cpus *cpus, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* reset.c */
uint64_t reset_field(const struct cpu *cpu, const struct uc_field *field,
		     const struct uc_core_value *value);
uint64_t reset_register(const struct cpu *cpu,
			const struct uc_core_register *row);
/* Whether the machine has every parameter that the table names. */
bool reset_params_exist(const struct cpus *cpus);

/* sources.c: counts since the start of the model. */
uint64_t source_tsc(const struct cpu *cpu);
uint64_t source_count(const struct cpu *cpu, enum uc_core_counts counts);
uint64_t source_c6(const struct cpu *cpu);
/* The sum of several (bits), and whether the present traffic tells what they
 * need. */
uint64_t source_sum(const struct cpu *cpu, uint64_t counts);
bool source_is_told(const struct cpu *cpu, uint64_t counts);

/* power.c: what the register shows of heat and clock; a write to its log. */
uint64_t power_show(const struct cpu *cpu, const struct uc_core_register *row);
void power_clear(const struct cpu *cpu, const struct uc_core_register *row,
		 uint64_t written);

/* counters.c */
/* Finds out what governs each counter; false where the table lacks it. */
bool counters_init(struct cpus *cpus);
/* Brings the counters of a CPU, and its overflow bits, up to the present. */
void counters_sync(struct cpu *cpu);
/* A control has been written: counters start and stop from now on. Those that
 * it selects are synced before. */
void counters_refresh(struct cpu *cpu);
/* Software should know what the select register asks for in vain. */
void counters_check_event(const struct cpu *cpu, unsigned reg, uint64_t value);
/* And for all that are enabled, what the present traffic does not tell. */
void counters_check_traffic(const struct cpu *cpu);

#endif
