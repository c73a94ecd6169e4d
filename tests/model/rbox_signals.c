/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box's signals against each other and against what was sent: flits and
 * packets are conserved, every bid ends, an idle R-Box shows nothing.
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

/* The sum over all ports and sockets of n signals in a row, those of VN1 apart:
 * they are not driven. */
static uint64_t sum(struct rig *rig, unsigned first, unsigned n)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < n; i++)
		if (rig->banks[0].driven[(first + i) * RBOX_NUM_PORTS])
			total += rig_signal_sum(rig, first + i);
	return total;
}

/* Packets and flits times the R-Boxes that they passed. */
static void passages(struct rig *rig, uint64_t *packets, uint64_t *flits)
{
	static const unsigned flits_of[] = { 1, 1, 1, 9, 3, 11 };
	unsigned num_nodes = rig->num_sockets * 4;

	*packets = *flits = 0;
	for (unsigned from = 0; from < num_nodes; from++)
		for (unsigned to = 0; to < num_nodes; to++)
			for (unsigned cls = 0; cls < PACKET_NUM_CLASSES;
			     cls++) {
				uint64_t n = rig_box(rig, to)->got[from][cls] *
					     (1 + qpi_hops(rig->num_sockets,
							   from / 4, to / 4));

				*packets += n;
				*flits += n * flits_of[cls];
			}
}

static void check_laws(struct rig *rig)
{
	uint64_t packets, flits;

	passages(rig, &packets, &flits);
	assert_int_equal(sum(rig, SIG_RBOX_NEW_PACKETS_RECV_VN0_NCB, 18),
			 packets);
	assert_int_equal(sum(rig, SIG_RBOX_ALLOC_TO_ARB_NCB, 7), packets);
	assert_int_equal(sum(rig, SIG_RBOX_XBR_PKT, 1), packets);
	assert_int_equal(sum(rig, SIG_RBOX_TARGET_AVAILABLE_VN0_HOM, 16),
			 packets);
	assert_int_equal(sum(rig, SIG_RBOX_FLITS_SENT, 1), flits);
	assert_int_equal(sum(rig, SIG_RBOX_INQUE_READ_WIN, 1), flits);
	/* A bid at the last stage is granted or fails. */
	assert_int_equal(sum(rig, SIG_RBOX_GLOBAL_ARB_BID_HOM, 6),
			 sum(rig, SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0_HOM, 12) +
				 packets);
	/* Who has a queue bid has a local bid, or no target. */
	assert_int_equal(sum(rig, SIG_RBOX_QUE_ARB_BID_HOM, 6),
			 sum(rig, SIG_RBOX_LOCAL_ARB_BID_HOM, 6) +
				 sum(rig, SIG_RBOX_QUE_ARB_BID_FAIL_HOM, 6));
	assert_true(sum(rig, SIG_RBOX_LOCAL_ARB_BID_HOM, 6) >=
		    sum(rig, SIG_RBOX_LOCAL_ARB_BID_FAIL_HOM, 6));
	assert_true(sum(rig, SIG_RBOX_EOT_DEPTH_HOM_VN0, 8) >=
		    sum(rig, SIG_RBOX_EOT_INSERTS_HOM_VN0, 8));
	assert_true(sum(rig, SIG_RBOX_EOT_DEPTH_HOM_VN0, 8) >=
		    sum(rig, SIG_RBOX_EOT_NE_CYCLES, 1));
}

static bool is_link(const struct rig *rig, unsigned socket, unsigned port)
{
	enum rbox_port there;

	return qpi_peer(rig->num_sockets, socket, port, &there) >= 0;
}

static bool is_inner(unsigned port)
{
	return port == RBOX_PORT_SBOX0 || port == RBOX_PORT_SBOX1 ||
	       port == RBOX_PORT_BBOX0 || port == RBOX_PORT_BBOX1;
}

static void check_levels_at_rest(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		for (unsigned signal = 0; signal < NUM_SIG_RBOX; signal++)
			for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
				assert_int_equal(
					rig_level(rig, socket, signal, port),
					signal == SIG_RBOX_NULL_IDLE &&
						(is_inner(port) ||
						 is_link(rig, socket, port)));
}

/* A link sends a flit or a null flit in every cycle; so does a wire. */
static void check_link(struct rig *rig, unsigned socket, unsigned port)
{
	uint64_t idle = rig_signal(rig, socket, SIG_RBOX_NULL_IDLE, port);
	uint64_t flits = rig_signal(rig, socket, SIG_RBOX_FLITS_SENT, port);
	uint64_t busy, retry;

	if (is_inner(port)) {
		assert_int_equal(idle + flits, rig->now);
		return;
	}
	if (!is_link(rig, socket, port)) {
		assert_int_equal(idle + flits, 0);
		return;
	}
	busy = rig_signal(rig, socket, SIG_RBOX_OUTPUTQ_NE, port);
	retry = rig_signal(rig, socket, SIG_RBOX_RETRYQ_NE, port);
	assert_int_equal(idle + busy, rig->now);
	assert_true(busy * 3 >= flits * 5);
	assert_true(retry >= busy);
}

static void check_links(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
			check_link(rig, socket, port);
}

static void laws_hold(unsigned num_sockets, unsigned refuse_percent,
		      unsigned vna_flits, unsigned pace_cycles)
{
	struct rbox_config config;
	struct rig *rig;

	rbox_config_init(&config);
	config.vna_flits = vna_flits;
	rig = rig_new(num_sockets, &config, true);
	for (unsigned node = 0; node < num_sockets * 4; node++) {
		rig_box(rig, node)->refuse_percent = refuse_percent;
		rig_box(rig, node)->pace_cycles = pace_cycles;
	}
	rig_fill(rig, 1000, 11);
	assert_true(rig_finish(rig, 4000000));
	rig_check_quiet(rig);
	check_laws(rig);
	check_levels_at_rest(rig);
	check_links(rig);
	rig_free(rig);
}

static void laws_hold_at_any_load(void **state)
{
	static const unsigned sockets[] = { 1, 2, 4, 8 };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		laws_hold(sockets[i], 0, 96, 0);
		laws_hold(sockets[i], 30, 96, 0);
		laws_hold(sockets[i], 0, 96, 300);
		laws_hold(sockets[i], 10, 0, 0);
	}
}

/* One packet over an idle network, port by port. */
static void a_lone_data_packet_is_seen_as_it_is(void **state)
{
	struct rbox_config config;
	struct rig *rig;
	struct rig_box *box;

	(void)state;
	rbox_config_init(&config);
	rig = rig_new(2, &config, true);
	box = rig_box(rig, NODE_BBOX(0, 1));
	box->only_class = PACKET_DRS;
	box->only_dest = NODE_SBOX(1, 0);
	box->num_to_send = 1;
	rig_start(box);
	assert_true(rig_finish(rig, 1000));
	rig_run(rig, 1000);

	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_NEW_PACKETS_RECV_VNA_DRS,
				    RBOX_PORT_BBOX1),
			 1);
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_QUE_ARB_BID_DRS, RBOX_PORT_BBOX1),
		1);
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_LOCAL_ARB_BID_DRS, RBOX_PORT_BBOX1),
		1);
	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_LOCAL_ARB_BID_FAIL_DRS,
				    RBOX_PORT_BBOX1),
			 0);
	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_GLOBAL_ARB_BID_DRS,
				    RBOX_PORT_BBOX1),
			 1);
	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_TARGET_AVAILABLE_VN0_VLG,
				    RBOX_PORT_BBOX1),
			 1);
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_FLITS_SENT, RBOX_PORT_QPI0), 9);
	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_XBR_PKT, RBOX_PORT_QPI0),
			 1);
	/* 15 cycles on the link, and 80 more until it is acknowledged. */
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_OUTPUTQ_NE, RBOX_PORT_QPI0), 15);
	assert_int_equal(rig_signal(rig, 0, SIG_RBOX_RETRYQ_NE, RBOX_PORT_QPI0),
			 15 + 80);
	assert_int_equal(rig_signal(rig, 1, SIG_RBOX_NEW_PACKETS_RECV_VNA_DRS,
				    RBOX_PORT_QPI0),
			 1);
	assert_int_equal(
		rig_signal(rig, 1, SIG_RBOX_INQUE_READ_WIN, RBOX_PORT_QPI0), 9);
	assert_int_equal(
		rig_signal(rig, 1, SIG_RBOX_FLITS_SENT, RBOX_PORT_SBOX0), 9);
	assert_int_equal(
		rig_signal(rig, 1, SIG_RBOX_OUTPUTQ_NE, RBOX_PORT_SBOX0), 9);
	rig_free(rig);
}

/* A box that takes nothing: ten short packets of a class pile up. */
static void tables_overflow_and_classes_starve_behind_a_closed_box(void **state)
{
	struct rbox_config config;
	struct rig *rig;
	struct rig_box *box;

	(void)state;
	rbox_config_init(&config);
	rig = rig_new(1, &config, true);
	box = rig_box(rig, NODE_SBOX(0, 0));
	box->only_class = PACKET_SNP;
	box->only_dest = NODE_SBOX(0, 1);
	box->num_to_send = 10;
	rig_box(rig, NODE_SBOX(0, 1))->closed_classes = 1u << PACKET_SNP;
	rig_start(box);
	rig_run(rig, 1000);

	/* Two slots in front of the box, four entries, so four overflow. */
	assert_int_equal(
		rig_level(rig, 0, SIG_RBOX_EOT_DEPTH_SNP, RBOX_PORT_SBOX0), 4);
	assert_int_equal(
		rig_level(rig, 0, SIG_RBOX_EOT_NE_CYCLES, RBOX_PORT_SBOX0), 1);
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_EOT_INSERTS_SNP, RBOX_PORT_SBOX0),
		4);
	assert_int_equal(
		rig_level(rig, 0, SIG_RBOX_QUE_ARB_BID_SNP, RBOX_PORT_SBOX0),
		1);
	assert_int_equal(
		rig_level(rig, 0, SIG_RBOX_LOCAL_ARB_BID_SNP, RBOX_PORT_SBOX0),
		0);
	/* The first come in at cycle 7, two get through by cycle 9; the rest
	 * starves from 256 cycles later on. */
	assert_int_equal(
		rig_signal(rig, 0, SIG_RBOX_STARVING_SNP, RBOX_PORT_SBOX0),
		1000 - (9 + 256));
	rig_open(rig_box(rig, NODE_SBOX(0, 1)));
	assert_true(rig_finish(rig, 1000));
	rig_check_quiet(rig);
	check_levels_at_rest(rig);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_hold_at_any_load),
		cmocka_unit_test(a_lone_data_packet_is_seen_as_it_is),
		cmocka_unit_test(
			tables_overflow_and_classes_starve_behind_a_closed_box),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
