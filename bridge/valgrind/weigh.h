/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a block costs, and how much of it has passed at each of its exits.
 */
#ifndef UNCORE_WEIGH_H
#define UNCORE_WEIGH_H

#include "bridge/valgrind/core.h"
#include "bridge/valgrind/cost.h"

/* A block as Valgrind has optimised it is weighed, with the notes of its loads.
 */
void weigh_begin(const IRSB *in);

/* What has been passed since the exit before (by number, from 0 on; the block's
 * end comes last), in units of uncore_access.cycles. */
UInt weigh_exit(UInt number);

/* The chain of a load from there, which needs what one of the chain has brought
 * a round before; 0: none. Others may have the same number. */
UInt weigh_chain(const IRExpr *address);

/* kinds.c */
enum cost_kind weigh_kind(IROp op);

#endif
