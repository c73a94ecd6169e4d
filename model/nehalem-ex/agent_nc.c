/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Messages and interrupts of U-Boxes and hubs (guide 2.5.4.3: NcMsgS is all of
 * NCS, NcMsgB, IntLogical and IntPhysical are all of NCB), ring bound: a copy a
 * cycle goes over AD to each core that is meant. When all have it the S-Box
 * answers; these are its only system bound NDR packets, and each has a place in
 * their queue from the beginning, so that nothing waits with an answer in hand.
 *
 * System bound the non-coherent classes are like others: agent_out.c.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "model/box/socket.h"

/* The cores that a message is for. */
static uint32_t cores_for(const struct agent *agent,
			  const struct packet *packet)
{
	unsigned num_cores = agent->socket->num_cores, half = num_cores / 2;
	uint32_t all = (UINT32_C(1) << num_cores) - 1;
	uint32_t first = (UINT32_C(1) << half) - 1;

	if (packet->core != AGENT_ALL_CORES)
		return UINT32_C(1) << packet->core % num_cores;
	all &= agent->side ? ~first : first;
	if (packet->message == MESSAGE_STOP_REQ1 &&
	    packet->requester == agent->node)
		all &= ~(UINT32_C(1) << packet->cbox); /* who locks goes on */
	return all;
}

/* Sends a copy to each core; returns the cycle of the last one, and in *all_at
 * the one in which all have theirs. */
static uint64_t send_copies(struct ex *ex, struct agent *agent,
			    struct agent_message *message, uint64_t at,
			    uint64_t *all_at)
{
	uint64_t next = at;

	*all_at = at;
	for (uint32_t left = message->cores; left; left &= left - 1) {
		unsigned core = (unsigned)__builtin_ctz(left);

		at = agent_core_from(agent, core, next);
		at = calendar_take(&agent->pumps[PUMP_NC],
				   engine_now(&ex->engine), at, 1);
		message->core_at[core] = agent_to_core(agent, core, at);
		*all_at = sim_later(*all_at, message->core_at[core]);
		next = at + 1;
	}
	return at;
}

static struct packet answer_to(const struct agent *agent,
			       const struct packet *packet)
{
	struct packet answer = *packet;
	bool was_message =
		packet->cls == PACKET_NCS && packet->opcode == NCS_NC_MSG_S;

	answer.cls = PACKET_NDR;
	answer.mc = MC_NDR;
	answer.opcode = was_message ? NDR_CMP_D : NDR_CMP;
	answer.flits = PACKET_FLITS_SHORT;
	answer.dest = packet->source;
	answer.source = (uint8_t)agent->node;
	return answer;
}

void agent_message(struct ex *ex, struct agent *agent,
		   const struct packet *packet, uint64_t at, uint64_t room_from,
		   struct agent_message *message)
{
	uint64_t now = engine_now(&ex->engine), begun, all_at;
	uint64_t entered = at, ready = agent_enter(agent, packet, &entered);

	begun = queue_from(&agent->answers, now, ready, 1);
	if (begun > ready)
		begun++; /* it hears of that in the next cycle */
	message->cores = cores_for(agent, packet);
	at = send_copies(ex, agent, message, begun, &all_at);
	agent_bring(agent, packet, entered, at);
	message->answer = answer_to(agent, packet);
	message->answer_at =
		agent_answer(agent, &message->answer, all_at, room_from);
	queue_stay(&agent->answers, now, begun, agent->sent);
}
