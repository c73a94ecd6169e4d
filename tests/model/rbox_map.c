/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The graphs of QPI links for 1 to 8 sockets: every link has two ends, every
 * packet arrives after at most two hops, no circle of links can lock up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/nehalem-ex/qpi_map.h"

enum {
	HUB_LINKS = RBOX_MAX_SOCKETS * RBOX_NUM_PORTS, /* from hub n */
	MAX_LINKS = HUB_LINKS + RBOX_MAX_SOCKETS,
};

/* Link number of the direction that leaves a socket by a port. */
static unsigned link_of(unsigned socket, unsigned port)
{
	return socket * RBOX_NUM_PORTS + port;
}

static void links_have_two_ends(void **state)
{
	(void)state;
	for (unsigned num = 1; num <= 8; num++)
		for (unsigned socket = 0; socket < num; socket++)
			for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
				enum rbox_port there, back;
				int peer = qpi_peer(num, socket, port, &there);

				if (peer < 0)
					continue;
				assert_int_not_equal(peer, socket);
				assert_int_equal(qpi_peer(num, (unsigned)peer,
							  there, &back),
						 socket);
				assert_int_equal(back, port);
			}
}

static void up_to_five_sockets_are_direct_neighbours(void **state)
{
	(void)state;
	for (unsigned num = 2; num <= 8; num++)
		for (unsigned from = 0; from < num; from++)
			for (unsigned to = 0; to < num; to++) {
				unsigned hops = qpi_hops(num, from, to);

				assert_int_equal(hops == 0, from == to);
				assert_true(hops <= (num <= 5 ? 1u : 2u));
			}
}

/* Follows a route; the number of links, which are put into links[]. */
static unsigned follow(unsigned num, unsigned from, unsigned to,
		       unsigned *links)
{
	unsigned hops = 0;

	while (from != to) {
		enum rbox_port there, port = qpi_route(num, from, to);
		int peer = qpi_peer(num, from, port, &there);

		assert_true(peer >= 0 && hops < 2);
		links[hops++] = link_of(from, port);
		from = (unsigned)peer;
	}
	return hops;
}

static void routes_lead_there_in_the_hops_stated(void **state)
{
	unsigned links[2];

	(void)state;
	for (unsigned num = 2; num <= 8; num++)
		for (unsigned from = 0; from < num; from++)
			for (unsigned to = 0; to < num; to++)
				assert_int_equal(follow(num, from, to, links),
						 qpi_hops(num, from, to));
}

/* Depth first over "link a waits for link b"; 1: on the path, 2: done. */
static void visit(bool waits[MAX_LINKS][MAX_LINKS], uint8_t *mark, unsigned at)
{
	mark[at] = 1;
	for (unsigned next = 0; next < MAX_LINKS; next++) {
		if (!waits[at][next])
			continue;
		assert_int_not_equal(mark[next], 1);
		if (!mark[next])
			visit(waits, mark, next);
	}
	mark[at] = 2;
}

/* What waits for what on the way from one socket or its hub to another. */
static void add_way(bool waits[MAX_LINKS][MAX_LINKS], unsigned num,
		    unsigned from, unsigned to)
{
	unsigned links[4], first = 1, last;

	last = first + follow(num, from, to, links + 1);
	if (num <= 4) { /* there are hubs */
		links[--first] = HUB_LINKS + from;
		links[last++] = link_of(to, RBOX_PORT_QPI3);
	}
	for (unsigned i = first; i + 1 < last; i++)
		waits[links[i]][links[i + 1]] = true;
}

static void no_circle_of_links_waits_for_itself(void **state)
{
	(void)state;
	for (unsigned num = 1; num <= 8; num++) {
		static bool waits[MAX_LINKS][MAX_LINKS];
		uint8_t mark[MAX_LINKS] = { 0 };

		memset(waits, 0, sizeof(waits));
		for (unsigned from = 0; from < num; from++)
			for (unsigned to = 0; to < num; to++)
				add_way(waits, num, from, to);
		for (unsigned at = 0; at < MAX_LINKS; at++)
			if (!mark[at])
				visit(waits, mark, at);
	}
}

static void eight_sockets_load_their_links_evenly(void **state)
{
	unsigned load[MAX_LINKS] = { 0 };
	unsigned links[2];

	(void)state;
	for (unsigned from = 0; from < 8; from++)
		for (unsigned to = 0; to < 8; to++)
			for (unsigned hops = follow(8, from, to, links); hops;)
				load[links[--hops]]++;
	/* 4 direct and 3 distances of two hops: 10 links for 4 ports. */
	for (unsigned socket = 0; socket < 8; socket++)
		for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
			unsigned links_load = load[link_of(socket, port)];

			assert_true(links_load <= 3 && links_load != 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_have_two_ends),
		cmocka_unit_test(up_to_five_sockets_are_direct_neighbours),
		cmocka_unit_test(routes_lead_there_in_the_hops_stated),
		cmocka_unit_test(no_circle_of_links_waits_for_itself),
		cmocka_unit_test(eight_sockets_load_their_links_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
