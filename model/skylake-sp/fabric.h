/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the boxes of a socket are on its mesh.
 */
#ifndef UNCORE_SKX_FABRIC_H
#define UNCORE_SKX_FABRIC_H

#include "model/parts/fabric/mesh.h"
#include "model/sandy-bridge-ep/ep.h"

/* As in struct ep_kind. */
struct mesh *skx_mesh(struct ep *ep, unsigned socket,
		      const struct uc_family *family);
struct ring_ride skx_carry(struct ep *ep, unsigned socket, enum ring_kind kind,
			   unsigned from, unsigned to, uint64_t ready,
			   unsigned slots);

/* Whether the machine's die has so many cores and links; a sentence or NULL. */
char *skx_check_die(const struct socket *socket);

#endif
