/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Virtual networks and I/O hubs: a packet has VN0 on its first link and VN1 on
 * its second, VNA while there is room; hubs are reached over a link, and what
 * that costs can be computed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/box/qpi_map.h"
#include "rbox_rig.h"
#include "signals.h"

static const unsigned flits_of[] = { 1, 1, 1, 9, 3, 11 };

static struct rbox_config defaults(void)
{
	struct rbox_config config;

	rbox_config_init(&config);
	return config;
}

static uint64_t sum(struct rig *rig, unsigned first, unsigned n)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < n; i++)
		total += rig_signal_sum(rig, first + i);
	return total;
}

static unsigned num_links(struct rig *rig, unsigned from, unsigned to)
{
	const struct rig_box *a = rig_box(rig, from), *b = rig_box(rig, to);

	return qpi_hops(rig->num_sockets, a->socket, b->socket) +
	       NODE_IS_IOH(a->node) + NODE_IS_IOH(b->node);
}

/* How often packets passed R-Boxes, on their first way in by VN0 or VN1 as they
 * were sent, and by a second link. */
struct passages {
	uint64_t all, second, flits, on_vn1;
};

static struct passages count_passages(struct rig *rig)
{
	struct passages p = { 0, 0, 0, 0 };

	for (unsigned from = 0; from < rig->num_boxes; from++)
		for (unsigned to = 0; to < rig->num_boxes; to++)
			for (unsigned cls = 0; cls < PACKET_NUM_CLASSES;
			     cls++) {
				uint64_t n = rig_got(rig, from, to, cls);
				unsigned links = num_links(rig, from, to);
				unsigned rboxes =
					1 + qpi_hops(rig->num_sockets,
						     rig_box(rig, from)->socket,
						     rig_box(rig, to)->socket);
				bool ends_at_hub =
					NODE_IS_IOH(rig_box(rig, to)->node);

				assert_true(links <= 2 || !n);
				p.all += n * rboxes;
				p.flits += n * rboxes * flits_of[cls];
				/* a hub receives the second link itself */
				if (links == 2 && !ends_at_hub)
					p.second += n;
				if (rig_box(rig, from)->uses_vn1 && to & 1)
					p.on_vn1 += n * rboxes;
			}
	return p;
}

static struct rig *storm(unsigned num_sockets, unsigned num_hubs,
			 unsigned vna_flits, bool uses_vn1)
{
	struct rbox_config config = defaults();
	struct rig *rig;

	config.vna_flits = vna_flits;
	rig = rig_new_with_hubs(num_sockets, num_hubs, &config, true);
	for (unsigned i = 0; i < rig->num_boxes; i++) {
		struct rig_box *box = rig_box(rig, i);

		box->uses_vn1 = uses_vn1;
		box->refuse_percent = 10;
		/* hub to hub may take three links; nobody does that */
		if (NODE_IS_IOH(box->node))
			box->only_dest = (int)((i * 4 + 1) % (num_sockets * 4));
	}
	rig_fill(rig, 400, num_sockets + vna_flits);
	assert_true(rig_finish(rig, 40000000));
	rig_check_quiet(rig);
	return rig;
}

/* What every mixture of networks has to fulfil. */
static void check_sums(struct rig *rig)
{
	struct passages p = count_passages(rig);

	assert_int_equal(sum(rig, SIG_RBOX_NEW_PACKETS_RECV_VN0_NCB, 18),
			 p.all);
	assert_int_equal(sum(rig, SIG_RBOX_ALLOC_TO_ARB_NCB, 7), p.all);
	assert_int_equal(sum(rig, SIG_RBOX_TARGET_AVAILABLE_VN0_HOM, 16),
			 p.all);
	assert_int_equal(sum(rig, SIG_RBOX_FLITS_SENT, 1), p.flits);
	assert_int_equal(sum(rig, SIG_RBOX_QUE_ARB_BID_HOM, 6),
			 sum(rig, SIG_RBOX_QUE_ARB_BID_FAIL_HOM, 6) +
				 sum(rig, SIG_RBOX_LOCAL_ARB_BID_HOM, 6));
}

static void without_vna_second_links_are_all_of_vn1(void **state)
{
	static const unsigned sockets[] = { 1, 2, 4, 6, 8 };

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct rig *rig = storm(sockets[i], 0, 0, false);
		struct passages p = count_passages(rig);

		check_sums(rig);
		assert_int_equal(sum(rig, SIG_RBOX_NEW_PACKETS_RECV_VN1_NCB, 6),
				 p.second);
		assert_int_equal(sum(rig, SIG_RBOX_NEW_PACKETS_RECV_VNA_NCB, 6),
				 0);
		/* granted for the second link, and again behind it */
		assert_int_equal(sum(rig, SIG_RBOX_TARGET_AVAILABLE_VN1_HOM, 8),
				 2 * p.second);
		rig_free(rig);
	}
}

static void who_travels_on_vn1_is_seen_there(void **state)
{
	struct rig *rig = storm(1, 0, 0, true);
	struct passages p = count_passages(rig);

	(void)state;
	check_sums(rig);
	assert_int_equal(sum(rig, SIG_RBOX_NEW_PACKETS_RECV_VN1_NCB, 6),
			 p.on_vn1);
	assert_int_equal(sum(rig, SIG_RBOX_NEW_PACKETS_RECV_VN0_NCB, 6),
			 p.all - p.on_vn1);
	rig_free(rig);
}

static void networks_mix_at_any_number_of_sockets(void **state)
{
	(void)state;
	for (unsigned num_sockets = 1; num_sockets <= 8; num_sockets++) {
		struct rig *rig = storm(num_sockets, 0, 20, true);

		check_sums(rig);
		rig_free(rig);
		rig = storm(num_sockets, 0, 96, true);
		check_sums(rig);
		rig_free(rig);
	}
}

static void hubs_get_and_send_everything_once(void **state)
{
	(void)state;
	for (unsigned num_sockets = 1; num_sockets <= 4; num_sockets++)
		for (unsigned vna = 0; vna <= 96; vna += 48) {
			struct rig *rig =
				storm(num_sockets, num_sockets, vna, true);

			rig_free(rig);
		}
}

static uint64_t lone_packet(unsigned from, unsigned to, unsigned cls)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new_with_hubs(2, 2, &config, true);

	return rig_lone_packet(rig, from, to, cls);
}

static void the_way_to_a_hub_is_a_link(void **state)
{
	enum { HUB0 = 8, HUB1 };

	(void)state;
	/* R-Box 8, a flit of 5/3 cycles (2), link 40; hubs have no pipeline. */
	assert_int_equal(lone_packet(NODE_BBOX(0, 0), HUB0, PACKET_NDR),
			 8 + 2 + 40);
	assert_int_equal(lone_packet(HUB0, NODE_BBOX(0, 0), PACKET_HOM),
			 2 + 40 + 8);
	assert_int_equal(lone_packet(HUB0, NODE_BBOX(0, 1), PACKET_DRS),
			 15 + 40 + 8);
	/* Two links; the second R-Box begins to read as late as it can. */
	assert_int_equal(lone_packet(HUB1, NODE_BBOX(0, 1), PACKET_HOM),
			 (2 + 40 + 8 - 1) + (2 + 40) + 8);
	assert_int_equal(lone_packet(NODE_SBOX(0, 1), HUB1, PACKET_NCB),
			 (8 + 19 + 40) + (8 - 11) + (19 + 40));
}

static void a_hub_that_takes_nothing_holds_up_its_class_alone(void **state)
{
	struct rbox_config config = defaults();
	struct rig *rig = rig_new_with_hubs(1, 1, &config, true);
	struct rig_box *box = rig_box(rig, NODE_SBOX(0, 0));
	struct rig_box *hub = rig_box(rig, 4);

	(void)state;
	hub->closed_classes = 1u << PACKET_NCB;
	box->only_class = PACKET_NCB;
	box->only_dest = 4;
	box->num_to_send = 50;
	rig_start(box);
	rig_run(rig, 5000);
	assert_int_equal(hub->num_got, 0);
	assert_false(rbox_is_idle(rig->rboxes[0]));
	box = rig_box(rig, NODE_BBOX(0, 0));
	box->only_class = PACKET_NDR;
	box->only_dest = 4;
	box->num_to_send = 50;
	rig_start(box);
	rig_run(rig, 20000);
	assert_int_equal(hub->num_got, 50);
	rig_open(hub);
	assert_true(rig_finish(rig, 20000));
	rig_check_quiet(rig);
	assert_int_equal(hub->num_got, 100);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_vna_second_links_are_all_of_vn1),
		cmocka_unit_test(who_travels_on_vn1_is_seen_there),
		cmocka_unit_test(networks_mix_at_any_number_of_sockets),
		cmocka_unit_test(hubs_get_and_send_everything_once),
		cmocka_unit_test(the_way_to_a_hub_is_a_link),
		cmocka_unit_test(
			a_hub_that_takes_nothing_holds_up_its_class_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
