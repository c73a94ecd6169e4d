/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * HitME: a small cache of directory entries, of lines that went from node to
 * node. Who is in it is known at once to be shared, and by whom; the
 * directory in memory is known with the line only.
 *
 * An entry has a bit for each node that may have a copy (presence vector); with
 * one alone that node has the line for itself (E of Intel's list). It
 * is made when one node forwards a line to another, and is gone when a line
 * comes home: forwarded to the home's own node, or written back. A read that
 * leaves the line where it is (RdCur) looks, and changes nothing. Chosen: an
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

bool ha_hitme_has(const struct ha *ha, uint64_t line)
{
	return ha->num_hitme && place_of(ha, line)->line == line + 1;
}

/* The line is looked for by a message: its entry or NULL. */
static struct hitme_entry *look_for(struct ha *ha, uint64_t line,
				    unsigned message, uint64_t at)
{
	struct hitme_entry *entry = place_of(ha, line);
	struct engine *engine = &ha->ep->engine;

	engine_count(engine, ha->bank, HA_HITME_LOOKUP(message), at);
	if (entry->line != line + 1)
		return NULL;
	engine_count(engine, ha->bank, HA_HITME_HIT(message), at);
	for (uint32_t nodes = entry->nodes; nodes; nodes &= nodes - 1)
		engine_count(engine, ha->bank, HA_HITME_PV(message), at);
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

	if (!ha->num_hitme)
		return 0;
	entry = look_for(ha, request->line, BY_HITME_READ_OR_INVITOE, at);
	if (!entry)
		return 0;
	nodes = entry->nodes | own;
	if (ha->ep->kind->has_home_in_slice && request->node != ha->node &&
	    !(entry->nodes & (entry->nodes - 1)))
		engine_count(&ha->ep->engine, ha->bank,
			     SIG_CHA_HITME_HIT_EX_RDS, at);
	if (request->opcode == HOM0_RD_CUR)
		return nodes;
	entry->nodes = ha_takes_away(request->opcode) ? own : nodes;
	if (request->opcode == HOM0_INV_XTO_I)
		entry->line = 0;
	return nodes;
}

static unsigned answer_kind(const struct ha *ha,
			    const struct ha_request *request, unsigned response)
{
	switch (response) {
	case HOM1_RSP_FWD_S:
	case HOM1_RSP_FWD_S_WB: return BY_HITME_RSPFWDS;
	case HOM1_RSP_FWD_I:
		return request->node == ha->node ? BY_HITME_RSPFWDI_LOCAL
						 : BY_HITME_RSPFWDI_REMOTE;
	default: return BY_HITME_RSP;
	}
}

void ha_hitme_answered(struct ha *ha, const struct ha_request *request,
		       unsigned response, unsigned node, uint64_t at)
{
	unsigned message = answer_kind(ha, request, response);
	uint32_t own = UINT32_C(1) << request->node;
	struct hitme_entry *entry;

	/* RspFwd, of RdCur alone, is none of its messages. */
	if (!ha->num_hitme || response == HOM1_RSP_FWD)
		return;
	entry = look_for(ha, request->line, message, at);
	switch (message) {
	case BY_HITME_RSPFWDS:
		/* Others may share it, too, where there are more than two. */
		if (!entry)
			make(ha, request->line, ep_all_nodes(ha->ep));
		else
			entry->nodes |= own | UINT32_C(1) << node;
		break;
	case BY_HITME_RSPFWDI_REMOTE: make(ha, request->line, own); break;
	case BY_HITME_RSPFWDI_LOCAL:
		if (entry)
			entry->line = 0;
		break;
	default: break;
	}
}

void ha_hitme_written(struct ha *ha, uint64_t line, uint64_t at)
{
	struct hitme_entry *entry;

	if (!ha->num_hitme)
		return;
	entry = look_for(ha, line, BY_HITME_WBMTOI, at);
	if (entry)
		entry->line = 0;
}
