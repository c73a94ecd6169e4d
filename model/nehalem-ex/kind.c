/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * This kind of processor as cores, the machine and its checks know it, and what
 * its boxes are built with.
 */
#include "model/box/kind.h"
#include "base/text.h"

#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/memory.h"
#include "model/nehalem-ex/qpi_map.h"
#include "model/nehalem-ex/rest.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"
#include "model/nehalem-ex/wbox.h"
#include "model/nehalem-ex/wiring.h"
#include "signals.h"

/* Building */

static char *check(const struct socket *socket)
{
	struct mbox_config mbox;
	unsigned n = socket->num_sockets;
	const char *problem;

	if (n != 1 && n != 2 && n != 4 && n != 8)
		return text_format("%u sockets cannot be wired; 1, 2, 4 and 8 "
				   "can",
				   n);
	if (socket->num_cores % 2)
		return text_format("cores=%u: half of the cores belong to "
				   "each S-Box, so their number is even",
				   socket->num_cores);
	if (socket->param[PARAM_CORE_TELLS_CLEAN] > 0)
		return text_format("the LLC has all lines of the private "
				   "caches, which leave these silently while "
				   "they are clean: core.tells_clean is 0");
	problem = agent_config_check(socket);
	if (problem)
		return text_format("the S-Boxes cannot be built: %s", problem);
	mbox_configure(socket, &mbox);
	problem = mbox_config_check(&mbox);
	if (problem)
		return text_format("the memory cannot be built: %s", problem);
	return NULL;
}

static void configure_rbox(const struct socket *socket,
			   struct rbox_config *config)
{
	const double *p = socket->param;

	rbox_config_init(config);
	rbox_config_link(config, p[PARAM_QPI_RATE] * 1e9,
			 p[PARAM_UNCORE_CLOCK] * 1e6);
	config->link_latency_cycles = socket_param(socket, PARAM_QPI_LATENCY);
	config->pipeline_cycles = socket_param(socket, PARAM_RBOX_CYCLES);
	config->vna_flits = socket_param(socket, PARAM_RBOX_VNA);
	config->entry_table = socket_param(socket, PARAM_RBOX_ENTRY_TABLE);
	config->output_flits = socket_param(socket, PARAM_RBOX_OUTPUT_QUEUE);
	config->output_packets = socket_param(socket, PARAM_RBOX_OUTPUT_SLOTS);
	config->retry_flits = socket_param(socket, PARAM_RBOX_RETRY_QUEUE);
	config->starvation_cycles =
		socket_param(socket, PARAM_RBOX_STARVE_CYCLES);
	config->retry_limit = socket_param(socket, PARAM_QPI_RETRY_LIMIT);
	config->reset_cycles = socket_param(socket, PARAM_QPI_RESET_CYCLES);
	config->init_flits = socket_param(socket, PARAM_QPI_INIT_FLITS);
	config->idle_cycles = socket_param(socket, PARAM_QPI_IDLE_CYCLES);
	config->wake_cycles = socket_param(socket, PARAM_QPI_WAKE_CYCLES);
}

/* The R-Box has mended something on the link of a port. */
static void link_corrected(void *object, unsigned port)
{
	struct socket *socket = object;

	(void)port;
	system_error(socket->ex, socket->index, SYSTEM_CORRECTED);
}

/* An M-Box has found an error and dealt with it. */
static void memory_error(void *object, enum mbox_error error)
{
	struct socket *socket = object;

	system_error(socket->ex, socket->index,
		     error == MBOX_ERROR_CORRECTED ? SYSTEM_CORRECTED
						   : SYSTEM_UNCORRECTED);
}

/* How many indices (FVID) of the B-Box's table the sub-registers can name. */
static unsigned num_fvids(const struct uc_family *family)
{
	const struct uc_register *reg;
	const struct uc_field *field;
	unsigned box = 0;

	uc_box_find(family, "mbox", &box);
	reg = uc_register_of(family, box, 0, ROLE_FVC, 0);
	field = uc_field_find(reg->layout, "fvid");
	return 1u << (field->high - field->low + 1);
}

static void wire(struct socket *socket, const struct uc_family *family,
		 struct ex_wiring *wiring)
{
	configure_rbox(socket, &wiring->router);
	wiring->router.faults = &socket->faults;
	wiring->router.corrected = link_corrected;
	wiring->router.object = socket;
	wiring->router_bank = socket_bank(socket, family, "rbox", 0);
	wiring->system_bank = socket_bank(socket, family, "ubox", 0);
	wiring->power_bank = socket_bank(socket, family, "wbox", 0);
	mbox_configure(socket, &wiring->memory);
	wiring->memory.num_fvids = num_fvids(family);
	wiring->memory.faults = &socket->faults;
	wiring->memory.on_error = memory_error;
	wiring->memory.on_error_object = socket;
	for (unsigned side = 0; side < SOCKET_SIDES; side++) {
		wiring->agent_banks[side] = socket->sbox_banks[side];
		wiring->home_banks[side] =
			socket_bank(socket, family, "bbox", side);
		wiring->memory_banks[side] =
			socket_bank(socket, family, "mbox", side);
	}
}

/* With eight sockets all QPI ports join sockets. */
static unsigned num_hubs(const struct socket *socket)
{
	unsigned hubs = socket_param(socket, PARAM_IO_HUBS);

	if (socket->num_sockets > RBOX_MAX_SOCKETS / 2)
		return 0;
	return hubs < socket->num_sockets ? hubs : socket->num_sockets;
}

static void furnish(struct socket *socket, const struct uc_family *family)
{
	socket->num_hubs = num_hubs(socket);
	for (unsigned i = 0; i < socket->num_cores; i++)
		socket->cbox_banks[i] = socket_bank(socket, family, "cbox", i);
	for (unsigned side = 0; side < SOCKET_SIDES; side++)
		socket->sbox_banks[side] =
			socket_bank(socket, family, "sbox", side);
}

static struct wbox *power_of(const struct socket *socket)
{
	return socket->ex->sockets[socket->index].wbox;
}

static bool build(struct socket *const *sockets, const struct uc_family *family)
{
	struct ex_wiring wiring[EX_MAX_SOCKETS];
	unsigned num = sockets[0]->num_sockets;
	struct ex *ex;

	for (unsigned i = 0; i < num; i++) {
		furnish(sockets[i], family);
		wire(sockets[i], family, &wiring[i]);
	}
	ex = ex_new(sockets[0]->sim, sockets, num, wiring);
	for (unsigned i = 0; i < num; i++)
		sockets[i]->ex = ex;
	return ex;
}

static void take_apart(struct socket *const *sockets, unsigned num_sockets)
{
	if (num_sockets)
		ex_free(sockets[0]->ex);
}

static void start(struct socket *socket)
{
	struct hub *hub = socket->ex->sockets[socket->index].hub;

	if (hub)
		devices_start(&hub->devices);
}

static bool is_settled(const struct socket *any)
{
	return ex_is_settled(any->ex);
}

/* Before time stands. */
static bool is_over(const struct socket *any)
{
	return ex_is_over(any->ex);
}

/* What cores do */

static void begin(struct core *core, unsigned entry)
{
	const struct socket *socket = core->socket;

	if (core_is_special(core->misses[entry].kind))
		special_start(socket->ex, socket->index, core->index, entry);
	else
		access_start(core, entry);
}

static bool write_silently(struct core *core, uint64_t line)
{
	return access_write_silently(core->socket->ex, core->socket->index,
				     core->index, line);
}

static uint64_t data_from(struct core *core)
{
	return access_data_from(core->socket->ex, core->socket->index,
				core->index);
}

static void publish(const struct socket *any)
{
	struct ex *ex = any->ex;

	facts_publish(&ex->engine.facts);
	facts_renew(&ex->engine.facts, socket_num_changes(any));
}

static void set_quick(const struct socket *any, bool is_quick)
{
	any->ex->engine.is_quick = is_quick;
	publish(any);
}

/* Reads of the patrol scrubber. */
static void pass_cycles(const struct socket *any, uint64_t cycles)
{
	const struct ex *ex = any->ex;

	for (unsigned i = 0; i < ex->num_sockets; i++)
		for (unsigned side = 0; side < EX_SIDES; side++)
			memory_pass_cycles(ex->sockets[i].memories[side],
					   cycles);
}

/* What goes on by itself, or goes wrong now and then, is a matter of time. */
static const char *needs_detail(const struct socket *any)
{
	const struct ex *ex = any->ex;

	if (socket_param(any, PARAM_BBOX_MIRROR))
		return "memory is mirrored";
	for (unsigned i = 0; i < ex->num_sockets; i++) {
		const struct ex_socket *own = &ex->sockets[i];

		for (unsigned fault = 0; fault < FAULT_NUM; fault++)
			if (fault_is_active(&own->socket->faults, fault))
				return "faults are injected";
		if (own->hub && own->hub->devices.state != DEVICES_ENDED)
			return "devices have traffic";
	}
	return NULL;
}

static void machine_check(struct socket *socket, enum fault severity)
{
	static const enum system_error errors[] = {
		[FAULT_MC_RECOVERABLE] = SYSTEM_RECOVERABLE,
		[FAULT_MC_CORRECTED] = SYSTEM_CORRECTED,
		[FAULT_MC_UNCORRECTED] = SYSTEM_UNCORRECTED,
		[FAULT_MC_FATAL] = SYSTEM_FATAL,
	};

	system_error(socket->ex, socket->index, errors[severity]);
}

static void tell(const struct core *core, unsigned signal)
{
	sig_pulse(core->socket->cbox_banks[core->index], signal, 1);
}

/* No box sees it but by the accesses. */
static void moves_state(struct core *core, bool is_moving)
{
	(void)core, (void)is_moving;
}

/* From now on the ring stop answers snoops in the core's place. */
static void sleeps(struct core *core)
{
	tell(core, SIG_CBOX_SPOOF_ASSERT);
	sleep_tell_news(core->socket->ex, core->socket->index);
}

static void wakes(struct core *core)
{
	sleep_woken(core->socket->ex, core->socket->index);
	tell(core, SIG_CBOX_SPOOF_DEASSERT);
}

/* The guide's only special request that is not of this stop's core. */
static void is_told(struct core *core)
{
	tell(core, SIG_CBOX_SPL_NOT_CO);
}

static void power_state(struct core *core, enum power_state state)
{
	wbox_core_state(power_of(core->socket), core->index, state);
}

static void read_power(const struct core *core, struct power_reading *reading)
{
	wbox_read(power_of(core->socket), core->index, reading);
}

static void clear_power_log(const struct core *core, bool hot, bool forced)
{
	wbox_clear_log(power_of(core->socket), core->index, hot, forced);
}

/* For those who look */

static const char *check_dram(const struct socket *socket, unsigned *number)
{
	const char *wrong = NULL;

	for (*number = 0; *number < SOCKET_SIDES; ++*number) {
		wrong = memory_check(
			socket->ex->sockets[socket->index].memories[*number]);
		if (wrong)
			break;
	}
	return wrong;
}

static const char *check_rest(const struct socket *socket)
{
	return rest_check(socket->ex, socket->index);
}

static bool device(const struct socket *socket, uint64_t *latest,
		   uint64_t *line)
{
	const struct hub *hub = socket->ex->sockets[socket->index].hub;

	return hub && devices_any(&hub->devices, latest, line);
}

static int find_link(const struct socket *socket, unsigned qpi, unsigned *peer,
		     unsigned *peer_qpi)
{
	static const enum rbox_port ports[] = { RBOX_PORT_QPI0, RBOX_PORT_QPI1,
						RBOX_PORT_QPI2,
						RBOX_PORT_QPI3 };
	const unsigned num_ports = sizeof(ports) / sizeof(ports[0]);
	enum rbox_port port = RBOX_PORT_QPI0;
	int found;

	if (qpi >= num_ports)
		return UNCORE_LINK_NONE;
	found = qpi_peer(socket->num_sockets, socket->index, ports[qpi], &port);
	if (found >= 0) {
		*peer = (unsigned)found;
		for (unsigned i = 0; i < num_ports; i++)
			if (ports[i] == port)
				*peer_qpi = i;
		return UNCORE_LINK_SOCKET;
	}
	if (qpi != num_ports - 1 || socket->index >= socket->num_hubs)
		return UNCORE_LINK_NONE;
	*peer = socket->index;
	*peer_qpi = 0;
	return UNCORE_LINK_HUB;
}

/* What can go wrong */

#define AN_MBOX	  "an M-Box, 0 or 1"
#define A_PORT	  "a QPI port of the R-Box: 0, 1, 4 or 5"
#define A_CORE	  "a core of the socket, from 0"
#define MBOXES	  0x3
#define QPI_PORTS 0x33

static const struct fault_place faults[FAULT_NUM] = {
	[FAULT_SMI_CRC] = { AN_MBOX, MBOXES },
	[FAULT_ECC] = { AN_MBOX, MBOXES },
	[FAULT_ECC_FATAL] = { AN_MBOX, MBOXES },
	[FAULT_ADDRESS_PARITY] = { AN_MBOX, MBOXES },
	[FAULT_QPI_CRC] = { A_PORT, QPI_PORTS },
	[FAULT_POISON] = { "a C-Box of the socket, from 0",
			   .param = PARAM_CORES },
	[FAULT_SPARING] = { AN_MBOX, MBOXES },
	[FAULT_PBOX_RESET] = { A_PORT "; 8 or 9 for M-Box 0 or 1",
			       QPI_PORTS | MBOXES << 8 },
	[FAULT_HEAT] = { AN_MBOX, MBOXES },
	[FAULT_PROCHOT] = { "0, as there is one in a socket", 0x1 },
	[FAULT_MC_RECOVERABLE] = { A_CORE, .param = PARAM_CORES },
	[FAULT_MC_CORRECTED] = { A_CORE, .param = PARAM_CORES },
	[FAULT_MC_UNCORRECTED] = { A_CORE, .param = PARAM_CORES },
	[FAULT_MC_FATAL] = { A_CORE, .param = PARAM_CORES },
};

const struct kind nehalem_ex = {
	.name = "nehalem-ex",
	.faults = faults,
	.check = check,
	.build = build,
	.free = take_apart,
	.start = start,
	.is_settled = is_settled,
	.begin = begin,
	.write_silently = write_silently,
	.data_from = data_from,
	.set_quick = set_quick,
	.publish = publish,
	.pass_cycles = pass_cycles,
	.is_over = is_over,
	.needs_detail = needs_detail,
	.machine_check = machine_check,
	.moves_state = moves_state,
	.sleeps = sleeps,
	.wakes = wakes,
	.is_told = is_told,
	.power_state = power_state,
	.read_power = read_power,
	.clear_power_log = clear_power_log,
	.check_dram = check_dram,
	.check_rest = check_rest,
	.device = device,
	.link = find_link,
};
