/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What holds of the queues of S-Box 0 of socket 0, whatever comes in whatever
 * order: a queue never has more than it has room for, shows who is in it
 * (Little), and is full when it is; nothing serves two at once.
 */
#ifndef UNCORE_TESTS_AGENT_LAWS_H
#define UNCORE_TESTS_AGENT_LAWS_H

#include <stdbool.h>
#include <stdint.h>

enum { CYCLES = 1 << 17 }; /* how long it may take */

/* What serves one at a time. */
enum { TO_BBOX, LINE_PUMP, SNOOP_PUMP };

void laws_begin(void);

/* A packet was in the queue of a signal; something served it. */
void stays(unsigned signal, uint64_t from, uint64_t until);
void serves(unsigned what, uint64_t from, unsigned cycles);

/* After all: is_ordered: it came in order, then nothing is hidden. */
void laws_end(bool is_ordered);

#endif
