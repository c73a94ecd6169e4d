/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU tells those who asked for it why it shuts down, as an index into its
 * list of reasons.
 */
#include "restart.h"

#include <string.h>

#include "link.h"
#include "qemu_symbols.h"

#define RESTART "guest-reset"

static struct channel *channel;

static void on_shutdown(struct notifier *notifier, void *data)
{
	const int *reason = data;

	(void)notifier;
	if (!strcmp(qemu.shutdown_reasons->names[*reason], RESTART))
		link_set(channel, &channel->restarted, 1);
}

void restart_watch(struct channel *with)
{
	static struct notifier notifier = { .notify = on_shutdown };

	channel = with;
	if (qemu.notify_shutdown && qemu.shutdown_reasons)
		qemu.notify_shutdown(&notifier);
}
