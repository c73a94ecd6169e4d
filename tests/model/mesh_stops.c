/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The stops of a Xeon Scalable whose tiles are all on: a core reads lines, one
 * after the other, and which slices they were asked of says what its stop, and
 * those on the way, have to count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/parts/fabric/mesh_die.h"
#include "tests/model/system_rig.h"

enum { N = 500, TILES = 18, ROWS = 6 };

static uint64_t count(const char *event)
{
	struct system system = { .machine = "xeon-scalable-1", .sockets = 1 };

	system.settings[0] = "mesh.die=hcc";
	system.settings[1] = "cores=18";
	system.cpus[0] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_READ, .gap = 900 } },
		.num_steps = 1,
		.repeat = N,
		.spread = 1,
	};
	return system_count(&system, 0, event);
}

/* By slice. */
static void count_requests(uint64_t requests[TILES])
{
	char text[64];

	for (unsigned i = 0; i < TILES; i++) {
		snprintf(text, sizeof(text), "cha%u/TOR_INSERTS.IA/", i);
		requests[i] = count(text);
	}
}

/* By the core, which is agent 1; all but those to its own slice, and those to
 * other columns have a credit for the row of the slice. */
static void requests_leave_the_core(void **state)
{
	struct mesh_layout layout =
		mesh_layout(MESH_HCC, mesh_spread(MESH_HCC, TILES));
	uint64_t requests[TILES], by_row[ROWS] = { 0 };
	char text[64];

	(void)state;
	count_requests(requests);
	assert_int_equal(count("cha0/TxR_VERT_INSERTS.AD_AG1/"),
			 N - requests[0]);
	assert_int_equal(count("cha/TxR_VERT_INSERTS.AD_AG1/"),
			 N - requests[0]);
	for (unsigned i = 0; i < TILES; i++)
		if (layout.cores[i] / ROWS != layout.cores[0] / ROWS)
			by_row[layout.cores[i] % ROWS] += requests[i];
	for (unsigned row = 0; row < ROWS; row++) {
		snprintf(text, sizeof(text), "cha/AG1_AD_CRD_ACQUIRED.TGR%u/",
			 row);
		assert_int_equal(count(text), by_row[row]);
	}
	assert_true(by_row[1] && by_row[ROWS - 1]);
}

/* Who has a credit is in the buffer that it is of; AK and IV have none. An M2M
 * is the one agent of its stop. */
static void credits_are_of_buffers(void **state)
{
	static const char *const rings[] = { "AD", "BL" };
	static const char *const boxes[] = { "cha", "m2m" };
	char text[64];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t taken = 0, entered = 0;

		for (unsigned b = 0; b < 2; b++) {
			unsigned agents = b ? 1 : 2;

			snprintf(text, sizeof(text),
				 "%s/TxR_HORZ_INSERTS.%s_CRD/", boxes[b],
				 rings[i]);
			entered += count(text);
			for (unsigned n = 0; n < agents * ROWS; n++) {
				unsigned agent = n % agents;

				snprintf(text, sizeof(text),
					 "%s/AG%u_%s_%s_ACQUIRED.TGR%u/",
					 boxes[b], agent, rings[i],
					 agent && i ? "CREDITS" : "CRD",
					 n / agents);
				taken += count(text);
			}
		}
		assert_int_equal(entered, taken);
		/* half of the lines are of the controller in another column */
		assert_true(taken > N / 4);
	}
}

/* The two slots of a line follow each other. */
static void lines_are_even_and_odd(void **state)
{
	static const char *const ways[] = { "VERT_RING_BL_IN_USE.UP",
					    "VERT_RING_BL_IN_USE.DN",
					    "HORZ_RING_BL_IN_USE.LEFT",
					    "HORZ_RING_BL_IN_USE.RIGHT" };
	uint64_t sum = 0;
	char text[64];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t even;

		snprintf(text, sizeof(text), "cha/%s_EVEN/", ways[i]);
		sum += even = count(text);
		snprintf(text, sizeof(text), "cha/%s_ODD/", ways[i]);
		assert_int_equal(count(text), even);
	}
	assert_true(sum > N);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_leave_the_core),
		cmocka_unit_test(credits_are_of_buffers),
		cmocka_unit_test(lines_are_even_and_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
