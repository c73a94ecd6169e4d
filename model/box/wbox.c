/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The W-Box: the clock that its fixed counter counts.
 */
#include "model/box/wbox.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "signals.h"

struct wbox {
	struct socket *socket;
	struct sigbank *bank;
};

struct wbox *wbox_new(struct socket *socket, struct sigbank *bank)
{
	struct wbox *wbox = calloc(1, sizeof(*wbox));

	if (!wbox)
		return NULL;
	wbox->socket = socket;
	wbox->bank = bank;
	sig_drives(bank, SIG_WBOX_CLOCK, 1);
	sig_set(bank, SIG_WBOX_CLOCK, 1);
	return wbox;
}

void wbox_free(struct wbox *wbox)
{
	free(wbox);
}

void wbox_core_state(struct wbox *wbox, unsigned core,
		     enum wbox_core_state state)
{
	(void)wbox, (void)core, (void)state;
}
