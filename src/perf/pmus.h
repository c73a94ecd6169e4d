/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The PMUs of the kernel that have a cpumask: those outside of the cores, which
 * count for all of a package, die or cluster, whoever runs. PMUs that differ in
 * numbers in their names (names.h) are instances of one box:
 *
 *     uncore_imc_0, uncore_imc_1   box imc, instances 0 and 1
 *     dsa0, dsa2                   box dsa, instances 0 and 2: there is no 1
 *     amd_l3                       box amd_l3, an instance for each CPU of a
 *                                  package in its cpumask
 *
 * A socket is a package. Instances are numbered as the kernel numbers those of
 * the first socket. Where a package has several CPUs in a mask (dies,
 * clusters), or a name several numbers or an address, they are counted
 * through.
 */
#ifndef UNCORE_PERF_PMUS_H
#define UNCORE_PERF_PMUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "perf/tree.h"

enum { PERF_NUM_WORDS = 4 }; /* config, config1, config2, config3 */

/* What Intel's PMUs have in front of their names, and our boxes have not. */
#define PERF_KERNEL_PREFIX "uncore_"

/* A name in format/: bits of a word, from the lowest of the value up. */
struct perf_term {
	const char *name;
	uint64_t bits;
	uint8_t word;
	/* where the tables of a live family have it: family.c */
	uint8_t role, high, low;
};

/* A name in events/. */
struct perf_alias {
	const char *name;
	const char *terms; /* event=0x04,umask=0x03 */
	const char *why;   /* NULL, or why a list's row cannot be used */
	const char *unit;  /* or NULL */
	const char *brief; /* of a vendor's list, or NULL: a name of sysfs */
	double scale;
	uint32_t counters; /* bit n: counter n may count it */
};

struct perf_pmu {
	char *name;
	char *box; /* the name without numbers of instances: names.h */
	uint32_t type;
	int *cpus;
	unsigned num_cpus;
};

/* A CPU of which the kernel says where it is. */
struct perf_cpu {
	int cpu, package;
};

/* A PMU in one package. */
struct perf_place {
	const struct perf_pmu *pmu; /* NULL: there is none */
	int cpu;
};

struct perf_box {
	const char *name;
	const struct perf_pmu *pmu; /* the first */
	struct perf_term *terms;
	unsigned num_terms;
	struct perf_alias *aliases;
	unsigned num_aliases;
	size_t num_pmus;	/* of them, which follow */
	unsigned num_instances; /* 1 + the highest number */
	unsigned num_there;	/* in the socket that has most of them */
	unsigned num_counters;	/* of each; found by who makes tables of it */
	struct perf_place *places; /* of a socket, all instances, and so on */
};

struct perf_pmus {
	struct perf_tree tree;
	struct perf_pmu *list; /* sorted, instances of a box in their order */
	size_t num;
	struct perf_box *boxes; /* sorted by name */
	unsigned num_boxes;
	unsigned num_sockets;
	int *packages;	       /* their ids */
	struct perf_cpu *cpus; /* sorted by number */
	size_t num_cpus;
	char *left_out; /* names of boxes without room; NULL: none */
	char **texts;	/* of lists of events, json.c */
	size_t num_texts;
};

/* Reads them from a folder like /sys, a capture, or the text of one. 0, or a
 * negative UNCORE_ERR_* and *error; perf_pmus_free() in any case. */
int perf_pmus_read(struct perf_pmus *pmus, const char *place, char **error);
int perf_pmus_of_text(struct perf_pmus *pmus, const char *text, char **error);
void perf_pmus_free(struct perf_pmus *pmus);
void perf_box_free(struct perf_box *box);

const struct perf_place *perf_place_of(const struct perf_pmus *pmus,
				       const struct perf_box *box,
				       unsigned socket, unsigned instance);

/* The term of a box with this name, or NULL. */
const struct perf_term *perf_term_find(const struct perf_box *box,
				       const char *name);

/* A value in the bits of a term, as the word it belongs to has it; and back. */
uint64_t perf_term_put(const struct perf_term *term, uint64_t value);
uint64_t perf_term_get(const struct perf_term *term, uint64_t word);

/* A term of a text like event=0x04,umask=? . */
struct perf_said {
	char name[64];
	char text[64]; /* behind the '=', "" without */
	uint64_t value;
	enum {
		PERF_SAID_VALUE, /* 1 without '=' */
		PERF_SAID_ASK,	 /* '?' */
		PERF_SAID_BAD,	 /* no number for perf, or cut */
	} is;
};

/* The next one is stored and the rest of the text returned; NULL behind the
 * last. */
const char *perf_terms_next(const char *terms, struct perf_said *said);

/* 0 to 3 for the names that perf has for the words themselves, else -1. */
int perf_word_named(const char *name);

/* Whether a box has such a term or word, and room in it for the value; else
 * the reason is added to a text. */
bool perf_term_takes(const struct perf_box *box, const char *name,
		     uint64_t value, struct text *why);

#endif
