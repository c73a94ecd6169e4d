/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The protocol is source snooping (docs/xeon-e7.md): the S-Box sends the
 * request to the home and a snoop to the caching agent of its side in every
 * other socket, which answer the home. With a directory the home sends the
 * snoops.
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

uint64_t out_carry(struct agent *agent, struct slice *slice,
		   struct packet *packet, uint64_t at, bool takes_credit,
		   uint64_t *taken)
{
	struct floor *floor = slice->floor;
	bool is_line = packet->cls == PACKET_DRS || packet->cls == PACKET_NCB;
	const struct floor_route *route =
		&floor->to_sbox[slice->index][is_line ? RING_BL : RING_AD];
	unsigned credit = 0;

	if (takes_credit)
		credit = places_take(&slice->credits,
				     engine_now(&floor->ex->engine), &at);
	at = floor_ride(floor, route, at).arrived;
	at = agent_send(agent, packet, at, taken);
	if (takes_credit)
		places_hold(&slice->credits, credit, *taken);
	return at;
}

uint64_t out_send(struct ex *ex, unsigned socket, struct slice *slice,
		  struct packet *packet, uint64_t at, bool takes_credit)
{
	struct agent *agent = ex->sockets[socket].agents[slice->side];
	uint64_t taken;

	return out_carry(agent, slice, packet, at, takes_credit, &taken);
}

static struct home *home_of(struct ex *ex, unsigned node)
{
	return ex->sockets[NODE_SOCKET(node)].homes[NODE_SIDE(node)];
}

/* The packet of a request, which is told where its line is at home. */
static void fill_in(struct out_request *request)
{
	struct home_job *job = &request->job;
	struct packet *packet = &job->request;
	struct socket *socket = request->ex->sockets[request->socket].socket;
	unsigned node = NODE_SBOX(request->socket, request->slice->side);
	unsigned home = socket_home(socket, request->line, &job->local);

	job->home = home_of(request->ex, home);
	job->line = request->line;
	*packet = (struct packet){
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

void out_hear(struct out_request *request, unsigned socket,
	      const struct packet *snoop, uint64_t arrived)
{
	struct ex *ex = request->ex;
	struct home_answer answer;

	answer.data_at = 0;
	line_snoop(ex, socket, snoop, arrived,
		   request->owing >> socket & (snoop->cls == PACKET_SNP),
		   &answer, &request->forward);
	home_hear(ex, request->job.home, &request->job, &answer);
}

/* The requester's S-Box sends the snoops; its peers answer. */
static void snoop_all(struct out_request *request, uint64_t at)
{
	struct packet snoop;
	uint64_t arrived[EX_MAX_SOCKETS];
	unsigned num = request->ex->num_sockets, peer = request->socket;

	agent_send_snoops(request->ex, request->agent, &request->job.request,
			  &snoop, at, arrived);
	for (unsigned i = 1; i < num; i++) {
		if (++peer == num)
			peer = 0;
		snoop.dest = (uint8_t)NODE_SBOX(peer, request->slice->side);
		out_hear(request, peer, &snoop, arrived[peer]);
	}
}

/* With a directory the home snoops those who may have the line. */
static SIG_SLOW void home_snoops(struct out_request *request, struct home *home)
{
	struct home_job *job = &request->job;

	for (unsigned i = 0; i < request->ex->num_sockets; i++) {
		struct packet snoop;
		uint64_t arrived;

		if (!(job->snoop_sockets >> i & 1))
			continue;
		snoop = home_snoop(home, job, i);
		arrived =
			home_send(request->ex, home, &snoop, job->snoop_at, 0);
		out_hear(request, i, &snoop, arrived);
	}
}

/* Rivals, whose requests are complete by now, are asked again. */
static SIG_SLOW void settle_conflicts(struct out_request *request,
				      struct home *home)
{
	struct home_job *job = &request->job;
	unsigned rivals = job->rivals;

	for (unsigned i = 0; rivals >> i; i++) {
		struct packet ask;
		uint64_t at;

		if (!(rivals >> i & 1))
			continue;
		at = home_forward(home, job, NODE_SBOX(i, request->slice->side),
				  &ask);
		at = home_send(request->ex, home, &ask, at, 0);
		out_hear(request, i, &ask, at);
	}
}

static bool is_direct(const struct packet *packet)
{
	return packet->source >> 1 == packet->dest >> 1; /* socket and side */
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
	request->reply_at =
		home_send(ex, job->home, &request->reply, job->reply_at, room);
}

/* All answers are there. */
static void end(struct home_job *job)
{
	struct out_request *request = (struct out_request *)job;
	struct ex *ex = request->ex;
	struct values *values = ex->sockets[request->socket].socket->values;

	home_end(ex, job->home, job);
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
	struct home *home = job->home;

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

	engine_busy_until(&request->ex->engine, until + 1);
	request->waits(request, until);
}

void out_settle(struct out_request *request)
{
	struct home_job *job = &request->job;

	job->go_on = settle;
	job->waits = wait;
	if (!home_wait(request->ex, job->home, job))
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
	struct home_job *job = &request->job;
	uint64_t taken;

	fill_in(request);
	job->arrived = out_carry(request->agent, request->slice, &job->request,
				 at, true, &taken);
	home_arrive(ex, job->home, job);
	request->owing = home_owing(job->home, job);
	if (!ex->has_directory && agent_snoop_opcode(request->opcode) >= 0)
		snoop_all(request, taken);
}

uint64_t out_acknowledge(struct out_request *request, uint64_t at)
{
	struct ex *ex = request->ex;
	struct packet packet = request->job.request;
	uint64_t left, arrived;

	packet.opcode = HOM0_ACK_CNFLT;
	arrived = agent_send(request->agent, &packet, at, &left);
	home_acknowledged(request->job.home, &request->job, arrived);
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

	home_end(ex, job->home, job);
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

	engine_busy_until(&request->ex->engine, until + 1);
	agent_keep(request->agent, request->serial, until);
}

void out_write_back(struct ex *ex, unsigned socket, struct slice *slice,
		    const struct slice_victim *victim, unsigned serial,
		    uint32_t number, uint64_t at)
{
	struct out_request *request = pool_take(&ex->requests);
	struct home_job *job = &request->job;
	struct socket *own = ex->sockets[socket].socket;
	struct packet data;

	*request = (struct out_request){
		.ex = ex,
		.socket = socket,
		.agent = ex->sockets[socket].agents[slice->side],
		.slice = slice,
		.line = victim->line,
		.opcode = HOM0_WB_MTO_I,
		.serial = serial,
		.number = number,
	};
	fill_in(request);
	data = job->request;
	data.cls = PACKET_DRS;
	data.mc = MC_DRS;
	job->is_partial = victim->is_partial;
	data.opcode = job->is_partial ? DRS_WB_I_DATA_PTL : DRS_WB_I_DATA;
	data.flits = job->is_partial ? PACKET_FLITS_PARTIAL : PACKET_FLITS_LINE;
	data.is_poisoned =
		fault_strikes(&own->faults, FAULT_POISON, slice->index, at);
	job->is_poisoned = data.is_poisoned;
	job->go_on = end_write_back;
	job->waits = keep_write_back;
	job->arrived = out_send(ex, socket, slice, &job->request, at, false);
	job->data_at = out_send(ex, socket, slice, &data, at, false);
	home_arrive(ex, job->home, job);
	home_begin(ex, job->home, job);
	if (!home_wait_for_data(ex, job->home, job))
		end_write_back(job);
}
