/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A machine whose CPUs have traffic of known length, and its registers as a
 * logical CPU sees them.
 */
#ifndef UNCORE_TESTS_CORE_RIG_H
#define UNCORE_TESTS_CORE_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/model.h"

enum {
	TSC = 0x10,
	BSP = 0x1B,
	PMC0 = 0xC1,
	PLATFORM_INFO = 0xCE,
	MPERF = 0xE7,
	APERF = 0xE8,
	EVTSEL0 = 0x186,
	FIXED0 = 0x309,
	FIXED1 = 0x30A,
	FIXED2 = 0x30B,
	FIXED_CTRL = 0x38D,
	STATUS = 0x38E,
	CTRL = 0x38F,
	OVF_CTRL = 0x390,
};

/* Of a select register: event and unit mask, all levels, enabled. */
#define SELECT(event, umask) ((event) | (umask) << 8 | 3u << 16 | 1u << 22)
#define ALL_COUNTERS	     UINT64_C(0x70000000F)

enum { NUM_CPUS = 20, GAP = 100 };

/* Every CPU has so many accesses GAP instructions apart, each to a line of its
 * own; reads if nothing else is said. */
struct rig_traffic {
	unsigned left[NUM_CPUS];
	uint64_t line;
	bool is_paused;	  /* no CPU has anything at present */
	bool is_computed; /* no accesses, only their instructions */
	bool is_chain;	  /* each read needs the one before */
	bool is_written;  /* a store and the line's write-back in turn */
	uint32_t cycles;  /* that the GAP instructions take; 0: core.cpi */
};

struct rig {
	struct uncore_model *model;
	struct rig_traffic traffic;
	char log[4096];
};

/* Of all rigs, until it is set anew. */
extern const char *rig_machine;

/* The machine after reset; what its log says is kept. */
void rig_set_up(struct rig *rig);

/* Lets the CPUs have their traffic; finish waits until all of it is done. */
void rig_start(struct rig *rig);
void rig_finish(struct rig *rig);

/* RDMSR and WRMSR, which have to succeed; a write that has to fault. */
uint64_t rig_get(struct rig *rig, unsigned cpu, uint32_t address);
void rig_put(struct rig *rig, unsigned cpu, uint32_t address, uint64_t value);
void rig_refuse(struct rig *rig, uint32_t address, uint64_t value);

/* The TSC after so many cycles of the uncore. */
uint64_t rig_tsc_of(uint64_t cycles);

#endif
