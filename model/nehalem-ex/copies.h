/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the copies of a slice and of its cores hold, for --check (see
 * model/truth/values.h), and whom the traffic is told to have lost a line. A
 * slice's copy keeps the version that it was filled with or that a core gave
 * back; a core's copy is the slice's, or, once the core has written to it, the
 * one that it made itself. Without --check these do nothing.
 */
#ifndef UNCORE_COPIES_H
#define UNCORE_COPIES_H

#include "model/nehalem-ex/access.h"

/* What the slice holds, once a core that wrote has given it back. */
uint32_t copies_recall(struct slice *slice, const struct llc_way *way,
		       uint64_t line);

/* The core writes to its copy, which it is about to be alone with. */
void copies_write(const struct access *access, const struct llc_way *way);

/* A read has got a version. */
void copies_read(const struct access *access, uint32_t value);

/* A miss is put into its way. */
void copies_fill(const struct access *access, const struct llc_way *way,
		 uint32_t value);

/* Cores (a bit each) lose a line, or are to keep a clean copy (downgrade).
 * is_victim: since the LLC gives it up, of which the traffic always hears. */
void copies_take(struct floor *floor, unsigned cores, uint64_t line,
		 bool downgrade, bool is_victim);

#endif
