/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A memory channel as a whole, which takes the home agent's requests. The guide
 * says of the queues that a request allocates soon after it enters and
 * deallocates when its column command has been issued (p. 70, 71), and that
 * reads and writes first look into WPQ for a write of their line.
 */
#include "model/sandy-bridge-ep/imc_parts.h"

#include <stdlib.h>

static void settle(void *object)
{
	struct imc *imc = object;

	imc_enter(imc, engine_now(&imc->ep->engine));
}

static void tapped(void *object, unsigned id)
{
	struct imc *imc = object;

	(void)id;
	mc_listen(&imc->mc);
}

static uint64_t cycle_of(const struct mc *mc, uint64_t clock)
{
	return imc_cycle(mc->owner, clock);
}

static void enter(struct mc *mc, uint64_t cycle)
{
	imc_enter(mc->owner, cycle);
}

static const struct mc_step power_down[] = { { DRAM_CKEL, MC_CKE }, { 0 } };
static const struct mc_step power_up[] = { { DRAM_CKEH, MC_XP }, { 0 } };

static const struct mc_kind imc_kind = {
	.power_down = power_down,
	.power_up = power_up,
	.cycle = cycle_of,
	.enter = enter,
	.tell = imc_tell_command,
	.tell_past = imc_tell_past,
	.next = imc_heat_next,
	.work_off = imc_heat_look,
	.open = imc_open,
};

static void start(struct imc *imc)
{
	struct sigbank *bank = imc->signals;

	sig_drives(bank, 0, bank->num_signals);
	sig_set(bank, SIG_IMC_CLOCKTICKS, 1);
	sig_set(bank, SIG_IMC_MAJOR_MODES_READ, 1);
	imc->look_cycle = SIM_NEVER;
	places_init(&imc->rpq, IMC_RPQ);
	places_init(&imc->wpq, IMC_WPQ);
	imc_tell_start(imc);
	imc_heat_start(imc);
	mc_start(&imc->mc);
	bank->settle = settle;
	bank->on_tap = tapped;
	bank->settle_object = bank->on_tap_object = imc;
}

/* Faults are drawn for all channels in the order of time. */
static bool has_faults(const struct imc *imc)
{
	return fault_is_active(&imc->socket->faults, FAULT_ECC) ||
	       fault_is_active(&imc->socket->faults, FAULT_HEAT);
}

struct imc *imc_new_on(struct ep *ep, unsigned socket, unsigned channel,
		       struct sigbank *bank)
{
	struct imc *imc = calloc(1, sizeof(*imc));

	if (!imc)
		return NULL;
	imc->ep = ep;
	imc->socket = ep->sockets[socket].socket;
	imc->signals = bank;
	imc->number = channel;
	imc->rate = ep_clock(imc->socket,
			     1000 / imc->socket->param[PARAM_DRAM_TCK]);
	imc_configure(imc->socket, &imc->config);
	imc->mc = (struct mc){
		.kind = &imc_kind,
		.owner = imc,
		.sim = ep->engine.sim,
		.signals = bank,
		.is_timely = has_faults(imc),
		.is_closed = imc->config.pages == IMC_PAGES_CLOSED,
		.config = imc->config.mc,
	};
	imc->visits = imc_visits(bank);
	if (!mc_init(&imc->mc) || !imc->visits) {
		imc_free(imc);
		return NULL;
	}
	start(imc);
	return imc;
}

struct imc *imc_new(struct ep *ep, unsigned socket, unsigned channel,
		    const struct uc_family *family)
{
	unsigned box = ep_controller(ep, channel) * ep->kind->controller +
		       ep_own_channel(ep, channel);

	return imc_new_on(
		ep, socket, channel,
		socket_bank(ep->sockets[socket].socket, family, "imc", box));
}

void imc_free(struct imc *imc)
{
	if (!imc)
		return;
	mc_fini(&imc->mc);
	free(imc);
}

int imc_trace(struct imc *imc, dram_trace_fn *fn, void *object)
{
	return mc_trace(&imc->mc, fn, object);
}

const char *imc_check(const struct imc *imc)
{
	return mc_check(&imc->mc);
}

bool imc_is_idle(const struct imc *imc, uint64_t now)
{
	return !imc->num_waiting && !imc->num_reads && imc->busy_until <= now;
}

void imc_enter(struct imc *imc, uint64_t now)
{
	uint64_t clock = imc->mc.present;

	if (now != imc->now) {
		clock = ep_to_clock(imc->rate, now);
		imc->now = now;
		imc->now_from = clock + (imc_cycle(imc, clock) < now);
	}
	mc_enter(&imc->mc, clock);
}

uint64_t imc_read_from(struct imc *imc, uint64_t at)
{
	uint64_t clock = imc_clock(imc, at), from;

	imc_enter(imc, engine_now(&imc->ep->engine));
	while ((from = places_from(&imc->rpq, imc->now_from, clock)) ==
	       PLACES_NEVER)
		imc_choose(imc);
	return from == clock ? at : imc_cycle(imc, from);
}

uint64_t imc_write_from(struct imc *imc, uint64_t at)
{
	uint64_t clock = imc_clock(imc, at), from;

	imc_enter(imc, engine_now(&imc->ep->engine));
	from = places_from(&imc->wpq, imc->now_from, clock);
	if (from == clock)
		return at;
	return from == PLACES_NEVER ? SIM_NEVER : imc_cycle(imc, from);
}

struct imc_txn imc_txn(const struct imc *imc, enum imc_request kind,
		       uint64_t local, uint64_t at)
{
	return (struct imc_txn){
		.dram = mc_txn(&imc->mc, local, kind >= IMC_WRITE,
			       imc_clock(imc, at)),
		.kind = (uint8_t)kind,
	};
}

uint64_t imc_pass(struct imc *imc, enum imc_request kind, uint64_t local,
		  uint64_t at)
{
	struct dram_place place;

	if (kind >= IMC_WRITE)
		local = imc_write_pass(imc, local);
	if (imc->config.pages != IMC_PAGES_CLOSED) {
		place = dram_place_of(&imc->mc.map, local);
		imc->mc.banks->banks[place.bank].row = place.row;
		imc->pages[place.bank].passed = imc->ep->quick_cycle;
		imc->passed[place.bank / 64] |= UINT64_C(1) << place.bank % 64;
	}
	facts_begin_apart(&imc->ep->engine.facts);
	imc_tell_pass(imc, kind);
	facts_end_apart(&imc->ep->engine.facts);
	return at;
}

/* Nobody has to wait for a request longer than until this clock. */
uint64_t imc_done(struct imc *imc, uint64_t clock)
{
	uint64_t cycle = imc_cycle(imc, clock);

	imc->busy_until = sim_later(imc->busy_until, cycle);
	return cycle;
}

/* A write of the line is in WPQ: its place there; -1: none. */
int imc_find_write(const struct imc *imc, uint64_t local, uint64_t entry)
{
	uint64_t found = lines_find(&imc->lines, local, entry);

	return found ? __builtin_ctzll(found) : -1;
}
