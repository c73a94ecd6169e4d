/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * R2PCIe and the devices behind it, with messages counted by hand. An access of
 * a core to a device is one message to the IIO, of class NCS where the device
 * answers, NCB where it is a write to its memory, and one answer: data on BL,
 * or an acknowledgement. A device's read is a request on AD and a line (DRS) to
 * the IIO; its write is a request and a line on BL.
 *
 * With nothing in its way a message is in a queue for a cycle, a line in the
 * egress for one for each of its two slots, and a credit is out for the cycles
 * that the IIO needs to take the message and to give it back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/ring.h"
#include "tests/model/system_rig.h"

enum { N = 40, TAKE = 5, GIVE_BACK = 16, LATENCY = 400 };

static struct system machine(unsigned sockets)
{
	return (struct system){ .machine = "xeon-e5-2600", .sockets = sockets };
}

static struct script repeat(struct uncore_access access, unsigned times)
{
	return (struct script){
		.steps = { access },
		.num_steps = 1,
		.repeat = times,
		.spread = 1,
	};
}

/* Core 0 asks a device. */
static struct system asking(unsigned sockets, unsigned kind, unsigned hub)
{
	struct system system = machine(sockets);

	system.cpus[0] = repeat((struct uncore_access){ .kind = (uint8_t)kind,
							.target = (uint16_t)hub,
							.gap = 10 },
				N);
	return system;
}

static void a_read_is_one_message_and_one_answer(void **state)
{
	struct system system = asking(1, UNCORE_ACCESS_UC_READ, 0);

	(void)state;
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/", N);
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_USED.NCS/",
		      N * (TAKE + GIVE_BACK));
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_REJECT.NCS/", 0);
	system_counts(&system, 0, "r2pcie/RxR_CYCLES_NE.NCS/", N);
	system_counts(&system, 0, "r2pcie/RxR_CYCLES_NE.NCB/", 0);
	system_counts(&system, 0, "r2pcie/TxR_INSERTS/", N);
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.BL/", 2 * N);
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.AK/", 0);
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_FULL.BL/", 0);
	system_counts(&system, 0, "r2pcie/TxR_NACKS.BL/", 0);
}

static void a_write_is_acknowledged(void **state)
{
	struct system system = asking(1, UNCORE_ACCESS_UC_WRITE, 0);

	(void)state;
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.NCB/", N);
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/", 0);
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_USED.NCB/",
		      N * (TAKE + GIVE_BACK));
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.AK/", N);
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.BL/", 0);
}

static void each_socket_has_its_devices(void **state)
{
	struct system system = asking(2, UNCORE_ACCESS_IO_READ, 1);

	(void)state;
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/", 0);
	system_counts(&system, 1, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/", N);
	system_counts(&system, 1, "r2pcie/TxR_INSERTS/", N);
}

/* Of the two it is the device that takes long, so a posted write is faster. */
static void only_what_asks_waits_for_the_device(void **state)
{
	struct system system = machine(1);
	struct iio *iio;

	(void)state;
	system_start(&system, NULL);
	iio = system.model->sockets[0]->ep->sockets[0].iio;
	iio_room_from(iio, PACKET_NCS, 0);
	assert_int_equal(iio_serve(iio, UNCORE_ACCESS_CFG_WRITE, 0, 100),
			 100 + 1 + TAKE + LATENCY);
	iio_room_from(iio, PACKET_NCB, 0);
	assert_int_equal(iio_serve(iio, UNCORE_ACCESS_WC_WRITE, 0, 200),
			 200 + 1 + TAKE);
	/* two at once: the IIO takes one after the other */
	iio_room_from(iio, PACKET_NCB, 0);
	assert_int_equal(iio_serve(iio, UNCORE_ACCESS_WC_WRITE, 0, 200),
			 200 + 1 + 2 * TAKE);
	system_finish(&system);
	system_end(&system);
}

/* Devices */

static struct system moving(unsigned kind, unsigned gap)
{
	struct system system = machine(1);

	system.hubs[0] = repeat(
		(struct uncore_access){ .kind = (uint8_t)kind, .gap = gap }, N);
	return system;
}

static void a_device_reads(void **state)
{
	struct system system = moving(UNCORE_ACCESS_READ, 2000);

	(void)state;
	system_counts(&system, 0, "r2pcie/TxR_INSERTS/", N);
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.AD/", N);
	system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.BL/", 0);
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.DRS/", N);
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_USED.DRS/",
		      N * (TAKE + GIVE_BACK));
	system_counts(&system, 0, "r2pcie/RxR_CYCLES_NE.DRS/", N);
}

static void a_device_writes(void **state)
{
	static const struct {
		unsigned kind, times;
	} rows[] = { { UNCORE_ACCESS_OWN, 1 },
		     { UNCORE_ACCESS_NT_WRITE, 2 },
		     { UNCORE_ACCESS_UC_WRITE, 1 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct system system = moving(rows[i].kind, 2000);
		unsigned writes = N * rows[i].times;

		system_counts(&system, 0, "r2pcie/TxR_INSERTS/", 2 * writes);
		system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.AD/", writes);
		system_counts(&system, 0, "r2pcie/TxR_CYCLES_NE.BL/",
			      2 * writes);
		system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.DRS/",
			      0);
	}
}

/* Crowds. One credit is out for its cycles, for each message once; a message in
 * the ingress is either refused or has just come; a place of the egress is
 * taken for a cycle a slot and as long as the ring refuses it. */

static void one_credit_is_out_for_one(void **state)
{
	struct system system = moving(UNCORE_ACCESS_READ, 0);
	uint64_t rejects, cycles;

	(void)state;
	system.settings[0] = "r2pcie.drs_credits=1";
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.DRS/", N);
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_USED.DRS/",
		      N * (TAKE + GIVE_BACK));
	rejects = system_count(&system, 0, "r2pcie/IIO_CREDITS_REJECT.DRS/");
	cycles = system_count(&system, 0, "r2pcie/RxR_CYCLES_NE.DRS/");
	assert_true(rejects > 0);
	assert_in_range(cycles, rejects, rejects + N);
}

static void the_egress_is_full_with_one(void **state)
{
	static const char *const rings[] = { "AD", "AK", "BL" };
	struct system system = moving(UNCORE_ACCESS_OWN, 0);
	uint64_t cycles = 0, refused = 0;

	(void)state;
	system.settings[0] = "r2pcie.egress=1";
	/* answers to all cores, too */
	for (unsigned i = 0; i < 8; i++)
		system.cpus[i] = repeat(
			(struct uncore_access){
				.kind = i % 2 ? UNCORE_ACCESS_UC_READ
					      : UNCORE_ACCESS_UC_WRITE },
			N);
	for (unsigned i = 0; i < 3; i++) {
		char event[64];
		uint64_t inside;

		snprintf(event, sizeof(event), "r2pcie/TxR_CYCLES_NE.%s/",
			 rings[i]);
		inside = system_count(&system, 0, event);
		cycles += inside;
		snprintf(event, sizeof(event), "r2pcie/TxR_CYCLES_FULL.%s/",
			 rings[i]);
		system_counts(&system, 0, event, inside);
		snprintf(event, sizeof(event), "r2pcie/TxR_NACKS.%s/",
			 rings[i]);
		refused += system_count(&system, 0, event);
	}
	/* requests, acknowledgements; lines of writes and answers */
	system_counts(&system, 0, "r2pcie/TxR_INSERTS/", N + 4 * N + N + 4 * N);
	assert_int_equal(cycles - refused, N + 4 * N + 2 * (N + 4 * N));
}

/* R2PCIe's stop is two from the second CBo behind it and the first link. */
static void two_acknowledgements_at_once(void **state)
{
	const char *const events[] = { "r2pcie/RxR_AK_BOUNCES/", NULL };
	struct system system = machine(1);
	unsigned here, before, behind;
	struct ep *ep;

	(void)state;
	system_start(&system, events);
	ep = system.model->sockets[0]->ep;
	here = ep_io_stop(ep);
	before = here - 2;
	behind = here + 2;
	assert_int_equal(
		ring_send(ep, 0, RING_AK, before, here, 100, 1).arrived, 102);
	assert_int_equal(
		ring_send(ep, 0, RING_AK, behind, here, 100, 1).arrived,
		102 + ep->stops.num[0]);
	/* one behind the other is no trouble */
	assert_int_equal(
		ring_send(ep, 0, RING_AK, behind, here, 200, 1).arrived, 202);
	assert_int_equal(
		ring_send(ep, 0, RING_AK, before, here, 201, 1).arrived, 203);
	uncore_model_run(system.model, 1000);
	assert_int_equal(system_read(&system, 0, 0), 1);
	system_finish(&system);
	system_end(&system);
}

/* Each class has its own credits, and all come back: system_end() looks. */
static void everything_at_once_comes_to_rest(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.settings[0] = "r2pcie.ncs_credits=1";
	system.settings[1] = "r2pcie.ncb_credits=1";
	system.settings[2] = "r2pcie.ingress=1";
	for (unsigned i = 0; i < 16; i++)
		system.cpus[i] = (struct script){
			.steps = { { .kind = UNCORE_ACCESS_UC_READ,
				     .target = (uint16_t)(i % 2) },
				   { .kind = UNCORE_ACCESS_WC_WRITE,
				     .target = (uint16_t)(i / 8) },
				   { .kind = UNCORE_ACCESS_IO_WRITE } },
			.num_steps = 3,
			.repeat = N,
			.spread = 1,
		};
	for (unsigned i = 0; i < 2; i++)
		system.hubs[i] = (struct script){
			.steps = { { .kind = UNCORE_ACCESS_READ },
				   { .kind = UNCORE_ACCESS_NT_WRITE },
				   { .kind = UNCORE_ACCESS_INTERRUPT,
				     .target = 9 },
				   { .kind = UNCORE_ACCESS_OWN } },
			.num_steps = 4,
			.repeat = N,
			.spread = i,
		};
	system_counts(&system, SYSTEM_ALL, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/",
		      16 * 2 * N);
	system_counts(&system, SYSTEM_ALL, "r2pcie/IIO_CREDITS_ACQUIRED.NCB/",
		      16 * N);
	system_counts(&system, SYSTEM_ALL, "r2pcie/IIO_CREDITS_ACQUIRED.DRS/",
		      2 * N);
	system_counts(&system, 1, "ubox/EVENT_MSG.MSI_RCVD/", 2 * N);
	system_counts(&system, 0, "ubox/EVENT_MSG.MSI_RCVD/", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_is_one_message_and_one_answer),
		cmocka_unit_test(a_write_is_acknowledged),
		cmocka_unit_test(each_socket_has_its_devices),
		cmocka_unit_test(only_what_asks_waits_for_the_device),
		cmocka_unit_test(a_device_reads),
		cmocka_unit_test(a_device_writes),
		cmocka_unit_test(one_credit_is_out_for_one),
		cmocka_unit_test(the_egress_is_full_with_one),
		cmocka_unit_test(two_acknowledgements_at_once),
		cmocka_unit_test(everything_at_once_comes_to_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
