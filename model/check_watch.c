/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Every request completes. Whenever the model looks, the requests under way are
 * compared with those of the time before: one that is still the same after
 * `patience_cycles` will never end. So the boxes need not know when a request
 * began. Sleeping cores wait for nothing, so they may sleep. A machine whose
 * times were made longer needs more patience: each such time may be met often.
 */
#include "base/text.h"
#include "model/check.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum {
	PATIENCE_CYCLES = 2000000, /* with the times that the machine has */
	PATIENCE_FACTOR = 1000,	   /* for each cycle more */
	FAULTY_CYCLES = 200000,	   /* as if so much more, with faults */
	CYCLES_PER_FRAME = 5,	   /* of an SMI link, and about those of tCK */
};

/* A place for a request, and the request that was in it. */
struct place {
	uint64_t identity; /* 0: none */
	uint64_t since;	   /* the cycle of the first look that met it */
};

struct watched {
	struct place cores[SOCKET_MAX_CORES][CORE_MAX_OUTSTANDING];
	struct place devices; /* all accesses of these that ask */
};

struct watch {
	unsigned num_sockets;
	uint64_t patience_cycles;
	struct watched sockets[];
};

static uint64_t patience(const struct uncore_model *model)
{
	double more = 0;

	for (size_t i = 0; i < NUM_PARAMS; i++) {
		const struct machine_param *param =
			machine_param(model->machine, i);
		double longer = model->param[i] - param->value;

		if (!param->name || longer <= 0)
			continue;
		if (!strcmp(param->unit, "cycles"))
			more += longer;
		else if (!strcmp(param->unit, "frames") ||
			 !strcmp(param->unit, "tCK"))
			more += longer * CYCLES_PER_FRAME;
	}
	if (model->plan.is_active)
		more += FAULTY_CYCLES;
	return PATIENCE_CYCLES + (uint64_t)(more * PATIENCE_FACTOR);
}

struct watch *watch_new(const struct uncore_model *model)
{
	struct watch *watch =
		calloc(1, sizeof(*watch) +
				  model->num_sockets * sizeof(struct watched));

	if (watch) {
		watch->num_sockets = model->num_sockets;
		watch->patience_cycles = patience(model);
	}
	return watch;
}

void watch_free(struct watch *watch)
{
	free(watch);
}

/* How long the request has been in its place, as far as is known. */
static uint64_t age(struct place *place, bool is_used, uint64_t identity,
		    uint64_t now)
{
	if (!is_used)
		identity = 0;
	if (place->identity != identity)
		*place = (struct place){ identity, now };
	return identity ? now - place->since : 0;
}

static void complain(struct uncore_model *model, unsigned socket,
		     const char *whose, unsigned number, uint64_t line)
{
	model_violate(
		model,
		text_format(
			"check: a request does not end: line 0x%llx, "
			"socket %u, %s %u, since before cycle %llu",
			(unsigned long long)line, socket, whose, number,
			(unsigned long long)(model->now -
					     model->watch->patience_cycles)));
}

static void look_at_cores(struct uncore_model *model, unsigned i,
			  struct watched *watched)
{
	for (unsigned c = 0; c < model->num_cores; c++) {
		const struct core *core = &model->sockets[i]->cores[c];

		for (unsigned m = 0; m < CORE_MAX_OUTSTANDING; m++) {
			const struct core_miss *miss = &core->misses[m];

			if (age(&watched->cores[c][m], core->used >> m & 1,
				(miss->instruction << 8 | miss->kind) + 1,
				model->now) > model->watch->patience_cycles)
				complain(model, i, "core", c, miss->line);
		}
	}
}

static void look_at_devices(struct uncore_model *model, unsigned i,
			    struct watched *watched)
{
	uint64_t latest = 0, line = 0;
	bool is_any = model->kind->device(model->sockets[i], &latest, &line);

	if (age(&watched->devices, is_any, latest + 1, model->now) >
	    model->watch->patience_cycles)
		complain(model, i, "device", i, line);
}

void watch_look(struct watch *watch, struct uncore_model *model)
{
	for (unsigned i = 0; watch && i < watch->num_sockets; i++) {
		look_at_devices(model, i, &watch->sockets[i]);
		look_at_cores(model, i, &watch->sockets[i]);
	}
}
