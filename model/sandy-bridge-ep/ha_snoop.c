/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who is snooped by the home, and when. A directory is read with the line, so
 * what it says comes late. While few requests are in the tracker the home asks
 * all others at once, on the chance that it will say so (opportunistic snoop
 * broadcast); if it then says that nobody has the line, that is sent without
 * waiting for the answers (early data return). Chosen: nobody is asked so for a
 * line that the directory has in state S, since who sends it would hang on how
 * busy the home is.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "model/sandy-bridge-ep/ha_parts.h"
#include "signals.h"

/* A node is snooped by the home, in the cycle `at`. */
static uint64_t snoop(struct ha *ha, const struct ha_request *request,
		      unsigned peer, uint64_t at, struct ha_reply *reply)
{
	struct packet packet = {
		.cls = PACKET_SNP,
		.mc = MC_SNP,
		.opcode = (uint8_t)ha_snoop_opcode(request->opcode),
		.line = request->line,
		.requester = (uint8_t)(request->node / ha->ep->num_nodes * 4)
	};
	struct packet back = packet;
	const struct cbo *first = ha->ep->sockets[peer / ha->ep->num_nodes]
					  .cbos[ep_first_slice(ha->ep, peer)];
	struct llc_spot spot;
	struct cbo *slice = cbo_of(first, request->line, &spot);
	struct trip_stop there = { slice->index, slice->stop };
	struct trip_stop here = ha_stop(ha);
	struct cbo_answer answer;

	at = ha_send(ha, there, &packet, at, -1).arrived;
	answer = cbo_snoop(slice, request->line, spot, &request->home,
			   packet.opcode, at);
	back.cls = PACKET_HOM;
	back.mc = MC_HOM1;
	back.opcode = answer.response;
	reply->has_snooped = true;
	reply->is_shared |= answer.response != HOM1_RSP_I;
	reply->is_modified |= answer.is_modified;
	if (answer.has_data) {
		reply->has_data = true;
		reply->peer = peer;
		reply->peer_data_at = answer.at;
		reply->peer_value = answer.value;
	}
	at = trip_go(ha->ep, there, here, &back, answer.at, -1).arrived;
	if (answer.response == HOM1_RSP_I_WB) {
		back.cls = PACKET_DRS;
		back.mc = MC_DRS;
		back.opcode = DRS_WB_I_DATA;
		at = sim_later(
			at, trip_go(ha->ep, there, here, &back, answer.at, -1)
				    .arrived);
	}
	if (!cbo_is_home(ha->ep, peer, &request->home))
		ha_tell_answer(ha, request->node, answer.response, at);
	ha_hitme_answered(ha, request, answer.response, peer, at);
	return at;
}

/* Whether it asks before it knows that it has to. */
static bool broadcasts(const struct ha *ha, const struct ha_request *request)
{
	uint64_t next = SIM_NEVER;

	return ha->mode >= HA_DIRECTORY && !ha->ep->engine.is_quick &&
	       request->opcode != HOM0_RD_CUR &&
	       stays_at(ha->tracked, ha->num_entries, request->arrived, &next) <
		       ha->broadcasts_below;
}

static void tell_broadcast(struct ha *ha, const struct ha_request *request,
			   bool is_useful, uint64_t at)
{
	bool is_claim = request->opcode == HOM0_INV_ITO_E;
	struct sigbank *bank = ha->bank;

	if (request->node != ha->node) {
		sig_later(bank, SIG_HA_OSB_REMOTE, at, 1);
		if (is_useful)
			sig_later(bank, SIG_HA_OSB_REMOTE_USEFUL, at, 1);
		return;
	}
	sig_later(bank,
		  is_claim ? SIG_HA_OSB_INVITOE_LOCAL : SIG_HA_OSB_READS_LOCAL,
		  at, 1);
	if (is_useful && !is_claim)
		sig_later(bank, SIG_HA_OSB_READS_LOCAL_USEFUL, at, 1);
}

/* Of this node's requests alone: of another's this one always has to be
 * asked. */
static void tell_early_data(struct ha *ha, uint64_t at)
{
	sig_later(ha->bank, SIG_HA_OSB_EDR_ALL, at, 1);
	sig_later(ha->bank, SIG_HA_OSB_EDR_READS_LOCAL_I, at, 1);
}

void ha_look_up(struct ha *ha, struct ha_ask *ask)
{
	const struct ha_request *request = &ask->request;
	uint32_t others =
		ep_all_nodes(ha->ep) & ~(UINT32_C(1) << request->node);
	struct ha_snoops *snoops = &ask->snoops;
	uint32_t sharers = ha_hitme_ask(ha, request, ask->at);
	struct ha_reply *reply = &ask->reply;

	snoops->must = ha_must_snoop(ha, request, &snoops->state);
	reply->is_unasked = snoops->state == HA_STATE_S &&
			    !(snoops->must & ~(UINT32_C(1) << ha->node));
	reply->is_shared = reply->is_unasked;
	snoops->is_clear = ha->mode >= HA_DIRECTORY && !snoops->must;
	snoops->is_guess =
		!sharers && !reply->is_unasked && broadcasts(ha, request);
	snoops->is_early =
		ha->mode < HA_DIRECTORY || sharers || snoops->is_guess;
	if (snoops->is_guess)
		tell_broadcast(ha, request, snoops->must, ask->at);
	if (sharers)
		snoops->must &= sharers;
	snoops->asked = snoops->is_guess ? others : snoops->must;
}

bool ha_snoops_late(const struct ha_ask *ask)
{
	return ask->snoops.asked && !ask->snoops.is_early;
}

bool ha_directory_forbids(const struct ha *ha, const struct ha_ask *ask)
{
	return ha->ep->kind->has_home_in_slice &&
	       ask->snoops.must & ~(UINT32_C(1) << ha->node);
}

void ha_ask_others(struct ha *ha, struct ha_ask *ask, uint64_t at)
{
	for (uint32_t left = ask->snoops.asked; left; left &= left - 1) {
		unsigned node = (unsigned)__builtin_ctz(left);
		uint64_t came = snoop(ha, &ask->request, node, at, &ask->reply);

		ask->answered = sim_later(ask->answered, came);
		if (ask->snoops.must >> node & 1)
			ask->known = sim_later(ask->known, came);
	}
}

void ha_tell_looked_up(struct ha *ha, const struct ha_ask *ask, uint64_t at)
{
	const struct ha_snoops *snoops = &ask->snoops;
	bool has_own = ha->ep->kind->has_home_in_slice;

	if (ha->mode < HA_DIRECTORY)
		return;
	/* A home in a slice looks there itself. */
	engine_count(
		&ha->ep->engine, ha->bank,
		HA_DIRECTORY_LOOKUP(has_own ? !ha_directory_forbids(ha, ask)
					    : snoops->is_clear,
				    snoops->state != HA_STATE_I),
		at);
	ep_tell_memory(ha->ep, ha->socket, ask->request.home.channel,
		       DIRECTORY_LOOKUP(snoops->state), at);
	if (snoops->is_guess && snoops->is_clear && ask->reply.data_at &&
	    ask->answered > ask->reply.data_at)
		tell_early_data(ha, ask->reply.data_at);
}
