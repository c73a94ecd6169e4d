/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Marks round parts of a program that are to be counted for themselves: under
 * `uncore stat -- PROGRAM`, and in a guest of `uncore guest` (--traffic marked,
 * --record, --workload; there names are not looked at). A mark is one NOPL with
 * a displacement that compilers do not use; it does nothing on a real processor
 * and needs nothing linked.
 *
 * Regions may lie in each other and may overlap; those of the same name are
 * added up, over all threads.
 */
#ifndef UNCORE_MARK_H
#define UNCORE_MARK_H

#define UNCORE_MARK_BEGIN	0x756e6301
#define UNCORE_MARK_END		0x756e6302
#define UNCORE_MARK_BEGIN_NAMED 0x756e6303
#define UNCORE_MARK_END_NAMED	0x756e6304

#ifdef __x86_64__

/* The part that is to be counted begins, or ends, with this instruction. */
#define uncore_mark_begin() uncore_mark(UNCORE_MARK_BEGIN)
#define uncore_mark_end()   uncore_mark(UNCORE_MARK_END)

/* The same for a region with a name: a string of less than 64 bytes, which is
 * read at the mark. */
#define uncore_region_begin(name)                                              \
	uncore_mark_named(UNCORE_MARK_BEGIN_NAMED, name)
#define uncore_region_end(name) uncore_mark_named(UNCORE_MARK_END_NAMED, name)

#define uncore_mark(which)                                                     \
	__asm__ volatile("nopl %c0(%%rax)" : : "i"(which) : "memory")

#define uncore_mark_named(which, name)                                         \
	__asm__ volatile("nopl %c0(%%rax)"                                     \
			 :                                                     \
			 : "i"(which), "a"((const char *)(name))               \
			 : "memory")

#else

#define uncore_mark_begin()	  ((void)0)
#define uncore_mark_end()	  ((void)0)
#define uncore_region_begin(name) ((void)(name))
#define uncore_region_end(name)	  ((void)(name))

#endif

#endif
