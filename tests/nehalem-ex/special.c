/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What passes no cache, from outside, with the machine's default parameters:
 * how long each kind takes with nothing in its way, worked out by hand, and
 * what must hold when much is. A special request has its MAF entry from the
 * pass that acknowledges it until its answer is at the C-Box, so that is what
 * is summed.
 *
 * Core 0 is at ring stop 0, its S-Box at stop 2: 2 hops over AD and AK, 3
 * cycles for the two slots over BL. An S-Box takes 6 cycles, 4 for a line that
 * may use the half-line bypass; an R-Box 8 and the flits, a link 5/3 cycles a
 * flit and 60; the U-Box 12; what leaves U-Box or hub does so in the next
 * cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/model.h"
#include "model/nehalem-ex/hub.h"
#include "tests/truth/lab.h"

enum { N = 100, CORES = 10 };

/* Cycles that N special requests take. */
static uint64_t cycles_of(unsigned sockets, const char *workload,
			  const char *setting)
{
	const struct lab lab = {
		.sockets = sockets,
		.workload = workload,
		.settings = { setting },
	};

	return lab_count(&lab, LAB_ALL, "cbox/OCCUPANCY_MAF/");
}

static void a_register_of_the_own_socket(void **state)
{
	/* NcCfgRd: 1 flit there, a line of 9 back */
	const unsigned way = 2 + 6 + (8 + 1) + 12, back = 1 + (8 + 9) + 4 + 2;

	(void)state;
	/* of four lines one is the U-Box's, one of the ring, two of B-Boxes */
	assert_int_equal(
		cycles_of(1, "io:threads=1,op=cfgread,target=socket0,count=100",
			  NULL),
		N * (way + 40 + back) + N / 4 * 24 + N / 2 * 16);
}

static void a_device(void **state)
{
	/* NcRdPtl; 9 flits are 15 cycles on the link */
	const unsigned way = 2 + 6 + (8 + 2 + 60);
	const unsigned back = 1 + (15 + 60 + 8) + 4 + 2;

	(void)state;
	assert_int_equal(cycles_of(1, "io:threads=1,op=read,count=100", NULL),
			 N * (way + 400 + back));
	/* At the other socket: an R-Box and a link more. The second R-Box reads
	 * the flits so that it has the last one when that comes. */
	assert_int_equal(cycles_of(2,
				   "io:threads=1,op=read,target=hub1,count=100",
				   "io.hubs=2"),
			 N * (way + (8 - 1) + (2 + 60) + 400 + back + (8 - 9) +
			      (15 + 60)));
}

static void a_special_cycle(void **state)
{
	/* NcMsgS of 3 flits; the second one from the U-Box leaves 4 cycles
	 * after it was made. The S-Box at stop 8 sends a copy a cycle to the
	 * cores at 6, 7, 9, 10, 11: the last is 4 + 3 cycles later there. */
	const unsigned to_cores = 2 + 6 + (8 + 3) + 12 + 4 + (8 + 3) + 6 + 7;
	/* Cmp of 1 flit to the U-Box, another to the S-Box */
	const unsigned back = 6 + (8 + 1) + 1 + (8 + 1) + 6 + 2;

	(void)state;
	assert_int_equal(cycles_of(1, "special:threads=1,count=100", NULL),
			 N * (to_cores + back));
}

static void an_interrupt(void **state)
{
	/* IntPhysical of 11 flits over BL; core 1 is a hop from its S-Box */
	const unsigned to_core = 3 + 6 + (8 + 11) + 12 + 1 + (8 + 11) + 6 + 1;
	const unsigned back = 6 + (8 + 1) + 1 + (8 + 1) + 6 + 2;

	(void)state;
	assert_int_equal(cycles_of(1, "ipi:threads=1,target=1,count=100", NULL),
			 N * (to_core + back));
}

/* StopReq1 and StartReq2 go the way of a special cycle. The core writes to a
 * line that it owns after the first time. */
static void a_lock_without_hubs(void **state)
{
	const char *workload = "lock:threads=1,size=64,count=100";
	const uint64_t first =
		cycles_of(1, "lock:threads=1,size=64,count=1", "io.hubs=0");

	(void)state;
	assert_int_equal(cycles_of(1, workload, "io.hubs=0") - first,
			 (N - 1) * 2 * 92);
}

/* The third packet is the hub's; its Cmp comes last. */
static void a_lock_waits_for_the_hub(void **state)
{
	const unsigned to_hub = 2 + 6 + (8 + 3) + 12 + 7 + (8 + 5 + 60);
	const unsigned back = 1 + (2 + 60 + 8) + 1 + (8 + 1) + 6 + 2;
	const uint64_t first =
		cycles_of(1, "lock:threads=1,size=64,count=1", NULL);

	(void)state;
	assert_int_equal(
		cycles_of(1, "lock:threads=1,size=64,count=100", NULL) - first,
		(N - 1) * 2 * (to_hub + back));
}

static void c6_goes_through_the_sram(void **state)
{
	const struct lab lab = { .sockets = 1,
				 .workload = "sleep:threads=6,count=3" };
	const struct lab slow = { .sockets = 1,
				  .workload = "sleep:threads=6,count=3",
				  .settings = { "cbox.sram_cycles=23" } };
	/* 15 sleeps of 64 accesses either way; the rest is the same, but that
	 * cores which wake at another time meet others on the ring */
	uint64_t accesses = 15 * 2 * 64;

	(void)state;
	assert_in_range(lab_count(&slow, LAB_ALL, "cbox/OCCUPANCY_MAF/") -
				lab_count(&lab, LAB_ALL, "cbox/OCCUPANCY_MAF/"),
			3 * accesses - accesses / 50,
			3 * accesses + accesses / 50);
}

/* Two locks at the same time: nobody but the one that has it goes on; also
 * where the S-Boxes have as few entries as can be. */
static void locks_wait_in_the_smallest_tables(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = "lock:threads=20,count=20",
	};
	static const char *const rooms[] = { "sbox.request_table=7",
					     "sbox.request_table=8",
					     "sbox.request_table=48" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		lab.settings[0] = rooms[i];
		assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/SPL_NOT_CO/"),
				 20 * 20 * (2 * CORES - 1 + 2 * CORES));
		assert_int_equal(
			lab_count(&lab, 0, "ubox/BUF_VALID_STST,edge_detect/"),
			2 * 20 * 20);
	}
}

static const struct core *core_of(const struct uncore_model *model, unsigned i)
{
	return &model->sockets[0]->ex->sockets[i / CORES].socket->cores[i %
									CORES];
}

/* While a core has the lock no other has it, all others stand, and no device
 * has anything under way. */
static bool check_holder(const struct uncore_model *model)
{
	uint64_t now = sim_now(model->sockets[0]->ex->engine.sim);
	const struct core *holder = NULL;

	for (unsigned i = 0; i < 2 * CORES; i++)
		if (core_of(model, i)->step == STEP_LOCKED) {
			assert_null(holder);
			holder = core_of(model, i);
		}
	for (unsigned i = 0; holder && i < 2 * CORES; i++)
		assert_true(core_of(model, i) == holder ||
			    core_of(model, i)->is_stopped);
	for (unsigned i = 0; holder && i < 2; i++) {
		const struct devices *devices =
			&model->sockets[0]->ex->sockets[i].hub->devices;

		assert_true(devices->is_stopped && !devices->then);
		assert_true(devices_are_settled(devices, now));
	}
	return holder;
}

static void who_holds_the_lock_is_alone(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = "lock:threads=20,count=10"
			    "+dma:op=mix,size=64K,gap=0,count=3000",
		.settings = { "io.hubs=2" },
	};
	struct uncore_model *model = lab_model(&lab);
	char *error = NULL;
	unsigned num_seen = 0;

	(void)state;
	assert_int_equal(uncore_model_set_workload(model, lab.workload, &error),
			 0);
	while (!uncore_model_finish(model, 37, NULL))
		num_seen += check_holder(model);
	assert_true(num_seen > 100);
	uncore_model_free(model);
}

/* Little's law and conservation, of everything at once. */
static void nothing_is_lost(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = "io:threads=5,op=mix,count=60+ipi:threads=5,"
			    "count=60+lock:threads=4,count=20+"
			    "special:threads=4,op=mix,count=40",
		.settings = { "io.hubs=2" },
	};
	uint64_t requests =
		all(&lab, "cbox/SPL_EGR_SB/") + all(&lab, "cbox/SPL_EGR_NSB/");

	(void)state;
	/* a lock is two; its write may be silent */
	assert_int_equal(requests, 5 * 60 * 2 + 4 * 20 * 2 + 4 * 40);
	assert_int_equal(all(&lab, "cbox/SPL_CO_SB/") +
				 all(&lab, "cbox/SPL_CO_NSB/"),
			 requests);
	assert_int_equal(all(&lab, "ubox/IPIS_SENT/"), 5 * 60);
	assert_int_equal(all(&lab, "cbox/SPL_NOT_CO/"),
			 5 * 60 + 4 * 20 * (4 * CORES - 1) + 4 * 40 * CORES);
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_NCB/"), 5 * 60);
	/* one to an S-Box, twice to four, one to two */
	assert_int_equal(all(&lab, "ubox/U2R_REQUESTS/"),
			 5 * 60 + 4 * 20 * 2 * 4 + 4 * 40 * 2);
}

/* Devices */

static void a_device_access_is_so_many_messages(void **state)
{
	static const struct {
		const char *workload;
		unsigned homs, drs, snoops; /* for each of N lines */
	} rows[] = {
		{ "dma:hub=0,op=read,size=64K,count=100", 1, 0, 2 },
		{ "dma:hub=0,op=write,size=64K,count=100", 2, 1, 2 },
		{ "dma:hub=0,op=twice,size=64K,count=100", 3, 2, 2 },
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct lab lab = { .sockets = 2,
					 .workload = rows[i].workload };

		assert_int_equal(
			all(&lab, "rbox/NEW_PACKETS_RECV.ANY.HOM,port=qpi3/"),
			N * rows[i].homs);
		assert_int_equal(
			all(&lab, "rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi3/"),
			N * rows[i].drs);
		assert_int_equal(all(&lab, "sbox/PKTS_RCVD_SNP/"),
				 N * rows[i].snoops);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH/"),
				 N * rows[i].homs);
	}
}

/* A hub has no more under way than it and the homes have room for. */
static void a_hub_keeps_its_bounds(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = "dma:hub=0,op=mix,size=64K,gap=0,count=400",
		.settings = { "io.requests=5", "io.tracker=2" },
	};
	struct uncore_model *model = lab_model(&lab);
	const struct hub *hub = model->sockets[0]->ex->sockets[0].hub;
	char *error = NULL;
	unsigned most = 0;

	(void)state;
	assert_int_equal(uncore_model_set_workload(model, lab.workload, &error),
			 0);
	while (!uncore_model_finish(model, 7, NULL)) {
		uint64_t now = sim_now(model->sockets[0]->ex->engine.sim);
		unsigned num = places_taken(&hub->devices.requests, now);

		most = num > most ? num : most;
		assert_true(num <= 5);
		for (unsigned i = 0; i < HUB_MAX_HOMES; i++)
			assert_true(places_taken(&hub->credits[i], now) <= 2);
	}
	assert_int_equal(most, 4); /* two homes in the node's memory */
	uncore_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_of_the_own_socket),
		cmocka_unit_test(a_device),
		cmocka_unit_test(a_special_cycle),
		cmocka_unit_test(an_interrupt),
		cmocka_unit_test(a_lock_without_hubs),
		cmocka_unit_test(a_lock_waits_for_the_hub),
		cmocka_unit_test(c6_goes_through_the_sram),
		cmocka_unit_test(locks_wait_in_the_smallest_tables),
		cmocka_unit_test(who_holds_the_lock_is_alone),
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(a_device_access_is_so_many_messages),
		cmocka_unit_test(a_hub_keeps_its_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
