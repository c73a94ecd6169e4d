/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The QPI links of the modelled system, for those who draw it.
 */
#include "model/box/qpi_map.h"
#include "model/model.h"

int uncore_model_link(const struct uncore_model *model, unsigned socket,
		      unsigned qpi, unsigned *peer, unsigned *peer_qpi)
{
	static const enum rbox_port ports[] = { RBOX_PORT_QPI0, RBOX_PORT_QPI1,
						RBOX_PORT_QPI2,
						RBOX_PORT_QPI3 };
	const unsigned num_ports = sizeof(ports) / sizeof(ports[0]);
	enum rbox_port port = RBOX_PORT_QPI0;
	int found;

	if (socket >= model->num_sockets || qpi >= num_ports)
		return UNCORE_LINK_NONE;
	found = qpi_peer(model->num_sockets, socket, ports[qpi], &port);
	if (found >= 0) {
		*peer = (unsigned)found;
		for (unsigned i = 0; i < num_ports; i++)
			if (ports[i] == port)
				*peer_qpi = i;
		return UNCORE_LINK_SOCKET;
	}
	if (qpi != num_ports - 1 || socket >= model->sockets[0]->num_hubs)
		return UNCORE_LINK_NONE;
	*peer = socket;
	*peer_qpi = 0;
	return UNCORE_LINK_HUB;
}
