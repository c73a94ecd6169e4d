/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine from inside: what the files of model/ share.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/box/socket.h"
#include "uncore/model.h"

enum { MODEL_MAX_SOCKETS = 8 };

struct cpus;

/* PMIs that were sent in a socket, not yet taken, in order of time. */
struct pmi_list {
	struct uncore_model_pmi *pmis;
	size_t first, count, room;
};

struct uncore_model {
	const struct uc_family *family;
	const struct machine *machine;
	const struct kind *kind;
	double param[NUM_PARAMS];
	unsigned num_sockets, num_cores, num_slices;
	struct sim *sim;
	uint64_t now;
	bool is_paused;	     /* the present run is to return */
	bool is_strict;	     /* reserved bits set in a write: #GP */
	uint64_t next_check; /* SIM_NEVER: it is not asked for */
	uint64_t checked_accesses;
	char *violation; /* the first one that was found */
	struct uncore_traffic traffic;
	/* Frees what the traffic was made of; NULL: somebody else does. */
	void (*end_traffic)(void *context);
	struct fault_plan plan;
	struct values *values;	 /* NULL: not checked */
	struct detail *detail;	 /* NULL: all accesses go through the engine */
	struct answers *answers; /* NULL: nobody asks for them */
	struct watch *watch;	 /* the same; see check.h */
	struct socket *sockets[MODEL_MAX_SOCKETS];
	struct cpus *cpus; /* the registers of every logical CPU */
	struct pmi_list pmis[MODEL_MAX_SOCKETS];
	void (*on_pmi)(void *context, const struct uncore_model_pmi *pmi);
	void *pmi_context;
	void (*log)(void *context, const char *text);
	void *log_context;
};

/* The slice of a socket. */
static inline const struct llc *model_llc(const struct uncore_model *model,
					  unsigned socket, unsigned slice)
{
	return model->sockets[socket]->llcs[slice];
}

/* check.c: looks for what can never be; keeps and logs the first sentence. */
void model_check(struct uncore_model *model);

/* Software writes a register: whether other counters count afterwards. */
unsigned model_begin_write(const struct uncore_model *model);
void model_end_write(const struct uncore_model *model, unsigned before);

/* pmus.c: at least so many for a socket; UNCORE_ERR_NO_MEMORY. */
int pmus_make(struct uncore_model *model, unsigned socket, unsigned num);
void pmus_free(struct socket *socket);

/* A core is going to access the line soon: what the model looks at then is
 * brought near. Changes nothing. */
void model_expect(const struct uncore_model *model, unsigned core,
		  uint64_t line);

/* The time of a core, which may be a little ahead of the model's while it does
 * not wait, and how much of it the core was not halted: core cycles at its
 * nominal clock. */
void model_core_time(const struct uncore_model *model, unsigned core,
		     uint64_t *cycles, uint64_t *busy);

/* Wakes a core when its time is so many core cycles; returns that uncore cycle,
 * 0 when it has passed. */
uint64_t model_wake_at(struct uncore_model *model, unsigned core,
		       uint64_t core_cycles);

/* Ends the wait for such a time, between runs; false: it has not begun. */
bool model_end_wait(struct uncore_model *model);

bool model_has_reached(const struct uncore_model *model, uint64_t cycle);

#endif
