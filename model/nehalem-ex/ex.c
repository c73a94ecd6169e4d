/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The wiring of a machine: which boxes its sockets have.
 */
#include "model/nehalem-ex/ex.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/home.h"
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/memory.h"
#include "model/nehalem-ex/out.h"
#include "model/nehalem-ex/quick.h"
#include "model/nehalem-ex/router.h"
#include "model/nehalem-ex/system.h"
#include "model/nehalem-ex/wbox.h"
#include "model/nehalem-ex/wiring.h"

static bool build(struct ex *ex, unsigned index, struct ex_wiring *wiring)
{
	struct ex_socket *own = &ex->sockets[index];

	own->wbox = wbox_new(own->socket, wiring->power_bank);
	own->floor = floor_new(ex, index);
	own->router =
		router_new(ex, index, &wiring->router, wiring->router_bank);
	own->system = system_new(ex, index, wiring->system_bank);
	if (!own->floor || !own->router || !own->system || !own->wbox)
		return false;
	if (own->socket->param[PARAM_DETAIL_SHARE] < 100 &&
	    !(own->quick = calloc(1, sizeof(*own->quick))))
		return false;
	if (index < own->socket->num_hubs && !(own->hub = hub_new(ex, index)))
		return false;
	for (unsigned side = 0; side < EX_SIDES; side++) {
		own->agents[side] =
			agent_new(ex, index, side, wiring->agent_banks[side]);
		own->homes[side] =
			home_new(ex, index, side, wiring->home_banks[side]);
		wiring->memory.instance = side;
		own->memories[side] = memory_new(ex, wiring->memory_banks[side],
						 &wiring->memory);
		if (!own->agents[side] || !own->homes[side] ||
		    !own->memories[side])
			return false;
	}
	machine_check_start(own->socket);
	return true;
}

struct ex *ex_new(struct sim *sim, struct socket *const *sockets,
		  unsigned num_sockets, struct ex_wiring *wiring)
{
	struct ex *ex = calloc(1, sizeof(*ex));

	if (!ex)
		return NULL;
	ex->engine.sim = sim;
	ex->requests.size = OUT_REQUEST_SIZE;
	facts_init(&ex->engine.facts);
	ex->num_sockets = num_sockets;
	ex->num_cores = sockets[0]->num_cores;
	ex->has_directory = socket_param(sockets[0], PARAM_BBOX_DIRECTORY);
	for (unsigned i = 0; i < num_sockets; i++)
		ex->sockets[i].socket = sockets[i];
	for (unsigned i = 0; i < num_sockets; i++)
		if (!build(ex, i, &wiring[i])) {
			ex_free(ex);
			return NULL;
		}
	return ex;
}

void ex_free(struct ex *ex)
{
	if (!ex)
		return;
	for (unsigned i = 0; i < ex->num_sockets; i++) {
		struct ex_socket *own = &ex->sockets[i];

		floor_free(own->floor);
		router_free(own->router);
		system_free(own->system);
		wbox_free(own->wbox);
		hub_free(own->hub);
		free(own->quick);
		for (unsigned side = 0; side < EX_SIDES; side++) {
			agent_free(own->agents[side]);
			home_free(own->homes[side]);
			memory_free(own->memories[side]);
		}
	}
	pool_fini(&ex->requests);
	facts_fini(&ex->engine.facts);
	free(ex);
}

static bool is_memory_idle(const struct ex *ex)
{
	for (unsigned i = 0; i < ex->num_sockets; i++)
		for (unsigned side = 0; side < EX_SIDES; side++)
			if (!memory_is_idle(ex->sockets[i].memories[side],
					    engine_now(&ex->engine)))
				return false;
	return true;
}

bool ex_is_over(const struct ex *ex)
{
	if (engine_now(&ex->engine) < ex->engine.busy_until)
		return false;
	for (unsigned i = 0; i < ex->num_sockets; i++) {
		const struct socket *socket = ex->sockets[i].socket;

		if (!floor_is_settled(ex->sockets[i].floor,
				      engine_now(&ex->engine)))
			return false;
		for (unsigned c = 0; c < ex->num_cores; c++)
			if (!core_is_settled(&socket->cores[c]))
				return false;
	}
	return true;
}

bool ex_is_settled(const struct ex *ex)
{
	return ex_is_over(ex) && is_memory_idle(ex);
}
