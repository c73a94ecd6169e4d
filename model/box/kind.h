/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What cores, the machine and its checks need of the boxes between the cores
 * and the memory, whatever these are: a table of functions for each kind of
 * processor. A kind keeps what it has built in its sockets.
 */
#ifndef UNCORE_KIND_H
#define UNCORE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fault/fault.h"
#include "model/pmu/pmu.h"
#include "table/table.h"

struct core;
struct ep_kind;
struct socket;

/* A core begins or ceases to execute (C0 or not), or sleeps deeply (C6; C3 is
 * what some are given in its place). */
enum power_state { POWER_C0, POWER_C1, POWER_C3, POWER_C6 };

/* What a core's registers show of clock and heat, up to the present cycle. */
enum { POWER_PACKAGE, POWER_CORES, POWER_MEMORY, POWER_NUM_PLACES };

struct power_reading {
	uint64_t clocks;      /* core clock cycles while not halted */
	uint64_t c6_cycles;   /* uncore cycles in C6 */
	double clock_hz;      /* of the ratio that is set */
	double temperature;   /* degrees C */
	bool is_hot, was_hot; /* at the target; now, since the last clear */
	bool is_forced, was_forced; /* FORCEPR or PROCHOT asserted; the same */
	double joules[POWER_NUM_PLACES]; /* that the socket has taken */
};

struct kind {
	const char *name; /* kind= of a machine, see model/machine */
	const struct ep_kind *wiring;	  /* NULL: the kind has none */
	const struct fault_place *faults; /* by enum fault */
	/* Settings that do not go together, of a socket that has nothing but
	 * these: a sentence to be freed, or NULL. */
	char *(*check)(const struct socket *socket);
	/* The boxes of all sockets, whose PMUs are there and whose cores are
	 * halted; false without memory. free() takes what there is of it. */
	bool (*build)(struct socket *const *sockets,
		      const struct uc_family *family);
	void (*free)(struct socket *const *sockets, unsigned num_sockets);
	/* A clock that boxes of the family name (clock=); NULL: they name none.
	 */
	struct pmu_clock (*clock)(const struct socket *socket,
				  const char *name);
	/* Traffic of devices has been set: begin to take it. */
	void (*start)(struct socket *socket);
	/* Nothing is under way in any socket. */
	bool (*is_settled)(const struct socket *any);

	/* The core's miss (entry) leaves it now; core_done() follows. */
	void (*begin)(struct core *core, unsigned entry);
	/* Whether the core may write to its copy without asking, as the only
	 * one: then it does. */
	bool (*write_silently)(struct core *core, uint64_t line);
	/* From when on the core has room for a line that it sends. */
	uint64_t (*data_from)(struct core *core);
	/* Time stands from now on, or goes on: what begins is done at once and
	 * takes no room (NULL: that cannot be). */
	void (*set_quick)(const struct socket *any, bool is_quick);
	/* While time stands: what has happened until now is published, and
	 * others may listen from now on (NULL: nothing interrupts there). */
	void (*publish)(const struct socket *any);
	/* So many uncore cycles have passed by which time goes on later, while
	 * it stands still: what comes by itself in them (NULL: nothing). */
	void (*pass_cycles)(const struct socket *any, uint64_t cycles);
	/* Before time may stand accesses have to be over: whether they are.
	 * NULL: they need not be. */
	bool (*is_over)(const struct socket *any);
	/* Why time cannot stand now: half a sentence; NULL: it can (or is NULL:
	 * always). */
	const char *(*needs_detail)(const struct socket *any);
	/* A core begins to save its state before it sleeps or to get it back,
	 * or has it. */
	void (*moves_state)(struct core *core, bool is_moving);
	/* A core reports an error, injected: FAULT_MC_*. */
	void (*machine_check)(struct socket *socket, enum fault severity);
	/* A core has gone to sleep, has been woken, was told of something. */
	void (*sleeps)(struct core *core);
	void (*wakes)(struct core *core);
	void (*is_told)(struct core *core);

	void (*power_state)(struct core *core, enum power_state state);
	void (*read_power)(const struct core *core,
			   struct power_reading *reading);
	void (*clear_power_log)(const struct core *core, bool hot, bool forced);

	/* For those who look from outside. */
	/* What is wrong with the commands to the DRAM so far, of which
	 * controller (*number); with a machine at rest. NULL: nothing. */
	const char *(*check_dram)(const struct socket *socket,
				  unsigned *number);
	const char *(*check_rest)(const struct socket *socket);
	/* The access of devices that has been under way longest: whether there
	 * is any, the number of the latest that began, its line. */
	bool (*device)(const struct socket *socket, uint64_t *latest,
		       uint64_t *line);
	/* As uncore_model_link(). */
	int (*link)(const struct socket *socket, unsigned qpi, unsigned *peer,
		    unsigned *peer_qpi);
};

extern const struct kind nehalem_ex;
extern const struct kind sandy_bridge_ep;
extern const struct kind skylake_sp;

#endif
