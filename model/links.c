/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The QPI links of the modelled system, for those who draw it.
 */
#include "model/model.h"

int uncore_model_link(const struct uncore_model *model, unsigned socket,
		      unsigned qpi, unsigned *peer, unsigned *peer_qpi)
{
	if (socket >= model->num_sockets)
		return UNCORE_LINK_NONE;
	return model->kind->link(model->sockets[socket], qpi, peer, peer_qpi);
}
