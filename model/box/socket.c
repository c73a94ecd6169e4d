/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Wiring of a socket, and the two address maps that all boxes share: which
 * socket's memory a line is in (contiguous ranges), and which of its two home
 * agents (neighbouring lines alternate, upper bits stir; or the slice decides).
 */
#include "model/box/socket.h"

#include <string.h>

#include "model/nehalem-ex/system.h"
#include "model/nehalem-ex/wiring.h"
#include "signals.h"

unsigned socket_cbox_stop(const struct socket *socket, unsigned cbox)
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

static bool is_hemisphere(const struct socket *socket)
{
	return socket->param[PARAM_MEMORY_HEMISPHERE] > 0 &&
	       socket->param[PARAM_MEMORY_CONTROLLERS] > 1 &&
	       socket->param[PARAM_BBOX_MIRROR] < 1;
}

/* Of as many lines in a row as there are slices each slice has one: so half of
 * them are on either side. Where such a row lies across two sockets' memories
 * there may be a line too many, which shares the place of the first one. */
static unsigned home_of_side(const struct socket *socket, uint64_t line,
			     uint64_t before, unsigned index, uint64_t *local)
{
	unsigned slice = socket_slice(socket, line), n = socket->num_cores;

	*local =
		(line / n - before / n) * (n / 2) + socket_place(socket, slice);
	*local %= socket->memory_lines / 2;
	return NODE_BBOX(index, socket_side(socket, slice));
}

unsigned socket_home(const struct socket *socket, uint64_t line,
		     uint64_t *local)
{
	uint64_t place = line, stir;
	unsigned index = 0;

	if (line >= socket->num_sockets * socket->memory_lines)
		place = line % (socket->num_sockets * socket->memory_lines);
	for (; place >= socket->memory_lines; index++)
		place -= socket->memory_lines;
	if (is_hemisphere(socket))
		return home_of_side(socket, line, line - place, index, local);
	if (socket->param[PARAM_MEMORY_CONTROLLERS] < 2) {
		*local = place;
		return NODE_BBOX(index, 0);
	}
	stir = place ^ place >> 3 ^ place >> 8 ^ place >> 14 ^ place >> 21;
	*local = place >> 1;
	return NODE_BBOX(index, stir & 1);
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

static struct sigbank *bank_of(struct socket *socket,
			       const struct uc_family *family, const char *name,
			       unsigned instance)
{
	unsigned box = 0;

	uc_box_find(family, name, &box);
	return pmu_bank(socket->pmu, box, instance);
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

void socket_wire(struct socket *socket, const struct uc_family *family,
		 struct ex_wiring *wiring)
{
	configure_rbox(socket, &wiring->router);
	wiring->router.faults = &socket->faults;
	wiring->router.corrected = link_corrected;
	wiring->router.object = socket;
	wiring->router_bank = bank_of(socket, family, "rbox", 0);
	wiring->system_bank = bank_of(socket, family, "ubox", 0);
	socket_configure_mbox(socket, &wiring->memory);
	wiring->memory.num_fvids = num_fvids(family);
	wiring->memory.faults = &socket->faults;
	wiring->memory.on_error = memory_error;
	wiring->memory.on_error_object = socket;
	for (unsigned side = 0; side < SOCKET_SIDES; side++) {
		wiring->agent_banks[side] = socket->sbox_banks[side];
		wiring->home_banks[side] =
			bank_of(socket, family, "bbox", side);
		wiring->memory_banks[side] =
			bank_of(socket, family, "mbox", side);
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

int socket_init(struct socket *socket, const struct uc_family *family)
{
	socket->num_hubs = num_hubs(socket);
	for (unsigned i = 0; i < socket->num_cores; i++) {
		struct sigbank *bank = bank_of(socket, family, "cbox", i);

		socket->cbox_banks[i] = bank;
		core_init(&socket->cores[i], socket, i, bank);
	}
	for (unsigned side = 0; side < SOCKET_SIDES; side++)
		socket->sbox_banks[side] =
			bank_of(socket, family, "sbox", side);
	socket->wbox = wbox_new(socket, bank_of(socket, family, "wbox", 0));
	return socket->wbox ? 0 : -1;
}

void socket_fini(struct socket *socket)
{
	wbox_free(socket->wbox);
}
