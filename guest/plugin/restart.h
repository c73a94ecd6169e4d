/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Notices that the guest restarts its machine, as a kernel does that panics.
 * QEMU then ends (-no-reboot) as if the guest had switched it off.
 */
#ifndef UNCORE_GUEST_RESTART_H
#define UNCORE_GUEST_RESTART_H

struct channel;

/* Sets channel->restarted when it happens, if this QEMU tells. */
void restart_watch(struct channel *channel);

#endif
