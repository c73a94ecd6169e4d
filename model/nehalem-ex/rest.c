/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Places are given back at a cycle that is known when a transaction ends.
 * Credits may be on their way for some cycles after the last one; what is held
 * for much longer was never given back.
 */
#include "model/nehalem-ex/rest.h"

#include "model/nehalem-ex/agent_parts.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/home_parts.h"
#include "model/nehalem-ex/hub.h"

#define LONG_CYCLES (UINT64_C(1) << 32)

static bool is_lost(const struct ex *ex, const struct places *places)
{
	return places_taken(places, engine_now(&ex->engine) + LONG_CYCLES);
}

static const char *check_core(const struct ex *ex, const struct floor *floor,
			      unsigned core)
{
	const struct slice *slice = &floor->slices[core];
	const struct stop *stop = &floor->stops[core];

	if (is_lost(ex, &slice->irq) || is_lost(ex, &slice->maf) ||
	    is_lost(ex, &slice->viq))
		return "a C-Box has a request for ever";
	if (is_lost(ex, &slice->ipq))
		return "an IPQ credit of an S-Box is lost";
	if (is_lost(ex, &slice->credits))
		return "a credit of a C-Box for its S-Box is lost";
	if (is_lost(ex, &stop->rspf))
		return "a core at rest has snoops to answer";
	if (is_lost(ex, &stop->spoofs))
		return "a spoof credit of a core is lost";
	if (is_lost(ex, &stop->idf) || is_lost(ex, &stop->bl_credits))
		return "a BL credit of a core is lost";
	return NULL;
}

static const char *check_side(const struct ex *ex, const struct agent *agent,
			      const struct home *home)
{
	if (is_lost(ex, &agent->table))
		return "an S-Box has a request for ever";
	for (unsigned i = 0; i < ex->num_sockets * EX_SIDES; i++)
		if (agent->has_trackers && is_lost(ex, &agent->trackers[i]))
			return "a tracker credit of an S-Box is lost";
	if (is_lost(ex, &home->imt))
		return "a B-Box has a request for ever";
	return NULL;
}

static const char *check_hub(const struct ex *ex, const struct hub *hub)
{
	if (!hub)
		return NULL;
	for (unsigned i = 0; i < ex->num_sockets * EX_SIDES; i++)
		if (is_lost(ex, &hub->credits[i]))
			return "a tracker credit of an I/O hub is lost";
	if (devices_have_lost(&hub->devices,
			      engine_now(&ex->engine) + LONG_CYCLES))
		return "an I/O hub has an access for ever";
	return NULL;
}

const char *rest_check(const struct ex *ex, unsigned socket)
{
	const struct ex_socket *own = &ex->sockets[socket];
	const char *wrong = check_hub(ex, own->hub);

	for (unsigned core = 0; !wrong && core < ex->num_cores; core++)
		wrong = check_core(ex, own->floor, core);
	for (unsigned side = 0; !wrong && side < EX_SIDES; side++)
		wrong = check_side(ex, own->agents[side], own->homes[side]);
	return wrong;
}
