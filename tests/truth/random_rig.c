/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See random_rig.h.
 */
#include "random_rig.h"

#include <stdlib.h>

#include "model/nehalem-ex/hub.h"

/* Per transaction of a core, on average; a C6 state has hundreds of cycles. */
enum { PATIENCE_CYCLES = 20000, LEAST_CYCLES = 3000000 };

uint64_t chaos_random(uint64_t *state, uint64_t end)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11 ^ *state << 40) % end;
}

struct chaos *chaos_new(const struct chaos_plan *plan)
{
	struct chaos *chaos = calloc(1, sizeof(*chaos));
	struct uncore_traffic traffic;

	if (!chaos)
		return NULL;
	chaos->plan = *plan;
	chaos->random = (plan->seed * 16 + plan->sockets) *
				UINT64_C(0x9e3779b97f4a7c15) |
			1;
	for (unsigned i = 0; i < 8; i++)
		chaos_random(&chaos->random, 2);
	chaos->model = chaos_machine(chaos);
	if (!chaos->model) {
		free(chaos);
		return NULL;
	}
	chaos->num_cores = plan->sockets * uncore_model_cores(chaos->model);
	chaos->num_hubs = chaos->model->sockets[0]->num_hubs;
	chaos->target = uncore_target_model(chaos->model);
	chaos_traffic(chaos, &traffic);
	uncore_model_set_traffic(chaos->model, &traffic);
	return chaos;
}

void chaos_free(struct chaos *chaos)
{
	if (chaos->session)
		uncore_session_close(chaos->session);
	for (unsigned i = 0; i < chaos->num_events; i++)
		uncore_event_free(chaos->events[i]);
	uncore_target_free(chaos->target);
	uncore_model_free(chaos->model);
	free(chaos);
}

const char *chaos_run(struct chaos *chaos)
{
	struct uncore_model *model = chaos->model;
	uint64_t bound = chaos->plan.transactions * PATIENCE_CYCLES;
	uint64_t step, steps = 0;

	if (bound < LEAST_CYCLES)
		bound = LEAST_CYCLES;
	do {
		const char *wrong;

		step = 1 +
		       chaos_random(&chaos->random, UINT64_C(64) << steps % 10);
		/* a whole look takes long */
		wrong = steps++ % 16 ? values_violation(model->values)
				     : uncore_model_check(model);
		if (wrong)
			return wrong;
		chaos_disturb(chaos);
		if (uncore_model_cycle(model) > bound)
			return "the machine stands still";
	} while (!uncore_model_finish(model, step, NULL));
	return uncore_model_check(model);
}

uint64_t chaos_transactions(const struct chaos *chaos)
{
	uint64_t sum = uncore_model_num_accesses(chaos->model);
	const struct ex *ex = chaos->model->sockets[0]->ex;

	for (unsigned i = 0; ex && i < chaos->num_hubs; i++) {
		const struct devices *devices = &ex->sockets[i].hub->devices;

		sum += devices->num_reads + devices->num_writes;
	}
	return sum;
}
