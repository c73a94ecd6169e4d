/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * All boxes, for those who put them together.
 */
#ifndef UNCORE_EP_PARTS_H
#define UNCORE_EP_PARTS_H

#include "model/sandy-bridge-ep/cbo.h"
#include "model/sandy-bridge-ep/ep.h"
#include "model/sandy-bridge-ep/ha.h"
#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/imc.h"
#include "model/sandy-bridge-ep/pcu.h"
#include "model/sandy-bridge-ep/qll.h"
#include "model/sandy-bridge-ep/ring.h"
#include "model/sandy-bridge-ep/trip.h"
#include "model/sandy-bridge-ep/ubox.h"

/* The machine of some sockets; NULL without memory. */
struct ep *ep_new(struct socket *const *sockets, const struct uc_family *family,
		  const struct ep_kind *kind);
void ep_free(struct ep *ep);

/* Nothing is under way. */
bool ep_is_settled(const struct ep *ep);

#endif
