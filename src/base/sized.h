/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Structures of the public headers that begin with their size, as the caller
 * was compiled to know it (docs/tools.md): the library may know more members
 * or fewer.
 */
#ifndef UNCORE_BASE_SIZED_H
#define UNCORE_BASE_SIZED_H

#include <stddef.h>

/* Copies what a caller has given: members that it does not know are 0.
 * UNCORE_ERR_BAD_OPTION where it has not set the size, or has set members that
 * the library does not know. */
int sized_take(void *own, size_t own_bytes, const void *given, char **error);

/* Copies as much as the caller knows of; the rest becomes 0, and its size stays
 * as it is. */
void sized_give(void *given, const void *own, size_t own_bytes);

#endif
