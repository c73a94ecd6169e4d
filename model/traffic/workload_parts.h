/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the built-in workloads share. A workload "A:...+B:..." has
 * a part for each of A and B; a part has threads on cores, or devices behind
 * I/O hubs, that follow one pattern:
 *
 *   workload.c         hands the accesses over
 *   workload_make.c    makes the whole from its text
 *   workload_keys.c    reads "key=value,..."
 *   workload_memory.c  patterns of loads and stores
 *   workload_share.c   patterns in which threads fight for lines
 *   workload_io.c      patterns of what does not pass private caches
 *
 * A pattern is one function: given a thread and the number of the step, which
 * line it uses and how. All random choices come from a counter-based generator,
 * so a step does not depend on who asked before: the same seed gives the same
 * traffic whatever the order of asking.
 */
#ifndef TRAFFIC_WORKLOAD_PARTS_H
#define TRAFFIC_WORKLOAD_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/privcache.h"
#include "model/box/tlb.h"
#include "uncore/model.h"

struct part;

enum {
	WORKLOAD_MAX_PARTS = 8,
	WORKLOAD_MAX_HUBS = 4,
	/* A walker's loads have no prefetches. */
	THREAD_MAX_REQUESTS = PRIVCACHE_MAX_REQUESTS + 3 * TLB_MAX_LOADS,
};

struct thread {
	const struct part *part;
	struct privcache cache;
	const uint32_t *prefetchers; /* of the model's core, now; NULL: none */
	struct tlb tlb;
	struct privcache_request requests[THREAD_MAX_REQUESTS];
	uint64_t waits; /* bit n: request n waits for the loads before it */
	unsigned first, count; /* of the requests not yet handed over */
	unsigned number;       /* in its part */
	unsigned core;	       /* over all sockets */
	uint64_t step, num_steps;
	uint64_t rounds; /* that are over, where the part takes turns */
	uint64_t base;	 /* first line of its data */
	uint64_t lines;
	/* Of a stream: lines of one array, steps that go through all. */
	uint64_t array_lines, pass_steps;
	uint64_t stalled; /* core cycles that steps waited for caches */
	uint32_t gap;	  /* instructions not yet told */
	uint32_t stall;	  /* core cycles not yet told, besides those */
	uint16_t target;
	bool is_settling; /* its latest round is done once this returns */
	bool has_ended;
};

/* A device behind an I/O hub; `step` of `num_steps`. */
struct device {
	const struct part *part;
	unsigned hub;
	unsigned number; /* in its part */
	uint64_t step, num_steps;
	uint64_t base, lines;
};

/* One step: a use of a line through the private caches where `kind` is 0, else
 * an access of that kind (enum uncore_access_kind) as it is. */
struct step {
	uint64_t line;
	uint8_t use; /* enum privcache_use */
	uint8_t kind;
	uint16_t target;
	bool depends;
	uint8_t code; /* which of the pattern's instructions; 0: the first */
	bool is_end;  /* there is no step any more */
};

struct pattern {
	const char *name;
	const char *help;
	void (*step)(const struct part *part, const struct thread *thread,
		     struct step *step);
	/* Steps of a thread or device, when all is set; lines: of its data. */
	uint64_t (*num_steps)(const struct part *part, uint64_t lines);
	void (*device)(const struct part *part, const struct device *device,
		       struct step *step);
	const char *const *ops; /* values of op=, the default first; or NULL */
	unsigned round_steps;	/* struct part's, with the first of ops */
	bool is_shared;		/* as struct part's */
	bool is_spread;		/* placed on the sockets in turn by default */
	unsigned num_threads;	/* these are defaults, as are the next */
	uint64_t size_bytes;
	uint64_t count; /* 0: 100000 */
	uint32_t gap;	/* 0: 16 */
};

struct part {
	const struct pattern *pattern;
	const struct workload *workload;
	unsigned num_threads;
	uint64_t size_bytes, count, passes, seed, stride_bytes;
	int64_t offset_bytes; /* of its data in a socket's memory; -1: after
				 those of the parts before */
	uint32_t gap;
	uint32_t patience; /* instructions between two signs of life; 0 where
			      threads take turns: before each step */
	unsigned write_percent;
	unsigned num_arrays; /* workload_arrays() */
	unsigned op;	     /* index into the pattern's */
	/* Of a round where threads take turns: one has its round when the one
	 * before it has had it, all stores in it done. 0: they do not. */
	unsigned round_steps;
	bool scatter;
	bool is_shared; /* all threads use the same lines */
	bool has_count; /* it was given */
	int node;	/* -1: that of the thread */
	unsigned cpu;	/* the first that may get a thread */
	int hub;	/* of devices; -1: all hubs */
	/* Of the devices, and of those that they ask, UNCORE_IO_PEER(); 0: as
	 * the machine likes, or nobody. */
	uint16_t port, peer;
	int32_t target; /* -1: as the pattern likes; else a CPU, or
			    UNCORE_IO_HUB(), UNCORE_IO_SOCKET() */
	struct thread *threads;
};

struct workload {
	unsigned num_cores, cores_per_socket, num_sockets, num_hubs;
	unsigned num_stacks; /* of I/O in a socket; 0: devices have no ports */
	unsigned num_nodes;  /* of all sockets, of cores_per_node each */
	unsigned cores_per_node;
	uint64_t memory_lines; /* of all sockets */
	uint64_t node_lines;
	unsigned l1_cycles, l2_cycles, stlb_cycles;
	unsigned tlb;		 /* core.tlb */
	struct superqueue queue; /* of each core */
	struct privcache_shape caches;
	/* Frames for page tables, at the end of each node's memory. */
	uint64_t table_frames;
	double cpi;
	unsigned num_parts;
	struct part parts[WORKLOAD_MAX_PARTS];
	struct thread *threads;	   /* of all parts */
	struct thread **thread_of; /* per core; NULL: none */
	struct device devices[WORKLOAD_MAX_HUBS][WORKLOAD_MAX_PARTS];
	unsigned num_devices[WORKLOAD_MAX_HUBS];
};

/* Lists that end with a pattern without a name. */
extern const struct pattern workload_memory[];
extern const struct pattern workload_share[];
extern const struct pattern workload_io[];

/* Reads "key=value,..." into a part; a sentence to be freed when it is wrong.
 * The text is written to. */
char *workload_keys(struct part *part, char *text);

uint64_t workload_random(const struct part *part, unsigned number,
			 uint64_t step);

/* num_steps: as many as `count` says; as many as there are lines, `passes`
 * times. */
uint64_t workload_counted(const struct part *part, uint64_t lines);
uint64_t workload_passes(const struct part *part, uint64_t lines);

/* Whether a part may have the port and the peer that it has. */
bool workload_has_ports(const struct part *part);

/* Arrays that a stream walks side by side. */
unsigned workload_arrays(const struct part *part);

/* Its accesses. */
void workload_traffic(struct workload *workload,
		      struct uncore_traffic *traffic);

#endif
