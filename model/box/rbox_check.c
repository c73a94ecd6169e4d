/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * For --check: an R-Box at rest has all credits back, those of VNA and each
 * place of VN0 and VN1, on the wires of the boxes as on the links. What is on
 * its way back over a link counts as back.
 */
#include "model/box/rbox.h"
#include "model/box/rbox_parts.h"

static bool is_full(const struct qpi_lane *lane, unsigned vna_flits)
{
	uint32_t all = (1u << 2 * PACKET_NUM_CLASSES) - 1;
	uint32_t places = lane->places_free, flits = lane->vna_free;

	for (uint32_t i = lane->credits_taken; i != lane->credits_given; i++) {
		const struct qpi_credit *credit =
			&lane->credits[i & lane->mask];

		if (credit->vn == QPI_VNA)
			flits += credit->flits;
		else
			places |= qpi_place(credit->vn, credit->cls);
	}
	return flits == vna_flits && places == all;
}

bool rbox_credits_are_back(const struct rbox *rbox, unsigned *port)
{
	unsigned vna = rbox->config.vna_flits;

	for (*port = 0; *port < RBOX_NUM_PORTS; ++*port) {
		const struct rbox_input *input = &rbox->inputs[*port];

		if (rbox_hub_awaits_credits(input->hub))
			continue;
		if (input->lane.parcels && !is_full(&input->lane, vna))
			return false;
		if (input->hub && !is_full(rbox_hub_lane(input->hub), vna))
			return false;
	}
	return true;
}
