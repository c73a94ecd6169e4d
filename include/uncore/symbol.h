/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names for addresses of running programs: which file the code is from and
 * which function it is. The files' symbol tables and debug information tell.
 * What was looked up is kept until uncore_symbols_free(), a list of files for
 * each program that was asked about. Not for several threads at once.
 */
#ifndef UNCORE_SYMBOL_H
#define UNCORE_SYMBOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_position;
struct uncore_symbols;

/* Nothing known yet; NULL without memory. Free with uncore_symbols_free(). */
struct uncore_symbols *uncore_symbols_new(void);
void uncore_symbols_free(struct uncore_symbols *symbols);

/* What lies at an address of a process, as /proc/PROCESS/maps has it; `space`
 * is another number after the process has executed another program. Object and
 * symbol are NULL as far as they are not known, and good as long as the
 * symbols. The first call for a process reads its map, so the process should
 * live; later ones remember. */
void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position);

#ifdef __cplusplus
}
#endif

#endif
