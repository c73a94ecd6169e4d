/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Parts of variables: members of structures and elements of arrays.
 */
#ifndef UNCORE_RECORD_FIELDS_H
#define UNCORE_RECORD_FIELDS_H

#include <elfutils/libdw.h>
#include <stdint.h>

/* The variables of a file whose addresses its debug information tells. */
struct fields;

/* Of debug information, which stays the caller's (NULL: there is none), of a
 * file that lies `bias` higher in memory; NULL without memory. Free with
 * fields_free(). */
struct fields *fields_read(Dwarf *dwarf, Dwarf_Addr bias);
void fields_free(struct fields *fields);

/* What lies so far into the variable that begins at an address, ".hits",
 * "[17].count" or "[17].name+0x4"; to be freed; NULL: that is not known, or the
 * variable has no parts. */
char *fields_find(const struct fields *fields, uint64_t start, uint64_t offset);

#endif
