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

static void tell_match(struct ha *ha, const struct ha_request *request)
{
	static const uint16_t matches[] = { SIG_HA_ADDR_OPC_MATCH_FILT,
					    SIG_HA_ADDR_OPC_MATCH_ADDR,
					    SIG_HA_ADDR_OPC_MATCH_OPC };
	const struct sig_header header = {
		.address = request->line << 6,
		.message_class = MC_HOM0,
		.opcode = (uint8_t)request->opcode,
		.requester_node =
			(uint8_t)(request->node / ha->ep->num_nodes * 4),
	};

	for (unsigned i = 0; i < 3; i++)
		engine_count_packet(&ha->ep->engine, ha->bank, matches[i],
				    request->arrived, &header);
}

void ha_count_region(struct ha *ha, uint64_t local, uint64_t at)
{
	uint64_t lines = ha->ep->sockets[0].socket->memory_lines;
	unsigned region =
		(unsigned)(local * ha->ep->num_channels * HA_REGIONS / lines);

	if (region >= HA_REGIONS)
		region = HA_REGIONS - 1;
	engine_count(&ha->ep->engine, ha->bank,
		     region < 8 ? SIG_HA_TAD_REQUESTS_G0_REGION0 + region
				: SIG_HA_TAD_REQUESTS_G1_REGION8 + region - 8,
		     at);
}

static unsigned kind_of(const struct ha_request *request)
{
	switch (request->opcode) {
	case HOM0_WB_MTO_I: return BY_REQUEST_WRITES;
	case HOM0_INV_ITO_E: return BY_REQUEST_INVITOE;
	default: return BY_REQUEST_READS;
	}
}

void ha_tell_request(struct ha *ha, const struct ha_request *request,
		     bool is_write)
{
	uint64_t at = request->arrived;

	engine_count(
		&ha->ep->engine, ha->bank,
		HA_REQUESTS(is_write ? BY_REQUEST_WRITES : kind_of(request),
			    request->node != ha->node),
		at);
	if (engine_tells(&ha->ep->engine, ha->bank, SIG_HA_ADDR_OPC_MATCH_FILT))
		tell_match(ha, request);
	facts_begin_apart(&ha->ep->engine.facts);
	ha_count_region(ha, request->home.local, at);
	facts_end_apart(&ha->ep->engine.facts);
}

/* Its tracker is full from a step to the next one. */
static void tell_full(struct ha *ha, struct occupancy_steps steps)
{
	for (unsigned i = steps.first; i < steps.end; i++)
		if (ha->tracked.steps[i].count == ha->num_tracked)
			sig_span(ha->bank, SIG_HA_TRACKER_CYCLES_FULL_ALL,
				 ha->tracked.steps[i].at,
				 ha->tracked.steps[i + 1].at, 1);
}

void ha_tell_tracked(struct ha *ha, const struct ha_request *request,
		     uint64_t from, uint64_t until)
{
	bool is_far = request->node != ha->node;

	sig_span(ha->bank, HA_TRACKER_OCCUPANCY(kind_of(request), is_far), from,
		 until, 1);
	occupancy_forget(&ha->tracked, engine_now(&ha->ep->engine));
	tell_full(ha, occupancy_enter(&ha->tracked, from, until, 1));
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
