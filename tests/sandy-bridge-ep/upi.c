/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A link of UPI: 192 bits by 20 lanes, so five flits, of three slots, in six
 * link cycles. A line is a header in any slot, and nine slots that are three
 * whole flits: four flits, of which other headers may have two slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "qll_rig.h"

enum { LINES = 1500 };

#define SLOTS(side, what) UPI_SLOTS(BY_SIDE_##side, BY_SLOT_##what)

/* 1 GHz: a link cycle is a cycle, a slot two fifths of one. */
static void start(void)
{
	rig_start(2, NULL);
}

static void as_upi(void)
{
	rig_defaults();
	rig.kind.flits = (struct ep_flits){
		.flits = 5, .cycles = 2, .data = 9, .group = 3
	};
}

/* A request at 10 goes past the ingress (2), through the link layer (2): slot
 * 35. A flight is 16 cycles, an even number, 40 slots: it is all there at slot
 * 76, cycle 30.4, so between the clocks from 31 on; 35, 36. */
static void a_request_alone(void **state)
{
	(void)state;
	as_upi();
	start();
	rig_run_to(10);
	assert_int_equal(rig_send(0, rig_packet(PACKET_HOM, 0), 10).arrived,
			 36);
	rig_run_to(200);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, HEADER)), 1);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, DATA)), 0);
	assert_int_equal(rig_qpi(1, SLOTS(RXL, HEADER)), 1);
	rig_stop();
}

/* A line at 0 enters the ingress for 4: slot 10 + 5. Its data begin at slot 18,
 * its header is before them; it is all there at slot 67, cycle 26.8; 31, 32. A
 * request that comes at 1 has slot 15, and so does not wait. */
static void a_line_leaves_slots_to_others(void **state)
{
	(void)state;
	as_upi();
	start();
	assert_int_equal(rig_send(0, rig_packet(PACKET_DRS, 0), 0).arrived, 32);
	assert_int_equal(rig_send(0, rig_packet(PACKET_HOM, 0), 2).arrived, 28);
	rig_run_to(200);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, DATA)), 9);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, HEADER)), 2);
	assert_int_equal(rig_qpi(1, SLOTS(RXL, DATA)), 9);
	assert_int_equal(rig_qpi(1, SLOTS(RXL, HEADER)), 2);
	rig_stop();
}

/* With half of the lanes a slot is as long as two: at 100 slot 265, the first
 * even one whose data begin a flit is 268; 20 slots, 40 of flight: 328, cycle
 * 131.2; 136, 137. */
static void half_of_the_lanes(void **state)
{
	(void)state;
	as_upi();
	rig.param[PARAM_QLL_HALF_AFTER] = 20;
	start();
	rig_run_to(100);
	assert_int_equal(rig_send(0, rig_packet(PACKET_DRS, 0), 100).arrived,
			 137);
	rig_run_to(300);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, DATA)), 9);
	rig_stop();
}

/* Four flits a line: 12 slots of two fifths of a cycle, whether others fill the
 * two that are left or not. */
static void lines_fill_the_wire(unsigned requests)
{
	uint64_t at = 0, full = LINES * 12 * 2 / 5;

	as_upi();
	rig.param[PARAM_QPI_LATENCY] = 4;
	rig.param[PARAM_QLL_VNA] = 200;
	start();
	for (unsigned n = 0; n < LINES; n++) {
		uint64_t taken = at;

		at = rig_send(0, rig_packet(PACKET_DRS, 0), taken).taken;
		for (unsigned i = 0; i < requests; i++)
			rig_send(0, rig_packet(PACKET_SNP, 0), taken);
		rig_run_to(at);
	}
	rig_run_to(rig.ep.engine.busy_until);
	assert_in_range(rig.ep.engine.busy_until, full, full + 100);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, DATA)), LINES * 9);
	assert_int_equal(rig_qpi(0, SLOTS(TXL, HEADER)),
			 LINES * (1 + requests));
	assert_int_equal(rig_qpi(1, SLOTS(RXL, DATA)), LINES * 9);
	rig_stop();
}

static void lines_alone(void **state)
{
	(void)state;
	lines_fill_the_wire(0);
}

static void lines_and_requests(void **state)
{
	(void)state;
	lines_fill_the_wire(2);
}

/* Random traffic: two cycles have five slots and no more; at rest all that was
 * sent has come. */
static void no_two_at_a_time(void **state)
{
	uint64_t sent = 0;

	(void)state;
	as_upi();
	start();
	for (unsigned pair = 0; pair < 6000; pair++) {
		uint64_t now = 2 * pair, all;

		if (pair < 5000 && rig_below(3)) {
			enum packet_class cls = rig_below(PACKET_NUM_CLASSES);

			rig_send(0, rig_packet(cls, 0), now + rig_below(9));
		}
		rig_run_to(now + 2);
		all = rig_qpi(0, SLOTS(TXL, DATA)) +
		      rig_qpi(0, SLOTS(TXL, HEADER));
		assert_in_range(all - sent, 0, 5);
		sent = all;
	}
	assert_int_equal(rig_qpi(1, SLOTS(RXL, DATA)) +
				 rig_qpi(1, SLOTS(RXL, HEADER)),
			 sent);
	assert_true(sent > 5000 * 2);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_alone),
		cmocka_unit_test(a_line_leaves_slots_to_others),
		cmocka_unit_test(half_of_the_lanes),
		cmocka_unit_test(lines_alone),
		cmocka_unit_test(lines_and_requests),
		cmocka_unit_test(no_two_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
