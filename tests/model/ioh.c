/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * I/O hubs from outside: each line a device reads or writes is so many messages
 * of each kind, what devices and cores read is the latest (the machine checks
 * the values itself), and cores reach the devices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "system_rig.h"

enum { CORES = 10, LINES = 300 };

static struct script access_lines(unsigned kind, uint64_t line, unsigned gap,
				  unsigned times, uint64_t spread)
{
	return (struct script){
		.steps = { { .line = line,
			     .gap = gap,
			     .kind = (uint8_t)kind } },
		.num_steps = 1,
		.repeat = times,
		.spread = spread,
	};
}

static uint64_t reads_of(const struct system *system, unsigned hub)
{
	return system->model->sockets[0]
		->ex->sockets[hub]
		.hub->devices.num_reads;
}

static uint64_t writes_of(const struct system *system, unsigned hub)
{
	return system->model->sockets[0]
		->ex->sockets[hub]
		.hub->devices.num_writes;
}

/* N lines read: N requests and N lines of data, a snoop of each socket. */
static void test_reads(void **state)
{
	static const char *const events[] = {
		"bbox/IMT_INSERTS_IOH/", "sbox/PKTS_RCVD_SNP/",
		"rbox/NEW_PACKETS_RECV.ANY.HOM,port=qpi3/", NULL
	};

	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2) {
		struct system system = { .sockets = sockets };

		system.hubs[0] =
			access_lines(UNCORE_ACCESS_READ, 1 << 20, 5, LINES, 1);
		system_start(&system, events);
		system_finish(&system);
		assert_int_equal(reads_of(&system, 0), LINES);
		assert_int_equal(writes_of(&system, 0), 0);
		assert_int_equal(system_read(&system, 0, SYSTEM_ALL), LINES);
		assert_int_equal(system_read(&system, 1, SYSTEM_ALL),
				 LINES * sockets);
		assert_int_equal(system_read(&system, 2, 0), LINES);
		system_end(&system);
	}
}

static void test_data_of_reads(void **state)
{
	struct system system = { .sockets = 2 };

	(void)state;
	system.hubs[0] = access_lines(UNCORE_ACCESS_READ, 1 << 20, 5, LINES, 1);
	assert_int_equal(system_count(&system, 0, "bbox/DRSQ_INSERTS/") +
				 system_count(&system, 1, "bbox/DRSQ_INSERTS/"),
			 LINES);
}

/* N lines written: N times InvItoE, WbMtoI and its data. */
static void test_writes(void **state)
{
	static const char *const events[][2] = {
		{ "bbox/IMT_INSERTS_IOH_INVITOE/", NULL },
		{ "bbox/IMT_INSERTS_IOH_WR/", NULL },
	};
	struct system system = { .sockets = 2 };
	uint64_t line = (uint64_t)64 << 24; /* in socket 1 */

	(void)state;
	system.hubs[0] = access_lines(UNCORE_ACCESS_OWN, line, 5, LINES, 1);
	for (unsigned i = 0; i < 2; i++) {
		system_start(&system, events[i]);
		system_finish(&system);
		assert_int_equal(writes_of(&system, 0), LINES);
		assert_int_equal(system_read(&system, 0, 1), LINES);
		assert_int_equal(system_read(&system, 0, 0), 0);
		system_end(&system);
	}
}

/* N lines written twice: the first time with WbMtoE, which leaves the line the
 * hub's, so that it does not ask for it again. */
static void test_writes_twice(void **state)
{
	static const char *const events[][4] = {
		{ "bbox/IMT_INSERTS_IOH_INVITOE/",
		  "rbox/DRS.WbEData,port=bbox0/",
		  "rbox/DRS.WbEData,port=bbox1/", NULL },
		{ "bbox/IMT_INSERTS_IOH_WR/", "rbox/DRS.WbIData,port=bbox0/",
		  "rbox/DRS.WbIData,port=bbox1/", NULL },
		{ "mbox/FVC_EV0.BBOX_CMDS.WRITES/", NULL },
	};
	static const unsigned firsts[] = { LINES, 2 * LINES, 2 * LINES };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct system system = { .sockets = 2 };

		system.hubs[0] =
			access_lines(UNCORE_ACCESS_NT_WRITE, 0, 5, LINES, 1);
		system_start(&system, events[i]);
		system_finish(&system);
		assert_int_equal(writes_of(&system, 0), LINES);
		assert_int_equal(system_read(&system, 0, SYSTEM_ALL),
				 firsts[i]);
		if (events[i][1])
			assert_int_equal(
				system_read(&system, 1, SYSTEM_ALL) +
					system_read(&system, 2, SYSTEM_ALL),
				LINES);
		system_end(&system);
	}
}

/* Cores and hubs fight for the same few lines; the machine itself looks at
 * every value read. */
static void test_latest_data(void **state)
{
	static const char *const settings[] = { NULL, "bbox.directory=on" };

	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2)
		for (unsigned s = 0; s < 2; s++) {
			struct system system = {
				.sockets = sockets,
				.settings = { "io.hubs=4", settings[s] },
			};

			for (unsigned i = 0; i < sockets * CORES; i++)
				system.cpus[i] = access_lines(
					i % 3 ? UNCORE_ACCESS_READ
					      : UNCORE_ACCESS_OWN,
					(uint64_t)i % 5, 20 + i, 200, 0);
			for (unsigned i = 0; i < sockets; i++) {
				system.hubs[i] = access_lines(UNCORE_ACCESS_OWN,
							      0, 40, 100, 0);
				system.hubs[i].num_steps = 3;
				system.hubs[i].steps[1] =
					(struct uncore_access){
						.line = i,
						.gap = 3,
						.kind = UNCORE_ACCESS_READ,
					};
				system.hubs[i].steps[2] =
					(struct uncore_access){
						.line = i + 1,
						.gap = 5,
						.kind = UNCORE_ACCESS_NT_WRITE,
					};
			}
			system_start(&system, NULL);
			system_finish(&system);
			for (unsigned i = 0; i < sockets; i++) {
				assert_int_equal(reads_of(&system, i), 100);
				assert_int_equal(writes_of(&system, i), 200);
			}
			/* hubs' reads, and most of the cores' */
			assert_true(values_num_reads(
					    system.model->sockets[0]->values) >
				    sockets * 100);
			system_end(&system);
		}
}

/* Each kind of access reaches the hub of another socket and comes back, after
 * the time of the device at least. */
static void test_accesses_of_cores(void **state)
{
	static const unsigned kinds[] = {
		UNCORE_ACCESS_UC_READ,	UNCORE_ACCESS_UC_WRITE,
		UNCORE_ACCESS_IO_READ,	UNCORE_ACCESS_IO_WRITE,
		UNCORE_ACCESS_CFG_READ, UNCORE_ACCESS_CFG_WRITE,
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct system system = {
			.sockets = 2,
			.settings = { "io.latency=1000" },
		};
		uint64_t cycles;

		system.cpus[CORES] = access_lines(kinds[i], 7, 0, 20, 0);
		system.cpus[CORES].steps[0].target = UNCORE_IO_HUB(0);
		system_start(&system, NULL);
		system_finish(&system);
		cycles = uncore_model_cycle(system.model);
		assert_in_range(cycles, 20 * 1000, 20 * 1500);
		system_end(&system);
	}
}

/* Answers wait for nobody: all cores at once, with DMA in both directions. */
static void test_all_at_once(void **state)
{
	struct system system = { .sockets = 4, .settings = { "io.hubs=2" } };

	(void)state;
	for (unsigned i = 0; i < 4 * CORES; i++) {
		system.cpus[i] = access_lines(i % 2 ? UNCORE_ACCESS_WC_WRITE
						    : UNCORE_ACCESS_UC_READ,
					      i, 0, 100, 1);
		system.cpus[i].steps[0].target = (uint16_t)(i / 2 % 2);
	}
	system.hubs[0] = access_lines(UNCORE_ACCESS_OWN, 0, 0, 1000, 1);
	system.hubs[1] = access_lines(UNCORE_ACCESS_READ, 0, 0, 1000, 1);
	system_start(&system, NULL);
	system_finish(&system);
	assert_int_equal(writes_of(&system, 0), 1000);
	assert_int_equal(reads_of(&system, 1), 1000);
	system_end(&system);
}

/* Interrupts of devices are no IPIs. */
static void test_interrupts(void **state)
{
	struct system system = { .sockets = 2 };

	(void)state;
	system.hubs[0] = access_lines(UNCORE_ACCESS_INTERRUPT, 0, 0, 50, 0);
	system.hubs[0].steps[0].target = 13;
	assert_int_equal(system_count(&system, 1, "cbox/SPL_NOT_CO/"), 50);
	assert_int_equal(system_count(&system, 0, "cbox/SPL_NOT_CO/"), 0);
	assert_int_equal(system_count(&system, SYSTEM_ALL, "ubox/IPIS_SENT/"),
			 0);
	assert_true(system_count(&system, 1, "ubox/BUF_VALID_LOCAL_INT/") > 0);
}

/* A hub that has nothing now is asked again, and a run does not end before. */
static void test_waits_for_traffic(void **state)
{
	struct system system = { .sockets = 2 };

	(void)state;
	system.hubs[0] = access_lines(UNCORE_ACCESS_READ, 0, 100, LINES, 1);
	system.hubs[0].waits = true;
	system_start(&system, NULL);
	assert_true(uncore_model_run_dry(system.model, 0));
	assert_int_equal(system.done_hubs[0], LINES);
	assert_false(uncore_model_finish(system.model, 10000, NULL));
	system.hubs[0].repeat *= 2;
	system.hubs[0].waits = false;
	system_finish(&system);
	assert_int_equal(reads_of(&system, 0), 2 * LINES);
	system_end(&system);
}

static void test_no_hub_with_eight_sockets(void **state)
{
	struct system system = { .sockets = 8 };

	(void)state;
	system_start(&system, NULL);
	for (unsigned i = 0; i < 8; i++)
		assert_null(system.model->sockets[0]->ex->sockets[i].hub);
	system_end(&system);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_data_of_reads),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_writes_twice),
		cmocka_unit_test(test_latest_data),
		cmocka_unit_test(test_accesses_of_cores),
		cmocka_unit_test(test_all_at_once),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_waits_for_traffic),
		cmocka_unit_test(test_no_hub_with_eight_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
