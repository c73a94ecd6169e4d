/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * This kind of processor as cores, the machine and its checks know it.
 */
#include "model/box/kind.h"
#include "base/text.h"

#include <string.h>

#include "model/sandy-bridge-ep/parts.h"

static struct ep_socket *own(const struct core *core)
{
	return &core->socket->ep->sockets[core->socket->index];
}

static char *check_rings(const struct socket *socket)
{
	const double *p = socket->param;

	if (p[PARAM_CORES] > p[PARAM_RING_CORES])
		return text_format("there are more cores than ring.cores has "
				   "places for");
	if (p[PARAM_RING_SECOND_CORES] >= p[PARAM_RING_CORES])
		return text_format("ring.second_cores leaves no cores for the "
				   "first ring");
	if (p[PARAM_RING_SECOND_CORES] > 0 && p[PARAM_HA_AGENTS] < 2)
		return text_format("each of two rings has a home agent "
				   "(ha.agents)");
	if (p[PARAM_HA_SNOOP] == HA_CLUSTERS &&
	    (p[PARAM_HA_AGENTS] != 2 || socket_param(socket, PARAM_CORES) % 2))
		return text_format("cluster on die (ha.snoop=cod) halves a "
				   "socket: two home agents (ha.agents), and "
				   "an even number of cores");
	if (p[PARAM_HA_UPI_PREFETCH] > 0)
		return text_format("the links of this kind ask for no lines "
				   "ahead (ha.upi_prefetch)");
	if (socket->param[PARAM_CORE_TELLS_CLEAN] > 0)
		return text_format("the LLC has all lines of the private "
				   "caches, which leave these silently while "
				   "they are clean: core.tells_clean is 0");
	return NULL;
}

static char *check(const struct socket *socket)
{
	const struct ep_kind *wiring = socket->kind->wiring;
	const double *p = socket->param;
	unsigned channels = socket_param(socket, PARAM_IMC_CHANNELS);
	unsigned agents = socket_param(socket, PARAM_HA_AGENTS);
	const char *problem;

	if (p[PARAM_UNCORE_CLOCK] < wiring->pcu_mhz ||
	    p[PARAM_UNCORE_CLOCK] < p[PARAM_QPI_RATE] * 1000 / 8 ||
	    p[PARAM_UNCORE_CLOCK] < 1000 / p[PARAM_DRAM_TCK])
		return text_format("uncore.clock is the fastest clock: not "
				   "slower than %u MHz (PCU), an eighth of "
				   "qpi.rate, or the memory's clock",
				   wiring->pcu_mhz);
	if (channels % agents)
		return text_format("imc.channels=%u has to be a multiple of "
				   "the %u memory controllers of a socket "
				   "(ha.agents)",
				   channels, agents);
	if (socket->num_sockets > 2 && p[PARAM_QPI_LINKS] < 2)
		return text_format("more than two sockets need two links "
				   "(qpi.links)");
	problem = imc_config_check(socket);
	if (problem)
		return text_format("the memory cannot be built: %s", problem);
	problem = qll_config_check(socket);
	if (problem)
		return text_format("the links cannot be built: %s", problem);
	return wiring->check(socket);
}

static bool build(struct socket *const *sockets, const struct uc_family *family)
{
	enum ha_mode mode = (enum ha_mode)sockets[0]->param[PARAM_HA_SNOOP];
	struct ep *ep;

	for (unsigned i = 0; i < sockets[0]->num_sockets; i++) {
		sockets[i]->num_nodes = 1 + (mode == HA_CLUSTERS);
		sockets[i]->num_clusters =
			1 + (sockets[i]->param[PARAM_SNC] > 1);
	}
	ep = ep_new(sockets, family, sockets[0]->kind->wiring);
	for (unsigned i = 0; i < sockets[0]->num_sockets; i++) {
		sockets[i]->ep = ep;
		sockets[i]->num_hubs = sockets[0]->num_sockets;
	}
	return ep;
}

static void take_apart(struct socket *const *sockets, unsigned num_sockets)
{
	if (num_sockets)
		ep_free(sockets[0]->ep);
}

static struct pmu_clock clock_of(const struct socket *socket, const char *name)
{
	const struct ep_kind *wiring = socket->kind->wiring;
	const double *p = socket->param;
	struct ep_clock clock = ep_clock(
		socket, !strcmp(name, "dclk")	 ? 1000 / p[PARAM_DRAM_TCK]
			: !strcmp(name, "qfclk") ? p[PARAM_QPI_RATE] * 1000 / 8
			: !strcmp(name, "ioclk") ? wiring->io_mhz
						 : wiring->pcu_mhz);

	return (struct pmu_clock){ (uint32_t)clock.num, (uint32_t)clock.den };
}

static void start(struct socket *socket)
{
	devices_start(&socket->ep->sockets[socket->index].iio->devices);
}

static bool is_settled(const struct socket *any)
{
	return ep_is_settled(any->ep);
}

static void write(const struct core *core, uint64_t line)
{
	struct ep *ep = core->socket->ep;

	ubox_is_written(ep, core->socket->index, ep_core_stop(ep, core->index),
			line, engine_now(&ep->engine));
}

static void begin(struct core *core, unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];
	struct ep *ep = core->socket->ep;

	if (ep->engine.is_quick) {
		ep->quick_cycle = sim_later(ep->quick_cycle, core->ready >> 16);
	} else if (core_is_special(miss->kind)) {
		ubox_begin(ep, core, entry);
		return;
	}
	if (miss->kind == UNCORE_ACCESS_OWN || core_streams(miss->kind))
		write(core, miss->line);
	if (ep->engine.is_quick && !miss->to_llc)
		cbo_begin_at_once(ep, core, entry);
	else
		cbo_go(ep, core, entry);
}

static bool write_silently(struct core *core, uint64_t line)
{
	bool is_written = cbo_write_silently(core, line);

	if (is_written)
		write(core, line);
	return is_written;
}

static const char *needs_detail(const struct socket *any)
{
	const struct ep *ep = any->ep;

	for (unsigned i = 0; i < ep->num_sockets; i++) {
		const struct ep_socket *own = &ep->sockets[i];

		for (unsigned fault = 0; fault < FAULT_NUM; fault++)
			if (fault_is_active(&own->socket->faults, fault))
				return "faults are injected";
		if (own->iio->devices.state != DEVICES_ENDED)
			return "devices have traffic";
	}
	return NULL;
}

static void publish(const struct socket *any)
{
	struct ep *ep = any->ep;

	facts_publish(&ep->engine.facts);
	facts_renew(&ep->engine.facts, socket_num_changes(any));
	ep->tells_flits = ep->engine.is_quick && qll_is_any_heard(ep);
}

static void set_quick(const struct socket *any, bool is_quick)
{
	struct ep *ep = any->ep;

	ep->engine.is_quick = is_quick;
	if (is_quick)
		ep->quick_cycle = engine_now(&ep->engine);
	publish(any);
	for (unsigned i = 0; !is_quick && i < ep->num_sockets; i++)
		for (unsigned n = 0; n < ep->num_channels; n++)
			imc_go_on(ep->sockets[i].imcs[n]);
}

static void machine_check(struct socket *socket, enum fault severity)
{
	ubox_tell(socket->ep, socket->index,
		  severity == FAULT_MC_CORRECTED ? UBOX_CORRECTED
						 : UBOX_UNCORRECTED,
		  sim_now(socket->sim));
}

static void sleeps(struct core *core)
{
	ubox_sleeps(core->socket->ep, core);
}

static void wakes(struct core *core)
{
	ubox_wakes(core->socket->ep, core);
}

static uint64_t data_from(struct core *core)
{
	return engine_now(&core->socket->ep->engine);
}

static void moves_state(struct core *core, bool is_moving)
{
	pcu_core_moves(own(core)->pcu, core->index, is_moving);
	if (is_moving && core->step == STEP_SAVE)
		ubox_dozes(core->socket->ep, core);
}

static void says_nothing(struct core *core)
{
	(void)core;
}

static void power_state(struct core *core, enum power_state state)
{
	pcu_core_state(own(core)->pcu, core->index, state);
}

static void read_power(const struct core *core, struct power_reading *reading)
{
	pcu_read(own(core)->pcu, core->index, reading);
}

static void clear_power_log(const struct core *core, bool hot, bool forced)
{
	pcu_clear_log(own(core)->pcu, core->index, hot, forced);
}

static const char *check_dram(const struct socket *socket, unsigned *number)
{
	const char *wrong = NULL;

	for (*number = 0; *number < socket->ep->num_channels; ++*number) {
		wrong = imc_check(
			socket->ep->sockets[socket->index].imcs[*number]);
		if (wrong)
			break;
	}
	return wrong;
}

static const char *check_rest(const struct socket *socket)
{
	const struct ep_socket *own = &socket->ep->sockets[socket->index];
	uint64_t now = engine_now(&socket->ep->engine);
	const char *wrong = iio_check_rest(own->iio, now);

	for (unsigned i = 0; !wrong && i < socket->ep->num_links; i++)
		wrong = qll_check_rest(own->qlls[i], now);
	return wrong;
}

static bool device(const struct socket *socket, uint64_t *latest,
		   uint64_t *line)
{
	return devices_any(&socket->ep->sockets[socket->index].iio->devices,
			   latest, line);
}

static int find_link(const struct socket *socket, unsigned qpi, unsigned *peer,
		     unsigned *peer_qpi)
{
	*peer = ep_far_end(socket->ep, socket->index, qpi);
	if (qpi < socket->ep->num_links && *peer < socket->num_sockets) {
		*peer_qpi = qpi;
		return UNCORE_LINK_SOCKET;
	}
	return UNCORE_LINK_NONE;
}

#define A_CHANNEL "a memory channel of the socket, from 0"
#define A_LINK	  "a QPI link, from 0"
#define A_CORE	  "a core of the socket, from 0"

static const struct fault_place faults[FAULT_NUM] = {
	[FAULT_ECC] = { A_CHANNEL, .param = PARAM_IMC_CHANNELS },
	[FAULT_QPI_CRC] = { A_LINK, .param = PARAM_QPI_LINKS },
	[FAULT_PBOX_RESET] = { A_LINK, .param = PARAM_QPI_LINKS },
	[FAULT_HEAT] = { A_CHANNEL, .param = PARAM_IMC_CHANNELS },
	[FAULT_PROCHOT] = { "0, as there is one in a socket", 0x1 },
	[FAULT_MC_RECOVERABLE] = { A_CORE, .param = PARAM_CORES },
	[FAULT_MC_CORRECTED] = { A_CORE, .param = PARAM_CORES },
	[FAULT_MC_UNCORRECTED] = { A_CORE, .param = PARAM_CORES },
	[FAULT_MC_FATAL] = { A_CORE, .param = PARAM_CORES },
};

static const struct ep_kind rings = {
	.check = check_rings,
	.slice = "cbo",
	.home = "ha",
	.link = "qpi",
	.link_stop = "r3qpi",
	.io = "r2pcie",
	.controller = 4,
	.pcu_mhz = 800,
	.flits = { .flits = 2, .cycles = 1, .data = 8, .group = 1 },
};

#define FUNCTIONS                                                              \
	.faults = faults, .check = check, .build = build, .free = take_apart,  \
	.clock = clock_of, .start = start, .is_settled = is_settled,           \
	.begin = begin, .write_silently = write_silently,                      \
	.data_from = data_from, .set_quick = set_quick, .publish = publish,    \
	.needs_detail = needs_detail, .machine_check = machine_check,          \
	.moves_state = moves_state, .sleeps = sleeps, .wakes = wakes,          \
	.is_told = says_nothing, .power_state = power_state,                   \
	.read_power = read_power, .clear_power_log = clear_power_log,          \
	.check_dram = check_dram, .check_rest = check_rest, .device = device,  \
	.link = find_link

const struct kind sandy_bridge_ep = {
	.name = "sandy-bridge-ep",
	.wiring = &rings,
	FUNCTIONS,
};

const struct kind skylake_sp = {
	.name = "skylake-sp",
	.wiring = &skx_kind,
	FUNCTIONS,
};
