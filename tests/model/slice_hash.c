/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The hash of the Xeon Scalable against what was published of it: a sequence of
 * slices, permuted by parities of upper address bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "model/box/llc.h"
#include "model/box/slice_hash.h"
#include "tests/model/slice_sequences.h"

enum { NUM = sizeof(published) / sizeof(*published), LINES = 100000 };

static uint64_t any_line(uint64_t *state)
{
	return random_next(state) % SLICE_HASH_LINES;
}

static void sequences_are_those_published(void **state)
{
	static const char digits[] = "0123456789abcdefghijklmnopqr";

	(void)state;
	for (const struct published *p = published; p < published + NUM; p++) {
		uint64_t fnv = UINT64_C(0xcbf29ce484222325);
		size_t first = strlen(p->first);
		size_t last = p->length - strlen(p->last);
		unsigned characters = 0;

		for (unsigned i = 0; i < p->length; i++) {
			unsigned slice = slice_hash(i, p->num_slices);

			assert_in_range(slice, 0, p->num_slices - 1);
			if (i < first)
				assert_int_equal(digits[slice], p->first[i]);
			if (i >= last)
				assert_int_equal(digits[slice],
						 p->last[i - last]);
			fnv = (fnv ^ slice) * UINT64_C(0x100000001b3);
			characters += slice < 10 ? 2 : 3;
		}
		assert_int_equal(characters, p->characters);
		if (p->fnv)
			assert_int_equal(fnv, p->fnv);
	}
}

static void upper_bits_permute_what_it_begins_with(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (const struct published *p = published; p < published + NUM; p++) {
		for (unsigned i = 0; i < LINES; i++) {
			uint64_t line = any_line(&seed);
			uint64_t place = line % p->length;

			for (unsigned bit = 0; bit < 14; bit++)
				place ^= (uint64_t)__builtin_parityll(
						 line * 64 & p->masks[bit])
					 << bit;
			assert_int_equal(slice_hash(line, p->num_slices),
					 slice_hash(place, p->num_slices));
		}
	}
}

static void a_line_is_found_by_its_slice_and_place(void **state)
{
	struct llc llc;
	uint64_t seed = 2;

	(void)state;
	assert_int_equal(llc_init(&llc, 24, 2048 * 11 * 64, 11), 0);
	llc.is_published = true;
	for (unsigned i = 0; i < LINES; i++) {
		uint64_t line = any_line(&seed), found, victim = 0;
		struct llc_spot spot;
		unsigned slice = llc_slice_and_spot(&llc, line, &spot);
		struct llc_way *way = llc_choose(&llc, spot, slice, &victim);

		assert_int_equal(slice, slice_hash(line, 24));
		assert_int_equal(spot.set, line % 2048);
		llc_place(&llc, way, spot);
		assert_ptr_equal(llc_find(&llc, line), way);
		assert_true(
			llc_line(&llc, llc_entry(&llc, way), slice, &found));
		assert_int_equal(found, line);
	}
	llc_fini(&llc);
}

/* J. McCalpin, SC18: with pages of 2 MB filters of 18 slices and more are too
 * full for what the L2s have room for; of fewer he saw none. 1 MB a slice, in
 * sets of twelve lines. */
static bool is_full_with(unsigned slices, uint64_t *seed)
{
	enum { SETS = 2048, WAYS = 12, PAGE_LINES = 1 << 15 };
	static uint8_t lines[28][SETS];

	memset(lines, 0, sizeof(lines));
	for (unsigned page = 0; page < slices / 2; page++) {
		uint64_t first = any_line(seed) & ~(uint64_t)(PAGE_LINES - 1);

		for (uint64_t at = first; at < first + PAGE_LINES; at++)
			if (++lines[slice_hash(at, slices)][at % SETS] > WAYS)
				return true;
	}
	return false;
}

static void pages_of_2_mb_fight_from_18_slices_on(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (const struct published *p = published; p < published + NUM; p++) {
		unsigned full = 0;

		for (unsigned i = 0; i < 20; i++)
			full += is_full_with(p->num_slices, &seed);
		assert_int_equal(full > 0, p->num_slices >= 18);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_are_those_published),
		cmocka_unit_test(upper_bits_permute_what_it_begins_with),
		cmocka_unit_test(a_line_is_found_by_its_slice_and_place),
		cmocka_unit_test(pages_of_2_mb_fight_from_18_slices_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
