/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where a program gets random bytes from: the kernel's calls and files, what it
 * is given at its start, and two instructions.
 */
#ifndef UNCORE_RANDOM_H
#define UNCORE_RANDOM_H

#include "bridge/valgrind/core.h"

/* Before the first call. */
void random_init(void);

/* The process is about to run its first instruction. */
void random_start(void);

/* The program loads from what it was given then, or from beside it. No bytes:
 * what is told is the rest of a load, from the next line. */
void random_read(Addr address, Addr code, UWord size_bytes);

/* A call is done that has moved so many bytes. */
void random_called(ThreadId tid, UInt call, const UWord *args, UWord num_bytes);

/* The error with which a call is to fail as if the kernel had it not, or 0, so
 * that the program reads instead: it would move bytes that nobody can put
 * right. */
Int random_refuses(UWord call, const UWord *args);

/* RDRAND and RDSEED, where Valgrind has put a call of its own for them. */
void random_replace(IRDirty *dirty);

#endif
