/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names of code that was made at run time: programs that make some (node, Java,
 * .NET and others, on request) write /tmp/perf-PROCESS.map, lines of address,
 * size and name, as perf's own documentation has them.
 */
#ifndef UNCORE_RECORD_JIT_H
#define UNCORE_RECORD_JIT_H

#include "record/sql.h"

/* Names what has no name yet in a recording, by the maps of its processes. A
 * map is a plain file, no link, of our own user and of at most 64 MB; another
 * one is passed over. Returns SQLite's code. */
int jit_name(struct sql *sql);

#endif
