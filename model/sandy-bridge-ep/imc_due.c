/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What comes due by itself: refreshes, sleep, the closing of idle pages, a look
 * at the sensors. It is worked off in the order of time when somebody comes, or
 * looks; events bring it forward only where the cycle in which that is done
 * matters.
 */
#include "model/pmu/tap.h"
#include "model/sandy-bridge-ep/imc_parts.h"

static uint64_t find_next(const struct imc *imc)
{
	uint64_t next = imc->idle_due;

	if (imc->next_look < next)
		next = imc->next_look;
	for (unsigned i = 0; i < imc->map.num_ranks; i++) {
		uint64_t clock = imc_rank_next(imc, i);

		next = clock < next ? clock : next;
	}
	return next;
}

static void work_off(struct imc *imc, uint64_t clock)
{
	if (imc->idle_due == clock)
		imc_close_idle(imc, clock);
	if (imc->next_look == clock)
		imc_heat_look(imc, clock);
	for (unsigned i = 0; i < imc->map.num_ranks; i++)
		imc_rank_until(imc, i, clock);
}

/* Somebody wants things to be worked off in their cycle: a counter, or faults,
 * which are drawn for all channels in the order of time. */
static bool is_on_time(const struct imc *imc)
{
	return imc->next_look != IMC_NEVER ||
	       fault_is_active(&imc->socket->faults, FAULT_ECC) ||
	       tap_is_any_ordered(imc->signals);
}

static void due_event(void *object, uint64_t cycle)
{
	struct imc *imc = object;

	if (imc->alarm_cycle != cycle)
		return;
	imc->alarm_cycle = SIM_NEVER;
	imc_enter(imc, cycle);
	imc_due_listen(imc);
}

/* Asks for an event when the next thing comes due, if somebody wants it. */
void imc_due_listen(struct imc *imc)
{
	uint64_t cycle;

	if (imc->next_due == IMC_NEVER || !is_on_time(imc))
		return;
	cycle = sim_later(imc_cycle(imc, imc->next_due),
			  engine_now(&imc->ep->engine));
	if (cycle >= imc->alarm_cycle)
		return;
	imc->alarm_cycle = cycle;
	sim_at(imc->ep->engine.sim, cycle, due_event, imc, cycle);
}

/* Something comes due in a clock. */
void imc_due_by(struct imc *imc, uint64_t clock)
{
	if (clock >= imc->next_due)
		return;
	imc->next_due = clock;
	imc_due_listen(imc);
}

/* All that comes due up to the present clock. */
void imc_due(struct imc *imc)
{
	uint64_t next = find_next(imc);
	uint64_t before = sim_act_for(imc->ep->engine.sim, 0);

	while (next <= imc->present) {
		imc_slide(imc, next);
		work_off(imc, next);
		next = find_next(imc);
	}
	imc->next_due = next;
	imc_due_listen(imc);
	sim_act_for(imc->ep->engine.sim, before);
}
