/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See slice_hash.h. All numbers of slices share parities of the address. 16
 * slices are four of them. Others begin with a power of two and send a part of
 * the addresses elsewhere:
 *  18, 20: 3 addresses of 16 are taken out of 16 slices. Of 20 they go to the
 *          last four; of 18 half of them to the last two, the others back.
 *  24:     three groups of eight have 21, 21 and 22 addresses of 64.
 *  14, 22, 26, 28: 16 or 32 slices, of which those that are not there hand on
 *          to the first 12, 20 or 24 in one of these ways.
 */
#include "model/box/slice_hash.h"

/* Address bits, without those within a line. */
static const uint64_t
	/* of 14, 16, 22, 26 and 28 slices */
	even[] = { 0x1b5f575440, 0x2eb5faa880, 0x3cccc93100, 0x31aeeb1200,
		   0x06d87f2c00 },
	/* of 18, 20 and 24 */
	odd[] = { 0x14c896c740, 0x0a57f311c0, 0x2717946100, 0x09c5e51840 },
	eight = 0x2c56e59300, first = 0x0e2f28c200, second = 0x138bca3080,
	either[] = { 0x1c5e518400, 0x38bca30800 };

static unsigned bit(uint64_t address, uint64_t mask)
{
	return (unsigned)__builtin_parityll(address & mask);
}

static unsigned bits(uint64_t address, const uint64_t *masks, unsigned num)
{
	unsigned value = 0;

	for (unsigned i = 0; i < num; i++)
		value |= bit(address, masks[i]) << i;
	return value;
}

/* Three addresses of eight. */
static bool is_chosen(uint64_t address)
{
	return bit(address, first) && bits(address, either, 2);
}

static unsigned of_18(uint64_t address)
{
	if (!is_chosen(address) || !bit(address, second))
		return bits(address, odd, 4);
	if (!bit(address, odd[1]))
		return 16 | bit(address, odd[0]);
	return bit(address, odd[0]) | (bits(address, even, 4) & ~1u);
}

static unsigned of_20(uint64_t address, unsigned last_bit)
{
	unsigned last = bit(address, odd[1]) << 1 | last_bit;

	if (!is_chosen(address) || !bit(address, second))
		return bits(address, odd + 2, 2) << 2 | last;
	return 16 | last;
}

static unsigned of_three(uint64_t address)
{
	if (bit(address, odd[3]) &&
	    (bit(address, odd[2]) || is_chosen(address)))
		return 2;
	return bit(address, second);
}

static unsigned of_24(uint64_t address, unsigned last)
{
	return of_three(address) << 3 | bit(address, eight) << 2 | last;
}

static unsigned of_rest(uint64_t address, unsigned num_slices)
{
	unsigned last_bit = bit(address, even[0]);
	unsigned last = bit(address, odd[1]) << 1 | last_bit;

	switch (num_slices) {
	case 14: return of_three(address) << 2 | last;
	case 22: return of_20(address, last_bit);
	case 26: return of_24(address, last);
	default: return of_24(address, bits(address, even, 2));
	}
}

bool slice_hash_is_known(unsigned num_slices)
{
	return num_slices >= 14 && num_slices <= 28 && num_slices % 2 == 0;
}

unsigned slice_hash(uint64_t line, unsigned num_slices)
{
	uint64_t address = line * 64;
	unsigned slice;

	switch (num_slices) {
	case 18: return of_18(address);
	case 20: return of_20(address, bit(address, odd[0]));
	case 24: return of_24(address, bits(address, odd, 2));
	}
	slice = bits(address, even, num_slices > 16 ? 5 : 4);
	return slice < num_slices ? slice : of_rest(address, num_slices);
}
