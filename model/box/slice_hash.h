/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which slice of a Xeon Scalable's LLC a physical address belongs to, as J.
 * McCalpin measured it ("Mapping Addresses to L3/CHA Slices in Intel
 * Processors", TACC TR-2021-03): a sequence of slices, permuted by parities of
 * upper address bits. He lists the sequences; here is what they come to, which
 * is the same for every address (tests/model/slice_hash.c).
 */
#ifndef UNCORE_SLICE_HASH_H
#define UNCORE_SLICE_HASH_H

#include <stdbool.h>
#include <stdint.h>

/* Published are addresses below 256 GB, as lines of 64 bytes. */
#define SLICE_HASH_LINES (UINT64_C(1) << 32)

/* The numbers of slices it is there for, as text. */
#define SLICE_HASH_KNOWN "14, 16, 18, 20, 22, 24, 26 and 28"

bool slice_hash_is_known(unsigned num_slices);

/* The slice of a line, of so many; the number is one that is known. */
unsigned slice_hash(uint64_t line, unsigned num_slices);

#endif
