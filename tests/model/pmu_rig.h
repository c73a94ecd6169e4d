/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A PMU on a bench: registers by name, a clock to turn by hand, and a note of
 * what it complained about and whom it interrupted.
 */
#ifndef UNCORE_TESTS_PMU_RIG_H
#define UNCORE_TESTS_PMU_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/pmu.h"

struct rig {
	const struct uc_family *family;
	struct sim *sim;
	struct pmu *pmu;
	unsigned num_pmis, last_core;
	uint64_t last_pmi_cycle;
	unsigned num_complaints[2]; /* by enum pmu_complaint */
};

/* Of all rigs, until it is set anew; the second one if it is not NULL. */
extern const char *rig_machine;
extern const struct uc_family *rig_family;
extern struct pmu_clock rig_clocks[UC_MAX_CLOCKS];

/* A PMU after reset; every signal of every box counts as driven. */
struct rig *rig_new(unsigned pmi_delay_cycles, bool strict);
void rig_free(struct rig *rig);

/* The register of that name; fails the test where there is none. */
const struct uc_register *rig_register(const struct rig *rig, const char *name);
uint64_t rig_read(struct rig *rig, const char *name);
uint64_t rig_field(struct rig *rig, const char *name, const char *field);
void rig_write(struct rig *rig, const char *name, uint64_t value);

/* Changes one field and leaves the others of the register. */
void rig_set(struct rig *rig, const char *name, const char *field,
	     uint64_t value);

/* Whether the write raises #GP. */
bool rig_faults(struct rig *rig, const char *name, uint64_t value);

struct sigbank *rig_bank(struct rig *rig, const char *box, unsigned instance);

/* Code of an event and value of its unit mask, from the tables. */
uint64_t rig_code(const struct rig *rig, const char *box, const char *event);

/* The clock goes on to the cycle. */
void rig_run_until(struct rig *rig, uint64_t cycle);

#endif
