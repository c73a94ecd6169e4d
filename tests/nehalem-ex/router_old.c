/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See router_old.h. Who finds no credit tries again with the next one, in the
 * order in which the letters are ready.
 */
#include "router_old.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/pmu/tap.h"
#include "router_rig.h"
#include "signals.h"

enum { NUM_IDS = NUM_SIG_RBOX * RBOX_NUM_PORTS, QUEUE = 4096 };

struct box {
	struct old *old;
	unsigned socket, port, node;
	unsigned queue[QUEUE]; /* letters */
	unsigned first, last;
};

struct old {
	unsigned num_sockets;
	struct letter *letters;
	struct sim *sims[RBOX_MAX_SOCKETS];
	struct sigbank *banks[RBOX_MAX_SOCKETS];
	struct rbox *rboxes[RBOX_MAX_SOCKETS];
	struct box boxes[OLD_BOXES];
	unsigned num_boxes;
};

static void pump(struct box *box)
{
	struct old *old = box->old;

	while (box->first != box->last) {
		unsigned n = box->queue[box->first % QUEUE];
		const struct letter *letter = &old->letters[n];
		struct packet packet =
			rig_packet(letter->from, letter->to, letter->cls);

		packet.serial = n;
		if (!rbox_send(old->rboxes[box->socket], box->port, &packet))
			return;
		box->first++;
	}
}

static void is_ready(void *object, uint64_t letter)
{
	struct box *box = object;

	assert_true(box->last - box->first < QUEUE);
	box->queue[box->last++ % QUEUE] = (unsigned)letter;
	pump(box);
}

static void credit(void *object, enum packet_class cls, unsigned vn,
		   unsigned flits)
{
	(void)cls, (void)vn, (void)flits;
	pump(object);
}

static bool deliver(void *object, const struct packet *packet)
{
	struct box *box = object;
	struct old *old = box->old;

	assert_int_equal(packet->dest, box->node);
	old->letters[packet->serial].arrived = sim_now(old->sims[box->socket]);
	return true;
}

static void make_box(struct old *old, unsigned node)
{
	struct box *box = &old->boxes[old->num_boxes++];
	struct rbox_client client = { box, deliver, credit };

	*box = (struct box){ .old = old,
			     .socket = NODE_AT(node),
			     .port = rig_port(node),
			     .node = node };
	assert_true(rbox_attach(old->rboxes[box->socket], box->port, &client));
}

static void make_socket(struct old *old, unsigned socket,
			const struct rbox_config *config)
{
	old->sims[socket] = sim_new();
	old->banks[socket] = tap_bank_new(old->sims[socket], NUM_IDS);
	old->rboxes[socket] = rbox_new(old->sims[socket], old->banks[socket],
				       config, socket, old->num_sockets);
	for (unsigned side = 0; side < 4; side++)
		make_box(old, socket * 4 + side);
}

static void make_hubs_and_links(struct old *old, unsigned num_hubs)
{
	for (unsigned hub = 0; hub < num_hubs; hub++)
		make_box(old, NODE_IOH(hub));
	rbox_connect_all(old->rboxes, old->num_sockets);
	for (unsigned socket = 0; socket < old->num_sockets; socket++)
		rig_listen_to(old->banks[socket]);
}

static void post(struct old *old, unsigned num)
{
	for (unsigned n = 0; n < num; n++)
		for (unsigned i = 0; i < old->num_boxes; i++)
			if (old->boxes[i].node == old->letters[n].from)
				sim_at(old->sims[old->boxes[i].socket],
				       old->letters[n].ready, is_ready,
				       &old->boxes[i], n);
}

static void run_window(struct old *old, uint64_t until)
{
	for (unsigned socket = 0; socket < old->num_sockets; socket++)
		while (sim_now(old->sims[socket]) < until)
			sim_run_until(old->sims[socket], until);
	for (unsigned socket = 0; socket < old->num_sockets; socket++)
		rbox_exchange(old->rboxes[socket]);
}

struct old *old_run(unsigned num_sockets, unsigned num_hubs,
		    const struct rbox_config *config, struct letter *letters,
		    unsigned num, uint64_t end)
{
	struct old *old = calloc(1, sizeof(*old));
	uint64_t now = 0;

	old->num_sockets = num_sockets;
	old->letters = letters;
	for (unsigned socket = 0; socket < num_sockets; socket++)
		make_socket(old, socket, config);
	make_hubs_and_links(old, num_hubs);
	post(old, num);
	while (now < end) {
		now += rbox_window_cycles(config);
		run_window(old, now < end ? now : end);
	}
	return old;
}

void old_free(struct old *old)
{
	for (unsigned socket = 0; socket < old->num_sockets; socket++) {
		rbox_free(old->rboxes[socket]);
		tap_bank_free(old->banks[socket]);
		sim_free(old->sims[socket]);
	}
	free(old);
}

uint64_t old_sum(struct old *old, unsigned signal)
{
	uint64_t sum = 0;

	for (unsigned socket = 0; socket < old->num_sockets; socket++)
		for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
			sum += rig_total(old->banks[socket],
					 signal * RBOX_NUM_PORTS + port);
	return sum;
}
