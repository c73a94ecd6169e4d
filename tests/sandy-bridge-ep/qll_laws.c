/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Laws of a link under random traffic both ways, with settings that make each
 * of its parts scarce. In each cycle: flits and idle ones are all there are, a
 * way is in one power state, queues hold what they may. At rest: what was sent
 * was received, and as many flits as packets have; what went past queues and
 * into them is all; credits are taken, used and given back alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "qll_rig.h"

enum { STEPS = 4000, AHEAD = 60 };

#define NUM(ids) (sizeof(ids) / sizeof(*(ids)))

/* Ids of one way of a link, of a sender (0) and of the receiver (1). */
#define SIDES(name)                                                            \
	{                                                                      \
		SIG_QPI_TXL_##name, SIG_QPI_RXL_##name                         \
	}
static const unsigned idle[] = SIDES(FLITS_G0_IDLE);
static const unsigned data[] = SIDES(FLITS_G0_DATA);
static const unsigned non_data[] = SIDES(FLITS_G0_NON_DATA);
static const unsigned l0[] = { SIG_QPI_TXL0_POWER_CYCLES,
			       SIG_QPI_RXL0_POWER_CYCLES };
static const unsigned l0p[] = { SIG_QPI_TXL0P_POWER_CYCLES,
				SIG_QPI_RXL0P_POWER_CYCLES };
/* Flits that have data, and the others, by class as in enum packet_class. */
static const unsigned class_data[][2] = { SIDES(FLITS_G1_DRS_DATA),
					  SIDES(FLITS_G2_NCB_DATA) };
static const unsigned class_others[][2] = {
	SIDES(FLITS_G1_HOM_REQ),    SIDES(FLITS_G1_SNP),
	SIDES(FLITS_G2_NDR_AD),	    SIDES(FLITS_G1_DRS_NONDATA),
	SIDES(FLITS_G2_NCS),	    SIDES(FLITS_G2_NCB_NONDATA),
	SIDES(FLITS_G1_HOM_NONREQ), SIDES(FLITS_G2_NDR_AK),
};

static const unsigned direct[] = {
	SIG_QPI_DIRECT2CORE_SUCCESS,
	SIG_QPI_DIRECT2CORE_FAILURE_CREDITS,
	SIG_QPI_DIRECT2CORE_FAILURE_RBT,
	SIG_QPI_DIRECT2CORE_FAILURE_CREDITS_RBT,
};

/* What a socket has sent. */
static struct sent {
	unsigned packets[PACKET_NUM_CLASSES], all, flits;
	unsigned vna_packets, vna_flits, for_iio, stay, responses;
} sent[2];

static int64_t last(unsigned socket, unsigned id)
{
	return rig_qpi_last(socket, id);
}

static void each_cycle_of_a_side(unsigned socket, unsigned side)
{
	int64_t flits = last(socket, data[side]) + last(socket, non_data[side]);
	int64_t by_class = 0;

	assert_true(last(socket, idle[side]) >= 0);
	assert_int_equal(flits + last(socket, idle[side]),
			 2 * last(socket, l0[side]) + last(socket, l0p[side]));
	assert_int_equal(last(socket, l0[side]) + last(socket, l0p[side]) +
				 last(socket, SIG_QPI_L1_POWER_CYCLES),
			 1);
	for (unsigned i = 0; i < NUM(class_data); i++)
		by_class += last(socket, class_data[i][side]);
	assert_int_equal(by_class, last(socket, data[side]));
	by_class = 0;
	for (unsigned i = 0; i < NUM(class_others); i++)
		by_class += last(socket, class_others[i][side]);
	assert_int_equal(by_class, last(socket, non_data[side]));
}

static void each_cycle(void)
{
	for (unsigned socket = 0; socket < 2; socket++) {
		int64_t inside = 0;

		each_cycle_of_a_side(socket, 0);
		each_cycle_of_a_side(socket, 1);
		for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
			inside += last(socket, QPI_RXL_OCCUPANCY(cls));
		assert_in_range(inside, 0, 128);
		assert_in_range(last(socket, SIG_QPI_TXL_OCCUPANCY), 0,
				(unsigned)rig.param[PARAM_QLL_TX_QUEUE]);
	}
}

static void run_for(unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++) {
		rig_run_to(engine_now(&rig.ep.engine) + 1);
		each_cycle();
	}
}

static void send_one(unsigned socket)
{
	enum packet_class cls = rig_below(PACKET_NUM_CLASSES);
	struct packet packet = rig_packet(cls, 0);
	uint64_t at = engine_now(&rig.ep.engine) + rig_below(AHEAD),
		 wait = rig_below(6);
	struct sent *own = &sent[socket];
	struct qll_trip trip;

	if (cls == PACKET_HOM && rig_below(2)) {
		packet.mc = MC_HOM1;
		own->responses++;
	}
	if (cls >= PACKET_DRS && !rig_below(3)) {
		packet.dest = NODE_IOH(!socket);
		own->for_iio++;
	}
	trip = qll_send(&rig.ep, socket, 0, &packet, at, rig_below(2));
	assert_true(trip.taken >= at);
	assert_true(trip.arrived >= trip.taken + 2 + 2 + 15 + 4 + 1);
	rig_leaves(!socket, 0, cls, trip.arrived, trip.arrived + wait);
	own->stay += 1 + (unsigned)wait;
	own->packets[cls]++;
	own->all++;
	own->flits += packet.flits;
	if (packet.vn == 2) {
		own->vna_packets++;
		own->vna_flits += packet.flits;
	}
}

static void both_ends_agree(unsigned socket)
{
	unsigned far = !socket;

	for (unsigned i = 0; i < NUM(class_data); i++)
		assert_int_equal(rig_qpi(socket, class_data[i][0]),
				 rig_qpi(far, class_data[i][1]));
	for (unsigned i = 0; i < NUM(class_others); i++)
		assert_int_equal(rig_qpi(socket, class_others[i][0]),
				 rig_qpi(far, class_others[i][1]));
}

static void flits_are_those_of_packets(unsigned socket)
{
	const struct sent *own = &sent[socket];

	assert_int_equal(rig_qpi(socket, class_data[0][0]),
			 8 * own->packets[PACKET_DRS]);
	assert_int_equal(rig_qpi(socket, class_data[1][0]),
			 8 * own->packets[PACKET_NCB]);
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++) {
		static const unsigned others[] = { 1, 1, 1, 1, 3, 3 };

		assert_int_equal(rig_qpi(socket, class_others[cls][0]),
				 others[cls] * own->packets[cls] -
					 (cls ? 0 : own->responses));
	}
	assert_int_equal(rig_qpi(socket, SIG_QPI_TXL_FLITS_G1_HOM_NONREQ),
			 own->responses);
	assert_int_equal(rig_qpi(socket, SIG_QPI_TXL_INSERTS) +
				 rig_qpi(socket, SIG_QPI_TXL_BYPASSED),
			 own->flits);
	assert_int_equal(rig_sum(rig.qpi[!socket][0], QPI_RXL_INSERTS(0),
				 NUM_QPI_RXL_INSERTS) +
				 rig_qpi(!socket, SIG_QPI_RXL_BYPASSED),
			 own->flits);
}

static void credits_are_alike(unsigned socket)
{
	const struct sent *own = &sent[socket];
	unsigned far = !socket, vn0 = own->all - own->vna_packets;
	uint64_t used = 0, in = 0;

	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++) {
		assert_int_equal(
			rig_r3(socket, R3QPI_VN0_CREDITS_USED(cls)),
			rig_qpi(far, QPI_RXL_CREDITS_CONSUMED_VN0(cls)));
		used += rig_r3(socket, R3QPI_VN0_CREDITS_USED(cls));
		in += rig_r3(socket, R3QPI_RXR_INSERTS(cls));
	}
	assert_int_equal(used, vn0);
	assert_int_equal(in + rig_r3(socket, SIG_R3QPI_RXR_BYPASSED_AD),
			 own->all);
	assert_int_equal(rig_qpi(far, SIG_QPI_RXL_CREDITS_CONSUMED_VNA),
			 own->vna_packets);
	assert_int_equal(rig_sum(rig.r3qpi[socket][0],
				 R3QPI_VNA_CREDITS_ACQUIRED(0),
				 NUM_R3QPI_VNA_CREDITS_ACQUIRED),
			 own->vna_flits);
	assert_int_equal(rig_qpi(far, SIG_QPI_VNA_CREDIT_RETURNS),
			 own->vna_flits);
	assert_true(rig_qpi(far, SIG_QPI_VNA_CREDIT_RETURN_OCCUPANCY) >=
		    2 * own->vna_flits);
}

static void the_far_ring_stop(unsigned socket)
{
	const struct sent *own = &sent[socket];
	unsigned far = !socket;
	uint64_t iio = 0;

	assert_int_equal(rig_qpi(far, SIG_QPI_CTO_COUNT), own->all);
	assert_int_equal(rig_r3(far, SIG_R3QPI_TXR_INSERTS), own->all);
	assert_true(rig_r3(far, SIG_R3QPI_TXR_CYCLES_NE) == own->stay);
	iio += rig_r3(far, SIG_R3QPI_IIO_CREDITS_ACQUIRED_DRS);
	iio += rig_r3(far, SIG_R3QPI_IIO_CREDITS_ACQUIRED_NCS);
	iio += rig_r3(far, SIG_R3QPI_IIO_CREDITS_ACQUIRED_NCB);
	assert_int_equal(iio, own->for_iio);
	assert_in_range(rig_qpi_all(far, direct, NUM(direct)), 1,
			own->packets[PACKET_DRS]);
}

static void at_rest(void)
{
	uint64_t errors = 0;

	while (engine_now(&rig.ep.engine) <= rig.ep.engine.busy_until)
		run_for(1);
	run_for(1);
	for (unsigned socket = 0; socket < 2; socket++) {
		assert_null(qll_check_rest(rig.ep.sockets[socket].qlls[0],
					   engine_now(&rig.ep.engine)));
		both_ends_agree(socket);
		flits_are_those_of_packets(socket);
		credits_are_alike(socket);
		the_far_ring_stop(socket);
		errors += rig.sockets[socket].faults.injected[FAULT_QPI_CRC];
		errors -= rig_qpi(socket, SIG_QPI_RXL_CRC_ERRORS_NORMAL_OP);
		errors -= rig_qpi(socket, SIG_QPI_RXL_CRC_ERRORS_LINK_INIT);
	}
	assert_int_equal(errors, 0);
}

/* So many of a hundred cycles have messages. */
static void random_traffic(unsigned busy, const char *faults)
{
	sent[0] = sent[1] = (struct sent){ .all = 0 };
	rig_start(2, faults);
	for (unsigned step = 0; step < STEPS; step++) {
		for (unsigned socket = 0; socket < 2; socket++)
			if (rig_below(100) < busy)
				send_one(socket);
		run_for(1 + rig_below(2));
		if (!rig_below(200))
			run_for(rig_below(400));
	}
	at_rest();
	rig_stop();
}

static void with_little_to_do(void **state)
{
	(void)state;
	rig_defaults();
	random_traffic(5, NULL);
}

static void with_much_to_do(void **state)
{
	(void)state;
	rig_defaults();
	random_traffic(60, NULL);
}

static void with_half_of_the_lanes(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_HALF_AFTER] = 20;
	random_traffic(10, NULL);
}

static void with_links_that_sleep(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_HALF_AFTER] = 20;
	rig.param[PARAM_QPI_IDLE_CYCLES] = 60;
	rig.param[PARAM_QPI_WAKE_CYCLES] = 30;
	random_traffic(3, NULL);
	rig.param[PARAM_QLL_HALF_AFTER] = 0;
	random_traffic(3, NULL);
}

static void with_few_credits(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_VNA] = 12;
	random_traffic(20, NULL);
	rig.param[PARAM_QLL_VNA] = 0;
	random_traffic(20, NULL);
}

static void with_short_queues(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_R3QPI_INGRESS] = 2;
	rig.param[PARAM_R3QPI_EGRESS] = 1;
	rig.param[PARAM_QLL_TX_QUEUE] = 11;
	random_traffic(20, NULL);
	rig.param[PARAM_QLL_RETRY_BUFFER] = 24;
	random_traffic(20, NULL);
}

static void with_errors(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QPI_RESET_CYCLES] = 100;
	random_traffic(10, "qpi-crc:rate=0.02");
	random_traffic(10, "pbox-reset:rate=0.01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_little_to_do),
		cmocka_unit_test(with_much_to_do),
		cmocka_unit_test(with_half_of_the_lanes),
		cmocka_unit_test(with_links_that_sleep),
		cmocka_unit_test(with_few_credits),
		cmocka_unit_test(with_short_queues),
		cmocka_unit_test(with_errors),
	};

	return cmocka_run_group_tests_name("qll_laws", tests, NULL, NULL);
}
