/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box from outside: what cores and hubs asked for, what its events
 * counted, and what arrived have to agree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "system_rig.h"

enum { CORES = 10, TIMES = 30 };

/* What messages reached cores: the C-Box at their stop sees each. */
#define AT_CORES "cbox/SPL_NOT_CO/"

static struct uncore_access to(unsigned kind, unsigned target)
{
	return (struct uncore_access){
		.line = 64,
		.gap = 50,
		.kind = (uint8_t)kind,
		.target = (uint16_t)target,
	};
}

static struct script repeat(struct uncore_access access, unsigned times)
{
	return (struct script){
		.steps = { access },
		.num_steps = 1,
		.repeat = times,
	};
}

static uint64_t edges(struct system *system, int socket, const char *buffer)
{
	char event[64];

	snprintf(event, sizeof(event), "ubox/BUF_VALID_%s,edge_detect/",
		 buffer);
	return system_count(system, socket, event);
}

/* Each CPU interrupts the one seven ahead: those near the end of a socket reach
 * into the other one. */
static void interrupt_others(struct system *system)
{
	*system = (struct system){ .sockets = 2 };
	for (unsigned i = 0; i < 2 * CORES; i++)
		system->cpus[i] = repeat(
			to(UNCORE_ACCESS_INTERRUPT, (i + 7) % (2 * CORES)),
			TIMES);
}

static void test_every_ipi_arrives(void **state)
{
	const uint64_t num = 2 * CORES * TIMES;
	struct system system;

	(void)state;
	interrupt_others(&system);
	assert_int_equal(system_count(&system, SYSTEM_ALL, "ubox/IPIS_SENT/"),
			 num);
	assert_int_equal(system_count(&system, SYSTEM_ALL, AT_CORES), num);
	assert_int_equal(
		system_count(&system, SYSTEM_ALL, "ubox/U2R_REQUESTS/"), num);
	assert_int_equal(
		system_count(&system, SYSTEM_ALL, "sbox/PKTS_RCVD_NCB/"), num);
	assert_int_equal(
		system_count(&system, SYSTEM_ALL, "sbox/PKTS_SENT_NCB/"), num);
}

/* Socket 0 sends three of ten to itself, socket 1 likewise. One at a time each
 * is seen by itself. */
static void test_local_and_remote(void **state)
{
	struct system system = { .sockets = 2 };

	(void)state;
	system.cpus[2] = repeat(to(UNCORE_ACCESS_INTERRUPT, 9), 5);
	assert_int_equal(edges(&system, 0, "LOCAL_INT"), 5);
	assert_int_equal(edges(&system, 0, "REMOTE_INT"), 0);
	system.cpus[2] = repeat(to(UNCORE_ACCESS_INTERRUPT, 10), 5);
	assert_int_equal(edges(&system, 0, "LOCAL_INT"), 0);
	assert_int_equal(edges(&system, 0, "REMOTE_INT"), 5);
	assert_int_equal(edges(&system, 1, "LOCAL_INT"), 0);
	assert_int_equal(system_count(&system, 1, AT_CORES), 5);
}

/* An interrupt to a CPU that is not there ends, and nobody gets it. */
static void test_nobody_there(void **state)
{
	struct system system = { .sockets = 1 };

	(void)state;
	system.cpus[0] = repeat(to(UNCORE_ACCESS_INTERRUPT, 77), 3);
	assert_int_equal(edges(&system, 0, "REMOTE_INT"), 3);
	assert_int_equal(system_count(&system, 0, "ubox/IPIS_SENT/"), 0);
	assert_int_equal(system_count(&system, 0, AT_CORES), 0);
}

/* Every CPU locks; each stop reaches all other cores, each start all. */
static void lock_all(struct system *system, unsigned sockets)
{
	*system = (struct system){ .sockets = sockets };
	for (unsigned i = 0; i < sockets * CORES; i++)
		system->cpus[i] = repeat(to(UNCORE_ACCESS_LOCK, 0), 4);
}

static void test_stops_and_starts(void **state)
{
	struct system system;

	(void)state;
	for (unsigned sockets = 1; sockets <= 8; sockets *= 2) {
		uint64_t cpus = sockets * CORES, locks = cpus * 4;

		lock_all(&system, sockets);
		assert_int_equal(edges(&system, SYSTEM_ALL, "STST"), 2 * locks);
		assert_int_equal(edges(&system, 0, "STST"), 2 * locks);
		assert_int_equal(system_count(&system, SYSTEM_ALL, AT_CORES),
				 locks * (cpus - 1 + cpus));
		/* to each S-Box one of both */
		assert_int_equal(system_count(&system, 0, "ubox/U2R_REQUESTS/"),
				 locks * 2 * 2 * sockets);
	}
}

/* At every look at most one core holds the lock, and then all others stand, and
 * no device has anything under way. */
static void test_locks_never_overlap(void **state)
{
	struct system system;
	unsigned num_seen = 0;

	(void)state;
	lock_all(&system, 2);
	system.settings[0] = "io.hubs=2";
	for (unsigned i = 0; i < 2; i++) {
		system.hubs[i] = repeat(to(UNCORE_ACCESS_OWN, 0), 2000);
		system.hubs[i].steps[0].gap = 0;
		system.hubs[i].spread = 1;
	}
	system_start(&system, NULL);
	while (!uncore_model_finish(system.model, 37, NULL)) {
		const struct core *holder = NULL;

		for (unsigned i = 0; i < 2 * CORES; i++) {
			const struct core *core =
				&system.model->sockets[i / CORES]
					 ->cores[i % CORES];

			if (core->step != STEP_LOCKED)
				continue;
			assert_null(holder);
			holder = core;
		}
		for (unsigned i = 0; holder && i < 2 * CORES; i++) {
			const struct core *core =
				&system.model->sockets[i / CORES]
					 ->cores[i % CORES];

			assert_int_equal(core->is_stopped, core != holder);
		}
		for (unsigned i = 0; holder && i < 2; i++)
			assert_false(devices_are_open(&system.model->sockets[0]
							       ->ex->sockets[i]
							       .hub->devices));
		num_seen += holder != NULL;
	}
	assert_true(num_seen > 10);
	system_end(&system);
}

/* All lock in the same cycle. The quiesce master is in socket 0, whose locks
 * are there before those that have to cross a link, and who comes first is
 * served first: ten times a core of the one, then ten times one of the other.
 */
static void test_locks_are_served_in_order(void **state)
{
	struct system system = { .sockets = 2 };
	unsigned num = 0, last = 2 * CORES;

	(void)state;
	for (unsigned i = 0; i < 2 * CORES; i++)
		system.cpus[i] = repeat(to(UNCORE_ACCESS_LOCK, 0), 1);
	system_start(&system, NULL);
	while (!uncore_model_finish(system.model, 17, NULL))
		for (unsigned i = 0; i < 2 * CORES; i++) {
			const struct core *core =
				&system.model->sockets[i / CORES]
					 ->cores[i % CORES];

			if (core->step != STEP_LOCKED || i == last)
				continue;
			assert_int_equal(i / CORES, num++ / CORES);
			last = i;
		}
	assert_int_equal(num, 2 * CORES);
	system_end(&system);
}

/* Everything at once, in one piece and in steps. */
static void test_steps_change_nothing(void **state)
{
	static const char *const names[] = {
		"ubox/BUF_VALID_STST/",	      "ubox/BUF_VALID_LOCK/",
		"ubox/BUF_VALID_REMOTE_INT/", "ubox/BUF_VALID_LOCAL_INT/",
		"ubox/BUF_VALID_SPC_CYCLES/", "bbox/TF_IOH/",
		"wbox/C_CYCLES_TURBO.CORE1/",
	};
	static const unsigned kinds[] = {
		UNCORE_ACCESS_INTERRUPT, UNCORE_ACCESS_LOCK,
		UNCORE_ACCESS_SPECIAL,	 UNCORE_ACCESS_UC_READ,
		UNCORE_ACCESS_SLEEP,
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *const events[] = { names[i], NULL };
		uint64_t counts[2];

		for (unsigned stepped = 0; stepped < 2; stepped++) {
			struct system system = {
				.sockets = 4,
				.settings = { "core.turbo=2800",
					      "core.ratio_cycles=700",
					      "core.c6_timer=5000" },
			};

			for (unsigned c = 0; c < 4 * CORES; c++)
				system.cpus[c] = repeat(
					to(kinds[c % 5],
					   c % 5 ? 0 : (c + c % 2 * 13) % 40),
					8);
			system.hubs[0] = repeat(to(UNCORE_ACCESS_OWN, 0), 99);
			system.hubs[0].spread = 1;
			system_start(&system, events);
			while (!uncore_model_finish(system.model,
						    stepped ? 61 : 0, NULL))
				;
			counts[stepped] = system_read(&system, 0, SYSTEM_ALL);
			system_end(&system);
		}
		assert_true(counts[0] > 0);
		assert_int_equal(counts[0], counts[1]);
	}
}

static void test_special_cycles(void **state)
{
	struct system system = { .sockets = 2 };

	(void)state;
	system.cpus[13] =
		repeat(to(UNCORE_ACCESS_SPECIAL, UNCORE_SPECIAL_WBINVD), TIMES);
	assert_int_equal(edges(&system, 1, "SPC_CYCLES"), TIMES);
	assert_int_equal(edges(&system, 0, "SPC_CYCLES"), 0);
	assert_int_equal(system_count(&system, 1, AT_CORES), TIMES * CORES);
	assert_int_equal(system_count(&system, 0, AT_CORES), 0);
}

/* Four lines: the U-Box's own, the ring's, two of B-Boxes. */
static void test_configuration(void **state)
{
	static const unsigned kinds[] = { UNCORE_ACCESS_CFG_READ,
					  UNCORE_ACCESS_CFG_WRITE };
	struct system system = { .sockets = 2,
				 .settings = { "ubox.bbox_cycles=10" } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		system.cpus[0] = repeat(to(kinds[i], UNCORE_IO_SOCKET(1)), 40);
		system.cpus[0].spread = 1;
		assert_int_equal(system_count(&system, 1, "ubox/U2R_REQUESTS/"),
				 10);
		assert_int_equal(
			system_count(&system, 1, "ubox/U2B_REQUEST_CYCLES/"),
			20 * 10);
		assert_int_equal(
			system_count(&system, 0, "ubox/U2B_REQUEST_CYCLES/"),
			0);
	}
}

static void test_door_bells(void **state)
{
	struct system system = { .sockets = 2 };

	(void)state;
	system.hubs[0] =
		repeat(to(UNCORE_ACCESS_INTERRUPT, UNCORE_IO_SOCKET(1)), TIMES);
	system.hubs[0].steps[0].gap = 500;
	assert_int_equal(edges(&system, 1, "DOOR_BELL"), TIMES);
	assert_int_equal(edges(&system, 0, "DOOR_BELL"), 0);
}

/* A sleeps; B wakes him, once a time; others hear of it. */
static void test_wakes(void **state)
{
	struct system system = { .sockets = 2 };
	uint64_t wakes;

	(void)state;
	system.cpus[3] = repeat(to(UNCORE_ACCESS_SLEEP, 0), 3);
	system.cpus[0] = repeat(to(UNCORE_ACCESS_INTERRUPT, 3), 10);
	system.cpus[0].steps[0].gap = 20000;
	wakes = system_count(&system, 0, "ubox/WOKEN/");
	assert_int_equal(wakes, 3);
	assert_int_equal(system_count(&system, 1, "ubox/WOKEN/"), 0);
	/* to sleep and awake again */
	assert_int_equal(edges(&system, 0, "PMI_OUT"), 6);
	assert_int_equal(edges(&system, 1, "PMI_IN"), 6);
	assert_int_equal(edges(&system, 0, "PMI_IN"), 0);
}

static size_t number_of_fault(const char *name)
{
	const char *found, *help;

	for (size_t i = 0; uncore_model_fault(i, &found, &help); i++)
		if (!strcmp(found, name))
			return i;
	fail_msg("no fault %s", name);
	return 0;
}

static void test_errors_count_as_injected(void **state)
{
	static const char *const rows[][3] = {
		{ "mc-recoverable", "mc-recoverable:rate=0.3", "ubox/RECOV/" },
		{ "mc-corrected", "mc-corrected:rate=0.3,socket=1",
		  "ubox/CORRECTED_ERR/" },
		{ "mc-uncorrected", "mc-uncorrected:rate=0.3,box=4",
		  "ubox/UNCORRECTED_ERR/" },
		{ "mc-fatal", "mc-fatal:rate=0.3,count=9", "ubox/FATAL_ERR/" },
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct system system = {
			.sockets = 2,
			.faults = { rows[i][1] },
			.settings = { "fault.check_cycles=500" },
		};
		const char *const events[] = { rows[i][2], NULL };
		uint64_t injected;

		system.cpus[0] = repeat(to(UNCORE_ACCESS_NONE, 0), 400);
		system_start(&system, events);
		system_finish(&system);
		injected = uncore_model_injected(system.model,
						 number_of_fault(rows[i][0]));
		assert_true(injected > 3);
		assert_int_equal(system_read(&system, 0, SYSTEM_ALL), injected);
		system_end(&system);
	}
}

/* A fatal error tells the socket's cores to shut down. */
static void test_fatal_shuts_down(void **state)
{
	struct system system = {
		.sockets = 2,
		.faults = { "mc-fatal:at=5000,socket=1,box=3" },
		.settings = { "fault.check_cycles=500" },
	};

	(void)state;
	system.cpus[0] = repeat(to(UNCORE_ACCESS_NONE, 0), 400);
	assert_int_equal(edges(&system, 1, "SPC_CYCLES"), 1);
	assert_int_equal(system_count(&system, 1, AT_CORES), CORES);
	assert_int_equal(system_count(&system, 0, AT_CORES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_ipi_arrives),
		cmocka_unit_test(test_local_and_remote),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_stops_and_starts),
		cmocka_unit_test(test_locks_never_overlap),
		cmocka_unit_test(test_locks_are_served_in_order),
		cmocka_unit_test(test_steps_change_nothing),
		cmocka_unit_test(test_special_cycles),
		cmocka_unit_test(test_configuration),
		cmocka_unit_test(test_door_bells),
		cmocka_unit_test(test_wakes),
		cmocka_unit_test(test_errors_count_as_injected),
		cmocka_unit_test(test_fatal_shuts_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
