/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Wiring of a socket, and the two address maps that all boxes share: which
 * socket's memory a line is in (contiguous ranges), and which of its two home
 * agents (neighbouring lines alternate, upper bits stir).
 */
#include "model/box/socket.h"

#include <string.h>

#include "model/nehalem-ex/wiring.h"
#include "signals.h"

static unsigned cbox_stop(const struct socket *socket, unsigned cbox)
{
	unsigned half = socket->num_cores / 2;
	unsigned side = socket_side(socket, cbox);
	unsigned place = socket_place(socket, cbox);

	/* the S-Box of a side stands after the first half of its C-Boxes */
	return side * (half + 1) + place + (place >= half / 2);
}

unsigned socket_sbox_stop(const struct socket *socket, unsigned side)
{
	unsigned half = socket->num_cores / 2;

	return side * (half + 1) + half / 2;
}

unsigned socket_home(const struct socket *socket, uint64_t line,
		     uint64_t *local)
{
	uint64_t place, stir;
	unsigned index;

	index = (unsigned)(line / socket->memory_lines);
	place = line - index * socket->memory_lines;
	index %= socket->num_sockets;
	if (socket->param[PARAM_MEMORY_CONTROLLERS] < 2) {
		*local = place;
		return NODE_BBOX(index, 0);
	}
	stir = place ^ place >> 3 ^ place >> 8 ^ place >> 14 ^ place >> 21;
	*local = place >> 1;
	return NODE_BBOX(index, stir & 1);
}

void socket_configure_rbox(const struct socket *socket,
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
	ubox_error(socket->ubox, UBOX_CORRECTED);
}

/* An M-Box has found an error and dealt with it. */
static void memory_error(void *object, enum mbox_error error)
{
	struct socket *socket = object;

	ubox_error(socket->ubox, error == MBOX_ERROR_CORRECTED
					 ? UBOX_CORRECTED
					 : UBOX_UNCORRECTED);
}

static struct sigbank *bank_of(struct socket *socket,
			       const struct uc_family *family,
			       enum uc_box_type type, unsigned instance)
{
	int box = uc_box_of_type(family, type);

	return pmu_bank(socket->pmu, (unsigned)box, instance);
}

/* How many indices (FVID) of the B-Box's table the sub-registers can name. */
static unsigned num_fvids(const struct uc_family *family)
{
	int box = uc_box_of_type(family, UC_BOX_M);
	const struct uc_register *reg =
		uc_register_of(family, (unsigned)box, 0, UC_ROLE_FVC, 0);
	const struct uc_field *field = uc_field_find(reg->layout, "fvid");

	return 1u << (field->high - field->low + 1);
}

static int init_memory(struct socket *socket, const struct uc_family *family)
{
	struct mbox_config config;

	socket_configure_mbox(socket, &config);
	config.num_fvids = num_fvids(family);
	config.faults = &socket->faults;
	config.on_error = memory_error;
	config.on_error_object = socket;
	for (unsigned side = 0; side < SOCKET_SIDES; side++) {
		config.instance = side;
		socket->mboxes[side] = mbox_new(
			socket->sim, bank_of(socket, family, UC_BOX_M, side),
			&config);
		if (!socket->mboxes[side])
			return -1;
	}
	return 0;
}

static int init_ring_agents(struct socket *socket,
			    const struct uc_family *family)
{
	for (unsigned i = 0; i < socket->num_cores; i++) {
		struct sigbank *bank = bank_of(socket, family, UC_BOX_C, i);
		unsigned stop = cbox_stop(socket, i);

		if (cbox_init(&socket->cboxes[i], socket, i, stop, bank) ||
		    core_init(&socket->cores[i], socket, i, stop, bank))
			return -1;
	}
	for (unsigned side = 0; side < SOCKET_SIDES; side++)
		if (sbox_init(&socket->sboxes[side], socket, side,
			      socket_sbox_stop(socket, side),
			      bank_of(socket, family, UC_BOX_S, side)))
			return -1;
	return 0;
}

static int init_system_agents(struct socket *socket,
			      const struct uc_family *family)
{
	unsigned hubs = socket_param(socket, PARAM_IO_HUBS);

	/* with eight sockets all QPI ports join sockets */
	if (socket->num_sockets <= RBOX_MAX_SOCKETS / 2)
		socket->num_hubs = hubs < socket->num_sockets
					   ? hubs
					   : socket->num_sockets;
	socket->ubox = ubox_new(socket, bank_of(socket, family, UC_BOX_U, 0));
	socket->wbox = wbox_new(socket, bank_of(socket, family, UC_BOX_W, 0));
	if (socket->index < socket->num_hubs) {
		socket->ioh = ioh_new(socket);
		if (!socket->ioh)
			return -1;
	}
	return socket->ubox && socket->wbox ? 0 : -1;
}

void socket_wire(struct socket *socket, const struct uc_family *family,
		 struct ex_wiring *wiring)
{
	socket_configure_rbox(socket, &wiring->router);
	wiring->router.faults = &socket->faults;
	wiring->router.corrected = link_corrected;
	wiring->router.object = socket;
	wiring->router_bank = bank_of(socket, family, UC_BOX_R, 0);
	wiring->system_bank = bank_of(socket, family, UC_BOX_U, 0);
	socket_configure_mbox(socket, &wiring->memory);
	wiring->memory.num_fvids = num_fvids(family);
	wiring->memory.faults = &socket->faults;
	wiring->memory.on_error = memory_error;
	wiring->memory.on_error_object = socket;
	for (unsigned side = 0; side < SOCKET_SIDES; side++) {
		wiring->agent_banks[side] =
			bank_of(socket, family, UC_BOX_S, side);
		wiring->home_banks[side] =
			bank_of(socket, family, UC_BOX_B, side);
		wiring->memory_banks[side] =
			bank_of(socket, family, UC_BOX_M, side);
	}
}

int socket_init(struct socket *socket, const struct uc_family *family)
{
	struct rbox_config config;

	ring_init(&socket->ring, socket->num_cores + SOCKET_SIDES);
	socket_configure_rbox(socket, &config);
	config.faults = &socket->faults;
	config.corrected = link_corrected;
	config.object = socket;
	socket->rbox =
		rbox_new(socket->sim, bank_of(socket, family, UC_BOX_R, 0),
			 &config, socket->index, socket->num_sockets);
	if (!socket->rbox ||
	    (!socket->has_journeys && init_memory(socket, family)) ||
	    init_ring_agents(socket, family))
		return -1;
	for (unsigned side = 0; !socket->has_journeys && side < SOCKET_SIDES;
	     side++)
		if (bbox_init(&socket->bboxes[side], socket, side,
			      bank_of(socket, family, UC_BOX_B, side)))
			return -1;
	return init_system_agents(socket, family);
}

void socket_fini(struct socket *socket)
{
	for (unsigned i = 0; i < socket->num_cores; i++) {
		core_fini(&socket->cores[i]);
		cbox_fini(&socket->cboxes[i]);
	}
	for (unsigned side = 0; side < SOCKET_SIDES; side++) {
		sbox_fini(&socket->sboxes[side]);
		bbox_fini(&socket->bboxes[side]);
		mbox_free(socket->mboxes[side]);
	}
	ubox_free(socket->ubox);
	wbox_free(socket->wbox);
	ioh_free(socket->ioh);
	ring_fini(&socket->ring);
	packet_pool_fini(&socket->packets);
}

bool socket_is_idle(const struct socket *socket)
{
	return !socket->num_live && socket_is_settled(socket);
}

bool socket_is_settled(const struct socket *socket)
{
	if (socket->ex)
		return ex_is_settled(socket->ex);
	for (unsigned i = 0; i < socket->num_cores; i++)
		if (!core_is_settled(&socket->cores[i]) ||
		    !cbox_is_idle(&socket->cboxes[i]))
			return false;
	for (unsigned side = 0; side < SOCKET_SIDES; side++)
		if (!sbox_is_idle(&socket->sboxes[side]) ||
		    !bbox_is_idle(&socket->bboxes[side]) ||
		    !mbox_idle(socket->mboxes[side]))
			return false;
	return ubox_is_idle(socket->ubox) &&
	       (!socket->ioh || ioh_is_idle(socket->ioh)) &&
	       rbox_is_idle(socket->rbox);
}
