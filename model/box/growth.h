/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counters that software reads at any moment (a guest's driver, a client of a
 * served model), where accesses go the quick way (detail.h). A counter of a
 * fact of state is told of quick accesses, and one of a box's clock gets the
 * cycles that the model's clock made of them. For one of an event of time it is
 * learnt from what goes through the engine how many come with an access of each
 * class, a cycle of computing and one without anything (costs.h), and how many
 * more or less of late; in a stretch it grows by so many.
 *
 * Invariants
 * 1. A counter grows by whole events, and never goes back. What is left of one
 *    is kept for the next time.
 * 2. Of what a counter grows by no overflow is told, since nobody knows when it
 *    was. Those of facts of state are told behind the access; a counter of one
 *    that is near to where it is to stop keeps all in detail.
 * 3. Nothing is learnt of a counter from a look in which it was not counting
 *    all the time.
 */
#ifndef UNCORE_GROWTH_H
#define UNCORE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct detail;
struct growth;

/* Of the processor's own PMUs; a sentence for each event of time that grows is
 * told, when it first does. NULL without memory. */
struct growth *growth_new(const struct detail *detail,
			  void (*tell)(void *context, const char *text),
			  void *context);
void growth_free(struct growth *growth);

/* A look begins, when a window does; it ends, and the next one begins. NULL is
 * allowed here and below: no counter grows. */
void growth_begin(struct growth *growth);
void growth_look(struct growth *growth);

/* A window has ended. Time stands from now on; and what passed meanwhile has:
 * counters have grown, and software may read them. A stretch may have several
 * parts of this kind. */
void growth_leave(struct growth *growth);
void growth_stand(struct growth *growth);
void growth_pass(struct growth *growth);

/* Why all has to go through the engine, half a sentence, or NULL. */
const char *growth_needs_detail(const struct growth *growth);

/* The events of time that have grown so far, as "cbox/EVENT.UNIT_MASK"; NULL
 * past the last one. */
const char *growth_event(const struct growth *growth, size_t index);

#endif
