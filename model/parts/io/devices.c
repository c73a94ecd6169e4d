/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See devices.h. A request is in its place until a cycle that is known when the
 * kind has worked it off; until then the place is held for ever, and that is
 * how an open one is told.
 */
#include "model/parts/io/devices.h"

#include "model/box/socket.h"

/* As in core.c: how often devices without traffic are asked again. */
enum { POLL_CYCLES = 2000, MAX_POLL_CYCLES = 64000 };

void devices_init(struct devices *devices, struct socket *socket,
		  const struct devices_kind *kind, void *object,
		  unsigned requests, unsigned interrupts)
{
	devices->socket = socket;
	devices->kind = kind;
	devices->object = object;
	devices->state = DEVICES_ENDED;
	places_init(&devices->requests, requests);
	places_init(&devices->interrupts, interrupts);
}

static uint64_t now_of(const struct devices *devices)
{
	return sim_now(devices->socket->sim);
}

/* When they run */

static void run(struct devices *devices);

/* A run ends when neither a core nor a device has traffic. */
static void set_state(struct devices *devices, enum devices_state state)
{
	struct socket *socket = devices->socket;

	socket->num_live -= devices->state != DEVICES_ENDED;
	socket->num_live += state != DEVICES_ENDED;
	socket->num_running -= devices->state == DEVICES_RUN;
	socket->num_running += state == DEVICES_RUN;
	devices->state = state;
	if (!socket->num_running && socket->stops_dry)
		sim_stop_at(socket->sim, sim_now(socket->sim) + 1);
}

static void run_again(void *object, uint64_t time)
{
	struct devices *devices = object;

	if (devices->run_at == time)
		run(devices);
}

static void run_at(struct devices *devices, uint64_t time)
{
	devices->run_at = time;
	sim_at(devices->socket->sim, time, run_again, devices, time);
}

/* Something has ended, or may go on. */
static void look(struct devices *devices)
{
	devices_stand_fn *then = devices->then;
	uint64_t now = now_of(devices);

	if (then && !devices_are_open(devices)) {
		devices->then = NULL;
		then(devices->then_object, devices->socket->index,
		     sim_later(now, devices->busy_until));
	}
	if (devices->state != DEVICES_ENDED)
		run_at(devices, now);
}

/* Accesses */

static bool fetch(struct devices *devices)
{
	struct uncore_traffic *traffic = devices->socket->traffic;
	int got;

	if (devices->has_access)
		return true;
	if (devices->state == DEVICES_ENDED)
		return false;
	got = traffic->next_io(traffic->context, devices->socket->index,
			       &devices->access);
	if (got <= 0) {
		set_state(devices, got ? DEVICES_WAIT : DEVICES_ENDED);
		return false;
	}
	set_state(devices, DEVICES_RUN);
	devices->poll_cycles = POLL_CYCLES;
	devices->has_access = true;
	devices->ready += devices->access.gap;
	return true;
}

/* There is a place, and all accesses to the line are over. */
static uint64_t request_from(struct devices *devices, uint64_t line)
{
	const struct devices_kind *kind = devices->kind;
	uint64_t now = now_of(devices);
	uint64_t from = places_from(&devices->requests, now, now);

	if (kind->room_from)
		from = sim_later(from, kind->room_from(devices->object, line));
	for (unsigned i = 0; i < devices->requests.num; i++)
		if (devices->lines[i] == line)
			from = sim_later(from, devices->requests.until[i]);
	return from;
}

/* The cycle in which the next access may begin; PLACES_NEVER: it is not known
 * yet. */
static uint64_t begin_from(struct devices *devices)
{
	uint64_t now = now_of(devices);

	if (devices->ready > now)
		return devices->ready;
	switch (devices->access.kind) {
	case UNCORE_ACCESS_INTERRUPT:
		return places_from(&devices->interrupts, now, now);
	case UNCORE_ACCESS_LOCK:
		return devices_are_open(devices)
			       ? PLACES_NEVER
			       : sim_later(now, devices->busy_until);
	default: return request_from(devices, devices->access.line);
	}
}

static void interrupt(struct devices *devices)
{
	uint64_t at = now_of(devices);
	unsigned place = places_take(&devices->interrupts, at, &at);

	devices->number++;
	at = devices->kind->interrupt(devices->object, devices->access.target);
	places_hold(&devices->interrupts, place, at);
	devices->busy_until = sim_later(devices->busy_until, at);
}

static void request(struct devices *devices)
{
	unsigned kind = devices->access.kind;
	bool is_read =
		kind == UNCORE_ACCESS_READ || kind == UNCORE_ACCESS_UC_READ;
	uint64_t at = now_of(devices);
	unsigned place = places_take(&devices->requests, at, &at);

	devices->number++;
	devices->num_reads += is_read;
	devices->num_writes += !is_read;
	devices->lines[place] = devices->access.line;
	devices->targets[place] = devices->access.target;
	devices->begins = true;
	devices->kind->begin(devices->object, place, kind);
	devices->begins = false;
}

static void hold(struct devices *devices)
{
	if (!devices->kind->hold)
		return;
	devices->number++;
	devices->num_writes++;
	devices->holds = true;
	devices->kind->hold(devices->object);
}

static void begin(struct devices *devices)
{
	switch (devices->access.kind) {
	case UNCORE_ACCESS_INTERRUPT: interrupt(devices); break;
	case UNCORE_ACCESS_LOCK: hold(devices); break;
	default: request(devices);
	}
	devices->has_access = devices->holds;
}

static void run(struct devices *devices)
{
	uint64_t now = now_of(devices);

	while (!devices->is_stopped && !devices->holds && fetch(devices)) {
		uint64_t from = begin_from(devices);

		if (from > now && from != PLACES_NEVER)
			run_at(devices, from);
		if (from > now)
			return;
		begin(devices);
		devices->ready = now;
	}
	if (devices->state != DEVICES_WAIT)
		return;
	run_at(devices, now + devices->poll_cycles);
	if (devices->poll_cycles < MAX_POLL_CYCLES)
		devices->poll_cycles *= 2;
}

void devices_end(struct devices *devices, unsigned place, uint64_t at)
{
	places_hold(&devices->requests, place, at);
	devices->busy_until = sim_later(devices->busy_until, at);
	if (!devices->begins)
		look(devices);
}

/* sim_fn */
static void release(void *object, uint64_t time)
{
	struct devices *devices = object;

	devices->holds = devices->has_access = false;
	devices->ready = time;
	look(devices);
}

void devices_give_back(struct devices *devices, uint64_t at)
{
	devices->busy_until = sim_later(devices->busy_until, at);
	sim_at(devices->socket->sim, at, release, devices, at);
}

/* From outside */

void devices_start(struct devices *devices)
{
	bool has_traffic = devices->socket->traffic->next_io;

	set_state(devices, has_traffic ? DEVICES_RUN : DEVICES_ENDED);
	devices->has_access = devices->holds;
	devices->poll_cycles = POLL_CYCLES;
	devices->ready = now_of(devices);
	if (has_traffic)
		run_at(devices, devices->ready);
	else
		devices->run_at = SIM_NEVER;
}

void devices_stop(struct devices *devices, devices_stand_fn *then, void *object)
{
	devices->is_stopped = true;
	devices->then = then;
	devices->then_object = object;
	look(devices);
}

void devices_go_on(struct devices *devices)
{
	devices->is_stopped = false;
	look(devices);
}

bool devices_are_open(const struct devices *devices)
{
	for (unsigned i = 0; i < devices->requests.num; i++)
		if (devices->requests.until[i] == PLACES_NEVER)
			return true;
	return false;
}

bool devices_are_settled(const struct devices *devices, uint64_t now)
{
	return !devices_are_open(devices) && !devices->holds &&
	       now >= devices->busy_until;
}

bool devices_any(const struct devices *devices, uint64_t *latest,
		 uint64_t *line)
{
	uint64_t now = now_of(devices);

	for (unsigned i = 0; i < devices->requests.num; i++)
		if (devices->requests.until[i] > now) {
			*latest = devices->number;
			*line = devices->lines[i];
			return true;
		}
	return false;
}

bool devices_have_lost(const struct devices *devices, uint64_t late)
{
	return places_taken(&devices->requests, late) ||
	       places_taken(&devices->interrupts, late);
}
