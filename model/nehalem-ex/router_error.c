/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Links on which something goes wrong, that sleep, or whose retry queue is so
 * short that it may be full.
 *
 * A flit may arrive with a wrong CRC (FAULT_QPI_CRC). The receiver drops it and
 * all that follow, and asks for them with a special flit; the sender answers
 * with another one and replays from the bad flit on. The link is busy with the
 * bad flit for a round trip and two flits more. After `retry_limit` bad tries
 * of a flit, or at FAULT_PBOX_RESET, the physical layer is initialised again at
 * both ends: the link is down for `reset_cycles` and comes up with `init_flits`
 * special flits. The lanes that caused it are left out from then on, so the
 * same packet cannot fail again.
 *
 * What happens to a packet is drawn once, when it is first planned. The walk
 * along its flits is made once per plan, for its length, and again to publish.
 * Null flits cannot be bad, and special ones neither. A hub has no counters.
 */
#include "model/nehalem-ex/router_parts.h"
#include "signals.h"

struct walk {
	const struct flight *flight;
	struct ex *ex; /* NULL: nothing is published */
	uint64_t at;   /* ticks */
	uint64_t begun[RBOX_MAX_FLITS];
	unsigned num;
	bool has_waited;
};

static uint64_t trip_ticks(const struct router *router)
{
	return ticks_of(2ull * router->config.link_latency_cycles);
}

/* The R-Box at the other end and its port; NULL: a hub. */
static struct router *receiver(const struct flight *flight, struct ex *ex,
			       unsigned *port)
{
	struct router *router = flight->router;

	*port = flight->port;
	if (flight->is_from_hub)
		return router;
	if (flight->is_to_hub)
		return NULL;
	*port = router->neighbour_ports[flight->port];
	return ex->sockets[router->neighbours[flight->port]].router;
}

static void report(const struct router *router, unsigned port)
{
	if (router->config.corrected)
		router->config.corrected(router->config.object, port);
}

/* The other end sees something, as late as it would see a packet. */
static void notify(const struct walk *walk, unsigned signal)
{
	struct router *router;
	unsigned port;

	if (!walk->ex)
		return;
	router = receiver(walk->flight, walk->ex, &port);
	if (!router)
		return;
	router_pulse(router, signal, port,
		     cycles_up(walk->at) + router->window_cycles);
	if (signal == SIG_RBOX_FLITS_RECV_ERR)
		report(router, port);
}

static void initialise(struct walk *walk)
{
	const struct router *router = walk->flight->router;

	walk->at += ticks_of(router->config.reset_cycles);
	for (unsigned flit = 0; flit < router->config.init_flits; flit++) {
		walk->at += router->flit_ticks;
		notify(walk, SIG_RBOX_FLITS_RECV_SPEC);
	}
}

/* The way opposite to that on which a reset began, from a cycle on. */
static struct flight way_back(const struct walk *walk, unsigned *port,
			      struct router **end)
{
	const struct flight *flight = walk->flight;
	struct router *router = flight->router;
	struct flight back = { .router = router, .port = flight->port };

	*end = receiver(flight, walk->ex, port);
	back.at = flight->at + router->window_cycles;
	if (!*end) {
		*end = router;
		back.at = flight->at;
		back.link = &router->hub_link;
		back.is_from_hub = true;
		return back;
	}
	back.router = *end;
	back.port = (uint8_t)*port;
	back.link = &back.router->ports[*port].link;
	back.is_to_hub = flight->is_from_hub;
	return back;
}

static void take_down_the_other(const struct walk *walk)
{
	const struct router *router = walk->flight->router;
	struct router *end;
	unsigned port;
	struct flight back = way_back(walk, &port, &end);
	struct walk there = { .flight = &back, .ex = walk->ex };
	struct stretch stretch;

	report(end, port);
	back.start = link_find(back.link, ticks_of(back.at),
			       ticks_of(router->config.reset_cycles) +
				       (uint64_t)router->config.init_flits *
					       router->flit_ticks);
	there.at = back.start;
	initialise(&there);
	back.end = there.at;
	if (back.end == back.start)
		return;
	link_take(back.link, back.router, back.start, back.end, &stretch);
	if (!back.is_from_hub)
		router_publish_null(end, port, &stretch);
}

static void reset(struct walk *walk)
{
	if (walk->ex)
		take_down_the_other(walk);
	initialise(walk);
}

/* How many flits were begun before a time. */
static unsigned begun_before(const uint64_t *begun, unsigned num, uint64_t time)
{
	unsigned first = 0;

	while (first < num) {
		unsigned middle = (first + num) / 2;

		if (begun[middle] < time)
			first = middle + 1;
		else
			num = middle;
	}
	return first;
}

/* In the retry queue at the end of as long a time as a flit is in it. */
static unsigned in_queue(const struct walk *walk, uint64_t from, uint64_t hold)
{
	const struct retry *retry = walk->flight->retry;

	return begun_before(retry->begun, retry->num, from + hold) -
	       begun_before(retry->begun, retry->num, from) +
	       begun_before(walk->begun, walk->num, from + hold) -
	       begun_before(walk->begun, walk->num, from);
}

/* When the latest of the flits is acknowledged behind which one begun at the
 * present time would be too many; 0: none. */
static uint64_t full_until(const struct walk *walk, const uint64_t *begun,
			   unsigned num, uint64_t hold)
{
	uint64_t past = walk->at < hold ? 0 : walk->at - hold + 1;

	for (unsigned i = begun_before(begun, num, walk->at + 1);
	     i && begun[i - 1] >= past; i--)
		if (in_queue(walk, begun[i - 1], hold) >=
		    walk->flight->router->config.retry_flits)
			return begun[i - 1] + hold;
	return 0;
}

/* The next flit behind the present time; there is one. */
static uint64_t next_begun(const struct walk *walk)
{
	const struct retry *retry = walk->flight->retry;
	unsigned i = begun_before(retry->begun, retry->num, walk->at + 1);

	return i < retry->num ? retry->begun[i] : walk->at + 1;
}

/* A flit waits until there is room in the retry queue, also for those that
 * follow and have been accepted before. */
static void wait_for_room(struct walk *walk)
{
	const struct flight *flight = walk->flight;
	const struct router *router = flight->router;
	const struct retry *retry = flight->retry;
	uint64_t hold = trip_ticks(router) + router->flit_ticks, until;

	for (;;) {
		until = full_until(walk, retry->begun, retry->num, hold);
		until = sim_later(
			until, full_until(walk, walk->begun, walk->num, hold));
		if (until <= walk->at) {
			if (in_queue(walk, walk->at, hold) <
			    router->config.retry_flits)
				break;
			until = next_begun(walk);
		}
		walk->at = until;
		walk->has_waited = true;
	}
	walk->begun[walk->num++] = walk->at;
}

/* The flit sent last arrives bad: it is sent again. */
static void replay(struct walk *walk)
{
	struct router *router = walk->flight->router;

	notify(walk, SIG_RBOX_FLITS_RECV_ERR);
	walk->at += trip_ticks(router) + router->flit_ticks;
	if (walk->ex && !walk->flight->is_from_hub)
		router_pulse(router, SIG_RBOX_FLITS_RECV_SPEC,
			     walk->flight->port, cycles_up(walk->at));
	walk->at += router->flit_ticks; /* "here they are" */
	notify(walk, SIG_RBOX_FLITS_RECV_SPEC);
	walk->at += router->flit_ticks;
}

static void walk_along(struct walk *walk)
{
	const struct flight *flight = walk->flight;
	const struct router *router = flight->router;

	walk->at += flight->wake;
	if (flight->is_reset)
		reset(walk);
	for (unsigned flit = 0; flit < flight->flits; flit++) {
		if (flight->retry)
			wait_for_room(walk);
		walk->at += router->flit_ticks;
		for (unsigned i = 0; i < flight->bad[flit]; i++)
			replay(walk);
		if (flight->bad[flit] == router->config.retry_limit) {
			reset(walk);
			walk->at += router->flit_ticks;
		}
	}
}

static unsigned draw_flit(const struct flight *flight)
{
	const struct rbox_config *config = &flight->router->config;
	unsigned bad = 0;

	while (bad < config->retry_limit &&
	       fault_strikes(config->faults, FAULT_QPI_CRC, flight->port,
			     flight->at))
		bad++;
	return bad;
}

static void draw(struct flight *flight)
{
	const struct rbox_config *config = &flight->router->config;
	bool may_fail = !flight->is_to_hub &&
			fault_is_active(config->faults, FAULT_QPI_CRC);

	flight->is_drawn = true;
	flight->is_reset = fault_strikes(config->faults, FAULT_PBOX_RESET,
					 flight->port, flight->at);
	for (unsigned flit = 0; flit < flight->flits; flit++) {
		flight->bad[flit] = (uint8_t)(may_fail ? draw_flit(flight) : 0);
		may_fail &= flight->bad[flit] < config->retry_limit;
	}
}

static uint64_t wake_ticks(const struct flight *flight)
{
	const struct rbox_config *config = &flight->router->config;
	uint64_t since = link_quiet_since(flight->link, flight->start);
	uint64_t sleeps = cycles_up(since) + config->idle_cycles;

	if (!config->idle_cycles || ticks_of(sleeps) > flight->start)
		return 0;
	return ticks_of(config->wake_cycles);
}

static void plan_flight(struct flight *flight)
{
	uint64_t start = ticks_of(flight->at);
	struct walk walk;

	if (!flight->is_drawn)
		draw(flight);
	do {
		flight->start = start;
		flight->wake = wake_ticks(flight);
		walk = (struct walk){ .flight = flight, .at = start };
		walk_along(&walk);
		start = link_find(flight->link, start, walk.at - start);
	} while (start != flight->start);
	flight->end = walk.at;
	flight->has_waited = walk.has_waited;
}

static void remember(struct retry *retry, uint64_t begun, uint64_t past)
{
	unsigned i = 0;

	while (i < retry->num && retry->begun[i] < past)
		i++;
	if (!i && retry->num == ROUTER_MAX_RETRY)
		i = 1;
	retry->num -= i;
	for (unsigned j = 0; i && j < retry->num; j++)
		retry->begun[j] = retry->begun[j + i];
	for (i = retry->num++; i && retry->begun[i - 1] > begun; i--)
		retry->begun[i] = retry->begun[i - 1];
	retry->begun[i] = begun;
}

static void take_flight(const struct flight *flight, struct ex *ex,
			uint64_t now)
{
	struct walk walk = {
		.flight = flight,
		.ex = ex,
		.at = flight->start,
	};
	uint64_t trip = trip_ticks(flight->router) + flight->router->flit_ticks;
	uint64_t past = ticks_of(now) > trip ? ticks_of(now) - trip : 0;

	walk_along(&walk);
	for (unsigned i = 0; i < walk.num; i++)
		remember(flight->retry, walk.begun[i], past);
	if (flight->has_waited && !flight->is_from_hub)
		router_pulse(flight->router, SIG_RBOX_RETRYQ_OV, flight->port,
			     flight->at);
}

void trip_begin_flights(struct trip *trip)
{
	const struct way *way = trip->hops->way;
	struct router *router = trip->hops->router;

	for (unsigned num = 0;; num++) {
		unsigned port = num ? way->out : way->in;

		trip->flights[num] = (struct flight){
			.router = router,
			.link = way->link,
			.port = (uint8_t)port,
			.flits = trip->packet->flits,
			.is_from_hub = !num,
			.is_to_hub = num && router->neighbours[port] < 0,
		};
		if (way->link && router->retries)
			trip->flights[num].retry =
				&router->retries[num ? port : RBOX_NUM_PORTS];
		if (!way->next)
			break;
		router = way->next;
		way = &router->ways[trip->packet->dest];
	}
}

void trip_plan_flight(struct trip *trip, struct hop *hop, uint64_t at)
{
	struct flight *flight = &trip->flights[hop - trip->hops];

	flight->at = at;
	plan_flight(flight);
	hop->start = flight->start;
	hop->end = flight->end;
}

void trip_take_flight(struct trip *trip, struct hop *hop,
		      struct stretch *stretch)
{
	const struct flight *flight = &trip->flights[hop - trip->hops];
	struct router *router = hop->router;

	link_take(hop->way->link, router, hop->start, hop->end, stretch);
	if (router->config.idle_cycles && !flight->is_from_hub)
		router_publish_null(router, hop->way->out, stretch);
	take_flight(flight, trip->ex, trip->now);
}

/* Flits in the output queue at a time, by packets; *next: one of them has been
 * sent. */
static unsigned output_flits(const struct hop *hop, uint64_t at, uint64_t *next)
{
	const struct router *router = hop->router;
	unsigned flits = 0;

	*next = UINT64_MAX;
	for (unsigned i = 0; i < ROUTER_RECENT; i++) {
		const struct recent *other = &router->recent[i];

		if (other->out != hop->way->out || other->granted > at ||
		    other->until <= at)
			continue;
		flits += other->flits;
		if (other->until < *next)
			*next = other->until;
	}
	return flits;
}

uint64_t trip_queue_from(const struct hop *hop, uint64_t at)
{
	unsigned room = hop->router->config.output_flits - hop->passage.flits;
	uint64_t next;

	while (output_flits(hop, at, &next) > room)
		at = next;
	return at;
}
