/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide p. 73 to 87: what the PCU's firmware does, as far as its events show
 * it. Where the frequency goes is in pcu_limits.c, how in pcu_change.c, power
 * states in pcu_states.c; here is what sets all that off, and heat.
 *
 * The ring's clock is the cores' in the first of these processors, and its own
 * from the Xeon E5 v3 on; here the clock of the uncore stays what uncore.clock
 * says, and only the cores become faster or slower.
 * Decisions are made at once, where firmware looks every millisecond.
 *
 * Left out: clock modulation at the slowest ratio, averages of the power over
 * time, power states of the package, what phase shedding costs the memory.
 */
#include <math.h>
#include <stdlib.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/imc.h"
#include "model/sandy-bridge-ep/pcu_parts.h"
#include "model/sandy-bridge-ep/ubox.h"
#include "signals.h"

/* Decisions */

static void show(struct pcu *pcu)
{
	static const uint16_t limits[PCU_NUM_LIMITS] = {
		[PCU_LIMIT_OS] = SIG_PCU_FREQ_MAX_OS_CYCLES,
		[PCU_LIMIT_THERMAL] = SIG_PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES,
		[PCU_LIMIT_POWER] = SIG_PCU_FREQ_MAX_POWER_CYCLES,
		[PCU_LIMIT_CURRENT] = SIG_PCU_FREQ_MAX_CURRENT_CYCLES,
	};
	const struct pcu_verdict *verdict = &pcu->verdict;

	for (unsigned i = 0; i < PCU_NUM_LIMITS; i++)
		sig_set(pcu->power.bank, limits[i], verdict->limit == i);
	sig_set(pcu->power.bank, SIG_PCU_FREQ_MIN_IO_P_CYCLES, verdict->for_io);
	sig_set(pcu->power.bank, SIG_PCU_FREQ_MIN_PERF_P_CYCLES,
		verdict->for_peers);
	sig_set(pcu->power.bank, SIG_PCU_PROCHOT_INTERNAL_CYCLES,
		pcu->power.num_hot > 0);
	sig_set(pcu->power.bank, SIG_PCU_PROCHOT_EXTERNAL_CYCLES,
		pcu->power.is_forced);
	sig_set(pcu->power.bank, SIG_PCU_VR_HOT_CYCLES,
		power_is_above(&pcu->power, POWER_OTHER, 0));
}

static bool is_hot(const struct pcu *pcu)
{
	return pcu->power.num_hot ||
	       power_is_above(&pcu->power, POWER_OTHER, 0);
}

/* While something is hot the frequency goes down step by step, then up again.
 */
static void step(void *object, uint64_t unused)
{
	struct pcu *pcu = object;

	(void)unused;
	pcu->is_stepping = false;
	if (is_hot(pcu)) {
		if (pcu->thermal > pcu->ratio)
			pcu->thermal = pcu->ratio;
		pcu->thermal -= pcu->thermal > pcu->slow;
	} else {
		pcu->thermal += pcu->thermal < pcu->top;
	}
	pcu_decide(pcu);
}

static void step_soon(struct pcu *pcu)
{
	if (pcu->is_stepping || (!is_hot(pcu) && pcu->thermal == pcu->top))
		return;
	pcu->is_stepping = true;
	power_after(&pcu->power, pcu->step_cycles, step);
}

void pcu_decide(struct pcu *pcu)
{
	step_soon(pcu);
	pcu->verdict = pcu_judge(pcu);
	show(pcu);
	pcu_change(pcu);
}

/* I/O */

static void look_at_io(void *object, uint64_t unused)
{
	struct pcu *pcu = object;
	uint64_t now = pcu_now(pcu);

	(void)unused;
	if (pcu->io_until > now) {
		sim_at(pcu->power.socket->sim, pcu->io_until, look_at_io, pcu,
		       0);
		return;
	}
	pcu->has_io = false;
	pcu_decide(pcu);
}

void pcu_io_until(struct pcu *pcu, uint64_t until)
{
	bool matters = pcu->io > pcu->os || pcu->idle_cycles;

	if (!matters || until <= pcu->io_until || until <= pcu_now(pcu))
		return;
	pcu->io_until = until;
	if (pcu->has_io)
		return;
	pcu->has_io = true;
	sim_at(pcu->power.socket->sim, until, look_at_io, pcu, 0);
	power_expect_news(&pcu->power);
}

/* Memory: its regulator runs with fewer phases from the second look on at which
 * nothing was under way, until one at which something is. */

static void look_at_memory(void *object, uint64_t unused)
{
	struct pcu *pcu = object;
	const struct ep_socket *own =
		&pcu->ep->sockets[pcu->power.socket->index];
	bool is_quiet = true;

	(void)unused;
	for (unsigned i = 0; i < pcu->ep->num_channels; i++)
		is_quiet &= imc_is_idle(own->imcs[i], pcu_now(pcu));
	sig_set(pcu->power.bank, SIG_PCU_MEMORY_PHASE_SHEDDING_CYCLES,
		is_quiet && pcu->was_quiet);
	pcu->was_quiet = is_quiet;
	power_after(&pcu->power, pcu->shed_cycles, look_at_memory);
}

/* Heat: a core goes to `ambient`, in C0 to `rise` above that at the nominal
 * clock and with its power at others; the cores' voltage regulator to
 * regulator_rise above it at the limit of the current, with the current's
 * square. */

static double end_of(const void *object, unsigned body)
{
	const struct pcu *pcu = object;
	const struct power *power = &pcu->power;
	double share = pcu_current(pcu) / pcu->current_limit;

	if (body == POWER_OTHER)
		return power->ambient + pcu->regulator_rise * share * share;
	if (power->cores[body].state != POWER_C0)
		return power->ambient;
	return power->ambient + power->rise * pcu->power_of[pcu->ratio];
}

static void alarm(void *object)
{
	const struct pcu *pcu = object;

	ubox_tell(pcu->ep, pcu->power.socket->index, UBOX_OTHER, pcu_now(pcu));
}

static void decide(void *object)
{
	pcu_decide(object);
}

/* Registers */

/* Each column command moves a line, whatever else is done for it. */
static double memory_joules(const struct pcu *pcu, double seconds)
{
	const struct ep_socket *own =
		&pcu->ep->sockets[pcu->power.socket->index];
	double joules = 0;

	for (unsigned i = 0; i < pcu->ep->num_channels; i++)
		joules +=
			pcu->memory_watts * seconds +
			pcu->column_joules * (double)imc_columns(own->imcs[i]);
	return joules;
}

static void read_energy(const struct pcu *pcu, double joules[POWER_NUM_PLACES])
{
	double seconds = (double)pcu_now(pcu) / (double)pcu->power.uncore_hz;

	joules[POWER_CORES] = pcu_joules(pcu);
	joules[POWER_PACKAGE] = joules[POWER_CORES] + pcu->rest_watts * seconds;
	joules[POWER_MEMORY] = memory_joules(pcu, seconds);
}

void pcu_read(struct pcu *pcu, unsigned index, struct power_reading *reading)
{
	power_read(&pcu->power, index, reading);
	reading->clock_hz = (double)pcu_hz(pcu, pcu->ratio);
	read_energy(pcu, reading->joules);
}

void pcu_clear_log(struct pcu *pcu, unsigned index, bool hot, bool forced)
{
	power_clear_log(&pcu->power, index, hot, forced);
}

/* Construction */

static void configure(struct pcu *pcu)
{
	const double *p = pcu->power.socket->param;

	pcu->is_ring_with_cores = p[PARAM_UNCORE_DOMAIN] == 0;
	pcu->rest_watts = p[PARAM_PCU_IDLE_POWER];
	pcu->memory_watts = p[PARAM_IMC_IDLE_POWER];
	pcu->column_joules = p[PARAM_IMC_LINE_ENERGY] * 1e-9;
	pcu->volt_cycles = (uint64_t)p[PARAM_PCU_VOLT_CYCLES];
	pcu->switch_cycles = (uint64_t)p[PARAM_PCU_SWITCH_CYCLES];
	pcu->step_cycles = (uint64_t)p[PARAM_PCU_STEP_CYCLES];
	pcu->idle_cycles = (uint64_t)p[PARAM_PCU_IDLE_CYCLES];
	pcu->shed_cycles = (uint64_t)p[PARAM_PCU_SHED_CYCLES];
	pcu->c3_cycles = (uint64_t)p[PARAM_PCU_C3_CYCLES];
	pcu->c6_cycles = (uint64_t)p[PARAM_PCU_C6_CYCLES];
	pcu->regulator_rise = p[PARAM_PCU_REGULATOR_RISE];
}

static void begin(struct pcu *pcu)
{
	sig_drives(pcu->power.bank, 0, pcu->power.bank->num_signals);
	sig_set(pcu->power.bank, SIG_PCU_CLOCKTICKS, 1);
	pcu_states_begin(pcu);
	pcu_set_clock(pcu);
	if (pcu->shed_cycles)
		power_after(&pcu->power, pcu->shed_cycles, look_at_memory);
	pcu->verdict = pcu_judge(pcu);
	show(pcu);
	power_expect_news(&pcu->power);
}

static const struct power_kind by_socket = {
	.end_of = end_of,
	.decide = decide,
	.alarm = alarm,
};

struct pcu *pcu_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family)
{
	struct pcu *pcu = calloc(1, sizeof(*pcu));
	struct socket *own = ep->sockets[socket].socket;

	if (!pcu)
		return NULL;
	pcu->ep = ep;
	power_init(&pcu->power, own, &by_socket, pcu,
		   socket_bank(own, family, "pcu", 0));
	power_add_body(&pcu->power, POWER_OTHER,
		       own->param[PARAM_PCU_REGULATOR_TAU_CYCLES]);
	power_add_sensor(&pcu->power, POWER_OTHER,
			 own->param[PARAM_PCU_REGULATOR_TARGET]);
	configure(pcu);
	pcu_limits_init(pcu);
	begin(pcu);
	return pcu;
}

void pcu_free(struct pcu *pcu)
{
	free(pcu);
}
