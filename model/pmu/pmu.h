/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The performance monitoring unit of one socket: all registers of all boxes,
 * as the guide describes them to the bit. It listens to the signals of the
 * boxes and knows nothing else about them.
 */
#ifndef UNCORE_PMU_H
#define UNCORE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/pmu/signal.h"
#include "table/table.h"

struct counter;
struct pmu;

enum pmu_result {
	PMU_OK = 0,
	PMU_GP = -1, /* the processor would raise #GP; nothing was changed */
};

enum pmu_complaint {
	PMU_SOFTWARE_BROKE_A_RULE, /* e.g. reserved bit set */
	PMU_NOT_MODELLED,	   /* e.g. an event without a mechanism */
};

/* A box's clock beside the uncore's: it makes num cycles in den of those, no
 * more than one in each. 0 in 0: it is the uncore's. */
struct pmu_clock {
	uint32_t num, den;
};

struct pmu_config {
	const struct uc_family *family;
	struct sim *sim;
	unsigned socket;
	unsigned num_cores;
	/* A counter that carries in cycle t is seen to have overflowed from
	 * t + 1 on; the U-Box acts on it (freeze, PMI) in cycle
	 * t + 1 + pmi_delay_cycles, which does not count any more. */
	unsigned pmi_delay_cycles;
	bool strict; /* reserved bits set in a write: #GP */
	struct pmu_clock clocks[UC_MAX_CLOCKS]; /* by the clock of a box */
	/* Another PMU of the same socket, which outlives this one: both listen
	 * to its signals. NULL: the signals are this one's own. */
	struct pmu *beside;
	/* A PMI is delivered to a core at the present cycle; may be NULL. */
	void (*pmi)(void *context, unsigned socket, unsigned core,
		    uint64_t cycle);
	/* What software should know; may be NULL. */
	void (*complain)(void *context, enum pmu_complaint kind,
			 const char *text);
	void *context;
};

/* A PMU after hardware reset, or NULL without memory; freed by pmu_free(). The
 * config is copied, the sim has to outlive the PMU; after pmu_free() it must
 * not run on, since events of the PMU may still be in its queue. */
struct pmu *pmu_new(const struct pmu_config *config);
void pmu_free(struct pmu *pmu);

/* What registers that tell what the processor is hold after reset, if this is
 * their last field. */
void pmu_preset(struct pmu *pmu, const char *field, uint64_t value);

/* Where the box (index into family->boxes) publishes its signals; belongs to
 * the PMU that is beside no other. NULL for a box or instance that the family
 * does not have. */
struct sigbank *pmu_bank(struct pmu *pmu, unsigned box, unsigned instance);

/* How often somebody has begun to listen to a signal of its banks, or ceased
 * to, so far. */
unsigned pmu_num_changes(const struct pmu *pmu);

/* RDMSR and WRMSR at the present cycle: a write takes effect from this cycle
 * on, a read sees all cycles before it, both counted by the box's own clock.
 * PMU_GP for unknown addresses too. */
int pmu_read(struct pmu *pmu, uint64_t address, uint64_t *value);
int pmu_write(struct pmu *pmu, uint64_t address, uint64_t value);

/* The engine's time stands from now on (facts.h): interrupts come by
 * pmu_interrupt() then, behind the access that made a counter run over, which
 * adds 1 to *num_due; NULL: it goes on. Not while one is on its way. */
void pmu_stand(struct pmu *pmu, unsigned *num_due);
void pmu_interrupt(struct pmu *pmu);
bool pmu_is_interrupting(const struct pmu *pmu); /* one is on its way */

/* On whose behalf what happened by which a counter ran over last (see sim.h);
 * 0: nobody's, or it never has, or it is no counter. */
uint64_t pmu_requester(struct pmu *pmu, uint64_t address);

/* The same of one access where a register is wider than that (parts= of its
 * row): the lowest part has the register's address, the next one that of its
 * first byte. A register of one part as above. A part that is written leaves
 * the other ones as they are in that cycle; between two accesses a counter
 * counts on, and may carry from one part into the next. */
int pmu_read_part(struct pmu *pmu, uint64_t address, uint64_t *value);
int pmu_write_part(struct pmu *pmu, uint64_t address, uint64_t value);

/* A sentence (static) about what can never be, or NULL: a counter beyond its
 * width or ahead of the clock, or one that no longer agrees with the signals it
 * listens to; *box is then the name of its box. */
const char *pmu_check(const struct pmu *pmu, const char **box);

/* Whether any counter counts at present. */
bool pmu_is_counting(const struct pmu *pmu);

/* All its counters, general and fixed ones and those that nothing stops, to be
 * read while the model leaves accesses out of detail (model/box/growth.h).
 * Returns how many, which is always the same; list: NULL, or room for them. */
struct pmu_counter {
	struct counter *counter;
	const char *box; /* name */
};
size_t pmu_counters(struct pmu *pmu, struct pmu_counter *list);

/* So many cycles of the uncore, those before included, have passed while the
 * engine's time stood: what tells the time counts them, too. */
void pmu_set_skipped(struct pmu *pmu, uint64_t cycles);

/* Whether this part has the instance of a box: something tells its signals. */
bool pmu_has_box(struct pmu *pmu, unsigned box, unsigned instance);

/* Whether every signal of the event's unit mask is driven: of a composite,
 * those of all its parts. NULL: of the event itself, or where it has only unit
 * masks, of at least one of them. port: of an R-Box, else 0. */
bool pmu_is_modelled(struct pmu *pmu, const struct uc_event *event,
		     const struct uc_unit_mask *unit_mask, unsigned port);

#endif
