/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The protocol is source snooping (docs/model.md): the S-Box sends the request
 * to the home and a snoop to the caching agent of its side in every other
 * socket, which answer the home. With a directory the home sends the snoops.
 *
 * Conflicts. A peer with a request of its own out for the line answers
 * RspCnflt. Its request was worked off before this one, so it is the first of
 * the two: once it is complete the home asks the peer again (Cmp_Fwd*), and
 * this request, which has met a rival, is completed in two steps: its answer
 * comes with FrcAckCnflt, the requester says AckCnflt, and then comes Cmp.
 */
#include "model/nehalem-ex/out.h"

#include "model/box/socket.h"
#include "signals.h"

struct delivery out_deliver(struct ex *ex, struct agent *agent,
			    const struct packet *packet, uint64_t at,
			    bool is_direct, uint64_t ipq_from, int core)
{
	struct delivery delivery = { 0 };

	delivery.slice_at = agent_deliver(ex, agent, packet, at, is_direct,
					  ipq_from, core, &delivery.core_at);
	delivery.left = agent_left(agent);
	return delivery;
}

/* Over the ring to the S-Box and on; *taken: the S-Box has it. */
static uint64_t send(struct ex *ex, unsigned socket, struct slice *slice,
		     struct packet *packet, uint64_t at, bool takes_credit,
		     uint64_t *taken)
{
	struct floor *floor = ex->sockets[socket].floor;
	struct agent *agent = ex->sockets[socket].agents[slice->side];
	bool is_line = packet->cls == PACKET_DRS || packet->cls == PACKET_NCB;
	unsigned credit = 0;
	uint64_t arrived;

	if (takes_credit)
		credit = places_take(&slice->credits, ex_now(ex), &at);
	arrived = floor_ride(floor,
			     &floor->to_sbox[slice->index]
					    [is_line ? RING_BL : RING_AD],
			     at)
			  .arrived;
	arrived = agent_send(ex, agent, packet, arrived, 0, taken);
	if (takes_credit)
		places_hold(&slice->credits, credit, *taken);
	return arrived;
}

uint64_t out_send(struct ex *ex, unsigned socket, struct slice *slice,
		  struct packet *packet, uint64_t at, bool takes_credit)
{
	uint64_t taken;

	return send(ex, socket, slice, packet, at, takes_credit, &taken);
}

static struct packet request_packet(const struct out_request *request)
{
	struct socket *socket = request->ex->sockets[request->socket].socket;
	unsigned node = NODE_SBOX(request->socket, request->slice->side);
	uint64_t local;
	unsigned home = socket_home(socket, request->line, &local);

	return (struct packet){
		.line = request->line,
		.serial = request->serial,
		.number = request->number,
		.cls = PACKET_HOM,
		.mc = MC_HOM0,
		.opcode = (uint8_t)request->opcode,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)node,
		.dest = (uint8_t)home,
		.requester = (uint8_t)node,
		.home = (uint8_t)home,
		.cbox = (uint8_t)request->slice->index,
	};
}

static struct home *home_of(struct ex *ex, unsigned node)
{
	return ex->sockets[NODE_SOCKET(node)].homes[NODE_SIDE(node)];
}

void out_hear(struct out_request *request, unsigned socket,
	      const struct packet *snoop, uint64_t arrived)
{
	struct ex *ex = request->ex;
	struct home_answer answer = { .at = 0 };
	struct line_forward forward = { .is_there = false };

	line_snoop(ex, socket, snoop, arrived,
		   request->owing >> socket & (snoop->cls == PACKET_SNP),
		   &answer, &forward);
	home_hear(ex, home_of(ex, snoop->home), &request->job, &answer);
	if (forward.is_there)
		request->forward = forward;
}

/* The requester's S-Box sends the snoops; its peers answer. */
static void snoop_all(struct out_request *request, const struct packet *packet,
		      uint64_t at)
{
	struct packet snoop = *packet;
	uint64_t arrived[EX_MAX_SOCKETS];

	snoop.cls = PACKET_SNP;
	snoop.mc = MC_SNP;
	snoop.opcode = (uint8_t)agent_snoop_opcode(packet->opcode);
	agent_send_snoops(request->ex, request->agent, &snoop, at, arrived);
	for (unsigned i = 1; i < request->ex->num_sockets; i++) {
		unsigned peer = (request->socket + i) %
				request->ex->num_sockets;

		snoop.dest = (uint8_t)NODE_SBOX(peer, request->slice->side);
		out_hear(request, peer, &snoop, arrived[peer]);
	}
}

/* With a directory the home snoops those who may have the line. */
static void home_snoops(struct out_request *request, struct home *home)
{
	struct home_job *job = &request->job;

	for (unsigned i = 0; i < request->ex->num_sockets; i++) {
		struct packet snoop;
		uint64_t arrived;

		if (!(job->snoop_sockets >> i & 1))
			continue;
		snoop = home_snoop(home, job, i);
		arrived = home_send(request->ex, home, &snoop, job->snoop_at,
				    0);
		out_hear(request, i, &snoop, arrived);
	}
}

/* Rivals, whose requests are complete by now, are asked again. */
static void settle_conflicts(struct out_request *request, struct home *home)
{
	struct home_job *job = &request->job;
	unsigned rivals = job->rivals;

	for (unsigned i = 0; rivals >> i; i++) {
		struct packet ask;
		uint64_t at;

		if (!(rivals >> i & 1))
			continue;
		at = home_forward(home, job,
				  NODE_SBOX(i, request->slice->side), &ask);
		at = home_send(request->ex, home, &ask, at, 0);
		out_hear(request, i, &ask, at);
	}
}

static bool is_direct(const struct packet *packet)
{
	return NODE_SOCKET(packet->source) == NODE_SOCKET(packet->dest) &&
	       NODE_SIDE(packet->source) == NODE_SIDE(packet->dest);
}

void out_take_reply(struct out_request *request)
{
	struct ex *ex = request->ex;
	struct home_job *job = &request->job;
	uint64_t room;

	request->reply = job->reply;
	request->is_direct = is_direct(&job->reply);
	room = agent_room_from(ex, request->agent, job->reply.cls,
			       request->is_direct, job->reply_at);
	request->reply_at = home_send(ex, home_of(ex, job->reply.home),
				      &request->reply, job->reply_at, room);
}

/* All answers are there. */
static void end(struct home_job *job)
{
	struct out_request *request = (struct out_request *)job;
	struct ex *ex = request->ex;
	struct values *values = ex->sockets[request->socket].socket->values;

	home_end(ex, home_of(ex, job->request.home), job);
	request->value = request->forward.is_there
				 ? request->forward.packet.value
			 : values ? values_memory(values, request->line)
				  : 0;
	request->is_forced = job->is_forced;
	request->then(request);
}

static void settle(struct home_job *job)
{
	struct out_request *request = (struct out_request *)job;
	struct ex *ex = request->ex;
	struct home *home = home_of(ex, job->request.home);

	home_begin(ex, home, job);
	if (ex->has_directory)
		home_snoops(request, home);
	if (job->rivals)
		settle_conflicts(request, home);
	job->go_on = end;
	if (!home_wait_for_answers(ex, home, job))
		end(job);
}

static void wait(struct home_job *job, uint64_t until)
{
	struct out_request *request = (struct out_request *)job;

	ex_busy_until(request->ex, until + 1);
	request->waits(request, until);
}

void out_settle(struct out_request *request)
{
	struct home_job *job = &request->job;

	job->go_on = settle;
	job->waits = wait;
	if (!home_wait(request->ex, home_of(request->ex, job->request.home),
		       job))
		settle(job);
}

void out_arrive(struct out_request *request)
{
	struct home_job *job = &request->job;
	struct home *home = home_of(request->ex, job->request.home);

	home_arrive(request->ex, home, job);
	request->owing = home_owing(home, job);
}

void out_ask(struct out_request *request, uint64_t at)
{
	struct ex *ex = request->ex;
	struct socket *socket = ex->sockets[request->socket].socket;
	struct packet packet = request_packet(request);
	struct home_job *job = &request->job;
	uint64_t taken;

	job->request = packet;
	job->line = request->line;
	socket_home(socket, request->line, &job->local);
	job->arrived = send(ex, request->socket, request->slice, &packet, at,
			    true, &taken);
	out_arrive(request);
	if (!ex->has_directory && agent_snoop_opcode(request->opcode) >= 0)
		snoop_all(request, &job->request, taken);
}

uint64_t out_acknowledge(struct out_request *request, uint64_t at)
{
	struct ex *ex = request->ex;
	struct packet packet = request_packet(request);
	struct home *home = home_of(ex, packet.home);
	uint64_t left, arrived;

	packet.opcode = HOM0_ACK_CNFLT;
	arrived = agent_send(ex, request->agent, &packet, at, 0, &left);
	home_acknowledged(home, &request->job, arrived);
	out_take_reply(request);
	return out_deliver(ex, request->agent, &request->reply,
			   request->reply_at, request->is_direct, 0, -1)
		.slice_at;
}

/* What the home says of a write-back, which is done then. */
static void end_write_back(struct home_job *job)
{
	struct out_request *request = (struct out_request *)job;
	struct ex *ex = request->ex;

	home_end(ex, home_of(ex, job->request.home), job);
	out_take_reply(request);
	agent_release(ex, request->agent, request->serial,
		      out_deliver(ex, request->agent, &request->reply,
				  request->reply_at, request->is_direct, 0, -1)
			      .left);
	pool_put(&ex->requests, request);
}

static void keep_write_back(struct home_job *job, uint64_t until)
{
	struct out_request *request = (struct out_request *)job;

	ex_busy_until(request->ex, until + 1);
	agent_keep(request->agent, request->serial, until);
}

void out_write_back(struct ex *ex, unsigned socket, struct slice *slice,
		    uint64_t line, unsigned serial, uint32_t number,
		    uint64_t at)
{
	struct out_request *request = pool_take(&ex->requests);
	struct home_job *job = &request->job;
	struct socket *own = ex->sockets[socket].socket;
	struct packet packet, data;
	struct home *home;

	*request = (struct out_request){
		.ex = ex,
		.socket = socket,
		.agent = ex->sockets[socket].agents[slice->side],
		.slice = slice,
		.line = line,
		.opcode = HOM0_WB_MTO_I,
		.serial = serial,
		.number = number,
	};
	packet = data = request_packet(request);
	home = home_of(ex, packet.home);
	data.cls = PACKET_DRS;
	data.mc = MC_DRS;
	data.opcode = DRS_WB_I_DATA;
	data.flits = PACKET_FLITS_LINE;
	data.is_poisoned =
		fault_strikes(&own->faults, FAULT_POISON, slice->index, at);
	job->request = packet;
	job->line = line;
	job->is_poisoned = data.is_poisoned;
	job->go_on = end_write_back;
	job->waits = keep_write_back;
	socket_home(own, line, &job->local);
	job->arrived = out_send(ex, socket, slice, &packet, at, false);
	job->data_at = out_send(ex, socket, slice, &data, at, false);
	home_arrive(ex, home, job);
	home_begin(ex, home, job);
	if (!home_wait_for_data(ex, home, job))
		end_write_back(job);
}
