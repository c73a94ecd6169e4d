/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the PMU share with each other and with nobody else.
 */
#ifndef UNCORE_PMU_INSIDE_H
#define UNCORE_PMU_INSIDE_H

#include "model/pmu/counter.h"
#include "model/pmu/decode.h"
#include "model/pmu/pmu.h"
#include "model/pmu/register.h"

/* A counter among the registers that govern it. */
struct slot {
	struct counter
		counter; /* first: counter_overflow_fn gets its address */
	struct unit *unit;
	struct decode_place place;
	uint64_t requester; /* on whose behalf it ran over last */
	const struct uc_register *control;
	const struct uc_route *route; /* of an R-Box that control points at */
	const uint64_t *governor;     /* of its domain; NULL: it is in none */
	uint64_t governing, still;    /* it does not count while the bits
				    * `governing` of *governor are these */
	const uint64_t *box_enables;
	uint64_t *status_value; /* NULL: its box has no status register */
	uint64_t enable_bit;	/* of *box_enables; 0: there is none */
	uint64_t overflow_bit;	/* of *status_value; 0: there is none */
	uint64_t latch_bit;	/* of the global status; may be overflow_bit */
	uint64_t told_bit;	/* of the status of a freeze */
	bool is_late; /* sub-registers have changed since it was decoded */
};

/* A register that adds up a signal, whatever is enabled or reset. */
struct free_counter {
	struct counter counter;
	const struct uc_register *reg;
};

/* The PMU of one box instance. */
struct unit {
	struct pmu *pmu;
	const struct uc_box *box;
	struct sigbank *bank;
	struct slot *slots;
	struct expression scratch; /* for decoding */
	unsigned num_slots;
	struct free_counter *free_counters;
	unsigned num_free;
	bool has_followers; /* a counter may count what another one has */
	bool is_frozen;	    /* by what freezes the socket */
	uint8_t box_index;
	uint8_t instance;
	uint64_t clock_start; /* cycle in which the timestamp was 0 */
};

/* A status register whose overflows are told elsewhere, too. */
struct overflow_source {
	const struct uc_overflow *row;
	const uint64_t *status;
};

struct pmu {
	struct pmu_config config;
	struct register_file registers;
	struct unit *units;
	unsigned num_units;
	struct overflow_source *sources;
	unsigned num_sources;
	/* what governs or freezes the whole socket, and tells of its overflows;
	 * NULL where each box is on its own */
	const struct uc_register *global_ctl;
	uint64_t *global_ctl_value;
	uint64_t *global_status_value;
	uint64_t skipped; /* see pmu_set_skipped() */
	uint64_t synced;  /* the cycle of the last pmu_sync_all() */
	uint64_t en_all, rst_all, frz_all; /* bits of the global control */
	uint64_t cond, pmi;		   /* bits of the global status */
	unsigned num_on_way;		   /* interrupts, until they arrive */
	unsigned *num_due;		   /* of pmu_stand(); NULL: time goes */
	uint64_t due_told;		   /* by the message that is due */
	bool is_due;
};

/* pmu.c */
void pmu_complain(const struct pmu *pmu, enum pmu_complaint kind,
		  const char *format, ...)
	__attribute__((format(printf, 3, 4)));
struct unit *pmu_unit(struct pmu *pmu, unsigned box, unsigned instance);
void pmu_sync_all(struct pmu *pmu);
/* Enables have changed: counters start and stop. */
void pmu_refresh_all(struct pmu *pmu);
void pmu_refresh_unit(struct unit *unit);
/* What freezes the socket stops all boxes, or lets them go on. */
void pmu_freeze_all(struct pmu *pmu, bool is_frozen);
/* Registers of the box have changed; is_own: the slot's control register; a
 * sub-register that several slots may look at. */
void pmu_configure_slot(struct slot *slot, bool is_own);
void pmu_configure_users(struct unit *unit, const struct uc_register *reg);

/* free.c: the counters of the unit that nothing stops, and the one that a
 * register is, or NULL; false without memory. */
bool free_counters_init(struct unit *unit);
void free_counters_free(struct unit *unit);
struct counter *free_counter_of(const struct unit *unit,
				const struct uc_register *reg);

/* overflow.c */
bool overflow_init(struct pmu *pmu);
void overflow_free(struct pmu *pmu);
/* Where overflows of the slot's counter are told. */
void overflow_slot(struct slot *slot);
/* A counter carried (counter_overflow_fn); context is the pmu. */
void overflow_happens(void *context, struct counter *counter);
/* The value of a summary register. */
uint64_t overflow_summary(const struct pmu *pmu, const struct uc_register *reg);
/* Clears bits of a status register, and what summarises them. */
void overflow_clear(struct pmu *pmu, const struct uc_register *status,
		    uint64_t bits);
/* A write of value to an overflow control register. */
void overflow_control(struct pmu *pmu, const struct uc_register *control,
		      uint64_t value);

#endif
