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

	*answer = cbo_snoop(there, job->line, job->spot, &job->home,
			    packet.opcode, trip.arrived);
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
		here.stop = ep_core_stop(cbo->ep, (unsigned)core);
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
}

/* The state in which the slice gets the line. */
static enum llc_state state_of(unsigned opcode, bool is_shared, bool is_unasked)
{
	if (opcode == HOM0_RD_INV_OWN || opcode == HOM0_INV_ITO_E)
		return LLC_M;
	if (is_unasked)
		return LLC_S; /* another one may be who forwards it */
	if (is_shared)
		return LLC_F;
	return opcode == HOM0_RD_CODE ? LLC_F : LLC_E;
}

/* All other nodes. Of them one at most has the line to send, or sent it to the
 * home; whether any has it. */
static bool snoop_all(struct cbo_job *job, struct ha_request *request,
		      uint64_t at, struct cbo_answer *answer)
{
	struct cbo *cbo = job->cbo;
	bool is_shared = false;

	for (unsigned i = 0; i < cbo->ep->num_sockets * cbo->ep->num_nodes;
	     i++) {
		struct cbo_answer one;
		uint64_t known;

		if (i == cbo->node)
			continue;
		known = snoop(job, i, request->opcode, at, &one);
		request->snooped = sim_later(request->snooped, known);
		is_shared |= one.response != HOM1_RSP_I;
		if (one.has_data || one.is_modified)
			*answer = one;
	}
	request->has_data = answer->has_data;
	request->is_modified = answer->is_modified;
	request->value = answer->value;
	return is_shared;
}

/* The home has snooped, and it has all answers. */
static struct cbo_answer answer_of(const struct ha_reply *reply)
{
	return (struct cbo_answer){
		.has_data = reply->has_data,
		.is_modified = reply->is_modified,
		.at = reply->peer_data_at,
		.node = reply->peer,
		.value = reply->peer_value,
	};
}

void cbo_ask_begin(struct cbo_job *job, struct cbo_ask *ask, unsigned opcode,
		   int core, uint64_t at)
{
	struct cbo *cbo = job->cbo;
	struct ha *ha = ep_agent(cbo->ep, job->home);
	struct packet packet = { .cls = PACKET_HOM,
				 .mc = MC_HOM0,
				 .opcode = (uint8_t)opcode,
				 .line = job->line,
				 .requester = (uint8_t)(cbo->index * 4) };
	struct ha_request *request = &ask->home.request;
	struct ha_reply *reply = &ask->home.reply;
	struct trip trip = leave(cbo, home_stop(job), &packet, at);
	bool is_shared = false;

	*request = (struct ha_request){
		.line = job->line,
		.home = job->home,
		.node = cbo->node,
		.core = core,
		.opcode = opcode,
		.arrived = trip.arrived,
		.landed = trip.landed,
	};
	if (cbo->ep->num_sockets > 1 && !ha_snoops(ha))
		is_shared = snoop_all(job, request, at, &ask->answer);
	ha_begin(cbo->ep, &ask->home, ask->owner, ask->object);
	if (reply->has_snooped)
		ask->answer = answer_of(reply);
	if (ha_snoops(ha))
		is_shared = reply->is_shared;
	ask->grant.state = state_of(opcode, is_shared, reply->is_unasked);
	ask->grant.is_modified =
		ask->answer.has_data && ask->answer.is_modified;
	ask->grant.from_peer = ask->answer.has_data;
	ask->grant.value = ask->answer.has_data ? ask->answer.value
			   : reply->data_at || ask->home.waits ? reply->value
							       : 0;
}

void cbo_ask_end(struct cbo_job *job, struct cbo_ask *ask, uint64_t data)
{
	struct cbo_grant *grant = &ask->grant;
	int core = ask->home.request.core;

	ha_end(job->cbo->ep, &ask->home, data);
	if (grant->from_peer)
		take_from_peer(job, ask->answer.node, grant, ask->answer.at,
			       grant->state == LLC_M ? RDS_M : RDS_F, core);
	take_from_home(job, grant, &ask->home.reply, core);
}

struct cbo_grant cbo_ask_home(struct cbo_job *job, unsigned opcode, int core,
			      uint64_t at)
{
	struct cbo_ask ask = { 0 };

	cbo_ask_begin(job, &ask, opcode, core, at);
	cbo_ask_end(job, &ask, 0);
	return ask.grant;
}

static uint64_t write_back(struct cbo *cbo, uint64_t line, bool is_partial,
			   uint64_t at)
{
	struct cbo_job job = {
		.cbo = cbo,
		.line = line,
		.home = ep_home(cbo->ep, line),
		.queue = CBO_NUM_QUEUES,
		.lookup = LOOKUP_OTHER,
		.opcode = OPCODE_WB_MTOI,
		.thread = UINT8_MAX,
		.needs_home = true,
		.is_eviction = true,
		.is_write_back = true,
	};
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

	at = cbo_take_quietly(&job, at);
	ask.arrived = leave(cbo, home_stop(&job), &request, at).arrived;
	ask.arrived = sim_later(ask.arrived,
				leave(cbo, home_stop(&job), &data, at).arrived);
	confirmed = ha_write(cbo->ep, &ask, is_partial);
	confirmed = ha_send(ep_agent(cbo->ep, job.home), slice_stop(cbo), &back,
			    confirmed, -1)
			    .arrived;
	cbo_end(&job, confirmed, confirmed);
	return confirmed;
}

uint64_t cbo_write_back(struct cbo *cbo, uint64_t line, bool is_partial,
			uint64_t at)
{
	struct facts *facts;

	if (cbo_write_at_once(cbo, line, is_partial, &facts))
		return at;
	at = write_back(cbo, line, is_partial, at);
	if (facts)
		facts_end(&cbo->ep->engine.facts, facts);
	return at;
}

uint64_t cbo_write_memory(struct cbo *cbo, uint64_t line, uint32_t value,
			  bool is_partial, uint64_t at)
{
	if (cbo->socket->values)
		values_memory_write(cbo->socket->values, line, value);
	return cbo_write_back(cbo, line, is_partial, at);
}
