/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See mesh.h. A message does all of its way at once, in the order in which
 * transactions start; what it has to tell of it is kept as a visit.
 */
#include "model/parts/fabric/mesh.h"

#include <assert.h>
#include <stdlib.h>

#include "model/pmu/visit.h"
#include "model/station/calendar.h"
#include "model/station/places.h"

enum { WAYS = 2 }; /* up and down, left and right */

struct stop {
	struct owner {
		struct sigbank *bank;
		const struct mesh_stop_kind *kind;
	} owners[MESH_OWNERS];
	unsigned num_owners;
	struct places egress[MESH_NUM_RINGS][MESH_AGENTS];
	struct places transgress[MESH_NUM_RINGS];
};

struct mesh {
	const struct engine *engine;
	struct mesh_config config;
	struct visits *visits; /* NULL: nobody counts at any stop */
	struct stop stops[MESH_MAX_STOPS];
	/* By the stop where a link begins: cycles in which it is taken. */
	struct calendar links[MESH_NUM_RINGS][MESH_AXES][WAYS][MESH_MAX_STOPS];
};

/* A way along a column or a row. */
struct leg {
	uint8_t stop;	 /* where it begins */
	uint8_t place;	 /* of that in the column, or row */
	uint8_t way;	 /* 0: to places of lower number */
	uint8_t hops;	 /* 0: there is no such way */
	int16_t step;	 /* from a stop to the next one */
	uint16_t cycles; /* of a hop */
};

/* A message that has been carried. */
struct passage {
	struct visit visit; /* stands first */
	const struct mesh *mesh;
	struct leg legs[MESH_AXES];
	uint8_t ring, agent, slots;
	uint64_t entered; /* the egress */
	uint64_t cleared; /* may get on: it has a place where it turns */
	uint64_t full_until[MESH_AXES];
	/* When it leaves a queue: gets on, or goes over to its own stop's
	 * transgress buffer. */
	uint64_t left[MESH_AXES][MESH_MAX_SLOTS];
};

static unsigned column_of(const struct mesh *mesh, unsigned stop)
{
	return stop / mesh->config.rows;
}

static unsigned row_of(const struct mesh *mesh, unsigned stop)
{
	return stop % mesh->config.rows;
}

static struct leg make_leg(unsigned stop, unsigned from, unsigned to,
			   unsigned distance, unsigned cycles)
{
	bool is_back = to < from;

	return (struct leg){
		.stop = (uint8_t)stop,
		.place = (uint8_t)from,
		.way = !is_back,
		.hops = (uint8_t)(is_back ? from - to : to - from),
		.step = (int16_t)(is_back ? -(int)distance : (int)distance),
		.cycles = (uint16_t)cycles,
	};
}

/* Telling */

static void tell_pulse(const struct owner *owner, int first, unsigned n,
		       uint64_t at)
{
	if (first != MESH_NOT_TOLD)
		tell_later(owner->bank, (unsigned)first + n, at, 1);
}

static void tell_level(const struct owner *owner, int first, unsigned n,
		       uint64_t from, uint64_t to)
{
	if (first != MESH_NOT_TOLD)
		tell_span(owner->bank, (unsigned)first + n, from, to, 1);
}

/* A slot keeps its parity on its way; those that follow each other past a stop
 * are even and odd in turn. */
static void tell_use(const struct passage *passage, enum mesh_axis axis,
		     uint64_t left)
{
	const struct mesh *mesh = passage->mesh;
	const struct leg *leg = &passage->legs[axis];
	unsigned parity = (left + leg->place * leg->cycles) % 2;

	for (unsigned hop = 1; hop <= leg->hops; hop++) {
		int number = leg->stop + (int)hop * leg->step;
		const struct stop *stop = &mesh->stops[number];
		bool is_odd = column_of(mesh, (unsigned)number) % 2;

		for (unsigned i = 0; i < stop->num_owners; i++) {
			const struct owner *owner = &stop->owners[i];
			unsigned way = leg->way;

			if (axis == MESH_HORIZONTAL && is_odd)
				way ^= owner->kind->has_core;
			tell_pulse(owner, owner->kind->in_use[axis],
				   (passage->ring * WAYS + way) * 2 + parity,
				   left + hop * leg->cycles);
		}
	}
}

/* A message has entered a queue, and tries to get on from a later cycle on; the
 * place in the queue was taken in the cycle `taken`. */
static void tell_queue(const struct passage *passage, enum mesh_axis axis,
		       uint64_t taken, uint64_t entered, uint64_t tries)
{
	const struct mesh *mesh = passage->mesh;
	const struct stop *stop = &mesh->stops[passage->legs[axis].stop];
	const uint64_t *left = passage->left[axis];
	uint64_t last = left[passage->slots - 1];
	unsigned n = passage->ring;

	if (axis == MESH_VERTICAL)
		n = n * MESH_AGENTS + passage->agent;
	for (unsigned i = 0; i < stop->num_owners; i++) {
		const struct owner *owner = &stop->owners[i];
		const struct mesh_queue_signals *told =
			&owner->kind->queues[axis];

		tell_pulse(owner, told->inserts, n, entered);
		tell_level(owner, told->occupancy, n, entered, last + 1);
		tell_level(owner, told->full, n, taken,
			   passage->full_until[axis]);
		tell_level(owner, told->starved, n,
			   entered + mesh->config.starve_cycles, last);
		tell_level(owner, told->nack, n, tries, left[0]);
		for (unsigned s = 1; s < passage->slots; s++)
			tell_level(owner, told->nack, n, left[s - 1] + 1,
				   left[s]);
	}
}

static void tell_credit(const struct passage *passage)
{
	const struct mesh *mesh = passage->mesh;
	const struct stop *stop =
		&mesh->stops[passage->legs[MESH_VERTICAL].stop];
	unsigned row = row_of(mesh, passage->legs[MESH_HORIZONTAL].stop);
	unsigned pool = passage->agent * 2 + (passage->ring == MESH_BL);
	unsigned n = pool * MESH_TRANSGRESSES + row;
	uint64_t last = passage->left[MESH_HORIZONTAL][passage->slots - 1];

	if (row >= MESH_TRANSGRESSES ||
	    (passage->ring != MESH_AD && passage->ring != MESH_BL))
		return;
	for (unsigned i = 0; i < stop->num_owners; i++) {
		const struct owner *owner = &stop->owners[i];
		const struct mesh_stop_kind *kind = owner->kind;

		tell_level(owner, kind->stalled, n, passage->entered,
			   passage->cleared);
		tell_pulse(owner, kind->acquired, n, passage->cleared);
		tell_level(owner, kind->held, n, passage->cleared, last + 1);
	}
}

static void tell(struct sigbank *bank, const void *visit)
{
	const struct passage *passage = visit;
	const struct leg *column = &passage->legs[MESH_VERTICAL];
	uint64_t turns =
		passage->left[MESH_VERTICAL][0] + column->hops * column->cycles;

	(void)bank;
	for (unsigned s = 0; s < passage->slots; s++) {
		tell_use(passage, MESH_VERTICAL,
			 passage->left[MESH_VERTICAL][s]);
		tell_use(passage, MESH_HORIZONTAL,
			 passage->left[MESH_HORIZONTAL][s]);
	}
	tell_queue(passage, MESH_VERTICAL, passage->entered, passage->entered,
		   passage->cleared);
	if (!passage->legs[MESH_HORIZONTAL].hops)
		return;
	tell_queue(passage, MESH_HORIZONTAL, passage->cleared, turns,
		   turns + passage->mesh->config.turn_cycles);
	tell_credit(passage);
}

/* Carrying */

/* On at the first cycle in which each link of the leg is free as it is come to;
 * they are taken. */
static uint64_t get_on(struct mesh *mesh, const struct passage *passage,
		       enum mesh_axis axis, uint64_t at)
{
	const struct leg *leg = &passage->legs[axis];
	struct calendar *links =
		&mesh->links[passage->ring][axis][leg->way][leg->stop];
	uint64_t now = engine_now(mesh->engine);
	unsigned hop = 0;

	while (hop < leg->hops) {
		struct calendar *link = links + (int)hop * leg->step;
		uint64_t there = at + hop * leg->cycles;

		calendar_forget(link, now);
		if (calendar_is_free(link, there, 1)) {
			hop++;
			continue;
		}
		at += calendar_free_from(link, there, 1) - there;
		hop = 0;
	}
	for (hop = 0; hop < leg->hops; hop++) {
		struct calendar *link = links + (int)hop * leg->step;
		uint64_t there = at + hop * leg->cycles;

		if (!calendar_try(link, there, 1))
			calendar_mark(link, there, 1);
	}
	return at;
}

/* All slots of a message that may get on; when the last one arrives. */
static uint64_t carry_slots(struct mesh *mesh, struct passage *passage)
{
	const struct leg *column = &passage->legs[MESH_VERTICAL];
	const struct leg *row = &passage->legs[MESH_HORIZONTAL];
	uint64_t at = passage->cleared, there = 0;

	for (unsigned s = 0; s < passage->slots; s++, at++) {
		at = get_on(mesh, passage, MESH_VERTICAL, at);
		passage->left[MESH_VERTICAL][s] = at;
		there = at + column->hops * column->cycles;
		if (!row->hops)
			continue;
		there = get_on(mesh, passage, MESH_HORIZONTAL,
			       there + mesh->config.turn_cycles);
		passage->left[MESH_HORIZONTAL][s] = there;
		there += row->hops * row->cycles;
	}
	return there;
}

/* A place was taken in the cycle `from`, and is held until another one: until
 * when none is left. */
static uint64_t hold(struct places *places, unsigned place, uint64_t from,
		     uint64_t until)
{
	places_hold(places, place, until);
	if (places->free)
		return from;
	for (unsigned i = 0; i < places->num; i++)
		until = places->until[i] < until ? places->until[i] : until;
	return until;
}

/* Through its queues and along its way; when it arrives. */
static uint64_t carry(struct mesh *mesh, struct passage *passage)
{
	const struct leg *row = &passage->legs[MESH_HORIZONTAL];
	struct places *egress = &mesh->stops[passage->legs[MESH_VERTICAL].stop]
					 .egress[passage->ring][passage->agent];
	struct places *transgress =
		&mesh->stops[row->stop].transgress[passage->ring];
	uint64_t now = engine_now(mesh->engine), arrived;
	unsigned place = places_take(egress, now, &passage->entered);
	unsigned last = passage->slots - 1U, promised = 0;

	passage->cleared = passage->entered;
	if (row->hops)
		promised = places_take(transgress, now, &passage->cleared);
	arrived = carry_slots(mesh, passage);
	passage->full_until[MESH_VERTICAL] =
		hold(egress, place, passage->entered,
		     passage->left[MESH_VERTICAL][last] + 1);
	if (row->hops)
		passage->full_until[MESH_HORIZONTAL] =
			hold(transgress, promised, passage->cleared,
			     passage->left[MESH_HORIZONTAL][last] + 1);
	return arrived;
}

struct mesh_ride mesh_carry(struct mesh *mesh,
			    const struct mesh_message *message)
{
	const struct mesh_config *config = &mesh->config;
	unsigned from = message->from, to = message->to;
	unsigned column = column_of(mesh, from), row = row_of(mesh, to);
	unsigned last = message->slots - 1;
	struct passage passage = {
		.visit = { .tell = tell },
		.mesh = mesh,
		.legs = { make_leg(from, row_of(mesh, from), row, 1,
				   config->vertical_cycles),
			  make_leg(mesh_stop(config, column, row), column,
				   column_of(mesh, to), config->rows,
				   config->horizontal_cycles) },
		.ring = (uint8_t)message->ring,
		.agent = (uint8_t)message->agent,
		.slots = (uint8_t)message->slots,
		.entered = message->ready,
	};
	struct mesh_ride ride = { message->ready + last,
				  message->ready + last };

	if (from == to)
		return ride;
	ride.arrived = passage.visit.last = carry(mesh, &passage);
	ride.injected = passage.left[MESH_VERTICAL][last];
	if (mesh->visits) {
		*(struct passage *)visits_next(mesh->visits) = passage;
		visits_keep(mesh->visits);
	}
	return ride;
}

/* Making */

struct mesh *mesh_new(const struct engine *engine,
		      const struct mesh_config *config)
{
	struct mesh *mesh = calloc(1, sizeof(*mesh));

	assert(config->columns <= MESH_MAX_LENGTH &&
	       config->rows <= MESH_MAX_LENGTH && config->vertical_cycles &&
	       config->horizontal_cycles);
	if (!mesh)
		return NULL;
	mesh->engine = engine;
	mesh->config = *config;
	for (unsigned i = 0; i < config->columns * config->rows; i++)
		for (unsigned ring = 0; ring < MESH_NUM_RINGS; ring++) {
			places_init(&mesh->stops[i].transgress[ring],
				    config->transgress);
			for (unsigned n = 0; n < MESH_AGENTS; n++)
				places_init(&mesh->stops[i].egress[ring][n],
					    config->egress);
		}
	return mesh;
}

void mesh_free(struct mesh *mesh)
{
	free(mesh);
}

static void drive(struct sigbank *bank, int of, unsigned first, unsigned num)
{
	if (of != MESH_NOT_TOLD)
		sig_drives(bank, (unsigned)of + first, num);
}

static void drive_queues(struct sigbank *bank,
			 const struct mesh_queue_signals *queue, unsigned first,
			 unsigned num)
{
	drive(bank, queue->inserts, first, num);
	drive(bank, queue->occupancy, first, num);
	drive(bank, queue->full, first, num);
	drive(bank, queue->nack, first, num);
	drive(bank, queue->starved, first, num);
}

bool mesh_add_owner(struct mesh *mesh, unsigned stop, struct sigbank *bank,
		    const struct mesh_stop_kind *kind)
{
	struct stop *its = &mesh->stops[stop];
	unsigned agents = kind->has_core ? MESH_AGENTS : 1;
	unsigned credits = agents * 2 * MESH_TRANSGRESSES;

	assert(its->num_owners < MESH_OWNERS);
	its->owners[its->num_owners++] = (struct owner){ bank, kind };
	for (unsigned axis = 0; axis < MESH_AXES; axis++)
		drive(bank, kind->in_use[axis], 0, MESH_NUM_RINGS * WAYS * 2);
	for (unsigned ring = 0; ring < MESH_NUM_RINGS; ring++)
		drive_queues(bank, &kind->queues[MESH_VERTICAL],
			     ring * MESH_AGENTS, agents);
	drive_queues(bank, &kind->queues[MESH_HORIZONTAL], 0, MESH_NUM_RINGS);
	drive(bank, kind->acquired, 0, credits);
	drive(bank, kind->held, 0, credits);
	drive(bank, kind->stalled, 0, credits);
	if (mesh->visits)
		return visits_join(mesh->visits, bank);
	mesh->visits = visits_new(bank, sizeof(struct passage));
	return mesh->visits;
}
