/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A U-Box that serves after a fixed time.
 */
#include "model/sandy-bridge-ep/ubox.h"

#include <stdlib.h>

struct ubox {
	unsigned socket;
};
struct ubox *ubox_new(struct ep *ep, unsigned socket,
		      const struct uc_family *family)
{
	(void)ep, (void)socket, (void)family;
	return calloc(1, sizeof(struct ubox));
}
void ubox_free(struct ubox *ubox)
{
	free(ubox);
}
void ubox_begin(struct ep *ep, struct core *core, unsigned entry)
{
	sim_at(ep->sim, ep_now(ep) + 100, core_done, core, entry);
	ep_busy_until(ep, ep_now(ep) + 100);
}
void ubox_interrupt(struct ep *ep, unsigned socket, unsigned cpu, uint64_t at)
{
	(void)ep, (void)socket, (void)cpu, (void)at;
}
