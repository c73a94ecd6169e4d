/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box of a Xeon E5-2600, with messages counted by hand: what comes for
 * cores, what goes to them, accesses of registers; and that who holds the lock
 * is alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "tests/model/system_rig.h"

/* 32 GB of socket 0 come first. */
enum { N = 40, CORES = 8, LONG_GAP = 20000, SECOND_MEMORY = 32 << 24 };

static struct system machine(unsigned sockets)
{
	return (struct system){ .machine = "xeon-e5-2600", .sockets = sockets };
}

static struct script repeat(struct uncore_access access)
{
	return (struct script){
		.steps = { access },
		.num_steps = 1,
		.repeat = N,
	};
}

/* Messages for cores */

static void an_ipi_counts_where_its_cpu_is(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.cpus[0] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_INTERRUPT, .target = 3 },
			   { .kind = UNCORE_ACCESS_INTERRUPT, .target = 9 },
			   { .kind = UNCORE_ACCESS_INTERRUPT, .target = 15 } },
		.num_steps = 3,
		.repeat = N,
	};
	system_counts(&system, 0, "ubox/EVENT_MSG.IPI_RCVD/", N);
	system_counts(&system, 1, "ubox/EVENT_MSG.IPI_RCVD/", 2 * N);
	system_counts(&system, SYSTEM_ALL, "ubox/EVENT_MSG.MSI_RCVD/", 0);
}

static void devices_interrupt(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.hubs[0] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_INTERRUPT, .target = 1 },
			   { .kind = UNCORE_ACCESS_INTERRUPT, .target = 8 },
			   { .kind = UNCORE_ACCESS_INTERRUPT,
			     .target = UNCORE_IO_SOCKET(1) },
			   { .kind = UNCORE_ACCESS_INTERRUPT,
			     .target = UNCORE_IO_WIRE(2) } },
		.num_steps = 4,
		.repeat = N,
	};
	system_counts(&system, 0, "ubox/EVENT_MSG.MSI_RCVD/", N);
	system_counts(&system, 1, "ubox/EVENT_MSG.MSI_RCVD/", N);
	system_counts(&system, 0, "ubox/EVENT_MSG.DOORBELL_RCVD/", 0);
	system_counts(&system, 1, "ubox/EVENT_MSG.DOORBELL_RCVD/", N);
	system_counts(&system, 0, "ubox/EVENT_MSG.VLW_RCVD/", N);
	system_counts(&system, SYSTEM_ALL, "ubox/EVENT_MSG.IPI_RCVD/", 0);
}

static void a_write_to_the_ubox_is_a_door_bell(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.cpus[2] =
		repeat((struct uncore_access){ .kind = UNCORE_ACCESS_UC_WRITE,
					       .target = UNCORE_IO_SOCKET(1) });
	system_counts(&system, 0, "ubox/EVENT_MSG.DOORBELL_RCVD/", 0);
	system_counts(&system, 1, "ubox/EVENT_MSG.DOORBELL_RCVD/", N);
	system_counts(&system, SYSTEM_ALL, "ubox/RACU_REQUESTS.COUNT/", 0);
}

/* Registers: of four lines one is the U-Box's own. */
static void registers_of_others_are_on_the_channel(void **state)
{
	static const struct {
		unsigned kind;
		bool is_long;
	} rows[] = { { UNCORE_ACCESS_CFG_READ, false },
		     { UNCORE_ACCESS_CFG_WRITE, false },
		     { UNCORE_ACCESS_UC_READ, true } };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct system system = machine(1);
		unsigned others = N / 4 * 3;

		system.cpus[0] = repeat((struct uncore_access){
			.kind = (uint8_t)rows[i].kind,
			.target = UNCORE_IO_SOCKET(0) });
		system.cpus[0].spread = 1;
		system_counts(&system, 0, "ubox/RACU_REQUESTS.COUNT/", N);
		system_counts(&system, 0, "ubox/MSG_CHNL_SIZE_COUNT.4B/",
			      rows[i].is_long ? 0 : others);
		system_counts(&system, 0, "ubox/MSG_CHNL_SIZE_COUNT.8B/",
			      rows[i].is_long ? others : 0);
		system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/",
			      0);
	}
}

/* Messages to cores */

static void all_cores_of_the_socket_hear_a_special_cycle(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.cpus[9] = repeat((struct uncore_access){
		.kind = UNCORE_ACCESS_SPECIAL, .target = UNCORE_SPECIAL_INVD });
	system_counts(&system, 0, "ubox/U2C_EVENTS.OTHER/", 0);
	system_counts(&system, 1, "ubox/U2C_EVENTS.OTHER/", N * CORES);
}

static void all_cores_hear_of_machine_checks(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.faults[0] = "mc-corrected:count=3";
	system.faults[1] = "mc-fatal:count=2,socket=1";
	system.cpus[0] = repeat((struct uncore_access){
		.kind = UNCORE_ACCESS_NONE, .gap = LONG_GAP });
	system_counts(&system, SYSTEM_ALL, "ubox/U2C_EVENTS.CMC/",
		      2 * 3 * CORES);
	system_counts(&system, 0, "ubox/U2C_EVENTS.UMC/", 0);
	system_counts(&system, 1, "ubox/U2C_EVENTS.UMC/", 2 * CORES);
}

/* Each error that another box finds, and PROCHOT from outside, is told to all
 * cores: of memory in its own socket, of a link in the one that receives. */
static void all_cores_hear_of_what_boxes_find(void **state)
{
	static const struct {
		const char *fault, *cause, *heard;
	} rows[] = {
		{ "ecc:count=3,socket=1", "imc/ECC_CORRECTABLE_ERRORS/",
		  "ubox/U2C_EVENTS.CMC/" },
		{ "qpi-crc:count=3,socket=0", "qpi/RxL_CRC_ERRORS.NORMAL_OP/",
		  "ubox/U2C_EVENTS.CMC/" },
	};
	struct system system = machine(2);

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		system.cpus[i] = (struct script){
			.steps = { { .line = i * 100000 },
				   { .line = SECOND_MEMORY + i * 100000 } },
			.num_steps = 2,
			.repeat = N,
			.spread = 1,
		};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int socket = 0; socket < 2; socket++) {
			uint64_t causes;

			system.faults[0] = rows[i].fault;
			causes = system_count(&system, socket, rows[i].cause);
			assert_int_equal(causes, socket * 3);
			system_counts(&system, socket, rows[i].heard,
				      causes * CORES);
		}
	system.faults[0] = "prochot:count=2,socket=1";
	system.settings[0] = "heat.forcepr_cycles=1000";
	system.cpus[0] = repeat((struct uncore_access){
		.kind = UNCORE_ACCESS_NONE, .gap = LONG_GAP });
	system_counts(&system, 0, "ubox/U2C_EVENTS.OTHER/", 0);
	system_counts(&system, 1, "ubox/U2C_EVENTS.OTHER/", 2 * CORES);
}

/* Sleep: nothing but what is tried wakes a core; if it did not come each time,
 * the machine would stand still. */

static struct script sleeper(uint64_t line)
{
	return repeat((struct uncore_access){ .kind = UNCORE_ACCESS_SLEEP,
					      .line = line });
}

static void an_interrupt_wakes(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.settings[0] = "core.c6_timer=1000000000000";
	system.cpus[9] = sleeper(77);
	system.hubs[0] =
		repeat((struct uncore_access){ .kind = UNCORE_ACCESS_INTERRUPT,
					       .target = 9,
					       .gap = LONG_GAP });
	system_counts(&system, 1, "ubox/EVENT_MSG.MSI_RCVD/", N);
	/* asleep and awake each time */
	system_counts(&system, 1, "ubox/EVENT_MSG.INT_PRIO/", 2 * N);
	system_counts(&system, 0, "ubox/EVENT_MSG.INT_PRIO/", 0);
	system_counts(&system, SYSTEM_ALL, "ubox/U2C_EVENTS.MONITOR_T0/", 0);
}

static void a_write_to_the_monitored_line_wakes(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.settings[0] = "core.c6_timer=1000000000000";
	system.cpus[9] = sleeper(77);
	system.cpus[0] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_OWN,
			     .line = 77,
			     .gap = 2 * LONG_GAP },
			   { .kind = UNCORE_ACCESS_OWN, .line = 78 } },
		.num_steps = 2,
		.repeat = N / 2,
	};
	system.hubs[1] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_OWN,
			     .line = 77,
			     .gap = LONG_GAP } },
		.num_steps = 1,
		.repeat = 10 * N,
	};
	system_counts(&system, 1, "ubox/U2C_EVENTS.MONITOR_T0/", N);
	system_counts(&system, 0, "ubox/U2C_EVENTS.MONITOR_T0/", 0);
}

/* Locks */

static void a_lock_stops_and_starts_all_others(void **state)
{
	struct system system = machine(2);

	(void)state;
	system.cpus[3] =
		repeat((struct uncore_access){ .kind = UNCORE_ACCESS_LOCK });
	system_counts(&system, 0, "ubox/LOCK_CYCLES/", N);
	system_counts(&system, 1, "ubox/LOCK_CYCLES/", 0);
	system_counts(&system, 0, "ubox/U2C_EVENTS.OTHER/",
		      2 * N * (CORES - 1));
	system_counts(&system, 1, "ubox/U2C_EVENTS.OTHER/", 2 * N * CORES);
	/* and the devices of both sockets */
	system_counts(&system, 0, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/", 2 * N);
	system_counts(&system, 1, "r2pcie/IIO_CREDITS_ACQUIRED.NCS/", 2 * N);
}

static struct system fight(void)
{
	struct system system = machine(2);

	for (unsigned i = 0; i < 2 * CORES; i++)
		system.cpus[i] = (struct script){
			.steps = { { .kind = UNCORE_ACCESS_LOCK, .line = 5 },
				   { .kind = UNCORE_ACCESS_READ,
				     .line = 1000 + i * 1000,
				     .gap = 50 } },
			.num_steps = 2,
			.repeat = 10,
			.spread = 3,
		};
	for (unsigned i = 0; i < 2; i++)
		system.hubs[i] = (struct script){
			.steps = { { .kind = UNCORE_ACCESS_NT_WRITE,
				     .line = 40000 },
				   { .kind = UNCORE_ACCESS_READ },
				   { .kind = UNCORE_ACCESS_LOCK,
				     .line = 50000,
				     .gap = 500 } },
			.num_steps = 3,
			.repeat = 20,
			.spread = 1,
		};
	return system;
}

static void all_get_the_lock(void **state)
{
	struct system system = fight();
	/* of a core all others hear, of a device all */
	unsigned heard = 2 * CORES * 10 * (2 * CORES - 1) + 2 * 20 * 2 * CORES;

	(void)state;
	system_counts(&system, 0, "ubox/LOCK_CYCLES/", CORES * 10);
	system_counts(&system, 1, "ubox/LOCK_CYCLES/", CORES * 10);
	system_counts(&system, SYSTEM_ALL, "ubox/U2C_EVENTS.OTHER/", 2 * heard);
	for (unsigned i = 0; i < 2; i++) {
		system_counts(&system, (int)i,
			      "ubox/PHOLD_CYCLES.ASSERT_TO_ACK,thresh=1,edge/",
			      20);
		system_counts(
			&system, (int)i,
			"ubox/PHOLD_CYCLES.ACK_TO_DEASSERT,thresh=1,edge/", 20);
	}
}

/* Cores that write under the lock now, but for one that is looked for. */
static const struct core *writer(const struct system *system)
{
	const struct socket *any = system->model->sockets[0];
	const struct core *found = NULL;

	for (unsigned i = 0; i < 2 * CORES; i++) {
		const struct core *core = socket_any_core(any, i);

		if (core->step != STEP_LOCKED)
			continue;
		assert_null(found);
		found = core;
	}
	return found;
}

static void nobody_else_may_start(const struct system *system,
				  const struct core *holder)
{
	const struct socket *any = system->model->sockets[0];
	uint64_t now = uncore_model_cycle(system->model);

	for (unsigned i = 0; i < 2 * CORES; i++) {
		const struct core *core = socket_any_core(any, i);

		assert_int_equal(core->is_stopped, core != holder);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_true(any->ep->sockets[i].iio->devices.is_stopped);
		assert_true(any->ep->sockets[i].iio->devices.busy_until <= now);
	}
}

static void who_holds_the_lock_is_alone(void **state)
{
	struct system system = fight();
	const struct core *before = NULL;
	unsigned num = 0;

	(void)state;
	system_start(&system, NULL);
	for (unsigned i = 0; i < 2000000 && num < 2 * CORES * 10; i++) {
		const struct core *holder;

		uncore_model_run(system.model, 1);
		holder = writer(&system);
		num += holder && holder != before;
		before = holder;
		if (holder)
			nobody_else_may_start(&system, holder);
	}
	assert_int_equal(num, 2 * CORES * 10);
	system_finish(&system);
	system_end(&system);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ipi_counts_where_its_cpu_is),
		cmocka_unit_test(devices_interrupt),
		cmocka_unit_test(a_write_to_the_ubox_is_a_door_bell),
		cmocka_unit_test(registers_of_others_are_on_the_channel),
		cmocka_unit_test(all_cores_of_the_socket_hear_a_special_cycle),
		cmocka_unit_test(all_cores_hear_of_machine_checks),
		cmocka_unit_test(all_cores_hear_of_what_boxes_find),
		cmocka_unit_test(an_interrupt_wakes),
		cmocka_unit_test(a_write_to_the_monitored_line_wakes),
		cmocka_unit_test(a_lock_stops_and_starts_all_others),
		cmocka_unit_test(all_get_the_lock),
		cmocka_unit_test(who_holds_the_lock_is_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
