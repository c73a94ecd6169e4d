/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A PCU that changes nothing.
 */
#include "model/sandy-bridge-ep/pcu.h"

#include <stdlib.h>
#include <string.h>

struct pcu {
	unsigned socket;
};
struct pcu *pcu_new(struct ep *ep, unsigned socket, const struct uc_family *family)
{
	(void)ep, (void)socket, (void)family;
	return calloc(1, sizeof(struct pcu));
}
void pcu_free(struct pcu *pcu) { free(pcu); }
void pcu_core_state(struct pcu *pcu, unsigned core, enum power_state state) { (void)pcu, (void)core, (void)state; }
void pcu_read(struct pcu *pcu, unsigned core, struct power_reading *reading)
{
	(void)pcu, (void)core;
	memset(reading, 0, sizeof(*reading));
}
void pcu_clear_log(struct pcu *pcu, unsigned core, bool hot, bool forced) { (void)pcu, (void)core, (void)hot, (void)forced; }
void pcu_io_until(struct pcu *pcu, uint64_t until) { (void)pcu, (void)until; }
