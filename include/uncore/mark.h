/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * For programs that run in a guest of `uncore guest`: marks round the part that
 * is to be counted (--traffic marked, --record, --workload). A mark is one NOPL
 * with a displacement that compilers do not use; it does nothing on a real
 * processor and needs nothing linked.
 */
#ifndef UNCORE_MARK_H
#define UNCORE_MARK_H

#define UNCORE_MARK_BEGIN 0x756e6301
#define UNCORE_MARK_END	  0x756e6302

#ifdef __x86_64__

/* The part that is to be counted begins, or ends, with this instruction. */
#define uncore_mark_begin() uncore_mark(UNCORE_MARK_BEGIN)
#define uncore_mark_end()   uncore_mark(UNCORE_MARK_END)

#define uncore_mark(which)                                                     \
	__asm__ volatile("nopl %c0(%%rax)" : : "i"(which) : "memory")

#else

#define uncore_mark_begin() ((void)0)
#define uncore_mark_end()   ((void)0)

#endif

#endif
