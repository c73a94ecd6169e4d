/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Arrays that grow one by one.
 */
#ifndef UNCORE_BASE_ARRAY_H
#define UNCORE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for one more behind num elements of that size, all of which were added
 * so; it doubles. `array` is where the pointer to the first one is. False
 * without memory, when the array stays as it is. */
bool array_room(void *array, size_t num, size_t size);

#endif
