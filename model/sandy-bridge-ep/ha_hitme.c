/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * HitME: a small cache of directory entries, of lines that went from node to
 * node. Who is in it is known at once to be shared, and by whom; the
 * directory in memory is known with the line only.
 *
 * An entry has a bit for each node that may have a copy (presence vector). It
 * is made when one node forwards a line to another, and is gone when a line
 * comes home: forwarded to the home's own node, or written back. Chosen: an
 * entry's place is given by its line, so a new one takes the place of another.
 */
#include <stdlib.h>

#include "model/sandy-bridge-ep/ha_parts.h"
#include "signals.h"

struct hitme_entry {
	uint64_t line; /* plus 1; 0: none */
	uint32_t nodes;
};

bool ha_hitme_new(struct ha *ha, unsigned num)
{
	ha->num_hitme = num;
	if (!num)
		return true;
	ha->hitme = calloc(num, sizeof(*ha->hitme));
	return ha->hitme;
}

static struct hitme_entry *place_of(const struct ha *ha, uint64_t line)
{
	return &ha->hitme[(line ^ line >> 12 ^ line >> 24) % ha->num_hitme];
}

/* The line is looked for: its entry or NULL; lookup and hit are told. */
static struct hitme_entry *look_for(struct ha *ha, uint64_t line,
				    unsigned lookup, unsigned hit, uint64_t at)
{
	struct hitme_entry *entry = place_of(ha, line);

	engine_count(&ha->ep->engine, ha->bank, lookup, at);
	if (entry->line != line + 1)
		return NULL;
	engine_count(&ha->ep->engine, ha->bank, hit, at);
	return entry;
}

static void make(struct ha *ha, uint64_t line, uint32_t nodes)
{
	*place_of(ha, line) = (struct hitme_entry){ line + 1, nodes };
}

uint32_t ha_hitme_ask(struct ha *ha, const struct ha_request *request,
		      uint64_t at)
{
	uint32_t own = UINT32_C(1) << request->node, nodes;
	struct hitme_entry *entry;

	if (!ha->num_hitme || request->opcode == HOM0_RD_CUR)
		return 0;
	entry = look_for(ha, request->line, SIG_HA_HITME_LOOKUP_READ_OR_INVITOE,
			 SIG_HA_HITME_HIT_READ_OR_INVITOE, at);
	if (!entry)
		return 0;
	nodes = entry->nodes | own;
	entry->nodes = ha_takes_away(request->opcode) ? own : nodes;
	if (request->opcode == HOM0_INV_XTO_I)
		entry->line = 0;
	return nodes;
}

void ha_hitme_answered(struct ha *ha, const struct ha_request *request,
		       unsigned response, unsigned node, uint64_t at)
{
	uint32_t own = UINT32_C(1) << request->node;
	uint64_t line = request->line;

	if (!ha->num_hitme || request->opcode == HOM0_RD_CUR)
		return;
	if (response == HOM1_RSP_FWD_S || response == HOM1_RSP_FWD_S_WB) {
		struct hitme_entry *entry =
			look_for(ha, line, SIG_HA_HITME_LOOKUP_RSPFWDS,
				 SIG_HA_HITME_HIT_RSPFWDS, at);
		/* Others may share it, too, where there are more than two. */
		if (!entry)
			make(ha, line, ep_all_nodes(ha->ep));
		else
			entry->nodes |= own | UINT32_C(1) << node;
	} else if (response != HOM1_RSP_FWD_I) {
		look_for(ha, line, SIG_HA_HITME_LOOKUP_RSP,
			 SIG_HA_HITME_HIT_RSP, at);
	} else if (request->node == ha->node) {
		struct hitme_entry *entry =
			look_for(ha, line, SIG_HA_HITME_LOOKUP_RSPFWDI_LOCAL,
				 SIG_HA_HITME_HIT_RSPFWDI_LOCAL, at);
		if (entry)
			entry->line = 0;
	} else {
		look_for(ha, line, SIG_HA_HITME_LOOKUP_RSPFWDI_REMOTE,
			 SIG_HA_HITME_HIT_RSPFWDI_REMOTE, at);
		make(ha, line, own);
	}
}

void ha_hitme_written(struct ha *ha, uint64_t line, uint64_t at)
{
	struct hitme_entry *entry;

	if (!ha->num_hitme)
		return;
	entry = look_for(ha, line, SIG_HA_HITME_LOOKUP_WBMTOI,
			 SIG_HA_HITME_HIT_WBMTOI, at);
	if (entry)
		entry->line = 0;
}

void ha_hitme_drive(struct ha *ha)
{
	static const uint16_t ids[] = {
		SIG_HA_HITME_LOOKUP_READ_OR_INVITOE,
		SIG_HA_HITME_LOOKUP_WBMTOI,
		SIG_HA_HITME_LOOKUP_RSPFWDI_REMOTE,
		SIG_HA_HITME_LOOKUP_RSPFWDI_LOCAL,
		SIG_HA_HITME_LOOKUP_RSPFWDS,
		SIG_HA_HITME_LOOKUP_RSP,
		SIG_HA_HITME_HIT_READ_OR_INVITOE,
		SIG_HA_HITME_HIT_WBMTOI,
		SIG_HA_HITME_HIT_RSPFWDI_REMOTE,
		SIG_HA_HITME_HIT_RSPFWDI_LOCAL,
		SIG_HA_HITME_HIT_RSPFWDS,
		SIG_HA_HITME_HIT_RSP,
	};

	for (unsigned i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		sig_drives(ha->bank, ids[i], 1);
}
