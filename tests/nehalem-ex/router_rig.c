/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See router_rig.h.
 */
#include "router_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/pmu/tap.h"
#include "signals.h"
#include "sums.h"

enum { NUM_IDS = NUM_SIG_RBOX * RBOX_NUM_PORTS };

/* HOM, SNP, NDR, DRS, NCS, NCB */
static const uint8_t flits_of[PACKET_NUM_CLASSES] = { 1, 1, 1, 9, 3, 11 };
static const uint8_t codes_of[PACKET_NUM_CLASSES] = { MC_HOM0, MC_SNP, MC_NDR,
						      MC_DRS,  MC_NCS, MC_NCB };

unsigned rig_flits(unsigned cls)
{
	return flits_of[cls];
}

static void count_corrected(void *object, unsigned port)
{
	struct rig *rig = object;

	assert_true(port < RBOX_NUM_PORTS);
	rig->num_corrected++;
}

static void make_socket(struct rig *rig, unsigned socket, unsigned num_hubs)
{
	struct ex_socket *place = &rig->ex.sockets[socket];
	struct rbox_config config = rig->config;

	place->socket = calloc(1, sizeof(*place->socket));
	place->socket->num_hubs = num_hubs;
	rig->faults[socket] =
		(struct faults){ .plan = &rig->plan, .socket = socket };
	config.faults = &rig->faults[socket];
	config.corrected = count_corrected;
	config.object = rig;
	rig->banks[socket] = tap_bank_new(rig->ex.engine.sim, NUM_IDS);
	place->router =
		router_new(&rig->ex, socket, &config, rig->banks[socket]);
	assert_non_null(place->router);
}

struct rig *rig_new(unsigned num_sockets, unsigned num_hubs,
		    const struct rbox_config *config, const char *fault)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->config = *config;
	rig->random = 88172645463325252u;
	rig->ex.engine.sim = sim_new();
	rig->ex.num_sockets = num_sockets;
	fault_plan_init(&rig->plan, 1);
	if (fault)
		assert_null(fault_plan_add(&rig->plan, fault));
	for (unsigned socket = 0; socket < num_sockets; socket++)
		make_socket(rig, socket, num_hubs);
	return rig;
}

void rig_free(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->ex.num_sockets; socket++) {
		router_free(rig->ex.sockets[socket].router);
		free(rig->ex.sockets[socket].socket);
		tap_bank_free(rig->banks[socket]);
	}
	sim_free(rig->ex.engine.sim);
	free(rig);
}

enum rbox_port rig_port(unsigned node)
{
	static const enum rbox_port ports[] = {
		RBOX_PORT_SBOX0,
		RBOX_PORT_BBOX0,
		RBOX_PORT_SBOX1,
		RBOX_PORT_BBOX1,
	};

	return NODE_IS_IOH(node) ? RBOX_PORT_QPI3 : ports[node % 4];
}

struct packet rig_packet(unsigned from, unsigned to, unsigned cls)
{
	return (struct packet){
		.cls = (uint8_t)cls,
		.mc = codes_of[cls],
		.flits = flits_of[cls],
		.source = (uint8_t)from,
		.dest = (uint8_t)to,
	};
}

struct router_ride rig_send(struct rig *rig, unsigned from, unsigned to,
			    unsigned cls, uint64_t ready, uint64_t room)
{
	struct packet packet = rig_packet(from, to, cls);

	return router_carry(&rig->ex, NODE_AT(from), rig_port(from), &packet,
			    ready, room);
}

void rig_run(struct rig *rig, uint64_t until)
{
	sim_run_until(rig->ex.engine.sim, until);
}

unsigned rig_below(struct rig *rig, unsigned limit)
{
	rig->random ^= rig->random << 13;
	rig->random ^= rig->random >> 7;
	rig->random ^= rig->random << 17;
	return (unsigned)(rig->random >> 20) % limit;
}

void rig_listen_to(struct sigbank *bank)
{
	for (unsigned id = 0; id < NUM_IDS; id++)
		assert_true(sums_keep(bank, id));
}

uint64_t rig_total(struct sigbank *bank, unsigned id)
{
	return sums_total(bank, id);
}

uint64_t rig_cycles(struct sigbank *bank, unsigned id)
{
	return sums_busy(bank, id);
}

void rig_listen(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->ex.num_sockets; socket++)
		rig_listen_to(rig->banks[socket]);
}

uint64_t rig_sum(struct rig *rig, unsigned socket, unsigned signal,
		 unsigned port)
{
	return rig_total(rig->banks[socket], signal * RBOX_NUM_PORTS + port);
}

uint64_t rig_busy(struct rig *rig, unsigned socket, unsigned signal,
		  unsigned port)
{
	return rig_cycles(rig->banks[socket], signal * RBOX_NUM_PORTS + port);
}

uint64_t rig_sum_all(struct rig *rig, unsigned first, unsigned num)
{
	uint64_t sum = 0;

	for (unsigned socket = 0; socket < rig->ex.num_sockets; socket++)
		for (unsigned i = 0; i < num * RBOX_NUM_PORTS; i++)
			sum += rig_sum(rig, socket, first + i / RBOX_NUM_PORTS,
				       i % RBOX_NUM_PORTS);
	return sum;
}
