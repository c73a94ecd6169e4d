/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See router_traffic.h.
 */
#include "router_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { QUIET_CYCLES = 20000, VIEW_CYCLES = 700 };

static int is_earlier(const void *a, const void *b)
{
	const struct letter *x = a, *y = b;

	return x->ready < y->ready ? -1 : x->ready > y->ready;
}

static unsigned box_of(const struct traffic *traffic, unsigned node)
{
	unsigned nodes = traffic->plan.num_sockets * 4;

	return NODE_IS_IOH(node) ? nodes + NODE_HUB(node) : node;
}

static void write_letter(struct traffic *traffic, struct letter *letter,
			 uint64_t *times)
{
	unsigned nodes = traffic->plan.num_sockets * 4;
	unsigned from = rig_below(traffic->rig, nodes + traffic->plan.num_hubs);

	letter->from = from < nodes ? from : NODE_IOH(from - nodes);
	do
		letter->to = rig_below(traffic->rig, nodes);
	while (letter->to == letter->from);
	letter->cls = rig_below(traffic->rig, PACKET_NUM_CLASSES);
	times[from] += 1 + rig_below(traffic->rig, traffic->plan.pace);
	letter->ready = times[from];
	traffic->end = sim_later(traffic->end, times[from] + QUIET_CYCLES);
}

void traffic_start(struct traffic *traffic)
{
	struct rbox_config config;
	uint64_t times[TRAFFIC_BOXES] = { 0 };

	rbox_config_init(&config);
	config.vna_flits = traffic->plan.vna_flits;
	config.idle_cycles = traffic->plan.idle_cycles;
	traffic->rig = rig_new(traffic->plan.num_sockets,
			       traffic->plan.num_hubs, &config, NULL);
	traffic->letters = calloc(traffic->plan.num, sizeof(*traffic->letters));
	for (unsigned i = 0; i < traffic->plan.num; i++)
		write_letter(traffic, &traffic->letters[i], times);
	qsort(traffic->letters, traffic->plan.num, sizeof(*traffic->letters),
	      is_earlier);
}

void traffic_finish(struct traffic *traffic)
{
	rig_free(traffic->rig);
	free(traffic->letters);
}

/* A transaction starts up to `ahead` cycles before its packet is ready. */
struct letter *traffic_starts(struct traffic *traffic)
{
	struct letter *starts = calloc(traffic->plan.num, sizeof(*starts));

	for (unsigned i = 0; i < traffic->plan.num; i++) {
		uint64_t ready = traffic->letters[i].ready, ahead = 0;

		if (traffic->plan.ahead)
			ahead = rig_below(traffic->rig, traffic->plan.ahead);
		starts[i].ready = ready > ahead ? ready - ahead : 0;
		starts[i].from = i;
	}
	qsort(starts, traffic->plan.num, sizeof(*starts), is_earlier);
	return starts;
}

/* A box sends its packets one after the other, if they come in order. */
static void send(struct traffic *traffic, const struct letter *letter,
		 uint64_t start)
{
	uint64_t *own = &traffic->last[box_of(traffic, letter->from)];
	uint64_t ready = letter->ready;
	struct router_ride ride;

	if (!traffic->plan.ahead)
		ready = sim_later(ready, *own);
	if (ready > start + VIEW_CYCLES)
		start = ready - VIEW_CYCLES;
	rig_run(traffic->rig, start);
	ride = rig_send(traffic->rig, letter->from, letter->to, letter->cls,
			ready, 0);
	*own = ready + ride.credit_wait;
	traffic->latency += (double)(ride.arrived - letter->ready);
	assert_true(ride.arrived >= letter->ready + 8 + rig_flits(letter->cls));
}

unsigned traffic_run(struct traffic *traffic, const struct letter *starts,
		     unsigned n, uint64_t until)
{
	for (; n < traffic->plan.num && starts[n].ready < until; n++)
		send(traffic, &traffic->letters[starts[n].from],
		     starts[n].ready);
	rig_run(traffic->rig, until < traffic->end ? until : traffic->end);
	return n;
}

void traffic_run_all(struct traffic *traffic)
{
	struct letter *starts = traffic_starts(traffic);

	rig_listen(traffic->rig);
	traffic_run(traffic, starts, 0, UINT64_MAX);
	free(starts);
}
