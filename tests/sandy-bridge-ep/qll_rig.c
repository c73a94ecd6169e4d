/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See qll_rig.h.
 */
#include "qll_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../nehalem-ex/sums.h"

struct qll_rig rig;

void rig_defaults(void)
{
	const struct machine *machine = machines;

	while (strcmp(machine->name, "xeon-e5-2600"))
		machine++;
	memset(&rig, 0, sizeof(rig));
	for (unsigned i = 0; i < NUM_PARAMS; i++)
		rig.param[i] = machine->params[i].value;
	rig.param[PARAM_UNCORE_CLOCK] = 1000;
	rig.param[PARAM_QPI_LATENCY] = 15;
	rig.param[PARAM_QLL_HALF_AFTER] = 0;
	rig.kind.flits = (struct ep_flits){ 2, 1, 8, 1 };
	rig.random = 88172645463325252u;
}

static void listen(struct sigbank *bank, unsigned num)
{
	for (unsigned id = 0; id < num; id++)
		assert_true(sums_keep(bank, id));
}

static void make_link(unsigned socket, unsigned link)
{
	unsigned num = FIRST_SIG_UPI + NUM_SIG_UPI;
	struct sigbank *qpi = tap_bank_new(rig.ep.engine.sim, num);
	struct sigbank *r3qpi = tap_bank_new(rig.ep.engine.sim, NUM_SIG_R3QPI);

	rig.qpi[socket][link] = qpi;
	rig.r3qpi[socket][link] = r3qpi;
	listen(qpi, num);
	listen(r3qpi, NUM_SIG_R3QPI);
	rig.ep.sockets[socket].qlls[link] =
		qll_new_on(&rig.ep, socket, link, qpi, r3qpi);
	assert_non_null(rig.ep.sockets[socket].qlls[link]);
}

void rig_start(unsigned num_sockets, const char *faults)
{
	rig.ep.engine.sim = sim_new();
	rig.ep.kind = &rig.kind;
	rig.ep.num_sockets = num_sockets;
	rig.ep.num_links = RIG_LINKS;
	fault_plan_init(&rig.plan, 1);
	if (faults)
		assert_null(fault_plan_add(&rig.plan, faults));
	for (unsigned socket = 0; socket < num_sockets; socket++) {
		struct socket *place = &rig.sockets[socket];

		place->sim = rig.ep.engine.sim;
		place->param = rig.param;
		place->index = socket;
		place->num_sockets = num_sockets;
		place->faults = (struct faults){ .plan = &rig.plan,
						 .sim = rig.ep.engine.sim,
						 .socket = socket };
		rig.ep.sockets[socket].socket = place;
		for (unsigned link = 0; link < RIG_LINKS; link++)
			make_link(socket, link);
	}
	assert_null(qll_config_check(&rig.sockets[0]));
}

void rig_stop(void)
{
	for (unsigned socket = 0; socket < rig.ep.num_sockets; socket++)
		for (unsigned link = 0; link < RIG_LINKS; link++) {
			qll_free(rig.ep.sockets[socket].qlls[link]);
			tap_bank_free(rig.qpi[socket][link]);
			tap_bank_free(rig.r3qpi[socket][link]);
		}
	sim_free(rig.ep.engine.sim);
}

void rig_run_to(uint64_t cycle)
{
	sim_run_until(rig.ep.engine.sim, cycle);
}

unsigned rig_below(unsigned limit)
{
	rig.random ^= rig.random << 13;
	rig.random ^= rig.random >> 7;
	rig.random ^= rig.random << 17;
	return (unsigned)(rig.random >> 20) % limit;
}

struct packet rig_packet(enum packet_class cls, uint64_t line)
{
	static const struct packet kinds[PACKET_NUM_CLASSES] = {
		[PACKET_HOM] = { .mc = MC_HOM0, .flits = 1 },
		[PACKET_SNP] = { .mc = MC_SNP, .flits = 1 },
		[PACKET_NDR] = { .mc = MC_NDR, .flits = 1 },
		[PACKET_DRS] = { .mc = MC_DRS, .flits = 9 },
		[PACKET_NCS] = { .mc = MC_NCS, .flits = 3 },
		[PACKET_NCB] = { .mc = MC_NCB, .flits = 11 },
	};
	struct packet packet = kinds[cls];

	packet.cls = (uint8_t)cls;
	packet.line = line;
	return packet;
}

void rig_leaves(unsigned socket, uint64_t line, enum packet_class cls,
		uint64_t arrived, uint64_t injected)
{
	const struct ring_ride ride = { .injected = injected };

	qll_leaves(&rig.ep, socket, qll_of(&rig.ep, line), line, cls, arrived,
		   &ride);
}

struct qll_trip rig_send(unsigned socket, struct packet packet, uint64_t at)
{
	unsigned link = qll_of(&rig.ep, packet.line);
	struct qll_trip trip =
		qll_send(&rig.ep, socket, link, &packet, at, true);

	rig_leaves(!socket, packet.line, packet.cls, trip.arrived,
		   trip.arrived);
	return trip;
}

uint64_t rig_qpi(unsigned socket, unsigned id)
{
	return sums_total(rig.qpi[socket][0], id);
}

uint64_t rig_r3(unsigned socket, unsigned id)
{
	return sums_total(rig.r3qpi[socket][0], id);
}

uint64_t rig_qpi_busy(unsigned socket, unsigned id)
{
	return sums_busy(rig.qpi[socket][0], id);
}

uint64_t rig_r3_busy(unsigned socket, unsigned id)
{
	return sums_busy(rig.r3qpi[socket][0], id);
}

int64_t rig_qpi_last(unsigned socket, unsigned id)
{
	struct tap_wish wish = sums_wish(id, false);

	tap_look(rig.qpi[socket][0]);
	return tap_sums(rig.qpi[socket][0], &wish).last;
}

uint64_t rig_qpi_all(unsigned socket, const unsigned *ids, unsigned num)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < num; i++)
		sum += rig_qpi(socket, ids[i]);
	return sum;
}

uint64_t rig_sum(struct sigbank *bank, unsigned first, unsigned num)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < num; i++)
		sum += sums_total(bank, first + i);
	return sum;
}
