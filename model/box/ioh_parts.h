/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the I/O hub share with each other and with nobody else.
 */
#ifndef UNCORE_IOH_PARTS_H
#define UNCORE_IOH_PARTS_H

#include "model/box/ioh.h"
#include "model/box/outlet.h"
#include "uncore/model.h"

/* Serials: requests for memory, their write-backs, interrupts. */
enum {
	IOH_REQUESTS = 24,
	IOH_WRITES = IOH_REQUESTS,
	IOH_INTERRUPTS = 2 * IOH_REQUESTS,
	IOH_MAX_INTERRUPTS = 8,
	IOH_MAX_HOMES = 16,
	IOH_IN_ROOM = 64,
};

/* An access to memory: a read, or a write that asks for the line first, and
 * then may write it more than once. */
struct ioh_request {
	uint64_t line;
	uint32_t number; /* of the present request at the home */
	uint32_t floor;	 /* see values.h */
	uint32_t value;
	uint8_t home;
	uint8_t writes_left;
	bool is_used, is_write, is_writing, has_data, is_complete;
	bool is_plain; /* without snoops: nobody's copies matter */
};

enum ioh_state { IOH_RUNS, IOH_WAITS, IOH_ENDED };

struct ioh {
	struct socket *socket;
	struct outlet outlet;
	unsigned hub, node, latency_cycles;
	/* Memory */
	struct ioh_request requests[IOH_REQUESTS];
	unsigned room, num_requests;
	bool home_snoops; /* homes have a directory */
	unsigned credits[IOH_MAX_HOMES];
	uint32_t number;
	uint64_t num_reads, num_writes;
	/* Interrupts and door bells: bit n, the serial is in use */
	unsigned interrupts, max_interrupts;
	/* Accesses of cores */
	struct packet in[IOH_IN_ROOM];
	unsigned in_first, in_count;
	/* A bus lock: nothing begins; the StopReq1 that is not answered yet */
	bool is_stopped, owes_answer;
	struct packet stop;
	/* Traffic */
	enum ioh_state state;
	struct uncore_access access; /* the next one */
	uint64_t ready;
	bool has_access, is_stuck;
	uint64_t poll_cycles;
	uint64_t run_at; /* latest time asked for; others are void */
};

/* ioh_memory.c: begins an access if there is room; ends it by answers. Writes:
 * how often the line is written; 0: it is read. */
bool ioh_begin(struct ioh *ioh, uint64_t line, unsigned writes);
/* The same without snoops; opcode: of a write's data, or 0. */
bool ioh_begin_plain(struct ioh *ioh, uint64_t line,
		     enum packet_opcode data_opcode);
void ioh_take_data(struct ioh *ioh, const struct packet *packet);
void ioh_take_completion(struct ioh *ioh, const struct packet *packet);

/* ioh.c: something has ended, what is stuck or stopped may go on. */
void ioh_go_on(struct ioh *ioh);

#endif
