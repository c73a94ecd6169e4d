/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of every logical CPU that are not the uncore's: clocks, the
 * core's own counters, and what tools read to find out where they run. The
 * model has one thread per core, so a logical CPU is a core. All of it is
 * computed when somebody asks; nothing here costs simulated traffic anything.
 */
#ifndef UNCORE_CORE_REGISTERS_H
#define UNCORE_CORE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine/machine.h"
#include "table/table.h"

struct cpus;
struct socket;

enum cpus_result {
	CPUS_OK = 0,
	CPUS_GP = -1,	   /* the processor would raise #GP */
	CPUS_UNKNOWN = -2, /* no register of the core has this address */
};

struct cpus_config {
	const struct uc_family *family;
	const struct machine *machine;
	const double *param;	       /* NUM_PARAMS values, by enum param */
	struct socket *const *sockets; /* have to outlive the registers */
	unsigned num_sockets, num_cores;
	/* What software should know. */
	void (*complain)(void *context, const char *text);
	void *context;
};

/* The registers after reset; NULL without memory or where the family names a
 * parameter that the machine does not have. Freed by cpus_free(). */
struct cpus *cpus_new(const struct cpus_config *config);
void cpus_free(struct cpus *cpus);

/* RDMSR and WRMSR on a CPU of the machine, at the present cycle. */
enum cpus_result cpus_read(struct cpus *cpus, unsigned cpu, uint64_t address,
			   uint64_t *value);
enum cpus_result cpus_write(struct cpus *cpus, unsigned cpu, uint64_t address,
			    uint64_t value);

/* Before the traffic is replaced, and after: what was counted stays. */
void cpus_end_traffic(struct cpus *cpus);
void cpus_begin_traffic(struct cpus *cpus);

/* Whether any counter of any core is enabled. */
bool cpus_are_counting(const struct cpus *cpus);

#endif
