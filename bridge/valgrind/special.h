/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Instructions that reach the uncore by themselves. Valgrind has a non-temporal
 * store as a store, a prefetch as nothing and a flush as the end of a block, so
 * they are known by their bytes.
 */
#ifndef UNCORE_SPECIAL_H
#define UNCORE_SPECIAL_H

#include "bridge/valgrind/core.h"

enum special_kind {
	SPECIAL_NONE,
	SPECIAL_STREAM, /* its stores are non-temporal */
	SPECIAL_MASKED, /* maskmovq, maskmovdqu: as that, of some bytes */
	SPECIAL_STRING, /* one round of a repeated string instruction */
	SPECIAL_PREFETCH,
	SPECIAL_PREFETCH_W, /* to write */
	SPECIAL_FLUSH,	    /* clflush, clflushopt */
	SPECIAL_CLEAN,	    /* clwb: as clflushopt, see access.c */
	SPECIAL_DEMOTE,	    /* a hint that the modelled processors ignore */
	SPECIAL_FENCE,
	SPECIAL_PAUSE,
	SPECIAL_MARK, /* of uncore/mark.h */
	SPECIAL_EVEX, /* AVX-512 */
};

struct special {
	enum special_kind kind;
	UInt length; /* bytes of the instruction */
	UInt mark;
	UInt round_bytes; /* of SPECIAL_STRING */
	UChar mask;	  /* register of SPECIAL_MASKED, */
	Bool is_xmm;
	Addr operand; /* of its bytes, from ModRM on; 0: it has no address */
	UChar rex;
	UChar segment; /* 0x64 (FS), 0x65 (GS), else 0 */
};

struct special special_of(Addr address);

/* Valgrind's answer to cpuid becomes that of the modelled processor. */
void special_replace(IRDirty *dirty);

#endif
