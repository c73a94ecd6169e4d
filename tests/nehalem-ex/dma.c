/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Devices and cores use the same few lines, not so often that requests pile up
 * at a home; the machine itself looks at every value that is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "tests/model/system_rig.h"

enum { CORES = 10, TIMES = 60, LINES = 5 };

/* Hub i writes line 0, reads line i, and writes line i + 1 twice. */
static void give_traffic(struct system *system)
{
	for (unsigned i = 0; i < system->sockets * CORES; i++)
		system->cpus[i] = (struct script){
			.steps = { { .line = i % LINES,
				     .gap = 9000 + 137 * i,
				     .kind = i % 3 ? UNCORE_ACCESS_READ
						   : UNCORE_ACCESS_OWN } },
			.num_steps = 1,
			.repeat = TIMES,
		};
	for (unsigned i = 0; i < system->sockets; i++)
		system->hubs[i] = (struct script){
			.steps = { { .gap = 3000, .kind = UNCORE_ACCESS_OWN },
				   { .line = i,
				     .gap = 1000,
				     .kind = UNCORE_ACCESS_READ },
				   { .line = i + 1,
				     .gap = 2000,
				     .kind = UNCORE_ACCESS_NT_WRITE } },
			.num_steps = 3,
			.repeat = TIMES,
		};
}

static void all_read_the_latest_data(unsigned sockets, const char *setting)
{
	struct system system = {
		.sockets = sockets,
		.settings = { "io.hubs=4", setting },
	};
	const struct hub *hub;

	give_traffic(&system);
	system_start(&system, NULL);
	system_finish(&system);
	for (unsigned i = 0; i < sockets; i++) {
		hub = system.model->sockets[0]->ex->sockets[i].hub;
		assert_int_equal(hub->devices.num_reads, TIMES);
		assert_int_equal(hub->devices.num_writes, 2 * TIMES);
	}
	assert_true(values_num_reads(system.model->sockets[0]->values) >
		    sockets * TIMES);
	system_end(&system);
}

static void devices_snoop(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2)
		all_read_the_latest_data(sockets, NULL);
}

static void homes_snoop_for_devices(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2)
		all_read_the_latest_data(sockets, "bbox.directory=on");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_snoop),
		cmocka_unit_test(homes_snoop_for_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
