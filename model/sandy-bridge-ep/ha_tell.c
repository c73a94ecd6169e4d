/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the home agent tells of requests, of its tracker, and of what it waits
 * for.
 */
#include "model/sandy-bridge-ep/ha_parts.h"
#include "signals.h"

/* Answers to snoops: of all requests, and of those of this node. */
static const uint16_t answers[][2] = {
	[HOM1_RSP_I] = { SIG_HA_SNOOP_RESP_RSPI,
			 SIG_HA_SNP_RESP_RECV_LOCAL_RSPI },
	[HOM1_RSP_S] = { SIG_HA_SNOOP_RESP_RSPS,
			 SIG_HA_SNP_RESP_RECV_LOCAL_RSPS },
	[HOM1_RSP_FWD] = { 0, SIG_HA_SNP_RESP_RECV_LOCAL_OTHER },
	[HOM1_RSP_FWD_I] = { SIG_HA_SNOOP_RESP_RSPIFWD,
			     SIG_HA_SNP_RESP_RECV_LOCAL_RSPIFWD },
	[HOM1_RSP_FWD_S] = { SIG_HA_SNOOP_RESP_RSPSFWD,
			     SIG_HA_SNP_RESP_RECV_LOCAL_RSPSFWD },
	[HOM1_RSP_FWD_S_WB] = { SIG_HA_SNOOP_RESP_RSP_FWD_WB,
				SIG_HA_SNP_RESP_RECV_LOCAL_RSPXFWDXWB },
	[HOM1_RSP_I_WB] = { SIG_HA_SNOOP_RESP_RSP_WB,
			    SIG_HA_SNP_RESP_RECV_LOCAL_RSPXWB },
};

void ha_drive_signals(struct ha *ha)
{
	struct sigbank *bank = ha->bank;

	sig_drives(bank, FIRST_SIG_HA, SIG_HA_ADDR_OPC_MATCH_AD - FIRST_SIG_HA);
	sig_drives(bank, SIG_HA_IMC_READS_NORMAL, 1);
	for (unsigned i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		for (unsigned n = 0; n < 2; n++)
			if (answers[i][n])
				sig_drives(bank, answers[i][n], 1);
	sig_drives(bank, SIG_HA_OSB_READS_LOCAL, 1);
	sig_drives(bank, SIG_HA_OSB_READS_LOCAL_USEFUL, 1);
	sig_drives(bank, SIG_HA_OSB_INVITOE_LOCAL, 1);
	sig_drives(bank, SIG_HA_OSB_REMOTE, 1);
	sig_drives(bank, SIG_HA_OSB_REMOTE_USEFUL, 1);
	sig_drives(bank, SIG_HA_OSB_EDR_ALL, 1);
	sig_drives(bank, SIG_HA_OSB_EDR_READS_LOCAL_I, 1);
	sig_drives(bank, HA_HITME_LOOKUP(0), NUM_HA_HITME_LOOKUP);
	sig_drives(bank, HA_HITME_HIT(0), NUM_HA_HITME_HIT);
	sig_drives(bank, HA_HITME_PV(0), NUM_HA_HITME_PV);
	sig_drives(bank, SIG_HA_TRACKER_CYCLES_FULL_ALL, 1);
	sig_drives(bank, SIG_HA_TXR_STARVED_AK, 1);
	sig_drives(bank, SIG_HA_TXR_STARVED_BL, 1);
}

void ha_count_region(struct ha *ha, uint64_t local, uint64_t at)
{
	uint64_t lines = ha->ep->sockets[0].socket->memory_lines;
	unsigned region =
		(unsigned)(local * ha->ep->num_channels * HA_REGIONS / lines);

	if (region >= HA_REGIONS)
		region = HA_REGIONS - 1;
	region += region < 8 ? SIG_HA_TAD_REQUESTS_G0_REGION0
			     : SIG_HA_TAD_REQUESTS_G1_REGION8 - 8;
	if (ha->bank->heard[region])
		engine_count(&ha->ep->engine, ha->bank, region, at);
}

static unsigned kind_of(const struct ha_request *request)
{
	switch (request->opcode) {
	case HOM0_WB_MTO_I: return BY_REQUEST_WRITES;
	case HOM0_INV_ITO_E: return BY_REQUEST_INVITOE;
	default: return BY_REQUEST_READS;
	}
}

/* A request when it comes. */
struct request {
	struct visit visit; /* stands first */
	struct ha *ha;
	uint64_t line, local;
	uint8_t opcode, node, kind;
	bool is_far;
};

_Static_assert(sizeof(struct request) <= sizeof(struct ha_visit),
	       "a record of the home agent's is too long");

static void tell_match(const struct request *request)
{
	static const uint16_t matches[] = { SIG_HA_ADDR_OPC_MATCH_FILT,
					    SIG_HA_ADDR_OPC_MATCH_ADDR,
					    SIG_HA_ADDR_OPC_MATCH_OPC };
	const struct ha *ha = request->ha;
	const struct sig_header header = {
		.address = request->line << 6,
		.message_class = MC_HOM0,
		.opcode = request->opcode,
		.requester_node =
			(uint8_t)(request->node / ha->ep->num_nodes * 4),
	};

	for (unsigned i = 0; i < 3; i++)
		if (ha->bank->heard[matches[i]])
			engine_count_packet(&ha->ep->engine, ha->bank,
					    matches[i], request->visit.last,
					    &header);
}

static void tell_request(struct sigbank *bank, const void *visit)
{
	const struct request *request = visit;
	struct ha *ha = request->ha;
	const unsigned ids[] = {
		HA_REQUESTS(request->kind, request->is_far),
		SIG_HA_TRACKER_INSERTS_ALL,
	};

	for (unsigned i = 0; i < 2; i++)
		if (bank->heard[ids[i]])
			engine_count(&ha->ep->engine, bank, ids[i],
				     request->visit.last);
	tell_match(request);
	facts_begin_apart(&ha->ep->engine.facts);
	ha_count_region(ha, request->local, request->visit.last);
	facts_end_apart(&ha->ep->engine.facts);
}

void ha_tell_request(struct ha *ha, const struct ha_request *request,
		     bool is_write)
{
	struct request *record = visits_next(ha->visits);

	*record = (struct request){
		.visit = { tell_request, request->arrived },
		.ha = ha,
		.line = request->line,
		.local = request->home.local,
		.opcode = (uint8_t)request->opcode,
		.node = (uint8_t)request->node,
		.kind = (uint8_t)(is_write ? BY_REQUEST_WRITES
					   : kind_of(request)),
		.is_far = request->node != ha->node,
	};
	if (!ha->ep->engine.is_quick)
		visits_keep(ha->visits);
	else if (ha->visits->num_heard)
		tell_request(ha->bank, record);
}

static void tell_visit(struct sigbank *bank, const void *object)
{
	const struct ha_visit *visit = object;

	for (unsigned i = 0; i < visit->num; i++)
		if (visit->told[i].to)
			tell_span(bank, visit->told[i].id, visit->told[i].from,
				  visit->told[i].to, 1);
		else
			tell_later(bank, visit->told[i].id, visit->told[i].from,
				   1);
}

struct ha_visit *ha_visit(struct ha *ha, uint64_t last)
{
	struct ha_visit *visit = visits_next(ha->visits);

	visit->visit = (struct visit){ tell_visit, last };
	visit->num = 0;
	return visit;
}

void ha_tell_tracked(struct ha *ha, const struct ha_request *request,
		     unsigned place, uint64_t from, uint64_t until)
{
	bool is_far = request->node != ha->node;
	struct ha_visit *visit = ha_visit(ha, until);
	uint64_t next;

	ha_tell(visit, SIG_HA_CONFLICT_CYCLES_NO_CONFLICT, from, until);
	ha_tell(visit, HA_TRACKER_OCCUPANCY(kind_of(request), is_far), from,
		until);
	visits_keep(ha->visits);
	ha->tracked[place] = (struct stay){ ha->entries[place].from, until, 1 };
	for (; from < until && ha->num_entries >= ha->num_tracked;
	     from = next) {
		next = until;
		if (stays_at(ha->tracked, ha->num_entries, from, &next) ==
		    ha->num_tracked)
			sig_span(ha->bank, SIG_HA_TRACKER_CYCLES_FULL_ALL, from,
				 next, 1);
	}
}

void ha_tell_snooped(struct ha *ha, const struct ha_request *request,
		     uint64_t known)
{
	if (!ha->ep->engine.is_quick && known > request->arrived)
		sig_span(ha->bank,
			 HA_SNOOP_OCCUPANCY(request->node != ha->node),
			 request->arrived, known, 1);
}

void ha_tell_wait(struct ha *ha, const struct ha_request *request,
		  uint64_t data_at, uint64_t known, uint64_t sent)
{
	bool is_far = request->node != ha->node;

	if (ha->ep->engine.is_quick || !data_at)
		return;
	if (known > data_at)
		sig_later(ha->bank, HA_SNOOPS_RSP_AFTER_DATA(is_far), known, 1);
	if (sent > data_at)
		sig_span(ha->bank, HA_TRACKER_PENDING_OCCUPANCY(is_far),
			 data_at, sent, 1);
}

void ha_tell_answer(struct ha *ha, unsigned requester, unsigned response,
		    uint64_t at)
{
	unsigned num = requester == ha->node ? 2 : 1;

	if (response >= sizeof(answers) / sizeof(*answers))
		return;
	for (unsigned i = 0; i < num; i++)
		if (answers[response][i])
			engine_count(&ha->ep->engine, ha->bank,
				     answers[response][i], at);
}
