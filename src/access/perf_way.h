/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers that the kernel's PMUs stand behind: perf.c reads and writes them,
 * perf_count.c sees what they ask for.
 */
#ifndef UNCORE_ACCESS_PERF_WAY_H
#define UNCORE_ACCESS_PERF_WAY_H

#include "access/perf_unit.h"
#include "perf/map.h"
#include "table/enable.h"

struct perf_way {
	const struct uc_family *family;
	struct perf_map map;
	struct perf_pmus own; /* of a family of data/ */
	unsigned num_sockets;
	uint64_t *values;	 /* of each socket, each register */
	uint64_t *bases;	 /* of counters: what they held at count 0 */
	struct perf_unit *units; /* of each socket, each instance of a box */
	size_t num_units;	 /* of a socket */
	size_t *first_unit;	 /* of each box */
	struct enable *enables;	 /* of each register that is a counter */
	uint64_t batch;		 /* the present one's number */
	bool is_changed;	 /* and not handed over yet */
	char *error;
};

/* Of a register in `values` and `bases`. */
size_t perf_index(const struct perf_way *way, unsigned socket,
		  const struct uc_register *reg);

/* A counter's number in its unit, fixed counters behind the others. */
unsigned perf_number(const struct perf_way *way, const struct uc_register *reg);

/* The PMU that counts for a register, or NULL. */
struct perf_unit *perf_unit_of(const struct perf_way *way, unsigned socket,
			       const struct uc_register *reg);

/* Finds the enables; false without memory. */
bool perf_find_enables(struct perf_way *way);

/* Keeps a sentence (which may be NULL) as the way's; returns code. */
int perf_refuse(struct perf_way *way, int code, char *error);

/* Lets the kernel count what the registers ask for, and nothing else. 0, or a
 * negative UNCORE_ERR_* and the way's sentence. */
int perf_hand_over(struct perf_way *way);

#endif
