/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The dies of the Xeon Scalable: what is at which stop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/parts/fabric/mesh_die.h"

static void a_tile_of_a_die_is_one_thing(void **state)
{
	static const unsigned sizes[MESH_NUM_DIES][4] = { { 10, 4, 4, 3 },
							  { 18, 4, 6, 3 },
							  { 28, 6, 6, 4 } };

	(void)state;
	for (enum mesh_die die = 0; die < MESH_NUM_DIES; die++) {
		unsigned tiles = mesh_num_tiles(die);
		struct mesh_layout layout =
			mesh_layout(die, mesh_spread(die, tiles));
		uint64_t used = 0;

		assert_int_equal(tiles, sizes[die][0]);
		assert_int_equal(layout.num_cores, tiles);
		assert_int_equal(layout.columns, sizes[die][1]);
		assert_int_equal(layout.rows, sizes[die][2]);
		assert_int_equal(layout.num_io, sizes[die][3]);
		for (unsigned i = 0; i < layout.num_cores; i++)
			used += UINT64_C(1) << layout.cores[i];
		for (unsigned i = 0; i < layout.num_memory; i++)
			used += UINT64_C(1) << layout.memory[i];
		for (unsigned i = 0; i < layout.num_links; i++)
			used |= UINT64_C(1) << layout.links[i];
		for (unsigned i = 0; i < layout.num_io; i++)
			used |= UINT64_C(1) << layout.io[i];
		assert_int_equal(used,
				 UINT64_MAX >>
					 (64 - layout.columns * layout.rows));
		assert_int_equal(layout.links[0], layout.links[1]);
		assert_int_equal(layout.num_memory, 2);
		assert_int_equal(layout.num_links, die == MESH_LCC ? 2 : 3);
	}
}

/* Those that are off lie apart by the mean, up or down, and in the middle; CHAs
 * go by column. */
static void check_spread(enum mesh_die die, unsigned num)
{
	unsigned tiles = mesh_num_tiles(die), off = tiles - num, n = 0;
	unsigned places[MESH_MAX_CORES];
	uint32_t on = mesh_spread(die, num);
	struct mesh_layout layout = mesh_layout(die, on);

	for (unsigned i = 0; i < tiles; i++)
		if (!(on >> i & 1))
			places[n++] = i;
	assert_int_equal(n, off);
	assert_int_equal(layout.num_cores, num);
	for (unsigned i = 1; i < num; i++)
		assert_true(layout.cores[i] > layout.cores[i - 1]);
	for (unsigned i = 1; i < off; i++)
		assert_in_range(places[i] - places[i - 1], tiles / off,
				tiles / off + 1);
	if (off)
		assert_in_range(places[0] + places[off - 1], tiles - 2, tiles);
}

static void tiles_that_are_off_are_spread(void **state)
{
	(void)state;
	for (enum mesh_die die = 0; die < MESH_NUM_DIES; die++)
		for (unsigned num = 1; num <= mesh_num_tiles(die); num++)
			check_spread(die, num);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tile_of_a_die_is_one_thing),
		cmocka_unit_test(tiles_that_are_off_are_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
