/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where a program gets random bytes from: the kernel's calls and files, what it
 * is given at its start, and two instructions.
 */
#ifndef UNCORE_RANDOM_H
#define UNCORE_RANDOM_H

#include "bridge/valgrind/core.h"

/* The process is about to run its first instruction. */
void random_start(void);

/* The program loads from what it was given then, or from beside it. */
void random_read(Addr address, Addr code);

/* A call is done that has moved so many bytes. */
void random_called(ThreadId tid, UInt call, const UWord *args, UWord num_bytes);

/* Whether a call is to fail as if the kernel had it not, so that the program
 * reads instead: it would move bytes that nobody can put right. */
bool random_refuses(UWord call, UWord first, UWord second);

/* RDRAND and RDSEED, where Valgrind has put a call of its own for them. */
void random_replace(IRDirty *dirty);

#endif
