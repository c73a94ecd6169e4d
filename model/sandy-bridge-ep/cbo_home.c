/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A slice and the home of its line: who is snooped, by whom, and what comes
 * back; write-backs.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"

static struct trip_stop slice_stop(const struct cbo *cbo)
{
	return (struct trip_stop){ cbo->index, cbo->stop };
}

static struct trip_stop home_stop(const struct cbo_job *job)
{
	return ha_stop(ep_agent(job->cbo->ep, job->home));
}

/* From the slice, told of as its egress. */
static inline struct trip leave(struct cbo *cbo, struct trip_stop to,
				struct packet *packet, uint64_t at)
{
	struct trip trip =
		trip_go(cbo->ep, slice_stop(cbo), to, packet, at, -1);

	cbo_tell_egress(cbo, trip_ring(packet->cls), false, at, trip.injected);
	return trip;
}

/* Another node's slice is asked in the cycle `at`, by the requester; its
 * answer goes to the home. Returns when it is there. */
static uint64_t snoop(struct cbo_job *job, unsigned peer, unsigned opcode,
		      uint64_t at, struct cbo_answer *answer)
{
	struct cbo *cbo = job->cbo, *there = cbo_peer(cbo, peer);
	struct packet packet = { .cls = PACKET_SNP,
				 .mc = MC_SNP,
				 .opcode = (uint8_t)ha_snoop_opcode(opcode),
				 .line = job->line,
				 .requester = (uint8_t)(cbo->index * 4) };
	struct trip trip = leave(cbo, slice_stop(there), &packet, at);
	struct packet back = { .cls = PACKET_HOM,
			       .mc = MC_HOM1,
			       .line = job->line,
			       .requester = packet.requester };

	*answer = cbo_snoop(cbo->ep, peer, job->line, packet.opcode,
			    trip.arrived);
	back.opcode = answer->response;
	at = leave(there, home_stop(job), &back, answer->at).arrived;
	if (answer->response == HOM1_RSP_I_WB) {
		back.cls = PACKET_DRS;
		back.mc = MC_DRS;
		back.opcode = DRS_WB_I_DATA;
		at = sim_later(at,
			       leave(there, home_stop(job), &back, answer->at)
				       .arrived);
	}
	ha_tell_answer(ep_agent(cbo->ep, job->home), cbo->node,
		       answer->response, at);
	return at;
}

/* A line that another node's slice sends, ready there in a cycle. */
static void take_from_peer(struct cbo_job *job, unsigned peer,
			   struct cbo_grant *grant, uint64_t ready,
			   unsigned state, int core)
{
	struct cbo *cbo = job->cbo, *there = cbo_peer(cbo, peer);
	struct packet packet = { .cls = PACKET_DRS,
				 .mc = MC_DRS,
				 .opcode = DRS_DATA_C,
				 .state = (uint8_t)state,
				 .line = job->line,
				 .requester = (uint8_t)(cbo->index * 4) };
	struct trip trip = trip_go(cbo->ep, slice_stop(there), slice_stop(cbo),
				   &packet, ready, core);

	cbo_tell_egress(there, RING_BL, false, ready, trip.injected);
	grant->data_at = trip.arrived;
	grant->core_at = trip.is_direct ? trip.arrived : 0;
	grant->from_peer = true;
}

/* The home's line and completion. */
static void take_from_home(struct cbo_job *job, struct cbo_grant *grant,
			   const struct ha_reply *reply, int core)
{
	struct cbo *cbo = job->cbo;
	struct trip_stop here = slice_stop(cbo);
	bool has_line = reply->data_at && !grant->from_peer;
	bool is_straight = has_line && reply->is_direct && core >= 0 &&
			   job->home.socket == cbo->index;
	struct packet packet = { .cls = has_line ? PACKET_DRS : PACKET_NDR,
				 .mc = has_line ? MC_DRS : MC_NDR,
				 .opcode = has_line ? DRS_DATA_C_CMP : NDR_CMP,
				 .line = job->line,
				 .requester = (uint8_t)(cbo->index * 4) };
	struct trip trip;

	if (is_straight)
		here.stop = ep_cbo_stop(cbo->ep, (unsigned)core);
	if (has_line)
		packet.state = grant->state == LLC_E   ? RDS_E
			       : grant->state == LLC_S ? RDS_S
						       : RDS_F;
	trip = ha_send(ep_agent(cbo->ep, job->home), here, &packet,
		       has_line ? reply->data_at : reply->cmp_at,
		       reply->is_direct ? core : -1);
	grant->done = sim_later(grant->done, trip.arrived);
	if (!has_line)
		return;
	grant->data_at = trip.arrived;
	if (trip.is_direct || is_straight)
		grant->core_at = trip.arrived;
	grant->value = reply->value;
}

/* The state in which the slice gets the line. */
static enum llc_state state_of(unsigned opcode, bool is_shared)
{
	if (opcode == HOM0_RD_INV_OWN || opcode == HOM0_INV_ITO_E)
		return LLC_M;
	if (is_shared)
		return LLC_F;
	return opcode == HOM0_RD_CODE ? LLC_F : LLC_E;
}

/* All other nodes; *known: the home has all answers. Of them one at most has
 * the line to send, or sent it to the home, which is *answer; whether any has
 * it. */
static bool snoop_all(struct cbo_job *job, unsigned opcode, uint64_t at,
		      struct cbo_answer *answer, uint64_t *known)
{
	struct cbo *cbo = job->cbo;
	bool is_shared = false;

	for (unsigned i = 0; i < cbo->ep->num_sockets * cbo->ep->num_nodes;
	     i++) {
		struct cbo_answer one;

		if (i == cbo->node)
			continue;
		*known = sim_later(*known, snoop(job, i, opcode, at, &one));
		is_shared |= one.response != HOM1_RSP_I;
		if (one.has_data || one.is_modified)
			*answer = one;
	}
	return is_shared;
}

struct cbo_grant cbo_ask_home(struct cbo_job *job, unsigned opcode, int core,
			      uint64_t at)
{
	struct cbo *cbo = job->cbo;
	struct ha *ha = ep_agent(cbo->ep, job->home);
	struct packet packet = { .cls = PACKET_HOM,
				 .mc = MC_HOM0,
				 .opcode = (uint8_t)opcode,
				 .line = job->line,
				 .requester = (uint8_t)(cbo->index * 4) };
	struct ha_request request = {
		.line = job->line,
		.home = job->home,
		.node = cbo->node,
		.core = core,
		.opcode = opcode,
	};
	struct cbo_answer answer = { 0 };
	struct cbo_grant grant = { 0 };
	struct ha_reply reply;
	bool is_shared = false;

	request.arrived = leave(cbo, home_stop(job), &packet, at).arrived;
	if (cbo->ep->num_sockets > 1 && !ha_snoops(ha)) {
		is_shared =
			snoop_all(job, opcode, at, &answer, &request.snooped);
		request.has_data = answer.has_data;
		request.is_modified = answer.is_modified;
		request.value = answer.value;
	}
	reply = ha_ask(cbo->ep, &request);
	if (reply.has_snooped) {
		answer.has_data = reply.has_data;
		answer.is_modified = reply.is_modified;
		answer.at = reply.peer_data_at;
		answer.node = reply.peer;
		answer.value = reply.peer_value;
		is_shared = reply.is_shared;
	}
	grant.state = state_of(opcode, is_shared);
	grant.is_modified = answer.has_data && answer.is_modified;
	if (answer.has_data) {
		take_from_peer(job, answer.node, &grant, answer.at,
			       grant.state == LLC_M ? RDS_M : RDS_F, core);
		grant.value = answer.value;
	}
	take_from_home(job, &grant, &reply, core);
	return grant;
}

static uint64_t write_memory(struct cbo *cbo, uint64_t line, uint32_t value,
			     bool is_partial, uint64_t at)
{
	struct cbo_job job = cbo_job(cbo->ep, cbo->node, line, OPCODE_WB_MTOI,
				     CBO_NUM_QUEUES);
	struct packet request = { .cls = PACKET_HOM,
				  .mc = MC_HOM0,
				  .opcode = HOM0_WB_MTO_I,
				  .line = line,
				  .requester = (uint8_t)(cbo->index * 4) };
	struct packet data = { .cls = PACKET_DRS,
			       .mc = MC_DRS,
			       .opcode = DRS_WB_I_DATA,
			       .line = line,
			       .requester = request.requester };
	struct packet back = { .cls = PACKET_NDR,
			       .mc = MC_NDR,
			       .opcode = NDR_CMP,
			       .line = line,
			       .requester = request.requester };
	struct ha_request ask = { .line = line,
				  .home = job.home,
				  .node = cbo->node,
				  .core = -1,
				  .opcode = HOM0_WB_MTO_I };
	uint64_t confirmed;

	job.needs_home = job.is_write_back = job.is_eviction = true;
	job.lookup = LOOKUP_OTHER;
	at = cbo_take_quietly(&job, at);
	ask.arrived = leave(cbo, home_stop(&job), &request, at).arrived;
	ask.arrived = sim_later(ask.arrived,
				leave(cbo, home_stop(&job), &data, at).arrived);
	if (cbo->socket->values)
		values_memory_write(cbo->socket->values, line, value);
	confirmed = ha_write(cbo->ep, &ask, is_partial);
	confirmed = ha_send(ep_agent(cbo->ep, job.home), slice_stop(cbo), &back,
			    confirmed, -1)
			    .arrived;
	cbo_end(&job, confirmed, confirmed);
	return confirmed;
}

uint64_t cbo_write_memory(struct cbo *cbo, uint64_t line, uint32_t value,
			  bool is_partial, uint64_t at)
{
	struct facts *facts;

	if (cbo_write_at_once(cbo, line, is_partial, &facts))
		return at;
	at = write_memory(cbo, line, value, is_partial, at);
	if (facts)
		facts_end(&cbo->ep->engine.facts, facts);
	return at;
}
