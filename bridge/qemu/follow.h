/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs that the program executes. QEMU hands execve() on to the kernel, and
 * the new program would run outside QEMU; so the call is made here instead,
 * with QEMU in front. That works for whatever calls the kernel, statically
 * linked programs too. Programs for other processors and those that get other
 * rights (setuid) are left alone and run uncounted (arena.not_followed).
 */
#ifndef UNCORE_FOLLOW_H
#define UNCORE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Finds where QEMU keeps the program's memory; false when it does not tell. */
bool follow_init(void);

/* Where an address of the program lies here; NULL when QEMU does not tell. */
const void *follow_memory(uint64_t address);

/* Whether this system call executes a program. */
bool follow_is_exec(int64_t number);

/* Does not return if the program could be executed. If it does, QEMU is to
 * make the call as it came, for its error or its uncounted run. */
void follow_exec(struct arena *arena, int64_t number, uint64_t a1, uint64_t a2,
		 uint64_t a3, uint64_t a4, uint64_t a5);

#endif
