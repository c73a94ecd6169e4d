/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The functions of a file that has lost its names: where each begins stands in
 * .eh_frame_hdr, which stays when symbols are stripped, since exceptions and
 * debuggers unwind with it.
 */
#ifndef UNCORE_RECORD_FUNCTIONS_H
#define UNCORE_RECORD_FUNCTIONS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct functions;

/* Those of a module, none if it has no such table; NULL without memory. */
struct functions *functions_read(Dwfl_Module *module);
void functions_free(struct functions *functions);

/* The function of an address; false where none is known. The name, good as long
 * as the functions, is made of the file's and the function's place in it:
 * "sort+0x77b0". */
bool functions_find(struct functions *functions, uint64_t address,
		    const char **name, uint64_t *start);

#endif
