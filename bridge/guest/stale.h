/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Keeps QEMU 7.2 from calling callbacks that it has freed.
 */
#ifndef UNCORE_GUEST_STALE_H
#define UNCORE_GUEST_STALE_H

/* To be called from the callback for accesses, until it has learnt enough. */
void stale_learn(unsigned index, const void *callback);

/* To be called when QEMU has dropped all blocks. */
void stale_clear(unsigned num_cpus);

#endif
