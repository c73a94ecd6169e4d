/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names for addresses of running programs: which file the code is from and
 * which function it is, which variable the data. The files' symbol tables and
 * debug information tell. What was looked up is kept until
 * uncore_symbols_free(), a list of files for each program that was asked about.
 * Not for several threads at once.
 */
#ifndef UNCORE_SYMBOL_H
#define UNCORE_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_datum;
struct uncore_position;
struct uncore_symbols;

/* Nothing known yet; NULL without memory. Free with uncore_symbols_free(). */
struct uncore_symbols *uncore_symbols_new(void);
void uncore_symbols_free(struct uncore_symbols *symbols);

/* What lies at an address of a process, as /proc/PROCESS/maps has it; `space`
 * is another number after the process has executed another program. Object,
 * symbol and source are NULL as far as they are not known, and good as long as
 * the symbols. A function of a file without symbols is called by its place in
 * it, "sort+0x77b0". The first call for a process reads its map, so the process
 * should live; later ones remember. */
void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position);

/* The same for an address that a function returns to: the call stands before
 * it, and may be the last instruction of its function. */
void uncore_symbols_find_caller(struct uncore_symbols *symbols, long process,
				unsigned space, uint64_t address,
				struct uncore_position *position);

/* What data lies at an address, and how far into it that is; false: nothing is
 * mapped there. The texts are good until the next call. */
bool uncore_symbols_find_datum(struct uncore_symbols *symbols, long process,
			       unsigned space, uint64_t address,
			       struct uncore_datum *datum, uint64_t *offset);

#ifdef __cplusplus
}
#endif

#endif
