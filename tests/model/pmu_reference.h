/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A PMU that is slow and simple: it visits every cycle and every counter, and
 * shares nothing with model/pmu but the tables and the packet header. What the
 * guide says about a cycle stands here as one plain sequence, so that the fast
 * integrator has something to be wrong against.
 */
#ifndef UNCORE_TESTS_PMU_REFERENCE_H
#define UNCORE_TESTS_PMU_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/signal.h"
#include "table/table.h"

struct reference;

struct reference *reference_new(const struct uc_family *family,
				unsigned delay_cycles, unsigned num_cores,
				bool strict);
void reference_free(struct reference *r);

/* Boxes with this clock have num cycles in den of the uncore; before anything
 * else. */
void reference_set_clock(struct reference *r, unsigned clock, unsigned num,
			 unsigned den);

/* 0, or -1 for #GP. */
int reference_read(struct reference *r, uint64_t address, uint64_t *value);
int reference_write(struct reference *r, uint64_t address, uint64_t value);

/* What happens in the present cycle. */
void reference_pulse(struct reference *r, unsigned box, unsigned instance,
		     unsigned id, unsigned n);
void reference_add(struct reference *r, unsigned box, unsigned instance,
		   unsigned id, int64_t delta);
void reference_packet(struct reference *r, unsigned box, unsigned instance,
		      unsigned id, const struct sig_header *header);

/* What will happen: a level, pulses, a packet. */
void reference_span(struct reference *r, unsigned box, unsigned instance,
		    unsigned id, uint64_t from, uint64_t to, unsigned n);
void reference_span_packet(struct reference *r, unsigned box, unsigned instance,
			   unsigned id, uint64_t from, uint64_t to, unsigned n,
			   const struct sig_header *header);
void reference_pulses(struct reference *r, unsigned box, unsigned instance,
		      unsigned id, uint64_t first, unsigned period,
		      unsigned num, unsigned n);
void reference_packet_at(struct reference *r, unsigned box, unsigned instance,
			 unsigned id, uint64_t time,
			 const struct sig_header *header);

/* A signal that some counter of the box instance has selected, or -1. */
int reference_selected(const struct reference *r, unsigned box,
		       unsigned instance, unsigned pick);

/* Ends the present cycle. */
void reference_cycle(struct reference *r);

/* PMIs so far, and a sum over core and cycle of each. */
unsigned reference_num_pmis(const struct reference *r);
uint64_t reference_pmi_sum(const struct reference *r);

#endif
