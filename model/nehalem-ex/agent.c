/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.5. What an S-Box consists of. Its request table is in agent_table.c,
 * what leaves the box for the system in agent_out.c, what it brings to the ring
 * in agent_in.c, messages to cores in agent_nc.c; what is told of all that in
 * agent_tell.c. HOM messages to the B-Box of the same side take the direct
 * link, all others the R-Box.
 *
 * Choices where the guide names a thing and no more: a bypass is taken by what
 * finds its queue empty and the link behind it free, and saves
 * sbox.bypass_cycles. Left out: debug packets, priority updates, and the second
 * FIFO (even and odd) of each egress.
 */
#include "model/nehalem-ex/agent_parts.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "signals.h"

/* Construction */

/* A lock that waits for the bus keeps its entry of the table; the write and the
 * unlock of the core that has the bus need one, too, beside the last one, which
 * is for write-backs. */
const char *agent_config_check(const struct socket *socket)
{
	unsigned locks = socket->num_cores / EX_SIDES;

	if (socket_param(socket, PARAM_SBOX_REQUEST_TABLE) < locks + 2)
		return "a request table (sbox.request_table) needs an entry "
		       "for each core of its side and two more";
	return NULL;
}

/* Queues of a kind, with what bounds each and the signal that one is full (of
 * the first of them). */
struct queue_kind {
	uint8_t which, instances;
	uint16_t full_signal;
	enum param room;
};

static const struct queue_kind out_kinds[] = {
	/* each half of the HOM buffer may take all of it; the sum is bounded */
	{ OUT_HOM, HOM_NUM, SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX_FULL,
	  PARAM_SBOX_HOM_QUEUE },
	{ OUT_SNP, 1, SIG_SBOX_TO_R_SNP_MSGQ_FULL, PARAM_SBOX_SNP_QUEUE },
	{ OUT_NDR, 1, SIG_SBOX_TO_R_NDR_MSGQ_FULL, PARAM_SBOX_NDR_QUEUE },
	{ OUT_DRS, AGENT_CBOXES, SIG_SBOX_TO_R_DRS_MSGQ_FULL,
	  PARAM_SBOX_DRS_QUEUE },
	{ OUT_NCB, AGENT_CBOXES, SIG_SBOX_TO_R_NCB_MSGQ_FULL,
	  PARAM_SBOX_NCB_QUEUE },
	{ OUT_NCS, AGENT_CBOXES, SIG_SBOX_TO_R_NCS_MSGQ_FULL,
	  PARAM_SBOX_NCS_QUEUE },
	{ OUT_LOC_NCS, AGENT_CBOXES, SIG_SBOX_TO_R_LOC_NCS_MSGQ_FULL,
	  PARAM_SBOX_NCS_QUEUE },
};

static const struct queue_kind in_kinds[] = {
	{ IN_SNP, 1, SIG_SBOX_TO_RING_SNP_MSGQ_FULL,
	  PARAM_SBOX_RING_SNP_QUEUE },
	{ IN_NCS, 1, SIG_SBOX_TO_RING_NCS_MSGQ_FULL, PARAM_SBOX_RING_NC_QUEUE },
	{ IN_NCB, 1, SIG_SBOX_TO_RING_NCB_MSGQ_FULL, PARAM_SBOX_RING_NC_QUEUE },
	{ IN_NDR, 1, SIG_SBOX_TO_RING_NDR_MSGQ_FULL,
	  PARAM_SBOX_RING_NDR_QUEUE },
	{ IN_R2S, 1, SIG_SBOX_TO_RING_R2S_MSGQ_FULL,
	  PARAM_SBOX_RING_R2S_QUEUE },
	{ IN_B2S, 1, SIG_SBOX_TO_RING_B2S_MSGQ_FULL,
	  PARAM_SBOX_RING_B2S_QUEUE },
};

enum {
	NUM_OUT_KINDS = sizeof(out_kinds) / sizeof(*out_kinds),
	NUM_IN_KINDS = sizeof(in_kinds) / sizeof(*in_kinds),
	MORE_NOTES = 8, /* than places */
};

/* The next stays of the agent are those of the queue; without memory for them
 * (the first time) they are only counted. Returns their number by now. */
static unsigned init_queue(struct agent *agent, struct agent_queue *queue,
			   unsigned room, unsigned num)
{
	queue->room = (uint16_t)room;
	queue->size = (uint16_t)(room + MORE_NOTES);
	if (agent->stays)
		queue->stays = &agent->stays[num];
	return num + queue->size;
}

/* queues: of the kind, with numbers from `number` on. */
static unsigned init_kind(struct agent *agent, struct agent_queue *queues,
			  const struct queue_kind *kind, unsigned number,
			  unsigned num)
{
	unsigned room = socket_param(agent->socket, kind->room);

	for (unsigned i = 0; i < kind->instances; i++) {
		queues[i].full_signal = (uint16_t)(kind->full_signal + i);
		queues[i].number = (uint16_t)(number + i);
		num = init_queue(agent, &queues[i], room, num);
	}
	return num;
}

/* What a message for stops that are near has room for; a line takes two places
 * where there is one, as long as it found one. */
static unsigned init_egresses(struct agent *agent, unsigned num)
{
	unsigned room = socket_param(agent->socket, PARAM_SBOX_EGRESS) + 1;

	for (unsigned ring = RING_AD; ring <= RING_BL; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++)
			num = init_queue(agent, &agent->egress[d][ring], room,
					 num);
	return num;
}

/* All queues; returns how many stays they have. */
static unsigned init_queues(struct agent *agent)
{
	unsigned num = 0;

	for (unsigned i = 0; i < NUM_OUT_KINDS; i++)
		num = init_kind(
			agent, &agent->out[out_kinds[i].which * OUT_EACH],
			&out_kinds[i], out_kinds[i].which * OUT_EACH, num);
	for (unsigned i = 0; i < NUM_IN_KINDS; i++)
		num = init_kind(agent, &agent->in[in_kinds[i].which],
				&in_kinds[i], in_kinds[i].which, num);
	num = init_queue(agent, &agent->answers,
			 agent->out[OUT_NDR * OUT_EACH].room, num);
	num = init_queue(agent, &agent->b_vna,
			 socket_param(agent->socket, PARAM_SBOX_BBOX_VNA), num);
	return init_egresses(agent, num);
}

/* The request table, and tracker credits: they matter only where there are
 * fewer than entries. A home's tracker is for the S-Boxes that may ask it: with
 * hemisphere mode for those of its side. */
static void init_table(struct agent *agent)
{
	const struct socket *socket = agent->socket;
	unsigned room = socket_param(socket, PARAM_SBOX_REQUEST_TABLE);
	unsigned num_homes = EX_SIDES * agent->num_sockets;
	unsigned asking =
		socket_is_hemisphere(socket) ? agent->num_sockets : num_homes;
	unsigned credits = socket_param(socket, PARAM_BBOX_TRACKER) / asking;

	places_init(&agent->table, room);
	agent->has_trackers = credits < room;
	for (unsigned i = 0; agent->has_trackers && i < num_homes; i++)
		places_init(&agent->trackers[i], credits);
}

/* Stops: each half has its C-Boxes, with their cores, in order, and the S-Box
 * after the first half of them. The shorter way is taken. */
static void init_ways(struct agent *agent, unsigned num_cores)
{
	unsigned half = num_cores / 2, stops = num_cores + EX_SIDES;
	unsigned own = socket_sbox_stop(agent->socket, agent->side);

	agent->num_stops = stops;
	for (unsigned core = 0; core < num_cores; core++) {
		unsigned side = socket_side(agent->socket, core);
		unsigned place = socket_place(agent->socket, core);
		unsigned stop = side * (half + 1) + place + (place >= half / 2);
		unsigned hops = (stop + stops - own) % stops;

		unsigned way = hops * 2 <= stops ? RING_CW : RING_CCW;

		agent->ways[core] = (struct agent_way){
			.routes = &agent->floor->from_sbox[agent->side][core],
			.egress = agent->egress[way],
		};
	}
}

static void init_params(struct agent *agent)
{
	const struct socket *socket = agent->socket;

	agent->num_sockets = socket->num_sockets;
	agent->first_cbox = agent->side * (socket->num_cores / 2);
	agent->cycles = socket_param(socket, PARAM_SBOX_CYCLES);
	agent->bypass_cycles = socket_param(socket, PARAM_SBOX_BYPASS_CYCLES);
	if (agent->bypass_cycles > agent->cycles)
		agent->bypass_cycles = agent->cycles;
	for (unsigned i = 1; i < 4; i++)
		agent->saved[i] = agent->bypass_cycles;
	if (agent->bypass_cycles < agent->cycles - agent->bypass_cycles)
		agent->saved[3] += agent->bypass_cycles;
	else
		agent->saved[3] = agent->cycles;
	agent->in_room = socket_param(socket, PARAM_SBOX_RING_QUEUE);
	agent->bbox_cycles = socket_param(socket, PARAM_BBOX_CYCLES);
	if (socket_param(socket, PARAM_BBOX_DIRECTORY))
		return;
	agent->num_snoops = socket->num_sockets - 1;
	for (unsigned opcode = 0; opcode < 16; opcode++)
		agent->snooped |= (agent_snoop_opcode(opcode) >= 0) << opcode;
}

static void init_nodes(struct agent *agent)
{
	agent->node = NODE_SBOX(agent->index, agent->side);
	agent->port = agent->side ? RBOX_PORT_SBOX1 : RBOX_PORT_SBOX0;
	agent->bbox = NODE_BBOX(agent->index, agent->side);
}

struct agent *agent_new(struct ex *ex, unsigned socket, unsigned side,
			struct sigbank *bank)
{
	struct agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return NULL;
	agent->ex = ex;
	agent->bank = bank;
	agent->socket = ex->sockets[socket].socket;
	agent->floor = ex->sockets[socket].floor;
	agent->index = socket;
	agent->side = side;
	init_nodes(agent);
	init_params(agent);
	init_ways(agent, agent->socket->num_cores);
	init_table(agent);
	agent->visits = visits_new(bank, sizeof(struct agent_sent));
	agent->stays = calloc(init_queues(agent), sizeof(*agent->stays));
	if (!agent->visits || !agent->stays) {
		agent_free(agent);
		return NULL;
	}
	init_queues(agent);
	sig_drives(bank, 0, NUM_SIG_SBOX);
	return agent;
}

void agent_free(struct agent *agent)
{
	if (agent)
		free(agent->stays);
	free(agent);
}
