/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent.
 */
#include "model/sandy-bridge-ep/ha.h"

#include <stdlib.h>

struct ha {
	struct sigbank *bank;
};

struct ha *ha_new(struct ep *ep, unsigned socket,
		  const struct uc_family *family)
{
	struct ha *ha = calloc(1, sizeof(*ha));

	if (ha)
		ha->bank = socket_bank(ep->sockets[socket].socket, family, "ha",
				       0);
	return ha;
}

void ha_free(struct ha *ha)
{
	free(ha);
}
