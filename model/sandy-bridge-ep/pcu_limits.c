/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which frequency the cores should have. They have one clock and one voltage.
 *
 *   wish     what the operating system asks for; while all cores have been out
 *            of C0 for some time, the slowest
 *   floors   I/O at work, cores of the other socket at work: not below these
 *   limits   turbo bins, heat, power, current: not above these
 *
 * The voltage is a straight line through two points. A core in C0 draws power
 * as the frequency and the square of the voltage, the others draw none; the
 * rest of the package draws the same at any time. The current is that of the
 * cores.
 *
 * FREQ_MAX_* is the tightest upper limit (guide p. 84). The operating system is
 * it when it gets what it asks for; where a turbo bin is, or nobody is at work,
 * no event counts.
 */
#include <math.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/pcu_parts.h"

enum { MHZ_OF_RATIO = 100 };

/* By how many steps the fastest clock is slower with so many cores in C0, or
 * more. */
static const uint8_t bins[] = { 0, 0, 0, 2, 4, 4, 4, 5, 5 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned ratio_of(const struct pcu *pcu, enum param param)
{
	return (unsigned)lround(pcu->power.socket->param[param] / MHZ_OF_RATIO);
}

/* The nominal clock need not be a multiple. */
uint64_t pcu_hz(const struct pcu *pcu, unsigned ratio)
{
	return ratio == pcu->nominal ? pcu->power.nominal_hz
				     : ratio * UINT64_C(100000000);
}

static void set_ratios(struct pcu *pcu)
{
	const double *p = pcu->power.socket->param;

	pcu->nominal = ratio_of(pcu, PARAM_CORE_CLOCK);
	pcu->power.nominal_hz = (uint64_t)llround(p[PARAM_CORE_CLOCK] * 1e6);
	pcu->slow = least(ratio_of(pcu, PARAM_CORE_SLOW_CLOCK), pcu->nominal);
	pcu->top = most(ratio_of(pcu, PARAM_CORE_TURBO), pcu->nominal);
	pcu->os = p[PARAM_CORE_OS_LIMIT] > 0
			  ? least(most(ratio_of(pcu, PARAM_CORE_OS_LIMIT),
				       pcu->slow),
				  pcu->top)
			  : pcu->top;
	pcu->io = least(ratio_of(pcu, PARAM_PCU_IO_CLOCK), pcu->nominal);
	pcu->peers = least(ratio_of(pcu, PARAM_PCU_PEERS_CLOCK), pcu->os);
}

static void set_curves(struct pcu *pcu)
{
	const double *p = pcu->power.socket->param;
	double low = p[PARAM_PCU_SLOW_VOLTAGE], span;

	span = p[PARAM_PCU_VOLTAGE] - low;
	for (unsigned r = pcu->slow; r <= pcu->top; r++) {
		double at = (double)(r - pcu->slow), relative;

		pcu->volts[r] = low;
		if (pcu->nominal > pcu->slow)
			pcu->volts[r] += span * at / (pcu->nominal - pcu->slow);
		relative = pcu->volts[r] / p[PARAM_PCU_VOLTAGE];
		pcu->power_of[r] =
			(double)r / pcu->nominal * relative * relative;
	}
}

/* Of so many cores in C0. */
static double watts(const struct pcu *pcu, unsigned cores, unsigned ratio)
{
	return cores * pcu->core_watts * pcu->power_of[ratio];
}

static double amperes(const struct pcu *pcu, unsigned cores, unsigned ratio)
{
	return watts(pcu, cores, ratio) / pcu->volts[ratio];
}

/* The highest ratio at which a number of cores stay within both limits. */
static void set_most(struct pcu *pcu, unsigned cores)
{
	const double *p = pcu->power.socket->param;
	double rest = p[PARAM_PCU_POWER_LIMIT] - p[PARAM_PCU_IDLE_POWER];
	unsigned power = pcu->top, current = pcu->top, bin;

	while (power > pcu->slow && watts(pcu, cores, power) > rest)
		power--;
	while (current > pcu->slow &&
	       amperes(pcu, cores, current) > pcu->current_limit)
		current--;
	bin = bins[least(cores, sizeof(bins) - 1)];
	bin = most(pcu->top - least(bin, pcu->top), pcu->nominal);
	pcu->most[PCU_LIMIT_OS][cores] = pcu->top;
	pcu->most[PCU_LIMIT_THERMAL][cores] = pcu->top;
	pcu->most[PCU_LIMIT_POWER][cores] = power;
	pcu->most[PCU_LIMIT_CURRENT][cores] = current;
	pcu->most[PCU_LIMIT_OTHER][cores] = bin;
}

void pcu_limits_init(struct pcu *pcu)
{
	pcu->core_watts = pcu->power.socket->param[PARAM_PCU_CORE_POWER];
	pcu->current_limit = pcu->power.socket->param[PARAM_PCU_CURRENT_LIMIT];
	set_ratios(pcu);
	set_curves(pcu);
	for (unsigned cores = 0; cores <= pcu->ep->num_cores; cores++)
		set_most(pcu, cores);
	pcu->thermal = pcu->top;
	pcu->ratio = least(pcu->os, pcu->nominal);
}

double pcu_current(const struct pcu *pcu)
{
	return amperes(pcu, pcu->power.num_in[POWER_C0], pcu->ratio);
}

double pcu_joules(const struct pcu *pcu)
{
	return pcu->joules +
	       watts(pcu, pcu->power.num_in[POWER_C0], pcu->ratio) *
		       (double)(pcu_now(pcu) - pcu->charged) /
		       (double)pcu->power.uncore_hz;
}

void pcu_charge(struct pcu *pcu)
{
	pcu->joules = pcu_joules(pcu);
	pcu->charged = pcu_now(pcu);
}

static bool peers_work(const struct pcu *pcu)
{
	for (unsigned i = 0; i < pcu->ep->num_sockets; i++) {
		const struct pcu *other = pcu->ep->sockets[i].pcu;

		if (other && other != pcu && other->power.num_in[POWER_C0])
			return true;
	}
	return false;
}

static unsigned limit_of(const struct pcu *pcu, enum pcu_limit limit)
{
	if (limit == PCU_LIMIT_THERMAL)
		return pcu->power.is_forced ? pcu->slow : pcu->thermal;
	return pcu->most[limit][pcu->power.num_in[POWER_C0]];
}

/* Nobody is there to become faster while no core is in C0. */
static unsigned wish_of(const struct pcu *pcu)
{
	if (pcu->is_idle)
		return pcu->slow;
	return pcu->power.num_in[POWER_C0] ? pcu->os
					   : least(pcu->os, pcu->ratio);
}

struct pcu_verdict pcu_judge(const struct pcu *pcu)
{
	unsigned wish = wish_of(pcu);
	unsigned io = pcu->has_io ? pcu->io : 0;
	unsigned peers = peers_work(pcu) ? pcu->peers : 0;
	struct pcu_verdict verdict = { .ratio = most(wish, most(io, peers)),
				       .limit = PCU_LIMIT_OTHER };

	if (verdict.ratio == pcu->os && !pcu->is_idle)
		verdict.limit = PCU_LIMIT_OS;
	for (unsigned i = PCU_LIMIT_THERMAL; i <= PCU_LIMIT_OTHER; i++) {
		unsigned allowed = limit_of(pcu, (enum pcu_limit)i);

		if (allowed < verdict.ratio) {
			verdict.ratio = allowed;
			verdict.limit = (enum pcu_limit)i;
		}
	}
	verdict.for_io = io > wish && verdict.ratio > wish;
	verdict.for_peers = peers > wish && verdict.ratio > wish;
	return verdict;
}
